//! Sessions: absolute and apparent processing beside each other, with tail and fairness, for each
//! load; what was adjusted; and the charts of the paper.

use maud::{Markup, html};

use super::Told;
use crate::chart_kind::ChartKind;
use crate::findings::sessions::{
    Between, Estimate, LoadFinding, SessionsFinding, SessionsRow, WindowsFinding, load_words,
    settled_words,
};
use crate::findings::{Group, RatioFinding};
use crate::format::{self, ABSENT, Figure};

/// Charts and tables of each part that asks for sessions.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let sets = &told.findings.sessions;
    (!sets.is_empty()).then(|| {
        html! {
            p .hint {
                "Absolute processing is CPU time per byte; apparent \
                 processing is the time of the window over the bytes of all sessions, as if one \
                 processor did all the work. On one processor both are nearly equal; on k \
                 processors the apparent one falls towards a k-th of the absolute one, and does \
                 not where something holds the sessions up. The wall clock of a session is the \
                 time from one of its messages to its next: the apparent time of a message times \
                 the number of sessions. Cycles are estimated. Tails are times of single messages \
                 under load. How evenly sessions are served is told where a window holds four \
                 turns of each or more: in a shorter one it depends on where the window is cut. \
                 “Received” is what the sessions' threads had of window × processors; beside it \
                 stand what other programs and the hypervisor had, what nobody used, and how long \
                 a thread was ready to run and had to wait. A window in which sessions that were \
                 ready for more had less than 95 % is measured again, up to twice; the least \
                 disturbed is kept, and is marked where that is not enough."
            }
            @for set in sets {
                @if let Some(group) = head(told, set.head()) {
                    (over_size(told, group))
                    @for len in set.lengths() { (view(told, set, group, len)) }
                }
            }
        }
    })
}

/// The group under which a finding is kept.
pub(super) fn head<'a>(told: &'a Told, name: &str) -> Option<&'a Group> {
    told.findings.groups.iter().find(|it| it.name == name)
}

fn over_size(told: &Told, group: &Group) -> Markup {
    let kinds = [ChartKind::AbsoluteOverSize, ChartKind::ProcessingOverSize];
    html! { @for chart in kinds.iter().filter_map(|&kind| told.chart(group, kind, None)) {
        div .view data-group=(told.topic(group)) data-label=(told.label(group)) {
            (told.heading(group, ""))
            (chart)
        }
    } }
}

fn view(told: &Told, set: &SessionsFinding, group: &Group, len: u64) -> Markup {
    let size = format::bytes(len);
    let kinds = [
        ChartKind::OverProcessors,
        ChartKind::OverSessions,
        ChartKind::Designs,
        ChartKind::BetweenSessions,
    ];
    html! {
        div .view #{ "rank-" (set.head()) "-" (len) } data-group=(told.topic(group))
            data-label=(told.label(group)) data-size=(len) data-size-label=(size) {
            (told.heading(group, &size))
            @for kind in kinds {
                @if let Some(chart) = told.chart(group, kind, Some(len)) { (chart) }
            }
            @for it in set.order_words(len) { p { (it) } }
            @for load in set.at(len) { (tables(told, load)) }
        }
    }
}

/// What it took, and behind it how its windows went.
fn tables(told: &Told, load: &LoadFinding) -> Markup {
    let words = load_words(load);
    let beside = load.rows.iter().any(|row| row.speed_up.is_some() || row.cpu_cost_ratio.is_some());
    let heads: Vec<&str> =
        HEADS.iter().copied().filter(|it| beside || *it != AGAINST_ONE).collect();
    let size = format::bytes(load.len_bytes);
    let is_seen = load.rows.iter().any(|row| row.windows.is_some());
    html! {
        h4 { (words) }
        @for it in settled_words(&[load]) { p .hint { (it) } }
        (table(&format!("{words}, {size}"), &heads, load, |row| line(told, row, beside)))
        @if is_seen { details {
            summary { "How the windows of " (words) " went" }
            (table(&format!("Windows of {words}, {size}"), &SEEN, load, seen))
        } }
    }
}

/// A row a candidate; on a narrow screen a row becomes a card, each figure under the head of its
/// column.
fn table(
    caption: &str,
    heads: &[&str],
    load: &LoadFinding,
    line: impl Fn(&SessionsRow) -> Vec<Cell>,
) -> Markup {
    html! {
        div .scroll tabindex="0" { table .matrix .ranking .stack data-rows=(load.rows.len()) {
            caption .hidden { (caption) }
            thead { tr {
                th scope="col" .l { "MAC" }
                @for head in heads { th scope="col" { (head) } }
            } }
            tbody { @for row in &load.rows {
                @let (tied, other) = (row.tied_with_best, !row.best_of_mac);
                tr class=[tied.then_some("tied").or(other.then_some("other"))] {
                    @for (at, cell) in line(row).into_iter().enumerate() {
                        @match at.checked_sub(1) {
                            None => th scope="row" .l { (cell.content) },
                            Some(at) => {
                                @let broken = cell.is_broken.then_some("broken");
                                td data-label=(heads[at]) class=[broken] { (cell.content) }
                            }
                        }
                    }
                }
            } }
        } }
    }
}

/// What stands in a cell of a table, and whether it must be doubted.
struct Cell {
    content: Markup,
    is_broken: bool,
}

impl From<Markup> for Cell {
    fn from(content: Markup) -> Self {
        Cell { content, is_broken: false }
    }
}

const AGAINST_ONE: &str = "against one processor";

const HEADS: [&str; 6] = [
    "absolute, cycles per byte",
    "apparent, cycles per byte",
    "apparent ÷ absolute",
    "wall clock, cycles per byte",
    AGAINST_ONE,
    "throughput",
];

fn line(told: &Told, row: &SessionsRow, beside: bool) -> Vec<Cell> {
    let cell = row.apparent.or(row.absolute).map(|at| &told.findings.cells[at]);
    let margin = told.findings.margin;
    let who = html! {
        @if let Some(rank) = row.rank { span .rank { (rank) } " " }
        (row.candidate.mac) " " small { (row.candidate.source()) }
        @if row.offloads { " ‡" }
        @if let Some(cell) = cell { (told.notes(cell)) }
    };
    let absolute = html! {
        (plain(row.absolute_cycles_per_byte)) (message(row.absolute_ns))
        @if row.offloads { small { "‡ a share" } }
    };
    let apparent = html! { (plain(row.apparent_cycles_per_byte)) (message(row.apparent_ns)) };
    let wall = html! { (plain(row.wall_cycles_per_byte)) (message(row.wall_ns)) };
    let against_one = html! {
        @if row.speed_up.is_none() && row.cpu_cost_ratio.is_none() { (ABSENT) }
        (against("faster", row.speed_up, margin))
        (against("absolute", row.cpu_cost_ratio, margin))
    };
    let mut cells = vec![who, absolute, apparent, ratio(row.to_absolute, margin, ""), wall];
    cells.extend(beside.then_some(against_one));
    cells.push(throughput(row));
    cells.into_iter().map(Cell::from).collect()
}

fn against(what: &str, it: Option<RatioFinding>, margin: f64) -> Markup {
    html! { @if it.is_some() { (ratio(it, margin, what)) } }
}

fn throughput(row: &SessionsRow) -> Markup {
    html! {
        @match row.mib_per_s {
            None => (ABSENT),
            Some(it) => { span .v { (format::three(it.value)) " MiB/s" } },
        }
        @if let Some(it) = row.messages_per_s { small { (format::tick(it.value)) " messages/s" } }
    }
}

const SEEN: [&str; 6] = [
    "latency under load",
    "from session to session",
    "fairness and served",
    "CPU share received",
    "per CPU-second",
    "stability and accounting",
];

/// What was seen in the windows.
fn seen(row: &SessionsRow) -> Vec<Cell> {
    let who = html! { (row.candidate.mac) " " small { (row.candidate.source()) } };
    let Some(it) = row.windows else {
        let absent = SEEN.iter().map(|_| Cell::from(html! { (ABSENT) }));
        return std::iter::once(Cell::from(who)).chain(absent).collect();
    };
    let tail = html! { @match it.tail {
        None => (ABSENT),
        Some(it) => {
            small { "p50 " (format::time(it.p50_ns as f64)) }
            small { "p99 " (format::time(it.p99_ns as f64)) }
            @if let Some(ns) = it.p99_9_ns { small { "p99.9 " (format::time(ns as f64)) } }
        }
    } };
    let fair = html! {
        span .v { (it.fairness.map_or(ABSENT.into(), format::three)) }
        small { (format::percent((it.served * 1e3).floor() / 1e3)) " served" }
    };
    let often = html! {
        small { (format::tick(it.preemptions_per_cpu_s)) " preemptions" }
        small { (format::tick(it.waits_per_cpu_s)) " waits" }
        small { (format::tick(it.migrations_per_cpu_s)) " migrations" }
    };
    let share = |it: f64| format!("{} %", format::three(it * 100.0));
    let accounts = html! {
        @if let Some(it) = it.slice_error { small { "slices ±" (share(it)) } }
        @if let Some(it) = it.cpu_to_process { small { (format::three(it)) " threads ÷ process" } }
    };
    let disturbed = it.received.is_some_and(|it| it.disturbed > 0);
    vec![
        who.into(),
        tail.into(),
        from_session_to_session(it).into(),
        fair.into(),
        Cell { content: received(it), is_broken: disturbed },
        often.into(),
        Cell { content: accounts, is_broken: row.accounts_differ() },
    ]
}

/// How far processing differs between sessions.
fn from_session_to_session(windows: WindowsFinding) -> Markup {
    let of = |what: &str, it: Option<Between>| {
        html! { @if let Some(it) = it {
            small { (what) " " (format::three(it.least)) " to " (format::three(it.most)) " ×" }
            small { "half of them " (format::three(it.lower_quartile)) " to "
                (format::three(it.upper_quartile)) " ×" }
        } }
    };
    html! {
        (of("apparent", windows.apparent_between))
        (of("absolute", windows.absolute_between))
        @if let Some(turns) = windows.turns { small { (format::three(turns)) " turns each" } }
    }
}

/// What the sessions had of the processors, and who else had what.
fn received(windows: WindowsFinding) -> Markup {
    let share = |it: f64| format!("{} %", format::three(it * 100.0));
    html! {
        @match windows.received {
            None => (ABSENT),
            Some(it) => {
                span .v { (share(it.share)) }
                small { "least " (share(it.least_share)) }
                @if let Some(others) = it.others { small { "others " (share(others)) } }
                @if let Some(idle) = it.idle { small { "idle " (share(idle)) } }
                @if let Some(waiting) = it.waiting { small { "ready " (share(waiting)) } }
            }
        }
        @if let Some(steal) = windows.steal { small { "stolen " (share(steal)) } }
        @if let Some(it) = windows.received.filter(|it| it.disturbed > 0) {
            small { (it.disturbed) " of " (windows.windows) " disturbed" }
        }
    }
}

/// A value over its interval.
fn plain(it: Option<Estimate>) -> Markup {
    html! { @match it {
        None => (ABSENT),
        Some(it) => { (over_interval(&it.figure())) }
    } }
}

/// The time of a message in one small line.
fn message(it: Option<Estimate>) -> Markup {
    html! { @if let Some(it) = it {
        @let time = it.time();
        small { (time.value()) @if let Some(ends) = time.known_ends() { " (" (ends) ")" } }
    } }
}

pub(super) fn time(it: Option<Estimate>) -> Markup {
    html! { @match it {
        None => (ABSENT),
        Some(it) => { (over_interval(&it.time())) }
    } }
}

fn over_interval(figure: &Figure) -> Markup {
    html! {
        span .v { (figure.value()) }
        @if let Some(ends) = figure.known_ends() { small { (ends) } }
    }
}

/// A ratio over its interval, with what it is of behind it.
pub(super) fn ratio(it: Option<RatioFinding>, margin: f64, what: &str) -> Markup {
    html! { @match it.map(|it| it.figure(margin)) {
        None => (ABSENT),
        Some(it) => {
            span .v { (it.times()) @if !what.is_empty() { " " (what) } }
            @if let Some(ends) = it.known_ends() { small { (ends) } }
        }
    } }
}
