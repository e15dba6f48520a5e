//! HMAC. `finalize_reset` over SHA-1 and SHA-2 in the present generation; others are cloned with
//! their key (docs/providers.md says why), and so are all in the former, where a reset is a feature
//! that is off by default.

use crate::macs::Row;
#[cfg(any(feature = "former", feature = "blake2", feature = "sha3"))]
use crate::traits::cloned;
#[cfg(all(not(feature = "former"), any(feature = "sha1", feature = "sha2")))]
use crate::traits::reset;
#[cfg(any(feature = "sha1", feature = "sha2"))]
use hmac::Hmac;
#[cfg(all(not(feature = "former"), any(feature = "sha1", feature = "sha2")))]
use hmac::HmacReset;
#[cfg(any(feature = "blake2", feature = "sha3"))]
use hmac::SimpleHmac;

#[cfg(any(feature = "sha1", feature = "sha2"))]
macro_rules! over {
    ($($mac:literal, $tag_len:literal, $Hash:path;)*) => {
        &[$(
            #[cfg(feature = "former")]
            Row::new($mac, $tag_len, cloned::<Hmac<$Hash>>),
            #[cfg(not(feature = "former"))]
            Row::new($mac, $tag_len, reset::<HmacReset<$Hash>, Hmac<$Hash>>),
        )*]
    };
}

#[cfg(feature = "blake2")]
pub const BLAKE2: &[Row] = &[
    Row::new("hmac-blake2b", 64, cloned::<SimpleHmac<blake2::Blake2b512>>),
    Row::new("hmac-blake2s", 32, cloned::<SimpleHmac<blake2::Blake2s256>>),
];

#[cfg(feature = "sha1")]
pub const SHA1: &[Row] = over! { "hmac-sha1", 20, sha1::Sha1; };

#[cfg(feature = "sha2")]
pub const SHA2: &[Row] = over! {
    "hmac-sha224", 28, sha2::Sha224;
    "hmac-sha256", 32, sha2::Sha256;
    "hmac-sha384", 48, sha2::Sha384;
    "hmac-sha512", 64, sha2::Sha512;
    "hmac-sha512-224", 28, sha2::Sha512_224;
    "hmac-sha512-256", 32, sha2::Sha512_256;
};

#[cfg(feature = "sha3")]
pub const SHA3: &[Row] = &[
    Row::new("hmac-sha3-224", 28, cloned::<SimpleHmac<sha3::Sha3_224>>),
    Row::new("hmac-sha3-256", 32, cloned::<SimpleHmac<sha3::Sha3_256>>),
    Row::new("hmac-sha3-384", 48, cloned::<SimpleHmac<sha3::Sha3_384>>),
    Row::new("hmac-sha3-512", 64, cloned::<SimpleHmac<sha3::Sha3_512>>),
];
