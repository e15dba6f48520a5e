//! What the macs of this crate add to `digest::Mac`: a tag of a whole message under the prepared
//! key, without copying the state, and a change of key in place. `DynMac` and the catalog are built
//! on it.

#[cfg(feature = "dyn")]
pub(crate) mod boxed;
mod by_row;

use digest::array::{Array, ArraySize};
use digest::{FixedOutputReset, InvalidLength, KeyInit, Mac, MacError, Output};

use crate::kernels::Pin;
use crate::verify::is_leftmost_of;
use crate::wipe::wipe;
pub(crate) use by_row::{ByRow, NonceByRow};

/// A mac whose key is set up once and then used for many whole messages. No other crate implements
/// the trait: what is behind it may change.
pub trait PreparedMac:
    ByRow + Mac + KeyInit + FixedOutputReset + Clone + Send + Sync + 'static
{
    /// Sets a key up on the code path that is pinned. By default there is one only.
    ///
    /// # Errors
    /// When the mac takes no key of this length.
    fn new_on(_pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_from_slice(key)
    }

    /// Sets up another key in place; a message under way is dropped.
    ///
    /// # Errors
    /// When the mac takes no key of this length; the old key then stays.
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength>;

    /// The tag of one whole message. A message under way through `update` is not disturbed.
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>);

    /// Checks, in constant time, the tag of one whole message. A message under way through
    /// `update` is not disturbed.
    ///
    /// # Errors
    /// When the tag is wrong or not whole.
    fn verify_message(&self, message: &[u8], tag: &[u8]) -> Result<(), MacError> {
        let mut right = Output::<Self>::default();
        if tag.len() != right.len() {
            return Err(MacError);
        }
        self.mac_into(message, &mut right);
        if is_leftmost_of(&mut right, tag) { Ok(()) } else { Err(MacError) }
    }

    /// Takes all that a reader gives as the next piece of the message, and says how many bytes that
    /// was.
    ///
    /// # Errors
    /// What the reader fails with; what it gave before then stays taken.
    #[cfg(feature = "std")]
    fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<u64> {
        crate::reading::read_all(reader, |data| digest::Mac::update(self, data))
    }

    /// Key set-up and the tag of one whole message, for a key that is used once.
    ///
    /// # Errors
    /// When the mac takes no key of this length.
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        Self::new_from_slice(key)?.mac_into(message, tag);
        Ok(())
    }
}

/// A mac that takes a nonce with every message: two messages under one key and one nonce give the
/// key of the hash away or let tags be forged. `digest` has no trait for these; the nonce is needed
/// only at the end, so a message can be taken before its nonce is known. No other crate implements
/// the trait.
pub trait NonceMac: NonceByRow + KeyInit + Clone + Send + Sync + 'static {
    /// Length of the tag in bytes.
    type TagSize: ArraySize;

    /// As [`PreparedMac::new_on`].
    ///
    /// # Errors
    /// As there.
    fn new_on(_pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_from_slice(key)
    }

    /// Fixes the length of the nonces that the key takes, and those set up in its place, for a mac
    /// to which nonces of two lengths can be the same (VMAC, UMAC). Those take 8 bytes as long as
    /// nothing is said; the others take all lengths all the time, and nothing is fixed.
    ///
    /// # Errors
    /// When the mac takes no nonce of this length; the old length then stays.
    fn set_nonce_len(&mut self, _nonce_len_bytes: usize) -> Result<(), InvalidLength> {
        Ok(())
    }

    /// Sets up another key in place; a message under way is dropped.
    ///
    /// # Errors
    /// When the mac takes no key of this length; the old key then stays.
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength>;

    /// The tag of one whole message. A message under way through `update` is not disturbed.
    ///
    /// # Errors
    /// When the mac does not take this nonce; the tag is then not written.
    fn mac_into(
        &self,
        nonce: &[u8],
        message: &[u8],
        tag: &mut Array<u8, Self::TagSize>,
    ) -> Result<(), InvalidLength>;

    /// Checks, in constant time, the tag of one whole message. A message under way through
    /// `update` is not disturbed.
    ///
    /// # Errors
    /// When the tag is wrong or not whole, or the mac does not take this nonce.
    fn verify_message(&self, nonce: &[u8], message: &[u8], tag: &[u8]) -> Result<(), MacError> {
        let mut right = Array::<u8, Self::TagSize>::default();
        let computed = self.mac_into(nonce, message, &mut right);
        check(computed, &mut right, tag)
    }

    /// Takes the next piece of the message.
    fn update(&mut self, data: &[u8]);

    /// As [`PreparedMac::update_reader`].
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "std")]
    fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<u64> {
        crate::reading::read_all(reader, |data| self.update(data))
    }

    /// The tag of the pieces taken; then ready for the next message under the same key.
    ///
    /// # Errors
    /// When the mac does not take this nonce; the pieces then stay taken.
    fn finalize_reset_into(
        &mut self,
        nonce: &[u8],
        tag: &mut Array<u8, Self::TagSize>,
    ) -> Result<(), InvalidLength>;

    /// Checks, in constant time, the tag of the pieces taken; then ready for the next message under
    /// the same key, whatever comes out.
    ///
    /// # Errors
    /// When the tag is wrong or not whole, or the mac does not take this nonce.
    fn verify_reset(&mut self, nonce: &[u8], tag: &[u8]) -> Result<(), MacError> {
        let mut right = Array::<u8, Self::TagSize>::default();
        let computed = self.finalize_reset_into(nonce, &mut right);
        self.reset();
        check(computed, &mut right, tag)
    }

    /// Drops the pieces taken; the key stays.
    fn reset(&mut self);
}

/// Whether the right tag was computed, and this is it.
fn check(
    computed: Result<(), InvalidLength>,
    right: &mut [u8],
    tag: &[u8],
) -> Result<(), MacError> {
    if tag.len() != right.len() {
        // Whoever has the right one can forge.
        wipe(right);
        return Err(MacError);
    }
    if is_leftmost_of(right, tag) && computed.is_ok() { Ok(()) } else { Err(MacError) }
}
