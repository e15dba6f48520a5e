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
use crate::wipe::overwrite;

/// The keys of a batch, whatever the variant.
struct Keys<const KEYS: usize> {
    kernel: Kernel,
    lanes: lanes::Kernel,
    joined: Joined,
    /// Sets up a key by the variant's own rule, where it is joined of something else.
    set_up: SetUp<KEYS>,
    ring: KeyRing<KEYS>,
    /// What encrypts the chains' last values once more.
    outer: Option<KeyRing<KEYS>>,
    /// The ciphers once more, if a mode encrypts with them as well: to keep them takes half of the
    /// set-up.
    ciphers: Vec<Aes<KEYS>>,
}

/// A cipher to set up, a key, and where the masks of a full and of a padded last block go.
type SetUp<const KEYS: usize> =
    fn(&mut Aes<KEYS>, &[u8], &mut [Block; 2]) -> Result<(), InvalidLength>;

/// Those of variants that end so.
struct Rings<const KEYS: usize, E> {
    keys: Keys<KEYS>,
    end: PhantomData<fn() -> E>,
}

struct Zeros;

impl lanes::End for Zeros {
    const PADDING: Padding = Padding::Zeros;
    const TWICE: bool = false;
}

struct One;

impl lanes::End for One {
    const PADDING: Padding = Padding::One;
    const TWICE: bool = false;
}

struct OneIfNeeded;

impl lanes::End for OneIfNeeded {
    const PADDING: Padding = Padding::OneIfNeeded;
    const TWICE: bool = false;
}

struct OneTwice;

impl lanes::End for OneTwice {
    const PADDING: Padding = Padding::One;
    const TWICE: bool = true;
}

/// So many keys are split at a time.
const SPLIT: usize = 64;

fn lanes_of(kernel: Kernel) -> Option<lanes::Kernel> {
    match kernel {
        Kernel::Vaes512(_, token) => Some(lanes::Kernel::Vaes512(token)),
        Kernel::Vaes256(ni, wide) => Some(lanes::Kernel::Vaes256(ni, wide)),
        Kernel::AesNi(token) => Some(lanes::Kernel::AesNi(token)),
        Kernel::Soft => None,
    }
}

/// Sets up many keys, for the lanes of the kernel if it has some.
pub(super) fn boxed<const KEYS: usize, V: Variant<Aes<KEYS>>>(
    kernel: Kernel,
    keys: &[&[u8]],
    with_ciphers: bool,
) -> Result<Option<Box<dyn KeyedChains<Aes<KEYS>>>>, InvalidLength>
where
    RoundKeys<KEYS>: KeyLen,
{
    let Some(lanes) = lanes_of(kernel) else { return Ok(None) };
    let outer = if V::JOINED == Joined::Two { keys.len() } else { 0 };
    let ciphers = if with_ciphers { keys.len() } else { 0 };
    let rings = Keys {
        kernel,
        lanes,
        joined: V::JOINED,
        set_up: set_up::<KEYS, V>,
        ring: KeyRing::new(keys.len()),
        outer: (outer > 0).then(|| KeyRing::new(outer)),
        ciphers: vec![Aes::blank(kernel); ciphers],
    };
    let (padding, holds) = (V::Ending::PADDING, V::Ending::HOLDS_FULL_BLOCK);
    match (padding, holds, V::JOINED) {
        (chaining::Padding::One, false, Joined::Two) => rings.boxed::<OneTwice>(keys),
        (_, _, Joined::Two) => unreachable!("what is encrypted twice is padded always"),
        (chaining::Padding::Zeros, ..) => rings.boxed::<Zeros>(keys),
        (chaining::Padding::One, true, _) => rings.boxed::<OneIfNeeded>(keys),
        (chaining::Padding::One, false, _) => rings.boxed::<One>(keys),
    }
    .map(Some)
}

/// By the variant's own rule.
fn set_up<const KEYS: usize, V: Variant<Aes<KEYS>>>(
    cipher: &mut Aes<KEYS>,
    key: &[u8],
    masks: &mut [Block; 2],
) -> Result<(), InvalidLength>
where
    RoundKeys<KEYS>: KeyLen,
{
    let ending = V::set_up(cipher, key)?;
    let LastBlock { full, padded, .. } = ending.last_block();
    *masks = [full, padded].map(|mask| mask.map_or(NO_MASK, |mask| mask.0));
    Ok(())
}

/// Compiled for each length of keys, not for each variant as well.
impl<const KEYS: usize> Keys<KEYS>
where
    RoundKeys<KEYS>: KeyLen,
{
    /// Sets the keys up.
    #[inline(never)]
    fn boxed<E: lanes::End + 'static>(
        self,
        keys: &[&[u8]],
    ) -> Result<Box<dyn KeyedChains<Aes<KEYS>>>, InvalidLength> {
        let mut rings = Box::new(Rings::<KEYS, E> { keys: self, end: PhantomData });
        rings.rekey(0, keys)?;
        Ok(rings)
    }

    /// Copies a cipher, where they are kept once more.
    #[inline(always)]
    fn keep(&mut self, number: usize) {
        if let Some(cipher) = self.ciphers.get_mut(number) {
            self.ring.copy_schedule(number, cipher.parts_mut().1);
        }
    }

    /// Sets up keys, in lanes unless they are joined of something else.
    #[inline(never)]
    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        if self.joined == Joined::Other {
            return (first..).zip(keys).try_for_each(|(number, key)| self.set(number, key));
        }
        (first..)
            .step_by(SPLIT)
            .zip(keys.chunks(SPLIT))
            .try_for_each(|(first, keys)| self.expand(first, keys))
    }

    /// Sets up one key.
    fn set(&mut self, number: usize, key: &[u8]) -> Result<(), InvalidLength> {
        let mut cipher = Aes::<KEYS>::blank(self.kernel);
        let mut masks = [NO_MASK; 2];
        (self.set_up)(&mut cipher, key, &mut masks)?;
        let [full, padded] = &masks;
        self.ring.set(self.lanes, number, cipher.parts().1, full, padded);
        overwrite(&mut masks, [NO_MASK; 2]);
        self.keep(number);
        Ok(())
    }

    /// Sets up keys, at most `SPLIT`, that the lanes expand together.
    #[inline(always)]
    fn expand(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        let joined = self.joined;
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
        let sets_masks =
            matches!(joined, Joined::Omac(Omac::Two) | Joined::Mask | Joined::TwoMasks);
        if !sets_masks && self.ciphers.is_empty() {
            return Ok(());
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

impl<const KEYS: usize, E: lanes::End> Rings<KEYS, E>
where
    RoundKeys<KEYS>: KeyLen,
{
    /// The tags of messages, side by side where that pays off.
    #[inline(always)]
    fn all(&self, jobs: &[Job<'_>], start: Start, tags: &mut [Block]) {
        let (keys, padding) = (&self.keys, E::PADDING);
        if keys.lanes.is_worth(padding, jobs) {
            keys.in_lanes(padding, jobs, start, tags);
        } else {
            keys.ring.cbc_each::<E>(keys.lanes, keys.outer(), jobs, start, tags);
        }
    }
}

impl<const KEYS: usize, E: lanes::End> KeyedBatch for Rings<KEYS, E>
where
    RoundKeys<KEYS>: KeyLen,
{
    fn keys(&self) -> usize {
        self.keys.ring.keys()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        self.keys.rekey(first, keys)
    }

    fn pair_bytes(&self) -> usize {
        lanes::PAIR_BYTES
    }

    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tag = tag.try_into().expect("the caller checks the length");
        self.keys.ring.cbc_one::<E>(self.keys.lanes, self.keys.outer(), job, tag);
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        self.all(jobs, Start::Zeros, tags.as_chunks_mut().0);
        Ok(())
    }
}

impl<const KEYS: usize, E: lanes::End> KeyedChains<Aes<KEYS>> for Rings<KEYS, E>
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
