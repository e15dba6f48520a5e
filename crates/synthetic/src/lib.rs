//! Runs that nobody measured, with a planted truth: for tests of everything that tells a run, and
//! for looking at charts and pages while they are made. Deterministic; no part of a report.

mod apparent;
mod archive;
mod cbc_mac_variants;
mod fleet;
mod khc;
mod sms;

pub use apparent::{apparent_processing, apparent_processing_on};
pub use archive::keep;
pub use cbc_mac_variants::cbc_mac_variants;
pub use fleet::{Fleet, GENERATIONS, Generation, Simulated};
pub use khc::{khc, khc_compressions};
pub use sms::{sms, sms_of};

use lab::cell::{Candidate, Cell, KeyLife};
use lab::plan::is_floor;
use lab::record::{
    CellRecord, Chosen, ClockRecord, Event, EventKind, Exclusion, Invocation, Machine, Offer,
    ProviderRecord, Run, RunState, Sample, SingleCalls, Verb,
};
use lab::study::{Case, Choose, Part, Study, fits_any};

/// What a candidate costs: the planted truth.
#[derive(Debug, Clone)]
pub struct Planted {
    /// The candidate that costs so much.
    pub candidate: Candidate,
    /// Nanoseconds of a call apart from the message.
    pub call_ns: f64,
    /// Nanoseconds a byte.
    pub byte_ns: f64,
    /// Nanoseconds for a key, paid by each call unless it is prepared.
    pub key_ns: f64,
    /// Length of the usual key.
    pub key_len_bytes: u32,
}

/// A row of the planted truth: `("macs", "aes-ni", "cmac-aes-128", call, byte, key, key length)`.
#[must_use]
pub fn planted(
    who: (&str, &str, &str),
    call_ns: f64,
    byte_ns: f64,
    key_ns: f64,
    key_len_bytes: u32,
) -> Planted {
    let (provider, kernel, mac) = (who.0.into(), who.1.into(), who.2.into());
    Planted {
        candidate: Candidate { mac, provider, kernel },
        call_ns,
        byte_ns,
        key_ns,
        key_len_bytes,
    }
}

/// SplitMix64 (S. Vigna): enough to make noise that is the same everywhere.
#[derive(Debug)]
pub struct Noise(pub u64);

impl Noise {
    /// Uniform, from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Exponential, of mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Normal enough: twelve uniform numbers less six.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// How a run is filled: how noisy, how many launches and blocks in each.
#[derive(Debug, Clone, Copy)]
pub struct Filling {
    /// Launches of the workers.
    pub launches: u32,
    /// Blocks a launch.
    pub blocks: u32,
    /// Standard deviation between launches, as a share.
    pub launch_sd: f64,
    /// Standard deviation between blocks, as a share.
    pub block_sd: f64,
}

impl Filling {
    /// 12 launches of 3 blocks, quiet.
    pub const QUIET: Filling =
        Filling { launches: 12, blocks: 3, launch_sd: 0.002, block_sd: 0.003 };
}

/// The survey of eight candidates: SipHash is fastest to about 104 bytes, GMAC above; two Poly1305
/// are tied; OpenSSL's CMAC starts slower than ours.
#[must_use]
pub fn survey() -> Run {
    run(study(SURVEY), &survey_truth(), Filling::QUIET)
}

/// The truth behind [`survey`].
#[must_use]
pub fn survey_truth() -> Vec<Planted> {
    vec![
        planted(("null", "none", "null"), 2.1, 0.0, 0.0, 0),
        planted(("macs", "soft", "siphash-2-4"), 8.0, 0.55, 1.0, 16),
        planted(("openssl", "vaes-512", "gmac-aes-128"), 60.0, 0.05, 150.0, 16),
        planted(("macs", "avx2", "poly1305"), 30.0, 0.30, 5.0, 32),
        planted(("openssl", "avx2", "poly1305"), 30.01, 0.3001, 5.0, 32),
        planted(("macs", "aes-ni", "cmac-aes-128"), 25.0, 0.62, 60.0, 16),
        planted(("openssl", "aes-ni", "cmac-aes-128"), 120.0, 0.63, 400.0, 16),
        planted(("openssl", "sha-ni", "hmac-sha256"), 190.0, 0.56, 330.0, 32),
        planted(("rustcrypto", "sha-ni", "hmac-sha256"), 170.0, 0.58, 260.0, 32),
    ]
}

/// Three candidates at two sizes, one of them excluded: small enough to be read whole.
#[must_use]
pub fn small() -> Run {
    let mut study = study(SURVEY);
    study.parts[0].sizes = vec![64, 1024];
    study.parts[0].key_lives = vec![KeyLife::Prepared];
    let truth: Vec<Planted> = survey_truth().into_iter().take(4).collect();
    let mut run = run(study, &truth, Filling::QUIET);
    run.samples.retain(|sample| sample.launch < 7);
    if let Some(last) = run.cells.last_mut() {
        last.excluded = Some(Exclusion::Failed("tag differs after timing".into()));
    }
    run
}

/// A survey of `macs` algorithms by `providers` each: for the size of the page.
#[must_use]
pub fn survey_of(macs: usize, providers: usize) -> Run {
    let study = study(SURVEY);
    let sizes = study.parts[0].sizes.clone();
    survey_over(macs, providers, &sizes)
}

/// The same over these message lengths.
#[must_use]
pub fn survey_over(macs: usize, providers: usize, sizes: &[u64]) -> Run {
    let mut study = study(SURVEY);
    study.parts[0].sizes = sizes.to_vec();
    let mut truth = vec![planted(("null", "none", "null"), 2.1, 0.0, 0.0, 0)];
    for mac in 0..macs {
        for provider in 0..providers {
            let (own, name) = (1.0 + 0.07 * provider as f64, format!("provider-{provider}"));
            let (call, byte) = (20.0 + 11.0 * mac as f64, 0.05 + 0.61 / (1.0 + mac as f64));
            let mac = format!("mac-{mac:02}-with-a-name");
            let who = (name.as_str(), "aes-ni", mac.as_str());
            truth.push(planted(who, call * own, byte * own, 90.0, 16));
        }
    }
    run(study, &truth, Filling::QUIET)
}

/// A run of the study of HMAC and CMAC: in the panel `python` HMAC is faster, as published; in the
/// panel `fastest` CMAC is.
#[must_use]
pub fn hmac_vs_cmac() -> Run {
    let filling = Filling { launches: 10, blocks: 10, launch_sd: 0.002, block_sd: 0.02 };
    run(study(HMAC_VS_CMAC), &hmac_vs_cmac_truth(), filling)
}

fn hmac_vs_cmac_truth() -> Vec<Planted> {
    let mut truth = vec![planted(("null", "none", "null"), 2.1, 0.0, 0.0, 0)];
    let hashes = [
        ("sha224", 2.0, 0.60),
        ("sha256", 1.9, 0.56),
        ("sha384", 1.9, 1.35),
        ("sha512", 1.75, 1.3),
    ];
    for (hash, factor, byte) in hashes {
        let mac = format!("hmac-{hash}");
        truth.push(planted(("python", "sha-ni", &mac), 700.0 * factor, 0.9, 300.0, 32));
        truth.push(planted(("openssl", "sha-ni", &mac), 120.0 * factor, byte, 60.0, 32));
    }
    for (key, byte) in [(16, 0.62), (24, 0.74), (32, 0.86)] {
        let mac = format!("cmac-aes-{}", key * 8);
        let cost = 11_000.0;
        truth.push(planted(("python", "aes-ni", &mac), cost, 0.9 + byte, 900.0, key));
        truth.push(planted(("macs", "aes-ni", &mac), 20.0, byte, 60.0, key));
    }
    truth
}

fn study(toml: &str) -> Study {
    Study::parse(toml).expect("the synthetic studies are well formed")
}

/// A run of `study` whose cells cost what `truth` says.
#[must_use]
pub fn run(study: Study, truth: &[Planted], filling: Filling) -> Run {
    run_costing(study, truth, filling, call_ns)
}

/// The same with noise of its own for each seed: for how often something is found.
#[must_use]
pub fn run_seeded(study: Study, truth: &[Planted], filling: Filling, seed: u64) -> Run {
    run_of(study, truth, filling, call_ns, Noise(seed))
}

/// A run of `study` whose cells cost what `call_ns` says.
fn run_costing(
    study: Study,
    truth: &[Planted],
    filling: Filling,
    call_ns: fn(&Planted, &Cell) -> f64,
) -> Run {
    run_of(study, truth, filling, call_ns, Noise(1))
}

fn run_of(
    study: Study,
    truth: &[Planted],
    filling: Filling,
    call_ns: fn(&Planted, &Cell) -> f64,
    mut noise: Noise,
) -> Run {
    let mut run = empty(study, truth);
    run.chosen = chosen(&run.study, truth);
    for part_number in 0..run.study.parts.len() {
        let part = run.study.parts[part_number].clone();
        for (cell, planted) in cells_of(&run, &part, truth) {
            let id = run.cells.len() as u32;
            let time_ns = call_ns(planted, &cell);
            let iterations = (20_000.0 / time_ns).ceil() as u64;
            let part = part_number as u32;
            let (own_count, excluded) = (time_ns > 1e6, None);
            run.cells.push(CellRecord {
                id,
                part,
                cell,
                iterations,
                own_count,
                excluded,
                has_left: false,
            });
            fill(&mut run, id, time_ns, filling, &mut noise);
        }
    }
    run
}

fn cells_of<'a>(run: &Run, part: &Part, truth: &'a [Planted]) -> Vec<(Cell, &'a Planted)> {
    let mut cells: Vec<(Cell, &Planted)> = Vec::new();
    for case in &part.cases {
        for planted in truth {
            let mac = &planted.candidate.mac;
            let wanted = is_floor(mac) || wanted(run, planted);
            if mac != "null" && !(fits_any(&case.macs, mac) && wanted) {
                continue;
            }
            for &key_life in &part.key_lives {
                for len_bytes in part.lengths() {
                    let cell = Cell {
                        regime: part.regimes[0],
                        ..cell_of(planted, case, key_life, len_bytes)
                    };
                    if !cells.iter().any(|(known, _)| *known == cell) {
                        cells.push((cell, planted));
                    }
                }
            }
        }
    }
    cells
}

fn wanted(run: &Run, planted: &Planted) -> bool {
    let candidate = &planted.candidate;
    run.study.panels.iter().any(|panel| match panel.choose {
        Choose::All => panel.takes(&candidate.provider),
        Choose::Fastest => run.chosen.iter().any(|chosen| chosen.candidate == *candidate),
    })
}

fn cell_of(planted: &Planted, case: &Case, key_life: KeyLife, len_bytes: u64) -> Cell {
    let usual = planted.key_len_bytes;
    let null = planted.candidate.mac == "null";
    let key_len_bytes = case.key_len_bytes.filter(|_| !null).unwrap_or(usual);
    Cell {
        candidate: planted.candidate.clone(),
        regime: lab::cell::Regime::USUAL,
        key_life,
        len_bytes,
        key_len_bytes,
        usual_key: key_len_bytes == usual,
    }
}

fn call_ns(planted: &Planted, cell: &Cell) -> f64 {
    let key_ns = if cell.key_life == KeyLife::Prepared { 0.0 } else { planted.key_ns };
    planted.call_ns + planted.byte_ns * cell.len_bytes as f64 + key_ns
}

fn fill(run: &mut Run, cell: u32, time_ns: f64, filling: Filling, noise: &mut Noise) {
    let iterations = run.cells[cell as usize].iterations;
    for launch in 0..filling.launches {
        let launch_share = 1.0 + filling.launch_sd * noise.normal();
        for own in 0..filling.blocks {
            let spike = if noise.unit() < 0.02 { 1.05 } else { 1.0 };
            let share = launch_share * spike * (1.0 + filling.block_sd * noise.normal());
            let elapsed_ns = time_ns * share * iterations as f64;
            run.samples.push(Sample {
                cell,
                launch,
                block: launch * filling.blocks + own,
                position: cell,
                iterations,
                elapsed_ns,
                ticks: Some((elapsed_ns * 2.6) as u64),
                core_hz: Some(3.7e9 * (1.0 + 0.001 * noise.normal())),
                unix_s: Some(run.created_unix_s + u64::from(launch * filling.blocks + own)),
            });
        }
    }
    let near = |share: f64| (time_ns * share) as u64 + 20;
    let counts = vec![(near(1.0), 900), (near(1.1), 85), (near(1.4), 14), (near(9.0), 1)];
    run.single_calls.push(SingleCalls { cell, counts, ticks: vec![] });
}

/// The cheapest for each mac at 64 bytes with its key set up, as a pilot would find.
fn chosen(study: &Study, truth: &[Planted]) -> Vec<Chosen> {
    let mut chosen: Vec<Chosen> = Vec::new();
    let cost = |planted: &Planted| planted.call_ns + 64.0 * planted.byte_ns;
    for panel in study.panels.iter().filter(|panel| panel.choose == Choose::Fastest) {
        let own = |planted: &&Planted| panel.takes(&planted.candidate.provider);
        let own: Vec<&Planted> = truth.iter().filter(own).collect();
        for planted in own.iter().filter(|planted| planted.candidate.mac != "null") {
            let mac = &planted.candidate.mac;
            let rivals = own.iter().filter(|rival| rival.candidate.mac == *mac);
            if rivals.clone().all(|rival| cost(rival) >= cost(planted)) {
                let candidate = planted.candidate.clone();
                chosen.push(Chosen {
                    panel: panel.name.clone(),
                    mac: mac.clone(),
                    candidate,
                    part: None,
                    key_life: None,
                    cells: vec![],
                    rivals: vec![],
                });
            }
        }
    }
    chosen
}

fn empty(study: Study, truth: &[Planted]) -> Run {
    let flags = ["aes", "avx2", "avx512f", "pclmulqdq", "sha", "vaes"];
    let (budget_s, launched) = (study.budget_s, 1_795_257_000);
    let called = Invocation { seed: Some(7), ..Invocation::of(Verb::Run) };
    let invocation = Invocation { study: Some(study.name.clone()), ..called };
    Run {
        id: "20261121-103045-1f3a".into(),
        created_unix_s: launched,
        macrometer_version: "0.1.0 (synthetic)".into(),
        command: invocation.to_string(),
        invocation: Some(invocation),
        packed: None,
        study,
        seed: 7,
        budget_s,
        spent_s: 41.5,
        state: RunState::Complete,
        machine: Machine {
            without: lab::record::Without::default(),
            cpu_model: "AMD EPYC 9R14 (synthetic)".into(),
            cpu_flags: flags.map(String::from).to_vec(),
            cpus: 2,
            kernel: "Linux 6.1.0-28-cloud-amd64".into(),
            governor: None,
            turbo: None,
            virtualization: Some("kvm".into()),
            memory_bytes: Some(4 << 30),
            distribution: Some("Debian GNU/Linux 12 (bookworm)".into()),
            compiler: Some("rustc 1.95.0".into()),
            load_1min: Some(0.42),
            pinned_cpu: Some(1),
            processors: vec![],
            segments_dir: None,
        },
        clock: ClockRecord {
            source: "time-stamp counter".into(),
            ticks_hz: 2.596e9,
            bracket_ns: 20.0,
            resolution_ns: 10.0,
            core_hz: Some(3.7e9),
            nominal_hz: None,
        },
        instructions: vec![],
        providers: providers(truth),
        chosen: vec![],
        cells: vec![],
        samples: vec![],
        single_calls: vec![],
        single_calls_are_whole: true,
        schemes: vec![],
        loads: vec![],
        launch_records: vec![],
        processor_times: vec![],
        sessions: vec![],
        events: vec![
            event(EventKind::Excluded, "openssl[soft]/umac-64: tag differs at 1 KiB; not timed"),
            event(EventKind::Note, "perf counters are not allowed here: cycles are estimated"),
        ],
    }
}

fn event(kind: EventKind, text: &str) -> Event {
    Event { unix_s: 1_795_257_003, kind, text: text.into() }
}

fn providers(truth: &[Planted]) -> Vec<ProviderRecord> {
    let mut records: Vec<ProviderRecord> = Vec::new();
    for Planted { candidate, .. } in truth {
        let offer = Offer {
            mac: candidate.mac.clone(),
            kernel: candidate.kernel.clone(),
            key_lives: KeyLife::ALL.to_vec(),
        };
        match records.iter_mut().find(|record| record.name == candidate.provider) {
            Some(record) => record.offers.push(offer),
            None => records.push(ProviderRecord {
                regimes: lab::cell::Regime::kinds().collect(),
                name: candidate.provider.clone(),
                version: "3.0.15 <3 Sep 2024> \"quoted\" & more".into(),
                path: format!("/usr/lib/x86_64-linux-gnu/lib{}.so.3", candidate.provider),
                detail: "OPENSSL_ia32cap: none".into(),
                offers: vec![offer],
                different: vec![],
                offloads: false,
            }),
        }
    }
    records
}

const SURVEY: &str = include_str!("survey.toml");
const HMAC_VS_CMAC: &str = include_str!("hmac-vs-cmac.toml");
