//! A run of toy workers in an archive of its own: what tests of whole runs share.

use std::cell::Cell as Counter;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use lab::archive::Archive;
use lab::measure::{Bench, Look, MeasureError, Observer, Open, Progress, WhatIsOpen, measure};
use lab::plan::{MacFacts, Planned, cells};
use lab::record::{
    ClockRecord, Event, Invocation, Machine, Processor, ProviderRecord, Run, RunState, Verb,
};
use lab::study::Study;
use lab::worker::client::Launch;

/// Stops when so many samples are durable, or when it was shown so many times that something is
/// being done; keeps what it was told in between.
struct StopAfter {
    samples: u64,
    doing: &'static str,
    times: u32,
    has_them: Counter<bool>,
    looks: Vec<Seen>,
}

/// How long a toy worker has for an answer: on a busy machine a shell may stand still for seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// A toy worker: a script of the shell.
pub fn worker(name: &str, script: &str) -> Launch {
    Launch {
        patience: PATIENCE,
        ..Launch::new(name, ["sh", "-c", script].map(Into::into).to_vec())
    }
}

/// Launches behind a look, and the least time of a message in it, ns.
pub type Seen = (u32, f64);

impl Observer for StopAfter {
    fn show(&mut self, progress: &Progress) {
        self.times -= u32::from(self.times > 0 && progress.doing == self.doing);
        let has_come = progress.samples >= self.samples || self.times == 0;
        self.has_them.set(has_come);
    }

    fn tell(&mut self, _event: &Event) {}

    fn look(&mut self, look: &Look<'_>) {
        let least = look.times_ns.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
        self.looks.push((look.launches, least));
    }

    fn stop(&self) -> bool {
        self.has_them.get()
    }
}

/// A run in an archive of its own.
pub struct Bed {
    _folder: tempfile::TempDir,
    pub archive: Archive,
    launches: Vec<Launch>,
    pub run: Run,
    /// Which comparisons are open; absent: there are no claims.
    pub open: Option<fn(&Run) -> Vec<Open>>,
    /// What was told while measuring.
    pub looks: Vec<Seen>,
}

/// A run that has begun, on two processors.
pub fn begun(study: Study, providers: Vec<ProviderRecord>) -> Run {
    let processors = (0..2).map(|cpu| Processor { cpu, core: cpu, package: 0 }).collect();
    let invocation = Invocation { study: Some("toy".into()), ..Invocation::of(Verb::Run) };
    Run {
        id: "20260101-000000-0000".into(),
        created_unix_s: 0,
        macrometer_version: "0".into(),
        command: invocation.to_string(),
        invocation: Some(invocation),
        seed: 42,
        budget_s: study.budget_s,
        packed: None,
        study,
        spent_s: 0.0,
        state: RunState::Open,
        machine: Machine { processors, ..lab::machine::read(None) },
        clock: ClockRecord {
            source: "toy".into(),
            ticks_hz: 1e9,
            bracket_ns: 0.0,
            resolution_ns: 1.0,
            core_hz: None,
            nominal_hz: None,
        },
        instructions: vec![],
        providers,
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
        events: vec![],
    }
}

/// The cells of a run, whose macs are those that its providers offer.
pub fn planned(run: &Run) -> Vec<Planned> {
    let offers = run.providers.iter().flat_map(|provider| &provider.offers);
    let macs: BTreeSet<&String> = offers.map(|offer| &offer.mac).collect();
    let facts: Vec<MacFacts> = macs
        .into_iter()
        .map(|name| MacFacts { name: name.clone(), key_len_bytes: 16, any_key_len: true })
        .collect();
    cells(&run.study, &run.providers, &facts, &run.machine.processors).unwrap()
}

impl Bed {
    pub fn new(run: Run, launches: Vec<Launch>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::create(&folder.path().join("archive.db")).unwrap();
        archive.begin(&run).unwrap();
        Self { _folder: folder, archive, launches, run, open: None, looks: vec![] }
    }

    pub fn measure(&mut self, stop_after: u64) -> Result<RunState, MeasureError> {
        self.measure_until(stop_after, "", u32::MAX)
    }

    /// Stops when it was shown so many times that this is being done.
    pub fn measure_until_doing(
        &mut self,
        doing: &'static str,
        times: u32,
    ) -> Result<RunState, MeasureError> {
        self.measure_until(u64::MAX, doing, times)
    }

    fn measure_until(
        &mut self,
        samples: u64,
        doing: &'static str,
        times: u32,
    ) -> Result<RunState, MeasureError> {
        let planned = if self.run.cells.is_empty() { planned(&self.run) } else { vec![] };
        let has_them = Counter::new(false);
        let mut observer = StopAfter { samples, doing, times, has_them, looks: vec![] };
        let (archive, launches) = (&mut self.archive, &self.launches[..]);
        let open: Option<WhatIsOpen<'_>> = self.open.as_ref().map(|it| it as WhatIsOpen<'_>);
        let bench = Bench {
            archive,
            launches,
            cpu: None,
            observer: &mut observer,
            open,
            began: Instant::now(),
            report: None,
        };
        let outcome = measure(bench, &mut self.run, planned);
        self.looks = observer.looks;
        outcome
    }

    pub fn kept(&self) -> Run {
        self.archive.load("last").unwrap()
    }
}
