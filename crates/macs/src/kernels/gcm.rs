//! GCM over AES in one pass: counter mode of eight registers of blocks beside GHASH of the eight
//! before (or, where a message is opened, of the next ones), round by round, with one reduction for
//! all eight. The last blocks, the block of lengths and that which masks the tag go together, with
//! one reduction more. S. Gueron, "AES-GCM software performance on the current high end CPUs as a
//! performance baseline for CAESAR", 2013; D. McGrew, J. Viega, "The Galois/Counter Mode of
//! Operation", 2005.
//!
//! Round keys are a slice, so that keys of all lengths share the code.
#![expect(unsafe_code, reason = "calls into target_feature functions")]

mod registers;

use core::arch::x86_64::{__m128i, __m256i, __m512i};

use cipher::inout::InOutBuf;

use super::aes;
use super::cpu::{AesNi, Clmul, Vaes256, Vaes512, Vpclmul256, Vpclmul512};
use super::ghash::{
    self, Block, Key,
    aggregate::{self, Products, REGISTERS, Register, add_few, power, total_of_few},
    element,
};
use registers::{Wide, from_memory};

/// Messages of at most so many bytes have functions of their own, of as few instructions as can be:
/// the processor begins a message while the one before is under way, but looks no more than some
/// hundred instructions ahead.
const SHORT_BYTES: usize = 64;

/// A message, what goes with it, and its tag.
pub struct Pass<'a> {
    /// The hash of the associated data.
    pub(crate) y: Block,
    /// Length of the associated data.
    pub(crate) associated_len_bytes: u64,
    /// What is encrypted or decrypted.
    pub(crate) data: InOutBuf<'a, 'a, u8>,
    /// How much of it is.
    pub(crate) done: usize,
    /// The whole tag.
    pub(crate) tag: &'a mut Block,
}

/// What GMAC takes at the end of a message.
pub struct End<'a> {
    /// The hash so far.
    pub(crate) y: &'a Block,
    /// The rest.
    pub(crate) data: &'a [u8],
    /// Length of all.
    pub(crate) len_bytes: u64,
}

/// Round keys in the order of encryption: those that all lengths of keys have but the last, and
/// then one, three or five.
#[derive(Clone, Copy)]
struct Keys<'a> {
    first: &'a [__m128i; 10],
    more: &'a [__m128i],
}

impl<'a> From<&'a [__m128i]> for Keys<'a> {
    #[inline(always)]
    fn from(keys: &'a [__m128i]) -> Self {
        let (first, more) = keys.split_first_chunk().expect("ten rounds");
        Self { first, more }
    }
}

/// Counter blocks and what they are encrypted with.
#[derive(Clone, Copy)]
struct Counters<'a, R> {
    keys: Keys<'a>,
    /// The next ones, in the order of numbers.
    next: R,
    /// That of blocks.
    order: R,
}

impl<R: Wide> Counters<'_, R> {
    /// The next blocks with the first round key.
    #[inline(always)]
    fn take<const N: usize>(&mut self) -> [R; N] {
        let (key, by) =
            (R::key(self.keys.first[0]), R::spread(element::of_number(R::LANES as u128)));
        let mut states = [R::zero(); N];
        for state in &mut states {
            *state = self.next.ordered(self.order).xor(key);
            self.next = self.next.plus(by);
        }
        states
    }
}

/// Encrypts or decrypts eight registers. With `HASHES` the hash goes on over eight others: those
/// sealed before, or those to open next.
#[inline(always)]
fn step<R: Wide, const HASHES: bool>(
    counters: &mut Counters<'_, R>,
    hash: &Key,
    y: &mut __m128i,
    hashed: &[u8],
    mut now: InOutBuf<'_, '_, u8>,
) {
    let mut states = counters.take::<REGISTERS>();
    let keys = counters.keys;
    let mut sum = [R::zero(); 3];
    for round in 0..REGISTERS {
        let key = R::key(keys.first[1 + round]);
        for state in &mut states {
            *state = state.aesenc(key);
        }
        if HASHES {
            // The first block waits for the hash before it.
            let number = REGISTERS - 1 - round;
            let mut block = R::load(&hashed[number * R::BYTES..]).ordered(counters.order);
            if number == 0 {
                block = block.xor(R::first_only(*y));
            }
            sum = aggregate::add_one_of_eight(sum, &hash.slots, number, block);
        }
    }
    if HASHES {
        *y = aggregate::total_of_eight(sum);
    }
    let (last, more) = keys.more.split_last().expect("the last one");
    for keys in [&keys.first[1 + REGISTERS..], more] {
        for key in keys {
            let key = R::key(*key);
            for state in &mut states {
                *state = state.aesenc(key);
            }
        }
    }
    let last = R::key(*last);
    for (number, state) in states.into_iter().enumerate() {
        let data = R::load(&now.get_in()[number * R::BYTES..]);
        state.aesenclast(data.xor(last)).store(&mut now.get_out()[number * R::BYTES..]);
    }
}

/// What a function of one set of instructions goes by. The first counter block is a little-endian
/// number, in registers: a vector that is loaded from halves waits until they are in the cache.
type Inputs<'a> = (Keys<'a>, &'a Key, u128);

/// The same with the keys as they come: in two registers, while [`Keys`] go through memory.
type Given<'a> = (&'a [__m128i], &'a Key, u128);

/// The counter blocks after so many bytes.
#[inline(always)]
fn counters<R: Wide>((keys, hash, j0): Inputs<'_>, done: usize) -> Counters<'_, R> {
    let order = element::load(&hash.order);
    let first = R::spread(element::of_number(j0).ordered(order)).plus(R::numbers());
    let next = first.plus(R::spread(element::of_number((done / 16) as u32 as u128)));
    Counters { keys, next, order: R::spread(order) }
}

/// Seals or opens as many times eight registers as there are.
#[inline(always)]
fn steps<R: Wide, const SEALS: bool>(inputs: Inputs<'_>, pass: &mut Pass<'_>) {
    let (_, hash, _) = inputs;
    let mut counters = counters::<R>(inputs, 0);
    let mut y = element::load(&pass.y).ordered(counters.order.first());
    let len = REGISTERS * R::BYTES;
    let done = pass.data.len() / len * len;
    let has_rest = done < pass.data.len();
    let (mut rest, _) = pass.data.reborrow().split_at(done);
    if SEALS {
        let (mut before, others) = rest.split_at(len);
        rest = others;
        step::<R, false>(&mut counters, hash, &mut y, &[], before.reborrow());
        while !rest.is_empty() {
            let (mut now, others) = rest.split_at(len);
            rest = others;
            let hashed = before.get_out();
            // On 256-bit registers the compiler's choice is the quicker one.
            let hashed = if R::LANES == 2 { hashed } else { from_memory(hashed) };
            step::<R, true>(&mut counters, hash, &mut y, hashed, now.reborrow());
            before = now;
        }
        // The last ones of all are hashed together with the lengths.
        if has_rest {
            y = aggregate::eight::<R>(hash, y, before.get_out());
        }
    } else {
        let (mut now, others) = rest.split_at(len);
        rest = others;
        y = aggregate::eight::<R>(hash, y, now.get_in());
        while !rest.is_empty() {
            let (next, others) = rest.split_at(len);
            rest = others;
            step::<R, true>(&mut counters, hash, &mut y, next.get_in(), now);
            now = next;
        }
        step::<R, false>(&mut counters, hash, &mut y, &[], now);
    }
    pass.done = done;
    element::store(&mut pass.y, y.ordered(counters.order.first()));
}

/// All rounds but the last of states that have the first round key, and all of the block that masks
/// the tag. Returns the key of the last round, and that block.
#[inline(always)]
fn rounds<R: Wide, const N: usize>(
    keys: Keys<'_>,
    states: &mut [R; N],
    mut mask: __m128i,
) -> (R, __m128i) {
    let (last, more) = keys.more.split_last().expect("the last one");
    mask = mask.xor(keys.first[0]);
    for keys in [&keys.first[1..], more] {
        for key in keys {
            mask = mask.aesenc(*key);
            let key = R::key(*key);
            for state in states.iter_mut() {
                *state = state.aesenc(key);
            }
        }
    }
    mask = mask.aesenclast(*last);
    (R::key(*last), mask)
}

/// Encrypts or decrypts what follows the first `done` bytes, up to N registers, and the block that
/// masks the tag, and makes the tag. The powers are those of registers of `POWERS / REGISTERS`
/// blocks.
#[inline(always)]
fn finish<R: Wide, const SEALS: bool, const N: usize, const POWERS: usize>(
    inputs: Inputs<'_>,
    pass: &mut Pass<'_>,
    done: usize,
) {
    let (_, hash, j0) = inputs;
    let mask = element::of_number(j0);
    let mut counters = counters::<R>(inputs, done);
    let lens_bytes = [pass.associated_len_bytes, pass.data.len() as u64];
    let lengths = element::lengths(lens_bytes);
    let y = element::load(&pass.y).ordered(counters.order.first());
    let (mut before, mut data) = pass.data.reborrow().split_at(done);
    // The last powers: the key may have those of wider registers.
    let (slots, order) = (&hash.slots[POWERS - R::POWERS..], counters.order);
    let mut states = counters.take::<N>();
    let (last, mask) = rounds(counters.keys, &mut states, mask);
    let (len, blocks) = (data.len(), data.len().div_ceil(16));
    if N == 0 && SEALS && done > 0 {
        let eight = &before.get_out()[done - REGISTERS * R::BYTES..];
        let y = aggregate::close_eight::<R>(hash, y, eight, lengths);
        element::store(pass.tag, mask.xor(y.ordered(order.first())));
        return;
    }
    let h = R::first_only(power(slots, R::POWERS - 1));
    // If there are as many blocks as powers, the lengths are hashed after them.
    let is_full = N == REGISTERS && blocks == R::POWERS;
    let mut sum: Products<R> = [R::zero(); 3];
    if !is_full {
        let lengths = if N == 0 { lengths.xor(y) } else { lengths };
        sum = add_few(sum, R::first_only(lengths), h);
    }
    let mut first = R::first_only(y);
    let mut at = R::POWERS - blocks - usize::from(!is_full);
    for (state, from) in states.into_iter().zip((0..).step_by(R::BYTES)) {
        let (read, written);
        if let Some(end) = (from + R::BYTES <= len).then_some(from + R::BYTES) {
            read = R::load(&data.get_in()[from..end]);
            written = state.aesenclast(read.xor(last));
            written.store(&mut data.get_out()[from..end]);
        } else if from < len {
            read = R::load_part(&data.get_in()[from..]);
            written = state.aesenclast(read.xor(last)).first_bytes(len - from);
            written.store_part(&mut data.get_out()[from..]);
        } else {
            break;
        }
        let block = if SEALS { written } else { read }.ordered(order).xor(first);
        sum = add_few(sum, block, power(slots, at));
        (first, at) = (R::zero(), at + R::LANES);
    }
    if is_full {
        sum = add_few([R::zero(); 3], R::first_only(total_of_few(sum).xor(lengths)), h);
    }
    element::store(pass.tag, mask.xor(total_of_few(sum).ordered(order.first())));
}

/// The tag of GMAC; `LONG` if the powers do not reach to the end of the message.
#[inline(always)]
fn tag<R: Wide, const LONG: bool>((keys, hash, j0): Inputs<'_>, end: &End<'_>, tag: &mut Block) {
    let mut mask = element::of_number(j0).xor(keys.first[0]);
    let (last, more) = keys.more.split_last().expect("the last one");
    for keys in [&keys.first[1..], more] {
        for key in keys {
            mask = mask.aesenc(*key);
        }
    }
    mask = mask.aesenclast(*last);
    let order = element::load(&hash.order);
    let (mut y, mut data) = (element::load(end.y).ordered(order), end.data);
    if LONG {
        let (bulk, rest) = data.split_at(aggregate::before_close::<R>(hash, data.len()));
        (y, data) = (aggregate::absorb::<R>(hash, y, bulk), rest);
    }
    let y = aggregate::close::<R>(hash, y, data, element::lengths([end.len_bytes, 0]));
    element::store(tag, mask.xor(y.ordered(order)));
}

/// Safe functions over those of a set of instructions.
macro_rules! entries {
    (
        $name:ident, $short:ident, $tag:ident, $aes:ident, $ghash:ident, $register:ident,
        $features:literal
    ) => {
        #[inline(always)]
        fn $name<const SEALS: bool>(
            tokens: ($aes, $ghash),
            (keys, hash, j0): Given<'_>,
            pass: &mut Pass<'_>,
        ) {
            #[target_feature(enable = $features)]
            fn steps_on_cpu<const SEALS: bool>(
                keys: Keys<'_>,
                hash: &Key,
                j0: u128,
                pass: &mut Pass<'_>,
            ) {
                steps::<$register, SEALS>((keys, hash, j0), pass);
            }

            #[target_feature(enable = $features)]
            fn finish_on_cpu<const SEALS: bool>(
                keys: Keys<'_>,
                hash: &Key,
                j0: u128,
                pass: &mut Pass<'_>,
            ) {
                const POWERS: usize = $register::POWERS;
                let (inputs, done) = ((keys, hash, j0), pass.done);
                let rest = pass.data.len() - done;
                match rest.div_ceil($register::BYTES) {
                    0 => finish::<$register, SEALS, 0, POWERS>(inputs, pass, done),
                    // In a wide register it would be loaded and stored under a mask, for which
                    // a message that depends on the one before would have to wait.
                    1 if rest <= 16 => finish::<__m128i, SEALS, 1, POWERS>(inputs, pass, done),
                    1 => finish::<$register, SEALS, 1, POWERS>(inputs, pass, done),
                    2 => finish::<$register, SEALS, 2, POWERS>(inputs, pass, done),
                    3 | 4 => finish::<$register, SEALS, 4, POWERS>(inputs, pass, done),
                    _ => finish::<$register, SEALS, REGISTERS, POWERS>(inputs, pass, done),
                }
            }

            let len = pass.data.len();
            if (1..=SHORT_BYTES).contains(&len) {
                return $short::<SEALS>(tokens, (keys, hash, j0), pass);
            }
            let keys = Keys::from(keys);
            if len >= REGISTERS * $register::BYTES {
                // SAFETY: the tokens prove the instructions.
                unsafe { steps_on_cpu::<SEALS>(keys, hash, j0, pass) };
            }
            // SAFETY: the tokens prove the instructions.
            unsafe { finish_on_cpu::<SEALS>(keys, hash, j0, pass) };
        }

        /// The same of 1 to [`SHORT_BYTES`] bytes.
        #[inline(always)]
        fn $short<const SEALS: bool>(
            _: ($aes, $ghash),
            (keys, hash, j0): Given<'_>,
            pass: &mut Pass<'_>,
        ) {
            #[target_feature(enable = $features)]
            fn on_cpu<R: Wide, const SEALS: bool, const N: usize>(
                keys: &[__m128i],
                hash: &Key,
                j0: u128,
                pass: &mut Pass<'_>,
            ) {
                finish::<R, SEALS, N, { $register::POWERS }>((keys.into(), hash, j0), pass, 0);
            }

            let (len, bytes) = (pass.data.len(), $register::BYTES);
            // SAFETY: the tokens prove the instructions.
            unsafe {
                if len <= 16 {
                    on_cpu::<__m128i, SEALS, 1>(keys, hash, j0, pass);
                } else if bytes == SHORT_BYTES || len <= bytes {
                    on_cpu::<$register, SEALS, 1>(keys, hash, j0, pass);
                } else if 2 * bytes == SHORT_BYTES || len <= 2 * bytes {
                    on_cpu::<$register, SEALS, 2>(keys, hash, j0, pass);
                } else {
                    on_cpu::<$register, SEALS, 4>(keys, hash, j0, pass);
                }
            }
        }

        #[inline(always)]
        fn $tag(_: ($aes, $ghash), (keys, hash, j0): Given<'_>, end: &End<'_>, to: &mut Block) {
            #[target_feature(enable = $features)]
            fn on_cpu<const LONG: bool>(
                keys: &[__m128i],
                hash: &Key,
                j0: u128,
                end: &End<'_>,
                to: &mut Block,
            ) {
                tag::<$register, LONG>((keys.into(), hash, j0), end, to);
            }

            if aggregate::before_close::<$register>(hash, end.data.len()) == 0 {
                // SAFETY: the tokens prove the instructions.
                unsafe { on_cpu::<false>(keys, hash, j0, end, to) }
            } else {
                // SAFETY: the tokens prove the instructions.
                unsafe { on_cpu::<true>(keys, hash, j0, end, to) }
            }
        }
    };
}

entries!(
    on_512,
    short_on_512,
    tag_on_512,
    Vaes512,
    Vpclmul512,
    __m512i,
    "vaes,aes,vpclmulqdq,pclmulqdq,avx,avx2,avx512f,avx512bw,avx512vl,avx512dq,bmi2"
);
entries!(
    on_256,
    short_on_256,
    tag_on_256,
    Vaes256,
    Vpclmul256,
    __m256i,
    "vaes,aes,vpclmulqdq,pclmulqdq,avx,avx2"
);
entries!(on_128, short_on_128, tag_on_128, AesNi, Clmul, __m128i, "aes,pclmulqdq,avx");

/// Calls the function of a pair of kernels that share their registers, if they do; tells whether.
macro_rules! call {
    ($kernels:expr, [$on_512:expr, $on_256:expr, $on_128:expr], $($argument:expr),*) => {
        match $kernels {
            (aes::Kernel::Vaes512(_, aes), ghash::Kernel::Vpclmul512(ghash)) => {
                $on_512((aes, ghash), $($argument),*);
                true
            }
            (aes::Kernel::Vaes256(_, aes), ghash::Kernel::Vpclmul256(ghash)) => {
                $on_256((aes, ghash), $($argument),*);
                true
            }
            (aes::Kernel::AesNi(aes), ghash::Kernel::Clmul(ghash)) => {
                $on_128((aes, ghash), $($argument),*);
                true
            }
            _ => false,
        }
    };
}

/// Seals or opens a message of which the powers of H reach to the end, if there is a kernel of both
/// primitives; tells whether it did. See [`Inputs`] for the first counter block.
#[inline(always)]
pub(crate) fn pass<const KEYS: usize, const SEALS: bool>(
    kernels: (aes::Kernel, ghash::Kernel),
    keys: &aes::Schedule<KEYS>,
    hash: &Key,
    j0: u128,
    pass: &mut Pass<'_>,
) -> bool {
    let given: Given<'_> = (aes::aes_ni::vectors(keys), hash, j0);
    call!(kernels, [on_512::<SEALS>, on_256::<SEALS>, on_128::<SEALS>], given, pass)
}

/// Makes the tag of GMAC, likewise.
#[inline(always)]
pub(crate) fn gmac<const KEYS: usize>(
    kernels: (aes::Kernel, ghash::Kernel),
    keys: &aes::Schedule<KEYS>,
    hash: &Key,
    j0: u128,
    end: &End<'_>,
    tag: &mut Block,
) -> bool {
    let given: Given<'_> = (aes::aes_ni::vectors(keys), hash, j0);
    call!(kernels, [tag_on_512, tag_on_256, tag_on_128], given, end, tag)
}
