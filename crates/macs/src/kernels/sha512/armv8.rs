//! SHA-512 with the instructions of ARMv8.2 (feature `sha3`): two rounds at a time.
#![expect(unsafe_code, reason = "loads through pointers, a call that needs the CPU's features")]

use core::arch::aarch64::{
    uint64x2_t, vaddq_u64, vextq_u64, vld1q_u8, vld1q_u64, vreinterpretq_u64_u8, vrev64q_u8,
    vsha512h2q_u64, vsha512hq_u64, vsha512su0q_u64, vsha512su1q_u64, vst1q_u64,
};

use super::Block;
use super::constants::K;
use crate::kernels::cpu::ArmSha3;

/// Absorbs a run of blocks.
pub(crate) fn compress(_: ArmSha3, state: &mut [u64; 8], blocks: &[Block]) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run(state, blocks) }
}

#[target_feature(enable = "neon,sha2,sha3")]
fn run(state: &mut [u64; 8], blocks: &[Block]) {
    let mut v = [0, 2, 4, 6].map(|word| load_words([state[word], state[word + 1]]));
    for block in blocks {
        let start = v;
        let (pairs, _) = block.as_chunks::<16>();
        let mut w = [v[0]; 8];
        w.iter_mut().zip(pairs).for_each(|(pair, bytes)| *pair = load_be(bytes));
        let [first, others @ ..] = K.0.as_chunks::<16>().0 else { unreachable!("80 constants") };
        v = sixteen::<false>(v, &mut w, first);
        for constants in others {
            v = sixteen::<true>(v, &mut w, constants);
        }
        v = [0, 1, 2, 3].map(|i| vaddq_u64(v[i], start[i]));
    }
    for (i, pair) in v.into_iter().enumerate() {
        [state[2 * i], state[2 * i + 1]] = words(pair);
    }
}

/// Sixteen rounds. With `SCHEDULES`, the words become the next sixteen before.
#[inline]
#[target_feature(enable = "neon,sha2,sha3")]
fn sixteen<const SCHEDULES: bool>(
    mut v: [uint64x2_t; 4],
    w: &mut [uint64x2_t; 8],
    constants: &[u64; 16],
) -> [uint64x2_t; 4] {
    for i in 0..8 {
        if SCHEDULES {
            let middle = vextq_u64::<1>(w[(i + 4) % 8], w[(i + 5) % 8]);
            let older = vsha512su0q_u64(w[i], w[(i + 1) % 8]);
            w[i] = vsha512su1q_u64(older, w[(i + 7) % 8], middle);
        }
        let wk = vaddq_u64(w[i], load_words([constants[2 * i], constants[2 * i + 1]]));
        v = two_rounds(v, wk);
    }
    v
}

/// The variables a to h as four pairs, the first of a pair in the low lane.
#[inline]
#[target_feature(enable = "neon,sha2,sha3")]
fn two_rounds([ab, cd, ef, gh]: [uint64x2_t; 4], wk: uint64x2_t) -> [uint64x2_t; 4] {
    let h_wk = vaddq_u64(vextq_u64::<1>(wk, wk), gh);
    let t = vsha512hq_u64(h_wk, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
    [vsha512h2q_u64(t, cd, ab), ab, vaddq_u64(cd, t), ef]
}

#[inline]
#[target_feature(enable = "neon")]
fn load_words(words: [u64; 2]) -> uint64x2_t {
    // SAFETY: reads 16 bytes of an array of 16 bytes.
    unsafe { vld1q_u64(words.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn load_be(bytes: &[u8; 16]) -> uint64x2_t {
    // SAFETY: reads 16 bytes of an array of 16 bytes.
    vreinterpretq_u64_u8(vrev64q_u8(unsafe { vld1q_u8(bytes.as_ptr()) }))
}

#[inline]
#[target_feature(enable = "neon")]
fn words(pair: uint64x2_t) -> [u64; 2] {
    let mut words = [0; 2];
    // SAFETY: writes 16 bytes of an array of 16 bytes.
    unsafe { vst1q_u64(words.as_mut_ptr(), pair) };
    words
}
