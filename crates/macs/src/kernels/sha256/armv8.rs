//! SHA-256 with the SHA-2 instructions of ARMv8.
#![expect(unsafe_code, reason = "intrinsics under a token, loads and stores of vectors")]

use core::arch::aarch64::*;
use core::arch::asm;

use super::soft::{K, Portable};
use super::unit::{FourStreams, Fours, Task, Unit};
use super::{Block, Digest, State};
use crate::kernels::cpu::ArmSha2;
use crate::kernels::lanes::{self, Plan};

pub(crate) fn run<T: Task>(token: ArmSha2, task: T, message: &[u8], output: &mut T::Output) {
    // SAFETY: the token proves the features.
    unsafe { run_with(token, task, message, output) }
}

#[target_feature(enable = "sha2")]
fn run_with<T: Task>(token: ArmSha2, task: T, message: &[u8], output: &mut T::Output) {
    *output = task.run(token, message);
}

/// The words a to d and e to h.
pub(crate) type Chain = [uint32x4_t; 2];

/// The words of a block.
pub(crate) type Words = [uint32x4_t; 4];

#[inline(always)]
fn from_words(words: [u32; 16]) -> Words {
    // SAFETY: both are 64 bytes without invalid values.
    unsafe { core::mem::transmute::<[u32; 16], Words>(words) }
}

#[inline(always)]
fn xor<const N: usize>(vectors: [uint32x4_t; N], constant: u32) -> [uint32x4_t; N] {
    // SAFETY: NEON is part of the target.
    vectors.map(|vector| unsafe { veorq_u32(vector, vdupq_n_u32(constant)) })
}

impl Unit for ArmSha2 {
    type Chain = Chain;
    type Words = Words;
    const STEP_MIN: usize = 2;
    const LANES_MIN: usize = 4;
    const SETS_UP_BY_TWO: bool = true;

    #[inline(always)]
    fn chain(self, state: &State) -> Chain {
        // SAFETY: both are 32 bytes without invalid values.
        unsafe { core::mem::transmute::<State, Chain>(*state) }
    }

    #[inline(always)]
    fn state(self, chain: Chain) -> State {
        // SAFETY: both are 32 bytes without invalid values.
        unsafe { core::mem::transmute::<Chain, State>(chain) }
    }

    #[inline(always)]
    fn digest(self, chain: Chain) -> Digest {
        Portable.digest(self.state(chain))
    }

    #[inline(always)]
    fn xor_chain(self, chain: Chain, constant: u32) -> Chain {
        xor(chain, constant)
    }

    #[inline(always)]
    fn words(self, block: &Block) -> Words {
        from_words(Portable.words(block))
    }

    #[inline(always)]
    fn tail(self, message: &[u8], mark: u8) -> Words {
        from_words(Portable.tail(message, mark))
    }

    #[inline(always)]
    fn zero(self) -> Words {
        from_words([0; 16])
    }

    #[inline(always)]
    fn xor_words(self, words: Words, constant: u32) -> Words {
        xor(words, constant)
    }

    #[inline(always)]
    fn with_field(self, mut words: Words, field: u64) -> Words {
        let field = [0, 0, (field >> 32) as u32, field as u32];
        // SAFETY: four words lie there; NEON is part of the target.
        words[3] = unsafe { vorrq_u32(words[3], vld1q_u32(field.as_ptr())) };
        words
    }

    #[inline(always)]
    fn digest_words(self, chain: Chain, count: usize) -> Words {
        from_words(Portable.digest_words(self.state(chain), count))
    }

    #[inline(always)]
    fn one(self, chain: Chain, words: Words) -> Chain {
        // SAFETY: the token proves the features.
        let [chain] = unsafe { compress([chain], [words]) };
        chain
    }

    #[inline(always)]
    fn two(self, chains: [Chain; 2], words: [Words; 2]) -> [Chain; 2] {
        // SAFETY: the token proves the features.
        unsafe { compress(chains, words) }
    }

    #[inline(always)]
    fn without_rounds(self, chain: Chain, words: Words) -> Chain {
        let ([mut abcd, mut efgh], [mut a, mut b, mut c, mut d]) = (chain, words);
        // SAFETY: it has no instructions; it makes the compiler forget what it knows of the words.
        unsafe {
            asm!(
                "/* {0:v} {1:v} {2:v} {3:v} {4:v} {5:v} */",
                inout(vreg) abcd, inout(vreg) efgh,
                inout(vreg) a, inout(vreg) b, inout(vreg) c, inout(vreg) d,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        // SAFETY: NEON is part of the target.
        unsafe { [veorq_u32(abcd, veorq_u32(a, c)), veorq_u32(efgh, veorq_u32(b, d))] }
    }

    #[inline(always)]
    fn four(self, chains: [Chain; 4], words: [Words; 4]) -> [Chain; 4] {
        // SAFETY: the token proves the features.
        unsafe { compress(chains, words) }
    }

    #[inline(always)]
    fn absorb_four(self, chains: &mut [Chain; 4], runs: [&[Block]; 4]) {
        // SAFETY: the token proves the features.
        unsafe { absorb(self, chains, runs) }
    }

    #[inline(always)]
    fn absorb_two(self, chains: &mut [Chain; 2], runs: [&[Block]; 2]) {
        // SAFETY: the token proves the features.
        unsafe { absorb(self, chains, runs) }
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        lanes::drive::<_, _, 64, 4>(&mut Fours::<_, 1>::new(self), plan);
    }
}

impl FourStreams for ArmSha2 {
    #[inline(always)]
    fn close(message: &[u8], field: [u8; 8], blocks: &mut [Block; 2]) -> usize {
        lanes::close(message, field, 8, blocks.each_mut().map(|block| &mut block[..]))
    }

    #[inline(always)]
    fn absorb_one(self, chain: &mut Chain, run: &[Block]) {
        // SAFETY: the token proves the features.
        unsafe { absorb(self, core::array::from_mut(chain), [run]) }
    }
}

/// Absorbs runs of one length.
#[target_feature(enable = "sha2")]
fn absorb<const N: usize>(token: ArmSha2, chains: &mut [Chain; N], runs: [&[Block]; N]) {
    let mut running = *chains;
    let count = runs.iter().map(|run| run.len()).min().unwrap_or(0);
    for index in 0..count {
        running = compress(running, runs.map(|run| token.words(&run[index])));
    }
    *chains = running;
}

/// A block for each of `N` chains, side by side: FIPS 180-4 §6.2.2. Sixteen rounds are written out,
/// so that words are known by number: in a loop over them the compiler would keep the words in
/// memory.
#[target_feature(enable = "sha2")]
#[inline]
fn compress<const N: usize>(begun: [Chain; N], mut w: [Words; N]) -> [Chain; N] {
    let mut chains = begun;
    let [scheduling @ .., last] = K.0.as_chunks::<16>().0 else { unreachable!("64 constants") };
    for constants in scheduling {
        sixteen::<N, true>(&mut chains, &mut w, constants);
    }
    sixteen::<N, false>(&mut chains, &mut w, last);
    for (chain, begun) in chains.iter_mut().zip(begun) {
        for (vector, begun) in chain.iter_mut().zip(begun) {
            *vector = vaddq_u32(*vector, begun);
        }
    }
    chains
}

/// Sixteen rounds of each chain. With `SCHEDULES`, each four words become those that are taken
/// sixteen rounds later.
#[target_feature(enable = "sha2")]
#[inline]
fn sixteen<const N: usize, const SCHEDULES: bool>(
    chains: &mut [Chain; N],
    w: &mut [Words; N],
    constants: &[u32; 16],
) {
    let [first, second, third, fourth] = constants.as_chunks().0 else { unreachable!("4 by 4") };
    four::<N, SCHEDULES, 0>(chains, w, first);
    four::<N, SCHEDULES, 1>(chains, w, second);
    four::<N, SCHEDULES, 2>(chains, w, third);
    four::<N, SCHEDULES, 3>(chains, w, fourth);
}

/// Four rounds of each chain, by the words of this number.
#[target_feature(enable = "sha2")]
#[inline]
fn four<const N: usize, const SCHEDULES: bool, const NOW: usize>(
    chains: &mut [Chain; N],
    w: &mut [Words; N],
    constants: &[u32; 4],
) {
    // SAFETY: there are four constants.
    let constants = unsafe { vld1q_u32(constants.as_ptr()) };
    let [far, near, last] = [(NOW + 1) % 4, (NOW + 2) % 4, (NOW + 3) % 4];
    for (chain, w) in chains.iter_mut().zip(w) {
        let input = vaddq_u32(w[NOW], constants);
        if SCHEDULES {
            let sum = vsha256su0q_u32(w[NOW], w[far]);
            w[NOW] = vsha256su1q_u32(sum, w[near], w[last]);
        }
        let [abcd, efgh] = *chain;
        *chain = [vsha256hq_u32(abcd, efgh, input), vsha256h2q_u32(efgh, abcd, input)];
    }
}
