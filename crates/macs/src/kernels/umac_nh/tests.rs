//! Every kernel that this CPU has against the pseudo-code of RFC 4418 §5.2.2.

use alloc::vec::Vec;

use super::*;
use crate::kernels::Choice;

/// SplitMix64 (Steele, Lea, Flood 2014), from a fixed seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Random bytes, or all ones in one case of four.
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mask = if self.next().is_multiple_of(4) { 0xff } else { 0 };
        (0..len).map(|_| self.next() as u8 | mask).collect()
    }
}

fn reference(key: &[[u8; 16]], message: &[u8], hash: usize) -> u64 {
    let mut padded = message.to_vec();
    padded.resize(message.len().next_multiple_of(32).max(32), 0);
    let key = &key.as_flattened()[16 * hash..];
    let word = |i: usize| {
        let [message, key] = [&padded[4 * i..], key[4 * i..].as_ref()].map(|b| b[..4].as_array());
        let message = u32::from_le_bytes(*message.unwrap());
        u64::from(message.wrapping_add(u32::from_be_bytes(*key.unwrap())))
    };
    let pairs = (0..padded.len() / 4).filter(|i| i % 8 < 4);
    pairs.fold(0, |sum, i| sum.wrapping_add(word(i) * word(i + 4)))
}

fn check<const N: usize>(random: &mut Random, len: usize) {
    let key_bytes = random.bytes(16 * (2 * CHUNKS - 1 + N));
    let (blocks, _) = key_bytes.as_chunks();
    let mut key = Key::BLANK;
    key.derive(blocks);
    let message = random.bytes(len);
    let start = random.next();
    let expected: [u64; N] =
        core::array::from_fn(|hash| start.wrapping_add(reference(blocks, &message, hash)));
    for (name, kernel) in Kernel::ALL {
        let Some(kernel) = kernel() else { continue };
        assert_eq!(kernel.name(), *name);
        let mut sums = [start; N];
        kernel.add_tail(&key, &message, &mut sums);
        assert_eq!(sums, expected, "{kernel:?}, {len} bytes");
        if let (chunks, []) = message.as_chunks()
            && !chunks.is_empty()
        {
            let mut sums = [start; N];
            kernel.add(&key, chunks, &mut sums);
            assert_eq!(sums, expected, "{kernel:?}, {} chunks", chunks.len());
        }
    }
}

#[test]
fn sums_are_those_of_the_specification() {
    let mut random = Random(1);
    for len in (0..=32 * CHUNKS).chain([32 * CHUNKS; 20]) {
        check::<1>(&mut random, len);
        check::<2>(&mut random, len);
        check::<3>(&mut random, len);
        check::<4>(&mut random, len);
    }
}
