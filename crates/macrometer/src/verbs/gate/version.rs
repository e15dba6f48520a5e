//! The two that a gate compares, as a user names them: a library in the words of `--lib`, or a
//! program that speaks the worker protocol.

use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use lab::record::ProviderRecord;
use lab::worker::client::{Launch, PATIENCE, Worker};
use providers::ROWS;
use words::ProviderName;

use crate::discovery::{self, Sought};

/// What names a program instead of a library.
const WORKER: &str = "worker:";

/// A version as it is written on the command line.
#[derive(Debug, Clone)]
pub enum Version {
    /// `openssl=/new/libcrypto.so`, or a provider that is found by itself: `openssl`, `macs[soft]`.
    Library { name: String, path: Option<String> },
    /// `worker:target/release/worker`, with arguments as a shell splits them.
    Program(Vec<String>),
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(command) = text.strip_prefix(WORKER) {
            // The name of a file that is there is taken as it is, spaces and all.
            let words = match Path::new(command).is_file() {
                true => Some(vec![command.to_owned()]),
                false => shlex::split(command),
            };
            return match words.filter(|words| !words.is_empty()) {
                Some(words) => Ok(Self::Program(words)),
                None => Err("must be worker:PROGRAM, with arguments quoted as in a shell".into()),
            };
        }
        let (name, path) = match text.split_once('=') {
            Some((name, path)) => (name, Some(path.to_owned())),
            None => (text, None),
        };
        if providers::row(name).is_none() || path.as_deref() == Some("") {
            let unknown = discovery::unknown(name, ROWS.iter().map(|row| row.name));
            return Err(format!(
                "{unknown}; a version is NAME=PATH such as openssl=/opt/lib/libcrypto.so.3, a \
                 provider's name, or worker:PROGRAM"
            ));
        }
        Ok(Self::Library { name: name.to_owned(), path })
    }
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
        let Self::Library { name, .. } = self else { return format!("worker-{part}") };
        let own = ProviderName::of(name);
        let library = format!("{}-{part}", own.library);
        ProviderName { library: &library, ..own }.to_string()
    }

    /// Finds it and asks who it is; `option` is told where it cannot be found.
    pub fn play(&self, part: &str, option: &str) -> Result<Role> {
        let name = self.alias(part);
        match self {
            Self::Library { name: own, path } => {
                let path = path.as_deref().map(Path::new);
                let sought = Sought::of(own, &name, path).with_context(|| option.to_owned())?;
                let (launch, record) = sought.find(PATIENCE).outcome.map_err(|absence| {
                    anyhow!("{option}: {}", absence.line.replacen(&name, own, 1))
                })?;
                Ok(Role { name, launch, record })
            }
            Self::Program(words) => {
                let command: Vec<OsString> = words.iter().map(OsString::from).collect();
                let launch = Launch::new(&name, command);
                let worker = Worker::launch(&launch, None);
                let record = worker.and_then(|mut worker| worker.info());
                let record = record.map_err(|error| anyhow!("{option}: {}: {error}", words[0]))?;
                if record.offers.is_empty() {
                    bail!("{option}: {} offers no mac", words[0]);
                }
                Ok(Role { name, launch, record })
            }
        }
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
        }
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
    }

    #[test]
    fn a_program_has_arguments_as_in_a_shell() {
        let version = Version::from_str("worker:'a b' worker macs").unwrap();
        let Version::Program(words) = &version else { panic!("{version:?}") };
        assert_eq!(words, &["a b", "worker", "macs"]);
        assert_eq!(version.word(), "worker:'a b' worker macs");
        for wrong in ["worker:", "worker:'", "opensll=/x", "openssl=", ""] {
            assert!(Version::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
