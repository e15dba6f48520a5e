//! Every kernel that the CPU has, against RustCrypto's AES and modes written plainly over it.

use alloc::vec::Vec;

use ::cipher::inout::InOutBuf;
use ::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};

use super::cipher::{Aes, AesInverse, KeyLen, RoundKeys};
use super::counter::{LITTLE_ENDIAN, WHOLE_BLOCK};
use super::{Block, Ending, Kernel, Omac, Padding, Schedule, key_len, split_last, words};
use super::{EaxPass, Pass};
use crate::kernels::Choice;

/// Bytes that differ from place to place.
struct Bytes(u64);

impl Bytes {
    fn next(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 56) as u8
    }

    fn take(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next()).collect()
    }

    fn block(&mut self) -> Block {
        core::array::from_fn(|_| self.next())
    }

    fn blocks(&mut self, count: usize) -> Vec<Block> {
        (0..count).map(|_| self.block()).collect()
    }
}

/// One block through RustCrypto's.
fn reference(key: &[u8], block: &Block) -> Block {
    let mut block = (*block).into();
    match key.len() {
        16 => aes::Aes128::new_from_slice(key).unwrap().encrypt_block(&mut block),
        24 => aes::Aes192::new_from_slice(key).unwrap().encrypt_block(&mut block),
        _ => aes::Aes256::new_from_slice(key).unwrap().encrypt_block(&mut block),
    }
    block.0
}

fn xor(a: &Block, b: &Block) -> Block {
    core::array::from_fn(|i| a[i] ^ b[i])
}

fn chain(key: &[u8], y: Block, blocks: &[Block]) -> Block {
    blocks.iter().fold(y, |y, block| reference(key, &xor(&y, block)))
}

fn last_block(tail: &[u8], full: &Block, padded: &Block, padding: Padding) -> Block {
    let mut last = [0; 16];
    last[..tail.len()].copy_from_slice(tail);
    if tail.len() == 16 {
        return xor(&last, full);
    }
    if matches!(padding, Padding::One) {
        last[tail.len()] = 0x80;
    }
    xor(&last, padded)
}

fn kernels() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for (name, get) in Kernel::ALL {
        if let Some(kernel) = get() {
            assert_eq!(kernel.name(), *name);
            kernels.push(kernel);
        }
    }
    assert_eq!(kernels[0].name(), Kernel::best().name());
    kernels
}

fn expand<const KEYS: usize>(kernel: Kernel, key: &[u8]) -> Schedule<KEYS> {
    let mut schedule = Schedule::BLANK;
    kernel.expand(key, &mut schedule);
    schedule
}

/// Runs a test for every kernel and length of keys.
macro_rules! each {
    ($test:ident) => {
        #[test]
        fn $test() {
            for kernel in kernels() {
                super::$test::<11>(kernel);
                super::$test::<13>(kernel);
                super::$test::<15>(kernel);
            }
        }
    };
}

mod each {
    use super::kernels;

    each!(schedules);
    each!(blocks);
    each!(chains);
    each!(endings);
    each!(omac);
    each!(counters);
    each!(side_by_side);
    each!(eax);
    each!(ciphers);
}

/// Against the soft kernel's, which [`blocks`] proves.
fn schedules<const KEYS: usize>(kernel: Kernel) {
    let mut bytes = Bytes(KEYS as u64);
    for _ in 0..40 {
        let key = bytes.take(key_len(KEYS));
        let schedule = expand::<KEYS>(kernel, &key);
        assert_eq!(schedule.keys, expand::<KEYS>(Kernel::Soft, &key).keys, "{kernel:?}");
        assert_eq!(&schedule.keys.as_flattened()[..key.len()], key);
    }
}

fn blocks<const KEYS: usize>(kernel: Kernel) {
    let mut bytes = Bytes(100 + KEYS as u64);
    for count in (0..70).chain([127, 128, 129, 200]) {
        let key = bytes.take(key_len(KEYS));
        let schedule = expand::<KEYS>(kernel, &key);
        let plain = bytes.blocks(count);
        let expected: Vec<Block> = plain.iter().map(|block| reference(&key, block)).collect();
        let mut one_by_one = plain.clone();
        one_by_one.iter_mut().for_each(|block| kernel.encrypt(&schedule, block));
        assert_eq!(one_by_one, expected, "{kernel:?}");
        let mut at_once = plain.clone();
        kernel.encrypt_blocks(&schedule, &mut at_once);
        assert_eq!(at_once, expected, "{kernel:?} {count}");
        kernel.decrypt_blocks(&kernel.inverse(&schedule), &mut at_once);
        assert_eq!(at_once, plain, "{kernel:?} {count}");
    }
}

fn chains<const KEYS: usize>(kernel: Kernel) {
    let mut bytes = Bytes(200 + KEYS as u64);
    for (head, last) in [(0, 0), (0, 1), (1, 0), (1, 1), (0, 5), (3, 0), (7, 9)] {
        let key = bytes.take(key_len(KEYS));
        let schedule = expand::<KEYS>(kernel, &key);
        let (head, last) = (bytes.blocks(head), bytes.blocks(last));
        let first = bytes.block();
        let mut y = first;
        kernel.cbc(&schedule, &mut y, &head, &last);
        assert_eq!(y, chain(&key, chain(&key, first, &head), &last), "{kernel:?}");
    }
}

fn endings<const KEYS: usize>(kernel: Kernel) {
    let mut bytes = Bytes(300 + KEYS as u64);
    for (tail, count) in (0..=16).flat_map(|tail| [(tail, 0), (tail, 1), (tail, 4)]) {
        for padding in [Padding::One, Padding::Zeros] {
            let (key, outer_key) = (bytes.take(key_len(KEYS)), bytes.take(key_len(KEYS)));
            let schedule = expand::<KEYS>(kernel, &key);
            let outer = expand::<KEYS>(kernel, &outer_key);
            let (full, padded, y) = (bytes.block(), bytes.block(), bytes.block());
            let (blocks, tail) = (bytes.blocks(count), bytes.take(tail));
            let last = last_block(&tail, &full, &padded, padding);
            let expected = chain(&key, chain(&key, y, &blocks), &[last]);
            let mut ending = Ending { full: &full, padded: &padded, padding, outer: None };
            let mut tag = [0; 16];
            kernel.cbc_finish(&schedule, &y, &blocks, &tail, ending, &mut tag);
            assert_eq!(tag, expected, "{kernel:?} {padding:?} {}", tail.len());
            ending.outer = Some(&outer);
            kernel.cbc_finish(&schedule, &y, &blocks, &tail, ending, &mut tag);
            assert_eq!(tag, reference(&outer_key, &expected), "{kernel:?} {padding:?}");
        }
    }
}

fn omac<const KEYS: usize>(kernel: Kernel) {
    let mut bytes = Bytes(400 + KEYS as u64);
    for len in 0..=100 {
        for omac in [Omac::One, Omac::Two] {
            let (key, message) = (bytes.take(key_len(KEYS)), bytes.take(len));
            let masks = words::masks(&reference(&key, &[0; 16]), omac);
            let head = len.saturating_sub(1) / 16 * 16;
            let last = last_block(&message[head..], &masks[0], &masks[1], Padding::One);
            let y = chain(&key, [0; 16], message[..head].as_chunks().0);
            let mut tag = [0; 16];
            kernel.omac_once::<KEYS>(&key, omac, &message, &mut tag);
            assert_eq!(tag, chain(&key, y, &[last]), "{kernel:?} {omac:?} {len}");
            let (mut schedule, mut found) = (Schedule::<KEYS>::BLANK, [[0; 16]; 2]);
            kernel.expand_omac(&key, omac, &mut schedule, &mut found);
            assert_eq!(found, masks, "{kernel:?} {omac:?}");
            assert_eq!(schedule.keys, expand::<KEYS>(kernel, &key).keys, "{kernel:?}");
        }
    }
}

fn counters<const KEYS: usize>(kernel: Kernel) {
    let mut bytes = Bytes(500 + KEYS as u64);
    let firsts = [0, 7, u128::MAX, u128::MAX - 3, u64::MAX.into(), u128::MAX << 32 | 0xffff_fff5];
    for len in (0..=160).chain([511, 512, 513, 900, 1100]) {
        let (key, data) = (bytes.take(key_len(KEYS)), bytes.take(len));
        let schedule = expand::<KEYS>(kernel, &key);
        let first: u128 = firsts[len % firsts.len()];
        counter::<KEYS, WHOLE_BLOCK>(kernel, &schedule, &key, &data, |n| first.wrapping_add(n));
        counter::<KEYS, 32>(kernel, &schedule, &key, &data, |n| {
            first >> 32 << 32 | u128::from((first as u32).wrapping_add(n as u32))
        });
        let little = first.swap_bytes();
        counter::<KEYS, LITTLE_ENDIAN>(kernel, &schedule, &key, &data, |n| {
            let counted = (little as u32).wrapping_add(n as u32);
            (little >> 32 << 32 | u128::from(counted)).swap_bytes()
        });
    }
}

fn counter<const KEYS: usize, const BITS: u32>(
    kernel: Kernel,
    schedule: &Schedule<KEYS>,
    key: &[u8],
    data: &[u8],
    number: impl Fn(u128) -> u128,
) {
    let (mut found, mut counter) = (data.to_vec(), number(0).to_be_bytes());
    kernel.ctr::<KEYS, BITS>(schedule, &mut counter, found.as_mut_slice().into());
    let (mut elsewhere, mut again) = (alloc::vec![0xaa; data.len()], number(0).to_be_bytes());
    let from_to = InOutBuf::new(data, &mut elsewhere).unwrap();
    kernel.ctr::<KEYS, BITS>(schedule, &mut again, from_to);
    assert!(elsewhere == found && again == counter, "{kernel:?} {BITS} {}", data.len());
    let mut expected = data.to_vec();
    for (piece, i) in expected.chunks_mut(16).zip(0..) {
        let mask = reference(key, &number(i).to_be_bytes());
        piece.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    }
    assert_eq!(found, expected, "{kernel:?} {BITS} {}", data.len());
    assert_eq!(counter, number(data.len().div_ceil(16) as u128).to_be_bytes(), "{kernel:?}");
}

fn ciphers<const KEYS: usize>(kernel: Kernel)
where
    RoundKeys<KEYS>: KeyLen,
{
    let mut bytes = Bytes(600 + KEYS as u64);
    for count in 0..50 {
        let key = bytes.take(key_len(KEYS));
        let plain = bytes.blocks(count);
        let expected: Vec<Block> = plain.iter().map(|block| reference(&key, block)).collect();
        let mut blocks = plain.clone();
        let array = ::cipher::Array::cast_slice_from_core_mut(&mut blocks);
        Aes::<KEYS>::new_on(kernel, &key).encrypt_blocks(array);
        assert_eq!(blocks, expected, "{kernel:?} {count}");
        let array = ::cipher::Array::cast_slice_from_core_mut(&mut blocks);
        AesInverse::<KEYS>::new_from_slice(&key).unwrap().decrypt_blocks(array);
        assert_eq!(blocks, plain, "{count}");
        let array = ::cipher::Array::cast_slice_from_core_mut(&mut blocks);
        AesInverse::<KEYS>::new_on(kernel, &key).decrypt_blocks(array);
        let back: Vec<Block> = blocks.iter().map(|block| reference(&key, block)).collect();
        assert_eq!(back, plain, "{kernel:?} {count}");
    }
}

/// The masks that [`omac`] takes from the soft code, against RustCrypto's CMAC and by definition.
#[test]
fn masks_are_those_of_the_papers() {
    let mut bytes = Bytes(700);
    for len in 0..=80 {
        let (key, message) = (bytes.take(16), bytes.take(len));
        let mut peer = cmac::Cmac::<aes::Aes128>::new_from_slice(&key).unwrap();
        cmac::Mac::update(&mut peer, &message);
        let mut tag = [0; 16];
        Kernel::best().omac_once::<11>(&key, Omac::One, &message, &mut tag);
        assert_eq!(tag, cmac::Mac::finalize(peer).into_bytes().0);
        let l = bytes.block();
        let [double, half] = words::masks(&l, Omac::Two);
        assert_eq!(words::masks(&half, Omac::One)[0], l);
        assert_eq!(words::masks(&double, Omac::One)[0], words::masks(&l, Omac::One)[1]);
    }
}

/// Counter mode and the chain, one after the other, by the functions that the tests above prove.
fn in_two_passes<const KEYS: usize>(
    kernel: Kernel,
    [cipher, mac]: [&Schedule<KEYS>; 2],
    pass: Pass<'_, Block>,
    takes_output: bool,
) {
    let Pass { counter, y, head, data, masks } = pass;
    let (mut counter, before) = (*counter, data.to_vec());
    kernel.ctr::<KEYS, WHOLE_BLOCK>(cipher, &mut counter, (&mut *data).into());
    kernel.cbc(mac, y, head, &[]);
    if !data.is_empty() {
        let (blocks, tail) = split_last(if takes_output { data } else { &before });
        let [full, padded] = masks.unwrap_or([&[0; 16]; 2]);
        let padding = if masks.is_some() { Padding::One } else { Padding::Zeros };
        let ending = Ending { full, padded, padding, outer: None };
        let from = *y;
        kernel.cbc_finish(mac, &from, blocks, tail, ending, y);
    }
}

/// The lengths at which passes are held against each other.
fn lens() -> impl Iterator<Item = usize> {
    (0..=300).chain([1000, 4096, 5001])
}

fn side_by_side<const KEYS: usize>(kernel: Kernel) {
    let mut bytes = Bytes(9);
    let schedules: [Schedule<KEYS>; 2] = [0; 2].map(|_| expand(kernel, &bytes.take(key_len(KEYS))));
    for len in lens() {
        let (data, begin) = (bytes.take(len), bytes.block());
        let masks = [bytes.block(), bytes.block()];
        let head = bytes.blocks(len % 4);
        let mut counter = bytes.block();
        if len % 3 == 0 {
            counter = (u128::MAX - len as u128 / 20).to_be_bytes();
        }
        for case in 0..8 {
            let mac = &schedules[case & 1];
            let masks = (case & 2 != 0).then_some(masks.each_ref());
            let takes_output = case & 4 != 0;
            let run = |function: &dyn Fn(Pass<'_, Block>)| {
                let (mut y, mut data) = (begin, data.clone());
                function(Pass {
                    counter: &counter,
                    y: &mut y,
                    head: &head,
                    data: &mut data,
                    masks,
                });
                (y, data)
            };
            let cipher = &schedules[0];
            let two = run(&|pass| in_two_passes(kernel, [cipher, mac], pass, takes_output));
            let one = run(&|pass| match takes_output {
                true => kernel.ctr_cbc::<KEYS, true>(cipher, mac, pass),
                false => kernel.ctr_cbc::<KEYS, false>(cipher, mac, pass),
            });
            assert_eq!(one, two, "{len} {case}");
        }
    }
}

fn eax<const KEYS: usize>(kernel: Kernel) {
    let mut bytes = Bytes(10);
    let schedule: Schedule<KEYS> = expand(kernel, &bytes.take(key_len(KEYS)));
    let blocks: [Block; 8] = core::array::from_fn(|_| bytes.block());
    let [full, padded, after @ .., a, b, c] = &blocks;
    let (after, of_nothing) = (after.each_ref(), [a, b, c]);
    let ending = Ending { full, padded, padding: Padding::One, outer: None };
    let omac = |t: usize, message: &[u8]| {
        let (blocks, tail) = split_last(message);
        let mut y = *of_nothing[t];
        if !message.is_empty() {
            kernel.cbc_finish(&schedule, after[t], blocks, tail, ending, &mut y);
        }
        y
    };
    for len in lens() {
        let data = bytes.take(len);
        for (nonce_len, ad_len) in [(0, 0), (16, 5), (12, 16), (33, len), (16, 3 * len / 4)] {
            let (nonce, ad) = (bytes.take(nonce_len), bytes.take(ad_len));
            let (n, h) = (omac(0, &nonce), omac(1, &ad));
            let (mut sealed, mut counter) = (data.clone(), n);
            kernel.ctr::<KEYS, WHOLE_BLOCK>(&schedule, &mut counter, (&mut sealed[..]).into());
            let right = xor(&xor(&n, &h), &omac(2, &sealed));
            let run = |seals: bool, data: &[u8]| {
                let (mut tag, mut data) = ([0; 16], data.to_vec());
                let pass = EaxPass {
                    masks: [full, padded],
                    after,
                    of_nothing,
                    nonce: &nonce,
                    associated_data: &ad,
                    data: &mut data,
                    tag: &mut tag,
                };
                match seals {
                    true => kernel.eax::<KEYS, true>(&schedule, pass),
                    false => kernel.eax::<KEYS, false>(&schedule, pass),
                }
                (tag, data)
            };
            assert_eq!(run(true, &data), (right, sealed.clone()), "{len} {nonce_len} {ad_len}");
            assert_eq!(run(false, &sealed), (right, data.clone()), "{len} {nonce_len} {ad_len}");
        }
    }
}

/// Batches of chains under many keys.
#[cfg(all(feature = "batch", target_arch = "aarch64"))]
#[test]
fn many_chains_are_the_cipher() {
    use crate::kernels::lanes::cbc::tests::{Chains, check};

    fn of_len<const KEYS: usize>(key_lens: &'static [usize]) {
        let chains = Chains { key_lens, reference: |key, y| *y = reference(key, y) };
        for kernel in kernels() {
            let chain = |schedule: &Schedule<KEYS>, y: &mut Block, run: &[Block]| {
                kernel.cbc(schedule, y, run, &[]);
            };
            let schedule = |key: &[u8]| expand::<KEYS>(kernel, key);
            check(&chains, 8, schedule, chain, |jobs, y| kernel.cbc_many(jobs, y));
        }
    }
    of_len::<11>(&[16]);
    of_len::<13>(&[24]);
    of_len::<15>(&[32]);
}
