//! Lines over message length, with their intervals.

use maud::{Markup, html};

use super::Told;
use crate::chart_kind::ChartKind;
use crate::findings::Group;

/// The charts of each group that has at least two sizes.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let kinds = [
        ChartKind::TimeOverSize,
        ChartKind::CyclesPerByte,
        ChartKind::SpeedOverSize,
        ChartKind::Speeds,
    ];
    let charts = |group: &Group| -> Vec<Markup> {
        kinds.iter().filter_map(|&kind| told.chart(group, kind, None)).collect()
    };
    let drawn: Vec<(&Group, Vec<Markup>)> = told
        .findings
        .groups
        .iter()
        .map(|group| (group, charts(group)))
        .filter(|(_, charts)| !charts.is_empty())
        .collect();
    (!drawn.is_empty()).then(|| {
        html! {
            p .hint {
                "One line per MAC, through its fastest offer at each length; bars and bands are \
                 95 % intervals of the median, often narrower than the mark. Point at a mark for \
                 its numbers. At most eight lines have a name; the table below has them all."
            }
            @for (group, charts) in &drawn {
                div .view data-group=(told.topic(group)) data-label=(told.label(group)) {
                    (told.heading(group, ""))
                    @for chart in charts { (chart) }
                }
            }
        }
    })
}
