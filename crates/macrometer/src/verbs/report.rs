//! `report`: a stored run, rendered again. Nothing is measured.

mod folders;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use lab::archive::Archive;
use lab::record::Run;
use report::against::Against;
use report::export::{self, FORMATS};
use report::findings::Findings;
use report::gate::{GateFindings, Undecided};
use report::regimes::calls::crprf::{self, Program};
use report::regimes::segments::log;

use crate::output;
use crate::paths::{ArchiveArg, report_folder};

pub use folders::{check_named as check_folder, make_named as make_folder, page as page_folder};

/// Re-render a stored run: tables, CSV, charts, HTML page, LaTeX, bundle.
#[derive(Debug, Args)]
pub struct Report {
    /// The run: its name or the start of it, or `last`
    #[arg(default_value = "last")]
    run: String,
    #[command(flatten)]
    pub archive: ArchiveArg,
    /// What to print; `text` also writes the page, and `files` only page, charts, CSV and JSON
    #[arg(long, value_parser = formats(), default_value = "text")]
    format: ReportFormat,
    /// Print every table, reason and warning, not only the verdicts and their figures; of a gate,
    /// every cell
    #[arg(long)]
    tables: bool,
    /// Print instead this provider's times over the best other provider's, as Markdown or JSON
    #[arg(long, value_name = "PROVIDER")]
    against: Option<String>,
    /// Who measured, for a bundle's citation: 'Family, Given' or the name of a group; may be
    /// repeated
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// Folder for the page and, with `files`, charts and CSV, or for LaTeX or a bundle [default:
    /// reports/RUN beside the archive, and RUN-latex, RUN-bundle]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// Tables as plain text
    Text,
    /// Findings as one JSON document
    Json,
    /// Findings, one row per cell
    Csv,
    /// Raw samples, one per row
    Samples,
    /// The log of the study `sms`, in its paper's columns
    Log,
    /// The HTML page
    Html,
    /// The page, charts as SVG (and PNG if built with `--features png`), data as CSV and JSON
    Files,
    /// A folder with tables, claims and charts for a paper: `\input` its report.tex
    Latex,
    /// A folder to publish: data, tables, charts, page, study, provenance, citation
    Bundle,
    /// CSV in the format of `crprf`, the program of KHC's authors (for runs such as `khc`)
    Crprf,
    /// In the format of their `crprf_moc`: the measurement alone
    #[value(name = "crprf_moc")]
    CrprfMoc,
    /// In the format of their `crprf_moc_sha256cf`: all but the compression function
    #[value(name = "crprf_moc_sha256cf")]
    CrprfMocSha256cf,
    /// What other tools read
    #[value(skip)]
    Export(&'static export::Format),
}

/// Our own formats, then those of other tools.
fn formats() -> impl TypedValueParser<Value = ReportFormat> {
    let own = ReportFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let others = FORMATS.iter().map(|it| PossibleValue::new(it.name).help(it.title));
    PossibleValuesParser::new(own.chain(others)).try_map(|name| {
        let other = FORMATS.iter().find(|it| it.name == name).map(ReportFormat::Export);
        other.map_or_else(|| ReportFormat::from_str(&name, false), Ok)
    })
}

impl Report {
    pub fn run(self) -> Result<u8> {
        if self.tables && self.format != ReportFormat::Text {
            bail!("--tables: only for --format text");
        }
        if !self.author.is_empty() && self.format != ReportFormat::Bundle {
            bail!("--author: only for --format bundle, which has a citation");
        }
        super::cite::check_authors(&self.author)?;
        let archive = self.archive.open()?;
        let run = archive.load(&self.run)?;
        if let Some(subject) = &self.against {
            return self.print_against(&run, subject);
        }
        let findings = super::findings(&run);
        self.print(&archive, &run, &findings)?;
        Ok(0)
    }

    fn print(&self, archive: &Archive, run: &Run, findings: &Findings) -> Result<()> {
        match self.format {
            ReportFormat::Text
            | ReportFormat::Files
            | ReportFormat::Latex
            | ReportFormat::Bundle => output::print_text(&self.written(archive, run, findings)?),
            ReportFormat::Crprf => print_crprf(run, findings, Program::Whole),
            ReportFormat::CrprfMoc => print_crprf(run, findings, Program::Measurement),
            ReportFormat::CrprfMocSha256cf => print_crprf(run, findings, Program::Frame),
            ReportFormat::Json => output::print(&::report::json(findings)?),
            ReportFormat::Csv => {
                output::print(&csv(|bytes| report::csv::findings(run, findings, bytes))?)
            }
            ReportFormat::Samples => output::print(&csv(|bytes| report::csv::raw(run, bytes))?),
            ReportFormat::Log if !log::has_rows(run) => {
                bail!("--format log: run {} has no transactions, as the study sms has", run.id)
            }
            ReportFormat::Log => output::print(&csv(|bytes| log::write(run, bytes))?),
            ReportFormat::Export(format) => output::print(&format.write(run, findings)),
            ReportFormat::Html => output::print(&report::page::render(run, findings)),
        }
    }

    /// Writes the files of a format that has any; where they are.
    fn written(&self, archive: &Archive, run: &Run, findings: &Findings) -> Result<String> {
        if self.format == ReportFormat::Latex {
            let file = folders::latex(run, findings, &self.apart(archive, run, "latex"))?;
            return Ok(format!("latex: {}", file.display()));
        }
        if self.format == ReportFormat::Bundle {
            let folder = self.apart(archive, run, "bundle");
            folders::bundle(run, findings, &self.author, &folder)?;
            return Ok(format!("bundle: {}", folder.display()));
        }
        let folder = folders::page(archive, &run.id, self.out.as_deref())?;
        if self.format == ReportFormat::Text {
            output::print(&text(run, findings, self.tables))?;
            write_page(run, findings, &folder)?;
        } else {
            write_files(run, findings, &folder)?;
        }
        Ok(where_it_is(&folder))
    }
}

impl Report {
    /// The folder of a report that is one by itself: beside the page's unless the user names it.
    fn apart(&self, archive: &Archive, run: &Run, what: &str) -> PathBuf {
        match &self.out {
            Some(out) => out.clone(),
            None => report_folder(archive, &format!("{}-{what}", run.id), None),
        }
    }

    fn print_against(&self, run: &Run, subject: &str) -> Result<u8> {
        let against = Against::of(run, subject);
        if against.rows.is_empty() && against.alone.is_empty() {
            let names: Vec<&str> = run.providers.iter().map(|it| it.name.as_str()).collect();
            bail!("--against {subject}: run {} has only {}", run.id, names.join(", "));
        }
        match self.format {
            ReportFormat::Text => output::print_text(&against.markdown())?,
            ReportFormat::Json => output::print(&::report::document(&against)?)?,
            _ => bail!("--against has the formats text and json"),
        }
        Ok(0)
    }
}

fn print_crprf(run: &Run, findings: &Findings, program: Program) -> Result<()> {
    let table = crprf::table(run, findings, program);
    output::print(&table.with_context(|| {
        let what = "no call breakdown that was timed individually";
        format!("run {} has {what}, as a run of `khc` has", run.id)
    })?)?;
    output::say(&crprf::unit(run));
    Ok(())
}

/// The report for the terminal: with all of its `tables`, or in brief; of a gate, how it ended.
pub fn text(run: &Run, findings: &Findings, tables: bool) -> String {
    text_in(run, findings, tables, output::width(), output::colour())
}

/// The same in so many columns, with colours or without.
fn text_in(run: &Run, findings: &Findings, tables: bool, width: usize, colour: bool) -> String {
    if let Some(gate) = GateFindings::of(run, &[], Undecided::CannotSay) {
        return gate.text(width, tables) + "\n";
    }
    let tell = if tables { report::terminal::render } else { report::terminal::brief };
    tell(run, findings, width, colour)
}

/// Last line of a report.
pub fn where_it_is(folder: &Path) -> String {
    format!("page: {}", folder.join(PAGE).display())
}

fn csv<E: std::error::Error + Send + Sync + 'static>(
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<String> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    String::from_utf8(bytes).context("CSV that is not text")
}

/// Name of the page.
const PAGE: &str = "report.html";

/// Whether a report writes a file of this name, charts aside: what these are called follows from
/// the run.
pub fn is_of_report(name: &str) -> bool {
    const NAMES: [&str; 6] =
        [PAGE, "samples.csv", "findings.csv", "findings.json", "sessions.csv", "sms-log.csv"];
    let is_of_program = Program::ALL.iter().any(|it| name.strip_suffix(".csv") == Some(it.name()));
    NAMES.contains(&name) || is_of_program
}

/// Endings of the files of a chart, whether or not this macrometer can draw each.
pub const PICTURES: [&str; 2] = [".svg", ".png"];

/// Whether a file is of a chart by one of these names.
pub fn is_picture(charts: &report::charts::Names, file: &str) -> bool {
    PICTURES.iter().any(|end| file.strip_suffix(end).is_some_and(|name| charts.has(name)))
}

/// What a file of a report is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Page,
    /// What was measured, in the forms that programs read.
    Data,
    /// What is told of it.
    Table,
    Chart,
}

impl Kind {
    /// Where files of this kind are in a bundle.
    fn folder(self) -> &'static str {
        match self {
            Self::Page => "",
            Self::Data => "data/",
            Self::Table => "tables/",
            Self::Chart => "charts/",
        }
    }
}

/// The page alone: charts, data and tables are many times as large, and a run keeps what they are
/// made of.
pub fn write_page(run: &Run, findings: &Findings, folder: &Path) -> Result<()> {
    let page = report::page::render(run, findings);
    output::write_file(&folder.join(PAGE), page.as_bytes())
}

/// The page, the charts and the CSV files, all in one folder.
fn write_files(run: &Run, findings: &Findings, folder: &Path) -> Result<()> {
    let charts = report::charts::all(run, findings);
    each_file(run, findings, &charts, &mut |_, name, content| {
        output::write_file(&folder.join(name), content)
    })
}

/// Takes a file of a report: what it is, its name, its content.
type Write<'a> = dyn FnMut(Kind, &str, &[u8]) -> Result<()> + 'a;

/// Hands over every file of a report, one after the other: some are large.
fn each_file(
    run: &Run,
    findings: &Findings,
    charts: &[report::charts::Chart],
    write: &mut Write<'_>,
) -> Result<()> {
    use Kind::{Chart, Data, Page, Table};
    write(Page, PAGE, report::page::render(run, findings).as_bytes())?;
    write(Data, "samples.csv", csv(|bytes| report::csv::raw(run, bytes))?.as_bytes())?;
    let table = csv(|bytes| report::csv::findings(run, findings, bytes))?;
    write(Table, "findings.csv", table.as_bytes())?;
    if log::has_rows(run) {
        write(Data, "sms-log.csv", csv(|bytes| log::write(run, bytes))?.as_bytes())?;
    }
    if report::csv::sessions::has_rows(run) {
        let windows = csv(|bytes| report::csv::sessions::write(run, bytes))?;
        write(Data, "sessions.csv", windows.as_bytes())?;
    }
    write(Table, "findings.json", ::report::json_line(findings)?.as_bytes())?;
    for program in Program::ALL {
        if let Some(table) = crprf::table(run, findings, program) {
            write(Data, &format!("{}.csv", program.name()), table.as_bytes())?;
        }
    }
    for chart in charts {
        each_form(chart, &mut |name, content| write(Chart, name, content))?;
    }
    Ok(())
}

/// Hands over a chart as SVG, and as PNG where that is compiled in.
fn each_form(
    chart: &report::charts::Chart,
    write: &mut dyn FnMut(&str, &[u8]) -> Result<()>,
) -> Result<()> {
    let [svg, png] = PICTURES.map(|end| chart.name.clone() + end);
    write(&svg, chart.svg.as_bytes())?;
    if let Some(bytes) = chart.png()? {
        write(&png, &bytes)?;
    }
    Ok(())
}
