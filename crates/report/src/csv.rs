//! Files for other tools: one row a sample, or one row a cell. Base units, full precision; what is
//! absent is empty. Not for people: tables are in `terminal` and on the page.

pub mod sessions;

use std::io::Write;

use ::csv::{Error, Writer};
use lab::record::Run;
use stats::Verdict;

use crate::findings::about;
use crate::findings::sessions::rate_per_s;
use crate::findings::{CellFinding, Findings, RankRow, Unit, without_mark};

const RAW: [&str; 13] = [
    "cell",
    "part",
    "launch",
    "block",
    "position",
    "iterations",
    "elapsed_ns",
    "call_ns",
    "ticks",
    "core_hz_estimated",
    "own_count",
    "excluded",
    "capacity_sessions",
];

/// A cell that no spreadsheet takes for a formula: studies, and so names, may be somebody else's.
#[must_use]
pub fn no_formula(text: String) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula && text.parse::<f64>().is_err() { format!("'{text}") } else { text }
}

/// One row a sample, in the order of measuring.
///
/// # Errors
/// What writing says.
pub fn raw(run: &Run, out: impl Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record(about::COLUMNS.iter().chain(&RAW))?;
    let about = about::columns(run);
    let cells: std::collections::BTreeMap<u32, (String, usize)> = run
        .cells
        .iter()
        .enumerate()
        .map(|(place, record)| (record.id, (record.cell.to_string(), place)))
        .collect();
    for sample in &run.samples {
        let Some((path, place)) = cells.get(&sample.cell) else { continue };
        let record = &run.cells[*place];
        // Kept as the time between two messages of all sessions.
        let rate = rate_per_s(run, record.cell.regime, record.part as usize);
        let is_time = rate.is_none();
        let capacity = rate.map(|rate| (1e9 / (rate * sample.call_ns()) * 1e6).round() / 1e6);
        let row = [
            path.clone(),
            part(run, record.part as usize),
            sample.launch.to_string(),
            sample.block.to_string(),
            sample.position.to_string(),
            text(is_time.then_some(sample.iterations)),
            text(is_time.then_some(sample.elapsed_ns)),
            text(is_time.then(|| sample.call_ns())),
            text(sample.ticks.filter(|_| is_time)),
            text(sample.core_hz),
            record.own_count.to_string(),
            text(record.excluded.as_ref()),
            text(capacity),
        ];
        writer.write_record(about.iter().cloned().chain(row).map(no_formula))?;
    }
    writer.flush()?;
    Ok(())
}

const FINDINGS: [&str; 41] = [
    "cell",
    "part",
    "mac",
    "provider",
    "kernel",
    "regime",
    "key_life",
    "len_bytes",
    "key_len_bytes",
    "samples",
    "launches",
    "interval_over",
    "mean_ns",
    "median_ns",
    "low_ns",
    "high_ns",
    "confidence",
    "cycles_estimated",
    "cycles_per_byte_estimated",
    "cycles_per_byte_nominal",
    "bound_cycles_per_byte",
    "mib_per_s",
    "single_calls",
    "single_p50_ns",
    "single_p90_ns",
    "single_p99_ns",
    "single_p99_9_ns",
    "compared_in",
    "rank",
    "tie_group",
    "ratio_to_best",
    "ratio_low",
    "ratio_high",
    "verdict",
    "caution",
    "warnings",
    "capacity_sessions_mean",
    "capacity_sessions_median",
    "capacity_sessions_low",
    "capacity_sessions_high",
    "capacity_rate_per_s",
];

/// One row a cell. Where a cell is compared in several groups, the first of them is told and named.
///
/// # Errors
/// What writing says.
pub fn findings(run: &Run, findings: &Findings, out: impl Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record(about::COLUMNS.iter().chain(&FINDINGS))?;
    let mut rows: Vec<Option<(&str, &RankRow)>> = vec![None; findings.cells.len()];
    for group in &findings.groups {
        for row in group.sizes.iter().flat_map(|size| &size.ranking) {
            rows[row.cell].get_or_insert((&group.name, row));
        }
    }
    for (finding, row) in findings.cells.iter().zip(rows) {
        let mut record = about::columns(run).to_vec();
        record.extend(conditions(run, finding));
        record.extend(measured(finding));
        record.extend(compared(row));
        record.push(finding.caution.clone().unwrap_or_default());
        let notes: Vec<&str> =
            finding.notes.iter().map(|&at| findings.notes[at].as_str()).collect();
        record.push(notes.join("; "));
        record.extend(capacity(finding));
        writer.write_record(record.into_iter().map(no_formula))?;
    }
    writer.flush()?;
    Ok(())
}

fn conditions(run: &Run, cell: &CellFinding) -> Vec<String> {
    let (own, candidate) = (&cell.cell, &cell.cell.candidate);
    vec![
        cell.path.clone(),
        part(run, cell.part),
        candidate.mac.clone(),
        candidate.provider.clone(),
        candidate.kernel.clone(),
        own.regime.to_string(),
        own.key_life.to_string(),
        own.len_bytes.to_string(),
        own.key_len_bytes.to_string(),
    ]
}

fn measured(cell: &CellFinding) -> Vec<String> {
    let over = if cell.unit == Unit::Launch { "launches" } else { "blocks" };
    let (interval, single) = (cell.interval_ns, cell.single);
    let of_capacity = cell.capacity.and_then(|it| it.interval_sessions);
    vec![
        cell.samples.to_string(),
        cell.launches.to_string(),
        text((interval.is_some() || of_capacity.is_some()).then_some(over)),
        text(cell.mean_ns),
        text(cell.median_ns),
        text(interval.map(|it| it.low)),
        text(interval.map(|it| it.high)),
        text(interval.or(of_capacity).map(|it| it.confidence)),
        text(cell.cycles_estimated),
        text(cell.cycles_per_byte_estimated),
        text(cell.cycles_per_byte_nominal),
        text(cell.bound_cycles_per_byte),
        text(cell.mib_per_s),
        text(single.map(|it| it.calls)),
        text(single.map(|it| it.p50_ns)),
        text(single.map(|it| it.p90_ns)),
        text(single.map(|it| it.p99_ns)),
        text(single.and_then(|it| it.p99_9_ns)),
    ]
}

/// Sessions that are sustained: a quantity of its own, and no time.
fn capacity(cell: &CellFinding) -> Vec<String> {
    let own = cell.capacity;
    let interval = own.and_then(|it| it.interval_sessions);
    vec![
        text(own.map(|it| it.mean_sessions)),
        text(own.map(|it| it.median_sessions)),
        text(interval.map(|it| it.low)),
        text(interval.map(|it| it.high)),
        text(own.map(|it| it.rate_per_s)),
    ]
}

fn compared(row: Option<(&str, &RankRow)>) -> Vec<String> {
    let ratio = row.and_then(|(_, row)| row.to_best);
    let ends = ratio.and_then(|it| it.interval);
    vec![
        text(row.map(|(group, _)| without_mark(group))),
        text(row.and_then(|(_, row)| row.rank)),
        text(row.and_then(|(_, row)| row.tie_group)),
        text(ratio.map(|it| it.value)),
        text(ends.map(|it| it.low)),
        text(ends.map(|it| it.high)),
        text(row.and_then(|(_, row)| row.verdict).map(Verdict::name)),
    ]
}

fn part(run: &Run, place: usize) -> String {
    run.study.parts.get(place).map(|part| part.name.clone()).unwrap_or_default()
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_a_formula_to_a_spreadsheet_and_numbers_stay() {
        let shown = |text: &str| no_formula(text.to_owned());
        for name in ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1"] {
            assert_eq!(shown(name), format!("'{name}"));
        }
        for plain in ["", "-1.5", "+2e9", "-inf", "hmac-sha256/openssl", "a=b"] {
            assert_eq!(shown(plain), plain);
        }
    }
}
