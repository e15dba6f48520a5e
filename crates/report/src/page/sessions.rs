//! Sessions: absolute and apparent processing beside each other, with tail and fairness, for each
//! load; what was adjusted; and the charts of the paper.

use maud::{Markup, html};

use super::Told;
use crate::findings::sessions::{
    Estimate, LoadFinding, SessionsFinding, SessionsRow, WindowsFinding, load_words, settled_words,
};
use crate::findings::{Group, RatioFinding};
use crate::format::{self, ABSENT, Figure};

/// Charts and tables of each part that asks for sessions.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let sets = &told.findings.sessions;
    (!sets.is_empty()).then(|| {
        html! {
            p .hint {
                "Absolute processing is the time of a processor that a byte takes; apparent \
                 processing is the time of the window over the bytes of all sessions, as if one \
                 processor did all the work. On one processor both are nearly equal; on k \
                 processors the apparent one falls towards a k-th of the absolute one, and does \
                 not where something holds the sessions up. Cycles are estimated. Tails are times \
                 of single messages under load. “Received” is what the sessions' threads had of \
                 window × processors; beside it stand what other programs and the hypervisor had, \
                 what nobody used, and how long a thread was ready to run and had to wait. A \
                 window in which sessions that were ready for more had less than 95 % is measured \
                 again, up to twice; the least disturbed is kept, and is marked where that is not \
                 enough."
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
    let chart = told.chart(group, "absolute-over-size", None);
    html! { @if let Some(chart) = chart {
        div .view data-group=(told.topic(group)) data-label=(told.label(group)) {
            (told.heading(group, ""))
            (chart)
        }
    } }
}

fn view(told: &Told, set: &SessionsFinding, group: &Group, len: u64) -> Markup {
    let size = format::bytes(len);
    let kinds = ["over-processors", "over-sessions", "designs"];
    html! {
        div .view #{ "rank-" (set.head()) "-" (len) } data-group=(told.topic(group))
            data-label=(told.label(group)) data-size=(len) data-size-label=(size) {
            (told.heading(group, &size))
            @for kind in kinds {
                @if let Some(chart) = told.chart(group, kind, Some(len)) { (chart) }
            }
            @for load in set.at(len) { (table(told, load)) }
        }
    }
}

fn table(told: &Told, load: &LoadFinding) -> Markup {
    let words = load_words(load);
    let beside = load.rows.iter().any(|row| row.speed_up.is_some() || row.dearer.is_some());
    html! {
        h4 { (words) }
        @for it in settled_words(&[load]) { p .hint { (it) } }
        div .scroll tabindex="0" { table .matrix .ranking data-rows=(load.rows.len()) {
            caption .hidden { (words) ", " (format::bytes(load.len_bytes)) }
            thead { tr {
                th scope="col" { "#" } th scope="col" .l { "MAC" }
                th scope="col" { "absolute, cycles a byte" br; "and a message" }
                th scope="col" { "apparent, cycles a byte" br; "and a message" }
                th scope="col" { "apparent" br; "÷ absolute" }
                th scope="col" { "wall clock" br; "of a session" }
                @if beside { th scope="col" { "against one" br; "processor" } }
                th scope="col" { "throughput" }
                th scope="col" { "a message" br; "under load" }
                th scope="col" { "fairness" br; "and served" }
                th scope="col" { "received of" br; "its processors" }
                th scope="col" { "a second" }
                th scope="col" { "accounts" }
            } }
            tbody { @for row in &load.rows { (line(told, row, beside)) } }
        } }
    }
}

fn line(told: &Told, row: &SessionsRow, beside: bool) -> Markup {
    let cell = row.apparent.or(row.absolute).map(|at| &told.findings.cells[at]);
    let (tied, other) = (row.tied_with_best, !row.best_of_mac);
    let margin = told.findings.margin;
    html! {
        tr class=[tied.then_some("tied").or(other.then_some("other"))] {
            td { (row.rank.map_or(ABSENT.into(), |it| it.to_string())) }
            th scope="row" .l {
                (row.candidate.mac) " " small { (row.candidate.source()) }
                @if row.offloads { " ‡" }
                @if let Some(cell) = cell { (told.notes(cell)) }
            }
            td {
                (plain(row.absolute_cycles_per_byte)) (message(row.absolute_ns))
                @if row.offloads { small { "‡ a share" } }
            }
            td { (plain(row.apparent_cycles_per_byte)) (message(row.apparent_ns)) }
            td { (ratio(row.to_absolute, margin, "")) }
            td {
                (time(row.wall_ns))
                @if let Some(it) = row.wall_cycles_per_byte {
                    small { (format::three(it.value)) " cycles a byte" }
                }
            }
            @if beside { td {
                @if row.speed_up.is_none() && row.dearer.is_none() { (ABSENT) }
                (against("faster", row.speed_up, margin))
                (against("absolute", row.dearer, margin))
            } }
            td { (throughput(row)) }
            (seen(row))
        }
    }
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

/// Columns of what was seen in the windows.
fn seen(row: &SessionsRow) -> Markup {
    let Some(it) = row.windows else {
        return html! { @for _ in 0..5 { td { (ABSENT) } } };
    };
    let off = row.accounts_differ();
    html! {
        td { @match it.tail {
            None => (ABSENT),
            Some(it) => {
                small { "p50 " (format::time(it.p50_ns as f64)) }
                small { "p99 " (format::time(it.p99_ns as f64)) }
                @if let Some(ns) = it.p99_9_ns { small { "p99.9 " (format::time(ns as f64)) } }
            }
        } }
        td {
            span .v { (it.fairness.map_or(ABSENT.into(), format::three)) }
            @if let Some(it) = it.uneven {
                small { "least served session " (format::times(it.most)) }
                small { "most served " (format::times(it.least)) }
            }
            small { (format::percent((it.served * 1e3).floor() / 1e3)) " served" }
        }
        (received(it))
        td {
            small { (format::tick(it.preemptions_per_s)) " preemptions" }
            small { (format::tick(it.switches_per_s - it.preemptions_per_s)) " waits" }
            small { (format::tick(it.migrations_per_s)) " migrations" }
        }
        td class=[off.then_some("broken")] {
            (it.cpu_to_process.map_or(ABSENT.into(), format::three))
            small { "threads ÷ process" }
        }
    }
}

/// What the sessions had of the processors, and who else had what.
fn received(windows: WindowsFinding) -> Markup {
    let share = |it: f64| format!("{} %", format::three(it * 100.0));
    let own = windows.received;
    let disturbed = own.filter(|it| it.disturbed > 0);
    html! {
        td class=[disturbed.map(|_| "broken")] {
            @match own {
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
            @if let Some(it) = disturbed {
                small { (it.disturbed) " of " (windows.windows) " disturbed" }
            }
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
