//! What the path of RustCrypto's traits costs, beside this crate's own calls and beside
//! RustCrypto's crates: messages one by one with a cloned key, a new key for each message, and
//! PBKDF2.
//!
//! `cargo bench -p macs --features full --bench traits_path`. Each row is the median ratio of two
//! times that were taken next to each other, in turns, with the interval of that median (95 %,
//! order statistics), and the least time of the first; below 1 the first is faster. A benchmark,
//! not a test.

use std::hint::black_box;
use std::time::Instant;

use hmac::KeyInit;
use macs::PreparedMac;
use macs::digest::Mac;

/// Pairs of times; with so many the interval of the median is between two of these places.
const PAIRS: usize = 301;
const LOW: usize = 133;
const HIGH: usize = 167;

/// What one time lasts, about.
const TIME_NS: f64 = 50e3;

/// Lengths of the messages in bytes: as short as tokens are, where a call costs most.
const LENS_BYTES: [usize; 3] = [16, 32, 64];

const KEY: [u8; 32] = [7; 32];
const ROUNDS: u32 = 1000;

fn main() {
    println!("{:<58} {:>6}  {:>13}  {:>9}", "median ratio of times", "ratio", "95 %", "least, ns");
    of_mac::<macs::HmacSha1, hmac::Hmac<sha1::Sha1>>("HMAC-SHA-1", &KEY[..20]);
    of_mac::<macs::HmacSha256, hmac::Hmac<sha2::Sha256>>("HMAC-SHA-256", &KEY);
    of_mac::<macs::HmacSha512, hmac::Hmac<sha2::Sha512>>("HMAC-SHA-512", &KEY);
    of_mac::<macs::Cmac<macs::ciphers::Aes128>, cmac::Cmac<aes::Aes128>>(
        "CMAC-AES-128",
        &KEY[..16],
    );
    of_mac::<macs::Cmac<macs::ciphers::Aes256>, cmac::Cmac<aes::Aes256>>("CMAC-AES-256", &KEY);
    of_pbkdf2::<macs::HmacSha256, hmac::Hmac<sha2::Sha256>>("PBKDF2-HMAC-SHA-256");
    of_pbkdf2::<macs::HmacSha512, hmac::Hmac<sha2::Sha512>>("PBKDF2-HMAC-SHA-512");
}

/// The three comparisons of one mac, by this crate and by RustCrypto.
fn of_mac<Ours: PreparedMac, Theirs: Mac + KeyInit + Clone>(name: &str, key: &[u8]) {
    let ours = Ours::new_from_slice(key).expect("a key of its length");
    let theirs = <Theirs as KeyInit>::new_from_slice(key).expect("a key of its length");
    for len_bytes in LENS_BYTES {
        let message = vec![0x5a; len_bytes];
        let message = || black_box(&message[..]);
        let own = || {
            let mut tag = macs::digest::Output::<Ours>::default();
            ours.mac_into(message(), &mut tag);
            black_box(tag);
        };
        let cloned = || drop(black_box(ours.clone().chain_update(message()).finalize()));
        let their_clone = || drop(black_box(theirs.clone().chain_update(message()).finalize()));
        let own_new = || {
            let mut tag = macs::digest::Output::<Ours>::default();
            Ours::mac_once(black_box(key), message(), &mut tag).expect("a key of its length");
            black_box(tag);
        };
        let new = || {
            let mac = Ours::new_from_slice(black_box(key)).expect("a key of its length");
            drop(black_box(mac.chain_update(message()).finalize()));
        };
        let their_new = || {
            let mac = <Theirs as KeyInit>::new_from_slice(black_box(key)).expect("its length");
            drop(black_box(mac.chain_update(message()).finalize()));
        };
        let row = |what: &str| format!("{name}, {len_bytes} B, {what}");
        tell(&row("clone, update, finalize ÷ mac_into"), cloned, own);
        tell(&row("… ÷ the same of RustCrypto"), cloned, their_clone);
        tell(&row("new, update, finalize ÷ mac_once"), new, own_new);
        tell(&row("… ÷ the same of RustCrypto"), new, their_new);
    }
}

fn of_pbkdf2<Ours, Theirs>(name: &str)
where
    Ours: KeyInit + macs::digest::Update + macs::digest::FixedOutput + Clone + Sync,
    Theirs: KeyInit + macs::digest::Update + macs::digest::FixedOutput + Clone + Sync,
{
    let mut derived = [[0; 32]; 2];
    let [mine, yours] = &mut derived;
    let mut ours = || pbkdf2::pbkdf2::<Ours>(black_box(b"a password"), b"salt", ROUNDS, mine);
    let mut theirs = || pbkdf2::pbkdf2::<Theirs>(black_box(b"a password"), b"salt", ROUNDS, yours);
    tell(
        &format!("{name}, {ROUNDS} rounds, over macs ÷ over RustCrypto"),
        || ours().expect("a key of any length"),
        || theirs().expect("a key of any length"),
    );
    assert_eq!(derived[0], derived[1], "both derive the same key");
}

/// Prints the ratio of the times of two calls.
fn tell(what: &str, mut first: impl FnMut(), mut second: impl FnMut()) {
    let (mut calls, mut least_ns) = ([1, 1], f64::INFINITY);
    for (calls, call) in calls.iter_mut().zip([&mut first as &mut dyn FnMut(), &mut second]) {
        let rough_ns = (0..5).map(|_| time_ns(call, 20)).fold(f64::INFINITY, f64::min);
        *calls = ((TIME_NS / rough_ns) as u32).max(1);
    }
    let mut pair = |place: usize| {
        // Whoever is first meets what the one before left: both are, in turns.
        let early_ns = place.is_multiple_of(2).then(|| time_ns(&mut first, calls[0]));
        let second_ns = time_ns(&mut second, calls[1]);
        let first_ns = early_ns.unwrap_or_else(|| time_ns(&mut first, calls[0]));
        least_ns = least_ns.min(first_ns);
        first_ns / second_ns
    };
    let mut ratios: Vec<f64> = (0..PAIRS).map(&mut pair).collect();
    ratios.sort_by(f64::total_cmp);
    let [low, ratio, high] = [LOW, PAIRS / 2, HIGH].map(|place| ratios[place]);
    println!("{what:<58} {ratio:6.3}  {low:.3}–{high:.3}  {least_ns:9.1}");
}

/// Nanoseconds a call.
fn time_ns<F: FnMut() + ?Sized>(call: &mut F, calls: u32) -> f64 {
    let began = Instant::now();
    for _ in 0..calls {
        call();
    }
    began.elapsed().as_nanos() as f64 / f64::from(calls)
}
