//! Every kernel against the `rc6` crate.

use cipher::array::{Array, ArraySize};
use cipher::consts::{U16, U20, U24, U32};
use cipher::{BlockCipherEncrypt, KeyInit};
use rc6::RC6;

use super::{Kernel, Schedule};
use crate::kernels::lanes::cbc::tests::{Chains, check};
use crate::kernels::tests::kernels;

fn encrypt<K: ArraySize>(key: &[u8], block: &mut Array<u8, U16>)
where
    RC6<u32, U20, K>: KeyInit + BlockCipherEncrypt<BlockSize = U16>,
{
    RC6::<u32, U20, K>::new_from_slice(key).unwrap().encrypt_block(block);
}

fn reference(key: &[u8], y: &mut [u8; 16]) {
    let mut block = Array(*y);
    match key.len() {
        16 => encrypt::<U16>(key, &mut block),
        24 => encrypt::<U24>(key, &mut block),
        _ => encrypt::<U32>(key, &mut block),
    }
    *y = block.0;
}

fn schedule(key: &[u8]) -> Schedule {
    let mut schedule = Schedule::BLANK;
    schedule.set_up(key);
    schedule
}

#[test]
fn every_kernel_is_the_cipher() {
    let chains: Chains<16> = Chains { key_lens: &[16, 24, 32], reference };
    for kernel in kernels::<Kernel>() {
        let chain = |s: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]| kernel.chain(s, y, run);
        check(&chains, 32, schedule, chain, |jobs, y| kernel.cbc_many(jobs, y));
    }
}
