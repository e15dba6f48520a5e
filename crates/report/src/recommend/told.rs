//! The answer for a terminal: one screen.

use lab::cell::KeyLife;

use super::{
    ALL, Behind, CallAdvice, Change, ClassAnswer, Recommendation, Rival, Row, SAME, Today, WIDE,
    Worth,
};
use crate::format::{self, bytes, list, percent, three};
use crate::terminal::{table_within, wrapped};

/// Lines of the answer.
pub const LINES_MAX: usize = 40;

/// Those that are too close to the best, by name; and lines of each list below the table.
const CLOSE_NAMED: usize = 3;
const LIST_MAX: usize = 4;

impl Recommendation {
    /// For a terminal of this width: at most [`LINES_MAX`] lines of 80 columns.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let width = width.min(100);
        let mut head = vec![format!("{}.", self.asked), self.use_line()];
        head.extend(self.today.as_ref().map(|it| self.today_line(it)));
        head.extend(
            self.today.as_ref().and_then(|it| it.call_advice.as_ref()).map(|it| self.call_line(it)),
        );
        head.extend(self.of_all());
        let lines = |all: &[String], indent: &str| {
            let each: Vec<String> = all.iter().map(|it| wrapped(it, width, indent)).collect();
            each.join("\n")
        };
        let mut blocks = vec![lines(&head, ""), self.table(width)];
        let changes: Vec<String> = self.changes.iter().map(|it| self.change_line(it)).collect();
        for (title, all) in [("What would change the answer", &changes), ("To know", &self.to_know)]
        {
            if !all.is_empty() {
                let most = all.len().min(LIST_MAX);
                blocks.push(format!("{title}:\n{}", lines(&all[..most], "  ")));
            }
        }
        blocks.push(wrapped(&self.rests_on(), width, ""));
        let text = blocks.join("\n\n");
        if text.lines().count() <= LINES_MAX { text } else { blocks.join("\n") }
    }

    /// Whether there are intervals at all.
    fn is_told(&self) -> bool {
        self.answer().best.message_ns.interval.is_some()
    }

    fn use_line(&self) -> String {
        let answer = self.answer();
        let figures = figures(&answer.best);
        if !self.is_told() {
            return format!(
                "Cannot say: {} launches are too few for an interval; {} seems fastest, with \
                 {figures}. A larger --budget decides it.",
                self.launches,
                answer.best.name()
            );
        }
        let who = called(&answer.best);
        let widely = if answer.name == WIDE { "of what is widely used" } else { "of all" };
        let stays = self.today.as_ref().is_some_and(|it| it.verdict == Worth::IsTheAnswer);
        let verb = if stays { "Stay with" } else { "Use" };
        let close = self.close(answer);
        let fastest = match (&close[..], &answer.runner_up) {
            ([], Some(it)) => format!(
                "It is the fastest {widely}; next is {}, {} as long",
                it.row.name(),
                ratio(it, self.margin)
            ),
            ([], None) => format!("It is all there is {widely}"),
            (close, _) => format!("{} {widely}", close.join("; ")),
        };
        format!("{verb} {who}: {figures}. {fastest}.")
    }

    /// Those that are not shown to be slower, in words.
    fn close(&self, answer: &ClassAnswer) -> Vec<String> {
        let of = |verdict: Behind| {
            let own = answer.close.iter().filter(|it| it.to_best.verdict == verdict);
            own.map(|it| format!("{} ({})", it.row.name(), ends(it, self.margin)))
                .collect::<Vec<_>>()
        };
        let named = |all: Vec<String>| {
            let more = all.len().saturating_sub(CLOSE_NAMED);
            let mut first: Vec<String> = all.into_iter().take(CLOSE_NAMED).collect();
            first.extend((more > 0).then(|| format!("{more} more")));
            list(&first)
        };
        let (equal, open) = (of(Behind::AsFast), of(Behind::TooClose));
        let margin = percent(self.margin);
        let mut told = Vec::new();
        if !equal.is_empty() {
            told.push(format!("As fast within {margin}: {}", named(equal)));
        }
        if !open.is_empty() {
            told.push(format!("Too close to call beside {}", named(open)));
        }
        told
    }

    fn today_line(&self, today: &Today) -> String {
        let name = called(&today.row);
        let takes = today.row.message_ns.time().value();
        let at_rate = |cores: f64| {
            let rate = self.rate_per_s.map(grouped).unwrap_or_default();
            format!("at {rate} messages a second that is {} of a core", percent(two(cores)))
        };
        let Some(against) = today.to_best.filter(|_| today.verdict != Worth::CannotSay) else {
            return match today.verdict {
                Worth::IsTheAnswer => {
                    let cores = today.cores.map(|it| format!("; {}", at_rate(it)));
                    format!("Today: the same{}. Nothing to change.", cores.unwrap_or_default())
                }
                _ => format!("Today: {name}, {takes}. Cannot say whether that is slower."),
            };
        };
        let ratio = against.ratio.ratio(self.margin);
        let interval = ratio.ends_in_words().unwrap_or_default();
        if today.verdict == Worth::NotSlower {
            let word = match against.verdict {
                Behind::AsFast => format!("as fast within {}", percent(self.margin)),
                _ => "too close to call".into(),
            };
            return format!(
                "Today: {name}, {takes}: {} as long ({interval}), {word}. No reason to change.",
                ratio.times()
            );
        }
        let saved = today.saved_ns.map(|it| it.time().value()).unwrap_or_default();
        let worth = match today.cores_saved {
            Some(cores) => {
                let verdict = match today.verdict {
                    Worth::WorthChanging => "worth changing",
                    _ => "not worth changing",
                };
                format!("{}: {verdict}", at_rate(cores))
            }
            None => {
                let from = today.worth_from_per_s.map(|it| grouped(two(it))).unwrap_or_default();
                format!("that is 1 % of a core at {from} messages a second (--rate)")
            }
        };
        format!(
            "Today: {name}, {takes}. The change is {} faster ({interval}), {saved} of {takes}; \
             {worth}.",
            ratio.times()
        )
    }

    fn call_line(&self, advice: &CallAdvice) -> String {
        let times = advice.ratio.ratio.ratio(self.margin);
        let [slow, better] = [&advice.slow_ns, &advice.better_ns].map(|value| value.time().value());
        let (slow_call, better_call) = (call_words(advice.slow), call_words(advice.better));
        let ratio = format!("{} ({})", times.times(), times.ends_in_words().unwrap_or_default());
        if advice.is_used {
            format!(
                "The call is slow, whatever the MAC: {better_call} instead of {slow_call} takes \
                 {better} instead of {slow}, {ratio} faster, with the same tags."
            )
        } else {
            format!(
                "If it is called by {slow_call}, it takes {slow}: {better_call} is {ratio} faster, \
                 with the same tags."
            )
        }
    }

    /// The fastest of all, and today's mac elsewhere, where they are not the answer.
    fn of_all(&self) -> Vec<String> {
        let answer = self.answer();
        let mut told = Vec::new();
        if let Some(all) = self.class(ALL).filter(|it| it.name != answer.name)
            && !all.best.is(&answer.best)
        {
            let saves = answer.best.message_ns.value / all.best.message_ns.value;
            told.push(format!(
                "Fastest of all that may be used: {}, {}, {} faster; it is less widely used, or \
                 asks for something (below).",
                all.best.name(),
                all.best.message_ns.time().value(),
                format::times(saves)
            ));
        }
        let same = self.class(SAME).filter(|it| !it.best.is(&answer.best));
        if let (Some(same), Some(today)) = (same, &self.today)
            && !same.best.is(&today.row)
        {
            let is_today = |it: &&Rival| it.row.is(&today.row);
            let behind = same.close.iter().find(is_today);
            told.push(match behind {
                Some(_) => format!(
                    "The same MAC elsewhere: none is shown to be faster than {}.",
                    today.row.provider
                ),
                None => format!(
                    "The same MAC elsewhere, with the same tags: {}, {}.",
                    same.best.name(),
                    same.best.message_ns.time().value()
                ),
            });
        }
        told
    }

    fn change_line(&self, change: &Change) -> String {
        match change {
            Change::MessagesPerKey { from, below, other } => {
                let ratio = other.ratio.ratio.ratio(self.margin).times();
                let about = |value: &super::Value| grouped(two(value.value).round());
                match (from, below) {
                    (Some(from), _) => format!(
                        "messages per key: from about {} on {}; {ratio} faster with a key kept for \
                         good",
                        about(from),
                        other.name()
                    ),
                    (_, Some(below)) => format!(
                        "messages per key: below about {} {}; {ratio} faster with a new key for \
                         each",
                        about(below),
                        other.name()
                    ),
                    _ => format!("other keys: {}, up to {ratio} faster", other.name()),
                }
            }
            Change::Length { lengths_bytes, other } => {
                let lengths: Vec<String> = lengths_bytes.iter().map(|&it| bytes(it)).collect();
                format!(
                    "messages of {} alone: {}, {} faster",
                    list(&lengths),
                    other.name(),
                    other.ratio.ratio.ratio(self.margin).times()
                )
            }
        }
    }

    /// Everybody who is named, from the fastest on.
    fn table(&self, width: usize) -> String {
        let mut rows: Vec<(&Row, Vec<&str>)> = Vec::new();
        for (row, role) in self.named() {
            match rows.iter_mut().find(|(known, _)| known.is(row) && known.call == row.call) {
                Some((_, roles)) => roles.push(role),
                None => rows.push((row, vec![role])),
            }
        }
        rows.sort_by(|a, b| a.0.message_ns.value.total_cmp(&b.0.message_ns.value));
        let head = ["MAC @ library", "call", "a message", "95 %", "per core-second", ""];
        let cells = rows.iter().map(|(row, roles)| {
            let time = row.message_ns.time();
            vec![
                row.name(),
                row.call.to_string(),
                time.value(),
                time.ends(),
                grouped(three_digits(row.per_core_second.value)),
                roles.join(", "),
            ]
        });
        table_within(&head, cells.collect(), &[0, 1, 5], &[3, 1], width).trim_end().to_owned()
    }

    /// Who is in the table, and why.
    fn named(&self) -> Vec<(&Row, &'static str)> {
        let answer = self.answer();
        let mut named = vec![(&answer.best, if self.is_told() { "use" } else { "seems fastest" })];
        let close = answer.close.iter().take(CLOSE_NAMED - 1);
        named.extend(close.map(|it| match it.to_best.verdict {
            Behind::AsFast => (&it.row, "as fast"),
            Behind::CannotSay => (&it.row, ""),
            _ => (&it.row, "too close"),
        }));
        named.extend(answer.runner_up.iter().map(|it| (&it.row, "runner-up")));
        named.extend(self.class(ALL).map(|it| (&it.best, "fastest of all")));
        named.extend(self.class(SAME).map(|it| (&it.best, "same MAC")));
        named.extend(self.today.iter().map(|it| (&it.row, "today")));
        named
    }

    fn rests_on(&self) -> String {
        let doubts: Vec<String> = self.doubts.iter().map(|it| format!(" Doubt: {it}.")).collect();
        let went_on = match self.looked_at.saturating_sub(self.measured) {
            0 => format!("{} candidates", self.measured),
            _ => format!("{} of {} candidates after a first look", self.measured, self.looked_at),
        };
        format!(
            "{went_on}, {} launches, {}; differences under {} count as none. Run {}, {}.{}",
            self.launches,
            self.cpu_model,
            percent(self.margin),
            self.run,
            format::date(self.measured_unix_s),
            doubts.concat()
        )
    }
}

fn called(row: &Row) -> String {
    format!("{}, {}", row.name(), call_words(row.call))
}

/// What a call is, in a word or two.
fn call_words(call: KeyLife) -> &'static str {
    match call {
        KeyLife::Prepared => "the key kept (prepared)",
        KeyLife::NewKey => "a new key each (new-key)",
        KeyLife::OneShot => "the one call for all (one-shot)",
    }
}

/// `1.21 µs a message (95 % interval 1.20 to 1.23), 826,000 per core-second`.
fn figures(row: &Row) -> String {
    let time = row.message_ns.time();
    let interval = time.ends_in_words().map(|ends| format!(" (95 % interval {ends})"));
    let rate = grouped(three_digits(row.per_core_second.value));
    format!("{} a message{}, {rate} a second on a core", time.value(), interval.unwrap_or_default())
}

/// `1.30 × (1.25 to 1.36)`.
fn ratio(rival: &Rival, margin: f64) -> String {
    let figure = rival.to_best.ratio.ratio(margin);
    let ends = figure.ends_in_words().map(|ends| format!(" ({ends})"));
    format!("{}{}", figure.times(), ends.unwrap_or_default())
}

/// `0.99 to 1.04 ×`.
fn ends(rival: &Rival, margin: f64) -> String {
    let figure = rival.to_best.ratio.ratio(margin);
    figure.ends_in_words().map_or_else(|| figure.times(), |ends| format!("{ends} ×"))
}

/// Three and two significant digits of a number that is counted.
fn three_digits(value: f64) -> f64 {
    to_digits(value, 3)
}

fn two(value: f64) -> f64 {
    to_digits(value, 2)
}

fn to_digits(value: f64, digits: i32) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(value.log10().floor() as i32 + 1 - digits);
    (value / scale).round() * scale
}

/// `826,000`; below 10 with its decimals.
fn grouped(value: f64) -> String {
    if value < 10.0 && value.fract() != 0.0 {
        return three(value);
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
