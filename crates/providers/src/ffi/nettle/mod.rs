//! GNU Nettle, opened at run time. It has a context for each algorithm, which its caller allocates:
//! set a key, feed it a message, take the tag. How long contexts are it says itself (meta.rs); for
//! its modes over any cipher they are few bytes (modes.rs). What a call is for each key life:
//! docs/providers.md.
#![expect(unsafe_code, reason = "calls a C library")]

mod dispatch;
mod meta;
mod modes;
mod siv;

use std::ffi::{c_int, c_uchar, c_void};

use macs::MacInfo;
use subtle::ConstantTimeEq;

use super::library::{Library, functions};
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    Forced, Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Tagger, Unavailable,
    WRONG_TAG_LEN,
};
use dispatch::{Code, Dispatch, OVERRIDE};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "nettle",
    title: "GNU Nettle",
    package: "libnettle8 (Debian), nettle (others)",
    kind: Kind::InProcess(open),
    // Any word that is no instruction set stands for none.
    forced: || vec![Forced { name: "soft", variables: &[(OVERRIDE, "none")], needs: &[] }],
    restriction: Restriction::Variables(dispatch::restricted),
    prepare: |_| Ok(()),
    cold_variables: &[],
};

const NAMES: &[&str] = &["libnettle.so.9", "libnettle.so.8", "libnettle.dylib"];

/// How Nettle comes to a mac: each is a name, or the end of one, among its symbols.
#[derive(Clone, Copy)]
enum How {
    /// A mode that seals, and the function that takes nonces of any length.
    Aead(&'static str, Option<&'static str>),
    /// CCM over a cipher.
    Ccm(&'static str),
    /// CMAC that it has functions for.
    Cmac(&'static str),
    /// CMAC over a cipher.
    CmacOver(&'static str),
    /// EAX over a cipher.
    Eax(&'static str),
    /// GCM over a cipher.
    Gcm(&'static str),
    /// GMAC, by GCM.
    Gmac(&'static str),
    /// HMAC that it has functions for.
    Hmac(&'static str),
    /// HMAC over a hash.
    HmacOver(&'static str),
    /// SIV that it has functions for.
    Siv(&'static str),
    Umac(&'static str),
}

/// Every mac that is tried.
const MACS: &[(&str, Code, How)] = &[
    ("ccm-aes-128", Code::Aes, How::Ccm("aes128")),
    ("ccm-aes-192", Code::Aes, How::Ccm("aes192")),
    ("ccm-aes-256", Code::Aes, How::Ccm("aes256")),
    ("ccm-serpent-128", Code::Sse2, How::Ccm("serpent128")),
    ("ccm-serpent-192", Code::Sse2, How::Ccm("serpent192")),
    ("ccm-serpent-256", Code::Sse2, How::Ccm("serpent256")),
    ("ccm-twofish-128", Code::C, How::Ccm("twofish128")),
    ("ccm-twofish-192", Code::C, How::Ccm("twofish192")),
    ("ccm-twofish-256", Code::C, How::Ccm("twofish256")),
    ("chacha20-poly1305", Code::Sse2, How::Aead("chacha_poly1305", None)),
    ("cmac-aes-128", Code::Aes, How::Cmac("cmac_aes128")),
    ("cmac-aes-192", Code::Aes, How::CmacOver("aes192")),
    ("cmac-aes-256", Code::Aes, How::Cmac("cmac_aes256")),
    ("cmac-camellia-128", Code::Asm, How::CmacOver("camellia128")),
    ("cmac-camellia-192", Code::Asm, How::CmacOver("camellia192")),
    ("cmac-camellia-256", Code::Asm, How::CmacOver("camellia256")),
    ("cmac-serpent-128", Code::Sse2, How::CmacOver("serpent128")),
    ("cmac-serpent-192", Code::Sse2, How::CmacOver("serpent192")),
    ("cmac-serpent-256", Code::Sse2, How::CmacOver("serpent256")),
    ("cmac-sm4", Code::C, How::CmacOver("sm4")),
    ("cmac-tdes-2", Code::C, How::Cmac("cmac_des3")),
    ("cmac-tdes-3", Code::C, How::Cmac("cmac_des3")),
    ("cmac-twofish-128", Code::C, How::CmacOver("twofish128")),
    ("cmac-twofish-192", Code::C, How::CmacOver("twofish192")),
    ("cmac-twofish-256", Code::C, How::CmacOver("twofish256")),
    ("eax-aes-128", Code::Aes, How::Aead("eax_aes128", Some("set_nonce"))),
    ("eax-aes-192", Code::Aes, How::Eax("aes192")),
    ("eax-aes-256", Code::Aes, How::Eax("aes256")),
    ("eax-serpent-128", Code::Sse2, How::Eax("serpent128")),
    ("eax-serpent-192", Code::Sse2, How::Eax("serpent192")),
    ("eax-serpent-256", Code::Sse2, How::Eax("serpent256")),
    ("eax-twofish-128", Code::C, How::Eax("twofish128")),
    ("eax-twofish-192", Code::C, How::Eax("twofish192")),
    ("eax-twofish-256", Code::C, How::Eax("twofish256")),
    ("gcm-aes-128", Code::AesClmul, How::Aead("gcm_aes128", Some("set_iv"))),
    ("gcm-aes-192", Code::AesClmul, How::Aead("gcm_aes192", Some("set_iv"))),
    ("gcm-aes-256", Code::AesClmul, How::Aead("gcm_aes256", Some("set_iv"))),
    ("gcm-serpent-128", Code::Sse2, How::Gcm("serpent128")),
    ("gcm-serpent-192", Code::Sse2, How::Gcm("serpent192")),
    ("gcm-serpent-256", Code::Sse2, How::Gcm("serpent256")),
    ("gcm-twofish-128", Code::C, How::Gcm("twofish128")),
    ("gcm-twofish-192", Code::C, How::Gcm("twofish192")),
    ("gcm-twofish-256", Code::C, How::Gcm("twofish256")),
    ("gmac-aes-128", Code::AesClmul, How::Gmac("gcm_aes128")),
    ("gmac-aes-192", Code::AesClmul, How::Gmac("gcm_aes192")),
    ("gmac-aes-256", Code::AesClmul, How::Gmac("gcm_aes256")),
    ("hmac-md5", Code::Md5, How::Hmac("md5")),
    ("hmac-ripemd160", Code::C, How::Hmac("ripemd160")),
    ("hmac-sha1", Code::Sha, How::Hmac("sha1")),
    ("hmac-sha224", Code::Sha, How::Hmac("sha224")),
    ("hmac-sha256", Code::Sha, How::Hmac("sha256")),
    ("hmac-sha3-224", Code::Asm, How::HmacOver("sha3_224")),
    ("hmac-sha3-256", Code::Asm, How::HmacOver("sha3_256")),
    ("hmac-sha3-384", Code::Asm, How::HmacOver("sha3_384")),
    ("hmac-sha3-512", Code::Asm, How::HmacOver("sha3_512")),
    ("hmac-sha384", Code::Asm, How::Hmac("sha384")),
    ("hmac-sha512", Code::Asm, How::Hmac("sha512")),
    ("hmac-sha512-224", Code::Asm, How::HmacOver("sha512_224")),
    ("hmac-sha512-256", Code::Asm, How::HmacOver("sha512_256")),
    ("hmac-sm3", Code::C, How::HmacOver("sm3")),
    ("hmac-streebog-256", Code::C, How::Hmac("streebog256")),
    ("hmac-streebog-512", Code::C, How::Hmac("streebog512")),
    ("siv-aes-128", Code::Aes, How::Siv("siv_cmac_aes128")),
    ("siv-aes-256", Code::Aes, How::Siv("siv_cmac_aes256")),
    ("umac-128", Code::Sse2, How::Umac("umac128")),
    ("umac-32", Code::Sse2, How::Umac("umac32")),
    ("umac-64", Code::Sse2, How::Umac("umac64")),
    ("umac-96", Code::Sse2, How::Umac("umac96")),
];

type Memory = *mut c_void;
type Bytes = *const c_uchar;
type BytesMut = *mut c_uchar;

functions! {
    Version {
        nettle_version_major: fn() -> c_int;
        nettle_version_minor: fn() -> c_int;
    }
}

/// A context that takes a key.
trait Keyed: 'static {
    fn set_key(&mut self, key: &[u8]) -> Result<(), &'static str>;
}

/// One with a mac: a message in, its tag out, and the key stays.
trait Mac: Keyed {
    /// The tag has the length that was asked for when it was opened.
    fn tag(&mut self, message: &[u8], tag: &mut [u8]);
}

#[derive(Clone, Copy)]
enum Direction {
    Open,
    Seal,
}

/// One that seals and opens messages, under the nonce that was given when it was opened.
trait Aead: Keyed {
    /// `to` must be as long as `from`, and the tag not longer than that of the mac.
    fn crypt(
        &mut self,
        direction: Direction,
        from: &[u8],
        to: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str>;
}

struct Nettle {
    library: Library,
    version: (c_int, c_int),
    dispatch: Dispatch,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let library = Library::open(place, NAMES, "nettle_version_major")?;
    // SAFETY: declared after version.h; they take nothing.
    let (major, minor) = unsafe {
        let version = Version::load(&library)?;
        ((version.nettle_version_major)(), (version.nettle_version_minor)())
    };
    if !matches!((major, minor), (3, 6..) | (4, 0)) {
        let path = library.path.display();
        return Err(
            format!("{path}: Nettle {major}.{minor} is not supported; 3.6 to 4.0 are").into()
        );
    }
    let dispatch = Dispatch::new(&library, (major, minor));
    offer(place, &ROW, Nettle { library, version: (major, minor), dispatch })
}

fn how(info: &MacInfo) -> Result<How, Refused> {
    let row = MACS.iter().find(|(mac, ..)| *mac == info.name);
    row.map(|(.., how)| *how).ok_or_else(|| Refused::not_here(info.name))
}

impl Peer for Nettle {
    fn about(&self) -> About {
        let (major, minor) = self.version;
        let path = self.library.path.display().to_string();
        About { version: format!("{major}.{minor}"), path, detail: crate::Detail::inferred() }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let kernel = |code| self.dispatch.kernel(code).to_owned();
        MACS.iter().map(|(mac, code, _)| Candidate { mac, kernel: kernel(*code) }).collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        match how(info)? {
            How::Cmac(name) => tagger(self.cmac(name, info.key_len_bytes)?, key_life, inputs),
            How::CmacOver(cipher) => tagger(self.cmac_over(cipher)?, key_life, inputs),
            How::Gmac(gcm) => tagger(self.gmac(gcm, inputs.nonce)?, key_life, inputs),
            How::Hmac(hash) => tagger(self.hmac(hash)?, key_life, inputs),
            How::HmacOver(hash) => tagger(self.hmac_over(hash)?, key_life, inputs),
            How::Umac(name) => {
                tagger(self.umac(name, inputs.nonce, info.tag_len_bytes)?, key_life, inputs)
            }
            How::Aead(..) | How::Ccm(_) | How::Eax(_) | How::Gcm(_) | How::Siv(_) => {
                Err(Refused::Purpose("it seals".into()))
            }
        }
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        match how(info)? {
            How::Aead(name, set_nonce) => {
                sealer(self.aead(name, set_nonce, inputs)?, key_life, inputs)
            }
            How::Ccm(cipher) => sealer(self.ccm(cipher, inputs)?, key_life, inputs),
            How::Eax(cipher) => sealer(self.eax(cipher, inputs)?, key_life, inputs),
            How::Gcm(cipher) => sealer(self.gcm(cipher, inputs)?, key_life, inputs),
            How::Siv(name) => Ok(siv::sealer(self.siv(name, info, inputs)?, key_life)),
            _ => Err(Refused::Purpose("it does not encrypt".into())),
        }
    }

    fn sealing_tagger(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Option<Result<Tagger, Refused>> {
        let Ok(How::Siv(name)) = how(info) else { return None };
        Some(self.siv(name, info, inputs).map(|siv| siv::tagger(siv, key_life)))
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        match how(info)? {
            How::Aead(name, set_nonce) => {
                unsealed(self.aead(name, set_nonce, inputs)?, inputs, tag)
            }
            How::Ccm(cipher) => unsealed(self.ccm(cipher, inputs)?, inputs, tag),
            How::Eax(cipher) => unsealed(self.eax(cipher, inputs)?, inputs, tag),
            How::Gcm(cipher) => unsealed(self.gcm(cipher, inputs)?, inputs, tag),
            How::Siv(name) => self.siv(name, info, inputs)?.opened(inputs, tag),
            _ => Err(Refused::Purpose("it does not encrypt".into())),
        }
    }
}

/// What is timed: the key where it is new, and then the message.
fn tagger(mut mac: impl Mac, key_life: KeyLife, inputs: &Inputs<'_>) -> Result<Tagger, Refused> {
    if key_life == KeyLife::OneShot {
        return Err(crate::NO_ONE_SHOT);
    }
    mac.set_key(inputs.key)?;
    let (is_new, tag_len_bytes) = (key_life == KeyLife::NewKey, inputs.tag_len_bytes);
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if is_new {
            mac.set_key(key)?;
        }
        mac.tag(message, tag);
        Ok(())
    }))
}

/// The same of a mode that seals.
fn sealer(mut aead: impl Aead, key_life: KeyLife, inputs: &Inputs<'_>) -> Result<Sealer, Refused> {
    aead.set_key(inputs.key)?;
    let (is_new, tag_len_bytes) = (key_life == KeyLife::NewKey, inputs.tag_len_bytes);
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != tag_len_bytes || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        if is_new {
            aead.set_key(key)?;
        }
        aead.crypt(Direction::Seal, message, ciphertext, tag)
    }))
}

fn unsealed(
    mut aead: impl Aead,
    inputs: &Inputs<'_>,
    tag: &[u8],
) -> Result<Option<Vec<u8>>, Refused> {
    aead.set_key(inputs.key)?;
    let (mut opened, mut right) = (vec![0; inputs.message.len()], vec![0; tag.len()]);
    aead.crypt(Direction::Open, inputs.message, &mut opened, &mut right)?;
    Ok(bool::from(right.ct_eq(tag)).then_some(opened))
}
