//! Keyed BLAKE2 with tags of every length against RFC 7693, written as naively as it can be, and by
//! its self-test of appendix E.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use digest::{KeyInit, Mac};
use macs::{Batch, Blake2sKeyed128, DynMac, Error, Input, Job, PreparedMac};

use random::Random;

/// §2.7; rounds 10 and 11 of BLAKE2b are rounds 0 and 1 again.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// What differs between the two: length of a word, rounds, rotations (§2.1), and the
/// initialization vector (§2.6).
struct Variant {
    word_bits: u32,
    rounds: usize,
    rotations: [u32; 4],
    iv: [u64; 8],
}

const BLAKE2B: Variant = Variant {
    word_bits: 64,
    rounds: 12,
    rotations: [32, 24, 16, 63],
    iv: [
        0x6a09e667f3bcc908,
        0xbb67ae8584caa73b,
        0x3c6ef372fe94f82b,
        0xa54ff53a5f1d36f1,
        0x510e527fade682d1,
        0x9b05688c2b3e6c1f,
        0x1f83d9abfb41bd6b,
        0x5be0cd19137e2179,
    ],
};

const BLAKE2S: Variant = Variant {
    word_bits: 32,
    rounds: 10,
    rotations: [16, 12, 8, 7],
    iv: [
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
        0x5be0cd19,
    ],
};

impl Variant {
    fn add(&self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b) & u64::MAX >> (64 - self.word_bits)
    }

    fn rotate_right(&self, word: u64, by: u32) -> u64 {
        (word >> by | word << (self.word_bits - by)) & u64::MAX >> (64 - self.word_bits)
    }

    /// §3.1 and the rounds of §3.2.
    fn mix(&self, v: &mut [u64], m: &[u64]) {
        let [r1, r2, r3, r4] = self.rotations;
        for round in 0..self.rounds {
            let s = &SIGMA[round % 10];
            for g in 0..8 {
                let turn = if g < 4 { 0 } else { 1 };
                let at = |row: usize| 4 * row + (g + turn * row) % 4;
                let [a, b, c, d] = [at(0), at(1), at(2), at(3)];
                v[a] = self.add(self.add(v[a], v[b]), m[s[2 * g]]);
                v[d] = self.rotate_right(v[d] ^ v[a], r1);
                v[c] = self.add(v[c], v[d]);
                v[b] = self.rotate_right(v[b] ^ v[c], r2);
                v[a] = self.add(self.add(v[a], v[b]), m[s[2 * g + 1]]);
                v[d] = self.rotate_right(v[d] ^ v[a], r3);
                v[c] = self.add(v[c], v[d]);
                v[b] = self.rotate_right(v[b] ^ v[c], r4);
            }
        }
    }

    /// §3.3.
    fn keyed(&self, key: &[u8], message: &[u8], digest_len: usize) -> Vec<u8> {
        let word_len = self.word_bits as usize / 8;
        let block_len = 16 * word_len;
        let mut h = self.iv;
        h[0] ^= 0x0101_0000 ^ (key.len() as u64) << 8 ^ digest_len as u64;
        let mut data = key.to_vec();
        data.resize(key.len().next_multiple_of(block_len), 0);
        data.extend(message);
        let total = data.len();
        data.resize(total.next_multiple_of(block_len).max(block_len), 0);
        let word = |bytes: &[u8]| bytes.iter().rfold(0, |word, &byte| word << 8 | u64::from(byte));
        for (i, block) in data.chunks(block_len).enumerate() {
            let is_last = (i + 1) * block_len == data.len();
            let taken = if is_last { total } else { (i + 1) * block_len };
            let m: Vec<u64> = block.chunks(word_len).map(word).collect();
            let mut v = [h, self.iv].concat();
            v[12] ^= taken as u64;
            if is_last {
                v[14] ^= u64::MAX >> (64 - self.word_bits);
            }
            self.mix(&mut v, &m);
            for (i, h) in h.iter_mut().enumerate() {
                *h ^= v[i] ^ v[i + 8];
            }
        }
        let bytes = h.iter().flat_map(|word| word.to_le_bytes().into_iter().take(word_len));
        bytes.take(digest_len).collect()
    }
}

fn blake2b(key: &[u8], message: &[u8], digest_len: usize) -> Vec<u8> {
    BLAKE2B.keyed(key, message, digest_len)
}

fn blake2s(key: &[u8], message: &[u8], digest_len: usize) -> Vec<u8> {
    BLAKE2S.keyed(key, message, digest_len)
}

type Reference = fn(&[u8], &[u8], usize) -> Vec<u8>;

/// By name, whole, in pieces, after another key, and in one call.
fn agree(name: &str, max: usize, reference: Reference) {
    let (info, mut random) = (macs::find(name).unwrap(), Random(1));
    for case in 0..10_000 {
        let (key_len, tag_len) = (1 + random.up_to(max - 1), 1 + random.up_to(max - 1));
        let long = if case % 100 == 0 { 5000 } else { 300 };
        let len = random.up_to(long);
        let len = if case % 10 == 1 { len / 64 * 64 } else { len };
        let (key, message) = (random.bytes(key_len), random.bytes(len));
        let expected = reference(&key, &message, tag_len);

        let mac = DynMac::with_info(info, &random.bytes(max)).unwrap();
        let mut mac = mac.with_tag_len(tag_len).unwrap();
        mac.rekey(&key).unwrap();
        let mut tag = vec![0; tag_len];
        mac.mac_into(&message, &mut tag).unwrap();
        assert_eq!(tag, expected, "{name} {case}");
        let (head, rest) = message.split_at(random.up_to(len));
        mac.update(head);
        mac.update(rest);
        mac.finalize_reset_into(&mut tag).unwrap();
        assert_eq!(tag, expected, "{name} {case} in pieces");
        info.mac_into(&key, &message, &mut tag).unwrap();
        assert_eq!(tag, expected, "{name} {case} in one call");
    }
}

#[test]
fn tags_of_every_length() {
    agree("blake2b-keyed", 64, blake2b);
    agree("blake2s-keyed", 32, blake2s);
}

/// The bytes of appendix E.
fn sequence(len: usize, seed: usize) -> Vec<u8> {
    let (mut a, mut b) = (0xdead4bad_u32.wrapping_mul(seed as u32), 1_u32);
    let mut next = || {
        (a, b) = (b, a.wrapping_add(b));
        (b >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Appendix E: a digest of digests and tags of many lengths; the digests are the reference's.
fn self_test(name: &str, reference: Reference, tags: [usize; 4], messages: [usize; 6]) -> Vec<u8> {
    let mut all = vec![];
    for tag_len in tags {
        for message_len in messages {
            let message = sequence(message_len, message_len);
            all.extend(reference(&[], &message, tag_len));
            let key = sequence(tag_len, tag_len);
            let mac = DynMac::new(name, &key).unwrap().with_tag_len(tag_len).unwrap();
            let mut tag = vec![0; tag_len];
            mac.mac_into(&message, &mut tag).unwrap();
            all.extend(tag);
        }
    }
    reference(&[], &all, 32)
}

#[test]
fn the_self_test_of_rfc_7693() {
    let of_2b = self_test("blake2b-keyed", blake2b, [20, 32, 48, 64], [0, 3, 128, 129, 255, 1024]);
    assert_eq!(
        hex::encode(of_2b),
        "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475"
    );
    let of_2s = self_test("blake2s-keyed", blake2s, [16, 20, 28, 32], [0, 3, 64, 65, 255, 1024]);
    assert_eq!(
        hex::encode(of_2s),
        "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe"
    );
}

#[test]
fn by_type_and_in_batches() {
    let (key, message) = ([3; 32], b"a message");
    let expected = blake2s(&key, message, 16);
    let typed = Blake2sKeyed128::new_from_slice(&key).unwrap();
    typed.verify_message(message, &expected).unwrap();
    assert!(typed.verify_message(message, &blake2s(&key, message, 32)[..16]).is_err());
    assert_eq!(typed.chain_update(message).finalize().into_bytes()[..], expected);

    let batch = Batch::new("blake2s-keyed", &[&key, &[4; 16]]).unwrap().with_tag_len(16).unwrap();
    let jobs = [Job::new(1, b"one"), Job::new(0, message)];
    let mut tags = [0; 32];
    batch.macs_into(&jobs, &mut tags).unwrap();
    assert_eq!(tags[..16], blake2s(&[4; 16], b"one", 16));
    assert_eq!(tags[16..], expected);
    batch.verify(&jobs, &tags).unwrap();
    let refused = batch.with_tag_len(33).unwrap_err();
    assert!(matches!(refused, Error::Len { what: Input::Tag, .. }), "{refused}");
    let hmac = Batch::new("hmac-sha256", &[&key]).unwrap();
    assert!(hmac.with_tag_len(16).is_err());
}

/// A message under way is dropped: its beginning was taken for tags of another length.
#[test]
fn another_length_begins_anew() {
    let mut mac = DynMac::new("blake2b-keyed", b"key").unwrap();
    mac.update(b"dropped");
    let mut mac = mac.with_tag_len(20).unwrap();
    mac.update(b"a message");
    mac.verify(&blake2b(b"key", b"a message", 20)).unwrap();
    let mac = mac.with_tag_len(64).unwrap();
    mac.verify_message(b"", &blake2b(b"key", b"", 64)).unwrap();
}
