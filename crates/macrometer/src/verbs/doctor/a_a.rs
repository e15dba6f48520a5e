//! The A/A test: one provider in two workers, as two candidates. How many pairs are called
//! different?

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Result, bail};
use fleet::AaTest;
use lab::cell::Cell;
use lab::plan::Selection;
use lab::record::{Run, RunState};
use lab::study::Study;
use lab::worker::client::PATIENCE;
use report::findings::Unit;
use report::table::Columns;
use stats::{Alpha, Confidence, Differences, Ratio, Wilcoxon, acceptance_band};

use super::{Conditions, begin, called, measure_run};
use crate::discovery;
use crate::paths::ArchiveArg;
use crate::progress::Stop;
use crate::selection::{Ready, facts};
use crate::studies;

/// The second name of the provider.
pub(super) const AGAIN: &str = "macs-again";

const ALPHA: f64 = 0.05;

/// Two MACs in wide use, with two key lives: so many pairs at each length.
const MACS: [&str; 2] = ["hmac-sha256", "cmac-aes-128"];
const PAIRS_OF_A_LENGTH: usize = 4;

/// Blocks in each launch of a short test.
const BLOCKS: u32 = 3;

/// How much is measured where a run is to be believed.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Pairs of identical candidates, at least.
    pub pairs: usize,
    /// Launches of the workers.
    pub launches: u32,
    /// Longest time, in seconds.
    pub budget_s: f64,
}

/// As many of the lengths as so many pairs need.
fn sizes_of(pairs: usize, sizes: &[u64]) -> Result<&[u64]> {
    let lengths = pairs.div_ceil(PAIRS_OF_A_LENGTH);
    if lengths == 0 || lengths > sizes.len() {
        let most = sizes.len() * PAIRS_OF_A_LENGTH;
        bail!("--pairs {pairs}: must be 1 to {most}");
    }
    Ok(&sizes[..lengths])
}

/// Measures a short A/A test into an archive; `None` where the user has interrupted it.
pub fn test(archive: &ArchiveArg, extent: Extent, cpu: Option<u32>) -> Result<Option<AaTest>> {
    let mut study = studies::find("a-a")?;
    let sizes = sizes_of(extent.pairs, &study.parts[0].sizes)?;
    let pairs = sizes.len() * PAIRS_OF_A_LENGTH;
    let macs = MACS.map(String::from).to_vec();
    let selection = Selection { macs, sizes: sizes.to_vec(), ..Selection::default() };
    (study.budget_s, study.launches, study.exact) = (extent.budget_s, extent.launches, true);
    study.parts[0].blocks = Some(extent.launches * BLOCKS);
    let ready = ready(&study, &selection)?;
    let mut archive = archive.create()?;
    let called = called(extent.pairs);
    let mut run = begin(&mut archive, &ready, called, rand::random(), cpu)?;
    let Ready { cells, launches, .. } = ready;
    let conditions = Conditions { cpu, began: Instant::now(), stop: Stop::listen()? };
    let state = measure_run(&mut archive, &mut run, cells, &launches, conditions)?;
    if state == RunState::Interrupted {
        return Ok(None);
    }
    of(&run, pairs).map(|found| Some(found.test))
}

/// The study, narrowed, with its workers.
pub(super) fn ready(study: &Study, selection: &Selection) -> Result<Ready> {
    let study = lab::plan::narrow(study, selection, &facts())?;
    let sought = [("macs", "macs"), ("macs", AGAIN), ("null", "null")]
        .map(|(name, alias)| discovery::again(name, alias));
    let found = discovery::find(&sought.into_iter().flatten().collect::<Vec<_>>(), PATIENCE);
    let (launches, providers): (Vec<_>, Vec<_>) =
        found.into_iter().filter_map(|found| found.outcome.ok()).unzip();
    let cells = lab::plan::cells(&study, &providers, &facts(), &[])?;
    Ok(Ready::new(study, cells, providers, launches))
}

/// What became of the first pairs.
pub(super) struct Found {
    /// By launches, as verdicts are made.
    test: AaTest,
    /// Pairs called different by blocks, as the papers test.
    by_block: u64,
}

/// How many of the first `pairs` pairs are called different: by launches, as verdicts are made,
/// and by blocks, as the papers do.
pub(super) fn of(run: &Run, pairs: usize) -> Result<Found> {
    let band = acceptance_band(pairs as u64, Alpha::new(ALPHA)?, Confidence::default());
    let columns = Columns::of(run);
    let differences = |twins: &[usize; 2], unit| -> Result<Differences> {
        let speeds = columns.speeds(twins, unit);
        Ok(Differences::of_logs(&speeds[0], &speeds[1])?)
    };
    let rejects = |d: &Differences| Wilcoxon::of(d).best_p_two_tailed() < ALPHA;
    let (mut by_launch, mut by_block, mut apart, mut tested) = (0, 0, 0, 0);
    for twins in twins(run).iter().take(pairs) {
        let launches = differences(twins, Unit::Launch)?;
        let interval = Ratio::of(&launches, Confidence::default()).interval;
        apart += u64::from(interval.is_some_and(|it| it.log_low > 0.0 || it.log_high < 0.0));
        by_launch += u64::from(rejects(&launches));
        by_block += u64::from(rejects(&differences(twins, Unit::Block)?));
        tested += 1;
    }
    if tested < pairs {
        bail!("only {tested} of {pairs} pairs were measured: use a larger --budget");
    }
    let test = AaTest {
        pairs: pairs as u64,
        launches: run.launches(),
        called_different: by_launch,
        band: [*band.start(), *band.end()],
        intervals_apart: apart,
    };
    Ok(Found { test, by_block })
}

impl Found {
    pub(super) fn told(&self, run: &Run, pairs: usize) -> String {
        let AaTest { launches, called_different, band: [from, to], intervals_apart, .. } =
            &self.test;
        let blocks = run.samples.len() / run.cells.len().max(1);
        let says = |count: u64| {
            let place = if (*from..=*to).contains(&count) { "inside" } else { "outside" };
            format!(
                "{count} of {pairs} called different at {ALPHA}, {place} the band {from} to {to}"
            )
        };
        format!(
            "by launches  {launches} values per candidate, Wilcoxon: {}\n\
             intervals    {intervals_apart} of {pairs} intervals of the ratio exclude 1; verdicts \
             use these\n\
             by blocks    {blocks} values per candidate, as the papers test, as if launches did \
             not differ: {}\n\
             run          {}",
            says(*called_different),
            says(self.by_block),
            run.id
        )
    }
}

/// Places of the cells of `macs` with their twins of `macs-again`.
fn twins(run: &Run) -> Vec<[usize; 2]> {
    let key = |cell: &Cell| {
        let Cell { candidate, regime, key_life, len_bytes, .. } = cell;
        (candidate.mac.clone(), *regime, *key_life, *len_bytes)
    };
    let of = |name: &'static str| {
        let cells = run.cells.iter().enumerate();
        let own = cells.filter(move |(_, record)| record.cell.candidate.provider == name);
        own.map(|(place, record)| (key(&record.cell), place)).collect::<BTreeMap<_, _>>()
    };
    let again = of(AGAIN);
    of("macs").iter().filter_map(|(key, &place)| Some([place, *again.get(key)?])).collect()
}
