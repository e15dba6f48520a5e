//! Libraries with a C interface, opened at run time: one file a library, and its row in
//! [`crate::ROWS`]; and the system's call that hides instructions from them. The only unsafe code
//! of the crate. What a library has is found by trying (`peer.rs`).

pub mod botan;
pub mod cryptopp;
pub mod gcrypt;
pub mod ipsec_mb;
pub mod macs_c;
pub mod mbedtls;
pub mod nettle;
pub mod openssl;
pub mod sodium;
pub mod wolfssl;

mod composed;
mod fixed_keys;
pub(crate) mod hidden;
mod library;
mod state;
