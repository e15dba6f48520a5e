//! What libcrypto calls the hash or cipher under each mac of our catalog.

use std::ffi::CStr;

/// The construction, as the library has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Construction {
    Cmac,
    Hmac,
}

/// The code inside the library that decides the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Aes,
    Md5,
    Sha1,
    Sha256,
    Sha512,
    Tdes,
}

/// The hash or cipher under one mac.
pub(super) struct Primitive {
    /// Canonical name of the mac in our catalog.
    pub(super) mac: &'static str,
    pub(super) construction: Construction,
    pub(super) code: Code,
    /// Its name for `EVP_MAC` and `EVP_Q_mac`.
    pub(super) name: &'static CStr,
    /// The function that returns it, for `HMAC` and the interface before 3.0.
    pub(super) function: &'static str,
}

impl Primitive {
    /// The name of the mac for `EVP_MAC_fetch`, and of the parameter that takes the primitive.
    pub(super) fn mac_and_param(&self) -> (&'static CStr, &'static CStr) {
        match self.construction {
            Construction::Cmac => (c"CMAC", c"cipher"),
            Construction::Hmac => (c"HMAC", c"digest"),
        }
    }

    /// Whether the catalog's key is K1‖K2 while the library takes K1‖K2‖K1.
    pub(super) fn widens_key(&self) -> bool {
        self.mac == "cmac-tdes-2"
    }
}

const fn cmac(
    mac: &'static str,
    code: Code,
    name: &'static CStr,
    function: &'static str,
) -> Primitive {
    Primitive { mac, construction: Construction::Cmac, code, name, function }
}

const fn hmac(
    mac: &'static str,
    code: Code,
    name: &'static CStr,
    function: &'static str,
) -> Primitive {
    Primitive { mac, construction: Construction::Hmac, code, name, function }
}

/// All that libcrypto may have; what it really has is found by trying.
pub(super) const PRIMITIVES: [Primitive; 13] = [
    cmac("cmac-aes-128", Code::Aes, c"AES-128-CBC", "EVP_aes_128_cbc"),
    cmac("cmac-aes-192", Code::Aes, c"AES-192-CBC", "EVP_aes_192_cbc"),
    cmac("cmac-aes-256", Code::Aes, c"AES-256-CBC", "EVP_aes_256_cbc"),
    cmac("cmac-tdes-2", Code::Tdes, c"DES-EDE3-CBC", "EVP_des_ede3_cbc"),
    cmac("cmac-tdes-3", Code::Tdes, c"DES-EDE3-CBC", "EVP_des_ede3_cbc"),
    hmac("hmac-md5", Code::Md5, c"MD5", "EVP_md5"),
    hmac("hmac-sha1", Code::Sha1, c"SHA1", "EVP_sha1"),
    hmac("hmac-sha224", Code::Sha256, c"SHA224", "EVP_sha224"),
    hmac("hmac-sha256", Code::Sha256, c"SHA256", "EVP_sha256"),
    hmac("hmac-sha384", Code::Sha512, c"SHA384", "EVP_sha384"),
    hmac("hmac-sha512", Code::Sha512, c"SHA512", "EVP_sha512"),
    hmac("hmac-sha512-224", Code::Sha512, c"SHA512-224", "EVP_sha512_224"),
    hmac("hmac-sha512-256", Code::Sha512, c"SHA512-256", "EVP_sha512_256"),
];
