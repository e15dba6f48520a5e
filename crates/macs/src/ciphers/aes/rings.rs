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
use crate::kernels::aes::{self, Ended, Ending, Kernel, Schedule};
use crate::kernels::chaining::{self, Omac};
use crate::kernels::wiped::wipe_values;
use crate::keyed::KeyedBatch;
use crate::wipe::overwrite;

/// The keys of a batch.
struct Rings<const KEYS: usize, V> {
    kernel: Kernel,
    lanes: lanes::Kernel,
    ring: KeyRing<KEYS>,
    /// What encrypts the chains' last values once more.
    outer: Option<KeyRing<KEYS>>,
    /// The keys once more, for batches that are too small for lanes, where to gather them from the
    /// ring would take longer than a short tag, and for counter mode.
    singles: Vec<Single<KEYS>>,
    outer_schedules: Vec<Schedule<KEYS>>,
    variant: PhantomData<fn() -> V>,
}

/// A key by itself.
#[derive(Clone)]
struct Single<const KEYS: usize> {
    cipher: Aes<KEYS>,
    /// The masks of a full last block and of a padded one.
    masks: [aes::Block; 2],
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
        singles: vec![Single { cipher: Aes::blank(kernel), masks: [NO_MASK; 2] }; keys.len()],
        outer_schedules: vec![Schedule::BLANK; outer_len],
        variant: PhantomData,
    };
    rings.rekey(0, keys)?;
    Ok(Box::new(rings))
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
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
            let single = &mut self.singles[number];
            self.ring.copy_schedule(number, single.cipher.parts_mut().1);
            single.masks = self.ring.masks(number);
            if let Some(outer) = &self.outer {
                outer.copy_schedule(number, &mut self.outer_schedules[number]);
            }
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
        let single = &mut self.singles[number];
        *single.cipher.parts_mut().1 = *cipher.parts().1;
        single.masks = [*full, *padded];
        Ok(())
    }

    /// What the kernel takes for a message by itself.
    #[inline(always)]
    fn ended<'a>(&'a self, job: &Job<'a>) -> Ended<'a, KEYS> {
        let Single { cipher, masks: [full, padded] } = &self.singles[job.key];
        let outer = (V::JOINED == Joined::Two).then(|| &self.outer_schedules[job.key]);
        let ending = Ending { full, padded, padding: V::Ending::PADDING, outer };
        let head_len = const { padding::<KEYS, V>() }.head_len(job.message.len());
        let (blocks, tail) = job.message.split_at(head_len);
        let (_, schedule) = cipher.parts();
        Ended { schedule, blocks: blocks.as_chunks().0, tail, ending }
    }
}

impl<const KEYS: usize, V> Drop for Rings<KEYS, V> {
    /// The rings wipe themselves.
    fn drop(&mut self) {
        wipe_values(&mut self.singles);
        let all = self.outer_schedules.iter_mut();
        all.for_each(|schedule| overwrite(schedule, Schedule::BLANK));
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
        let Ended { schedule, blocks, tail, ending } = self.ended(job);
        self.kernel.cbc_finish(schedule, &[0; 16], blocks, tail, ending, tag);
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = tags.as_chunks_mut();
        let padding = const { padding::<KEYS, V>() };
        if !self.lanes.is_worth(padding, jobs) {
            self.kernel.cbc_each(jobs.iter().map(|job| self.ended(job)), tags);
            return Ok(());
        }
        self.ring.cbc(self.lanes, jobs, padding, tags);
        let Some(outer) = &self.outer else { return Ok(()) };
        if self.lanes.is_worth_blocks(jobs.len()) {
            outer.encrypt(self.lanes, jobs, tags);
        } else {
            for (job, tag) in jobs.iter().zip(tags) {
                self.kernel.encrypt(&self.outer_schedules[job.key], tag);
            }
        }
        Ok(())
    }
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> KeyedChains<Aes<KEYS>> for Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
    fn cipher(&self, key: usize) -> &Aes<KEYS> {
        &self.singles[key].cipher
    }
}
