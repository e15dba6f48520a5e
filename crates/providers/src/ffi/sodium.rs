//! libsodium, opened at run time. HMAC and keyed BLAKE2b through its multi-part interface, all else
//! through its one-call functions, which keep nothing of a key; what a call is for each key life:
//! docs/providers.md.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_char, c_int, c_uchar, c_ulonglong, c_void};
use std::ptr::{null, null_mut};

use macs::MacInfo;

use super::library::{Library, functions, text};
use super::state::State;
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger, Unavailable,
    WRONG_TAG_LEN,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "sodium",
    title: "libsodium",
    package: "libsodium23 (Debian), libsodium (others)",
    kind: Kind::InProcess(open),
    forced: Vec::new,
    restriction: Restriction::NotNeeded,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

const NAMES: &[&str] = &["libsodium.so.26", "libsodium.so.23", "libsodium.dylib"];

type Bytes = *const c_uchar;
type BytesMut = *mut c_uchar;
type Len = c_ulonglong;
type Memory = *mut c_void;

/// `crypto_auth_hmacsha256_init` and its like.
type Init = unsafe extern "C" fn(Memory, Bytes, usize) -> c_int;
type Update = unsafe extern "C" fn(Memory, Bytes, Len) -> c_int;
type Final = unsafe extern "C" fn(Memory, BytesMut) -> c_int;

functions! {
    /// The same since 1.0.12.
    Functions {
        crypto_aead_aes256gcm_beforenm: fn(Memory, Bytes) -> c_int;
        crypto_aead_aes256gcm_decrypt_detached: fn(
            BytesMut, BytesMut, Bytes, Len, Bytes, Bytes, Len, Bytes, Bytes
        ) -> c_int;
        crypto_aead_aes256gcm_encrypt_detached_afternm: fn(
            BytesMut, BytesMut, *mut Len, Bytes, Len, Bytes, Len, Bytes, Bytes, Memory
        ) -> c_int;
        crypto_aead_aes256gcm_is_available: fn() -> c_int;
        crypto_aead_aes256gcm_statebytes: fn() -> usize;
        crypto_aead_chacha20poly1305_ietf_decrypt_detached: fn(
            BytesMut, BytesMut, Bytes, Len, Bytes, Bytes, Len, Bytes, Bytes
        ) -> c_int;
        crypto_aead_chacha20poly1305_ietf_encrypt_detached: fn(
            BytesMut, BytesMut, *mut Len, Bytes, Len, Bytes, Len, Bytes, Bytes, Bytes
        ) -> c_int;
        crypto_auth_hmacsha256_final: fn(Memory, BytesMut) -> c_int;
        crypto_auth_hmacsha256_init: fn(Memory, Bytes, usize) -> c_int;
        crypto_auth_hmacsha256_statebytes: fn() -> usize;
        crypto_auth_hmacsha256_update: fn(Memory, Bytes, Len) -> c_int;
        crypto_auth_hmacsha512_final: fn(Memory, BytesMut) -> c_int;
        crypto_auth_hmacsha512_init: fn(Memory, Bytes, usize) -> c_int;
        crypto_auth_hmacsha512_statebytes: fn() -> usize;
        crypto_auth_hmacsha512_update: fn(Memory, Bytes, Len) -> c_int;
        crypto_generichash: fn(BytesMut, usize, Bytes, Len, Bytes, usize) -> c_int;
        crypto_generichash_final: fn(Memory, BytesMut, usize) -> c_int;
        crypto_generichash_init: fn(Memory, Bytes, usize, usize) -> c_int;
        crypto_generichash_statebytes: fn() -> usize;
        crypto_generichash_update: fn(Memory, Bytes, Len) -> c_int;
        crypto_onetimeauth: fn(BytesMut, Bytes, Len, Bytes) -> c_int;
        crypto_shorthash: fn(BytesMut, Bytes, Len, Bytes) -> c_int;
        crypto_shorthash_siphashx24: fn(BytesMut, Bytes, Len, Bytes) -> c_int;
        sodium_init: fn() -> c_int;
        sodium_runtime_has_aesni: fn() -> c_int;
        sodium_runtime_has_avx2: fn() -> c_int;
        sodium_runtime_has_ssse3: fn() -> c_int;
        sodium_version_string: fn() -> *const c_char;
    }
}

struct Sodium {
    library: Library,
    functions: &'static Functions,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let library = Library::open(place, NAMES, "sodium_init")?;
    // SAFETY: a library with `sodium_init` is libsodium; declared after its headers.
    let functions: &'static Functions = Box::leak(Box::new(unsafe { Functions::load(&library) }?));
    // SAFETY: takes nothing; may be called again.
    if unsafe { (functions.sodium_init)() } < 0 {
        return Err("sodium_init failed".into());
    }
    offer(place, &ROW, Sodium { library, functions })
}

impl Peer for Sodium {
    fn about(&self) -> About {
        // SAFETY: takes nothing, returns a string of the library's own.
        let version = unsafe { text((self.functions.sodium_version_string)()) };
        let path = self.library.path.display().to_string();
        About { version, path, detail: crate::Detail::inferred() }
    }

    /// The library picks by what it finds in the CPU (the functions `_pick_best_implementation` in
    /// its sources); hashes and SipHash are C.
    fn candidates(&self) -> Vec<Candidate> {
        // SAFETY: take nothing, tell what sodium_init found.
        let [aes, avx2, ssse3] = unsafe {
            [
                (self.functions.sodium_runtime_has_aesni)(),
                (self.functions.sodium_runtime_has_avx2)(),
                (self.functions.sodium_runtime_has_ssse3)(),
            ]
        }
        .map(|has| has != 0);
        let vectors = if avx2 {
            "avx2"
        } else if ssse3 {
            "ssse3"
        } else {
            "soft"
        };
        let poly1305 = if cfg!(target_arch = "x86_64") { "sse2" } else { "soft" };
        let all = [
            ("blake2b-keyed", vectors),
            ("chacha20-poly1305", vectors),
            ("gcm-aes-256", if aes { "aes-ni" } else { "unknown" }),
            ("hmac-sha256", "soft"),
            ("hmac-sha512", "soft"),
            ("poly1305", poly1305),
            ("siphash-2-4", "soft"),
            ("siphash-2-4-128", "soft"),
        ];
        all.map(|(mac, kernel)| Candidate { mac, kernel: kernel.into() }).into()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        let f = self.functions;
        match info.name {
            "blake2b-keyed" => blake2b(f, key_life, inputs),
            "hmac-sha256" => {
                // SAFETY: takes nothing.
                let len = unsafe { (f.crypto_auth_hmacsha256_statebytes)() };
                let (init, update) =
                    (f.crypto_auth_hmacsha256_init, f.crypto_auth_hmacsha256_update);
                hmac(len, (init, update, f.crypto_auth_hmacsha256_final), key_life, inputs)
            }
            "hmac-sha512" => {
                // SAFETY: takes nothing.
                let len = unsafe { (f.crypto_auth_hmacsha512_statebytes)() };
                let (init, update) =
                    (f.crypto_auth_hmacsha512_init, f.crypto_auth_hmacsha512_update);
                hmac(len, (init, update, f.crypto_auth_hmacsha512_final), key_life, inputs)
            }
            "poly1305" if key_life == KeyLife::Prepared => Err(crate::ONE_MESSAGE_KEY),
            "poly1305" => Ok(keyless(f.crypto_onetimeauth, key_life, inputs)),
            "siphash-2-4" => Ok(keyless(f.crypto_shorthash, key_life, inputs)),
            "siphash-2-4-128" => Ok(keyless(f.crypto_shorthash_siphashx24, key_life, inputs)),
            mac => Err(Refused::not_here(mac)),
        }
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        check_lengths(inputs.nonce.len(), inputs.tag_len_bytes)?;
        match info.name {
            "chacha20-poly1305" => Ok(chacha20_poly1305(self.functions, key_life, inputs)),
            "gcm-aes-256" => gcm(self.functions, key_life, inputs),
            mac => Err(Refused::not_here(mac)),
        }
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        check_lengths(inputs.nonce.len(), tag.len())?;
        let decrypt = match info.name {
            "chacha20-poly1305" => {
                self.functions.crypto_aead_chacha20poly1305_ietf_decrypt_detached
            }
            "gcm-aes-256" => self.functions.crypto_aead_aes256gcm_decrypt_detached,
            mac => return Err(Refused::not_here(mac)),
        };
        let Inputs { key, nonce, associated_data, message, .. } = *inputs;
        let mut opened = vec![0; message.len()];
        // SAFETY: an output as long as the ciphertext; key, nonce and tag of the lengths that the
        // function takes, by `check_lengths` and the catalog; the rest of the lengths said.
        let done = unsafe {
            decrypt(
                opened.as_mut_ptr(),
                null_mut(),
                message.as_ptr(),
                message.len() as Len,
                tag.as_ptr(),
                associated_data.as_ptr(),
                associated_data.len() as Len,
                nonce.as_ptr(),
                key.as_ptr(),
            )
        };
        Ok((done == 0).then_some(opened))
    }
}

/// Both take 12-byte nonces and 16-byte tags only.
fn check_lengths(nonce: usize, tag: usize) -> Result<(), Refused> {
    if (nonce, tag) == (12, 16) {
        return Ok(());
    }
    Err(crate::USUAL_LENGTHS_ONLY)
}

fn hmac(
    len_bytes: usize,
    (init, update, finish): (Init, Update, Final),
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    if key_life == KeyLife::OneShot {
        return Err(Refused::key_life(key_life, "its one-shot call takes 32-byte keys only"));
    }
    let (mut keyed, tag_len_bytes) = (State::new(len_bytes), inputs.tag_len_bytes);
    let mut state = keyed.clone();
    // SAFETY: memory as long as the library asks for; a key of the length said.
    unsafe { init(keyed.as_mut_ptr(), inputs.key.as_ptr(), inputs.key.len()) };
    let prepared = key_life == KeyLife::Prepared;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if prepared {
            state.copy_from(&keyed);
        }
        // SAFETY: states as long as the library asks for, begun by `init`; a key and a message of
        // the lengths said; a tag as long as the hash's output.
        let done = unsafe {
            (prepared || init(state.as_mut_ptr(), key.as_ptr(), key.len()) == 0)
                && update(state.as_mut_ptr(), message.as_ptr(), message.len() as Len) == 0
                && finish(state.as_mut_ptr(), tag.as_mut_ptr()) == 0
        };
        if done { Ok(()) } else { Err("crypto_auth failed") }
    }))
}

fn blake2b(
    f: &'static Functions,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let tag_len_bytes = inputs.tag_len_bytes;
    if key_life != KeyLife::Prepared {
        return Ok(Box::new(move |key, message, tag| {
            let (out, out_len) = (tag.as_mut_ptr(), tag.len());
            if out_len != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            let (data, len) = (message.as_ptr(), message.len() as Len);
            // SAFETY: tag, message and key of the lengths said.
            let done =
                unsafe { (f.crypto_generichash)(out, out_len, data, len, key.as_ptr(), key.len()) };
            if done == 0 { Ok(()) } else { Err("crypto_generichash failed") }
        }));
    }
    // SAFETY: takes nothing.
    let mut keyed = State::new(unsafe { (f.crypto_generichash_statebytes)() });
    let (key, len) = (inputs.key.as_ptr(), inputs.key.len());
    // SAFETY: memory as long as the library asks for, on a cache line; a key of the length said.
    if unsafe { (f.crypto_generichash_init)(keyed.as_mut_ptr(), key, len, tag_len_bytes) } != 0 {
        return Err("crypto_generichash_init refuses the key".into());
    }
    let mut state = keyed.clone();
    Ok(Box::new(move |_, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        state.copy_from(&keyed);
        let (data, len) = (message.as_ptr(), message.len() as Len);
        // SAFETY: a state that was set up; a message and a tag of the lengths said.
        let done = unsafe {
            (f.crypto_generichash_update)(state.as_mut_ptr(), data, len) == 0
                && (f.crypto_generichash_final)(state.as_mut_ptr(), tag.as_mut_ptr(), tag.len())
                    == 0
        };
        if done { Ok(()) } else { Err("crypto_generichash failed") }
    }))
}

/// One call that does everything: under every key life it is the same.
fn keyless(
    call: unsafe extern "C" fn(BytesMut, Bytes, Len, Bytes) -> c_int,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Tagger {
    let prepared =
        (key_life == KeyLife::Prepared).then(|| zeroize::Zeroizing::new(inputs.key.to_vec()));
    let (key_len, tag_len_bytes) = (inputs.key.len(), inputs.tag_len_bytes);
    Box::new(move |key, message, tag| {
        let key = prepared.as_ref().map_or(key, |key| &key[..]);
        if tag.len() != tag_len_bytes || key.len() != key_len {
            return Err(WRONG_TAG_LEN);
        }
        // SAFETY: a tag and a key of the lengths that the function takes, by the catalog; a message
        // of the length said.
        let done =
            unsafe { call(tag.as_mut_ptr(), message.as_ptr(), message.len() as Len, key.as_ptr()) };
        if done == 0 { Ok(()) } else { Err("the call failed") }
    })
}

fn chacha20_poly1305(f: &'static Functions, key_life: KeyLife, inputs: &Inputs<'_>) -> Sealer {
    let prepared =
        (key_life == KeyLife::Prepared).then(|| zeroize::Zeroizing::new(inputs.key.to_vec()));
    let (nonce, ad) = (inputs.nonce.to_vec(), inputs.associated_data.to_vec());
    Box::new(move |key, message, ciphertext, tag| {
        let key = prepared.as_ref().map_or(key, |key| &key[..]);
        if tag.len() != 16 || key.len() != 32 || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        // SAFETY: an output as long as the message, a tag of 16 bytes, a key of 32, a nonce of 12.
        let done = unsafe {
            (f.crypto_aead_chacha20poly1305_ietf_encrypt_detached)(
                ciphertext.as_mut_ptr(),
                tag.as_mut_ptr(),
                null_mut(),
                message.as_ptr(),
                message.len() as Len,
                ad.as_ptr(),
                ad.len() as Len,
                null(),
                nonce.as_ptr(),
                key.as_ptr(),
            )
        };
        if done == 0 { Ok(()) } else { Err("the call failed") }
    })
}

fn gcm(f: &'static Functions, key_life: KeyLife, inputs: &Inputs<'_>) -> Result<Sealer, Refused> {
    // SAFETY: take nothing.
    let (available, len) = unsafe {
        ((f.crypto_aead_aes256gcm_is_available)(), (f.crypto_aead_aes256gcm_statebytes)())
    };
    if available == 0 {
        return Err(Refused::Processor("AES-256-GCM needs a CPU with AES instructions here"));
    }
    let (nonce, ad) = (inputs.nonce.to_vec(), inputs.associated_data.to_vec());
    let (mut state, is_new) = (State::new(len), key_life == KeyLife::NewKey);
    // SAFETY: memory as long as the library asks for; a key of 32 bytes, by the catalog.
    unsafe { (f.crypto_aead_aes256gcm_beforenm)(state.as_mut_ptr(), inputs.key.as_ptr()) };
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != 16 || ciphertext.len() != message.len() || is_new && key.len() != 32 {
            return Err(WRONG_TAG_LEN);
        }
        // SAFETY: a state as long as the library asks for, with a key of 32 bytes in it; an output
        // as long as the message, a tag of 16 bytes, a nonce of 12.
        let done = unsafe {
            if is_new {
                (f.crypto_aead_aes256gcm_beforenm)(state.as_mut_ptr(), key.as_ptr());
            }
            (f.crypto_aead_aes256gcm_encrypt_detached_afternm)(
                ciphertext.as_mut_ptr(),
                tag.as_mut_ptr(),
                null_mut(),
                message.as_ptr(),
                message.len() as Len,
                ad.as_ptr(),
                ad.len() as Len,
                null(),
                nonce.as_ptr(),
                state.as_mut_ptr(),
            )
        };
        if done == 0 { Ok(()) } else { Err("the call failed") }
    }))
}
