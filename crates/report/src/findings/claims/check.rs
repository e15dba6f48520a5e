//! One elementary comparison: two cells, what is claimed of the ratio of their times, and what was
//! measured of it.

use std::collections::BTreeMap;

use lab::record::SessionsRecord;
use stats::{
    Confidence, Differences, Margin, Ratio, RatioInterval, Sample, Verdict, median, median_interval,
};

use super::super::series::{self, LAUNCHES_MIN, paired};
use super::super::sessions::{Windows, observed};
use super::super::{Interval, RatioFinding, Unit};
use super::{Effect, Judge, Quantity};
use crate::format::Figure;

/// How one comparison ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Holds,
    Contradicted,
    Open,
}

/// Logarithms of a ratio from one end to another; either may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Span {
    /// Whether an interval lies within it.
    pub(super) fn holds(self, it: &RatioInterval) -> bool {
        it.log_low > self.low && it.log_high < self.high
    }

    /// Whether an interval lies wholly outside it.
    pub(super) fn excludes(self, it: &RatioInterval) -> bool {
        it.log_high < self.low || it.log_low > self.high
    }
}

/// What is claimed of the logarithm of a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Claimed {
    /// An interval within it shows what is claimed …
    pub(super) shown: Span,
    /// … and one wholly outside this shows the contrary.
    pub(super) possible: Span,
    pub(super) sense: Sense,
}

/// What kind of thing is claimed: it decides which of those that hold is worth telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// That one takes longer than the other.
    Longer,
    /// A ratio of at least so much.
    AtLeast,
    /// A ratio of at most so much.
    AtMost,
    /// A ratio between two ends.
    Between,
    /// That both take the same time, within the margin.
    Same,
    /// Only that it is not the other way round.
    NotShorter,
}

impl Sense {
    /// Whether a difference is claimed.
    pub(super) fn is_strict(self) -> bool {
        !matches!(self, Sense::Same | Sense::NotShorter)
    }
}

impl Claimed {
    /// The first takes longer. Longer by no more than the margin is the same.
    pub(super) fn longer(margin: Margin) -> Self {
        Self::beyond(1.0, margin)
    }

    /// The first takes more than `least` times as long.
    pub(super) fn beyond(least: f64, margin: Margin) -> Self {
        let end = least.ln();
        Claimed {
            shown: Span { low: end, high: f64::INFINITY },
            possible: Span { low: end + margin.log(), high: f64::INFINITY },
            sense: if least == 1.0 { Sense::Longer } else { Sense::AtLeast },
        }
    }

    /// The first takes less than `most` times as long.
    pub(super) fn below(most: f64, margin: Margin) -> Self {
        let end = most.ln();
        Claimed {
            shown: Span { low: f64::NEG_INFINITY, high: end },
            possible: Span { low: f64::NEG_INFINITY, high: end - margin.log() },
            sense: if most == 1.0 { Sense::Longer } else { Sense::AtMost },
        }
    }

    /// The first takes no less time than the second, but for the margin.
    pub(super) fn not_shorter(margin: Margin) -> Self {
        let span = Span { low: -margin.log(), high: f64::INFINITY };
        Claimed { shown: span, possible: span, sense: Sense::NotShorter }
    }

    /// Both take the same time, but for the margin.
    pub(super) fn equal(margin: Margin) -> Self {
        Claimed { sense: Sense::Same, ..Self::within(1.0, 1.0, margin) }
    }

    /// The ratio lies between two ends, or no further outside than the margin.
    pub(super) fn within(least: f64, most: f64, margin: Margin) -> Self {
        let span = Span { low: least.ln() - margin.log(), high: most.ln() + margin.log() };
        Claimed { shown: span, possible: span, sense: Sense::Between }
    }

    /// The same, asked of times that do not see how launches differ: what `slack` could make of
    /// them decides nothing.
    fn slackened(self, slack: f64) -> Self {
        let (shown, possible) = (self.shown, self.possible);
        Claimed {
            shown: Span { low: shown.low + slack, high: shown.high - slack },
            possible: Span { low: possible.low - slack, high: possible.high + slack },
            ..self
        }
    }
}

/// By so much one launch may differ from the next for reasons of its own: code and data lie
/// elsewhere in memory. Where there are too few launches to see it, a difference must be larger.
pub(super) const LAUNCH_SLACK: f64 = 0.05;

/// What a ratio is made of.
#[derive(Debug, Clone)]
pub(super) enum Times {
    /// Nothing was measured of one of the two.
    Missing,
    /// Logarithms of the ratio, by launch or block.
    Paired(Unit, BTreeMap<u32, f64>),
    /// Logarithms of the two times a unit, block by block, of blocks that are not the same.
    Unpaired(Box<[Sample; 2]>),
}

/// One elementary comparison.
#[derive(Debug, Clone)]
pub(super) struct Check {
    /// The ratio is of the time of this cell …
    pub(super) first: usize,
    /// … over that of this one.
    pub(super) second: usize,
    pub(super) quantity: Quantity,
    pub(super) claimed: Claimed,
    pub(super) times: Times,
    pub(super) log_ratio: Option<f64>,
    pub(super) interval: Option<RatioInterval>,
    pub(super) outcome: Outcome,
    /// Whether the outcome is known already, and is not that of the interval.
    pub(super) settled: bool,
    /// Whether it rests on windows of sessions that others disturbed by as much as decides it: it
    /// stays open then.
    pub(super) disturbed: bool,
    /// Whether two kinds of launches deny each other: then more of one kind do not decide it.
    pub(super) depends: bool,
    /// What is worth saying beside it.
    pub(super) aside: Option<String>,
    /// What is worth saying even in few words.
    pub(super) aside_in_brief: Option<String>,
    /// What it says, where that is no ratio of two times.
    pub(super) said: Option<Said>,
}

/// A sentence, and as much of it as is told in few words.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) in_brief: String,
    pub(super) rest: String,
}

impl Check {
    fn new(cells: (usize, usize), quantity: Quantity, claimed: Claimed, times: Times) -> Self {
        Check {
            first: cells.0,
            second: cells.1,
            quantity,
            claimed,
            times,
            log_ratio: None,
            interval: None,
            outcome: Outcome::Open,
            settled: false,
            disturbed: false,
            depends: false,
            aside: None,
            aside_in_brief: None,
            said: None,
        }
    }

    fn estimated(mut self, confidence: Confidence) -> Self {
        (self.log_ratio, self.interval) = match &self.times {
            Times::Missing => (None, None),
            Times::Paired(_, logs) => {
                let differences = Differences::from_values(logs.values().copied().collect());
                let ratio = differences.map(|own| Ratio::of(&own, confidence)).ok();
                (ratio.as_ref().map(|it| it.log_ratio), ratio.and_then(|it| it.interval))
            }
            Times::Unpaired(samples) => {
                let [first, second] = &**samples;
                (Some(median(first) - median(second)), unpaired(samples, confidence))
            }
        };
        self
    }

    /// Launches that both cells have.
    pub(super) fn launches(&self) -> usize {
        match &self.times {
            Times::Paired(Unit::Launch, logs) => logs.len(),
            _ => 0,
        }
    }

    /// What an interval must lie within, and what not outside of.
    pub(super) fn demanded(&self) -> Claimed {
        match &self.times {
            Times::Paired(Unit::Launch, _) => self.claimed,
            _ => self.claimed.slackened(LAUNCH_SLACK),
        }
    }

    /// What the interval shows of the pair, whatever is claimed: `Faster` says that the second
    /// takes less time.
    pub(super) fn verdict(&self, margin: Margin) -> Verdict {
        Verdict::of(self.interval.as_ref(), margin)
    }

    /// Whether it would end as it did if the ratio were off by `slack` in either direction.
    pub(super) fn stands_beyond(&self, slack: f64) -> bool {
        let Some(own) = &self.interval else { return false };
        let Claimed { shown, possible, .. } = self.demanded().slackened(slack);
        match self.outcome {
            Outcome::Holds => shown.holds(own),
            Outcome::Contradicted => possible.excludes(own),
            Outcome::Open => false,
        }
    }

    /// How far the ratio is from the end that decides, on the logarithmic scale.
    pub(super) fn size(&self) -> f64 {
        let Some(log_ratio) = self.log_ratio else { return 0.0 };
        let Claimed { shown, possible, .. } = self.claimed;
        let to_low = log_ratio - shown.low;
        let to_high = shown.high - log_ratio;
        if self.outcome == Outcome::Contradicted {
            return (possible.low - log_ratio).max(log_ratio - possible.high);
        }
        match self.claimed.sense.is_strict() {
            true => to_low.min(to_high),
            false => log_ratio.abs(),
        }
    }

    /// How many times narrower its interval must become to decide; infinite where there is none,
    /// or where the ratio lies at the very end of what is claimed.
    pub(super) fn shrink(&self) -> f64 {
        let (Some(middle), Some(own)) = (self.log_ratio, &self.interval) else {
            return f64::INFINITY;
        };
        let Claimed { shown, possible, .. } = self.demanded();
        let (below, above) = (middle - own.log_low, own.log_high - middle);
        let share = |width: f64, distance: f64| match () {
            () if distance <= 0.0 => f64::INFINITY,
            () if distance.is_infinite() => 0.0,
            () => width / distance,
        };
        let to_show = share(below, middle - shown.low).max(share(above, shown.high - middle));
        let to_deny = share(above, possible.low - middle).min(share(below, middle - possible.high));
        to_show.min(to_deny).max(1.0)
    }

    /// Launches in all with which it is expected to be decided: an interval shrinks with their
    /// root. `None` where no number of them is.
    pub(super) fn launches_needed(&self) -> Option<usize> {
        // More of them do not undo what was disturbed, nor tell of those beside all others.
        if self.disturbed || self.depends {
            return None;
        }
        let launches = self.launches();
        if launches == 0 {
            return Some(LAUNCHES_MIN);
        }
        let needed = launches as f64 * self.shrink().powi(2);
        (needed <= LAUNCHES_TOLD_MAX).then(|| (needed.ceil() as usize).max(launches + 1))
    }

    /// The two with their ratio, the one that takes longer first.
    pub(super) fn effect(&self) -> Option<Effect> {
        let over = finding(self.log_ratio?, self.interval.as_ref());
        let (first, second, quantity) = (self.first, self.second, self.quantity);
        Some(match over.value >= 1.0 {
            true => Effect { slower: first, faster: second, ratio: over, quantity },
            false => Effect { slower: second, faster: first, ratio: reversed(over), quantity },
        })
    }
}

/// Nobody starts so many launches.
const LAUNCHES_TOLD_MAX: f64 = 1000.0;

/// A ratio the other way round.
pub(super) fn reversed(ratio: RatioFinding) -> RatioFinding {
    let interval = ratio.interval.map(|it| Interval {
        low: 1.0 / it.high,
        high: 1.0 / it.low,
        confidence: it.confidence,
    });
    RatioFinding { value: 1.0 / ratio.value, interval }
}

fn finding(log_ratio: f64, interval: Option<&RatioInterval>) -> RatioFinding {
    let interval = interval.map(|it| Interval {
        low: it.low,
        high: it.high,
        confidence: it.confidence_achieved,
    });
    RatioFinding { value: log_ratio.exp(), interval }
}

/// From an interval of each median over blocks, each with half the error allowed: together they
/// bound the ratio at the confidence asked (Bonferroni).
pub(super) fn unpaired(samples: &[Sample; 2], confidence: Confidence) -> Option<RatioInterval> {
    let each = confidence.shared_among(2);
    let [first, second] = samples.each_ref().map(|own| median_interval(own, each));
    let (first, second) = (first?, second?);
    let (log_low, log_high) = (first.low - second.high, first.high - second.low);
    let confidence_achieved = first.confidence_achieved + second.confidence_achieved - 1.0;
    let (low, high) = (log_low.exp(), log_high.exp());
    Some(RatioInterval { low, high, log_low, log_high, confidence_achieved })
}

/// A cell, and how many units its message has: bytes, or calls of a primitive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rated {
    pub(super) cell: usize,
    pub(super) units: f64,
    /// The cell of what is no work of those units, and is subtracted.
    pub(super) frame: Option<usize>,
}

impl Rated {
    pub(super) fn new(cell: usize, units: f64) -> Self {
        Rated { cell, units, frame: None }
    }
}

impl Judge<'_> {
    /// What is claimed of the time of `first` over that of `second`, a cell of the same blocks.
    pub(super) fn compare(&self, first: usize, second: usize, claimed: Claimed) -> Check {
        let (unit, logs) = series::log_ratios(&self.series[first], &self.series[second]);
        let times = if logs.is_empty() { Times::Missing } else { Times::Paired(unit, logs) };
        let check = Check::new((first, second), Quantity::Time, claimed, times);
        self.in_company(check.estimated(self.levels.confidence))
    }

    /// What is claimed of a number seen in the windows of sessions: of `first` over that of
    /// `second`, or by itself where both are one cell.
    pub(super) fn compare_windows(
        &self,
        windows: &Windows<'_>,
        (first, second): (usize, usize),
        (quantity, of): (Quantity, fn(&SessionsRecord) -> Option<f64>),
        claimed: Claimed,
    ) -> Check {
        let seen = |at: usize| observed(windows, self.cells[at].id, of);
        let (own, other) = (seen(first), seen(second));
        let (unit, _) = paired(&[&own, &other]);
        let over = other.values(unit);
        let log = |(at, value): (&u32, &f64)| {
            let beside = if first == second { 1.0 } else { *over.get(at)? };
            Some((*at, (value / beside).ln()))
        };
        let logs: BTreeMap<u32, f64> = own.values(unit).iter().filter_map(log).collect();
        let times = if logs.is_empty() { Times::Missing } else { Times::Paired(unit, logs) };
        Check::new((first, second), quantity, claimed, times).estimated(self.levels.confidence)
    }

    /// What is claimed of the time of a unit in `first` over that in `second`. Different lengths
    /// are in different blocks, so only launches pair them.
    pub(super) fn compare_rates(
        &self,
        (first, second): (Rated, Rated),
        quantity: Quantity,
        claimed: Claimed,
    ) -> Check {
        let [of_first, of_second] = [first, second].map(|it| self.rates(it, Unit::Launch));
        let log = |(at, rate): (&u32, &f64)| Some((*at, rate - of_second.get(at)?));
        let logs: BTreeMap<u32, f64> = of_first.iter().filter_map(log).collect();
        let sample = |it: Rated| Sample::new(self.rates(it, Unit::Block).into_values().collect());
        let times = match (logs.len() >= LAUNCHES_MIN, sample(first), sample(second)) {
            (true, ..) => Times::Paired(Unit::Launch, logs),
            (false, Ok(first), Ok(second)) => Times::Unpaired(Box::new([first, second])),
            _ => Times::Missing,
        };
        let check = Check::new((first.cell, second.cell), quantity, claimed, times);
        self.in_company(check.estimated(self.levels.confidence))
    }

    /// Where the two take otherwise beside all that they are compared with than by themselves, what
    /// is known lies anywhere between, and further launches by themselves do not tell.
    fn in_company(&self, check: Check) -> Check {
        let Times::Paired(Unit::Launch, logs) = &check.times else { return check };
        let both = [check.first, check.second].map(|at| &self.series[at]);
        let both = series::by_company(logs, both);
        let Some([beside, alone]) = both else { return check };
        let told = |it: &RatioInterval| {
            let figure = Figure::ratio(1.0, Some((it.low, it.high)), self.levels.margin.value());
            figure.ends_in_words().unwrap_or_default()
        };
        let aside = format!(
            "{} in launches of all cells, {} in later launches of these alone: it depends on what \
             else runs, or when",
            told(&beside),
            told(&alone)
        );
        let (log_low, log_high) =
            (beside.log_low.min(alone.log_low), beside.log_high.max(alone.log_high));
        let interval = RatioInterval {
            low: log_low.exp(),
            high: log_high.exp(),
            log_low,
            log_high,
            confidence_achieved: beside.confidence_achieved.min(alone.confidence_achieved),
        };
        Check { interval: Some(interval), aside: Some(aside), depends: true, ..check }
    }

    /// The logarithm of the time of a unit, by launch or block; none where nothing is left of it.
    fn rates(&self, it: Rated, unit: Unit) -> BTreeMap<u32, f64> {
        let frame = it.frame.map(|at| self.series[at].values(unit));
        let own = self.series[it.cell].values(unit).iter().filter_map(|(at, time)| {
            let apart = frame.map_or(Some(0.0), |frame| frame.get(at).copied())?;
            let left = time - apart;
            (left > 0.0).then(|| (*at, (left / it.units).ln()))
        });
        own.collect()
    }
}
