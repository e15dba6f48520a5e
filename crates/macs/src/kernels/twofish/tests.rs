//! Every kernel against the `twofish` crate.

use cipher::{BlockCipherEncrypt, KeyInit};

use super::{Kernel, Schedule};
use crate::kernels::lanes::cbc::tests::{Chains, check};
use crate::kernels::tests::kernels;

fn reference(key: &[u8], y: &mut [u8; 16]) {
    let mut block = (*y).into();
    twofish::Twofish::new_from_slice(key).unwrap().encrypt_block(&mut block);
    *y = block.into();
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
        check(&chains, 8, schedule, chain, |jobs, y| kernel.cbc_many(jobs, y));
    }
}
