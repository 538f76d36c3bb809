//! `rust-host HOST`: answers the requests on stdin through one Rust host. `rust-host --list`: the hosts it was built with.

use std::io::{BufWriter, stdin, stdout};
use std::process::ExitCode;

#[cfg(feature = "wasmtime")]
use host_tests::Wasmtime;
use host_tests::{Host, Native, serve};

const HOSTS: &[&str] = if cfg!(feature = "wasmtime") { &["native", "wasmtime"] } else { &["native"] };

fn main() -> ExitCode {
    let mut host: Box<dyn Host> = match std::env::args().nth(1).as_deref() {
        Some("--list") => {
            println!("{}", HOSTS.join("\n"));
            return ExitCode::SUCCESS;
        }
        Some("native") => Box::new(Native),
        #[cfg(feature = "wasmtime")]
        Some("wasmtime") => match Wasmtime::new() {
            Ok(host) => Box::new(host),
            Err(error) => {
                eprintln!("rust-host: {error}");
                return ExitCode::FAILURE;
            }
        },
        _ => {
            eprintln!("usage: rust-host {} | --list", HOSTS.join("|"));
            return ExitCode::from(2);
        }
    };
    match serve(host.as_mut(), stdin().lock(), BufWriter::new(stdout().lock())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rust-host: {error}");
            ExitCode::FAILURE
        }
    }
}
