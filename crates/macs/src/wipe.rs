//! Overwriting secrets so that the compiler cannot leave it out. `zeroize` writes byte by byte,
//! which is dear beside a short tag; here the value is overwritten at full width and
//! `zeroize::optimization_barrier` stands for a reader.

use zeroize::optimization_barrier;

/// Overwrites `bytes` with zeros.
#[inline(always)]
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    optimization_barrier(bytes);
}

/// Overwrites `secret` with a public value of its type.
#[inline(always)]
pub(crate) fn overwrite<T: Copy>(secret: &mut T, public: T) {
    *secret = public;
    optimization_barrier(secret);
}
