//! The CSV of the authors' own program: Kuwakado's CRPRF, `crprf`, `crprf_moc` and
//! `crprf_moc_sha256cf`, for their scripts. Each number is the median of calls timed one by one, in
//! ticks of the clock, the cost of reading the clock included as theirs includes it.
//!
//! What was not measured is an empty field, and a length at which none of our macs was has no row:
//! a 0 would be read as a time.

use lab::cell::KeyLife;
use lab::plan::{is_floor, is_own_floor};
use lab::record::{ClockRecord, Run};
use lab::study::View;
use words::ProviderName;

use crate::findings::taken_apart::frame_of;
use crate::findings::{CellFinding, Findings};
use crate::format;

/// The first line of all three.
const HEAD: &str = "Bytes , OpenSSL-HMAC , HMAC , KHC1 , KHC2";

/// The macs of its last three columns.
const MACS: [&str; 3] = ["hmac-sha256", "khc1-sha256", "khc2-sha256"];

/// One of the authors' three programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `crprf`: the macs.
    Whole,
    /// `crprf_moc`: nothing is computed; the measurement alone. OpenSSL is not omitted.
    Measurement,
    /// `crprf_moc_sha256cf`: the macs without their compression function.
    Frame,
}

impl Program {
    /// All of them.
    pub const ALL: [Program; 3] = [Program::Whole, Program::Measurement, Program::Frame];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Program::Whole => "crprf",
            Program::Measurement => "crprf_moc",
            Program::Frame => "crprf_moc_sha256cf",
        }
    }
}

/// What `program` would print; `None` where no part of the run asks for calls taken apart, or none
/// of them was timed call by call.
#[must_use]
pub fn table(run: &Run, findings: &Findings, program: Program) -> Option<String> {
    let is_stacked = |part: &lab::study::Part| part.views.contains(&View::Stacked);
    let part = run.study.parts.iter().position(is_stacked)?;
    let mut lens: Vec<u64> = findings.cells.iter().map(|cell| cell.cell.len_bytes).collect();
    lens.sort_unstable();
    lens.dedup();
    let mut text = format!("{HEAD}\n");
    for len in lens {
        let ours = MACS.map(|mac| {
            let whole = of_ours(findings, part, mac, len)?;
            match program {
                Program::Whole => Some(whole),
                Program::Measurement => floor(findings, part, len),
                Program::Frame => frame_of(whole, &findings.cells),
            }
        });
        let places = [of_openssl(findings, len), ours[0], ours[1], ours[2]];
        let ticks = places.map(|at| ticks(&findings.cells[at?], &run.clock));
        if ticks[1..].iter().any(Option::is_some) {
            text.push_str(&row(len, &ticks));
        }
    }
    (text.lines().count() > 1).then_some(text)
}

/// What the numbers count, for whoever reads them: the files themselves are as the authors' are.
#[must_use]
pub fn unit(run: &Run) -> String {
    let ClockRecord { source, ticks_hz, .. } = &run.clock;
    let rate = format::hertz(*ticks_hz);
    format!("numbers are ticks of the {source}, {rate}; reading the clock is in them, as theirs")
}

/// `0 , 3740 , 440 , 200 , 280`; what is absent is nothing between two commas.
fn row(len_bytes: u64, ticks: &[Option<u64>; 4]) -> String {
    let mut row = len_bytes.to_string();
    for ticks in ticks {
        row.push_str(if row.ends_with(',') { "," } else { " ," });
        row.extend(ticks.map(|ticks| format!(" {ticks}")));
    }
    row.push('\n');
    row
}

/// The median of its single calls, the clock's reads included. Where only nanoseconds are kept, as
/// in older archives, it is worked out from them.
fn ticks(cell: &CellFinding, clock: &ClockRecord) -> Option<u64> {
    let single = cell.single?;
    single.p50_ticks.or_else(|| {
        let ns = single.p50_ns as f64 + clock.bracket_ns;
        Some((ns * clock.ticks_hz / 1e9).round() as u64)
    })
}

/// Our offer with a key set-up in every call, as theirs; on the best code path where several were
/// measured.
fn of_ours(findings: &Findings, part: usize, mac: &str, len_bytes: u64) -> Option<usize> {
    let wanted = |cell: &CellFinding| {
        cell.part == part
            && cell.cell.len_bytes == len_bytes
            && cell.cell.candidate.mac == mac
            && cell.cell.key_life != KeyLife::Prepared
            && named(cell, "macs")
    };
    first(findings, wanted)
}

/// OpenSSL's one-shot call, as theirs, in whatever part.
fn of_openssl(findings: &Findings, len_bytes: u64) -> Option<usize> {
    let wanted = |cell: &CellFinding| {
        cell.cell.len_bytes == len_bytes
            && cell.cell.candidate.mac == MACS[0]
            && cell.cell.key_life == KeyLife::OneShot
            && named(cell, "openssl")
    };
    first(findings, wanted)
}

fn floor(findings: &Findings, part: usize, len_bytes: u64) -> Option<usize> {
    let is_floor = |cell: &CellFinding| cell.part == part && is_own_floor(&cell.cell.candidate);
    first(findings, |cell| is_floor(cell) && cell.cell.len_bytes == len_bytes)
}

/// A provider of this name, on another code path (`macs[soft]`) or of another version.
fn named(cell: &CellFinding, name: &str) -> bool {
    let provider = ProviderName::of(&cell.cell.candidate.provider);
    provider.is_of(name) && !is_floor(&cell.cell.candidate.mac)
}

/// The first that was timed call by call; the provider of the plainest name before others.
fn first(findings: &Findings, wanted: impl Fn(&CellFinding) -> bool) -> Option<usize> {
    let fits = |at: &usize| findings.cells[*at].single.is_some() && wanted(&findings.cells[*at]);
    let plainest = |at: &usize| findings.cells[*at].cell.candidate.provider.len();
    (0..findings.cells.len()).filter(fits).min_by_key(plainest)
}
