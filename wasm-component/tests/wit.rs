//! The WIT package, as its readers find it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at the first surprise")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use wit_parser::{Docs, PackageId, Resolve, TypeDefKind};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn package() -> (Resolve, PackageId) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(root().join("wit")).unwrap();
    (resolve, package)
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    files.map(|file| (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap())).collect()
}

/// A published crate reaches nothing outside of itself, so `policy-host` has a copy.
#[test]
fn the_copies_agree() {
    let ours = files(&root().join("wit"));
    assert_eq!(ours, files(&root().join("policy-host/wit")), "copy wasm-component/wit to policy-host/wit");
    // One file for each interface of the world, which lists them.
    let (resolve, package) = package();
    let mut expected: Vec<String> =
        resolve.packages[package].interfaces.keys().map(|name| format!("{name}.wit")).collect();
    expected.push("world.wit".into());
    expected.sort();
    assert_eq!(ours.into_keys().collect::<Vec<_>>(), expected);
}

#[test]
fn the_world_imports_nothing_and_exports_every_interface() {
    let (resolve, package) = package();
    let name = &resolve.packages[package].name;
    assert_eq!(name.to_string(), format!("pi-sandbox:policy@{}", env!("CARGO_PKG_VERSION")));
    let world = resolve.packages[package].worlds["policy"];
    let world = &resolve.worlds[world];
    assert!(world.imports.is_empty());
    assert_eq!(world.exports.len(), resolve.packages[package].interfaces.len());
}

#[test]
fn everything_is_documented() {
    let (resolve, package) = package();
    let mut checked = 0;
    let mut missing = Vec::new();
    let mut check = |name: String, docs: &Docs| {
        checked += 1;
        if docs.contents.as_deref().is_none_or(|text| text.trim().is_empty()) {
            missing.push(name);
        }
    };
    check("package".into(), &resolve.packages[package].docs);
    for (name, &world) in &resolve.packages[package].worlds {
        check(name.clone(), &resolve.worlds[world].docs);
    }
    for (interface, &id) in &resolve.packages[package].interfaces {
        let contents = &resolve.interfaces[id];
        check(interface.clone(), &contents.docs);
        for (name, function) in &contents.functions {
            check(format!("{interface}.{name}"), &function.docs);
        }
        for (name, &ty) in &contents.types {
            let ty = &resolve.types[ty];
            let parts: Vec<(&String, &Docs)> = match &ty.kind {
                // A name from another interface.
                TypeDefKind::Type(_) => continue,
                TypeDefKind::Record(record) => record.fields.iter().map(|field| (&field.name, &field.docs)).collect(),
                TypeDefKind::Variant(variant) => variant.cases.iter().map(|case| (&case.name, &case.docs)).collect(),
                TypeDefKind::Enum(cases) => cases.cases.iter().map(|case| (&case.name, &case.docs)).collect(),
                TypeDefKind::Resource => Vec::new(),
                other => panic!("{name} is of a kind that this test does not know: {other:?}"),
            };
            check(format!("{interface}.{name}"), &ty.docs);
            for (part, docs) in parts {
                check(format!("{interface}.{name}.{part}"), docs);
            }
        }
    }
    assert!(missing.is_empty(), "without a comment: {missing:?}");
    assert!(checked > 80, "{checked}");
}
