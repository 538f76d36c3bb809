//! Hosts that the lints know by name. Kept short: what package managers and agents meet.
//!
//! From the services' own documentation and from what their clients were seen to connect to. A host
//! belongs here when a well-known client cannot work without it (companions), or when anyone can
//! put content there for anyone to fetch (upload services).

/// SPEC LINT-8: hosts where an account that anyone can open, or none, is enough to upload.
pub(super) const UPLOAD_SERVICES: [&str; 48] = [
    // Text and file drops.
    "pastebin.com",
    "paste.rs",
    "dpaste.com",
    "dpaste.org",
    "hastebin.com",
    "ix.io",
    "0x0.st",
    "termbin.com",
    "transfer.sh",
    "file.io",
    "gofile.io",
    "temp.sh",
    "catbox.moe",
    "litterbox.catbox.moe",
    "wetransfer.com",
    "mega.nz",
    // Code hosts: gists, snippets, release assets, attachments.
    "github.com",
    "api.github.com",
    "uploads.github.com",
    "gist.github.com",
    "gist.githubusercontent.com",
    "raw.githubusercontent.com",
    "objects.githubusercontent.com",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    // Model and data hubs.
    "huggingface.co",
    "kaggle.com",
    // Object storage shared by all customers of a provider.
    "s3.amazonaws.com",
    "storage.googleapis.com",
    "firebasestorage.googleapis.com",
    "blob.core.windows.net",
    "r2.cloudflarestorage.com",
    "digitaloceanspaces.com",
    // Documents and mail.
    "docs.google.com",
    "drive.google.com",
    "www.googleapis.com",
    "dropbox.com",
    "content.dropboxapi.com",
    "api.notion.com",
    // Chat and hooks.
    "discord.com",
    "cdn.discordapp.com",
    "api.telegram.org",
    "hooks.slack.com",
    "slack.com",
    "webhook.site",
    // Tunnels.
    "ngrok.io",
    "trycloudflare.com",
];

/// Some of the [`UPLOAD_SERVICES`], one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Services(u64);

impl Services {
    pub(super) fn those(mut condition: impl FnMut(&'static str) -> bool) -> Self {
        let bits = UPLOAD_SERVICES.iter().enumerate().filter(|(_, host)| condition(host));
        Self(bits.fold(0, |bits, (at, _)| bits | 1_u64.wrapping_shl(u32::try_from(at).unwrap_or_default())))
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'static str> {
        UPLOAD_SERVICES.into_iter().enumerate().filter(move |(at, _)| self.0 >> at & 1 == 1).map(|(_, host)| host)
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A package index, and a host without which its packages cannot be fetched.
pub(super) struct Companion {
    pub(super) index: &'static str,
    pub(super) files: &'static str,
}

const fn pair(index: &'static str, files: &'static str) -> Companion {
    Companion { index, files }
}

/// SPEC LINT-11
pub(super) const COMPANIONS: [Companion; 17] = [
    // Python: the index links to files elsewhere.
    pair("pypi.org", "files.pythonhosted.org"),
    // Rust: sparse index and downloads.
    pair("crates.io", "index.crates.io"),
    pair("crates.io", "static.crates.io"),
    pair("index.crates.io", "static.crates.io"),
    // Rust toolchains.
    pair("sh.rustup.rs", "static.rust-lang.org"),
    // Go: the checksum database; large modules are redirected to storage.
    pair("proxy.golang.org", "sum.golang.org"),
    // Ruby: compact index.
    pair("rubygems.org", "index.rubygems.org"),
    // Docker: tokens, and the blobs that the registry redirects to.
    pair("registry-1.docker.io", "auth.docker.io"),
    pair("registry-1.docker.io", "production.cloudflare.docker.com"),
    pair("ghcr.io", "pkg-containers.githubusercontent.com"),
    pair("quay.io", "cdn.quay.io"),
    // GitHub: archives and release assets.
    pair("github.com", "codeload.github.com"),
    pair("github.com", "objects.githubusercontent.com"),
    // Yarn 1 asks a name of its own for the same registry.
    pair("registry.yarnpkg.com", "registry.npmjs.org"),
    // PHP: metadata.
    pair("packagist.org", "repo.packagist.org"),
    // Conda.
    pair("anaconda.org", "conda.anaconda.org"),
    // Models.
    pair("huggingface.co", "cdn-lfs.huggingface.co"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::accepted;
    use crate::pattern::List;

    #[test]
    fn services_are_those_that_were_chosen() {
        for host in UPLOAD_SERVICES {
            assert!(Services::those(|other| other == host).iter().eq([host]));
        }
        assert!(Services::those(|_| true).iter().eq(UPLOAD_SERVICES));
        assert!(Services::those(|_| false).is_empty());
    }

    #[test]
    fn every_name_can_be_an_entry() {
        let companions = COMPANIONS.iter().flat_map(|pair| [pair.index, pair.files]);
        for host in UPLOAD_SERVICES.into_iter().chain(companions) {
            assert_eq!(accepted(host, List::Allowed).as_deref(), Some(host));
            assert_eq!(host.to_ascii_lowercase(), host);
        }
    }
}
