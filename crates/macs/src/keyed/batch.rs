//! Many prepared keys of a mac behind a pointer, and batches of macs without a kernel for many.

use alloc::boxed::Box;
use alloc::vec::Vec;

use digest::InvalidLength;

use super::{Keyed, SetUp};
use crate::kernels::wiped::{Wiped, wipe_values};
use crate::kernels::{Job, Pin};

/// Prepared keys behind a pointer: one dynamic call a batch. [`Batch`] checks what is handed in.
pub trait KeyedBatch: Send + Sync {
    /// Number of keys.
    fn keys(&self) -> usize;

    /// Fixes the length of the nonces that the keys take, as
    /// [`NonceMac::set_nonce_len`](crate::NonceMac::set_nonce_len) does.
    ///
    /// # Errors
    /// When the mac takes no nonce of this length.
    fn set_nonce_len(&mut self, _nonce_len_bytes: usize) -> Result<(), InvalidLength> {
        Ok(())
    }

    /// Takes note of the length of the tags, one that the row accepts.
    fn set_tag_len(&mut self, _tag_len_bytes: usize) {}

    /// Sets up other keys, from the one of this number on.
    ///
    /// # Errors
    /// When the mac takes no key of one of these lengths.
    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength>;

    /// Two messages of at most so many bytes are not worth a call of
    /// [`macs_into`](Self::macs_into).
    fn pair_bytes(&self) -> usize {
        0
    }

    /// The tag of one message, by the code for one.
    ///
    /// # Errors
    /// When the mac does not take the nonce.
    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength>;

    /// The tags of all messages, `tag_len_bytes` each.
    ///
    /// # Errors
    /// When the mac does not take one of the nonces.
    fn macs_into(
        &self,
        jobs: &[Job<'_>],
        tag_len_bytes: usize,
        tags: &mut [u8],
    ) -> Result<(), InvalidLength>;
}

/// Sets up each key. The vector never grows: one that does leaves what it held in memory that is
/// free, and `collect` lets it grow where setting up may fail.
pub(crate) fn set_up_all<K>(
    keys: &[&[u8]],
    set_up: impl Fn(&[u8]) -> Result<K, InvalidLength>,
) -> Result<Vec<K>, InvalidLength> {
    let mut keyed = Vec::with_capacity(keys.len());
    for key in keys {
        let one = set_up(key).inspect_err(|_| wipe_values(&mut keyed))?;
        keyed.push(one);
    }
    Ok(keyed)
}

/// Where a prepared mac of a batch is: in its place, or behind a pointer.
pub(crate) trait Held: Send + Sync {
    type Mac: Keyed + ?Sized;

    fn held(&self) -> &Self::Mac;
    fn held_mut(&mut self) -> &mut Self::Mac;
}

impl<K: Keyed> Held for K {
    type Mac = K;

    #[inline(always)]
    fn held(&self) -> &K {
        self
    }

    #[inline(always)]
    fn held_mut(&mut self) -> &mut K {
        self
    }
}

impl Held for Wiped<dyn Keyed> {
    type Mac = dyn Keyed;

    #[inline(always)]
    fn held(&self) -> &Self::Mac {
        &**self
    }

    #[inline(always)]
    fn held_mut(&mut self) -> &mut Self::Mac {
        &mut **self
    }
}

/// One message after the other, for macs without a kernel that takes many.
pub(crate) struct Serial<K>(Vec<K>);

impl<K: Held + 'static> Serial<K> {
    /// Sets up each key.
    pub(crate) fn boxed(
        keys: &[&[u8]],
        set_up: impl Fn(&[u8]) -> Result<K, InvalidLength>,
    ) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        Ok(Box::new(Self(set_up_all(keys, set_up)?)))
    }
}

impl<K> Drop for Serial<K> {
    fn drop(&mut self) {
        wipe_values(&mut self.0);
    }
}

impl<K: Held> KeyedBatch for Serial<K> {
    fn keys(&self) -> usize {
        self.0.len()
    }

    fn set_nonce_len(&mut self, nonce_len_bytes: usize) -> Result<(), InvalidLength> {
        self.0.iter_mut().try_for_each(|key| key.held_mut().set_nonce_len(nonce_len_bytes))
    }

    fn set_tag_len(&mut self, tag_len_bytes: usize) {
        self.0.iter_mut().for_each(|key| key.held_mut().set_tag_len(tag_len_bytes));
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        let places = self.0[first..][..keys.len()].iter_mut();
        places.zip(keys).try_for_each(|(place, key)| place.held_mut().rekey(key))
    }

    fn pair_bytes(&self) -> usize {
        usize::MAX
    }

    #[inline]
    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.0[job.key].held().mac_into(job.nonce, job.message, tag)
    }

    fn macs_into(
        &self,
        jobs: &[Job<'_>],
        tag_len_bytes: usize,
        tags: &mut [u8],
    ) -> Result<(), InvalidLength> {
        in_turn(jobs, tag_len_bytes, tags, |job, tag| self.mac_into(job, tag))
    }
}

/// The same with each key behind a pointer: one for all macs whose messages take so long that it is
/// not felt.
pub(crate) fn apart(
    set_up: SetUp,
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
    Serial::boxed(keys, |key| set_up(pin, key, &[]).map(Wiped::new))
}

/// The tags of a batch one after the other, by `mac_into`.
#[inline(always)]
pub(crate) fn in_turn(
    jobs: &[Job<'_>],
    tag_len_bytes: usize,
    tags: &mut [u8],
    mut mac_into: impl FnMut(&Job<'_>, &mut [u8]) -> Result<(), InvalidLength>,
) -> Result<(), InvalidLength> {
    // To cut the tags into chunks would be a division.
    let mut rest = tags;
    for job in jobs {
        let (tag, behind) = rest.split_at_mut(tag_len_bytes);
        mac_into(job, tag)?;
        rest = behind;
    }
    Ok(())
}
