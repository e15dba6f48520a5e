//! Every kernel against the `des` crate.

use cipher::{BlockCipherEncrypt, KeyInit};

use super::{Kernel, Schedule};
use crate::kernels::lanes::cbc::tests::{Chains, check};
use crate::kernels::tests::kernels;

fn reference(key: &[u8], y: &mut [u8; 8]) {
    let mut block = (*y).into();
    match key.len() {
        16 => des::TdesEde2::new_from_slice(key).unwrap().encrypt_block(&mut block),
        _ => des::TdesEde3::new_from_slice(key).unwrap().encrypt_block(&mut block),
    }
    *y = block.into();
}

fn schedule(key: &[u8]) -> Schedule {
    let mut schedule = Schedule::BLANK;
    schedule.set_up(key);
    schedule
}

#[test]
fn every_kernel_is_the_cipher() {
    let chains: Chains<8> = Chains { key_lens: &[16, 24], reference };
    for kernel in kernels::<Kernel>() {
        let chain = |s: &Schedule, y: &mut [u8; 8], run: &[[u8; 8]]| kernel.chain(s, y, run);
        check(&chains, 512, schedule, chain, |jobs, y| kernel.cbc_many(jobs, y));
    }
}
