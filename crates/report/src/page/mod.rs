//! The page: one HTML file that opens from disk, with all of a run in it and nothing to load. It
//! works without script, which only picks, filters and switches colours. One section is one file
//! and one row in `SECTIONS`. A study that asks for no figures of its own has its cells in the
//! explorer, whose chart and table are drawn in the browser.

mod answer;
mod better;
mod capacity;
mod claims;
mod crossovers;
mod cycles;
mod detection;
mod distributions;
mod doubts;
mod explore;
mod glossary;
mod headline;
mod in_use;
mod lines;
mod offers;
mod prose;
mod provenance;
mod ranking;
mod reproduce;
mod segments;
mod sessions;
pub mod site;
mod taken_apart;
mod tests;
mod theory;
mod transactions;
mod working_set;

pub use answer::answer;
use base64ct::{Base64, Encoding};
use lab::record::Run;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::chart_kind::ChartKind;
use crate::charts::{self, Chart, themed};
use crate::findings::{CellFinding, Findings, Group, SizeFinding, slug};
use crate::format;

const STYLE: &str = include_str!("style.css");
const THEME: &str = include_str!("theme.js");
const SCRIPT: &str = include_str!("script.js");

/// Sections in the order of the page: anchor, title, and who writes it; one that has nothing to say
/// is left out.
const SECTIONS: &[(&str, &str, Section)] = &[
    ("explore", "Explore", explore::write),
    ("in-use", "MAC by MAC", in_use::write),
    ("claims", "Claims", claims::write),
    ("cycles", "Cycles per byte", cycles::write),
    ("better", "Relative improvement", better::write),
    ("sessions", "Sessions", sessions::write),
    ("capacity", "Capacity", capacity::write),
    ("working-set", "Working set", working_set::write),
    ("transactions", "Transactions", transactions::write),
    ("detection", "What each scheme detects", detection::write),
    ("segments", "Segment overhead", segments::write),
    ("lines", "By message length", lines::write),
    ("apart", "Call breakdown", taken_apart::write),
    ("theory", "Theory versus measurement", theory::write),
    ("ranking", "Ranking", ranking::write),
    ("offers", "Fastest offer of each MAC", offers::write),
    ("crossovers", "Crossovers", crossovers::write),
    ("distributions", "Distribution of times", distributions::write),
    ("tests", "The paper’s tests", tests::write),
    ("doubts", "Warnings and footnotes", doubts::write),
    ("provenance", "What was measured, and where", provenance::write),
    ("glossary", "Glossary", glossary::write),
    ("reproduce", "Reproduce this run", reproduce::write),
];

type Section = fn(&Told) -> Option<Markup>;

/// Sections whose cells the explorer shows where there is one.
const EXPLORED: [&str; 5] = ["lines", "ranking", "offers", "crossovers", "distributions"];

/// What the sections tell.
struct Told<'a> {
    run: &'a Run,
    findings: &'a Findings,
    charts: Vec<Chart>,
}

/// The page of a run.
#[must_use]
pub fn render(run: &Run, findings: &Findings) -> String {
    let is_explored = explore::is_for(run, findings);
    let charts = if is_explored { vec![] } else { charts::all(run, findings) };
    let told = Told { run, findings, charts };
    let mut scripts = vec![[THEME, SCRIPT].concat()];
    scripts.extend(is_explored.then(explore::script));
    let sections: Vec<(&str, &str, Markup)> = SECTIONS
        .iter()
        .filter(|(id, ..)| !(is_explored && EXPLORED.contains(id)))
        .filter_map(|(id, title, write)| Some((*id, *title, write(&told)?)))
        .collect();
    let narrowed = run.narrowed_by().map(|options| format!(", narrowed by {options}"));
    let sheet = Sheet {
        title: format!("{}{}", run.study.title, narrowed.unwrap_or_default()),
        style: if is_explored { explore::style() } else { String::new() },
        scripts,
        header: header(run),
        answers: headline::write(&told),
        // The script fills this with controls; without it everything is shown.
        controls: html! { div #picker .picker data-topics=(told.topics()) hidden {} },
        sections,
        version: run.macrometer_version.clone(),
        run: run.id.clone(),
    };
    sheet.render()
}

/// A page, whatever it tells.
struct Sheet<'a> {
    title: String,
    /// Style beside that of all pages.
    style: String,
    scripts: Vec<String>,
    header: Markup,
    answers: Markup,
    controls: Markup,
    /// Anchor, title and body.
    sections: Vec<(&'a str, &'a str, Markup)>,
    version: String,
    run: String,
}

impl Sheet<'_> {
    fn render(&self) -> String {
        self.render_as("run")
    }

    /// The page of what its number is of: a run, a study.
    fn render_as(&self, of: &str) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    // Nothing from outside is loaded, and no script runs but this page's own.
                    meta http-equiv="Content-Security-Policy" content=(policy(&self.scripts));
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · macrometer" }
                    // An icon of no bytes, or a browser asks the disk for one.
                    link rel="icon" href="data:,";
                    style { (PreEscaped(STYLE)) (PreEscaped(&self.style)) }
                }
                body {
                    a .skip href="#answers" { "Skip to the answers" }
                    (self.header)
                    main {
                        (self.answers)
                        nav aria-label="Sections" {
                            ul { @for (id, title, _) in &self.sections {
                                li { a href={ "#" (id) } { (title) } }
                            } }
                        }
                        (self.controls)
                        @for (id, title, body) in &self.sections {
                            section #(id) aria-labelledby={ (id) "-title" } {
                                h2 id={ (id) "-title" } { (title) }
                                (body)
                            }
                        }
                    }
                    footer { p {
                        "macrometer " (self.version) " · " (of) " " (prose::code(&self.run))
                    } }
                    @for script in &self.scripts { script { (PreEscaped(script)) } }
                }
            }
        };
        // In our own text and scripts there is nothing that this changes.
        words::legible(&page.into_string()).into_owned()
    }
}

/// The scripts by their digests: one that a name of a study had brought in would not run.
fn policy(scripts: &[String]) -> String {
    let digest = |it: &String| format!("'sha256-{}'", Base64::encode_string(&Sha256::digest(it)));
    let scripts: Vec<String> = scripts.iter().map(digest).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; \
         img-src data:; base-uri 'none'; form-action 'none'",
        scripts.join(" ")
    )
}

fn header(run: &Run) -> Markup {
    let machine = &run.machine;
    let about = html! {
        p .summary { (run.study.summary) }
        @if let Some(options) = run.narrowed_by() {
            p .machine { "Narrowed by " (prose::code(options)) }
        }
        p .machine {
            (machine.cpu_model) " · " (machine.kernel)
            @if let Some(hypervisor) = &machine.virtualization { " · under " (hypervisor) }
            @if let Some(without) = machine.without.sentence() { " · " b { (without) } }
        }
    };
    top(run.created_unix_s, &run.study.title, &about)
}

/// The head of every page: when it was measured, what it is, and `about` it.
fn top(unix_s: u64, title: &str, about: &Markup) -> Markup {
    html! {
        header .top {
            div .brand {
                span .word { "macrometer" }
                span .run { (format::date(unix_s)) }
            }
            button #theme type="button" hidden { "Dark" }
            h1 { (title) }
            (about)
        }
    }
}

impl Told<'_> {
    /// A chart's SVG in the page's colours; `None` where there is none of this kind.
    fn chart(&self, group: &Group, kind: ChartKind, len_bytes: Option<u64>) -> Option<Markup> {
        let wanted = |chart: &&Chart| {
            chart.group == group.name && chart.kind == kind && chart.len_bytes == len_bytes
        };
        let chart = self.charts.iter().find(wanted)?;
        Some(figure(&chart.svg))
    }

    /// A hint, then a view of each size of every group that is wanted and told size by size.
    fn by_size(
        &self,
        hint: &Markup,
        wanted: fn(&Group) -> bool,
        view: fn(&Self, &Group, &SizeFinding) -> Markup,
    ) -> Option<Markup> {
        let groups: Vec<&Group> =
            self.findings.groups.iter().filter(|it| !it.lines_only && wanted(it)).collect();
        (!groups.is_empty()).then(|| {
            html! {
                p .hint { (hint) }
                @for group in groups {
                    @for size in &group.sizes { (view(self, group, size)) }
                }
            }
        })
    }

    /// What is picked together: a panel's case with its key life and regime, over all parts.
    fn topic(&self, group: &Group) -> String {
        let regime = group.set().map_or_else(|| group.regime.to_string(), |it| it.topic.into());
        slug(&[&group.panel, &group.case, group.key_life.name(), &regime])
    }

    /// All topics in the order of the study.
    fn topics(&self) -> String {
        let mut topics: Vec<String> = Vec::new();
        for topic in self.findings.groups.iter().map(|group| self.topic(group)) {
            if !topics.contains(&topic) {
                topics.push(topic);
            }
        }
        topics.join(" ")
    }

    /// What a topic is called where several are shown.
    fn label(&self, group: &Group) -> String {
        self.findings.label(group, false)
    }

    /// The heading of a group's view: its topic, its part where there are several, and what else.
    fn heading(&self, group: &Group, rest: &str) -> Markup {
        let parts = self.findings.groups.iter().any(|other| other.part != group.part);
        html! { h3 {
            (self.label(group))
            @if parts { " · " (group.part_title) }
            @if !rest.is_empty() { " · " (rest) }
        } }
    }

    /// Marks of footnotes, as links.
    fn notes(&self, cell: &CellFinding) -> Markup {
        // Thousands of them are no stops of the Tab key: the section of footnotes is one away.
        html! { @for note in &cell.notes {
            a .note href={ "#note-" (note + 1) } tabindex="-1" { (note + 1) }
        } }
    }
}

/// A chart's SVG in the page's colours.
fn figure(svg: &str) -> Markup {
    // Inline SVG has its namespace from HTML.
    let svg = themed(svg).replacen("xmlns=\"http://www.w3.org/2000/svg\" ", "", 1);
    html! { figure .chart { div .scroll tabindex="0" { (PreEscaped(svg)) } } }
}

/// The time of a cell and its interval; dashes where it has none.
fn time_and_interval(cell: &CellFinding) -> (String, String) {
    let absent = || format::ABSENT.to_owned();
    cell.time().map_or_else(|| (absent(), absent()), |it| (it.value(), it.ends()))
}

/// A number, or a dash.
fn number(value: Option<f64>) -> String {
    value.map_or(format::ABSENT.into(), format::three)
}
