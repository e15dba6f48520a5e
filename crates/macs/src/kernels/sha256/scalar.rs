//! SHA-256 where there are no SHA instructions: one message in scalar code with BMI2, many in the
//! lanes of the CPU's vectors.

use super::soft::{self, Portable};
use super::unit::Unit;
use super::{Block, Digest, State};
use crate::kernels::lanes::Plan;

/// A token of vectors; it proves BMI1 and BMI2 as well.
pub(super) trait Wide: Copy {
    /// As of `Unit`.
    const LANES_MIN: usize;

    /// FIPS 180-4 §6.2.2.
    fn compress(self, chain: State, words: [u32; 16]) -> State;

    /// Carries a plan out in the vectors' lanes.
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P);
}

/// Portable code, compiled for a CPU with BMI2, and lanes.
#[derive(Clone, Copy)]
pub(super) struct Scalar<V>(pub(super) V);

impl<V: Wide> Unit for Scalar<V> {
    type Chain = State;
    type Words = [u32; 16];
    const STEP_MIN: usize = usize::MAX;
    const LANES_MIN: usize = V::LANES_MIN;
    const SETS_UP_BY_TWO: bool = false;

    #[inline(always)]
    fn chain(self, state: &State) -> State {
        *state
    }

    #[inline(always)]
    fn state(self, chain: State) -> State {
        chain
    }

    #[inline(always)]
    fn digest(self, chain: State) -> Digest {
        Portable.digest(chain)
    }

    #[inline(always)]
    fn xor_chain(self, chain: State, constant: u32) -> State {
        Portable.xor_chain(chain, constant)
    }

    #[inline(always)]
    fn words(self, block: &Block) -> [u32; 16] {
        Portable.words(block)
    }

    #[inline(always)]
    fn tail(self, message: &[u8], mark: u8) -> [u32; 16] {
        Portable.tail(message, mark)
    }

    #[inline(always)]
    fn zero(self) -> [u32; 16] {
        Portable.zero()
    }

    #[inline(always)]
    fn xor_words(self, words: [u32; 16], constant: u32) -> [u32; 16] {
        Portable.xor_words(words, constant)
    }

    #[inline(always)]
    fn with_field(self, words: [u32; 16], field: u64) -> [u32; 16] {
        Portable.with_field(words, field)
    }

    #[inline(always)]
    fn digest_words(self, chain: State, count: usize) -> [u32; 16] {
        Portable.digest_words(chain, count)
    }

    #[inline(always)]
    fn one(self, chain: State, words: [u32; 16]) -> State {
        self.0.compress(chain, words)
    }

    #[inline(always)]
    fn two(self, chains: [State; 2], words: [[u32; 16]; 2]) -> [State; 2] {
        [self.one(chains[0], words[0]), self.one(chains[1], words[1])]
    }

    #[inline(always)]
    fn without_rounds(self, chain: State, words: [u32; 16]) -> State {
        Portable.without_rounds(chain, words)
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        self.0.drive(plan);
    }
}

/// FIPS 180-4 §6.2.2.
#[target_feature(enable = "bmi1,bmi2")]
pub(super) fn compress(chain: State, words: [u32; 16]) -> State {
    soft::compress(chain, words)
}
