//! Many messages sealed or opened under many keys in one call.

use alloc::vec;
use core::fmt;

use digest::InvalidLength;

use crate::composition::batch::KeyedCompositions;
use crate::composition::{CompositionJob, Header, SealJob};
use crate::error::{Error, Input};
use crate::kernels::wiped::{Wiped, wipe_values};
use crate::kernels::{KernelName, Pin};
use crate::len::Len;
use crate::row::{CompositionMaker, MacInfo, Maker};
use crate::suggest::lookup;
use crate::wipe::wipe;

/// The prepared keys of one composition.
///
#[cfg_attr(all(feature = "ccm", feature = "aes"), doc = "```")]
#[cfg_attr(not(all(feature = "ccm", feature = "aes")), doc = "```ignore")]
/// use macs::{CompositionBatch, CompositionJob, Header};
///
/// let batch = CompositionBatch::new("ccm-aes-128", &[&[1; 16], &[2; 16]])?;
/// let header = Header { nonce: &[1; 12], associated_data: b"" }; // never twice under one key
/// let (mut first, mut second) = (*b"to the first", *b"to the second");
/// let mut jobs =
///     [CompositionJob::new(0, header, &mut first), CompositionJob::new(1, header, &mut second)];
/// let mut tags = [0; 2 * 16];
/// batch.seal_in_place(&mut jobs, &mut tags)?;
///
/// let mut are_right = [false; 2];
/// batch.open_in_place(&mut jobs, &tags, &mut are_right)?;
/// assert_eq!((are_right, &first), ([true, true], b"to the first"));
/// # Ok::<(), macs::Error>(())
/// ```
pub struct CompositionBatch {
    info: &'static MacInfo,
    keyed: Wiped<dyn KeyedCompositions>,
    maker: CompositionMaker,
    pin: Pin,
    tag_len_bytes: usize,
}

impl CompositionBatch {
    /// The composition of this catalog name under these keys.
    ///
    /// # Errors
    /// As [`DynComposition::new`](crate::DynComposition::new), of each key.
    pub fn new(name: &str, keys: &[&[u8]]) -> Result<Self, Error> {
        Self::with_info(lookup(name)?, keys)
    }

    /// The composition of this catalog row under these keys.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_info(info: &'static MacInfo, keys: &[&[u8]]) -> Result<Self, Error> {
        Self::pinned(info, keys, Pin::BEST)
    }

    /// The same on one code path, whatever the best would be.
    ///
    /// # Errors
    /// As [`new`](Self::new); a kernel that the composition or this CPU has not.
    pub fn with_kernel(
        info: &'static MacInfo,
        keys: &[&[u8]],
        kernel: KernelName,
    ) -> Result<Self, Error> {
        Self::pinned(info, keys, info.pin(kernel)?)
    }

    fn pinned(info: &'static MacInfo, keys: &[&[u8]], pin: Pin) -> Result<Self, Error> {
        let Maker::Composition(maker) = info.maker else { return Err(info.wrong_kind()) };
        keys.iter().try_for_each(|key| info.check_key(key))?;
        let keyed = (maker.batch)(pin, keys).map_err(|InvalidLength| info.same_keys())?;
        let (keyed, tag_len_bytes) = (Wiped::new(keyed), info.tag_len_bytes);
        Ok(Self { info, keyed, maker, pin, tag_len_bytes })
    }

    /// The same with tags of another length: see
    /// [`DynComposition::with_tag_len`](crate::DynComposition::with_tag_len).
    ///
    /// # Errors
    /// A length that the composition does not take.
    pub fn with_tag_len(self, tag_len_bytes: usize) -> Result<Self, Error> {
        self.info.check_tag_len(tag_len_bytes)?;
        Ok(Self { tag_len_bytes, ..self })
    }

    /// As [`with_tag_len`](Self::with_tag_len), also for tags that are too short to be taken
    /// without a thought: see
    /// [`Composition::with_short_tag_len`](crate::Composition::with_short_tag_len).
    ///
    /// # Errors
    /// A length that the mode does not have.
    pub fn with_short_tag_len(self, tag_len_bytes: usize) -> Result<Self, Error> {
        self.info.check_short_tag_len(tag_len_bytes)?;
        Ok(Self { tag_len_bytes, ..self })
    }

    /// The catalog row.
    pub fn info(&self) -> &'static MacInfo {
        self.info
    }

    /// Number of keys.
    pub fn keys(&self) -> usize {
        self.keyed.keys()
    }

    /// Length of a tag.
    pub fn tag_len_bytes(&self) -> usize {
        self.tag_len_bytes
    }

    /// Length of the ciphertext of a message, without the tag.
    pub fn ciphertext_len_bytes(&self, message_len_bytes: usize) -> usize {
        (self.maker.ciphertext_len_bytes)(message_len_bytes)
    }

    /// Sets up other keys, from the one of this number on.
    ///
    /// # Errors
    /// A key of a length that the composition does not take, or one key twice where it takes two;
    /// no key is then changed.
    ///
    /// # Panics
    /// When there are not that many keys.
    pub fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), Error> {
        keys.iter().try_for_each(|key| self.info.check_key(key))?;
        if !keys.iter().all(|key| (self.maker.may_use)(key)) {
            return Err(self.info.same_keys());
        }
        let rekeyed = self.keyed.rekey(self.pin, first, keys);
        rekeyed.map_err(|InvalidLength| self.info.same_keys())
    }

    /// Checks all lengths: that of the tags, and for each job its key and header, the length of the
    /// message, if it is sealed, and that of the ciphertext.
    fn check<'a>(
        &self,
        tags: usize,
        mut jobs: impl ExactSizeIterator<Item = (usize, Header<'a>, (Option<usize>, usize))>,
    ) -> Result<(), Error> {
        let tags_len = jobs.len() * self.tag_len_bytes;
        if tags != tags_len {
            let accepted = Len::Exactly(tags_len as u64);
            return Err(self.info.refused(Input::Tag, accepted, tags as u64));
        }
        jobs.try_for_each(|(key, header, (message_len, ciphertext_len))| {
            assert!(key < self.keys(), "key {key} of {}", self.keys());
            let checked = (self.maker.check)(header, message_len, ciphertext_len);
            checked.map_err(|error| self.info.named(error))
        })
    }

    /// Encrypts and authenticates all messages: see
    /// [`Composition::seal_in_place`](crate::Composition::seal_in_place). The tags lie one behind
    /// the other in the order of the jobs.
    ///
    /// # Errors
    /// A nonce, associated data or message of a length that the composition does not take, a job's
    /// buffer that is not exactly as long as its ciphertext, or `tags` not exactly as long as all
    /// tags; nothing is written then.
    ///
    /// # Panics
    /// When a job names a key that the batch has not.
    pub fn seal_in_place(
        &self,
        jobs: &mut [CompositionJob<'_>],
        tags: &mut [u8],
    ) -> Result<(), Error> {
        let lens = |job: &CompositionJob<'_>| (Some(job.message_len_bytes), job.buffer.len());
        self.check(tags.len(), jobs.iter().map(|job| (job.key, job.header, lens(job))))?;
        self.keyed.seal(jobs, self.tag_len_bytes, tags);
        Ok(())
    }

    /// Encrypts and authenticates messages that stay as they are: see
    /// [`Composition::seal_into`](crate::Composition::seal_into). The tags lie one behind the other
    /// in the order of the jobs. GCM, CCM and EAX over AES read each message where it lies, as does
    /// ChaCha20-Poly1305 of long messages with 256-bit vectors; all others copy it first, as CCM
    /// and EAX do with few or short ones.
    ///
    /// # Errors
    /// A nonce, associated data or message of a length that the composition does not take, a place
    /// for a ciphertext that is not exactly as long, or `tags` not exactly as long as all tags;
    /// nothing is written then.
    ///
    /// # Panics
    /// As [`seal_in_place`](Self::seal_in_place).
    pub fn seal_into(&self, jobs: &mut [SealJob<'_>], tags: &mut [u8]) -> Result<(), Error> {
        let lens = |job: &SealJob<'_>| (Some(job.message.len()), job.ciphertext.len());
        self.check(tags.len(), jobs.iter().map(|job| (job.key, job.header, lens(job))))?;
        self.keyed.seal_into(jobs, self.tag_len_bytes, tags);
        Ok(())
    }

    /// Verifies and decrypts all messages: see
    /// [`Composition::open_in_place`](crate::Composition::open_in_place). `are_right` tells which
    /// tags are; of the other messages the whole buffers are zero.
    ///
    /// # Errors
    /// Lengths, as [`seal_in_place`](Self::seal_in_place); all buffers are zero then.
    ///
    /// # Panics
    /// As [`seal_in_place`](Self::seal_in_place), and when `are_right` has not a place for each
    /// job.
    pub fn open_in_place(
        &self,
        jobs: &mut [CompositionJob<'_>],
        tags: &[u8],
        are_right: &mut [bool],
    ) -> Result<(), Error> {
        assert_eq!(jobs.len(), are_right.len(), "a place for each job");
        are_right.fill(false);
        self.check(
            tags.len(),
            jobs.iter().map(|job| (job.key, job.header, (None, job.buffer.len()))),
        )
        .inspect_err(|_| jobs.iter_mut().for_each(|job| wipe(job.buffer)))?;
        let mut opened = vec![None; jobs.len()];
        self.keyed.open(jobs, self.tag_len_bytes, tags, &mut opened);
        for ((job, opened), is_right) in jobs.iter_mut().zip(&opened).zip(are_right) {
            *is_right = opened.is_some();
            if opened.is_none() {
                wipe(job.buffer);
            }
            job.message_len_bytes = opened.unwrap_or(0);
        }
        // Behind a `None` lies whatever was in the register.
        wipe_values(&mut opened);
        Ok(())
    }
}

impl fmt::Debug for CompositionBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("CompositionBatch");
        text.field("name", &self.info.name).field("keys", &self.keys()).finish_non_exhaustive()
    }
}
