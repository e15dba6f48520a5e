//! By how many percent each MAC is better than each other: the whole matrix.

use lab::study::View;
use maud::{Markup, html};

use super::Told;
use crate::findings::{Group, PairFinding, SizeFinding};
use crate::format::{self, ABSENT};

/// A matrix for each size of each group that asks for it.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let asks = |group: &&Group| group.views.contains(&View::BetterThan);
    let groups: Vec<&Group> = told.findings.groups.iter().filter(asks).collect();
    (!groups.is_empty()).then(|| {
        html! {
            p .hint {
                "Percentage by which the row's MAC takes less time per byte than the column's, \
                 (column − row) / column; negative where it takes more, “=” where no difference is \
                 shown. Under each its 95 % interval, then the other reading of “x % \
                 better”, (column − row) / row, with its own."
            }
            @for group in groups {
                @for size in &group.sizes { (view(told, group, size)) }
            }
        }
    })
}

fn view(told: &Told, group: &Group, size: &SizeFinding) -> Markup {
    let mut cells: Vec<usize> =
        size.ranking.iter().filter(|row| row.best_of_mac).map(|row| row.cell).collect();
    cells.sort_unstable();
    let mac = |cell: usize| told.findings.cells[cell].called.as_str();
    let len = size.len_bytes;
    html! {
        div .view data-group=(told.topic(group)) data-label=(told.label(group)) data-size=(len)
            data-size-label=(format::bytes(len)) {
            (told.heading(group, &format::bytes(len)))
            div .scroll tabindex="0" {
                table .matrix {
                    caption .hidden {
                        "Better than, " (told.label(group)) ", " (format::bytes(len))
                    }
                    thead { tr {
                        th scope="col" .l { "better than" }
                        @for &column in &cells { th scope="col" { (mac(column)) } }
                    } }
                    tbody { @for &row in &cells { tr {
                        th scope="row" { (mac(row)) }
                        @for &column in &cells { (entry(size, row, column)) }
                    } } }
                }
            }
        }
    }
}

fn entry(size: &SizeFinding, row: usize, column: usize) -> Markup {
    if row == column {
        return html! { td {} };
    }
    let pair = size.better.iter().find(|pair| (pair.row, pair.column) == (row, column));
    let Some(pair) = pair else { return html! { td { (ABSENT) } } };
    let Some(share) = PairFinding::better(pair) else { return html! { td { (pair.neither()) } } };
    let signed = |text: String| text.replace('-', "−");
    let percent = share.percent();
    html! {
        td .v[share.value > 0.0] {
            (signed(percent.value())) " %"
            @if let Some(ends) = percent.ends_in_words() { small { (signed(ends)) } }
            @if let Some(of_row) = pair.better_of_row().map(|it| it.percent()) {
                small {
                    "of the row " (signed(of_row.value())) " %"
                    @if let Some(ends) = of_row.ends_in_words() { ", " (signed(ends)) }
                }
            }
        }
    }
}
