//! What an answer rests on: launches, versions, the run.

use std::collections::BTreeSet;

use lab::record::Run;

use super::{Recommendation, Version};
use crate::format::{self, percent};

/// What a provider says of itself is told up to this length.
const DETAIL_MAX: usize = 130;

impl Recommendation {
    pub(super) fn launches_told(&self) -> String {
        format!("{} launch{}", self.launches, if self.launches == 1 { "" } else { "es" })
    }

    /// `openssl 3.0.22; python 3.11.7 (…).`: whose order it is changes with them.
    fn versions_told(&self) -> String {
        let told = self.versions.iter().map(|it| {
            let detail = words::without_inferred(&it.detail);
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
        let doubts: Vec<String> = self.doubts.iter().map(|it| format!(" Doubt: {it}.")).collect();
        let went_on = match self.looked_at.saturating_sub(self.measured) {
            0 => format!("{} candidates", self.measured),
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
