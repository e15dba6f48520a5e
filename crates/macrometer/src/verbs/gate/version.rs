//! The two that a gate compares, as a user names them: a library in the words of `--lib`, a program
//! that speaks the worker protocol, or a revision of a crate, which is built into one.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use lab::record::ProviderRecord;
use lab::worker::client::{Launch, PATIENCE, Worker};
use providers::ROWS;
use providers::revision::{self, NotARevision, Revision};
use words::ProviderName;

use crate::discovery::{self, Sought};

/// What names a program instead of a library.
const WORKER: &str = "worker:";

/// What names a revision of a crate.
const CRATE: &str = "crate:";

/// A version as it is written on the command line.
#[derive(Debug, Clone)]
pub enum Version {
    /// `openssl=/new/libcrypto.so`, or a provider that is found by itself: `openssl`, `macs[soft]`.
    Library { name: String, path: Option<String> },
    /// `worker:target/release/worker`, with arguments as a shell splits them.
    Program(Vec<String>),
    /// `crate:sha2@0.11.0`.
    Crate(Revision),
}

/// The words of a worker's command.
fn words(command: &str) -> Result<Vec<String>, String> {
    // The name of a file that is there is taken as it is, spaces and all.
    let words = match Path::new(command).is_file() {
        true => Some(vec![command.to_owned()]),
        false => shlex::split(command),
    };
    let words = words.filter(|words| !words.is_empty());
    words.ok_or_else(|| "must be worker:PROGRAM, with arguments quoted as in a shell".into())
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(command) = text.strip_prefix(WORKER) {
            return words(command).map(Self::Program);
        }
        if let Some(revision) = text.strip_prefix(CRATE) {
            let revision: Result<_, NotARevision> = revision.parse();
            return revision.map(Self::Crate).map_err(|wrong| wrong.to_string());
        }
        let (name, path) = match text.split_once('=') {
            Some((name, path)) => (name, Some(path.to_owned())),
            None => (text, None),
        };
        if providers::row(name).is_none() || path.as_deref() == Some("") {
            let unknown = discovery::unknown(name, ROWS.iter().map(|row| row.name));
            return Err(format!(
                "{unknown}; a version is NAME=PATH such as openssl=/opt/lib/libcrypto.so.3, a \
                 provider's name, worker:PROGRAM, or crate:NAME@REV"
            ));
        }
        Ok(Self::Library { name: name.to_owned(), path })
    }
}

/// Reads a version from the command line, and does not print a wrong one that has a secret in it.
#[derive(Debug, Clone)]
pub struct Parser;

impl TypedValueParser for Parser {
    type Value = Version;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Version, clap::Error> {
        let revision = value.to_string_lossy();
        let revision = revision.strip_prefix(CRATE);
        if let Some(reason) = revision.and_then(revision::secret) {
            let name = option.map(ToString::to_string).unwrap_or_default();
            let told = format!("invalid value for '{name}': {reason}\n");
            return Err(clap::Error::raw(ErrorKind::ValueValidation, told));
        }
        Version::from_str.parse_ref(command, option, value)
    }
}

/// A version that is there, and can be started any number of times.
pub struct Ready<'a> {
    version: &'a Version,
    /// Of a program.
    command: Vec<String>,
    /// Versions of what else a crate was built with.
    others: BTreeMap<String, String>,
}

/// Who plays which part of a gate.
pub struct Role {
    /// Its name in the run: `openssl-base`.
    pub name: String,
    /// How it is started.
    pub launch: Launch,
    /// What it says of itself.
    pub record: ProviderRecord,
}

impl Version {
    /// Its name in the run when it plays this part: `openssl-base`, `macs-new[soft]`.
    fn alias(&self, part: &str) -> String {
        let name = match self {
            Self::Library { name, .. } => name,
            Self::Program(_) => "worker",
            Self::Crate(revision) => revision.name(),
        };
        let own = ProviderName::of(name);
        let library = format!("{}-{part}", own.library);
        ProviderName { library: &library, ..own }.to_string()
    }

    /// Builds what has to be built, once for all parts that it plays; `option` is told where that
    /// cannot be done.
    pub fn ready(&self, option: &str) -> Result<Ready<'_>> {
        let (command, others) = match self {
            Self::Library { .. } => (vec![], BTreeMap::new()),
            Self::Program(words) => (words.clone(), BTreeMap::new()),
            Self::Crate(revision) => {
                let built = revision.built();
                let built = built
                    .map_err(|reason| anyhow!("{option}: {}: {reason}", revision.written()))?;
                (built.command, built.others)
            }
        };
        Ok(Ready { version: self, command, others })
    }

    /// As it would be typed.
    pub fn word(&self) -> String {
        match self {
            Self::Library { name, path: Some(path) } => format!("{name}={path}"),
            Self::Library { name, path: None } => name.clone(),
            Self::Program(words) => {
                let joined = shlex::try_join(words.iter().map(String::as_str));
                format!("{WORKER}{}", joined.unwrap_or_else(|_| words.join(" ")))
            }
            Self::Crate(revision) => format!("{CRATE}{}", revision.written()),
        }
    }
}

impl Ready<'_> {
    /// Finds it and asks who it is; `option` is told where it cannot be found.
    pub fn play(&self, part: &str, option: &str) -> Result<Role> {
        let name = self.version.alias(part);
        if let Version::Library { name: own, path } = self.version {
            let path = path.as_deref().map(Path::new);
            let sought = Sought::of(own, &name, path).with_context(|| option.to_owned())?;
            let (launch, record) = sought
                .find(PATIENCE)
                .outcome
                .map_err(|absence| anyhow!("{option}: {}", absence.under(own).line))?;
            return Ok(Role { name, launch, record });
        }
        let command: Vec<OsString> = self.command.iter().map(OsString::from).collect();
        let launch = Launch::new(&name, command);
        let program = &self.command[0];
        let worker = Worker::launch(&launch, None);
        let record = worker.and_then(|mut worker| worker.info());
        let record = record.map_err(|error| anyhow!("{option}: {program}: {error}"))?;
        if record.offers.is_empty() {
            bail!("{option}: {program} offers no MAC");
        }
        Ok(Role { name, launch, record })
    }

    /// What this and another crate were built with in different versions, beside the crates
    /// themselves; `None` where there is nothing, or where one of the two is no crate.
    pub fn differs_from(&self, base: &Self) -> Option<String> {
        if base.others.is_empty() || self.others.is_empty() {
            return None;
        }
        let of = |others: &BTreeMap<String, String>, name: &String| {
            others.get(name).map_or_else(|| "none".to_owned(), String::clone)
        };
        let names: BTreeSet<&String> = base.others.keys().chain(self.others.keys()).collect();
        let versions = names.into_iter().map(|it| (it, of(&base.others, it), of(&self.others, it)));
        let different = versions.filter(|(_, base, new)| base != new);
        let told: Vec<_> =
            different.map(|(name, base, new)| format!("{name} ({base} and {new})")).collect();
        (!told.is_empty()).then(|| told.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_named_by_the_part_they_play() {
        let alias = |text: &str| Version::from_str(text).unwrap().alias("new");
        assert_eq!(alias("openssl=/x.so"), "openssl-new");
        assert_eq!(alias("openssl-4.0=/x.so"), "openssl-4.0-new");
        assert_eq!(alias("macs[soft]"), "macs-new[soft]");
        assert_eq!(alias("worker:/bin/cat"), "worker-new");
        assert_eq!(alias("crate:sha2@0.11.0"), "sha2-new");
    }

    #[test]
    fn what_else_differs_is_told() {
        let version = Version::from_str("crate:sha2@0.11.0").unwrap();
        let ready = |others: &[(&str, &str)]| {
            let others = others.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
            Ready { version: &version, command: vec![], others }
        };
        let (base, new) = (ready(&[("a", "1"), ("b", "1")]), ready(&[("b", "2"), ("c", "1")]));
        let told = "a (1 and none), b (1 and 2), c (none and 1)";
        assert_eq!(new.differs_from(&base).unwrap(), told);
        assert_eq!(base.differs_from(&base), None);
        assert_eq!(new.differs_from(&ready(&[])), None);
    }

    #[test]
    fn a_program_has_arguments_as_in_a_shell() {
        let version = Version::from_str("worker:'a b' worker macs").unwrap();
        let Version::Program(words) = &version else { panic!("{version:?}") };
        assert_eq!(words, &["a b", "worker", "macs"]);
        assert_eq!(version.word(), "worker:'a b' worker macs");
        for wrong in ["worker:", "worker:'", "opensll=/x", "openssl=", "", "crate:sha2"] {
            assert!(Version::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
