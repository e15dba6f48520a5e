//! How a claim is decided, in one sentence made from the study.

use lab::cell::{KeyLife, Regime};
use lab::study::{Claim, ClaimedCrossover, ClaimedRatio, Part, Statement, Study};
use stats::{Alpha, Confidence};

use super::super::{key_life_words, regime_words};
use crate::format;

/// Which cells decide `claim` of `study`, by which test and which margin.
#[must_use]
pub fn sentence(study: &Study, claim: &Claim) -> String {
    let part = study.parts.iter().find(|part| part.name == claim.part);
    let (Some(part), Some(statement)) = (part, claim.statement()) else {
        return "it cannot be decided by this study".into();
    };
    let margin = format::percent(claim.margin.unwrap_or(study.margin));
    let confidence = Confidence::default();
    let interval = format!("the {} interval of", format::percent(confidence.value()));
    let (who, must) = match statement {
        Statement::Ordering(text) => {
            (format!("each neighbour in {text}"), ordering_test(text, &interval, &margin))
        }
        Statement::Faster(faster, than) => (
            format!("each of {} against each other of {}", names(faster), names(than)),
            format!("{interval} the ratio of their times must {}", beyond_one(&margin)),
        ),
        Statement::Falling(macs) => (
            format!("each of {}, each length against the next longer one,", names(macs)),
            format!("{interval} the ratio of their times a byte must {}", beyond_one(&margin)),
        ),
        Statement::Ratio(ClaimedRatio { slower, faster, least, most }) => (
            format!("{slower} against {faster}{}", stars(slower, faster)),
            format!(
                "{interval} the ratio of their times must lie within {least} to {most}; one that \
                 lies wholly outside contradicts"
            ),
        ),
        Statement::Proportional(macs) => (
            format!("each of {}, each length against the one with the most calls,", names(macs)),
            format!(
                "{interval} the ratio of their times a call of the primitive must lie within \
                 {margin} of 1; one that lies wholly outside contradicts"
            ),
        ),
        Statement::Crossover(ClaimedCrossover { below, above, from, to }) => (
            format!("{below} against {above}"),
            format!(
                "{interval} the ratio of their times must show the first faster up to {}, and the \
                 second from {}: at one length at least on each side, and at none slower by \
                 {margin} or more",
                format::bytes(*from),
                format::bytes(*to)
            ),
        ),
    };
    format!("{who} {}: {must}", conditions(claim, part))
}

fn beyond_one(margin: &str) -> String {
    format!("lie above 1 and not wholly within {margin} of it")
}

fn ordering_test(text: &str, interval: &str, margin: &str) -> String {
    let mut tests = Vec::new();
    if text.contains('<') {
        tests.push(format!(
            "for <, {interval} the ratio of their times must {}",
            beyond_one(margin)
        ));
    }
    if text.contains('=') {
        let level = format::percent(Alpha::default().value());
        tests.push(format!(
            "for =, it must lie within {margin} of 1, or hold 1 and the paper's one-tailed \
             Wilcoxon test, where it is made, show no difference at {level}"
        ));
    }
    tests.join("; ")
}

fn stars(slower: &str, faster: &str) -> &'static str {
    match (slower.contains('*'), faster.contains('*')) {
        (true, true) => ", * the same in both,",
        (true, false) => ", each other of the first,",
        _ => "",
    }
}

fn names(patterns: &[String]) -> String {
    match patterns {
        [all] if all == "*" => "all macs".into(),
        some => format::list(some),
    }
}

/// `at 29 B to 5 KiB, new key each message`.
fn conditions(claim: &Claim, part: &Part) -> String {
    let lengths = claim.lengths(part);
    let mut words = match lengths[..] {
        [] => "at no length".into(),
        [only] => format!("at {}", format::bytes(only)),
        [first, second] => format!("at {} and {}", format::bytes(first), format::bytes(second)),
        [first, .., last] => format!(
            "at {} lengths from {} to {}",
            lengths.len(),
            format::bytes(first),
            format::bytes(last)
        ),
    };
    let chosen = |own: &[KeyLife]| -> Vec<String> {
        let of_part = part.key_lives.iter().filter(|life| own.is_empty() || own.contains(life));
        of_part.map(|life| key_life_words(*life).to_owned()).collect()
    };
    words += &format!(", {}", format::list(&chosen(&claim.key_lives)));
    let regimes = part.regimes.iter();
    let regimes = regimes.filter(|it| claim.regimes.is_empty() || claim.regimes.contains(it));
    let regimes: Vec<Regime> = regimes.copied().collect();
    if regimes != [Regime::Single] {
        let told: Vec<String> = regimes.iter().map(|it| regime_words(*it)).collect();
        words += &format!(", {}", format::list(&told));
    }
    let narrowed = !claim.cases.is_empty() && claim.cases.len() < part.cases.len();
    if narrowed {
        let plural = if claim.cases.len() == 1 { "" } else { "s" };
        words += &format!(", case{plural} {}", format::list(&claim.cases));
    }
    words
}
