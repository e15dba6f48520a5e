//! One study on many machines that never were: each is of a generation of processors, which has
//! some instructions and lacks others, so that what each candidate costs there is known. They are
//! drawn from a run, synthetic or measured, whose figures stand for those of a processor with all
//! instructions.

use std::collections::BTreeMap;

use lab::cell::Candidate;
use lab::machine::Identity;
use lab::plan::is_floor;
use lab::record::{Run, Sample};

use super::{Filling, Noise, Planted, planted, run, study};

const STUDY: &str = include_str!("fleet.toml");

/// A generation of processors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generation {
    /// CPUID vendor.
    pub vendor: &'static str,
    /// CPUID family and model.
    pub family_model: (&'static str, &'static str),
    /// What its processors are called.
    pub name: &'static str,
    /// Whether it has `sha_ni`, `vaes` and `avx512f`.
    pub has: [bool; 3],
    /// Time of everything, over that of the run drawn from.
    pub time: f64,
}

/// Generations by vendor and age; machines are of them in turn.
pub const GENERATIONS: [Generation; 8] = [
    intel("79", "Intel Xeon E5-2699 v4 (simulated)", [false, false, false], 1.45),
    amd("23", "1", "AMD EPYC 7601 (simulated)", [true, false, false], 1.55),
    intel("85", "Intel Xeon Gold 6148 (simulated)", [false, false, true], 1.30),
    amd("25", "1", "AMD EPYC 7763 (simulated)", [true, true, false], 1.15),
    intel("106", "Intel Xeon Platinum 8380 (simulated)", [true, true, true], 1.12),
    amd("25", "17", "AMD EPYC 9654 (simulated)", [true, true, true], 1.02),
    intel("143", "Intel Xeon Platinum 8488C (simulated)", [true, true, true], 1.05),
    amd("26", "2", "AMD EPYC 9755 (simulated)", [true, true, true], 0.90),
];

const fn intel(model: &'static str, name: &'static str, has: [bool; 3], time: f64) -> Generation {
    Generation { vendor: "GenuineIntel", family_model: ("6", model), name, has, time }
}

const fn amd(
    family: &'static str,
    model: &'static str,
    name: &'static str,
    has: [bool; 3],
    time: f64,
) -> Generation {
    Generation { vendor: "AuthenticAMD", family_model: (family, model), name, has, time }
}

/// Instructions of [`Generation::has`], in its order.
const DECIDING: [&str; 3] = ["sha_ni", "vaes", "avx512f"];

/// Code paths, the instruction each needs, the one taken without it, and what that costs.
const PATHS: [(&str, usize, &str, f64); 5] = [
    ("sha-ni", 0, "avx2", 2.9),
    ("vaes-512", 1, "aes-ni", 1.9),
    ("vaes-256", 1, "aes-ni", 1.6),
    ("avx512", 2, "avx2", 1.5),
    ("avx512-ifma", 2, "avx2", 1.6),
];

/// A mac whose implementations have no machine that suits one of them more than another.
const ALIKE: &str = "poly1305";

/// A mac that AMD's processors compute faster, and by how much.
const OF_VENDOR: (&str, &str, f64) = ("blake2s", "AuthenticAMD", 0.85);

/// A provider whose two versions differ at one mac, and by how much the older is slower.
const OF_VERSION: (&str, &str, f64) = ("openssl", "cmac-aes-128", 1.35);

const VERSIONS: [&str; 2] = ["3.0.15", "3.5.4"];

/// Standard deviation of what suits one machine more than another, as a logarithm.
const OWN_SD: f64 = 0.03;

/// Machines that measured what a run did.
#[derive(Debug)]
pub struct Fleet {
    template: Run,
    base_ns: Vec<f64>,
    filling: Filling,
    seed: u64,
}

/// One of them.
#[derive(Debug)]
pub struct Simulated {
    /// What it measured.
    pub run: Run,
    /// What it is.
    pub identity: Identity,
}

impl Fleet {
    /// Drawn from a run: the median of each of its cells is what a processor with all instructions
    /// takes.
    #[must_use]
    pub fn of(mut template: Run, filling: Filling, seed: u64) -> Self {
        let mut times: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for sample in &template.samples {
            times.entry(sample.cell).or_default().push(sample.call_ns());
        }
        template.cells.retain(|record| times.contains_key(&record.id));
        let middle = |record: &lab::record::CellRecord| {
            let own = times.get_mut(&record.id)?;
            own.sort_by(f64::total_cmp);
            own.get(own.len() / 2).copied()
        };
        let base_ns: Vec<f64> = template.cells.iter().filter_map(middle).collect();
        template.samples.clear();
        template.launch_records.clear();
        Fleet { template, base_ns, filling, seed }
    }

    /// Of so many cells or a few more: 25 candidates with two lives of the key, at many lengths.
    #[must_use]
    pub fn synthetic(cells: usize, filling: Filling, seed: u64) -> Self {
        let truth = truth();
        let lengths = cells.div_ceil(2 * truth.len()).clamp(1, 200);
        let mut study = study(STUDY);
        study.parts[0].sizes = lengths_of(lengths);
        let once = Filling { launches: 1, blocks: 1, launch_sd: 0.0, block_sd: 0.0 };
        Self::of(run(study, &truth, once), filling, seed)
    }

    /// The study that all of them measured.
    #[must_use]
    pub fn study(&self) -> &lab::study::Study {
        &self.template.study
    }

    /// The generation of a machine.
    #[must_use]
    pub fn generation(at: usize) -> &'static Generation {
        &GENERATIONS[at % GENERATIONS.len()]
    }

    /// Nanoseconds that a machine truly takes for a call of the cell at this place.
    #[must_use]
    pub fn truth_ns(&self, at: usize, cell: usize) -> f64 {
        let candidate = &self.template.cells[cell].cell.candidate;
        let generation = Self::generation(at);
        if is_floor(&candidate.mac) {
            return self.base_ns[cell] * generation.time;
        }
        let mut share = generation.time * path(candidate, generation).1;
        let (mac, vendor, less) = OF_VENDOR;
        if candidate.mac.contains(mac) && generation.vendor == vendor {
            share *= less;
        }
        let (provider, mac, more) = OF_VERSION;
        if candidate.provider == provider && candidate.mac == mac && version(at) == VERSIONS[0] {
            share *= more;
        }
        self.base_ns[cell] * share * self.own(at, candidate)
    }

    /// How far a candidate suits a machine, over all lengths.
    fn own(&self, at: usize, candidate: &Candidate) -> f64 {
        if candidate.mac == ALIKE {
            return 1.0;
        }
        let name = candidate.mac.bytes().chain(candidate.provider.bytes());
        let name = name.fold(7_u64, |sum, byte| sum.wrapping_mul(131).wrapping_add(byte.into()));
        let mut noise = Noise(name ^ self.seed.wrapping_mul(977) ^ (at as u64) << 40);
        noise.unit();
        (OWN_SD * noise.normal()).exp()
    }

    /// A machine with its run.
    #[must_use]
    pub fn machine(&self, at: usize) -> Simulated {
        let generation = Self::generation(at);
        let identity = identity(at, generation);
        let mut run = self.template.clone();
        let (minute, second) = (at / 60 % 60, at % 60);
        run.id = format!("20261121-10{minute:02}{second:02}-{:04x}", at & 0xffff);
        run.created_unix_s += at as u64;
        run.machine.cpu_model = generation.name.into();
        run.machine.cpu_flags.clone_from(&identity.features);
        run.machine.cpus = identity.processors;
        run.machine.virtualization.clone_from(&identity.hypervisor);
        for provider in run.providers.iter_mut().filter(|it| it.name == OF_VERSION.0) {
            provider.version = version(at).into();
        }
        let kernel = |candidate: &mut Candidate| {
            candidate.kernel = path(candidate, generation).0;
        };
        run.cells.iter_mut().for_each(|record| kernel(&mut record.cell.candidate));
        run.chosen.iter_mut().for_each(|chosen| kernel(&mut chosen.candidate));
        self.measure(&mut run, at);
        Simulated { run, identity }
    }

    fn measure(&self, run: &mut Run, at: usize) {
        let Filling { launches, blocks, launch_sd, block_sd } = self.filling;
        let mut noise = Noise(self.seed ^ (at as u64 + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
        let begun = run.created_unix_s;
        for launch in 0..launches {
            // What a launch does to all alike is no concern of ratios; the rest is.
            let all = (0.01 * noise.normal()).exp();
            for (place, record) in run.cells.iter().enumerate() {
                let own = all * (launch_sd * noise.normal()).exp();
                let truth_ns = self.truth_ns(at, place) * own;
                for block in 0..blocks {
                    let share = (block_sd * noise.normal()).exp();
                    let iterations = record.iterations.max(1);
                    let elapsed_ns = truth_ns * share * iterations as f64;
                    run.samples.push(Sample {
                        cell: record.id,
                        launch,
                        block: launch * blocks + block,
                        position: place as u32,
                        iterations,
                        elapsed_ns,
                        ticks: Some((elapsed_ns * 2.6) as u64),
                        core_hz: Some(3.7e9),
                        unix_s: Some(begun + u64::from(launch)),
                    });
                }
            }
        }
    }
}

/// The code path of a candidate on a generation, and what it costs more than the one drawn from.
fn path(candidate: &Candidate, generation: &Generation) -> (String, f64) {
    let row = PATHS.iter().find(|(kernel, ..)| *kernel == candidate.kernel);
    match row {
        Some((_, needs, instead, more)) if !generation.has[*needs] => ((*instead).into(), *more),
        _ => (candidate.kernel.clone(), 1.0),
    }
}

/// Versions change from one round of the generations to the next.
fn version(at: usize) -> &'static str {
    VERSIONS[at / GENERATIONS.len() % VERSIONS.len()]
}

fn identity(at: usize, generation: &Generation) -> Identity {
    let told = DECIDING.iter().zip(generation.has).filter(|(_, has)| *has);
    let mut features: Vec<String> =
        ["aes", "avx", "avx2", "pclmulqdq", "ssse3"].map(String::from).to_vec();
    features.extend(told.map(|(name, _)| (*name).to_owned()));
    features.sort_unstable();
    let round = at / GENERATIONS.len();
    let (family, model) = generation.family_model;
    let cores = 8 << (round % 4);
    Identity {
        architecture: "x86_64".into(),
        vendor: Some(generation.vendor.into()),
        family: Some(family.into()),
        model: Some(model.into()),
        stepping: Some((round % 3).to_string()),
        microcode: Some(format!("{:#x}", 0x0a10_1000 + round)),
        features,
        packages: 1,
        cores,
        processors: 2 * cores,
        hypervisor: (round % 2 == 1).then(|| "KVM".into()),
    }
}

fn lengths_of(count: usize) -> Vec<u64> {
    let step = (65_536_f64 / 16.0).ln() / count.saturating_sub(1).max(1) as f64;
    let mut lengths: Vec<u64> =
        (0..count).map(|at| (16.0 * (step * at as f64).exp()).round() as u64).collect();
    for at in 1..lengths.len() {
        lengths[at] = lengths[at].max(lengths[at - 1] + 1);
    }
    lengths
}

/// What the candidates take on a processor that has all instructions.
fn truth() -> Vec<Planted> {
    vec![
        planted(("null", "none", "null"), 2.1, 0.0, 0.0, 0),
        planted(("macs", "soft", "siphash-2-4"), 8.0, 0.55, 1.0, 16),
        planted(("rustcrypto", "soft", "siphash-2-4"), 9.0, 0.60, 1.0, 16),
        planted(("macs", "vaes-512", "gmac-aes-128"), 40.0, 0.05, 120.0, 16),
        planted(("openssl", "vaes-512", "gmac-aes-128"), 60.0, 0.05, 150.0, 16),
        planted(("macs", "vaes-512", "vmac128-aes-128"), 45.0, 0.09, 220.0, 16),
        planted(("cryptopp", "aes-ni", "vmac128-aes-128"), 120.0, 0.21, 420.0, 16),
        planted(("macs", "avx2", "poly1305"), 24.0, 0.30, 5.0, 32),
        planted(("openssl", "avx2", "poly1305"), 24.0, 0.30, 5.0, 32),
        planted(("rustcrypto", "avx2", "poly1305"), 38.0, 0.42, 7.0, 32),
        planted(("macs", "aes-ni", "cmac-aes-128"), 25.0, 0.62, 60.0, 16),
        planted(("openssl", "aes-ni", "cmac-aes-128"), 120.0, 0.63, 400.0, 16),
        planted(("rustcrypto", "aes-ni", "cmac-aes-128"), 48.0, 0.66, 90.0, 16),
        planted(("macs", "sha-ni", "hmac-sha256"), 110.0, 0.44, 200.0, 32),
        planted(("openssl", "sha-ni", "hmac-sha256"), 190.0, 0.45, 330.0, 32),
        planted(("rustcrypto", "sha-ni", "hmac-sha256"), 170.0, 0.46, 260.0, 32),
        planted(("macs", "avx2", "hmac-sha512"), 240.0, 1.30, 420.0, 64),
        planted(("openssl", "avx2", "hmac-sha512"), 320.0, 1.32, 640.0, 64),
        planted(("macs", "avx512", "blake2s-256"), 95.0, 0.80, 30.0, 32),
        planted(("rustcrypto", "soft", "blake2s-256"), 110.0, 0.95, 35.0, 32),
        planted(("macs", "avx512", "keyed-blake3"), 60.0, 0.18, 20.0, 32),
        planted(("rustcrypto", "avx512", "keyed-blake3"), 66.0, 0.19, 20.0, 32),
        planted(("macs", "avx2", "umac-64"), 50.0, 0.16, 700.0, 16),
        planted(("nettle", "soft", "umac-64"), 95.0, 0.33, 900.0, 16),
        planted(("macs", "soft", "kmac128"), 330.0, 1.70, 240.0, 32),
    ]
}
