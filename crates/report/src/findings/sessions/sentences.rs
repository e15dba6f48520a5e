//! Answers and doubts about sessions in words.

use lab::regimes::sessions::Sessions;

use super::loads::{load_words, place_words, serving_words, thousands};
use super::{
    ACCOUNTS_AGREE, CapacityFinding, CapacityTable, Carried, LoadFinding, SessionsFinding,
    SessionsRow, Source, received, windows,
};
use crate::findings::key_life_words;
use crate::findings::{Headline, in_words};
use crate::format::{self, Figure};
use crate::regimes::sessions::binding_words;

/// Names of the columns of a table of capacities.
#[must_use]
pub fn column_words(table: &CapacityTable) -> Vec<String> {
    let all: Vec<Sessions> = table.regimes.iter().filter_map(|it| it.sessions()).collect();
    let places = all.iter().any(|it| it.binding != all[0].binding);
    let name = |it: &Sessions| {
        let served = serving_words(it.serving);
        if places { format!("{served}, {}", binding_words(it.binding)) } else { served.into() }
    };
    all.iter().map(name).collect()
}

impl SessionsFinding {
    /// The load that speaks for all at a length: on the most processors, with the most sessions; of
    /// several ways to serve them, the one in which the best candidate takes least.
    fn spoken_for(&self, len_bytes: u64) -> Option<&LoadFinding> {
        let key = |it: &LoadFinding| (it.processors, it.sessions);
        let most = self.at(len_bytes).map(key).max()?;
        let least = |it: &&LoadFinding| {
            let best = it.rows.first().and_then(|row| row.apparent_ns);
            best.map_or(f64::INFINITY, |ns| ns.value)
        };
        let widest = self.at(len_bytes).filter(|it| key(it) == most);
        widest.min_by(|x, y| least(x).total_cmp(&least(y)))
    }

    /// Whether the order at a length is the same on other processors, a sentence for each of these.
    #[must_use]
    pub fn order_words(&self, len_bytes: u64) -> Vec<String> {
        let own = self.orders.iter().filter(|it| it.len_bytes == len_bytes);
        let told = own.map(|it| {
            let [fewest, other] = it.loads.map(|at| self.short(&self.loads[at]));
            let pairs = it.order.n * (it.order.n - 1) / 2;
            format!(
                "By absolute processing Kendall's tau between the orders of {} MACs {fewest} and \
                 {other} is {:.2}: of {pairs} pairs {} are in opposite orders.",
                it.order.n, it.order.tau, it.order.discordant
            )
        });
        told.collect()
    }
}

/// In which window loads were measured, what was adjusted and why: a sentence for those alike.
#[must_use]
pub fn settled_words(loads: &[&LoadFinding]) -> Vec<String> {
    type Same<'a> = ([f64; 2], &'a [String], Vec<String>);
    let mut alike: Vec<Same> = Vec::new();
    for load in loads {
        let Some(window) = load.window_ms else { continue };
        let name = load_words(load);
        // A sentence may have the number of sessions in it, so only equal ones are alike.
        match alike.iter_mut().find(|it| (it.0, it.1) == (window, &load.adjusted[..])) {
            Some(known) => known.2.push(name),
            None => alike.push((window, &load.adjusted, vec![name])),
        }
    }
    let all = alike.len() == 1;
    let told = |([from, to], adjusted, names): &Same| {
        let (from, to) = (format::tick(*from), format::tick(*to));
        let ends: Vec<&str> = adjusted.iter().map(|it| it.trim_end_matches('.')).collect();
        let adjusted = match ends.is_empty() {
            true => "nothing was adjusted".into(),
            false => format!("adjusted: {}", ends.join("; ")),
        };
        let nice = loads.iter().find_map(|it| it.nice);
        let nice = nice.map_or(String::new(), |it| format!("; the sessions ran at nice {it}"));
        let whose = if all { "Window".into() } else { format!("{}: window", format::list(names)) };
        format!("{whose} from {from} to {to} ms; {adjusted}{nice}.")
    };
    alike.iter().map(told).collect()
}

/// What was asked of each session: `100 messages a second each, 99 % of them within 10 ms`.
#[must_use]
pub fn asked_words(it: &CapacityFinding) -> String {
    format!(
        "{} messages per second each, {} % of them done within {} ms of being due",
        format::tick(it.rate_per_s),
        format::tick(it.tail_quantile * 100.0),
        format::tick(it.tail_ms)
    )
}

/// Sessions at the longest messages, one a part and panel; then capacities.
pub(crate) fn headlines(
    source: Source,
    sessions: &[SessionsFinding],
    capacities: &[CapacityFinding],
) -> Vec<Headline> {
    let of_sessions = sessions.iter().filter_map(|set| {
        let load = set.spoken_for(set.lengths().last().copied()?)?;
        known_best(source, sessions, set, load)
    });
    let mut all: Vec<Answer> = Vec::new();
    for answer in of_sessions {
        // Two parts may have the same load: the one with more to say speaks.
        match all.iter_mut().find(|it| it.headline.context == answer.headline.context) {
            Some(known) if known.statements < answer.statements => *known = answer,
            Some(_) => {}
            None => all.push(answer),
        }
    }
    let of_capacity = capacities
        .iter()
        .flat_map(|it| it.tables.iter().filter_map(|table| capacity_headline(source, it, table)));
    // The first part answers, by its first panel, then what the machine carries, then the others.
    let mut all = all.into_iter().map(|it| it.headline);
    all.next().into_iter().chain(of_capacity).chain(all).collect()
}

/// What is said of a load, and how many statements that is.
struct Answer {
    headline: Headline,
    statements: usize,
}

/// What is said of a load: by the part where it has an interval, if another one has the same load.
fn known_best(
    source: Source,
    sessions: &[SessionsFinding],
    set: &SessionsFinding,
    load: &LoadFinding,
) -> Option<Answer> {
    let own = sessions_headline(source, set, load)?;
    let is_known = |it: &LoadFinding| {
        it.rows.first().and_then(|row| row.apparent_ns).is_some_and(|it| it.interval.is_some())
    };
    if is_known(load) {
        return Some(own);
    }
    let others = sessions.iter().flat_map(|set| set.loads.iter().map(move |it| (set, it)));
    let alike = others.filter(|(_, it)| it.len_bytes == load.len_bytes && is_known(it));
    let mut told = alike.filter_map(|(set, it)| sessions_headline(source, set, it));
    told.find(|it| it.headline.context == own.headline.context).or(Some(own))
}

/// `0.31 cycles per byte apparent (95 % 0.30–0.32)`.
fn costs(row: &SessionsRow) -> Option<String> {
    let ends = |it: &Figure| match it.known_ends() {
        Some(ends) => format!(" (95 % {ends})"),
        None => " (too few launches for an interval)".into(),
    };
    let in_cycles = row.apparent_cycles_per_byte.map(|it| (it, row.absolute_cycles_per_byte));
    if let Some((apparent, absolute)) = in_cycles {
        let absolute = absolute.map_or(String::new(), |it| {
            let share = if row.offloads { ", the processor’s share only" } else { "" };
            let it = it.figure();
            format!("; {} absolute{}{share}", it.value(), ends(&it))
        });
        let apparent = apparent.figure();
        let value = apparent.value();
        return Some(format!("{value} cycles per byte apparent{}{absolute}", ends(&apparent)));
    }
    let apparent = row.apparent_ns?.time();
    Some(format!("{} per message apparent{}", apparent.value(), ends(&apparent)))
}

fn panel_words(source: Source, panel: &str) -> String {
    let panels = &source.run.study.panels;
    let own = panels.iter().find(|it| it.name == panel).filter(|_| panels.len() > 1);
    own.map_or(String::new(), |it| format!(" · {}", it.title))
}

fn sessions_headline(source: Source, set: &SessionsFinding, load: &LoadFinding) -> Option<Answer> {
    let best = load.rows.first().filter(|row| row.rank.is_some())?;
    let rivals = load.rows.iter().skip(1);
    let rivals = rivals.filter(|row| row.best_of_mac && row.tied_with_best);
    let mut tied: Vec<String> = rivals.map(|row| in_words(&row.candidate)).collect();
    let more = tied.len().saturating_sub(2);
    tied.truncate(2);
    tied.extend((more > 0).then(|| format!("{more} more")));
    let mut detail = vec![costs(best)?];
    if !tied.is_empty() {
        detail.push(format!("tied with {}", format::list(&tied)));
    }
    let disturbed = best.windows.and_then(|it| it.received).filter(|it| it.disturbed > 0);
    detail.extend(disturbed.map(|_| "in windows disturbed by other programs".to_owned()));
    detail.extend(unserved_words(load));
    let speed_up = best.speed_up.map(|it| it.figure(source.levels.margin.value()));
    if let Some((ratio, ends)) = speed_up.and_then(|it| Some((it.times(), it.known_ends()?))) {
        detail.push(format!("{ratio} the throughput of one processor (95 % {ends})"));
    }
    let len = format::bytes(load.len_bytes);
    let part = source.run.study.parts.get(set.part);
    let mix = part.is_some_and(|it| it.sessions.mix.is_some());
    let len = if mix { format!("mixed lengths, {len} on average") } else { len };
    let panel = panel_words(source, &set.panel);
    let several = part.is_some_and(|it| it.key_lives.len() > 1);
    let key = if several { format!(", {}", key_life_words(set.key_life)) } else { String::new() };
    let context = format!("{len}, {}{key}{panel}", load_words(load));
    let (answer, statements) = (in_words(&best.candidate), detail.len());
    let detail = detail.join("; ");
    let headline = Headline {
        sentence: format!("{context}: {answer}, {detail}."),
        context,
        answer,
        detail,
        beside: vec![],
        group: set.head().into(),
        len_bytes: Some(load.len_bytes),
    };
    Some(Answer { headline, statements })
}

/// `6,672 sessions of hmac-sha1 from openssl[sha-ni] had no message done in a window`: of the
/// candidate with most of them.
#[must_use]
pub fn unserved_words(load: &LoadFinding) -> Option<String> {
    let served = load.rows.iter().filter_map(|row| Some((row, row.windows?.served)));
    let (row, least) = served.min_by(|one, other| one.1.total_cmp(&other.1))?;
    let missing = (1.0 - least) * f64::from(load.sessions?);
    let missing = (least < 1.0).then(|| missing.round().max(1.0))?;
    let plural = if missing == 1.0 { "session" } else { "sessions" };
    let (missing, who) = (thousands(missing), in_words(&row.candidate));
    Some(format!("{missing} {plural} of {who} completed no message in a window"))
}

impl Carried {
    /// The number of sessions, to as many digits as it is worth: `31,200`, and `~31,000` without an
    /// interval, where it is from a search that ends when it knows the number to 4 %.
    pub(crate) fn in_thousands(&self) -> String {
        let value = self.sessions.value;
        if self.sessions.interval.is_some() {
            return thousands(rounded(value, step_of(value) / 10.0));
        }
        // Between 1 and 2 a tenth is more than the search leaves open.
        let step = step_of(value);
        let step = if value < 20.0 * step { step / 2.0 } else { step };
        format!("~{}", thousands(rounded(value, step)))
    }

    /// The interval of the number of sessions, rounded outward: `30,600–31,300`.
    pub(crate) fn ends_in_thousands(&self) -> Option<String> {
        let (low, high) = self.sessions.ends()?;
        let step = (step_of(self.sessions.value) / 10.0).max(1.0);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Some(format!("{}–{}", thousands(low), thousands(high)))
    }
}

/// What the second digit of a number counts: 1,000 in 31,200.
fn step_of(value: f64) -> f64 {
    10_f64.powf(value.max(1.0).log10().floor() - 1.0)
}

/// In whole steps, of which none is smaller than 1.
fn rounded(value: f64, step: f64) -> f64 {
    let step = step.max(1.0);
    (value / step).round() * step
}

/// `31,200 (95 % 30,600–31,300)`.
fn carried_words(it: &Carried) -> String {
    let ends = match it.ends_in_thousands() {
        Some(ends) => format!(" (95 % {ends})"),
        None => " (too few launches for an interval)".into(),
    };
    format!("{}{ends}", it.in_thousands())
}

fn capacity_headline(
    source: Source,
    finding: &CapacityFinding,
    table: &CapacityTable,
) -> Option<Headline> {
    let best = table.rows.first()?;
    let (column, most) = best.most()?;
    let serving = |column: usize| table.regimes[column].sessions();
    let named = |column: usize| serving(column).map_or("", |it| serving_words(it.serving));
    let binding = serving(column)?.binding;
    let others = best.carried.iter().enumerate().filter(|(at, _)| *at != column);
    let others = others
        .filter_map(|(at, it)| Some(format!("{}: {}", named(at), carried_words(it.as_ref()?))));
    let mut detail = vec![format!("{}: {}", named(column), carried_words(most))];
    detail.extend(others);
    let context = format!(
        "{} messages, {} per second each, {} % within {} ms, {}{}",
        format::bytes(table.len_bytes),
        format::tick(finding.rate_per_s),
        format::tick(finding.tail_quantile * 100.0),
        format::tick(finding.tail_ms),
        place_words(binding, source.processors(binding)),
        source
            .groups
            .iter()
            .find(|it| it.name == finding.head())
            .map_or(String::new(), |it| panel_words(source, &it.panel)),
    );
    let answer = in_words(&best.candidate);
    let detail = format!("sessions sustained, {}", detail.join("; "));
    Some(Headline {
        sentence: format!("{context}: {answer}; {detail}."),
        context,
        answer,
        detail,
        beside: vec![],
        group: finding.head().into(),
        len_bytes: Some(table.len_bytes),
    })
}

/// What must be said about sessions as a whole.
pub(crate) fn warnings(source: Source, sessions: &[SessionsFinding]) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    said.extend(received::warning(source.run, &windows::by_cell(source.run)));
    let titles = |set: &SessionsFinding| {
        source.run.study.parts.get(set.part).map_or("", |it| it.title.as_str()).to_owned()
    };
    let mut differing: Vec<(String, Vec<String>)> = Vec::new();
    for set in sessions {
        for load in &set.loads {
            let about =
                format!("{}, {}, {}", titles(set), format::bytes(load.len_bytes), load_words(load));
            let doubts = load.doubts.iter();
            said.extend(doubts.map(|it| format!("{about}: {}", it.trim_end_matches('.'))));
            let off = load.rows.iter().filter(|row| row.accounts_differ());
            let off: Vec<String> = off.map(|row| row.candidate.to_string()).collect();
            match differing.iter_mut().find(|it| it.0 == about) {
                Some(known) => known.1.extend(off),
                None => differing.push((about, off)),
            }
        }
    }
    for (about, off) in differing {
        let Some((first, more)) = off.split_first() else { continue };
        let more =
            if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        said.push(format!(
            "{about}: processor time by the threads' clocks and by the system's account of the \
             process differ by more than {} for {first}{more}",
            format::percent(ACCOUNTS_AGREE)
        ));
    }
    let offloaded = |row: &SessionsRow| row.offloads;
    if sessions.iter().flat_map(|it| &it.loads).flat_map(|it| &it.rows).any(offloaded) {
        said.push(OFFLOADED.into());
    }
    let mut once: Vec<String> = Vec::new();
    said.into_iter().for_each(|it| {
        if !once.contains(&it) {
            once.push(it)
        }
    });
    once
}

/// Of a candidate whose work is done elsewhere.
const OFFLOADED: &str = "Where the work is not done by the sessions' threads (marked ‡), the \
                         absolute figure has only the processor time of those threads; the \
                         apparent one has all of it";

impl SessionsRow {
    /// Whether an independent count of its processor time says otherwise. One that leaves its work
    /// to others is no case of that.
    #[must_use]
    pub fn accounts_differ(&self) -> bool {
        let share = self.windows.and_then(|it| it.cpu_to_process);
        !self.offloads && share.is_some_and(|it| (it - 1.0).abs() > ACCOUNTS_AGREE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Interval;
    use crate::findings::sessions::{AtCapacity, Estimate};

    #[test]
    fn a_capacity_has_as_many_digits_as_it_is_worth() {
        let told = |value: f64, ends: Option<(f64, f64)>| {
            let interval = ends.map(|(low, high)| Interval { low, high, confidence: 0.95 });
            let sessions = Estimate { value, interval };
            let at_capacity = AtCapacity::default();
            let (tied_with_best, tail_ns) = (false, None);
            let it = Carried { cell: 0, sessions, tied_with_best, tail_ns, trials: 9, at_capacity };
            carried_words(&it)
        };
        let without = |value| told(value, None).split(' ').next().unwrap().to_owned();
        assert_eq!(without(31_234.0), "~31,000");
        assert_eq!(without(12_345.0), "~12,500");
        assert_eq!(without(98_765.0), "~99,000");
        assert_eq!((without(437.0).as_str(), without(9.0).as_str()), ("~440", "~9"));
        assert!(told(31_234.0, None).ends_with("(too few launches for an interval)"));
        let with = told(31_234.0, Some((30_611.0, 31_287.0)));
        assert_eq!(with, "31,200 (95 % 30,600–31,300)");
    }
}
