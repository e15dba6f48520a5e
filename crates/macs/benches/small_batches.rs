//! What a batch of one to four messages costs beside the same messages one by one, for every mac of
//! the catalog: time ÷ time, below 1 the batch is faster.
//!
//! `cargo bench -p macs --features full --bench small_batches -- [PREFIX…] [--tier TIER]
//! [--most N]`: macs whose names begin with one of the prefixes, or all; with the instructions of a
//! tier (docs/performance.md), or all; batches of up to N messages, or four. Each ratio is the
//! median of those of times taken next to each other, in turns. All messages of a batch are under
//! one key, or each is under its own; one by one they go through a `DynMac` of that key. A
//! benchmark, not a test.

use std::env;
use std::hint::black_box;
use std::time::Instant;

use macs::{Batch, DynMac, Instructions, Job, MacInfo, catalog, leave_out};

/// Pairs of times.
const PAIRS: usize = 41;

/// What one time lasts, about.
const TIME_NS: f64 = 20e3;

const LENS_BYTES: [usize; 4] = [16, 64, 256, 1024];

fn main() {
    let (mut prefixes, mut most, mut arguments) = (Vec::new(), 4, env::args().skip(1));
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // What cargo itself adds.
            "--bench" => {}
            "--tier" => restrict(&arguments.next().expect("a tier")),
            "--most" => most = arguments.next().and_then(|n| n.parse().ok()).expect("a number"),
            _ => prefixes.push(argument),
        }
    }
    let is_wanted = |info: &&MacInfo| {
        prefixes.is_empty() || prefixes.iter().any(|prefix| info.name.starts_with(prefix))
    };
    print!("batch ÷ one by one           keys     len ");
    (1..=most).for_each(|count| print!(" {:>6}", format!("n={count}")));
    println!();
    let mut ratios = Vec::new();
    for info in catalog().iter().filter(|info| !info.is_composition()).filter(is_wanted) {
        for has_own_keys in [false, true] {
            for len_bytes in LENS_BYTES {
                ratios.extend(row(info, has_own_keys, len_bytes, most));
            }
        }
    }
    ratios.sort_by(|a, b| f64::total_cmp(&b.0, &a.0));
    println!("\nThe highest of {}:", ratios.len());
    for (ratio, what) in &ratios[..ratios.len().min(20)] {
        println!("{ratio:6.2}  {what}");
    }
}

/// Leaves out what the tier has not.
fn restrict(tier: &str) {
    leave_out(match tier {
        "avx512" => &[],
        "avx2+vaes+sha" => &[Instructions::Avx512],
        "avx2" => &[Instructions::Avx512, Instructions::Vaes, Instructions::Sha],
        _ => panic!("no such tier: {tier}; there are avx512, avx2+vaes+sha and avx2"),
    });
}

/// Prints the ratios of one mac for one length, and returns each with what it is of.
fn row(
    info: &'static MacInfo,
    has_own_keys: bool,
    len_bytes: usize,
    most: usize,
) -> Vec<(f64, String)> {
    let keys: Vec<Vec<u8>> = (1..).take(most).map(|i| key(info, i)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let keys = if has_own_keys { &keys[..] } else { &keys[..1] };
    let nonce = vec![3; info.nonce.map_or(0, |nonce| nonce.len_bytes)];
    let message = vec![0x5a; len_bytes];
    let batch = Batch::with_info(info, keys).expect("keys of its length");
    let single: Vec<DynMac> =
        keys.iter().map(|key| DynMac::with_info(info, key).expect("a key of its length")).collect();
    let whose = if has_own_keys { "own" } else { "one" };
    print!("{:<28} {whose:<5}{len_bytes:5} B ", info.name);
    let mut ratios = Vec::new();
    for count in 1..=most {
        let key = |i| if has_own_keys { i } else { 0 };
        let jobs: Vec<Job<'_>> =
            (0..count).map(|i| Job::new(key(i), &message).with_nonce(&nonce)).collect();
        let mut tags = vec![0; count * info.tag_len_bytes];
        let mut tags_one = tags.clone();
        let together = || {
            batch.macs_into(black_box(&jobs), &mut tags).expect("lengths that it takes");
            black_box(&mut tags);
        };
        let one_by_one = || {
            let places = tags_one.chunks_exact_mut(info.tag_len_bytes);
            for (job, tag) in black_box(&jobs).iter().zip(places) {
                let computed = single[job.key].mac_with_nonce_into(job.nonce, job.message, tag);
                computed.expect("lengths that it takes");
            }
            black_box(&mut tags_one);
        };
        let ratio = median_ratio(together, one_by_one);
        assert_eq!(tags, tags_one, "{}", info.name);
        print!(" {ratio:6.2}");
        ratios.push((ratio, format!("{} {whose} key, {len_bytes} B, n={count}", info.name)));
    }
    println!();
    ratios
}

fn key(info: &MacInfo, seed: u8) -> Vec<u8> {
    (seed..).step_by(5).cycle().take(info.key_len_bytes).collect()
}

/// The median ratio of the times of two calls.
fn median_ratio(mut first: impl FnMut(), mut second: impl FnMut()) -> f64 {
    let rough_ns = (0..5).map(|_| time_ns(&mut second, 4)).fold(f64::INFINITY, f64::min);
    let calls = ((TIME_NS / rough_ns) as u32).max(1);
    let mut pair = |place: usize| {
        // Whoever is first meets what the one before left: both are, in turns.
        let early_ns = place.is_multiple_of(2).then(|| time_ns(&mut first, calls));
        let second_ns = time_ns(&mut second, calls);
        early_ns.unwrap_or_else(|| time_ns(&mut first, calls)) / second_ns
    };
    let mut ratios: Vec<f64> = (0..PAIRS).map(&mut pair).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[PAIRS / 2]
}

/// Nanoseconds a call.
fn time_ns(call: &mut impl FnMut(), calls: u32) -> f64 {
    let began = Instant::now();
    for _ in 0..calls {
        call();
    }
    began.elapsed().as_nanos() as f64 / f64::from(calls)
}
