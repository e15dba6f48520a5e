//! SHA-512 for CPUs with AVX2: RustCrypto's, which takes that path by itself wherever there is
//! AVX2. The schedule is in vectors.

use super::Block;
use crate::kernels::cpu::Avx2;

/// Absorbs a run of blocks.
pub(crate) fn compress(_: Avx2, state: &mut [u64; 8], blocks: &[Block]) {
    sha2::block_api::compress512(state, blocks);
}
