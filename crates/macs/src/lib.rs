//! Message authentication codes behind one interface, proved by vectors.
//!
//! By type, through RustCrypto's `digest` traits, so that these macs and those of the `hmac` and
//! `cmac` crates can take each other's place:
//!
#![cfg_attr(all(feature = "hmac", feature = "sha256"), doc = "```")]
#![cfg_attr(not(all(feature = "hmac", feature = "sha256")), doc = "```ignore")]
//! use macs::digest::{KeyInit, Mac};
//!
//! let mut mac = macs::HmacSha256::new_from_slice(b"key")?;
//! mac.update(b"a message");
//! let tag = mac.finalize().into_bytes();
//! # let mut mac = macs::HmacSha256::new_from_slice(b"key")?;
//! # mac.update(b"a message");
//! mac.verify_slice(&tag).expect("the same key and message");
//! # Ok::<(), macs::digest::InvalidLength>(())
//! ```
//!
//! By name, chosen at run time from the catalog, with the feature `dyn`:
//!
#![cfg_attr(all(feature = "dyn", feature = "hmac", feature = "sha256"), doc = "```")]
#![cfg_attr(not(all(feature = "dyn", feature = "hmac", feature = "sha256")), doc = "```ignore")]
//! use macs::DynMac;
//!
//! let mut mac = DynMac::new("hmac-sha256", b"key")?;
//!
//! // A message in memory: the fastest way under a prepared key.
//! let mut tag = [0; 32];
//! mac.mac_into(b"a message", &mut tag)?;
//!
//! // The same message piece by piece, and the tag checked in constant time.
//! mac.update(b"a mes");
//! mac.update(b"sage");
//! mac.verify(&tag)?;
//!
//! let error = DynMac::new("hmac-sha-256", b"key").unwrap_err();
//! assert!(error.to_string().contains("did you mean hmac-sha256"));
//! # Ok::<(), macs::Error>(())
//! ```
//!
//! Features select what is compiled: families of macs, ciphers, hashes and interfaces; `full` is
//! all but `std`, `frame`, `hkdf` and `kuznyechik`. Without the feature `std` the crate is
//! `no_std`; only macs by name, batches, Triple DES, Twofish, Serpent and RC6 need a heap. Keys and
//! states are wiped when dropped; what key set-up and moves leave on the stack and in registers
//! stays until it is overwritten.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// A feature that is off leaves helpers of its own unused, which costs nothing.
#![cfg_attr(
    not(all(feature = "full", feature = "frame")),
    allow(dead_code, unused_imports, unused_macros)
)]

#[cfg(any(test, feature = "alloc"))]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "aead")]
pub mod aead;
#[cfg(feature = "aegis")]
mod aegis;
#[cfg(feature = "aegis")]
mod aegismac;
#[cfg(any(feature = "blake2", feature = "hmac"))]
mod after_block;
mod algorithm_name;
#[cfg(feature = "ascon")]
mod ascon;
#[cfg(feature = "batch")]
mod batch;
#[cfg(feature = "blake2")]
mod blake2;
#[cfg(feature = "blake3")]
mod blake3;
#[cfg(feature = "_ciphers")]
mod block_mac;
#[cfg(any(feature = "umac", feature = "vmac"))]
mod carter_wegman;
#[cfg(feature = "dyn")]
mod catalog;
#[cfg(any(feature = "cmac", feature = "ccm"))]
mod cbc;
#[cfg(feature = "chaskey")]
mod chaskey;
#[cfg(feature = "_ciphers")]
pub mod ciphers;
#[cfg(feature = "_compositions")]
mod compose;
mod composition;
#[cfg(feature = "batch")]
mod composition_batch;
#[cfg(feature = "hmac")]
pub mod compression;
mod digest_traits;
#[cfg(feature = "_ciphers")]
mod doubling;
#[cfg(feature = "dyn")]
mod dyn_composition;
#[cfg(feature = "dyn")]
mod dyn_mac;
mod error;
mod facts;
#[cfg(feature = "frame")]
pub mod frame;
#[cfg(feature = "gmac")]
mod gmac;
#[cfg(any(feature = "gcm", feature = "gmac"))]
mod hash_key;
#[cfg(feature = "highway")]
mod highway_hash;
#[cfg(feature = "hmac")]
mod hmac;
#[cfg(feature = "hopmac")]
mod hopmac;
mod inside;
#[cfg(feature = "hopmac")]
mod kangaroo_twelve;
#[cfg(any(
    feature = "highway",
    feature = "hopmac",
    feature = "kmac",
    feature = "poly1305",
    feature = "sha3"
))]
mod kernel;
mod kernels;
#[cfg(feature = "dyn")]
mod keyed;
#[cfg(feature = "khc")]
mod khc;
#[cfg(feature = "kmac")]
mod kmac;
mod len;
#[cfg(feature = "dyn")]
mod one_shot;
#[cfg(feature = "pmac")]
mod pmac;
#[cfg(feature = "poly1305")]
mod poly1305;
mod prepared;
#[cfg(feature = "std")]
mod reading;
mod row;
pub mod rustcrypto;
#[cfg(feature = "s2v")]
mod s2v;
#[cfg(feature = "siphash")]
mod siphash;
#[cfg(feature = "_keccak")]
mod sponge;
mod status;
#[cfg(feature = "dyn")]
mod suggest;
#[cfg(feature = "umac")]
mod umac;
mod verify;
#[cfg(feature = "vmac")]
mod vmac;
mod wipe;
mod work;

pub use digest;

#[cfg(feature = "aegis")]
pub use aegis::{Aegis128L, Aegis128X2, Aegis128X4, Aegis256, Aegis256X2, Aegis256X4};
#[cfg(feature = "aegis")]
pub use aegismac::{
    AegisMac, AegisMac128L, AegisMac128LTag256, AegisMac128X2, AegisMac128X2Tag256, AegisMac128X4,
    AegisMac128X4Tag256, AegisMac256, AegisMac256Tag256, AegisMac256X2, AegisMac256X2Tag256,
    AegisMac256X4, AegisMac256X4Tag256,
};
#[cfg(feature = "ascon")]
pub use ascon::{Ascon, AsconMac, AsconPrf};
#[cfg(feature = "batch")]
pub use batch::Batch;
#[cfg(feature = "blake2")]
pub use blake2::{Blake2Keyed, Blake2bKeyed, Blake2sKeyed, Blake2sKeyed128};
#[cfg(feature = "blake3")]
pub use blake3::Blake3Keyed;
#[cfg(feature = "dyn")]
pub use catalog::{catalog, find};
#[cfg(feature = "cbc-mac")]
pub use cbc::cbc_mac::{CbcMac, CbcMacPad2};
#[cfg(feature = "cbc-mac")]
pub use cbc::emac::Emac;
#[cfg(feature = "cmac")]
pub use cbc::omac::{Cmac, Omac2};
#[cfg(feature = "retail-mac")]
pub use cbc::retail::RetailMac;
#[cfg(all(feature = "cbc-mac", feature = "aes"))]
pub use cbc::rfc::{CmacPrf128, XcbcPrf128, XcbcRfc3566};
#[cfg(feature = "cbc-mac")]
pub use cbc::tmac::Tmac;
#[cfg(feature = "cbc-mac")]
pub use cbc::xcbc::Xcbc;
#[cfg(feature = "cbc-mac")]
pub use cbc::xcbc_kdf::XcbcKdf;
#[cfg(feature = "chaskey")]
pub use chaskey::{Chaskey, Chaskey12, ChaskeyLts, ChaskeyOf};
#[cfg(feature = "aegis-aead")]
pub use compose::AegisAead;
#[cfg(feature = "ccm")]
pub use compose::Ccm;
#[cfg(feature = "chacha20poly1305")]
pub use compose::ChaCha20Poly1305;
#[cfg(feature = "eax")]
pub use compose::Eax;
#[cfg(feature = "gcm")]
pub use compose::Gcm;
#[cfg(any(feature = "compositions", feature = "siv"))]
pub use compose::Paired;
#[cfg(feature = "siv")]
pub use compose::Siv;
#[cfg(feature = "compositions")]
pub use compose::{CbcThenCmac, CtrAndCmac, CtrThenCmac};
#[cfg(feature = "gcm-siv")]
pub use compose::{GcmSiv, SivCipher};
#[cfg(any(feature = "_compositions", feature = "batch"))]
pub use composition::Header;
#[cfg(feature = "_compositions")]
pub use composition::{Composition, WithTagLen};
#[cfg(feature = "batch")]
pub use composition::{CompositionJob, SealJob};
#[cfg(feature = "batch")]
pub use composition_batch::CompositionBatch;
#[cfg(feature = "_ciphers")]
pub use doubling::DoublingSize;
#[cfg(feature = "dyn")]
pub use dyn_composition::DynComposition;
#[cfg(feature = "dyn")]
pub use dyn_mac::DynMac;
pub use error::{Error, Input};
pub use facts::{
    ConstantTime, Facts, Hardware, KeyLife, KeyLimit, Kind, LeastBits, NonceNeed, Prf, Quantum,
    Repeat, ShortTags,
};
#[cfg(feature = "gmac")]
pub use gmac::Gmac;
#[cfg(feature = "highway")]
pub use highway_hash::{HighwayHash, HighwayHash64, HighwayHash128, HighwayHash256};
#[cfg(all(feature = "hmac", feature = "md5"))]
pub use hmac::HmacMd5;
#[cfg(all(feature = "hmac", feature = "sha1"))]
pub use hmac::HmacSha1;
#[cfg(all(feature = "hmac", feature = "ripemd160"))]
pub use hmac::of_digest::HmacRipemd160;
#[cfg(all(feature = "hmac", feature = "sm3"))]
pub use hmac::of_digest::HmacSm3;
#[cfg(all(feature = "hmac", feature = "blake2"))]
pub use hmac::of_digest::{HmacBlake2b, HmacBlake2s};
#[cfg(all(feature = "hmac", feature = "sha3"))]
pub use hmac::of_digest::{HmacSha3_224, HmacSha3_256, HmacSha3_384, HmacSha3_512};
#[cfg(all(feature = "hmac", feature = "streebog"))]
pub use hmac::of_digest::{HmacStreebog256, HmacStreebog512};
#[cfg(feature = "hmac")]
pub use hmac::{Hmac, HmacHash, HmacMd, of_digest::HmacOf};
#[cfg(all(feature = "hmac", feature = "sha256"))]
pub use hmac::{HmacSha224, HmacSha256};
#[cfg(all(feature = "hmac", feature = "sha512"))]
pub use hmac::{HmacSha384, HmacSha512, HmacSha512_224, HmacSha512_256};
#[cfg(feature = "hopmac")]
pub use hopmac::{HopMac, HopMac128, HopMac256};
pub use kernels::cpu::{Instructions, leave_out};
pub use kernels::{Choice, Job, KernelName, Pin, UnknownKernel};
#[cfg(feature = "khc")]
pub use khc::{Khc, Khc1Sha256, Khc2Sha256};
#[cfg(feature = "kmac")]
pub use kmac::{Kmac, Kmac128, Kmac128Xof, Kmac256, Kmac256Xof};
pub use len::Len;
#[cfg(feature = "dyn")]
pub use one_shot::{mac, verify};
#[cfg(feature = "pmac")]
pub use pmac::Pmac;
#[cfg(feature = "poly1305")]
pub use poly1305::Poly1305;
pub use prepared::{NonceMac, PreparedMac};
#[cfg(feature = "dyn")]
pub use row::{MacInfo, Nonce, TAG_LEN_MAX_BYTES};
#[cfg(feature = "s2v")]
pub use s2v::S2v;
#[cfg(feature = "siphash")]
pub use siphash::{
    SipHash, SipHash13, SipHash13_128, SipHash24, SipHash24_128, SipHash48, SipHash48_128,
};
pub use status::{Mode, Primitive, Standing};
#[cfg(feature = "dyn")]
pub use suggest::suggest;
#[cfg(feature = "umac")]
pub use umac::{Umac32, Umac64, Umac96, Umac128};
#[cfg(feature = "vmac")]
pub use vmac::{Vmac64, Vmac128};
#[cfg(feature = "dyn")]
pub use work::Work;

/// The examples of the document are tests.
#[cfg(all(doctest, feature = "full"))]
#[doc = include_str!("../README.md")]
struct Readme;
