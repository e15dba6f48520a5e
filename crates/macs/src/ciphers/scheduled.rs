//! The ciphers whose kernels take chains only, by RustCrypto's traits.

use core::fmt;
use core::marker::PhantomData;

use cipher::array::{Array, ArraySize};
use cipher::consts::{U0, U1, U8, U16};
use cipher::inout::{InOut, InOutBuf};
use cipher::{
    Block, BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser,
    InvalidLength, Key, KeyInit, KeySizeUser, ParBlocksSizeUser,
};
use zeroize::ZeroizeOnDrop;

use super::chain::ChainJob;
#[cfg(feature = "batch")]
use super::many_chains::in_kernel;
use super::variant::{self, LastBlock};
use super::{AnyCipher, Engine, ctr, ctr_cbc};
use crate::doubling::DoublingSize;
use crate::inside::Inside;
use crate::kernels::Choice;
use crate::kernels::chaining::{EaxPass, Pass};
#[cfg(feature = "rc6")]
use crate::kernels::rc6;
#[cfg(feature = "serpent")]
use crate::kernels::serpent;
#[cfg(feature = "tdes")]
use crate::kernels::tdes;
#[cfg(feature = "twofish")]
use crate::kernels::twofish;
use crate::wipe::overwrite;

/// A key schedule with its kernels.
pub trait KeySchedule: Copy + Send + Sync + 'static {
    /// Length of a block.
    type BlockSize: DoublingSize;
    /// The code paths.
    type Kernel: Choice;
    /// What takes the place of a schedule that is dropped.
    const BLANK: Self;
    /// Length of the longest key; the others are those of 16 bytes and more.
    const KEY_LEN_MAX: usize;
    /// What the type is called in print, before the length of its key in so many bits.
    const NAME: (&'static str, usize);

    /// Key set-up. `key` has a length of the cipher's; always inlined, it is compiled for that.
    fn set_up(&mut self, key: &[u8]);

    /// The CBC chain from `y` over a run of blocks.
    fn chain(
        &self,
        kernel: Self::Kernel,
        y: &mut Array<u8, Self::BlockSize>,
        run: &[Array<u8, Self::BlockSize>],
    );

    /// As [`Engine::gathers`].
    #[cfg(feature = "batch")]
    fn gathers(kernel: Self::Kernel, chains: usize, blocks: usize) -> bool;

    /// Many chains.
    #[cfg(feature = "batch")]
    fn chains<K: ArraySize>(
        kernel: Self::Kernel,
        jobs: &[ChainJob<'_, Scheduled<Self, K>>],
        y: &mut [Array<u8, Self::BlockSize>],
    );
}

/// One row a cipher: module of its kernels, lengths of its blocks and of its longest key, and its
/// name in print.
macro_rules! key_schedules {
    ($($feature:literal $cipher:ident $block:ident $key_len_max:literal $name:expr;)*) => {$(
        #[cfg(feature = $feature)]
        impl KeySchedule for $cipher::Schedule {
            type BlockSize = $block;
            type Kernel = $cipher::Kernel;
            const BLANK: Self = Self::BLANK;
            const KEY_LEN_MAX: usize = $key_len_max;
            const NAME: (&'static str, usize) = $name;

            #[inline(always)]
            fn set_up(&mut self, key: &[u8]) {
                self.set_up(key);
            }

            #[inline(always)]
            fn chain(
                &self,
                kernel: $cipher::Kernel,
                y: &mut Array<u8, $block>,
                run: &[Array<u8, $block>],
            ) {
                kernel.chain(self, &mut y.0, Array::cast_slice_to_core(run));
            }

            #[cfg(feature = "batch")]
            fn gathers(kernel: $cipher::Kernel, chains: usize, blocks: usize) -> bool {
                kernel.worth().pays(chains, blocks)
            }

            #[cfg(feature = "batch")]
            fn chains<K: ArraySize>(
                kernel: $cipher::Kernel,
                jobs: &[ChainJob<'_, Scheduled<Self, K>>],
                y: &mut [Array<u8, $block>],
            ) {
                in_kernel(jobs, y, |it| &it.schedule, |jobs, y| kernel.cbc_many(jobs, y));
            }
        }
    )*};
}

key_schedules! {
    "rc6" rc6 U16 32 ("Rc6_", 1);
    "serpent" serpent U16 32 ("Serpent", 1);
    "tdes" tdes U8 24 ("TdesEde", 64);
    "twofish" twofish U16 32 ("Twofish", 1);
}

/// A cipher with keys of K bytes, or of every length that it has if K is 0. Its schedule is wiped
/// when dropped.
#[derive(Clone)]
pub struct Scheduled<S: KeySchedule, K: ArraySize> {
    kernel: S::Kernel,
    schedule: S,
    key_size: PhantomData<fn() -> K>,
}

/// Compiled once for each cipher, not once for each mode: next to the time that these ciphers need
/// for a block, a call costs little.
impl<S: KeySchedule, K: ArraySize> Scheduled<S, K> {
    #[inline(always)]
    fn set_up(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        let len = if K::USIZE == 0 { key.len() } else { K::USIZE };
        match len {
            16 => self.set_up_of_len::<16>(key),
            24 => self.set_up_of_len::<24>(key),
            32 if S::KEY_LEN_MAX == 32 => self.set_up_of_len::<32>(key),
            _ => Err(InvalidLength),
        }
    }

    #[inline(never)]
    fn set_up_of_len<const LEN: usize>(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        let key: &[u8; LEN] = key.try_into().map_err(|_| InvalidLength)?;
        self.schedule.set_up(key);
        Ok(())
    }

    #[inline(never)]
    fn finish(
        &self,
        y: Option<&Block<Self>>,
        blocks: &[Block<Self>],
        tail: &[u8],
        ending: LastBlock<'_, Self>,
        tag: &mut Block<Self>,
    ) {
        variant::finish(self, y, blocks, tail, ending, tag);
    }

    #[inline(never)]
    fn counter_mode<const COUNTER_BITS: u32>(
        &self,
        first: &Block<Self>,
        head: &mut [Block<Self>],
        data: InOutBuf<'_, '_, u8>,
    ) {
        ctr::apply::<COUNTER_BITS, Self>(self, first, head, data);
    }

    #[inline(never)]
    fn two_passes<const TAKES_OUTPUT: bool>(&self, mac: &Self, pass: Pass<'_, Block<Self>>) {
        ctr_cbc::in_two_passes::<Self, TAKES_OUTPUT>(self, mac, pass);
    }

    #[inline(never)]
    fn eax_passes<const SEALS: bool>(&self, pass: EaxPass<'_, Block<Self>>) {
        ctr_cbc::eax::<Self, SEALS>(self, pass);
    }
}

impl<S: KeySchedule, K: ArraySize> KeySizeUser for Scheduled<S, K> {
    type KeySize = K;
}

impl<S: KeySchedule, K: ArraySize> KeyInit for Scheduled<S, K> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(crate::Pin::BEST, key, Inside(()))
    }
}

impl<S: KeySchedule, K: ArraySize> BlockSizeUser for Scheduled<S, K> {
    type BlockSize = S::BlockSize;
}

impl<S: KeySchedule, K: ArraySize> ParBlocksSizeUser for Scheduled<S, K> {
    type ParBlocksSize = U1;
}

impl<S: KeySchedule, K: ArraySize> BlockCipherEncrypt for Scheduled<S, K> {
    /// Compiled once for each closure, as what is above: PMAC's is long.
    #[inline(never)]
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = S::BlockSize>) {
        f.call(self);
    }
}

impl<S: KeySchedule, K: ArraySize> BlockCipherEncBackend for Scheduled<S, K> {
    /// A chain of one block, from the block over zeros.
    #[inline(always)]
    fn encrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut y = block.get_in().clone();
        self.schedule.chain(self.kernel, &mut y, &[Array::default()]);
        *block.get_out() = y;
    }
}

impl<S: KeySchedule, K: ArraySize> AnyCipher for Scheduled<S, K> {
    type Cipher = Self;
}

impl<S: KeySchedule, K: ArraySize> Engine for Scheduled<S, K> {
    type Kernel = S::Kernel;
    type OfAnyKey = Scheduled<S, U0>;

    #[inline(always)]
    fn blank(kernel: S::Kernel, _: Inside) -> Self {
        Self { kernel, schedule: S::BLANK, key_size: PhantomData }
    }

    #[inline(always)]
    fn rekey(&mut self, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        self.set_up(key)
    }

    #[inline(always)]
    fn kernel(&self, _: Inside) -> S::Kernel {
        self.kernel
    }

    #[inline(always)]
    fn chain(&self, y: &mut Block<Self>, head: &[Block<Self>], last: &[Block<Self>], _: Inside) {
        for run in [head, last] {
            if !run.is_empty() {
                self.schedule.chain(self.kernel, y, run);
            }
        }
    }

    #[inline(always)]
    fn finish_chain(
        &self,
        y: Option<&Block<Self>>,
        blocks: &[Block<Self>],
        tail: &[u8],
        ending: LastBlock<'_, Self>,
        tag: &mut Block<Self>,
        _: Inside,
    ) {
        self.finish(y, blocks, tail, ending, tag);
    }

    #[inline(always)]
    fn ctr<const COUNTER_BITS: u32>(
        &self,
        first: &Block<Self>,
        head: &mut [Block<Self>],
        data: InOutBuf<'_, '_, u8>,
        _: Inside,
    ) {
        self.counter_mode::<COUNTER_BITS>(first, head, data);
    }

    #[inline(always)]
    fn ctr_cbc<const TAKES_OUTPUT: bool>(
        &self,
        mac: &Self,
        pass: Pass<'_, Block<Self>>,
        _: Inside,
    ) {
        self.two_passes::<TAKES_OUTPUT>(mac, pass);
    }

    #[inline(always)]
    fn eax<const SEALS: bool>(&self, pass: EaxPass<'_, Block<Self>>, _: Inside) {
        self.eax_passes::<SEALS>(pass);
    }

    #[cfg(feature = "batch")]
    fn gathers(kernel: S::Kernel, chains: usize, blocks: usize, _: Inside) -> bool {
        S::gathers(kernel, chains, blocks)
    }

    #[cfg(feature = "batch")]
    fn chains(kernel: S::Kernel, jobs: &[ChainJob<'_, Self>], y: &mut [Block<Self>], _: Inside) {
        S::chains(kernel, jobs, y);
    }
}

impl<S: KeySchedule, K: ArraySize> fmt::Debug for Scheduled<S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scheduled { .. }")
    }
}

impl<S: KeySchedule, K: ArraySize> Drop for Scheduled<S, K> {
    fn drop(&mut self) {
        overwrite(&mut self.schedule, S::BLANK);
    }
}

impl<S: KeySchedule, K: ArraySize> ZeroizeOnDrop for Scheduled<S, K> {}
