//! A run with a workload, ready to be asked: what a message takes of each candidate, and who is the
//! fastest of a class.

use std::collections::BTreeSet;

use lab::cell::KeyLife;
use lab::study::{Class, Workload};
use stats::Margin;

use super::costs::{Series, Timed};
use super::ranked::{self, ranked};
use super::words::{first_of, library};
use super::{Behind, ClassAnswer, ForCaller, NAMED_MAX, Rival, Row};

/// A run with a workload, ready to be asked.
pub(super) struct Measured<'a> {
    pub(super) workload: &'a Workload,
    pub(super) margin: Margin,
    pub(super) all: Vec<Timed<'a>>,
    pub(super) can_call: &'a dyn Fn(&str) -> bool,
}

impl Measured<'_> {
    /// What a message of the workload takes, whatever the call that is usual for it.
    pub(super) fn message(&self, timed: &Timed<'_>) -> Series {
        timed.series(|calls| self.workload.message(|len, life| calls.get(&(len, life)).copied()))
    }

    /// The same where each message is made by one call.
    pub(super) fn message_by(&self, timed: &Timed<'_>, call: KeyLife) -> Series {
        timed.series(|calls| {
            self.workload.message_by(call, |len, life| calls.get(&(len, life)).copied())
        })
    }

    /// The call for all messages but a key's first.
    pub(super) fn call(&self, timed: &Timed<'_>) -> KeyLife {
        let keeps = self.workload.messages_per_key != Some(1);
        let can = !self.message_by(timed, KeyLife::Prepared).is_empty();
        if keeps && can { KeyLife::Prepared } else { KeyLife::NewKey }
    }

    pub(super) fn row(&self, timed: &Timed<'_>) -> Option<Row> {
        Row::of(timed, self.call(timed), &self.message(timed), self.margin)
    }

    /// Those that are not compared, because the others have more launches.
    pub(super) fn with_fewer_launches(&self, launches: usize) -> Option<String> {
        let fewer = self.all.iter().filter(|it| self.message(it).len() < launches);
        let fewer: BTreeSet<String> =
            fewer.map(|it| format!("{}@{}", it.candidate.mac, it.candidate.source())).collect();
        first_of(fewer, NAMED_MAX).map(|who| {
            format!("not compared, because of fewer launches than the others have: {who}")
        })
    }

    /// Everybody, from the fastest on.
    pub(super) fn candidates(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.all.iter().filter_map(|it| self.row(it)).collect();
        rows.sort_by(|a, b| a.message_ns.value.total_cmp(&b.message_ns.value));
        rows
    }

    /// The candidates of a class: what is used today may be from elsewhere, and is none then.
    pub(super) fn of_class(&self, class: &Class) -> Vec<&Timed<'_>> {
        let is_of = |it: &&Timed<'_>| {
            class.has(&it.candidate.mac) && (self.can_call)(&it.candidate.provider)
        };
        self.all.iter().filter(is_of).collect()
    }

    pub(super) fn class(&self, class: &Class) -> Option<ClassAnswer> {
        let own = self.of_class(class);
        let series: Vec<Series> = own.iter().map(|it| self.message(it)).collect();
        let placed = ranked(&series, self.margin);
        let (first, others) = placed.split_first()?;
        let rival = |placed: &ranked::Placed| {
            Some(Rival { row: self.row(own[placed.at])?, to_best: placed.to_first? })
        };
        let others: Vec<Rival> = others.iter().filter_map(rival).collect();
        let best = self.row(own[first.at])?;
        let first = |wanted: &dyn Fn(&Row) -> bool| {
            (!wanted(&best)).then(|| others.iter().find(|it| wanted(&it.row)).cloned()).flatten()
        };
        let other_library = first(&|row| library(&row.provider) != library(&best.provider));
        let callers = self.workload.callers.iter();
        let others_use = callers.filter(|caller| !caller.providers.contains(&best.provider));
        let for_callers = others_use.map(|caller| ForCaller {
            language: caller.language.clone(),
            rival: first(&|row| caller.providers.contains(&row.provider)),
        });
        let for_callers = for_callers.collect();
        let batching = others.iter().find(|it| it.row.is_same_candidate(&best)).cloned();
        let one_at_a_time = first(&|row| row.batch.is_none());
        let (slower, close): (Vec<Rival>, Vec<Rival>) =
            others.into_iter().partition(|it| it.to_best.verdict == Behind::Slower);
        Some(ClassAnswer {
            name: class.name.clone(),
            best,
            close,
            runner_up: slower.into_iter().next(),
            batching,
            other_library,
            for_callers,
            one_at_a_time,
        })
    }
}
