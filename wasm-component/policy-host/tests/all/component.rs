//! What the component is, looked at from outside.

use wit_component::DecodedWasm;
use wit_parser::Resolve;

const COMPONENT: &[u8] = include_bytes!("../../component/policy.component.wasm");

fn decode() -> (Resolve, wit_parser::WorldId) {
    match wit_component::decode(COMPONENT).unwrap() {
        DecodedWasm::Component(resolve, world) => (resolve, world),
        DecodedWasm::WitPackage(..) => panic!("a WIT package"),
    }
}

#[test]
fn it_imports_nothing() {
    let (resolve, world) = decode();
    let imports: Vec<_> = resolve.worlds[world].imports.keys().map(|key| resolve.name_world_key(key)).collect();
    assert!(imports.is_empty(), "an embedder would have to grant {imports:?}");
}

#[test]
fn it_exports_the_interfaces_of_the_world() {
    let (resolve, world) = decode();
    let exports: Vec<_> = resolve.worlds[world].exports.keys().map(|key| resolve.name_world_key(key)).collect();
    let wit = Resolve::default();
    let expected = {
        let mut wit = wit;
        let (package, _) = wit.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/wit")).unwrap();
        let world = wit.packages[package].worlds["policy"];
        wit.worlds[world].exports.keys().map(|key| wit.name_world_key(key)).collect::<Vec<_>>()
    };
    assert_eq!(exports, expected);
}
