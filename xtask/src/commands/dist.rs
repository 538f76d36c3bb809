//! `cargo xtask dist`: what is published.

use super::build;
use crate::cli::{Command, usage};
use crate::dist;

pub(crate) const COMMAND: Command = Command {
    name: "dist",
    arguments: "[--check]",
    summary: "leave in dist/ what is published, with checksums and lists of what is inside",
    details:
        "  pi-sandbox-policy-VERSION.tgz             the npm package: `npm install` takes the file as it is
  pi-sandbox-policy-VERSION.component.wasm  the WebAssembly component, which imports nothing
  pi-sandbox-policy-VERSION.wit             the component's interface, documented
  ….cdx.json                                what is inside the npm package and the component, as CycloneDX:
                                            crates with versions, licences and the registry's checksums
  SHA256SUMS                                for `sha256sum --check SHA256SUMS`

Other files in dist/ are removed, folders are not: dist/validator is made by `cargo xtask validator`.

With --check, the sources are also copied to a new folder and everything is built there from nothing. It fails
when any byte differs, and says where. That takes a few minutes; git must be there, to say what belongs to the sources.",
    run: |repo, arguments| match arguments {
        [] => build::published(repo),
        [flag] if flag == "--check" => {
            build::published(repo)?;
            dist::check_reproducible(repo)
        }
        _ => usage("dist takes nothing, or --check"),
    },
};
