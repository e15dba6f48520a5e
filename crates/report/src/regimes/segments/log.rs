//! The log of the paper *Comparison Between Encrypt-and-MAC Composite (CMAC CTR) and
//! Encrypt-then-MAC Composite (AES EAX)*, table II: a row an action and repetition. The paper keeps
//! one for each scheme; here they are in one file, and columns of ours say which is which.

use std::collections::BTreeMap;
use std::io::Write;

use csv::{Error, Writer};
use lab::cell::{Cell, Flow, Scheme};
use lab::record::{CellRecord, Run, Sample, SchemeRecord};
use lab::regimes::segments::{Action, Segments};
use lab::study::{Part, View};

use crate::findings::segments::{Layout, Seal};
use crate::format;

const COLUMNS: [&str; 12] = [
    "Action",
    "File Name",
    "Creation Time",
    "File Size (bytes)",
    "Block Size (bytes)",
    "Part",
    "Repeat Number",
    "Time (ms)",
    "Scheme",
    "Medium",
    "Provider",
    "Transactions",
];

/// Whether a run has transactions to be logged.
#[must_use]
pub fn has_rows(run: &Run) -> bool {
    run.study.parts.iter().any(is_logged)
}

fn is_logged(part: &Part) -> bool {
    part.views.contains(&View::Transactions) && part.has_segments()
}

/// One row a sample of a cell that may be used, in the order of measuring. Its time is the mean of
/// so many transactions in a row as the last column says: one alone is too short where segments are
/// in memory.
///
/// # Errors
/// What writing says.
pub fn write(run: &Run, out: impl Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    let cells: BTreeMap<u32, &CellRecord> =
        run.cells.iter().map(|record| (record.id, record)).collect();
    let mut repeated: BTreeMap<(String, u32), u32> = BTreeMap::new();
    for sample in &run.samples {
        let Some(record) = cells.get(&sample.cell).filter(|it| it.excluded.is_none()) else {
            continue;
        };
        let Some(part) = run.study.parts.get(record.part as usize).filter(|it| is_logged(it))
        else {
            continue;
        };
        // Two parts may measure the same: their repetitions are numbered on.
        let repeat = repeated.entry((record.cell.to_string(), part.block_len_bytes)).or_default();
        *repeat += 1;
        if let Some(row) = row(run, part, &record.cell, (sample, *repeat)) {
            writer.write_record(row.into_iter().map(crate::csv::no_formula))?;
        }
    }
    writer.flush()?;
    Ok(())
}

fn row(
    run: &Run,
    part: &Part,
    cell: &Cell,
    (sample, repeat): (&Sample, u32),
) -> Option<[String; 12]> {
    let Segments { medium, action } = cell.regime.segments()?;
    let scheme = &cell.candidate.mac;
    Some([
        action_name(action).into(),
        file_name(part, cell.len_bytes),
        sample.unix_s.map(format::date_and_seconds).unwrap_or_default(),
        cell.len_bytes.to_string(),
        part.block_len_bytes.to_string(),
        parts(&run.schemes, part, cell).map(|it| it.to_string()).unwrap_or_default(),
        repeat.to_string(),
        (sample.call_ns() / 1e6).to_string(),
        scheme.clone(),
        medium.to_string(),
        cell.candidate.source(),
        sample.iterations.to_string(),
    ])
}

/// The paper's words.
fn action_name(action: Action) -> &'static str {
    match action {
        Action::Splitting => "Splitting",
        Action::Combining => "Combination",
        Action::Encryption => "Encryption",
        Action::Decryption => "Decryption",
        Action::Transaction => "Transaction",
    }
}

/// The user's name for a file, else `test10kb` as in the paper.
fn file_name(part: &Part, len_bytes: u64) -> String {
    let place = part.sizes.iter().position(|&len| len == len_bytes);
    if let Some(name) = place.and_then(|at| part.files.get(at)) {
        return name.clone();
    }
    let units = [(1 << 20, "mb"), (1 << 10, "kb")];
    let even = units.iter().find(|(unit, _)| len_bytes >= *unit && len_bytes.is_multiple_of(*unit));
    match even {
        Some((unit, sign)) => format!("test{}{sign}", len_bytes / unit),
        None => format!("test{len_bytes}b"),
    }
}

/// Pieces that the file, or what it was sealed into, was cut into. Of a sealed file that needs the
/// length of nonce and tag, which a run without its schemes does not know.
fn parts(schemes: &[SchemeRecord], part: &Part, cell: &Cell) -> Option<u64> {
    let name = &cell.candidate.mac;
    let block = u64::from(part.block_len_bytes);
    let known = schemes.iter().find(|it| it.scheme == *name).map(Seal::of);
    match Scheme::of(name)?.flow {
        Flow::Es => Layout::Whole.sending(cell.len_bytes, block, &known?).map(|it| it.parts),
        Flow::Se | Flow::SeBound => (block > 0).then(|| cell.len_bytes.div_ceil(block).max(1)),
    }
}
