//! `run`: measure a study and report it.

mod environment;
mod packed;
mod resumed;
mod segments;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use lab::archive::Archive;
use lab::clock::{Clock, instructions};
use lab::measure::{Bench, Open, measure};
use lab::plan::Planned;
use lab::record::{
    Event, EventKind, Invocation, Machine, Run as RunRecord, RunState, Verb, unix_s,
};
use lab::study::Study;
use lab::worker::client::Launch;
use providers::Cause;

use self::packed::Named;
use super::{Format, open_claims, plan, report as report_verb};
use crate::discovery::Absence;
use crate::extent::check_budget;
use crate::own_files::OwnFiles;
use crate::paths::{ArchiveArg, tell_unsent};
use crate::progress::{Bar, Stop};
use crate::selection::{ExtentArgs, Ready, SelectionArgs, say_missing};
use crate::without::{self, WithoutArgs};
use crate::{output, studies};

/// Seconds of a first look.
const QUICK_S: f64 = 15.0;

/// A run, what it has still to settle, and with whom.
type Sitting = (Archive, RunRecord, Vec<Planned>, Vec<Launch>);

/// Measure a study (the survey by default) and report the results.
#[derive(Debug, Args)]
pub struct Run {
    /// A study by name, a .toml file, or what `macrometer pack` has written [default: survey]
    study: Option<String>,
    /// Time limit of the whole run in seconds, exceeded only if it is too short for a first look
    /// [default: the study's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    budget: Option<f64>,
    #[command(flatten)]
    extent: ExtentArgs,
    /// Measure only what claims need: continue the study's last run on this machine where claims
    /// are undecided, for as long again; if there is none, measure the parts with claims
    #[arg(long, conflicts_with_all = ["resume", "launches", "blocks", "seed"])]
    claims: bool,
    /// Continue an interrupted or killed run: its name or the start of it, or `last`
    #[arg(long, value_name = "RUN", conflicts_with_all = [
        "study", "seed", "launches", "blocks", "key_len", "part", "cores", "sessions",
        "window", "mix", "verify", "without", "tier",
        "rekey_every", "rate", "tail", "tail_quantile",
    ])]
    resume: Option<String>,
    /// With --resume: continue even though it cannot be checked from here that the process
    /// measuring the run has ended
    #[arg(long, requires = "resume")]
    take_over: bool,
    /// Seed [default: random]
    #[arg(long)]
    seed: Option<u64>,
    /// Processor to pin workers to, or `none` [default: the last one allowed; with --resume, as
    /// before]
    #[arg(long, value_name = "N")]
    cpu: Option<String>,
    #[command(flatten)]
    without: WithoutArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    pub archive: ArchiveArg,
    /// Folder for the page [default: reports/RUN beside the archive]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder on disk in which `sms` stores segments [default: the archive's; with --resume, as
    /// before]
    #[arg(long, value_name = "DIR")]
    segments_dir: Option<PathBuf>,
    /// Print every table, reason and warning, not only the verdicts and their figures
    #[arg(long, visible_alias = "full")]
    tables: bool,
    /// A first impression in 15 seconds: the MACs in wide use at three lengths with prepared keys;
    /// takes no study
    #[arg(long, conflicts_with_all = ["study", "claims", "resume"])]
    quick: bool,
    /// Show no progress: errors, warnings and the result only
    #[arg(long)]
    quiet: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// What `study` was found to be.
    #[arg(skip)]
    pack: Option<Box<fleet::Pack>>,
}

/// A survey with every default: what `macrometer` does without a verb.
#[derive(Debug, clap::Parser)]
struct Defaults {
    #[command(flatten)]
    run: Run,
}

impl Run {
    /// The survey with its defaults.
    pub fn survey(archive: ArchiveArg) -> Self {
        use clap::Parser;
        Self { archive, ..Defaults::parse_from(["macrometer"]).run }
    }

    pub fn run(mut self) -> Result<u8> {
        let began = Instant::now();
        let cpu = pinned_to(self.cpu.as_deref())?;
        self.settle()?;
        if self.resume.is_some() && self.budget.is_none() && self.told_again()? {
            return Ok(0);
        }
        let files = self.selection.own_files()?;
        let (mut archive, mut run, cells, mut launches) = match &self.resume {
            Some(name) => self.resumed(name, &files)?,
            None => self.begun(cpu, &files, began)?,
        };
        // What is compiled once would leave a first run less time than all others have.
        let began = began + providers::compiling_took();
        let planned = cells.iter().map(|planned| &planned.cell);
        files.hand_over(&mut launches, planned.chain(run.cells.iter().map(|it| &it.cell)));
        let cpu = self.cpu_of(&run)?;
        let dir = self.segments_dir_of(&run).map(Path::to_path_buf);
        let folder =
            segments::folder(&mut archive, &mut run, &cells, &mut launches, dir.as_deref())?;
        let stop = Stop::listen()?;
        let (report, told) = (&|run: &RunRecord| self.try_report(run), Bar::new(stop, self.quiet));
        let sitting = Attended { cpu, began, report: Some(report), told };
        let state = attended(&mut archive, &mut run, cells, &launches, sitting)?;
        drop(folder);
        self.tell(&archive, &run)?;
        tell_unsent(&archive, &run.id);
        Ok(match state {
            RunState::Interrupted => 130,
            _ => u8::from(archive.unsent().is_some()),
        })
    }

    /// Checks the options, and makes of those that stand for others what they stand for.
    fn settle(&mut self) -> Result<()> {
        if self.tables && self.format == Format::Json {
            bail!("--tables: only for --format text");
        }
        self.unpack()?;
        check_budget(self.budget)?;
        self.out.as_deref().map_or(Ok(()), report_verb::check_folder)?;
        self.without.apply()?;
        if self.claims {
            self.for_claims()?;
        }
        if self.quick {
            self.selection.quickly(&studies::find("survey")?.named);
            self.budget = self.budget.or(Some(QUICK_S));
        }
        match &self.resume {
            Some(name) => self.archive.hand_over(name, self.take_over),
            None => Ok(()),
        }
    }

    /// Makes of `--claims` what it stands for: the last run of the study here is resumed with as
    /// much time again, or the parts that claims need are taken.
    fn for_claims(&mut self) -> Result<()> {
        let study = studies::find(self.study.as_deref().unwrap_or("survey"))?;
        if study.claims.is_empty() {
            let name = study.name;
            bail!("study {name:?} makes no claim; docs/studies.md explains how to write one");
        }
        let more_s = self.budget.unwrap_or(study.budget_s);
        let last = match self.archive.open_if_there()? {
            Some(archive) => plan::newest(&archive, &study)?,
            None => None,
        };
        // What a narrowed run asked may be something else, and an exact one had what it asked for.
        let last = last.filter(|run| run.study.claims == study.claims && !run.study.exact);
        let is_named = !self.selection.words().is_empty();
        if let Some(run) = last.filter(|run| !is_named && !run.cells.is_empty()) {
            return self.go_on_with(run, more_s);
        }
        let is_asked = |name: &String| study.claims.iter().any(|claim| claim.is_in(name));
        let names = study.parts.iter().map(|part| part.name.clone()).filter(is_asked).collect();
        self.selection.with_parts(names);
        Ok(())
    }

    /// Resumes a run for so many seconds more, which some claim must need.
    fn go_on_with(&mut self, run: RunRecord, more_s: f64) -> Result<()> {
        if open_claims::comparisons(&run).is_empty() {
            let (id, name) = (&run.id, &run.study.name);
            bail!("run {id} leaves no claim of {name:?} that more launches would decide");
        }
        self.study = None;
        self.budget = Some(run.spent_s + more_s);
        self.resume = Some(run.id);
        Ok(())
    }

    fn begun(&self, cpu: Option<u32>, files: &OwnFiles, began: Instant) -> Result<Sitting> {
        let study = self.own_study(files)?;
        self.archive.check()?;
        let segments_dir = self.segments_dir.as_deref().map(segments::place).transpose()?;
        let sought = self.selection.sought(&study)?;
        let mut ready = self.selection.ready(&study, &sought)?;
        ready.packed = self.pack.as_deref().map(packed::here);
        ready.segments_dir = segments_dir;
        self.make_out()?;
        let mut archive = self.archive.create()?;
        segments::check(&archive, &ready)?;
        let busy = self.say_forecast(&archive, &ready, began)?;
        let seed = self.seed.unwrap_or_else(rand::random);
        let mut run = begin(&mut archive, &ready, self.again(seed), seed, cpu)?;
        if let (Some(pack), true) = (&self.pack, self.archive.is_on_server()) {
            packed::keep_machine(&archive, &run.id, pack)?;
        }
        for text in files.note().into_iter().chain(busy) {
            note(&mut archive, &mut run, text)?;
        }
        Ok((archive, run, ready.cells, ready.launches))
    }

    /// The study that is asked for, with what is asked of it.
    fn own_study(&self, files: &OwnFiles) -> Result<Study> {
        let mut study = match &self.pack {
            Some(pack) => pack.study.clone(),
            None => files.apply(studies::find(self.study.as_deref().unwrap_or("survey"))?)?,
        };
        self.extent.apply(&mut study, self.budget)?;
        Ok(study)
    }

    /// Says what is known before the budget is spent: that others disturb, which is returned, and
    /// that the budget is too little.
    fn say_forecast(
        &self,
        archive: &Archive,
        ready: &Ready,
        began: Instant,
    ) -> Result<Option<String>> {
        let (forecast, _) = plan::forecast(ready, Some(archive))?;
        let compiling_s = providers::compiling_took().as_secs_f64();
        let forecast = forecast.after(began.elapsed().as_secs_f64() - compiling_s);
        let busy = said_busy();
        let below = forecast.below_floor();
        if let Some(too_little) = below.or_else(|| forecast.too_little()).filter(|_| !self.quiet) {
            output::say(&format!("budget: {too_little}"));
        }
        Ok(busy)
    }

    /// Makes the folder that the user names for the page, when all else is right and nothing is
    /// begun: that it cannot be made is told before anything is measured.
    fn make_out(&self) -> Result<()> {
        self.out.as_deref().map_or(Ok(()), report_verb::make_folder)
    }

    /// The command line that measures the same again.
    fn again(&self, seed: u64) -> Invocation {
        let called = Invocation::of(Verb::Run);
        let study = match packed::command(self.study.as_deref(), self.pack.as_deref()) {
            // Which study is quick is known.
            Named::Study(_) if self.quick => None,
            Named::Study(name) => Some(output::quoted(&name).into_owned()),
            Named::Pack(name) => return Invocation { study: Some(name), ..called },
        };
        let options = self.selection.words() + &self.extent.words() + &without::words();
        let conditions = [
            ("budget", self.budget.map(|budget_s| budget_s.to_string())),
            ("cpu", self.cpu.clone()),
            ("segments-dir", self.segments_dir.as_ref().map(|dir| dir.display().to_string())),
        ];
        let given = conditions.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let conditions: String =
            given.map(|(name, value)| format!(" --{name} {}", output::quoted(&value))).collect();
        let called = called.with_options(&options).with_conditions(&conditions);
        Invocation { study, seed: Some(seed), ..called }
    }

    /// Makes what [`Run::tell`] tells, so that the lab sees what that takes.
    fn try_report(&self, run: &RunRecord) {
        let findings = super::findings(run);
        let page = report::page::render(run, &findings);
        std::hint::black_box((page, report_verb::text(run, &findings, self.tables)));
    }

    fn tell(&self, archive: &Archive, run: &RunRecord) -> Result<()> {
        let findings = super::findings(run);
        let folder = report_verb::page_folder(archive, &run.id, self.out.as_deref())?;
        report_verb::write_page(run, &findings, &folder)?;
        match self.format {
            Format::Json => output::print(&report::json(&findings)?),
            Format::Text => {
                let text = report_verb::text(run, &findings, self.tables);
                let place = report_verb::where_it_is(&folder);
                let place = words::legible(&place);
                output::print(&format!("{text}\n{place}\nrun:  {}", run.id))
            }
        }
    }
}

/// The processor that `--cpu` names, or the one that workers are pinned to without it.
pub fn pinned_to(cpu: Option<&str>) -> Result<Option<u32>> {
    match cpu {
        None => Ok(lab::machine::pinnable_cpu()),
        Some("none") => Ok(None),
        Some(number) => {
            let cpu = number.parse().ok();
            let cpu = cpu.filter(|&cpu| lab::machine::may_pin_to(cpu));
            cpu.map(Some).with_context(|| {
                format!("--cpu {number:?}: must be a processor this process may use, or none")
            })
        }
    }
}

/// Names a run by the time and a random number. Thousands of runs of a pack may begin in the same
/// second, and meet in one store.
fn new_name(is_packed: bool) -> String {
    let stamp = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S");
    match is_packed {
        true => format!("{stamp}-{:08x}", rand::random::<u32>()),
        false => format!("{stamp}-{:04x}", rand::random::<u16>()),
    }
}

/// The machine as this run uses it.
fn machine(ready: &Ready, cpu: Option<u32>) -> Machine {
    Machine {
        processors: ready.processors.clone(),
        segments_dir: ready.segments_dir.clone(),
        ..without::machine(cpu)
    }
}

/// Keeps the record of a run that begins.
pub fn begin(
    archive: &mut Archive,
    ready: &Ready,
    called: Invocation,
    seed: u64,
    cpu: Option<u32>,
) -> Result<RunRecord> {
    let run = record(ready, called, seed, cpu);
    archive.begin(&run)?;
    for event in &run.events {
        archive.tell(&run.id, event)?;
    }
    say_missing(&ready.missing);
    Ok(run)
}

/// The record of a run of which nothing is measured yet.
fn record(ready: &Ready, called: Invocation, seed: u64, cpu: Option<u32>) -> RunRecord {
    let (clock, instructions) = lab::machine::pinned(cpu, || {
        let clock = Clock::calibrate();
        (clock.record(), instructions::measure(&clock, &providers::restriction::left_out()))
    });
    let now = unix_s();
    RunRecord {
        id: new_name(ready.packed.is_some()),
        created_unix_s: now,
        macrometer_version: env!("CARGO_PKG_VERSION").into(),
        command: called.to_string(),
        invocation: Some(called),
        packed: ready.packed.clone(),
        study: ready.study.clone(),
        seed,
        budget_s: ready.study.budget_s,
        spent_s: 0.0,
        state: RunState::Open,
        machine: machine(ready, cpu),
        clock,
        instructions,
        providers: ready.providers.clone(),
        chosen: vec![],
        cells: vec![],
        samples: vec![],
        single_calls: vec![],
        single_calls_are_whole: true,
        schemes: vec![],
        loads: vec![],
        launch_records: vec![],
        processor_times: vec![],
        sessions: vec![],
        events: first_events(ready, now),
    }
}

/// What is known of a run before it measures: who takes no part, and in what environment it is.
fn first_events(ready: &Ready, now: u64) -> Vec<Event> {
    let event = |kind, text| Event { unix_s: now, kind, text };
    let not_found = |absence: &Absence| {
        let kind = match absence.cause {
            Cause::NotInstalled => EventKind::NotFound,
            Cause::Restriction | Cause::Failure => EventKind::Excluded,
        };
        event(kind, absence.line.clone())
    };
    let missing = ready.missing.iter().map(not_found);
    let different = ready.different.iter().map(|line| event(EventKind::Excluded, line.clone()));
    let notes = environment::told().map(|set| Event::environment(now, Some(set)));
    missing.chain(different).chain(notes).collect()
}

/// That other programs disturb, which is said at once: before the budget is spent.
fn said_busy() -> Option<String> {
    let busy = lab::machine::busy().map(|busy| format!("this machine: {busy}"));
    busy.inspect(|busy| output::say(busy))
}

/// Keeps a condition of a run with it.
fn note(archive: &mut Archive, run: &mut RunRecord, text: String) -> Result<()> {
    keep(archive, run, Event { unix_s: unix_s(), kind: EventKind::Note, text })
}

/// Keeps what happened to a run with it.
fn keep(archive: &mut Archive, run: &mut RunRecord, event: Event) -> Result<()> {
    archive.tell(&run.id, &event)?;
    run.events.push(event);
    Ok(())
}

/// On which processor a run is measured, since when its budget counts, and what ends it early.
#[derive(Clone)]
pub struct Conditions {
    pub cpu: Option<u32>,
    pub began: Instant,
    pub stop: Stop,
}

/// Measures with a progress bar; the run's name is told first, so that it can be resumed.
pub fn measure_run(
    archive: &mut Archive,
    run: &mut RunRecord,
    cells: Vec<Planned>,
    launches: &[Launch],
    conditions: Conditions,
) -> Result<RunState> {
    let Conditions { cpu, began, stop } = conditions;
    let sitting = Attended { cpu, began, report: None, told: Bar::new(stop, false) };
    let state = attended(archive, run, cells, launches, sitting)?;
    tell_unsent(archive, &run.id);
    Ok(state)
}

/// How a sitting is measured, and with whom watching.
struct Attended<'a> {
    cpu: Option<u32>,
    began: Instant,
    report: Option<&'a dyn Fn(&RunRecord)>,
    told: Bar,
}

/// The same with a report at its end that belongs to the budget, as looking for libraries does.
fn attended(
    archive: &mut Archive,
    run: &mut RunRecord,
    cells: Vec<Planned>,
    launches: &[Launch],
    sitting: Attended<'_>,
) -> Result<RunState> {
    let Attended { cpu, began, report, told: mut bar } = sitting;
    bar.begin(&format!("run {}: {}", run.id, run.study.title));
    let comparisons: &dyn Fn(&RunRecord) -> Vec<Open> = &open_claims::comparisons;
    let has_any = !run.study.claims.is_empty() || run.study.gate.is_some();
    let open = has_any.then_some(comparisons);
    let bench = Bench { archive, launches, cpu, observer: &mut bar, open, began, report };
    let outcome = measure(bench, run, cells);
    bar.finish();
    Ok(outcome?)
}
