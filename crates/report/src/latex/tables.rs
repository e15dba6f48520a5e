//! The tables that a part's views ask for, of one group each: cycles per byte, how much better one
//! MAC is than another, theory beside measurement, who overtakes whom, sessions, keys and
//! capacities.

use lab::study::View;

use super::caption_of;
use super::layout::table;
use crate::findings::sessions::{
    CapacityTable, Estimate, LoadFinding, WorkingSetFinding, asked_words, column_words, load_words,
    thousands,
};
use crate::findings::{Findings, Group, PairFinding, RatioFinding, SizeFinding};
use crate::format::{self, ABSENT, Figure};

/// All tables of a group beside its figures, in the order of the page.
pub(super) fn of(findings: &Findings, group: &Group) -> String {
    let mut text = String::new();
    if group.views.contains(&View::GroupedBars) {
        text.push_str(&cycles(findings, group));
    }
    if group.views.contains(&View::BetterThan) {
        text.push_str(&better(findings, group));
    }
    text.push_str(&theory(findings, group));
    text.push_str(&crossovers(group));
    for set in findings.sessions.iter().filter(|it| it.head() == group.name) {
        text.extend(set.loads.iter().map(|load| sessions(findings, group, load)));
    }
    for it in findings.working_sets.iter().filter(|it| it.head() == group.name) {
        text.push_str(&working_set(findings, group, it));
    }
    for it in findings.capacities.iter().filter(|it| it.head() == group.name) {
        text.extend(it.tables.iter().map(|own| capacity(group, own, &asked_words(it))));
    }
    text
}

fn titled(what: &str, group: &Group) -> String {
    format!("{what} · {}", caption_of(group))
}

/// The length of a table's rows, in the first of them.
fn length_once(number: usize, len_bytes: u64) -> String {
    if number == 0 { format::bytes(len_bytes) } else { String::new() }
}

fn cycles(findings: &Findings, group: &Group) -> String {
    let value = |it: Option<f64>| it.map_or(ABSENT.into(), format::three);
    let rows = group.sizes.iter().flat_map(|size| {
        let best = size.ranking.iter().filter(|row| row.best_of_mac);
        best.enumerate().map(|(number, row)| {
            let cell = findings.cell(row);
            vec![
                length_once(number, size.len_bytes),
                cell.called.clone(),
                cell.source(),
                cell.samples.to_string(),
                cell.mean_ns.map_or(ABSENT.into(), format::time),
                value(cell.cycles_per_byte_nominal),
                value(cell.cycles_per_byte_estimated),
            ]
        })
    });
    let head = ["length", "MAC", "from", "samples", "mean", "T·F/L", "core cycles (median)"];
    table(&titled("Cycles per byte", group), "rllrrrr", &head, &rows.collect::<Vec<_>>())
}

/// Every pair, in both readings of “x % better”.
fn better(findings: &Findings, group: &Group) -> String {
    let percent = |pair: &PairFinding, it: Option<RatioFinding>| {
        it.map_or(pair.neither().to_owned(), |it| {
            let it = it.percent();
            format!("{} ({})", it.value(), it.ends())
        })
    };
    let mac = |cell: usize| findings.cells[cell].called.clone();
    let rows = group.sizes.iter().flat_map(|size: &SizeFinding| {
        size.better.iter().enumerate().map(move |(number, pair)| {
            vec![
                length_once(number, size.len_bytes),
                mac(pair.row),
                mac(pair.column),
                percent(pair, pair.better()),
                percent(pair, pair.better_of_row()),
            ]
        })
    });
    let head = ["length", "this MAC", "is better than", "% of the other", "% of its own"];
    let what = "Relative improvement, in percent of the other's time and of its own (95 %)";
    table(&titled(what, group), "rllrr", &head, &rows.collect::<Vec<_>>())
}

fn theory(findings: &Findings, group: &Group) -> String {
    if !findings.has_theory(group) {
        return String::new();
    }
    let (in_cycles, macs) = findings.theory(group);
    let rows = macs.iter().flat_map(|(mac, own)| {
        own.iter().filter_map(move |(len, cell)| {
            let it = cell.per_call(in_cycles)?;
            let each = Figure::of(it.each, it.ends);
            Some(vec![
                findings.named(mac),
                it.work.key_material.map_or(ABSENT.into(), |key| key.words()),
                it.work.key_schedules.to_string(),
                format::bytes(*len),
                it.work.calls.to_string(),
                format::three(it.whole),
                format!("{} ({})", each.value(), each.ends()),
            ])
        })
    });
    let unit = if in_cycles { "estimated cycles" } else { "ns" };
    let each = format!("{unit} per call (95 %)");
    let head = ["MAC", "key", "key schedules", "length", "calls", unit, &each];
    let what = "Theory versus measurement: calls of the cipher or compression function";
    table(&titled(what, group), "llrrrrr", &head, &rows.collect::<Vec<_>>())
}

fn crossovers(group: &Group) -> String {
    let rows = group.crossovers.iter().map(|it| {
        let name = |it: &lab::cell::Candidate| format!("{} from {}", it.mac, it.source());
        vec![
            name(&it.faster_below),
            name(&it.faster_above),
            format!("{} to {}", format::bytes(it.from_bytes), format::bytes(it.to_bytes)),
            it.at_in_words(),
            if it.lead { "yes" } else { "no" }.into(),
        ]
    });
    let head = ["faster below", "faster above", "between", "interpolated (95 %)", "of the lead"];
    let what = "Crossover lengths";
    table(&titled(what, group), "llrrl", &head, &rows.collect::<Vec<_>>())
}

fn sessions(findings: &Findings, group: &Group, load: &LoadFinding) -> String {
    let value = |it: Option<Estimate>| it.map_or(ABSENT.into(), |it| with_ends(&it.figure()));
    let rows = load.rows.iter().map(|row| {
        let seen = row.windows;
        let tail = seen.and_then(|it| it.tail);
        let received = seen.and_then(|it| it.received);
        let ratio = row.to_absolute.map(|it| it.figure(findings.margin));
        vec![
            row.candidate.mac.clone(),
            row.candidate.source(),
            value(row.absolute_cycles_per_byte),
            value(row.apparent_cycles_per_byte),
            ratio.map_or(ABSENT.into(), |it| with_ends(&it)),
            tail.map_or(ABSENT.into(), |it| format::time(it.p99_ns as f64)),
            seen.and_then(|it| it.fairness).map_or(ABSENT.into(), format::three),
            received.map_or(ABSENT.into(), |it| format::percent(it.share)),
        ]
    });
    let head =
        ["MAC", "from", "absolute c/B", "apparent c/B", "app./abs.", "p99", "fairness", "received"];
    let size = format::bytes(load.len_bytes);
    let what = format!("{}, {size}: cycles per byte (95 %)", load_words(load));
    table(&titled(&what, group), "llrrrrrr", &head, &rows.collect::<Vec<_>>())
}

fn working_set(findings: &Findings, group: &Group, it: &WorkingSetFinding) -> String {
    let time = |it: &Option<Estimate>| it.map_or(ABSENT.into(), |it| it.time().value());
    let rows = it.rows.iter().map(|row| {
        let mut line = vec![row.candidate.mac.clone(), row.candidate.source()];
        line.extend(row.ns.iter().map(time));
        let growth = row.growth.map(|it| it.figure(findings.margin));
        line.push(growth.map_or(ABSENT.into(), |it| with_ends(&it)));
        line
    });
    let keys: Vec<String> = it.keys.iter().map(|&it| thousands(f64::from(it))).collect();
    let mut head = vec!["MAC", "from"];
    head.extend(keys.iter().map(String::as_str));
    head.push("most ÷ fewest");
    let columns = format!("ll{}", "r".repeat(keys.len() + 1));
    let what = format!("Time of a message of {} by keys in use", format::bytes(it.len_bytes));
    table(&titled(&what, group), &columns, &head, &rows.collect::<Vec<_>>())
}

fn capacity(group: &Group, own: &CapacityTable, asked: &str) -> String {
    let rows = own.rows.iter().map(|row| {
        let mut line = vec![row.candidate.mac.clone(), row.candidate.source()];
        line.extend(row.carried.iter().map(|it| match it {
            None => ABSENT.into(),
            Some(it) => {
                let ends = it.ends_in_thousands().map_or(String::new(), |it| format!(" ({it})"));
                format!("{}{ends}", it.in_thousands())
            }
        }));
        line
    });
    let columns = column_words(own);
    let mut head = vec!["MAC", "from"];
    head.extend(columns.iter().map(String::as_str));
    let aligned = format!("ll{}", "r".repeat(columns.len()));
    let what = format!("Sessions sustained, {}: {asked}", format::bytes(own.len_bytes));
    table(&titled(&what, group), &aligned, &head, &rows.collect::<Vec<_>>())
}

/// `1.02 (1.01–1.04)`.
fn with_ends(figure: &Figure) -> String {
    let ends = figure.known_ends().map_or(String::new(), |it| format!(" ({it})"));
    format!("{}{ends}", figure.value())
}
