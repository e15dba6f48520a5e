//! Many messages under many keys in one call: what a server with many sessions has to do. The keys
//! are prepared once and lie side by side; nothing is on the heap per message.

use alloc::vec;
use core::fmt;

use digest::InvalidLength;

use crate::error::{Error, Input};
use crate::kernels::wiped::Wiped;
use crate::kernels::{Job, KernelName, Pin};
use crate::keyed::KeyedBatch;
use crate::len::Len;
use crate::row::{MacInfo, Maker};
use crate::suggest::lookup;
use crate::verify::is_leftmost_of;
use crate::wipe::wipe;

/// The prepared keys of one mac.
///
#[cfg_attr(all(feature = "hmac", feature = "sha256"), doc = "```")]
#[cfg_attr(not(all(feature = "hmac", feature = "sha256")), doc = "```ignore")]
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
    /// How many they are.
    keys: usize,
    /// Two messages of at most so many bytes go one by one.
    pair_bytes: usize,
    tag_len_bytes: usize,
    /// The nonces that the keys take.
    nonce_len: Len,
    /// Its range.
    nonce_range: (u64, u64),
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
        let (tag_len_bytes, nonce_len) = (info.tag_len_bytes, info.nonce_len());
        let (keys, nonce_range) = (keyed.keys(), nonce_len.range());
        let pair_bytes = keyed.pair_bytes();
        Ok(Self { info, keyed, keys, pair_bytes, tag_len_bytes, nonce_len, nonce_range })
    }

    /// The same with tags of another length: see
    /// [`DynMac::with_tag_len`](crate::DynMac::with_tag_len).
    ///
    /// # Errors
    /// A length that the mac does not compute.
    pub fn with_tag_len(mut self, tag_len_bytes: usize) -> Result<Self, Error> {
        self.info.check_tag_len(tag_len_bytes)?;
        self.keyed.set_tag_len(tag_len_bytes);
        self.tag_len_bytes = tag_len_bytes;
        Ok(self)
    }

    /// The same with nonces of this length and no other: see
    /// [`DynMac::with_nonce_len`](crate::DynMac::with_nonce_len).
    ///
    /// # Errors
    /// A length that the mac does not take.
    pub fn with_nonce_len(mut self, nonce_len_bytes: usize) -> Result<Self, Error> {
        self.nonce_len = self.info.chosen_nonce_len(nonce_len_bytes)?;
        self.nonce_range = self.nonce_len.range();
        let fixed = self.keyed.set_nonce_len(nonce_len_bytes);
        fixed.map_err(|InvalidLength| self.info.refused_nonce())?;
        Ok(self)
    }

    /// The catalog row.
    pub fn info(&self) -> &'static MacInfo {
        self.info
    }

    /// Length of a tag.
    pub fn tag_len_bytes(&self) -> usize {
        self.tag_len_bytes
    }

    /// Number of keys.
    pub fn keys(&self) -> usize {
        self.keys
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
    /// A message or nonce of a length the mac does not take, a nonce that it refuses
    /// ([`Error::NonceRefused`]), or a buffer that is not exactly as long as all tags; no tag is
    /// then written, and of those before a refused nonce none stays.
    ///
    /// # Panics
    /// When a job names a key that the batch has not.
    #[inline]
    pub fn macs_into(&self, jobs: &[Job<'_>], tags: &mut [u8]) -> Result<(), Error> {
        // For short messages all that is done before their tags is felt.
        if tags.len() != jobs.len() * self.tag_len_bytes || !jobs.iter().all(|job| self.fits(job)) {
            self.check(jobs, tags.len())?;
        }
        let computed = match jobs {
            [job] => self.keyed.mac_into(job, tags),
            [first, second] if first.message.len().max(second.message.len()) <= self.pair_bytes => {
                let (tag, behind) = tags.split_at_mut(self.tag_len_bytes);
                let computed = self.keyed.mac_into(first, tag);
                computed.and_then(|()| self.keyed.mac_into(second, behind))
            }
            _ => self.keyed.macs_into(jobs, self.tag_len_bytes, tags),
        };
        computed.map_err(|InvalidLength| {
            // Whoever tries again with other messages must not have two tags of one nonce.
            wipe(tags);
            self.info.refused_nonce()
        })
    }

    /// Whether the batch has the key and the mac takes the lengths, for sure.
    #[inline(always)]
    fn fits(&self, job: &Job<'_>) -> bool {
        let (message_len, nonce_len) = (job.message.len() as u64, job.nonce.len() as u64);
        let (shortest, longest) = self.nonce_range;
        job.key < self.keys
            && message_len <= self.info.message_len_max_bytes
            && shortest <= nonce_len
            && nonce_len <= longest
    }

    /// # Errors
    /// As [`macs_into`](Self::macs_into).
    ///
    /// # Panics
    /// As there.
    #[cold]
    fn check(&self, jobs: &[Job<'_>], tags_len: usize) -> Result<(), Error> {
        let accepted = Len::Exactly((jobs.len() * self.tag_len_bytes) as u64);
        if !accepted.accepts(tags_len) {
            return Err(self.info.refused(Input::Tag, accepted, tags_len as u64));
        }
        for job in jobs {
            assert!(job.key < self.keys, "key {} of {}", job.key, self.keys);
            let (shortest, longest) = self.nonce_range;
            if !(shortest..=longest).contains(&(job.nonce.len() as u64)) {
                self.check_nonce(job)?;
            }
            self.info.check_message(job.message.len() as u64)?;
        }
        Ok(())
    }

    /// By itself: inlined, it is compiled to look at what not all kinds of [`Len`] have, and
    /// valgrind takes that for an error.
    #[cold]
    #[inline(never)]
    fn check_nonce(&self, job: &Job<'_>) -> Result<(), Error> {
        self.info.check_nonce_len(self.nonce_len, job.nonce)
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
        let len = self.tag_len_bytes;
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
