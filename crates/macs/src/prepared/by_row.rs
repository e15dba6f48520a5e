//! What rows of the catalog ask of a mac's type: nothing that a user calls.

#[cfg(feature = "batch")]
use alloc::boxed::Box;

#[cfg(feature = "batch")]
use digest::InvalidLength;

#[cfg(feature = "batch")]
use super::boxed::{self, WithNonce};
#[cfg(feature = "batch")]
use super::{NonceMac, PreparedMac};
#[cfg(feature = "batch")]
use crate::inside::Inside;
#[cfg(feature = "batch")]
use crate::kernels::Pin;
#[cfg(feature = "batch")]
use crate::keyed::{KeyedBatch, Serial, apart};

/// What is behind [`PreparedMac`](super::PreparedMac).
pub trait ByRow: Sized {
    /// Whether a pointer to a key would be felt beside a short message.
    const IS_QUICK: bool = false;

    /// Sets up many keys, whose messages will be handed over together. By default they are computed
    /// one after the other; by code of their own only if they are quick.
    ///
    /// # Errors
    /// When the mac takes no key of one of these lengths.
    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]], _: Inside) -> Result<Box<dyn KeyedBatch>, InvalidLength>
    where
        Self: PreparedMac,
    {
        if Self::IS_QUICK {
            return Serial::boxed(keys, |key| Self::new_on(pin, key));
        }
        apart(boxed::keyed::<Self>, pin, keys)
    }
}

/// What is behind [`NonceMac`](super::NonceMac).
pub trait NonceByRow: Sized {
    /// As [`ByRow::batch`].
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]], _: Inside) -> Result<Box<dyn KeyedBatch>, InvalidLength>
    where
        Self: NonceMac,
    {
        Serial::boxed(keys, |key| Self::new_on(pin, key).map(WithNonce))
    }
}
