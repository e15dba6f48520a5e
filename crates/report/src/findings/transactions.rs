//! The groups that make up a transaction: its actions are told together.

use lab::regimes::segments::{Action, Medium, Segments};
use lab::study::View;

use super::{CellFinding, Findings, Group, RankRow, SizeFinding};
use crate::format;

/// Actions in the order of a transaction, the whole of it last.
pub const ACTIONS: [Action; 5] = [
    Action::Encryption,
    Action::Splitting,
    Action::Combining,
    Action::Decryption,
    Action::Transaction,
];

/// The actions of one transaction: groups that differ in nothing else.
pub struct Transaction<'a> {
    /// Where the segments are.
    pub medium: Medium,
    groups: Vec<(Action, &'a Group)>,
}

/// A candidate in a transaction of one file size.
pub struct TransactionRow<'a> {
    /// Its place in the whole transaction, where that was ranked.
    pub place: Option<&'a RankRow>,
    /// Its cells in the order of [`ACTIONS`].
    pub cells: [Option<&'a CellFinding>; 5],
}

impl<'a> Transaction<'a> {
    /// The group of an action.
    #[must_use]
    pub fn group(&self, action: Action) -> Option<&'a Group> {
        self.groups.iter().find(|(own, _)| *own == action).map(|(_, group)| *group)
    }

    /// Whether a group is one of its actions.
    #[must_use]
    pub fn has(&self, group: &Group) -> bool {
        self.groups.iter().any(|(_, own)| own.name == group.name)
    }

    /// The group that speaks for all: the whole where it was measured.
    #[must_use]
    pub fn head(&self) -> &'a Group {
        self.group(Action::Transaction).unwrap_or(self.groups[0].1)
    }

    /// The candidates at one file size, in the order of the head's ranking.
    #[must_use]
    pub fn rows(&self, findings: &'a Findings, len_bytes: u64) -> Vec<TransactionRow<'a>> {
        let of = |group: &'a Group| group.sizes.iter().find(|size| size.len_bytes == len_bytes);
        let is_whole = self.head().transaction().is_some_and(|(_, it)| it == Action::Transaction);
        let ranking = of(self.head()).map_or(&[][..], |size| &size.ranking[..]);
        let row = |place: &'a RankRow| {
            let candidate = &findings.cell(place).cell.candidate;
            let cell = |action: Action| {
                let cells = of(self.group(action)?)?.ranking.iter().map(|it| findings.cell(it));
                cells.into_iter().find(|it| it.cell.candidate == *candidate)
            };
            TransactionRow { place: is_whole.then_some(place), cells: ACTIONS.map(cell) }
        };
        ranking.iter().map(row).collect()
    }
}

impl Findings {
    /// The transactions of parts that ask for this view.
    #[must_use]
    pub fn transactions(&self) -> Vec<Transaction<'_>> {
        let mut all: Vec<Transaction> = Vec::new();
        for group in &self.groups {
            let Some((medium, action)) = group.transaction() else { continue };
            let same = |other: &Transaction| {
                let head = other.groups[0].1;
                let own = |it: &Group| (it.part, it.panel.clone(), it.case.clone(), it.key_life);
                other.medium == medium && own(head) == own(group)
            };
            match all.iter_mut().find(|it| same(it)) {
                Some(known) => known.groups.push((action, group)),
                None => all.push(Transaction { medium, groups: vec![(action, group)] }),
            }
        }
        all
    }
}

impl SizeFinding {
    /// How often its cells were measured: the fewest and the most.
    #[must_use]
    pub fn repetitions(&self, findings: &Findings) -> Option<(usize, usize)> {
        let samples = || self.ranking.iter().map(|row| findings.cell(row).samples);
        Some((samples().min()?, samples().max()?))
    }

    /// `12 launches`, `1 to 6 launches`: over how many its cells were measured.
    #[must_use]
    pub fn launches_words(&self, findings: &Findings) -> Option<String> {
        let launches = || self.ranking.iter().map(|row| findings.cell(row).launches);
        let (least, most) = (launches().min()?, launches().max()?);
        let fewest = if least < most { format!("{least} to ") } else { String::new() };
        Some(fewest + &words::counted(most, "launch"))
    }

    /// `100 repetitions`, `6 to 12 repetitions`.
    #[must_use]
    pub fn repetitions_words(&self, findings: &Findings) -> Option<String> {
        let (least, most) = self.repetitions(findings)?;
        let fewest = if least < most { format!("{least} to ") } else { String::new() };
        Some(fewest + &words::counted(most, "repetition"))
    }
}

impl Group {
    /// `100 repetitions at 1 KiB, 6 repetitions at 1 MiB`.
    #[must_use]
    pub fn repetitions(&self, findings: &Findings) -> String {
        let at = |size: &SizeFinding| {
            let words = size.repetitions_words(findings)?;
            Some(format!("{words} at {}", format::bytes(size.len_bytes)))
        };
        self.sizes.iter().filter_map(at).collect::<Vec<_>>().join(", ")
    }

    /// Medium and action, where its part asks for the view of transactions.
    #[must_use]
    pub fn transaction(&self) -> Option<(Medium, Action)> {
        let Segments { medium, action } = self.regime.segments()?;
        self.views.contains(&View::Transactions).then_some((medium, action))
    }
}
