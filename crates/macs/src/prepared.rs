//! What the macs of this crate add to `digest::Mac`: a tag of a whole message under the prepared
//! key, without copying the state, and a change of key in place. `DynMac` and the catalog are built
//! on it.

use digest::{FixedOutputReset, InvalidLength, KeyInit, Mac, Output};

/// A mac whose key is set up once and then used for many whole messages.
pub trait PreparedMac: Mac + KeyInit + FixedOutputReset + Clone {
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
