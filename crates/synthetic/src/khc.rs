//! A run of KHC taken apart, planted after the tables of its authors' README: what a compression
//! takes, what the frames take, and OpenSSL's HMAC ten times as long.

use lab::cell::{Cell, KeyLife};
use lab::plan::is_floor;
use lab::record::Run;

use super::{Filling, Planted, planted, run_costing, study};

const COMPRESSION_NS: f64 = 24.0;
const MEASUREMENT_NS: f64 = 2.1;

/// KHC1 is fastest to 96 bytes, KHC2 above; a frame is 20 ns in HMAC and 6 ns in KHC.
#[must_use]
pub fn khc() -> Run {
    let filling = Filling { launches: 10, ..Filling::QUIET };
    let mut run = run_costing(study(STUDY), &truth(), filling, call_ns);
    // Our macs are of the first part, OpenSSL of the second.
    let own = |part: u32, cell: &Cell| (part == 0) == (cell.candidate.provider != "openssl");
    run.cells.retain(|it| it.cell.candidate.mac == "null" || own(it.part, &it.cell));
    let kept: std::collections::BTreeSet<u32> = run.cells.iter().map(|it| it.id).collect();
    run.samples.retain(|sample| kept.contains(&sample.cell));
    run.single_calls.retain(|calls| kept.contains(&calls.cell));
    run
}

/// What KHC's authors count: compressions of a message under a new key.
#[must_use]
pub fn khc_compressions(cell: &Cell) -> Option<u64> {
    let len = cell.len_bytes;
    let hash = (len + 9).div_ceil(64);
    Some(match cell.candidate.mac.as_str() {
        "hmac-sha256" if cell.key_life == KeyLife::Prepared => hash + 1,
        "hmac-sha256" => hash + 3,
        "khc1-sha256" => len / 64 + 1,
        "khc2-sha256" => len.saturating_sub(128).div_ceil(64) + 2,
        _ => return None,
    })
}

fn truth() -> Vec<Planted> {
    let mut truth = vec![planted(("null", "none", "null"), 0.0, 0.0, 0.0, 0)];
    for (mac, frame_ns) in [("hmac", 20.0), ("khc1", 6.0), ("khc2", 6.0)] {
        let [name, null] = [format!("{mac}-sha256"), format!("null-{mac}-sha256")];
        truth.push(planted(("macs", "sha-ni", &name), frame_ns, 0.0, 0.0, 32));
        truth.push(planted(("null", "sha-ni", &null), frame_ns, 0.0, 0.0, 32));
    }
    truth.push(planted(("openssl", "sha-ni", "hmac-sha256"), 900.0, 0.0, 0.0, 32));
    truth
}

fn call_ns(planted: &Planted, cell: &Cell) -> f64 {
    let mac = &cell.candidate.mac;
    let is_prepared = cell.key_life == KeyLife::Prepared;
    let frame_ns = if is_prepared { planted.call_ns / 3.0 } else { planted.call_ns };
    let calls = khc_compressions(cell).filter(|_| !is_floor(mac)).unwrap_or(0);
    MEASUREMENT_NS + frame_ns + COMPRESSION_NS * calls as f64
}

const STUDY: &str = include_str!("khc.toml");
