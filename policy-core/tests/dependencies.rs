//! The crates that are compiled into the core are those that `proof/dependencies.md` gives a reason for, with those features.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn every_shipped_crate_has_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("proof/dependencies.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")).skip(1).filter(|row| !row.starts_with("---"));
    let listed: BTreeSet<String> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let [name, features, _, why, ""] = cells.as_slice() else { panic!("not four cells: {row}") };
            assert!(!why.is_empty(), "{name} has no reason");
            format!("{name} [{features}]")
        })
        .collect();

    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--package", "policy-core", "--edges", "normal", "--target", "all"])
        .args(["--prefix", "none", "--no-dedupe", "--format", "{p}|{f}"])
        .current_dir(&root)
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let shipped: BTreeSet<String> = String::from_utf8(tree.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| line.split_once('|'))
        .map(|(package, features)| format!("{} [{features}]", package.split(' ').next().unwrap_or_default()))
        .filter(|package| !package.starts_with("policy-core "))
        .collect();

    let missing: Vec<_> = shipped.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&shipped).collect();
    assert!(missing.is_empty() && gone.is_empty(), "without a reason: {missing:#?}\nno longer there: {gone:#?}");
}
