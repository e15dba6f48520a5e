//! The operation that every program of the comparison times: so many HMAC-SHA-256 tags, one after
//! another, of one message of 1 KiB under a key that is set up once.
//!
//! An operation of 201 calls takes 0.5 % longer than one of 200, by construction.

use std::hint::black_box;
use std::sync::OnceLock;

use macs::digest::{InvalidLength, KeyInit};
use macs::{HmacSha256, PreparedMac};

/// Length of the message.
pub const MESSAGE_BYTES: usize = 1024;

/// The variable with the numbers of calls, one for each candidate: `200,201`.
pub const CALLS: &str = "COMPARISON_CALLS";

/// A key that is set up.
pub struct Keyed(HmacSha256);

impl Keyed {
    /// # Errors
    /// Never: HMAC takes keys of any length.
    pub fn new(key: &[u8]) -> Result<Self, InvalidLength> {
        HmacSha256::new_from_slice(key).map(Self)
    }

    /// The operation.
    #[inline(never)]
    pub fn compute(&self, message: &[u8], calls: u32) -> [u8; 32] {
        let mut tag = [0; 32].into();
        for _ in 0..calls {
            self.0.mac_into(black_box(message), &mut tag);
            black_box(&tag);
        }
        tag.into()
    }
}

/// The operation on a key and a message of its own.
#[inline(never)]
pub fn work(calls: u32) -> [u8; 32] {
    static KEYED: OnceLock<Keyed> = OnceLock::new();
    static MESSAGE: [u8; MESSAGE_BYTES] = [0x5a; MESSAGE_BYTES];
    let keyed = KEYED.get_or_init(|| Keyed::new(&[0xa5; 32]).expect("a key of any length"));
    keyed.compute(&MESSAGE, calls)
}

/// The operation, for C++; returns a byte of the tag.
#[unsafe(no_mangle)]
pub extern "C" fn comparison_work(calls: u32) -> u8 {
    work(calls)[0]
}

/// The numbers of calls that the variable holds.
///
/// # Panics
/// If it is not set to numbers: the program cannot do without.
pub fn calls() -> Vec<u32> {
    let text = std::env::var(CALLS).unwrap_or_else(|_| panic!("{CALLS} is not set"));
    let numbers: Result<_, _> = text.split(',').map(str::parse).collect();
    numbers.unwrap_or_else(|_| panic!("{CALLS}={text}: must be numbers with commas"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_is_that_of_one_call() {
        let keyed = Keyed::new(b"Jefe").unwrap();
        let tag = keyed.compute(b"what do ya want for nothing?", 3);
        // RFC 4231, test case 2.
        assert_eq!(tag[..4], [0x5b, 0xdc, 0xc1, 0x46]);
        assert_eq!(work(1), work(200));
    }
}
