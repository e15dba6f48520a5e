//! Markdown for the summary of a CI step, an issue or a message: the answers, the verdicts on
//! claims, what is in wide use, the first of every ranking, and the doubts.

use lab::record::Run;

use super::Format;
use crate::findings::{Findings, Group, InUse};
use crate::format::{self, ABSENT};
use crate::markdown::{escaped, table};

pub(super) const FORMAT: Format =
    Format { name: "markdown", title: "Markdown, for a CI step's summary or an issue", write };

/// Rows of a ranking that are shown.
const RANKED: usize = 5;

/// Rankings that are shown: a paper has dozens, and GitHub takes a summary of 1 MiB.
const RANKINGS: usize = 12;

fn write(run: &Run, findings: &Findings) -> String {
    let mut text = format!(
        "## {}\n\nRun `{}`, {}, {}.\n",
        escaped(&run.study.title),
        run.id,
        format::date(run.created_unix_s),
        escaped(&format::processor(&run.machine))
    );
    text += &list("", findings.machine.iter());
    text += &list("", findings.headlines.iter().map(|it| &it.sentence));
    text += &claims(findings);
    text.extend(findings.in_use.iter().map(|it| in_use(findings, it)));
    text.extend(findings.groups.iter().take(RANKINGS).map(|group| ranking(findings, group)));
    if let Some(more) = findings.groups.len().checked_sub(RANKINGS).filter(|&more| more > 0) {
        let page = format!("`macrometer report {} --tables`", run.id);
        text += &format!("\n{more} more rankings: {page}.\n");
    }
    text + &list("### Warnings", findings.warnings.iter())
}

fn list<'a>(title: &str, lines: impl Iterator<Item = &'a String>) -> String {
    let lines: String = lines.map(|line| format!("- {}\n", escaped(line))).collect();
    match (lines.is_empty(), title.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!("\n{lines}"),
        (false, false) => format!("\n{title}\n\n{lines}"),
    }
}

fn claims(findings: &Findings) -> String {
    let rows: Vec<Vec<String>> = findings
        .claims
        .iter()
        .flat_map(|claim| {
            claim.told().iter().enumerate().map(|(number, panel)| {
                let said = format!("{} ({})", claim.quoted, claim.source);
                let said = if number == 0 { said } else { String::new() };
                let why = panel.verdict.because(&panel.reason);
                vec![said, claim.whose(panel).to_owned(), why]
            })
        })
        .collect();
    match &rows[..] {
        [] => String::new(),
        rows => format!("\n### Claims\n\n{}", table(&["claim", "panel", "verdict"], rows, 3)),
    }
}

fn in_use(findings: &Findings, it: &InUse) -> String {
    let time = |at: usize| findings.cells[at].time().map_or(ABSENT.into(), |time| time.value());
    let named = it.macs.iter().map(|own| {
        let times = own.cells.iter().map(|cell| cell.map_or(ABSENT.into(), time));
        std::iter::once(findings.named(&own.mac)).chain(times).collect::<Vec<String>>()
    });
    let fastest = it.fastest().into_iter().map(|(name, first)| {
        let of = |cell: usize| format!("{} ({})", time(cell), findings.cells[cell].called);
        let times = first.iter().map(|it| it.map_or(ABSENT.into(), |it| of(it.cell)));
        std::iter::once(name.to_owned()).chain(times).collect()
    });
    let rows: Vec<Vec<String>> = named.chain(fastest).collect();
    let lens: Vec<String> = it.lens_bytes.iter().map(|&len| format::bytes(len)).collect();
    let head: Vec<&str> = std::iter::once("MAC").chain(lens.iter().map(String::as_str)).collect();
    let group = findings.groups.iter().find(|group| group.name == it.group);
    let title = group.map(title).unwrap_or_default();
    format!("\n### {}: {title}\n\n{}", it.title(), table(&head, &rows, 1))
}

fn title(group: &Group) -> String {
    let titles = [&group.part_title[..], &group.case_title, &group.context(), &group.panel_title];
    let titles: Vec<&str> = titles.into_iter().filter(|it| !it.is_empty()).collect();
    escaped(&titles.join(" · "))
}

/// The fastest at each length.
fn ranking(findings: &Findings, group: &Group) -> String {
    let mut rows = Vec::new();
    for size in &group.sizes {
        let best = size.ranking.iter().filter(|row| row.best_of_mac).take(RANKED);
        for (number, row) in best.enumerate() {
            let cell = findings.cell(row);
            let (time, ends) =
                cell.time().map_or((ABSENT.into(), ABSENT.into()), |it| (it.value(), it.ends()));
            let ratio = match row.to_best.map(|it| it.figure(findings.margin)) {
                Some(it) => format!("{} ({})", it.value(), it.ends()),
                None if row.rank == Some(1) => "1".into(),
                None => ABSENT.into(),
            };
            let len = if number == 0 { format::bytes(size.len_bytes) } else { String::new() };
            rows.push(vec![len, cell.called.clone(), cell.source(), time, ends, ratio]);
        }
    }
    let head = ["length", "MAC", "from", "median", "95 %", "× best (95 %)"];
    match &rows[..] {
        [] => String::new(),
        rows => format!("\n### {}\n\n{}", title(group), table(&head, rows, 3)),
    }
}
