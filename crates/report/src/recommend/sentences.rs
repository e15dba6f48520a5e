//! The answer in sentences, and who is named in it: the same on a terminal and on a page.

use super::entries::{CLOSE_NAMED, Closeness};
use super::words::{
    called, ends, faster, figures, first_of, grouped, named_call, ratio, share, two, two_down,
    two_up,
};
use super::{
    ALL, Behind, CallAdvice, Change, ClassAnswer, Recommendation, Rival, Row, SAME, Today, WIDE,
    WORTH_CORES, Worth,
};
use crate::format::{self, bytes, list, percent};

impl Recommendation {
    /// The answer, a paragraph each.
    pub(crate) fn answer_in_sentences(&self) -> Vec<String> {
        let mut told = Vec::new();
        match &self.today {
            Some(today) if self.is_told() => {
                told.extend(self.verdict(today));
                told.push(self.answer_line());
                told.extend(self.today_line(today));
                told.extend(today.call_advice.as_ref().map(|it| self.call_line(it)));
            }
            Some(today) => {
                // What needs no measurement is told without one.
                let is_sure = today.verdict == Worth::DoesNotFit;
                told.extend(self.verdict(today).filter(|_| is_sure));
                told.push(self.answer_line());
            }
            None => told.push(self.answer_line()),
        }
        told.extend(self.elsewhere());
        told.extend(self.without_conditions());
        told.extend(self.of_all());
        told
    }

    /// Whether this is the answer, or not shown to be slower than it.
    pub(crate) fn is_answer(&self, row: &Row) -> bool {
        let answer = self.answer();
        let mut all = answer.close.iter().map(|it| &it.row).chain([&answer.best]);
        all.any(|it| it.is(row) && it.call == row.call)
    }

    /// Whether this is what is used today, by the call that is used.
    pub(crate) fn is_today(&self, row: &Row) -> bool {
        self.today.as_ref().is_some_and(|it| it.row.is(row) && it.row.call == row.call)
    }

    /// Whether there are intervals.
    pub(super) fn is_told(&self) -> bool {
        self.answer().best.message_ns.interval.is_some()
    }

    /// What to do about what is used today; nothing where the answer says it.
    fn verdict(&self, today: &Today) -> Option<String> {
        let name = today.row.name();
        let at_rate = |cores: Option<f64>| {
            let rate = self.rate_per_s.map(grouped).unwrap_or_default();
            let cores = cores.map(share).unwrap_or_default();
            format!("{cores} at {rate} messages per second")
        };
        match today.verdict {
            Worth::DoesNotFit => {
                let why =
                    today.why_not.as_deref().unwrap_or("it does not meet what is needed here");
                Some(format!("Change from {name}, however fast it is: {why}."))
            }
            Worth::IsTheAnswer => Some(format!("Stay with {name}: it is the answer.")),
            Worth::NotSlower => {
                let what = match self.answer().name == WIDE {
                    true => "nothing widely used",
                    false => "nothing that may be used",
                };
                Some(format!("Stay with {name}: {what} is shown to be faster."))
            }
            Worth::NotWorthChanging => Some(format!(
                "Stay with {name}: not worth changing, it would save {}.",
                // Not rounded up to what would be worth it.
                at_rate(today.cores_saved.map(|it| it.min(0.99 * WORTH_CORES)))
            )),
            Worth::WorthChanging => Some(format!(
                "Worth changing from {name}: it saves {}.",
                at_rate(today.cores_saved)
            )),
            Worth::DependsOnRate => today.worth_from_per_s.map(|from| {
                format!(
                    "Worth changing from {name} where it is {} messages per second or more: below, \
                     it saves less than {} of a core.",
                    grouped(two_up(from)),
                    percent(WORTH_CORES)
                )
            }),
            Worth::CannotSay => None,
        }
    }

    /// What would be used by this answer: today's, or another.
    pub(crate) fn subject(&self) -> &Row {
        let stays = self.today.as_ref().filter(|it| it.stays());
        stays.map_or(&self.answer().best, |it| &it.row)
    }

    /// Whether what is used today stays.
    pub(super) fn stays(&self) -> bool {
        self.today.as_ref().is_some_and(Today::stays)
    }

    fn answer_line(&self) -> String {
        let answer = self.answer();
        let figures = figures(&answer.best);
        let widely = if answer.name == WIDE { " of what is widely used" } else { "" };
        if !self.is_told() {
            let is_are = if self.launches == 1 { "is" } else { "are" };
            let measured = if self.unmeasured > 0 { " and was measured" } else { "" };
            return format!(
                "Undecided: {} {is_are} too few for an interval; {} seems fastest\
                 {widely}{measured}, {figures}. A larger --budget would decide it.",
                self.launches_told(),
                answer.best.name()
            );
        }
        let who = called(&answer.best);
        let begins = match self.stays() {
            true => format!("Fastest{widely}: {who}"),
            false => format!("Use {who}"),
        };
        let close = self.close(answer);
        let beside = match (&close[..], &answer.runner_up) {
            ([], Some(it)) => {
                let first = match self.stays() {
                    true => "Next".into(),
                    false => format!("It is the fastest{widely}; next"),
                };
                format!("{first} is {}, {} as long", it.row.name(), ratio(it, self.margin))
            }
            ([], None) if answer.name == WIDE => "There is no other widely used".into(),
            ([], None) => "There is no other".into(),
            (close, _) => format::capitalised(&close.join("; ")),
        };
        format!("{begins}, {figures}. {beside}.{}", self.further(answer))
    }

    /// The first of others that some callers must take.
    fn further(&self, answer: &ClassAnswer) -> String {
        let told = |words: &str, it: &Rival| {
            format!(" {words} {}, {} as long.", called(&it.row), ratio(it, self.margin))
        };
        let mut further = String::new();
        if let Some(it) = self.other_library() {
            further += &told("From another library:", it);
        }
        for it in &answer.for_callers {
            let words = format!("From {}, use", it.language);
            match &it.rival {
                None => further += &format!(" From {}, nothing was measured.", it.language),
                Some(rival) if self.is_named(&rival.row) => {
                    further += &format!(" {words} {}.", rival.row.name());
                }
                Some(rival) => further += &told(&words, rival),
            }
        }
        if let Some(it) = &answer.one_at_a_time {
            further += &told("One message at a time:", it);
        }
        further
    }

    /// Whether somebody is named beside the answer.
    fn is_named(&self, row: &Row) -> bool {
        let answer = self.answer();
        let mut named = answer.close.iter().take(CLOSE_NAMED).chain(&answer.runner_up);
        named.any(|it| it.row.is(row))
    }

    /// The first of another library, where nobody who is named is of one.
    pub(super) fn other_library(&self) -> Option<&Rival> {
        let answer = self.answer();
        let mut named = answer.close.iter().take(CLOSE_NAMED).chain(&answer.runner_up);
        let is_other = |it: &Rival| it.row.provider != answer.best.provider;
        let callers = answer.for_callers.iter().filter_map(|own| own.rival.as_ref());
        let is_of_a_caller = |it: &&Rival| callers.clone().any(|own| own.row.is(&it.row));
        answer.other_library.as_ref().filter(|it| !named.any(is_other) && !is_of_a_caller(it))
    }

    /// Those that are not shown to be slower, in words.
    fn close(&self, answer: &ClassAnswer) -> Vec<String> {
        let of = |wanted: Closeness| {
            let own = answer.close.iter().filter(|it| self.closeness(it) == Some(wanted));
            let named = own.map(|it| format!("{} ({})", it.row.name(), ends(it, self.margin)));
            first_of(named, CLOSE_NAMED)
        };
        let margin = percent(self.margin);
        let told = [
            of(Closeness::AsFast).map(|who| format!("as fast within {margin}: {who}")),
            of(Closeness::Open).map(|who| format!("too close to call against {who}")),
            of(Closeness::LikelySlower).map(|who| {
                format!("slower when compared singly, not by the test of all pairs: {who}")
            }),
        ];
        told.into_iter().flatten().collect()
    }

    /// What is used today beside the answer; nothing where it is the answer.
    fn today_line(&self, today: &Today) -> Option<String> {
        let name = called(&today.row);
        let takes = today.row.message_ns.time().value();
        let cores = today.cores.map(|it| format!(", {}", share(it))).unwrap_or_default();
        let Some(against) = today.to_best else {
            let told = format!("At that rate it takes {}.", share(today.cores?));
            return (today.verdict == Worth::IsTheAnswer).then_some(told);
        };
        let ratio = against.ratio.ratio(self.margin);
        let interval = ratio.ends_in_words().unwrap_or_default();
        if against.verdict != Behind::Slower {
            let is_faster = against.ratio.interval.is_some_and(|it| it.high < 1.0);
            let word = match against.verdict {
                Behind::AsFast => format!("as fast within {}", percent(self.margin)),
                _ if is_faster => "faster".into(),
                _ => "too close to call".into(),
            };
            let times = ratio.times();
            return Some(format!(
                "Today {name}, {takes}{cores}: {times} as long ({interval}), {word}."
            ));
        }
        let saved = today.saved_ns.map(|it| it.time().value()).unwrap_or_default();
        Some(format!(
            "Today {name}, {takes}{cores}. The change is {} faster ({interval}) and saves {saved} \
             of {takes}.",
            ratio.times()
        ))
    }

    fn call_line(&self, advice: &CallAdvice) -> String {
        let times = advice.ratio.ratio.ratio(self.margin);
        let [slow, better] = [&advice.slow_ns, &advice.better_ns].map(|value| value.time().value());
        let slow_call = named_call(advice.slow, advice.slow_written.as_deref());
        let better_call = named_call(advice.better, advice.better_written.as_deref());
        let ratio = format!("{} ({})", times.times(), times.ends_in_words().unwrap_or_default());
        if advice.is_used {
            format!(
                "The call is slow, whatever the MAC: {better_call} instead of {slow_call} takes \
                 {better} instead of {slow}, {ratio} faster, with the same tags."
            )
        } else {
            format!(
                "With {slow_call} it takes {slow}: {better_call} is {ratio} faster, with the same \
                 tags."
            )
        }
    }

    /// The fastest of all, where it is not the answer.
    fn of_all(&self) -> Option<String> {
        let answer = self.answer();
        let all = self.class(ALL).filter(|it| it.name != answer.name)?;
        let against = all.close.iter().chain(&all.runner_up).find(|it| it.row.is(&answer.best));
        if all.best.is(&answer.best) {
            return None;
        }
        if let Some(closeness) = against.and_then(|it| self.closeness(it)) {
            let how = match closeness {
                Closeness::AsFast => format!("as fast within {}", percent(self.margin)),
                Closeness::Open => "too close to call".into(),
                Closeness::LikelySlower => "likely faster".into(),
            };
            let asks = self.asks.as_deref().map(|asks| format!("; {asks}"));
            return Some(format!(
                "Of all that may be used, {} has the lowest time, {}, {how} beside {}{}.",
                all.best.name(),
                all.best.message_ns.time().value(),
                answer.best.name(),
                asks.unwrap_or_default()
            ));
        }
        let times = faster(answer.best.message_ns.value / all.best.message_ns.value);
        let asks = self.asks.as_deref().unwrap_or("it is not widely used");
        let begins = self.begins("Fastest of all that may be used");
        Some(format!(
            "{begins}: {}, {}, {times}, but {asks}.",
            all.best.name(),
            all.best.message_ns.time().value()
        ))
    }

    /// The fastest that asks for nothing, where it is faster than the answer and not widely used.
    fn without_conditions(&self) -> Option<String> {
        let free = self.unconditional.as_ref()?;
        let times = faster(self.answer().best.message_ns.value / free.message_ns.value);
        let begins = self.begins("Fastest without conditions, but not widely used");
        Some(format!("{begins}: {}, {}, {times}.", called(free), free.message_ns.time().value()))
    }

    /// What is fastest by too few launches only seems so.
    fn begins(&self, what: &str) -> String {
        if self.is_told() { what.to_owned() } else { format!("{what}, as it seems") }
    }

    /// That tags change with the MAC, or today's mac elsewhere, where that is faster and not the
    /// answer.
    fn elsewhere(&self) -> Option<String> {
        let (same, today) = (self.class(SAME)?, self.today.as_ref()?);
        let is_today = |it: &&Rival| it.row.is(&today.row);
        let best = &self.answer().best;
        if best.mac == today.row.mac && best.provider != today.row.provider {
            return Some(format!("{} is the same MAC: tags stay as they are.", best.name()));
        }
        let others = match best.mac == today.row.mac || self.stays() {
            true => String::new(),
            false => format!(
                "{} is another MAC than {}: whoever verifies must change with whoever signs, and \
                 tags kept so far need {} still. ",
                best.mac, today.row.mac, today.row.mac
            ),
        };
        if same.best.is(&today.row) {
            return (!others.is_empty()).then(|| others.trim_end().to_owned());
        }
        Some(
            others
                + &match same.close.iter().find(is_today) {
                    Some(_) if !self.is_told() => {
                        "The same MAC elsewhere: too few launches to tell.".into()
                    }
                    Some(_) => {
                        format!(
                            "The same MAC: no provider is shown to be faster than {}.",
                            today.row.provider
                        )
                    }
                    None => format!(
                        "The same MAC, with the same tags: {}, {}, {}.",
                        same.best.name(),
                        same.best.message_ns.time().value(),
                        faster(today.row.message_ns.value / same.best.message_ns.value)
                    ),
                },
        )
    }

    pub(crate) fn change_line(&self, change: &Change) -> String {
        match change {
            Change::MessagesPerKey { messages, from, below, other } => {
                let times = other.ratio.ratio.ratio(self.margin).times();
                let about = |value: &super::Value| grouped(two(value.value).round());
                let with = match messages {
                    None => "with one key for all",
                    Some(_) => "with a new key for each",
                };
                let name = other.name();
                let below = below.as_ref().filter(|it| it.value >= 1.5);
                match (from, below) {
                    (Some(from), _) => format!(
                        "from about {} messages under a key on: {name}, {times} faster {with}",
                        about(from)
                    ),
                    (_, Some(below)) => format!(
                        "below about {} messages under a key: {name}, {times} faster {with}",
                        about(below)
                    ),
                    _ => format!("{with}: {name}, {times} faster"),
                }
            }
            Change::Rate { from_per_s, below_per_s, mac, provider } => {
                let at = |per_s: f64| format!("{} messages per second", grouped(per_s));
                match (from_per_s, below_per_s) {
                    (Some(from), _) => {
                        let from = at(two_up(*from));
                        format!("from {from} on: worth changing to {mac}@{provider}")
                    }
                    (_, below) => {
                        let below = at(two_down(below.unwrap_or_default()));
                        format!("below {below}: not worth changing")
                    }
                }
            }
            Change::Policy { policies, other } => {
                let (by, against) = (list(policies), other.against(self.margin));
                format!("by {by}: {}, {against}", other.name())
            }
            Change::Length { lengths_bytes, other } => {
                let lengths: Vec<String> = lengths_bytes.iter().map(|&it| bytes(it)).collect();
                let times = other.ratio.ratio.ratio(self.margin).times();
                let by = match &lengths[..] {
                    [_] => format!("{times} faster"),
                    [first, ..] => format!("{times} faster at {first}, and faster at the others"),
                    [] => String::new(),
                };
                format!("for messages of {} alone: {}, {by}", list(&lengths), other.name())
            }
        }
    }
}
