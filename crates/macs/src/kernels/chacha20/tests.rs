//! The block of RFC 8439, and all kernels alike at all lengths, also in one go with the first block
//! and along with Poly1305.

use alloc::vec::Vec;

use super::{BLOCK_BYTES, Kernel};
use crate::kernels::Choice;
use crate::kernels::poly1305::{self, Accumulator};

fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.iter().filter_map(|(_, get)| get())
}

#[test]
fn the_block_of_the_rfc() {
    let key = core::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let begins = [0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f];
    let ends = [0xa2, 0x50, 0x3c, 0x4e];
    for kernel in kernels() {
        let mut data = [0; 64];
        kernel.apply(&key, &nonce, 1, &mut data);
        assert!(data.starts_with(&begins) && data.ends_with(&ends), "{kernel:?}");
    }
}

#[test]
fn kernels_agree_at_all_lengths() {
    let key = core::array::from_fn(|i| 7 * i as u8);
    let nonce = core::array::from_fn(|i| 200 - i as u8);
    for counter in [0, 1, 0x7fff_fffa, u32::MAX - 40] {
        for len in (0..=41 * 64).filter(|len| len % 64 < 3 || len % 61 == 0) {
            let data: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let mut expected = data.clone();
            Kernel::Soft.apply(&key, &nonce, counter, &mut expected);
            for kernel in kernels() {
                let mut data = data.clone();
                kernel.apply(&key, &nonce, counter, &mut data);
                assert!(data == expected, "{kernel:?} from {counter}, {len} bytes");
            }
        }
    }
}

#[test]
fn the_first_block_is_apart_and_what_is_encrypted_is_hashed_along() {
    let key = core::array::from_fn(|i| 91 * i as u8);
    let nonce = core::array::from_fn(|i| 17 + i as u8);
    let hash = poly1305::Kernel::Soft;
    for len in (0..=41 * 64).filter(|len| len % 64 < 3 || len % 61 == 0) {
        let mut whole: Vec<u8> =
            [[0; BLOCK_BYTES].to_vec(), (0..len).map(|i| i as u8).collect()].concat();
        let data = whole[BLOCK_BYTES..].to_vec();
        Kernel::Soft.apply(&key, &nonce, 0, &mut whole);
        let (expected_first, expected) = whole.split_at(BLOCK_BYTES);
        for kernel in kernels() {
            let (mut all, mut first) = (data.clone(), [0xaa; BLOCK_BYTES]);
            kernel.encrypt(&key, &nonce, &mut first, &mut all);
            assert!(first == expected_first && all == expected, "{kernel:?}, {len} bytes");

            let (mut data, mut running) = (data.clone(), Accumulator::new(&key));
            let ahead = kernel.ahead(len);
            kernel.encrypt(&key, &nonce, &mut first, &mut data[..ahead]);
            let absorbed =
                kernel.encrypt_along(&key, &nonce, &mut running, data.as_mut_slice().into());
            assert!(data == expected, "{kernel:?}, {len} bytes, along");
            let tag = hash.finish(&mut running, &data[absorbed..], &[7; 16]);
            let mut running = Accumulator::new(&key);
            assert!(tag == hash.finish(&mut running, expected, &[7; 16]), "{kernel:?}, {len}");
        }
    }
}
