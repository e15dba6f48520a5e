//! AES by its kernels, which take the CBC family whole.

#[cfg(all(feature = "batch", target_arch = "x86_64", target_feature = "sse2"))]
mod rings;

#[cfg(all(feature = "batch", target_arch = "x86_64", target_feature = "sse2"))]
use alloc::boxed::Box;

use cipher::array::Array;
use cipher::consts::U16;
use cipher::inout::InOutBuf;
use cipher::{Block, InvalidLength, Key};
use digest::typenum::Unsigned;

#[cfg(all(feature = "batch", target_arch = "aarch64"))]
use super::chain::ChainJob;
#[cfg(all(feature = "batch", target_arch = "aarch64"))]
use super::many_chains::in_kernel;
use super::variant::LastBlock;
#[cfg(all(feature = "batch", target_arch = "x86_64", target_feature = "sse2"))]
use super::variant::{KeyedChains, Variant};
use super::{AnyCipher, Engine, Invertible};
use crate::inside::Inside;
use crate::kernels::aes::cipher::{Aes, AesInverse, KeyLen, RoundKeys};
pub use crate::kernels::aes::cipher::{Aes128, Aes192, Aes256};
use crate::kernels::aes::{self, Ending, Kernel};
use crate::kernels::chaining::{EaxPass, KEPT_MASKS, MaskedPass, Omac, Pass};
use crate::kernels::{Choice, Pin};
#[cfg(all(
    any(feature = "gcm", feature = "gmac"),
    target_arch = "x86_64",
    target_feature = "sse2"
))]
use crate::kernels::{gcm, ghash};

/// The mask of a last block that is not masked.
const NO_MASK: aes::Block = [0; 16];
/// The value that a chain begins with.
const START: aes::Block = [0; 16];

impl<const KEYS: usize> AnyCipher for Aes<KEYS>
where
    RoundKeys<KEYS>: KeyLen,
{
    type Cipher = Self;
}

impl<const KEYS: usize> Engine for Aes<KEYS>
where
    RoundKeys<KEYS>: KeyLen,
{
    type Kernel = Kernel;
    /// Its kernels are made for one length.
    type OfAnyKey = Self;

    const BLOCK_TAKES_LONG: bool = false;
    const LANES_ARE_USUAL: bool = cfg!(all(target_arch = "x86_64", target_feature = "sse2"));

    #[inline(always)]
    fn blank(kernel: Kernel, _: Inside) -> Self {
        Self::blank(kernel)
    }

    #[inline(always)]
    fn rekey(&mut self, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        check_len::<KEYS>(key)?;
        let (kernel, schedule) = self.parts_mut();
        kernel.expand(key, schedule);
        Ok(())
    }

    #[inline(always)]
    fn kernel(&self, _: Inside) -> Kernel {
        self.parts().0
    }

    #[inline(always)]
    fn chain(&self, y: &mut Block<Self>, head: &[Block<Self>], last: &[Block<Self>], _: Inside) {
        let (kernel, schedule) = self.parts();
        let [head, last] = [head, last].map(Array::cast_slice_to_core);
        kernel.cbc(schedule, &mut y.0, head, last);
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
        let (kernel, schedule) = self.parts();
        let ending = Ending {
            full: ending.full.map_or(&NO_MASK, |mask| &mask.0),
            padded: ending.padded.map_or(&NO_MASK, |mask| &mask.0),
            padding: ending.padding,
            outer: ending.outer.map(|cipher| cipher.parts().1),
        };
        let blocks = Array::cast_slice_to_core(blocks);
        let y = y.map_or(&START, |y| &y.0);
        kernel.cbc_finish(schedule, y, blocks, tail, ending, &mut tag.0);
    }

    #[inline(always)]
    fn rekey_omac(
        &mut self,
        key: &[u8],
        omac: Omac,
        _: Inside,
    ) -> Result<[Block<Self>; 2], InvalidLength> {
        check_len::<KEYS>(key)?;
        let (kernel, schedule) = self.parts_mut();
        let mut masks = [[0; 16]; 2];
        kernel.expand_omac(key, omac, schedule, &mut masks);
        Ok(masks.map(Array))
    }

    #[inline(always)]
    fn omac_once(
        kernel: Kernel,
        key: &[u8],
        omac: Omac,
        message: &[u8],
        tag: &mut Block<Self>,
        _: Inside,
    ) -> Result<(), InvalidLength> {
        check_len::<KEYS>(key)?;
        kernel.omac_once::<KEYS>(key, omac, message, &mut tag.0);
        Ok(())
    }

    #[inline(always)]
    fn encrypt_number(&self, number: u128, block: &mut Block<Self>, _: Inside) {
        let (kernel, schedule) = self.parts();
        kernel.encrypt_number(schedule, number, &mut block.0);
    }

    #[inline(always)]
    fn encrypted_number(&self, number: u128, _: Inside) -> u128 {
        let (kernel, schedule) = self.parts();
        kernel.encrypted_number(schedule, number)
    }

    #[inline(always)]
    fn ctr<const COUNTER_BITS: u32>(
        &self,
        first: &Block<Self>,
        head: &mut [Block<Self>],
        data: InOutBuf<'_, '_, u8>,
        _: Inside,
    ) {
        let ((kernel, schedule), mut counter) = (self.parts(), first.0);
        for run in [Array::slice_as_flattened_mut(head).into(), data] {
            if !run.is_empty() {
                kernel.ctr::<KEYS, COUNTER_BITS>(schedule, &mut counter, run);
            }
        }
    }

    #[inline(always)]
    fn ctr_cbc<const TAKES_OUTPUT: bool>(
        &self,
        mac: &Self,
        pass: Pass<'_, Block<Self>>,
        _: Inside,
    ) {
        let ((kernel, cipher), (_, mac)) = (self.parts(), mac.parts());
        let Pass { counter, y, head, data, masks } = pass;
        let pass = Pass {
            counter: &counter.0,
            y: &mut y.0,
            head: Array::cast_slice_to_core(head),
            data,
            masks: masks.map(|masks| masks.map(|mask| &mask.0)),
        };
        kernel.ctr_cbc::<KEYS, TAKES_OUTPUT>(cipher, mac, pass);
    }

    #[inline(always)]
    fn eax<const SEALS: bool>(&self, pass: EaxPass<'_, Block<Self>>, _: Inside) {
        let (kernel, schedule) = self.parts();
        let EaxPass { masks, after, of_nothing, nonce, associated_data, data, tag } = pass;
        let pass = EaxPass {
            masks: masks.map(|mask| &mask.0),
            after: after.map(|block| &block.0),
            of_nothing: of_nothing.map(|block| &block.0),
            nonce,
            associated_data,
            data,
            tag: &mut tag.0,
        };
        kernel.eax::<KEYS, SEALS>(schedule, pass);
    }

    #[cfg(all(feature = "gcm", target_arch = "x86_64", target_feature = "sse2"))]
    #[inline(always)]
    fn gcm<const SEALS: bool>(
        &self,
        (ghash, key): (ghash::Kernel, &ghash::Key),
        j0: u128,
        pass: &mut gcm::Pass<'_>,
        _: Inside,
    ) -> bool {
        let (kernel, schedule) = self.parts();
        gcm::pass::<KEYS, SEALS>((kernel, ghash), schedule, key, j0, pass)
    }

    #[cfg(all(feature = "gmac", target_arch = "x86_64", target_feature = "sse2"))]
    #[inline(always)]
    fn gmac(
        &self,
        (ghash, key): (ghash::Kernel, &ghash::Key),
        j0: u128,
        end: &gcm::End<'_>,
        tag: &mut [u8; 16],
        _: Inside,
    ) -> bool {
        let (kernel, schedule) = self.parts();
        gcm::gmac((kernel, ghash), schedule, key, j0, end, tag)
    }

    #[inline(always)]
    fn masked_mac(
        &self,
        masks: &[Block<Self>; KEPT_MASKS],
        full: &Block<Self>,
        message: &[u8],
        tag: &mut Block<Self>,
        _: Inside,
    ) {
        let (kernel, schedule) = self.parts();
        kernel.masked_mac(schedule, core_masks(masks), &full.0, message, &mut tag.0);
    }

    #[inline(always)]
    fn masked_sum(&self, pass: MaskedPass<'_, Block<Self>>, _: Inside) {
        let (kernel, schedule) = self.parts();
        let MaskedPass { masks, sum, offset, count, runs } = pass;
        let pass = MaskedPass {
            masks: core_masks(masks),
            sum: &mut sum.0,
            offset: &mut offset.0,
            count,
            runs: runs.map(Array::cast_slice_to_core),
        };
        kernel.masked_sum(schedule, pass);
    }

    /// Measured on a Sapphire Rapids.
    fn gathers_from_bytes(kernel: Kernel, _: Inside) -> usize {
        match kernel {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Kernel::Vaes512(..) => 48,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Kernel::Vaes256(..) => 64,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Kernel::AesNi(_) => 128,
            // Without lanes, or with some that nobody has measured beside counter mode.
            _ => usize::MAX,
        }
    }

    #[cfg(all(feature = "batch", target_arch = "aarch64"))]
    fn gathers(kernel: Kernel, chains: usize, blocks: usize, _: Inside) -> bool {
        kernel.gathers(chains, blocks)
    }

    #[cfg(all(feature = "batch", target_arch = "aarch64"))]
    fn chains(kernel: Kernel, jobs: &[ChainJob<'_, Self>], y: &mut [Block<Self>], _: Inside) {
        in_kernel(jobs, y, |it| it.parts().1, |jobs, y| kernel.cbc_many(jobs, y));
    }

    #[cfg(all(feature = "batch", target_arch = "x86_64", target_feature = "sse2"))]
    fn in_lanes<V: Variant<Self>>(
        kernel: Kernel,
        keys: &[&[u8]],
        with_ciphers: bool,
        _: Inside,
    ) -> Result<Option<Box<dyn KeyedChains<Self>>>, InvalidLength> {
        rings::boxed::<KEYS, V>(kernel, keys, with_ciphers)
    }
}

#[inline(always)]
fn core_masks(masks: &[Array<u8, U16>; KEPT_MASKS]) -> &[aes::Block; KEPT_MASKS] {
    Array::cast_slice_to_core(masks).first_chunk().expect("as many")
}

#[inline(always)]
fn check_len<const KEYS: usize>(key: &[u8]) -> Result<(), InvalidLength>
where
    RoundKeys<KEYS>: KeyLen,
{
    if key.len() == <RoundKeys<KEYS> as KeyLen>::Size::USIZE { Ok(()) } else { Err(InvalidLength) }
}

impl<const KEYS: usize> Invertible for Aes<KEYS>
where
    RoundKeys<KEYS>: KeyLen,
{
    type Inverse = AesInverse<KEYS>;

    fn inverse_on(pin: Pin, key: &Key<Self>) -> AesInverse<KEYS> {
        AesInverse::new_on(Kernel::pinned(pin), key)
    }
}
