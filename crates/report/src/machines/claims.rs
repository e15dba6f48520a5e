//! Claims over many machines: each machine gives its verdict, as it does by itself, or, of a claim
//! about all machines, by its order beside that of the others. One machine refutes a claim wrongly
//! in 5 % of cases at most, so that more of them than chance leaves refute it for all; and what
//! most machines confirm is confirmed, with the share of machines that this shows.

use serde::Serialize;
use stats::{Confidence, Sample, at_least, share_interval};

use super::trend;
use super::{ALPHA, Catalog, Kind, Member};
use crate::findings::ClaimVerdict;
use crate::findings::series::LAUNCHES_MIN;
use crate::format;

/// A claim in one panel over all machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachinesClaim {
    /// Its name within the study.
    pub id: String,
    /// As it is printed.
    pub quoted: String,
    /// Page, table or figure.
    pub source: String,
    /// Name of the panel.
    pub panel: String,
    /// Its title.
    pub panel_title: String,
    /// The verdict over all machines.
    pub verdict: ClaimVerdict,
    /// Machines that confirm it, by their numbers.
    pub confirmed: Vec<usize>,
    /// Machines that refute it.
    pub refuted: Vec<usize>,
    /// Machines that leave it undecided.
    pub undecided: Vec<usize>,
    /// Machines that cannot tell: they have not what it is about.
    pub elsewhere: usize,
    /// Of all machines that can tell, the share that confirm it, at 95 %.
    pub share: [f64; 2],
    /// Chance of so many that refute were it true of all, adjusted for all claims (Holm).
    pub p_refuted: f64,
    /// Chance of so many that confirm were it no more than half of them, adjusted likewise.
    pub p_confirmed: f64,
    /// Of a claim about order: median over machines of the lowest tau, with its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tau: Option<[f64; 3]>,
    /// Why, in a sentence without the verdict.
    pub reason: String,
}

/// Every claim of the study that both a run and its panel have.
pub(super) fn all(members: &[Member], kinds: &[Kind], _: &Catalog) -> Vec<MachinesClaim> {
    let Some(first) = members.first() else { return vec![] };
    let mut all = Vec::new();
    for said in &first.claims {
        let own = |member: &Member| {
            let mut own = member.claims.iter();
            own.find(|it| it.id == said.id && it.panel == said.panel).cloned()
        };
        let (verdicts, tau) = match &said.trend {
            None => {
                let of = |kind: &Kind| {
                    let own = kind.members.iter().filter_map(|at| own(&members[*at]));
                    agreed(&own.map(|it| it.verdict).collect::<Vec<_>>())
                };
                (kinds.iter().map(of).collect::<Vec<_>>(), None)
            }
            Some((least, _)) => {
                let cells = members.iter().filter_map(own).filter_map(|it| it.trend);
                let mut cells: Vec<(u32, u32)> = cells.flat_map(|it| it.1).collect();
                cells.sort_unstable();
                cells.dedup();
                let orders = trend::orders(members, kinds, &cells, *least);
                let taus = orders.iter().filter_map(|it| it.tau_least).collect();
                (orders.iter().map(|it| it.verdict).collect(), middle(taus))
            }
        };
        let of = |wanted: ClaimVerdict| {
            let own = verdicts.iter().enumerate().filter(|(_, it)| **it == wanted);
            own.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let (confirmed, refuted) = (of(ClaimVerdict::Confirmed), of(ClaimVerdict::Refuted));
        let undecided = of(ClaimVerdict::Undecided);
        let n = (confirmed.len() + refuted.len() + undecided.len()) as u64;
        let confidence = Confidence::default();
        all.push(MachinesClaim {
            id: said.id.clone(),
            quoted: said.quoted.clone(),
            source: said.source.clone(),
            panel: said.panel.clone(),
            panel_title: said.panel_title.clone(),
            verdict: ClaimVerdict::Undecided,
            share: share_interval(confirmed.len() as u64, n, confidence),
            p_refuted: at_least(refuted.len() as u64, n, ALPHA),
            p_confirmed: at_least(confirmed.len() as u64, n, 0.5),
            elsewhere: of(ClaimVerdict::Elsewhere).len(),
            confirmed,
            refuted,
            undecided,
            tau,
            reason: String::new(),
        });
    }
    judge(&mut all, kinds);
    all
}

/// Runs of one kind of machine: what all of them say.
fn agreed(verdicts: &[ClaimVerdict]) -> ClaimVerdict {
    match verdicts {
        [] => ClaimVerdict::Elsewhere,
        [first, rest @ ..] if rest.iter().all(|it| it == first) => *first,
        _ => ClaimVerdict::Undecided,
    }
}

fn middle(taus: Vec<f64>) -> Option<[f64; 3]> {
    let sample = Sample::new(taus).ok()?;
    let interval = stats::median_interval(&sample, Confidence::default())?;
    Some([stats::median(&sample), interval.low, interval.high])
}

fn judge(all: &mut [MachinesClaim], kinds: &[Kind]) {
    let both = all.iter().flat_map(|it| [it.p_refuted, it.p_confirmed]);
    let adjusted = stats::holm(&both.collect::<Vec<_>>()).unwrap_or_default();
    let models: std::collections::BTreeSet<&str> =
        kinds.iter().map(|it| it.traits.cpu.as_str()).collect();
    for (claim, p) in all.iter_mut().zip(adjusted.chunks(2)) {
        (claim.p_refuted, claim.p_confirmed) = (p[0], p[1]);
        let n = claim.confirmed.len() + claim.refuted.len() + claim.undecided.len();
        let (verdict, why) = match () {
            () if n < LAUNCHES_MIN => (
                ClaimVerdict::Undecided,
                format!("machines that can test it: {n}, at least {LAUNCHES_MIN} are needed"),
            ),
            () if models.len() == 1 => (
                ClaimVerdict::Undecided,
                "all machines are of one processor model, which says nothing about others".into(),
            ),
            () if p[0] <= ALPHA => {
                (ClaimVerdict::Refuted, "more refute it than chance explains".into())
            }
            () if p[1] <= ALPHA => (
                ClaimVerdict::Confirmed,
                format!(
                    "by at least {} of such machines (95 %)",
                    format::percent((claim.share[0] * 100.0).floor() / 100.0)
                ),
            ),
            () => (ClaimVerdict::Undecided, "neither most confirm it nor enough refute it".into()),
        };
        claim.verdict = verdict;
        let counts = format!(
            "{} of {n} machines confirm it, {} refute it, {} leave it undecided",
            claim.confirmed.len(),
            claim.refuted.len(),
            claim.undecided.len()
        );
        let elsewhere = match claim.elsewhere {
            0 => String::new(),
            some => format!("; {some} cannot tell"),
        };
        let tau = claim.tau.map_or(String::new(), |[tau, low, high]| {
            format!(
                "; a machine’s lowest tau with the order of the others is {tau:.2} ({low:.2} to \
                 {high:.2})"
            )
        });
        claim.reason = format!("{why}; {counts}{elsewhere}{tau}");
    }
}
