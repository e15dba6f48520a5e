//! Claims that only two machines can decide: that the order of the same implementations is the same
//! on each. Both studies must make the very same claim, and the machines must differ in model.

use lab::cell::Candidate;
use lab::record::Run;
use lab::study::{Choose, Claim, Panel, Part, Statement, fits_any};
use serde::Serialize;
use stats::Margin;

use super::Machines;
use super::trends::{self, LengthTrend};
use crate::findings::ClaimVerdict;
use crate::format;

/// Fewer implementations agree too often by chance: of five, one order in 24 comes to a τ of 0.8 or
/// more.
const COMMON_MIN: usize = 5;

/// A claim about the order on two machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendClaim {
    /// Its name within the study.
    pub id: String,
    /// The sentence, as published.
    pub text: String,
    /// The same as it is printed: between quotation marks, but for a paraphrase.
    pub quoted: String,
    /// Page, table or figure.
    pub source: String,
    /// One entry a panel that both studies have.
    pub panels: Vec<TrendVerdict>,
}

/// What the implementations of one panel say about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendVerdict {
    /// Name of the panel.
    pub panel: String,
    /// Its title in the later run.
    pub panel_title: String,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// The orders that decide: one a length, regime and key life.
    pub orders: Vec<LengthTrend>,
    /// Why, in one sentence without the verdict.
    pub reason: String,
}

/// Every such claim that both studies make.
pub(super) fn all(before: &Run, after: &Run, margin: Margin) -> Vec<TrendClaim> {
    let is_shared = |claim: &&Claim| before.study.claims.contains(claim);
    let tell = |claim: &Claim| {
        let Some(Statement::SameTrend(macs, least)) = claim.statement() else { return None };
        let shared = after.study.panels.iter().filter(|panel| claim.asks(panel));
        let verdict = |panel: &Panel| {
            let old = before.study.panels.iter().find(|old| old.name == panel.name)?;
            let speaks = |candidate: &Candidate| {
                let runs = [(before, old), (after, panel)];
                fits_any(macs, &candidate.mac)
                    && runs.iter().all(|(run, panel)| belongs(run, panel, candidate))
            };
            let orders = orders((before, after), claim, speaks, margin);
            let (verdict, reason) = decide(Machines::of(before, after), &orders, least);
            let (panel, panel_title) = (panel.name.clone(), panel.title.clone());
            Some(TrendVerdict { panel, panel_title, verdict, orders, reason })
        };
        Some(TrendClaim {
            id: claim.id.clone(),
            text: claim.text.clone(),
            quoted: claim.quoted(),
            source: claim.source.clone(),
            panels: shared.filter_map(verdict).collect(),
        })
    };
    after.study.claims.iter().filter(is_shared).filter_map(tell).collect()
}

/// Whether a candidate speaks in a panel of a run.
fn belongs(run: &Run, panel: &Panel, candidate: &Candidate) -> bool {
    match panel.choose {
        Choose::All => panel.takes(&candidate.provider),
        Choose::Fastest => {
            let mut chosen = run.chosen.iter().filter(|chosen| chosen.panel == panel.name);
            chosen.any(|chosen| chosen.candidate == *candidate)
        }
    }
}

/// The orders of the candidates that speak, in the cells that the claim names.
fn orders(
    (before, after): (&Run, &Run),
    claim: &Claim,
    speaks: impl Fn(&Candidate) -> bool,
    margin: Margin,
) -> Vec<LengthTrend> {
    let (old, new) = (trends::tables(before), trends::tables(after));
    let part = after.study.parts.iter().find(|part| part.name == claim.part);
    let is_of_case = |mac: &str| {
        part.is_some_and(|part: &Part| {
            let cases = part.cases.iter();
            let mut own =
                cases.filter(|it| claim.cases.is_empty() || claim.cases.contains(&it.name));
            own.any(|case| fits_any(&case.macs, mac))
        })
    };
    let mut orders = Vec::new();
    for (key, own) in &new {
        let (part, regime, key_life) = key;
        let of_life = claim.key_lives.is_empty() || claim.key_lives.contains(key_life);
        let concerns = *part == claim.part && claim.is_about(*regime) && of_life;
        let Some(other) = old.get(key).filter(|_| concerns) else { continue };
        let wanted = |candidate: &Candidate| speaks(candidate) && is_of_case(&candidate.mac);
        let all = trends::lengths(other, own, wanted, margin);
        orders.extend(all.into_iter().filter(|it| claim.concerns(it.len_bytes)));
    }
    orders
}

/// Confirmed where every order of enough implementations agrees as far as claimed, refuted where
/// most of them do not.
fn decide(machines: Machines, orders: &[LengthTrend], least: f64) -> (ClaimVerdict, String) {
    let compared = orders.iter().filter(|it| it.order.n >= COMMON_MIN);
    let compared: Vec<&LengthTrend> = compared.collect();
    let by_tau = |x: &&&LengthTrend, y: &&&LengthTrend| x.order.tau.total_cmp(&y.order.tau);
    let (Some(lowest), Some(highest)) =
        (compared.iter().min_by(by_tau), compared.iter().max_by(by_tau))
    else {
        let most = orders.iter().map(|it| it.order.n).max().unwrap_or(0);
        let why = format!(
            "the runs need at least {COMMON_MIN} implementations in common at one length, and have \
             {most}"
        );
        return (ClaimVerdict::Undecided, why);
    };
    let below = compared.iter().filter(|it| it.order.tau < least).count();
    let total = compared.len();
    let enough = match total - below {
        all if all == total => "all are".into(),
        1 => "1 is".into(),
        some => format!("{some} are"),
    };
    let found = format!(
        "Kendall's tau is {:.2} to {:.2} over {} of {} implementations or more, the \
         lowest at {} (p {}); {} {least} or more",
        lowest.order.tau,
        highest.order.tau,
        words::counted(total, "order"),
        compared.iter().map(|it| it.order.n).min().unwrap_or(0),
        format::bytes(lowest.len_bytes),
        super::text::chance(lowest.order.p_two_tailed),
        enough,
    );
    match () {
        () if machines != Machines::DifferentModels => {
            let why = "both runs are of the same processor model, which says nothing about others";
            (ClaimVerdict::Undecided, format!("{why}; {found}"))
        }
        () if below == 0 => (ClaimVerdict::Confirmed, found),
        () if 2 * below > total => (ClaimVerdict::Refuted, found),
        () => (ClaimVerdict::Undecided, found),
    }
}
