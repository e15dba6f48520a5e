use alloc::vec::Vec;

use sha2::block_api::compress512;

use super::{Block, Kernel, digest_block};
use crate::kernels::lanes::Lanes;
use crate::kernels::tests::{bytes, kernels};

/// FIPS 180-4 §5.3.5.
const INITIAL: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];

fn noise_blocks(blocks: usize, seed: usize) -> Vec<Block> {
    bytes(128 * blocks, seed).as_chunks().0.to_vec()
}

fn noise_state(seed: usize) -> [u64; 8] {
    let bytes = bytes(64, seed);
    core::array::from_fn(|i| u64::from_le_bytes(bytes.as_chunks().0[i]))
}

/// FIPS 180-4 §5.1.2 and §6.4.2, as they stand.
fn absorb(state: &mut [u64; 8], message: &[u8], absorbed_len: usize) {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 128 != 112 {
        padded.push(0);
    }
    padded.extend(((absorbed_len + message.len()) as u128 * 8).to_be_bytes());
    compress512(state, padded.as_chunks().0);
}

/// FIPS 198-1 §4, as it stands.
fn hmac(initial: &[u64; 8], key: &[u8], message: &[u8], digest_len: usize) -> [u64; 8] {
    let padded_key = |pad: u8| -> Block {
        core::array::from_fn(|i| key.get(i).copied().unwrap_or_default() ^ pad)
    };
    let mut inner = *initial;
    compress512(&mut inner, &[padded_key(0x36)]);
    absorb(&mut inner, message, 128);
    let digest: Vec<u8> = inner.iter().flat_map(|word| word.to_be_bytes()).collect();
    let mut outer = *initial;
    compress512(&mut outer, &[padded_key(0x5c)]);
    absorb(&mut outer, &digest[..digest_len], 128);
    outer
}

#[test]
fn compresses_as_the_reference() {
    for kernel in kernels::<Kernel>() {
        for count in 0..20 {
            let (mut state, blocks) = (noise_state(count), noise_blocks(count, count));
            let mut expected = state;
            compress512(&mut expected, &blocks);
            kernel.compress(&mut state, &blocks);
            assert_eq!(state, expected, "{kernel:?}, {count} blocks");
        }
    }
}

#[test]
fn compresses_pairs_and_words() {
    for kernel in kernels::<Kernel>() {
        for seed in 0..50 {
            let blocks = noise_blocks(2, seed);
            let [mut first, mut second] = [noise_state(seed), noise_state(seed + 1000)];
            let (mut expected, mut words_state) = ([first, second], first);
            compress512(&mut expected[0], &blocks[..1]);
            compress512(&mut expected[1], &blocks[1..]);
            kernel.compress_pair([&mut first, &mut second], [&blocks[0], &blocks[1]]);
            assert_eq!([first, second], expected, "{kernel:?}");
            let words = blocks[0].as_chunks().0;
            let words = core::array::from_fn(|i| u64::from_be_bytes(words[i]));
            kernel.compress_words(&mut words_state, &words);
            assert_eq!(words_state, expected[0], "{kernel:?}");
        }
    }
}

#[test]
fn macs_as_the_reference() {
    for kernel in kernels::<Kernel>() {
        for digest_len in [28, 32, 48, 64] {
            for len in (0..400).chain([1000, 1024, 5000]) {
                let key = bytes(len % 129, len);
                let message = bytes(len, len + 1);
                let expected = hmac(&INITIAL, &key, &message, digest_len);
                let [inner, outer] = kernel.hmac_states(&INITIAL, &key);
                let tag = kernel.hmac(&inner, &outer, &message, digest_len);
                assert_eq!(tag, expected, "{kernel:?}, {len} bytes, digest of {digest_len}");
                let once = kernel.hmac_once(&INITIAL, &key, &message, digest_len);
                assert_eq!(once, expected, "{kernel:?}, {len} bytes, digest of {digest_len}");
            }
        }
    }
}

#[test]
fn pads_a_cut_digest() {
    let block = digest_block(&[u64::MAX; 8], 28);
    assert_eq!(block[2..5], [u64::MAX, 0xffff_ffff_8000_0000, 0]);
    assert_eq!(block[15], (128 + 28) * 8);
    let block = digest_block(&[u64::MAX; 8], 64);
    assert_eq!(block[7..10], [u64::MAX, 1 << 63, 0]);
}

/// Runs of several lengths, and lanes that begin again.
fn check_lanes<L: Lanes<State = [u64; 8], Block = Block>>(mut lanes: L) {
    let mut expected: Vec<[u64; 8]> = (0..L::LANES).map(noise_state).collect();
    for (lane, state) in expected.iter().enumerate() {
        lanes.put(lane, state);
    }
    for count in [1, 0, 2, 3, 7] {
        let runs: Vec<Vec<Block>> =
            (0..L::LANES).map(|lane| noise_blocks(count, lane + 7)).collect();
        let slices: Vec<&[Block]> = runs.iter().map(Vec::as_slice).collect();
        lanes.absorb(&slices);
        for (lane, state) in expected.iter_mut().enumerate() {
            compress512(state, &runs[lane]);
            assert_eq!(lanes.take(lane), *state, "lane {lane}, {count} blocks");
        }
        let again = count % L::LANES;
        expected[again] = noise_state(count + 100);
        lanes.put(again, &expected[again]);
    }
    for active in 1..=L::LANES {
        let runs: Vec<Vec<Block>> =
            (0..L::LANES).map(|lane| noise_blocks(3, 10 * active + lane)).collect();
        let slices: Vec<&[Block]> = runs.iter().map(Vec::as_slice).collect();
        lanes.absorb_first(active, &slices);
        for (lane, state) in expected.iter_mut().enumerate() {
            if lane < active {
                compress512(state, &runs[lane]);
                assert_eq!(lanes.take(lane), *state, "lane {lane} of {active}");
            }
            *state = noise_state(active + lane);
            lanes.put(lane, state);
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[test]
fn lanes_compress_as_the_reference() {
    use super::lanes::{Lanes4, Lanes8};
    use crate::kernels::cpu::{Avx2, Avx512};

    if let Some(token) = Avx512::get() {
        check_lanes(Lanes8::new(token));
    }
    if let Some(token) = Avx2::get() {
        check_lanes(Lanes4::new(token));
    }
}
