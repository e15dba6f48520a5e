//! Tests that hold for every provider found on this machine; one binary, so that they share how it
//! is found. What is absent is printed by name.

mod agreement;
mod batches;
mod gcrypt;
mod installed;
mod ipsec_mb;
mod java;
mod known_answers;
mod macs_wasm;
mod offers;
mod openssl;
mod planted;
mod programs;
mod python;
mod rustcrypto;
mod sealings;
mod threads;
mod vendored;
