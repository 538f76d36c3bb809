//! What the demo shows when nothing is asked for.

use anyhow::Result;

use super::destination::Destination;

/// A configuration that uses each kind of pattern.
pub(crate) const CONFIG: &str = r#"{
  "network": {
    "allowedDomains": ["api.github.com", "*.githubusercontent.com", "registry.npmjs.org:443", "1.1.1.1"],
    "deniedDomains": ["gist.githubusercontent.com", "*.tracker.example"]
  }
}
"#;

/// One destination for each way to a decision.
const DESTINATIONS: [&str; 18] = [
    // Allowed: by name, by wildcard, by port.
    "api.github.com",
    "raw.githubusercontent.com",
    "registry.npmjs.org:443",
    // The same destination in other spellings.
    "API.GitHub.com.",
    "0x1.1.257",
    // Denied: a rule beats the wildcard that allows it; a wildcard.
    "gist.githubusercontent.com",
    "cdn.tracker.example:8080",
    // Nothing matches: another port, the apex of a wildcard, a name nobody listed.
    "registry.npmjs.org:80",
    "githubusercontent.com",
    "example.com",
    "api.github.com.tracker.net",
    // Not public: private, loopback in odd spellings, the cloud's metadata service, a bare name.
    "192.168.1.1",
    "0x7f.1",
    "[::ffff:10.0.0.1]:443",
    "169.254.169.254:80",
    "localhost:3000",
    // Malformed.
    "api.github.com@example.com",
    "exa mple.com",
];

/// The built-in destinations.
pub(crate) fn destinations() -> Result<Vec<Destination>> {
    DESTINATIONS.iter().map(|text| Destination::parse(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_well_formed() {
        assert_eq!(destinations().unwrap().len(), DESTINATIONS.len());
        let config: serde_json::Value = serde_json::from_str(CONFIG).unwrap();
        assert!(config.pointer("/network/allowedDomains/0").is_some());
    }
}
