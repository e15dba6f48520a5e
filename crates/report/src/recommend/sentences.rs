//! The answer in sentences, and who is named in it: the same on a terminal and on a page.

use lab::study::ClassName;

use super::entries::{Closeness, Entry};
use super::paragraph::Paragraph;
use super::words::{
    call_words, ends, faster, figures, first_of, grouped, is_own, library, own_library, ratio,
    share,
};
use super::{
    Behind, CLOSE_NAMED, ClassAnswer, Recommendation, Rival, Row, Today, WORTH_CORES, Worth,
};
use crate::format::{self, percent};

impl Recommendation {
    /// The answer, a paragraph each.
    pub(crate) fn answer_in_sentences(&self) -> Vec<Paragraph> {
        let mut told: Vec<Paragraph> = Vec::new();
        match &self.today {
            Some(today) if self.is_told() => {
                told.extend(self.verdict(today).map(Paragraph::from));
                told.extend(self.answer_lines());
                told.extend(self.today_line(today).map(Paragraph::from));
                let advice = today.call_advice.as_ref().map(|it| self.call_line(it));
                told.extend(advice.map(Paragraph::from));
            }
            Some(today) => {
                // What needs no measurement is told without one.
                let is_sure = today.verdict == Worth::DoesNotFit;
                told.extend(self.verdict(today).filter(|_| is_sure).map(Paragraph::from));
                told.extend(self.answer_lines());
            }
            None => told.extend(self.answer_lines()),
        }
        told.extend(self.elsewhere().map(Paragraph::from));
        // The fastest of all is one caller's: others may not have it.
        if !self.is_for_several() {
            told.extend(self.without_conditions().map(Paragraph::from));
            told.extend(self.of_all().map(Paragraph::from));
        }
        told
    }

    /// Who is recommended, for one caller or for several, and what that rests on.
    fn answer_lines(&self) -> Vec<Paragraph> {
        let mut lines = match self.is_for_several() {
            true => self.for_several(),
            false => vec![self.answer_line()],
        };
        let further = [self.condition_told(), self.at_rate(), self.own_told(), self.caveats_told()];
        if let Some(first) = lines.first_mut() {
            further.into_iter().flatten().for_each(|it| first.add(&it));
        }
        lines
    }

    /// Those that the first sentence names.
    fn recommended(&self) -> Vec<&Row> {
        match &self.together {
            Some(own) if self.is_for_several() => own.each.iter().map(|it| &it.row).collect(),
            _ => vec![&self.answer().best],
        }
    }

    /// What the answer asks of its user.
    fn condition_told(&self) -> Option<String> {
        let condition = self.condition.as_ref().filter(|_| !self.is_for_several())?;
        Some(format!("{}.", format::capitalised(condition)))
    }

    /// What a policy that was asked for leaves open.
    fn caveats_told(&self) -> Option<String> {
        (!self.caveats.is_empty()).then(|| self.caveats.join(" "))
    }

    /// What the answer takes of a core at the rate.
    fn at_rate(&self) -> Option<String> {
        let per_ns = self.rate_per_s? * 1e-9;
        let own: f64 = self.recommended().iter().map(|it| it.message_ns.value).sum();
        let takes = match self.recommended().len() {
            1 => "it takes",
            _ => "they take",
        };
        let rate = grouped(self.rate_per_s?);
        let told = format!("At {rate} messages per second {takes} {}", share(per_ns * own));
        let entries = self.entries();
        let is_little = |it: &Entry<'_>| per_ns * it.row.message_ns.value < WORTH_CORES;
        let will_do = entries.len() > 1
            && self.today.is_none()
            && per_ns * own < WORTH_CORES
            && entries.iter().all(is_little);
        let least = percent(WORTH_CORES);
        Some(match will_do {
            true => format!("{told}; each one named here takes less than {least}: any will do."),
            false => format!("{told}."),
        })
    }

    /// Whose library it is, where it is macrometer's own.
    fn own_told(&self) -> Option<String> {
        let own = self.recommended().into_iter().filter(|it| is_own(&it.provider));
        let mut names: Vec<&str> = own.map(|it| it.provider.as_str()).collect();
        names.dedup();
        let named = names.iter().map(|name| {
            let version = self.versions.iter().find(|it| it.provider == *name);
            own_library(name, version.map_or("", |it| it.version.as_str()))
        });
        let told: Vec<String> = named.collect();
        (!told.is_empty()).then(|| format!("{}.", told.join("; ")))
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

    /// What would be used by this answer: today's, or another.
    pub(crate) fn subject(&self) -> &Row {
        let stays = self.today.as_ref().filter(|it| it.stays());
        stays.map_or(&self.answer().best, |it| &it.row)
    }

    /// Whether what is used today stays.
    pub(super) fn stays(&self) -> bool {
        self.today.as_ref().is_some_and(Today::stays)
    }

    /// Of which class the answer is.
    pub(super) fn widely(&self) -> &'static str {
        if self.answer().name == ClassName::Wide { " of what is widely used" } else { "" }
    }

    fn answer_line(&self) -> Paragraph {
        let answer = self.answer();
        if !self.is_told() {
            return self.undecided(answer);
        }
        let (figures, widely) = (figures(&answer.best), self.widely());
        let who = self.called(&answer.best);
        let begins = match self.stays() {
            true => format!("Fastest{widely}: {who}"),
            false => format!("Use {who}"),
        };
        let close = self.close(answer);
        let is_itself = |it: &&Rival| it.row.is_same_candidate(&answer.best);
        let next = answer.runner_up.as_ref().filter(|it| !is_itself(it));
        let is_alone = answer.rivals().all(|it| it.row.is_same_candidate(&answer.best));
        let beside = match (&close[..], next) {
            ([], Some(it)) => {
                let first = match self.stays() {
                    true => "Next".into(),
                    false => format!("It is the fastest{widely}; next"),
                };
                format!("{first} is {}, {} as long", self.name_of(&it.row), ratio(it, self.margin))
            }
            ([], None) if is_alone && answer.name == ClassName::Wide => {
                "It is the only one here that is widely used".into()
            }
            ([], None) if is_alone => "It is the only one here".into(),
            ([], None) => format!("It is the fastest{widely}"),
            (close, _) => format::capitalised(&close.join("; ")),
        };
        let batching = self.batching(answer).map(|it| format!(" {it}")).unwrap_or_default();
        Paragraph {
            lead: format!("{begins}, {figures}."),
            rest: format!("{beside}.{batching}{}", self.further(answer)),
        }
    }

    /// Too few launches: who seems fastest, who is as near that more time may not part them, and
    /// how much time would tell.
    fn undecided(&self, answer: &ClassAnswer) -> Paragraph {
        let (who, figures) = (self.name_of(&answer.best), figures(&answer.best));
        let (widely, too_few) = (self.widely(), self.too_few());
        let measured = if self.unmeasured > 0 { " and was measured" } else { "" };
        let seems = match answer.rivals().next() {
            None => format!("{who} is the only one{widely} that was measured"),
            Some(_) => format!("{who} seems fastest{widely}{measured}"),
        };
        let is_near = |it: &&Rival| it.to_best.ratio.value <= 1.0 + self.margin;
        let near = answer.close.iter().filter(is_near).map(|it| self.name_of(&it.row));
        let near = first_of(near, CLOSE_NAMED).map(|near| {
            let margin = percent(self.margin);
            format!("Within {margin} of it: {near}; more time may find them as fast.")
        });
        let mut told = Paragraph::from(format!("Undecided: {too_few}; {seems}, {figures}."));
        near.into_iter().chain([self.more_time()]).for_each(|it| told.add(&it));
        told
    }

    /// Whether batches gain anything for the answer.
    fn batching(&self, answer: &ClassAnswer) -> Option<String> {
        let other = answer.batching.as_ref()?;
        let ratio = ratio(other, self.margin);
        let is_slower = other.to_best.verdict == Behind::Slower;
        Some(match (answer.best.batch, other.row.batch) {
            (Some(size), _) if is_slower => {
                format!("Batches of {size} gain: one at a time it takes {ratio} as long.")
            }
            (Some(size), _) => format!(
                "Batches of {size} are not shown to gain anything: one at a time it takes {ratio} \
                 as long."
            ),
            (None, Some(size)) => {
                format!("Batches of {size} gain nothing: in them it takes {ratio} as long.")
            }
            (None, None) => return None,
        })
    }

    /// The first of others that some callers must take.
    fn further(&self, answer: &ClassAnswer) -> String {
        let told = |words: &str, it: &Rival| {
            format!(" {words} {}, {} as long.", self.called(&it.row), ratio(it, self.margin))
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
                    further += &format!(" {words} {}.", self.name_of(&rival.row));
                }
                Some(rival) => further += &told(&words, rival),
            }
        }
        let one = answer.one_at_a_time.as_ref();
        if let Some(it) = one.filter(|it| !it.row.is_same_candidate(&answer.best)) {
            further += &told("One message at a time:", it);
        }
        further
    }

    /// Those that the sentence of the answer has beside it, with their ratios.
    fn beside(&self) -> Vec<&Rival> {
        let answer = self.answer();
        let close = self.close_ones(answer).take(CLOSE_NAMED);
        let next = answer.runner_up.iter().filter(|_| self.close_ones(answer).next().is_none());
        close.chain(next).collect()
    }

    /// Whether somebody is named beside the answer.
    fn is_named(&self, row: &Row) -> bool {
        self.beside().iter().any(|it| it.row.is(row))
    }

    /// The first of another library, where nobody who is named is of one.
    pub(super) fn other_library(&self) -> Option<&Rival> {
        let answer = self.answer();
        let other = answer.other_library.as_ref()?;
        let is_other = |it: &Rival| library(&it.row.provider) != library(&answer.best.provider);
        let mut callers = answer.for_callers.iter().filter_map(|own| own.rival.as_ref());
        let is_told =
            self.beside().into_iter().any(is_other) || callers.any(|own| own.row.is(&other.row));
        (!is_told).then_some(other)
    }

    /// Those that are not shown to be slower, but for the answer itself called otherwise.
    fn close_ones<'a>(&self, answer: &'a ClassAnswer) -> impl Iterator<Item = &'a Rival> {
        let best = &answer.best;
        let close = answer.close.iter().filter(move |it| !it.row.is_same_candidate(best));
        close.filter(move |it| self.closeness(it).is_some())
    }

    /// Those that are not shown to be slower, in words.
    fn close(&self, answer: &ClassAnswer) -> Vec<String> {
        let of = |wanted: Closeness| {
            let own = self.close_ones(answer).filter(|it| self.closeness(it) == Some(wanted));
            let named = own.map(|it| {
                let (who, ends) = (self.name_of(&it.row), ends(&it.to_best, self.margin));
                format!("{who} ({ends})")
            });
            first_of(named, CLOSE_NAMED)
        };
        let margin = percent(self.margin);
        let told = [
            of(Closeness::AsFast).map(|who| format!("as fast within {margin}: {who}")),
            of(Closeness::Open).map(|who| format!("too close to call against {who}")),
            of(Closeness::LikelySlower).map(|who| format!("likely slower: {who}")),
        ];
        told.into_iter().flatten().collect()
    }

    /// The fastest of all, where it is neither the answer nor told as what asks for nothing.
    fn of_all(&self) -> Option<String> {
        let answer = self.answer();
        let all = self.class(&ClassName::All).filter(|it| it.name != answer.name)?;
        let is_told = self.unconditional.as_ref().is_some_and(|it| it.is(&all.best));
        if is_told || all.best.is_same_candidate(&answer.best) {
            return None;
        }
        let (who, time) = (self.name_of(&all.best), all.best.message_ns.time().value());
        // What the answer asks for, too, is no reason against it.
        let asks = self.asks.as_ref().filter(|it| self.condition.as_ref() != Some(it));
        let against = all.close.iter().chain(&all.runner_up).find(|it| it.row.is(&answer.best));
        if let Some(closeness) = against.and_then(|it| self.closeness(it)) {
            let asks = asks.map(|asks| format!("; {asks}")).unwrap_or_default();
            return Some(match closeness {
                Closeness::AsFast => format!(
                    "No eligible MAC is shown to be faster: {who}, {time}, is as fast \
                     within {}{asks}.",
                    percent(self.margin)
                ),
                Closeness::Open => format!(
                    "Of all eligible MACs, {who}, {time}, is too close to call against \
                     {}{asks}.",
                    self.name_of(&answer.best)
                ),
                Closeness::LikelySlower => format!(
                    "Of all eligible MACs, {who}, {time}, is likely faster than {}{asks}.",
                    self.name_of(&answer.best)
                ),
            });
        }
        let times = faster(answer.best.message_ns.value / all.best.message_ns.value);
        let asks = asks.map_or("it is not widely used", String::as_str);
        let begins = self.begins("Fastest eligible MAC");
        Some(format!("{begins}: {who}, {time}, {times}, but {asks}."))
    }

    /// The fastest that asks for nothing, where it is faster than the answer and not widely used.
    fn without_conditions(&self) -> Option<String> {
        let free = self.unconditional.as_ref()?;
        let times = faster(self.answer().best.message_ns.value / free.message_ns.value);
        let begins = match self.class(&ClassName::All).is_some_and(|it| it.best.is(free)) {
            true => self.begins("Fastest eligible MAC, but not widely used"),
            false => self.begins("Fastest without caveats, but not widely used"),
        };
        let (who, time) = (self.called(free), free.message_ns.time().value());
        Some(format!("{begins}: {who}, {time}, {times}."))
    }

    /// A name, with the way of calling where messages are also taken in batches.
    pub(super) fn name_of(&self, row: &Row) -> String {
        match row.batch {
            Some(size) => format!("{} in batches of {size}", row.name()),
            None if self.workload.batch.is_some() => format!("{} one at a time", row.name()),
            None => row.name(),
        }
    }

    /// The same with the call.
    pub(super) fn called(&self, row: &Row) -> String {
        format!("{}, {}", self.name_of(row), call_words(row.call))
    }

    /// What is fastest by too few launches only seems so.
    fn begins(&self, what: &str) -> String {
        if self.is_told() { what.to_owned() } else { format!("{what}, as it seems") }
    }
}
