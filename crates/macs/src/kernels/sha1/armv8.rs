//! SHA-1 with the instructions of ARMv8: FIPS 180-4 §6.1.2. Each group of four rounds is one
//! instruction, by the function of its 20 rounds.
#![expect(unsafe_code, reason = "instructions that the token proves")]

use core::arch::aarch64::*;

use super::{Block, K, State};
use crate::kernels::cpu::ArmSha2;

/// Absorbs a run of blocks.
pub(super) fn compress(_: ArmSha2, state: &mut State, blocks: &[Block]) {
    #[target_feature(enable = "sha2")]
    fn run(state: &mut State, blocks: &[Block]) {
        let [mut chain] = [from_state(state)];
        for block in blocks {
            [chain] = absorb([chain], [load(block)]);
        }
        *state = to_state(chain);
    }
    // SAFETY: the token proves the instructions.
    unsafe { run(state, blocks) }
}

/// One block each for two chaining values.
pub(super) fn compress_pair(_: ArmSha2, states: [&mut State; 2], blocks: [&Block; 2]) {
    #[target_feature(enable = "sha2")]
    fn run([first, second]: [&mut State; 2], blocks: [&Block; 2]) {
        let chains = [from_state(first), from_state(second)];
        let chains = absorb(chains, [load(blocks[0]), load(blocks[1])]);
        [*first, *second] = [to_state(chains[0]), to_state(chains[1])];
    }
    // SAFETY: the token proves the instructions.
    unsafe { run(states, blocks) }
}

/// A chaining value: a, b, c, d and e.
#[derive(Clone, Copy)]
struct Chain {
    abcd: uint32x4_t,
    e: u32,
}

#[inline]
#[target_feature(enable = "sha2")]
fn from_state(state: &State) -> Chain {
    // SAFETY: 16 of the 20 bytes.
    Chain { abcd: unsafe { vld1q_u32(state.as_ptr()) }, e: state[4] }
}

#[inline]
#[target_feature(enable = "sha2")]
fn to_state(chain: Chain) -> State {
    let mut state = [chain.e; 5];
    // SAFETY: 16 of the 20 bytes.
    unsafe { vst1q_u32(state.as_mut_ptr(), chain.abcd) };
    state
}

#[inline]
#[target_feature(enable = "sha2")]
fn load(block: &Block) -> [uint32x4_t; 4] {
    let (quarters, _) = block.as_chunks::<16>();
    let load = |index: usize| {
        // SAFETY: it has 16 bytes.
        let bytes = unsafe { vld1q_u8(quarters[index].as_ptr()) };
        vreinterpretq_u32_u8(vrev32q_u8(bytes))
    };
    [load(0), load(1), load(2), load(3)]
}

/// A block each of `N` chains. The groups are written out, so that words are known by number: in a
/// loop over them the compiler would keep the words in memory.
#[inline]
#[target_feature(enable = "sha2")]
fn absorb<const N: usize>(chains: [Chain; N], mut words: [[uint32x4_t; 4]; N]) -> [Chain; N] {
    let mut after = chains;
    macro_rules! groups {
        ($($group:literal)*) => {
            $(group::<N, $group>(&mut after, &mut words);)*
        };
    }
    groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    for (after, before) in after.iter_mut().zip(chains) {
        after.abcd = vaddq_u32(after.abcd, before.abcd);
        after.e = after.e.wrapping_add(before.e);
    }
    after
}

/// Four rounds of each chain.
#[inline]
#[target_feature(enable = "sha2")]
fn group<const N: usize, const GROUP: usize>(
    chains: &mut [Chain; N],
    words: &mut [[uint32x4_t; 4]; N],
) {
    for (chain, words) in chains.iter_mut().zip(words) {
        if GROUP >= 4 {
            let [w4, w3, w2, w1] = [0, 1, 2, 3].map(|index| words[(GROUP + index) % 4]);
            words[GROUP % 4] = vsha1su1q_u32(vsha1su0q_u32(w4, w3, w2), w1);
        }
        let sum = vaddq_u32(words[GROUP % 4], vdupq_n_u32(K[GROUP / 5]));
        let next_e = vsha1h_u32(vgetq_lane_u32::<0>(chain.abcd));
        chain.abcd = match GROUP / 5 {
            0 => vsha1cq_u32(chain.abcd, chain.e, sum),
            2 => vsha1mq_u32(chain.abcd, chain.e, sum),
            _ => vsha1pq_u32(chain.abcd, chain.e, sum),
        };
        chain.e = next_e;
    }
}
