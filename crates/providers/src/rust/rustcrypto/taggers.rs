//! The macs: one row each, by its canonical name, and how it is called under each key life.

use aead::inout::InOutBuf;
use aead::{AeadInOut, Nonce};
use aes::{Aes128Enc, Aes192, Aes192Enc, Aes256Enc};
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};
use aria::{Aria128, Aria192, Aria256};
use blake2::{Blake2b512, Blake2bMac512, Blake2s256, Blake2sMac256};
use camellia::{Camellia128, Camellia192, Camellia256};
use cbc_mac::CbcMac;
use cmac::Cmac;
use des::{TdesEde2, TdesEde3};
use digest::consts::{U12, U16, U20, U24, U32};
use digest::{FixedOutputReset, KeyInit, Mac};
use hmac::{Hmac, HmacReset, SimpleHmac};
use kuznyechik::Kuznyechik;
use magma::Magma;
use md5::Md5;
use pmac::Pmac;
use poly1305::Poly1305;
use poly1305::universal_hash::UniversalHash;
use rc6::RC6;
use ripemd::Ripemd160;
use serpent::Serpent;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use siphasher::{sip, sip128};
use sm3::Sm3;
use sm4::Sm4;
use streebog::{Streebog256, Streebog512};
use twofish::Twofish;

use super::kernels::{self, Kernel, soft};
use crate::{Input, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

/// Opens a tagger for messages that all get this nonce, empty where the mac takes none.
type Open = fn(KeyLife, &[u8], &[u8]) -> Result<Tagger, Refused>;

/// One mac.
pub(super) struct Row {
    pub mac: &'static str,
    pub kernel: Kernel,
    pub key_lives: &'static [KeyLife],
    pub open: Open,
}

const fn row(mac: &'static str, kernel: Kernel, open: Open) -> Row {
    Row { mac, kernel, key_lives: &[KeyLife::Prepared, KeyLife::NewKey], open }
}

/// All rows, by family.
pub(super) const ROWS: &[&[Row]] = &[CMAC, NATIONAL, CBC_MAC, PMAC, HMAC, HASHES, UNIVERSAL_HASHES];

/// The rows of a mode over every block cipher.
macro_rules! over_ciphers {
    ($mode:literal, $Mode:ident, $aes:path, $open:ident) => {
        &[
            row(concat!($mode, "-aes-128"), $aes, $open::<$Mode<Aes128Enc>>),
            row(concat!($mode, "-aes-192"), $aes, $open::<$Mode<Aes192Enc>>),
            row(concat!($mode, "-aes-256"), $aes, $open::<$Mode<Aes256Enc>>),
            row(concat!($mode, "-rc6-128"), soft, $open::<$Mode<RC6<u32, U20, U16>>>),
            row(concat!($mode, "-rc6-192"), soft, $open::<$Mode<RC6<u32, U20, U24>>>),
            row(concat!($mode, "-rc6-256"), soft, $open::<$Mode<RC6<u32, U20, U32>>>),
            row(concat!($mode, "-serpent-128"), soft, $open::<$Mode<Serpent>>),
            row(concat!($mode, "-serpent-192"), soft, $open::<$Mode<Serpent>>),
            row(concat!($mode, "-serpent-256"), soft, $open::<$Mode<Serpent>>),
            row(concat!($mode, "-tdes-2"), soft, $open::<$Mode<TdesEde2>>),
            row(concat!($mode, "-tdes-3"), soft, $open::<$Mode<TdesEde3>>),
            row(concat!($mode, "-twofish-128"), soft, $open::<$Mode<Twofish>>),
            row(concat!($mode, "-twofish-192"), soft, $open::<$Mode<Twofish>>),
            row(concat!($mode, "-twofish-256"), soft, $open::<$Mode<Twofish>>),
        ]
    };
}

const CMAC: &[Row] = over_ciphers!("cmac", Cmac, kernels::aes, resettable);
/// CMAC over the national standards' ciphers.
const NATIONAL: &[Row] = &[
    row("cmac-aria-128", soft, resettable::<Cmac<Aria128>>),
    row("cmac-aria-192", soft, resettable::<Cmac<Aria192>>),
    row("cmac-aria-256", soft, resettable::<Cmac<Aria256>>),
    row("cmac-camellia-128", soft, resettable::<Cmac<Camellia128>>),
    row("cmac-camellia-192", soft, resettable::<Cmac<Camellia192>>),
    row("cmac-camellia-256", soft, resettable::<Cmac<Camellia256>>),
    row("cmac-kuznyechik", kernels::kuznyechik, resettable::<Cmac<Kuznyechik>>),
    row("cmac-magma", soft, resettable::<Cmac<Magma>>),
    row("cmac-sm4", soft, resettable::<Cmac<Sm4>>),
];
const CBC_MAC: &[Row] = over_ciphers!("cbc-mac", CbcMac, kernels::aes, not_of_nothing);
const PMAC: &[Row] = over_ciphers!("pmac", Pmac, kernels::aes_wide, resettable);

const HMAC: &[Row] = &[
    row("hmac-blake2b", soft, cloned::<SimpleHmac<Blake2b512>>),
    row("hmac-blake2s", soft, cloned::<SimpleHmac<Blake2s256>>),
    row("hmac-md5", kernels::md5, reset::<HmacReset<Md5>, Hmac<Md5>, true>),
    row("hmac-ripemd160", soft, reset::<HmacReset<Ripemd160>, Hmac<Ripemd160>, true>),
    row("hmac-sha1", kernels::sha1, reset::<HmacReset<Sha1>, Hmac<Sha1>, true>),
    row("hmac-sha224", kernels::sha256, reset::<HmacReset<Sha224>, Hmac<Sha224>, true>),
    row("hmac-sha256", kernels::sha256, reset::<HmacReset<Sha256>, Hmac<Sha256>, true>),
    row("hmac-sha3-224", kernels::keccak, cloned::<SimpleHmac<Sha3_224>>),
    row("hmac-sha3-256", kernels::keccak, cloned::<SimpleHmac<Sha3_256>>),
    row("hmac-sha3-384", kernels::keccak, cloned::<SimpleHmac<Sha3_384>>),
    row("hmac-sha3-512", kernels::keccak, cloned::<SimpleHmac<Sha3_512>>),
    row("hmac-sha384", kernels::sha512, reset::<HmacReset<Sha384>, Hmac<Sha384>, true>),
    row("hmac-sha512", kernels::sha512, reset::<HmacReset<Sha512>, Hmac<Sha512>, true>),
    row("hmac-sha512-224", kernels::sha512, reset::<HmacReset<Sha512_224>, Hmac<Sha512_224>, true>),
    row("hmac-sha512-256", kernels::sha512, reset::<HmacReset<Sha512_256>, Hmac<Sha512_256>, true>),
    row("hmac-sm3", soft, reset::<HmacReset<Sm3>, Hmac<Sm3>, true>),
    row("hmac-streebog-256", soft, cloned::<SimpleHmac<Streebog256>>),
    row("hmac-streebog-512", soft, cloned::<SimpleHmac<Streebog512>>),
];

/// Keyed hashes.
const HASHES: &[Row] = &[
    row("blake2b-keyed", soft, cloned::<Blake2bMac512>),
    row("blake2s-keyed", soft, cloned::<Blake2sMac256>),
    Row { key_lives: &KeyLife::ALL, ..row("blake3-keyed", kernels::blake3, blake3) },
    row("siphash-1-3", soft, siphash::<sip::SipHasher13, 8>),
    row("siphash-1-3-128", soft, siphash::<sip128::SipHasher13, 16>),
    row("siphash-2-4", soft, siphash::<sip::SipHasher24, 8>),
    row("siphash-2-4-128", soft, siphash::<sip128::SipHasher24, 16>),
];

const UNIVERSAL_HASHES: &[Row] = &[
    row("gmac-aes-128", kernels::aes, gmac::<Aes128Gcm>),
    row("gmac-aes-192", kernels::aes, gmac::<AesGcm<Aes192, U12>>),
    row("gmac-aes-256", kernels::aes, gmac::<Aes256Gcm>),
    row("poly1305", kernels::poly1305, poly1305),
];

const NOTHING: &str = "rustcrypto's CBC-MAC of the empty message is zeros, and not that of a block \
                       of zeros (ISO/IEC 9797-1 §6.3.2)";

fn resettable<M>(key_life: KeyLife, key: &[u8], nonce: &[u8]) -> Result<Tagger, Refused>
where
    M: Mac + KeyInit + FixedOutputReset + 'static,
{
    reset::<M, M, true>(key_life, key, nonce)
}

fn not_of_nothing<M>(key_life: KeyLife, key: &[u8], nonce: &[u8]) -> Result<Tagger, Refused>
where
    M: Mac + KeyInit + FixedOutputReset + 'static,
{
    reset::<M, M, false>(key_life, key, nonce)
}

/// `Kept` can be reset to its key; `Fresh` is made for one message.
fn reset<Kept, Fresh, const TAKES_NOTHING: bool>(
    key_life: KeyLife,
    key: &[u8],
    _: &[u8],
) -> Result<Tagger, Refused>
where
    Kept: Mac + KeyInit + FixedOutputReset + 'static,
    Fresh: Mac + KeyInit,
{
    match key_life {
        KeyLife::Prepared => {
            let mut mac = keyed::<Kept>(key)?;
            Ok(Box::new(move |_, message, tag| {
                if !TAKES_NOTHING && message.is_empty() {
                    return Err(NOTHING);
                }
                Mac::update(&mut mac, message);
                write(&mac.finalize_reset().into_bytes(), tag)
            }))
        }
        KeyLife::NewKey => Ok(Box::new(|key, message, tag| {
            if !TAKES_NOTHING && message.is_empty() {
                return Err(NOTHING);
            }
            once::<Fresh>(key, message, tag)
        })),
        KeyLife::OneShot => Err(crate::NO_ONE_SHOT),
    }
}

/// A mac that is cloned with its key for each message.
fn cloned<M>(key_life: KeyLife, key: &[u8], _: &[u8]) -> Result<Tagger, Refused>
where
    M: Mac + KeyInit + Clone + 'static,
{
    match key_life {
        KeyLife::Prepared => {
            let kept = keyed::<M>(key)?;
            Ok(Box::new(move |_, message, tag| {
                let mut mac = kept.clone();
                mac.update(message);
                write(&mac.finalize().into_bytes(), tag)
            }))
        }
        KeyLife::NewKey => Ok(Box::new(once::<M>)),
        KeyLife::OneShot => Err(crate::NO_ONE_SHOT),
    }
}

/// Key set-up and one message.
#[inline(always)]
fn once<M: Mac + KeyInit>(key: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
    let fresh = <M as KeyInit>::new_from_slice(key);
    let mut mac = fresh.map_err(|_| "rustcrypto: new_from_slice failed")?;
    mac.update(message);
    write(&mac.finalize().into_bytes(), tag)
}

/// Its key needs no preparation: one function for all key lives.
fn blake3(key_life: KeyLife, key: &[u8], _: &[u8]) -> Result<Tagger, Refused> {
    if key_life != KeyLife::Prepared {
        return Ok(Box::new(|key, message, tag| {
            let key = key.try_into().map_err(|_| "blake3: wrong key length")?;
            write(blake3::keyed_hash(key, message).as_bytes(), tag)
        }));
    }
    let kept: [u8; blake3::KEY_LEN] = array(key)?;
    Ok(Box::new(move |_, message, tag| write(blake3::keyed_hash(&kept, message).as_bytes(), tag)))
}

fn poly1305(key_life: KeyLife, key: &[u8], _: &[u8]) -> Result<Tagger, Refused> {
    match key_life {
        KeyLife::Prepared => {
            let kept = keyed::<Poly1305>(key)?;
            Ok(Box::new(move |_, message, tag| hash(kept.clone(), message, tag)))
        }
        KeyLife::NewKey => Ok(Box::new(|key, message, tag| {
            let fresh = Poly1305::new_from_slice(key);
            hash(fresh.map_err(|_| "rustcrypto: new_from_slice failed")?, message, tag)
        })),
        KeyLife::OneShot => Err(crate::NO_ONE_SHOT),
    }
}

/// Whole blocks at once, and the last one as RFC 8439 has it, not padded with zeros.
#[inline(always)]
fn hash(mut fresh: Poly1305, message: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
    let (blocks, last) = poly1305::Block::slice_as_chunks(message);
    fresh.update(blocks);
    write(&fresh.compute_unpadded(last), tag)
}

/// GCM of no message, with the message as associated data.
fn gmac<A>(key_life: KeyLife, key: &[u8], nonce: &[u8]) -> Result<Tagger, Refused>
where
    A: AeadInOut + KeyInit + 'static,
{
    let nonce = Nonce::<A>::try_from(nonce).map_err(|_| {
        Refused::limit(&[Input::Nonce], "rustcrypto is measured with 12-byte nonces only")
    })?;
    match key_life {
        KeyLife::Prepared => {
            let kept = keyed::<A>(key)?;
            Ok(Box::new(move |_, message, tag| authenticate(&kept, &nonce, message, tag)))
        }
        KeyLife::NewKey => Ok(Box::new(move |key, message, tag| {
            let fresh = A::new_from_slice(key);
            let fresh = fresh.map_err(|_| "rustcrypto: new_from_slice failed")?;
            authenticate(&fresh, &nonce, message, tag)
        })),
        KeyLife::OneShot => Err(crate::NO_ONE_SHOT),
    }
}

#[inline(always)]
fn authenticate<A: AeadInOut>(
    aead: &A,
    nonce: &Nonce<A>,
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), &'static str> {
    let computed = aead.encrypt_inout_detached(nonce, message, InOutBuf::from(&mut [][..]));
    write(&computed.map_err(|_| "rustcrypto: encrypt_inout_detached failed")?, tag)
}

/// The four hashers of `siphasher`, which share no trait.
trait SipHasher<const TAG_LEN_BYTES: usize> {
    fn with_key(key: &[u8; 16]) -> Self;
    fn tag(&self, message: &[u8]) -> [u8; TAG_LEN_BYTES];
}

macro_rules! sip_hashers {
    ($($Hasher:path, $tag_len:literal, $bytes:ident;)*) => {$(
        impl SipHasher<$tag_len> for $Hasher {
            #[inline(always)]
            fn with_key(key: &[u8; 16]) -> Self {
                Self::new_with_key(key)
            }

            #[inline(always)]
            fn tag(&self, message: &[u8]) -> [u8; $tag_len] {
                self.hash(message).$bytes()
            }
        }
    )*};
}

sip_hashers! {
    sip::SipHasher13, 8, to_le_bytes;
    sip::SipHasher24, 8, to_le_bytes;
    sip128::SipHasher13, 16, as_bytes;
    sip128::SipHasher24, 16, as_bytes;
}

fn siphash<H, const TAG_LEN_BYTES: usize>(
    key_life: KeyLife,
    key: &[u8],
    _: &[u8],
) -> Result<Tagger, Refused>
where
    H: SipHasher<TAG_LEN_BYTES> + 'static,
{
    match key_life {
        KeyLife::Prepared => {
            let kept = H::with_key(&array(key)?);
            Ok(Box::new(move |_, message, tag| write(&kept.tag(message), tag)))
        }
        KeyLife::NewKey => Ok(Box::new(|key, message, tag| {
            let key = key.try_into().map_err(|_| "siphasher: wrong key length")?;
            write(&H::with_key(key).tag(message), tag)
        })),
        KeyLife::OneShot => Err(crate::NO_ONE_SHOT),
    }
}

fn keyed<M: KeyInit>(key: &[u8]) -> Result<M, Refused> {
    M::new_from_slice(key).map_err(Refused::said)
}

fn array<const N: usize>(key: &[u8]) -> Result<[u8; N], Refused> {
    key.try_into().map_err(|_| {
        Refused::limit(&[Input::Key], format!("a key of {} bytes instead of {N}", key.len()))
    })
}

#[inline(always)]
fn write(computed: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
    if computed.len() != tag.len() {
        return Err(WRONG_TAG_LEN);
    }
    tag.copy_from_slice(computed);
    Ok(())
}
