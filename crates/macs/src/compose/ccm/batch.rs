//! Many messages under many keys: the chains side by side, and then counter mode, or the other way
//! round.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use cipher::Block;
use cipher::array::Array;
use digest::InvalidLength;

use super::{BLOCK_LEN, Ccm, associated_data_blocks, begin_chain, begin_counting};
use crate::cbc::batch::Chains;
use crate::cbc::cbc_mac::ZeroPadding;
use crate::ciphers::chain::xor;
use crate::ciphers::ctr::WHOLE_BLOCK;
use crate::ciphers::variant::KeyedChains;
use crate::ciphers::{BlockCipher, WideCipher};
use crate::compose::chains::{Text, in_turn};
use crate::composition::batch::{self, KeyedCompositions};
use crate::composition::verify;
use crate::composition::{CompositionJob, SealJob};
use crate::inside::Inside;
use crate::kernels::wiped::{Wiped, wipe_values};
use crate::kernels::{Choice, Job, Pin};

/// Up to this length texts are copied behind what their chains begin with, for one pass.
const COPIED_MAX_BYTES: usize = 256;

/// The keys of a batch.
struct Keys<C: BlockCipher>(Wiped<dyn KeyedChains<C>>);

/// Sets up many keys.
pub(super) fn boxed<C: WideCipher>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
    let kernel = C::Kernel::pinned(pin);
    let chains = match C::in_lanes::<ZeroPadding>(kernel, keys, true, Inside(()))? {
        Some(chains) => chains,
        None if C::LANES_ARE_USUAL => return batch::in_turn::<Ccm<C>>(pin, keys),
        None => Chains::<C, ZeroPadding>::boxed(kernel, keys)?,
    };
    Ok(Box::new(Keys(Wiped::new(chains))))
}

/// The associated data but its first block.
#[inline(always)]
fn rest<'a>(text: &'a Text<'_>) -> &'a [u8] {
    associated_data_blocks(text.header.associated_data).1
}

impl<C: WideCipher> Keys<C> {
    /// The CBC-MACs of all messages as they are before counter mode.
    fn chained(&self, texts: &[Text<'_>], tag_len_bytes: usize) -> Vec<Block<C>> {
        let has_rest = texts.iter().any(|text| !rest(text).is_empty());
        let are_short = texts.iter().all(|text| text.data.len() <= COPIED_MAX_BYTES);
        let is_one_pass = are_short && !has_rest;
        // Room for all: what a vector leaves when it grows would not be wiped.
        let most = |text: &Text<'_>| 2 * BLOCK_LEN + if is_one_pass { text.data.len() } else { 0 };
        let mut begun = Vec::with_capacity(texts.iter().map(most).sum());
        let mut ends = Vec::with_capacity(texts.len());
        for text in texts {
            let (blocks, count, _) = begin_chain(text.header, text.data.len(), tag_len_bytes);
            begun.extend_from_slice(&Array::slice_as_flattened(&blocks)[..BLOCK_LEN * count]);
            if is_one_pass {
                begun.extend_from_slice(text.data.get_in());
            }
            ends.push(begun.len());
        }
        let (mut start, mut messages) = (0, Vec::with_capacity(texts.len()));
        for (text, end) in texts.iter().zip(ends) {
            messages.push(Job::new(text.key, &begun[start..end]));
            start = end;
        }
        let mut values = vec![Block::<C>::default(); texts.len()];
        self.0.go_on(&messages, &mut values);
        wipe_values(&mut begun);
        if has_rest {
            self.go_on(&Text::jobs(texts, rest), &mut values);
        }
        if !is_one_pass {
            self.go_on(&Text::jobs(texts, |text| text.data.get_in()), &mut values);
        }
        values
    }

    /// The chains go on over data with zeros up to a full block; none over no data.
    fn go_on(&self, data: &[Job<'_>], values: &mut Vec<Block<C>>) {
        let mut before = values.clone();
        self.0.go_on(data, values);
        for ((data, before), value) in data.iter().zip(&before).zip(values) {
            if data.message.is_empty() {
                value.clone_from(before);
            }
        }
        wipe_values(&mut before);
    }

    /// Counter mode over a message; the mask of its tag.
    fn count(&self, text: &mut Text<'_>) -> Block<C> {
        let cipher = self.0.cipher(text.key);
        let (mask, counter) = begin_counting(cipher, text.header.nonce);
        cipher.ctr::<WHOLE_BLOCK>(&counter, &mut [], text.data.reborrow(), Inside(()));
        mask
    }

    fn seal_all(&self, mut texts: Vec<Text<'_>>, tag_len_bytes: usize, tags: &mut [u8]) {
        let tags = tags.chunks_exact_mut(tag_len_bytes);
        if in_turn::<C, 1>(&*self.0, &texts, |text| text.data.len()) {
            for (Text { key, header, data }, tag) in texts.into_iter().zip(tags) {
                let (cipher, data) = (self.0.cipher(key), data.into_out_with_copied_in());
                let whole = Ccm::pass::<false>(cipher, header, data, tag_len_bytes);
                tag.copy_from_slice(&whole[..tag_len_bytes]);
            }
            return;
        }
        let mut values = self.chained(&texts, tag_len_bytes);
        for ((text, value), tag) in texts.iter_mut().zip(&mut values).zip(tags) {
            xor(value, &self.count(text));
            tag.copy_from_slice(&value[..tag_len_bytes]);
        }
        wipe_values(&mut values);
    }
}

impl<C: WideCipher> KeyedCompositions for Keys<C> {
    fn keys(&self) -> usize {
        self.0.keys()
    }

    fn rekey(&mut self, _: Pin, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        self.0.rekey(first, keys)
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
        if in_turn::<C, 1>(&*self.0, &texts, |text| text.data.len()) {
            for ((text, tag), opened) in texts.into_iter().zip(tags).zip(opened) {
                let (cipher, data) = (self.0.cipher(text.key), text.data.into_out());
                let mut right = Ccm::pass::<true>(cipher, text.header, data, tag_len_bytes);
                *opened = verify(&mut right, tag).ok().map(|()| data.len());
            }
            return;
        }
        let mut masks: Vec<_> = texts.iter_mut().map(|text| self.count(text)).collect();
        let mut values = self.chained(&texts, tag_len_bytes);
        let rights = values.iter_mut().zip(&masks);
        for (((text, (right, mask)), tag), opened) in texts.iter().zip(rights).zip(tags).zip(opened)
        {
            xor(right, mask);
            *opened = verify(right, tag).ok().map(|()| text.data.len());
        }
        wipe_values(&mut values);
        wipe_values(&mut masks);
    }
}
