//! Many messages under many keys in one call: what a server with many sessions has to do. The keys
//! are prepared once and lie side by side; nothing is on the heap per message.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use digest::InvalidLength;

use crate::catalog::{MacInfo, Maker, lookup};
use crate::dyn_mac::Keyed;
use crate::error::{Error, Input};
use crate::kernels::{KernelName, Pin};
use crate::len::Len;

/// The prepared keys of one mac.
///
/// ```
/// use macs::{Batch, Job};
///
/// let batch = Batch::new("hmac-sha256", &[b"first key", b"second key"])?;
/// let jobs = [Job::new(0, b"to the first"), Job::new(1, b"to the second"), Job::new(0, b"again")];
/// let mut tags = [0; 3 * 32];
/// batch.macs_into(&jobs, &mut tags)?;
/// assert_eq!(tags[64..], macs::mac("hmac-sha256", b"first key", b"again")?);
/// # Ok::<(), macs::Error>(())
/// ```
pub struct Batch {
    info: &'static MacInfo,
    keyed: Box<dyn KeyedBatch>,
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
        Ok(Self { info, keyed: keyed.map_err(refused)? })
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
            self.info.check_nonce(job.nonce)?;
            self.info.check_message(job.message.len() as u64)?;
        }
        let computed = self.keyed.macs_into(jobs, self.info.tag_len_bytes, tags);
        let first_nonce = || jobs.first().map(|job| job.nonce).unwrap_or_default();
        computed.map_err(|InvalidLength| self.info.refused_nonce(first_nonce()))
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

/// One message after the other, for macs without a kernel that takes many.
pub(crate) struct Serial<K>(Vec<K>);

impl<K: Keyed + 'static> Serial<K> {
    /// Sets up each key.
    pub(crate) fn boxed(
        keys: &[&[u8]],
        set_up: impl Fn(&[u8]) -> Result<K, InvalidLength>,
    ) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        let keyed = keys.iter().map(|key| set_up(key)).collect::<Result<_, _>>()?;
        Ok(Box::new(Self(keyed)))
    }
}

impl<K: Keyed> KeyedBatch for Serial<K> {
    fn keys(&self) -> usize {
        self.0.len()
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
