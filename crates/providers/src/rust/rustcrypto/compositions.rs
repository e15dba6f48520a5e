//! The compositions: one row each, by its canonical name.

use std::marker::PhantomData;
use std::rc::Rc;

use aead::{AeadInOut, Nonce, Tag};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};
use aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv};
use aes_siv::{Aes128SivAead, Aes256SivAead};
use ccm::Ccm;
use chacha20poly1305::ChaCha20Poly1305;
use cipher::{
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InvalidLength, Key, KeyInit,
    KeySizeUser,
};
use digest::array::ArraySize;
use digest::consts::{U4, U8, U12, U13, U16, U20, U24, U32};
use eax::Eax;
use rc6::RC6;
use serpent::Serpent;
use twofish::Twofish;

use super::kernels::{self, Kernel, soft};
use crate::{Input, Inputs, KeyLife, Refused, Sealed, Tagger, WRONG_TAG_LEN};

/// One composition.
pub(super) struct Row {
    pub mac: &'static str,
    pub kernel: Kernel,
    pub open: Open,
}

/// Key, and the lengths of nonce and tag: they are in the types of these crates.
type Open = fn(&[u8], usize, usize) -> Result<Box<dyn Composition>, Refused>;

const fn row(mac: &'static str, kernel: Kernel, open: Open) -> Row {
    Row { mac, kernel, open }
}

/// All rows, by family.
pub(super) const ROWS: &[&[Row]] = &[CCM, EAX, GCM, GCM_SIV, SIV, CHACHA20_POLY1305];

/// The rows of a mode over the ciphers with blocks of 128 bits.
macro_rules! over_wide_ciphers {
    ($mode:literal, $open:ident) => {
        &[
            row(concat!($mode, "-aes-128"), kernels::aes, $open::<Aes128>),
            row(concat!($mode, "-aes-192"), kernels::aes, $open::<Aes192>),
            row(concat!($mode, "-aes-256"), kernels::aes, $open::<Aes256>),
            row(concat!($mode, "-rc6-128"), soft, $open::<Rc6<U16>>),
            row(concat!($mode, "-rc6-192"), soft, $open::<Rc6<U24>>),
            row(concat!($mode, "-rc6-256"), soft, $open::<Rc6<U32>>),
            row(concat!($mode, "-serpent-128"), soft, $open::<Serpent>),
            row(concat!($mode, "-serpent-192"), soft, $open::<KeyOf<U24, Serpent>>),
            row(concat!($mode, "-serpent-256"), soft, $open::<KeyOf<U32, Serpent>>),
            row(concat!($mode, "-twofish-128"), soft, $open::<KeyOf<U16, Twofish>>),
            row(concat!($mode, "-twofish-192"), soft, $open::<KeyOf<U24, Twofish>>),
            row(concat!($mode, "-twofish-256"), soft, $open::<Twofish>),
        ]
    };
}

const CCM: &[Row] = over_wide_ciphers!("ccm", ccm);
const EAX: &[Row] = over_wide_ciphers!("eax", eax);

const GCM: &[Row] = &[
    row("gcm-aes-128", kernels::aes, fixed::<Aes128Gcm>),
    row("gcm-aes-192", kernels::aes, fixed::<AesGcm<Aes192, U12>>),
    row("gcm-aes-256", kernels::aes, fixed::<Aes256Gcm>),
];

const GCM_SIV: &[Row] = &[
    row("gcm-siv-aes-128", kernels::aes, fixed::<Aes128GcmSiv>),
    row("gcm-siv-aes-256", kernels::aes, fixed::<Aes256GcmSiv>),
];

const SIV: &[Row] = &[
    row("siv-aes-128", kernels::aes, siv::<Aes128SivAead>),
    row("siv-aes-256", kernels::aes, siv::<Aes256SivAead>),
];

const CHACHA20_POLY1305: &[Row] =
    &[row("chacha20-poly1305", kernels::chacha20, fixed::<ChaCha20Poly1305>)];

/// A type whose tags have 16 bytes and its nonces 12.
fn fixed<A>(key: &[u8], nonce_len: usize, tag_len: usize) -> Result<Box<dyn Composition>, Refused>
where
    A: AeadInOut + KeyInit + 'static,
{
    match (nonce_len, tag_len) {
        (12, 16) => keyed::<A>(key),
        _ => Err(measured_with("12-byte nonces and 16-byte tags only")),
    }
}

fn siv<A>(key: &[u8], nonce_len: usize, tag_len: usize) -> Result<Box<dyn Composition>, Refused>
where
    A: AeadInOut + KeyInit + 'static,
{
    match (nonce_len, tag_len) {
        (16, 16) => keyed::<A>(key),
        _ => Err(measured_with("16-byte nonces and 16-byte tags only")),
    }
}

fn ccm<C>(key: &[u8], nonce_len: usize, tag_len: usize) -> Result<Box<dyn Composition>, Refused>
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + KeyInit + 'static,
{
    match (nonce_len, tag_len) {
        (12, 4) => keyed::<Ccm<C, U4, U12>>(key),
        (12, 8) => keyed::<Ccm<C, U8, U12>>(key),
        (12, 16) => keyed::<Ccm<C, U16, U12>>(key),
        (13, 4) => keyed::<Ccm<C, U4, U13>>(key),
        (13, 8) => keyed::<Ccm<C, U8, U13>>(key),
        (13, 16) => keyed::<Ccm<C, U16, U13>>(key),
        _ => Err(measured_with("12- or 13-byte nonces, tags of 4, 8 or 16 bytes")),
    }
}

fn eax<C>(key: &[u8], nonce_len: usize, tag_len: usize) -> Result<Box<dyn Composition>, Refused>
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + KeyInit + Clone + 'static,
{
    match (nonce_len, tag_len) {
        (16, 4) => keyed::<Eax<C, U4>>(key),
        (16, 8) => keyed::<Eax<C, U8>>(key),
        (16, 16) => keyed::<Eax<C>>(key),
        _ => Err(measured_with("16-byte nonces, tags of 4, 8 or 16 bytes")),
    }
}

/// The lengths that are in the types here.
fn measured_with(lengths: &str) -> Refused {
    let why = format!("rustcrypto is measured with {lengths}");
    Refused::limit(&[Input::Nonce, Input::Tag], why)
}

fn keyed<A: AeadInOut + KeyInit + 'static>(key: &[u8]) -> Result<Box<dyn Composition>, Refused> {
    Ok(Box::new(A::new_from_slice(key).map_err(Refused::said)?))
}

/// An AEAD with its key, whatever the lengths in its type.
pub(super) trait Composition {
    fn rekey(&mut self, key: &[u8]) -> Result<(), &'static str>;
    /// Encrypts the buffer in place, without associated data.
    fn seal_in_place(
        &self,
        nonce: &[u8],
        buffer: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str>;
    fn seal(&self, inputs: &Inputs<'_>) -> Result<Sealed, Refused>;
    fn unseal(&self, inputs: &Inputs<'_>, tag: &[u8]) -> Result<Option<Vec<u8>>, Refused>;
}

impl<A: AeadInOut + KeyInit> Composition for A {
    fn rekey(&mut self, key: &[u8]) -> Result<(), &'static str> {
        *self = A::new_from_slice(key).map_err(|_| crate::WRONG_KEY_LEN)?;
        Ok(())
    }

    fn seal_in_place(
        &self,
        nonce: &[u8],
        buffer: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        let nonce: &Nonce<A> = nonce.try_into().map_err(|_| "wrong nonce length")?;
        let sealed = self.encrypt_inout_detached(nonce, &[], buffer.into());
        let whole = sealed.map_err(|_| "too long a message for rustcrypto")?;
        if tag.len() != whole.len() {
            return Err(WRONG_TAG_LEN);
        }
        tag.copy_from_slice(&whole);
        Ok(())
    }

    fn seal(&self, inputs: &Inputs<'_>) -> Result<Sealed, Refused> {
        let nonce = Nonce::<A>::try_from(inputs.nonce).map_err(Refused::said)?;
        let mut buffer = inputs.message.to_vec();
        let data = inputs.associated_data;
        let tag = self.encrypt_inout_detached(&nonce, data, buffer.as_mut_slice().into());
        let tag = tag.map_err(|_| "too long a message for rustcrypto")?;
        Ok(Sealed { ciphertext: buffer, tag: tag.to_vec() })
    }

    fn unseal(&self, inputs: &Inputs<'_>, tag: &[u8]) -> Result<Option<Vec<u8>>, Refused> {
        let nonce = Nonce::<A>::try_from(inputs.nonce).map_err(Refused::said)?;
        let tag = Tag::<A>::try_from(tag).map_err(Refused::said)?;
        let mut buffer = inputs.message.to_vec();
        let data = inputs.associated_data;
        let opened = self.decrypt_inout_detached(&nonce, data, buffer.as_mut_slice().into(), &tag);
        Ok(opened.ok().map(|()| buffer))
    }
}

/// A composition's tagger: the message is copied and sealed in place.
pub(super) fn tagger(
    mut kept: Box<dyn Composition>,
    key_life: KeyLife,
    nonce: Vec<u8>,
) -> Result<Tagger, Refused> {
    let is_new = match key_life {
        KeyLife::Prepared => false,
        KeyLife::NewKey => true,
        KeyLife::OneShot => return Err(crate::NO_ONE_SHOT),
    };
    let mut buffer = Vec::new();
    Ok(Box::new(move |key, message, tag| {
        if is_new {
            kept.rekey(key)?;
        }
        buffer.resize(message.len(), 0);
        buffer.copy_from_slice(message);
        kept.seal_in_place(&nonce, &mut buffer, tag)
    }))
}

/// A cipher with keys of `N` bytes that can be cloned, as EAX asks for. Serpent and Twofish take
/// keys of several lengths, but have only one of them in their type, and the modes here go by the
/// type; RC6 cannot be cloned.
struct KeyOf<N, C>(Rc<C>, PhantomData<N>);

type Rc6<N> = KeyOf<N, RC6<u32, U20, N>>;

impl<N, C> Clone for KeyOf<N, C> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0), PhantomData)
    }
}

impl<N: ArraySize, C> KeySizeUser for KeyOf<N, C> {
    type KeySize = N;
}

impl<N: ArraySize, C: KeyInit> KeyInit for KeyOf<N, C> {
    fn new(key: &Key<Self>) -> Self {
        Self::new_from_slice(key).expect("a length that the cipher takes")
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self(Rc::new(C::new_from_slice(key)?), PhantomData))
    }
}

impl<N, C: BlockSizeUser> BlockSizeUser for KeyOf<N, C> {
    type BlockSize = C::BlockSize;
}

impl<N, C: BlockCipherEncrypt> BlockCipherEncrypt for KeyOf<N, C> {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = Self::BlockSize>) {
        self.0.encrypt_with_backend(f);
    }
}
