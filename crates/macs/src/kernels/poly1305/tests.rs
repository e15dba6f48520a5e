//! Every kernel against the `poly1305` crate, which has the vectors of RFC 8439.

use alloc::vec::Vec;

use poly1305::universal_hash::KeyInit;

use super::{Accumulator, Kernel, Key, Tag};
use crate::kernels::Job;
use crate::kernels::tests::{self, kernels, lens};

/// r, s, the blocks, the tag.
type Vector<'a> = (u8, [u8; 16], &'a [[u8; 16]], [u8; 16]);

/// Bytes that differ everywhere, or the ones that stress carries.
fn bytes(len: usize, seed: usize) -> Vec<u8> {
    if seed % 5 == 4 { alloc::vec![0xff; len] } else { tests::bytes(len, seed) }
}

fn key(seed: usize) -> Key {
    bytes(32, seed).try_into().unwrap()
}

fn expected(key: &Key, message: &[u8]) -> Tag {
    poly1305::Poly1305::new(key.into()).compute_unpadded(message).into()
}

#[test]
fn a_message_has_the_tag_of_the_crate() {
    for kernel in kernels::<Kernel>() {
        for len in lens() {
            for (key_seed, seed) in [(len % 5, 1), (4, 1), (1, 4), (4, 4)] {
                let (key, message) = (key(key_seed), bytes(len, seed));
                let tag = kernel.mac(&key, &message);
                assert_eq!(tag, expected(&key, &message), "{kernel:?}, {len} bytes");
            }
        }
    }
}

#[test]
fn a_message_in_runs_has_the_tag_of_the_crate() {
    for kernel in kernels::<Kernel>() {
        for (number, first) in (0..200).enumerate() {
            let (key, message) = (key(number), bytes(5000 + first, number + 1));
            let mut running = Accumulator::new(&key);
            let (blocks, _) = message.as_chunks();
            kernel.absorb(&mut running, &blocks[..first]);
            kernel.absorb(&mut running, &blocks[first..][..37]);
            let rest = &message[(first + 37) * 16..];
            let tag = kernel.finish(&mut running, rest, &key.as_chunks().0[1]);
            assert_eq!(tag, expected(&key, &message), "{kernel:?}, {first} blocks first");
        }
    }
}

/// A block of one byte and then fifteen times another.
fn block(first: u8, others: u8) -> [u8; 16] {
    let mut block = [others; 16];
    block[0] = first;
    block
}

/// RFC 8439 appendix A.3, vectors 7 to 11.
#[test]
fn the_vectors_that_stress_carries_hold() {
    let (zero, ones) = ([0; 16], [0xff; 16]);
    let vectors: [Vector<'_>; 5] = [
        (2, zero, &[ones], block(3, 0)),
        (2, ones, &[block(2, 0)], block(3, 0)),
        (1, zero, &[ones, block(0xf0, 0xff), block(0x11, 0)], block(5, 0)),
        (1, zero, &[ones, block(0xfb, 0xfe), [1; 16]], zero),
        (2, zero, &[block(0xfd, 0xff)], block(0xfa, 0xff)),
    ];
    for kernel in kernels::<Kernel>() {
        for (r, s, message, expected) in vectors {
            let key = [block(r, 0), s].concat().try_into().unwrap();
            let message = message.as_flattened();
            assert_eq!(kernel.mac(&key, message), expected, "{kernel:?}");
            let mut tags = [zero; 8];
            kernel.batch(&[key], &[Job::new(0, message); 8], &mut tags);
            assert_eq!(tags, [expected; 8], "{kernel:?}");
        }
    }
}

/// Sums next to the modulus and to 2^128, at every length.
#[test]
fn values_about_the_modulus_are_reduced() {
    let (ones, below) = ([0xff; 16], block(0xfb, 0xff));
    let (less, carried) = (block(0xfd, 0xff), block(0x11, 0));
    for kernel in kernels::<Kernel>() {
        for r in [1_u128, 2, 4, 5] {
            for s in [0, u128::MAX, 1] {
                let mut key = [0; 32];
                key[..16].copy_from_slice(&r.to_le_bytes());
                key[16..].copy_from_slice(&s.to_le_bytes());
                for (a, b) in [(ones, carried), (ones, below), (below, ones), (less, less)] {
                    for count in [1, 2, 3, 9, 17, 70] {
                        let message: Vec<u8> = [a, b].concat().repeat(count);
                        for len in 1..=message.len() {
                            let (message, tag) = (&message[..len], &mut [[0; 16]; 8]);
                            let expected = expected(&key, message);
                            assert_eq!(kernel.mac(&key, message), expected, "{kernel:?}, {len}");
                            kernel.batch(&[key], &[Job::new(0, message); 8], tag);
                            assert_eq!(*tag, [expected; 8], "{kernel:?}, {len} bytes");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_batch_has_the_tags_of_the_crate() {
    for kernel in kernels::<Kernel>() {
        for count in [0, 1, 2, 3, 7, 8, 9, 16, 64, 100, 300] {
            for spread in [0, 1, 17, 64, 100, 700] {
                let len = |n: usize| (64 + n * n % 101 * spread / 13 % 2500) * (n % 9).min(1);
                let keys: Vec<Key> = (0..count).map(key).collect();
                let messages: Vec<_> = (0..count).map(|n| bytes(len(n), n / 2)).collect();
                let mut tags = alloc::vec![[0; 16]; count];
                let jobs: Vec<_> =
                    messages.iter().enumerate().map(|(n, message)| Job::new(n, message)).collect();
                kernel.batch(&keys, &jobs, &mut tags);
                for (n, tag) in tags.iter().enumerate() {
                    let expected = expected(&keys[n], &messages[n]);
                    assert_eq!(*tag, expected, "{kernel:?}, {n} of {count}, spread {spread}");
                }
            }
        }
    }
}
