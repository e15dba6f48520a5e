//! KHC1 and KHC2 (Hirose, Kuwakado: Collision-Resistant and Pseudorandom Hashing Modes of
//! Compression Functions, SCIS 2025, 2B4-2) over SHA-256's compression function, the key as
//! chaining value. KHC1 always pads, and marks the last of several blocks; KHC2 pads to two blocks
//! at least, and not at all a message that fills two or more.

use core::slice;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::avx512;
use super::unit::{Task, Unit};
use super::{BLOCK_LEN, Block, Digest, Kernel, Sha256, State};
use crate::kernels::Choice;
use crate::kernels::lanes::hmac::{Hash, HmacKernel};
use crate::kernels::lanes::{Buffer, Lanes, Plan, Run};
use crate::kernels::{InTurn, Job, by_place};

/// After the first of several blocks.
const FIRST: u32 = 0x11111111;
/// Before the last block, in KHC2 one that is not padded.
const LAST: u32 = 0x22222222;
/// Before the last block of KHC2 if there is padding.
const LAST_PADDED: u32 = 0x44444444;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KhcVariant {
    /// One compression for a message shorter than a block.
    Khc1,
    /// Two compressions at least.
    Khc2,
}

/// What KHC asks of a code path.
pub trait KhcKernel: Choice {
    /// Absorbs a run of blocks.
    fn compress(self, state: &mut State, blocks: &[Block]);

    /// The tag of a whole message.
    fn khc(self, variant: KhcVariant, key: &State, message: &[u8], tag: &mut Digest);

    /// Which batches are not worth a call of [`khc_batch`](Self::khc_batch).
    fn in_turn(self) -> InTurn {
        InTurn::ONE
    }

    /// The tags of many messages, 32 bytes each, in the order of the jobs.
    fn khc_batch(self, variant: KhcVariant, keys: &[State], jobs: &[Job<'_>], tags: &mut [u8]);
}

/// KHC2 if `TWO`, else KHC1.
pub(crate) struct Khc<'a, const TWO: bool> {
    pub(crate) key: &'a State,
}

/// Whether the message is its blocks, without padding, and so its last block is one of them.
#[inline(always)]
fn is_bare<const TWO: bool>(message: &[u8]) -> bool {
    TWO && message.len() > BLOCK_LEN && message.len().is_multiple_of(BLOCK_LEN)
}

/// The full blocks before the last block.
#[inline(always)]
fn head<const TWO: bool>(message: &[u8]) -> &[Block] {
    let (blocks, _) = message.as_chunks();
    &blocks[..blocks.len() - usize::from(is_bare::<TWO>(message))]
}

impl<const TWO: bool> Task for Khc<'_, TWO> {
    type Output = Digest;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, message: &[u8]) -> Digest {
        let mut chain = unit.chain(self.key);
        let tail = unit.tail(message, 0x80);
        let (constant, last) = match head::<TWO>(message) {
            [] if TWO => {
                chain = unit.one(chain, tail);
                (FIRST ^ LAST_PADDED, unit.zero())
            }
            [] => (LAST, tail),
            [first, middle @ ..] => {
                chain = unit.one(chain, unit.words(first));
                let mut constant = FIRST;
                if !middle.is_empty() {
                    chain = unit.absorb(unit.xor_chain(chain, FIRST), middle);
                    constant = 0;
                }
                match message.last_chunk() {
                    Some(block) if is_bare::<TWO>(message) => (constant ^ LAST, unit.words(block)),
                    _ if TWO => (constant ^ LAST_PADDED, tail),
                    _ => (constant ^ LAST, unit.with_field(tail, 1)),
                }
            }
        };
        unit.digest(unit.one(unit.xor_chain(chain, constant), last))
    }
}

/// The tags of KHC's messages, KHC2's if `TWO`.
pub(crate) struct KhcTags<'a, const TWO: bool> {
    pub(crate) keys: &'a [State],
    pub(crate) jobs: &'a [Job<'a>],
    pub(crate) tags: &'a mut [Digest],
}

/// The padded tail, to the first block of the buffer.
#[inline(always)]
fn pad<L: Lanes<Block = Block>>(message: &[u8], buffer: &mut Buffer<BLOCK_LEN>) {
    L::close(message, [0; 8], 8, buffer);
}

/// The last block, and the constant before it.
#[inline(always)]
fn last<L: Lanes<Block = Block>, const TWO: bool>(
    message: &[u8],
    head_len: usize,
    buffer: &mut Buffer<BLOCK_LEN>,
) -> u32 {
    match message.last_chunk() {
        Some(last) if is_bare::<TWO>(message) => {
            buffer[0] = *last;
            return LAST;
        }
        _ if TWO && head_len == 0 => buffer[0] = [0; BLOCK_LEN],
        _ => pad::<L>(message, buffer),
    }
    if TWO {
        return LAST_PADDED;
    }
    buffer[0][BLOCK_LEN - 1] |= u8::from(head_len > 0);
    LAST
}

impl<'a, const TWO: bool> Plan<'a, BLOCK_LEN> for KhcTags<'a, TWO> {
    type State = State;

    #[inline(always)]
    fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// First block, middle blocks, last block, tag.
    #[inline(always)]
    fn next<L: Lanes<State = State, Block = Block>>(
        &mut self,
        job: usize,
        stage: &mut usize,
        lanes: &mut L,
        lane: usize,
        buffer: &mut Buffer<BLOCK_LEN>,
    ) -> Run<'a, BLOCK_LEN> {
        let message = self.jobs[job].message;
        let head = head::<TWO>(message);
        let xor = |state: State, constant| by_place(0, |at| state[at] ^ constant);
        let (state, constant) = match (*stage, head) {
            (0, []) if !TWO => (self.keys[self.jobs[job].key], 0),
            (0, _) => {
                lanes.put(lane, &self.keys[self.jobs[job].key]);
                *stage = 1;
                if let [first, ..] = head {
                    return Run::Message(slice::from_ref(first));
                }
                pad::<L>(message, buffer);
                return Run::Buffer(1);
            }
            (1, [_, middle @ ..]) if !middle.is_empty() => {
                lanes.put(lane, &xor(lanes.take(lane), FIRST));
                *stage = 2;
                return Run::Message(middle);
            }
            (1, _) => (lanes.take(lane), FIRST),
            (2, _) => (lanes.take(lane), 0),
            _ => {
                Sha256::write_digest(&lanes.take(lane), &mut self.tags[job]);
                return Run::End;
            }
        };
        *stage = 3;
        let constant = constant ^ last::<L, TWO>(message, head.len(), buffer);
        lanes.put(lane, &xor(state, constant));
        Run::Buffer(1)
    }
}

/// So few bytes are quicker one message after the other in the smallest batch for lanes.
const FEW_BYTES: usize = 128;

/// Many messages.
pub(super) struct Khcs<'a, const TWO: bool> {
    pub(super) keys: &'a [State],
    pub(super) jobs: &'a [Job<'a>],
    pub(super) tags: &'a mut [u8],
}

impl<const TWO: bool> Task for Khcs<'_, TWO> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, _: &[u8]) {
        let (tags, _) = self.tags.as_chunks_mut::<{ size_of::<Digest>() }>();
        let Self { keys, jobs, .. } = self;
        let len: usize = jobs.iter().map(|job| job.message.len()).sum();
        if jobs.len() < U::LANES_MIN || jobs.len() == U::LANES_MIN && len < FEW_BYTES {
            for (job, tag) in jobs.iter().zip(tags) {
                *tag = Khc::<TWO> { key: &keys[job.key] }.run(unit, job.message);
            }
            return;
        }
        unit.drive(KhcTags::<TWO> { keys, jobs, tags });
    }
}

impl KhcKernel for Kernel {
    #[inline(always)]
    fn compress(self, state: &mut State, blocks: &[Block]) {
        HmacKernel::<Sha256, BLOCK_LEN>::compress(self, state, blocks);
    }

    #[inline(always)]
    fn khc(self, variant: KhcVariant, key: &State, message: &[u8], tag: &mut Digest) {
        match variant {
            KhcVariant::Khc1 => self.run(Khc::<false> { key }, message, tag),
            KhcVariant::Khc2 => self.run(Khc::<true> { key }, message, tag),
        }
    }

    fn in_turn(self) -> InTurn {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(_) | Self::Avx2(_) => InTurn::few(2),
            Self::Soft => InTurn::ONE,
            // SHA instructions in four streams.
            #[cfg(any(
                target_arch = "aarch64",
                all(target_arch = "x86_64", target_feature = "sse2")
            ))]
            _ => InTurn::few(3),
        }
    }

    fn khc_batch(self, variant: KhcVariant, keys: &[State], jobs: &[Job<'_>], tags: &mut [u8]) {
        assert_eq!(jobs.len() * size_of::<Digest>(), tags.len(), "a place for each tag");
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Self::ShaNi(_, Some(token)) = self
            && jobs.len() >= avx512::STREAMS_BELOW
        {
            let (tags, _) = tags.as_chunks_mut();
            return match variant {
                KhcVariant::Khc1 => {
                    avx512::drive(token, self, KhcTags::<false> { keys, jobs, tags })
                }
                KhcVariant::Khc2 => {
                    avx512::drive(token, self, KhcTags::<true> { keys, jobs, tags })
                }
            };
        }
        match variant {
            KhcVariant::Khc1 => self.run(Khcs::<false> { keys, jobs, tags }, &[], &mut ()),
            KhcVariant::Khc2 => self.run(Khcs::<true> { keys, jobs, tags }, &[], &mut ()),
        }
    }
}
