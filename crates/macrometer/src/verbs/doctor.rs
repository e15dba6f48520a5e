//! `doctor`: how good the clock and the machine are for measuring, what the worker process costs,
//! and how often the lab calls two identical candidates different.

mod a_a;

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use lab::cell::{Candidate, Cell, KeyLife, Regime};
use lab::clock::Clock;
use lab::plan::Selection;
use lab::record::{ClockRecord, Invocation, Machine, Processor, RunState, Verb};
use lab::sessions::needs::limits;
use lab::worker::client::{PATIENCE, Worker};
use lab::worker::memory_limit::byte_text;
use lab::worker::serve::serve;
use lab::worker::{keys_len_bytes, pool_len_bytes};
use providers::{Kind, Place};
use report::consistency::Consistency;
use report::findings::Topology;
use report::terminal::wrapped;
use stats::median;

use super::run::{Conditions, begin, measure_run};
use crate::discovery;
use crate::extent::check_budget;
use crate::output;
use crate::paths::{ArchiveArg, if_sound, sound};
use crate::progress::Stop;
use crate::selection::Ready;
use crate::studies;

pub use a_a::{Extent, test};

/// Check the clock and the machine, and run an A/A self-test.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Run the A/A self-test: measure N pairs of identical candidates and count how many are called
    /// different
    #[arg(long, value_name = "N")]
    pairs: Option<usize>,
    /// Time limit of the A/A self-test in seconds [default: the study's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS", requires = "pairs")]
    budget: Option<f64>,
    /// Cross-check the stored runs: what they measured for the same cells, and what they found
    /// fastest. Measures nothing; the exit code is 1 if any two runs contradict each other
    #[arg(long, conflicts_with = "pairs")]
    consistency: bool,
    #[command(flatten)]
    pub archive: ArchiveArg,
}

impl Doctor {
    pub fn run(self) -> Result<u8> {
        check_budget(self.budget)?;
        if self.consistency {
            return self.consistency();
        }
        let cpu = lab::machine::pinnable_cpu();
        let ready = self.pairs.map(|pairs| self.ready(pairs)).transpose()?;
        let told = condition(&lab::machine::read(cpu), &Clock::calibrate());
        output::print_text(&folded(&told, output::width()))?;
        let cost = lab::machine::pinned(cpu, || process_cost(cpu))?;
        output::print_text(&folded(&cost, output::width()))?;
        match (self.pairs, ready) {
            (Some(pairs), Some(ready)) => self.measure(pairs, ready, cpu),
            _ => Ok(0),
        }
    }

    /// Every run of the archive, the oldest first.
    fn consistency(&self) -> Result<u8> {
        let archive = self.archive.open()?;
        let mut runs = Vec::new();
        for line in sound(archive.runs()?).iter().rev() {
            runs.extend(if_sound(&archive, &line.id)?);
        }
        let found = Consistency::of(&runs);
        output::print_text(&found.told(output::width()))?;
        Ok(u8::from(!found.contradictions.is_empty()))
    }

    /// The study `a-a`: one provider in two workers, as two candidates.
    fn ready(&self, pairs: usize) -> Result<Ready> {
        let mut study = studies::find("a-a")?;
        study.budget_s = self.budget.unwrap_or(study.budget_s);
        let ready = a_a::ready(&study, &Selection::default())?;
        let of = |planned: &&lab::plan::Planned| planned.cell.candidate.provider == a_a::AGAIN;
        let twins = ready.cells.iter().filter(of).count();
        if pairs == 0 || pairs > twins {
            bail!("--pairs {pairs}: must be 1 to {twins}");
        }
        Ok(ready)
    }

    fn measure(&self, pairs: usize, ready: Ready, cpu: Option<u32>) -> Result<u8> {
        let mut archive = self.archive.create()?;
        let called = called(pairs);
        let mut run = begin(&mut archive, &ready, called, rand::random(), cpu)?;
        let conditions = Conditions { cpu, began: Instant::now(), stop: Stop::listen()? };
        let Ready { cells, launches, .. } = ready;
        let state = measure_run(&mut archive, &mut run, cells, &launches, conditions)?;
        output::print_text(&a_a::of(&run, pairs)?.told(&run, pairs))?;
        Ok(if state == RunState::Interrupted { 130 } else { 0 })
    }
}

/// The command line that measures so many pairs.
fn called(pairs: usize) -> Invocation {
    Invocation::of(Verb::Doctor).with_options(&format!("--pairs {pairs}"))
}

/// Columns before what is said of each thing.
const NAMES_WIDTH: usize = 13;

/// Lines of a name and what is said of it, which goes on below itself.
fn folded(text: &str, width: usize) -> String {
    let room = width.saturating_sub(NAMES_WIDTH).max(NAMES_WIDTH);
    let fold = |line: &str| {
        let (name, said) = line.split_at_checked(NAMES_WIDTH).unwrap_or((line, ""));
        let said = wrapped(said, room, "").replace('\n', &format!("\n{:NAMES_WIDTH$}", ""));
        format!("{name}{said}\n")
    };
    text.lines().map(fold).collect()
}

fn condition(machine: &Machine, clock: &Clock) -> String {
    let record = clock.record();
    let under = machine.virtualization.as_ref();
    let under = under.map_or("no hypervisor seen".into(), |v| format!("under {v}"));
    let mut text =
        format!("processor    {}, {} online, {under}\n", machine.cpu_model, machine.cpus);
    let word = |value: Option<&str>| value.unwrap_or("not readable").to_owned();
    let turbo = machine.turbo.map(|on| if on { "on" } else { "off" });
    let _ = write!(
        text,
        "governor     {}\nturbo        {}\nload         {}\nclock        {}, {:.4} GHz\n\
         overhead     {:.1} ns of the clock (an empty pair of reads)\nresolution   {:.1} ns\n",
        word(machine.governor.as_deref()),
        word(turbo),
        machine.load_1min.map_or("not readable".into(), |load| format!("{load:.2}")),
        record.source,
        record.ticks_hz / 1e9,
        record.bracket_ns,
        record.resolution_ns,
    );
    text += &core_clock(&record);
    text += &room(&lab::machine::processors());
    for doubt in doubts(machine) {
        let _ = writeln!(text, "warning      {doubt}");
    }
    text
}

fn core_clock(record: &ClockRecord) -> String {
    let Some(core_hz) = record.core_hz else {
        return "core clock   cannot be estimated on this processor\n".to_owned();
    };
    let (ghz, ratio) = (core_hz / 1e9, core_hz / record.ticks_hz);
    format!("core clock   {ghz:.3} GHz, estimated by dependent additions: {ratio:.3} × the clock\n")
}

/// Where sessions can run, and how many of them at most.
fn room(processors: &[Processor]) -> String {
    let order: Vec<String> = processors.iter().map(|it| it.cpu.to_string()).collect();
    let mut text = Topology::of(processors).map_or_else(String::new, |it| {
        let siblings = match it.siblings.is_empty() {
            true => "none: no two share a core".into(),
            false => it.siblings.join(" "),
        };
        let counts = it.counts;
        format!("topology     {counts} that this process may use\nsiblings     {siblings}\n")
    });
    let _ = writeln!(text, "sessions     on processors {}, in this order", order.join(" "));
    let [threads, memory] = limits();
    if let Some((most, what)) = threads {
        let _ = writeln!(text, "threads      at most {most} at once ({what})");
    }
    if let Some((most, what)) = memory {
        let _ = writeln!(text, "memory       {} available ({what})", byte_text(most >> 20 << 20));
    }
    text
}

/// What would make figures from this machine doubtful, now.
pub fn doubts(machine: &Machine) -> Vec<String> {
    let mut doubts = Vec::new();
    doubts.extend(lab::machine::busy());
    if let Some(governor) = machine.governor.as_ref().filter(|name| *name != "performance") {
        doubts.push(format!("the governor is {governor}: the clock changes with the load"));
    }
    if std::thread::available_parallelism().is_ok_and(|usable| usable.get() < 2) {
        doubts.push("one processor only: the lab and its workers share it".into());
    }
    if machine.virtualization.is_some() {
        doubts.push("a virtual machine: other guests, invisible from here, may take time".into());
    }
    doubts
}

fn spread(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    format!("{least:.1} to {:.1}", values.iter().copied().fold(0.0, f64::max))
}

/// The same timing loop in this process and in workers, turn by turn, all on one processor. Several
/// workers, because each process has a layout of its own.
fn process_cost(cpu: Option<u32>) -> Result<String> {
    const WORKERS: usize = 9;
    const TURNS: usize = 20;
    const ITERATIONS: u64 = 2000;
    let cell = cmac_cell();
    let (pool, keys) = (vec![0x5a; pool_len_bytes(64)], vec![0xa5; keys_len_bytes(16)]);
    let found = discovery::again("macs", "macs").context("no provider macs")?.find(PATIENCE);
    let (launch, _) = found.outcome.map_err(|absence| anyhow!(absence.line))?;
    let clock = Clock::calibrate();
    let (mut inside, mut outside, mut trips_us) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..WORKERS {
        let mut worker = Worker::launch(&launch, cpu)?;
        worker.pool(&pool)?;
        worker.open(0, &cell, &keys, None)?;
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            here.push(in_process(&cell, &pool, &keys, ITERATIONS)?);
            let (elapsed_ns, trip_us) = timed(&clock, &mut worker, ITERATIONS)?;
            there.push(elapsed_ns / ITERATIONS as f64);
            trips_us.push(trip_us);
        }
        inside.push(middle(here)?);
        outside.push(middle(there)?);
    }
    Ok(format!(
        "workers      cmac-aes-128 of 64 B: {:.1} ns in this process ({}), {:.1} ns in {WORKERS} \
         workers ({}); requests and replies take {:.0} µs per sample, outside the \
         timed part",
        middle(inside.clone())?,
        spread(&inside),
        middle(outside.clone())?,
        spread(&outside),
        middle(trips_us)?,
    ))
}

/// What a worker's loop takes, and in microseconds what asking for it and answering does.
fn timed(clock: &Clock, worker: &mut Worker, iterations: u64) -> Result<(f64, f64)> {
    let mut timing = Err(anyhow!("not run"));
    let trip = clock.time(|| timing = worker.run(0, iterations).map_err(Into::into));
    let elapsed_ns = timing?.elapsed_ns;
    Ok((elapsed_ns, (trip.ns - elapsed_ns * (1.0 + 1.0 / 16.0)) / 1e3))
}

fn cmac_cell() -> Cell {
    let candidate =
        Candidate { mac: "cmac-aes-128".into(), provider: "macs".into(), kernel: String::new() };
    Cell {
        candidate,
        regime: Regime::USUAL,
        key_life: KeyLife::Prepared,
        len_bytes: 64,
        key_len_bytes: 16,
        usual_key: true,
    }
}

fn middle(values: Vec<f64>) -> Result<f64> {
    Ok(median(&stats::Sample::new(values)?))
}

fn in_process(cell: &Cell, pool: &[u8], keys: &[u8], iterations: u64) -> Result<f64> {
    let row = providers::row("macs").context("no provider macs")?;
    let Kind::InProcess(open) = row.kind else { bail!("macs runs in our own process") };
    let provider = open(&Place::default()).map_err(|reason| anyhow!(reason))?;
    let requests = format!(
        "pool {}\nopen 0 {} {} {} {} {}\nrun 0 {iterations}\n",
        hex::encode(pool),
        cell.candidate.mac,
        cell.key_life,
        cell.regime,
        cell.len_bytes,
        hex::encode(keys)
    );
    let mut replies = Vec::new();
    serve(provider.as_ref(), requests.as_bytes(), &mut replies)?;
    let replies = String::from_utf8(replies)?;
    let sample = replies.lines().last().and_then(|line| line.strip_prefix("ok "));
    let sample: serde_json::Value = serde_json::from_str(sample.context("no sample")?)?;
    let elapsed_ns = sample["elapsed_ns"].as_f64().context("no time in the sample")?;
    Ok(elapsed_ns / iterations as f64)
}
