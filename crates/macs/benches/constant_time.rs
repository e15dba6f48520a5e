//! Does verification take the same time wherever a wrong tag differs? After dudect (Reparaz,
//! Balasch, Verbauwhede 2017): two classes of inputs in random order, Welch's t over the times, a
//! difference is called from |t| > 4.5. It counts only if the positive control, a comparison that
//! stops at the first difference, is caught in the same run.
//!
//! `cargo bench -p macs --bench constant_time [MAC…]`; exit code 1 when a mac's verification leaks
//! or the control is not caught. A benchmark, not a test: a timing may be disturbed.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use macs::{DynComposition, DynMac, MacInfo, catalog};

/// Above it a difference is called, as in dudect.
const T_LIMIT: f64 = 4.5;

/// Measurements, both classes together.
const MEASUREMENTS: usize = 200_000;

/// Comparisons in one measurement, so that it stands above the clock's resolution.
const REPEATS: usize = 8;

/// Verifies: the tags, and whether to leave early.
type Verify<'a> = dyn FnMut(&[u8]) -> bool + 'a;

fn main() -> ExitCode {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let right = vec![0x5a; 64];
    let control = t_of(&right, &mut random, &mut |tag| stops_early(tag, &right));
    println!("{:<24} |t| = {control:7.1}  (must be caught)", "early exit, 64 bytes");
    if control <= T_LIMIT {
        println!("the control was not caught: this run says nothing");
        return ExitCode::FAILURE;
    }
    let macs = catalog().iter().filter(|info| match wanted[..] {
        [] => TYPICAL.contains(&info.name),
        _ => wanted.iter().any(|name| name == info.name),
    });
    let mut leaks = false;
    for info in macs {
        let t = of_mac(info, &mut random);
        leaks |= t > T_LIMIT;
        println!("{:<24} |t| = {t:7.1}{}", info.name, if t > T_LIMIT { "  LEAKS" } else { "" });
    }
    if leaks { ExitCode::FAILURE } else { ExitCode::SUCCESS }
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

fn of_mac(info: &'static MacInfo, random: &mut Random) -> f64 {
    let key = vec![7; info.key_len_bytes];
    let nonce = vec![0; info.nonce.map_or(0, |nonce| nonce.len_bytes)];
    if info.is_composition() {
        let keyed = DynComposition::with_info(info, &key).expect("its own length");
        let sealed = keyed.seal(&nonce, b"", &[0; 16]).expect("lengths that it takes");
        let (ciphertext, right) = sealed.split_at(sealed.len() - info.tag_len_bytes);
        let mut buffer = ciphertext.to_vec();
        return t_of(right, random, &mut |tag| {
            buffer.copy_from_slice(ciphertext);
            keyed.open_in_place(&nonce, b"", &mut buffer, tag).is_ok()
        });
    }
    let mut mac = DynMac::with_info(info, &key).expect("its own length");
    let mut right = vec![0; info.tag_len_bytes];
    mac.mac_with_nonce_into(&nonce, b"", &mut right).expect("its own lengths");
    t_of(&right, random, &mut |tag| {
        if info.nonce.is_some() {
            mac.set_nonce(&nonce).expect("its own length");
        }
        mac.verify(tag).is_ok()
    })
}

fn stops_early(tag: &[u8], right: &[u8]) -> bool {
    tag.iter().zip(right).all(|(a, b)| black_box(a) == black_box(b))
}

/// |t| between tags that are wrong in the first byte and tags that are wrong in the last; the
/// largest over the whole and over what is left when slow measurements are cut off, as in dudect.
fn t_of(right: &[u8], random: &mut Random, verify: &mut Verify<'_>) -> f64 {
    let mut wrong = [right.to_vec(), right.to_vec()];
    wrong[0][0] ^= 0x80;
    *wrong[1].last_mut().expect("a tag is not empty") ^= 0x80;
    let mut times: [Vec<f64>; 2] = [vec![], vec![]];
    for _ in 0..MEASUREMENTS {
        let class = random.bit();
        // The same buffer for both classes, so that its address does not tell them apart.
        let tag = black_box(wrong[class].clone());
        let begin = Instant::now();
        for _ in 0..REPEATS {
            assert!(!black_box(verify(black_box(&tag))), "a wrong tag is accepted");
        }
        times[class].push(begin.elapsed().as_nanos() as f64);
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

/// Xorshift (Marsaglia 2003): chooses classes, nothing secret.
struct Random(u64);

impl Random {
    fn bit(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40 & 1) as usize
    }
}
