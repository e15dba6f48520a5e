//! What the macs over a block cipher share, whatever they do with the blocks: pieces of a message
//! gathered into blocks, whole messages without a copy, keys changed in place, wiping, and the
//! traits of `digest`. A mac says what is particular to it in its [`BlockMode`].

#[cfg(feature = "batch")]
use alloc::boxed::Box;
use core::fmt;
use core::slice;

use cipher::{Block, BlockSizeUser};
use digest::array::ArraySize;
use digest::common::KeySizeUser;
use digest::typenum::Unsigned;
use digest::{
    FixedOutput, FixedOutputReset, InvalidLength, Key, KeyInit, MacMarker, Output, OutputSizeUser,
    Reset, Update,
};
use zeroize::{ZeroizeOnDrop, optimization_barrier};

use crate::ciphers::{BlockCipher, CipherInfo, Engine};
#[cfg(feature = "batch")]
use crate::inside::Inside;
use crate::kernels::Pin;
#[cfg(feature = "batch")]
use crate::keyed::{KeyedBatch, Serial, apart};
use crate::len::Len;
#[cfg(feature = "batch")]
use crate::prepared::boxed;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::Mode;
use crate::wipe::wipe;

/// A mac over a block cipher, with its key, as a function of blocks. It wipes itself when dropped.
pub trait BlockMode: Clone + Send + Sync + 'static {
    /// The block cipher, whose blocks the message is cut into.
    type Cipher: BlockCipher;
    /// Length of the key in bytes; of the usual one where several lengths are taken.
    type KeySize: ArraySize;
    /// What is kept of the blocks taken so far; by default that of the empty message.
    type Running: Clone + Default + Send + Sync;

    /// Name of the public type.
    const NAME: &'static str;

    /// Whether the last block is treated apart even if it is full, and so has to be held back until
    /// more of the message is seen.
    const HOLDS_FULL_BLOCK: bool;

    /// Sets the key up on the cipher's code path that is pinned.
    ///
    /// # Errors
    /// When the mac takes no key of this length.
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength>;

    /// Sets another key up in place.
    ///
    /// # Errors
    /// When the mac takes no key of this length; the old key then stays.
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength>;

    /// Key set-up and the tag of one whole message, for a key that is used once.
    ///
    /// # Errors
    /// When the mac takes no key of this length.
    #[inline(always)]
    fn mac_once(
        key: &[u8],
        message: &[u8],
        tag: &mut Block<Self::Cipher>,
    ) -> Result<(), InvalidLength> {
        Self::new_on(Pin::BEST, key)?.mac_into(message, tag);
        Ok(())
    }

    /// The tag of one whole message.
    #[inline(always)]
    fn mac_into(&self, message: &[u8], tag: &mut Block<Self::Cipher>) {
        self.mac_from(Self::Running::default(), message, tag);
    }

    /// The tag of what goes on with this message.
    #[inline(always)]
    fn mac_from(&self, mut running: Self::Running, message: &[u8], tag: &mut Block<Self::Cipher>) {
        let (blocks, tail) = split::<Self>(message);
        self.finish(&mut running, blocks, tail, tag);
    }

    /// Sets up many keys, whose messages come together.
    ///
    /// # Errors
    /// When the mac takes no key of one of these lengths.
    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]]) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        if <Self::Cipher as Engine>::BLOCK_TAKES_LONG {
            return apart(boxed::keyed::<BlockMac<Self>>, pin, keys);
        }
        Serial::boxed(keys, |key| Ok(BlockMac::with_mode(Self::new_on(pin, key)?)))
    }

    /// Takes `first` and `then`, which are not the end of the message.
    fn absorb(
        &self,
        running: &mut Self::Running,
        first: &[Block<Self::Cipher>],
        then: &[Block<Self::Cipher>],
    );

    /// Takes `blocks` and `tail`, which end the message, and computes the tag. `tail` is less than
    /// a block or, where full ones are held back, at most a block and empty only with the message.
    fn finish(
        &self,
        running: &mut Self::Running,
        blocks: &[Block<Self::Cipher>],
        tail: &[u8],
        tag: &mut Block<Self::Cipher>,
    );
}

/// A mac over a block cipher, with its key and the message under way.
#[derive(Clone)]
pub struct BlockMac<M: BlockMode> {
    mode: M,
    under_way: UnderWay<M>,
}

/// A message as far as it was taken.
#[derive(Clone)]
struct UnderWay<M: BlockMode> {
    running: M::Running,
    /// The last bytes, whose treatment is known only when more come or the message ends.
    buffer: Block<M::Cipher>,
    buffered_len: usize,
}

/// The blocks of `data` that can be absorbed although it may be the end of the message, and the
/// rest.
#[inline(always)]
pub(crate) fn split<M: BlockMode>(data: &[u8]) -> (&[Block<M::Cipher>], &[u8]) {
    let block_len = <M::Cipher as BlockSizeUser>::BlockSize::USIZE;
    let held_len = usize::from(M::HOLDS_FULL_BLOCK);
    let (head, tail) = data.split_at(data.len().saturating_sub(held_len) / block_len * block_len);
    (Block::<M::Cipher>::slice_as_chunks(head).0, tail)
}

impl<M: BlockMode> UnderWay<M> {
    #[inline]
    fn new() -> Self {
        Self { running: M::Running::default(), buffer: Default::default(), buffered_len: 0 }
    }

    /// Apart, as `finish`: what calls them is short then, so that the compiler inlines it and moves
    /// the mac less often.
    #[inline(never)]
    fn update(&mut self, mode: &M, mut data: &[u8]) {
        let free = self.buffer.len() - self.buffered_len;
        if data.len() < free + usize::from(M::HOLDS_FULL_BLOCK) {
            self.buffer[self.buffered_len..][..data.len()].copy_from_slice(data);
            self.buffered_len += data.len();
            return;
        }
        let mut held: &[Block<M::Cipher>] = &[];
        if self.buffered_len > 0 {
            let (fill, rest) = data.split_at(free);
            self.buffer[self.buffered_len..].copy_from_slice(fill);
            held = slice::from_ref(&self.buffer);
            data = rest;
        }
        let (blocks, tail) = split::<M>(data);
        mode.absorb(&mut self.running, held, blocks);
        self.buffer[..tail.len()].copy_from_slice(tail);
        self.buffered_len = tail.len();
    }

    #[inline(never)]
    fn finish(&mut self, mode: &M, tag: &mut Block<M::Cipher>) {
        mode.finish(&mut self.running, &[], &self.buffer[..self.buffered_len], tag);
    }

    #[inline]
    fn restart(&mut self) {
        self.running = M::Running::default();
        optimization_barrier(&self.running);
        wipe(&mut self.buffer);
        self.buffered_len = 0;
    }
}

impl<M: BlockMode> Drop for UnderWay<M> {
    #[inline]
    fn drop(&mut self) {
        self.restart();
    }
}

impl<M: BlockMode> BlockMac<M> {
    #[inline]
    pub(crate) fn with_mode(mode: M) -> Self {
        Self { mode, under_way: UnderWay::new() }
    }

    /// Sets a key of the usual length up on the cipher's code path that is pinned.
    #[inline]
    pub(crate) fn keyed_on(pin: Pin, key: &Key<Self>) -> Self {
        Self::with_mode(M::new_on(pin, key).expect("KeySize is a length that is taken"))
    }

    /// Sets another key up in place, by `set_up`.
    #[cfg(all(any(feature = "cmac", feature = "ccm"), feature = "dyn"))]
    pub(crate) fn rekey_by(
        &mut self,
        set_up: impl FnOnce(&mut M) -> Result<(), InvalidLength>,
    ) -> Result<(), InvalidLength> {
        set_up(&mut self.mode)?;
        self.under_way.restart();
        Ok(())
    }

    /// The mac's key, for the modes that use its parts for something else as well.
    #[inline(always)]
    pub(crate) fn mode(&self) -> &M {
        &self.mode
    }

    /// The tag of a message whose first blocks have led to `running` already. Where the last block
    /// is treated apart, more than nothing must follow.
    #[inline(always)]
    pub(crate) fn mac_from(&self, running: M::Running, message: &[u8]) -> Block<M::Cipher> {
        let mut tag = Block::<M::Cipher>::default();
        self.mode.mac_from(running, message, &mut tag);
        tag
    }

    /// The tag of one whole message that lies in parts.
    #[inline]
    pub(crate) fn mac_of_parts(&self, parts: &[&[u8]]) -> Block<M::Cipher> {
        let (mut under_way, mut tag) = (UnderWay::<M>::new(), Block::<M::Cipher>::default());
        for part in parts {
            under_way.update(&self.mode, part);
        }
        under_way.finish(&self.mode, &mut tag);
        tag
    }

    /// The catalog row of a mac with keys of the cipher.
    pub(crate) const fn row(
        name: &'static str,
        title: &'static str,
        mode: &'static Mode,
        cipher: &'static CipherInfo,
    ) -> MacInfo {
        Self::joined_row(name, title, mode, cipher, cipher.key_len())
    }

    /// The catalog row of a mac whose keys are joined of several parts.
    pub(crate) const fn joined_row(
        name: &'static str,
        title: &'static str,
        mode: &'static Mode,
        cipher: &'static CipherInfo,
        key_len: (usize, Len),
    ) -> MacInfo {
        MacInfo::mac::<Self>(name, title, mode, &cipher.primitive, key_len)
    }
}

impl<M: BlockMode> ByRow for BlockMac<M> {
    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]], _: Inside) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        M::batch(pin, keys)
    }
}

impl<M: BlockMode> PreparedMac for BlockMac<M> {
    #[inline]
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self::with_mode(M::new_on(pin, key)?))
    }

    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.mode.rekey(key)?;
        self.under_way.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        self.mode.mac_into(message, tag);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        M::mac_once(key, message, tag)
    }
}

impl<M: BlockMode> Update for BlockMac<M> {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.under_way.update(&self.mode, data);
    }
}

impl<M: BlockMode> FixedOutput for BlockMac<M> {
    #[inline]
    fn finalize_into(mut self, tag: &mut Output<Self>) {
        self.under_way.finish(&self.mode, tag);
    }
}

impl<M: BlockMode> FixedOutputReset for BlockMac<M> {
    #[inline]
    fn finalize_into_reset(&mut self, tag: &mut Output<Self>) {
        self.under_way.finish(&self.mode, tag);
        self.under_way.restart();
    }
}

impl<M: BlockMode> Reset for BlockMac<M> {
    #[inline]
    fn reset(&mut self) {
        self.under_way.restart();
    }
}

impl<M: BlockMode> KeyInit for BlockMac<M> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }

    #[inline]
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_on(Pin::BEST, key)
    }
}

impl<M: BlockMode> KeySizeUser for BlockMac<M> {
    type KeySize = M::KeySize;
}

impl<M: BlockMode> BlockSizeUser for BlockMac<M> {
    type BlockSize = <M::Cipher as BlockSizeUser>::BlockSize;
}

impl<M: BlockMode> OutputSizeUser for BlockMac<M> {
    type OutputSize = <M::Cipher as BlockSizeUser>::BlockSize;
}

impl<M: BlockMode> MacMarker for BlockMac<M> {}

impl<M: BlockMode> fmt::Debug for BlockMac<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {{ .. }}", M::NAME)
    }
}

impl<M: BlockMode + ZeroizeOnDrop> ZeroizeOnDrop for BlockMac<M> {}

#[cfg(feature = "std")]
crate::reading::io_write! { [M: BlockMode] BlockMac<M>, Update::update }
