//! The one table of all macs: selection by name, tests, benchmarks and documents walk it.
//! A mac is added by its file and one row here. What a type knows (lengths) is taken from the type,
//! so that a row cannot contradict it.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use digest::typenum::Unsigned;
use digest::{InvalidLength, KeyInit};

use crate::cbc::omac::{Cmac, OmacCipher};
use crate::ciphers;
use crate::compression::{self, Compression};
use crate::dyn_mac::{self, Keyed};
use crate::error::Error;
use crate::hmac::Hmac;
use crate::kernel::{self, Kernel};
use crate::suggest::suggest;

/// The longest tag of any mac in the catalog.
pub const TAG_LEN_MAX_BYTES: usize = 64;

/// What the catalog knows of a mac.
pub struct MacInfo {
    /// Canonical name: `hmac-sha256`, `cmac-aes-128`.
    pub name: &'static str,
    /// Name in print: `HMAC-SHA-256`.
    pub title: &'static str,
    /// The construction.
    pub family: Family,
    /// Where it is defined.
    pub specification: &'static str,
    /// Length of the tag.
    pub tag_len_bytes: usize,
    /// Length of the key to take when nothing else is said.
    pub key_len_bytes: usize,
    /// The key lengths it takes.
    pub accepted_key_len: KeyLen,
    /// Length of the blocks in which it takes the message.
    pub block_len_bytes: usize,
    /// What to know before relying on it.
    pub security_note: &'static str,
    kernel: fn() -> Kernel,
    keyed: SetUp,
    one_shot: OneShot,
}

/// Key to prepared mac.
type SetUp = fn(&[u8]) -> Result<Box<dyn Keyed>, InvalidLength>;

/// Key, message and buffer for the tag.
type OneShot = fn(&[u8], &[u8], &mut [u8]) -> Result<(), InvalidLength>;

/// A construction that makes a MAC of a hash function or a block cipher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// CMAC, also called OMAC1.
    Cmac,
    /// HMAC.
    Hmac,
}

/// The key lengths a mac takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyLen {
    /// Any length, the empty key included.
    Any,
    /// This many bytes and no other number.
    Exactly(usize),
}

impl KeyLen {
    /// Whether a key of this length is taken.
    pub const fn accepts(self, key_len_bytes: usize) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(len_bytes) => key_len_bytes == len_bytes,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cmac => "CMAC",
            Self::Hmac => "HMAC",
        })
    }
}

impl fmt::Display for KeyLen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any length"),
            Self::Exactly(len_bytes) => write!(f, "{len_bytes} bytes"),
        }
    }
}

impl fmt::Debug for MacInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MacInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All macs, in alphabetical order of their names.
pub fn catalog() -> &'static [MacInfo] {
    &CATALOG
}

/// The mac of this canonical name.
pub fn find(name: &str) -> Option<&'static MacInfo> {
    let index = CATALOG.binary_search_by(|mac| mac.name.cmp(name)).ok()?;
    Some(&CATALOG[index])
}

/// The tag of one message under one key: look-up, key set-up and tag in one call.
///
/// # Errors
/// An unknown name, or a key of a length the mac does not take.
pub fn mac(name: &str, key: &[u8], message: &[u8]) -> Result<Vec<u8>, Error> {
    let info = lookup(name)?;
    let mut tag = vec![0; info.tag_len_bytes];
    info.mac_into(key, message, &mut tag)?;
    Ok(tag)
}

/// `find`, with the error that says what the name may have meant.
pub(crate) fn lookup(name: &str) -> Result<&'static MacInfo, Error> {
    find(name).ok_or_else(|| Error::UnknownMac { name: name.into(), suggestions: suggest(name) })
}

impl MacInfo {
    /// The code path that runs on this CPU: `soft`, `sha-ni`, `aes-ni`, `avx2`, `armv8`, …
    pub fn kernel(&self) -> &'static str {
        (self.kernel)()
    }

    /// The tag of one message under one key, in one call, without the heap.
    ///
    /// # Errors
    /// A key, or a buffer for the tag, of the wrong length.
    pub fn mac_into(&self, key: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.check_key_len(key)?;
        self.check_tag_len(tag)?;
        (self.one_shot)(key, message, tag).map_err(|InvalidLength| self.key_len_error(key))
    }

    pub(crate) fn keyed(&self, key: &[u8]) -> Result<Box<dyn Keyed>, Error> {
        self.check_key_len(key)?;
        (self.keyed)(key).map_err(|InvalidLength| self.key_len_error(key))
    }

    #[inline]
    pub(crate) fn check_key_len(&self, key: &[u8]) -> Result<(), Error> {
        if self.accepted_key_len.accepts(key.len()) { Ok(()) } else { Err(self.key_len_error(key)) }
    }

    #[inline]
    pub(crate) fn check_tag_len(&self, tag: &[u8]) -> Result<(), Error> {
        if tag.len() == self.tag_len_bytes {
            return Ok(());
        }
        Err(Error::TagLen { expected_bytes: self.tag_len_bytes, given_bytes: tag.len() })
    }

    #[cold]
    pub(crate) fn key_len_error(&self, key: &[u8]) -> Error {
        Error::KeyLen { mac: self.name, accepted: self.accepted_key_len, given_bytes: key.len() }
    }
}

/// A row of HMAC. The default key is as long as the digest (RFC 2104 §3).
const fn hmac<C: Compression>(
    name: &'static str,
    title: &'static str,
    kernel: fn() -> Kernel,
    security_note: &'static str,
) -> MacInfo {
    MacInfo {
        name,
        title,
        family: Family::Hmac,
        specification: "RFC 2104, FIPS 198-1",
        tag_len_bytes: C::OutputSize::USIZE,
        key_len_bytes: C::OutputSize::USIZE,
        accepted_key_len: KeyLen::Any,
        block_len_bytes: C::BlockSize::USIZE,
        security_note,
        kernel,
        keyed: dyn_mac::keyed::<Hmac<C>>,
        one_shot: dyn_mac::one_shot::<Hmac<C>>,
    }
}

/// A row of CMAC. The key length is said, because some ciphers take several under one type.
const fn cmac<C>(
    name: &'static str,
    title: &'static str,
    key_len_bytes: usize,
    kernel: fn() -> Kernel,
    security_note: &'static str,
) -> MacInfo
where
    C: OmacCipher + KeyInit + Clone + Send + Sync + 'static,
{
    MacInfo {
        name,
        title,
        family: Family::Cmac,
        specification: "NIST SP 800-38B",
        tag_len_bytes: C::BlockSize::USIZE,
        key_len_bytes,
        accepted_key_len: KeyLen::Exactly(key_len_bytes),
        block_len_bytes: C::BlockSize::USIZE,
        security_note,
        kernel,
        keyed: dyn_mac::keyed::<Cmac<C>>,
        one_shot: dyn_mac::one_shot::<Cmac<C>>,
    }
}

const AES: &str = "sound; SP 800-38B appendix B: at most 2^48 messages a key";
const MD5: &str = "legacy: MD5 is broken as a hash; no practical attack on HMAC-MD5, but not for \
    new designs (RFC 6151)";
const RC6: &str = "sound as far as known, little used; constant time where multiplication and \
    rotation by a variable are";
const SERPENT: &str = "sound, conservative; bit-sliced, hence constant time";
const SHA1: &str = "legacy: SHA-1 collides; no practical attack on HMAC-SHA-1, but not for new \
    designs";
const SHA2: &str = "sound";
const TDES: &str = "legacy: withdrawn by NIST after 2023; 64-bit blocks: birthday bound 2^32 \
    blocks (SP 800-38B appendix B: at most 2^21 messages a key); table look-ups, not constant time";
const TWOFISH: &str = "sound as far as known; table look-ups, not constant time";

// In alphabetical order of the names, for the binary search in `find`.
static CATALOG: [MacInfo; 22] = {
    use ciphers::*;
    use compression::*;
    use kernel::{aes, md5, sha1, sha256, sha512, soft};
    [
        cmac::<Aes128Enc>("cmac-aes-128", "CMAC-AES-128", 16, aes, AES),
        cmac::<Aes192Enc>("cmac-aes-192", "CMAC-AES-192", 24, aes, AES),
        cmac::<Aes256Enc>("cmac-aes-256", "CMAC-AES-256", 32, aes, AES),
        cmac::<Rc6With128>("cmac-rc6-128", "CMAC-RC6-128", 16, soft, RC6),
        cmac::<Rc6With192>("cmac-rc6-192", "CMAC-RC6-192", 24, soft, RC6),
        cmac::<Rc6With256>("cmac-rc6-256", "CMAC-RC6-256", 32, soft, RC6),
        cmac::<Serpent>("cmac-serpent-128", "CMAC-Serpent-128", 16, soft, SERPENT),
        cmac::<Serpent>("cmac-serpent-192", "CMAC-Serpent-192", 24, soft, SERPENT),
        cmac::<Serpent>("cmac-serpent-256", "CMAC-Serpent-256", 32, soft, SERPENT),
        cmac::<TdesEde2>("cmac-tdes-2", "CMAC-TDES-2", 16, soft, TDES),
        cmac::<TdesEde3>("cmac-tdes-3", "CMAC-TDES-3", 24, soft, TDES),
        cmac::<Twofish>("cmac-twofish-128", "CMAC-Twofish-128", 16, soft, TWOFISH),
        cmac::<Twofish>("cmac-twofish-192", "CMAC-Twofish-192", 24, soft, TWOFISH),
        cmac::<Twofish>("cmac-twofish-256", "CMAC-Twofish-256", 32, soft, TWOFISH),
        hmac::<Md5>("hmac-md5", "HMAC-MD5", md5, MD5),
        hmac::<Sha1>("hmac-sha1", "HMAC-SHA-1", sha1, SHA1),
        hmac::<Sha224>("hmac-sha224", "HMAC-SHA-224", sha256, SHA2),
        hmac::<Sha256>("hmac-sha256", "HMAC-SHA-256", sha256, SHA2),
        hmac::<Sha384>("hmac-sha384", "HMAC-SHA-384", sha512, SHA2),
        hmac::<Sha512>("hmac-sha512", "HMAC-SHA-512", sha512, SHA2),
        hmac::<Sha512_224>("hmac-sha512-224", "HMAC-SHA-512/224", sha512, SHA2),
        hmac::<Sha512_256>("hmac-sha512-256", "HMAC-SHA-512/256", sha512, SHA2),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_found() {
        assert!(catalog().is_sorted_by(|a, b| a.name < b.name));
        for mac in catalog() {
            assert!(core::ptr::eq(find(mac.name).unwrap(), mac));
        }
        assert!(find("hmac-sha3").is_none());
    }

    #[test]
    fn rows_are_whole() {
        for mac in catalog() {
            assert!(mac.tag_len_bytes <= TAG_LEN_MAX_BYTES, "{}", mac.name);
            assert!(mac.accepted_key_len.accepts(mac.key_len_bytes), "{}", mac.name);
            assert!(!mac.kernel().is_empty() && !mac.security_note.is_empty(), "{}", mac.name);
        }
    }
}
