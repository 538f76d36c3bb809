//! Lists what is inside an artifact, as a CycloneDX 1.6 document.
//!
//! The document depends on the artifact alone: it has no time and no serial number, which the format allows.

use serde_json::{Map, Value, json};

use super::crates::{Crate, Crates};
use crate::digest;

/// What the list is about.
pub(crate) struct Artifact<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
    /// Where a registry has it, as a package URL.
    pub(crate) purl: Option<String>,
    /// An SPDX expression.
    pub(crate) licence: &'a str,
    pub(crate) bytes: &'a [u8],
}

/// The reference of the standard library, which is no crate of a registry.
const STD: &str = "rust-std";

/// The document; `rust` is the version of the compiler, whose standard library is inside, too.
pub(crate) fn document(artifact: &Artifact<'_>, guest: &str, crates: &Crates, rust: &str) -> Value {
    let mut subject = library("artifact", artifact.name, artifact.version, artifact.licence);
    subject.insert("hashes".to_owned(), sha256(&digest::sha256(artifact.bytes)));
    if let Some(purl) = &artifact.purl {
        subject.insert("purl".to_owned(), json!(purl));
    }
    let mut std = library(STD, "std", rust, "MIT OR Apache-2.0");
    std.insert("description".to_owned(), json!("Rust's standard library, with the crates that it is made from"));
    let components: Vec<Value> = crates.values().map(component).chain([std]).map(Value::Object).collect();

    let guests: Vec<String> = crates.values().filter(|found| found.name == guest).map(Crate::id).collect();
    let mut dependencies = vec![json!({ "ref": "artifact", "dependsOn": guests })];
    for (id, found) in crates {
        let needs: Vec<&str> = found.needs.iter().map(String::as_str).chain([STD]).collect();
        dependencies.push(json!({ "ref": id, "dependsOn": needs }));
    }
    json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "lifecycles": [{ "phase": "build" }], "component": subject },
        "components": components,
        "dependencies": dependencies,
    })
}

fn component(found: &Crate) -> Map<String, Value> {
    let mut component = library(&found.id(), &found.name, &found.version, &found.licence);
    // A crate of this repository is in no registry: a package URL would name something else.
    if let Some(checksum) = &found.checksum {
        component.insert("hashes".to_owned(), sha256(checksum));
        component.insert("purl".to_owned(), json!(format!("pkg:cargo/{}", found.id().replace('+', "%2B"))));
    }
    component
}

fn library(reference: &str, name: &str, version: &str, licence: &str) -> Map<String, Value> {
    let licences = json!([{ "expression": licence }]);
    let members =
        [("type", "library"), ("bom-ref", reference), ("name", name), ("version", version)].map(|(k, v)| (k, json!(v)));
    members.into_iter().chain([("licenses", licences)]).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn sha256(digest: &str) -> Value {
    json!([{ "alg": "SHA-256", "content": digest }])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn found(name: &str, checksum: Option<&str>, needs: &[&str]) -> (String, Crate) {
        let found = Crate {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            checksum: checksum.map(str::to_owned),
            needs: needs.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>(),
        };
        (found.id(), found)
    }

    #[test]
    fn a_document_names_the_artifact_and_all_inside() {
        let crates = Crates::from([found("guest", None, &["serde@1.0.0"]), found("serde", Some("ab"), &[])]);
        let artifact = Artifact { name: "a", version: "2", purl: None, licence: "Zlib", bytes: b"" };
        let document = document(&artifact, "guest", &crates, "1.96.0");
        assert_eq!(document["metadata"]["component"]["hashes"][0]["content"], digest::sha256(b""));
        let names: Vec<&Value> = document["components"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(names, ["guest", "serde", "std"]);
        assert_eq!(document["components"][0].get("purl"), None);
        assert_eq!(document["components"][1]["purl"], "pkg:cargo/serde@1.0.0");
        assert_eq!(document["components"][1]["hashes"][0]["content"], "ab");
        assert_eq!(
            document["dependencies"],
            json!([
                { "ref": "artifact", "dependsOn": ["guest@1.0.0"] },
                { "ref": "guest@1.0.0", "dependsOn": ["serde@1.0.0", "rust-std"] },
                { "ref": "serde@1.0.0", "dependsOn": ["rust-std"] },
            ])
        );
    }
}
