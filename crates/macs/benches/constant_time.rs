//! Do verification and computation take the same time whatever the secrets are? After dudect
//! (Reparaz, Balasch, Verbauwhede 2017): two classes of inputs in random order, Welch's t over the
//! times, a difference is called from |t| > 4.5. Verification: tags that are wrong in the first
//! byte or in the last. Computation, on every kernel by itself: one key and message, or random
//! ones; a short message, in which the key counts, and one longer than a turn of any kernel. It
//! counts only if the positive controls, a comparison that stops at the first difference and a
//! multiplication that skips zeros, are caught in the same run.
//!
//! A difference below `SHARE_MIN` of the time is shown and does not count: processors have such
//! differences by themselves (docs/performance.md, "What the timing check sees"). A branch that is
//! predicted wrongly in half of all computations costs about 2 ns, and is above that share of every
//! computation below 2 µs.
//!
//! `cargo bench -p macs --features full --bench constant_time [MAC…]`; exit code 1 when
//! a mac leaks or a control is not caught. A benchmark, not a test: a timing may be disturbed.

use std::fmt;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use macs::{ConstantTime, DynComposition, DynMac, KernelName, MacInfo, catalog, find};

/// Above it a difference is called, as in dudect.
const T_LIMIT: f64 = 4.5;

/// Share of the time from which a difference counts.
const SHARE_MIN: f64 = 0.001;

/// Measurements, both classes together; fewer where they take longer than `TIME_MAX`.
const MEASUREMENTS: usize = 200_000;
const TIME_MAX: Duration = Duration::from_secs(3);

/// Comparisons in one measurement, so that it stands above the clock's resolution.
const REPEATS: usize = 8;

/// Lengths of the messages under which a computation is timed: one in which the key counts, and one
/// that is longer than a turn of any kernel.
const MESSAGES_LEN_BYTES: [usize; 2] = [16, 1300];

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
    let mut judge = |what: String, difference: Difference| {
        leaks |= difference.counts();
        println!("{what:<52} {difference}{}", if difference.counts() { "  LEAKS" } else { "" });
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
            for len_bytes in MESSAGES_LEN_BYTES {
                let difference = of_computation(info, kernel, len_bytes, &mut random);
                judge(format!("{} of {len_bytes} B on {kernel}", info.name), difference);
            }
        }
    }
    if leaks { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Whether what leaks for certain is seen.
fn controls_are_caught(random: &mut Random) -> bool {
    let right = vec![0x5a; 64];
    let early = difference(wrong_tags(&right), random, |tag| {
        assert!(!black_box(stops_early(tag, &right)), "a wrong tag is accepted");
    });
    println!("{:<52} {early}  (must be caught)", "early exit, 64 bytes");
    let skips = difference(fixed_or_random(64), random, |bytes| {
        black_box(skips_zeros(bytes));
    });
    println!("{:<52} {skips}  (must be caught)", "multiplication that skips zeros");
    early.counts() && skips.counts()
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

fn of_verification(info: &'static MacInfo, random: &mut Random) -> Difference {
    // Of two keys in one they must differ.
    let key: Vec<u8> = (0..info.key_len_bytes).map(|at| at as u8).collect();
    let nonce = nonce_of(info);
    if info.is_composition() {
        let keyed = DynComposition::with_info(info, &key).expect("its own length");
        let sealed = keyed.seal(&nonce, b"", &[0; 16]).expect("lengths that it takes");
        let (ciphertext, right) = sealed.split_at(sealed.len() - info.tag_len_bytes);
        let mut buffer = ciphertext.to_vec();
        return difference(wrong_tags(right), random, |tag| {
            buffer.copy_from_slice(ciphertext);
            let opened = keyed.open_in_place(&nonce, b"", &mut buffer, tag);
            assert!(black_box(opened).is_err(), "a wrong tag is accepted");
        });
    }
    let mut mac = DynMac::with_info(info, &key).expect("its own length");
    let mut right = vec![0; info.tag_len_bytes];
    mac.mac_with_nonce_into(&nonce, b"", &mut right).expect("its own lengths");
    difference(wrong_tags(&right), random, |tag| {
        if info.nonce.is_some() {
            mac.set_nonce(&nonce).expect("its own length");
        }
        assert!(black_box(mac.verify(tag)).is_err(), "a wrong tag is accepted");
    })
}

/// Between one key and message of this length and random ones.
fn of_computation(
    info: &'static MacInfo,
    kernel: KernelName,
    message_len_bytes: usize,
    random: &mut Random,
) -> Difference {
    let key_len = info.key_len_bytes;
    let mut mac = DynMac::with_kernel(info, &vec![7; key_len], kernel).expect("of its kernels");
    let (nonce, mut tag) = (nonce_of(info), vec![0; info.tag_len_bytes]);
    let is_key_hidden = !matches!(info.constant_time(), ConstantTime::No(_));
    difference(fixed_or_random(key_len + message_len_bytes), random, |input| {
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

/// The two classes: wrong in the first byte, wrong in the last. Both are made by the same
/// instructions from the same memory.
fn wrong_tags(right: &[u8]) -> impl FnMut(usize, &mut Random) -> Vec<u8> {
    let right = right.to_vec();
    move |class, _| {
        let (mut tag, bit) = (right.clone(), black_box((class as u8) << 7));
        tag[0] ^= 0x80 ^ bit;
        *tag.last_mut().expect("a tag is not empty") ^= bit;
        tag
    }
}

/// The two classes: always the same bytes, other bytes every time. Both are made by the same
/// instructions from the same memory.
fn fixed_or_random(len_bytes: usize) -> impl FnMut(usize, &mut Random) -> Vec<u8> {
    move |class, random| {
        let mask = black_box(0_u8.wrapping_sub(class as u8));
        (0..len_bytes).map(|i| random.next() as u8 & mask ^ (i as u8 | 1)).collect()
    }
}

/// How the times of two classes of inputs differ.
struct Difference {
    /// |t| of Welch's test (Welch 1947).
    t: f64,
    /// Between the means, as a share of that of the first class.
    share: f64,
}

impl Difference {
    fn counts(&self) -> bool {
        self.t > T_LIMIT && self.share > SHARE_MIN
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "|t| = {:7.1}, by {:8.3} %", self.t, 100.0 * self.share)
    }
}

/// Between two classes of inputs: the one with the largest |t|, over the whole and over what is
/// left when slow measurements are cut off, as in dudect.
fn difference(
    mut input: impl FnMut(usize, &mut Random) -> Vec<u8>,
    random: &mut Random,
    mut run: impl FnMut(&[u8]),
) -> Difference {
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
    let of_cut = |cut: &f64| welch(&times.clone().map(|class| below(class, *cut)));
    let of_cuts = cuts.iter().map(of_cut);
    // One that counts, if there is one: a cut makes a difference smaller, and surer.
    let order =
        |a: &Difference, b: &Difference| a.counts().cmp(&b.counts()).then(a.t.total_cmp(&b.t));
    of_cuts.max_by(order).expect("there are five cuts")
}

fn below(mut times: Vec<f64>, cut: f64) -> Vec<f64> {
    times.retain(|&time| time <= cut);
    times
}

fn welch(classes: &[Vec<f64>; 2]) -> Difference {
    let [a, b] = classes.each_ref().map(|times| {
        let n = times.len() as f64;
        let mean = times.iter().sum::<f64>() / n;
        let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, variance / n)
    });
    let apart = (a.0 - b.0).abs();
    let t = apart / (a.1 + b.1).sqrt();
    if t.is_finite() {
        Difference { t, share: apart / a.0 }
    } else {
        Difference { t: 0.0, share: 0.0 }
    }
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
