//! A bit of the file, its tag, its nonce or the key is another: the tag is not verified.

use std::fs;

use crate::Tried;
use crate::bed::{Bed, Ended};

const MACS: [&str; 15] = [
    "hmac-sha256",
    "hmac-sha512",
    "cmac-aes-128",
    "gmac-aes-128",
    "kmac256",
    "umac-64",
    "vmac64-aes-128",
    "pmac-aes-128",
    "xcbc-aes-128",
    "khc1-sha256",
    "blake3-keyed",
    "cmac-tdes-3",
    "cmac-tdes-2",
    "hmac-sha3-256",
    "siphash-2-4",
];

/// Bits that a key has and does not use for this message: the lowest of each byte of a DES key is
/// its parity, and of the three keys of XCBC the second is for whole last blocks, the third for
/// others.
fn is_unused(mac: &str, key_len: usize, (byte, bit): (usize, u32), len: usize) -> bool {
    let is_whole = len > 0 && len.is_multiple_of(16);
    let of_the_other = if is_whole { 32..48 } else { 16..32 };
    mac.contains("-tdes-") && bit == 0
        || mac.starts_with("xcbc-") && key_len == 48 && of_the_other.contains(&byte)
}

const NOTE: &str = "key bits that are not used, with which the tag is verified: the lowest of each \
                    byte of TDES keys; of the three keys of XCBC the second or the third";

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "flips", tried.seed);
    let mut missing = Vec::new();
    while tried.has_time() {
        let mac = *tried.random.pick(&MACS);
        for name in ["key", "bad"] {
            bed.remove(name);
        }
        if bed.run(&["keygen", "--mac", mac, "--key-format", "raw", "key"]).code() != Some(0) {
            if !missing.contains(&mac) {
                missing.push(mac);
            }
            if missing.len() == MACS.len() {
                break;
            }
            continue;
        }
        let len = tried.random.below(200);
        let message: Vec<u8> = (0..=len).map(|_| tried.random.next() as u8).collect();
        bed.write("message", &message);
        let tag = ["tag", "--mac", mac, "--key-file", "key", "--key-format", "raw", "message"];
        let line = String::from_utf8_lossy(&bed.run(&tag).stdout).into_owned();
        let Some((value, _)) = line.split_once(' ') else {
            tried.one(Some(format!("{mac}: no tag")));
            continue;
        };
        // Otherwise nothing is ever verified, and no flipped bit shows.
        let control = verify(&bed, mac, "key", value, "message");
        if control.code() != Some(0) {
            let (code, said) = (control.code(), control.stderr.trim());
            tried.one(Some(format!("{mac}: nothing is flipped: exit code {code:?}: {said}")));
            continue;
        }
        for _ in 0..10 {
            let failure = flipped(&bed, tried, mac, value, &message);
            tried.one(failure);
        }
    }
    for mac in missing {
        tried.failures.push(format!("no key for {mac}"));
    }
    tried.note(NOTE.into());
    tried.look_around(&bed);
}

fn verify(bed: &Bed, mac: &str, key: &str, value: &str, file: &str) -> Ended {
    let key = ["--key-file", key, "--key-format", "raw"];
    let words = [&["verify", "--mac", mac][..], &key, &["--tag", value, file]].concat();
    bed.run(&words)
}

fn flipped(bed: &Bed, tried: &mut Tried, mac: &str, value: &str, message: &[u8]) -> Option<String> {
    let key = fs::read(bed.path("key")).unwrap_or_default();
    let (mut value, mut message, mut bad_key) = (value.to_owned(), message.to_vec(), key.clone());
    let random = &mut tried.random;
    let mut is_same = false;
    let what = match random.below(3) {
        0 => {
            let at = random.below(message.len());
            message[at] ^= 1 << random.below(8);
            "the file"
        }
        1 => {
            let digits: Vec<usize> = value
                .char_indices()
                .filter(|(_, c)| c.is_ascii_hexdigit())
                .map(|it| it.0)
                .collect();
            let at = *random.pick(&digits);
            let digit =
                u8::from_str_radix(&value[at..=at], 16).unwrap_or(0) ^ (1 << random.below(4));
            value.replace_range(at..=at, &format!("{digit:x}"));
            "the tag or nonce"
        }
        _ => {
            let at = random.below(bad_key.len());
            let bit = random.below(8) as u32;
            bad_key[at] ^= 1 << bit;
            is_same = is_unused(mac, bad_key.len(), (at, bit), message.len());
            "the key"
        }
    };
    bed.write("bad", &message);
    bed.write("bad-key", &bad_key);
    let ended = verify(bed, mac, "bad-key", &value, "bad");
    let is_right = match ended.code() {
        _ if ended.is_broken().is_some() => false,
        Some(0) => is_same,
        Some(1) => !is_same,
        // A tag, nonce or key may be refused; a file never is.
        Some(2) => !is_same && what != "the file",
        _ => false,
    };
    (!is_right).then(|| format!("{mac}: a bit of {what}: exit code {:?}", ended.code()))
}
