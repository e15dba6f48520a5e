//! Libraries in Rust, built in: one file a library, and its row in [`crate::ROWS`].

pub mod macs_own;
pub mod null;
pub mod rustcrypto;
