//! Chains of a cipher, handed to a kernel that takes many at once.

use alloc::vec::Vec;

use cipher::Block;
use cipher::array::{Array, ArraySize};

use super::BlockCipher;
use super::chain::ChainJob;
use crate::kernels::lanes::cbc::CbcJob;
use crate::kernels::wiped::wipe_values;

/// Has `run` take these chains to a kernel, with the key schedules that `schedule` finds in the
/// ciphers. What the kernel gets is wiped: the last blocks are copies.
#[inline(always)]
pub(super) fn in_kernel<C: BlockCipher, S, const B: usize>(
    jobs: &[ChainJob<'_, C>],
    y: &mut [Block<C>],
    schedule: impl Fn(&C) -> &S,
    run: impl FnOnce(&[CbcJob<'_, S, B>], &mut [[u8; B]]),
) where
    C::BlockSize: ArraySize<ArrayType<u8> = [u8; B]>,
{
    let jobs = jobs.iter().map(|job| CbcJob {
        schedule: schedule(job.cipher),
        blocks: Array::cast_slice_to_core(job.blocks),
        last: job.last.as_ref().map(|block| block.0),
    });
    let mut jobs: Vec<_> = jobs.collect();
    run(&jobs, Array::cast_slice_to_core_mut(y));
    wipe_values(&mut jobs);
}
