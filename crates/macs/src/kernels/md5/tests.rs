use alloc::vec::Vec;

use ::hmac::{Hmac, KeyInit, Mac};

use super::{Kernel, State, soft};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::md_block::tests::check_lanes;
use crate::kernels::md_block::tests::{blocks, check_compress, check_hmac};
use crate::kernels::tests::kernels;

fn reference(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mac = Hmac::<::md5::Md5>::new_from_slice(key).unwrap().chain_update(message);
    mac.finalize().into_bytes().to_vec()
}

fn tag(state: &State) -> Vec<u8> {
    state.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn block_functions_agree() {
    for kernel in kernels::<Kernel>() {
        check_compress(kernel, ::md5::block_api::compress);
    }
}

/// Other machines than this one may take the portable code.
#[test]
fn portable_code_agrees() {
    let mut states = [super::INITIAL; 2];
    let mut expected = states;
    let run = blocks(9, 1);
    soft::compress(&mut states[0], &run);
    ::md5::block_api::compress(&mut expected[0], &run);
    let [first, second] = &mut states;
    soft::compress_pair([first, second], [&run[0], &run[1]]);
    ::md5::block_api::compress(&mut expected[0], &run[..1]);
    ::md5::block_api::compress(&mut expected[1], &run[1..2]);
    assert_eq!(states, expected);
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

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[test]
fn lanes_agree() {
    use super::{avx2, avx512};
    use crate::kernels::cpu::{Avx2, Avx512};

    let state_of = |seed: u32| super::INITIAL.map(|word| word.rotate_left(seed) ^ seed);
    let reference = ::md5::block_api::compress;
    if let Some(token) = Avx512::get() {
        let columns = || avx512::Md5Columns;
        check_lanes(avx512::Md5Lanes::<1>::new(token, columns()), reference, state_of);
        check_lanes(avx512::Md5Lanes::<2>::new(token, columns()), reference, state_of);
    }
    if let Some(token) = Avx2::get() {
        let columns = || avx2::Md5Columns;
        check_lanes(avx2::Md5Lanes::<1>::new(token, columns()), reference, state_of);
        check_lanes(avx2::Md5Lanes::<2>::new(token, columns()), reference, state_of);
    }
}
