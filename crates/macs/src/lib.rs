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
mod carter_wegman;
mod catalog;
mod cbc;
pub mod ciphers;
mod compose;
pub mod compression;
mod doubling;
mod dyn_composition;
mod dyn_mac;
mod error;
mod hmac;
mod kernel;
mod len;
mod prepared;
mod status;
mod suggest;
mod umac;
mod vmac;
mod wipe;

pub use digest;

pub use batch::{Batch, Job};
pub use catalog::{MacInfo, Nonce, TAG_LEN_MAX_BYTES, catalog, find, mac};
pub use cbc::omac::Cmac;
pub use compose::Composition;
pub use doubling::DoublingSize;
pub use dyn_composition::DynComposition;
pub use dyn_mac::DynMac;
pub use error::{Error, Input};
pub use hmac::{
    Hmac, HmacMd5, HmacSha1, HmacSha224, HmacSha256, HmacSha384, HmacSha512, HmacSha512_224,
    HmacSha512_256,
};
pub use len::Len;
pub use prepared::{NonceMac, PreparedMac};
pub use status::{Mode, Primitive, Standing};
pub use suggest::suggest;
pub use umac::{Umac32, Umac64, Umac96, Umac128};
pub use vmac::{Vmac64, Vmac128};
