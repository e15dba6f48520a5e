//! Who had the processors in the windows: the sessions, other programs, the hypervisor. Where the
//! sessions were ready for more and others had it, a window says what the machine did that day, and
//! nothing of the candidates.

use lab::record::sessions::{Received, SHARE_LEAST};
use lab::record::{Run, SessionsRecord};
use serde::Serialize;

use super::{Windows, offloads};
use crate::findings::CellFinding;
use crate::format;

/// What the sessions had of the processors in all windows of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReceivedFinding {
    /// Share of window × processors that the sessions' threads had.
    pub share: f64,
    /// The same in the window in which it was least.
    pub least_share: f64,
    /// Share of their processors' time that others than their process had; absent where that is
    /// not told.
    pub others: Option<f64>,
    /// Share of their processors' time in which these had nothing to do.
    pub idle: Option<f64>,
    /// Share of the time that a thread was ready to run and had no processor, the mean of all.
    pub waiting: Option<f64>,
    /// Nice value of the sessions' threads.
    pub nice: Option<i32>,
    /// Windows in which the sessions were ready for more and had less than 95 %.
    pub disturbed: usize,
    /// Windows that were measured again since they were disturbed.
    pub windows_discarded: u32,
}

/// Windows of a cell that others disturbed, or whose accounts are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Disturbed {
    /// Windows that others disturbed.
    pub windows: usize,
    /// Windows of the cell in all.
    pub of: usize,
    /// The least share of the processors that the sessions had in one of them.
    pub least_share: f64,
    /// Share of the processors' time that others than their process had in these.
    pub others: Option<f64>,
    /// Share that the hypervisor took.
    pub steal: Option<f64>,
    /// Windows in which the sessions are charged with more than there was of the processors.
    pub overcharged: usize,
    /// The greatest share with which they are charged in one of these.
    pub most_share: f64,
}

impl Disturbed {
    /// Of several cells together.
    #[must_use]
    pub fn all(several: impl IntoIterator<Item = Self>) -> Option<Self> {
        several.into_iter().reduce(|one, other| Self {
            windows: one.windows + other.windows,
            of: one.of + other.of,
            least_share: one.least_share.min(other.least_share),
            others: most(one.others, other.others),
            steal: most(one.steal, other.steal),
            overcharged: one.overcharged + other.overcharged,
            most_share: one.most_share.max(other.most_share),
        })
    }

    /// What is wrong with such windows: `that others disturbed`.
    #[must_use]
    pub fn which(&self) -> &'static str {
        if self.windows > 0 { "that others disturbed" } else { "whose accounts are wrong" }
    }

    /// `in 3 of 12 windows the sessions had as little as 53.1 % of the processors that they were
    /// ready to use; other programs had 46 %, the hypervisor 0.4 %`.
    #[must_use]
    pub fn words(&self) -> String {
        let share = |it: f64| format!("{} %", format::three(it * 100.0));
        let windows = words::counted(self.of, "window");
        let over = (self.overcharged > 0).then(|| {
            format!(
                "in {} of {windows} the sessions are charged with up to {} of the available \
                 processor time, since messages cut off by t2 are counted whole",
                self.overcharged,
                share(self.most_share)
            )
        });
        let short = (self.windows > 0).then(|| self.words_of_short(&windows, share));
        short.into_iter().chain(over).collect::<Vec<_>>().join("; ")
    }

    fn words_of_short(&self, windows: &str, share: impl Fn(f64) -> String) -> String {
        let mut takers = Vec::new();
        takers.extend(self.others.map(|it| format!("other programs had {}", share(it))));
        takers.extend(self.steal.filter(|it| *it > 0.0).map(|it| match self.others {
            Some(_) => format!("the hypervisor {}", share(it)),
            None => format!("the hypervisor had {}", share(it)),
        }));
        let takers = match takers.is_empty() {
            true => String::new(),
            false => format!("; {}", takers.join(", ")),
        };
        format!(
            "in {} of {windows} the sessions had as little as {} of the processor time that \
             they were ready to use{takers}",
            self.windows,
            share(self.least_share)
        )
    }
}

fn most(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}

/// Time of all processors that a load may use, in its window.
fn whole_ns(it: &SessionsRecord) -> f64 {
    let usable = it.measured.received.map_or(0, |own| own.processors as usize);
    it.measured.window_ns * it.load.cpus.len().max(usable) as f64
}

/// Of all these windows together the share that such a time has of the processors' whole; absent
/// where no window tells.
pub(super) fn share_of<'a>(
    records: impl Iterator<Item = &'a SessionsRecord>,
    time_ns: impl Fn(&SessionsRecord) -> Option<f64>,
) -> Option<f64> {
    let told = records.filter_map(|it| Some((time_ns(it)?, whole_ns(it))));
    let (part, whole) = told.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    (whole > 0.0).then(|| part / whole)
}

fn is_disturbed(it: &&&SessionsRecord) -> bool {
    it.measured.shortfall(&it.load).is_some()
}

/// Of the windows of a cell; absent from older archives.
pub(super) fn of(records: &[&SessionsRecord], offloads: bool) -> Option<ReceivedFinding> {
    let shares = || records.iter().filter_map(|it| it.measured.share());
    let sum = |of: &dyn Fn(&SessionsRecord) -> Option<f64>| {
        records.iter().filter_map(|it| of(it)).sum::<f64>()
    };
    let available_ns = sum(&|it| it.measured.available_ns());
    let told = |of: fn(&Received) -> Option<f64>| {
        share_of(records.iter().copied(), |it| of(it.measured.received.as_ref()?))
    };
    let wait = records.iter().filter_map(|it| {
        let threads = f64::from(it.measured.threads);
        Some((it.measured.received?.wait_ns?, it.measured.window_ns * threads))
    });
    let (waited, whole) = wait.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    Some(ReceivedFinding {
        share: sum(&|it| it.measured.share().map(|_| it.measured.had_ns())) / available_ns,
        least_share: shares().reduce(f64::min)?,
        others: told(|it| it.others_ns),
        idle: told(|it| it.idle_ns),
        waiting: (whole > 0.0).then(|| waited / whole),
        nice: records.iter().find_map(|it| it.measured.received?.nice),
        disturbed: if offloads { 0 } else { records.iter().filter(is_disturbed).count() },
        windows_discarded: records.iter().map(|it| it.thrown_away).sum(),
    })
}

/// Of the windows of a cell those that others disturbed, or whose accounts are wrong, where there
/// are any.
fn disturbed(records: &[&SessionsRecord]) -> Option<Disturbed> {
    let own: Vec<&SessionsRecord> = records.iter().filter(is_disturbed).copied().collect();
    let over: Vec<f64> = records.iter().filter_map(|it| it.measured.excess()).collect();
    let shares = own.iter().filter_map(|it| it.measured.share());
    let all = || own.iter().copied();
    (!own.is_empty() || !over.is_empty()).then(|| Disturbed {
        windows: own.len(),
        of: records.len(),
        least_share: shares.fold(1.0, f64::min),
        others: share_of(all(), |it| it.measured.received?.others_ns),
        steal: share_of(all(), |it| it.measured.steal_ns),
        overcharged: over.len(),
        most_share: over.into_iter().fold(0.0, f64::max),
    })
}

/// Tells each cell of its disturbed windows; returns the places of those that have any.
pub(super) fn mark(run: &Run, windows: &Windows<'_>, cells: &mut [CellFinding]) -> Vec<usize> {
    let mut marked = Vec::new();
    for (at, cell) in cells.iter_mut().enumerate() {
        let records =
            windows.get(&cell.id).filter(|_| !offloads(run, &cell.cell.candidate.provider));
        cell.disturbed = records.and_then(|it| disturbed(it));
        marked.extend(cell.disturbed.map(|_| at));
    }
    marked
}

/// What must be said about the windows of a run that others disturbed.
pub(super) fn warning(run: &Run, windows: &Windows<'_>) -> Option<String> {
    // A window is that of several cells: each is counted once.
    let own: Vec<&SessionsRecord> = run
        .cells
        .iter()
        .filter(|it| !offloads(run, &it.cell.candidate.provider))
        .filter_map(|it| Some((it.id, windows.get(&it.id)?)))
        .flat_map(|(id, records)| records.iter().filter(move |it| it.cell == id))
        .filter(|it| it.load.rate_per_s.is_none())
        .copied()
        .collect();
    let again: u32 = own.iter().map(|it| it.thrown_away).sum();
    let nice = own.iter().find_map(|it| it.measured.received?.nice);
    let nice = nice.map_or(String::new(), |it| format!(" The sessions ran at nice {it}."));
    let again = match again {
        0 => None,
        1 => Some("One window was measured again".to_owned()),
        more => Some(format!("{more} windows were measured again")),
    };
    let least = format::percent(SHARE_LEAST);
    if let Some(it) = disturbed(&own) {
        let (about, why) = match it.windows {
            0 => ("Some windows report more processor time than was available", String::new()),
            _ => (
                "The sessions did not have this machine to themselves",
                format!(" Below {least} a window says more about the machine than about the MAC."),
            ),
        };
        let words = it.words();
        let again = again.map_or(String::new(), |it| format!(" {it} for that reason."));
        return Some(format!(
            "{about}: {words}.{again}{nice}{why} Claims that rest on such windows stay undecided"
        ));
    }
    let told = format!("no window remains in which the sessions had less than {least}");
    again.map(|it| format!("{it}, since others disturbed them; {told} of the processor time"))
}
