//! Nettle's modes over any of its block ciphers, and its HMAC over any of its hashes (Nettle 3
//! only): what they leave to their caller is to keep the parts of a context together.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_char, c_uint};

use super::meta::{CipherFn, CipherMeta};
use super::{Aead, Bytes, BytesMut, Direction, Keyed, Mac, Memory, Nettle};
use crate::ffi::library::functions;
use crate::ffi::state::State;
use crate::{Input, Inputs, Refused};

/// What every mode here is told of the cipher: its context and how it encrypts.
type Cipher = Memory;

functions! {
    /// The same in Nettle 3 and 4.
    Functions {
        nettle_ccm_decrypt: fn(Memory, Cipher, CipherFn, usize, BytesMut, Bytes);
        nettle_ccm_digest: fn(Memory, Cipher, CipherFn, usize, BytesMut);
        nettle_ccm_encrypt: fn(Memory, Cipher, CipherFn, usize, BytesMut, Bytes);
        nettle_ccm_set_nonce: fn(Memory, Cipher, CipherFn, usize, Bytes, usize, usize, usize);
        nettle_ccm_update: fn(Memory, Cipher, CipherFn, usize, Bytes);
        nettle_cmac128_init: fn(Memory);
        nettle_cmac128_set_key: fn(Memory, Cipher, CipherFn);
        nettle_cmac128_update: fn(Memory, Cipher, CipherFn, usize, Bytes);
        nettle_eax_decrypt: fn(Memory, Memory, Cipher, CipherFn, usize, BytesMut, Bytes);
        nettle_eax_encrypt: fn(Memory, Memory, Cipher, CipherFn, usize, BytesMut, Bytes);
        nettle_eax_set_key: fn(Memory, Cipher, CipherFn);
        nettle_eax_set_nonce: fn(Memory, Memory, Cipher, CipherFn, usize, Bytes);
        nettle_eax_update: fn(Memory, Memory, Cipher, CipherFn, usize, Bytes);
        nettle_gcm_decrypt: fn(Memory, Memory, Cipher, CipherFn, usize, BytesMut, Bytes);
        nettle_gcm_encrypt: fn(Memory, Memory, Cipher, CipherFn, usize, BytesMut, Bytes);
        nettle_gcm_set_iv: fn(Memory, Memory, usize, Bytes);
        nettle_gcm_set_key: fn(Memory, Cipher, CipherFn);
        nettle_gcm_update: fn(Memory, Memory, usize, Bytes);
    }
}

/// A mode's `digest`, in Nettle 3 and in Nettle 4, where it gives all 16 bytes.
#[derive(Clone, Copy)]
enum Digest<Len> {
    Leftmost(unsafe extern "C" fn(Memory, Memory, Cipher, CipherFn, Len, BytesMut)),
    Whole(unsafe extern "C" fn(Memory, Memory, Cipher, CipherFn, BytesMut)),
}

/// A block cipher of 16-byte blocks, with a key.
struct Block {
    meta: &'static CipherMeta,
    state: State,
}

impl Block {
    fn set_key(&mut self, key: &[u8]) -> Result<(), &'static str> {
        if key.len() != self.meta.key_size as usize {
            return Err(crate::WRONG_KEY_LEN);
        }
        // SAFETY: a context and a key as long as Nettle says.
        unsafe { (self.meta.set_encrypt_key)(self.state.as_mut_ptr(), key.as_ptr()) };
        Ok(())
    }

    #[inline]
    fn parts(&mut self) -> (Cipher, CipherFn) {
        (self.state.as_mut_ptr(), self.meta.encrypt)
    }
}

/// A mode's own context, by cmac.h, eax.h, ccm.h and gcm.h of 3.6 to 4.0: at most 64 bytes for a
/// message.
const MESSAGE_LEN_BYTES: usize = 64;

/// ... and for a key 32 bytes, with GCM 4096 (Nettle 4: 2048).
const KEY_LEN_BYTES: usize = 4096;

/// A mode over a cipher.
struct Mode {
    f: Functions,
    block: Block,
    key: State,
    message: State,
    nonce: Vec<u8>,
    associated_data: Vec<u8>,
}

struct Cmac(Mode, Digest<c_uint>);

impl Keyed for Cmac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), &'static str> {
        let Self(Mode { f, block, key: subkeys, message, .. }, _) = self;
        block.set_key(key)?;
        let (cipher, encrypt) = block.parts();
        // SAFETY: contexts long enough, a cipher with a key.
        unsafe {
            (f.nettle_cmac128_set_key)(subkeys.as_mut_ptr(), cipher, encrypt);
            (f.nettle_cmac128_init)(message.as_mut_ptr());
        }
        Ok(())
    }
}

impl Mac for Cmac {
    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) {
        let Self(Mode { f, block, key, message: ctx, .. }, digest) = self;
        let ((cipher, encrypt), ctx) = (block.parts(), ctx.as_mut_ptr());
        let (key, tag) = (key.as_mut_ptr(), tag.as_mut_ptr());
        // SAFETY: contexts with keys; a message of the length said; a tag of 16 bytes, by the
        // catalog.
        unsafe {
            (f.nettle_cmac128_update)(ctx, cipher, encrypt, message.len(), message.as_ptr());
            match *digest {
                Digest::Leftmost(digest) => digest(ctx, key, cipher, encrypt, 16, tag),
                Digest::Whole(digest) => digest(ctx, key, cipher, encrypt, tag),
            }
        }
    }
}

/// EAX or GCM, whose functions take the same.
struct Sealing {
    mode: Mode,
    is_eax: bool,
    digest: Digest<usize>,
}

impl Keyed for Sealing {
    fn set_key(&mut self, key: &[u8]) -> Result<(), &'static str> {
        let Mode { f, block, key: subkeys, .. } = &mut self.mode;
        block.set_key(key)?;
        let (cipher, encrypt) = block.parts();
        let set_key = if self.is_eax { f.nettle_eax_set_key } else { f.nettle_gcm_set_key };
        // SAFETY: a context long enough, a cipher with a key.
        unsafe { set_key(subkeys.as_mut_ptr(), cipher, encrypt) };
        Ok(())
    }
}

impl Aead for Sealing {
    #[inline]
    fn crypt(
        &mut self,
        direction: Direction,
        from: &[u8],
        to: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        let Mode { f, block, key, message, nonce, associated_data: ad } = &mut self.mode;
        let (cipher, encrypt) = block.parts();
        let (ctx, key) = (message.as_mut_ptr(), key.as_mut_ptr());
        let crypt = match (self.is_eax, direction) {
            (true, Direction::Seal) => f.nettle_eax_encrypt,
            (true, Direction::Open) => f.nettle_eax_decrypt,
            (false, Direction::Seal) => f.nettle_gcm_encrypt,
            (false, Direction::Open) => f.nettle_gcm_decrypt,
        };
        let mut whole = [0; 16];
        // SAFETY: contexts with keys; inputs of the lengths said; an output as long as the input, a
        // tag of at most 16 bytes, by `Aead::crypt`.
        unsafe {
            if self.is_eax {
                (f.nettle_eax_set_nonce)(ctx, key, cipher, encrypt, nonce.len(), nonce.as_ptr());
                (f.nettle_eax_update)(ctx, key, cipher, encrypt, ad.len(), ad.as_ptr());
            } else {
                (f.nettle_gcm_set_iv)(ctx, key, nonce.len(), nonce.as_ptr());
                (f.nettle_gcm_update)(ctx, key, ad.len(), ad.as_ptr());
            }
            crypt(ctx, key, cipher, encrypt, from.len(), to.as_mut_ptr(), from.as_ptr());
            match self.digest {
                Digest::Leftmost(digest) => {
                    digest(ctx, key, cipher, encrypt, tag.len(), tag.as_mut_ptr())
                }
                Digest::Whole(digest) => {
                    digest(ctx, key, cipher, encrypt, whole.as_mut_ptr());
                    tag.copy_from_slice(&whole[..tag.len()]);
                }
            }
        }
        Ok(())
    }
}

struct Ccm(Mode);

impl Keyed for Ccm {
    fn set_key(&mut self, key: &[u8]) -> Result<(), &'static str> {
        self.0.block.set_key(key)
    }
}

impl Aead for Ccm {
    #[inline]
    fn crypt(
        &mut self,
        direction: Direction,
        from: &[u8],
        to: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        let Mode { f, block, message, nonce, associated_data: ad, .. } = &mut self.0;
        // Nettle aborts the process over a message that is too long for the nonce.
        let len_max = 1_u64 << (8 * (15 - nonce.len())).min(63);
        if from.len() as u64 >= len_max {
            return Err("the message is too long for CCM with this nonce");
        }
        let ((cipher, encrypt), ctx) = (block.parts(), message.as_mut_ptr());
        let crypt = match direction {
            Direction::Seal => f.nettle_ccm_encrypt,
            Direction::Open => f.nettle_ccm_decrypt,
        };
        let (len, tag_len) = (from.len(), tag.len());
        // SAFETY: a context long enough, a cipher with a key; lengths that CCM takes, by the
        // catalog and as checked above; an output as long as the input, by `Aead::crypt`.
        unsafe {
            let (nonce, nonce_len) = (nonce.as_ptr(), nonce.len());
            (f.nettle_ccm_set_nonce)(
                ctx,
                cipher,
                encrypt,
                nonce_len,
                nonce,
                ad.len(),
                len,
                tag_len,
            );
            (f.nettle_ccm_update)(ctx, cipher, encrypt, ad.len(), ad.as_ptr());
            crypt(ctx, cipher, encrypt, len, to.as_mut_ptr(), from.as_ptr());
            (f.nettle_ccm_digest)(ctx, cipher, encrypt, tag_len, tag.as_mut_ptr());
        }
        Ok(())
    }
}

type Hash = *const HashMeta;

/// The beginning of `struct nettle_hash`.
#[repr(C)]
pub(super) struct HashMeta {
    name: *const c_char,
    context_size: c_uint,
}

functions! {
    /// What Nettle 4 no longer has.
    HmacFunctions {
        nettle_hmac_digest: fn(Memory, Memory, Memory, Hash, usize, BytesMut);
        nettle_hmac_set_key: fn(Memory, Memory, Memory, Hash, usize, Bytes);
        nettle_hmac_update: fn(Memory, Hash, usize, Bytes);
    }
}

/// HMAC over any hash: what the key makes of both its passes, and the hash at work.
struct Hmac {
    f: HmacFunctions,
    hash: &'static HashMeta,
    outer: State,
    inner: State,
    state: State,
}

impl Keyed for Hmac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), &'static str> {
        let [outer, inner, state] =
            [&mut self.outer, &mut self.inner, &mut self.state].map(State::as_mut_ptr);
        let set_key = self.f.nettle_hmac_set_key;
        // SAFETY: contexts as long as Nettle says; a key of the length said.
        unsafe { set_key(outer, inner, state, self.hash, key.len(), key.as_ptr()) };
        Ok(())
    }
}

impl Mac for Hmac {
    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) {
        let [outer, inner, state] =
            [&mut self.outer, &mut self.inner, &mut self.state].map(State::as_mut_ptr);
        // SAFETY: contexts with a key; a message and a tag of the lengths said, the tag no longer
        // than that of the hash, by the catalog.
        unsafe {
            (self.f.nettle_hmac_update)(state, self.hash, message.len(), message.as_ptr());
            let digest = self.f.nettle_hmac_digest;
            digest(outer, inner, state, self.hash, tag.len(), tag.as_mut_ptr());
        }
    }
}

impl Nettle {
    /// CMAC over a cipher.
    pub(super) fn cmac_over(&self, cipher: &str) -> Result<impl Mac + use<>, Refused> {
        let mode = self.mode(cipher, &Inputs::default())?;
        Ok(Cmac(mode, self.mode_digest("nettle_cmac128_digest")?))
    }

    /// EAX over a cipher.
    pub(super) fn eax(
        &self,
        cipher: &str,
        inputs: &Inputs<'_>,
    ) -> Result<impl Aead + use<>, Refused> {
        let (mode, digest) = (self.mode(cipher, inputs)?, self.mode_digest("nettle_eax_digest")?);
        Ok(Sealing { mode, is_eax: true, digest })
    }

    /// GCM over a cipher.
    pub(super) fn gcm(
        &self,
        cipher: &str,
        inputs: &Inputs<'_>,
    ) -> Result<impl Aead + use<>, Refused> {
        let (mode, digest) = (self.mode(cipher, inputs)?, self.mode_digest("nettle_gcm_digest")?);
        Ok(Sealing { mode, is_eax: false, digest })
    }

    /// CCM over a cipher.
    pub(super) fn ccm(
        &self,
        cipher: &str,
        inputs: &Inputs<'_>,
    ) -> Result<impl Aead + use<>, Refused> {
        if !(7..=13).contains(&inputs.nonce.len()) {
            return Err(Refused::limit(&[Input::Nonce], "CCM takes nonces of 7 to 13 bytes"));
        }
        Ok(Ccm(self.mode(cipher, inputs)?))
    }

    /// HMAC over a hash that has no functions of its own.
    pub(super) fn hmac_over(&self, hash: &str) -> Result<impl Mac + use<>, Refused> {
        // SAFETY: declared after hmac.h and nettle-meta.h.
        let (f, hash): (_, &'static HashMeta) = unsafe {
            (HmacFunctions::load(&self.library)?, self.library.symbol(&format!("nettle_{hash}"))?)
        };
        let [outer, inner, state] = [(); 3].map(|()| State::new(hash.context_size as usize));
        Ok(Hmac { f, hash, outer, inner, state })
    }

    fn mode(&self, cipher: &str, inputs: &Inputs<'_>) -> Result<Mode, Refused> {
        // SAFETY: declared after nettle-meta.h, cmac.h, eax.h, ccm.h and gcm.h.
        let (f, meta): (_, &'static CipherMeta) = unsafe {
            (Functions::load(&self.library)?, self.library.symbol(&format!("nettle_{cipher}"))?)
        };
        if meta.block_size != 16 {
            let why = format!("{cipher} has {}-byte blocks, not 16", meta.block_size);
            return Err(Refused::limit(&[Input::Message], why));
        }
        Ok(Mode {
            f,
            block: Block { meta, state: State::new(meta.context_size as usize) },
            key: State::new(KEY_LEN_BYTES),
            message: State::new(MESSAGE_LEN_BYTES),
            nonce: inputs.nonce.to_vec(),
            associated_data: inputs.associated_data.to_vec(),
        })
    }

    fn mode_digest<Len>(&self, name: &str) -> Result<Digest<Len>, Refused> {
        // SAFETY: so declared in the headers of Nettle 3 and of Nettle 4.
        unsafe {
            Ok(match self.version.0 {
                3 => Digest::Leftmost(self.library.symbol(name)?),
                _ => Digest::Whole(self.library.symbol(name)?),
            })
        }
    }
}
