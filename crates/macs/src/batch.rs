//! Many messages under many keys in one call: what a server with many sessions has to do. The keys
//! are prepared once and lie side by side; nothing is on the heap per message.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use digest::InvalidLength;

use crate::catalog::{MacInfo, Maker, lookup};
use crate::dyn_mac::Keyed;
use crate::error::{Error, Input};
use crate::kernels::wiped::{Wiped, wipe_values};
use crate::kernels::{KernelName, Pin};
use crate::len::Len;
use crate::verify::is_leftmost_of;
use crate::wipe::wipe;

/// The prepared keys of one mac.
///
/// ```
/// use macs::{Batch, Job};
///
/// let batch = Batch::new("hmac-sha256", &[b"first key", b"second key"])?;
/// let jobs = [Job::new(0, b"to the first"), Job::new(1, b"to the second"), Job::new(0, b"again")];
/// let mut tags = [0; 3 * 32];
/// batch.macs_into(&jobs, &mut tags)?;
/// macs::verify("hmac-sha256", b"first key", b"", b"again", &tags[64..])?;
/// batch.verify(&jobs, &tags)?;
/// # Ok::<(), macs::Error>(())
/// ```
pub struct Batch {
    info: &'static MacInfo,
    keyed: Wiped<dyn KeyedBatch>,
    /// The nonces that the keys take.
    nonce_len: Len,
}

/// One message of a batch.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Which of the batch's keys, counted from 0.
    pub key: usize,
    /// The nonce; empty for a mac that takes none.
    pub nonce: &'a [u8],
    /// The message.
    pub message: &'a [u8],
}

impl<'a> Job<'a> {
    /// A message under the batch's key of this number.
    pub const fn new(key: usize, message: &'a [u8]) -> Self {
        Self { key, nonce: &[], message }
    }

    /// The same with a nonce.
    pub const fn with_nonce(self, nonce: &'a [u8]) -> Self {
        Self { nonce, ..self }
    }
}

impl Batch {
    /// The mac of this catalog name under these keys.
    ///
    /// # Errors
    /// An unknown name, a composition, or a key of a length the mac does not take.
    pub fn new(name: &str, keys: &[&[u8]]) -> Result<Self, Error> {
        Self::with_info(lookup(name)?, keys)
    }

    /// The mac of this catalog row under these keys.
    ///
    /// # Errors
    /// A composition, or a key of a length the mac does not take.
    pub fn with_info(info: &'static MacInfo, keys: &[&[u8]]) -> Result<Self, Error> {
        Self::pinned(info, keys, Pin::BEST)
    }

    /// The same on one code path, whatever the best would be.
    ///
    /// # Errors
    /// As [`with_info`](Self::with_info); a kernel that the mac or this CPU has not.
    pub fn with_kernel(
        info: &'static MacInfo,
        keys: &[&[u8]],
        kernel: KernelName,
    ) -> Result<Self, Error> {
        Self::pinned(info, keys, info.pin(kernel)?)
    }

    fn pinned(info: &'static MacInfo, keys: &[&[u8]], pin: Pin) -> Result<Self, Error> {
        let Maker::Mac { batch, .. } = info.maker else { return Err(info.wrong_kind()) };
        keys.iter().try_for_each(|key| info.check_key(key))?;
        let keyed = batch(pin, keys);
        let refused = |InvalidLength| info.refused_key(keys.first().copied().unwrap_or_default());
        let keyed = Wiped::new(keyed.map_err(refused)?);
        Ok(Self { info, keyed, nonce_len: info.nonce_len() })
    }

    /// The same with nonces of this length and no other: see
    /// [`DynMac::with_nonce_len`](crate::DynMac::with_nonce_len).
    ///
    /// # Errors
    /// A length that the mac does not take.
    pub fn with_nonce_len(mut self, nonce_len_bytes: usize) -> Result<Self, Error> {
        self.nonce_len = self.info.chosen_nonce_len(nonce_len_bytes)?;
        let fixed = self.keyed.set_nonce_len(nonce_len_bytes);
        fixed.map_err(|InvalidLength| self.info.refused_nonce())?;
        Ok(self)
    }

    /// The catalog row.
    pub fn info(&self) -> &'static MacInfo {
        self.info
    }

    /// Number of keys.
    pub fn keys(&self) -> usize {
        self.keyed.keys()
    }

    /// Sets up other keys, from the one of this number on.
    ///
    /// # Errors
    /// A key of a length the mac does not take; no key is then changed.
    ///
    /// # Panics
    /// When there are not that many keys.
    pub fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), Error> {
        keys.iter().try_for_each(|key| self.info.check_key(key))?;
        let refused =
            |InvalidLength| self.info.refused_key(keys.first().copied().unwrap_or_default());
        self.keyed.rekey(first, keys).map_err(refused)
    }

    /// The tags of all messages, one behind the other in the order of the jobs.
    ///
    /// # Errors
    /// A message or nonce of a length the mac does not take, or a buffer that is not exactly as
    /// long as all tags; no tag is then written.
    ///
    /// # Panics
    /// When a job names a key that the batch has not.
    pub fn macs_into(&self, jobs: &[Job<'_>], tags: &mut [u8]) -> Result<(), Error> {
        let tags_len = jobs.len() * self.info.tag_len_bytes;
        if tags.len() != tags_len {
            let accepted = Len::Exactly(tags_len as u64);
            return Err(self.info.refused(Input::Tag, accepted, tags.len() as u64));
        }
        for job in jobs {
            assert!(job.key < self.keys(), "key {} of {}", job.key, self.keys());
            self.info.check_nonce_len(self.nonce_len, job.nonce)?;
            self.info.check_message(job.message.len() as u64)?;
        }
        let computed = self.keyed.macs_into(jobs, self.info.tag_len_bytes, tags);
        computed.map_err(|InvalidLength| self.info.refused_nonce())
    }

    /// Checks the tags of all messages, one behind the other in the order of the jobs, each in
    /// constant time. Which of them are wrong is told by [`verify_each`](Self::verify_each).
    ///
    /// # Errors
    /// [`Error::TagMismatch`] when any tag is wrong; otherwise as [`macs_into`](Self::macs_into).
    ///
    /// # Panics
    /// As [`macs_into`](Self::macs_into).
    pub fn verify(&self, jobs: &[Job<'_>], tags: &[u8]) -> Result<(), Error> {
        let mut are_right = vec![false; jobs.len()];
        self.verify_each(jobs, tags, &mut are_right)?;
        if are_right.into_iter().all(|is_right| is_right) {
            Ok(())
        } else {
            Err(Error::TagMismatch)
        }
    }

    /// Which tags are right, in the order of the jobs; each is compared in constant time.
    ///
    /// # Errors
    /// As [`macs_into`](Self::macs_into); nothing counts as right then.
    ///
    /// # Panics
    /// As [`macs_into`](Self::macs_into), and when `are_right` has not a place for each job.
    pub fn verify_each(
        &self,
        jobs: &[Job<'_>],
        tags: &[u8],
        are_right: &mut [bool],
    ) -> Result<(), Error> {
        assert_eq!(jobs.len(), are_right.len(), "a place for each job");
        are_right.fill(false);
        let mut right = vec![0; tags.len()];
        self.macs_into(jobs, &mut right).inspect_err(|_| wipe(&mut right))?;
        let len = self.info.tag_len_bytes;
        let tags = right.chunks_exact_mut(len).zip(tags.chunks_exact(len));
        for (is_right, (right, tag)) in are_right.iter_mut().zip(tags) {
            *is_right = is_leftmost_of(right, tag);
        }
        Ok(())
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Batch");
        text.field("name", &self.info.name).field("keys", &self.keys()).finish_non_exhaustive()
    }
}

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

    /// Sets up other keys, from the one of this number on.
    ///
    /// # Errors
    /// When the mac takes no key of one of these lengths.
    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength>;

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

/// One message after the other, for macs without a kernel that takes many.
pub(crate) struct Serial<K>(Vec<K>);

impl<K: Keyed + 'static> Serial<K> {
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

impl<K: Keyed> KeyedBatch for Serial<K> {
    fn keys(&self) -> usize {
        self.0.len()
    }

    fn set_nonce_len(&mut self, nonce_len_bytes: usize) -> Result<(), InvalidLength> {
        self.0.iter_mut().try_for_each(|keyed| keyed.set_nonce_len(nonce_len_bytes))
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        self.0[first..][..keys.len()].iter_mut().zip(keys).try_for_each(|(k, key)| k.rekey(key))
    }

    fn macs_into(
        &self,
        jobs: &[Job<'_>],
        tag_len_bytes: usize,
        tags: &mut [u8],
    ) -> Result<(), InvalidLength> {
        let mut tags = tags.chunks_exact_mut(tag_len_bytes);
        jobs.iter()
            .zip(&mut tags)
            .try_for_each(|(job, tag)| self.0[job.key].mac_into(job.nonce, job.message, tag))
    }
}
