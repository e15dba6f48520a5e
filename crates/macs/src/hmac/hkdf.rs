//! HKDF (RFC 5869) of the crate `hkdf` over the types here: `hkdf::GenericHkdf<HmacSha256>`.

use digest::{FixedOutput, KeyInit, Output, Update};
use hkdf::HmacImpl;

use super::HmacMd;
use super::of_digest::HmacOf;
use crate::after_block::AfterBlock;
use crate::compression::Compression;

impl<C: Compression> HmacImpl for HmacMd<C> {
    fn new_from_slice(key: &[u8]) -> Self {
        KeyInit::new_from_slice(key).expect("HMAC takes keys of any length")
    }

    fn update(&mut self, data: &[u8]) {
        Update::update(self, data);
    }

    fn finalize(self) -> Output<Self> {
        self.finalize_fixed()
    }
}

impl<H: AfterBlock> HmacImpl for HmacOf<H> {
    fn new_from_slice(key: &[u8]) -> Self {
        KeyInit::new_from_slice(key).expect("HMAC takes keys of any length")
    }

    fn update(&mut self, data: &[u8]) {
        Update::update(self, data);
    }

    fn finalize(self) -> Output<Self> {
        self.finalize_fixed()
    }
}
