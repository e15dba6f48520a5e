//! The figures behind the verdicts in a few tables: the median of every mac's best offer at some
//! lengths, with its interval. Rankings, with their ties, are told elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{KeyLife, Regime};
use lab::study::View;

use super::Sheet;
use super::columns::table;
use super::figure_table::{Table, spread};
use super::layout::{few, needed, wrapped};
use crate::findings::schemes::what_follows;
use crate::findings::{CellFinding, Group, Interval};
use crate::format::{self, ABSENT};

/// Message lengths of a table, if as many fit.
const LENGTHS_MAX: usize = 5;

/// So many are told before a column says where each figure is from.
const LENGTHS_FIRST: usize = 3;

/// Rows of a table before further tables are left out instead.
const ROWS_MIN: usize = 6;

/// What is told of one part.
pub(super) enum Figures {
    /// Rows, from the fastest on, that may be cut off.
    Table(Table),
    /// What is told whole or not at all.
    Text(String),
}

/// What each mac took in each column.
type Rows<'a> = BTreeMap<&'a str, BTreeMap<usize, &'a CellFinding>>;

/// The cells of a table: a panel at a length, each a column.
struct Columns<'a> {
    names: Vec<String>,
    rows: Rows<'a>,
    /// Lengths of keys by which the macs were measured that are told by their shortest one.
    keys: BTreeSet<u32>,
    unit: Quantity,
}

/// What a figure is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Quantity {
    Time,
    /// By a clock of so many cycles a second.
    CyclesPerByte(f64),
}

impl Quantity {
    /// `61.2 ns ±1%`, and cycles without their unit.
    pub(super) fn of(self, cell: &CellFinding) -> String {
        let Some(ns) = cell.median_ns else { return ABSENT.into() };
        let value = match self {
            Quantity::Time => format::time(ns),
            Quantity::CyclesPerByte(hz) => {
                format::three(ns / 1e9 * hz / cell.cell.mean_len_bytes())
            }
        };
        // Without an interval it is no result yet, and says so where it stands.
        let mark = if cell.interval_ns.is_none() { "~" } else { "" };
        format!("{mark}{value}{}", spread(ns, cell.interval_ns.map(ends)))
    }
}

impl Sheet<'_> {
    /// All figures in at most `lines_max` lines: first rows are cut off, then whole tables.
    pub(super) fn figures_within(&self, lines_max: usize) -> String {
        let all = self.figures();
        let heading = "Figures: medians, ± the wider half of the 95 % interval";
        let heading = format!("\n{}\n", self.style.heading(heading, self.width));
        let room = lines_max.saturating_sub(heading.lines().count() + 1);
        let told =
            |rows: usize| -> Vec<String> { all.iter().map(|it| self.laid_out(it, rows)).collect() };
        let lines = |it: &[String]| it.iter().map(|text| text.lines().count()).sum::<usize>();
        let most = all.iter().map(Figures::rows).max().unwrap_or(0);
        let fits = |rows: &usize| lines(&told(*rows)) <= room;
        let rows = (ROWS_MIN..=most.max(ROWS_MIN)).rev().find(fits).unwrap_or(ROWS_MIN);
        let (mut text, mut left_out) = (heading, 0);
        let mut used = 0;
        let mut told = told(rows);
        // The first tells most: it has fewer rows rather than that it is left out.
        let fits = |it: &String| it.lines().count() <= room;
        if let (Some(first), Some(laid)) = (all.first(), told.first_mut())
            && !fits(laid)
            && let Some(fewer) = (1..rows).rev().map(|rows| self.laid_out(first, rows)).find(fits)
        {
            *laid = fewer;
        }
        for it in told {
            if used + it.lines().count() > room {
                left_out += 1;
            } else {
                used += it.lines().count();
                text.push_str(&it);
            }
        }
        if left_out > 0 {
            let more = format!("Further tables, with --tables: {left_out}");
            text.push_str(&format!("{}\n", self.style.quiet(&more)));
        }
        if all.is_empty() { String::new() } else { text }
    }

    fn figures(&self) -> Vec<Figures> {
        let mut all = Vec::new();
        let mut told: Vec<(usize, KeyLife, Regime)> = Vec::new();
        for group in self.findings.groups.iter().filter(|it| !it.is_part()) {
            if !group.is_ranked() {
                all.extend(self.figures_of_sessions(group).into_iter().map(Figures::Table));
                continue;
            }
            let key = (group.part, group.key_life, group.regime);
            if !told.contains(&key) {
                told.push(key);
                all.extend(self.figures_of(group).into_iter().map(Figures::Table));
            }
            let apart = self.taken_apart(group);
            all.extend((!apart.is_empty()).then_some(Figures::Text(apart)));
        }
        let detected = what_follows(&self.findings.schemes);
        let detected: String =
            detected.iter().map(|it| wrapped(&format!("{it}."), self.width, "  ") + "\n").collect();
        if !detected.is_empty() {
            let title = self.style.bold("What each scheme detects");
            all.push(Figures::Text(format!("\n{title}\n{detected}")));
        }
        // Nothing of a part may have been measured.
        all.retain(
            |it| !matches!(it, Figures::Table(it) if it.rows.is_empty() && it.note.is_none()),
        );
        all
    }

    /// The tables of all cases of a part under one key life and regime: a column a panel where
    /// there is one length only, else a table a panel.
    fn figures_of(&self, first: &Group) -> Vec<Table> {
        let alike = |it: &&Group| {
            (it.part, it.key_life, it.regime) == (first.part, first.key_life, first.regime)
        };
        let groups: Vec<&Group> = self.findings.groups.iter().filter(alike).collect();
        let lengths: BTreeSet<u64> =
            groups.iter().flat_map(|it| &it.sizes).map(|size| size.len_bytes).collect();
        let mut panels: Vec<(&str, &str)> = Vec::new();
        for group in &groups {
            if !panels.iter().any(|(name, _)| *name == group.panel) {
                panels.push((&group.panel, &group.panel_title));
            }
        }
        let lengths: Vec<u64> = lengths.into_iter().collect();
        if let ([len], [_, _, ..]) = (&lengths[..], &panels[..]) {
            let columns = panels.iter().map(|(name, _)| (*name, *len));
            let columns: Vec<(&str, u64)> = columns.collect();
            let names = panels.iter().map(|(name, _)| (*name).to_owned()).collect();
            let title = format!("{}, {}", format::bytes(*len), self.title_of(first, None));
            return vec![self.laid(title, first, &self.columns(&groups, &columns, names), None)];
        }
        let of = |panel: &(&str, &str)| {
            let own = groups.iter().filter(|group| group.panel == panel.0);
            let own: BTreeSet<u64> =
                own.flat_map(|it| &it.sizes).map(|size| size.len_bytes).collect();
            self.of_panel(first, &groups, &own.into_iter().collect::<Vec<_>>(), *panel)
        };
        panels.iter().map(of).collect()
    }

    fn of_panel(
        &self,
        first: &Group,
        groups: &[&Group],
        lengths: &[u64],
        (panel, panel_title): (&str, &str),
    ) -> Table {
        let with = |most: usize, from: bool| {
            let told = few(lengths.to_vec(), most);
            let columns: Vec<(&str, u64)> = told.iter().map(|&len| (panel, len)).collect();
            let names = told.iter().map(|&len| format::bytes(len)).collect();
            let title = self.title_of(first, Some(panel_title));
            self.laid(title, first, &self.columns(groups, &columns, names), Some(from))
        };
        let most = lengths.len().min(LENGTHS_MAX);
        let wanted = (LENGTHS_FIRST.min(most)..=most).rev().map(|most| (most, true));
        let narrow = (1..=most).rev().map(|most| (most, false));
        let mut tables = wanted.chain(narrow).map(|(most, from)| with(most, from));
        let mut table = tables.find(|it| self.fits(it)).unwrap_or_else(|| with(1, false));
        let told = table.head.len() - table.words;
        if told < lengths.len() {
            table.title.push_str(&format!(" · {told} of {} lengths", lengths.len()));
        }
        table
    }

    /// Whether no word of a table need be broken.
    pub(super) fn fits(&self, it: &Table) -> bool {
        let head: Vec<&str> = it.head.iter().map(String::as_str).collect();
        needed(&head, &it.rows) <= self.width
    }

    fn title_of(&self, group: &Group, panel_title: Option<&str>) -> String {
        let groups = &self.findings.groups;
        let mut words = vec![];
        if groups.iter().any(|other| other.part != group.part) {
            words.push(group.part_title.clone());
        }
        words.push(group.context());
        let several = groups.iter().any(|other| other.panel != group.panel);
        words.extend(panel_title.filter(|_| several).map(str::to_owned));
        words.join(" · ")
    }

    /// The best offer of each mac in each column.
    fn columns<'b>(
        &'b self,
        groups: &[&'b Group],
        columns: &[(&str, u64)],
        names: Vec<String>,
    ) -> Columns<'b> {
        let (mut rows, mut keys): (Rows, _) = (BTreeMap::new(), BTreeSet::new());
        for (at, (panel, len)) in columns.iter().enumerate() {
            let own = groups.iter().filter(|group| group.panel == *panel);
            let sizes = own.flat_map(|group| &group.sizes).filter(|it| it.len_bytes == *len);
            for row in sizes.flat_map(|size| &size.ranking).filter(|row| row.best_of_mac) {
                let cell = self.findings.cell(row);
                let own = rows.entry(&cell.cell.candidate.mac).or_default();
                if let Some(known) = own.insert(at, cell)
                    && known.cell.key_len_bytes != cell.cell.key_len_bytes
                {
                    keys.extend([known.cell.key_len_bytes, cell.cell.key_len_bytes]);
                    if known.cell.key_len_bytes < cell.cell.key_len_bytes {
                        own.insert(at, known);
                    }
                }
            }
        }
        let of_bytes = |group: &&Group| group.views.contains(&View::GroupedBars);
        let clock = self.findings.nominal.as_ref().filter(|_| groups.iter().any(of_bytes));
        let unit = clock.map_or(Quantity::Time, |it| Quantity::CyclesPerByte(it.hz));
        Columns { names, rows, keys, unit }
    }

    /// Rows from the fastest on; who computed them in a column (`from`) or in a sentence.
    fn laid(&self, title: String, group: &Group, columns: &Columns, from: Option<bool>) -> Table {
        let set = group.set();
        let mut head = vec![set.map_or("MAC", |it| it.subject).to_owned()];
        head.extend((from == Some(true)).then(|| "from".into()));
        let words = head.len();
        head.extend(columns.names.iter().cloned());
        let mut rows: Vec<_> = columns.rows.iter().collect();
        rows.sort_by(|a, b| mean_log(a.1, columns).total_cmp(&mean_log(b.1, columns)));
        let line = |(mac, cells): &(&&str, &BTreeMap<usize, &CellFinding>)| {
            let mut line = vec![self.findings.named(mac)];
            line.extend((from == Some(true)).then(|| sources(cells.values().copied())));
            let told = |at: usize| cells.get(&at).map_or(ABSENT.into(), |it| columns.unit.of(it));
            line.extend((0..columns.names.len()).map(told));
            line
        };
        let rows = rows.iter().map(line).collect();
        let note = (from != Some(true)).then(|| computed_by(columns, from.is_none()));
        let counted = set.map(|_| repetitions(columns));
        let note = note.into_iter().chain(other_keys(&columns.keys)).chain(counted);
        let note: Vec<String> = note.chain(further(columns)).chain(wide(columns)).collect();
        let note = (!note.is_empty()).then(|| note.join(" "));
        // Of a study in cycles per byte the slow cipher is half of what is asked.
        let (whole, title) = match columns.unit {
            Quantity::Time => (false, title),
            Quantity::CyclesPerByte(hz) => {
                let source = self.findings.nominal.as_ref().map_or("", |it| &it.source);
                let clock = format!("{}, the {source}", format::hertz(hz));
                (true, format!("{title} · cycles per byte, T·F/L of the median (F = {clock})"))
            }
        };
        Table { title, head, rows, words, note, whole }
    }

    fn laid_out(&self, figures: &Figures, rows_max: usize) -> String {
        let it = match figures {
            Figures::Text(text) => return text.clone(),
            Figures::Table(table) => table,
        };
        let head: Vec<&str> = it.head.iter().map(String::as_str).collect();
        let left: Vec<usize> = (0..it.words).collect();
        // The last row takes the line that would say that it is left out.
        let is_all = it.whole || it.rows.len() <= rows_max + 1;
        let rows_max = if is_all { it.rows.len() } else { rows_max };
        let shown = it.rows[..rows_max].to_vec();
        let more = it.rows.len() - shown.len();
        let title = self.style.bold(&wrapped(&it.title, self.width, ""));
        let rows = match shown.is_empty() {
            true => String::new(),
            false => table(&head, shown, &left, self.width),
        };
        let mut text = format!("\n{title}\n{rows}");
        let more = (more > 0).then(|| format!("{more} more with --tables"));
        for line in more.into_iter().chain(it.note.clone()) {
            text.push_str(&format!("{}\n", self.style.quiet(&wrapped(&line, self.width, "  "))));
        }
        text
    }
}

impl Figures {
    fn rows(&self) -> usize {
        match self {
            Figures::Table(table) => table.rows.len(),
            Figures::Text(_) => 0,
        }
    }
}

/// What rows are ordered by: the mean logarithm of the times in the columns that all rows have, or
/// of those that this row has.
fn mean_log(cells: &BTreeMap<usize, &CellFinding>, columns: &Columns) -> f64 {
    let shared = |at: &usize| columns.rows.values().all(|own| own.contains_key(at));
    let any = (0..columns.names.len()).any(|at| shared(&at));
    let logs = cells.iter().filter(|(at, _)| !any || shared(at));
    let logs: Vec<f64> = logs.filter_map(|(_, cell)| Some(cell.median_ns?.ln())).collect();
    if logs.is_empty() { f64::INFINITY } else { logs.iter().sum::<f64>() / logs.len() as f64 }
}

fn ends(it: Interval) -> (f64, f64) {
    it.ends()
}

/// That claims rest on more launches than the figures, where they do.
fn further(columns: &Columns) -> Option<String> {
    let cells = columns.rows.values().flat_map(BTreeMap::values);
    let most = cells.map(|cell| cell.further_launches).max().filter(|most| *most > 0)?;
    Some(format!(
        "Figures use the launches that all rows of a column share; claims use up to {most} more."
    ))
}

/// Cells whose intervals are wide are told with the reason, so many of them.
const WIDE_TOLD: usize = 2;

/// Why some intervals are wide.
fn wide(columns: &Columns) -> Vec<String> {
    let mut told = Vec::new();
    let several = columns.names.len() > 1;
    for cells in columns.rows.values() {
        for (at, cell) in cells {
            let disturbed = cell.disturbed.map(|_| "others disturbed its windows".to_owned());
            let Some(why) = disturbed.or(cell.why_wide.clone()) else { continue };
            let (Some(ns), Some(interval)) = (cell.median_ns, cell.interval_ns) else { continue };
            let place = if several { format!(", {}", columns.names[*at]) } else { String::new() };
            let half = spread(ns, Some(interval.ends()));
            told.push(format!("{}{place}{half}: {why}.", cell.called));
        }
    }
    let more = told.len().saturating_sub(WIDE_TOLD);
    told.truncate(WIDE_TOLD);
    let is_are = words::is_are(more);
    told.extend((more > 0).then(|| format!("{more} more {is_are} wider than ±10%.")));
    told
}

/// Who computed these, each once.
fn sources<'a>(cells: impl Iterator<Item = &'a CellFinding>) -> String {
    let all: BTreeSet<String> = cells.map(CellFinding::source).collect();
    all.into_iter().collect::<Vec<_>>().join(", ")
}

/// `Repetitions: 103 in 12 launches at 1 KiB; 1 in 1 launch at 1 MiB, too few for an interval.`
fn repetitions(columns: &Columns) -> String {
    let told = |(at, name): (usize, &String)| {
        let cells = || columns.rows.values().filter_map(|own| own.get(&at));
        let ends = |of: &dyn Fn(&CellFinding) -> usize| {
            let (least, most) = (cells().map(|it| of(it)).min()?, cells().map(|it| of(it)).max()?);
            Some((if least < most { format!("{least} to {most}") } else { most.to_string() }, most))
        };
        let ((samples, _), (launches, most)) = (ends(&|it| it.samples)?, ends(&|it| it.launches)?);
        let is_bare = cells().all(|it| it.interval_ns.is_none());
        let bare = if is_bare { ", too few for an interval" } else { "" };
        let noun = words::noun(most, "launch");
        Some(format!("{samples} in {launches} {noun} at {name}{bare}"))
    };
    let told: Vec<String> = columns.names.iter().enumerate().filter_map(told).collect();
    format!("Repetitions: {}.", told.join("; "))
}

/// Which key lengths are not told.
fn other_keys(keys: &BTreeSet<u32>) -> Option<String> {
    let bits: Vec<String> = keys.iter().map(|key| (8 * key).to_string()).collect();
    let (first, others) = bits.split_first()?;
    let others = format::list(others);
    Some(format!(
        "Where keys of several lengths were measured, those of {first} bits; {others}: --tables."
    ))
}

/// `From macs[vaes-512]: cmac-aes-128; …`, of each column by itself where they are panels.
fn computed_by(columns: &Columns, by_panel: bool) -> String {
    let told = |wanted: &dyn Fn(usize) -> bool| {
        let mut own: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (mac, cells) in &columns.rows {
            for (_, cell) in cells.iter().filter(|(at, _)| wanted(**at)) {
                own.entry(cell.source()).or_default().insert(mac);
            }
        }
        match own.len() {
            1 => own.into_keys().next().unwrap_or_default(),
            _ => {
                let one = |(source, macs): (String, BTreeSet<&str>)| {
                    format!("{source} ({})", macs.into_iter().collect::<Vec<_>>().join(", "))
                };
                own.into_iter().map(one).collect::<Vec<_>>().join(", ")
            }
        }
    };
    if !by_panel {
        return format!("From {}.", told(&|_| true));
    }
    let one = |(at, name): (usize, &String)| format!("{name}: from {}", told(&|own| own == at));
    format!("{}.", columns.names.iter().enumerate().map(one).collect::<Vec<_>>().join("; "))
}
