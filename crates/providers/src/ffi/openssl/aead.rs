//! The compositions, through `EVP_CipherInit_ex` and its like, which every version has. A context
//! is kept where messages are sealed; each that is opened has its own.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use super::library::{Cipher, Opaque, PrimitiveFn};
use super::primitive::Code;
use crate::peer::Sealer;
use crate::{Inputs, KeyLife, WRONG_TAG_LEN};

/// What the calls differ by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Lengths of message and tag go into the computation and are told before it.
    Ccm,
    /// The tag comes out at the end, or is checked there.
    Online,
}

/// One composition.
pub(super) struct Composition {
    /// Canonical name in our catalog.
    pub(super) mac: &'static str,
    pub(super) code: Code,
    /// The function that returns the cipher.
    pub(super) function: &'static str,
    pub(super) mode: Mode,
}

const fn ccm(mac: &'static str, function: &'static str) -> Composition {
    Composition { mac, code: Code::Aes, function, mode: Mode::Ccm }
}

const fn gcm(mac: &'static str, function: &'static str) -> Composition {
    Composition { mac, code: Code::Gcm, function, mode: Mode::Online }
}

/// All that libcrypto may have; what it really has is found by trying.
pub(super) const COMPOSITIONS: &[Composition] = &[
    ccm("ccm-aes-128", "EVP_aes_128_ccm"),
    ccm("ccm-aes-192", "EVP_aes_192_ccm"),
    ccm("ccm-aes-256", "EVP_aes_256_ccm"),
    Composition {
        mac: "chacha20-poly1305",
        code: Code::ChaCha,
        function: "EVP_chacha20_poly1305",
        mode: Mode::Online,
    },
    gcm("gcm-aes-128", "EVP_aes_128_gcm"),
    gcm("gcm-aes-192", "EVP_aes_192_gcm"),
    gcm("gcm-aes-256", "EVP_aes_256_gcm"),
];

// Of openssl/evp.h, the same in all versions.
const SET_IVLEN: c_int = 0x9;
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;

/// The longest block that `EVP_CipherFinal_ex` might write (`EVP_MAX_BLOCK_LENGTH`).
const BLOCK_MAX_BYTES: usize = 32;

type Step = Result<(), &'static str>;

/// A context that has a cipher, and is freed, with the key in it wiped, on drop.
pub(super) struct Context {
    functions: &'static Cipher,
    /// Never null.
    context: Opaque,
}

impl Context {
    pub(super) fn new(
        functions: &'static Cipher,
        cipher: PrimitiveFn,
        seals: bool,
    ) -> Result<Self, &'static str> {
        // SAFETY: takes nothing, returns a new context or null.
        let context = unsafe { (functions.EVP_CIPHER_CTX_new)() };
        if context.is_null() {
            return Err("EVP_CIPHER_CTX_new failed");
        }
        let kept = Self { functions, context };
        // SAFETY: a live context, a cipher of this library; key and nonce follow.
        let ready = unsafe {
            let cipher = cipher();
            let init = functions.EVP_CipherInit_ex;
            !cipher.is_null()
                && init(context, cipher, null_mut(), null(), null(), seals.into()) == 1
        };
        if ready { Ok(kept) } else { Err("EVP_CipherInit_ex failed") }
    }

    pub(super) fn set_nonce_len(&mut self, len_bytes: usize) -> Step {
        let len = length(len_bytes)?;
        // SAFETY: a live context; this control takes a length only.
        let done = unsafe {
            (self.functions.EVP_CIPHER_CTX_ctrl)(self.context, SET_IVLEN, len, null_mut())
        };
        if done == 1 { Ok(()) } else { Err("the nonce length was refused") }
    }

    /// Where the tag is not known yet, CCM is told its length.
    pub(super) fn set_tag(&mut self, tag: Result<&[u8], usize>) -> Step {
        let (data, len): (*const u8, _) = match tag {
            Ok(tag) => (tag.as_ptr(), tag.len()),
            Err(len) => (null(), len),
        };
        let (data, len) = (data.cast::<c_void>().cast_mut(), length(len)?);
        // SAFETY: a live context; a tag of the length said, which is copied and not written to, or
        // null.
        let done =
            unsafe { (self.functions.EVP_CIPHER_CTX_ctrl)(self.context, SET_TAG, len, data) };
        if done == 1 { Ok(()) } else { Err("the tag length was refused") }
    }

    pub(super) fn tag(&mut self, tag: &mut [u8]) -> Step {
        let (data, len) = (tag.as_mut_ptr().cast(), length(tag.len())?);
        // SAFETY: a live context; a buffer of the length said.
        let done =
            unsafe { (self.functions.EVP_CIPHER_CTX_ctrl)(self.context, GET_TAG, len, data) };
        if done == 1 { Ok(()) } else { Err("the tag was refused") }
    }

    /// Whoever calls has set the length of this nonce, and has a key as long as the cipher's; none
    /// means the one before.
    pub(super) fn set_key(&mut self, key: Option<&[u8]>, nonce: &[u8], seals: bool) -> Step {
        let key = key.map_or(null(), <[u8]>::as_ptr);
        let (nonce, none) = (nonce.as_ptr(), null_mut());
        let init = self.functions.EVP_CipherInit_ex;
        // SAFETY: a live context that has a cipher; nonce and key of the lengths it knows, or null
        // for a key that it has.
        let done = unsafe { init(self.context, none, none, key, nonce, seals.into()) };
        if done == 1 { Ok(()) } else { Err("EVP_CipherInit_ex failed") }
    }

    /// CCM alone: how long the message will be.
    pub(super) fn set_message_len(&mut self, len_bytes: usize) -> Step {
        let (mut written, len) = (0, length(len_bytes)?);
        // SAFETY: a live context; with neither input nor output the length alone is taken.
        let done = unsafe {
            (self.functions.EVP_CipherUpdate)(self.context, null_mut(), &mut written, null(), len)
        };
        if done == 1 { Ok(()) } else { Err("the message length was refused") }
    }

    pub(super) fn associated_data(&mut self, data: &[u8]) -> Step {
        if data.is_empty() {
            return Ok(());
        }
        let (mut written, len, data) = (0, length(data.len())?, data.as_ptr());
        // SAFETY: a live context; data of the length said; no output means associated data.
        let done = unsafe {
            (self.functions.EVP_CipherUpdate)(self.context, null_mut(), &mut written, data, len)
        };
        if done == 1 { Ok(()) } else { Err("the associated data was refused") }
    }

    /// Encrypts or decrypts the whole message: with CCM also an empty one goes this way.
    fn apply(&mut self, data: &[u8], out: &mut [u8]) -> Step {
        if out.len() != data.len() {
            return Err("the ciphertext is not as long as the message");
        }
        let (mut written, len) = (0, length(data.len())?);
        // SAFETY: a live context; data of the length said, and an output that is as long: all of
        // these are stream modes, with blocks of one byte, of which none is held back.
        let done = unsafe {
            let update = self.functions.EVP_CipherUpdate;
            update(self.context, out.as_mut_ptr(), &mut written, data.as_ptr(), len)
        };
        if done == 1 && written == len { Ok(()) } else { Err("EVP_CipherUpdate failed") }
    }

    /// The same where the message lies: libcrypto takes an output that is the input.
    pub(super) fn apply_in_place(&mut self, data: &mut [u8]) -> Step {
        let (mut written, len, place) = (0, length(data.len())?, data.as_mut_ptr());
        // SAFETY: a live context; an input of the length said, which is the output too, as
        // EVP_EncryptInit(3) allows: these are stream modes, of which no block is held back.
        let done = unsafe {
            (self.functions.EVP_CipherUpdate)(self.context, place, &mut written, place, len)
        };
        if done == 1 && written == len { Ok(()) } else { Err("EVP_CipherUpdate failed") }
    }

    /// Ends the computation; where a message is opened, says whether its tag is right.
    pub(super) fn finish(&mut self) -> bool {
        let (mut none, mut written) = ([0; BLOCK_MAX_BYTES], 0);
        let finish = self.functions.EVP_CipherFinal_ex;
        // SAFETY: a live context; room for any block, of which these ciphers write nothing.
        unsafe { finish(self.context, none.as_mut_ptr(), &mut written) == 1 }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: a live context, not used again.
        unsafe { (self.functions.EVP_CIPHER_CTX_free)(self.context) };
    }
}

fn length(len_bytes: usize) -> Result<c_int, &'static str> {
    c_int::try_from(len_bytes).map_err(|_| "too long for one call of the library")
}

impl Composition {
    /// A context is kept, and writes the ciphertext beside the message. The key is as long as the
    /// cipher's.
    pub(super) fn sealer(
        &'static self,
        functions: &'static Cipher,
        cipher: PrimitiveFn,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, &'static str> {
        let (key_len, tag_len_bytes) = (inputs.key.len(), inputs.tag_len_bytes);
        let (nonce, data) = (inputs.nonce.to_vec(), inputs.associated_data.to_vec());
        let mut context = Context::new(functions, cipher, true)?;
        context.set_nonce_len(nonce.len())?;
        if self.mode == Mode::Ccm {
            context.set_tag(Err(tag_len_bytes))?;
        }
        context.set_key(Some(inputs.key), &nonce, true)?;
        let is_new = key_life == KeyLife::NewKey;
        Ok(Box::new(move |key, message, ciphertext, tag| {
            if tag.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            if is_new && key.len() != key_len {
                return Err(crate::WRONG_KEY_LEN);
            }
            context.set_key(is_new.then_some(key), &nonce, true)?;
            if self.mode == Mode::Ccm {
                context.set_message_len(message.len())?;
            }
            context.associated_data(&data)?;
            context.apply(message, ciphertext)?;
            if self.mode == Mode::Online && !context.finish() {
                return Err("EVP_CipherFinal_ex failed");
            }
            context.tag(tag)
        }))
    }

    /// The message, if the tag is right. The key is as long as the cipher's.
    pub(super) fn unseal(
        &self,
        functions: &'static Cipher,
        cipher: PrimitiveFn,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, &'static str> {
        let mut context = Context::new(functions, cipher, false)?;
        context.set_nonce_len(inputs.nonce.len())?;
        context.set_tag(Ok(tag))?;
        context.set_key(Some(inputs.key), inputs.nonce, false)?;
        let mut message = vec![0; inputs.message.len()];
        if self.mode == Mode::Ccm {
            context.set_message_len(message.len())?;
            context.associated_data(inputs.associated_data)?;
            // Here the tag is looked at before anything is given out, and there is no other error
            // left: all lengths have been taken.
            return Ok(context.apply(inputs.message, &mut message).ok().map(|()| message));
        }
        context.associated_data(inputs.associated_data)?;
        context.apply(inputs.message, &mut message)?;
        Ok(context.finish().then_some(message))
    }
}
