//! Transcripts recorded from the JavaScript original, in the form of the conformance runner's operation `supervise`:
//! every step is a frame on a connection of its own, and the approver's answer if that step asks.

use std::fs;
use std::path::Path;

use policy_core::{Answer, Capability, NetworkPolicy, Output, Supervisor, SupervisorOptions};
use serde_json::{Value, json};

use crate::support::drain;

#[test]
fn recorded_transcripts_are_reproduced_exactly() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host-tests/vectors/recorded");
    if !folder.exists() {
        eprintln!("skipped: {} does not exist", folder.display());
        return;
    }
    let mut count = 0;
    for file in fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let case: Value = serde_json::from_str(line).unwrap();
            if case["request"]["op"] == "supervise" {
                count += 1;
                assert_eq!(supervise(&case["request"]), case["expect"], "{}:{}", path.display(), number + 1);
            }
        }
    }
    assert!(count >= 97, "only {count} transcripts in {}", folder.display());
}

/// The conformance runner's operation, over the public interface.
pub(crate) fn supervise(request: &Value) -> Value {
    let secret = request["capability"].as_str().unwrap();
    let policy = NetworkPolicy::from_transport(&request["network"].to_string());
    let recheck = request["recheck"].as_bool().unwrap_or(true);
    let options = SupervisorOptions { recheck, ..SupervisorOptions::default() };
    let mut supervisor = match Supervisor::new(policy, Capability::parse(secret).unwrap(), options) {
        Ok(supervisor) => supervisor,
        Err(error) => return json!({ "error": error.to_string() }),
    };
    let (mut replies, mut asks) = (Vec::new(), Vec::new());
    for (step, members) in request["steps"].as_array().unwrap().iter().enumerate() {
        let frame = members["frame"].as_str().unwrap().replace("$CAP", secret);
        let connection = supervisor.open();
        supervisor.receive_line(connection, &frame, 0);
        while let Some(output) = supervisor.poll() {
            match output {
                Output::Reply { line, .. } => replies.push(line),
                Output::Ask(ask) => {
                    let word = members.get("answer").and_then(Value::as_str).unwrap_or_default();
                    supervisor.answer(ask.ask, Answer::from_word(word), 0);
                    let mut shown = serde_json::to_value(&*ask).unwrap();
                    let shown = shown.as_object_mut().unwrap();
                    shown.retain(|name, _| name != "ask" && name != "connection");
                    shown.insert("step".into(), step.into());
                    asks.push(shown.clone());
                }
                Output::Close { .. } | Output::Registered { .. } | Output::Unregistered { .. } => {}
                Output::Withdrawn { .. } => panic!("every ask is answered at once"),
            }
        }
        supervisor.close(connection);
        assert_eq!(drain(&mut supervisor), []);
    }
    let workers: Vec<_> = supervisor.workers().collect();
    json!({ "replies": replies, "asks": asks, "workers": workers })
}
