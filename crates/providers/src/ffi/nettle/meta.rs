//! What Nettle says of its own algorithms: the structures of nettle-meta.h, with the size of each
//! context and its functions, and contexts made by them.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_char, c_uint};

use zeroize::Zeroizing;

use super::{Aead, Bytes, BytesMut, Direction, Keyed, Mac, Memory, Nettle};
use crate::ffi::state::State;
use crate::{Input, Inputs, Refused};

pub(super) type SetKeyFn = unsafe extern "C" fn(Memory, Bytes);
pub(super) type UpdateFn = unsafe extern "C" fn(Memory, usize, Bytes);
pub(super) type CipherFn = unsafe extern "C" fn(*const (), usize, BytesMut, Bytes);
type CryptFn = unsafe extern "C" fn(Memory, usize, BytesMut, Bytes);
/// `nettle_hmac_sha256_set_key`, `nettle_gcm_aes128_set_iv` and their like.
type SizedFn = unsafe extern "C" fn(Memory, usize, Bytes);

/// `struct nettle_mac`, without `digest`: that takes a length in Nettle 3 only, and is found by its
/// name.
#[repr(C)]
struct MacMeta {
    name: *const c_char,
    context_size: c_uint,
    digest_size: c_uint,
    key_size: c_uint,
    set_key: SetKeyFn,
    update: UpdateFn,
}

/// `struct nettle_aead`, likewise.
#[repr(C)]
struct AeadMeta {
    name: *const c_char,
    context_size: c_uint,
    block_size: c_uint,
    key_size: c_uint,
    nonce_size: c_uint,
    digest_size: c_uint,
    set_encrypt_key: SetKeyFn,
    set_decrypt_key: SetKeyFn,
    set_nonce: SetKeyFn,
    update: UpdateFn,
    encrypt: CryptFn,
    decrypt: CryptFn,
}

/// `struct nettle_cipher`.
#[repr(C)]
pub(super) struct CipherMeta {
    name: *const c_char,
    pub(super) context_size: c_uint,
    pub(super) block_size: c_uint,
    pub(super) key_size: c_uint,
    pub(super) set_encrypt_key: SetKeyFn,
    set_decrypt_key: SetKeyFn,
    pub(super) encrypt: CipherFn,
    decrypt: CipherFn,
}

/// How a context takes its key.
#[derive(Clone, Copy)]
enum SetKey {
    AnyLen(SizedFn),
    Fixed(SetKeyFn, usize),
    /// TDES with two keys, which Nettle takes as K1‖K2‖K1.
    TwoKeys(SetKeyFn),
}

/// How a context takes its nonce.
#[derive(Clone, Copy)]
enum SetNonce {
    None,
    AnyLen(SizedFn),
    Fixed(SetKeyFn),
}

/// How a context gives its tag; it is ready for the next message then.
#[derive(Clone, Copy)]
enum Digest {
    /// Nettle 3: as many bytes as one asks for.
    Leftmost(unsafe extern "C" fn(Memory, usize, BytesMut)),
    /// Nettle 4: all of them, as many as said here.
    Whole(unsafe extern "C" fn(Memory, BytesMut), usize),
}

/// The longest tag of all.
const TAG_LEN_MAX_BYTES: usize = 64;

/// A context with a key, and the functions for it.
struct Context {
    state: State,
    set_key: SetKey,
    set_nonce: SetNonce,
    nonce: Vec<u8>,
    update: UpdateFn,
    digest: Digest,
}

impl Keyed for Context {
    fn set_key(&mut self, key: &[u8]) -> Result<(), &'static str> {
        let state = self.state.as_mut_ptr();
        match self.set_key {
            // SAFETY: a context as long as Nettle says; a key of the length said.
            SetKey::AnyLen(set_key) => unsafe { set_key(state, key.len(), key.as_ptr()) },
            SetKey::Fixed(set_key, len) if key.len() == len => {
                // SAFETY: a context and a key as long as Nettle says.
                unsafe { set_key(state, key.as_ptr()) }
            }
            SetKey::TwoKeys(set_key) if key.len() == 16 => {
                let mut three = Zeroizing::new([0; 24]);
                crate::widen(key, &mut three)?;
                // SAFETY: a context as long as Nettle says, and a key of 24 bytes, which
                // `Nettle::mac` found that it takes.
                unsafe { set_key(state, three.as_ptr()) }
            }
            _ => return Err(crate::WRONG_KEY_LEN),
        }
        Ok(())
    }
}

impl Mac for Context {
    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) {
        self.start();
        // SAFETY: a context with a key; a message of the length said.
        unsafe { (self.update)(self.state.as_mut_ptr(), message.len(), message.as_ptr()) };
        self.digest(tag);
    }
}

impl Context {
    /// Gives the nonce: contexts that take one count it up with each message.
    #[inline]
    fn start(&mut self) {
        let (state, nonce) = (self.state.as_mut_ptr(), &self.nonce);
        match self.set_nonce {
            SetNonce::None => {}
            // SAFETY: a context with a key; a nonce of the length said.
            SetNonce::AnyLen(set) => unsafe { set(state, nonce.len(), nonce.as_ptr()) },
            // SAFETY: a context with a key; a nonce whose length was compared with Nettle's.
            SetNonce::Fixed(set) => unsafe { set(state, nonce.as_ptr()) },
        }
    }

    #[inline]
    fn digest(&mut self, tag: &mut [u8]) {
        let state = self.state.as_mut_ptr();
        match self.digest {
            // SAFETY: a context with a key; a tag of the length said, which is no longer than that
            // of the mac, by the catalog.
            Digest::Leftmost(digest) => unsafe { digest(state, tag.len(), tag.as_mut_ptr()) },
            Digest::Whole(digest, len) if len == tag.len() => {
                // SAFETY: a context with a key; a tag as long as Nettle says.
                unsafe { digest(state, tag.as_mut_ptr()) }
            }
            Digest::Whole(digest, _) => {
                let mut whole = [0; TAG_LEN_MAX_BYTES];
                // SAFETY: a context with a key; no tag is longer than this buffer, which
                // `Nettle::digest` made sure of.
                unsafe { digest(state, whole.as_mut_ptr()) };
                tag.copy_from_slice(&whole[..tag.len()]);
            }
        }
    }
}

/// A context of a mode that seals.
struct Sealing {
    context: Context,
    associated_data: Vec<u8>,
    encrypt: CryptFn,
    decrypt: CryptFn,
}

impl Keyed for Sealing {
    fn set_key(&mut self, key: &[u8]) -> Result<(), &'static str> {
        self.context.set_key(key)
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
        let crypt = match direction {
            Direction::Seal => self.encrypt,
            Direction::Open => self.decrypt,
        };
        let ad = &self.associated_data;
        self.context.start();
        let state: Memory = self.context.state.as_mut_ptr();
        // SAFETY: a context with key and nonce; inputs of the lengths said, an output as long as
        // the input, by `Aead::crypt`.
        unsafe {
            if !ad.is_empty() {
                (self.context.update)(state, ad.len(), ad.as_ptr());
            }
            crypt(state, from.len(), to.as_mut_ptr(), from.as_ptr());
        }
        self.context.digest(tag);
        Ok(())
    }
}

/// As much as a context of UMAC needs, which Nettle does not tell: the longest, `struct
/// umac128_ctx` of umac.h, has less than 3 KiB in all versions from 3.6 to 4.0.
const UMAC_CONTEXT_LEN_BYTES: usize = 4096;

impl Nettle {
    /// HMAC over a hash: the tables know keys as long as the tag only, and so the function that
    /// sets keys is found by its name.
    pub(super) fn hmac(&self, hash: &str) -> Result<impl Mac + use<>, Refused> {
        let mut mac = self.context(&format!("hmac_{hash}"))?;
        mac.set_key = SetKey::AnyLen(self.sized(&format!("nettle_hmac_{hash}_set_key"))?);
        Ok(mac)
    }

    /// CMAC that the tables have.
    pub(super) fn cmac(&self, name: &str, key_len: usize) -> Result<impl Mac + use<>, Refused> {
        let mut mac = self.context(name)?;
        if let (SetKey::Fixed(set_key, 24), 16) = (mac.set_key, key_len) {
            mac.set_key = SetKey::TwoKeys(set_key);
        }
        Ok(mac)
    }

    /// UMAC, which the tables do not have.
    pub(super) fn umac(
        &self,
        name: &str,
        nonce: &[u8],
        tag_len: usize,
    ) -> Result<impl Mac + use<>, Refused> {
        if !(1..=16).contains(&nonce.len()) {
            let why = format!("{name} takes nonces of 1 to 16 bytes here");
            return Err(Refused::limit(&[Input::Nonce], why));
        }
        // SAFETY: declared after umac.h, for all four.
        let set_key = unsafe { self.library.symbol(&format!("nettle_{name}_set_key")) }?;
        Ok(Context {
            state: State::new(UMAC_CONTEXT_LEN_BYTES),
            set_key: SetKey::Fixed(set_key, 16),
            set_nonce: SetNonce::AnyLen(self.sized(&format!("nettle_{name}_set_nonce"))?),
            nonce: nonce.to_vec(),
            update: self.sized(&format!("nettle_{name}_update"))?,
            digest: self.digest(name, tag_len)?,
        })
    }

    /// GMAC: GCM that is given associated data and no message.
    pub(super) fn gmac(&self, gcm: &str, nonce: &[u8]) -> Result<impl Mac + use<>, Refused> {
        let inputs = Inputs { nonce, ..Inputs::default() };
        Ok(self.sealing(gcm, Some("set_iv"), &inputs)?.context)
    }

    /// A mode that seals and that the tables have. They know nonces of one length; `set_nonce`
    /// ends the name of a function that takes others.
    pub(super) fn aead(
        &self,
        name: &str,
        set_nonce: Option<&str>,
        inputs: &Inputs<'_>,
    ) -> Result<impl Aead + use<>, Refused> {
        self.sealing(name, set_nonce, inputs)
    }

    fn context(&self, name: &str) -> Result<Context, Refused> {
        // SAFETY: nettle-meta.h declares these structures, one for each name that we have.
        let meta: &MacMeta = unsafe { self.library.symbol(&format!("nettle_{name}")) }?;
        Ok(Context {
            state: State::new(meta.context_size as usize),
            set_key: SetKey::Fixed(meta.set_key, meta.key_size as usize),
            set_nonce: SetNonce::None,
            nonce: Vec::new(),
            update: meta.update,
            digest: self.digest(name, meta.digest_size as usize)?,
        })
    }

    fn sealing(
        &self,
        name: &str,
        set_nonce: Option<&str>,
        inputs: &Inputs<'_>,
    ) -> Result<Sealing, Refused> {
        let Inputs { nonce, associated_data, .. } = *inputs;
        // SAFETY: nettle-meta.h declares a structure of this type under each of our names.
        let meta: &AeadMeta = unsafe { self.library.symbol(&format!("nettle_{name}")) }?;
        let set_nonce = match set_nonce {
            Some(set) => SetNonce::AnyLen(self.sized(&format!("nettle_{name}_{set}"))?),
            None if nonce.len() == meta.nonce_size as usize => SetNonce::Fixed(meta.set_nonce),
            None => {
                let why = format!("{name} takes nonces of {} bytes here", meta.nonce_size);
                return Err(Refused::limit(&[Input::Nonce], why));
            }
        };
        let context = Context {
            state: State::new(meta.context_size as usize),
            set_key: SetKey::Fixed(meta.set_encrypt_key, meta.key_size as usize),
            set_nonce,
            nonce: nonce.to_vec(),
            update: meta.update,
            digest: self.digest(name, meta.digest_size as usize)?,
        };
        let (encrypt, decrypt) = (meta.encrypt, meta.decrypt);
        Ok(Sealing { context, associated_data: associated_data.to_vec(), encrypt, decrypt })
    }

    fn digest(&self, name: &str, len_bytes: usize) -> Result<Digest, Refused> {
        let name = format!("nettle_{name}_digest");
        if len_bytes > TAG_LEN_MAX_BYTES {
            return Err(Refused::limit(&[Input::Tag], format!("{name} gives {len_bytes} bytes")));
        }
        // SAFETY: so declared in the headers of Nettle 3 and of Nettle 4.
        unsafe {
            Ok(match self.version.0 {
                3 => Digest::Leftmost(self.library.symbol(&name)?),
                _ => Digest::Whole(self.library.symbol(&name)?, len_bytes),
            })
        }
    }

    /// A function that takes a length and as many bytes.
    fn sized(&self, name: &str) -> Result<SizedFn, Refused> {
        // SAFETY: so declared in hmac.h, umac.h, gcm.h and eax.h.
        unsafe { self.library.symbol(name) }
    }
}
