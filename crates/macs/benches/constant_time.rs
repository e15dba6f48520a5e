//! Do verification and computation take the same time whatever the secrets are? After dudect
//! (Reparaz, Balasch, Verbauwhede 2017): two classes of inputs in random order, Welch's t over the
//! times, a difference is called from |t| > 4.5. Verification: tags that are wrong in the first
//! byte or in the last. Computation, on every kernel by itself: one key and message, or random
//! ones. It counts only if the positive controls, a comparison that stops at the first difference
//! and a multiplication that skips zeros, are caught in the same run.
//!
//! `cargo bench -p macs --features full --bench constant_time [MAC…]`; exit code 1 when
//! a mac leaks or a control is not caught. A benchmark, not a test: a timing may be disturbed.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use macs::{ConstantTime, DynComposition, DynMac, KernelName, MacInfo, catalog, find};

/// Above it a difference is called, as in dudect.
const T_LIMIT: f64 = 4.5;

/// Measurements, both classes together; fewer where they take longer than `TIME_MAX`.
const MEASUREMENTS: usize = 200_000;
const TIME_MAX: Duration = Duration::from_secs(3);

/// Comparisons in one measurement, so that it stands above the clock's resolution.
const REPEATS: usize = 8;

/// Length of the message under which a computation is timed: longer than a turn of any kernel.
const MESSAGE_LEN_BYTES: usize = 1300;

fn main() -> ExitCode {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let named = wanted.iter().map(String::as_str).chain(TYPICAL).chain(CONSTANT_TIME);
    if let Some(name) = named.into_iter().find(|name| find(name).is_none()) {
        println!("there is no mac {name}: nothing was measured");
        return ExitCode::FAILURE;
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    if !controls_are_caught(&mut random) {
        println!("a control was not caught: this run says nothing");
        return ExitCode::FAILURE;
    }
    let is_asked_for = |info: &&MacInfo, typical: &[&str]| match wanted[..] {
        [] => typical.contains(&info.name),
        _ => wanted.iter().any(|name| name == info.name),
    };
    let mut leaks = false;
    let mut judge = |what: String, t: f64| {
        leaks |= t > T_LIMIT;
        println!("{what:<44} |t| = {t:7.1}{}", if t > T_LIMIT { "  LEAKS" } else { "" });
    };
    for info in catalog().iter().filter(|info| is_asked_for(info, &TYPICAL)) {
        judge(format!("{} verified", info.name), of_verification(info, &mut random));
    }
    let macs = catalog().iter().filter(|info| !info.is_composition());
    for info in macs.filter(|info| is_asked_for(info, &CONSTANT_TIME)) {
        for kernel in info.kernels() {
            // Of Triple DES, and only asked for by name.
            if kernel == KernelName::Table {
                continue;
            }
            let t = of_computation(info, kernel, &mut random);
            judge(format!("{} computed on {kernel}", info.name), t);
        }
    }
    if leaks { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Whether what leaks for certain is seen.
fn controls_are_caught(random: &mut Random) -> bool {
    let right = vec![0x5a; 64];
    let early = t_of(wrong_tags(&right), random, |tag| {
        assert!(!black_box(stops_early(tag, &right)), "a wrong tag is accepted");
    });
    println!("{:<44} |t| = {early:7.1}  (must be caught)", "early exit, 64 bytes");
    let skips = t_of(fixed_or_random(64), random, |bytes| {
        black_box(skips_zeros(bytes));
    });
    println!("{:<44} |t| = {skips:7.1}  (must be caught)", "multiplication that skips zeros");
    early.min(skips) > T_LIMIT
}

/// One of each tag length, all of them quick for a short message; and compositions.
const TYPICAL: [&str; 13] = [
    "cmac-aes-128",
    "cmac-tdes-2",
    "ctr+cmac-aes-128",
    "eax-aes-128",
    "gcm-aes-128",
    "hmac-sha1",
    "hmac-sha224",
    "hmac-sha256",
    "hmac-sha384",
    "hmac-sha512",
    "poly1305",
    "siphash-2-4",
    "vmac64-aes-128",
];

/// For each kernel that is to be constant-time, a mac over it.
const CONSTANT_TIME: [&str; 11] = [
    "cmac-aes-128",
    "cmac-serpent-128",
    "cmac-tdes-2",
    "gmac-aes-128",
    "hmac-md5",
    "hmac-sha1",
    "hmac-sha256",
    "hmac-sha512",
    "poly1305",
    "umac-64",
    "vmac64-aes-128",
];

fn of_verification(info: &'static MacInfo, random: &mut Random) -> f64 {
    // Of two keys in one they must differ.
    let key: Vec<u8> = (0..info.key_len_bytes).map(|at| at as u8).collect();
    let nonce = nonce_of(info);
    if info.is_composition() {
        let keyed = DynComposition::with_info(info, &key).expect("its own length");
        let sealed = keyed.seal(&nonce, b"", &[0; 16]).expect("lengths that it takes");
        let (ciphertext, right) = sealed.split_at(sealed.len() - info.tag_len_bytes);
        let mut buffer = ciphertext.to_vec();
        return t_of(wrong_tags(right), random, |tag| {
            buffer.copy_from_slice(ciphertext);
            let opened = keyed.open_in_place(&nonce, b"", &mut buffer, tag);
            assert!(black_box(opened).is_err(), "a wrong tag is accepted");
        });
    }
    let mut mac = DynMac::with_info(info, &key).expect("its own length");
    let mut right = vec![0; info.tag_len_bytes];
    mac.mac_with_nonce_into(&nonce, b"", &mut right).expect("its own lengths");
    t_of(wrong_tags(&right), random, |tag| {
        if info.nonce.is_some() {
            mac.set_nonce(&nonce).expect("its own length");
        }
        assert!(black_box(mac.verify(tag)).is_err(), "a wrong tag is accepted");
    })
}

/// |t| between one key and message and random ones.
fn of_computation(info: &'static MacInfo, kernel: KernelName, random: &mut Random) -> f64 {
    let key_len = info.key_len_bytes;
    let mut mac = DynMac::with_kernel(info, &vec![7; key_len], kernel).expect("of its kernels");
    let (nonce, mut tag) = (nonce_of(info), vec![0; info.tag_len_bytes]);
    let is_key_hidden = !matches!(info.constant_time(), ConstantTime::No(_));
    t_of(fixed_or_random(key_len + MESSAGE_LEN_BYTES), random, |input| {
        let (key, message) = input.split_at(key_len);
        if is_key_hidden {
            mac.rekey(key).expect("its own length");
        }
        mac.mac_with_nonce_into(&nonce, message, &mut tag).expect("its own lengths");
        black_box(&tag);
    })
}

fn nonce_of(info: &MacInfo) -> Vec<u8> {
    vec![0; info.nonce.map_or(0, |nonce| nonce.len_bytes)]
}

fn stops_early(tag: &[u8], right: &[u8]) -> bool {
    tag.iter().zip(right).all(|(a, b)| black_box(a) == black_box(b))
}

fn skips_zeros(bytes: &[u8]) -> u64 {
    let bits = bytes.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1));
    bits.fold(1, |y, bit| if black_box(bit) == 1 { black_box(y * 3 % 65_537) } else { y })
}

/// The two classes: wrong in the first byte, wrong in the last.
fn wrong_tags(right: &[u8]) -> impl FnMut(usize, &mut Random) -> Vec<u8> {
    let mut wrong = [right.to_vec(), right.to_vec()];
    wrong[0][0] ^= 0x80;
    *wrong[1].last_mut().expect("a tag is not empty") ^= 0x80;
    move |class, _| wrong[class].clone()
}

/// The two classes: always the same bytes, other bytes every time. Both are made by the same
/// instructions from the same memory.
fn fixed_or_random(len_bytes: usize) -> impl FnMut(usize, &mut Random) -> Vec<u8> {
    move |class, random| {
        let mask = black_box(0_u8.wrapping_sub(class as u8));
        (0..len_bytes).map(|i| random.next() as u8 & mask ^ (i as u8 | 1)).collect()
    }
}

/// |t| between two classes of inputs; the largest over the whole and over what is left when slow
/// measurements are cut off, as in dudect.
fn t_of(
    mut input: impl FnMut(usize, &mut Random) -> Vec<u8>,
    random: &mut Random,
    mut run: impl FnMut(&[u8]),
) -> f64 {
    let mut times: [Vec<f64>; 2] = [vec![], vec![]];
    let started = Instant::now();
    // One buffer for both classes, so that its address does not tell them apart.
    let mut buffer = input(0, random);
    for _ in 0..MEASUREMENTS {
        let class = random.bit();
        buffer.copy_from_slice(&input(class, random));
        let begin = Instant::now();
        for _ in 0..REPEATS {
            run(black_box(&buffer));
        }
        times[class].push(begin.elapsed().as_nanos() as f64);
        if started.elapsed() > TIME_MAX {
            break;
        }
    }
    let mut all: Vec<f64> = times.concat();
    all.sort_by(f64::total_cmp);
    let cuts =
        [0.5, 0.75, 0.9, 0.99, 1.0].map(|share| all[((all.len() - 1) as f64 * share) as usize]);
    cuts.iter().map(|&cut| welch(&times.clone().map(|class| below(class, cut)))).fold(0.0, f64::max)
}

fn below(mut times: Vec<f64>, cut: f64) -> Vec<f64> {
    times.retain(|&time| time <= cut);
    times
}

/// |t| of Welch's test (Welch 1947).
fn welch(classes: &[Vec<f64>; 2]) -> f64 {
    let [a, b] = classes.each_ref().map(|times| {
        let n = times.len() as f64;
        let mean = times.iter().sum::<f64>() / n;
        let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, variance / n)
    });
    let t = (a.0 - b.0).abs() / (a.1 + b.1).sqrt();
    if t.is_finite() { t } else { 0.0 }
}

/// Xorshift (Marsaglia 2003): chooses classes and inputs, nothing secret.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 24
    }

    fn bit(&mut self) -> usize {
        (self.next() >> 16 & 1) as usize
    }
}
