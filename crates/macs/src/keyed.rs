//! Macs with their keys behind a pointer: what [`DynMac`](crate::DynMac) and
//! [`Batch`](crate::Batch) hold.

#[cfg(feature = "batch")]
mod batch;

use alloc::boxed::Box;

use digest::InvalidLength;

use crate::kernels::Pin;
#[cfg(feature = "batch")]
pub use batch::KeyedBatch;
#[cfg(feature = "batch")]
pub(crate) use batch::{Serial, apart, in_turn, set_up_all};

/// A prepared mac behind a pointer. Keys, nonces, messages and tags handed in are of lengths that
/// the mac's row accepts: `DynMac` checks. Macs without nonce get an empty one.
pub(crate) trait Keyed: Send + Sync {
    /// As `NonceMac::set_nonce_len`.
    fn set_nonce_len(&mut self, _nonce_len_bytes: usize) -> Result<(), InvalidLength> {
        Ok(())
    }

    /// Takes note of the length of the tags, one that the row accepts; a message under way may be
    /// dropped. Only for a mac that needs to know it before the message.
    fn set_tag_len(&mut self, _tag_len_bytes: usize) {}

    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength>;
    fn mac_into(&self, nonce: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength>;
    fn update(&mut self, data: &[u8]);
    fn finalize_reset_into(&mut self, nonce: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength>;
    fn reset(&mut self);
    fn clone_boxed(&self) -> Box<dyn Keyed>;
}

/// Key and customization string to prepared mac.
pub(crate) type SetUp = fn(Pin, &[u8], &[u8]) -> Result<Box<dyn Keyed>, InvalidLength>;
