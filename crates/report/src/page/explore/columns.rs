//! The data of the explorer: cells as columns, each figure as it is printed everywhere else. A
//! value and the ends of its interval are whole numbers that share their decimals, so that what
//! the script shows is what tables and the JSON report show, in a tenth of the bytes.

use std::collections::BTreeMap;

use lab::record::{ProviderRecord, Run};
use serde::Serialize;
use words::ProviderName;

use crate::findings::{
    CellFinding, CrossoverFinding, Findings, Group, RankRow, Unit, key_life_words, regime_words,
};
use crate::format::{self, Figure};
use crate::page::ranking;

/// Everything that the script knows.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    run: &'a str,
    study: &'a str,
    confidence: f64,
    macs: Vec<Mac<'a>>,
    libraries: Vec<Library<'a>>,
    kernels: Vec<&'a str>,
    /// Places of a mac, a library and a code path.
    offers: Vec<[usize; 3]>,
    lives: Vec<Named>,
    regimes: Vec<Named>,
    sets: Vec<String>,
    verdicts: Vec<String>,
    notes: &'a [String],
    /// Footnotes that some cell has together; the first are none.
    note_sets: Vec<&'a [usize]>,
    groups: Vec<Cells>,
}

#[derive(Serialize)]
struct Mac<'a> {
    name: &'a str,
    called: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    caution: Option<&'a str>,
    /// Its place among the macs that the study names.
    #[serde(skip_serializing_if = "Option::is_none")]
    used: Option<usize>,
}

#[derive(Serialize)]
struct Library<'a> {
    name: &'a str,
    /// Without the code path that it is held to.
    of: &'a str,
    plain: bool,
    version: &'a str,
    path: &'a str,
    language: &'a str,
}

#[derive(Serialize)]
struct Named {
    name: String,
    words: String,
}

/// The cells of a group: one row an offer, one place a length in each column.
#[derive(Serialize)]
struct Cells {
    life: usize,
    regime: usize,
    set: usize,
    lens: Vec<u64>,
    offers: Vec<usize>,
    /// What a call that computes nothing takes, in nanoseconds.
    floor: Vec<Option<f64>>,
    crossings: Vec<Crossing>,
    #[serde(flatten)]
    columns: Columns,
}

/// Absent values are `null`, and a space in texts of one letter a cell.
#[derive(Default, Serialize)]
struct Columns {
    time: Scaled,
    /// Of each time: nanoseconds, µs, ms, s.
    unit: String,
    ratio: Scaled,
    samples: Vec<usize>,
    launches: Vec<usize>,
    /// `b`: the interval is over blocks; `l`: over launches.
    over: String,
    rank: Vec<Option<usize>>,
    tie_group: Vec<Option<usize>>,
    /// `=`: not shown slower than the best.
    tied: String,
    verdict: Vec<usize>,
    cycles: Vec<Option<f64>>,
    per_byte: Vec<Option<f64>>,
    to_bound: Vec<Option<f64>>,
    mib_per_s: Vec<Option<f64>>,
    note_set: Vec<usize>,
    /// Quantiles of calls timed one by one, and how many calls.
    p50: Vec<Option<u64>>,
    p99: Vec<Option<u64>>,
    calls: Vec<Option<u64>>,
    /// Why an interval is wide, of the few cells where it is.
    why_wide: BTreeMap<usize, String>,
    /// Key lengths that are not the mac's usual one.
    key_len: BTreeMap<usize, u32>,
}

/// Values with how far their ends lie below and above, all times a power of ten.
#[derive(Default, Serialize)]
struct Scaled {
    value: Vec<Option<i64>>,
    below: Vec<Option<i64>>,
    above: Vec<Option<i64>>,
    decimals: String,
}

#[derive(Serialize)]
struct Crossing {
    below: usize,
    above: usize,
    at: f64,
    from: u64,
    to: u64,
    lead: bool,
    sentence: String,
}

/// Tables of what the cells name, filled as they are met.
#[derive(Default)]
struct Met<'a> {
    macs: Vec<&'a str>,
    libraries: Vec<&'a str>,
    kernels: Vec<&'a str>,
    offers: Vec<[usize; 3]>,
    lives: Vec<String>,
    regimes: Vec<String>,
    sets: Vec<String>,
    verdicts: Vec<String>,
    note_sets: Vec<&'a [usize]>,
}

/// The place of a value, which is kept once.
fn place<T: PartialEq>(known: &mut Vec<T>, value: T) -> usize {
    known.iter().position(|it| *it == value).unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    })
}

/// The columns of all groups.
pub(super) fn of<'a>(
    run: &'a Run,
    findings: &'a Findings,
    set: impl Fn(&Group) -> String,
) -> Data<'a> {
    let mut met = Met { note_sets: vec![&[]], ..Met::default() };
    let mut groups = Vec::new();
    let mut words: [Vec<Named>; 2] = Default::default();
    for group in &findings.groups {
        let life = place(&mut met.lives, group.key_life.name().to_owned());
        let regime = place(&mut met.regimes, group.regime.to_string());
        let own = [
            (group.key_life.name().to_owned(), key_life_words(group.key_life).to_owned()),
            (group.regime.to_string(), regime_words(group.regime)),
        ];
        for (known, (name, words)) in words.iter_mut().zip(own) {
            if !known.iter().any(|it| it.name == name) {
                known.push(Named { name, words });
            }
        }
        let set = place(&mut met.sets, set(group));
        groups.push(cells(findings, group, [life, regime, set], &mut met));
    }
    let [lives, regimes] = words;
    Data {
        run: &run.id,
        study: &run.study.name,
        confidence: findings.confidence,
        macs: met.macs.iter().map(|name| mac(run, findings, name)).collect(),
        libraries: met.libraries.iter().map(|name| library(run, findings, name)).collect(),
        kernels: met.kernels,
        offers: met.offers,
        lives,
        regimes,
        sets: met.sets,
        verdicts: met.verdicts,
        notes: &findings.notes,
        note_sets: met.note_sets,
        groups,
    }
}

fn mac<'a>(run: &Run, findings: &'a Findings, name: &'a str) -> Mac<'a> {
    let own = findings.cells.iter().find(|it| it.cell.candidate.mac == name);
    Mac {
        name,
        called: findings.named(name),
        caution: own.and_then(|it| it.caution.as_deref()),
        used: run.study.named.iter().position(|it| it == name),
    }
}

fn library<'a>(run: &'a Run, findings: &'a Findings, name: &'a str) -> Library<'a> {
    let found: Option<&ProviderRecord> = run.providers.iter().find(|it| it.name == name);
    let parts = ProviderName::of(name);
    Library {
        name,
        of: parts.library,
        plain: parts.is_plain(),
        version: found.map_or("", |it| &it.version),
        path: found.map_or("", |it| &it.path),
        language: findings.languages.get(name).copied().unwrap_or(""),
    }
}

fn cells<'a>(
    findings: &'a Findings,
    group: &'a Group,
    [life, regime, set]: [usize; 3],
    met: &mut Met<'a>,
) -> Cells {
    let lens: Vec<u64> = group.sizes.iter().map(|size| size.len_bytes).collect();
    let mut rows: Vec<(usize, Vec<Option<&RankRow>>)> = Vec::new();
    for (at, size) in group.sizes.iter().enumerate() {
        for row in &size.ranking {
            let offer = offer(met, findings.cell(row));
            let known = rows.iter().position(|(it, _)| *it == offer).unwrap_or_else(|| {
                rows.push((offer, vec![None; lens.len()]));
                rows.len() - 1
            });
            rows[known].1[at] = Some(row);
        }
    }
    let mut columns = Columns::default();
    for (number, row) in rows.iter().flat_map(|(_, own)| own).enumerate() {
        columns.push(findings, number, *row, met);
    }
    let floor = |len: &u64| {
        let size = group.sizes.iter().find(|it| it.len_bytes == *len)?;
        findings.cells[size.floor?].median_ns.map(three)
    };
    let offers: Vec<usize> = rows.iter().map(|(offer, _)| *offer).collect();
    let crossing = |it: &CrossoverFinding| crossing(met, it);
    Cells {
        life,
        regime,
        set,
        floor: lens.iter().map(floor).collect(),
        crossings: group.crossovers.iter().filter_map(crossing).collect(),
        lens,
        offers,
        columns,
    }
}

fn offer<'a>(met: &mut Met<'a>, cell: &'a CellFinding) -> usize {
    let who = &cell.cell.candidate;
    let own = [
        place(&mut met.macs, who.mac.as_str()),
        place(&mut met.libraries, who.provider.as_str()),
        place(&mut met.kernels, who.kernel.as_str()),
    ];
    place(&mut met.offers, own)
}

fn crossing(met: &Met, it: &CrossoverFinding) -> Option<Crossing> {
    let find = |who: &lab::cell::Candidate| {
        let own = [
            met.macs.iter().position(|it| *it == who.mac)?,
            met.libraries.iter().position(|it| *it == who.provider)?,
            met.kernels.iter().position(|it| *it == who.kernel)?,
        ];
        met.offers.iter().position(|it| *it == own)
    };
    Some(Crossing {
        below: find(&it.faster_below)?,
        above: find(&it.faster_above)?,
        at: three(it.at_bytes),
        from: it.from_bytes,
        to: it.to_bytes,
        lead: it.lead,
        sentence: it.sentence.clone(),
    })
}

/// The number that three digits print.
fn three(value: f64) -> f64 {
    format::three(value).parse().unwrap_or(value)
}

impl Columns {
    fn push<'a>(
        &mut self,
        findings: &'a Findings,
        number: usize,
        row: Option<&RankRow>,
        met: &mut Met<'a>,
    ) {
        let cell = row.map(|row| findings.cell(row));
        let time = cell.and_then(CellFinding::time);
        self.time.push(time.as_ref());
        self.unit.push(time.as_ref().and_then(|it| it.sign().chars().next()).unwrap_or(' '));
        let ratio = row.and_then(|row| row.to_best).map(|it| it.figure(findings.margin));
        self.ratio.push(ratio.as_ref());
        self.samples.push(cell.map_or(0, |it| it.samples));
        self.launches.push(cell.map_or(0, |it| it.launches));
        self.over.push(match cell.map(|it| it.unit) {
            Some(Unit::Block) => 'b',
            Some(Unit::Launch) => 'l',
            None => ' ',
        });
        self.rank.push(row.and_then(|it| it.rank));
        self.tie_group.push(row.and_then(|it| it.tie_group));
        self.tied.push(if row.is_some_and(|it| it.tied_with_best) { '=' } else { ' ' });
        let verdict = row.map(ranking::verdict).unwrap_or_default();
        self.verdict.push(place(&mut met.verdicts, verdict));
        let digits = |value: fn(&CellFinding) -> Option<f64>| cell.and_then(value).map(three);
        self.cycles.push(digits(|it| it.cycles_estimated));
        self.per_byte.push(digits(|it| it.cycles_per_byte_estimated));
        self.to_bound.push(digits(CellFinding::to_bound));
        self.mib_per_s.push(digits(|it| it.mib_per_s));
        let notes: &[usize] = cell.map_or(&[], |it| &it.notes);
        self.note_set.push(place(&mut met.note_sets, notes));
        let single = cell.and_then(|it| it.single);
        self.p50.push(single.map(|it| it.p50_ns));
        self.p99.push(single.map(|it| it.p99_ns));
        self.calls.push(single.map(|it| it.calls));
        if let Some(why) = cell.and_then(|it| it.why_wide.as_ref()) {
            self.why_wide.insert(number, why.clone());
        }
        if let Some(cell) = cell.filter(|it| !it.cell.usual_key) {
            self.key_len.insert(number, cell.cell.key_len_bytes);
        }
    }
}

impl Scaled {
    fn push(&mut self, figure: Option<&Figure>) {
        let scaled = figure.and_then(Figure::scaled);
        self.value.push(scaled.map(|it| it.value));
        let ends = scaled.and_then(|it| Some((it.value, it.ends?)));
        self.below.push(ends.map(|(value, [low, _])| value - low));
        self.above.push(ends.map(|(value, [_, high])| high - value));
        let decimals = scaled.and_then(|it| char::from_digit(it.decimals, 16));
        self.decimals.push(decimals.unwrap_or(' '));
    }
}
