//! What was measured, and where: machine, clock, floor, providers, exclusions, the run itself.

use std::collections::BTreeSet;

use lab::plan::{NULL, is_floor, is_mac, is_own_floor};
use lab::record::{Measure, ProviderRecord, RunState};
use maud::{Markup, html};

use super::prose::prose;
use super::{Told, time_and_interval};
use crate::findings::{CellFinding, Topology};
use crate::format::{self, ABSENT};

/// All of it.
pub(super) fn write(told: &Told) -> Option<Markup> {
    Some(html! {
        div .columns {
            (facts("Machine", &machine(told)))
            (facts("Clock", &clock(told)))
            (facts("Run", &run(told)))
        }
        (instructions(told))
        (floor(told))
        (providers(told))
        (events(told))
    })
}

type Facts = Vec<(&'static str, String)>;

fn facts(title: &str, facts: &Facts) -> Markup {
    html! { div { h3 { (title) } dl .facts {
        @for (name, value) in facts { div { dt { (name) } dd { (value) } } }
    } } }
}

fn machine(told: &Told) -> Facts {
    let it = &told.run.machine;
    let or_dash = |text: &Option<String>| text.clone().unwrap_or(ABSENT.into());
    let turbo = it.turbo.map_or(ABSENT.into(), |on| if on { "on".into() } else { "off".into() });
    let mut facts = vec![
        ("processor", it.cpu_model.clone()),
        ("logical processors", it.cpus.to_string()),
        ("pinned to", it.pinned_cpu.map_or(ABSENT.into(), |cpu| format!("cpu {cpu}"))),
        ("extensions", it.cpu_flags.join(" ")),
        ("system", it.kernel.clone()),
        ("distribution", or_dash(&it.distribution)),
        ("memory", it.memory_bytes.map_or(ABSENT.into(), gibibytes)),
        ("compiler of macrometer and of what is built in", or_dash(&it.compiler)),
        ("governor", or_dash(&it.governor)),
        ("turbo", turbo),
        ("virtualisation", or_dash(&it.virtualization)),
        ("load at start", it.load_1min.map_or(ABSENT.into(), format::three)),
    ];
    if !it.without.is_empty() {
        facts.insert(4, ("instructions left out", it.without.to_string()));
    }
    // Older archives do not have it.
    if let Some(topology) = Topology::of(&it.processors) {
        facts.insert(2, ("topology", topology.words()));
    }
    facts
}

/// What the system says is no whole number of them.
fn gibibytes(len_bytes: u64) -> String {
    format!("{} GiB", format::three(len_bytes as f64 / f64::from(1 << 30)))
}

/// What bounds the macs, in core cycles.
fn instructions(told: &Told) -> Markup {
    html! { @if !told.run.instructions.is_empty() {
        details {
            summary { "What instructions cost here, in core cycles" }
            div .scroll tabindex="0" { table {
                thead { tr {
                    th scope="col" .l { "instruction" } th scope="col" .l { "measured" }
                    th scope="col" { "cycles" }
                } }
                tbody { @for it in &told.run.instructions { tr {
                    th scope="row" { (it.name) }
                    td .l { (match it.measure {
                        Measure::Latency => "latency: one waits for the other",
                        Measure::Throughput => "throughput: none waits",
                    }) }
                    td { (format::three(it.cycles)) }
                } } }
            } }
        }
    } }
}

fn clock(told: &Told) -> Facts {
    let it = &told.run.clock;
    let hertz = |hz: Option<f64>| hz.map_or(ABSENT.into(), format::hertz);
    vec![
        ("source", it.source.clone()),
        ("ticks", format::hertz(it.ticks_hz)),
        ("clock overhead", format::time(it.bracket_ns)),
        ("step", format::time(it.resolution_ns)),
        ("core clock, estimated", hertz(it.core_hz)),
        ("nominal clock", hertz(it.nominal_hz)),
    ]
}

fn run(told: &Told) -> Facts {
    let it = told.run;
    let state = match it.state {
        RunState::Complete => "complete",
        RunState::Interrupted => "interrupted",
        RunState::Open => "unfinished",
    };
    vec![
        ("number", it.id.clone()),
        ("begun", format::date(it.created_unix_s)),
        ("state", state.into()),
        ("study", it.study.name.clone()),
        ("seed", it.seed.to_string()),
        (
            "budget",
            format!("{} s, {} s spent", format::three(it.budget_s), format::three(it.spent_s)),
        ),
        ("launches asked", it.study.launches.to_string()),
        ("cells, samples", format!("{}, {}", it.cells.len(), it.samples.len())),
        ("macrometer", it.macrometer_version.clone()),
    ]
}

/// What a call that does nothing takes, by size: in the harness, and in each runtime.
fn floor(told: &Told) -> Markup {
    let is_empty = |it: &&CellFinding| it.cell.candidate.mac == NULL && it.median_ns.is_some();
    let mut rows: Vec<&CellFinding> = told.findings.cells.iter().filter(is_empty).collect();
    let place = |it: &&CellFinding| {
        let candidate = &it.cell.candidate;
        (!is_own_floor(candidate), candidate.provider.clone(), it.cell.len_bytes)
    };
    rows.sort_by_key(place);
    html! {
        h3 { "Floor" }
        @if rows.is_empty() { p { "Not measured." } } @else {
            p .hint {
                "A call that does nothing, measured as all others are: by the harness (null), and \
                 in each runtime. Subtracted only where calls are taken apart."
            }
            details {
                summary { "Floor at each length" }
                div .scroll tabindex="0" { table {
                    thead { tr {
                        th scope="col" .l { "in" }
                        th scope="col" { "length" } th scope="col" .l { "as" }
                        th scope="col" { "time" } th scope="col" { "95 %" }
                    } }
                    tbody { @for cell in rows { tr {
                        td .l { (cell.cell.candidate.provider) }
                        td { (format::bytes(cell.cell.len_bytes)) }
                        td .l { (cell.cell.regime) ", " (cell.cell.key_life) }
                        @let (time, interval) = time_and_interval(cell);
                        td { (time) } td { (interval) }
                    } } }
                } }
            }
        }
    }
}

fn providers(told: &Told) -> Markup {
    html! {
        h3 { "Providers" }
        div .scroll tabindex="0" { table .providers {
            thead { tr {
                th scope="col" .l { "name" } th scope="col" .l { "version" }
                th scope="col" .l { "found at" } th scope="col" .l { "code paths" }
                th scope="col" { "MACs" } th scope="col" .l { "detail" }
            } }
            tbody { @for it in &told.run.providers {
                tr {
                    th scope="row" { (it.name) } td .l { (it.version) } td .l .path { (it.path) }
                    td .l { (kernels(it)) } td { (macs(it)) } td .l { (it.detail) }
                }
            } }
        } }
        @if !told.findings.choices.is_empty() {
            details {
                summary { "Implementation used for each MAC, chosen by the pilot" }
                ul .sentences { @for it in &told.findings.choices {
                    li { (it.panel) ": " (it.sentence) "." }
                } }
            }
        }
    }
}

/// How many MACs a provider has.
fn macs(provider: &ProviderRecord) -> usize {
    let macs = provider.offers.iter().map(|offer| offer.mac.as_str());
    macs.filter(|mac| is_mac(mac) && !is_floor(mac)).collect::<BTreeSet<&str>>().len()
}

fn kernels(provider: &ProviderRecord) -> String {
    let offers = provider.offers.iter().filter(|it| it.mac != NULL || provider.name == NULL);
    let mut kernels: Vec<&str> = offers.map(|it| it.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    kernels.join(", ")
}

fn events(told: &Told) -> Markup {
    let excluded: Vec<String> = told
        .run
        .cells
        .iter()
        .filter_map(|it| Some(format!("{}: {}", it.cell, it.excluded.as_ref()?)))
        .collect();
    html! {
        @if !told.run.events.is_empty() || !excluded.is_empty() {
            h3 { "What happened" }
            ul .sentences {
                @for it in &told.run.events { li { b { (it.kind) } ": " (prose(&it.text)) } }
                @for it in &excluded { li { b { "excluded" } ": " (it) } }
            }
        } @else { p { "Nothing was excluded." } }
    }
}
