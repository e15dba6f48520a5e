//! `gate`: is a new version slower than its base?

mod accept;
mod version;

use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use lab::archive::Archive;
use lab::cell::KeyLife;
use lab::measure::MeasureError;
use lab::plan::{MacFacts, Planned, Selection, cells, is_floor, narrow};
use lab::record::{Event, EventKind, Invocation, ProviderRecord, Run as RunRecord, RunState, Verb};
use lab::study::{Gate as GateOfStudy, Study, fits};
use lab::worker::client::{Launch, PATIENCE};
use report::gate::{ALPHA, Accepted, GateFindings, Undecided};
use thiserror::Error;

use super::plan::difference;
use super::run::{Conditions, begin, measure_run, pinned_to};
use crate::discovery;
use crate::extent::check_budget;
use crate::must_be::MustBe;
use crate::output;
use crate::paths::ArchiveArg;
use crate::progress::Stop;
use crate::selection::{Ready, check_macs, check_patience, facts};
use crate::{sizes, studies};
use version::{Parser, Role, Version};

/// Is a new version slower than its base? For CI: exit code 0 if nothing is, 1 if something is or a
/// tag is wrong, 2 for a usage error, 3 if that cannot be decided
///
/// Measures the base and the new version, each in two processes, in the same blocks and launches,
/// and decides each cell (MAC, key life, length) at a few looks fixed in advance (docs/method.md).
/// docs/ci.md has workflows.
#[derive(Debug, Args)]
pub struct Gate {
    /// The version in use: openssl=PATH as in `run --lib`, a provider's name, worker:PROGRAM (a
    /// program that speaks the worker protocol), or crate:NAME@REV (a crate in Rust, built by
    /// cargo: crate:sha2@0.11.0, crate:sha2@path=FOLDER, crate:sha2@git=URL#REV)
    #[arg(long, value_name = "VERSION", value_parser = Parser)]
    base: Version,
    /// The version to replace it
    #[arg(long, value_name = "VERSION", value_parser = Parser)]
    new: Version,
    /// MACs to compare, by name or pattern with * (`hmac-*`) [default: those of the study `gate`]
    #[arg(long, value_name = "MAC", value_delimiter = ',')]
    mac: Vec<String>,
    /// Message lengths: 300, 300B, 1k, 64KiB [default: 64, 1024, 16384]
    #[arg(
        long, value_name = "LENGTH", value_delimiter = ',', value_parser = sizes::parse,
        allow_hyphen_values = true
    )]
    size: Vec<u64>,
    /// Key lives: prepared, new-key, one-shot [default: prepared, new-key]
    #[arg(long, value_name = "LIFE", value_delimiter = ',')]
    key_life: Vec<KeyLife>,
    /// How much longer a call may take
    #[arg(long, value_name = "PERCENT", value_parser = difference, default_value = "2%")]
    margin: f64,
    /// Time limit in seconds; ends earlier once every cell is decided [default: 120]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    budget: Option<f64>,
    /// What undecided cells count as [default: exit code 3]
    #[arg(long, value_name = "pass|fail")]
    undecided: Option<OpenCells>,
    /// TOML file of accepted slowdowns: [[accept]] with cell, reason, author and expires
    #[arg(long, value_name = "FILE")]
    accept: Option<PathBuf>,
    /// Seconds to wait for a worker's reply
    #[arg(
        long, allow_negative_numbers = true, value_name = "SECONDS",
        default_value_t = PATIENCE.as_secs_f64()
    )]
    patience: f64,
    /// Seed [default: random]
    #[arg(long)]
    seed: Option<u64>,
    /// Processor to pin workers to, or `none` [default: the last one allowed]
    #[arg(long, value_name = "N")]
    cpu: Option<String>,
    #[command(flatten)]
    pub archive: ArchiveArg,
    /// List every cell, not only those that differ or are undecided
    #[arg(long)]
    tables: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: GateFormat,
    /// Also write the result to a file: junit=gate.xml, markdown=summary.md
    #[arg(long, value_name = "FORMAT=FILE")]
    write: Vec<Written>,
}

/// Output formats of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GateFormat {
    /// Plain text.
    Text,
    /// One JSON document.
    Json,
    /// For the summary of a CI step.
    Markdown,
    /// JUnit's XML, for test reporters.
    Junit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OpenCells {
    /// Not slower: exit code 0.
    Pass,
    /// Slower: exit code 1.
    Fail,
}

/// A format and the file that it is written to.
#[derive(Debug, Clone)]
struct Written {
    format: GateFormat,
    file: PathBuf,
}

/// Why a text is no format with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
enum NotWritten {
    #[error(transparent)]
    Form(#[from] MustBe),
    #[error("formats are text, json, markdown and junit")]
    Format,
}

impl FromStr for Written {
    type Err = NotWritten;

    fn from_str(text: &str) -> Result<Self, NotWritten> {
        let wrong = MustBe("FORMAT=FILE, such as junit=gate.xml");
        let (format, file) = text.split_once('=').ok_or(wrong)?;
        let format = GateFormat::from_str(format, false).map_err(|_| NotWritten::Format)?;
        if file.is_empty() { Err(wrong.into()) } else { Ok(Self { format, file: file.into() }) }
    }
}

impl Gate {
    pub fn run(self) -> Result<u8> {
        let cpu = pinned_to(self.cpu.as_deref())?;
        check_budget(self.budget)?;
        let patience = check_patience(self.patience)?;
        let accepted = self.accepted()?;
        for Written { file, .. } in &self.write {
            output::check_named(file).context("--write")?;
        }
        // Before versions are built, which takes minutes.
        self.archive.check()?;
        let ready = self.ready(patience)?;
        let mut archive = self.archive.create()?;
        let seed = self.seed.unwrap_or_else(rand::random);
        let mut run = begin(&mut archive, &ready, self.again(seed), seed, cpu)?;
        measured(&mut archive, &mut run, ready.cells, &ready.launches, cpu)?;
        let findings = self.findings(&run, &accepted)?;
        output::print(&self.told(&findings, self.format)?)?;
        self.write(&findings);
        let is_interrupted = run.state == RunState::Interrupted && findings.wrong_tags.is_empty();
        Ok(if is_interrupted { 130 } else { findings.exit_code })
    }

    fn findings(&self, run: &RunRecord, accepted: &[Accepted]) -> Result<GateFindings> {
        let undecided = match self.undecided {
            None => Undecided::CannotSay,
            Some(OpenCells::Pass) => Undecided::Pass,
            Some(OpenCells::Fail) => Undecided::Fail,
        };
        let findings = GateFindings::of(run, accepted, undecided);
        findings.with_context(|| format!("run {} is not a gate", run.id))
    }

    fn told(&self, findings: &GateFindings, format: GateFormat) -> Result<String> {
        Ok(match format {
            GateFormat::Text => findings.text(output::width(), self.tables),
            GateFormat::Json => findings.json()?,
            GateFormat::Markdown => findings.markdown(),
            GateFormat::Junit => findings.junit()?,
        })
    }

    fn accepted(&self) -> Result<Vec<Accepted>> {
        let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
        let accepted = self.accept.as_deref().map(|path| accept::read(path, today));
        Ok(accepted.transpose()?.unwrap_or_default())
    }

    /// Writes the files that are asked for. What was measured is decided, whatever becomes of one.
    fn write(&self, findings: &GateFindings) {
        for Written { format, file } in &self.write {
            let told = self.told(findings, *format);
            let written = told.and_then(|told| output::write_named(file, told.as_bytes()));
            if let Err(error) = written {
                output::say(&format!("macrometer: --write: {error:#}"));
            }
        }
    }

    /// The study `gate`, narrowed, with those that take part.
    fn ready(&self, patience: Duration) -> Result<Ready> {
        let facts = facts();
        check_macs(&self.mac, &facts)?;
        // What is wrong with what is asked for is told before anything is built.
        let mut study = self.study(&self.mac, &facts)?;
        let roles = self.roles()?;
        if self.mac.is_empty() {
            study = self.study(&unusual_macs(&study, &roles, &facts), &facts)?;
        }
        let names = roles.each_ref().map(|role| role.name.clone());
        study.panels[0].providers = names.to_vec();
        let mut launches: Vec<Launch> =
            roles.iter().map(|role| Launch { patience, ..role.launch.clone() }).collect();
        let mut providers: Vec<_> = roles.into_iter().map(|Role { record, .. }| record).collect();
        discovery::add_floor(patience, &mut launches, &mut providers);
        let planned = in_all(cells(&study, &providers, &facts, &[])?, &names);
        let versions = [&providers[0], &providers[2]];
        self.check_asked(&planned, versions)?;
        set_looks(&mut study, names, shared(&planned, versions)?);
        Ok(Ready::new(study, planned, providers, launches))
    }

    /// Both versions, each twice.
    fn roles(&self) -> Result<[Role; 4]> {
        let (base, new) = (self.base.ready("--base")?, self.new.ready("--new")?);
        let roles = [
            base.play("base", "--base")?,
            base.play("base-again", "--base")?,
            new.play("new", "--new")?,
            new.play("new-again", "--new")?,
        ];
        if let Some(also) = new.differs_from(&base) {
            output::say(&format!("macrometer: --base and --new also differ in {also}"));
        }
        Ok(roles)
    }

    /// Refuses what is asked for and makes no cell: no line of the result would say that it is
    /// missing. What one version alone has is told as a change.
    fn check_asked(&self, planned: &[Planned], [base, new]: [&ProviderRecord; 2]) -> Result<()> {
        for pattern in &self.mac {
            let is_compared = planned.iter().any(|it| fits(pattern, &it.cell.candidate.mac));
            let offers = |of: &ProviderRecord| of.offers.iter().any(|it| fits(pattern, &it.mac));
            let is_wrong =
                |of: &ProviderRecord| of.different.iter().any(|it| fits(pattern, &it.mac));
            if is_compared || is_wrong(base) || is_wrong(new) {
                continue;
            }
            match (offers(base), offers(new)) {
                (false, false) => bail!("--mac {pattern}: neither --base nor --new has it"),
                (true, true) => bail!("--mac {pattern}: these options exclude all its cells"),
                _ => {}
            }
        }
        Ok(())
    }

    /// The study `gate`, narrowed to what is asked for.
    fn study(&self, macs: &[String], facts: &[MacFacts]) -> Result<Study> {
        let selection = Selection {
            macs: macs.to_vec(),
            sizes: self.size.clone(),
            key_lives: self.key_life.clone(),
            ..Selection::default()
        };
        let mut study = narrow(&studies::find("gate")?, &selection, facts)?;
        study.budget_s = self.budget.unwrap_or(study.budget_s);
        study.margin = self.margin;
        Ok(study)
    }

    /// The command line that measures the same again.
    fn again(&self, seed: u64) -> Invocation {
        let quoted = |word: String| output::quoted(&word).into_owned();
        let join = |words: Vec<String>| words.join(",");
        let lists = [
            ("mac", self.mac.clone()),
            ("size", self.size.iter().map(ToString::to_string).collect()),
            ("key-life", self.key_life.iter().map(ToString::to_string).collect()),
        ];
        let conditions = [
            ("budget", self.budget.iter().map(ToString::to_string).collect()),
            ("cpu", self.cpu.iter().cloned().collect()),
        ];
        let told = |(name, values): (&str, Vec<String>)| match values.is_empty() {
            true => String::new(),
            false => format!(" --{name} {}", quoted(join(values))),
        };
        let options = format!(
            "--base {} --new {} --margin {}%{}",
            quoted(self.base.word()),
            quoted(self.new.word()),
            self.margin * 100.0,
            lists.map(told).concat()
        );
        let called = Invocation::of(Verb::Gate).with_options(&options);
        let called = called.with_conditions(&conditions.map(told).concat());
        Invocation { seed: Some(seed), ..called }
    }
}

/// All macs that both have, where none of the study's is among them; otherwise none.
fn unusual_macs(study: &Study, [base, _, new, _]: &[Role; 4], facts: &[MacFacts]) -> Vec<String> {
    let has = |role: &Role, mac: &str| role.record.offers.iter().any(|it| it.mac == mac);
    let mut usual = study.parts.iter().flat_map(|part| &part.cases).flat_map(|it| &it.macs);
    if usual.any(|mac| has(base, mac) && has(new, mac)) {
        return vec![];
    }
    let names = facts.iter().map(|it| &it.name);
    names.filter(|mac| has(base, mac) && has(new, mac)).cloned().collect()
}

/// Cells that all of them have, and the floors.
fn in_all(planned: Vec<Planned>, names: &[String; 4]) -> Vec<Planned> {
    let key = |it: &Planned| {
        let cell = &it.cell;
        (cell.candidate.mac.clone(), cell.key_life, cell.len_bytes, cell.regime)
    };
    let of = |name: &String| -> std::collections::BTreeSet<_> {
        planned.iter().filter(|it| it.cell.candidate.provider == *name).map(key).collect()
    };
    let sets = names.each_ref().map(of);
    let is_in_all = |it: &Planned| sets.iter().all(|set| set.contains(&key(it)));
    let keep = |it: &Planned| is_floor(&it.cell.candidate.mac) || is_in_all(it);
    planned.iter().filter(|it| keep(it)).cloned().collect()
}

/// How many cells each of the four has. None is an error, unless the tags of one are wrong.
fn shared(planned: &[Planned], [base, new]: [&ProviderRecord; 2]) -> Result<usize> {
    let count = planned.iter().filter(|it| !is_floor(&it.cell.candidate.mac)).count() / 4;
    let is_wrong = report::gate::different(base, new).next().is_some();
    if count == 0 && !is_wrong {
        bail!("--base and --new share none of the requested MACs");
    }
    Ok(count)
}

/// Fixes, before anything is measured, when it is looked at what is decided.
fn set_looks(study: &mut Study, names: [String; 4], cells: usize) {
    let looks = stats::looks(cells, ALPHA).into_iter().map(|look| look.launches);
    let looks: Vec<u32> = looks.collect();
    study.launches = looks.first().copied().unwrap_or(study.launches);
    let [base, again, new, new_again] = names;
    study.gate = Some(GateOfStudy { base, again, new, new_again: Some(new_again), looks });
}

/// Measures, unless a worker found wrong tags when it tried its macs; nothing is timed where tags
/// differ.
fn measured(
    archive: &mut Archive,
    run: &mut RunRecord,
    cells: Vec<Planned>,
    launches: &[Launch],
    cpu: Option<u32>,
) -> Result<()> {
    let known = GateFindings::of(run, &[], Undecided::CannotSay);
    let wrong = known.map(|known| known.wrong_tags).unwrap_or_default();
    if !wrong.is_empty() {
        return exclude(archive, run, wrong);
    }
    let conditions = Conditions { cpu, began: Instant::now(), stop: Stop::listen()? };
    let Err(error) = measure_run(archive, run, cells, launches, conditions) else {
        return Ok(());
    };
    match error.downcast::<MeasureError>()? {
        MeasureError::WrongTags => Ok(()),
        other => Err(other.into()),
    }
}

/// Ends a run before anything is timed, with what was wrong.
fn exclude(archive: &mut Archive, run: &mut RunRecord, wrong: Vec<String>) -> Result<()> {
    for text in wrong {
        let event = Event { unix_s: run.created_unix_s, kind: EventKind::Excluded, text };
        archive.tell(&run.id, &event)?;
        run.events.push(event);
    }
    run.state = RunState::Interrupted;
    archive.set_state(&run.id, run.state, run.spent_s)?;
    Ok(())
}
