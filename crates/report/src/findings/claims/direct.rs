//! What is said of samples by themselves, and not of one time beside another: each sample shows
//! what is claimed, or the contrary, or neither; and the claim follows from all of them.

use lab::study::{Panel, Statement};

use super::check::Outcome;
use super::sample::Shown;
use super::{Claim, ClaimVerdict, Group, Judge, PanelVerdict, concerns};
use super::{launches_differ, not_normal, same_spread, unsettled};

impl Judge<'_> {
    /// The verdict of a panel on what samples show by themselves.
    pub(super) fn direct(&self, panel: &Panel, claim: &Claim, groups: &[Group]) -> PanelVerdict {
        let decides = |group: &&Group| {
            group.panel == panel.name
                && concerns(claim, &self.run.study.parts[group.part].name, group)
        };
        let own: Vec<&Group> = groups.iter().filter(decides).collect();
        let found = match claim.statement() {
            Some(Statement::NotNormal(macs)) => not_normal::found(self, macs, claim, &own),
            Some(Statement::SameSpread(macs)) => same_spread::found(self, macs, claim, &own),
            Some(Statement::LaunchesDiffer(macs)) => {
                launches_differ::found(self, macs, claim, &own)
            }
            Some(Statement::Unsettled(it)) => unsettled::found(self, it, claim, &own),
            _ => vec![],
        };
        let by = match claim.statement() {
            Some(Statement::Unsettled(_)) => By::Most,
            _ => By::All,
        };
        let verdict = verdict(panel, own.is_empty(), &found, by);
        let is_half = matches!(claim.statement(), Some(Statement::SameSpread(_)));
        if is_half { of_spread(verdict) } else { verdict }
    }
}

/// How many samples must show what is claimed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// Every one, and one that shows the contrary refutes it.
    All,
    /// More than half, and more than half the contrary.
    Most,
}

impl By {
    fn verdict(self, total: usize, hold: usize, contradicted: usize) -> ClaimVerdict {
        let (confirmed, refuted) = match self {
            By::All => (hold == total && total > 0, contradicted > 0),
            By::Most => (2 * hold > total, 2 * contradicted > total),
        };
        match () {
            () if refuted => ClaimVerdict::Refuted,
            () if confirmed => ClaimVerdict::Confirmed,
            () => ClaimVerdict::Undecided,
        }
    }
}

/// Of a sentence about shape and spread only the one half is decided.
fn of_spread(it: PanelVerdict) -> PanelVerdict {
    if it.verdict == ClaimVerdict::Elsewhere {
        return it;
    }
    PanelVerdict {
        reason: format!("{}; this is of spreads, and shapes are not compared", it.reason),
        brief: format!("{} (of spreads)", it.brief),
        ..it
    }
}

fn verdict(panel: &Panel, is_elsewhere: bool, found: &[Shown], by: By) -> PanelVerdict {
    let of = |wanted: Outcome| found.iter().filter(move |it| it.outcome == wanted);
    let count = |wanted: Outcome| of(wanted).count();
    let [hold, contradicted, open] =
        [Outcome::Holds, Outcome::Contradicted, Outcome::Open].map(count);
    let verdict = match is_elsewhere {
        true => ClaimVerdict::Elsewhere,
        false => by.verdict(found.len(), hold, contradicted),
    };
    let least = |wanted: Outcome| of(wanted).min_by(|x, y| x.size.total_cmp(&y.size));
    let total = found.len();
    let why = match verdict {
        ClaimVerdict::Elsewhere => "not testable in this panel".into(),
        ClaimVerdict::Refuted => least(Outcome::Contradicted).map_or_else(String::new, |it| {
            format!("{contradicted} of {total} contradict it, most clearly {}", it.words)
        }),
        ClaimVerdict::Confirmed => least(Outcome::Holds).map_or_else(String::new, |it| {
            format!("{} hold, least clearly {}", of_all(hold, total), it.words)
        }),
        ClaimVerdict::Undecided => match least(Outcome::Open) {
            None if found.is_empty() => "no such sample was measured in this panel".into(),
            None => format!("{hold} of {total} confirmed, {contradicted} refuted"),
            Some(it) => {
                format!("{hold} of {total} confirmed, {open} undecided: {}", it.words)
            }
        },
    };
    let name = verdict.name();
    let brief = match verdict {
        ClaimVerdict::Refuted => format!("{name}: {contradicted} of {total} contradict it"),
        ClaimVerdict::Confirmed => format!("{name}: {} hold", of_all(hold, total)),
        ClaimVerdict::Undecided if total == 0 => format!("{name}: not measured"),
        ClaimVerdict::Undecided => format!("{name}: {hold} of {total} confirmed"),
        ClaimVerdict::Elsewhere => name.into(),
    };
    PanelVerdict {
        panel: panel.name.clone(),
        panel_title: panel.title.clone(),
        verdict,
        comparisons: total,
        hold,
        contradicted,
        open,
        launches_needed: None,
        effect: None,
        by_source: None,
        reason: why,
        brief,
    }
}

/// `all 9`, `8 of 9`.
fn of_all(hold: usize, total: usize) -> String {
    if hold == total { format!("all {total}") } else { format!("{hold} of {total}") }
}
