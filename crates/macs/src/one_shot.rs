//! One message under one key in one call: the tag, or its check.

use alloc::vec::Vec;

use digest::InvalidLength;

use crate::error::{Error, Input};
use crate::len::Len;
use crate::row::{MacInfo, Maker, TAG_LEN_MAX_BYTES};
use crate::suggest::lookup;
use crate::verify::is_leftmost_of;

impl MacInfo {
    /// The tag of one message under one key, in one call, without the heap.
    ///
    /// # Errors
    /// A key, or a buffer for the tag, of the wrong length; a mac that takes a nonce.
    pub fn mac_into(&self, key: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.check_no_nonce(self.nonce_len())?;
        self.mac_with_nonce_into(key, &[], message, tag)
    }

    /// As [`mac_into`](Self::mac_into), for a mac that takes a nonce; others take an empty one.
    /// Where a key takes nonces of one length only, it is [`len_bytes`](crate::Nonce::len_bytes).
    ///
    /// # Errors
    /// A key, nonce, message or buffer for the tag of the wrong length.
    pub fn mac_with_nonce_into(
        &self,
        key: &[u8],
        nonce: &[u8],
        message: &[u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let Maker::Mac { one_shot, .. } = self.maker else { return Err(self.wrong_kind()) };
        self.check_key(key)?;
        self.check_nonce(nonce)?;
        self.check_message(message.len() as u64)?;
        self.check_tag_len(tag.len())?;
        one_shot(key, nonce, message, tag).map_err(|InvalidLength| self.refused_nonce())
    }

    /// Checks the tag of one message under one key, in constant time and without the heap. The tag
    /// is [`tag_len_bytes`](Self::tag_len_bytes) long, the nonce empty for a mac that takes none.
    ///
    /// # Errors
    /// [`Error::TagMismatch`] for a wrong tag; a key, nonce, message or tag of a length that the
    /// mac does not take.
    pub fn verify(
        &self,
        key: &[u8],
        nonce: &[u8],
        message: &[u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        self.check_len(Input::Tag, Len::Exactly(self.tag_len_bytes as u64), tag.len())?;
        let mut right = [0; TAG_LEN_MAX_BYTES];
        let right = &mut right[..tag.len()];
        self.mac_with_nonce_into(key, nonce, message, right)?;
        if is_leftmost_of(right, tag) { Ok(()) } else { Err(Error::TagMismatch) }
    }
}

/// The tag of one message under one key: look-up, key set-up and tag in one call.
///
/// # Errors
/// An unknown name, a key of a length the mac does not take, a mac that takes a nonce.
pub fn mac(name: &str, key: &[u8], message: &[u8]) -> Result<Vec<u8>, Error> {
    let info = lookup(name)?;
    // What comes from the heap zeroed takes longer than a copy.
    let mut tag = [0; TAG_LEN_MAX_BYTES];
    let tag = &mut tag[..info.tag_len_bytes];
    info.mac_into(key, message, tag)?;
    Ok(tag.to_vec())
}

/// Checks the tag of one message under one key, in constant time: look-up, key set-up and
/// comparison in one call. The nonce is empty for a mac that takes none.
///
#[cfg_attr(all(feature = "hmac", feature = "sha256"), doc = "```")]
#[cfg_attr(not(all(feature = "hmac", feature = "sha256")), doc = "```ignore")]
/// let tag = macs::mac("hmac-sha256", b"key", b"a message")?;
/// macs::verify("hmac-sha256", b"key", b"", b"a message", &tag)?;
/// assert!(macs::verify("hmac-sha256", b"key", b"", b"another", &tag).is_err());
/// # Ok::<(), macs::Error>(())
/// ```
///
/// # Errors
/// [`Error::TagMismatch`] for a wrong tag; an unknown name; a key, nonce, message or tag of a
/// length that the mac does not take.
pub fn verify(
    name: &str,
    key: &[u8],
    nonce: &[u8],
    message: &[u8],
    tag: &[u8],
) -> Result<(), Error> {
    lookup(name)?.verify(key, nonce, message, tag)
}
