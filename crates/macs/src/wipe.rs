//! Overwriting secrets so that the compiler cannot leave it out. `zeroize` writes byte by byte,
//! which is dear beside a short tag; here the value is overwritten at full width and
//! `zeroize::optimization_barrier` stands for a reader.

use core::mem;

use digest::array::Array;
use digest::block_buffer::{BlockBuffer, BlockSizes, BufferKind};
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

/// Empties a block buffer and overwrites it with zeros.
#[inline(always)]
pub(crate) fn wipe_buffer<N: BlockSizes, K: BufferKind>(buffer: &mut BlockBuffer<N, K>) {
    buffer.set(Array::default(), 0);
    optimization_barrier(buffer);
}

/// Overwrites a secret by another value. That wipes it: its own wiping on drop would cost, and buy
/// nothing.
#[inline(always)]
pub(crate) fn supersede<T>(secret: &mut T, value: T) {
    mem::forget(mem::replace(secret, value));
}
