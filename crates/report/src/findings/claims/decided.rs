//! How a claim is decided, in one sentence made from the study.

use lab::cell::{KeyLife, Regime};
use lab::study::{
    Claim, ClaimedContrast, ClaimedCrossover, ClaimedRatio, ClaimedUneven, Contrasted, Part,
    Statement, Study,
};
use stats::Confidence;

use super::super::{key_life_words, regime_words};
use super::unsettled;
use crate::format;
use crate::regimes::contrasted;

/// Which cells decide `claim` of `study`, by which test and which margin.
#[must_use]
pub fn sentence(study: &Study, claim: &Claim) -> String {
    let part = study.parts.iter().find(|part| part.name == claim.part);
    let (Some(part), Some(statement)) = (part, claim.statement()) else {
        return "this study cannot decide it".into();
    };
    let margin = format::percent(claim.margin.unwrap_or(study.margin));
    if let Statement::Argument(_) = statement {
        return "argument, not by measurement".into();
    }
    let (who, must) = by_samples(statement, &margin).unwrap_or_else(|| test(statement, &margin));
    let several = match statement {
        Statement::Reordered(_) | Statement::SameOrder(..) => "",
        _ if !statement.is_compared() => "",
        _ => "; of several comparisons one refutes it only where the joint test of all does too",
    };
    format!("{who} {}: {must}{several}", conditions(study, claim, part))
}

/// The load of sessions under which a claim is decided, where that is one: what is shared by the
/// two of a contrast, and the regime of all others.
pub(super) fn under(study: &Study, claim: &Claim) -> Option<String> {
    let part = study.parts.iter().find(|part| part.name == claim.part)?;
    if claim.argument.is_some() {
        return None;
    }
    if let Some(it) = &claim.contrast {
        return contrasted(it.regime, it.to).shared;
    }
    let mut regimes = part.regimes.iter().copied().filter(|it| claim.is_about(*it));
    let (first, second) = (regimes.next()?, regimes.next());
    match (claim.same_order.is_empty(), second) {
        (false, Some(second)) => contrasted(first, second).shared,
        (true, None) => first.is_of_windows().then(|| regime_words(first)),
        _ => None,
    }
}

/// The same of what samples show by themselves.
fn by_samples(statement: Statement<'_>, margin: &str) -> Option<(String, String)> {
    let confidence = format::percent(Confidence::default().value());
    Some(match statement {
        Statement::NotNormal(macs) => (
            format!("each sample of {}", names(macs)),
            "the chi-squared test of normality must reject it at 5 % after Holm's correction over \
             all samples; one that is not rejected leaves it undecided, for that shows no \
             normality"
                .into(),
        ),
        Statement::SameSpread(macs) => (
            format!("each two samples of {}", names(macs)),
            format!(
                "the {confidence} interval of the ratio of the spreads of their speeds (median \
                 distance from the median of the launch) must lie within {margin} of 1; an \
                 interval entirely outside, at {confidence} for all pairs at once, refutes it; \
                 shapes are not compared"
            ),
        ),
        Statement::LaunchesDiffer(macs) => (
            format!("batches of neighbouring blocks of each of {}, by launch,", names(macs)),
            format!(
                "the Kruskal-Wallis test must find a difference at 5 % after Holm's correction \
                 over all samples, and the slowest launch take more than {margin} longer than the \
                 fastest; an interval of that ratio below {margin} refutes it"
            ),
        ),
        Statement::Unsettled(it) => (
            format!("calls of {} timed individually", names(&it.macs)),
            format!(
                "of medians of {} of them, 95 in 100 must spread by more than ±{margin} for more \
                 than half of the samples, or, since calls of one process are not independent, \
                 more launches than chance explains (1 in 20) must differ from the middle one by \
                 more than the margin; neither, for more than half, refutes it; fewer than {} \
                 calls decide nothing",
                it.calls,
                unsettled::TIMES_MIN * u64::from(it.calls)
            ),
        ),
        _ => return None,
    })
}

/// Who is compared, and what must be found.
fn test(statement: Statement<'_>, margin: &str) -> (String, String) {
    let confidence = format::percent(Confidence::default().value());
    let interval = format!("the {confidence} interval of");
    match statement {
        Statement::Ordering(text) => {
            (format!("each neighbour in {text}"), ordering_test(text, &interval, margin))
        }
        Statement::Faster(faster, than) => (
            format!("each of {} against each other of {}", names(faster), names(than)),
            format!("{interval} the ratio of their times must {}", beyond_one(margin)),
        ),
        Statement::Falling(macs) => (
            format!("each of {}, each length against the next longer one,", names(macs)),
            format!(
                "{interval} the ratio of the times of a byte must show no rise of {margin} or \
                 more, and from the shortest to the longest a fall of more than that"
            ),
        ),
        Statement::Ratio(ratio) => ratio_test(ratio, &interval),
        Statement::Proportional(macs) => (
            format!("each of {}, each length against the one with the most calls,", names(macs)),
            format!(
                "{interval} the ratio of the times of a call of the primitive, without what is \
                 measured of the MACs without their primitive, must lie within {margin} of 1; an \
                 interval entirely outside refutes it"
            ),
        ),
        Statement::Crossover(ClaimedCrossover { below, above, from, to }) => (
            format!("{below} against {above}"),
            format!(
                "{interval} the ratio of their times must show the first faster up to {}, and the \
                 second from {}: each at the outermost length, and at none slower by {margin} or \
                 more",
                format::bytes(*from),
                format::bytes(*to)
            ),
        ),
        Statement::Contrast(it) => contrast_test(it, &interval, margin),
        Statement::Uneven(it) => uneven_test(it, &interval, margin),
        _ => test_of_orders(statement, &confidence, &interval, margin),
    }
}

/// The same of orders.
fn test_of_orders(
    statement: Statement<'_>,
    confidence: &str,
    interval: &str,
    margin: &str,
) -> (String, String) {
    match statement {
        Statement::SameOrder(macs, least) => (
            format!("the order of {} in each regime against that in the first,", names(macs)),
            format!(
                "Kendall's tau must be at least {least}, however pairs turn out that {confidence} \
                 intervals and a margin of {margin} do not tell apart; less, however they turn \
                 out, refutes it"
            ),
        ),
        Statement::Reordered(macs) => (
            format!("{}, pair by pair,", names(macs)),
            format!(
                "{interval} the ratio of their times must show one pair at least in one order at \
                 one length and in the opposite order at another; that there is none, and each is \
                 told apart or equal within {margin} at every length, refutes it"
            ),
        ),
        Statement::SameTrend(macs, least) => (
            format!("the order of {}", names(macs)),
            format!(
                "in two runs on different models of processor, set side by side by `macrometer \
                 compare`, Kendall's tau of the times that both have must be at least {least} at \
                 every length; less at most lengths refutes it"
            ),
        ),
        _ => Default::default(),
    }
}

fn uneven_test(it: &ClaimedUneven, interval: &str, margin: &str) -> (String, String) {
    let ClaimedUneven { regime, macs, least } = it;
    (
        format!("sessions with each of {}, {},", names(macs), regime_words(*regime)),
        format!(
            "{interval} the apparent processing of the session that is scheduled least over that \
             of the one scheduled most must lie above {least}; an interval entirely below \
             {least} × (1 + {margin}) refutes it"
        ),
    )
}

fn contrast_test(it: &ClaimedContrast, interval: &str, margin: &str) -> (String, String) {
    let what = match it.of {
        Contrasted::Time => "the ratio of the two times",
        Contrasted::Preemptions => {
            "the ratio of preemptions of a thread per second of processor time"
        }
    };
    (
        format!(
            "each of {} as {} against the same as {},",
            names(&it.macs),
            regime_words(it.regime),
            regime_words(it.to)
        ),
        format!("{interval} {what} must {}", within(it, margin)),
    )
}

fn within(claimed: &ClaimedContrast, margin: &str) -> String {
    match (claimed.least, claimed.most) {
        (Some(least), Some(most)) => format!(
            "lie within {least} to {most}, or not further outside than {margin}; an interval \
             entirely outside refutes it"
        ),
        (Some(least), None) => {
            format!(
                "lie above {least}; an interval entirely below {least} × (1 + {margin}) refutes it"
            )
        }
        (None, Some(most)) => {
            format!(
                "lie below {most}; an interval entirely above {most} ÷ (1 + {margin}) refutes it"
            )
        }
        (None, None) => "be told".into(),
    }
}

fn beyond_one(margin: &str) -> String {
    format!(
        "lie above 1; an interval that shows no difference of {margin}, or the contrary, refutes it"
    )
}

fn ratio_test(ratio: &ClaimedRatio, interval: &str) -> (String, String) {
    let ClaimedRatio { slower, faster, least, most } = ratio;
    let must = match most {
        Some(most) => {
            format!("lie within {least} to {most}; an interval entirely outside refutes it")
        }
        None => format!("lie above {least}; an interval entirely below refutes it"),
    };
    (
        format!("{slower} against {faster}{}", stars(slower, faster)),
        format!("{interval} the ratio of their times must {must}"),
    )
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
        tests.push(format!(
            "for =, it must lie within {margin} of 1, and an interval entirely outside refutes it"
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
        [all] if all == "*" => "all MACs".into(),
        some => format::list(some),
    }
}

/// `at 29 B to 5 KiB, new key each message`.
fn conditions(study: &Study, claim: &Claim, part: &Part) -> String {
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
    let regimes = part.regimes.iter().copied().filter(|it| claim.is_about(*it));
    let regimes: Vec<Regime> = regimes.collect();
    // A contrast has told its two.
    if regimes != [Regime::USUAL] && claim.contrast.is_none() {
        let told: Vec<String> = regimes.iter().map(|it| regime_words(*it)).collect();
        words += &format!(", {}", format::list(&told));
    }
    let narrowed = !claim.cases.is_empty() && claim.cases.len() < part.cases.len();
    if narrowed {
        let cases = words::noun(claim.cases.len(), "case");
        words += &format!(", {cases} {}", format::list(&claim.cases));
    }
    let asked = study.panels.iter().filter(|panel| claim.asks(panel));
    let asked: Vec<String> = asked.map(|panel| panel.name.clone()).collect();
    if asked.len() < study.panels.len() {
        let panels = words::noun(asked.len(), "panel");
        words += &format!(", {panels} {}", format::list(&asked));
    }
    words
}
