//! Every kernel that this CPU has against the pseudo-code of the draft: whole numbers, no reduction
//! that is put off.

use alloc::vec::Vec;

use super::*;
use crate::kernels::tests::kernels;
use crate::kernels::tests::random::Random;

/// Encrypted blocks stand for: random ones, or all ones, which drives sums to their ends.
fn encrypted(random: &mut Random) -> [[u8; 16]; KEY_BLOCKS_MAX] {
    let is_end = random.next().is_multiple_of(4);
    core::array::from_fn(|_| if is_end { [0xff; 16] } else { random.array() })
}

fn multiply_add(a: u128, b: u128, c: u128, m: u128) -> u128 {
    let add = |a: u128, b: u128| if b > 0 && a >= m - b { a - (m - b) } else { a + b };
    let product = (0..128).rev().fold(0, |sum, bit| {
        let doubled = add(sum, sum);
        if b >> bit & 1 == 1 { add(doubled, a % m) } else { doubled }
    });
    add(product, c % m)
}

fn reference(keys: &Keys, message: &[u8], hash: usize) -> u64 {
    let p64 = u128::from(soft::P64);
    let empty: [&[u8]; 1] = [&[]];
    let blocks: Vec<&[u8]> =
        if message.is_empty() { empty.to_vec() } else { message.chunks(128).collect() };
    let poly = u128::from(keys.poly[hash][0]) << 64 | u128::from(keys.poly[hash][1]);
    let y = blocks.iter().fold(1, |y, block| {
        let sum = block.chunks(16).zip(&keys.nh[hash..]).fold(0_u128, |sum, (pair, key)| {
            let mut padded = [0; 16];
            padded[..pair.len()].copy_from_slice(pair);
            let word = |i: usize| {
                let word = u64::from_le_bytes(padded[8 * i..][..8].try_into().unwrap());
                u128::from(word.wrapping_add(key[i]))
            };
            sum.wrapping_add(word(0) * word(1))
        });
        multiply_add(y, poly, sum % (1 << 126), P127)
    });
    let y = multiply_add(1 << 64, 8 * (message.len() % 128) as u128, y, P127);
    let divisor = (1 << 64) - (1 << 32);
    let [k1, k2] = keys.l3[hash].map(u128::from);
    multiply_add((y / divisor + k1) % p64, (y % divisor + k2) % p64, 0, p64) as u64
}

fn check<const N: usize>(random: &mut Random, len: usize) {
    let mut keys = Keys::BLANK;
    keys.derive::<N>(&encrypted(random), |block| *block = random.array());
    let message = random.bytes_or_ones(len);
    let expected: [u64; N] = core::array::from_fn(|hash| reference(&keys, &message, hash));
    let (blocks, tail) = message.as_chunks();
    let split = random.next() as usize % (blocks.len() + 1);
    for kernel in kernels::<Kernel>() {
        assert_eq!(kernel.hash::<N>(&keys, &message), expected, "{kernel:?}, {len} bytes");
        let mut running = Running::START;
        kernel.absorb::<N>(&keys, &mut running, &blocks[..split]);
        kernel.absorb::<N>(&keys, &mut running, &blocks[split..]);
        let hashes = kernel.finish::<N>(&keys, &running, tail);
        assert_eq!(hashes, expected, "{kernel:?}, {len} bytes in {split} and more blocks");
    }
}

#[test]
fn hashes_are_those_of_the_draft() {
    let mut random = Random(1);
    let edges =
        (0..=300).chain((3..60).flat_map(|blocks| [127, 128, 129].map(|i| 128 * blocks + i)));
    for len in edges {
        check::<1>(&mut random, len);
        check::<2>(&mut random, len);
    }
    for _ in 0..200 {
        let len = random.next() as usize % 10_000;
        check::<1>(&mut random, len);
        check::<2>(&mut random, len);
    }
}

/// The kernels do not choose them everywhere.
#[test]
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn vectors_absorb_as_words_do() {
    fn check<const N: usize>(random: &mut Random, token: Avx2, len: usize) {
        let mut keys = Keys::BLANK;
        keys.derive::<N>(&encrypted(random), |block| *block = random.array());
        let message = random.bytes_or_ones(size_of::<Block>() * len);
        let (blocks, mut y) = (message.as_chunks().0, [u128::from(random.next()); N]);
        let mut expected = y;
        soft::absorb(&keys, &mut expected, blocks);
        avx2::absorb(token, &keys, &mut y, blocks);
        assert_eq!(y, expected, "{len} blocks");
    }
    let (mut random, Some(token)) = (Random(2), Avx2::get()) else { return };
    for len in (0..40).cycle().take(400) {
        check::<1>(&mut random, token, len);
        check::<2>(&mut random, token, len);
    }
}

#[test]
fn pairs_of_the_third_layer_that_are_too_large_are_passed_over() {
    let mut blocks = [[0; 16]; KEY_BLOCKS_MAX];
    blocks[key_blocks(2) - 1] = [0xff; 16];
    let mut keys = Keys::BLANK;
    let mut asked = Vec::new();
    keys.derive::<2>(&blocks, |block| {
        asked.push(*block);
        // The second one is the modulus itself, too large by one.
        let word = if block[15] == 1 { soft::P64 } else { soft::P64 - 1 };
        *block = (u128::from(block[15]) << 64 | u128::from(word)).to_be_bytes();
    });
    assert_eq!(keys.l3, [[0, soft::P64 - 1], [2, soft::P64 - 1]]);
    assert_eq!(asked[..3], [0, 1, 2].map(|index| key_plaintext(L3_DOMAIN, index)));
    assert_eq!(Keys::plaintexts::<2>()[11..], asked[..2]);
    assert_eq!(Keys::plaintexts::<1>()[9], asked[0]);
}

#[test]
fn a_polynomial_step_stays_in_its_bound() {
    let largest = (1 << 127) + (1 << 126) + (1 << 64);
    for y in [0, 1, u64::MAX.into(), 1 << 126, P127 - 1, P127, P127 + 1, largest - 1] {
        for key in [[0, 1], [1, 0], [POLY_KEY_MASK; 2]] {
            for m in [0, 1, u64::MAX.into(), soft::NH_MASK] {
                let stepped = soft::poly_step(y, &key, m);
                assert!(stepped < largest);
                let key = u128::from(key[0]) << 64 | u128::from(key[1]);
                assert_eq!(stepped % P127, multiply_add(y, key, m, P127), "{y:x}·{key:x} + {m:x}");
            }
        }
    }
}

#[test]
fn the_third_layer_is_that_of_the_draft() {
    let (divisor, p64) = ((1 << 64) - (1 << 32), u128::from(soft::P64));
    let ys = [0, 1, divisor - 1, divisor, divisor << 62, (divisor << 62) - 1, P127 - divisor];
    for y in ys.into_iter().chain([P127 - (1 << 32), P127 - 1, P127, P127 + 1, u128::MAX]) {
        for [k1, k2] in [[0, 0], [1, p64 - 1], [p64 - 1, 1], [p64 - 1; 2]] {
            let (sum, key) = (y % P127, [k1 as u64, k2 as u64]);
            let product = multiply_add(sum / divisor + k1, (sum % divisor + k2) % p64, 0, p64);
            assert_eq!(u128::from(soft::l3(soft::reduce(y), &key)), product, "{y:x} {key:x?}");
        }
    }
}
