//! No branch and no address depends on a secret, on each code path that valgrind can run: it
//! follows undefined bytes through all that is computed of them and reports where one decides a
//! jump or an address (ctgrind, Langley 2010). Keys and messages are marked undefined; the count of
//! reports must not grow, neither for tags and ciphertexts nor where they are verified and opened,
//! of which only the outcome is told. Positive control: table look-ups and a comparison that ends
//! early must be reported.
//!
//! Without valgrind the tests compute and say nothing of secrets. Valgrind knows neither AVX-512
//! nor VAES nor the SHA instructions.
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

/// The outcome of a verification, which is no secret, whatever it was computed from.
pub(crate) fn told(outcome: bool) -> bool {
    let mut byte = [u8::from(outcome)];
    request(MAKE_MEM_DEFINED, &mut byte);
    byte[0] != 0
}

fn secret(len_bytes: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..len_bytes).map(|i| i as u8 ^ 0xa5).collect();
    request(MAKE_MEM_UNDEFINED, &mut bytes);
    bytes
}

/// What valgrind reported while a key was set up, while tags and ciphertexts were computed, and
/// while they were verified and opened: with right tags, and with wrong ones.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reports {
    set_up: usize,
    computed: usize,
    accepted: usize,
    refused: usize,
}

/// Lengths around blocks and longer than what a kernel takes in one turn.
const LENGTHS: [usize; 7] = [0, 1, 16, 63, 128, 300, 2100];

/// Verifies with right tags, of this length each, and with wrong ones: what valgrind reported.
fn of_outcomes(
    name: &str,
    tags: &[u8],
    len_bytes: usize,
    mut verify: impl FnMut(&[u8]) -> Vec<bool>,
) -> [usize; 2] {
    [true, false].map(|is_right| {
        let mut tags = tags.to_vec();
        if !is_right {
            tags.iter_mut().step_by(len_bytes).for_each(|byte| *byte ^= 1);
        }
        let before = errors();
        let outcomes = verify(&tags);
        let reported = errors() - before;
        assert!(outcomes.iter().all(|it| *it == is_right), "{name}: {is_right}: {outcomes:?}");
        reported
    })
}

/// Whether these tags are right: of each message at once and in pieces, and of all in one batch.
fn verified(mac: &mut DynMac, batch: &Batch, jobs: &[Job<'_>], tags: &[u8]) -> Vec<bool> {
    let mut outcomes = Vec::new();
    for (job, tag) in jobs.iter().zip(tags.chunks(mac.tag_len_bytes())) {
        outcomes.push(mac.verify_message_with_nonce(job.nonce, job.message, tag).is_ok());
        mac.update(job.message);
        if mac.info().nonce.is_some() {
            mac.set_nonce(job.nonce).unwrap();
        }
        outcomes.push(mac.verify(tag).is_ok());
    }
    let mut of_batch = vec![false; jobs.len()];
    batch.verify_each(jobs, tags, &mut of_batch).unwrap();
    outcomes.extend(of_batch);
    outcomes
}

/// Whether these tags are right: of each ciphertext by itself, and of all in one batch.
fn opened(
    keyed: &DynComposition,
    batch: &CompositionBatch,
    (header, ciphertexts): (Header<'_>, &[Vec<u8>]),
    tags: &[u8],
) -> Vec<bool> {
    let mut outcomes = Vec::new();
    for (ciphertext, tag) in ciphertexts.iter().zip(tags.chunks(keyed.tag_len_bytes())) {
        let mut buffer = ciphertext.clone();
        let Header { nonce, associated_data } = header;
        outcomes.push(keyed.open_in_place(nonce, associated_data, &mut buffer, tag).is_ok());
        black_box(buffer);
    }
    let mut buffers = ciphertexts.to_vec();
    let jobs = buffers.iter_mut().map(|buffer| CompositionJob::new(1, header, buffer));
    let mut of_batch = vec![false; ciphertexts.len()];
    batch.open_in_place(&mut jobs.collect::<Vec<_>>(), tags, &mut of_batch).unwrap();
    black_box(buffers);
    outcomes.extend(of_batch);
    outcomes
}

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
    // Tags are computed as above: the longest message is not needed again.
    let jobs = &jobs[..LENGTHS.len() - 1];
    tags.truncate(jobs.len() * info.tag_len_bytes);
    let [accepted, refused] = of_outcomes(info.name, &tags, info.tag_len_bytes, |tags| {
        verified(&mut mac, &batch, jobs, tags)
    });
    request(MAKE_MEM_DEFINED, &mut tags);
    black_box(tags);
    Reports { set_up: set_up - before, computed: computed - set_up, accepted, refused }
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
    let computed = errors();
    let [accepted, refused] = of_outcomes(info.name, &tags, info.tag_len_bytes, |tags| {
        opened(&keyed, &batch, (header, &buffers[..]), tags)
    });
    Reports { set_up: set_up - before, computed: computed - set_up, accepted, refused }
}

fn of(info: &'static MacInfo, kernel: KernelName) -> Reports {
    if info.is_composition() { of_composition(info, kernel) } else { of_mac(info, kernel) }
}

#[test]
fn soft_kernels_decide_nothing_by_secrets() {
    nothing_is_decided_by_secrets(KernelName::Soft);
}

#[test]
fn aes_ni_kernels_decide_nothing_by_secrets() {
    nothing_is_decided_by_secrets(KernelName::AesNi);
}

#[test]
fn sse41_kernels_decide_nothing_by_secrets() {
    nothing_is_decided_by_secrets(KernelName::Sse41);
}

#[test]
fn avx2_kernels_decide_nothing_by_secrets() {
    nothing_is_decided_by_secrets(KernelName::Avx2);
}

#[test]
fn clmul_kernels_decide_nothing_by_secrets() {
    nothing_is_decided_by_secrets(KernelName::Clmul);
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
        // Under a right tag padding is looked at, and its length is that of the message.
        if info.name.starts_with("cbc-then-cmac-") {
            reports.accepted = 0;
        }
        if reports == Reports::default() || is_known {
            clean += 1;
        } else {
            leaks.push((info.name, reports));
        }
    }
    let watched = if is_watched() { "" } else { ", not watched by valgrind" };
    if clean == 0 && leaks.is_empty() {
        println!("skipped: no kernel {kernel} on this CPU{watched}");
    }
    println!("{kernel}: {clean} macs{watched}");
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn table_look_ups_by_secrets_and_comparisons_that_end_early_are_reported() {
    if !is_watched() {
        println!("skipped: valgrind does not run this; CONTRIBUTING.md says how");
        return;
    }
    let tdes = of(find("cmac-tdes-2").unwrap(), KernelName::Table);
    let twofish = of(find("cmac-twofish-128").unwrap(), KernelName::Soft);
    println!("reported: tdes {tdes:?}, twofish {twofish:?}");
    assert!(tdes.computed > 0 && twofish.computed > 0);
    assert!(tdes.accepted > 0 && tdes.refused > 0);
    // Of a length that the compiler does not know: it would compare without a branch.
    let (right, tag) = (black_box(secret(16)), black_box(secret(16)));
    let before = errors();
    black_box(right == tag);
    assert!(errors() > before);
}
