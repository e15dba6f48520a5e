//! A run of the segments' test bed: three compositions in three flows, four file sizes, in memory
//! and on disk. Fewer segments are cheaper, and files on disk cost more than memory.

use lab::cell::{Cell, Flow, KeyLife, Scheme};
use lab::record::{CellRecord, FaultCount, Run, SchemeRecord};
use lab::regimes::segments::{Action, Medium, Segments};

use super::{Filling, Noise, Planted, empty, fill, planted, study};

const STUDY: &str = include_str!("sms.toml");

/// Compositions: a byte of encryption and one of decryption in nanoseconds, a call of either.
const COMPOSITIONS: [(&str, f64, f64, f64); 7] = [
    ("ctr+cmac-aes-128", 0.71, 0.70, 190.0),
    ("eax-aes-128", 0.70, 0.74, 120.0),
    ("gcm-aes-128", 0.10, 0.10, 90.0),
    ("ccm-aes-128", 0.72, 0.72, 100.0),
    ("ctr-then-cmac-aes-128", 0.70, 0.70, 195.0),
    ("chacha20-poly1305", 0.60, 0.60, 250.0),
    ("cbc-then-cmac-aes-128", 1.30, 0.75, 195.0),
];

/// The run of three compositions.
#[must_use]
pub fn sms() -> Run {
    sms_of(3)
}

/// The run of so many compositions, seven at most.
#[must_use]
pub fn sms_of(compositions: usize) -> Run {
    let truth = truth(compositions);
    let mut run = empty(study(STUDY), &truth);
    let mut noise = Noise(4);
    let part = run.study.parts[0].clone();
    for planted in &truth {
        for &regime in &part.regimes {
            let Some(Segments { medium, action }) = regime.segments() else { continue };
            let (block_sd, launch_sd) =
                if medium == Medium::Memory { (0.01, 0.005) } else { (0.08, 0.02) };
            let filling = Filling { launches: 10, blocks: 10, launch_sd, block_sd };
            for len_bytes in part.lengths() {
                let time_ns = time_ns(&planted.candidate.mac, medium, action, len_bytes as f64);
                let id = run.cells.len() as u32;
                let cell = Cell {
                    candidate: planted.candidate.clone(),
                    regime,
                    key_life: KeyLife::Prepared,
                    len_bytes,
                    key_len_bytes: 16,
                    usual_key: true,
                };
                let (own_count, excluded) = (false, None);
                run.cells.push(CellRecord {
                    id,
                    part: 0,
                    cell,
                    iterations: 1,
                    own_count,
                    excluded,
                    has_left: false,
                });
                fill(&mut run, id, time_ns, filling, &mut noise);
            }
        }
    }
    run.single_calls.clear();
    run.schemes = truth.iter().map(record).collect();
    run
}

fn truth(compositions: usize) -> Vec<Planted> {
    let name = |composition: &str, flow: &Flow| format!("{composition}-{flow}");
    COMPOSITIONS
        .iter()
        .take(compositions)
        .flat_map(|(composition, ..)| Flow::ALL.iter().map(move |flow| name(composition, flow)))
        .map(|mac| planted(("macs", "vaes-512", &mac), 0.0, 0.0, 0.0, 16))
        .collect()
}

fn time_ns(mac: &str, medium: Medium, action: Action, len: f64) -> f64 {
    let Some(Scheme { composition, flow }) = Scheme::of(mac) else { return 1.0 };
    let of = |own: &&(&str, f64, f64, f64)| own.0 == composition;
    let (_, sealing, opening, call) =
        *COMPOSITIONS.iter().find(of).expect("every scheme is of a composition");
    let segments = (len / 140.0).ceil();
    let calls = if flow == Flow::Es { 1.0 } else { segments };
    let bound = if flow == Flow::SeBound { 1.1 } else { 1.0 };
    let longer = if flow == Flow::Es { 1.0 } else { 1.05 };
    let segment_ns = if medium == Medium::Memory { 35.0 } else { 14_000.0 };
    match action {
        Action::Encryption => len * sealing + calls * call * bound,
        Action::Decryption => len * opening + calls * call * bound,
        Action::Splitting => segments * segment_ns * longer,
        Action::Combining => segments * segment_ns * 0.6 * longer,
        Action::Transaction => {
            let parts =
                [Action::Encryption, Action::Decryption, Action::Splitting, Action::Combining];
            parts.iter().map(|&part| time_ns(mac, medium, part, len)).sum()
        }
    }
}

fn record(planted: &Planted) -> SchemeRecord {
    let mac = &planted.candidate.mac;
    let flow = Scheme::of(mac).map(|it| it.flow);
    let fault = |fault: &str| {
        let promised = flow != Some(Flow::Se) || fault == "flip" || fault == "truncate";
        let refused = if promised { 200 } else { 0 };
        FaultCount { fault: fault.into(), planted: 200, refused, promised }
    };
    // Encrypt-and-MAC takes no associated data.
    let is_sent = flow == Some(Flow::SeBound) && mac.contains('+');
    SchemeRecord {
        scheme: mac.clone(),
        provider: planted.candidate.provider.clone(),
        nonce_len_bytes: if mac.starts_with("gcm") { 12 } else { 16 },
        tag_len_bytes: 16,
        bound_len_bytes: if is_sent { 16 } else { 0 },
        ciphertext_block_len_bytes: if mac.starts_with("cbc") { 16 } else { 1 },
        faults: ["flip", "drop", "double", "swap", "truncate"].map(fault).to_vec(),
    }
}
