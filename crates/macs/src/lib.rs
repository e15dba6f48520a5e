//! Message authentication codes behind one interface, proved by vectors.
//!
//! By name, chosen at run time, from the [`catalog`]:
//!
//! ```
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
//! By type, through RustCrypto's `digest` traits, so that these macs and those of the `hmac` and
//! `cmac` crates can take each other's place:
//!
//! ```
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
//! No I/O, no `std`; the heap only for [`DynMac`], [`DynComposition`], [`mac`] and errors. Keys and
//! states are wiped when dropped.
#![no_std]

extern crate alloc;

mod batch;
mod blake2;
mod blake3;
mod block_mac;
mod carter_wegman;
mod catalog;
mod cbc;
pub mod ciphers;
mod compose;
pub mod compression;
mod digest_traits;
mod doubling;
mod dyn_composition;
mod dyn_mac;
mod error;
#[cfg(any(test, feature = "frame"))]
pub mod frame;
mod gmac;
mod hash_key;
mod hmac;
mod kernel;
mod kernels;
mod khc;
mod kmac;
mod len;
mod one_shot;
mod pmac;
mod poly1305;
mod prepared;
mod siphash;
mod status;
mod suggest;
mod umac;
mod verify;
mod vmac;
mod wipe;
mod work;

pub use digest;

pub use batch::{Batch, Job};
pub use blake2::{Blake2Keyed, Blake2bKeyed, Blake2sKeyed};
pub use blake3::Blake3Keyed;
pub use catalog::{MacInfo, Nonce, TAG_LEN_MAX_BYTES, catalog, find};
pub use cbc::cbc_mac::{CbcMac, CbcMacPad2};
pub use cbc::emac::Emac;
pub use cbc::omac::{Cmac, Omac2};
pub use cbc::rfc::{CmacPrf128, XcbcPrf128, XcbcRfc3566};
pub use cbc::tmac::Tmac;
pub use cbc::xcbc::Xcbc;
pub use cbc::xcbc_kdf::XcbcKdf;
pub use compose::{
    CbcThenCmac, Ccm, ChaCha20Poly1305, Composition, CtrAndCmac, CtrThenCmac, Eax, Gcm, Header,
    Paired, WithTagLen,
};
pub use doubling::DoublingSize;
pub use dyn_composition::DynComposition;
pub use dyn_mac::DynMac;
pub use error::{Error, Input};
pub use gmac::Gmac;
pub use hmac::of_digest::{
    HmacBlake2b, HmacBlake2s, HmacOf, HmacSha3_224, HmacSha3_256, HmacSha3_384, HmacSha3_512,
};
pub use hmac::{
    Hmac, HmacMd5, HmacSha1, HmacSha224, HmacSha256, HmacSha384, HmacSha512, HmacSha512_224,
    HmacSha512_256,
};
pub use kernels::{Choice, KernelName, OnlySoft, Pin, UnknownKernel};
pub use khc::{Khc, Khc1Sha256, Khc2Sha256};
pub use kmac::{Kmac, Kmac128, Kmac128Xof, Kmac256, Kmac256Xof};
pub use len::Len;
pub use one_shot::{mac, verify};
pub use pmac::Pmac;
pub use poly1305::Poly1305;
pub use prepared::{NonceMac, PreparedMac};
pub use siphash::{
    SipHash, SipHash13, SipHash13_128, SipHash24, SipHash24_128, SipHash48, SipHash48_128,
};
pub use status::{Mode, Primitive, Standing};
pub use suggest::suggest;
pub use umac::{Umac32, Umac64, Umac96, Umac128};
pub use vmac::{Vmac64, Vmac128};
pub use work::Work;

/// The examples of the document are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/macs.md")]
struct Document;
