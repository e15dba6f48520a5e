//! What a composition does once all lengths are checked: nothing that a user calls.

#[cfg(feature = "batch")]
use alloc::boxed::Box;

use digest::InvalidLength;
use digest::KeyInit;

#[cfg(feature = "batch")]
use super::batch::KeyedCompositions;
use super::{Composition, Header};
use crate::error::Error;
use crate::inside::Inside;
use crate::kernels::Pin;

/// What each composition has of its own behind [`Composition`]. Lengths are checked by the caller,
/// so this is [`Inside`] only.
pub trait Checked: KeyInit {
    /// Whether a pointer to a key would be felt beside a short message.
    const IS_QUICK: bool = false;

    /// Whether a key may be used: not the same one twice where two are joined, whose proof asks for
    /// independent ones.
    fn may_use(_key: &[u8]) -> bool {
        true
    }

    /// Sets a key up on the code path that is pinned.
    ///
    /// # Errors
    /// When the composition takes no key of this length, or not this key.
    fn set_up(pin: Pin, key: &[u8], inside: Inside) -> Result<Self, InvalidLength>;

    /// Sets up another key in place, on the code path that is pinned.
    ///
    /// # Errors
    /// When the composition takes no key of this length, or not this key; the old key then stays.
    fn set_up_again(&mut self, pin: Pin, key: &[u8], inside: Inside) -> Result<(), InvalidLength> {
        *self = Self::set_up(pin, key, inside)?;
        Ok(())
    }

    /// Sets up many keys, whose messages come together.
    ///
    /// # Errors
    /// When one of them may not be used.
    #[cfg(feature = "batch")]
    fn batch(
        pin: Pin,
        keys: &[&[u8]],
        _: Inside,
    ) -> Result<Box<dyn KeyedCompositions>, InvalidLength>
    where
        Self: Composition,
    {
        super::batch::in_turn::<Self>(pin, keys)
    }

    /// [`Composition::seal_in_place`] with lengths that are right.
    fn seal_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        message_len_bytes: usize,
        tag: &mut [u8],
        inside: Inside,
    );

    /// [`Composition::seal_into`] with lengths that are right.
    fn seal_into_checked(
        &self,
        header: Header<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
        inside: Inside,
    ) {
        ciphertext[..message.len()].copy_from_slice(message);
        self.seal_checked(header, ciphertext, message.len(), tag, inside);
    }

    /// [`Composition::open_in_place`] with lengths that are right. What is left in the
    /// buffer on an error is zeroed by the caller.
    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
        inside: Inside,
    ) -> Result<usize, Error>;
}
