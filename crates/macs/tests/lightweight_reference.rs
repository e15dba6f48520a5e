//! Chaskey, Ascon's macs, HopMAC and HighwayHash against their definitions, written as naively as
//! they can be, on random keys and messages.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use macs::DynMac;

use random::Random;

/// Random inputs for each mac.
const CASES: usize = 10_000;

/// Whole and in pieces, `name` is what `reference` makes of key and message.
fn agree(name: &str, reference: impl Fn(&[u8], &[u8]) -> Vec<u8>) {
    let info = macs::find(name).unwrap();
    let mut random = Random(1);
    for case in 0..CASES {
        let key_len =
            if info.accepted_key_len.accepts(case % 300) { case % 300 } else { info.key_len_bytes };
        let max = if case % 100 == 0 { 20_000 } else { 200 };
        let len = random.up_to(max);
        let (key, message) =
            (random.bytes(key_len), random.bytes(if case % 10 == 1 { len / 32 * 32 } else { len }));
        let expected = reference(&key, &message);
        let mut mac = DynMac::with_info(info, &key).unwrap();
        let mut tag = vec![0; expected.len()];
        mac.mac_into(&message, &mut tag).unwrap();
        assert_eq!(tag, expected, "{name} {case}");
        let (head, rest) = message.split_at(random.up_to(message.len()));
        mac.update(head);
        mac.update(rest);
        mac.finalize_into(&mut tag).unwrap();
        assert_eq!(tag, expected, "{name} {case} in pieces");
    }
}

fn words32(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn words64(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

fn xor_into(words: &mut [u32], other: &[u32]) {
    words.iter_mut().zip(other).for_each(|(word, other)| *word ^= other);
}

/// Chaskey as figure 1 and §2.2 of its paper have it, round by round.
fn chaskey(rounds: usize, key: &[u8], message: &[u8]) -> Vec<u8> {
    let permute = |v: &mut [u32]| {
        for _ in 0..rounds {
            v[0] = v[0].wrapping_add(v[1]);
            v[1] = v[1].rotate_left(5);
            v[1] ^= v[0];
            v[0] = v[0].rotate_left(16);
            v[2] = v[2].wrapping_add(v[3]);
            v[3] = v[3].rotate_left(8);
            v[3] ^= v[2];
            v[0] = v[0].wrapping_add(v[3]);
            v[3] = v[3].rotate_left(13);
            v[3] ^= v[0];
            v[2] = v[2].wrapping_add(v[1]);
            v[1] = v[1].rotate_left(7);
            v[1] ^= v[2];
            v[2] = v[2].rotate_left(16);
        }
    };
    let times_two = |k: &[u32]| -> Vec<u32> {
        let carry =
            |i: usize| if i == 0 { if k[3] >> 31 == 1 { 0x87 } else { 0 } } else { k[i - 1] >> 31 };
        (0..4).map(|i| k[i] << 1 ^ carry(i)).collect()
    };
    let k = words32(key);
    let k1 = times_two(&k);
    let k2 = times_two(&k1);
    let is_full = !message.is_empty() && message.len().is_multiple_of(16);
    let mut padded = message.to_vec();
    if !is_full {
        padded.push(1);
        padded.resize(padded.len().next_multiple_of(16), 0);
    }
    let l = if is_full { k1 } else { k2 };
    let mut v = k;
    let count = padded.len() / 16;
    for (i, block) in padded.chunks(16).enumerate() {
        xor_into(&mut v, &words32(block));
        if i == count - 1 {
            xor_into(&mut v, &l);
        }
        permute(&mut v);
    }
    xor_into(&mut v, &l);
    v.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn chaskey_with_8_12_and_16_rounds() {
    agree("chaskey", |key, message| chaskey(8, key, message));
    agree("chaskey-12", |key, message| chaskey(12, key, message));
    agree("chaskey-lts", |key, message| chaskey(16, key, message));
}

/// The S-box of SP 800-232, table 6.
const ASCON_S_BOX: [u8; 32] = [
    0x04, 0x0b, 0x1f, 0x14, 0x1a, 0x15, 0x09, 0x02, 0x1b, 0x05, 0x08, 0x12, 0x1d, 0x03, 0x06, 0x1c,
    0x1e, 0x13, 0x07, 0x0e, 0x00, 0x0d, 0x11, 0x18, 0x10, 0x0c, 0x01, 0x19, 0x16, 0x0a, 0x0f, 0x17,
];

/// Column by column through the table.
fn ascon_p12(x: &mut [u64]) {
    for constant in [0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b] {
        x[2] ^= constant;
        let mut after = [0_u64; 5];
        for bit in 0..64 {
            let column = x.iter().fold(0, |column, word| column << 1 | (word >> bit & 1) as usize);
            for (i, word) in after.iter_mut().enumerate() {
                *word |= u64::from(ASCON_S_BOX[column] >> (4 - i) & 1) << bit;
            }
        }
        let turns = [(19, 28), (61, 39), (1, 6), (10, 17), (7, 41)];
        for (i, (a, b)) in turns.into_iter().enumerate() {
            x[i] = after[i] ^ after[i].rotate_right(a) ^ after[i].rotate_right(b);
        }
    }
}

fn ascon(first: [u8; 8], tag_len: usize, key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut x = words64(&[&first, key, &[0; 16]].concat());
    ascon_p12(&mut x);
    let mut padded = [message, &[1]].concat();
    padded.resize(padded.len().next_multiple_of(32), 0);
    let count = padded.len() / 32;
    for (i, block) in padded.chunks(32).enumerate() {
        x.iter_mut().zip(words64(block)).for_each(|(word, other)| *word ^= other);
        if i == count - 1 {
            x[4] ^= 0x80 << 56;
        }
        ascon_p12(&mut x);
    }
    let mut tag = vec![];
    while tag.len() < tag_len {
        tag.extend(x[..2].iter().flat_map(|word| word.to_le_bytes()));
        ascon_p12(&mut x);
    }
    tag
}

#[test]
fn ascon_mac_and_prf() {
    // Which, 0, rounds twice, bits of the tag in two bytes, bytes taken and given.
    agree("ascon-mac", |key, message| ascon([5, 0, 0xcc, 128, 0, 32, 16, 0], 16, key, message));
    agree("ascon-prf", |key, message| ascon([6, 0, 0xcc, 0, 0, 32, 16, 0], 32, key, message));
}

/// RFC 9861 §2.2.
fn turbo_shake(rate: usize, message: &[u8], domain: u8, len: usize) -> Vec<u8> {
    let mut padded = [message, &[domain]].concat();
    padded.resize(padded.len().next_multiple_of(rate), 0);
    *padded.last_mut().unwrap() ^= 0x80;
    let mut state = [0_u64; 25];
    for block in padded.chunks(rate) {
        state.iter_mut().zip(words64(block)).for_each(|(lane, other)| *lane ^= other);
        keccak::Keccak::new().with_p1600::<12>(|p1600| p1600(&mut state));
    }
    state.iter().flat_map(|lane| lane.to_le_bytes()).take(len).collect()
}

/// RFC 9861 §3.3.
fn length_encode(number: usize) -> Vec<u8> {
    let mut digits: Vec<u8> =
        number.to_be_bytes().into_iter().skip_while(|&byte| byte == 0).collect();
    digits.push(digits.len() as u8);
    digits
}

/// RFC 9861 §3.2, with digests of this many bytes at most.
fn kangaroo_twelve(rate: usize, message: &[u8], custom: &[u8], len: usize) -> Vec<u8> {
    let s = [message, custom, &length_encode(custom.len())].concat();
    if s.len() <= 8192 {
        return turbo_shake(rate, &s, 0x07, len);
    }
    let (first, rest) = s.split_at(8192);
    let mut last = [first, &[3, 0, 0, 0, 0, 0, 0, 0]].concat();
    for chunk in rest.chunks(8192) {
        last.extend(turbo_shake(rate, chunk, 0x0b, 200 - rate));
    }
    last.extend(length_encode(rest.len().div_ceil(8192)));
    last.extend([0xff, 0xff]);
    turbo_shake(rate, &last, 0x06, len)
}

/// RFC 9861 §5: the pattern, and what is made of it.
#[test]
fn the_reference_has_the_examples_of_rfc_9861() {
    let pattern = |len: usize| -> Vec<u8> { (0..=250).cycle().take(len).collect() };
    let hex = |digest: Vec<u8>| hex::encode(&digest[..8]);
    assert_eq!(hex(kangaroo_twelve(168, &[], &[], 32)), "1ac2d450fc3b4205");
    assert_eq!(hex(kangaroo_twelve(168, &pattern(17 * 17), &[], 32)), "0c315ebcdedbf614");
    assert_eq!(hex(kangaroo_twelve(168, &pattern(8191), &[], 32)), "1b577636f723643e");
    assert_eq!(hex(kangaroo_twelve(168, &pattern(8192), &[], 32)), "48f256f6772f9edf");
    assert_eq!(hex(kangaroo_twelve(168, &pattern(83_521), &[], 32)), "8701045e22205345");
    assert_eq!(hex(kangaroo_twelve(168, &[0xff], &pattern(41), 32)), "d848c5068ced736f");
    assert_eq!(hex(kangaroo_twelve(168, &[0xff; 7], &pattern(68_921), 32)), "75d2f86a2e644566");
    assert_eq!(hex(kangaroo_twelve(136, &pattern(17), &[], 64)), "1ba3c02b1fc51447");
    assert_eq!(hex(kangaroo_twelve(136, &pattern(83_521), &[], 64)), "b06275d284cd1cf2");
    assert_eq!(hex(kangaroo_twelve(136, &[0xff], &pattern(41), 64)), "47ef96dd616f2009");
}

#[test]
fn hopmac() {
    for (name, rate, len) in [("hopmac128", 168, 32), ("hopmac256", 136, 64)] {
        let of = |key: &[u8], message: &[u8]| {
            kangaroo_twelve(rate, key, &kangaroo_twelve(rate, message, &[], len), len)
        };
        agree(name, of);
        // The longest key, and one that is too long.
        let key = vec![7; 8192 - len - 2];
        assert_eq!(macs::mac(name, &key, b"message").unwrap(), of(&key, b"message"), "{name}");
        assert!(macs::mac(name, &[&key[..], &[7]].concat(), b"message").is_err(), "{name}");
    }
}

/// HighwayHash's state as in the portable program of its authors.
struct Highway {
    v0: Vec<u64>,
    v1: Vec<u64>,
    mul0: Vec<u64>,
    mul1: Vec<u64>,
}

impl Highway {
    fn new(key: &[u8]) -> Self {
        let key = words64(key);
        let mul0 =
            vec![0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344, 0x243f6a8885a308d3];
        let mul1 =
            vec![0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c, 0x452821e638d01377];
        let v0 = (0..4).map(|i| mul0[i] ^ key[i]).collect();
        let v1 = (0..4).map(|i| mul1[i] ^ key[i].rotate_left(32)).collect();
        Self { v0, v1, mul0, mul1 }
    }

    /// Bytes of the two words, by their places in the 16 of both.
    fn zip(odd: u64, even: u64) -> [u64; 2] {
        let bytes = [even.to_le_bytes(), odd.to_le_bytes()].concat();
        let pick = |places: [usize; 8]| u64::from_le_bytes(places.map(|place| bytes[place]));
        [pick([3, 12, 2, 5, 14, 1, 15, 0]), pick([11, 4, 10, 13, 9, 6, 8, 7])]
    }

    fn update(&mut self, packet: &[u64]) {
        let product = |a: u64, b: u64| (a & 0xffff_ffff) * (b >> 32);
        for (i, word) in packet.iter().enumerate() {
            self.v1[i] = self.v1[i].wrapping_add(*word).wrapping_add(self.mul0[i]);
            self.mul0[i] ^= product(self.v1[i], self.v0[i]);
            self.v0[i] = self.v0[i].wrapping_add(self.mul1[i]);
            self.mul1[i] ^= product(self.v0[i], self.v1[i]);
        }
        for i in [0, 2] {
            let [low, high] = Self::zip(self.v1[i + 1], self.v1[i]);
            self.v0[i] = self.v0[i].wrapping_add(low);
            self.v0[i + 1] = self.v0[i + 1].wrapping_add(high);
        }
        for i in [0, 2] {
            let [low, high] = Self::zip(self.v0[i + 1], self.v0[i]);
            self.v1[i] = self.v1[i].wrapping_add(low);
            self.v1[i + 1] = self.v1[i + 1].wrapping_add(high);
        }
    }

    fn remainder(&mut self, tail: &[u8]) {
        let len = tail.len();
        for word in &mut self.v0 {
            *word = word.wrapping_add(((len as u64) << 32) + len as u64);
        }
        for word in &mut self.v1 {
            let halves =
                [*word as u32, (*word >> 32) as u32].map(|half| half.rotate_left(len as u32));
            *word = u64::from(halves[1]) << 32 | u64::from(halves[0]);
        }
        let mut packet = [0; 32];
        let whole = len & !3;
        packet[..whole].copy_from_slice(&tail[..whole]);
        let rest = &tail[whole..];
        if len & 16 != 0 {
            packet[28..].copy_from_slice(&tail[len - 4..]);
        } else if !rest.is_empty() {
            packet[16] = rest[0];
            packet[17] = rest[rest.len() / 2];
            packet[18] = rest[rest.len() - 1];
        }
        self.update(&words64(&packet));
    }

    fn finish(mut self, tag_len: usize) -> Vec<u8> {
        let updates = match tag_len {
            8 => 4,
            16 => 6,
            _ => 10,
        };
        for _ in 0..updates {
            let turned: Vec<u64> = [2, 3, 0, 1].map(|i| self.v0[i].rotate_left(32)).into();
            self.update(&turned);
        }
        let Self { v0, v1, mul0, mul1 } = self;
        let sum = |words: &[u64]| words.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word));
        let words = match tag_len {
            8 => vec![sum(&[v0[0], v1[0], mul0[0], mul1[0]])],
            16 => {
                vec![sum(&[v0[0], mul0[0], v1[2], mul1[2]]), sum(&[v0[1], mul0[1], v1[3], mul1[3]])]
            }
            _ => [0, 2]
                .into_iter()
                .flat_map(|i| {
                    // Modulo u^256 + u^2 + u, of which only the first half is kept.
                    let (a0, a1) =
                        (v0[i].wrapping_add(mul0[i]), v0[i + 1].wrapping_add(mul0[i + 1]));
                    let (a2, a3) =
                        (v1[i].wrapping_add(mul1[i]), v1[i + 1].wrapping_add(mul1[i + 1]));
                    let a3 = a3 & 0x3fff_ffff_ffff_ffff;
                    let shifted = |by: u32| (a3 << by | a2 >> (64 - by), a2 << by);
                    let ((high1, low1), (high2, low2)) = (shifted(1), shifted(2));
                    [a0 ^ low1 ^ low2, a1 ^ high1 ^ high2]
                })
                .collect(),
        };
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }
}

#[test]
fn highwayhash() {
    for (name, tag_len) in [("highwayhash-64", 8), ("highwayhash-128", 16), ("highwayhash-256", 32)]
    {
        agree(name, |key, message| {
            let mut hash = Highway::new(key);
            let mut packets = message.chunks_exact(32);
            packets.by_ref().for_each(|packet| hash.update(&words64(packet)));
            if !packets.remainder().is_empty() {
                hash.remainder(packets.remainder());
            }
            hash.finish(tag_len)
        });
    }
}
