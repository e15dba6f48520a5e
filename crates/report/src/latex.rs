//! A run as LaTeX: the claims, the figures and further tables of every group, what schemes detect
//! and cost, whose implementations were used, the paper's tests and the charts, in one file to be
//! read by `\input`. Tables are those of `booktabs`, and break over pages; what others wrote is
//! escaped.

mod escape;
mod layout;
mod tables;

use lab::record::Run;
use stats::Analysis;

use crate::charts::Chart;
use crate::findings::schemes::{detections, fault_kinds};
use crate::findings::{Findings, Group, bills, key_life_words, regime_words, segments};
use crate::format::{self, ABSENT, Figure};
use crate::paper::{PaperTable, PaperTables, Values};
pub(crate) use escape::escaped;
use layout::table;

/// What stands above everything.
const PREAMBLE: &str = r"% Read this by \input. It needs in the preamble:
%   \usepackage[T1]{fontenc} \usepackage{textcomp,amsmath,booktabs,longtable,array,graphicx}
% Charts are read from \macrometerfigures, by default the folder figures/ beside the document: with
% \usepackage{svg} in the preamble the SVG files, else the PNG files.
\providecommand{\macrometerfigures}{figures/}
\providecommand{\macrometerchart}[1]{\ifdefined\includesvg
  \includesvg[width=\linewidth]{\macrometerfigures#1}\else
  \includegraphics[width=\linewidth]{\macrometerfigures#1.png}\fi}
\providecommand{\macrometerfitted}[1]{%
  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{#1}}
";

/// The same where there are no charts.
const PREAMBLE_OF_TABLES: &str = r"% Read this by \input. It needs in the preamble:
%   \usepackage[T1]{fontenc} \usepackage{textcomp,amsmath,booktabs,graphicx}
\providecommand{\macrometerfitted}[1]{%
  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{#1}}
";

/// Figures in a row before they must be on a page: LaTeX gives up where too many wait for one.
const FIGURES_MAX: usize = 8;

/// The file to be read by `\input`, with `charts` by their names.
#[must_use]
pub fn document(run: &Run, findings: &Findings, charts: &[Chart]) -> String {
    let mut text = PREAMBLE.to_owned();
    text.push_str(&format!(
        "\n\\section{{{}}}\n{}\nRun \\texttt{{{}}}, {}, {}.\n",
        escaped(&run.study.title),
        loosely(&run.study.summary),
        escaped(&run.id),
        escaped(&format::date(run.created_unix_s)),
        escaped(&format::processor(&run.machine))
    ));
    text.push_str(&claims(run, findings));
    for group in &findings.groups {
        text.push_str(&figures(findings, group));
        text.push_str(&taken_apart(findings, group));
        text.push_str(&tables::of(findings, group));
    }
    text.push_str(&detection(findings));
    text.push_str(&bills(findings));
    text.push_str(&choices(findings));
    text.push_str(&tests(findings));
    for (number, chart) in charts.iter().enumerate() {
        if number % FIGURES_MAX == 0 {
            text.push_str("\n\\clearpage\n");
        }
        text.push_str(&format!(
            "\n\\begin{{figure}}\n\\sloppy\\centering\n\\macrometerchart{{{}}}\n\\caption{{{}}}\n\
             \\label{{fig:{}}}\n\\end{{figure}}\n",
            chart.name,
            escaped(&chart.title),
            chart.name
        ));
    }
    text
}

fn claims(run: &Run, findings: &Findings) -> String {
    let rows: Vec<Vec<String>> = findings
        .claims
        .iter()
        .flat_map(|claim| {
            claim.told().iter().enumerate().map(|(number, panel)| {
                let said = format!("{} ({})", claim.quoted, claim.source);
                vec![
                    if number == 0 { said } else { String::new() },
                    claim.whose(panel).to_owned(),
                    format!("{}.", panel.verdict.because(&panel.reason)),
                ]
            })
        })
        .collect();
    let ragged = r">{\raggedright\arraybackslash}";
    let columns =
        format!(r"{ragged}p{{.34\linewidth}}{ragged}p{{.18\linewidth}}{ragged}p{{.38\linewidth}}");
    let source = run.study.source.as_ref().map_or(String::new(), |it| format!(" of {it}"));
    let caption = format!("Claims{source}, and their verdicts");
    let mut text = table(&caption, &columns, &["claim", "panel", "verdict"], &rows);
    if !run.study.deviations.is_empty() {
        text.push_str("\nThe study departs from its source:\n\\begin{itemize}\n");
        for it in &run.study.deviations {
            text.push_str(&format!("\\item\\sloppy {}\n", escaped(&it.text)));
        }
        text.push_str("\\end{itemize}\n");
    }
    text
}

/// Every candidate of a group at each length.
fn figures(findings: &Findings, group: &Group) -> String {
    let mut rows = Vec::new();
    for size in &group.sizes {
        for (number, row) in size.ranking.iter().enumerate() {
            let cell = findings.cell(row);
            let (time, ends) =
                cell.time().map_or((ABSENT.into(), ABSENT.into()), |it| (it.value(), it.ends()));
            let ratio = match row.to_best.map(|it| it.figure(findings.margin)) {
                Some(it) => format!("{} ({})", it.value(), it.ends()),
                None if row.rank == Some(1) => "1".into(),
                None => ABSENT.into(),
            };
            rows.push(vec![
                if number == 0 { format::bytes(size.len_bytes) } else { String::new() },
                cell.called.clone(),
                cell.source(),
                time,
                ends,
                ratio,
            ]);
        }
    }
    let head = ["length", "MAC", "from", "median", "95 %", "× best (95 %)"];
    table(&caption_of(group), "rllrrr", &head, &rows)
}

/// What a group is of.
fn caption_of(group: &Group) -> String {
    let condition = format!("{}, {}", key_life_words(group.key_life), regime_words(group.regime));
    [&group.part_title[..], &group.case_title, &condition, &group.panel_title].join(" · ")
}

fn taken_apart(findings: &Findings, group: &Group) -> String {
    let in_cycles = group.apart_in_cycles();
    let rows: Vec<Vec<String>> = group
        .taken_apart
        .iter()
        .map(|it| {
            let cell = &findings.cells[it.cell];
            let factor = it.factor(in_cycles);
            let share = |share: &crate::findings::Share| {
                let shown = share.shown(factor);
                let figure = Figure::of(shown.value, shown.ends);
                format!("{} ({})", figure.value(), figure.ends())
            };
            vec![
                format::bytes(it.len_bytes),
                cell.called.clone(),
                cell.source(),
                cell.median_ns.map_or(ABSENT.into(), |ns| format::three(factor * ns)),
                share(&it.measurement),
                share(&it.frame),
                share(&it.compressions),
            ]
        })
        .collect();
    let unit = if in_cycles { "estimated cycles" } else { "ns" };
    let caption = format!("Where the cycles go, {unit}, with 95 % intervals");
    let head = ["length", "MAC", "from", "whole", "measurement", "frame", "compressions"];
    table(&caption, "rllrrrr", &head, &rows)
}

fn detection(findings: &Findings) -> String {
    let kinds = fault_kinds(&findings.schemes);
    let mut head = vec!["scheme", "from"];
    head.extend(&kinds);
    let rows: Vec<Vec<String>> = detections(&findings.schemes)
        .iter()
        .map(|(scheme, providers)| {
            let of = |kind: &&str| {
                let fault = scheme.faults.iter().find(|it| it.fault == *kind);
                fault.map_or(ABSENT.into(), |it| format!("{}/{}", it.refused, it.planted))
            };
            let first = [scheme.scheme.clone(), providers.clone()];
            first.into_iter().chain(kinds.iter().map(of)).collect()
        })
        .collect();
    let columns = format!("ll{}", "r".repeat(kinds.len()));
    table("What each scheme detects: injected faults rejected", &columns, &head, &rows)
}

/// What a file costs in segments.
fn bills(findings: &Findings) -> String {
    let bills = bills::bills(&findings.schemes);
    let lengths = bills::lengths(&bills);
    let rows: Vec<Vec<String>> = bills
        .iter()
        .map(|bill| {
            let flow = segments::layout_words(bill.layout).to_owned();
            let mut row = vec![bill.compositions.join("; "), flow, bill.seal.words()];
            row.extend(lengths.iter().map(|&len| match bill.at(len) {
                None => ABSENT.into(),
                Some(it) => {
                    format!("{} ({})", it.segments, segments::share(Some(it.more_segments)))
                }
            }));
            row
        })
        .collect();
    let mut head = vec!["compositions".to_owned(), "flow".into(), "added".into()];
    head.extend(lengths.iter().map(|&len| format::bytes(len)));
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let columns = format!("lll{}", "r".repeat(lengths.len()));
    table("Segments of a file, and how many more than for the bare file", &columns, &head, &rows)
}

/// Whose implementation was used for each MAC, where a panel keeps the fastest.
fn choices(findings: &Findings) -> String {
    let rows: Vec<Vec<String>> =
        findings.choices.iter().map(|it| vec![format!("{}.", it.sentence)]).collect();
    table("Implementation used for each MAC", r"p{.95\linewidth}", &["choice"], &rows)
}

/// The paper's tables, two abreast.
fn tests(findings: &Findings) -> String {
    let mut text = String::new();
    for group in &findings.groups {
        let of_sizes = group.sizes.iter().filter_map(|it| it.tests.as_ref());
        for tests in of_sizes.chain(&group.tests) {
            let tables = PaperTables::of(&tests.analysis, Values::Speeds);
            let title = format!("{} · {}", group.case_title, group.panel_title);
            // The tables begin on a line of their own.
            let title = escaped(&title);
            text.push_str(&format!("\n{{\\sloppy\\paragraph{{{title}}}\\mbox{{}}\\par}}\n"));
            text.push_str(&paper_tables(&tables));
        }
    }
    text
}

/// The paper's tables of anybody's numbers, to be read by `\input`.
#[must_use]
pub fn analysis(analysis: &Analysis, values: Values) -> String {
    let mut text =
        PREAMBLE_OF_TABLES.to_owned() + &paper_tables(&PaperTables::of(analysis, values));
    for warning in &analysis.warnings {
        text.push_str(&loosely(&format!("Warning: {warning}.")));
    }
    text
}

fn paper_tables(tables: &PaperTables) -> String {
    let mut text = String::new();
    let mut all: Vec<&PaperTable> = tables.normality.iter().collect();
    all.push(&tables.friedman);
    all.extend(&tables.wilcoxon);
    for pair in all.chunks(2) {
        let pair: Vec<String> = pair.iter().map(|it| paper_table(it)).collect();
        text.push_str(&format!("\n\\noindent {}\n", pair.join("\\hfill\n")));
    }
    for sentence in [&tables.sentence, &tables.sentence_corrected] {
        text.push_str(&loosely(sentence));
    }
    text
}

/// A paragraph whose lines are rather loose than too long.
fn loosely(text: &str) -> String {
    format!("\n\\begin{{sloppypar}}\n{}\n\\end{{sloppypar}}\n", escaped(text))
}

/// One of them, half as wide as the text: made smaller where it is wider.
fn paper_table(it: &PaperTable) -> String {
    let columns = it.rows.iter().map(Vec::len).max().unwrap_or(2);
    let mut text = format!(
        "\\begin{{minipage}}[t]{{.49\\linewidth}}\\footnotesize\\raggedright\n\
         {}\\\\\\textit{{{}}}\\\\[2pt]\n\\macrometerfitted{{\\setlength{{\\tabcolsep}}{{2pt}}%\n\
         \\begin{{tabular}}[t]{{l{}}}\n\\toprule\n",
        escaped(it.title),
        escaped(&it.subject),
        "r".repeat(columns - 1)
    );
    for row in &it.rows {
        let mut cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        cells.resize(columns, String::new());
        text.push_str(&format!("{} \\\\\n", cells.join(" & ")));
    }
    text.push_str("\\bottomrule\n\\end{tabular}}\n\\end{minipage}");
    text
}
