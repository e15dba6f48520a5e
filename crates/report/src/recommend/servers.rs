//! How many servers a number of sessions needs: from the capacity of this machine for each mac that
//! is recommended or used today, as a run of the study `servers` measured it.

use std::collections::BTreeMap;

use lab::record::Run;
use serde::Serialize;

use super::text::{grouped, lines, three_digits};
use super::{Recommendation, Value};
use crate::Findings;
use crate::findings::sessions::Carried;
use crate::format::{ABSENT, list, percent, significant};
use crate::terminal::table_within;

/// The load that servers must carry.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Load {
    /// Sessions at once.
    pub sessions: u32,
    /// Messages per second of each session.
    pub rate_per_s: f64,
    /// Processors of a server.
    pub cores: u32,
}

/// How many servers it needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Servers {
    /// The run it rests on.
    pub run: String,
    /// What was asked.
    #[serde(flatten)]
    pub load: Load,
    /// Share of messages that must be done within `tail_ms`.
    pub tail_quantile: f64,
    /// The tail latency they must keep, in milliseconds.
    pub tail_ms: f64,
    /// Processors of this machine that carried it.
    pub processors: usize,
    /// Candidates, those that carry most first.
    pub rows: Vec<ServerRow>,
    /// Candidates without a measurement: the worker of their runtime has no threads.
    pub not_measured: Vec<String>,
}

/// What one candidate carries.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerRow {
    /// The mac.
    pub mac: String,
    /// Its provider.
    pub provider: String,
    /// Sessions that this machine carries.
    pub carried: Value,
    /// True if even the largest number tried was carried: the capacity may be higher.
    pub at_least: bool,
    /// Processors like those of this machine that the load needs, by the lower end of the interval
    /// of `carried`.
    pub cores_needed: f64,
    /// Servers needed, rounded up.
    pub servers: u64,
}

impl ServerRow {
    /// `hmac-sha256@openssl`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}@{}", self.mac, self.provider)
    }
}

impl Servers {
    /// From a run of the study `servers`, for the `named` pairs of mac and provider; `None` if it
    /// found no capacity.
    #[must_use]
    pub fn of(run: &Run, load: Load, named: &[(String, String)]) -> Option<Self> {
        let findings = Findings::of(run);
        let found = findings.capacities.first()?;
        let bounded = bounded(run);
        let processors = run.machine.processors.len().max(1);
        let row = |(mac, provider): &(String, String)| {
            let mut rows = found.tables.iter().flat_map(|table| &table.rows);
            let is_named =
                |own: &lab::cell::Candidate| (&own.mac, &own.provider) == (mac, provider);
            let (_, carried) = rows.find(|row| is_named(&row.candidate))?.most()?;
            let at_least = bounded.get(&findings.cells[carried.cell].id) == Some(&true);
            Some(of_one((mac, provider), carried, at_least, load, processors))
        };
        let mut rows: Vec<ServerRow> = named.iter().filter_map(row).collect();
        rows.sort_by(|a, b| b.carried.value.total_cmp(&a.carried.value));
        let is_told = |name: &String| rows.iter().any(|row| row.name() == *name);
        let not_measured = named.iter().map(|(mac, provider)| format!("{mac}@{provider}"));
        Some(Self {
            run: run.id.clone(),
            load,
            tail_quantile: found.tail_quantile,
            tail_ms: found.tail_ms,
            processors,
            not_measured: not_measured.filter(|name| !is_told(name)).collect(),
            rows,
        })
    }
}

impl Recommendation {
    /// How many servers the sessions need, for a terminal; `None` if not asked for.
    pub(super) fn servers_text(&self, width: usize) -> Option<String> {
        let best = &self.answer().best;
        let alone = self.rate_per_s.unwrap_or(0.0) * best.message_ns.value / 1e9;
        Some(self.servers.as_ref()?.text((&best.name(), alone), width))
    }
}

impl Servers {
    /// For a terminal: `alone` is how many cores the MACs of the `answer` need by themselves.
    fn text(&self, (answer, alone): (&str, f64), width: usize) -> String {
        let Load { sessions, rate_per_s, cores } = self.load;
        let tail = format!("{} of them within {} ms", percent(self.tail_quantile), self.tail_ms);
        let title = format!(
            "{} sessions of {} messages per second each, {tail}, on servers of {cores} core{}:",
            grouped(f64::from(sessions)),
            grouped(rate_per_s),
            if cores == 1 { "" } else { "s" }
        );
        let head = ["MAC@library", "sessions here", "95 %", "cores needed", "servers"];
        let rows = self.rows.iter().map(|row| {
            let of = |value: f64| grouped(three_digits(value));
            let ends = row.carried.interval.map(|it| format!("{}–{}", of(it.low), of(it.high)));
            vec![
                row.name(),
                format!("{}{}", if row.at_least { "≥ " } else { "" }, of(row.carried.value)),
                ends.unwrap_or(ABSENT.into()),
                significant(row.cores_needed, 2),
                grouped(row.servers as f64),
            ]
        });
        let table = table_within(&head, rows.collect(), &[0], &[2], width);
        let answer = self.rows.iter().find(|row| row.name() == answer);
        let of_it = answer.map(|row| {
            format!(
                " Of the {} cores that {} needs, its MACs alone take {}; the rest is the other \
                 work of a server (clock, queue, memory for each message).",
                significant(row.cores_needed, 2),
                row.name(),
                significant(alone, 2)
            )
        });
        let mut notes = vec![format!(
            "Sessions that the {} processors of this machine carried, one thread each, scaled by \
             the number of processors, from the lower end of the interval if there is one. Cores \
             of your servers may be slower, and this leaves no room for other work.{} Run {}.",
            self.processors,
            of_it.unwrap_or_default(),
            self.run
        )];
        if !self.not_measured.is_empty() {
            let who = list(&self.not_measured);
            notes.push(format!("Not measured, because the worker has no sessions: {who}."));
        }
        format!(
            "{}\n\n{}\n\n{}",
            lines(&[title], width, ""),
            table.trim_end(),
            lines(&notes, width, "")
        )
    }
}

fn of_one(
    (mac, provider): (&str, &str),
    carried: &Carried,
    at_least: bool,
    load: Load,
    processors: usize,
) -> ServerRow {
    let own = Value { value: carried.sessions.value, interval: carried.sessions.interval };
    let sure = own.interval.map_or(own.value, |it| it.low);
    let cores_needed = f64::from(load.sessions) / sure * processors as f64;
    ServerRow {
        mac: mac.to_owned(),
        provider: provider.to_owned(),
        carried: own,
        at_least,
        cores_needed,
        servers: (cores_needed / f64::from(load.cores)).ceil().max(1.0) as u64,
    }
}

/// Cells in which no trial was too many.
fn bounded(run: &Run) -> BTreeMap<u32, bool> {
    let mut all = BTreeMap::new();
    for window in run.sessions.iter().filter(|it| !it.trials.is_empty()) {
        let carried = window.trials.iter().all(|it| it.carried);
        *all.entry(window.cell).or_insert(true) &= carried;
    }
    all
}
