//! No branch and no address depends on a secret, by the software kernels and those in AVX2: run
//! under valgrind, which follows undefined bytes through all that is computed of them and reports
//! where one decides a jump or an address (ctgrind, Langley 2010). Keys and messages are marked
//! undefined; the count of reports must not grow. Positive control: table look-ups must be
//! reported.
//!
//! Without valgrind the tests compute and say nothing of secrets. Only `soft` and `avx2`: valgrind
//! knows neither AVX-512 nor the SHA instructions.
#![expect(unsafe_code, reason = "requests to valgrind are a sequence of instructions")]

extern crate std;

use alloc::vec;
use alloc::vec::Vec;
use core::arch::asm;
use core::hint::black_box;
use std::println;

use super::KernelName;
use crate::{
    Batch, CompositionBatch, CompositionJob, ConstantTime, DynComposition, DynMac, Header, Job,
    MacInfo, catalog, find,
};

/// `valgrind.h`: whether it runs, and how many errors it has found.
const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;

/// `memcheck.h`: requests to mark memory.
const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
const MAKE_MEM_DEFINED: usize = 0x4d43_0002;

/// A request to valgrind; 0 where there is none.
fn request(request: usize, memory: &mut [u8]) -> usize {
    let arguments = [request, memory.as_mut_ptr() as usize, memory.len(), 0, 0, 0];
    let mut answer = 0_usize;
    // SAFETY: the rotations of rdi add up to 128 bits, the exchange changes nothing: to the CPU the
    // sequence is nothing. Valgrind reads `arguments`, marks bytes that are borrowed mutably, and
    // writes rdx.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") &arguments,
            inout("rdx") answer,
            inout("rdi") 0_usize => _,
        );
    }
    answer
}

fn errors() -> usize {
    request(COUNT_ERRORS, &mut [])
}

fn is_watched() -> bool {
    request(RUNNING_ON_VALGRIND, &mut []) > 0
}

fn secret(len_bytes: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..len_bytes).map(|i| i as u8 ^ 0xa5).collect();
    request(MAKE_MEM_UNDEFINED, &mut bytes);
    bytes
}

/// What valgrind reported while a key was set up, and while tags were computed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reports {
    set_up: usize,
    computed: usize,
}

/// Lengths around blocks and longer than what a kernel takes in one turn.
const LENGTHS: [usize; 7] = [0, 1, 16, 63, 128, 300, 2100];

fn of_mac(info: &'static MacInfo, kernel: KernelName) -> Reports {
    let key = secret(info.key_len_bytes);
    let nonce = vec![1; info.nonce.map_or(0, |nonce| nonce.len_bytes)];
    let messages = LENGTHS.map(secret);
    let mut tags = vec![0; LENGTHS.len() * info.tag_len_bytes];

    let before = errors();
    let mut mac = DynMac::with_kernel(info, &key, kernel).unwrap();
    mac.rekey(&key).unwrap();
    let batch = Batch::with_kernel(info, &[&key, &key], kernel).unwrap();
    let set_up = errors();
    for (message, tag) in messages.iter().zip(tags.chunks_mut(info.tag_len_bytes)) {
        mac.mac_with_nonce_into(&nonce, message, tag).unwrap();
        for piece in message.chunks(97) {
            mac.update(piece);
        }
        if info.nonce.is_some() {
            mac.set_nonce(&nonce).unwrap();
        }
        mac.finalize_reset_into(tag).unwrap();
    }
    let jobs: Vec<Job<'_>> = messages.iter().map(|m| Job::new(1, m).with_nonce(&nonce)).collect();
    batch.macs_into(&jobs, &mut tags).unwrap();
    let computed = errors();
    request(MAKE_MEM_DEFINED, &mut tags);
    black_box(tags);
    Reports { set_up: set_up - before, computed: computed - set_up }
}

fn of_composition(info: &'static MacInfo, kernel: KernelName) -> Reports {
    let key = secret(info.key_len_bytes);
    let nonce = vec![1; info.nonce.map_or(0, |nonce| nonce.len_bytes)];
    let before = errors();
    let keyed = DynComposition::with_kernel(info, &key, kernel).unwrap();
    let batch = CompositionBatch::with_kernel(info, &[&key, &key], kernel).unwrap();
    let set_up = errors();
    for message in LENGTHS.map(secret) {
        black_box(keyed.seal(&nonce, &[], &message).unwrap());
    }
    let header = Header { nonce: &nonce, associated_data: &[] };
    let mut buffers = LENGTHS.map(|len| secret(batch.ciphertext_len_bytes(len)));
    let jobs = buffers.iter_mut().zip(LENGTHS).map(|(buffer, message_len_bytes)| CompositionJob {
        message_len_bytes,
        ..CompositionJob::new(1, header, buffer)
    });
    let mut tags = vec![0; LENGTHS.len() * info.tag_len_bytes];
    batch.seal_in_place(&mut jobs.collect::<Vec<_>>(), &mut tags).unwrap();
    black_box(tags);
    Reports { set_up: set_up - before, computed: errors() - set_up }
}

fn of(info: &'static MacInfo, kernel: KernelName) -> Reports {
    if info.is_composition() { of_composition(info, kernel) } else { of_mac(info, kernel) }
}

#[test]
fn soft_kernels_decide_nothing_by_secrets() {
    nothing_is_decided_by_secrets(KernelName::Soft);
}

#[test]
fn avx2_kernels_decide_nothing_by_secrets() {
    nothing_is_decided_by_secrets(KernelName::Avx2);
}

fn nothing_is_decided_by_secrets(kernel: KernelName) {
    let (mut clean, mut leaks) = (0, Vec::new());
    for info in catalog().iter().filter(|info| info.kernels().contains(&kernel)) {
        let mut reports = of(info, kernel);
        // What the documents say: some primitives read tables by secrets. The key set-up of VMAC
        // passes over keys that are not below its modulus, which may be seen; as may that one key
        // twice is refused.
        let is_known = matches!(info.primitive.constant_time, ConstantTime::No(_));
        let takes_two = info.is_composition() && info.name.contains("cmac-");
        let takes_two = takes_two || info.name.starts_with("siv-");
        if info.name.starts_with("vmac") || takes_two {
            reports.set_up = 0;
        }
        if reports == Reports::default() || is_known {
            clean += 1;
        } else {
            leaks.push((info.name, reports));
        }
    }
    let watched = if is_watched() { "" } else { ", not watched by valgrind" };
    println!("{kernel}: {clean} macs{watched}");
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn table_look_ups_by_secrets_are_reported() {
    if !is_watched() {
        println!("skipped: valgrind does not run this; CONTRIBUTING.md says how");
        return;
    }
    let tdes = of(find("cmac-tdes-2").unwrap(), KernelName::Table);
    let twofish = of(find("cmac-twofish-128").unwrap(), KernelName::Soft);
    println!("reported: tdes {tdes:?}, twofish {twofish:?}");
    assert!(tdes.computed > 0 && twofish.computed > 0);
}
