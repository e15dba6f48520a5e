//! The explorer: one chart and one table whose lines the reader chooses. The script draws both
//! from the columns in the page; without it the answers and what is in wide use are still there.

mod columns;

use lab::record::Run;
use maud::{Markup, PreEscaped, html};

use super::prose::code;
use super::{Told, offers};
use crate::findings::{Findings, Group};
use crate::format;

/// uPlot, as it is published; what it is and how to replace it stands beside it.
const LIBRARY: &str = include_str!("../vendor/uplot/uPlot.iife.min.js");
const LIBRARY_STYLE: &str = include_str!("../vendor/uplot/uPlot.min.css");
const LIBRARY_NAME: &str = "uPlot 1.6.32";
const LIBRARY_LICENCE: &str = include_str!("../vendor/uplot/LICENSE");

const STYLE: &str = include_str!("explore.css");

/// Our own script, in the order in which its parts build on each other.
const PARTS: [&str; 9] = [
    include_str!("data.js"),
    include_str!("choice.js"),
    include_str!("plan.js"),
    include_str!("card.js"),
    include_str!("chart.js"),
    include_str!("picture.js"),
    include_str!("table.js"),
    include_str!("controls.js"),
    include_str!("start.js"),
];

/// Whether a run has an explorer: one whose study repeats no paper and asks for no figures. Of
/// transactions and sessions there is more to tell than a time over a length.
pub(super) fn is_for(run: &Run, findings: &Findings) -> bool {
    let is_plain = |group: &Group| group.views.is_empty() && group.is_alone();
    let has_times = findings.cells.iter().any(|cell| cell.median_ns.is_some());
    run.study.source.is_none() && has_times && findings.groups.iter().all(is_plain)
}

/// The library, with its licence in the place of its banner, and our own script, which is one
/// function: nothing of it is visible to others.
pub(super) fn script() -> String {
    let library = LIBRARY.split_once('\n').map_or(LIBRARY, |(_, code)| code);
    let own = PARTS.concat();
    let notice = format!("/* {LIBRARY_NAME}\n\n{LIBRARY_LICENCE}\n*/");
    format!("{notice}\n{library}\n(() => {{\n\"use strict\";\n{own}}})();\n")
}

/// The style of both.
pub(super) fn style() -> String {
    format!("{LIBRARY_STYLE}\n{STYLE}")
}

/// The choice that shows the evidence of an answer; absent where there is no explorer.
pub(super) fn evidence(told: &Told, group: &str, len_bytes: u64) -> Option<String> {
    let group = told.findings.groups.iter().find(|it| it.name == group)?;
    is_for(told.run, told.findings).then(|| {
        let sets = told.sets();
        let of = match sets.iter().position(|it| *it == told.set(group)) {
            Some(place) if sets.len() > 1 => format!("&of={place}"),
            _ => String::new(),
        };
        let (life, regime) = (group.key_life.name(), group.regime);
        format!("#show=fastest&life={life}&regime={regime}{of}&len={len_bytes}")
    })
}

/// What has `report` print the figures of every implementation: of a gate, `--tables` has ratios.
fn table_option(run: &Run) -> &'static str {
    if run.study.gate.is_some() { "--format csv" } else { "--tables" }
}

/// The frame that the script fills, and its data.
pub(super) fn write(told: &Told) -> Option<Markup> {
    if !is_for(told.run, told.findings) {
        return None;
    }
    let data = columns::of(told.run, told.findings, |group| told.set(group));
    // Within a script element only `<` could end it or open a comment.
    let data = serde_json::to_string(&data).ok()?.replace('<', "\\u003c");
    let margin = format::percent(told.findings.margin);
    Some(html! {
        noscript {
            p .hint {
                "A chart and a table of every implementation stand here where scripts run; "
                (code(&format!("macrometer report {} {}", told.run.id, table_option(told.run))))
                " prints the table."
            }
            @if told.findings.in_use.is_empty() {
                @for group in &told.findings.groups {
                    (told.heading(group, "")) (offers::matrix(told, group))
                }
            }
        }
        div #explorer .explorer {}
        p .hint {
            "Small figures are 95 % intervals of the median, each on its own. Ranks and × best are \
             among everything measured at that length with that key; shaded rows are not shown \
             slower than the best, and differences within " (margin) " count as none. Histograms \
             of every cell: "
            (code(&format!("macrometer report {} --format files", told.run.id))) "."
        }
        script #explorer-data type="application/json" { (PreEscaped(data)) }
    })
}

impl Told<'_> {
    /// What is chosen beside key life and regime: the case, the panel and the part.
    fn set(&self, group: &Group) -> String {
        let groups = &self.findings.groups;
        let mut words = Vec::new();
        if groups.iter().any(|other| other.part != group.part) {
            words.push(group.part_title.as_str());
        }
        if groups.iter().any(|other| other.case != group.case) {
            words.push(&group.case_title);
        }
        if groups.iter().any(|other| other.panel != group.panel) {
            words.push(&group.panel_title);
        }
        words.join(" · ")
    }

    /// All of them, in the order of the study.
    fn sets(&self) -> Vec<String> {
        let mut sets: Vec<String> = Vec::new();
        for set in self.findings.groups.iter().map(|group| self.set(group)) {
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets
    }
}
