//! What a reader of a survey wants first, on one screen: for each key life who is fastest of what
//! is in wide use, in a sentence; what is in wide use, whatever its rank, beside the fastest, by
//! the fastest provider of each; what to doubt, and where the rest is.

use lab::record::Verb;

use super::Sheet;
use super::brief::lines;
use super::columns::table;
use super::figures::Quantity;
use super::layout::wrapped;
use crate::findings::{CellFinding, InUse};
use crate::format::{self, ABSENT};

/// Lines of the screen, with the three that the command adds: an empty one, where the page is, and
/// the run.
pub const LINES_MAX: usize = 40;
const ADDED: usize = 3;

/// Rows of macs in wide use that a table keeps, however little room there is.
const NAMED_MIN: usize = 5;

/// Lines that one doubt may have.
const DOUBT: usize = 2;

/// Answers in a run that is narrowed: there the first are about what was asked for.
const ANSWERS: usize = 2;

/// The provider that is ours.
const OWN: &str = "macs";

impl Sheet<'_> {
    /// All of it; absent where nothing that the study names stands beside anything else.
    pub(super) fn first_screen(&self) -> Option<String> {
        let in_use = &self.findings.in_use;
        let all = in_use.iter().map(|it| it.macs.len()).max()?;
        let least = NAMED_MIN.min(all);
        let mut head = self.about();
        if self.run.narrowed_by().is_none() {
            head.push_str(&self.widely());
        } else {
            head.push_str(&self.answers(ANSWERS));
            head.push_str(&self.first_excluded());
        }
        let tables = |shown: usize, most: usize| {
            in_use[..shown].iter().map(|it| self.in_use(it, most)).collect::<String>()
        };
        // And a line that says what is left out.
        let room = |rest: &str| (LINES_MAX - ADDED - 1).saturating_sub(lines(&head) + lines(rest));
        let fits =
            |shown: usize, most: usize, rest: &str| lines(&tables(shown, most)) <= room(rest);
        // Where there is much to say before the tables, first the doubt below them goes, then the
        // last tables.
        let (notes, doubt, rest) = (self.notes(), self.foremost_doubt(), self.and_the_rest());
        let (in_full, in_short) = ([&*notes, &doubt, &rest].concat(), [&*notes, &rest].concat());
        let mut ways = vec![(in_use.len(), in_full)];
        ways.extend((1..=in_use.len()).rev().map(|shown| (shown, in_short.clone())));
        let last = (1, in_short);
        let way = ways.into_iter().find(|(shown, rest)| fits(*shown, least, rest));
        let (shown, rest) = way.unwrap_or(last);
        let most = (least..=all).rev().find(|most| fits(shown, *most, &rest)).unwrap_or(least);
        let mut left_out: Vec<String> =
            in_use[shown..].iter().map(|it| self.label_of(&it.group)).collect();
        let rare = in_use[..shown].iter().map(|it| it.others_left_out).max().unwrap_or(0);
        let more = all - most + rare;
        left_out.extend((more > 0).then(|| format!("{more} more of these MACs")));
        let left_out = match left_out.is_empty() {
            true => String::new(),
            false => {
                let line = format!("Not shown: {} (--tables)", left_out.join(", "));
                self.style.quiet(&wrapped(&line, self.width, "")) + "\n"
            }
        };
        Some([head, tables(shown, most), left_out, rest].concat())
    }

    /// Who is fastest of what is in wide use, without a caution, in a sentence for each ranking;
    /// nothing where nobody is.
    fn widely(&self) -> String {
        let mut text = String::new();
        let mut last = None;
        for it in &self.findings.in_use {
            let told = self.widely_in(it);
            if told.is_empty() {
                continue;
            }
            let label = format::capitalised(&self.label_of(&it.group));
            let line = match &last {
                None => format!("{label}, fastest in wide use and without caveats: {told}."),
                Some(last) if *last == told => format!("{label}: the same."),
                Some(_) => format!("{label}: {told}."),
            };
            let line = wrapped(&line, self.width - 2, "  ");
            text.push_str(&format!("{} {}\n", self.style.bold("›"), line.trim_start()));
            last = Some(told);
        }
        text
    }

    /// `cmac-aes-128 (64 B) and hmac-sha256 = (1 KiB and 16 KiB)`.
    fn widely_in(&self, it: &InUse) -> String {
        let mut told: Vec<(String, Vec<String>)> = Vec::new();
        for (first, &len) in it.widely.iter().zip(&it.lens_bytes) {
            let Some(first) = first else { continue };
            let cell = &self.findings.cells[first.cell];
            let mark = match (cell.is_sure(), first.tied) {
                (false, _) => " ~",
                (true, true) => " =",
                (true, false) => "",
            };
            let who = format!("{}{mark}", self.findings.named(&cell.cell.candidate.mac));
            match told.last_mut().filter(|(last, _)| *last == who) {
                Some((_, lens)) => lens.push(format::bytes(len)),
                None => told.push((who, vec![format::bytes(len)])),
            }
        }
        let told = told.iter().map(|(who, lens)| format!("{who} ({})", format::list(lens)));
        format::list(&told.collect::<Vec<_>>())
    }

    /// The first macs in wide use, and under them the fastest with their names.
    fn in_use(&self, it: &InUse, most: usize) -> String {
        let cell = |at: usize| &self.findings.cells[at];
        let row = |name: &str, cells: &[Option<usize>]| -> Vec<String> {
            let cells: Vec<_> = cells.iter().map(|at| at.map(cell)).collect();
            let time =
                |it: &Option<&CellFinding>| it.map_or(ABSENT.into(), |it| Quantity::Time.of(it));
            let times = cells.iter().map(time);
            std::iter::once(name.to_owned()).chain(times).chain([providers(&cells)]).collect()
        };
        let named = it.macs.iter().take(most);
        let mut rows: Vec<Vec<String>> =
            named.map(|own| row(&self.findings.named(&own.mac), &own.cells)).collect();
        for (name, first) in it.fastest() {
            let mut cells_of = first.iter().flatten().map(|it| cell(it.cell));
            let is_sure = cells_of.all(CellFinding::is_sure);
            let name = match (is_sure, name) {
                (false, "fastest of all") => "lowest of all ~",
                (false, _) => "without caveats ~",
                (true, name) => name,
            };
            let cells: Vec<Option<usize>> = first.iter().map(|it| it.map(|it| it.cell)).collect();
            rows.push(row(name, &cells));
            let called = first.iter().map(|it| {
                it.map_or(String::new(), |it| {
                    format!("{}{}", cell(it.cell).called, if it.tied { " =" } else { "" })
                })
            });
            let empty = || std::iter::once(String::new());
            rows.push(empty().chain(called).chain(empty()).collect());
        }
        let mut head = vec!["MAC".to_owned()];
        head.extend(it.lens_bytes.iter().map(|&len| format::bytes(len)));
        head.push("from".into());
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let left: Vec<usize> = (0..head.len()).collect();
        let heading = self.style.heading(&self.label_of(&it.group), self.width);
        format!("\n{heading}\n{}", table(&head, rows, &left, self.width))
    }

    fn has_own(&self) -> bool {
        self.findings.cells.iter().any(|it| it.cell.candidate.provider == OWN)
    }

    /// What the figures are.
    fn notes(&self) -> String {
        let shown = self.findings.in_use.iter().flat_map(|it| {
            let firsts = it.widely.iter().chain(&it.any_use).chain(&it.of_all).flatten();
            let named = it.macs.iter().flat_map(|own| own.cells.iter().flatten().copied());
            firsts.map(|first| first.cell).chain(named)
        });
        let is_unsure = |it: &CellFinding| it.median_ns.is_some() && !it.is_sure();
        let unsure = shown.into_iter().any(|at| is_unsure(&self.findings.cells[at]));
        let notes = format!(
            "Medians of independent calls, fastest provider, ± the wider half of the 95 % \
             interval; = others are not shown to be slower. {}Caveats: such as a nonce that must \
             not be used twice, or one message per key.{}",
            if unsure { "~: too few launches to call it the fastest, a first look. " } else { "" },
            if self.has_own() { " macs is macrometer's own library." } else { "" }
        );
        format!("\n{}\n", self.style.quiet(&wrapped(&notes, self.width, "")))
    }

    fn foremost_doubt(&self) -> String {
        let Some(first) = self.findings.warnings.first() else { return String::new() };
        let first = wrapped(&format!("{}.", first.trim_end_matches('.')), self.width, "  ");
        format!("{}\n", folded(&first, DOUBT))
    }

    /// Where the rest is.
    fn and_the_rest(&self) -> String {
        let excluded = self.run.exclusions().count();
        let counts = [(self.findings.warnings.len(), "warnings"), (excluded, "exclusions")];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| format!("{what}: {count}")).collect();
        let with = match counts.is_empty() {
            true => String::new(),
            false => format!(" ({})", counts.join(", ")),
        };
        let recommend = self
            .recommendation()
            .unwrap_or_else(|| "`macrometer recommend`: for your own messages.".into());
        let rest = format!(
            "`macrometer report {} --tables`: all rankings, lengths and warnings{with}. \
             {recommend}",
            self.run.id
        );
        format!("{}\n", self.style.quiet(&wrapped(&rest, self.width, "")))
    }

    /// For a run of `recommend`, the command that answers from it.
    pub(super) fn recommendation(&self) -> Option<String> {
        let called = self.run.invocation.as_ref().filter(|it| it.verb == Verb::Recommend)?;
        // With the seed it would measure again.
        Some(format!("`{}`: the recommendation from this run.", called.without_seed()))
    }
}

/// A doubt in full, or, where that takes more than so many lines, its whole clauses that fit.
fn folded(text: &str, lines_max: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= lines_max {
        return text.to_owned();
    }
    let kept = lines[..lines_max].join("\n");
    match kept.rsplit_once(';') {
        Some((clauses, _)) => format!("{clauses}; more with --tables."),
        None => text.to_owned(),
    }
}

/// The providers, each once, in the order of the lengths.
fn providers(cells: &[Option<&CellFinding>]) -> String {
    let mut all: Vec<&str> = Vec::new();
    for cell in cells.iter().flatten() {
        let name = cell.cell.candidate.provider.as_str();
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.join(", ")
}
