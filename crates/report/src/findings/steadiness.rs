//! How steady the machine was while it measured: who else had the processor, and how far the time
//! of the same call differs between launches.

use lab::plan::is_floor;
use lab::record::Run;
use stats::{Sample, quantile};

use super::series::{LAUNCHES_MIN, Series};
use super::{CellFinding, Unit};
use crate::format;

/// Of the processor's time, what others had at least where it is told.
const OTHERS_SHARE: f64 = 0.01;

/// The slowest launch over the fastest, of a quarter of all cells, from which it is told. A launch
/// that is disturbed for a while is so in some of its cells.
const UNSTEADY: f64 = 1.25;

/// One sentence for each thing that must be known; none of a quiet machine.
pub(super) fn sentences(run: &Run, cells: &[CellFinding], series: &[Series]) -> Vec<String> {
    others(run).into_iter().chain(between_launches(run, cells, series)).collect()
}

/// What others had of the processor, over all launches that tell.
pub(crate) fn others(run: &Run) -> Option<String> {
    let (share, stolen) = shares(run)?;
    let mut takers = Vec::new();
    // Ticks that end in a block may have begun before it.
    let percent = |share: f64| format!("{:.0} %", (share * 100.0).clamp(1.0, 100.0));
    if share >= OTHERS_SHARE {
        takers.push(format!("other processes had {} of the processor", percent(share)));
    }
    if let Some(stolen) = stolen.filter(|it| *it >= OTHERS_SHARE) {
        takers.push(format!("the hypervisor gave {} of it to others", percent(stolen)));
    }
    (!takers.is_empty()).then(|| format!("While blocks were measured, {}", takers.join(" and ")))
}

/// What others had of it, all of them together; 0 where nothing tells.
pub(crate) fn others_share(run: &Run) -> f64 {
    shares(run).map_or(0.0, |(others, stolen)| others + stolen.unwrap_or(0.0))
}

/// Shares of the processor that other processes and the hypervisor had.
fn shares(run: &Run) -> Option<(f64, Option<f64>)> {
    let times = &run.processor_times;
    let available_s: f64 = times.iter().map(|it| it.available_s).sum();
    let stolen: Option<f64> = times.iter().map(|it| it.stolen_s).sum();
    let others_s: f64 = times.iter().map(|it| it.others_s).sum();
    (available_s > 0.0).then(|| (others_s / available_s, stolen.map(|it| it / available_s)))
}

/// How far launches differ, where they do: of each cell the slowest over the fastest.
fn between_launches(run: &Run, cells: &[CellFinding], series: &[Series]) -> Option<String> {
    let is_figure =
        |cell: &&CellFinding| !is_floor(&cell.cell.candidate.mac) && cell.median_ns.is_some();
    let ratios: Vec<f64> = cells
        .iter()
        .zip(series)
        .filter(|(cell, _)| cell.unit == Unit::Launch && cell.launches >= LAUNCHES_MIN)
        .filter(|(cell, _)| is_figure(cell) && cell.cell.regime.is_of_calls())
        .filter_map(|(_, series)| {
            let launches = || series.launches.values().copied();
            let [least, most] = [launches().reduce(f64::min)?, launches().reduce(f64::max)?];
            Some(most / least)
        })
        .collect();
    // Of a few, it is not said of the run.
    if ratios.len() * 2 < cells.iter().filter(is_figure).count() {
        return None;
    }
    let upper_quartile = quantile(&Sample::new(ratios).ok()?, 0.75).ok()?;
    if upper_quartile < UNSTEADY {
        return None;
    }
    let by = format::times(upper_quartile);
    // Sessions tell of every window what others had.
    let is_seen = shares(run).is_some_and(|(others, stolen)| {
        others >= OTHERS_SHARE || stolen.is_some_and(|it| it >= OTHERS_SHARE)
    });
    let cause = match (is_seen || run.processor_times.is_empty(), &run.machine.virtualization) {
        (true, _) => "",
        (false, Some(_)) => {
            "; no other process here used the processor, so the likely cause is another guest on \
             the same physical core"
        }
        (false, None) => {
            "; no other process used the processor, so the likely cause is a changing clock \
             frequency"
        }
    };
    Some(format!(
        "A quarter of the cells with {LAUNCHES_MIN} or more launches took at least {by} as long in \
         their slowest launch as in their fastest, which is why intervals are wide{cause}"
    ))
}

#[cfg(test)]
mod tests {
    use lab::record::ProcessorTime;

    use super::super::Findings;
    use super::*;

    fn told(times: &[(f64, Option<f64>)]) -> Option<String> {
        let mut run = synthetic::survey();
        let time = |(launch, (others_s, stolen_s)): (usize, &(f64, Option<f64>))| ProcessorTime {
            launch: launch as u32,
            available_s: 10.0,
            own_s: 9.0,
            others_s: *others_s,
            stolen_s: *stolen_s,
        };
        run.processor_times = times.iter().enumerate().map(time).collect();
        others(&run)
    }

    #[test]
    fn what_others_had_is_told_from_a_hundredth_on() {
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[(0.05, Some(0.05)), (0.1, Some(0.0))]), None);
        let both = told(&[(2.0, Some(0.4)), (0.4, Some(0.0))]).unwrap();
        assert_eq!(
            both,
            "While blocks were measured, other processes had 12 % of the processor and the \
             hypervisor gave 2 % of it to others"
        );
        assert!(told(&[(0.2, None)]).unwrap().ends_with("had 2 % of the processor"));
    }

    #[test]
    fn launches_that_differ_are_told_with_the_likely_cause() {
        let mut run = synthetic::survey();
        assert_eq!(Findings::of(&run).machine, [""; 0]);
        // One launch, in a third of its cells.
        for sample in run.samples.iter_mut().filter(|it| it.launch == 1 && it.cell % 3 == 0) {
            sample.elapsed_ns *= 1.6;
        }
        let [told] = &Findings::of(&run).machine[..] else { panic!("one sentence") };
        let quarter = "A quarter of the cells with 6 or more launches took at least 1.6";
        assert!(told.starts_with(quarter), "{told}");
        assert!(told.ends_with("which is why intervals are wide"), "{told}");
        let quiet = ProcessorTime {
            launch: 0,
            available_s: 9.0,
            own_s: 8.0,
            others_s: 0.0,
            stolen_s: None,
        };
        run.processor_times = vec![quiet];
        run.machine.virtualization = Some("KVM".into());
        assert!(Findings::of(&run).machine[0].ends_with("the same physical core"));
        run.machine.virtualization = None;
        assert!(Findings::of(&run).machine[0].ends_with("a changing clock frequency"));
    }
}
