//! Prepared macs behind a pointer, and what rows of the catalog hold of their types.

use alloc::boxed::Box;

use digest::array::{Array, ArraySize};
use digest::{InvalidLength, Output};

use super::{NonceMac, PreparedMac};
#[cfg(feature = "batch")]
use crate::inside::Inside;
use crate::kernels::Pin;
use crate::keyed::Keyed;
#[cfg(feature = "batch")]
use crate::keyed::KeyedBatch;

impl<M: PreparedMac> Keyed for M {
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        PreparedMac::rekey(self, key)
    }

    fn mac_into(&self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        PreparedMac::mac_into(self, message, output::<M>(tag));
        Ok(())
    }

    fn update(&mut self, data: &[u8]) {
        digest::Update::update(self, data);
    }

    fn finalize_reset_into(&mut self, _: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.finalize_into_reset(output::<M>(tag));
        Ok(())
    }

    fn reset(&mut self) {
        digest::Reset::reset(self);
    }

    fn clone_boxed(&self) -> Box<dyn Keyed> {
        Box::new(self.clone())
    }
}

/// A mac that takes a nonce, in a type of its own, so that the two blanket implementations of
/// `Keyed` cannot meet.
#[derive(Clone)]
pub(crate) struct WithNonce<M>(pub(crate) M);

impl<M: NonceMac> Keyed for WithNonce<M> {
    fn set_nonce_len(&mut self, nonce_len_bytes: usize) -> Result<(), InvalidLength> {
        self.0.set_nonce_len(nonce_len_bytes)
    }

    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.0.rekey(key)
    }

    fn mac_into(&self, nonce: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.0.mac_into(nonce, message, array(tag))
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finalize_reset_into(&mut self, nonce: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.0.finalize_reset_into(nonce, array(tag))
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn clone_boxed(&self) -> Box<dyn Keyed> {
        Box::new(self.clone())
    }
}

fn output<M: PreparedMac>(tag: &mut [u8]) -> &mut Output<M> {
    array(tag)
}

pub(crate) fn array<N: ArraySize>(tag: &mut [u8]) -> &mut Array<u8, N> {
    Array::slice_as_mut_array(tag).expect("callers check the length against the catalog row")
}

/// Sets a mac up behind a pointer: a catalog row's constructor.
pub(crate) fn keyed<M: PreparedMac>(
    pin: Pin,
    key: &[u8],
    _: &[u8],
) -> Result<Box<dyn Keyed>, InvalidLength> {
    Ok(Box::new(M::new_on(pin, key)?))
}

/// As [`keyed`], for a mac that takes a nonce.
pub(crate) fn keyed_with_nonce<M: NonceMac>(
    pin: Pin,
    key: &[u8],
    _: &[u8],
) -> Result<Box<dyn Keyed>, InvalidLength> {
    Ok(Box::new(WithNonce(M::new_on(pin, key)?)))
}

#[cfg(feature = "batch")]
/// Sets many keys up: a catalog row's batch.
pub(crate) fn batch<M: PreparedMac>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
    M::batch(pin, keys, Inside(()))
}

#[cfg(feature = "batch")]
/// As [`batch`], for a mac that takes a nonce.
pub(crate) fn batch_with_nonce<M: NonceMac>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
    M::batch(pin, keys, Inside(()))
}

/// Key set-up and one tag, on the stack: a catalog row's one-shot.
pub(crate) fn one_shot<M: PreparedMac>(
    key: &[u8],
    _: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), InvalidLength> {
    M::mac_once(key, message, output::<M>(tag))
}

/// As [`one_shot`], for a mac that takes a nonce.
pub(crate) fn one_shot_with_nonce<M: NonceMac>(
    key: &[u8],
    nonce: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), InvalidLength> {
    M::new_from_slice(key)?.mac_into(nonce, message, array(tag))
}
