//! The Rust side of the conformance runner: requests in, answers out, one JSON line each.
//!
//! [`Request`] reads a line, a [`Host`] answers through its own public API, [`Answer`] writes the
//! line. The other hosts live in `hosts/` and do the same in their own language.

mod answer;
mod native;
mod request;
pub mod vectors;
#[cfg(feature = "wasmtime")]
mod wasmtime;

use std::io::{self, BufRead, BufReader, Read, Write};

pub use answer::Answer;
pub use native::Native;
pub use request::Request;
#[cfg(feature = "wasmtime")]
pub use wasmtime::Wasmtime;

/// Something that answers requests.
pub trait Host {
    /// The answer to one well-formed request.
    fn answer(&mut self, request: Request) -> Answer;
}

/// The answer line, without its newline, to one request line.
///
/// # Errors
/// The answer could not be written as JSON.
pub fn answer_line(host: &mut dyn Host, line: &[u8]) -> serde_json::Result<String> {
    let answer = Request::parse(line).map_or(Answer::BadRequest, |request| host.answer(request));
    serde_json::to_string(&answer)
}

/// Answers every line of `input`, in order; an unreadable line gets `{"error":"bad request"}`.
///
/// # Errors
/// Reading or writing failed.
pub fn serve(host: &mut dyn Host, input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        writeln!(output, "{}", answer_line(host, &line)?)?;
        // Whoever asks line by line waits for each answer.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
}
