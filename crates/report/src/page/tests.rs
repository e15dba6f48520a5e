//! The tests of the paper *Comparing the Speeds of HMAC and CMAC*, as it prints them.

use maud::{Markup, html};

use super::Told;
use crate::findings::{Group, PaperTests};
use crate::format;
use crate::paper::{PaperTable, PaperTables, Values};

/// The tables of each tested case.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let mut tested: Vec<(&Group, Option<u64>, &PaperTests)> = Vec::new();
    for group in &told.findings.groups {
        let of_sizes = group.sizes.iter();
        tested.extend(
            of_sizes.filter_map(|it| Some((group, Some(it.len_bytes), it.tests.as_ref()?))),
        );
        tested.extend(group.tests.as_ref().map(|tests| (group, None, tests)));
    }
    (!tested.is_empty()).then(|| {
        html! {
            p .hint {
                "On speeds in calls per second, as in the paper: “<” reads “slower than”. The \
                 chi-squared test of normality rejects almost anything of this many rows; the \
                 ranking above rests on intervals of paired ratios instead."
            }
            @for (group, len, tests) in tested { (one(told, group, len, tests)) }
        }
    })
}

fn one(told: &Told, group: &Group, len: Option<u64>, tests: &PaperTests) -> Markup {
    let tables = PaperTables::of(&tests.analysis, Values::Speeds);
    let rows = match len {
        Some(len) => format!("{}, {}", format::bytes(len), words::counted(tests.n_rows, "row")),
        None => words::counted(tests.n_rows, "message length"),
    };
    html! {
        div .view data-group=(told.topic(group)) data-label=(told.label(group)) data-size=[len]
            data-size-label=[len.map(format::bytes)] {
            (told.heading(group, &rows))
            p .ordering { (tables.sentence) }
            p { (tables.sentence_corrected) }
            @for warning in &tests.analysis.warnings { p .warning { (warning) } }
            details {
                summary { "Normality, each MAC" }
                div .papers { @for it in &tables.normality { (table(it)) } }
            }
            details open {
                summary { "Friedman and Wilcoxon" }
                div .papers {
                    (table(&tables.friedman))
                    @for it in &tables.wilcoxon { (table(it)) }
                }
            }
        }
    }
}

fn table(it: &PaperTable) -> Markup {
    let widest = it.rows.iter().map(Vec::len).max().unwrap_or(2);
    html! {
        div .scroll tabindex="0" {
            table .paper {
                caption { (it.title) span .subject { (it.subject) } }
                tbody {
                    @for row in &it.rows {
                        tr .heads[row[0] == "Intervals" || row[0] == "Group"] {
                            th scope="row" { (row[0]) }
                            @for value in &row[1..] { td { (value) } }
                            @for _ in row.len()..widest { td {} }
                        }
                    }
                }
            }
        }
    }
}
