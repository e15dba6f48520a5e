//! One provider against the best of all others: for each mac and cell the ratio of their times,
//! paired as in the rankings, as a table for a document.

use std::collections::BTreeMap;

use lab::cell::{Cell, KeyLife, Regime};
use lab::record::Run;
use serde::Serialize;
use stats::{Comparison, Confidence, Margin};

use crate::findings::series::{self, Series, pair};
use crate::findings::{RatioFinding, inverse};
use crate::format::{self, ABSENT};

/// A provider against the best of the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Against {
    /// The provider whose times are the numerators.
    pub subject: String,
    /// What the cells have in common, column by column.
    pub columns: Vec<Column>,
    /// One row a mac that others have too, in the order of their names.
    pub rows: Vec<Row>,
    /// The macs that nobody else has.
    pub alone: Vec<String>,
}

/// Cells that differ in their length only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Column {
    /// How calls follow one another.
    pub regime: Regime,
    /// How long a key lives.
    pub key_life: KeyLife,
    /// The lengths, ascending.
    pub lens_bytes: Vec<u64>,
}

/// A mac's ratios.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Canonical name.
    pub mac: String,
    /// For each column, one entry a length; absent where nobody else has the mac.
    pub ratios: Vec<Vec<Option<Rival>>>,
}

/// The best of the others, and the subject's time over its time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rival {
    /// Who: `openssl[sha-ni]`.
    pub source: String,
    /// Time of the subject over the rival's: below 1, the subject is faster.
    pub ratio: RatioFinding,
}

/// Macs and cells: series of the subject, and of the others with their names.
type Cells<'a> = BTreeMap<Key, (Option<&'a Series>, Vec<(String, &'a Series)>)>;
type Key = (String, Regime, KeyLife, u64);

impl Against {
    /// Every mac that the subject computes in this run.
    #[must_use]
    pub fn of(run: &Run, subject: &str) -> Self {
        let all = series::all(run);
        let mut cells = Cells::new();
        for (record, own) in run.cells.iter().zip(&all).filter(|(_, own)| !own.blocks.is_empty()) {
            let Cell { candidate, regime, key_life, len_bytes, .. } = &record.cell;
            let key = (candidate.mac.clone(), *regime, *key_life, *len_bytes);
            let entry = cells.entry(key).or_default();
            if candidate.provider == subject {
                entry.0 = Some(own);
            } else {
                entry.1.push((candidate.source(), own));
            }
        }
        cells.retain(|_, (own, _)| own.is_some());
        let columns = columns(&cells);
        let margin = Margin::new(run.study.margin).unwrap_or_default();
        let ratio = |mac: &String, column: &Column, len: u64| {
            let (own, others) = cells.get(&(mac.clone(), column.regime, column.key_life, len))?;
            rival((*own)?, others, margin)
        };
        let mut macs: Vec<&String> = cells.keys().map(|(mac, ..)| mac).collect();
        macs.dedup();
        let row = |mac: &String| {
            let of = |it: &Column| it.lens_bytes.iter().map(|&len| ratio(mac, it, len)).collect();
            Row { mac: mac.clone(), ratios: columns.iter().map(of).collect() }
        };
        let has_rival = |row: &Row| row.ratios.iter().flatten().any(Option::is_some);
        let (rows, alone): (Vec<Row>, Vec<Row>) = macs.into_iter().map(row).partition(has_rival);
        let alone = alone.into_iter().map(|row| row.mac).collect();
        Self { subject: subject.into(), columns, rows, alone }
    }

    /// Geometric mean of all ratios; absent where there is none.
    #[must_use]
    pub fn geometric_mean(&self) -> Option<f64> {
        let all = self.rows.iter().flat_map(|row| row.ratios.iter().flatten().flatten());
        let logs: Vec<f64> = all.map(|rival| rival.ratio.value.ln()).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }

    /// A table in Markdown, with a line that says what it shows.
    #[must_use]
    pub fn markdown(&self) -> String {
        let (initials, legend) = self.initials();
        let subject = &self.subject;
        let mut text = format!(
            "Time of `{subject}` ÷ time of the fastest other provider in the same run: below 1, \
             `{subject}` is faster. {legend} A dash: not measured.\n\n| mac |"
        );
        for column in &self.columns {
            text.push_str(&format!(" {} |", heading(column)));
        }
        text.push_str(&format!("\n|---|{}\n", "---|".repeat(self.columns.len())));
        for row in &self.rows {
            text.push_str(&format!("| {} |", row.mac));
            for ratios in &row.ratios {
                let cell = |rival: &Option<Rival>| match rival {
                    Some(it) => format!("{:.2} {}", it.ratio.value, initials[&it.source]),
                    None => ABSENT.into(),
                };
                let cells: Vec<String> = ratios.iter().map(cell).collect();
                text.push_str(&format!(" {} |", cells.join(" / ")));
            }
            text.push('\n');
        }
        if let Some(mean) = self.geometric_mean() {
            text.push_str(&format!("\nGeometric mean of all: {mean:.2}.\n"));
        }
        if !self.alone.is_empty() {
            text.push_str(&format!("\nNo other provider here has {}.\n", self.alone.join(", ")));
        }
        text
    }

    /// A short sign for each rival, and the sentence that explains them.
    fn initials(&self) -> (BTreeMap<&String, String>, String) {
        let all = self.rows.iter().flat_map(|row| row.ratios.iter().flatten().flatten());
        let mut sources: Vec<&String> = all.map(|rival| &rival.source).collect();
        sources.sort_unstable();
        sources.dedup();
        let letter = |number: usize| char::from(b'a' + (number % 26) as u8).to_string();
        // a to z, then aa to az and so on.
        let sign = |number: usize| match number / 26 {
            0 => letter(number),
            round => letter(round - 1) + &letter(number),
        };
        let signs: BTreeMap<&String, String> =
            sources.iter().enumerate().map(|(number, source)| (*source, sign(number))).collect();
        let told: Vec<String> = signs.iter().map(|(it, sign)| format!("{sign}: {it}")).collect();
        (signs, format!("The fastest other provider was {}.", told.join(", ")))
    }
}

fn columns(cells: &Cells<'_>) -> Vec<Column> {
    let mut lens: BTreeMap<(Regime, KeyLife), Vec<u64>> = BTreeMap::new();
    for (_, regime, key_life, len) in cells.keys() {
        lens.entry((*regime, *key_life)).or_default().push(*len);
    }
    lens.into_iter()
        .map(|((regime, key_life), mut lens_bytes)| {
            lens_bytes.sort_unstable();
            lens_bytes.dedup();
            Column { regime, key_life, lens_bytes }
        })
        .collect()
}

/// The other with the least median, and the ratio to it.
fn rival(own: &Series, others: &[(String, &Series)], margin: Margin) -> Option<Rival> {
    let median = |(_, other): &&(String, &Series)| {
        let values = other.values(other.unit()).values().copied();
        series::median(values.collect()).unwrap_or(f64::INFINITY)
    };
    let (source, best) = others.iter().min_by(|x, y| median(x).total_cmp(&median(y)))?;
    let (_, columns) = pair([own, *best]);
    let compared =
        Comparison::between(&columns[0], &columns[1], Confidence::default(), margin).ok()?;
    Some(Rival { source: source.clone(), ratio: inverse(&compared) })
}

/// `prepared, latency: 16 B / 64 B`, by the words of the glossary.
fn heading(column: &Column) -> String {
    let lens: Vec<String> = column.lens_bytes.iter().map(|&len| format::bytes(len)).collect();
    format!("{}, {}: {}", column.key_life, column.regime, lens.join(" / "))
}
