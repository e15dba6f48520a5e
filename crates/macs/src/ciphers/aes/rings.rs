//! Batches of the CBC family over AES: many chains side by side in the lanes of a kernel, their
//! keys in a ring.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use cipher::array::Array;
use cipher::{Block as CipherBlock, InvalidLength};
use digest::consts::U16;
use digest::typenum::Unsigned;

use super::NO_MASK;
use crate::ciphers::variant::{Ending as _, Joined, KeyedChains, LastBlock, Variant};
use crate::doubling::DoublingSize;
use crate::kernels::Job;
use crate::kernels::aes::cipher::{Aes, KeyLen, RoundKeys};
use crate::kernels::aes::lanes::{self, KeyRing, Padding, Start};
use crate::kernels::aes::{Block, Kernel};
use crate::kernels::chaining::{self, Omac};
use crate::kernels::wiped::wipe_values;
use crate::keyed::KeyedBatch;

/// The keys of a batch, whatever the variant.
struct Keys<const KEYS: usize> {
    kernel: Kernel,
    lanes: lanes::Kernel,
    ring: KeyRing<KEYS>,
    /// What encrypts the chains' last values once more.
    outer: Option<KeyRing<KEYS>>,
    /// The ciphers once more, if a mode encrypts with them as well: to keep them takes half of the
    /// set-up.
    ciphers: Vec<Aes<KEYS>>,
}

/// Those of a variant.
struct Rings<const KEYS: usize, V> {
    keys: Keys<KEYS>,
    variant: PhantomData<fn() -> V>,
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> lanes::End for Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
    const PADDING: Padding = match V::Ending::PADDING {
        chaining::Padding::Zeros => Padding::Zeros,
        chaining::Padding::One if V::Ending::HOLDS_FULL_BLOCK => Padding::OneIfNeeded,
        chaining::Padding::One => Padding::One,
    };
    const TWICE: bool = matches!(V::JOINED, Joined::Two);
}

/// So many keys are split at a time.
const SPLIT: usize = 64;

/// Sets up many keys, for the lanes of the kernel if it has some.
pub(super) fn boxed<const KEYS: usize, V: Variant<Aes<KEYS>>>(
    kernel: Kernel,
    keys: &[&[u8]],
    with_ciphers: bool,
) -> Result<Option<Box<dyn KeyedChains<Aes<KEYS>>>>, InvalidLength>
where
    RoundKeys<KEYS>: KeyLen,
{
    let lanes = match kernel {
        Kernel::Vaes512(_, token) => lanes::Kernel::Vaes512(token),
        Kernel::Vaes256(ni, wide) => lanes::Kernel::Vaes256(ni, wide),
        Kernel::AesNi(token) => lanes::Kernel::AesNi(token),
        Kernel::Soft => return Ok(None),
    };
    let ciphers = if with_ciphers { keys.len() } else { 0 };
    let outer_len = if <Rings<KEYS, V> as lanes::End>::TWICE { keys.len() } else { 0 };
    let room = Keys::new(kernel, lanes, [keys.len(), outer_len, ciphers]);
    let mut rings = Rings::<KEYS, V> { keys: room, variant: PhantomData };
    rings.rekey(0, keys)?;
    Ok(Some(Box::new(rings)))
}

/// Compiled for each length of keys, not for each variant as well.
impl<const KEYS: usize> Keys<KEYS>
where
    RoundKeys<KEYS>: KeyLen,
{
    #[inline(never)]
    fn new(kernel: Kernel, lanes: lanes::Kernel, [keys, outer, ciphers]: [usize; 3]) -> Self {
        Self {
            kernel,
            lanes,
            ring: KeyRing::new(keys),
            outer: (outer > 0).then(|| KeyRing::new(outer)),
            ciphers: vec![Aes::blank(kernel); ciphers],
        }
    }

    /// Copies a cipher, where they are kept once more.
    #[inline(always)]
    fn keep(&mut self, number: usize) {
        if let Some(cipher) = self.ciphers.get_mut(number) {
            self.ring.copy_schedule(number, cipher.parts_mut().1);
        }
    }

    /// Sets up keys that are joined so, in lanes.
    #[inline(never)]
    fn expand_all(
        &mut self,
        joined: Joined,
        first: usize,
        keys: &[&[u8]],
    ) -> Result<(), InvalidLength> {
        (first..)
            .step_by(SPLIT)
            .zip(keys.chunks(SPLIT))
            .try_for_each(|(first, keys)| self.expand(joined, first, keys))
    }

    /// Sets up keys, at most `SPLIT`, that the lanes expand together.
    #[inline(always)]
    fn expand(
        &mut self,
        joined: Joined,
        first: usize,
        keys: &[&[u8]],
    ) -> Result<(), InvalidLength> {
        let cipher_len = <RoundKeys<KEYS> as KeyLen>::Size::USIZE;
        let (mut own, mut rest) = ([&[][..]; SPLIT], [&[][..]; SPLIT]);
        for ((key, own), rest) in keys.iter().zip(&mut own).zip(&mut rest) {
            (*own, *rest) = key.split_at_checked(cipher_len).ok_or(InvalidLength)?;
            let rest_len = match joined {
                Joined::Two => cipher_len,
                Joined::Mask => 16,
                Joined::TwoMasks => 32,
                Joined::One | Joined::Omac(_) | Joined::Other => 0,
            };
            if rest.len() != rest_len {
                return Err(InvalidLength);
            }
        }
        let (own, rest) = (&own[..keys.len()], &rest[..keys.len()]);
        let makes_masks = joined == Joined::Omac(Omac::One);
        self.ring.expand(self.lanes, first, own, makes_masks);
        if let Some(outer) = &mut self.outer {
            outer.expand(self.lanes, first, rest, false);
        }
        for (number, rest) in (first..).zip(rest) {
            match (joined, rest.as_chunks::<16>().0) {
                (Joined::Omac(Omac::Two), _) => {
                    let [full, padded] = Omac::Two.masks::<U16>(&Array(*self.ring.zero(number)));
                    self.ring.set_masks(number, &full.0, &padded.0);
                }
                (Joined::Mask, [k2]) => {
                    self.ring.set_masks(number, &U16::double(&Array(*k2)).0, k2);
                }
                (Joined::TwoMasks, [k2, k3]) => self.ring.set_masks(number, k2, k3),
                _ => {}
            }
            self.keep(number);
        }
        Ok(())
    }

    /// The ring of the keys for a second encryption; any, if there is none.
    #[inline(always)]
    fn outer(&self) -> &KeyRing<KEYS> {
        self.outer.as_ref().unwrap_or(&self.ring)
    }

    /// The tags of messages in lanes.
    #[inline(never)]
    fn in_lanes(&self, padding: Padding, jobs: &[Job<'_>], start: Start, tags: &mut [Block]) {
        self.ring.cbc(self.lanes, jobs, padding, start, tags);
        if let Some(outer) = &self.outer {
            if self.lanes.is_worth_blocks(jobs.len()) {
                outer.encrypt(self.lanes, jobs, tags);
            } else {
                outer.encrypt_each(self.lanes, jobs, tags);
            }
        }
    }
}

impl<const KEYS: usize> Drop for Keys<KEYS> {
    /// The rings wipe themselves.
    fn drop(&mut self) {
        wipe_values(&mut self.ciphers);
    }
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
    /// Sets up one key by the variant's own rule.
    fn set(&mut self, number: usize, key: &[u8]) -> Result<(), InvalidLength> {
        let keys = &mut self.keys;
        let mut cipher = Aes::<KEYS>::blank(keys.kernel);
        let ending = V::set_up(&mut cipher, key)?;
        let LastBlock { full, padded, .. } = ending.last_block();
        let [full, padded] = [full, padded].map(|mask| mask.map_or(&NO_MASK, |mask| &mask.0));
        keys.ring.set(keys.lanes, number, cipher.parts().1, full, padded);
        keys.keep(number);
        Ok(())
    }

    /// The tags of messages, side by side where that pays off.
    #[inline(always)]
    fn all(&self, jobs: &[Job<'_>], start: Start, tags: &mut [Block]) {
        let (keys, padding) = (&self.keys, <Self as lanes::End>::PADDING);
        if keys.lanes.is_worth(padding, jobs) {
            keys.in_lanes(padding, jobs, start, tags);
        } else {
            keys.ring.cbc_each::<Self>(keys.lanes, keys.outer(), jobs, start, tags);
        }
    }
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> KeyedBatch for Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
    fn keys(&self) -> usize {
        self.keys.ring.keys()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        if V::JOINED == Joined::Other {
            return (first..).zip(keys).try_for_each(|(number, key)| self.set(number, key));
        }
        self.keys.expand_all(V::JOINED, first, keys)
    }

    fn pair_bytes(&self) -> usize {
        lanes::PAIR_BYTES
    }

    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tag = tag.try_into().expect("the caller checks the length");
        self.keys.ring.cbc_one::<Self>(self.keys.lanes, self.keys.outer(), job, tag);
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        self.all(jobs, Start::Zeros, tags.as_chunks_mut().0);
        Ok(())
    }
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> KeyedChains<Aes<KEYS>> for Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
    fn cipher(&self, key: usize) -> &Aes<KEYS> {
        &self.keys.ciphers[key]
    }

    fn go_on(&self, jobs: &[Job<'_>], y: &mut [CipherBlock<Aes<KEYS>>]) {
        self.all(jobs, Start::Tags, Array::cast_slice_to_core_mut(y));
    }
}
