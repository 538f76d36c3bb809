//! Looks whether the component is there to be bundled; `src/lib.rs` says so when it is not.

use std::path::Path;

const COMPONENT: &str = "component/policy.component.wasm";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(bundled_component)");
    println!("cargo::rerun-if-changed={COMPONENT}");
    if Path::new(COMPONENT).is_file() {
        println!("cargo::rustc-cfg=bundled_component");
    }
}
