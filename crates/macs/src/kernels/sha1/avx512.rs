//! SHA-1 of 16 messages side by side: FIPS 180-4 §6.1.2.
#![expect(unsafe_code, reason = "instructions that the token proves")]

use core::arch::x86_64::*;

use super::{Block, K, Kernel, Sha1, State, sha_ni};
use crate::kernels::Job;
use crate::kernels::cpu::Avx512;
use crate::kernels::lanes::hmac::batch::{self, Ways};
use crate::kernels::lanes::hmac::{HmacKernel, HmacKey, Tags, keys_in_turn};
use crate::kernels::lanes::{self, Plan};
use crate::kernels::md_block::LengthOrder;
use crate::kernels::stack::align_frame;
use crate::kernels::zmm::quarters::{self, pinned};
use crate::kernels::zmm::{self, Columns, ZmmLanes};

/// Prepares many keys of at most a block.
pub(super) fn keys(token: Avx512, kernel: Kernel, keys: &[&[u8]], states: &mut [HmacKey<State>]) {
    for (keys, states) in keys.chunks(16).zip(states.chunks_mut(16)) {
        if keys.len() < KEYS_MIN {
            keys_in_turn::<_, Sha1, 64>(kernel, keys, states);
        } else {
            zmm::hmac::keys::<Sha1Columns, Sha1, 5>(token, keys, states);
        }
    }
}

/// Fewest keys that are quicker side by side.
const KEYS_MIN: usize = 5;

/// Fewer messages have no use for these vectors.
pub(super) const TOGETHER_MIN: usize = 8;

/// The tags of many messages; `kernel` takes those that go alone.
pub(super) fn macs(
    token: Avx512,
    kernel: Kernel,
    keys: &[HmacKey<State>],
    jobs: &[Job<'_>],
    tags: &mut [u8],
) {
    batch::macs::<_, Sha1, 64>(Sixteen { token, kernel }, keys, jobs, tags);
}

#[derive(Clone, Copy)]
struct Sixteen {
    token: Avx512,
    kernel: Kernel,
}

impl Ways<Sha1, 64> for Sixteen {
    const STEP: usize = 16;
    const STEP_MIN: usize = TOGETHER_MIN;
    const LANES_MIN: usize = 11;

    #[inline(always)]
    fn one(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        HmacKernel::hmac(self.kernel, key, message, tag);
    }

    #[inline(always)]
    fn in_step(self, tags: &mut Tags<'_, '_, Sha1, 64>, numbers: &[u16]) {
        zmm::hmac::in_step::<Sha1Columns, Sha1, 5, 1>(self.token, tags, numbers);
    }

    #[inline(always)]
    fn few(self, tags: &mut Tags<'_, '_, Sha1, 64>, numbers: &[u16]) {
        match self.kernel {
            Kernel::ShaNi(token, _) => sha_ni::few(token, self.kernel, tags, numbers),
            _ => batch::one_by_one(self, tags, numbers),
        }
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        lanes::drive::<_, _, 64, 16>(
            &mut Sha1Lanes::new(self.token, Sha1Columns(self.kernel)),
            plan,
        );
    }
}

/// 16 chains.
pub(super) type Sha1Lanes = ZmmLanes<Sha1Columns, 5, 1>;

/// One block in each lane. The kernel takes chains that are left alone.
pub(crate) struct Sha1Columns(pub(super) Kernel);

impl Columns<5> for Sha1Columns {
    const ORDER: LengthOrder = LengthOrder::Big;

    #[inline(always)]
    fn alone(&self) -> usize {
        4
    }

    fn absorb_one(&self, state: &mut State, run: &[Block]) {
        self.0.compress(state, run);
    }

    #[inline(always)]
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m512i; 5]; GROUPS],
        words: &mut [[__m512i; 16]; GROUPS],
    ) {
        for (state, words) in states.iter_mut().zip(words) {
            // SAFETY: the caller's promise.
            unsafe { absorb_columns(state, words) };
        }
    }

    #[inline(always)]
    unsafe fn absorb_runs<const GROUPS: usize>(
        states: &mut [[__m512i; 5]; GROUPS],
        starts: &[[*const u8; 16]; GROUPS],
        blocks: usize,
    ) {
        for (state, starts) in states.iter_mut().zip(starts) {
            // SAFETY: the caller's promise.
            unsafe { absorb_runs(state, starts, blocks) };
        }
    }
}

/// The chaining value between two rounds, with the names of FIPS 180-4 §6.1.2: a round makes an a,
/// which is the next round's b, and turned by 30 bits c, d and e of the three after that.
struct Chain {
    /// The a that round t begins with is `a[t % 2]`, b the other.
    a: [__m512i; 2],
    /// The same a, turned, is `turned[t % 5]`; of the round before until round t is over.
    turned: [__m512i; 5],
}

impl Chain {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(&[a, b, c, d, e]: &[__m512i; 5]) -> Self {
        Self { a: [a, b], turned: [e, e, d, c, turn::<30>(b)] }
    }

    /// Adds what 80 rounds have made.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add_to(&self, state: &mut [__m512i; 5]) {
        let [a, b] = self.a;
        let [_, e, d, c, _] = self.turned;
        for (word, made) in state.iter_mut().zip([a, b, c, d, e]) {
            *word = _mm512_add_epi32(*word, made);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn turn<const LEFT: i32>(word: __m512i) -> __m512i {
    pinned(_mm512_rol_epi32::<LEFT>(word))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sum(one: __m512i, other: __m512i) -> __m512i {
    pinned(_mm512_add_epi32(one, other))
}

/// Round `$t`, by the function `$f` of three words.
///
/// The order of the instructions counts: a Zen 4 takes 1.1 times as long for that in which a word
/// of the message schedule is made all at once. So it is made of three of its terms seven rounds
/// before it is used (it has the place of the oldest), three rounds before of the last one, which
/// is only there then, and turned in the round before.
macro_rules! round {
    ($chain:ident $words:ident $f:literal $t:expr) => {
        let e = sum($chain.turned[($t + 1) % 5], $words[$t % 16]);
        let e = sum(e, _mm512_set1_epi32(K[$t / 20].cast_signed()));
        let [b, c, d] =
            [$chain.a[($t + 1) % 2], $chain.turned[($t + 3) % 5], $chain.turned[($t + 2) % 5]];
        let e = sum(e, pinned(_mm512_ternarylogic_epi32::<$f>(b, c, d)));
        let a = turn::<5>($chain.a[$t % 2]);
        if const { $t + 7 >= 16 && $t + 7 < 80 } {
            let [w16, w14, w8] =
                [$words[($t + 7) % 16], $words[($t + 9) % 16], $words[($t + 15) % 16]];
            $words[($t + 7) % 16] = pinned(_mm512_ternarylogic_epi32::<0x96>(w16, w14, w8));
        }
        if const { $t + 3 >= 16 && $t + 3 < 80 } {
            let three_terms = $words[($t + 3) % 16];
            $words[($t + 3) % 16] = pinned(_mm512_xor_si512(three_terms, $words[$t % 16]));
        }
        if const { $t + 1 >= 16 && $t + 1 < 80 } {
            $words[($t + 1) % 16] = turn::<1>($words[($t + 1) % 16]);
        }
        $chain.a[($t + 1) % 2] = sum(e, a);
        if const { $t < 79 } {
            $chain.turned[$t % 5] = turn::<30>($chain.a[$t % 2]);
        }
    };
}

/// Four rounds from each of `$t` on.
macro_rules! rounds {
    ($chain:ident $words:ident $f:literal: $($t:literal),+) => {$(
        round!($chain $words $f $t);
        round!($chain $words $f $t + 1);
        round!($chain $words $f $t + 2);
        round!($chain $words $f $t + 3);
    )+};
}

/// One block that is there in columns.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn absorb_columns(state: &mut [__m512i; 5], words: &mut [__m512i; 16]) {
    align_frame();
    let mut chain = Chain::new(state);
    rounds!(chain words 0xca: 0, 4, 8, 12, 16);
    rounds!(chain words 0x96: 20, 24, 28, 32, 36);
    rounds!(chain words 0xe8: 40, 44, 48, 52, 56);
    rounds!(chain words 0x96: 60, 64, 68, 72, 76);
    chain.add_to(state);
}

/// Four rounds from each of `$t` on, which make their columns first, and those of the four that
/// follow: `words` are quarters.
macro_rules! rounds_of_quarters {
    ($chain:ident $words:ident $f:literal: $($t:expr),+) => {$(
        [$words[$t], $words[$t + 4]] = quarters::columns($words[$t], $words[$t + 4]);
        round!($chain $words $f $t);
    )+};
}

/// Four rounds from each of `$t` on; two lanes' blocks at `offset` are asked for between them.
macro_rules! rounds_and_fetch {
    ($chain:ident $words:ident $f:literal $starts:ident $offset:ident:
     $($t:literal $lane:literal),+) => {$(
        round!($chain $words $f $t);
        round!($chain $words $f $t + 1);
        fetch($starts[$lane].wrapping_add($offset));
        round!($chain $words $f $t + 2);
        round!($chain $words $f $t + 3);
        fetch($starts[$lane + 1].wrapping_add($offset));
    )+};
}

/// Four rounds from each of `$t` on; a quarter of the block at `offset` is loaded between them, in
/// registers of words that are not needed any more.
macro_rules! rounds_and_load {
    ($chain:ident $words:ident $f:literal $starts:ident $offset:ident $next:ident:
     $($t:literal $quarter:literal),+) => {$(
        // SAFETY: the caller's promise, and that there is such a block.
        let row = |index| unsafe {
            quarters::row(LengthOrder::Big, $starts, $offset, $quarter, index)
        };
        round!($chain $words $f $t);
        let first = row(0);
        round!($chain $words $f $t + 1);
        let upper = quarters::pairs(first, row(1));
        round!($chain $words $f $t + 2);
        let third = row(2);
        round!($chain $words $f $t + 3);
        let lower = quarters::pairs(third, row(3));
        $next[$quarter] = quarters::fours(upper, lower);
    )+};
}

/// Every lane absorbs a run of blocks. The last rounds of each load the next one.
///
/// # Safety
/// At each of `starts`, `blocks` blocks are readable.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw")]
#[allow(unused_assignments, reason = "of words behind the last round, in branches never taken")]
unsafe fn absorb_runs(state: &mut [__m512i; 5], starts: &[*const u8; 16], blocks: usize) {
    align_frame();
    if blocks == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    let first = |quarter| unsafe { quarters::quarter(LengthOrder::Big, starts, 0, quarter) };
    let mut next = [first(0), first(1), first(2), first(3)];
    let mut states = *state;
    let mut at = 0;
    loop {
        let [[w0, w1, w2, w3], [w4, w5, w6, w7], [w8, w9, w10, w11], [w12, w13, w14, w15]] = next;
        let mut words = [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15];
        let mut chain = Chain::new(&states);
        rounds_of_quarters!(chain words 0xca: 0, 1, 2, 3);
        rounds!(chain words 0xca: 4);
        rounds_of_quarters!(chain words 0xca: 8, 9, 10, 11);
        rounds!(chain words 0xca: 12);
        let behind = 64 * (at + 2);
        rounds_and_fetch!(chain words 0xca starts behind: 16 0);
        rounds_and_fetch!(chain words 0x96 starts behind: 20 2, 24 4, 28 6, 32 8, 36 10);
        rounds_and_fetch!(chain words 0xe8 starts behind: 40 12, 44 14);
        rounds!(chain words 0xe8: 48, 52, 56);
        rounds!(chain words 0x96: 60);
        at += 1;
        if at == blocks {
            rounds!(chain words 0x96: 64, 68, 72, 76);
            chain.add_to(&mut states);
            break;
        }
        let offset = 64 * at;
        // Both halves of a lane's block soon after each other: lanes at a distance of powers of two
        // evict each other from the first cache.
        rounds_and_load!(chain words 0x96 starts offset next: 64 0, 68 2, 72 1, 76 3);
        chain.add_to(&mut states);
    }
    *state = states;
}

/// Asks for what lies there, if there is anything.
#[inline]
#[target_feature(enable = "avx512f")]
fn fetch(bytes: *const u8) {
    #[allow(unused_unsafe, reason = "since Rust 1.94 it is safe")]
    // SAFETY: nothing is read, wherever this points to.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(bytes.cast());
    }
}
