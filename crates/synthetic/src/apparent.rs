//! A run of many sessions at once: what a message costs a processor, and what it costs as if one
//! processor did the work of all. SMT siblings share a core, and AF_ALG works elsewhere.

use lab::cell::{Cell, KeyLife, Regime};
use lab::record::sessions::{Load, Measured, Received, Slice, Spread};
use lab::record::{
    Adjustment, CellRecord, Processor, Run, Sample, SessionsRecord, SettledLoad, Trial,
};
use lab::regimes::sessions::{Binding, Quantity, Serving, Sessions};
use lab::study::{Asked, Part, fits_any};

use super::{Noise, Planted, empty, planted, study};

const STUDY: &str = include_str!("apparent.toml");

const LAUNCHES: u32 = 6;
const BLOCKS: u32 = 2;
const CORE_HZ: f64 = 3.7e9;

/// Who, and what a message and each byte of it takes of one processor alone, in nanoseconds.
const TRUTH: [(&str, &str, &str, f64, f64); 22] = [
    ("cryptopp", "sse2", "hmac-md5", 420.0, 1.35),
    ("cryptopp", "sha-ni", "hmac-sha1", 380.0, 0.55),
    ("cryptopp", "sha-ni", "hmac-sha256", 400.0, 0.57),
    ("cryptopp", "sse2", "hmac-sha512", 620.0, 1.45),
    ("cryptopp", "aes-ni", "cmac-aes-128", 120.0, 0.64),
    ("cryptopp", "soft", "cmac-twofish-128", 210.0, 4.1),
    ("cryptopp", "simd", "cmac-serpent-128", 260.0, 8.6),
    ("cryptopp", "soft", "cmac-rc6-128", 190.0, 3.6),
    ("cryptopp", "aes-ni", "vmac128-aes-128", 240.0, 0.11),
    ("macs", "sha-ni", "hmac-sha256", 210.0, 0.56),
    ("macs", "aes-ni", "cmac-aes-128", 40.0, 0.62),
    ("macs", "vaes-512", "vmac128-aes-128", 70.0, 0.09),
    ("afalg", "kernel", "hmac-sha256", 2100.0, 0.60),
    ("cryptopp[soft]", "soft", "hmac-md5", 430.0, 1.36),
    ("cryptopp[soft]", "soft", "hmac-sha1", 560.0, 1.9),
    ("cryptopp[soft]", "soft", "hmac-sha256", 900.0, 3.2),
    ("cryptopp[soft]", "soft", "hmac-sha512", 1900.0, 9.8),
    ("cryptopp[soft]", "soft", "cmac-aes-128", 230.0, 3.4),
    ("cryptopp[soft]", "soft", "cmac-twofish-128", 220.0, 4.2),
    ("cryptopp[soft]", "soft", "cmac-serpent-128", 280.0, 8.7),
    ("cryptopp[soft]", "soft", "cmac-rc6-128", 200.0, 3.7),
    ("cryptopp[soft]", "soft", "vmac128-aes-128", 480.0, 1.7),
];

/// The run on two processors.
#[must_use]
pub fn apparent_processing() -> Run {
    apparent_processing_on(2)
}

/// The run on so many processors, 8 at most; from five on some are SMT siblings of others.
#[must_use]
pub fn apparent_processing_on(processors: u32) -> Run {
    let truth: Vec<Planted> =
        TRUTH.iter().map(|it| planted((it.0, it.1, it.2), it.3, it.4, 0.0, 16)).collect();
    let mut run = empty(study(STUDY), &truth);
    run.machine.cpus = processors;
    let cores = processors.min(4);
    run.machine.processors =
        (0..processors).map(|cpu| Processor { cpu, core: cpu % cores, package: 0 }).collect();
    let few = |regime: &Regime| match regime.sessions().map(|it| it.binding) {
        Some(Binding::On(count)) => count.get() == 1 || count.get() < processors,
        _ => true,
    };
    run.study.parts.iter_mut().for_each(|part| part.regimes.retain(few));
    for provider in run.providers.iter_mut().filter(|it| it.name == "afalg") {
        provider.offloads = true;
    }
    let mut noise = Noise(5);
    for number in 0..run.study.parts.len() {
        let part = run.study.parts[number].clone();
        for len_bytes in part.lengths() {
            settle(&mut run, number as u32, &part, len_bytes);
            for planted in truth.iter().filter(|it| speaks(&part, it)) {
                measure(&mut run, (number as u32, &part), planted, len_bytes, &mut noise);
            }
        }
    }
    run
}

fn speaks(part: &Part, planted: &Planted) -> bool {
    fits_any(&part.cases[0].macs, &planted.candidate.mac)
}

fn settle(run: &mut Run, part: u32, asked: &Part, len_bytes: u64) {
    let of_window =
        |regime: &&Regime| regime.sessions().is_some_and(|it| it.quantity == Quantity::Apparent);
    for &regime in asked.regimes.iter().filter(of_window) {
        let Some(sessions) = regime.sessions() else { continue };
        let count = sessions.count.map_or(100, |it| it.get());
        let long = len_bytes >= 65_536;
        let adjusted = "t2 was put off from 110 to 220 ms: the throughput of the last slices was \
                        still rising";
        let doubt = format!(
            "{count} sessions are many for the longest window: some of them were not served in it"
        );
        run.loads.push(SettledLoad {
            part,
            regime,
            len_bytes,
            count,
            from_ms: 20.0,
            to_ms: if long { 220.0 } else { 110.0 },
            adjusted: if long { vec![Adjustment::own(adjusted.into())] } else { vec![] },
            doubts: if count >= 10_000 { vec![doubt] } else { vec![] },
        });
    }
}

fn measure(
    run: &mut Run,
    (number, part): (u32, &Part),
    planted: &Planted,
    len_bytes: u64,
    noise: &mut Noise,
) {
    let place = |run: &mut Run, regime: Regime| {
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
            part: number,
            cell,
            iterations: 1,
            own_count,
            excluded,
            has_left: false,
        });
        id
    };
    for &regime in &part.regimes {
        match regime {
            Regime::Sessions(it) if it.quantity == Quantity::Apparent => {
                let id = place(run, regime);
                let absolute = Sessions { quantity: Quantity::Absolute, ..it };
                let beside = place(run, absolute.into());
                windows(run, (id, beside), (it, &part.sessions), planted, noise);
            }
            Regime::Sessions(it) if it.quantity == Quantity::Capacity => {
                let id = place(run, regime);
                capacities(run, id, (it, &part.sessions), planted, noise);
            }
            Regime::Keys(keys) => {
                let id = place(run, regime);
                let lines = f64::from(keys.0.get()) * 512.0;
                let missed: f64 = [(48e3, 4.0), (2e6, 14.0), (32e6, 70.0)]
                    .iter()
                    .map(|(cache, ns)| ns * (1.0 - cache / (cache + lines)))
                    .sum();
                let ns = planted.call_ns + planted.byte_ns * len_bytes as f64 + missed;
                each_block(noise, |launch, block, share| {
                    sample(run, (id, launch, block), 10_000, 10_000.0 * ns * share);
                });
            }
            _ => {}
        }
    }
}

/// Each launch and block, and by how much it is slower or faster.
fn each_block(noise: &mut Noise, mut of: impl FnMut(u32, u32, f64)) {
    for launch in 0..LAUNCHES {
        let own = 1.0 + 0.003 * noise.normal();
        for block in 0..BLOCKS {
            of(launch, launch * BLOCKS + block, own * (1.0 + 0.004 * noise.normal()));
        }
    }
}

fn sample(run: &mut Run, at: (u32, u32, u32), iterations: u64, elapsed_ns: f64) {
    run.samples.push(Sample {
        cell: at.0,
        launch: at.1,
        block: at.2,
        position: 0,
        iterations,
        elapsed_ns,
        ticks: None,
        core_hz: Some(CORE_HZ),
        unix_s: None,
    });
}

/// Processors of a binding.
fn width(run: &Run, binding: Binding) -> u32 {
    match binding {
        Binding::On(count) | Binding::Pinned(count) => count.get(),
        _ => run.machine.cpus,
    }
}

/// Processor time of a message, and its time as if one processor did the work.
fn cost(run: &Run, it: Sessions, planted: &Planted, mean_len: f64, count: u32) -> (f64, f64) {
    let processors = width(run, it.binding);
    let cores =
        f64::from(run.machine.processors.iter().filter(|own| own.cpu == own.core).count() as u32);
    let shared = (f64::from(processors) / cores - 1.0).clamp(0.0, 1.0);
    let served = match it.serving {
        Serving::Threads => 1.0 + 0.03 * f64::from(count).log10() / 4.0,
        Serving::Pooled => 1.0,
        Serving::Batched if planted.candidate.provider == "macs" => 0.45,
        Serving::Batched => 1.01,
    };
    let alone = planted.call_ns + planted.byte_ns * mean_len;
    let absolute = alone * served * (1.0 + 0.6 * shared) * (1.0 + 0.01 * f64::from(processors - 1));
    let at_work = f64::from(processors.min(count));
    let apparent = absolute / at_work * 1.02;
    let here = if planted.candidate.provider == "afalg" { 0.35 } else { 1.0 };
    (absolute * here, apparent)
}

fn windows(
    run: &mut Run,
    (id, beside): (u32, u32),
    (it, asked): (Sessions, &Asked),
    planted: &Planted,
    noise: &mut Noise,
) {
    let cell = run.cells[id as usize].cell.clone();
    let settled = run
        .loads
        .iter()
        .rev()
        .find(|own| own.regime == cell.regime && own.len_bytes == cell.len_bytes);
    let Some(settled) = settled.cloned() else { return };
    let processors = width(run, it.binding);
    let load = Load {
        serving: it.serving,
        count: settled.count,
        cpus: (0..processors).collect(),
        pinned: false,
        lengths: asked.lengths(cell.len_bytes),
        verify: false,
        rekey_every: 0,
        rate_per_s: None,
        from_ms: settled.from_ms,
        to_ms: settled.to_ms,
    };
    let mean_len = load.mean_len_bytes();
    let (absolute, apparent) = cost(run, it, planted, mean_len, load.count);
    let (mut samples, mut records) = (vec![], vec![]);
    each_block(noise, |launch, block, share| {
        let measured = measured(&load, (absolute * share, apparent * share), processors);
        samples.push((id, launch, block, measured.messages, measured.window_ns));
        samples.push((beside, launch, block, measured.messages, measured.cpu_ns));
        let (load, trials, thrown_away) = (load.clone(), vec![], 0);
        let cell = id;
        records.push(SessionsRecord {
            cell,
            launch,
            block,
            load,
            measured,
            trials,
            bound: None,
            thrown_away,
        });
    });
    for (cell, launch, block, messages, ns) in samples {
        sample(run, (cell, launch, block), messages, ns);
    }
    run.sessions.extend(records);
}

fn measured(load: &Load, (absolute, apparent): (f64, f64), processors: u32) -> Measured {
    let window_ns = load.window_ns();
    let messages = (window_ns / apparent).round().max(1.0) as u64;
    let bytes = (messages as f64 * load.mean_len_bytes()).round() as u64;
    let cpu_ns = absolute * messages as f64;
    let count = f64::from(load.count);
    let threads = match load.serving {
        Serving::Threads => load.count,
        _ => processors.min(load.count),
    };
    // A message that is put aside waits for a slice of each of the others on its processor.
    let waits = (f64::from(threads) / f64::from(processors) - 1.0).max(0.0) * 3e6;
    let near = |share: f64| (absolute * share) as u64 + 30;
    // More often than of so short messages, so that tails show it.
    let often = (window_ns * f64::from(processors) / 3e6) as u64;
    let put_aside = if waits > 0.0 { often.max(messages / 500).min(messages / 8) } else { 0 };
    let usual = messages - put_aside;
    let times = vec![
        (near(1.0), usual - usual / 12),
        (near(1.25), usual / 12),
        (near(1.4) + waits as u64, put_aside),
    ];
    let fairness = if count > 1.0 { 1.0 - 0.012 * count.log10() } else { 1.0 };
    let each = messages as f64 / count;
    let slices = 10;
    Measured {
        window_ns,
        messages,
        bytes,
        cpu_ns,
        window_cpu_ns: None,
        process_cpu_ns: Some(cpu_ns * if count >= 10_000.0 { 1.08 } else { 1.004 }),
        core_hz: Some(CORE_HZ),
        threads,
        served: if count >= 10_000.0 { load.count - 37 } else { load.count },
        slices: vec![Slice { ns: window_ns / f64::from(slices), bytes: bytes / 10 }; 10],
        messages_of_session: spread(each),
        cpu_ns_of_session: spread(absolute),
        fairness,
        switches_voluntary: 3,
        switches_involuntary: put_aside,
        migrations: put_aside / 40,
        steal_ns: Some(window_ns * 0.004),
        memory_bytes: Some((64 << 20) + u64::from(threads) * 28_000),
        times,
        behind: 0,
        received: Some(Received {
            processors: processors.min(threads),
            others_ns: Some(window_ns * 0.006),
            idle_ns: Some(0.0),
            wait_ns: Some(window_ns * f64::from(threads.saturating_sub(processors))),
            nice: Some(4),
        }),
    }
}

fn spread(middle: f64) -> Spread {
    Spread {
        least: middle * 0.8,
        lower_quartile: middle * 0.96,
        median: middle,
        upper_quartile: middle * 1.04,
        most: middle * 1.3,
    }
}

fn capacities(
    run: &mut Run,
    id: u32,
    (it, asked): (Sessions, &Asked),
    planted: &Planted,
    noise: &mut Noise,
) {
    let len = run.cells[id as usize].cell.len_bytes;
    let processors = width(run, it.binding);
    let (absolute, apparent) = cost(run, it, planted, len as f64, 100);
    let held = if it.serving == Serving::Threads { 0.45 } else { 0.8 };
    let truth = held * 1e9 / (apparent + 900.0) / asked.rate_per_s;
    let tail = (asked.tail_ms * 1e6) as u64;
    each_block(noise, |launch, block, share| {
        let carried = (truth / share).round().max(1.0);
        let count = carried as u32;
        let load = Load {
            serving: it.serving,
            count,
            cpus: (0..processors).collect(),
            pinned: false,
            lengths: asked.lengths(len),
            verify: false,
            rekey_every: 0,
            rate_per_s: Some(asked.rate_per_s),
            from_ms: 20.0,
            to_ms: 520.0,
        };
        let trial = |count: u32, tail_ns: u64, carried: bool| Trial {
            count,
            tail_ns,
            done: if carried { 1.0 } else { 0.93 },
            carried,
        };
        let messages = 1e9 / (carried * asked.rate_per_s);
        let measured = measured(&load, (absolute, messages), processors);
        let trials = vec![
            trial(count / 2, tail / 9, true),
            trial(count + count / 8, tail * 3, false),
            trial(count, tail * 8 / 10, true),
        ];
        let (cell, thrown_away) = (id, 0);
        let record = SessionsRecord {
            cell,
            launch,
            block,
            load,
            measured,
            trials,
            bound: None,
            thrown_away,
        };
        run.sessions.push(record);
        sample(run, (id, launch, block), (carried * asked.rate_per_s) as u64, 1e9);
    });
}
