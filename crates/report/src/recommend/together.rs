//! The one mac for callers that share no library: what one signs another verifies, so that all
//! compute the same tags, each by a library of its own. Judged by the sum of their times.

use lab::study::{Caller, ClassName};
use serde::Serialize;

use super::costs::{Series, Timed};
use super::measured::Measured;
use super::paragraph::Paragraph;
use super::ranked::{Against, Behind, Value, ranked};
use super::words::{ends, first_of, ratio_of};
use super::{CLOSE_NAMED, Recommendation, Row};
use crate::format::list;

/// The best mac for all callers together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Together {
    /// Name of the mac.
    pub mac: String,
    /// Nanoseconds of a message, by each caller once.
    pub sum_ns: Value,
    /// What each caller computes it by.
    pub each: Vec<ByCaller>,
    /// The other macs that all callers have, from the fastest on.
    pub others: Vec<OtherMac>,
}

/// A candidate, and who calls it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByCaller {
    /// The caller's language, in print.
    pub language: String,
    /// The fastest of the mac that it can call.
    #[serde(flatten)]
    pub row: Row,
}

/// Another mac that all callers have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherMac {
    /// Name of the mac.
    pub mac: String,
    /// Nanoseconds of a message, by each caller once.
    pub sum_ns: Value,
    /// Against the best one.
    pub to_best: Against,
}

/// A mac that all callers have: the fastest of it for each, and the sum of their times.
struct OfAll<'a> {
    mac: &'a str,
    each: Vec<&'a Timed<'a>>,
    sum: Series,
}

pub(super) fn together(measured: &Measured<'_>) -> Option<Together> {
    let macs = measured.workload.classes.iter().filter_map(|it| match &it.name {
        ClassName::Together(mac) => Some(mac.as_str()),
        _ => None,
    });
    let all: Vec<OfAll<'_>> = macs.filter_map(|mac| of_all(measured, mac)).collect();
    let sums: Vec<Series> = all.iter().map(|it| it.sum.clone()).collect();
    let placed = ranked(&sums, measured.margin);
    let (first, others) = placed.split_first()?;
    let sum_ns = |own: &OfAll<'_>| Some(Value::of(&own.sum)?.of_any_run(measured.margin));
    let best = &all[first.at];
    let each = measured.workload.callers.iter().zip(&best.each).filter_map(|(caller, timed)| {
        Some(ByCaller { language: caller.language.clone(), row: measured.row(timed)? })
    });
    let others = others.iter().filter_map(|placed| {
        let own = &all[placed.at];
        let (mac, to_best) = (own.mac.to_owned(), placed.to_first?);
        Some(OtherMac { mac, sum_ns: sum_ns(own)?, to_best })
    });
    Some(Together {
        mac: best.mac.to_owned(),
        sum_ns: sum_ns(best)?,
        each: each.collect(),
        others: others.collect(),
    })
}

/// `None` where some caller has no library that was measured for it.
fn of_all<'a>(measured: &'a Measured<'a>, mac: &'a str) -> Option<OfAll<'a>> {
    let fastest = |caller: &Caller| {
        let own = measured.all.iter().filter(|it| {
            it.candidate.mac == mac && caller.providers.contains(&it.candidate.provider)
        });
        let timed = own.filter_map(|it| Some((it, Value::of(&measured.message(it))?.value)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|it| it.0)
    };
    let each: Vec<&Timed<'_>> =
        measured.workload.callers.iter().map(fastest).collect::<Option<_>>()?;
    let series: Vec<Series> = each.iter().map(|it| measured.message(it)).collect();
    let sum = |launch: &u32| {
        let own: Option<f64> = series.iter().map(|it| it.get(launch).copied()).sum();
        Some((*launch, own?))
    };
    let sum = series.first()?.keys().filter_map(sum).collect();
    Some(OfAll { mac, each, sum })
}

impl Recommendation {
    /// Whether several callers share no library: no caller has all that the others have.
    pub(super) fn is_for_several(&self) -> bool {
        self.workload.callers.len() > 1
    }

    /// The one mac for all callers, and what each uses if they need not agree.
    pub(super) fn for_several(&self) -> Vec<Paragraph> {
        let languages: Vec<String> =
            self.workload.callers.iter().map(|it| it.language.clone()).collect();
        let all = list(&languages);
        let first = match &self.together {
            None => format!("No eligible MAC was measured from each of {all}.").into(),
            Some(own) => self.together_line(own, &all),
        };
        let callers = self.workload.callers.iter();
        let alone: Vec<(&Caller, Option<&Row>)> =
            callers.map(|caller| (caller, self.best_from(caller))).collect();
        let shared =
            |row: &Row| self.together.iter().flat_map(|it| &it.each).any(|own| own.row.is(row));
        if alone.iter().all(|(_, row)| row.is_some_and(shared)) {
            let also = "It is also the fastest from each of them alone.".to_owned();
            return vec![first, also.into()];
        }
        let told = alone.iter().map(|(caller, row)| match row {
            None => format!("nothing was measured from {}", caller.language),
            Some(row) => {
                let (who, time) = (self.called(row), row.message_ns.time().value());
                format!("from {}, {who}, {time}", caller.language)
            }
        });
        let widely = self.widely();
        let told = told.collect::<Vec<_>>().join("; ");
        let own = format!("Where each may have a MAC of its own, the fastest{widely}: {told}.");
        vec![first, own.into()]
    }

    fn together_line(&self, own: &Together, all: &str) -> Paragraph {
        let each: Vec<String> = own
            .each
            .iter()
            .map(|it| {
                let time = it.row.message_ns.time().value();
                format!("{time} from {} ({})", it.language, self.name_of(&it.row))
            })
            .collect();
        let (each, sum) = (list(&each), own.sum_ns.time());
        if own.sum_ns.interval.is_none() {
            let (too_few, mac) = (self.too_few(), &own.mac);
            let seems = format!("{mac} seems fastest for {all} together, {each}");
            return Paragraph {
                lead: format!("Undecided: {too_few}; {seems}."),
                rest: self.more_time(),
            };
        }
        let interval = sum.ends_in_words().map(|ends| format!(" (95 % interval {ends})"));
        let class = match self.class(&ClassName::Wide) {
            Some(_) => " that are widely used and that all of them have",
            None => " that all of them have",
        };
        let margin = self.margin;
        let close = own.others.iter().filter(|it| it.to_best.verdict != Behind::Slower);
        let close = close.map(|it| format!("{} ({})", it.mac, ends(&it.to_best, margin)));
        let beside = match (first_of(close, CLOSE_NAMED), own.others.first()) {
            (Some(close), _) => format!("Too close to call against {close}"),
            (None, Some(next)) => {
                let ratio = ratio_of(&next.to_best, margin);
                format!(
                    "It takes the least time of those{class}; next is {}, {ratio} as long",
                    next.mac
                )
            }
            (None, None) => format!("There is no other of those{class}"),
        };
        let (mac, sum, interval) = (&own.mac, sum.value(), interval.unwrap_or_default());
        Paragraph {
            lead: format!("Use {mac} from {all}: {each}, {sum} together{interval}."),
            rest: format!("{beside}."),
        }
    }

    /// The first of the class of the answer that a caller can call.
    fn best_from(&self, caller: &Caller) -> Option<&Row> {
        let answer = self.answer();
        if caller.providers.contains(&answer.best.provider) {
            return Some(&answer.best);
        }
        let own = answer.for_callers.iter().find(|it| it.language == caller.language)?;
        own.rival.as_ref().map(|it| &it.row)
    }
}
