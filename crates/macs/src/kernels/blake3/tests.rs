//! Every kernel against the crate `blake3`, which has the designers' vectors.

use alloc::vec;
use alloc::vec::Vec;

use super::{CHUNK_BYTES, Input, Kernel, Key, Node, Value};
use crate::kernels::tests::{bytes, kernels};

fn key(seed: usize) -> Key {
    bytes(32, seed).try_into().unwrap()
}

/// Miri takes long.
const LEN_MAX: usize = if cfg!(miri) { 100 } else { CHUNK_BYTES };

#[test]
fn the_value_of_an_only_chunk_is_the_tag() {
    for kernel in kernels::<Kernel>() {
        for len in (0..=LEN_MAX).step_by(if cfg!(miri) { 16 } else { 1 }) {
            let (key, data) = (key(len), bytes(len, 7));
            let input = Input { key: &key, data: &data, counter: 0 };
            let expected: Value = blake3::keyed_hash(&key, &data).into();
            assert_eq!(kernel.value(input, Node::ONLY_CHUNK), expected, "{kernel:?}, {len}");
        }
    }
}

/// Any number of nodes at once, of any lengths and keys.
#[test]
fn nodes_at_once_have_the_values_of_each() {
    for kernel in kernels::<Kernel>() {
        for count in (0..=40).filter(|count| !cfg!(miri) || [1, 2, 3, 5, 16].contains(count)) {
            let spreads = [LEN_MAX, 70, 0, 1, 5, 63, 64];
            for spread in &spreads[..if cfg!(miri) { 2 } else { 7 }] {
                let len = |n: usize| LEN_MAX - n * n % 101 * spread / 101;
                let keys: Vec<Key> = (0..count).map(key).collect();
                let data: Vec<_> = (0..count).map(|n| bytes(len(n), n / 2)).collect();
                let inputs: Vec<_> = (0..count)
                    .map(|n| Input { key: &keys[n], data: &data[n], counter: 0 })
                    .collect();
                let mut values = vec![[0; 32]; count];
                kernel.values(&inputs, Node::ONLY_CHUNK, &mut values);
                for (n, value) in values.iter().enumerate() {
                    let expected: Value = blake3::keyed_hash(&keys[n], &data[n]).into();
                    assert_eq!(*value, expected, "{kernel:?}, {n} of {count}, spread {spread}");
                }
            }
        }
    }
}

/// Of chunks and parents that are not the last there is nothing to compare with but another
/// kernel; whole trees are compared in `crate::blake3`.
#[test]
fn counters_of_64_bits_and_parents_are_those_of_soft() {
    let (key, data) = (key(5), bytes(20 * CHUNK_BYTES, 3));
    for kernel in kernels::<Kernel>() {
        for count in (1..=20).filter(|count| !cfg!(miri) || [2, 4, 7, 16].contains(count)) {
            let firsts = [u64::from(u32::MAX) - 3, 0, 1, 1 << 50];
            for first in &firsts[..if cfg!(miri) { 1 } else { 4 }] {
                let input = |n: usize| Input {
                    key: &key,
                    data: &data[n * CHUNK_BYTES..][..LEN_MAX - n],
                    counter: first + n as u64,
                };
                let inputs: Vec<_> = (0..count).map(input).collect();
                let mut values = vec![[0; 32]; count];
                kernel.values(&inputs, Node::CHUNK, &mut values);
                let soft = |input: &Input<'_>| Kernel::Soft.value(*input, Node::CHUNK);
                assert_eq!(values, inputs.iter().map(soft).collect::<Vec<Value>>(), "{kernel:?}");
            }
            let input = |n: usize| Input { key: &key, data: &data[64 * n..][..64], counter: 0 };
            let inputs: Vec<_> = (0..count).map(input).collect();
            let mut values = vec![[0; 32]; count];
            for node in [Node::PARENT, Node::ROOT] {
                kernel.values(&inputs, node, &mut values);
                let soft = |input: &Input<'_>| Kernel::Soft.value(*input, node);
                assert_eq!(values, inputs.iter().map(soft).collect::<Vec<Value>>(), "{kernel:?}");
            }
        }
    }
}
