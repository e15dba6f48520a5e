//! The rows of a bundle. Their fields are the columns of [`super::tables`], in that order.

use lab::record::{CellRecord, ProviderRecord, Run, Sample};
use report::csv::no_formula;
use report::findings::{CellFinding, ClaimFinding, PanelVerdict, Unit, Unranked};
use serde::Serialize;

use crate::bundle::{Bundle, ProviderTest};
use crate::check::{Division, Verdict};

/// A host; the newest run tells what its owner may change.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Machine {
    machine_id: String,
    host_id: String,
    host_name: Option<String>,
    cpu_model: String,
    architecture: String,
    vendor: Option<String>,
    family: Option<String>,
    model: Option<String>,
    stepping: Option<String>,
    microcode: Option<String>,
    features: String,
    packages: u32,
    cores: u32,
    processors: u32,
    hypervisor: Option<String>,
}

#[derive(Serialize)]
pub(super) struct RunRow {
    run_key: u64,
    study_id: String,
    machine_id: String,
    host_id: String,
    run_id: String,
    study: String,
    begun_unix_s: u64,
    macrometer_version: String,
    seed: String,
    budget_s: f64,
    spent_s: f64,
    state: lab::record::RunState,
    division: Division,
    open_reasons: String,
    is_simulated: bool,
    launches: u32,
    kernel: String,
    distribution: Option<String>,
    compiler: Option<String>,
    governor: Option<String>,
    turbo: Option<bool>,
    without: String,
    memory_bytes: Option<u64>,
    load_1min: Option<f64>,
    pinned_cpu: Option<u32>,
    ticks_hz: f64,
    core_hz_estimated: Option<f64>,
    nominal_hz: Option<f64>,
    doubts: String,
    aa_pairs: Option<u64>,
    aa_called_different: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct ProviderRow {
    run_key: u64,
    provider: String,
    version: String,
    path: String,
    detail: String,
    offloads: bool,
    vectors_passed: Option<u64>,
    vectors_failed: Option<u64>,
    vectors_refused: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct CellRow {
    run_key: u64,
    cell_id: u32,
    cell: String,
    part: String,
    mac: String,
    provider: String,
    kernel: String,
    regime: String,
    key_life: String,
    len_bytes: u64,
    key_len_bytes: u32,
    samples: usize,
    launches: usize,
    interval_over: Option<&'static str>,
    mean_ns: Option<f64>,
    median_ns: Option<f64>,
    low_ns: Option<f64>,
    high_ns: Option<f64>,
    confidence: Option<f64>,
    cycles_estimated: Option<f64>,
    mib_per_s: Option<f64>,
    capacity_sessions: Option<f64>,
    caution: Option<String>,
    excluded: Option<String>,
    warnings: String,
}

#[derive(Serialize)]
pub(super) struct SampleRow {
    run_key: u64,
    cell_id: u32,
    launch: u32,
    block: u32,
    position: u32,
    iterations: Option<u64>,
    elapsed_ns: Option<f64>,
    ticks: Option<u64>,
    core_hz_estimated: Option<f64>,
    begun_unix_s: Option<u64>,
    capacity_sessions: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct ClaimRow {
    run_key: u64,
    study: String,
    claim: String,
    panel: String,
    verdict: &'static str,
    comparisons: usize,
    hold: usize,
    contradicted: usize,
    undecided: usize,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    reason: String,
}

/// Text of a stranger: no spreadsheet takes it for a formula.
fn plain(text: &str) -> String {
    no_formula(text.to_owned())
}

fn maybe(text: Option<&String>) -> Option<String> {
    text.map(|text| plain(text))
}

impl Machine {
    pub(super) fn of(bundle: &Bundle, run: &Run) -> Self {
        let (about, machine) = (&bundle.about, &bundle.about.machine);
        Self {
            machine_id: about.machine_id.clone(),
            host_id: about.host_id.clone(),
            host_name: maybe(about.host_name.as_ref()),
            cpu_model: plain(&run.machine.cpu_model),
            architecture: plain(&machine.architecture),
            vendor: maybe(machine.vendor.as_ref()),
            family: maybe(machine.family.as_ref()),
            model: maybe(machine.model.as_ref()),
            stepping: maybe(machine.stepping.as_ref()),
            microcode: maybe(machine.microcode.as_ref()),
            features: plain(&machine.features.join(" ")),
            packages: machine.packages,
            cores: machine.cores,
            processors: machine.processors,
            hypervisor: maybe(machine.hypervisor.as_ref()),
        }
    }

    /// What tells it from others.
    pub(super) fn key(&self) -> (String, String) {
        (self.machine_id.clone(), self.host_id.clone())
    }
}

impl RunRow {
    pub(super) fn of(run_key: u64, bundle: &Bundle, run: &Run) -> Self {
        let (about, machine, clock) = (&bundle.about, &run.machine, &run.clock);
        let verdict = Verdict::of(bundle, run);
        let reasons: Vec<String> = verdict.reasons.iter().map(ToString::to_string).collect();
        let a_a = bundle.doctor.a_a.as_ref();
        Self {
            run_key,
            study_id: about.study_id.clone(),
            machine_id: about.machine_id.clone(),
            host_id: about.host_id.clone(),
            run_id: about.run_id.clone(),
            study: plain(&run.study.name),
            begun_unix_s: run.created_unix_s,
            macrometer_version: plain(&run.macrometer_version),
            seed: run.seed.to_string(),
            budget_s: run.budget_s,
            spent_s: run.spent_s,
            state: run.state,
            division: verdict.division,
            open_reasons: plain(&reasons.join("; ")),
            is_simulated: about.simulated,
            launches: run.launches(),
            kernel: plain(&machine.kernel),
            distribution: maybe(machine.distribution.as_ref()),
            compiler: maybe(machine.compiler.as_ref()),
            governor: maybe(machine.governor.as_ref()),
            turbo: machine.turbo,
            without: plain(&machine.without.to_string()),
            memory_bytes: machine.memory_bytes,
            load_1min: machine.load_1min,
            pinned_cpu: machine.pinned_cpu,
            ticks_hz: clock.ticks_hz,
            core_hz_estimated: clock.core_hz,
            nominal_hz: clock.nominal_hz,
            doubts: plain(&bundle.doctor.doubts.join("; ")),
            aa_pairs: a_a.map(|it| it.pairs),
            aa_called_different: a_a.map(|it| it.called_different),
        }
    }
}

impl ProviderRow {
    pub(super) fn of(run_key: u64, it: &ProviderRecord, tested: Option<&ProviderTest>) -> Self {
        Self {
            run_key,
            provider: plain(&it.name),
            version: plain(&it.version),
            path: plain(&it.path),
            detail: plain(&it.detail),
            offloads: it.offloads,
            vectors_passed: tested.map(|it| it.passed),
            vectors_failed: tested.map(|it| it.failed),
            vectors_refused: tested.map(|it| it.refused),
        }
    }
}

impl CellRow {
    pub(super) fn of(
        run_key: u64,
        run: &Run,
        record: &CellRecord,
        told: (&CellFinding, &Unranked),
    ) -> Self {
        let (it, all) = told;
        let (cell, candidate) = (&record.cell, &record.cell.candidate);
        let interval = it.interval_ns;
        let over = if it.unit == Unit::Launch { "launches" } else { "blocks" };
        let notes: Vec<&str> = it.notes.iter().map(|&at| all.notes[at].as_str()).collect();
        let part = run.study.parts.get(record.part as usize);
        Self {
            run_key,
            cell_id: record.id,
            cell: plain(&it.path),
            part: part.map(|part| plain(&part.name)).unwrap_or_default(),
            mac: plain(&candidate.mac),
            provider: plain(&candidate.provider),
            kernel: plain(&candidate.kernel),
            regime: cell.regime.to_string(),
            key_life: cell.key_life.to_string(),
            len_bytes: cell.len_bytes,
            key_len_bytes: cell.key_len_bytes,
            samples: it.samples,
            launches: it.launches,
            interval_over: interval.map(|_| over),
            mean_ns: it.mean_ns,
            median_ns: it.median_ns,
            low_ns: interval.map(|it| it.low),
            high_ns: interval.map(|it| it.high),
            confidence: interval.map(|it| it.confidence),
            cycles_estimated: it.cycles_estimated,
            mib_per_s: it.mib_per_s,
            capacity_sessions: it.capacity.map(|it| it.median_sessions),
            caution: maybe(it.caution.as_ref()),
            excluded: record.excluded.as_ref().map(|it| plain(it.text())),
            warnings: plain(&notes.join("; ")),
        }
    }
}

impl SampleRow {
    /// Of a capacity, whose sessions send `rate_per_s` messages each, the time between two messages
    /// of all of them is kept: here it is what was sought.
    pub(super) fn of(run_key: u64, sample: &Sample, rate_per_s: Option<f64>) -> Self {
        let is_time = rate_per_s.is_none();
        let sessions = |rate: f64| (1e15 / (rate * sample.call_ns())).round() / 1e6;
        Self {
            run_key,
            cell_id: sample.cell,
            launch: sample.launch,
            block: sample.block,
            position: sample.position,
            iterations: is_time.then_some(sample.iterations),
            elapsed_ns: is_time.then_some(sample.elapsed_ns),
            ticks: sample.ticks.filter(|_| is_time),
            core_hz_estimated: sample.core_hz,
            begun_unix_s: sample.unix_s,
            capacity_sessions: rate_per_s.map(sessions),
        }
    }
}

impl ClaimRow {
    pub(super) fn of(run_key: u64, run: &Run, claim: &ClaimFinding, it: &PanelVerdict) -> Self {
        let ratio = it.effect.as_ref().map(|effect| effect.ratio);
        let interval = ratio.and_then(|ratio| ratio.interval);
        Self {
            run_key,
            study: plain(&run.study.name),
            claim: plain(&claim.id),
            panel: plain(&it.panel),
            verdict: it.verdict.name(),
            comparisons: it.comparisons,
            hold: it.hold,
            contradicted: it.contradicted,
            undecided: it.open,
            ratio: ratio.map(|ratio| ratio.value),
            ratio_low: interval.map(|it| it.low),
            ratio_high: interval.map(|it| it.high),
            reason: plain(&it.reason),
        }
    }
}
