//! What the tests of kernels share.

pub(crate) mod random;

use alloc::vec::Vec;

use super::Choice;
use random::Random;

/// The kernels that this CPU has, each by its name, and the best among them.
pub(crate) fn kernels<K: Choice>() -> Vec<K> {
    let named = |(name, get): &(_, fn() -> Option<K>)| {
        let kernel = get()?;
        assert_eq!(kernel.name(), *name);
        Some(kernel)
    };
    let kernels: Vec<K> = K::ALL.iter().filter_map(named).collect();
    assert!(kernels.iter().any(|kernel| kernel.name() == K::best().name()));
    kernels
}

/// Bytes that differ from seed to seed.
pub(crate) fn bytes(len: usize, seed: usize) -> Vec<u8> {
    Random((seed as u64) << 32).bytes(len)
}

/// All short lengths, and some about the edges of long runs.
pub(crate) fn lens() -> impl Iterator<Item = usize> {
    let long = [2304, 4095, 4096, 4097, 8192, 16384, 65535, 65536];
    (0..1300).chain((1300..2048).step_by(7)).chain(long)
}
