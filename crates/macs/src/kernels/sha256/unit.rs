//! What a CPU brings to SHA-256, and the lanes that any such unit makes.

use super::{BLOCK_LEN, Block, Digest, State};
use crate::kernels::lanes::{Lanes, Plan};

pub(super) const END_OF_MESSAGE: u8 = 0x80;
/// The longest tail that leaves room for the mark and the length.
const CLOSING_TAIL_MAX: usize = BLOCK_LEN - 9;

/// The compression function with its operands in registers, in the order the CPU wants.
pub(crate) trait Unit: Copy {
    /// A chaining value.
    type Chain: Copy;
    /// A message block.
    type Words: Copy;
    /// As of `Ways`, with four messages to a step at most.
    const STEP_MIN: usize;
    /// As of `Ways`.
    const LANES_MIN: usize;
    /// Whether key set-ups are quickest two at a time, by `four`.
    const SETS_UP_BY_TWO: bool;

    fn chain(self, state: &State) -> Self::Chain;
    fn state(self, chain: Self::Chain) -> State;
    fn digest(self, chain: Self::Chain) -> Digest;
    /// Every word ⊕ `constant`.
    fn xor_chain(self, chain: Self::Chain, constant: u32) -> Self::Chain;

    fn words(self, block: &Block) -> Self::Words;
    /// The last bytes of the message, those after its full blocks; behind them `mark`, then zeros.
    fn tail(self, message: &[u8], mark: u8) -> Self::Words;
    fn zero(self) -> Self::Words;
    /// Every word ⊕ `constant`.
    fn xor_words(self, words: Self::Words, constant: u32) -> Self::Words;
    /// The last two words ∨ `field`.
    fn with_field(self, words: Self::Words, field: u64) -> Self::Words;
    /// The first words of a chaining value, 7 or 8, as a padded message that follows a key block.
    fn digest_words(self, chain: Self::Chain, count: usize) -> Self::Words;

    /// Absorbs a block.
    fn one(self, chain: Self::Chain, words: Self::Words) -> Self::Chain;
    /// Absorbs a block each.
    fn two(self, chains: [Self::Chain; 2], words: [Self::Words; 2]) -> [Self::Chain; 2];

    /// Absorbs a run of blocks.
    #[inline(always)]
    fn absorb(self, mut chain: Self::Chain, blocks: &[Block]) -> Self::Chain {
        for block in blocks {
            chain = self.one(chain, self.words(block));
        }
        chain
    }

    /// Absorbs a message and its padding; `before` bytes were absorbed before it.
    #[inline(always)]
    fn absorb_all(self, chain: Self::Chain, message: &[u8], before: usize) -> Self::Chain {
        let begun = Begun::new(self, chain, message, before);
        self.one(begun.chain, begun.last)
    }

    /// As `one` with the rounds taken out: each word of the chaining value ⊕ the words at its place
    /// in both halves of the block. Chaining value and words are made before it as they are before
    /// `one`, whatever the compiler could tell of them.
    fn without_rounds(self, chain: Self::Chain, words: Self::Words) -> Self::Chain;

    /// Absorbs a block each.
    #[inline(always)]
    fn four(self, chains: [Self::Chain; 4], words: [Self::Words; 4]) -> [Self::Chain; 4] {
        let [a, b] = self.two([chains[0], chains[1]], [words[0], words[1]]);
        let [c, d] = self.two([chains[2], chains[3]], [words[2], words[3]]);
        [a, b, c, d]
    }

    /// As `two`, in place.
    #[inline(always)]
    fn step_two(self, chains: &mut [Self::Chain; 2], words: &mut [Self::Words; 2]) {
        *chains = self.two(*chains, *words);
    }

    /// As `four`, in place.
    #[inline(always)]
    fn step_four(self, chains: &mut [Self::Chain; 4], words: &mut [Self::Words; 4]) {
        *chains = self.four(*chains, *words);
    }

    /// Absorbs runs of one length.
    #[inline(always)]
    fn absorb_two(self, chains: &mut [Self::Chain; 2], runs: [&[Block]; 2]) {
        for (first, second) in runs[0].iter().zip(runs[1]) {
            *chains = self.two(*chains, [self.words(first), self.words(second)]);
        }
    }

    /// Absorbs runs of one length.
    #[inline(always)]
    fn absorb_four(self, chains: &mut [Self::Chain; 4], [a, b, c, d]: [&[Block]; 4]) {
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            let words = [self.words(a), self.words(b), self.words(c), self.words(d)];
            *chains = self.four(*chains, words);
        }
    }

    /// A task of one message among many, or that is rare; apart, where the rounds are so long that
    /// they should not be repeated for each that comes along.
    #[inline(always)]
    fn apart<T: Task>(self, task: T, message: &[u8]) -> T::Output {
        task.run(self, message)
    }

    /// Carries a plan out in the unit's lanes.
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P);
}

/// A message absorbed up to its last block, padding included.
pub(super) struct Begun<U: Unit> {
    pub(super) chain: U::Chain,
    pub(super) last: U::Words,
}

impl<U: Unit> Begun<U> {
    /// `before` bytes were absorbed before the message.
    #[inline(always)]
    pub(super) fn new(unit: U, chain: U::Chain, message: &[u8], before: usize) -> Self {
        let (blocks, tail) = message.as_chunks();
        let chain = unit.absorb(chain, blocks);
        let words = unit.tail(message, END_OF_MESSAGE);
        let len_bits = (before as u64 + message.len() as u64) << 3;
        if tail.len() <= CLOSING_TAIL_MAX {
            return Self { chain, last: unit.with_field(words, len_bits) };
        }
        let last = unit.with_field(unit.zero(), len_bits);
        Self { chain: unit.one(chain, words), last }
    }
}

/// Work for a unit. The kernel calls it within its `target_feature` function, so everything under
/// `run` must be `inline(always)`.
pub(crate) trait Task {
    /// What comes out.
    type Output;

    fn run<U: Unit>(self, unit: U, message: &[u8]) -> Self::Output;
}

/// One chain.
pub(crate) struct One<U: Unit> {
    unit: U,
    chain: U::Chain,
}

impl<U: Unit> One<U> {
    #[inline(always)]
    pub(crate) fn new(unit: U) -> Self {
        Self { unit, chain: unit.chain(&[0; 8]) }
    }
}

impl<U: Unit> Lanes for One<U> {
    type State = State;
    type Block = Block;
    const LANES: usize = 1;

    #[inline(always)]
    fn put(&mut self, _: usize, state: &State) {
        self.chain = self.unit.chain(state);
    }

    #[inline(always)]
    fn take(&self, _: usize) -> State {
        self.unit.state(self.chain)
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &[&[Block]]) {
        self.chain = self.unit.absorb(self.chain, runs[0]);
    }
}

/// A unit that interleaves four streams.
pub(crate) trait FourStreams: Unit {
    /// As `Lanes::close`.
    fn close(message: &[u8], field: [u8; 8], blocks: &mut [Block; 2]) -> usize;
    /// Absorbs a run.
    fn absorb_one(self, chain: &mut Self::Chain, run: &[Block]);
}

/// `G` groups of four chains.
pub(crate) struct Fours<U: Unit, const G: usize> {
    unit: U,
    groups: [[U::Chain; 4]; G],
}

impl<U: FourStreams, const G: usize> Fours<U, G> {
    #[inline(always)]
    pub(crate) fn new(unit: U) -> Self {
        Self { unit, groups: [[unit.chain(&[0; 8]); 4]; G] }
    }
}

impl<U: FourStreams, const G: usize> Lanes for Fours<U, G> {
    type State = State;
    type Block = Block;
    const LANES: usize = 4 * G;

    #[inline(always)]
    fn put(&mut self, lane: usize, state: &State) {
        self.groups.as_flattened_mut()[lane] = self.unit.chain(state);
    }

    #[inline(always)]
    fn take(&self, lane: usize) -> State {
        self.unit.state(self.groups.as_flattened()[lane])
    }

    #[inline(always)]
    fn close(message: &[u8], field: [u8; 8], _: usize, blocks: &mut [Block; 2]) -> usize {
        U::close(message, field, blocks)
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &[&[Block]]) {
        self.absorb_first(runs.len(), runs);
    }

    #[inline(always)]
    fn absorb_first(&mut self, active: usize, runs: &[&[Block]]) {
        let (fours, _) = runs[..active.next_multiple_of(4)].as_chunks::<4>();
        let mut left = active;
        for (chains, runs) in self.groups.iter_mut().zip(fours) {
            let [first, second, ..] = chains;
            match left {
                1 => self.unit.absorb_one(first, runs[0]),
                2 => {
                    let mut two = [*first, *second];
                    self.unit.absorb_two(&mut two, [runs[0], runs[1]]);
                    [*first, *second] = two;
                }
                _ => self.unit.absorb_four(chains, *runs),
            }
            left = left.saturating_sub(4);
        }
    }
}
