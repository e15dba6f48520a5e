//! Nothing that depends on a key is left on the heap. An allocator keeps what every block held when
//! it was freed; the same is done under two keys, from the same addresses, and what was freed must
//! not differ. That finds keys, and whatever is derived from them: schedules, chaining values,
//! masks, copies between the fields of a value that was moved.
//!
//! Registers and the stack are not looked at. The same allocator tells whether long headers are
//! copied.
#![expect(unsafe_code, reason = "an allocator")]

extern crate std;

use alloc::alloc::{GlobalAlloc, Layout};
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};
use core::cell::Cell;
use core::hint::black_box;
use core::ptr;
use std::alloc::System;

use super::KernelName;
use crate::{
    Batch, CompositionBatch, CompositionJob, DynComposition, DynMac, Header, Job, MacInfo, SealJob,
    catalog,
};

/// While a thread watches, its memory comes from `arena`, which is zero.
struct Watch {
    arena: Vec<u8>,
    used: usize,
    /// What blocks held when they were freed, one behind the other, each behind its length.
    freed: Vec<u8>,
}

const ARENA_BYTES: usize = 4 << 20;
const ALIGN_MAX: usize = 4096;

std::thread_local! {
    static WATCH: Cell<*mut Watch> = const { Cell::new(ptr::null_mut()) };
}

struct Spy;

#[global_allocator]
static SPY: Spy = Spy;

// SAFETY: memory is the system's, or a part of an arena that is given out once; an arena outlives
// what was given out of it, because `freed_by` drops all of that before it returns.
unsafe impl GlobalAlloc for Spy {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let watch = WATCH.get();
        if watch.is_null() || layout.align() > ALIGN_MAX {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc(layout) };
        }
        // SAFETY: it is this thread's, and nobody borrows it while the thread watches.
        unsafe { (*watch).give(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let watch = WATCH.get();
        // SAFETY: the watch is this thread's, and nobody borrows it while the thread watches; a
        // block that its arena did not give is the system's.
        unsafe {
            if watch.is_null() || !(*watch).has_given(block) {
                return System.dealloc(block, layout);
            }
            (*watch).take_back(block, layout.size());
        }
    }
}

impl Watch {
    fn new() -> Self {
        let arena = vec![0; ARENA_BYTES + ALIGN_MAX];
        Self { arena, used: 0, freed: Vec::with_capacity(4 * ARENA_BYTES) }
    }

    fn give(&mut self, layout: Layout) -> *mut u8 {
        let base = self.arena.as_mut_ptr();
        let at = (base as usize + self.used).next_multiple_of(layout.align()) - base as usize;
        assert!(at + layout.size() <= self.arena.len(), "the arena is full");
        self.used = at + layout.size();
        base.wrapping_add(at)
    }

    fn has_given(&self, block: *mut u8) -> bool {
        self.arena.as_ptr_range().contains(&block.cast_const())
    }

    fn take_back(&mut self, block: *mut u8, len: usize) {
        let at = block as usize - self.arena.as_ptr() as usize;
        assert!(self.freed.len() + 8 + len <= self.freed.capacity(), "no room for what is freed");
        self.freed.extend_from_slice(&(len as u64).to_le_bytes());
        self.freed.extend_from_slice(&self.arena[at..][..len]);
    }

    /// What `work` freed.
    #[inline(never)]
    fn freed_by(&mut self, work: &dyn Fn(&[u8]), key: &[u8]) -> Vec<u8> {
        self.arena[..self.used].fill(0);
        self.used = 0;
        self.freed.clear();
        WATCH.set(&raw mut *self);
        work(black_box(key));
        WATCH.set(ptr::null_mut());
        self.freed.clone()
    }

    /// Where in freed blocks something depends on the key, in words.
    fn left_by(&mut self, key_len: usize, work: &dyn Fn(&[u8])) -> Option<String> {
        let mut key = vec![0; key_len];
        // The first run loads what is loaded once; the second and the third must be alike.
        let [_, same, again, other] = [1, 1, 1, 2].map(|seed| {
            key.iter_mut().zip(0_u32..).for_each(|(byte, i)| {
                *byte = (i + 1).wrapping_mul(0x9e37_79b1_u32.wrapping_mul(seed)).to_be_bytes()[0];
            });
            self.freed_by(work, &key)
        });
        assert_eq!(same.len(), other.len(), "the same blocks are freed under each key");
        let is_left = |at: usize| same[at] == again[at] && same[at] != other[at];
        let mut found = vec![];
        let mut rest = &same[..];
        while let Some((len, block)) = rest.split_first_chunk() {
            let len = u64::from_le_bytes(*len) as usize;
            let start = same.len() - block.len();
            let left: Vec<usize> = (0..len).filter(|at| is_left(start + at)).collect();
            if let [first, .., last] | [first @ last] = left[..] {
                let count = left.len();
                found.push(format!("{count} bytes at {first} to {last} of a block of {len}"));
            }
            rest = &block[len..];
        }
        (!found.is_empty()).then(|| found.join("; "))
    }
}

const MESSAGE: [u8; 2500] = [0x5a; 2500];
const TAG_LEN_MAX: usize = crate::TAG_LEN_MAX_BYTES;

/// Something done with a key; tags go to the stack.
type Work = (&'static str, fn(&'static MacInfo, Option<KernelName>, &[u8]));

fn new(info: &'static MacInfo, kernel: Option<KernelName>, key: &[u8]) -> DynMac {
    let made = match kernel {
        Some(kernel) => DynMac::with_kernel(info, key, kernel),
        None => DynMac::with_info(info, key),
    };
    made.expect("a key and a kernel of its own")
}

fn nonce(info: &MacInfo) -> &'static [u8] {
    &[1; 32][..info.nonce.map_or(0, |nonce| nonce.len_bytes)]
}

/// Tags of short and long messages, whole and in pieces.
fn use_all_ways(mac: &mut DynMac) {
    let (info, mut tag) = (mac.info(), [0; TAG_LEN_MAX]);
    let tag = &mut tag[..info.tag_len_bytes];
    for len in [0, 20, MESSAGE.len()] {
        mac.mac_with_nonce_into(nonce(info), &MESSAGE[..len], tag).expect("lengths that it takes");
        let checked = mac.verify_message_with_nonce(nonce(info), &MESSAGE[..len], tag);
        checked.expect("the right tag");
        MESSAGE[..len].chunks(97).for_each(|piece| mac.update(piece));
        if info.nonce.is_some() {
            mac.set_nonce(nonce(info)).expect("a length that it takes");
        }
        mac.verify(tag).expect("the right tag");
    }
}

fn other(key: &[u8], number: u8) -> Vec<u8> {
    key.iter().map(|byte| byte ^ number).collect()
}

/// What is done with the keys of macs. Keys that are made here are wiped before they are freed.
const OF_MACS: &[Work] = &[
    ("prepared and dropped", |info, kernel, key| use_all_ways(&mut new(info, kernel, key))),
    ("dropped in a message", |info, kernel, key| {
        let mut mac = new(info, kernel, key);
        mac.update(&MESSAGE[..333]);
    }),
    ("cloned in a message", |info, kernel, key| {
        let mut mac = new(info, kernel, key);
        mac.update(&MESSAGE[..333]);
        let mut clone = mac.clone();
        drop(mac);
        clone.reset();
        use_all_ways(&mut clone);
    }),
    ("rekeyed", |info, kernel, key| {
        let mut key = other(key, 1);
        let mut mac = new(info, kernel, &key);
        mac.update(&MESSAGE[..333]);
        key[0] ^= 3;
        mac.rekey(&key).expect("a key of its own");
        use_all_ways(&mut mac);
        let _ = mac.rekey(&key[..key.len() - 1]);
        key.fill(0);
    }),
    ("with another length of tags", |info, kernel, key| {
        let len = info.tag_len_bytes / 2;
        if !info.accepted_tag_len.accepts(len) {
            return;
        }
        let mut mac = new(info, kernel, key);
        mac.update(&MESSAGE[..333]);
        let mac = mac.with_tag_len(len).expect("a length that it takes");
        mac.mac_into(&MESSAGE, &mut [0; TAG_LEN_MAX][..len]).expect("lengths that it takes");
    }),
    ("in one call", |info, _, key| {
        let mut tag = [0; TAG_LEN_MAX];
        let tag = &mut tag[..info.tag_len_bytes];
        for len in [0, 20, MESSAGE.len()] {
            let computed = info.mac_with_nonce_into(key, nonce(info), &MESSAGE[..len], tag);
            computed.expect("lengths that it takes");
            info.verify(key, nonce(info), &MESSAGE[..len], tag).expect("the right tag");
        }
    }),
    ("in a batch", in_a_batch),
];

const KEYS: usize = 20;

fn in_a_batch(info: &'static MacInfo, kernel: Option<KernelName>, key: &[u8]) {
    let mut keys: Vec<Vec<u8>> = (0..KEYS).map(|number| other(key, number as u8)).collect();
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let made = match kernel {
        Some(kernel) => Batch::with_kernel(info, &slices, kernel),
        None => Batch::with_info(info, &slices),
    };
    let mut batch = made.expect("keys and a kernel of its own");
    for count in [1, 2, KEYS] {
        let mut tags = [0; KEYS * TAG_LEN_MAX];
        let tags = &mut tags[..count * info.tag_len_bytes];
        for step in [0, 30] {
            let job = |i: usize| Job::new(i, &MESSAGE[..step * i]).with_nonce(nonce(info));
            let jobs: Vec<Job<'_>> = (0..count).map(job).collect();
            batch.macs_into(&jobs, tags).expect("lengths that it takes");
            batch.verify(&jobs, tags).expect("the right tags");
        }
        batch.rekey(1, &slices[..KEYS - 1]).expect("keys of its own");
    }
    drop(batch);
    drop(slices);
    keys.iter_mut().for_each(|key| key.fill(0));
}

fn composition(info: &'static MacInfo, kernel: Option<KernelName>, key: &[u8]) -> DynComposition {
    let made = match kernel {
        Some(kernel) => DynComposition::with_kernel(info, key, kernel),
        None => DynComposition::with_info(info, key),
    };
    made.expect("a key and a kernel of its own")
}

fn header(info: &MacInfo) -> Header<'static> {
    let associated_data = if info.name.starts_with("ctr+") { &b""[..] } else { b"header" };
    Header { nonce: nonce(info), associated_data }
}

fn seal_and_open(keyed: &DynComposition) {
    let info = keyed.info();
    let Header { nonce, associated_data } = header(info);
    for len in [0, 20, 650] {
        let (mut buffer, mut tag) = (MESSAGE, [0; TAG_LEN_MAX]);
        let buffer = &mut buffer[..keyed.ciphertext_len_bytes(len)];
        let tag = &mut tag[..info.tag_len_bytes];
        let sealed = keyed.seal_in_place(nonce, associated_data, buffer, len, tag);
        sealed.expect("lengths that it takes");
        let opened = keyed.open_in_place(nonce, associated_data, buffer, tag);
        assert_eq!(opened, Ok(len), "{}", info.name);
        tag[0] ^= 1;
        let forged = keyed.open_in_place(nonce, associated_data, buffer, tag);
        forged.expect_err("a wrong tag");
    }
}

const OF_COMPOSITIONS: &[Work] = &[
    ("prepared and dropped", |info, kernel, key| seal_and_open(&composition(info, kernel, key))),
    ("cloned", |info, kernel, key| {
        let keyed = composition(info, kernel, key);
        let clone = keyed.clone();
        drop(keyed);
        seal_and_open(&clone);
    }),
    ("rekeyed", |info, kernel, key| {
        let mut key = other(key, 1);
        let mut keyed = composition(info, kernel, &key);
        key[0] ^= 3;
        keyed.rekey(&key).expect("a key of its own");
        seal_and_open(&keyed);
        key.fill(0);
    }),
    ("in a batch", sealed_in_a_batch),
];

fn sealed_in_a_batch(info: &'static MacInfo, kernel: Option<KernelName>, key: &[u8]) {
    let mut keys: Vec<Vec<u8>> = (0..KEYS).map(|number| other(key, number as u8)).collect();
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let made = match kernel {
        Some(kernel) => CompositionBatch::with_kernel(info, &slices, kernel),
        None => CompositionBatch::with_info(info, &slices),
    };
    let mut batch = made.expect("keys and a kernel of its own");
    for (count, step) in [(2, 30), (KEYS, 0), (KEYS, 30)] {
        let (mut buffers, mut tags) = ([MESSAGE; KEYS], [0; KEYS * TAG_LEN_MAX]);
        let (tags, header) = (&mut tags[..count * info.tag_len_bytes], header(info));
        let jobs = buffers[..count].iter_mut().enumerate().map(|(i, buffer)| {
            let buffer = &mut buffer[..batch.ciphertext_len_bytes(step * i)];
            CompositionJob { message_len_bytes: step * i, ..CompositionJob::new(i, header, buffer) }
        });
        let mut jobs: Vec<CompositionJob<'_>> = jobs.collect();
        batch.seal_in_place(&mut jobs, tags).expect("lengths that it takes");
        let places = [MESSAGE; KEYS];
        let mut others = [MESSAGE; KEYS];
        let others =
            others.iter_mut().zip(&places).zip(&jobs).map(|((other, message), job)| SealJob {
                key: job.key,
                header,
                message: &message[..job.message_len_bytes],
                ciphertext: &mut other[..job.buffer.len()],
            });
        let sealed = batch.seal_into(&mut others.collect::<Vec<_>>(), tags);
        sealed.expect("lengths that it takes");
        tags[0] ^= 1;
        let mut are_right = [false; KEYS];
        let opened = batch.open_in_place(&mut jobs, tags, &mut are_right[..count]);
        opened.expect("lengths that it takes");
        assert_eq!(are_right.iter().filter(|is_right| **is_right).count(), count - 1);
        drop(jobs);
        batch.rekey(1, &slices[..KEYS - 1]).expect("keys of its own");
    }
    drop(batch);
    drop(slices);
    keys.iter_mut().for_each(|key| key.fill(0));
}

/// Seals a batch of messages that share a header.
fn seal_all(info: &'static MacInfo, kernel: KernelName, key: &[u8], header: Header<'_>) {
    let batch = CompositionBatch::with_kernel(info, &[key; KEYS], kernel);
    let batch = batch.expect("keys and a kernel of its own");
    let (mut buffers, mut tags) = ([MESSAGE; KEYS], [0; KEYS * TAG_LEN_MAX]);
    let (message_len_bytes, buffer_len) = (640, batch.ciphertext_len_bytes(640));
    let jobs = buffers.iter_mut().enumerate().map(|(key, buffer)| {
        let job = CompositionJob::new(key, header, &mut buffer[..buffer_len]);
        CompositionJob { message_len_bytes, ..job }
    });
    let mut jobs: Vec<CompositionJob<'_>> = jobs.collect();
    let sealed = batch.seal_in_place(&mut jobs, &mut tags[..KEYS * info.tag_len_bytes]);
    sealed.expect("lengths that it takes");
}

#[test]
fn long_headers_are_not_copied() {
    static LONG: [u8; 20_000] = [1; 20_000];
    let (mut watch, key) = (Watch::new(), core::array::from_fn::<u8, 96, _>(|i| i as u8));
    let takes_headers = |info: &&MacInfo| info.is_composition() && !info.name.starts_with("ctr+");
    for info in catalog().iter().filter(takes_headers) {
        let takes_long = info.nonce.is_some_and(|nonce| nonce.accepted_len.accepts(LONG.len()));
        let long = if takes_long { &LONG[..] } else { nonce(info) };
        for kernel in info.kernels() {
            let mut freed_with = |nonce, associated_data| {
                let header = Header { nonce, associated_data };
                let work = |key: &[u8]| seal_all(info, kernel, key, header);
                watch.freed_by(&work, &key[..info.key_len_bytes]).len()
            };
            let without = freed_with(nonce(info), b"");
            for (nonce, associated_data) in [(nonce(info), &LONG[..]), (long, b"")] {
                let with = freed_with(nonce, associated_data);
                assert!(with < without + LONG.len(), "{} on {kernel}: {with} bytes", info.name);
            }
        }
    }
}

#[test]
fn what_is_left_is_found() {
    let mut watch = Watch::new();
    let left = |watch: &mut Watch, work: &dyn Fn(&[u8])| watch.left_by(32, work);
    assert_eq!(left(&mut watch, &|_| drop(black_box(vec![7; 40]))), None);
    assert_eq!(
        left(&mut watch, &|key| drop(black_box(key.to_vec()))).expect("a key"),
        "32 bytes at 0 to 31 of a block of 32"
    );
    let grown = left(&mut watch, &|key| {
        let mut grown = Vec::with_capacity(8);
        key.iter().for_each(|byte| grown.push(*byte));
        black_box(&mut grown).fill(0);
    });
    assert!(grown.expect("parts of a key").contains("8 bytes at 0 to 7 of a block of 8"));
}

#[test]
fn nothing_that_depends_on_a_key_is_left_on_the_heap() {
    let mut watch = Watch::new();
    let mut left = vec![];
    for info in catalog() {
        let works = if info.is_composition() { OF_COMPOSITIONS } else { OF_MACS };
        for kernel in info.kernels().into_iter().map(Some).chain([None]) {
            for (what, work) in works {
                let found = watch.left_by(info.key_len_bytes, &|key| work(info, kernel, key));
                if let Some(found) = found {
                    left.push(format!("{} on {kernel:?}, {what}: {found}", info.name));
                }
            }
        }
    }
    assert!(left.is_empty(), "{}\n{} in all", left.join("\n"), left.len());
}
