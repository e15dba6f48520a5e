//! What the macs of this crate add to `digest::Mac`: a tag of a whole message under the prepared
//! key, without copying the state, and a change of key in place. `DynMac` and the catalog are built
//! on it.

use alloc::boxed::Box;

use digest::array::{Array, ArraySize};
use digest::{FixedOutputReset, InvalidLength, KeyInit, Mac, Output};

use crate::batch::{KeyedBatch, Serial};
use crate::dyn_mac::WithNonce;
use crate::kernels::Pin;

/// A mac whose key is set up once and then used for many whole messages.
pub trait PreparedMac: Mac + KeyInit + FixedOutputReset + Clone + Send + Sync + 'static {
    /// Sets a key up on the code path that is pinned. By default there is one only.
    ///
    /// # Errors
    /// When the mac takes no key of this length.
    fn new_on(_pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_from_slice(key)
    }

    /// Sets up many keys, whose messages will be handed over together. By default they are computed
    /// one after the other.
    ///
    /// # Errors
    /// When the mac takes no key of one of these lengths.
    #[doc(hidden)]
    fn batch(pin: Pin, keys: &[&[u8]]) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        Serial::boxed(keys, |key| Self::new_on(pin, key))
    }

    /// Sets up another key in place; a message under way is dropped.
    ///
    /// # Errors
    /// When the mac takes no key of this length; the old key then stays.
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength>;

    /// The tag of one whole message. A message under way through `update` is not disturbed.
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>);

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
/// key away or let tags be forged. `digest` has no trait for these; the nonce is needed only at the
/// end, so a message can be taken before its nonce is known.
pub trait NonceMac: KeyInit + Clone + Send + Sync + 'static {
    /// Length of the tag in bytes.
    type TagSize: ArraySize;

    /// As [`PreparedMac::new_on`].
    ///
    /// # Errors
    /// As there.
    fn new_on(_pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_from_slice(key)
    }

    /// As [`PreparedMac::batch`].
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    fn batch(pin: Pin, keys: &[&[u8]]) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        Serial::boxed(keys, |key| Self::new_on(pin, key).map(WithNonce))
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

    /// Takes the next piece of the message.
    fn update(&mut self, data: &[u8]);

    /// The tag of the pieces taken; then ready for the next message under the same key.
    ///
    /// # Errors
    /// When the mac does not take this nonce; the pieces then stay taken.
    fn finalize_reset_into(
        &mut self,
        nonce: &[u8],
        tag: &mut Array<u8, Self::TagSize>,
    ) -> Result<(), InvalidLength>;

    /// Drops the pieces taken; the key stays.
    fn reset(&mut self);
}
