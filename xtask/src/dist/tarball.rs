//! The npm package as one file, the same bytes on every machine.
//!
//! npm decides what is in it. Then it is written anew: npm takes over the permissions that the files happen to have, and
//! compresses with what its Node.js was built with.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use tar::{Archive, Builder, EntryType, Header};

use crate::files;
use crate::repo::Repo;
use crate::run;
use crate::tools;

const LIMIT: Duration = Duration::from_secs(120);
/// The time that npm gives to every file: 26 October 1985, 8:15 UTC. Zip files cannot tell times before 1980.
const TIME: u64 = 499_162_500;
/// "Unknown" in RFC 1952: the machine is not to be seen in the bytes.
const NO_SYSTEM: u8 = 255;

/// A file in a tarball.
#[derive(Debug, PartialEq)]
pub(crate) struct Member {
    pub(crate) executable: bool,
    pub(crate) bytes: Vec<u8>,
}

/// By path, as in the tarball.
pub(crate) type Members = BTreeMap<PathBuf, Member>;

/// Packs the finished package; npm must give the file this name, which has the version in it.
pub(crate) fn pack(repo: &Repo, name: &str) -> Result<Vec<u8>> {
    let folder = repo.artifacts().join("npm/packed");
    files::fresh_folder(&folder)?;
    let mut pack = tools::npm()?;
    pack.args(["pack", "--ignore-scripts", "--pack-destination"]).arg(&folder).current_dir(repo.npm_package());
    run::quiet(repo, "npm-pack", &mut pack, LIMIT)?;
    let packed = files::tree(&folder, &[])?;
    match packed.as_slice() {
        [path] if path.ends_with(name) => write(&read(&files::read(path)?)?),
        _ => bail!("npm pack made {packed:?}, not {name}: the versions of the npm package and of the crates differ"),
    }
}

/// The files in a tarball.
pub(crate) fn read(tarball: &[u8]) -> Result<Members> {
    let mut members = Members::new();
    for entry in Archive::new(GzDecoder::new(tarball)).entries().context("cannot read the tarball")? {
        let mut entry = entry.context("cannot read the tarball")?;
        let path = entry.path().context("a path in the tarball is none")?.into_owned();
        if entry.header().entry_type() != EntryType::Regular {
            bail!("{} in the tarball is no plain file", path.display());
        }
        let executable = entry.header().mode().context("a mode in the tarball is none")? & 0o111 != 0;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).with_context(|| format!("cannot read {} in the tarball", path.display()))?;
        members.insert(path, Member { executable, bytes });
    }
    Ok(members)
}

/// A tarball of these files.
pub(crate) fn write(members: &Members) -> Result<Vec<u8>> {
    let gzip = GzBuilder::new().mtime(0).operating_system(NO_SYSTEM).write(Vec::new(), Compression::best());
    let mut builder = Builder::new(gzip);
    for (path, member) in members {
        let mut header = Header::new_ustar();
        header.set_size(u64::try_from(member.bytes.len())?);
        header.set_mode(if member.executable { 0o755 } else { 0o644 });
        header.set_mtime(TIME);
        header.set_uid(0);
        header.set_gid(0);
        builder.append_data(&mut header, path, member.bytes.as_slice()).context("cannot write the tarball")?;
    }
    let gzip = builder.into_inner().context("cannot write the tarball")?;
    gzip.finish().context("cannot write the tarball")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tarball as npm could have made it.
    fn packed(files: &[(&str, u32, &str)], time: u64, kind: EntryType) -> Vec<u8> {
        let gzip = GzBuilder::new().mtime(77).write(Vec::new(), Compression::fast());
        let mut builder = Builder::new(gzip);
        for (path, mode, text) in files {
            let mut header = Header::new_gnu();
            header.set_entry_type(kind);
            header.set_size(u64::try_from(text.len()).unwrap());
            header.set_mode(*mode);
            header.set_mtime(time);
            header.set_uid(1_000);
            builder.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn only_names_bytes_and_what_is_a_program_count() {
        let one = packed(&[("package/b", 0o600, "2"), ("package/a", 0o700, "1")], 1, EntryType::Regular);
        let other = packed(&[("package/a", 0o755, "1"), ("package/b", 0o664, "2")], 2, EntryType::Regular);
        let written = write(&read(&one).unwrap()).unwrap();
        assert_ne!(one, other);
        assert_eq!(written, write(&read(&other).unwrap()).unwrap());
        assert_eq!(read(&written).unwrap(), read(&one).unwrap());
    }

    #[test]
    fn links_are_refused() {
        let error = read(&packed(&[("package/a", 0o644, "")], 1, EntryType::Symlink)).unwrap_err().to_string();
        assert_eq!(error, "package/a in the tarball is no plain file");
    }
}
