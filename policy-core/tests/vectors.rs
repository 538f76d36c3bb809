//! Every vector of the tree, answered by the core itself; each case is a trial of its own.

use std::process::ExitCode;

use host_tests::{Native, answer_line, vectors};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let trials = vectors::all()
        .into_iter()
        .map(|vector| {
            Trial::test(vector.name, move || {
                let answer = answer_line(&mut Native, vector.request.as_bytes())?;
                if answer == vector.expect {
                    return Ok(());
                }
                let (request, expect) = (vector.request, vector.expect);
                Err(Failed::from(format!("request  {request}\nexpected {expect}\nanswered {answer}")))
            })
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
