use alloc::vec::Vec;

use ::hmac::{Hmac, KeyInit, Mac};

use super::{Kernel, State};
use crate::kernels::Choice;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::md_block::tests::check_lanes;
use crate::kernels::md_block::tests::{check_compress, check_hmac};
use crate::kernels::tests::kernels;

fn reference(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mac = Hmac::<::sha1::Sha1>::new_from_slice(key).unwrap().chain_update(message);
    mac.finalize().into_bytes().to_vec()
}

fn tag(state: &State) -> Vec<u8> {
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[test]
fn block_functions_agree() {
    for kernel in kernels::<Kernel>() {
        check_compress(kernel, ::sha1::block_api::compress);
    }
}

#[test]
fn hmacs_agree() {
    for kernel in kernels::<Kernel>() {
        check_hmac(
            |inner, outer, message| kernel.hmac(inner, outer, message),
            |key| kernel.hmac_key(key),
            |key, message| kernel.hmac_once(key, message),
            tag,
            reference,
        );
    }
}

/// The best is more than the kernel of its name: SHA instructions, and vectors for many messages.
#[test]
fn the_best_agrees() {
    let best = super::Kernel::best();
    check_hmac(
        |inner, outer, message| best.hmac(inner, outer, message),
        |key| best.hmac_key(key),
        |key, message| best.hmac_once(key, message),
        tag,
        reference,
    );
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[test]
fn lanes_agree() {
    let state_of = |seed: u32| super::INITIAL.map(|word| word.rotate_left(seed) ^ seed);
    if let Some(token) = crate::kernels::cpu::Avx512::get() {
        let lanes = super::avx512::Sha1Lanes::new(
            token,
            super::avx512::Sha1Columns(super::Kernel::Avx512(token)),
        );
        check_lanes(lanes, ::sha1::block_api::compress, state_of);
    }
    if let Some(token) = crate::kernels::cpu::Avx2::get() {
        let columns = super::avx2::Sha1Columns(super::Kernel::Avx2(token));
        let lanes = super::avx2::Sha1Lanes::new(token, columns);
        check_lanes(lanes, ::sha1::block_api::compress, state_of);
    }
    if let Some(token) = crate::kernels::cpu::ShaNi::get() {
        let lanes = super::sha_ni::Sha1Pair::new(token);
        check_lanes(lanes, ::sha1::block_api::compress, state_of);
    }
}

/// What a processor with SHA instructions and without AVX-512 takes.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[test]
fn eight_lanes_beside_sha_instructions_agree() {
    use super::Sha1;
    use crate::kernels::Job;
    use crate::kernels::cpu::{Avx2, ShaNi};
    use crate::kernels::lanes::hmac::{HmacKernel, HmacKey};
    let (Some(sha), Some(wide)) = (ShaNi::get(), Avx2::get()) else { return };
    let kernel = Kernel::ShaNi(sha, Some(super::Wide::Avx2(wide)));
    check_hmac(
        |inner, outer, message| kernel.hmac(inner, outer, message),
        |key| kernel.hmac_key(key),
        |key, message| kernel.hmac_once(key, message),
        tag,
        reference,
    );
    let bytes: Vec<u8> = (0..5000).map(|at| (at * 7 + at / 256) as u8).collect();
    for count in [1, 4, 5, 8, 9, 13, 64] {
        let lens = (0..count).map(|at| (at * 577) % 3000);
        let messages: Vec<&[u8]> = lens.enumerate().map(|(at, len)| &bytes[at..at + len]).collect();
        let own: Vec<&[u8]> = (0..count).map(|at| &bytes[at * 3..at * 3 + at % 65]).collect();
        let blank = HmacKey { inner: super::INITIAL, outer: super::INITIAL };
        let mut keys = alloc::vec![blank; count];
        HmacKernel::<Sha1, 64>::hmac_keys(kernel, &own, &mut keys);
        let jobs = messages.iter().enumerate().map(|(at, message)| Job::new(at, message));
        let jobs: Vec<Job<'_>> = jobs.collect();
        let mut tags = alloc::vec![0; 20 * count];
        HmacKernel::<Sha1, 64>::hmac_batch(kernel, &keys, &jobs, &mut tags);
        for (at, tag) in tags.chunks(20).enumerate() {
            assert_eq!(tag, reference(own[at], messages[at]), "{at} of {count}");
        }
    }
}
