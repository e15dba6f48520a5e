//! Capacities for a terminal: the sessions that are carried, what keeps a machine from more, and
//! how messages fare there.

use std::collections::BTreeSet;

use super::Sheet;
use super::columns::table;
use super::figure_table::{ROWS_MAX, Table, spread};
use super::layout::wrapped;
use crate::findings::sessions::{
    CapacityFinding, CapacityRow, CapacityTable, asked_words, column_words, thousands,
};
use crate::format::{self, ABSENT};

impl Sheet<'_> {
    pub(super) fn capacity(&self, it: &CapacityFinding) -> String {
        let mut text = String::new();
        for own in &it.tables {
            let size = format::bytes(own.len_bytes);
            let title = format!("{size}, sessions sustained: {}", asked_words(it));
            text.push_str(&format!("\n{}\n", self.style.bold(&wrapped(&title, self.width, ""))));
            let columns = column_words(own);
            let mut head = vec!["MAC", "from"];
            head.extend(columns.iter().map(String::as_str));
            let few = own.rows.len() > ROWS_MAX;
            let rows = own.rows.iter().filter(|row| row.best_of_mac || !few);
            let lines = rows.map(|row| self.carried(row));
            text.push_str(&table(&head, lines.collect(), &[0, 1], self.width));
            let Some(seen) = at_capacity(own) else { continue };
            text.push_str(&format!("\n{}\n", self.style.bold(&seen.title)));
            let head: Vec<&str> = seen.head.iter().map(String::as_str).collect();
            text.push_str(&table(&head, seen.rows, &[0, 1, 2], self.width));
            if let Some(note) = seen.note {
                text.push_str(&format!(
                    "{}\n",
                    self.style.quiet(&wrapped(&note, self.width, "  "))
                ));
            }
        }
        text
    }

    /// A row of capacities.
    pub(super) fn carried(&self, row: &CapacityRow) -> Vec<String> {
        let mut line = vec![row.candidate.mac.clone(), row.candidate.source()];
        line.extend(row.carried.iter().map(|it| match it {
            None => ABSENT.into(),
            Some(it) => {
                let spread = spread(it.sessions.value, it.sessions.ends());
                format!("{}{spread}", it.in_thousands())
            }
        }));
        line
    }
}

/// What was seen at the greatest number of sessions of each MAC's best offer; `None` where nothing
/// was recorded.
pub(super) fn at_capacity(own: &CapacityTable) -> Option<Table> {
    let columns = column_words(own);
    let mut head = vec!["MAC".to_owned(), "from".into(), "limited by".into()];
    head.extend(["p50", "p99", "p99.9", "msg/s per CPU"].map(String::from));
    let mut limits = BTreeSet::new();
    let best = own.rows.iter().filter(|row| row.best_of_mac);
    let rows: Vec<Vec<String>> = best
        .filter_map(|row| {
            let (column, most) = row.most()?;
            let (seen, times) = (most.at_capacity, most.at_capacity.times?);
            limits.extend(seen.limited_by);
            // Where there are several ways to serve, by which it carries most.
            let by = match &columns[..] {
                [_] => String::new(),
                all => format!(", {}", all[column]),
            };
            let limit = seen.limited_by.map_or(ABSENT, |it| it.words());
            let time = |ns: u64| format::time(ns as f64);
            let rate = seen.messages_per_s_per_processor;
            Some(vec![
                row.candidate.mac.clone(),
                format!("{}{by}", row.candidate.source()),
                limit.to_owned(),
                time(times.p50_ns),
                time(times.p99_ns),
                times.p99_9_ns.map_or(ABSENT.into(), time),
                rate.map_or(ABSENT.into(), |it| thousands(it.round())),
            ])
        })
        .collect();
    let title = format!("{}, at the most sessions sustained", format::bytes(own.len_bytes));
    let meant = limits.iter().map(|it| format!("{}: {}", it.words(), it.meaning()));
    let meant = meant.collect::<Vec<_>>().join("; ");
    let note = format!("Times from when each message was due. {meant}");
    let note = Some(format!("{}.", note.trim_end_matches(['.', ' '])));
    (!rows.is_empty()).then_some(Table { title, head, rows, words: 3, note, whole: false })
}
