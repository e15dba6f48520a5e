//! KMAC behind a pointer: the length of its tag is an input, so it is no `PreparedMac`.

use alloc::boxed::Box;

use digest::InvalidLength;

use super::Kmac;
use crate::kernels::Pin;
use crate::keyed::Keyed;
#[cfg(feature = "batch")]
use crate::keyed::{KeyedBatch, apart};

impl<const RATE: usize, const XOF: bool> Keyed for Kmac<RATE, XOF> {
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.rekey(key);
        Ok(())
    }

    fn mac_into(&self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.mac_into(message, tag);
        Ok(())
    }

    fn update(&mut self, data: &[u8]) {
        self.update(data);
    }

    fn finalize_reset_into(&mut self, _: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.finalize_reset_into(tag);
        Ok(())
    }

    fn reset(&mut self) {
        self.reset();
    }

    fn clone_boxed(&self) -> Box<dyn Keyed> {
        Box::new(self.clone())
    }
}

pub(super) fn keyed<const RATE: usize, const XOF: bool>(
    _: Pin,
    key: &[u8],
    customization: &[u8],
) -> Result<Box<dyn Keyed>, InvalidLength> {
    Ok(Box::new(Kmac::<RATE, XOF>::new_customized(key, customization)))
}

pub(super) fn one_shot<const RATE: usize, const XOF: bool>(
    key: &[u8],
    _: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), InvalidLength> {
    Kmac::<RATE, XOF>::new(key).mac_into(message, tag);
    Ok(())
}

#[cfg(feature = "batch")]
pub(super) fn batch<const RATE: usize, const XOF: bool>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
    apart(keyed::<RATE, XOF>, pin, keys)
}
