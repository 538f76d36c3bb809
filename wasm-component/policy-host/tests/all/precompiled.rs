//! A precompiled component runs when it is the one its caller knows, and not otherwise.

use std::env;
use std::fs;
use std::process;

use policy_host::{Action, Artifact, BuildError, Digest, Policy, PolicyEngine};

use crate::{READY, bundled};

const HEADER: &[u8] = concat!("policy-host ", env!("CARGO_PKG_VERSION"), " precompiled component\n").as_bytes();

fn build(bytes: Vec<u8>, digest: Digest) -> Result<PolicyEngine, BuildError> {
    PolicyEngine::builder(Artifact::precompiled(bytes, digest)).build()
}

#[test]
fn it_answers_as_the_compiled_one() {
    let ready = &*READY;
    assert_eq!(ready.digest, Digest::of(&ready.bytes));
    let engine = build(ready.bytes.clone(), ready.digest).unwrap();
    let policy = Policy::from_config(&engine, r#"{"network":{"allowedDomains":["a.example:443"]}}"#).unwrap();
    assert_eq!(policy.check("A.example.", 443), Action::Allow);
    assert_eq!(policy.check("a.example", 80), Action::Review);

    let path = env::temp_dir().join(format!("policy-host-{}.precompiled", process::id()));
    fs::write(&path, &ready.bytes).unwrap();
    let from_file = PolicyEngine::builder(Artifact::precompiled_file(&path, ready.digest)).build();
    fs::write(&path, b"something else").unwrap();
    let exchanged = PolicyEngine::builder(Artifact::precompiled_file(&path, ready.digest)).build();
    fs::remove_file(&path).unwrap();
    let gone = PolicyEngine::builder(Artifact::precompiled_file(&path, ready.digest)).build();
    assert!(from_file.unwrap().is_public_address("140.82.112.3"));
    assert!(matches!(exchanged, Err(BuildError::Digest { .. })));
    assert!(matches!(gone, Err(BuildError::Read { path: missing, .. }) if missing == path));
}

#[test]
fn compiling_twice_gives_the_same_bytes() {
    assert_eq!(Artifact::bundled().precompile().unwrap().digest, READY.digest);
}

#[test]
fn changed_bytes_are_refused_wherever_they_changed() {
    let ready = &*READY;
    let length = ready.bytes.len();
    for at in [0, HEADER.len() - 1, HEADER.len(), length / 3, length / 2, length - 1] {
        let mut bytes = ready.bytes.clone();
        bytes[at] ^= 1;
        let found = Digest::of(&bytes);
        match build(bytes, ready.digest).unwrap_err() {
            BuildError::Digest { expected, found: was } => assert_eq!((expected, was), (ready.digest, found)),
            other => panic!("{other}"),
        }
    }
    for bytes in [Vec::new(), ready.bytes[..length - 1].to_vec(), [&ready.bytes[..], b"\0"].concat()] {
        assert!(matches!(build(bytes, ready.digest), Err(BuildError::Digest { .. })));
    }
}

#[test]
fn what_is_no_precompiled_component_is_refused_even_when_its_digest_is_known() {
    let ready = &*READY;
    let code = ready.bytes.strip_prefix(HEADER).unwrap().to_vec();
    let component = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/component/policy.component.wasm")).unwrap();
    for bytes in [Vec::new(), HEADER[1..].to_vec(), code, component.clone()] {
        let digest = Digest::of(&bytes);
        let error = build(bytes, digest).unwrap_err();
        assert!(matches!(error, BuildError::NotPrecompiled), "{error}");
    }
    for rest in [&b""[..], b"not ELF", &component] {
        let bytes = [HEADER, rest].concat();
        let digest = Digest::of(&bytes);
        let error = build(bytes, digest).unwrap_err();
        assert!(matches!(error, BuildError::Incompatible { .. }), "{error}");
    }
}

#[test]
fn precompiled_bytes_are_no_component() {
    let ready = &*READY;
    let code = ready.bytes.strip_prefix(HEADER).unwrap().to_vec();
    for bytes in [ready.bytes.clone(), code, b"(component)".to_vec(), Vec::new()] {
        let error = PolicyEngine::builder(Artifact::component(bytes)).build().unwrap_err();
        assert!(matches!(error, BuildError::Compile { .. }), "{error}");
    }
    assert!(bundled().precompile().is_err());
}
