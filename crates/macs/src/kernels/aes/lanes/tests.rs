//! All ways against one block after the other with the crate `aes`.

use alloc::format;
use alloc::vec::Vec;

use aes::cipher::{BlockCipherEncrypt, KeyInit};

use super::super::{Block, Schedule};
use super::*;
use crate::kernels::tests::random::Random;

/// The S-box by its definition (FIPS 197 §5.1.1).
fn sub(byte: u8) -> u8 {
    let times = |mut a: u8, mut b: u8| {
        let mut product = 0;
        while b != 0 {
            product ^= if b & 1 == 1 { a } else { 0 };
            a = (a << 1) ^ if a >> 7 == 1 { 0x1b } else { 0 };
            b >>= 1;
        }
        product
    };
    let inverse = (0..254).fold(1, |power, _| times(power, byte));
    (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn))
}

/// FIPS 197 §5.2.
pub(super) fn schedule<const KEYS: usize>(key: &[u8]) -> Schedule<KEYS> {
    let words = key.len() / 4;
    let mut w: Vec<[u8; 4]> = key.as_chunks().0.to_vec();
    let mut rcon = 1u8;
    for i in words..4 * KEYS {
        let mut word = w[i - 1];
        if i % words == 0 {
            word.rotate_left(1);
            word = word.map(sub);
            word[0] ^= rcon;
            rcon = (rcon << 1) ^ if rcon >> 7 == 1 { 0x1b } else { 0 };
        } else if words > 6 && i % words == 4 {
            word = word.map(sub);
        }
        let before = w[i - words];
        w.push(core::array::from_fn(|b| word[b] ^ before[b]));
    }
    let mut keys = [[0; 16]; KEYS];
    for (bytes, word) in keys.as_flattened_mut().as_chunks_mut::<4>().0.iter_mut().zip(w) {
        *bytes = word;
    }
    Schedule { keys }
}

fn slow<C: BlockCipherEncrypt>(
    cipher: &C,
    from: &Block,
    message: &[u8],
    padding: Padding,
    full: &Block,
    padded: &Block,
) -> Block {
    let mut bytes = message.to_vec();
    let whole = !bytes.is_empty() && bytes.len().is_multiple_of(16);
    let mut mask = full;
    if padding == Padding::One || !whole {
        bytes.push(if padding == Padding::Zeros { 0 } else { 0x80 });
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        mask = padded;
    }
    let at = bytes.len() - 16;
    bytes[at..].iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    let mut state = aes::cipher::Block::<C>::try_from(&from[..]).unwrap();
    for block in bytes.chunks(16) {
        state.iter_mut().zip(block).for_each(|(byte, block)| *byte ^= block);
        cipher.encrypt_block(&mut state);
    }
    state.as_slice().try_into().unwrap()
}

struct Ends<const TWICE: bool, const PADDING: usize>;

const PADDINGS: [Padding; 3] = [Padding::One, Padding::OneIfNeeded, Padding::Zeros];

impl<const TWICE: bool, const PADDING: usize> End for Ends<TWICE, PADDING> {
    const PADDING: Padding = PADDINGS[PADDING];
    const TWICE: bool = TWICE;
}

/// One by one under the keys of a ring, and twice under them if that is asked for.
fn each<const TWICE: bool, const KEYS: usize>(
    ring: &KeyRing<KEYS>,
    kernel: Kernel,
    padding: Padding,
    jobs: &[Job<'_>],
    start: Start,
    tags: &mut [Block],
) {
    match padding {
        Padding::One => both::<Ends<TWICE, 0>, KEYS>(ring, kernel, jobs, start, tags),
        Padding::OneIfNeeded => both::<Ends<TWICE, 1>, KEYS>(ring, kernel, jobs, start, tags),
        Padding::Zeros => both::<Ends<TWICE, 2>, KEYS>(ring, kernel, jobs, start, tags),
    }
}

/// In one call, and in one for each if the chains start from zeros.
fn both<E: End, const KEYS: usize>(
    ring: &KeyRing<KEYS>,
    kernel: Kernel,
    jobs: &[Job<'_>],
    start: Start,
    tags: &mut [Block],
) {
    ring.cbc_each::<E>(kernel, ring, jobs, start, tags);
    for (job, tag) in jobs.iter().zip(tags).filter(|_| start == Start::Zeros) {
        let mut one = [0xaa; 16];
        ring.cbc_one::<E>(kernel, ring, job, &mut one);
        assert_eq!(one, *tag);
    }
}

fn batches<const KEYS: usize, C: BlockCipherEncrypt + KeyInit>(kernel: Kernel, count: usize) {
    let mut random = Random(0x1234_5678_9abc_def1 + KEYS as u64);
    let mut text = alloc::vec![0; 1 << 16];
    random.fill(&mut text);
    for number in 0..count {
        let keys = 1 + random.below(200);
        let mut ring = KeyRing::<KEYS>::new(keys);
        let own: Vec<(C, Block, Block)> = (0..keys)
            .map(|key| {
                let mut raw = [0; 32];
                random.fill(&mut raw);
                let raw = &raw[..4 * KEYS - 28];
                let (mut full, mut padded) = ([0; 16], [0; 16]);
                random.fill(&mut full);
                random.fill(&mut padded);
                ring.set(kernel, key, &schedule(raw), &full, &padded);
                (C::new_from_slice(raw).unwrap(), full, padded)
            })
            .collect();
        let most = [1, 17, 33, 49, 65, 100, 200, 600, 1500, 4097][random.below(10)];
        let least = if random.below(3) == 0 { most - 1 } else { 0 };
        let in_order = random.below(3) == 0;
        let jobs: Vec<_> = (0..1 + random.below(if number % 50 == 0 { 600 } else { 200 }))
            .map(|job| {
                let key = if in_order { job % keys } else { random.below(keys) };
                let len = least + random.below(most - least);
                let from = random.below(text.len() - len);
                Job::new(key, &text[from..from + len])
            })
            .collect();
        let padding = PADDINGS[number % 3];
        let start = [Start::Zeros, Start::Tags][random.below(2)];
        let mut before = alloc::vec![[0; 16]; jobs.len()];
        random.fill(before.as_flattened_mut());
        let (mut tags, mut one_by_one) = (before.clone(), before.clone());
        ring.cbc(kernel, &jobs, padding, start, &mut tags);
        each::<false, KEYS>(&ring, kernel, padding, &jobs, start, &mut one_by_one);
        // Once more under the same keys, without their masks.
        let mut twice = tags.clone();
        ring.encrypt_each(kernel, &jobs, &mut twice);
        let mut twice_at_once = before.clone();
        each::<true, KEYS>(&ring, kernel, padding, &jobs, start, &mut twice_at_once);
        let zero = [0; 16];
        for (at, job) in jobs.iter().enumerate() {
            let (cipher, full, padded) = &own[job.key];
            let from = if start == Start::Tags { &before[at] } else { &zero };
            let expected = slow(cipher, from, job.message, padding, full, padded);
            let what = || format!("batch {number}: {} bytes", job.message.len());
            assert_eq!([tags[at], one_by_one[at]], [expected; 2], "{}", what());
            let expected = slow(cipher, &zero, &expected, Padding::Zeros, &zero, &zero);
            assert_eq!([twice[at], twice_at_once[at]], [expected; 2], "{}", what());
        }
    }
}

fn kernels() -> Vec<Kernel> {
    let kernels = [
        Vaes512::get().map(Kernel::Vaes512),
        AesNi::get().zip(Vaes256::get()).map(|(ni, wide)| Kernel::Vaes256(ni, wide)),
        AesNi::get().map(Kernel::AesNi),
    ];
    kernels.into_iter().flatten().collect()
}

#[test]
fn batches_agree() {
    let count = 12;
    for kernel in kernels() {
        batches::<11, aes::Aes128>(kernel, count);
        batches::<13, aes::Aes192>(kernel, count);
        batches::<15, aes::Aes256>(kernel, count);
    }
}

fn expansions<const KEYS: usize, C: BlockCipherEncrypt + KeyInit>(kernel: Kernel) {
    let mut random = Random(0x9876_5432 + KEYS as u64);
    let mut ring = KeyRing::<KEYS>::new(61);
    let mut own = alloc::vec![([0; 32], ()); 61];
    for number in 0..20 {
        let first = if number == 0 { 0 } else { random.below(61) };
        let count = if number == 0 { 61 } else { 1 + random.below(61 - first) };
        for (raw, _) in &mut own[first..][..count] {
            random.fill(raw);
        }
        let key_len = 4 * KEYS - 28;
        let keys: Vec<&[u8]> = own[first..][..count].iter().map(|(k, _)| &k[..key_len]).collect();
        ring.expand(kernel, first, &keys, true);
        for (key, (raw, _)) in own.iter().enumerate() {
            let expected = schedule::<KEYS>(&raw[..key_len]).keys;
            let (quad, slot) = ring.quad(key);
            assert_eq!(quad.round.map(|row| row.0[slot]), expected);
            let cipher = C::new_from_slice(&raw[..key_len]).unwrap();
            let l = u128::from_be_bytes(slow(
                &cipher,
                &[0; 16],
                &[],
                Padding::Zeros,
                &[0; 16],
                &[0; 16],
            ));
            let twice = |value: u128| value << 1 ^ if value >> 127 == 1 { 0x87 } else { 0 };
            assert_eq!(*ring.zero(key), l.to_be_bytes());
            assert_eq!(quad.full.0[slot], twice(l).to_be_bytes());
            assert_eq!(quad.padded.0[slot], twice(twice(l)).to_be_bytes());
            for (byte, (first, last)) in
                quad.fold.0[slot].iter().zip(expected[0].iter().zip(&expected[KEYS - 1]))
            {
                assert_eq!(*byte, first ^ last);
            }
        }
    }
    let jobs: Vec<_> = (0..300).map(|job| Job::new(job * 7 % 61, &[])).collect();
    for job in 0..61 {
        ring.set_masks(job, &[0; 16], &[0; 16]);
    }
    let mut blocks: Vec<Block> = (0..300).map(|job| [job as u8; 16]).collect();
    ring.encrypt(kernel, &jobs, &mut blocks);
    for (number, (job, block)) in jobs.iter().zip(blocks).enumerate() {
        let cipher = C::new_from_slice(&own[job.key].0[..4 * KEYS - 28]).unwrap();
        let zero = [0; 16];
        assert_eq!(block, slow(&cipher, &zero, &[number as u8; 16], Padding::Zeros, &zero, &zero));
    }
}

#[test]
fn expansions_agree() {
    for kernel in kernels() {
        expansions::<11, aes::Aes128>(kernel);
        expansions::<13, aes::Aes192>(kernel);
        expansions::<15, aes::Aes256>(kernel);
    }
}
