//! Batches of the CBC family over AES: many chains side by side in the lanes of a kernel, their
//! keys in a ring.

use alloc::boxed::Box;
use core::marker::PhantomData;

use cipher::InvalidLength;

use super::NO_MASK;
use crate::batch::{Job, KeyedBatch};
use crate::cbc::batch::Chains;
use crate::cbc::{self, Ending as _, LastBlock, Omac, Variant};
use crate::kernels::aes::cipher::{Aes, KeyLen, RoundKeys};
use crate::kernels::aes::lanes::{self, KeyRing, Message, Padding};
use crate::kernels::aes::{Ending, Kernel};

/// The keys of a batch.
struct Rings<const KEYS: usize, V> {
    kernel: Kernel,
    lanes: lanes::Kernel,
    ring: KeyRing<KEYS>,
    /// What encrypts the chains' last values once more.
    outer: Option<KeyRing<KEYS>>,
    padding: Padding,
    variant: PhantomData<fn() -> V>,
}

/// Sets up many keys, for the lanes of the kernel if it has some.
pub(super) fn boxed<const KEYS: usize, V: Variant<Aes<KEYS>>>(
    kernel: Kernel,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedBatch>, InvalidLength>
where
    RoundKeys<KEYS>: KeyLen,
{
    let lanes = match kernel {
        Kernel::Vaes512(_, token) => lanes::Kernel::Vaes512(token),
        Kernel::AesNi(token) => lanes::Kernel::AesNi(token),
        Kernel::Soft => return Chains::<Aes<KEYS>, V>::boxed(kernel, keys),
    };
    let mut rings = Rings::<KEYS, V> {
        kernel,
        lanes,
        ring: KeyRing::new(keys.len()),
        outer: None,
        padding: Padding::OneIfNeeded,
        variant: PhantomData,
    };
    rings.rekey(0, keys)?;
    Ok(Box::new(rings))
}

impl<const KEYS: usize, V: Variant<Aes<KEYS>>> Rings<KEYS, V>
where
    RoundKeys<KEYS>: KeyLen,
{
    fn set(&mut self, number: usize, cipher: &Aes<KEYS>, ending: &LastBlock<'_, Aes<KEYS>>) {
        let [full, padded] = [ending.full, ending.padded].map(|it| it.map_or(&NO_MASK, |it| &it.0));
        self.ring.set(self.lanes, number, cipher.parts().1, full, padded);
        if let Some(cipher) = ending.outer {
            let keys = self.ring.keys();
            let outer = self.outer.get_or_insert_with(|| KeyRing::new(keys));
            outer.set(self.lanes, number, cipher.parts().1, &NO_MASK, &NO_MASK);
        }
        self.padding = match ending.padding {
            cbc::Padding::Zeros => Padding::Zeros,
            cbc::Padding::One if V::Ending::HOLDS_FULL_BLOCK => Padding::OneIfNeeded,
            cbc::Padding::One => Padding::One,
        };
    }

    /// One message by itself.
    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8; 16]) {
        let schedule = self.ring.schedule(job.key);
        let outer = self.outer.as_ref().map(|ring| ring.schedule(job.key));
        let (full, padded) = self.ring.masks(job.key);
        let padding = match self.padding {
            Padding::Zeros => cbc::Padding::Zeros,
            Padding::One | Padding::OneIfNeeded => cbc::Padding::One,
        };
        let ending = Ending { full, padded, padding, outer: outer.as_deref() };
        let (blocks, tail) = job.message.split_at(self.padding.head_len(job.message.len()));
        let (blocks, _) = blocks.as_chunks();
        self.kernel.cbc_finish(&schedule, &[0; 16], blocks, tail, ending, tag);
    }
}

impl Message for Job<'_> {
    #[inline(always)]
    fn key(&self) -> usize {
        self.key
    }

    #[inline(always)]
    fn message(&self) -> &[u8] {
        self.message
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
        if V::OMAC == Some(Omac::One) {
            keys.iter().try_for_each(|key| super::check_len::<KEYS>(key))?;
            self.ring.expand(self.lanes, first, keys, true);
            return Ok(());
        }
        let mut cipher = Aes::<KEYS>::blank(self.kernel);
        for (number, key) in (first..).zip(keys) {
            let ending = V::set_up(&mut cipher, key)?;
            self.set(number, &cipher, &ending.last_block());
        }
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = tags.as_chunks_mut();
        if !self.lanes.is_worth(jobs) {
            jobs.iter().zip(tags).for_each(|(job, tag)| self.mac_into(job, tag));
            return Ok(());
        }
        self.ring.cbc(self.lanes, jobs, self.padding, tags);
        if let Some(outer) = &self.outer {
            outer.encrypt(self.lanes, jobs, tags);
        }
        Ok(())
    }
}
