//! The table of an answer: who is in it, and why.

use std::borrow::Cow;

use lab::study::ClassName;

use super::ranked::is_beyond;
use super::words::{grouped, three_digits};
use super::{Behind, ByCaller, CLOSE_NAMED, ClassAnswer, Recommendation, Rival, Row};

/// The head of the table of entries.
pub(crate) const HEAD: [&str; 6] = ["MAC@library", "call", "per message", "95 %", "per second", ""];

/// Why somebody is in the table.
pub(crate) type Role = Cow<'static, str>;

/// A row of the table, and why it is there.
pub(crate) struct Entry<'a> {
    pub(crate) row: &'a Row,
    pub(crate) roles: Vec<Role>,
}

impl Entry<'_> {
    /// What stands below each word of the head.
    pub(crate) fn cells(&self) -> [String; 6] {
        let (row, time) = (self.row, self.row.message_ns.time());
        [
            row.name(),
            row.batch.map_or(row.call.to_string(), |size| format!("{} of {size}", row.call)),
            time.value(),
            time.ends(),
            grouped(three_digits(row.per_core_second.value)),
            self.roles.join(", "),
        ]
    }
}

impl Recommendation {
    /// Who is named, from the fastest on.
    pub(crate) fn entries(&self) -> Vec<Entry<'_>> {
        let mut entries: Vec<Entry<'_>> = Vec::new();
        for (row, role) in self.named() {
            match entries.iter_mut().find(|it| it.row.is(row) && it.row.call == row.call) {
                Some(known) => known.roles.extend(role),
                None => entries.push(Entry { row, roles: role.into_iter().collect() }),
            }
        }
        sorted(entries)
    }

    /// Who is named and everybody else that was measured on, from the fastest on.
    pub(crate) fn everybody(&self) -> Vec<Entry<'_>> {
        let mut entries = self.entries();
        for row in &self.candidates {
            if !entries.iter().any(|it| it.row.is(row) && it.row.call == row.call) {
                entries.push(Entry { row, roles: vec![] });
            }
        }
        sorted(entries)
    }

    /// Who is in the table, and why.
    pub(super) fn named(&self) -> Vec<(&Row, Option<Role>)> {
        fn as_a<'a>(row: &'a Row, role: &'static str) -> (&'a Row, Option<Role>) {
            (row, Some(role.into()))
        }
        let answer = self.answer();
        let role = match (self.is_told(), self.stays()) {
            (false, _) => "seems fastest",
            (true, false) if self.is_for_several() => "fastest of one caller",
            (true, false) => "use",
            (true, true) if answer.name == ClassName::Wide => "fastest widely used",
            (true, true) => "fastest",
        };
        let shared = self.together.iter().flat_map(|it| &it.each);
        let use_from = |it: &ByCaller| Some(format!("use from {}", it.language).into());
        let mut named: Vec<_> = shared.map(|it| (&it.row, use_from(it))).collect();
        named.push(as_a(&answer.best, role));
        let close = answer.close.iter().take(CLOSE_NAMED - 1);
        let closeness = |it| self.closeness(it).map(|it| it.word().into());
        named.extend(close.map(|it| (&it.row, closeness(it))));
        let next = if answer.close.is_empty() { "next" } else { "shown slower" };
        named.extend(answer.runner_up.iter().map(|it| as_a(&it.row, next)));
        named.extend(self.other_library().map(|it| as_a(&it.row, "other library")));
        let from = |language: &str| Some(format!("from {language}").into());
        let callers = answer.for_callers.iter().filter_map(|it| Some((it, it.rival.as_ref()?)));
        named.extend(callers.map(|(it, rival)| (&rival.row, from(&it.language))));
        named.extend(answer.one_at_a_time.iter().map(|it| as_a(&it.row, "one at a time")));
        let one = !self.is_for_several();
        let free = self.unconditional.iter().filter(|_| one);
        named.extend(free.map(|it| as_a(it, "no caveats")));
        let all = self.class(&ClassName::All);
        let all = all.filter(|it| one && (self.is_told() || !it.best.is(&answer.best)));
        named.extend(all.map(|it| as_a(&it.best, self.of_all_role(it))));
        named.extend(self.class(&ClassName::SameMac).map(|it| as_a(&it.best, "same MAC")));
        named.extend(self.today.iter().map(|it| as_a(&it.row, "today")));
        named
    }

    /// Within the margin of the answer it is not told as faster.
    fn of_all_role(&self, all: &ClassAnswer) -> &'static str {
        let best = &self.answer().best;
        let answer = all.close.iter().find(|it| it.row.is(best) && !all.best.is(best));
        match (self.is_told(), answer.and_then(|it| self.closeness(it))) {
            (false, _) if self.unmeasured > 0 => "seems fastest measured",
            (false, _) => "seems fastest of all",
            (true, Some(Closeness::LikelySlower)) => "likely fastest of all",
            (true, Some(close)) => close.word(),
            (true, None) => "fastest of all",
        }
    }

    /// How close one is that is not shown to be slower; `None` where nothing can be said. The test
    /// takes all candidates together, and an interval is of one pair.
    pub(super) fn closeness(&self, rival: &Rival) -> Option<Closeness> {
        match rival.to_best.verdict {
            Behind::AsFast => Some(Closeness::AsFast),
            Behind::TooClose if is_beyond(&rival.to_best, self.margin) => {
                Some(Closeness::LikelySlower)
            }
            Behind::TooClose => Some(Closeness::Open),
            Behind::Slower | Behind::Faster | Behind::CannotSay => None,
        }
    }
}

/// How close a candidate is to the best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Closeness {
    /// As fast within the margin.
    AsFast,
    /// Neither slower nor as fast.
    Open,
    /// Slower by its own interval, but not by the test of all.
    LikelySlower,
}

impl Closeness {
    /// In a table.
    fn word(self) -> &'static str {
        match self {
            Self::AsFast => "as fast",
            Self::Open => "too close",
            Self::LikelySlower => "likely slower",
        }
    }
}

fn sorted(mut entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    entries.sort_by(|a, b| a.row.message_ns.value.total_cmp(&b.row.message_ns.value));
    entries
}
