//! Which providers this machine has: every row is started once and asked who it is.

use std::ffi::OsString;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::thread::Builder;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use lab::plan::NULL;
use lab::record::ProviderRecord;
use lab::worker::client::{Launch, PATIENCE, Worker, WorkerError};
use lab::worker::memory_limit::byte_text;
use providers::{Cause, Kind, Place, ROWS, Row, Unavailable, restriction};
use thiserror::Error;
use words::ProviderName;

use crate::memory_limit::{self, Limited};
use crate::output::say;
use crate::suggestions::{also_called, did_you_mean};

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
    /// How to start it and what it said, or why it is not there.
    pub outcome: Result<(Launch, ProviderRecord), Absence>,
}

/// Why a provider is not there.
#[derive(Debug, Clone)]
pub struct Absence {
    /// Its name or alias.
    pub name: String,
    /// Its name, the reason, and what would bring it, in one line.
    pub line: String,
    /// The reason alone.
    pub reason: String,
    /// The package that would bring it, where the reason does not name it.
    needed: Option<&'static str>,
    /// What kind of reason it is; at a place that the user named, nothing is merely not installed.
    pub cause: Cause,
}

impl Absence {
    /// Of something that is here, or known, and is not measured.
    pub fn of(name: &str, reason: &str) -> Self {
        Self::new(name.into(), reason.into(), None, Cause::Failure)
    }

    fn new(name: String, reason: String, needed: Option<&'static str>, cause: Cause) -> Self {
        let package = needed.map_or(String::new(), |package| format!(" (needed: {package})"));
        let line = format!("{name}: {reason}{package}");
        Self { name, line, reason, needed, cause }
    }

    /// The same of what the user knows by another name.
    pub fn under(self, name: &str) -> Self {
        Self::new(name.into(), self.reason, self.needed, self.cause)
    }

    /// Of a library that is here, but not on the code path asked for: nothing to be installed.
    pub fn beside(self, is_here: impl Fn(&str) -> bool) -> Self {
        let name = ProviderName::of(&self.name);
        if name.is_plain() || !is_here(name.library) {
            return self;
        }
        let cause = match self.cause {
            Cause::NotInstalled => Cause::Failure,
            other => other,
        };
        Self::new(self.name, self.reason, None, cause)
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
            bail!("--lib {lib}: {}", unknown(name, ROWS.iter().map(|row| row.name)));
        };
        check_place(Path::new(path)).map_err(|wrong| anyhow!("--lib {lib}: {wrong}"))?;
        let given = Sought { row, name: name.into(), path: Some(path.into()) };
        match all.iter_mut().find(|sought| sought.name == name) {
            Some(sought) => *sought = given,
            None => all.push(given),
        }
    }
    Ok(all)
}

/// Whether a library or a program can be there. Opening a pipe would wait for whoever writes to it.
/// What does not exist may be a name that the system's loader knows.
fn check_place(path: &Path) -> Result<(), NoPlace> {
    if path.as_os_str().is_empty() {
        return Err(NoPlace::Missing);
    }
    let Ok(found) = path.metadata() else { return Ok(()) };
    let kind = found.file_type();
    let what = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    Err(NoPlace::Other(what))
}

/// Why a path is none of a library or a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
enum NoPlace {
    #[error("needs a path after the =")]
    Missing,
    #[error("{0}, must be a file")]
    Other(&'static str),
}

/// As [`sought`], and the providers on a code path of choice that `names` has: `macs[soft]`. One of
/// another library is that library held to the code path: `openssl-4.0[soft]`.
pub fn sought_with_forced<'a>(
    libs: &[String],
    names: impl IntoIterator<Item = &'a String>,
) -> Result<Vec<Sought>> {
    let mut all = sought(libs)?;
    for name in names.into_iter().filter(|name| !ProviderName::of(name).is_plain()) {
        let forced = forced(name, &all)?;
        if !all.iter().any(|sought| sought.name == *name) {
            all.push(forced);
        }
    }
    Ok(all)
}

/// A provider on a code path of choice, at the place where its library is among `all`.
fn forced(name: &str, all: &[Sought]) -> Result<Sought> {
    let library = ProviderName::of(name).library;
    let known = || unknown(library, ROWS.iter().map(|row| row.name));
    let row = providers::row(name).with_context(known)?;
    let limited = Limited::of(name)?;
    row.check_code_path(&limited.provider()).map_err(|wrong| anyhow!("{name}: {wrong}"))?;
    if limited.bytes.is_some() && matches!(row.kind, Kind::Program(_)) {
        bail!("{name}: memory limits are for providers in our own binary, not for {}", row.name);
    }
    let path = all.iter().find(|sought| sought.name == library);
    let path = path.and_then(|sought| sought.path.clone());
    Ok(Sought { row, name: name.to_owned(), path })
}

/// The wanted providers under each limit. Programs of their own are named, for they have none.
pub fn limited(
    sought: &[Sought],
    limits_bytes: &[u64],
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Sought> {
    let is_own =
        |it: &&Sought| !it.is(NULL) && is_wanted(it.name()) && memory_limit::is_bare(it.name());
    let (mut limited, mut without) = (Vec::new(), Vec::new());
    for one in sought.iter().filter(is_own).filter(|_| !limits_bytes.is_empty()) {
        let own: Option<Vec<Sought>> = limits_bytes.iter().map(|&bytes| one.under(bytes)).collect();
        own.map_or_else(|| without.push(one.name()), |own| limited.extend(own));
    }
    if !without.is_empty() {
        let names = without.join(", ");
        say(&format!("no memory limit for {names}: only for providers in our own binary"));
    }
    limited
}

/// `no provider "opensll": did you mean openssl?`
pub fn unknown<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let meant = also_called(name, &names);
    if !meant.is_empty() {
        return format!("unknown provider {name:?}: did you mean {}?", meant.join(", "));
    }
    let all = |all: &[&str]| format!("available: {}", all.join(", "));
    format!("unknown provider {name:?}{}", did_you_mean(name, names, all))
}

/// Adds the provider that computes nothing, which is measured beside all others.
pub fn add_floor(
    patience: Duration,
    launches: &mut Vec<Launch>,
    providers: &mut Vec<ProviderRecord>,
) {
    let found = again(NULL, NULL).map(|sought| sought.find(patience).outcome);
    if let Some(Ok((launch, record))) = found {
        launches.push(launch);
        providers.push(record);
    }
}

/// One more worker of a provider, under another name.
pub fn again(name: &str, alias: &str) -> Option<Sought> {
    Some(Sought { row: providers::row(name)?, name: alias.into(), path: None })
}

impl Sought {
    /// A provider by its name, perhaps held to a code path and at a place, under an alias.
    pub fn of(name: &str, alias: &str, path: Option<&Path>) -> Result<Self> {
        let known = || unknown(name, ROWS.iter().map(|row| row.name));
        let row = providers::row(name).with_context(known)?;
        row.forced_by(name).map_err(|wrong| anyhow!("{name}: {wrong}"))?;
        if let Some(path) = path {
            check_place(path).map_err(|wrong| anyhow!("{}: {wrong}", path.display()))?;
        }
        Ok(Self { row, name: alias.into(), path: path.map(Path::to_owned) })
    }

    /// Whether it goes by this name.
    pub fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// The same under a memory limit; `None` for a program of its own, which has its own memory.
    pub fn under(&self, limit_bytes: u64) -> Option<Self> {
        let name = memory_limit::alias(&self.name, limit_bytes);
        matches!(self.row.kind, Kind::InProcess(_)).then(|| Self { name, ..self.clone() })
    }

    /// Its name or alias.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Looks for it; `patience` is for its answer.
    pub fn find(&self, patience: Duration) -> Found {
        if let Err(reason) = self.row.restricted() {
            return self.found(Err(self.absence(reason)));
        }
        let absent = |error: WorkerError| {
            self.absence(match error {
                WorkerError::Unavailable(unavailable) => unavailable,
                other => other.to_string().into(),
            })
        };
        let outcome = self.launch().map_err(|unavailable| self.absence(unavailable));
        let outcome = outcome.and_then(|launch| {
            // A short patience is for samples: what has just been loaded may take longer.
            let launch = Launch { patience: patience.max(PATIENCE), ..launch };
            let worker = Worker::launch(&launch, None);
            let mut record = worker.and_then(|mut worker| worker.info()).map_err(absent)?;
            record.detail += &self.held_to(&launch);
            Ok((launch, record))
        });
        self.found(outcome)
    }

    /// What it is held to while it is timed.
    fn held_to(&self, launch: &Launch) -> String {
        let mut held_to = String::new();
        if let Some(bytes) = Limited::of(&self.name).ok().and_then(|limited| limited.bytes) {
            let most = byte_text(bytes);
            held_to += &format!("; at most {most} while it is timed, by RLIMIT_DATA");
        }
        let is_code_path = |name: &OsString| !memory_limit::VARIABLES.iter().any(|it| name == it);
        for (name, value) in launch.variables.iter().filter(|(name, _)| is_code_path(name)) {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            held_to += &format!("; forced by {name}={value}");
        }
        held_to
    }

    fn found(&self, outcome: Result<(Launch, ProviderRecord), Absence>) -> Found {
        Found { row: self.row, name: self.name.clone(), outcome }
    }

    fn absence(&self, Unavailable { cause, reason }: Unavailable) -> Absence {
        let Self { row, name, path } = self;
        let cause = match cause {
            // A library of the user's own is in no package.
            Cause::NotInstalled if path.is_some() => Cause::Failure,
            cause => cause,
        };
        let needed = match cause {
            Cause::NotInstalled if !reason.contains(row.package) => Some(row.package),
            _ => None,
        };
        Absence::new(name.clone(), reason, needed, cause)
    }

    fn place(&self) -> Place {
        Place { name: Some(self.name.clone()), path: self.path.clone() }
    }

    fn launch(&self) -> Result<Launch, Unavailable> {
        let limited = Limited::of(&self.name).map_err(|error| error.to_string())?;
        let command = self.command(&limited.provider())?;
        let own = self.variables(&limited.provider())?;
        let own = own.into_iter().map(|(name, value)| (name.into(), value.into()));
        let variables = own.chain(limited.variables()).collect();
        let cold_variables = self.row.cold_variables.iter();
        let cold_variables = cold_variables.map(|&(name, value)| (name.into(), value.into()));
        let cold_variables = cold_variables.collect();
        Ok(Launch { variables, cold_variables, ..Launch::new(&self.name, command) })
    }

    /// What starts a worker of it under the name of a provider.
    fn command(&self, provider: &str) -> Result<Vec<OsString>, Unavailable> {
        if let Kind::Program(program) = self.row.kind {
            return Ok(program(&self.place())?.into_iter().map(OsString::from).collect());
        }
        (self.row.prepare)(&Place { name: Some(provider.to_owned()), ..self.place() })?;
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = vec![own.into_os_string(), "worker".into(), provider.into()];
        command.extend(self.path.iter().map(|path| path.clone().into_os_string()));
        let without = restriction::left_out();
        if !without.is_empty() {
            command.extend(["--without".into(), without.to_string().into()]);
        }
        Ok(command)
    }

    /// Variables that hold it to a code path and to what a run leaves of the processor.
    fn variables(&self, provider: &str) -> Result<Vec<(&'static str, String)>, Unavailable> {
        let forced = self.row.forced_by(provider)?;
        let variables = forced.map_or(&[][..], |forced| forced.variables);
        let mut own: Vec<(&'static str, String)> =
            variables.iter().map(|&(name, value)| (name, value.to_owned())).collect();
        for (name, value) in self.row.restricted()? {
            match own.iter_mut().find(|(forced, _)| *forced == name) {
                Some((_, forced)) => *forced = restriction::both(name, forced, &value),
                None => own.push((name, value)),
            }
        }
        Ok(own)
    }
}

/// Looks for all of them, at once: runtimes take their time to start.
pub fn find(sought: &[Sought], patience: Duration) -> Vec<Found> {
    std::thread::scope(|scope| {
        // Where no thread can be had, this one searches.
        let searches = sought
            .iter()
            .map(|one| (one, Builder::new().spawn_scoped(scope, move || one.find(patience))));
        let searches: Vec<_> = searches.collect();
        let joined = searches.into_iter().map(|(one, search)| {
            let Ok(search) = search else { return one.find(patience) };
            search
                .join()
                .unwrap_or_else(|_| one.found(Err(one.absence("the search for it failed".into()))))
        });
        joined.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_has_its_reason_under_any_name() {
        let (name, reason) = ("openssl-new".into(), "openssl-new: not found".into());
        let absence = Absence::new(name, reason, Some("libssl"), Cause::NotInstalled);
        let line = "openssl-new: openssl-new: not found (needed: libssl)";
        assert_eq!(absence.line, line);
        assert_eq!(absence.clone().under("a").line, "a: openssl-new: not found (needed: libssl)");
        assert_eq!(absence.beside(|_| true).line, line, "no code path is asked for");
        let forced = Absence::new("a[soft]".into(), "no".into(), Some("b"), Cause::NotInstalled);
        assert_eq!(forced.line, "a[soft]: no (needed: b)");
        assert_eq!(forced.beside(|name| name == "a").line, "a[soft]: no");
    }
}
