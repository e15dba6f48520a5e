//! The block of RFC 8439, and all kernels alike at all lengths, also in one go with the first block
//! and along with Poly1305.

use alloc::{vec, vec::Vec};

use cipher::inout::InOutBuf;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
use super::eight::{EIGHT_BYTES, Eight};
use super::{BLOCK_BYTES, Kernel};
use crate::kernels::poly1305::{self, Accumulator};
use crate::kernels::tests::kernels;

#[test]
fn the_block_of_the_rfc() {
    let key = core::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let begins = [0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f];
    let ends = [0xa2, 0x50, 0x3c, 0x4e];
    for kernel in kernels::<Kernel>() {
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
            for kernel in kernels::<Kernel>() {
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
        for kernel in kernels::<Kernel>() {
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

#[test]
fn a_message_that_stays_as_it_is_is_encrypted_along() {
    let key = core::array::from_fn(|i| 91 * i as u8);
    let nonce = core::array::from_fn(|i| 17 + i as u8);
    let message: Vec<u8> = (0..6 * 512 + 3).map(|i| (i / 5) as u8).collect();
    let hash = poly1305::Kernel::Soft;
    for len in (400..message.len()).filter(|len| len % 64 < 2 || len % 97 == 0) {
        // Nothing is aligned.
        let message = &message[3..len];
        let mut expected = message.to_vec();
        Kernel::Soft.apply(&key, &nonce, 1, &mut expected);
        let mut running = Accumulator::new(&key);
        let right = hash.finish(&mut running, &expected, &[7; 16]);
        for kernel in kernels::<Kernel>() {
            let (mut data, mut running) = (vec![0x55; len], Accumulator::new(&key));
            let (guard, data) = data.split_at_mut(3);
            let ahead = kernel.ahead(message.len());
            data[..ahead].copy_from_slice(&expected[..ahead]);
            let both = InOutBuf::new(message, data).expect("as long");
            let absorbed = kernel.encrypt_along(&key, &nonce, &mut running, both);
            let done = if ahead == message.len() { ahead } else { data.len() };
            assert!(data[..done] == expected, "{kernel:?}, {len} bytes");
            assert_eq!(guard, [0x55; 3]);
            assert_eq!(hash.finish(&mut running, &data[absorbed..], &[7; 16]), right, "{len}");
        }
    }
}

/// Sums and products that carry as far as they can.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
#[test]
fn the_steps_that_go_along_carry_as_words_do() {
    let Some(token) = crate::kernels::cpu::Avx2::get() else { return };
    let hash = poly1305::Kernel::Soft;
    for key in [[0xff; 32], [0; 32], core::array::from_fn(|i| 119 * i as u8)] {
        for h in [[0; 3], [u64::MAX, u64::MAX, 3], [u64::MAX - 4, u64::MAX, 3], [0, 0, 4]] {
            for (count, byte) in (22..=32).flat_map(|count| [0, 1, 0x80, 0xff].map(|b| (count, b)))
            {
                let mut running = Accumulator::new(&key);
                running.h = h;
                let mut expected = running;
                let blocks: Vec<_> = (0..count).map(|_| [byte; 16]).collect();
                expected.absorb(&blocks);
                let mut data = [3; EIGHT_BYTES];
                let data = data.as_mut_slice().into();
                Eight::new(&[5; 16]).encrypt_along(token, &mut running, &blocks, data);
                let tags = [running, expected].map(|mut it| hash.finish(&mut it, &[], &[9; 16]));
                assert_eq!(tags[0], tags[1], "{count} blocks of {byte:#x} after {h:x?}");
            }
        }
    }
}
