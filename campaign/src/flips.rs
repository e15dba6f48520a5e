//! A bit of the file, its tag, its nonce or the key is another: the tag is not verified.

use std::fs;

use crate::Tried;
use crate::bed::Bed;

const MACS: [&str; 12] = [
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
    "blake3",
    "siphash-2-4-64",
];

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
        for _ in 0..10 {
            let failure = flipped(&bed, tried, mac, value, &message);
            tried.one(failure);
        }
    }
    if !missing.is_empty() {
        tried.note(format!("not in the catalog: {}", missing.join(", ")));
    }
}

fn flipped(bed: &Bed, tried: &mut Tried, mac: &str, value: &str, message: &[u8]) -> Option<String> {
    let key = fs::read(bed.path("key")).unwrap_or_default();
    let (mut value, mut message, mut bad_key) = (value.to_owned(), message.to_vec(), key.clone());
    let random = &mut tried.random;
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
            bad_key[at] ^= 1 << random.below(8);
            "the key"
        }
    };
    bed.write("bad", &message);
    bed.write("bad-key", &bad_key);
    let verify = [
        "verify",
        "--mac",
        mac,
        "--key-file",
        "bad-key",
        "--key-format",
        "raw",
        "--tag",
        &value,
        "bad",
    ];
    let ended = bed.run(&verify);
    let is_refused = ended.is_broken().is_none() && matches!(ended.code(), Some(1 | 2));
    (!is_refused).then(|| format!("{mac}: a bit of {what}: exit code {:?}", ended.code()))
}
