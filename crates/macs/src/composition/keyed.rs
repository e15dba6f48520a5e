//! Compositions with their keys behind a pointer: what [`DynComposition`](crate::DynComposition)
//! holds.

use alloc::boxed::Box;

use digest::InvalidLength;

use super::{Composition, Header};
use crate::composition;
use crate::error::Error;
use crate::inside::Inside;
use crate::kernels::Pin;

/// A prepared composition behind a pointer. `DynComposition` checks the length of the tag.
pub(crate) trait KeyedComposition: Send + Sync {
    fn rekey(&mut self, pin: Pin, key: &[u8]) -> Result<(), InvalidLength>;
    fn seal_in_place(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        message_len_bytes: usize,
        tag: &mut [u8],
    ) -> Result<(), Error>;
    fn seal_into(
        &self,
        header: Header<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error>;
    fn open_in_place(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, Error>;
    fn clone_boxed(&self) -> Box<dyn KeyedComposition>;
}

impl<C: Composition> KeyedComposition for C {
    fn rekey(&mut self, pin: Pin, key: &[u8]) -> Result<(), InvalidLength> {
        self.set_up_again(pin, key, Inside(()))
    }

    fn seal_in_place(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        message_len_bytes: usize,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        composition::seal(self, tag.len(), header, buffer, message_len_bytes, tag)
    }

    fn seal_into(
        &self,
        header: Header<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        composition::seal_into(self, tag.len(), header, message, ciphertext, tag)
    }

    fn open_in_place(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, Error> {
        composition::open(self, tag.len(), header, buffer, tag)
    }

    fn clone_boxed(&self) -> Box<dyn KeyedComposition> {
        Box::new(self.clone())
    }
}

/// Sets a composition up behind a pointer: a catalog row's constructor.
pub(crate) fn keyed<C: Composition>(
    pin: Pin,
    key: &[u8],
) -> Result<Box<dyn KeyedComposition>, InvalidLength> {
    Ok(Box::new(C::set_up(pin, key, Inside(()))?))
}

/// Key to prepared composition.
pub(crate) type SetUpComposition =
    fn(Pin, &[u8]) -> Result<Box<dyn KeyedComposition>, InvalidLength>;
