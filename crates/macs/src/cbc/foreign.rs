//! CMAC by name over ciphers of other crates. They look tables up, block by block: nothing is
//! gained by code of their own, so that one routine serves all, the cipher behind a pointer. By
//! type each has [`Cmac`](super::omac::Cmac), as any cipher in [`Foreign`].

use alloc::boxed::Box;

use cipher::array::Array;
use cipher::consts::{U8, U16};
use cipher::{Block, BlockSizeUser, KeyInit};
use digest::InvalidLength;
use digest::typenum::Unsigned;

use super::omac;
use crate::ciphers::{CipherInfo, Engine, Foreign, rows_over};
use crate::doubling::DoublingSize;
use crate::inside::Inside;
use crate::kernels::chaining::Omac;
use crate::kernels::{OnlySoft, Pin};
use crate::keyed::Keyed;
#[cfg(feature = "batch")]
use crate::keyed::{KeyedBatch, apart};
use crate::row::{MacInfo, Maker};
use crate::status::Mode;
use crate::wipe::wipe;
use crate::work::Theory;

const BLOCK_LEN_MAX_BYTES: usize = 16;

/// As much of it as a block of the cipher has.
type AnyBlock = [u8; BLOCK_LEN_MAX_BYTES];

/// A block cipher under its key.
trait Chain: Send + Sync {
    /// As [`Engine::rekey`].
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength>;

    fn block_len(&self) -> usize;

    /// The CBC chain over whole blocks, from the value `y` on.
    fn chain(&self, y: &mut AnyBlock, blocks: &[u8]);

    fn clone_boxed(&self) -> Box<dyn Chain>;
}

impl<C: KeyInit> Chain for Foreign<C>
where
    Foreign<C>: Engine<Kernel = OnlySoft>,
{
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        Engine::rekey(self, key, Inside(()))
    }

    fn block_len(&self) -> usize {
        <Self as BlockSizeUser>::BlockSize::USIZE
    }

    fn chain(&self, y: &mut AnyBlock, blocks: &[u8]) {
        let (blocks, _) = Block::<Self>::slice_as_chunks(blocks);
        let ([y, ..], _) = Block::<Self>::slice_as_chunks_mut(y) else { return };
        Engine::chain(self, y, blocks, &[], Inside(()));
    }

    fn clone_boxed(&self) -> Box<dyn Chain> {
        Box::new(self.clone())
    }
}

/// CMAC over a cipher behind a pointer.
struct Cmac {
    cipher: Box<dyn Chain>,
    masks: Masks,
    y: AnyBlock,
    /// The last bytes, whose treatment is known only when more come or the message ends.
    buffer: AnyBlock,
    buffered_len: usize,
}

/// K1 and K2 of SP 800-38B §6.1: of a full last block, and of a padded one.
#[derive(Clone)]
struct Masks([AnyBlock; 2]);

impl Masks {
    fn new(cipher: &dyn Chain) -> Self {
        let mut l = AnyBlock::default();
        cipher.chain(&mut l, &AnyBlock::default()[..cipher.block_len()]);
        let masks = match cipher.block_len() {
            8 => Self::of::<U8>(&l),
            _ => Self::of::<U16>(&l),
        };
        wipe(&mut l);
        masks
    }

    fn of<N: DoublingSize>(l: &AnyBlock) -> Self {
        let mut l = Array::<u8, N>::from_fn(|i| l[i]);
        let masks = Omac::One.masks(&l);
        wipe(&mut l);
        Self(masks.map(|mut mask| {
            let mut block = AnyBlock::default();
            block[..mask.len()].copy_from_slice(&mask);
            wipe(&mut mask);
            block
        }))
    }

    /// The tag of a message that ends in `tail`, at most a block and empty only with the message.
    /// SP 800-38B §6.2, steps 4 to 6.
    fn finish(&self, cipher: &dyn Chain, y: &mut AnyBlock, tail: &[u8], tag: &mut [u8]) {
        let block_len = cipher.block_len();
        let Self([full, padded]) = self;
        let mut last = AnyBlock::default();
        last[..tail.len()].copy_from_slice(tail);
        let mut mask = full;
        if tail.len() < block_len {
            last[tail.len()] = 0x80;
            mask = padded;
        }
        last.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        cipher.chain(y, &last[..block_len]);
        wipe(&mut last);
        tag.copy_from_slice(&y[..block_len]);
        wipe(y);
    }

    fn mac_into(&self, cipher: &dyn Chain, message: &[u8], tag: &mut [u8]) {
        let (blocks, tail) = split_held(message, cipher.block_len());
        let mut y = AnyBlock::default();
        cipher.chain(&mut y, blocks);
        self.finish(cipher, &mut y, tail, tag);
    }
}

impl Drop for Masks {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|mask| wipe(mask));
    }
}

/// The blocks of `data` before its last, and the last, which is full if it can be.
fn split_held(data: &[u8], block_len: usize) -> (&[u8], &[u8]) {
    data.split_at(data.len().saturating_sub(1) / block_len * block_len)
}

impl Cmac {
    fn new(mut cipher: Box<dyn Chain>, key: &[u8]) -> Result<Self, InvalidLength> {
        cipher.rekey(key)?;
        let masks = Masks::new(&*cipher);
        let (y, buffer) = Default::default();
        Ok(Self { cipher, masks, y, buffer, buffered_len: 0 })
    }
}

impl Keyed for Cmac {
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.cipher.rekey(key)?;
        self.masks = Masks::new(&*self.cipher);
        self.reset();
        Ok(())
    }

    fn mac_into(&self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.masks.mac_into(&*self.cipher, message, tag);
        Ok(())
    }

    fn update(&mut self, mut data: &[u8]) {
        let block_len = self.cipher.block_len();
        let free = block_len - self.buffered_len;
        if data.len() > free {
            if self.buffered_len > 0 {
                let (fill, rest) = data.split_at(free);
                self.buffer[self.buffered_len..block_len].copy_from_slice(fill);
                self.cipher.chain(&mut self.y, &self.buffer[..block_len]);
                (self.buffered_len, data) = (0, rest);
            }
            let (blocks, tail) = split_held(data, block_len);
            self.cipher.chain(&mut self.y, blocks);
            data = tail;
        }
        self.buffer[self.buffered_len..][..data.len()].copy_from_slice(data);
        self.buffered_len += data.len();
    }

    fn finalize_reset_into(&mut self, _: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tail = &self.buffer[..self.buffered_len];
        self.masks.finish(&*self.cipher, &mut self.y, tail, tag);
        self.reset();
        Ok(())
    }

    fn reset(&mut self) {
        wipe(&mut self.y);
        wipe(&mut self.buffer);
        self.buffered_len = 0;
    }

    fn clone_boxed(&self) -> Box<dyn Keyed> {
        let (cipher, masks) = (self.cipher.clone_boxed(), self.masks.clone());
        let Self { y, buffer, buffered_len, .. } = *self;
        Box::new(Self { cipher, masks, y, buffer, buffered_len })
    }
}

impl Drop for Cmac {
    fn drop(&mut self) {
        self.reset();
    }
}

/// The cipher under a public key.
fn blank<C: Engine<Kernel = OnlySoft> + Chain>() -> Box<dyn Chain> {
    Box::new(C::blank(OnlySoft, Inside(())))
}

fn keyed<C: Engine<Kernel = OnlySoft> + Chain>(
    _: Pin,
    key: &[u8],
    _: &[u8],
) -> Result<Box<dyn Keyed>, InvalidLength> {
    Ok(Box::new(Cmac::new(blank::<C>(), key)?))
}

fn one_shot<C: Engine<Kernel = OnlySoft> + Chain>(
    key: &[u8],
    _: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), InvalidLength> {
    let mut cipher = C::blank(OnlySoft, Inside(()));
    Chain::rekey(&mut cipher, key)?;
    Masks::new(&cipher).mac_into(&cipher, message, tag);
    Ok(())
}

#[cfg(feature = "batch")]
fn batch<C: Engine<Kernel = OnlySoft> + Chain>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
    apart(keyed::<C>, pin, keys)
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(foreign: row, "cmac", "CMAC");

const fn row<C: Engine<Kernel = OnlySoft> + Chain>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    let maker = Maker::Mac {
        keyed: keyed::<C>,
        one_shot: one_shot::<C>,
        #[cfg(feature = "batch")]
        batch: batch::<C>,
    };
    let mode = match name.as_bytes() {
        b"cmac-kuznyechik" | b"cmac-magma" => &GOST_MODE,
        _ => &omac::MODE,
    };
    let (primitive, key_len) = (&cipher.primitive, cipher.key_len());
    MacInfo::new(name, title, mode, primitive, key_len, primitive.block_len_bytes, maker)
        .with_theory(Theory::MASKED)
}

/// By the name of its own standard.
static GOST_MODE: Mode = Mode {
    title: "CMAC of GOST R 34.13",
    specification: "GOST R 34.13-2015 §5.6, which is NIST SP 800-38B",
    approved_by: "Rosstandart (GOST R 34.13-2015); ISO/IEC 9797-1 algorithm 5",
    ..omac::MODE
};
