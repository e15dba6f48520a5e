//! What a run tells without any ranking: what each cell took, and what becomes of claims. For those
//! who read runs by the thousand: rankings and tests of tables are most of what findings cost.

use lab::record::Run;
use stats::{Alpha, Confidence, Margin};

use super::{
    Background, CellFinding, ClaimFinding, Levels, NominalClock, cells, claims, groups, nominal,
    series, sessions,
};

/// The part of [`Findings`](super::Findings) that is of cells alone and of claims.
#[derive(Debug, Clone, PartialEq)]
pub struct Unranked {
    /// One entry a cell of the run, in its order.
    pub cells: Vec<CellFinding>,
    /// One entry a claim of the study, in its order; what its source's own rule makes of the data
    /// may be absent.
    pub claims: Vec<ClaimFinding>,
    /// Footnotes; cells refer to them by place.
    pub notes: Vec<String>,
}

impl Levels {
    /// Those of a run.
    pub(super) fn of(run: &Run) -> Self {
        Self {
            confidence: Confidence::default(),
            alpha: Alpha::default(),
            margin: Margin::new(run.study.margin).unwrap_or_default(),
        }
    }
}

impl Unranked {
    /// Works out what `run` tells of its cells and claims, with what is known beside it.
    #[must_use]
    pub fn of(run: &Run, background: &Background<'_>) -> Self {
        let levels = Levels::of(run);
        let series = series::all(run);
        let mut notes = Vec::new();
        let told = series::told(&series);
        let mut cells = cells::all(run, &told, levels, &mut notes);
        sessions::by_measured_bytes(run, &mut cells);
        sessions::mark_disturbed(run, &mut cells, &mut notes);
        nominal::fill(&mut cells, &told, NominalClock::of(run).as_ref());
        background.fill(&mut cells);
        // Some claims are about the tests of tables, which have to be made for them.
        let needs_tests = |claim: &lab::study::Claim| {
            !claim.statement().is_none_or(|statement| statement.is_compared())
        };
        let groups = match run.study.claims.iter().any(needs_tests) {
            true => groups::all(run, &cells, &series, levels),
            false => groups::of_claims(run, &cells),
        };
        let claims = claims::all(run, &groups, &cells, &series, levels);
        sessions::capacities_apart(run, &told, &mut cells);
        Self { cells, claims, notes }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Findings;
    use super::*;

    #[test]
    fn cells_and_verdicts_are_those_of_all_findings() {
        let runs = [
            synthetic::survey(),
            synthetic::small(),
            synthetic::hmac_vs_cmac(),
            synthetic::cbc_mac_variants(),
            synthetic::apparent_processing(),
            synthetic::khc(),
            synthetic::sms(),
        ];
        for run in runs {
            let (whole, unranked) =
                (Findings::of(&run), Unranked::of(&run, &Background::default()));
            assert_eq!(unranked.cells, whole.cells, "{}", run.study.name);
            assert_eq!(unranked.notes, whole.notes[..unranked.notes.len()], "{}", run.study.name);
            assert_eq!(unranked.claims.len(), whole.claims.len());
            for (own, other) in unranked.claims.iter().zip(&whole.claims) {
                assert_eq!(own.panels.len(), other.panels.len());
                for (own, other) in own.panels.iter().zip(&other.panels) {
                    let own = (own.verdict, &own.reason, own.comparisons, own.hold, own.open);
                    let whole =
                        (other.verdict, &other.reason, other.comparisons, other.hold, other.open);
                    assert_eq!(own, whole, "{}", run.study.name);
                }
            }
        }
    }
}
