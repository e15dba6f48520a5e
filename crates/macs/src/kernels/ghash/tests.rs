//! Every kernel against the `ghash` crate.

use ghash::universal_hash::UniversalHash;

use super::{Block, Kernel, Key};
use crate::kernels::tests::{bytes, kernels, lens};

fn block(seed: usize) -> Block {
    bytes(16, seed).try_into().unwrap()
}

/// The crate's hash of both, padded, and of their lengths in bytes.
fn expected(h: &Block, associated_data: &[u8], ciphertext: &[u8]) -> Block {
    let mut hash = ghash::GHash::new(h.into());
    hash.update_padded(associated_data);
    hash.update_padded(ciphertext);
    let lens = [associated_data, ciphertext].map(|data| (data.len() as u64 * 8).to_be_bytes());
    hash.update_padded(lens.as_flattened());
    hash.finalize().into()
}

/// The hash alone.
fn finish(kernel: Kernel, key: &Key, y: &Block, data: &[u8], lens_bytes: [u64; 2]) -> Block {
    let mask = block(data.len());
    let mut onto = mask;
    kernel.finish(key, y, data, lens_bytes, &mut onto);
    core::array::from_fn(|i| onto[i] ^ mask[i])
}

/// The product with x: SP 800-38D §6.3.
#[cfg(feature = "gcm-siv")]
fn times_x_of_ghash(block: Block) -> Block {
    let number = u128::from_be_bytes(block);
    let carry = if number & 1 == 1 { 0xe1 << 120 } else { 0 };
    (number >> 1 ^ carry).to_be_bytes()
}

/// RFC 8452 appendix A: POLYVAL is GHASH of reversed blocks, under the reversed key times x.
#[cfg(feature = "gcm-siv")]
#[test]
fn polyval_is_ghash_of_reversed_blocks() {
    let reversed = |mut block: Block| {
        block.reverse();
        block
    };
    for kernel in kernels::<Kernel>() {
        for (a_len, len) in lens().zip(lens().skip(9)).step_by(5) {
            let (h, a, data) = (block(len), bytes(a_len, 5), bytes(len, 6));
            let mut key = Key::PUBLIC;
            kernel.set_polyval(&mut key, &h, [len, usize::MAX][len % 2]);
            let mut y = [0; 16];
            kernel.absorb(&key, &mut y, &a);
            let mut hash = [0; 16];
            kernel.finish(&key, &y, &data, [len as u64, a_len as u64], &mut hash);

            let mut expected = ghash::GHash::new(&times_x_of_ghash(reversed(h)).into());
            let lens = [a_len, len].map(|len| (len as u64 * 8).to_le_bytes()).concat();
            for part in [&a, &data, &lens] {
                for piece in part.chunks(16) {
                    let mut block = [0; 16];
                    block[..piece.len()].copy_from_slice(piece);
                    expected.update(&[reversed(block).into()]);
                }
            }
            let expected = reversed(expected.finalize().into());
            assert_eq!(hash, expected, "{kernel:?}, {a_len} and {len} bytes");
        }
    }
}

/// The example of RFC 8452 appendix A.
#[cfg(feature = "gcm-siv")]
#[test]
fn polyval_is_that_of_the_rfc() {
    let [h, x1, x2, expected] = [
        0x25629347589242761d31f826ba4b757b_u128,
        0x4f4f95668c83dfb6401762bb2d01a262,
        0xd1a24ddd2721d006bbe45f20d3c9f362,
        0xf7a3b47b846119fae5b7866cf5e5b77e,
    ]
    .map(u128::to_be_bytes);
    for kernel in kernels::<Kernel>() {
        let (mut key, mut y) = (Key::PUBLIC, [0; 16]);
        kernel.set_polyval(&mut key, &h, 32);
        kernel.absorb(&key, &mut y, &x1);
        kernel.absorb(&key, &mut y, &x2);
        assert_eq!(y, expected, "{kernel:?}");
    }
}

fn key(kernel: Kernel, h: &Block, reach_bytes: usize) -> Key {
    let mut key = Key::PUBLIC;
    kernel.set(&mut key, h, reach_bytes);
    key
}

#[test]
fn a_whole_message_hashes_as_in_the_crate() {
    for kernel in kernels::<Kernel>() {
        for len in lens() {
            let (h, data) = (block(len + 7), bytes(len, len));
            let expected = expected(&h, &data, &[]);
            let lens_bytes = [len as u64, 0];
            for reach_bytes in [0, len, usize::MAX] {
                let key = key(kernel, &h, reach_bytes);
                let hash = finish(kernel, &key, &[0; 16], &data, lens_bytes);
                assert_eq!(hash, expected, "{kernel:?}, {len} bytes, reach {reach_bytes}");
            }
        }
    }
}

#[test]
fn two_parts_hash_as_in_the_crate() {
    for kernel in kernels::<Kernel>() {
        for (a_len, c_len) in lens().zip(lens().skip(5)).step_by(3) {
            let (h, a, c) = (block(a_len), bytes(a_len, 3), bytes(c_len, 4));
            let key = key(kernel, &h, usize::MAX);
            let mut y = [0; 16];
            kernel.absorb(&key, &mut y, &a);
            let lens_bytes = [a_len as u64, c_len as u64];
            let hash = finish(kernel, &key, &y, &c, lens_bytes);
            assert_eq!(hash, expected(&h, &a, &c), "{kernel:?}, {a_len} and {c_len} bytes");
            kernel.absorb(&key, &mut y, &c);
            let hash = finish(kernel, &key, &y, &[], lens_bytes);
            assert_eq!(hash, expected(&h, &a, &c), "{kernel:?}, {a_len} and {c_len} bytes");
        }
    }
}

#[test]
fn keys_of_few_bits_hash_as_in_the_crate() {
    let data = bytes(333, 1);
    for kernel in kernels::<Kernel>() {
        for bit in 0..128 {
            for h in [1_u128 << bit, u128::MAX << bit, 1 << bit | 1].map(u128::to_be_bytes) {
                let hash = finish(kernel, &key(kernel, &h, 333), &[0; 16], &data, [0, 333]);
                assert_eq!(hash, expected(&h, &[], &data), "{kernel:?}, H = {h:02x?}");
            }
        }
    }
}
