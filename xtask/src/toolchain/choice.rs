//! Which ways to a toolchain are tried, and in which order: a pure function of facts.

use anyhow::{Result, bail};

use crate::cli;

/// The variable that forces one way.
pub(crate) const FORCE: &str = "POLICY_WASM_TOOLCHAIN";

/// What to type when nothing can be done here.
pub(crate) const HOW_TO_INSTALL: &str = "no Rust compiler for wasm32-unknown-unknown: type \
     `rustup target add wasm32-unknown-unknown`, or as root on Debian `apt-get update && apt-get install -y \
     --no-install-recommends rustc-web cargo-web rust-web-src lld-19`";

/// What is known about the machine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// The toolchain in use has the target's standard library.
    pub(crate) target_installed: bool,
    /// rustup is on the PATH.
    pub(crate) rustup: bool,
    /// `RUSTUP_AUTO_INSTALL=0`: whoever set it wants no download by rustup.
    pub(crate) rustup_forbidden: bool,
    /// All of Debian's packages are installed.
    pub(crate) debian_ready: bool,
    /// `apt-get` is on the PATH.
    pub(crate) apt: bool,
    /// This is root.
    pub(crate) root: bool,
    /// What [`FORCE`] says.
    pub(crate) forced: Option<Forced>,
}

/// The values of [`FORCE`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Forced {
    Installed,
    Rustup,
    Debian,
}

impl Forced {
    /// An empty value is as good as none.
    pub(crate) fn parse(value: &str) -> Result<Option<Self>> {
        match value {
            "" => Ok(None),
            "installed" => Ok(Some(Self::Installed)),
            "rustup" => Ok(Some(Self::Rustup)),
            "debian" => Ok(Some(Self::Debian)),
            other => cli::usage(format!("{FORCE} is `{other}`, but may only be installed, rustup or debian")),
        }
    }
}

/// One way to a toolchain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// Use the toolchain in use as it is.
    Installed,
    /// `rustup target add`.
    AddTarget,
    /// Use Debian's packages as they are.
    DebianReady,
    /// `apt-get install` Debian's packages.
    InstallDebian,
}

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Installed => "the installed target",
            Self::AddTarget => "rustup target add wasm32-unknown-unknown",
            Self::DebianReady => "Debian's packages",
            Self::InstallDebian => "apt-get install of Debian's packages (about 150 MB)",
        }
    }
}

/// The ways to try in turn, never none.
///
/// What is there comes before what must be fetched, or a machine that rustup cannot serve would ask it again
/// at every build; within each, the target of the toolchain in use comes before Debian's packages.
pub(crate) fn ways(facts: &Facts) -> Result<Vec<Way>> {
    let may_install_debian = facts.apt && facts.root;
    let ways: Vec<Way> = match facts.forced {
        Some(Forced::Installed) if !facts.target_installed => {
            bail!("{FORCE}=installed, but the toolchain in use has no wasm32-unknown-unknown")
        }
        Some(Forced::Rustup) if !facts.rustup => bail!("{FORCE}=rustup, but rustup is not on the PATH"),
        Some(Forced::Debian) if !facts.debian_ready && !may_install_debian => {
            bail!("{FORCE}=debian, but the packages are not installed, and only root with apt-get can install them")
        }
        Some(Forced::Installed) => vec![Way::Installed],
        Some(Forced::Rustup) => vec![Way::AddTarget],
        Some(Forced::Debian) if facts.debian_ready => vec![Way::DebianReady],
        Some(Forced::Debian) => vec![Way::InstallDebian],
        None if facts.target_installed => vec![Way::Installed],
        None if facts.debian_ready => vec![Way::DebianReady],
        None => {
            let rustup = (facts.rustup && !facts.rustup_forbidden).then_some(Way::AddTarget);
            let debian = may_install_debian.then_some(Way::InstallDebian);
            rustup.into_iter().chain(debian).collect()
        }
    };
    if ways.is_empty() {
        bail!(HOW_TO_INSTALL);
    }
    Ok(ways)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Facts = Facts {
        target_installed: false,
        rustup: false,
        rustup_forbidden: false,
        debian_ready: false,
        apt: false,
        root: false,
        forced: None,
    };
    const EVERYTHING: Facts =
        Facts { target_installed: true, rustup: true, debian_ready: true, apt: true, root: true, ..NOTHING };

    #[test]
    fn what_is_there_is_used() {
        assert_eq!(ways(&EVERYTHING).unwrap(), [Way::Installed]);
        assert_eq!(ways(&Facts { target_installed: false, ..EVERYTHING }).unwrap(), [Way::DebianReady]);
        assert_eq!(ways(&Facts { debian_ready: true, ..NOTHING }).unwrap(), [Way::DebianReady]);
    }

    #[test]
    fn what_is_not_there_is_fetched_by_rustup_first() {
        let fetching = Facts { rustup: true, apt: true, root: true, ..NOTHING };
        assert_eq!(ways(&fetching).unwrap(), [Way::AddTarget, Way::InstallDebian]);
        assert_eq!(ways(&Facts { rustup: false, ..fetching }).unwrap(), [Way::InstallDebian]);
        assert_eq!(ways(&Facts { root: false, ..fetching }).unwrap(), [Way::AddTarget]);
        assert_eq!(ways(&Facts { apt: false, ..fetching }).unwrap(), [Way::AddTarget]);
    }

    #[test]
    fn rustup_is_left_alone_where_downloads_are_forbidden() {
        let forbidden = Facts { rustup: true, rustup_forbidden: true, apt: true, root: true, ..NOTHING };
        assert_eq!(ways(&forbidden).unwrap(), [Way::InstallDebian]);
        assert_eq!(ways(&Facts { root: false, ..forbidden }).unwrap_err().to_string(), HOW_TO_INSTALL);
    }

    #[test]
    fn with_nothing_at_hand_the_error_says_what_to_type() {
        let error = ways(&NOTHING).unwrap_err().to_string();
        assert!(error.contains("rustup target add") && error.contains("rustc-web"), "{error}");
        assert_eq!(error.lines().count(), 1);
    }

    #[test]
    fn a_forced_way_is_the_only_one() {
        let forced = |facts: Facts, way| ways(&Facts { forced: Some(way), ..facts });
        assert_eq!(forced(EVERYTHING, Forced::Installed).unwrap(), [Way::Installed]);
        assert_eq!(forced(EVERYTHING, Forced::Rustup).unwrap(), [Way::AddTarget]);
        assert_eq!(forced(EVERYTHING, Forced::Debian).unwrap(), [Way::DebianReady]);
        let root_on_debian = Facts { apt: true, root: true, ..NOTHING };
        assert_eq!(forced(root_on_debian, Forced::Debian).unwrap(), [Way::InstallDebian]);
        let told = Facts { rustup: true, rustup_forbidden: true, ..NOTHING };
        assert_eq!(forced(told, Forced::Rustup).unwrap(), [Way::AddTarget], "forcing is the clearer word");
    }

    #[test]
    fn a_forced_way_that_cannot_be_is_an_error() {
        for way in [Forced::Installed, Forced::Rustup, Forced::Debian] {
            let error = ways(&Facts { forced: Some(way), ..NOTHING }).unwrap_err().to_string();
            assert!(error.starts_with(FORCE), "{error}");
        }
        let no_root = Facts { apt: true, forced: Some(Forced::Debian), ..NOTHING };
        assert!(ways(&no_root).is_err());
    }

    #[test]
    fn the_variable_takes_three_values() {
        assert_eq!(Forced::parse("").unwrap(), None);
        assert_eq!(Forced::parse("installed").unwrap(), Some(Forced::Installed));
        assert_eq!(Forced::parse("rustup").unwrap(), Some(Forced::Rustup));
        assert_eq!(Forced::parse("debian").unwrap(), Some(Forced::Debian));
        assert!(Forced::parse("Debian").unwrap_err().is::<cli::Usage>());
    }
}
