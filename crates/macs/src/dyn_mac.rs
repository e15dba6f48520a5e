//! A mac chosen at run time by its catalog name. One dynamic call a message: the whole tag is
//! computed behind it, in code compiled for that mac.

use alloc::boxed::Box;
use core::fmt;

use digest::array::Array;
use digest::{InvalidLength, Output};
use subtle::ConstantTimeEq;

use crate::catalog::{MacInfo, TAG_LEN_MAX_BYTES, lookup};
use crate::error::Error;
use crate::prepared::PreparedMac;
use crate::wipe::wipe;

/// A mac chosen at run time, with its key.
///
/// Two ways to a tag, which do not disturb each other: [`mac_into`](Self::mac_into) for a message
/// that is in memory, the fastest; or piece by piece through [`update`](Self::update) and
/// [`finalize_reset_into`](Self::finalize_reset_into).
pub struct DynMac {
    info: &'static MacInfo,
    keyed: Box<dyn Keyed>,
}

impl DynMac {
    /// The mac of this catalog name under this key.
    ///
    /// # Errors
    /// An unknown name, or a key of a length the mac does not take.
    pub fn new(name: &str, key: &[u8]) -> Result<Self, Error> {
        Self::with_info(lookup(name)?, key)
    }

    /// The mac of this catalog row under this key.
    ///
    /// # Errors
    /// A key of a length the mac does not take.
    pub fn with_info(info: &'static MacInfo, key: &[u8]) -> Result<Self, Error> {
        Ok(Self { info, keyed: info.keyed(key)? })
    }

    /// The catalog row.
    pub fn info(&self) -> &'static MacInfo {
        self.info
    }

    /// Length of the tag.
    pub fn tag_len_bytes(&self) -> usize {
        self.info.tag_len_bytes
    }

    /// Sets up another key in place, without the heap; a message under way is dropped.
    ///
    /// # Errors
    /// A key of a length the mac does not take; the old key then stays.
    #[inline]
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        self.info.check_key_len(key)?;
        self.keyed.rekey(key).map_err(|InvalidLength| self.info.key_len_error(key))
    }

    /// The tag of one whole message under the prepared key.
    ///
    /// # Errors
    /// A buffer that is not of the tag's length.
    #[inline]
    pub fn mac_into(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.info.check_tag_len(tag)?;
        self.keyed.mac_into(message, tag);
        Ok(())
    }

    /// Takes the next piece of the message.
    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        self.keyed.update(data);
    }

    /// The tag of the pieces taken.
    ///
    /// # Errors
    /// A buffer that is not of the tag's length.
    pub fn finalize_into(mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.finalize_reset_into(tag)
    }

    /// The tag of the pieces taken; then ready for the next message under the same key.
    ///
    /// # Errors
    /// A buffer that is not of the tag's length; the pieces then stay taken.
    #[inline]
    pub fn finalize_reset_into(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.info.check_tag_len(tag)?;
        self.keyed.finalize_reset_into(tag);
        Ok(())
    }

    /// Checks, in constant time, the tag of the pieces taken; then ready for the next message.
    ///
    /// # Errors
    /// A wrong tag, or one of another length than the mac's.
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        self.info.check_tag_len(tag)?;
        self.verify_truncated_left(tag)
    }

    /// As [`verify`](Self::verify), for a tag cut to its leftmost bytes. How short a tag may be is
    /// the protocol's decision: a tag of n bits is guessed once in 2^n times.
    ///
    /// # Errors
    /// A wrong tag, an empty one, or one longer than the mac's.
    pub fn verify_truncated_left(&mut self, tag: &[u8]) -> Result<(), Error> {
        if tag.is_empty() || tag.len() > self.info.tag_len_bytes {
            self.info.check_tag_len(tag)?;
        }
        let mut computed = [0; TAG_LEN_MAX_BYTES];
        self.keyed.finalize_reset_into(&mut computed[..self.info.tag_len_bytes]);
        let equal = computed[..tag.len()].ct_eq(tag);
        wipe(&mut computed);
        if equal.into() { Ok(()) } else { Err(Error::TagMismatch) }
    }

    /// Drops the pieces taken; the key stays.
    pub fn reset(&mut self) {
        self.keyed.reset();
    }
}

impl Clone for DynMac {
    fn clone(&self) -> Self {
        Self { info: self.info, keyed: self.keyed.clone_boxed() }
    }
}

impl fmt::Debug for DynMac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynMac").field("name", &self.info.name).finish_non_exhaustive()
    }
}

/// A prepared mac behind a pointer. Tags handed in are of the mac's tag length: `DynMac` checks.
pub(crate) trait Keyed: Send + Sync {
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength>;
    fn mac_into(&self, message: &[u8], tag: &mut [u8]);
    fn update(&mut self, data: &[u8]);
    fn finalize_reset_into(&mut self, tag: &mut [u8]);
    fn reset(&mut self);
    fn clone_boxed(&self) -> Box<dyn Keyed>;
}

impl<M: PreparedMac + Send + Sync + 'static> Keyed for M {
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        PreparedMac::rekey(self, key)
    }

    fn mac_into(&self, message: &[u8], tag: &mut [u8]) {
        PreparedMac::mac_into(self, message, output::<M>(tag));
    }

    fn update(&mut self, data: &[u8]) {
        digest::Mac::update(self, data);
    }

    fn finalize_reset_into(&mut self, tag: &mut [u8]) {
        self.finalize_into_reset(output::<M>(tag));
    }

    fn reset(&mut self) {
        digest::Reset::reset(self);
    }

    fn clone_boxed(&self) -> Box<dyn Keyed> {
        Box::new(self.clone())
    }
}

fn output<M: PreparedMac>(tag: &mut [u8]) -> &mut Output<M> {
    Array::slice_as_mut_array(tag).expect("callers check the length against the catalog row")
}

/// Sets a mac up behind a pointer: a catalog row's constructor.
pub(crate) fn keyed<M>(key: &[u8]) -> Result<Box<dyn Keyed>, InvalidLength>
where
    M: PreparedMac + Send + Sync + 'static,
{
    Ok(Box::new(M::new_from_slice(key)?))
}

/// Key set-up and one tag, on the stack: a catalog row's one-shot.
pub(crate) fn one_shot<M: PreparedMac>(
    key: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), InvalidLength> {
    M::mac_once(key, message, output::<M>(tag))
}
