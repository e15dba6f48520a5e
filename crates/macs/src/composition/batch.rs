//! Many prepared keys of a composition behind a pointer: what
//! [`CompositionBatch`](crate::CompositionBatch) holds.

use alloc::boxed::Box;
use alloc::vec::Vec;

use digest::InvalidLength;

use super::keyed::{KeyedComposition, SetUpComposition, keyed};
use super::{Composition, CompositionJob, Header, SealJob, check, check_lens};
use crate::error::{Error, Input};
use crate::inside::Inside;
use crate::kernels::Pin;
use crate::kernels::wiped::{Wiped, wipe_values};
use crate::keyed::set_up_all;
use crate::len::Len;

/// Prepared keys behind a pointer. `CompositionBatch` checks what is handed in.
pub trait KeyedCompositions: Send + Sync {
    /// Number of keys.
    fn keys(&self) -> usize;

    /// Sets up other keys, from the one of this number on.
    ///
    /// # Errors
    /// When one of them may not be used.
    fn rekey(&mut self, pin: Pin, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength>;

    /// Seals all messages; tags have `tag_len_bytes` each.
    fn seal(&self, jobs: &mut [CompositionJob<'_>], tag_len_bytes: usize, tags: &mut [u8]);

    /// The same for messages that stay as they are.
    fn seal_into(&self, jobs: &mut [SealJob<'_>], tag_len_bytes: usize, tags: &mut [u8]);

    /// Opens all messages: tells the length of each that is genuine. What is left in the buffers of
    /// the others is zeroed by the caller.
    fn open(
        &self,
        jobs: &mut [CompositionJob<'_>],
        tag_len_bytes: usize,
        tags: &[u8],
        opened: &mut [Option<usize>],
    );
}

/// Checks the lengths of a message, if one is sealed, of its ciphertext and of what goes with it.
pub(crate) fn check_job<C: Composition>(
    header: Header<'_>,
    message_len_bytes: Option<usize>,
    ciphertext_len_bytes: usize,
) -> Result<(), Error> {
    let Some(message_len) = message_len_bytes else {
        return check_lens::<C>(header, ciphertext_len_bytes);
    };
    check_lens::<C>(header, message_len)?;
    let ciphertext_len = C::ciphertext_len_bytes(message_len) as u64;
    check::<C>(Input::Ciphertext, Len::Exactly(ciphertext_len), ciphertext_len_bytes)
}

/// Sets many keys up: a catalog row's batch.
pub(crate) fn batch<C: Composition>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
    C::batch(pin, keys, Inside(()))
}

/// One message after the other, for compositions without anything better: by code of their own only
/// if they are quick.
pub(crate) fn in_turn<C: Composition>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
    if !C::IS_QUICK {
        return apart(keyed::<C>, pin, keys);
    }
    let keys = set_up_all(keys, |key| C::set_up(pin, key, Inside(())))?;
    Ok(Box::new(InTurn(keys)))
}

/// Each key behind a pointer.
struct Apart(Vec<Wiped<dyn KeyedComposition>>);

/// Sets up each key.
fn apart(
    set_up: SetUpComposition,
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
    let keys = set_up_all(keys, |key| set_up(pin, key).map(Wiped::new))?;
    Ok(Box::new(Apart(keys)))
}

impl KeyedCompositions for Apart {
    fn keys(&self) -> usize {
        self.0.len()
    }

    fn rekey(&mut self, pin: Pin, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        let places = self.0[first..][..keys.len()].iter_mut();
        places.zip(keys).try_for_each(|(keyed, key)| keyed.rekey(pin, key))
    }

    fn seal(&self, jobs: &mut [CompositionJob<'_>], tag_len_bytes: usize, tags: &mut [u8]) {
        for (job, tag) in jobs.iter_mut().zip(tags.chunks_exact_mut(tag_len_bytes)) {
            let keyed = &self.0[job.key];
            let sealed = keyed.seal_in_place(job.header, job.buffer, job.message_len_bytes, tag);
            sealed.expect("the caller checks the lengths");
        }
    }

    fn seal_into(&self, jobs: &mut [SealJob<'_>], tag_len_bytes: usize, tags: &mut [u8]) {
        for (job, tag) in jobs.iter_mut().zip(tags.chunks_exact_mut(tag_len_bytes)) {
            let sealed = self.0[job.key].seal_into(job.header, job.message, job.ciphertext, tag);
            sealed.expect("the caller checks the lengths");
        }
    }

    fn open(
        &self,
        jobs: &mut [CompositionJob<'_>],
        tag_len_bytes: usize,
        tags: &[u8],
        opened: &mut [Option<usize>],
    ) {
        let tags = tags.chunks_exact(tag_len_bytes);
        for ((job, tag), opened) in jobs.iter_mut().zip(tags).zip(opened) {
            *opened = self.0[job.key].open_in_place(job.header, job.buffer, tag).ok();
        }
    }
}

/// The keys one behind the other.
struct InTurn<C>(Vec<C>);

impl<C> Drop for InTurn<C> {
    fn drop(&mut self) {
        wipe_values(&mut self.0);
    }
}

impl<C: Composition> KeyedCompositions for InTurn<C> {
    fn keys(&self) -> usize {
        self.0.len()
    }

    fn rekey(&mut self, pin: Pin, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        let places = self.0[first..][..keys.len()].iter_mut();
        places.zip(keys).try_for_each(|(keyed, key)| keyed.set_up_again(pin, key, Inside(())))
    }

    fn seal(&self, jobs: &mut [CompositionJob<'_>], tag_len_bytes: usize, tags: &mut [u8]) {
        for (job, tag) in jobs.iter_mut().zip(tags.chunks_exact_mut(tag_len_bytes)) {
            self.0[job.key].seal_checked(
                job.header,
                job.buffer,
                job.message_len_bytes,
                tag,
                Inside(()),
            );
        }
    }

    fn seal_into(&self, jobs: &mut [SealJob<'_>], tag_len_bytes: usize, tags: &mut [u8]) {
        for (job, tag) in jobs.iter_mut().zip(tags.chunks_exact_mut(tag_len_bytes)) {
            self.0[job.key].seal_into_checked(
                job.header,
                job.message,
                job.ciphertext,
                tag,
                Inside(()),
            );
        }
    }

    fn open(
        &self,
        jobs: &mut [CompositionJob<'_>],
        tag_len_bytes: usize,
        tags: &[u8],
        opened: &mut [Option<usize>],
    ) {
        let tags = tags.chunks_exact(tag_len_bytes);
        for ((job, tag), opened) in jobs.iter_mut().zip(tags).zip(opened) {
            *opened = self.0[job.key].open_checked(job.header, job.buffer, tag, Inside(())).ok();
        }
    }
}
