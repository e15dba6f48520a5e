//! A composition with tags of another length than the whole one, fixed before any tag comes in.

use core::fmt;

use digest::InvalidLength;
use zeroize::ZeroizeOnDrop;

use super::{Composition, Header, check, open, seal, seal_into};
use crate::error::{Error, Input};
use crate::len::Len;

/// A composition whose tags have this length and no other: from
/// [`Composition::with_tag_len`].
///
#[cfg_attr(all(feature = "ccm", feature = "aes"), doc = "```")]
#[cfg_attr(not(all(feature = "ccm", feature = "aes")), doc = "```ignore")]
/// use macs::ciphers::Aes128;
/// use macs::digest::KeyInit;
/// use macs::{Ccm, Composition, Header};
///
/// let ccm = Ccm::<Aes128>::new(&[3; 16].into()).with_tag_len(8)?;
/// let header = Header { nonce: &[1; 13], associated_data: b"" };
/// let (mut buffer, mut tag) = (*b"a message", [0; 8]);
/// ccm.seal_in_place(header, &mut buffer, 9, &mut tag)?;
/// assert!(ccm.open_in_place(header, &mut buffer.clone(), &tag[..4]).is_err());
/// assert_eq!(ccm.open_in_place(header, &mut buffer, &tag)?, 9);
/// # Ok::<(), macs::Error>(())
/// ```
#[derive(Clone)]
pub struct WithTagLen<C> {
    composition: C,
    tag_len_bytes: usize,
}

impl<C: Composition> WithTagLen<C> {
    pub(super) fn new(composition: C, accepted: Len, tag_len_bytes: usize) -> Result<Self, Error> {
        check::<C>(Input::Tag, accepted, tag_len_bytes)?;
        Ok(Self { composition, tag_len_bytes })
    }

    /// Length of the tag.
    pub fn tag_len_bytes(&self) -> usize {
        self.tag_len_bytes
    }

    /// As [`Composition::rekey`].
    ///
    /// # Errors
    /// As there.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.composition.rekey(key)
    }

    /// As [`Composition::seal_in_place`].
    ///
    /// # Errors
    /// As there.
    pub fn seal_in_place(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        message_len_bytes: usize,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let Self { composition, tag_len_bytes } = self;
        seal(composition, *tag_len_bytes, header, buffer, message_len_bytes, tag)
    }

    /// As [`Composition::seal_into`].
    ///
    /// # Errors
    /// As there.
    pub fn seal_into(
        &self,
        header: Header<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let Self { composition, tag_len_bytes } = self;
        seal_into(composition, *tag_len_bytes, header, message, ciphertext, tag)
    }

    /// As [`Composition::open_in_place`].
    ///
    /// # Errors
    /// As there.
    pub fn open_in_place(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, Error> {
        open(&self.composition, self.tag_len_bytes, header, buffer, tag)
    }
}

impl<C: ZeroizeOnDrop> ZeroizeOnDrop for WithTagLen<C> {}

impl<C: fmt::Debug> fmt::Debug for WithTagLen<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("WithTagLen");
        text.field("composition", &self.composition).field("tag_len_bytes", &self.tag_len_bytes);
        text.finish()
    }
}
