//! A mac chosen at run time by its catalog name. One dynamic call a message: the whole tag is
//! computed behind it, in code compiled for that mac.

use alloc::vec::Vec;
use core::fmt;

use digest::InvalidLength;

use crate::error::{Error, Input};
use crate::kernels::wiped::Wiped;
use crate::kernels::{KernelName, Pin};
use crate::keyed::Keyed;
use crate::len::Len;
use crate::row::{MacInfo, Maker, TAG_LEN_MAX_BYTES};
use crate::suggest::lookup;
use crate::verify::is_leftmost_of;

/// A mac chosen at run time, with its key.
///
/// Two ways to a tag, which do not disturb each other: [`mac_into`](Self::mac_into) for a message
/// that is in memory, the fastest; or piece by piece through [`update`](Self::update) and
/// [`finalize_reset_into`](Self::finalize_reset_into).
pub struct DynMac {
    info: &'static MacInfo,
    keyed: Wiped<dyn Keyed>,
    tag_len_bytes: usize,
    /// The nonces that the key takes.
    nonce_len: Len,
    /// Length of the message under way.
    message_len_bytes: u64,
    /// The nonce for the message under way; used once.
    nonce: Option<Vec<u8>>,
}

impl DynMac {
    /// The mac of this catalog name under this key.
    ///
    /// # Errors
    /// An unknown name, a composition, or a key of a length the mac does not take.
    pub fn new(name: &str, key: &[u8]) -> Result<Self, Error> {
        Self::with_info(lookup(name)?, key)
    }

    /// The mac of this catalog row under this key.
    ///
    /// # Errors
    /// A composition, or a key of a length the mac does not take.
    pub fn with_info(info: &'static MacInfo, key: &[u8]) -> Result<Self, Error> {
        Self::with_customization(info, key, &[])
    }

    /// The mac of this catalog row under this key and customization string (SP 800-185 §4.2).
    ///
    /// # Errors
    /// As [`with_info`](Self::with_info); a customization string for a mac that takes none.
    pub fn with_customization(
        info: &'static MacInfo,
        key: &[u8],
        customization: &[u8],
    ) -> Result<Self, Error> {
        Self::pinned(info, key, customization, Pin::BEST)
    }

    /// The mac of this catalog row under this key on one code path, whatever the best would be.
    ///
    /// # Errors
    /// As [`with_info`](Self::with_info); a kernel that the mac or this CPU has not.
    pub fn with_kernel(
        info: &'static MacInfo,
        key: &[u8],
        kernel: KernelName,
    ) -> Result<Self, Error> {
        Self::pinned(info, key, &[], info.pin(kernel)?)
    }

    fn pinned(
        info: &'static MacInfo,
        key: &[u8],
        customization: &[u8],
        pin: Pin,
    ) -> Result<Self, Error> {
        let Maker::Mac { keyed, .. } = info.maker else { return Err(info.wrong_kind()) };
        if !customization.is_empty() && !info.is_customizable {
            let given_bytes = customization.len() as u64;
            return Err(info.refused(Input::Customization, Len::Exactly(0), given_bytes));
        }
        info.check_key(key)?;
        let keyed =
            keyed(pin, key, customization).map_err(|InvalidLength| info.refused_key(key))?;
        let keyed = Wiped::new(keyed);
        let (tag_len_bytes, nonce_len) = (info.tag_len_bytes, info.nonce_len());
        Ok(Self { info, keyed, tag_len_bytes, nonce_len, message_len_bytes: 0, nonce: None })
    }

    /// The same with tags of another length, under this key and those that take its place, for macs
    /// that take the length as an input (KMAC, BLAKE2). To cut a tag to its leftmost bytes is
    /// another thing. A message under way is dropped, and its nonce with it.
    ///
    /// # Errors
    /// A length that the mac does not compute.
    pub fn with_tag_len(mut self, tag_len_bytes: usize) -> Result<Self, Error> {
        self.info.check_tag_len(tag_len_bytes)?;
        self.keyed.set_tag_len(tag_len_bytes);
        self.reset();
        self.tag_len_bytes = tag_len_bytes;
        Ok(self)
    }

    /// The same with nonces of this length and no other, under this key and those that take its
    /// place. To VMAC and UMAC nonces of two lengths can be the same, and none may come twice; as
    /// long as no length is chosen they take 8 bytes. A nonce that was set is dropped.
    ///
    /// # Errors
    /// A length that the mac does not take.
    pub fn with_nonce_len(mut self, nonce_len_bytes: usize) -> Result<Self, Error> {
        self.nonce_len = self.info.chosen_nonce_len(nonce_len_bytes)?;
        let fixed = self.keyed.set_nonce_len(nonce_len_bytes);
        fixed.map_err(|InvalidLength| self.info.refused_nonce())?;
        self.nonce = None;
        Ok(self)
    }

    /// The catalog row.
    pub fn info(&self) -> &'static MacInfo {
        self.info
    }

    /// Length of the tag.
    pub fn tag_len_bytes(&self) -> usize {
        self.tag_len_bytes
    }

    #[inline]
    fn check_tag_len(&self, tag_len_bytes: usize) -> Result<(), Error> {
        if tag_len_bytes == self.tag_len_bytes {
            return Ok(());
        }
        let accepted = Len::Exactly(self.tag_len_bytes as u64);
        Err(self.info.refused(Input::Tag, accepted, tag_len_bytes as u64))
    }

    /// Sets up another key in place, without the heap; a message under way is dropped, and its
    /// nonce with it. A customization string stays.
    ///
    /// # Errors
    /// A key of a length the mac does not take; the old key then stays.
    #[inline]
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        self.info.check_key(key)?;
        self.keyed.rekey(key).map_err(|InvalidLength| self.info.refused_key(key))?;
        self.message_len_bytes = 0;
        self.nonce = None;
        Ok(())
    }

    /// The tag of one whole message under the prepared key.
    ///
    /// # Errors
    /// A message or a buffer for the tag of a length that the mac does not take; a mac that takes a
    /// nonce.
    #[inline]
    pub fn mac_into(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.info.check_no_nonce(self.nonce_len)?;
        self.mac_with_nonce_into(&[], message, tag)
    }

    /// As [`mac_into`](Self::mac_into), for a mac that takes a nonce; others take an empty one.
    ///
    /// # Errors
    /// A nonce, message or buffer for the tag of a length that the mac does not take.
    #[inline]
    pub fn mac_with_nonce_into(
        &self,
        nonce: &[u8],
        message: &[u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.check_tag_len(tag.len())?;
        self.info.check_message(message.len() as u64)?;
        self.info.check_nonce_len(self.nonce_len, nonce)?;
        let computed = self.keyed.mac_into(nonce, message, tag);
        computed.map_err(|InvalidLength| self.info.refused_nonce())
    }

    /// Checks, in constant time, the tag of one whole message under the prepared key. A message
    /// under way is not disturbed.
    ///
    /// # Errors
    /// [`Error::TagMismatch`] for a wrong tag; a message or tag of a length that the mac does not
    /// take; a mac that takes a nonce.
    pub fn verify_message(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        self.info.check_no_nonce(self.nonce_len)?;
        self.verify_message_with_nonce(&[], message, tag)
    }

    /// As [`verify_message`](Self::verify_message), for a mac that takes a nonce; others take an
    /// empty one.
    ///
    /// # Errors
    /// As there; a nonce that the mac does not take.
    pub fn verify_message_with_nonce(
        &self,
        nonce: &[u8],
        message: &[u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        self.check_tag_len(tag.len())?;
        let mut right = [0; TAG_LEN_MAX_BYTES];
        let right = &mut right[..tag.len()];
        self.mac_with_nonce_into(nonce, message, right)?;
        if is_leftmost_of(right, tag) { Ok(()) } else { Err(Error::TagMismatch) }
    }

    /// The nonce for the message under way. It is used once: the next message needs another.
    ///
    /// # Errors
    /// A nonce of a length that the mac does not take.
    pub fn set_nonce(&mut self, nonce: &[u8]) -> Result<(), Error> {
        self.info.check_nonce_len(self.nonce_len, nonce)?;
        self.nonce = Some(nonce.into());
        Ok(())
    }

    /// Takes the next piece of the message.
    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        self.message_len_bytes = self.message_len_bytes.saturating_add(data.len() as u64);
        self.keyed.update(data);
    }

    /// Takes all that a reader gives as the next piece of the message, and says how many bytes that
    /// was.
    ///
    /// # Errors
    /// What the reader fails with; what it gave before then stays taken.
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<u64> {
        crate::reading::read_all(reader, |data| self.update(data))
    }

    /// The tag of the pieces taken.
    ///
    /// # Errors
    /// As [`finalize_reset_into`](Self::finalize_reset_into).
    pub fn finalize_into(mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.finalize_reset_into(tag)
    }

    /// The tag of the pieces taken; then ready for the next message under the same key.
    ///
    /// # Errors
    /// A message or a buffer for the tag of a length that the mac does not take, a missing nonce,
    /// or a nonce that the mac refuses, which is then dropped; the pieces stay taken.
    #[inline]
    pub fn finalize_reset_into(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.check_tag_len(tag.len())?;
        self.info.check_message(self.message_len_bytes)?;
        if self.info.nonce.is_some() && self.nonce.is_none() {
            self.info.check_no_nonce(self.nonce_len)?;
        }
        let nonce = self.nonce.take().unwrap_or_default();
        let computed = self.keyed.finalize_reset_into(&nonce, tag);
        computed.map_err(|InvalidLength| self.info.refused_nonce())?;
        self.message_len_bytes = 0;
        Ok(())
    }

    /// Checks, in constant time, the tag of the pieces taken; then ready for the next message,
    /// whatever came out: the pieces and the nonce are dropped after an error, too, or they would
    /// be part of a message that somebody else begins.
    ///
    /// # Errors
    /// A wrong tag, or one of another length than the mac's; a missing nonce, or a message of a
    /// length that the mac does not take.
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        let outcome = self.check_tag_len(tag.len()).and_then(|()| self.compare(tag));
        self.ended(outcome)
    }

    /// As [`verify`](Self::verify), for a tag cut to its leftmost bytes. How short a tag may be is
    /// the protocol's decision: a tag of n bits is guessed once in 2^n times, and a short one of
    /// GMAC costs more (SP 800-38D has 4, 8 and 12 to 16 bytes).
    ///
    /// # Errors
    /// As [`verify`](Self::verify), but for a tag that is shorter and not empty.
    pub fn verify_truncated_left(&mut self, tag: &[u8]) -> Result<(), Error> {
        let accepted = Len::Between(1, self.tag_len_bytes as u64);
        let checked = self.info.check_len(Input::Tag, accepted, tag.len());
        let outcome = checked.and_then(|()| self.compare(tag));
        self.ended(outcome)
    }

    /// Compares the tag of the pieces taken with `tag`, which is no longer than it.
    fn compare(&mut self, tag: &[u8]) -> Result<(), Error> {
        let mut computed = [0; TAG_LEN_MAX_BYTES];
        let computed_len = self.tag_len_bytes;
        self.finalize_reset_into(&mut computed[..computed_len])?;
        if is_leftmost_of(&mut computed, tag) { Ok(()) } else { Err(Error::TagMismatch) }
    }

    /// The outcome of a verification, after which nothing of its message is left.
    fn ended(&mut self, outcome: Result<(), Error>) -> Result<(), Error> {
        if outcome.is_err() {
            self.reset();
        }
        outcome
    }

    /// Drops the pieces taken; the key stays.
    pub fn reset(&mut self) {
        self.keyed.reset();
        self.message_len_bytes = 0;
        self.nonce = None;
    }
}

#[cfg(feature = "std")]
crate::reading::io_write! { [] DynMac, DynMac::update }

impl Clone for DynMac {
    /// With the pieces taken, and the nonce that was set: only one of two messages may be given a
    /// tag under it.
    fn clone(&self) -> Self {
        Self {
            info: self.info,
            keyed: Wiped::new(self.keyed.clone_boxed()),
            tag_len_bytes: self.tag_len_bytes,
            nonce_len: self.nonce_len,
            message_len_bytes: self.message_len_bytes,
            nonce: self.nonce.clone(),
        }
    }
}

impl fmt::Debug for DynMac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynMac").field("name", &self.info.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As if 2^61 bytes had been taken: FIPS 180-4 §1 allows less than 2^64 bits.
    #[test]
    fn a_message_beyond_the_limit_of_its_specification_is_refused() {
        let mut mac = DynMac::new("hmac-sha256", b"key").unwrap();
        let longest = mac.info.message_len_max_bytes;
        mac.message_len_bytes = longest - 1;
        mac.update(b"a");
        assert_eq!(mac.info.check_message(mac.message_len_bytes), Ok(()));
        mac.update(b"b");
        let error = mac.verify(&[0; 32]).unwrap_err();
        assert!(matches!(error, Error::Len { what: Input::Message, .. }), "{error}");
        mac.message_len_bytes = u64::MAX;
        mac.update(b"c");
        assert_eq!(mac.message_len_bytes, u64::MAX);
        mac.reset();
        assert_eq!(mac.verify(&[0; 32]), Err(Error::TagMismatch));
    }
}
