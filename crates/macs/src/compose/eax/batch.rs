//! Many messages under many keys: the chains of all, one of the three of each after the other, and
//! counter mode between them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use cipher::Block;
use digest::InvalidLength;

use super::{Eax, Masks, Tweaks, pass, set_up};
use crate::cbc::batch::Chains;
use crate::cbc::omac::Omac1Masks;
use crate::ciphers::BlockCipher;
use crate::ciphers::chain::xor;
use crate::ciphers::ctr::WHOLE_BLOCK;
use crate::ciphers::variant::KeyedChains;
use crate::compose::chains::{Text, in_turn};
use crate::composition::batch::{self, KeyedCompositions};
use crate::composition::verify;
use crate::composition::{CompositionJob, SealJob};
use crate::inside::Inside;
use crate::kernels::wiped::{Wiped, wipe_values};
use crate::kernels::{Choice, Job, Pin};
use crate::wipe::supersede;

/// The longer of message and associated data: the chains of one message by itself run side by side.
fn longest(text: &Text<'_>) -> usize {
    text.data.len().max(text.header.associated_data.len())
}

/// The keys of a batch, with what is known before any message.
struct Keys<C: BlockCipher> {
    chains: Wiped<dyn KeyedChains<C>>,
    begun: Vec<(Masks<C>, Tweaks<C>)>,
}

/// Sets up many keys.
pub(super) fn boxed<C: BlockCipher>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
    let kernel = C::Kernel::pinned(pin);
    let chains = match C::in_lanes::<Omac1Masks>(kernel, keys, true, Inside(()))? {
        Some(chains) => chains,
        None if C::LANES_ARE_USUAL => return batch::in_turn::<Eax<C>>(pin, keys),
        None => Chains::<C, Omac1Masks>::boxed(kernel, keys)?,
    };
    let mut begun = Vec::with_capacity(keys.len());
    (0..keys.len()).for_each(|key| begun.push(set_up(chains.cipher(key))));
    Ok(Box::new(Keys { chains: Wiped::new(chains), begun }))
}

impl<C: BlockCipher> Drop for Keys<C> {
    fn drop(&mut self) {
        wipe_values(&mut self.begun);
    }
}

impl<C: BlockCipher> Keys<C> {
    /// OMAC^t of a part of each message.
    fn omacs(&self, t: usize, parts: &[Job<'_>]) -> Vec<Block<C>> {
        let tweaks = |part: &Job<'_>| &self.begun[part.key].1;
        let mut y: Vec<_> = parts.iter().map(|part| tweaks(part).after[t].clone()).collect();
        if !parts.iter().all(|part| part.message.is_empty()) {
            self.chains.go_on(parts, &mut y);
        }
        for (part, y) in parts.iter().zip(&mut y) {
            if part.message.is_empty() {
                y.clone_from(&tweaks(part).of_nothing[t]);
            }
        }
        y
    }

    /// OMAC^0 of the nonces, which counting begins with.
    fn of_nonces(&self, texts: &[Text<'_>]) -> Vec<Block<C>> {
        self.omacs(0, &Text::jobs(texts, |text| text.header.nonce))
    }

    /// OMAC^1 of the associated data.
    fn of_associated_data(&self, texts: &[Text<'_>]) -> Vec<Block<C>> {
        self.omacs(1, &Text::jobs(texts, |text| text.header.associated_data))
    }

    fn count(&self, text: &mut Text<'_>, first: &Block<C>) {
        let data = text.data.reborrow();
        self.chains.cipher(text.key).ctr::<WHOLE_BLOCK>(first, &mut [], data, Inside(()));
    }

    /// One message by itself; its tag.
    fn pass<const SEALS: bool>(&self, text: Text<'_>) -> Block<C> {
        let Text { key, header, data } = text;
        let (cipher, (masks, tweaks)) = (self.chains.cipher(key), &self.begun[key]);
        pass::<C, SEALS>(cipher, masks, tweaks, header, data.into_out_with_copied_in())
    }

    fn seal_all(&self, mut texts: Vec<Text<'_>>, tag_len_bytes: usize, tags: &mut [u8]) {
        let tags = tags.chunks_exact_mut(tag_len_bytes);
        if in_turn::<C, 3>(&*self.chains, &texts, longest) {
            for (text, tag) in texts.into_iter().zip(tags) {
                tag.copy_from_slice(&self.pass::<true>(text)[..tag_len_bytes]);
            }
            return;
        }
        let (mut n, mut h) = (self.of_nonces(&texts), self.of_associated_data(&texts));
        for (text, n) in texts.iter_mut().zip(&n) {
            self.count(text, n);
        }
        let mut c = self.omacs(2, &Text::outputs(&mut texts));
        for (((n, h), c), tag) in n.iter_mut().zip(&h).zip(&c).zip(tags) {
            xor(n, h);
            xor(n, c);
            tag.copy_from_slice(&n[..tag_len_bytes]);
        }
        [&mut n, &mut h, &mut c].into_iter().for_each(wipe_values);
    }
}

impl<C: BlockCipher> KeyedCompositions for Keys<C> {
    fn keys(&self) -> usize {
        self.chains.keys()
    }

    fn rekey(&mut self, _: Pin, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        self.chains.rekey(first, keys)?;
        for (key, begun) in (first..).zip(&mut self.begun[first..][..keys.len()]) {
            supersede(begun, set_up(self.chains.cipher(key)));
        }
        Ok(())
    }

    fn seal(&self, jobs: &mut [CompositionJob<'_>], tag_len_bytes: usize, tags: &mut [u8]) {
        self.seal_all(Text::of_all(jobs), tag_len_bytes, tags);
    }

    fn seal_into(&self, jobs: &mut [SealJob<'_>], tag_len_bytes: usize, tags: &mut [u8]) {
        self.seal_all(Text::between_all(jobs), tag_len_bytes, tags);
    }

    fn open(
        &self,
        jobs: &mut [CompositionJob<'_>],
        tag_len_bytes: usize,
        tags: &[u8],
        opened: &mut [Option<usize>],
    ) {
        let (mut texts, tags) = (Text::of_all(jobs), tags.chunks_exact(tag_len_bytes));
        if in_turn::<C, 3>(&*self.chains, &texts, longest) {
            for ((text, tag), opened) in texts.into_iter().zip(tags).zip(opened) {
                let len = text.data.len();
                let right = verify(&mut self.pass::<false>(text), tag);
                *opened = right.ok().map(|()| len);
            }
            return;
        }
        let (mut n, mut h) = (self.of_nonces(&texts), self.of_associated_data(&texts));
        let mut c = self.omacs(2, &Text::jobs(&texts, |text| text.data.get_in()));
        let parts = n.iter().zip(&h).zip(&mut c);
        for (((text, ((n, h), right)), tag), opened) in
            texts.iter_mut().zip(parts).zip(tags).zip(opened)
        {
            xor(right, n);
            xor(right, h);
            if verify(right, tag).is_ok() {
                self.count(text, n);
                *opened = Some(text.data.len());
            }
        }
        [&mut n, &mut h, &mut c].into_iter().for_each(wipe_values);
    }
}
