//! `fleet task`: what one machine does for a pack. Scripts of schedulers call it, and it can be
//! called again at any time: what was begun goes on, what is done stays.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use fleet::{Contents, Doctor, Pack, Selftest, names};
use lab::archive::{Archive, Outline, Place};
use lab::machine::Identity;
use lab::record::RunState;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::must_be::MustBe;
use crate::packs::{self, PackedArgs};
use crate::paths::{ArchiveArg, sound};
use crate::verbs::cite::check_authors;
use crate::verbs::run::{Run, pinned_to};
use crate::verbs::{doctor, selftest};
use crate::{halves, output, reading};

/// Launches of the workers in the A/A test: what a closed bundle needs.
const AA_LAUNCHES: u32 = fleet::check::CLOSED_LAUNCHES_MIN;

/// Measure a pack on this machine and put its bundle into a store; resume one that was interrupted.
///
/// First the providers are checked against the test vectors, then pairs of identical candidates are
/// measured, then the pack. A killed task resumes its run when called again; a finished one changes
/// nothing. `fleet run` writes scripts that call this.
#[derive(Debug, Args)]
pub struct Task {
    /// The pack
    pack: PathBuf,
    /// Folder of bundles, or a team's database as postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "DIR|URL")]
    store: PathBuf,
    /// Folder of this task on this machine: archive, host_id [default: macrometer/fleet in your
    /// data folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Measure the pack again even if there is a complete run of it
    #[arg(long)]
    again: bool,
    /// Processor to pin workers to, or `none` [default: the last one allowed]
    #[arg(long, value_name = "N")]
    cpu: Option<String>,
    #[command(flatten)]
    told: Told,
}

/// What a bundle is told beside what was measured.
#[derive(Debug, Clone, Args)]
pub struct Told {
    /// Pairs of identical candidates to measure before the run; 0: none, and the bundle is open
    #[arg(long, value_name = "N", default_value_t = 20)]
    pairs: usize,
    /// Time limit for these pairs in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pairs_budget: f64,
    /// Who measured: 'Family, Given' or the name of a group; may be repeated
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// Licence of the data, by its SPDX identifier
    #[arg(long, value_name = "SPDX", default_value = LICENCE, value_parser = licence)]
    licence: String,
    /// Put this name of the host into the bundle [default: none]
    #[arg(long, value_name = "NAME")]
    host_name: Option<String>,
}

fn licence(text: &str) -> Result<String, MustBe> {
    match fleet::bundle::is_licence(text) {
        true => Ok(text.to_owned()),
        false => Err(MustBe("an SPDX identifier, such as CC-BY-4.0 or CC0-1.0")),
    }
}

impl Told {
    /// Refuses what no task could be told.
    pub fn check(&self) -> Result<()> {
        check_authors(&self.author)?;
        crate::extent::check_budget(Some(self.pairs_budget)).context("--pairs-budget")
    }

    /// The options again, one word each.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["--pairs".to_owned(), self.pairs.to_string()];
        words.extend(["--pairs-budget".to_owned(), self.pairs_budget.to_string()]);
        words.extend(["--licence".to_owned(), self.licence.clone()]);
        // With their names, since a value may begin like an option.
        words.extend(self.author.iter().map(|author| format!("--author={author}")));
        words.extend(self.host_name.iter().map(|name| format!("--host-name={name}")));
        words
    }
}

impl Task {
    pub fn run(self) -> Result<u8> {
        self.told.check()?;
        let pack = packs::read(&self.pack)?;
        if Place::is_server(&self.store) {
            // Before anything is measured.
            ArchiveArg::of(self.store.clone()).check().context("--store")?;
        }
        let here = Here::of(self.data_folder()?, &pack)?;
        let newest = if self.again { None } else { here.newest()? };
        if newest.as_ref().is_none_or(|run| run.state != RunState::Complete) {
            let code = self.measure(&here, &pack, newest.map(|run| run.id))?;
            if code != 0 {
                return Ok(code);
            }
        }
        let run = here.newest()?.context("the run is not in its archive")?;
        output::print_text(&format!("bundle {}", self.bundle(&here, &pack, &run)?))?;
        Ok(0)
    }

    fn data_folder(&self) -> Result<PathBuf> {
        let data = match &self.data {
            Some(data) => data.clone(),
            None => own_folder().context("use --data")?,
        };
        fs::create_dir_all(&data).with_context(|| format!("--data {}", data.display()))?;
        Ok(data)
    }

    /// Measures, or goes on with the run of this name.
    fn measure(&self, here: &Here, pack: &Pack, resumed: Option<String>) -> Result<u8> {
        if let Some(id) = &resumed {
            output::say(&format!("run {id}: goes on"));
        }
        if !self.prepare(here, pack, resumed.is_none())? {
            return Ok(130);
        }
        Run::of_pack(&self.pack, here.archive(), resumed, self.cpu.clone())?.run()
    }

    /// Tests the providers and the machine, unless that was done when the run began; `false` where
    /// the user has interrupted it.
    fn prepare(&self, here: &Here, pack: &Pack, is_new: bool) -> Result<bool> {
        if !is_new && here.selftest().is_ok() && here.doctor().is_ok() {
            return Ok(true);
        }
        let cpu = pinned_to(self.cpu.as_deref())?;
        // Before this process makes a load of its own.
        let doubts = doctor::doubts(&lab::machine::read(cpu));
        let told = PackedArgs::of_words(&pack.options)?;
        told.without.apply()?;
        let ready = told.selection.ready(&pack.study, &told.selection.sought(&pack.study)?)?;
        here.keep(SELFTEST, &selftest::of(&ready.launches, &ready.providers))?;
        let (pairs, budget_s) = (self.told.pairs, self.told.pairs_budget);
        let extent = doctor::Extent { pairs, launches: AA_LAUNCHES, budget_s };
        let a_a = match extent.pairs {
            0 => None,
            _ => match doctor::test(&here.archive(), extent, cpu)? {
                None => return Ok(false),
                found => found,
            },
        };
        here.keep(DOCTOR, &Doctor { doubts, a_a })?;
        Ok(true)
    }

    fn bundle(&self, here: &Here, pack: &Pack, run: &Outline) -> Result<String> {
        let (selftest, doctor) = (here.selftest()?, here.doctor()?);
        let contents = Contents {
            pack,
            machine: &here.machine,
            host_id: &here.host_id,
            host_name: self.told.host_name.as_deref(),
            selftest: &selftest,
            doctor: &doctor,
            authors: &self.told.author,
            licence: &self.told.licence,
            macrometer_version: env!("CARGO_PKG_VERSION"),
            simulated: false,
        };
        let archive = here.archive().open()?;
        if Place::is_server(&self.store) {
            return self.put(&archive, &run.id, &contents, &here.data);
        }
        let place = fleet::bundle::write(&self.store, &archive, &run.id, &contents)?;
        Ok(place.display().to_string())
    }

    /// Hands a run over to a team's database.
    fn put(
        &self,
        archive: &Archive,
        run: &str,
        contents: &Contents<'_>,
        data: &Path,
    ) -> Result<String> {
        let mut team = ArchiveArg::of(self.store.clone()).create().context("--store")?;
        fleet::team::put(archive, run, contents, &mut team, data)?;
        Ok(format!("of run {run} in {}", team.place()))
    }
}

const SELFTEST: &str = "selftest.json";

const DOCTOR: &str = "doctor.json";

/// The folder of a task, and the machine that it is on.
struct Here {
    data: PathBuf,
    study_id: String,
    machine: Identity,
    host_id: String,
}

impl Here {
    fn of(data: PathBuf, pack: &Pack) -> Result<Self> {
        let host_id = host_id(&data)?;
        Ok(Self { data, study_id: pack.id(), machine: Identity::read(), host_id })
    }

    fn archive(&self) -> ArchiveArg {
        ArchiveArg::of(self.data.join("archive.db"))
    }

    /// The newest run of the pack on this machine.
    fn newest(&self) -> Result<Option<Outline>> {
        let Some(archive) = self.archive().open_if_there()? else { return Ok(None) };
        let machine_id = self.machine.id();
        let is_ours = |run: &Outline| {
            let packed = run.packed.as_ref();
            packed.is_some_and(|it| it.study_id == self.study_id && it.machine_id == machine_id)
        };
        Ok(sound(archive.outlines()?).into_iter().find(is_ours))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.data.join(format!("{}-{name}", self.study_id))
    }

    fn keep(&self, name: &str, value: &impl Serialize) -> Result<()> {
        output::write_file(&self.file(name), report::json(value)?.as_bytes())
    }

    fn kept<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let path = self.file(name);
        let bytes = reading::whole(&path, reading::TABLE_BYTES_MAX);
        let bytes = bytes.map_err(|error| anyhow!("{}: {error}", path.display()))?;
        serde_json::from_slice(&bytes).with_context(|| path.display().to_string())
    }

    fn selftest(&self) -> Result<Selftest> {
        self.kept(SELFTEST)
    }

    fn doctor(&self) -> Result<Doctor> {
        self.kept(DOCTOR)
    }
}

/// The licence of data unless another is named.
pub const LICENCE: &str = "CC-BY-4.0";

/// The folder of this machine's tasks unless another is named.
fn own_folder() -> Result<PathBuf> {
    let data = dirs::data_dir().context("this user has no data folder")?;
    Ok(data.join("macrometer").join("fleet"))
}

/// The host's random name, made where there is none yet.
pub fn own_host_id() -> Result<String> {
    let data = own_folder()?;
    fs::create_dir_all(&data).with_context(|| data.display().to_string())?;
    host_id(&data)
}

/// Writes a name into a file beside `path` that then takes its place, unless another is there.
fn new_host_id(data: &Path, path: &Path) -> io::Result<()> {
    let mut file = halves::file(data, 0o666)?;
    writeln!(file, "{}", names::new_host_id())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}

/// The host's random name, made where there is none yet.
fn host_id(data: &Path) -> Result<String> {
    let path = data.join("host_id");
    if !path.exists() {
        // Of two tasks that begin at once, one makes it, and the other reads it whole.
        let made = new_host_id(data, &path);
        made.with_context(|| path.display().to_string())?;
    }
    let bytes = reading::whole(&path, 64);
    let bytes = bytes.map_err(|error| anyhow!("{}: {error}", path.display()))?;
    let id = String::from_utf8_lossy(&bytes).trim().to_owned();
    if !names::is_machine_id(&id) {
        let path = path.display();
        bail!("{path}: not a host_id, 32 hexadecimal digits: remove the file, and one is made");
    }
    Ok(id)
}
