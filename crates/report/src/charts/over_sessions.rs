//! Throughput and tail over the number of sessions: four small frames, a line a candidate.

use super::curves::{Across, Curve, Point};
use super::small_multiples::{self, Frame};
use super::{Drawn, at_each_length, panels, words};
use crate::findings::sessions::{Estimate, SessionsFinding, SessionsRow};
use crate::findings::{Findings, Group};
use crate::format;

/// Lines beyond these would not be told apart.
const LINES_MAX: usize = 9;

type Value = fn(&SessionsRow) -> Option<Estimate>;

/// Title, labels of the axis, value, unit in words.
type Shown = (&'static str, fn(f64) -> String, Value, &'static str);

const FRAMES: [Shown; 4] = [
    (
        "throughput, messages per second",
        format::tick,
        |row| row.messages_per_s,
        "messages per second",
    ),
    ("median latency", format::tick_time, |row| tail(row, 0), "ns"),
    ("99th-percentile latency", format::tick_time, |row| tail(row, 1), "ns"),
    ("99.9th-percentile latency", format::tick_time, |row| tail(row, 2), "ns"),
];

/// One chart a message length at which there are several numbers of sessions.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    at_each_length(findings, group, one)
}

fn one(findings: &Findings, group: &Group, set: &SessionsFinding, len_bytes: u64) -> Option<Drawn> {
    let mut loads = set.several_alike(len_bytes, |own| (own.serving, own.binding))?;
    loads.sort_by_key(|it| it.sessions);
    let candidates = loads[0].rows.iter().filter(|row| row.best_of_mac).take(LINES_MAX);
    let candidates: Vec<_> = candidates.map(|row| &row.candidate).collect();
    let curve = |candidate, value: Value, unit| {
        let points = loads.iter().filter_map(|load| {
            let row = load.row(candidate)?;
            let it = value(row).filter(|it| it.value > 0.0)?;
            let cell = &findings.cells[row.apparent.or(row.absolute)?];
            let count = load.sessions?;
            let told = words(candidate, &format!("{count} sessions"), &it, unit);
            Some(Point { across: count.into(), value: it.value, ends: it.ends(), cell, told })
        });
        points.collect::<Vec<_>>()
    };
    let frames: Vec<Frame> = FRAMES
        .iter()
        .map(|&(title, label, value, unit)| Frame {
            title: title.into(),
            label,
            curves: candidates
                .iter()
                .map(|candidate| Curve {
                    label: format!("{}\n{}", candidate.mac, candidate.source()),
                    points: curve(candidate, value, unit),
                    bound: None,
                })
                .collect(),
            span: None,
        })
        .collect();
    let len = format::bytes(len_bytes);
    let title = format!("From one session to many, {len} messages");
    let what = "throughput of all sessions, and the time of single messages under load; best offer \
                of each MAC";
    let across =
        Across { title: "sessions", label: |count| format::tick(count as f64), named: LINES_MAX };
    let under = panels::subtitle(findings, group, what);
    let canvas = small_multiples::draw((&title, &under), across, &frames)?;
    let last = frames.iter().flat_map(|it| it.curves.first()?.points.last());
    let told: Vec<String> = last.map(|it| it.told.clone()).collect();
    let description = format!("With the most sessions: {}.", told.join("; "));
    Some(Drawn { len_bytes: Some(len_bytes), title, description, canvas })
}

fn tail(row: &SessionsRow, which: usize) -> Option<Estimate> {
    let it = row.windows?.tail?;
    let ns = [Some(it.p50_ns), Some(it.p99_ns), it.p99_9_ns][which]?;
    Some(Estimate { value: ns as f64, interval: None })
}
