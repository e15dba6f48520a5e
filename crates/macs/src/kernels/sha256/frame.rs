//! What HMAC and KHC do beside compressing: the same tasks on the same units, with the 64 rounds
//! taken out. Keys, blocks, padding and tags are loaded, converted and masked as ever; where a
//! block would be compressed its words are XORed into the chaining value, so that nothing can be
//! left out and every step waits for the one before. A tag made so authenticates nothing.

use super::batch::{Hmacs, SetUps};
use super::khc::{Khc, KhcKernel, KhcVariant, Khcs};
use super::message::{Blocks, Hmac, HmacOnce, SetUp};
use super::unit::{One, Task, Unit};
use super::{BLOCK_LEN, Block, Digest, Sha256};
use crate::inside::Sealed;
use crate::kernels::Job;
use crate::kernels::lanes::hmac::batch::in_windows;
use crate::kernels::lanes::hmac::{Hash, HmacKernel, HmacKey, hashes};
use crate::kernels::lanes::{self, Plan};
use crate::kernels::{Choice, Getter, KernelName};

pub(crate) use super::State;

hashes! {
    /// SHA-256 without its rounds: no hash.
    Sha256Frame: 64 [u32; 8] 32 8 to_be_bytes true <Sha256 as Hash<BLOCK_LEN>>::INITIAL;
}

/// A code path of SHA-256 whose rounds are taken out.
#[derive(Clone, Copy, Debug)]
pub struct Kernel(super::Kernel);

impl Sealed for Kernel {}

impl Choice for Kernel {
    const ALL: &'static [(KernelName, Getter<Self>)] = &[
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        (KernelName::ShaNi, || of(KernelName::ShaNi)),
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        (KernelName::Avx512, || of(KernelName::Avx512)),
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        (KernelName::Avx2, || of(KernelName::Avx2)),
        #[cfg(target_arch = "aarch64")]
        (KernelName::Armv8, || of(KernelName::Armv8)),
        (KernelName::Soft, || of(KernelName::Soft)),
    ];

    fn name(self) -> KernelName {
        self.0.name()
    }

    #[inline(always)]
    fn best() -> Self {
        Self(Choice::best())
    }
}

/// The frame of the code path of this name, if the CPU has it.
fn of(name: KernelName) -> Option<Kernel> {
    let (_, get) = super::Kernel::ALL.iter().find(|(other, _)| *other == name)?;
    get().map(Kernel)
}

/// A unit with its rounds taken out.
#[derive(Clone, Copy)]
struct NoRounds<U>(U);

/// Another task, on a unit without rounds.
struct Framed<T>(T);

impl<T: Task> Task for Framed<T> {
    type Output = T::Output;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, message: &[u8]) -> T::Output {
        self.0.run(NoRounds(unit), message)
    }
}

impl<U: Unit> Unit for NoRounds<U> {
    type Chain = U::Chain;
    type Words = U::Words;
    // Batches go one message after the other.
    const STEP_MIN: usize = usize::MAX;
    const LANES_MIN: usize = usize::MAX;
    const SETS_UP_BY_TWO: bool = U::SETS_UP_BY_TWO;

    #[inline(always)]
    fn chain(self, state: &State) -> U::Chain {
        self.0.chain(state)
    }

    #[inline(always)]
    fn state(self, chain: U::Chain) -> State {
        self.0.state(chain)
    }

    #[inline(always)]
    fn digest(self, chain: U::Chain) -> Digest {
        self.0.digest(chain)
    }

    #[inline(always)]
    fn xor_chain(self, chain: U::Chain, constant: u32) -> U::Chain {
        self.0.xor_chain(chain, constant)
    }

    #[inline(always)]
    fn words(self, block: &Block) -> U::Words {
        self.0.words(block)
    }

    #[inline(always)]
    fn tail(self, message: &[u8], mark: u8) -> U::Words {
        self.0.tail(message, mark)
    }

    #[inline(always)]
    fn zero(self) -> U::Words {
        self.0.zero()
    }

    #[inline(always)]
    fn xor_words(self, words: U::Words, constant: u32) -> U::Words {
        self.0.xor_words(words, constant)
    }

    #[inline(always)]
    fn with_field(self, words: U::Words, field: u64) -> U::Words {
        self.0.with_field(words, field)
    }

    #[inline(always)]
    fn digest_words(self, chain: U::Chain, count: usize) -> U::Words {
        self.0.digest_words(chain, count)
    }

    #[inline(always)]
    fn one(self, chain: U::Chain, words: U::Words) -> U::Chain {
        self.0.without_rounds(chain, words)
    }

    #[inline(always)]
    fn two(self, [a, b]: [U::Chain; 2], [v, w]: [U::Words; 2]) -> [U::Chain; 2] {
        [self.one(a, v), self.one(b, w)]
    }

    #[inline(always)]
    fn without_rounds(self, chain: U::Chain, words: U::Words) -> U::Chain {
        self.one(chain, words)
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        lanes::drive::<_, _, 64, 1>(&mut One::new(self), plan);
    }
}

impl Kernel {
    #[inline(always)]
    fn run<T: Task>(self, task: T, message: &[u8], output: &mut T::Output) {
        self.0.run(Framed(task), message, output);
    }

    #[inline(always)]
    fn run_to<T: Task<Output = Digest>>(self, task: T, message: &[u8], tag: &mut [u8]) {
        self.0.run_to(Framed(task), message, tag);
    }
}

impl HmacKernel<Sha256Frame, BLOCK_LEN> for Kernel {
    #[inline(always)]
    fn compress(self, state: &mut State, blocks: &[Block]) {
        self.run(Blocks { state }, blocks.as_flattened(), &mut ());
    }

    #[inline(always)]
    fn hmac_key(self, key: &[u8], states: &mut HmacKey<State>) {
        self.run(SetUp::<Sha256Frame>::new(), key, states);
    }

    #[inline(always)]
    fn hmac(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        self.run_to(Hmac::<Sha256Frame>::new(key), message, tag);
    }

    #[inline(always)]
    fn hmac_once(self, key: &[u8], message: &[u8], tag: &mut [u8]) {
        self.run_to(HmacOnce::<Sha256Frame>::new(key), message, tag);
    }

    fn hmac_keys(self, keys: &[&[u8]], states: &mut [HmacKey<State>]) {
        assert_eq!(keys.len(), states.len(), "a place for each key");
        self.run(SetUps::<Sha256Frame>::new(keys, states), &[], &mut ());
    }

    fn hmac_batch(self, keys: &[HmacKey<State>], jobs: &[Job<'_>], tags: &mut [u8]) {
        in_windows(keys, jobs, tags, |tags, numbers| {
            self.run(Hmacs::<Sha256Frame> { tags, numbers }, &[], &mut ());
        });
    }
}

impl KhcKernel for Kernel {
    #[inline(always)]
    fn compress(self, state: &mut State, blocks: &[Block]) {
        HmacKernel::<Sha256Frame, BLOCK_LEN>::compress(self, state, blocks);
    }

    #[inline(always)]
    fn khc(self, variant: KhcVariant, key: &State, message: &[u8], tag: &mut Digest) {
        match variant {
            KhcVariant::Khc1 => self.run(Khc::<false> { key }, message, tag),
            KhcVariant::Khc2 => self.run(Khc::<true> { key }, message, tag),
        }
    }

    fn khc_batch(self, variant: KhcVariant, keys: &[State], jobs: &[Job<'_>], tags: &mut [u8]) {
        assert_eq!(jobs.len() * size_of::<Digest>(), tags.len(), "a place for each tag");
        match variant {
            KhcVariant::Khc1 => self.run(Khcs::<false> { keys, jobs, tags }, &[], &mut ()),
            KhcVariant::Khc2 => self.run(Khcs::<true> { keys, jobs, tags }, &[], &mut ()),
        }
    }
}
