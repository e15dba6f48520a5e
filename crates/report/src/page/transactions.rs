//! Transactions: the paper's box plots, where the time goes, and the times of all actions together.

use lab::regimes::segments::Action;
use maud::{Markup, html};

use super::Told;
use crate::chart_kind::ChartKind;
use crate::findings::transactions::{ACTIONS, Transaction, TransactionRow};
use crate::findings::{CellFinding, Group};
use crate::format;

/// The figures of the paper, in its order, behind the whole.
const FIGURES: [Action; 5] = [
    Action::Transaction,
    Action::Splitting,
    Action::Combining,
    Action::Encryption,
    Action::Decryption,
];

/// Charts of each transaction, and a table a file size.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let all = told.findings.transactions();
    (!all.is_empty()).then(|| {
        html! {
            p .hint {
                "A file is sealed and split into segments (es), or split and each piece sealed \
                 (se; se-bound binds its number and their count), then combined and opened again. \
                 One transaction gives the times of all its actions."
            }
            @for it in &all { @for size in &it.head().sizes { (table(told, it, size.len_bytes)) } }
            @for it in &all { (figures(told, it)) }
        }
    })
}

fn figures(told: &Told, it: &Transaction) -> Markup {
    let head = it.head();
    let groups = FIGURES.iter().filter_map(|action| it.group(*action));
    let charts: Vec<Markup> =
        groups.filter_map(|group| told.chart(group, ChartKind::Transactions, None)).collect();
    html! {
        div .view data-group=(told.topic(head)) data-label=(told.label(head)) {
            (told.heading(head, ""))
            @for (number, chart) in charts.iter().enumerate() {
                (chart)
                @if number == 0 {
                    @if let Some(chart) = told.chart(head, ChartKind::WhereTimeGoes, None) {
                        (chart)
                    }
                }
            }
        }
    }
}

fn table(told: &Told, it: &Transaction, len_bytes: u64) -> Markup {
    let head = it.head();
    let rows = it.rows(told.findings, len_bytes);
    let size = format::bytes(len_bytes);
    let own = head.sizes.iter().find(|size| size.len_bytes == len_bytes);
    let repetitions = own.and_then(|size| size.repetitions_words(told.findings));
    html! {
        div .view data-group=(told.topic(head)) data-label=(told.label(head)) data-size=(len_bytes)
            data-size-label=(size) {
            (told.heading(head, &size))
            @if let Some(words) = &repetitions { p .hint { (words) "." } }
            div .scroll tabindex="0" { table .matrix {
                thead { tr {
                    th scope="col" { "#" } th scope="col" .l { "scheme" }
                    @for action in ACTIONS { th scope="col" { (column(action)) } }
                } }
                tbody { @for row in &rows { (line(row, head)) } }
            } }
        }
    }
}

/// What a column of an action is called.
fn column(action: Action) -> &'static str {
    if action == Action::Transaction { "whole" } else { action.name() }
}

fn line(row: &TransactionRow, head: &Group) -> Markup {
    let Some(first) = row.cells.iter().flatten().next() else { return html! {} };
    let place = row.place.and_then(|place| place.rank);
    let tied = row.place.is_some_and(|place| place.tied_with_best);
    let several = head.sizes.iter().flat_map(|size| &size.ranking).any(|it| !it.best_of_mac);
    html! {
        tr class=[tied.then_some("tied")] {
            td { (place.map_or(format::ABSENT.into(), |it| it.to_string())) }
            th scope="row" .l {
                (first.called)
                @if several { " " small { (first.source()) } }
            }
            @for cell in row.cells { td { (time(cell)) } }
        }
    }
}

fn time(cell: Option<&CellFinding>) -> Markup {
    let Some(time) = cell.and_then(CellFinding::time) else {
        return html! { (format::ABSENT) };
    };
    html! {
        span .v { (time.value()) }
        @if let Some(ends) = time.known_ends() { small { (ends) } }
    }
}
