//! What libcrypto calls the macs of our catalog, and what it must be told of them beside the key.

use std::ffi::CStr;

use super::param::Param;
use crate::Inputs;

/// The construction, as the library has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Construction {
    Blake2,
    Cmac,
    Gmac,
    Hmac,
    /// The length of the tag is an input of the first, and not of the XOF (1).
    Kmac {
        xof: usize,
    },
    Poly1305,
    SipHash {
        c_rounds: usize,
        d_rounds: usize,
    },
}

/// The code inside the library that decides the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Aes,
    Aria,
    Blake2,
    Camellia,
    ChaCha,
    /// AES in counter mode and GHASH.
    Gcm,
    Keccak,
    Md5,
    Poly1305,
    Ripemd160,
    Sha1,
    Sha256,
    Sha512,
    SipHash,
    Sm3,
    Sm4,
    Tdes,
}

/// One mac.
pub(super) struct Primitive {
    /// Canonical name of the mac in our catalog.
    pub(super) mac: &'static str,
    pub(super) construction: Construction,
    pub(super) code: Code,
    /// The library's name of the hash or cipher under the mac, or of the mac where that has none.
    name: &'static CStr,
    /// The function that returns the hash or cipher, for `HMAC` and the interface before 3.0.
    pub(super) function: Option<&'static str>,
}

/// How a context is made ready for the next message under the key it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restart {
    /// A copy per message: the faster way for KMAC, and the only one where a restarted context
    /// keeps the old message (3.0.0 to 3.0.2, openssl issue 17811).
    Dup,
    /// `EVP_MAC_init` without a key: for all other macs the faster way.
    Init,
}

/// What goes into a tag beside key and message.
#[derive(Clone, Copy)]
pub(super) struct Settings<'a> {
    pub(super) tag_len_bytes: usize,
    pub(super) nonce: &'a [u8],
    pub(super) customization: &'a [u8],
}

impl<'a> Settings<'a> {
    pub(super) fn of(inputs: &Inputs<'a>) -> Self {
        let Inputs { tag_len_bytes, nonce, customization, .. } = *inputs;
        Self { tag_len_bytes, nonce, customization }
    }
}

impl Primitive {
    /// The name of the mac for `EVP_MAC_fetch`.
    pub(super) fn mac_name(&self) -> &'static CStr {
        match self.construction {
            Construction::Cmac => c"CMAC",
            Construction::Gmac => c"GMAC",
            Construction::Hmac => c"HMAC",
            _ => self.name,
        }
    }

    /// The hash or cipher under it, with the name of the parameter that takes it.
    pub(super) fn under(&self) -> Option<(&'static CStr, &'static CStr)> {
        match self.construction {
            Construction::Cmac | Construction::Gmac => Some((c"cipher", self.name)),
            Construction::Hmac => Some((c"digest", self.name)),
            _ => None,
        }
    }

    /// All other parameters, closed by at least one empty one.
    pub(super) fn params<'a>(&'static self, settings: &'a Settings<'_>) -> [Param<'a>; 4] {
        let mut params = [Param::END; 4];
        let size = Param::number(c"size", &settings.tag_len_bytes);
        match &self.construction {
            Construction::Blake2 => params[0] = size,
            Construction::Gmac => params[0] = Param::octets(c"iv", settings.nonce),
            Construction::Kmac { xof } => {
                params[..2].copy_from_slice(&[size, Param::number(c"xof", xof)]);
                if !settings.customization.is_empty() {
                    params[2] = Param::octets(c"custom", settings.customization);
                }
            }
            Construction::SipHash { c_rounds, d_rounds } => {
                let rounds = [(c"c-rounds", c_rounds), (c"d-rounds", d_rounds)];
                let [c_rounds, d_rounds] = rounds.map(|(key, value)| Param::number(key, value));
                params[..3].copy_from_slice(&[size, c_rounds, d_rounds]);
            }
            _ => {}
        }
        params
    }

    /// Whether the catalog's key is K1‖K2 while the library takes K1‖K2‖K1.
    pub(super) fn widens_key(&self) -> bool {
        self.mac == "cmac-tdes-2"
    }

    /// The ways to use a key again, the faster one first. A copy of a context of KMAC has the
    /// blocks of customization string and key behind it; a restarted one hashes them again.
    pub(super) fn restarts(&self) -> [Restart; 2] {
        match self.construction {
            Construction::Kmac { .. } => [Restart::Dup, Restart::Init],
            _ => [Restart::Init, Restart::Dup],
        }
    }

    /// Whether a key is for one message by the mac's definition, so that none is prepared.
    pub(super) fn is_one_time(&self) -> bool {
        self.construction == Construction::Poly1305
    }
}

const fn cmac(
    mac: &'static str,
    code: Code,
    name: &'static CStr,
    function: &'static str,
) -> Primitive {
    Primitive { mac, construction: Construction::Cmac, code, name, function: Some(function) }
}

const fn hmac(
    mac: &'static str,
    code: Code,
    name: &'static CStr,
    function: &'static str,
) -> Primitive {
    Primitive { mac, construction: Construction::Hmac, code, name, function: Some(function) }
}

/// What `EVP_MAC` alone has.
const fn evp(
    mac: &'static str,
    construction: Construction,
    code: Code,
    name: &'static CStr,
) -> Primitive {
    Primitive { mac, construction, code, name, function: None }
}

const fn gmac(mac: &'static str, name: &'static CStr) -> Primitive {
    evp(mac, Construction::Gmac, Code::Gcm, name)
}

const fn kmac(mac: &'static str, xof: usize, name: &'static CStr) -> Primitive {
    evp(mac, Construction::Kmac { xof }, Code::Keccak, name)
}

const fn siphash(mac: &'static str, c_rounds: usize, d_rounds: usize) -> Primitive {
    evp(mac, Construction::SipHash { c_rounds, d_rounds }, Code::SipHash, c"SIPHASH")
}

/// All that libcrypto may have; what it really has is found by trying.
pub(super) const PRIMITIVES: &[Primitive] = &[
    evp("blake2b-keyed", Construction::Blake2, Code::Blake2, c"BLAKE2BMAC"),
    evp("blake2s-keyed", Construction::Blake2, Code::Blake2, c"BLAKE2SMAC"),
    cmac("cmac-aes-128", Code::Aes, c"AES-128-CBC", "EVP_aes_128_cbc"),
    cmac("cmac-aes-192", Code::Aes, c"AES-192-CBC", "EVP_aes_192_cbc"),
    cmac("cmac-aes-256", Code::Aes, c"AES-256-CBC", "EVP_aes_256_cbc"),
    cmac("cmac-aria-128", Code::Aria, c"ARIA-128-CBC", "EVP_aria_128_cbc"),
    cmac("cmac-aria-192", Code::Aria, c"ARIA-192-CBC", "EVP_aria_192_cbc"),
    cmac("cmac-aria-256", Code::Aria, c"ARIA-256-CBC", "EVP_aria_256_cbc"),
    cmac("cmac-camellia-128", Code::Camellia, c"CAMELLIA-128-CBC", "EVP_camellia_128_cbc"),
    cmac("cmac-camellia-192", Code::Camellia, c"CAMELLIA-192-CBC", "EVP_camellia_192_cbc"),
    cmac("cmac-camellia-256", Code::Camellia, c"CAMELLIA-256-CBC", "EVP_camellia_256_cbc"),
    cmac("cmac-sm4", Code::Sm4, c"SM4-CBC", "EVP_sm4_cbc"),
    cmac("cmac-tdes-2", Code::Tdes, c"DES-EDE3-CBC", "EVP_des_ede3_cbc"),
    cmac("cmac-tdes-3", Code::Tdes, c"DES-EDE3-CBC", "EVP_des_ede3_cbc"),
    gmac("gmac-aes-128", c"AES-128-GCM"),
    gmac("gmac-aes-192", c"AES-192-GCM"),
    gmac("gmac-aes-256", c"AES-256-GCM"),
    hmac("hmac-blake2b", Code::Blake2, c"BLAKE2B-512", "EVP_blake2b512"),
    hmac("hmac-blake2s", Code::Blake2, c"BLAKE2S-256", "EVP_blake2s256"),
    hmac("hmac-md5", Code::Md5, c"MD5", "EVP_md5"),
    hmac("hmac-ripemd160", Code::Ripemd160, c"RIPEMD160", "EVP_ripemd160"),
    hmac("hmac-sha1", Code::Sha1, c"SHA1", "EVP_sha1"),
    hmac("hmac-sha224", Code::Sha256, c"SHA224", "EVP_sha224"),
    hmac("hmac-sha256", Code::Sha256, c"SHA256", "EVP_sha256"),
    hmac("hmac-sha3-224", Code::Keccak, c"SHA3-224", "EVP_sha3_224"),
    hmac("hmac-sha3-256", Code::Keccak, c"SHA3-256", "EVP_sha3_256"),
    hmac("hmac-sha3-384", Code::Keccak, c"SHA3-384", "EVP_sha3_384"),
    hmac("hmac-sha3-512", Code::Keccak, c"SHA3-512", "EVP_sha3_512"),
    hmac("hmac-sha384", Code::Sha512, c"SHA384", "EVP_sha384"),
    hmac("hmac-sha512", Code::Sha512, c"SHA512", "EVP_sha512"),
    hmac("hmac-sha512-224", Code::Sha512, c"SHA512-224", "EVP_sha512_224"),
    hmac("hmac-sha512-256", Code::Sha512, c"SHA512-256", "EVP_sha512_256"),
    hmac("hmac-sm3", Code::Sm3, c"SM3", "EVP_sm3"),
    kmac("kmac128", 0, c"KMAC-128"),
    kmac("kmac128-xof", 1, c"KMAC-128"),
    kmac("kmac256", 0, c"KMAC-256"),
    kmac("kmac256-xof", 1, c"KMAC-256"),
    evp("poly1305", Construction::Poly1305, Code::Poly1305, c"POLY1305"),
    siphash("siphash-1-3", 1, 3),
    siphash("siphash-1-3-128", 1, 3),
    siphash("siphash-2-4", 2, 4),
    siphash("siphash-2-4-128", 2, 4),
    siphash("siphash-4-8", 4, 8),
    siphash("siphash-4-8-128", 4, 8),
];
