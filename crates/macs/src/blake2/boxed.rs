//! Keyed BLAKE2 behind a pointer: the length of its tag, an input, is chosen at run time.

use alloc::boxed::Box;

use digest::typenum::Unsigned;
use digest::{InvalidLength, OutputSizeUser};

use super::{Core, Prefixed};
use crate::after_block::AfterBlock;
use crate::kernels::Pin;
use crate::keyed::Keyed;
#[cfg(feature = "batch")]
use crate::keyed::{KeyedBatch, apart};

impl<C: Core> Keyed for Prefixed<C> {
    /// The length is in the state from the beginning; what it is made of is kept.
    fn set_tag_len(&mut self, tag_len_bytes: usize) {
        if tag_len_bytes != self.digest_len_bytes {
            *self = Self::new(self.key_len_bytes, tag_len_bytes, &self.first);
        }
    }

    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        *self = Self::with_key(key, self.digest_len_bytes)?;
        Ok(())
    }

    fn mac_into(&self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.whole(message, tag);
        Ok(())
    }

    fn update(&mut self, data: &[u8]) {
        self.absorb(data);
    }

    fn finalize_reset_into(&mut self, _: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.close_running(tag);
        self.restart();
        Ok(())
    }

    fn reset(&mut self) {
        self.restart();
    }

    fn clone_boxed(&self) -> Box<dyn Keyed> {
        Box::new(self.clone())
    }
}

pub(super) fn keyed<C: Core>(
    _: Pin,
    key: &[u8],
    _: &[u8],
) -> Result<Box<dyn Keyed>, InvalidLength> {
    let digest_len_bytes = <C as OutputSizeUser>::OutputSize::USIZE;
    Ok(Box::new(Prefixed::<C>::with_key(key, digest_len_bytes)?))
}

pub(super) fn one_shot<C: Core>(
    key: &[u8],
    _: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), InvalidLength> {
    Prefixed::<C>::with_key(key, tag.len())?.whole(message, tag);
    Ok(())
}

#[cfg(feature = "batch")]
pub(super) fn batch<C: Core>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
    apart(keyed::<C>, pin, keys)
}
