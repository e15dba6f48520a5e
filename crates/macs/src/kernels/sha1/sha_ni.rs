//! SHA-1 with the SHA instructions: FIPS 180-4 §6.1.2.
//!
//! `sha1rnds4` does four rounds in 6 cycles, 20 of them are a block: 120 cycles, below which
//! everything else hides. The rounds are one piece of assembly, because compilers hoist the
//! message schedule above them, which short messages then wait for.
//!
//! Vectors hold their first word at the top, as the instructions want them. So a chaining value
//! a, b, c, d is also, as it is, the first vector of the outer block of HMAC.
#![expect(unsafe_code, reason = "instructions that the token proves")]

use core::arch::asm;
use core::arch::x86_64::*;

use super::{Block, INITIAL, Kernel, Sha1, State};
use crate::kernels::Job;
use crate::kernels::cpu::ShaNi;
use crate::kernels::lanes::hmac::batch::{self, Ways};
use crate::kernels::lanes::hmac::{HmacKernel, HmacKey, IPAD, OPAD, Tags, Unlike};
use crate::kernels::lanes::{self, Lanes, Plan};
use crate::kernels::md_block::{LengthOrder, length_word, needs_two_blocks, tail};

/// A chaining value: a, b, c, d and, at the top of the second vector over zeros, e.
#[derive(Clone, Copy)]
struct Chain {
    abcd: __m128i,
    e: __m128i,
}

/// The four vectors of a message block.
type Words = [__m128i; 4];

/// An instruction of each stream: from, to.
macro_rules! op {
    ($name:literal, $($to:ident $from:ident),+) => {
        concat!($($name, " {", stringify!($to), "}, {", stringify!($from), "}\n",)+)
    };
    (rounds $quarter:literal, $($to:ident $from:ident),+) => {
        concat!($(
            "sha1rnds4 {", stringify!($to), "}, {", stringify!($from), "}, ", $quarter, "\n",
        )+)
    };
}

/// Four rounds of each stream with what the schedule can then do: `$w0` are their words, in `$x`
/// is a, b, c, d as they were before the last four (at the start: e).
macro_rules! four_rounds {
    ($kind:ident $quarter:literal, $($abcd:ident $x:ident $y:ident
       $w0:ident $w1:ident $w2:ident $w3:ident),+) => {
        concat!(
            four_rounds!(@e $kind $($x $w0),+),
            op!("movdqa", $($y $abcd),+),
            op!(rounds $quarter, $($abcd $x),+),
            four_rounds!(@w1 $kind $($w1 $w0),+),
            four_rounds!(@w2 $kind $($w2 $w0),+),
            four_rounds!(@w3 $kind $($w3 $w0),+),
        )
    };
    (@e first $($ops:tt)+) => { op!("paddd", $($ops)+) };
    (@e $kind:ident $($ops:tt)+) => { op!("sha1nexte", $($ops)+) };
    (@w1 all $($ops:tt)+) => { op!("sha1msg2", $($ops)+) };
    (@w1 last_but_two $($ops:tt)+) => { op!("sha1msg2", $($ops)+) };
    (@w1 last_but_one $($ops:tt)+) => { op!("sha1msg2", $($ops)+) };
    (@w1 $kind:ident $($ops:tt)+) => { "" };
    (@w2 all $($ops:tt)+) => { op!("pxor", $($ops)+) };
    (@w2 third $($ops:tt)+) => { op!("pxor", $($ops)+) };
    (@w2 last_but_two $($ops:tt)+) => { op!("pxor", $($ops)+) };
    (@w2 $kind:ident $($ops:tt)+) => { "" };
    (@w3 all $($ops:tt)+) => { op!("sha1msg1", $($ops)+) };
    (@w3 second $($ops:tt)+) => { op!("sha1msg1", $($ops)+) };
    (@w3 third $($ops:tt)+) => { op!("sha1msg1", $($ops)+) };
    (@w3 $kind:ident $($ops:tt)+) => { "" };
}

/// 16 rounds of each stream.
macro_rules! sixteen_rounds {
    ($k0:ident $q0:literal $k1:ident $q1:literal $k2:ident $q2:literal $k3:ident $q3:literal,
     $($abcd:ident $e:ident $t:ident $m0:ident $m1:ident $m2:ident $m3:ident),+) => {
        concat!(
            four_rounds!($k0 $q0, $($abcd $e $t $m0 $m1 $m2 $m3),+),
            four_rounds!($k1 $q1, $($abcd $t $e $m1 $m2 $m3 $m0),+),
            four_rounds!($k2 $q2, $($abcd $e $t $m2 $m3 $m0 $m1),+),
            four_rounds!($k3 $q3, $($abcd $t $e $m3 $m0 $m1 $m2),+),
        )
    };
}

/// The 80 rounds of each stream. `$e` is then what `sha1nexte` makes e of.
macro_rules! rounds {
    ($($abcd:ident $e:ident $t:ident $m0:ident $m1:ident $m2:ident $m3:ident),+) => {
        // SAFETY: no memory is touched; callers have the instructions.
        unsafe {
            asm!(
                sixteen_rounds!(first 0 second 0 third 0 all 0,
                    $($abcd $e $t $m0 $m1 $m2 $m3),+),
                sixteen_rounds!(all 0 all 1 all 1 all 1,
                    $($abcd $e $t $m0 $m1 $m2 $m3),+),
                sixteen_rounds!(all 1 all 1 all 2 all 2,
                    $($abcd $e $t $m0 $m1 $m2 $m3),+),
                sixteen_rounds!(all 2 all 2 all 2 all 3,
                    $($abcd $e $t $m0 $m1 $m2 $m3),+),
                sixteen_rounds!(all 3 last_but_two 3 last_but_one 3 last 3,
                    $($abcd $e $t $m0 $m1 $m2 $m3),+),
                $($abcd = inout(xmm_reg) $abcd, $e = inout(xmm_reg) $e, $t = out(xmm_reg) _,
                  $m0 = inout(xmm_reg) $m0 => _, $m1 = inout(xmm_reg) $m1 => _,
                  $m2 = inout(xmm_reg) $m2 => _, $m3 = inout(xmm_reg) $m3 => _,)+
                options(pure, nomem, nostack, preserves_flags),
            );
        }
    };
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn absorb(chain: Chain, words: Words) -> Chain {
    let Chain { mut abcd, mut e } = chain;
    let [m0, m1, m2, m3] = words;
    rounds!(abcd e t m0 m1 m2 m3);
    after(chain, abcd, e)
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn absorb_pair(chains: [Chain; 2], words: [Words; 2]) -> [Chain; 2] {
    let [Chain { abcd: mut abcd0, e: mut e0 }, Chain { abcd: mut abcd1, e: mut e1 }] = chains;
    let [[m0, m1, m2, m3], [n0, n1, n2, n3]] = words;
    rounds!(abcd0 e0 t0 m0 m1 m2 m3, abcd1 e1 t1 n0 n1 n2 n3);
    [after(chains[0], abcd0, e0), after(chains[1], abcd1, e1)]
}

/// The chaining value after a block.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn after(before: Chain, abcd: __m128i, e: __m128i) -> Chain {
    Chain { abcd: _mm_add_epi32(before.abcd, abcd), e: _mm_sha1nexte_epu32(e, before.e) }
}

/// Reverses 16 bytes: big-endian words, the first at the top.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn reverse(bytes: __m128i) -> __m128i {
    _mm_shuffle_epi8(bytes, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f))
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn load(block: &Block) -> Words {
    let (quarters, _) = block.as_chunks::<16>();
    // SAFETY: each has 16 bytes.
    let load = |index: usize| unsafe { _mm_loadu_si128(quarters[index].as_ptr().cast()) };
    [reverse(load(0)), reverse(load(1)), reverse(load(2)), reverse(load(3))]
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn from_state(state: &State) -> Chain {
    // SAFETY: 16 of the 20 bytes.
    let words = unsafe { _mm_loadu_si128(state.as_ptr().cast()) };
    Chain {
        abcd: _mm_shuffle_epi32(words, 0x1b),
        e: _mm_slli_si128(_mm_cvtsi32_si128(state[4].cast_signed()), 12),
    }
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn to_state(chain: Chain) -> State {
    let mut state = [0; 5];
    // SAFETY: 16 of the 20 bytes.
    unsafe { _mm_storeu_si128(state.as_mut_ptr().cast(), _mm_shuffle_epi32(chain.abcd, 0x1b)) };
    state[4] = _mm_extract_epi32(chain.e, 3).cast_unsigned();
    state
}

/// The last `tail_len` bytes with `marker` and zeros behind them.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn tail(bytes: &[u8], tail_len: usize, marker: u8) -> Words {
    // Only a key may fill the block.
    if let Ok(block) = <&Block>::try_from(bytes)
        && tail_len == block.len()
    {
        return load(block);
    }
    let [w0, w1, w2, w3] = tail::marked(bytes, marker);
    [reverse(w0), reverse(w1), reverse(w2), reverse(w3)]
}

/// HMAC from the chaining values after the key blocks.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn hmac_of([mut inner, outer]: [Chain; 2], message: &[u8]) -> State {
    let (blocks, rest) = message.as_chunks::<64>();
    for block in blocks {
        inner = absorb(inner, load(block));
    }
    let mut words = tail(message, rest.len(), 0x80);
    if needs_two_blocks(rest.len()) {
        inner = absorb(inner, words);
        words = [_mm_setzero_si128(); 4];
    }
    words[3] = _mm_or_si128(words[3], length(message.len()));
    inner = absorb(inner, words);
    let marked_e = _mm_or_si128(inner.e, _mm_set_epi32(0, i32::MIN, 0, 0));
    to_state(absorb(outer, [inner.abcd, marked_e, _mm_setzero_si128(), length(20)]))
}

/// The chaining values after the key blocks, of a key of at most 64 bytes.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn key_chains(key: &[u8]) -> [Chain; 2] {
    assert!(key.len() <= 64, "at most a block");
    let [w0, w1, w2, w3] = tail(key, key.len(), 0);
    let [ipad, opad] = [_mm_set1_epi8(IPAD.cast_signed()), _mm_set1_epi8(OPAD.cast_signed())];
    let xor = _mm_xor_si128;
    absorb_pair(
        [from_state(&INITIAL); 2],
        [
            [xor(w0, ipad), xor(w1, ipad), xor(w2, ipad), xor(w3, ipad)],
            [xor(w0, opad), xor(w1, opad), xor(w2, opad), xor(w3, opad)],
        ],
    )
}

/// The length field of a message behind one key block.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn length(len: usize) -> __m128i {
    let bits = length_word(LengthOrder::Big, len).swap_bytes();
    _mm_set_epi64x(0, bits.cast_signed())
}

/// HMAC from the chaining values after the key blocks.
#[inline]
pub(super) fn hmac(_: ShaNi, inner: &State, outer: &State, message: &[u8]) -> State {
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn run(inner: &State, outer: &State, message: &[u8]) -> State {
        hmac_of([from_state(inner), from_state(outer)], message)
    }
    // SAFETY: the token proves the instructions.
    unsafe { run(inner, outer, message) }
}

/// The chaining values after the key blocks, of a key of at most 64 bytes.
#[inline]
pub(super) fn hmac_key(_: ShaNi, key: &[u8]) -> [State; 2] {
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn run(key: &[u8]) -> [State; 2] {
        let [inner, outer] = key_chains(key);
        [to_state(inner), to_state(outer)]
    }
    // SAFETY: the token proves the instructions.
    unsafe { run(key) }
}

/// HMAC under a key of at most 64 bytes.
#[inline]
pub(super) fn hmac_once(_: ShaNi, key: &[u8], message: &[u8]) -> State {
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn run(key: &[u8], message: &[u8]) -> State {
        hmac_of(key_chains(key), message)
    }
    // SAFETY: the token proves the instructions.
    unsafe { run(key, message) }
}

/// Absorbs a run of blocks.
pub(super) fn compress(_: ShaNi, state: &mut State, blocks: &[Block]) {
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn run(state: &mut State, blocks: &[Block]) {
        let mut chain = from_state(state);
        for block in blocks {
            chain = absorb(chain, load(block));
        }
        *state = to_state(chain);
    }
    // SAFETY: the token proves the instructions.
    unsafe { run(state, blocks) }
}

/// One block each for two chaining values.
pub(super) fn compress_pair(_: ShaNi, states: [&mut State; 2], blocks: [&Block; 2]) {
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn run([first, second]: [&mut State; 2], blocks: [&Block; 2]) {
        let chains = [from_state(first), from_state(second)];
        let chains = absorb_pair(chains, [load(blocks[0]), load(blocks[1])]);
        [*first, *second] = [to_state(chains[0]), to_state(chains[1])];
    }
    // SAFETY: the token proves the instructions.
    unsafe { run(states, blocks) }
}

/// The tags of many messages, two at a time.
pub(super) fn macs(
    token: ShaNi,
    kernel: Kernel,
    keys: &[HmacKey<State>],
    jobs: &[Job<'_>],
    tags: &mut [u8],
) {
    batch::macs::<_, Sha1, 64>(Two { token, kernel }, keys, jobs, tags);
}

/// The tags of a few messages: two at a time, if they are long enough that it pays.
#[inline(always)]
pub(super) fn few(
    token: ShaNi,
    kernel: Kernel,
    tags: &mut Tags<'_, '_, Sha1, 64>,
    numbers: &[u16],
) {
    let two = Two { token, kernel };
    let is_long = |&number: &u16| tags.message(number).len() >= PAIRED_MIN_BYTES;
    if numbers.len() > 1 && numbers.iter().all(is_long) {
        two.drive(Unlike { tags, numbers });
    } else {
        batch::one_by_one(two, tags, numbers);
    }
}

/// Shorter messages are quicker one after the other.
pub(super) const PAIRED_MIN_BYTES: usize = 192;

#[derive(Clone, Copy)]
struct Two {
    token: ShaNi,
    kernel: Kernel,
}

impl Ways<Sha1, 64> for Two {
    const STEP: usize = 0;
    const STEP_MIN: usize = usize::MAX;
    const LANES_MIN: usize = 2;

    #[inline(always)]
    fn one(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        HmacKernel::hmac(self.kernel, key, message, tag);
    }

    fn in_step(self, _: &mut Tags<'_, '_, Sha1, 64>, _: &[u16]) {}

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        lanes::drive::<_, _, 64, 2>(&mut Sha1Pair::new(self.token), plan);
    }
}

/// Two chains, in little more than the time of one.
pub(crate) struct Sha1Pair {
    token: ShaNi,
    states: [State; 2],
}

impl Sha1Pair {
    /// Chains that begin with zeros.
    pub(crate) fn new(token: ShaNi) -> Self {
        Self { token, states: [[0; 5]; 2] }
    }
}

impl Lanes for Sha1Pair {
    type State = State;
    type Block = Block;
    const LANES: usize = 2;

    #[inline(always)]
    fn put(&mut self, lane: usize, state: &State) {
        self.states[lane] = *state;
    }

    #[inline(always)]
    fn take(&self, lane: usize) -> State {
        self.states[lane]
    }

    #[inline]
    fn absorb(&mut self, runs: &[&[Block]]) {
        let &[first, second] = runs else { panic!("one run a lane") };
        assert_eq!(first.len(), second.len(), "runs of one length");
        let _: ShaNi = self.token;
        // SAFETY: the token proves the instructions.
        unsafe { absorb_pairs(&mut self.states, first, second) }
    }
}

#[target_feature(enable = "sha,ssse3,sse4.1")]
fn absorb_pairs(states: &mut [State; 2], first: &[Block], second: &[Block]) {
    let mut chains = [from_state(&states[0]), from_state(&states[1])];
    for (first, second) in first.iter().zip(second) {
        chains = absorb_pair(chains, [load(first), load(second)]);
    }
    *states = [to_state(chains[0]), to_state(chains[1])];
}
