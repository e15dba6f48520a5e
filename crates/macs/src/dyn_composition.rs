//! A composition of encryption and authentication chosen at run time by its catalog name.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use digest::InvalidLength;

use crate::composition::Header;
use crate::composition::keyed::KeyedComposition;
use crate::error::{Error, Input};
use crate::kernels::wiped::Wiped;
use crate::kernels::{KernelName, Pin};
use crate::len::Len;
use crate::row::{CompositionMaker, MacInfo, Maker};
use crate::suggest::lookup;

/// A composition chosen at run time, with its key.
pub struct DynComposition {
    info: &'static MacInfo,
    keyed: Wiped<dyn KeyedComposition>,
    pin: Pin,
    tag_len_bytes: usize,
    ciphertext_len_bytes: fn(usize) -> usize,
}

impl DynComposition {
    /// The composition of this catalog name under this key.
    ///
    /// # Errors
    /// An unknown name, a mac that is no composition, a key of a length it does not take, or one
    /// key twice where it takes two.
    pub fn new(name: &str, key: &[u8]) -> Result<Self, Error> {
        Self::with_info(lookup(name)?, key)
    }

    /// The composition of this catalog row under this key.
    ///
    /// # Errors
    /// A mac that is no composition, a key of a length it does not take, or one key twice where it
    /// takes two.
    pub fn with_info(info: &'static MacInfo, key: &[u8]) -> Result<Self, Error> {
        Self::pinned(info, key, Pin::BEST)
    }

    /// The same on one code path, whatever the best would be.
    ///
    /// # Errors
    /// As [`with_info`](Self::with_info); a kernel that the composition or this CPU has not.
    pub fn with_kernel(
        info: &'static MacInfo,
        key: &[u8],
        kernel: KernelName,
    ) -> Result<Self, Error> {
        Self::pinned(info, key, info.pin(kernel)?)
    }

    fn pinned(info: &'static MacInfo, key: &[u8], pin: Pin) -> Result<Self, Error> {
        let Maker::Composition(CompositionMaker { keyed, ciphertext_len_bytes, .. }) = info.maker
        else {
            return Err(info.wrong_kind());
        };
        info.check_key(key)?;
        let keyed = keyed(pin, key).map_err(|InvalidLength| info.same_keys())?;
        let keyed = Wiped::new(keyed);
        Ok(Self { info, keyed, pin, tag_len_bytes: info.tag_len_bytes, ciphertext_len_bytes })
    }

    /// The same with tags of another length. It is for the protocol to fix and not for the sender
    /// to choose: a tag of n bits is guessed once in 2^n times.
    ///
    /// # Errors
    /// A length that the composition does not take.
    pub fn with_tag_len(self, tag_len_bytes: usize) -> Result<Self, Error> {
        self.info.check_tag_len(tag_len_bytes)?;
        Ok(Self { tag_len_bytes, ..self })
    }

    /// As [`with_tag_len`](Self::with_tag_len), also for tags that are too short to be taken
    /// without a thought: see
    /// [`Composition::with_short_tag_len`](crate::Composition::with_short_tag_len).
    ///
    /// # Errors
    /// A length that the mode does not have.
    pub fn with_short_tag_len(self, tag_len_bytes: usize) -> Result<Self, Error> {
        self.info.check_short_tag_len(tag_len_bytes)?;
        Ok(Self { tag_len_bytes, ..self })
    }

    /// The catalog row.
    pub fn info(&self) -> &'static MacInfo {
        self.info
    }

    /// Sets up another key in place.
    ///
    /// # Errors
    /// A key of a length it does not take, or one key twice where it takes two; the old key then
    /// stays.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        self.info.check_key(key)?;
        self.keyed.rekey(self.pin, key).map_err(|InvalidLength| self.info.same_keys())
    }

    /// Length of the tag.
    pub fn tag_len_bytes(&self) -> usize {
        self.tag_len_bytes
    }

    #[inline]
    fn check_tag_len(&self, tag: &[u8]) -> Result<(), Error> {
        if tag.len() == self.tag_len_bytes {
            return Ok(());
        }
        let accepted = Len::Exactly(self.tag_len_bytes as u64);
        Err(self.info.refused(Input::Tag, accepted, tag.len() as u64))
    }

    /// Length of the ciphertext of a message, without the tag.
    pub fn ciphertext_len_bytes(&self, message_len_bytes: usize) -> usize {
        (self.ciphertext_len_bytes)(message_len_bytes)
    }

    /// Encrypts and authenticates in place: see
    /// [`Composition::seal_in_place`](crate::Composition::seal_in_place).
    ///
    /// # Errors
    /// A nonce, associated data, message or tag of a length it does not take; the buffer is then
    /// untouched.
    #[inline]
    pub fn seal_in_place(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        message_len_bytes: usize,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.check_tag_len(tag)?;
        let header = Header { nonce, associated_data };
        let sealed = self.keyed.seal_in_place(header, buffer, message_len_bytes, tag);
        sealed.map_err(|error| self.info.named(error))
    }

    /// Encrypts and authenticates a message that stays as it is: see
    /// [`Composition::seal_into`](crate::Composition::seal_into).
    ///
    /// # Errors
    /// A nonce, associated data, message, ciphertext or tag of a length it does not take; the
    /// ciphertext is then untouched.
    #[inline]
    pub fn seal_into(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.check_tag_len(tag)?;
        let header = Header { nonce, associated_data };
        let sealed = self.keyed.seal_into(header, message, ciphertext, tag);
        sealed.map_err(|error| self.info.named(error))
    }

    /// Verifies and decrypts in place: see
    /// [`Composition::open_in_place`](crate::Composition::open_in_place).
    ///
    /// # Errors
    /// [`Error::TagMismatch`] for whatever was not sealed so; lengths that it does not take. In
    /// both cases the whole buffer is zero.
    #[inline]
    pub fn open_in_place(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, Error> {
        self.check_tag_len(tag).inspect_err(|_| buffer.fill(0))?;
        let header = Header { nonce, associated_data };
        let opened = self.keyed.open_in_place(header, buffer, tag);
        opened.map_err(|error| self.info.named(error))
    }

    /// The ciphertext with the tag behind it.
    ///
    /// # Errors
    /// As [`seal_into`](Self::seal_into).
    pub fn seal(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        message: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let ciphertext_len = self.ciphertext_len_bytes(message.len());
        let mut sealed = vec![0; ciphertext_len + self.tag_len_bytes];
        let (ciphertext, tag) = sealed.split_at_mut(ciphertext_len);
        self.seal_into(nonce, associated_data, message, ciphertext, tag)?;
        Ok(sealed)
    }

    /// The message that [`seal`](Self::seal) was given.
    ///
    /// # Errors
    /// As [`open_in_place`](Self::open_in_place).
    pub fn open(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let Some(ciphertext_len) = sealed.len().checked_sub(self.tag_len_bytes) else {
            return Err(self.info.refused(
                Input::Ciphertext,
                Len::Between(self.tag_len_bytes as u64, u64::MAX),
                sealed.len() as u64,
            ));
        };
        let (ciphertext, tag) = sealed.split_at(ciphertext_len);
        let mut message = Vec::from(ciphertext);
        let len = self.open_in_place(nonce, associated_data, &mut message, tag)?;
        message.truncate(len);
        Ok(message)
    }
}

impl Clone for DynComposition {
    fn clone(&self) -> Self {
        let keyed = Wiped::new(self.keyed.clone_boxed());
        let Self { info, pin, tag_len_bytes, ciphertext_len_bytes, .. } = *self;
        Self { info, keyed, pin, tag_len_bytes, ciphertext_len_bytes }
    }
}

impl fmt::Debug for DynComposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynComposition").field("name", &self.info.name).finish_non_exhaustive()
    }
}
