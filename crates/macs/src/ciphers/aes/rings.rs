//! Batches of the CBC family over AES: many chains side by side in the lanes of a kernel, their
//! keys in a ring.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use cipher::InvalidLength;
use cipher::array::Array;
use digest::consts::U16;
use digest::typenum::Unsigned;

use super::NO_MASK;
use crate::ciphers::SetUpBatch;
use crate::ciphers::variant::{Ending as _, Joined, KeyedChains, LastBlock, Variant};
use crate::doubling::DoublingSize;
use crate::kernels::Job;
use crate::kernels::aes::cipher::{Aes, KeyLen, RoundKeys};
use crate::kernels::aes::lanes::{self, KeyRing, Padding};
use crate::kernels::aes::{Block, Ended, Ending, Kernel};
use crate::kernels::chaining::{self, Omac};
use crate::kernels::wiped::wipe_values;
use crate::keyed::KeyedBatch;

/// The keys of a batch.
struct Rings<const KEYS: usize, V> {
    kernel: Kernel,
    lanes: lanes::Kernel,
    ring: KeyRing<KEYS>,
    /// What encrypts the chains' last values once more.
    outer: Option<KeyRing<KEYS>>,
    /// The keys once more, for few messages, which are too small for lanes, and for counter mode.
    /// Empty where there are many keys and no counter mode: to keep them would take half of the
    /// set-up, and to gather one from the ring is little beside a message.
    singles: Vec<Single<KEYS>>,
    outer_singles: Vec<Aes<KEYS>>,
    variant: PhantomData<fn() -> V>,
}

/// So many keys are kept once more.
const SINGLES_MAX: usize = 8;

/// A key by itself.
#[derive(Clone)]
struct Single<const KEYS: usize> {
    cipher: Aes<KEYS>,
    /// The masks of a full last block and of a padded one.
    masks: [Block; 2],
}

/// How the variant pads: the lanes have a word of their own for it.
const fn padding<const KEYS: usize, V: Variant<Aes<KEYS>>>() -> Padding
where
    RoundKeys<KEYS>: KeyLen,
{
    match V::Ending::PADDING {
        chaining::Padding::Zeros => Padding::Zeros,
        chaining::Padding::One if V::Ending::HOLDS_FULL_BLOCK => Padding::OneIfNeeded,
        chaining::Padding::One => Padding::One,
    }
}

/// So many keys are split at a time.
const SPLIT: usize = 64;

/// Sets up many keys, for the lanes of the kernel if it has some.
pub(super) fn boxed<const KEYS: usize, V: Variant<Aes<KEYS>>>(
    kernel: Kernel,
    keys: &[&[u8]],
    in_turn: SetUpBatch<Aes<KEYS>>,
) -> Result<Box<dyn KeyedChains<Aes<KEYS>>>, InvalidLength>
where
    RoundKeys<KEYS>: KeyLen,
{
    let lanes = match kernel {
        Kernel::Vaes512(_, token) => lanes::Kernel::Vaes512(token),
        Kernel::Vaes256(ni, wide) => lanes::Kernel::Vaes256(ni, wide),
        Kernel::AesNi(token) => lanes::Kernel::AesNi(token),
        Kernel::Soft => return in_turn(kernel, keys),
    };
    let outer_len = if V::JOINED == Joined::Two { keys.len() } else { 0 };
    let mut rings = Rings::<KEYS, V> {
        kernel,
        lanes,
        ring: KeyRing::new(keys.len()),
        outer: (outer_len > 0).then(|| KeyRing::new(outer_len)),
        singles: Vec::new(),
        outer_singles: Vec::new(),
        variant: PhantomData,
    };
    if keys.len() <= SINGLES_MAX {
        rings.make_room();
    }
    rings.rekey(0, keys)?;
    Ok(Box::new(rings))
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
    /// Room for the keys once more.
    fn make_room(&mut self) {
        let cipher = Aes::blank(self.kernel);
        let outer_len = self.outer.as_ref().map_or(0, KeyRing::keys);
        self.outer_singles = vec![cipher.clone(); outer_len];
        self.singles = vec![Single { cipher, masks: [NO_MASK; 2] }; self.ring.keys()];
    }

    /// Copies a key, where it is kept once more.
    #[inline(always)]
    fn keep(&mut self, number: usize) {
        if let Some(single) = self.singles.get_mut(number) {
            self.ring.copy_schedule(number, single.cipher.parts_mut().1);
            single.masks = self.ring.masks(number);
        }
        if let (Some(single), Some(outer)) = (self.outer_singles.get_mut(number), &self.outer) {
            outer.copy_schedule(number, single.parts_mut().1);
        }
    }

    /// Sets up keys, at most `SPLIT`, that the lanes expand together.
    fn expand(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        let cipher_len = <RoundKeys<KEYS> as KeyLen>::Size::USIZE;
        let (mut own, mut rest) = ([&[][..]; SPLIT], [&[][..]; SPLIT]);
        for ((key, own), rest) in keys.iter().zip(&mut own).zip(&mut rest) {
            (*own, *rest) = key.split_at_checked(cipher_len).ok_or(InvalidLength)?;
            let rest_len = match V::JOINED {
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
        let makes_masks = V::JOINED == Joined::Omac(Omac::One);
        self.ring.expand(self.lanes, first, own, makes_masks);
        if let Some(outer) = &mut self.outer {
            outer.expand(self.lanes, first, rest, false);
        }
        for (number, rest) in (first..).zip(rest) {
            match (V::JOINED, rest.as_chunks::<16>().0) {
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

    /// Sets up one key by the variant's own rule.
    fn set(&mut self, number: usize, key: &[u8]) -> Result<(), InvalidLength> {
        let mut cipher = Aes::<KEYS>::blank(self.kernel);
        let ending = V::set_up(&mut cipher, key)?;
        let LastBlock { full, padded, .. } = ending.last_block();
        let [full, padded] = [full, padded].map(|mask| mask.map_or(&NO_MASK, |mask| &mask.0));
        self.ring.set(self.lanes, number, cipher.parts().1, full, padded);
        self.keep(number);
        Ok(())
    }

    /// What the kernel takes for a message by itself.
    #[inline(always)]
    fn ended<'a>(
        job: &Job<'a>,
        single: &'a Single<KEYS>,
        outer: Option<&'a Aes<KEYS>>,
    ) -> Ended<'a, KEYS> {
        let Single { cipher, masks: [full, padded] } = single;
        let outer = outer.map(|outer| outer.parts().1);
        let ending = Ending { full, padded, padding: V::Ending::PADDING, outer };
        let head_len = const { padding::<KEYS, V>() }.head_len(job.message.len());
        let (blocks, tail) = job.message.split_at(head_len);
        let (_, schedule) = cipher.parts();
        Ended { schedule, blocks: blocks.as_chunks().0, tail, ending }
    }

    /// The same under a key that is kept once more.
    #[inline(always)]
    fn ended_kept<'a>(&'a self, job: &Job<'a>) -> Ended<'a, KEYS> {
        let outer = (V::JOINED == Joined::Two).then(|| &self.outer_singles[job.key]);
        Self::ended(job, &self.singles[job.key], outer)
    }

    /// A message by itself.
    #[inline(always)]
    fn finish(&self, Ended { schedule, blocks, tail, ending }: Ended<'_, KEYS>, tag: &mut Block) {
        self.kernel.cbc_finish(schedule, &[0; 16], blocks, tail, ending, tag);
    }

    /// The same under a key that is gathered from the ring.
    #[inline(never)]
    fn finish_gathered(&self, job: &Job<'_>, tag: &mut Block) {
        let mut single =
            Single { cipher: Aes::blank(self.kernel), masks: self.ring.masks(job.key) };
        self.ring.copy_schedule(job.key, single.cipher.parts_mut().1);
        let outer = self.outer.as_ref().map(|ring| {
            let mut outer = Aes::blank(self.kernel);
            ring.copy_schedule(job.key, outer.parts_mut().1);
            outer
        });
        self.finish(Self::ended(job, &single, outer.as_ref()), tag);
    }
}

impl<const KEYS: usize, V> Drop for Rings<KEYS, V> {
    /// The rings wipe themselves.
    fn drop(&mut self) {
        wipe_values(&mut self.singles);
        wipe_values(&mut self.outer_singles);
    }
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> KeyedBatch for Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
    fn keys(&self) -> usize {
        self.ring.keys()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        if V::JOINED == Joined::Other {
            return (first..).zip(keys).try_for_each(|(number, key)| self.set(number, key));
        }
        (first..)
            .step_by(SPLIT)
            .zip(keys.chunks(SPLIT))
            .try_for_each(|(first, keys)| self.expand(first, keys))
    }

    fn pair_bytes(&self) -> usize {
        lanes::PAIR_BYTES
    }

    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tag = tag.try_into().expect("the caller checks the length");
        match self.singles.is_empty() {
            true => self.finish_gathered(job, tag),
            false => self.finish(self.ended_kept(job), tag),
        }
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = tags.as_chunks_mut();
        let padding = const { padding::<KEYS, V>() };
        if !self.lanes.is_worth(padding, jobs) {
            if self.singles.is_empty() {
                jobs.iter().zip(tags).for_each(|(job, tag)| self.finish_gathered(job, tag));
            } else {
                self.kernel.cbc_each(jobs.iter().map(|job| self.ended_kept(job)), tags);
            }
            return Ok(());
        }
        self.ring.cbc(self.lanes, jobs, padding, tags);
        let Some(outer) = &self.outer else { return Ok(()) };
        if self.lanes.is_worth_blocks(jobs.len()) {
            outer.encrypt(self.lanes, jobs, tags);
        } else if self.outer_singles.is_empty() {
            let mut gathered = Aes::blank(self.kernel);
            for (job, tag) in jobs.iter().zip(tags) {
                outer.copy_schedule(job.key, gathered.parts_mut().1);
                self.kernel.encrypt(gathered.parts().1, tag);
            }
        } else {
            for (job, tag) in jobs.iter().zip(tags) {
                self.kernel.encrypt(self.outer_singles[job.key].parts().1, tag);
            }
        }
        Ok(())
    }
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> KeyedChains<Aes<KEYS>> for Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
    fn keep_ciphers(&mut self) {
        if self.singles.is_empty() {
            self.make_room();
            (0..self.ring.keys()).for_each(|number| self.keep(number));
        }
    }

    fn cipher(&self, key: usize) -> &Aes<KEYS> {
        &self.singles[key].cipher
    }
}
