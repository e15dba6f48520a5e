//! How many servers a number of sessions needs: from the capacity of this machine for each mac that
//! is recommended or used today, as a run of the study `servers` measured it.

use std::collections::BTreeMap;

use lab::record::{CellRecord, Run};
use serde::Serialize;

use super::words::{grouped, lines, share, three_digits};
use super::{BUSY_SHARE, Recommendation, Value};
use crate::Findings;
use crate::findings::sessions::{Carried, Limit};
use crate::findings::steadiness;
use crate::format::{ABSENT, list, percent, significant};
use crate::terminal::table_within;

/// The lower end of an interval over its middle, below which searches disagree.
const STEADY: f64 = 0.8;

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
    /// Whether what this machine carried tells anything: not where others took a large share of it.
    pub is_usable: bool,
    /// Candidates without a capacity, each with its reason.
    pub not_measured: Vec<String>,
    /// Why to doubt these numbers.
    pub doubts: Vec<String>,
}

/// What one candidate carries.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerRow {
    /// Name of the mac.
    pub mac: String,
    /// Name or alias of its provider.
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
    /// The same by the upper end of the interval.
    pub servers_least: u64,
}

impl ServerRow {
    /// `hmac-sha256@openssl`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}@{}", self.mac, self.provider)
    }

    /// Whether its searches agree.
    fn is_steady(&self) -> bool {
        self.carried.interval.is_none_or(|it| it.low >= STEADY * self.carried.value)
    }
}

/// A run of the study `servers` that found no capacity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("run {run} found no capacity: {}", .not_measured.join("; "))]
pub struct NoCapacity {
    /// Name of the run.
    pub run: String,
    /// Of whom it found none and why, in sentences.
    pub not_measured: Vec<String>,
}

impl Servers {
    /// From a run of the study `servers`, for the `named` pairs of mac and provider.
    ///
    /// # Errors
    ///
    /// If the run found no capacity.
    pub fn of(run: &Run, load: Load, named: &[(String, String)]) -> Result<Self, NoCapacity> {
        let findings = Findings::of(run);
        let Some(found) = findings.capacities.first() else {
            let not_measured = named.iter().map(|it| not_measured(run, it)).collect();
            return Err(NoCapacity { run: run.id.clone(), not_measured });
        };
        let carried = found.tables.iter().flat_map(|table| &table.rows).flat_map(|it| &it.carried);
        let carried: Vec<&Carried> = carried.flatten().collect();
        let (is_taken, mut doubts) = (is_taken(run, &carried), doubts(run, &carried));
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
        let unsteady: Vec<String> =
            rows.iter().filter(|row| !row.is_steady()).map(ServerRow::name).collect();
        if !unsteady.is_empty() {
            doubts.push(format!(
                "searches for the number of sessions of {} disagree, which one that was disturbed \
                 is enough for: measure again on an idle machine",
                list(&unsteady)
            ));
        }
        let is_told = |it: &&(String, String)| {
            rows.iter().any(|row| (&row.mac, &row.provider) == (&it.0, &it.1))
        };
        let others = named.iter().filter(|it| !is_told(it)).map(|it| not_measured(run, it));
        Ok(Self {
            run: run.id.clone(),
            load,
            tail_quantile: found.tail_quantile,
            tail_ms: found.tail_ms,
            processors,
            not_measured: others.collect(),
            is_usable: !is_taken,
            rows,
            doubts,
        })
    }
}

/// The head of the table of servers.
pub(crate) const HEAD: [&str; 5] =
    ["MAC@library", "sessions here", "95 %", "cores needed", "servers"];

impl Recommendation {
    /// How many servers the sessions need, for a terminal; `None` if not asked for.
    pub(super) fn servers_text(&self, width: usize) -> Option<String> {
        let servers = self.servers.as_ref()?;
        let title = format!("{}:", servers.title());
        let head = lines(&[vec![title], self.by_the_mac_alone(servers)].concat(), width, "");
        let notes = lines(&self.servers_notes(), width, "");
        let rows: Vec<Vec<String>> = servers.shown().iter().map(|it| it.to_vec()).collect();
        if rows.is_empty() {
            return Some(format!("{head}\n{notes}"));
        }
        let table = table_within(&HEAD, rows, &[0], &[2], width);
        Some(format!("{head}\n\n{}\n\n{notes}", table.trim_end()))
    }

    /// What the MACs of all messages take, with nothing else of a server: the fewest servers.
    pub(crate) fn by_the_mac_alone(&self, servers: &Servers) -> Vec<String> {
        let load = servers.load;
        let per_s = f64::from(load.sessions) * load.rate_per_s;
        let best = &self.answer().best;
        let alone = per_s * best.message_ns.value / 1e9;
        let fewest = (alone / f64::from(load.cores)).ceil().max(1.0);
        vec![format!(
            "Counting the MAC alone, {} takes {}: at least {}.",
            best.name(),
            share(alone),
            words::counted(grouped(fewest), "server")
        )]
    }

    /// What the table of servers rests on, a paragraph each.
    pub(crate) fn servers_notes(&self) -> Vec<String> {
        let Some(servers) = &self.servers else { return vec![] };
        // What others took is the first, and without a table the rest is of nothing.
        let told = if servers.is_usable { servers.doubts.len() } else { 1 };
        let mut notes: Vec<String> =
            servers.doubts.iter().take(told).map(|it| format!("Warning: {it}.")).collect();
        if !servers.is_usable {
            notes.push(format!(
                "The capacity measured here is unusable, so no servers are counted from it: \
                 measure again (--again) when nothing else runs. Run {}.",
                servers.run
            ));
        } else if !servers.rows.is_empty() {
            notes.push(format!(
                "Measured on this machine ({}, one thread for each) and scaled by the \
                 number of processors, from the lower end of the interval if there is one; this \
                 includes a server's own work for each message (clock, queue, memory). Your \
                 servers' cores may be slower, and no headroom is left for other programs. Run {}.",
                words::counted(servers.processors, "processor"),
                servers.run
            ));
        }
        if !servers.not_measured.is_empty() {
            notes.push(format!("Without a capacity: {}.", servers.not_measured.join("; ")));
        }
        notes
    }
}

impl Servers {
    /// What they must carry.
    pub(crate) fn title(&self) -> String {
        let Load { sessions, rate_per_s, cores } = self.load;
        let share = percent(self.tail_quantile);
        format!(
            "{} sessions, {} messages per second each, {share} of the messages within {} ms, on \
             servers of {}",
            grouped(f64::from(sessions)),
            grouped(rate_per_s),
            self.tail_ms,
            words::counted(cores, "core")
        )
    }

    /// What stands below each word of the head, row by row; nothing where that is not usable.
    pub(crate) fn shown(&self) -> Vec<[String; 5]> {
        if self.is_usable { self.cells() } else { vec![] }
    }

    fn cells(&self) -> Vec<[String; 5]> {
        let row = |row: &ServerRow| {
            let of = |value: f64| grouped(three_digits(value));
            let ends = row.carried.interval.map(|it| format!("{}–{}", of(it.low), of(it.high)));
            // Without an interval all three are about so much.
            let (more, fewer) = match (row.at_least, &ends) {
                (true, _) => ("≥ ", "≤ "),
                (false, None) => ("~ ", "~ "),
                (false, Some(_)) => ("", ""),
            };
            [
                row.name(),
                format!("{more}{}", of(row.carried.value)),
                ends.unwrap_or(ABSENT.into()),
                format!("{fewer}{}", significant(row.cores_needed, 2)),
                match row.is_steady() {
                    true => format!("{fewer}{}", grouped(row.servers as f64)),
                    false => {
                        let [least, most] = [row.servers_least, row.servers];
                        format!("{fewer}{}–{}", grouped(least as f64), grouped(most as f64))
                    }
                },
            ]
        };
        self.rows.iter().map(row).collect()
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
    let cores = |sessions: f64| f64::from(load.sessions) / sessions * processors as f64;
    let servers = |cores: f64| (cores / f64::from(load.cores)).ceil().max(1.0) as u64;
    let cores_needed = cores(sure);
    ServerRow {
        mac: mac.to_owned(),
        provider: provider.to_owned(),
        carried: own,
        at_least,
        cores_needed,
        servers: servers(cores_needed),
        servers_least: servers(cores(own.interval.map_or(own.value, |it| it.high))),
    }
}

/// Whether others took a tenth of the processors or more: a server of its own would carry more.
fn is_taken(run: &Run, carried: &[&Carried]) -> bool {
    carried.iter().any(|it| it.at_capacity.limited_by == Some(Limit::Others))
        || steadiness::others_share(run) > BUSY_SHARE
}

/// Why to doubt capacities: a busy machine carries fewer sessions, and one look has no interval.
fn doubts(run: &Run, carried: &[&Carried]) -> Vec<String> {
    let mut doubts = Vec::new();
    let others = steadiness::others(run);
    if is_taken(run, carried) || others.is_some() {
        let others = others.unwrap_or_else(|| "other programs took part of the processor".into());
        doubts.push(format!(
            "{others}: an idle machine sustains more sessions, and fewer servers are needed"
        ));
    }
    if carried.iter().any(|it| it.sessions.interval.is_none()) {
        doubts.push(
            "too few repetitions for intervals, so that rows close to each other are not ranked: a \
             larger --budget gives them"
                .into(),
        );
    }
    doubts
}

/// Cells in which no trial was too many in at least half of the searches: then so is the median.
fn bounded(run: &Run) -> BTreeMap<u32, bool> {
    let mut all: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for search in run.sessions.iter().filter(|it| !it.trials.is_empty()) {
        let (bounded, searches) = all.entry(search.cell).or_default();
        *bounded += usize::from(search.trials.iter().all(|it| it.carried));
        *searches += 1;
    }
    all.into_iter().map(|(cell, (bounded, searches))| (cell, 2 * bounded >= searches)).collect()
}

/// Who has no capacity, and why: `hmac-sha256@python (its worker cannot serve sessions)`.
fn not_measured(run: &Run, (mac, provider): &(String, String)) -> String {
    let is_own = |it: &&CellRecord| {
        let candidate = &it.cell.candidate;
        (&candidate.mac, &candidate.provider) == (mac, provider)
    };
    let own: Vec<&CellRecord> = run.cells.iter().filter(is_own).collect();
    let excluded = own.iter().find_map(|it| it.excluded.as_ref());
    let reason = match excluded {
        Some(excluded) => excluded.text(),
        None if own.is_empty() => "its worker cannot serve sessions",
        None => "the budget ended before",
    };
    format!("{mac}@{provider} ({reason})")
}
