//! AEGIS and AEGISMAC against RFC 10032, written as naively as they can be: AES's round from
//! FIPS 197 on bytes, the S-box from its definition, states in vectors.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use macs::{DynComposition, DynMac, ShortTags, catalog};

use random::Random;

/// Random inputs for each mac.
const CASES: usize = 10_000;

type Block = [u8; 16];

/// The product in the field of FIPS 197 §4.2.
fn times(a: u8, b: u8) -> u8 {
    let mut product = 0;
    for bit in (0..8).rev() {
        product = product << 1 ^ if product & 0x80 != 0 { 0x1b } else { 0 };
        product ^= if b >> bit & 1 == 1 { a } else { 0 };
    }
    product
}

/// FIPS 197 §5.1.1: the inverse, and the affine transformation.
fn s_box() -> Vec<u8> {
    let inverse = |a: u8| (0..=255).find(|b| times(a, *b) == 1).unwrap_or(0);
    let affine = |b: u8| (0..5).fold(0x63, |sum, turns| sum ^ b.rotate_left(turns));
    (0..=255).map(|a| affine(inverse(a))).collect()
}

fn xor(a: &[u8], b: &[u8]) -> Block {
    core::array::from_fn(|i| a[i] ^ b[i])
}

struct Aegis {
    s_box: Vec<u8>,
    /// States, each of 8 or 6 blocks.
    states: Vec<Vec<Block>>,
}

impl Aegis {
    fn round(&self, input: &Block, key: &[u8]) -> Block {
        let shifted =
            |column: usize, row: usize| usize::from(input[4 * ((column + row) % 4) + row]);
        let mixed: Vec<u8> = (0..16)
            .map(|i| {
                let (column, row) = (i / 4, i % 4);
                let byte = |below: usize| self.s_box[shifted(column, (row + below) % 4)];
                times(2, byte(0)) ^ times(3, byte(1)) ^ byte(2) ^ byte(3)
            })
            .collect();
        xor(&mixed, key)
    }

    /// One state takes its blocks.
    fn update(&mut self, lane: usize, blocks: &[&[u8]]) {
        let old = self.states[lane].clone();
        for i in 0..old.len() {
            let before = &old[(i + old.len() - 1) % old.len()];
            let key = match i {
                0 => xor(&old[0], blocks[0]),
                4 if blocks.len() > 1 => xor(&old[4], blocks[1]),
                _ => old[i],
            };
            self.states[lane][i] = self.round(before, &key);
        }
    }

    fn begin(&mut self, blocks: usize, lanes: usize, key: &[u8], nonce: &[u8]) {
        let c0 = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 121, 98];
        let c1 = [219, 61, 24, 85, 109, 194, 47, 241, 32, 17, 49, 66, 115, 181, 40, 221];
        let kn = xor(key, nonce);
        let (start, inputs): (Vec<Block>, Vec<Vec<&[u8]>>);
        let kn1: Block;
        if blocks == 8 {
            let (k0, k1) = (xor(key, &c0), xor(key, &c1));
            start = vec![kn, c1, c0, c1, kn, k0, k1, k0];
            inputs = vec![vec![nonce, key]; 10];
        } else {
            kn1 = xor(&key[16..], &nonce[16..]);
            start = vec![kn, kn1, c1, c0, xor(key, &c0), xor(&key[16..], &c1)];
            let four = [&key[..16], &key[16..], &kn, &kn1];
            inputs = four.repeat(4).into_iter().map(|block| vec![block]).collect();
        }
        self.states = vec![start; lanes];
        for input in inputs {
            for lane in 0..lanes {
                for at in [3, blocks - 1] {
                    self.states[lane][at][0] ^= lane as u8;
                    self.states[lane][at][1] ^= (lanes - 1) as u8;
                }
                self.update(lane, &input);
            }
        }
    }

    /// Zero-padded data, of which each state takes its part.
    fn absorb(&mut self, data: &[u8]) {
        let lanes = self.states.len();
        let parts = if self.states[0].len() == 8 { 2 } else { 1 };
        let mut padded = data.to_vec();
        padded.resize(data.len().next_multiple_of(16 * parts * lanes), 0);
        for unit in padded.chunks(16 * parts * lanes) {
            for lane in 0..lanes {
                let block = |part: usize| &unit[16 * (part * lanes + lane)..][..16];
                let blocks: Vec<&[u8]> = (0..parts).map(block).collect();
                self.update(lane, &blocks);
            }
        }
    }

    fn last_updates(&mut self, first: u64, second: u64) {
        let lengths = [first.to_le_bytes(), second.to_le_bytes()].concat();
        for lane in 0..self.states.len() {
            let at = if self.states[0].len() == 8 { 2 } else { 3 };
            let last = xor(&self.states[lane][at], &lengths);
            for _ in 0..7 {
                self.update(lane, &[&last[..], &last][..if at == 2 { 2 } else { 1 }]);
            }
        }
    }

    fn tag(&self, lane: usize, tag_len: usize) -> Vec<u8> {
        let state = &self.states[lane];
        let sum = |blocks: &[Block]| blocks.iter().fold([0; 16], |a, b| xor(&a, b)).to_vec();
        let half = state.len() / 2;
        match tag_len {
            16 => sum(&state[..state.len().min(7)]),
            _ => [sum(&state[..half]), sum(&state[half..])].concat(),
        }
    }

    /// Encrypts; the tag of each length of all states.
    fn seal(&mut self, ad: &[u8], message: &[u8]) -> (Vec<u8>, [Vec<u8>; 2]) {
        self.absorb(ad);
        let (lanes, blocks) = (self.states.len(), self.states[0].len());
        let parts = if blocks == 8 { 2 } else { 1 };
        let rate = 16 * parts * lanes;
        let mut ciphertext = vec![];
        for unit in message.chunks(rate) {
            for (i, plain) in unit.iter().enumerate() {
                let (part, lane, byte) = (i / 16 / lanes, i / 16 % lanes, i % 16);
                let state = |at: usize| self.states[lane][at][byte];
                let stream = match (blocks, part) {
                    (8, 0) => state(1) ^ state(6) ^ (state(2) & state(3)),
                    (8, _) => state(2) ^ state(5) ^ (state(6) & state(7)),
                    _ => state(1) ^ state(4) ^ state(5) ^ (state(2) & state(3)),
                };
                ciphertext.push(plain ^ stream);
            }
            self.absorb(unit);
        }
        self.last_updates(8 * ad.len() as u64, 8 * message.len() as u64);
        let tag = |len: usize| {
            let tags = (0..lanes).map(|lane| self.tag(lane, len));
            tags.reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a ^ b).collect()).unwrap()
        };
        (ciphertext, [tag(16), tag(32)])
    }

    fn mac(&mut self, message: &[u8], tag_len: usize) -> Vec<u8> {
        let lanes = self.states.len();
        self.absorb(message);
        self.last_updates(8 * message.len() as u64, 8 * tag_len as u64);
        if lanes > 1 {
            let from = if tag_len == 16 && self.states[0].len() == 8 { 0 } else { 1 };
            let tags: Vec<Vec<u8>> = (from..lanes).map(|lane| self.tag(lane, tag_len)).collect();
            self.states.truncate(1);
            self.absorb(&tags.concat());
            self.last_updates(lanes as u64, 8 * tag_len as u64);
        }
        self.tag(0, tag_len)
    }
}

/// Whole and in pieces, `name` is what the definition says; with a nonce and without.
fn agree(name: &str, blocks: usize, lanes: usize, tag_len: usize) {
    let info = macs::find(name).unwrap();
    let mut random = Random(1);
    let mut aegis = Aegis { s_box: s_box(), states: vec![] };
    for case in 0..CASES {
        let key_len = info.key_len_bytes;
        let mut key = random.bytes(2 * key_len);
        let is_short = case % 4 == 0;
        if is_short {
            key[key_len..].fill(0);
        }
        let max = if case % 100 == 0 { 2000 } else { 140 };
        let len = random.up_to(max);
        let message = random.bytes(if case % 10 == 1 { len / 16 * 16 } else { len });
        aegis.begin(blocks, lanes, &key[..key_len], &key[key_len..]);
        let expected = aegis.mac(&message, tag_len);

        let key = if is_short { &key[..key_len] } else { &key };
        let mut mac = DynMac::with_info(info, key).unwrap();
        let mut tag = vec![0; tag_len];
        mac.mac_into(&message, &mut tag).unwrap();
        assert_eq!(tag, expected, "{name} {case}");
        let (head, rest) = message.split_at(random.up_to(message.len()));
        mac.update(head);
        mac.update(rest);
        mac.finalize_into(&mut tag).unwrap();
        assert_eq!(tag, expected, "{name} {case} in pieces");
    }
}

#[test]
fn aegismac_128l() {
    agree("aegismac-128l", 8, 1, 16);
    agree("aegismac-128l-256", 8, 1, 32);
}

#[test]
fn aegismac_128x2() {
    agree("aegismac-128x2", 8, 2, 16);
    agree("aegismac-128x2-256", 8, 2, 32);
}

#[test]
fn aegismac_128x4() {
    agree("aegismac-128x4", 8, 4, 16);
    agree("aegismac-128x4-256", 8, 4, 32);
}

#[test]
fn aegismac_256() {
    agree("aegismac-256", 6, 1, 16);
    agree("aegismac-256-256", 6, 1, 32);
}

#[test]
fn aegismac_256x2() {
    agree("aegismac-256x2", 6, 2, 16);
    agree("aegismac-256x2-256", 6, 2, 32);
}

#[test]
fn aegismac_256x4() {
    agree("aegismac-256x4", 6, 4, 16);
    agree("aegismac-256x4-256", 6, 4, 32);
}

/// With tags of either length, `name` seals as the definition does, and opens it.
fn seals(name: &str, blocks: usize, lanes: usize) {
    let info = macs::find(name).unwrap();
    let mut random = Random(2);
    let mut aegis = Aegis { s_box: s_box(), states: vec![] };
    for case in 0..CASES {
        let (key, nonce) = (random.bytes(info.key_len_bytes), random.bytes(info.key_len_bytes));
        let max = if case % 100 == 0 { 2000 } else { 140 };
        let [ad_len, len] = [(); 2].map(|()| random.up_to(max));
        let ad = random.bytes(if case % 7 == 1 { ad_len / 16 * 16 } else { ad_len });
        let message = random.bytes(if case % 10 == 1 { len / 16 * 16 } else { len });
        aegis.begin(blocks, lanes, &key, &nonce);
        let (expected, tags) = aegis.seal(&ad, &message);
        let tag = &tags[case % 2];
        let keyed = DynComposition::with_info(info, &key).unwrap().with_tag_len(tag.len()).unwrap();
        let sealed = keyed.seal(&nonce, &ad, &message).unwrap();
        assert_eq!(sealed, [&expected, &tag[..]].concat(), "{name} {case}");
        assert_eq!(keyed.open(&nonce, &ad, &sealed).unwrap(), message, "{name} {case}");
    }
}

#[test]
fn aegis_128l_and_128x() {
    seals("aegis-128l", 8, 1);
    seals("aegis-128x2", 8, 2);
    seals("aegis-128x4", 8, 4);
}

#[test]
fn aegis_256_and_256x() {
    seals("aegis-256", 6, 1);
    seals("aegis-256x2", 6, 2);
    seals("aegis-256x4", 6, 4);
}

/// What the catalog says of them: the length is no input, and the short tag is not cut from the
/// long one. By AEGIS-256 it is the sum of its halves.
#[test]
fn both_tags_are_made_of_one_last_state() {
    let is_aegis = |name: &str| name.starts_with("aegis-");
    for info in catalog().iter().filter(|info| is_aegis(info.name)) {
        assert!(matches!(info.short_tags(), ShortTags::OwnFinalization(_)), "{}", info.name);
        let (key, nonce) = (vec![1; info.key_len_bytes], vec![2; info.key_len_bytes]);
        let tag = |len: usize| {
            let keyed = DynComposition::with_info(info, &key).unwrap().with_tag_len(len).unwrap();
            keyed.seal(&nonce, b"header", b"").unwrap()
        };
        let (short, long) = (tag(16), tag(32));
        assert!(!long.starts_with(&short), "{}", info.name);
        let sum = xor(&long[..16], &long[16..]);
        assert_eq!(sum[..] == short, info.name.starts_with("aegis-256"), "{}", info.name);
    }
    let others = catalog().iter().filter(|info| !is_aegis(info.name));
    for info in others {
        assert!(!matches!(info.short_tags(), ShortTags::OwnFinalization(_)), "{}", info.name);
    }
}

/// The types take a nonce by name.
#[test]
fn a_nonce_is_the_second_half_of_the_key() {
    use digest::{KeyInit, Mac};
    let (key, nonce) = ([1; 16], [2; 16]);
    let typed = macs::AegisMac128L::with_nonce(&key.into(), &nonce.into());
    let tag = typed.chain_update(b"a message").finalize().into_bytes();
    let whole = macs::mac("aegismac-128l", &[key, nonce].concat(), b"a message").unwrap();
    assert_eq!(tag[..], whole);
    let alone = macs::AegisMac128L::new(&key.into()).chain_update(b"a message").finalize();
    let zeros = macs::AegisMac128L::with_nonce(&key.into(), &[0; 16].into());
    assert_eq!(alone, zeros.chain_update(b"a message").finalize());
    assert!(macs::AegisMac128L::new_from_slice(&[1; 24]).is_err());
}
