//! What every hash with blocks of 64 bytes is held to, against a reference.

use alloc::vec::Vec;

use super::*;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::lanes::Lanes;
use crate::kernels::tests::bytes;

/// Blocks that differ from seed to seed.
pub(crate) fn blocks(count: usize, seed: usize) -> Vec<Block> {
    bytes(64 * count, seed).as_chunks().0.to_vec()
}

/// Runs of blocks, and pairs, against the reference's block function.
pub(crate) fn check_compress<H: Hash>(hash: H, reference: fn(&mut H::State, &[Block]))
where
    H::State: PartialEq + core::fmt::Debug,
{
    let mut states = [H::INITIAL; 2];
    let mut expected = states;
    for count in 0..20 {
        let run = blocks(count, count);
        hash.compress(&mut states[0], &run);
        reference(&mut expected[0], &run);
        assert_eq!(states, expected, "{count} blocks");
        let pair = blocks(2, 100 + count);
        let [first, second] = &mut states;
        hash.compress_pair([first, second], [&pair[0], &pair[1]]);
        reference(&mut expected[0], &pair[..1]);
        reference(&mut expected[1], &pair[1..]);
        assert_eq!(states, expected, "a pair");
    }
}

/// The three functions of HMAC for all short lengths, against the reference's tag.
pub(crate) fn check_hmac<S>(
    hmac: impl Fn(&S, &S, &[u8]) -> S,
    key_states: impl Fn(&[u8]) -> [S; 2],
    once: impl Fn(&[u8], &[u8]) -> S,
    tag: impl Fn(&S) -> Vec<u8>,
    reference: impl Fn(&[u8], &[u8]) -> Vec<u8>,
) {
    // Exactly as long, so that a read beyond the end may be seen by an allocator that guards.
    let check = |key_len: usize, message_len: usize| {
        let (key, message) = (bytes(key_len, 1), bytes(message_len, message_len));
        let expected = reference(&key, &message);
        let [inner, outer] = key_states(&key);
        let lengths = alloc::format!("key of {key_len}, message of {message_len} bytes");
        assert_eq!(tag(&hmac(&inner, &outer, &message)), expected, "{lengths}");
        assert_eq!(tag(&once(&key, &message)), expected, "{lengths}, once");
    };
    for key_len in 0..=64 {
        for message_len in [0, 1, 16, 63, 64, 65] {
            check(key_len, message_len);
        }
    }
    for message_len in (0..=260).chain([1000, 4095, 4096, 10_000]) {
        check(20, message_len);
    }
}

/// Chains put into lanes and absorbing runs, against the reference's block function.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) fn check_lanes<L: Lanes<Block = Block>>(
    mut lanes: L,
    reference: fn(&mut L::State, &[Block]),
    state_of: impl Fn(u32) -> L::State,
) where
    L::State: PartialEq + core::fmt::Debug,
{
    let mut expected: Vec<L::State> = (0..L::LANES as u32).map(&state_of).collect();
    for (lane, state) in expected.iter().enumerate() {
        lanes.put(lane, state);
    }
    for count in [1, 0, 2, 3, 9] {
        let runs: Vec<Vec<Block>> =
            (0..L::LANES).map(|lane| blocks(count, count * 64 + lane)).collect();
        let slices: Vec<&[Block]> = runs.iter().map(Vec::as_slice).collect();
        lanes.absorb(&slices);
        for (state, run) in expected.iter_mut().zip(&slices) {
            reference(state, run);
        }
        // One lane is refilled while the others go on.
        let refilled = (count * 7) % L::LANES;
        let taken: Vec<L::State> = (0..L::LANES).map(|lane| lanes.take(lane)).collect();
        assert_eq!(taken, expected, "{count} blocks");
        expected[refilled] = state_of(1000 + count as u32);
        lanes.put(refilled, &expected[refilled]);
    }
}
