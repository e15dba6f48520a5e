//! Which providers this machine has: every row is started once and asked who it is.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Error, Result, bail};
use lab::record::ProviderRecord;
use lab::worker::client::{Launch, Worker};
use providers::{Kind, Place, ROWS, Row};

/// A provider to look for: a row, under its own name or an alias, perhaps at a given place.
#[derive(Clone)]
pub struct Sought {
    row: &'static Row,
    name: String,
    path: Option<PathBuf>,
}

/// What became of the search for one provider.
pub struct Found {
    /// The row it belongs to.
    pub row: &'static Row,
    /// Its name or alias.
    pub name: String,
    /// Whether the user said where it is.
    pub is_placed: bool,
    /// How to start it and what it said, or why it is not there.
    pub outcome: Result<(Launch, ProviderRecord), String>,
}

impl Found {
    /// Why it is not there and what would bring it, in one line; `None` where it is there.
    pub fn complaint(&self) -> Option<String> {
        let Self { row, name, is_placed, outcome } = self;
        let reason = outcome.as_ref().err()?;
        // A library of the user's own, or a code path of one that is here, is in no package.
        let package =
            (!is_placed && name == row.name).then(|| format!(" (install {})", row.package));
        Some(format!("{name}: {reason}{}", package.unwrap_or_default()))
    }
}

/// Every row, and what `--lib NAME=PATH` adds: a path for a row, or another library of its kind
/// beside it under a longer name.
pub fn sought(libs: &[String]) -> Result<Vec<Sought>> {
    let own = |row: &'static Row| Sought { row, name: row.name.into(), path: None };
    let mut all: Vec<Sought> = ROWS.iter().map(own).collect();
    for lib in libs {
        let (name, path) = lib.split_once('=').context(format!(
            "--lib {lib:?}: must be NAME=PATH, such as openssl-4.0=/opt/openssl/lib/libcrypto.so.4"
        ))?;
        let Some(row) = providers::row(name) else {
            let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
            bail!("--lib {name}=…: the name must begin with one of {}", names.join(", "));
        };
        let given = Sought { row, name: name.into(), path: Some(path.into()) };
        match all.iter_mut().find(|sought| sought.name == name) {
            Some(sought) => *sought = given,
            None => all.push(given),
        }
    }
    Ok(all)
}

/// As [`sought`], and the providers on a code path of choice that `names` has: `macs[soft]`. One of
/// another library is that library held to the code path: `openssl-4.0[soft]`.
pub fn sought_with_forced<'a>(
    libs: &[String],
    names: impl IntoIterator<Item = &'a String>,
) -> Result<Vec<Sought>> {
    let mut all = sought(libs)?;
    for name in names.into_iter().filter(|name| name.ends_with(']')) {
        let row = providers::row(name).with_context(|| format!("no provider {name:?}"))?;
        row.forced_by(name).map_err(Error::msg)?;
        if all.iter().any(|sought| sought.name == *name) {
            continue;
        }
        let library = name.split('[').next().unwrap_or_default();
        let path = all.iter().find(|sought| sought.name == library);
        let path = path.and_then(|sought| sought.path.clone());
        all.push(Sought { row, name: name.clone(), path });
    }
    Ok(all)
}

/// One more worker of a provider, under another name.
pub fn again(name: &str, alias: &str) -> Option<Sought> {
    Some(Sought { row: providers::row(name)?, name: alias.into(), path: None })
}

impl Sought {
    /// Whether it goes by this name.
    pub fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// Looks for it.
    pub fn find(&self) -> Found {
        let outcome = self.launch().and_then(|launch| {
            let text = |error: lab::worker::client::WorkerError| error.to_string();
            let record = Worker::launch(&launch, None).map_err(text)?.info().map_err(text)?;
            Ok((launch, record))
        });
        self.found(outcome)
    }

    fn found(&self, outcome: Result<(Launch, ProviderRecord), String>) -> Found {
        let is_placed = self.path.is_some();
        Found { row: self.row, name: self.name.clone(), is_placed, outcome }
    }

    fn place(&self) -> Place {
        Place { name: Some(self.name.clone()), path: self.path.clone() }
    }

    fn launch(&self) -> Result<Launch, String> {
        let command = match self.row.kind {
            Kind::InProcess(_) => {
                let own = std::env::current_exe().map_err(|error| error.to_string())?;
                let mut command =
                    vec![own.into_os_string(), "worker".into(), OsString::from(&self.name)];
                command.extend(self.path.iter().map(|path| path.clone().into_os_string()));
                command
            }
            Kind::Program(program) => {
                let place = self.place();
                program(&place)?.into_iter().map(OsString::from).collect()
            }
        };
        let forced = self.row.forced_by(&self.name)?;
        let variables = forced.map_or(&[][..], |forced| forced.variables);
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        Ok(Launch { variables: variables.collect(), ..Launch::new(&self.name, command) })
    }
}

/// Looks for all of them, at once: runtimes take their time to start.
pub fn find(sought: &[Sought]) -> Vec<Found> {
    std::thread::scope(|scope| {
        let searches: Vec<_> = sought.iter().map(|one| (one, scope.spawn(|| one.find()))).collect();
        let joined = searches.into_iter().map(|(one, search)| {
            search.join().unwrap_or_else(|_| one.found(Err("the search for it failed".into())))
        });
        joined.collect()
    })
}
