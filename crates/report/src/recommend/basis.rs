//! What an answer rests on: launches, versions, the run.

use std::collections::BTreeSet;

use lab::record::Run;
use words::Detail;

use super::{Recommendation, Version};
use crate::findings::series::LAUNCHES_MIN;
use crate::format::{self, percent};

/// What a provider says of itself is told up to this length.
const DETAIL_MAX: usize = 130;

/// The time that would give as many launches as an interval takes, by what launches took here;
/// `None` where there are as many.
pub(super) fn budget_enough_s(run: &Run, launches: usize, share: f64) -> Option<f64> {
    if launches >= LAUNCHES_MIN {
        return None;
    }
    // The look is one more.
    let factor = (LAUNCHES_MIN + 1) as f64 / f64::from(run.launches().max(1));
    let enough_s = run.budget_s * factor / share;
    (enough_s > 0.0).then(|| (enough_s / 10.0).floor() * 10.0 + 10.0)
}

impl Recommendation {
    /// `1 launch is too few for an interval`.
    pub(super) fn too_few(&self) -> String {
        let is_are = words::is_are(self.launches);
        format!("{} {is_are} too few for an interval", self.launches_told())
    }

    /// What would decide what is undecided.
    pub(super) fn more_time(&self) -> String {
        self.budget_enough_s.map_or_else(
            || "A larger --budget would decide it.".into(),
            |enough_s| {
                format!("About --budget {enough_s:.0} would give the {LAUNCHES_MIN} it takes.")
            },
        )
    }

    /// That others had much of the processor, and what follows from it.
    pub(crate) fn warning_told(&self) -> Option<String> {
        let warning = self.warning.as_ref()?;
        Some(format!(
            "{warning}: do not rely on these figures. Times are longer than on an idle machine, \
             and the order may be another; measure again (--again) when nothing else runs."
        ))
    }

    pub(super) fn launches_told(&self) -> String {
        words::counted(self.launches, "launch")
    }

    /// `openssl 3.0.22; python 3.11.7 (…).`: whose order it is changes with them.
    fn versions_told(&self) -> String {
        let told = self.versions.iter().map(|it| {
            let detail = Detail::from(it.detail.as_str()).without_inferred().to_string();
            match detail.is_empty() || detail.chars().count() > DETAIL_MAX {
                true => format!("{} {}", it.provider, it.version),
                false => format!("{} {} ({detail})", it.provider, it.version),
            }
        });
        format!("Versions: {}.", told.collect::<Vec<_>>().join("; "))
    }

    /// Those of the providers that are named, by the run's record.
    pub(super) fn versions_in(&self, run: &Run) -> Vec<Version> {
        let named: BTreeSet<&str> =
            self.named().into_iter().map(|(row, _)| row.provider.as_str()).collect();
        let own = run.providers.iter().filter(|it| named.contains(it.name.as_str()));
        own.map(|it| Version {
            provider: it.name.clone(),
            version: it.version.clone(),
            detail: it.detail.clone(),
        })
        .collect()
    }

    pub(crate) fn rests_on(&self) -> String {
        let doubts: Vec<String> = self.doubts.iter().map(|it| format!(" Warning: {it}.")).collect();
        let went_on = match self.looked_at.saturating_sub(self.measured) {
            0 => words::counted(self.measured, "candidate"),
            _ => format!("{} of {} candidates after a first look", self.measured, self.looked_at),
        };
        format!(
            "{went_on}, {}, {}; differences under {} count as none. Times are of independent \
             messages, one after another in a warm process. {} docs/providers.md names the calls. \
             Run {}, {}.{}",
            self.launches_told(),
            self.cpu_model,
            percent(self.margin),
            self.versions_told(),
            self.run,
            format::date(self.measured_unix_s),
            doubts.concat()
        )
    }
}
