//! Every kernel that this CPU has against the pseudo-code of RFC 4418 §5.2.2.

use super::*;
use crate::kernels::tests::kernels;
use crate::kernels::tests::random::Random;

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
    let key_bytes = random.bytes_or_ones(16 * (2 * CHUNKS - 1 + N));
    let (blocks, _) = key_bytes.as_chunks();
    let mut key = Key::BLANK;
    key.derive(blocks);
    let message = random.bytes_or_ones(len);
    let start = random.next();
    let expected: [u64; N] =
        core::array::from_fn(|hash| start.wrapping_add(reference(blocks, &message, hash)));
    for kernel in kernels::<Kernel>() {
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
