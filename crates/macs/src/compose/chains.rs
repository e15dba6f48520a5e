//! What batches of compositions share whose chains come together.

use alloc::vec::Vec;

use cipher::inout::InOutBuf;

use crate::ciphers::BlockCipher;
use crate::ciphers::variant::KeyedChains;
use crate::composition::{CompositionJob, Header, SealJob};
use crate::inside::Inside;
use crate::kernels::Job;

/// Fewer messages are sealed one by one: the chain and counter mode side by side.
const GATHERED_MIN: usize = 4;

/// A message with its ciphertext, in one place or in two; the modes here do not pad.
pub(super) struct Text<'a> {
    pub(super) key: usize,
    pub(super) header: Header<'a>,
    pub(super) data: InOutBuf<'a, 'a, u8>,
}

impl<'a> Text<'a> {
    /// Messages in their places.
    pub(super) fn of_all(jobs: &'a mut [CompositionJob<'_>]) -> Vec<Self> {
        let text =
            |CompositionJob { key, header, buffer, .. }: &'a mut CompositionJob<'_>| -> Self {
                Self { key: *key, header: *header, data: (&mut **buffer).into() }
            };
        jobs.iter_mut().map(text).collect()
    }

    /// Messages that stay as they are.
    pub(super) fn between_all(jobs: &'a mut [SealJob<'_>]) -> Vec<Self> {
        let text = |SealJob { key, header, message, ciphertext }: &'a mut SealJob<'_>| {
            let data = InOutBuf::new(message, ciphertext).expect("the caller checks the lengths");
            Self { key: *key, header: *header, data }
        };
        jobs.iter_mut().map(text).collect()
    }

    /// A part of each for the chains, which know no ciphers: compiled once for all of them.
    #[inline(never)]
    pub(super) fn jobs<'b>(
        texts: &'b [Self],
        part: for<'c> fn(&'c Text<'a>) -> &'c [u8],
    ) -> Vec<Job<'b>> {
        texts.iter().map(|text| Job::new(text.key, part(text))).collect()
    }

    /// The data as it became.
    #[cfg(feature = "eax")]
    #[inline(never)]
    pub(super) fn outputs<'b>(texts: &'b mut [Self]) -> Vec<Job<'b>> {
        texts.iter_mut().map(|text| Job::new(text.key, text.data.get_out())).collect()
    }
}

/// Whether to take the messages one by one, each with so many chains beside counter mode. `len` is
/// the length of what lanes take of a message.
pub(super) fn in_turn<C: BlockCipher, const CHAINS: usize>(
    chains: &dyn KeyedChains<C>,
    texts: &[Text<'_>],
    len: impl Fn(&Text<'_>) -> usize,
) -> bool {
    let Some(first) = texts.first() else { return true };
    let kernel = chains.cipher(first.key).kernel(Inside(()));
    let least = C::gathers_from_bytes(kernel, Inside(())).saturating_mul(CHAINS);
    let bytes: usize = texts.iter().map(len).sum();
    texts.len() < GATHERED_MIN || bytes / texts.len() < least
}
