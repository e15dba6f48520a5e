//! SHA-1 of eight messages side by side: FIPS 180-4 §6.1.2.
#![expect(unsafe_code, reason = "instructions that the token proves")]

use core::arch::x86_64::*;

use super::{Block, K, Kernel, Sha1, State, sha_ni};
use crate::kernels::Job;
use crate::kernels::cpu::Avx2;
use crate::kernels::lanes::hmac::batch::{self, Ways};
use crate::kernels::lanes::hmac::{HmacKernel, HmacKey, Tags, keys_in_turn};
use crate::kernels::lanes::{self, Plan};
use crate::kernels::md_block::LengthOrder;
use crate::kernels::md_block::ymm::{self, Columns, YmmLanes, pinned};
use crate::kernels::stack::align_frame;

/// Prepares many keys of at most a block.
pub(super) fn keys(token: Avx2, kernel: Kernel, keys: &[&[u8]], states: &mut [HmacKey<State>]) {
    for (keys, states) in keys.chunks(8).zip(states.chunks_mut(8)) {
        if keys.len() < KEYS_MIN {
            keys_in_turn::<_, Sha1, 64>(kernel, keys, states);
        } else {
            ymm::keys::<Sha1Columns, Sha1, 5>(token, keys, states);
        }
    }
}

/// Fewest keys that are quicker side by side.
const KEYS_MIN: usize = 3;

/// The tags of many messages; `kernel` takes those that go alone.
pub(super) fn macs(
    token: Avx2,
    kernel: Kernel,
    keys: &[HmacKey<State>],
    jobs: &[Job<'_>],
    tags: &mut [u8],
) {
    batch::macs::<_, Sha1, 64>(Eight { token, kernel }, keys, jobs, tags);
}

/// Fewer messages have no use for these vectors.
pub(super) const TOGETHER_MIN: usize = 3;

#[derive(Clone, Copy)]
struct Eight {
    token: Avx2,
    kernel: Kernel,
}

impl Ways<Sha1, 64> for Eight {
    const STEP: usize = 8;
    const STEP_MIN: usize = TOGETHER_MIN;
    const LANES_MIN: usize = 4;

    #[inline(always)]
    fn one(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        HmacKernel::hmac(self.kernel, key, message, tag);
    }

    #[inline(always)]
    fn in_step(self, tags: &mut Tags<'_, '_, Sha1, 64>, numbers: &[u16]) {
        ymm::in_step::<Sha1Columns, Sha1, 5, 1>(self.token, tags, numbers);
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
        let columns = Sha1Columns(self.kernel);
        lanes::drive::<_, _, 64, 8>(&mut Sha1Lanes::new(self.token, columns), plan);
    }
}

/// Eight chains.
pub(super) type Sha1Lanes = YmmLanes<Sha1Columns, 5, 1>;

/// One block in each lane. The kernel takes chains that are left alone.
pub(crate) struct Sha1Columns(pub(super) Kernel);

impl Columns<5> for Sha1Columns {
    const ORDER: LengthOrder = LengthOrder::Big;
    const ALONE: usize = 1;

    fn absorb_one(&self, _: Avx2, state: &mut State, run: &[Block]) {
        self.0.compress(state, run);
    }

    #[inline(always)]
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m256i; 5]; GROUPS],
        words: &mut [[__m256i; 16]; GROUPS],
    ) {
        for (state, words) in states.iter_mut().zip(words) {
            // SAFETY: the caller's promise.
            unsafe { absorb_columns(state, words) };
        }
    }
}

/// A word's rotation to the left.
macro_rules! rol {
    ($left:literal, $x:expr) => {
        _mm256_or_si256(_mm256_slli_epi32::<$left>($x), _mm256_srli_epi32::<{ 32 - $left }>($x))
    };
}

/// The functions of FIPS 180-4 §4.1.1.
macro_rules! boolean {
    (choice, $b:expr, $c:expr, $d:expr) => {
        _mm256_xor_si256($d, _mm256_and_si256($b, _mm256_xor_si256($c, $d)))
    };
    (parity, $b:expr, $c:expr, $d:expr) => {
        _mm256_xor_si256(_mm256_xor_si256($c, $d), $b)
    };
    (majority, $b:expr, $c:expr, $d:expr) => {
        _mm256_or_si256(_mm256_and_si256($c, $d), _mm256_and_si256($b, _mm256_or_si256($c, $d)))
    };
}

/// The chaining value between two rounds, with the names of FIPS 180-4 §6.1.2: a round makes an a,
/// which is the next round's b, and turned by 30 bits c, d and e of the three after that.
struct Chain {
    /// The a that round t begins with is `a[t % 2]`, b the other.
    a: [__m256i; 2],
    /// The same a, turned, is `turned[t % 5]`; of the round before until round t is over.
    turned: [__m256i; 5],
}

impl Chain {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(&[a, b, c, d, e]: &[__m256i; 5]) -> Self {
        Self { a: [a, b], turned: [e, e, d, c, pinned(rol!(30, b))] }
    }

    /// Adds what 80 rounds have made.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_to(&self, state: &mut [__m256i; 5]) {
        let [a, b] = self.a;
        let [_, e, d, c, _] = self.turned;
        for (word, made) in state.iter_mut().zip([a, b, c, d, e]) {
            *word = _mm256_add_epi32(*word, made);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum(one: __m256i, other: __m256i) -> __m256i {
    pinned(_mm256_add_epi32(one, other))
}

/// Round `$t`, by the function `$f`.
///
/// The order of the instructions counts, as in the AVX-512 lanes: a word of the message schedule is
/// begun seven rounds before it is used, with the three terms that are there, and done three rounds
/// before.
macro_rules! round {
    ($chain:ident $words:ident $f:ident $t:expr) => {
        if const { $t + 7 >= 16 && $t + 7 < 80 } {
            let [w16, w14, w8] =
                [$words[($t + 7) % 16], $words[($t + 9) % 16], $words[($t + 15) % 16]];
            let three_terms = _mm256_xor_si256(_mm256_xor_si256(w16, w14), w8);
            $words[($t + 7) % 16] = pinned(three_terms);
        }
        if const { $t + 3 >= 16 && $t + 3 < 80 } {
            let [three_terms, w3] = [$words[($t + 3) % 16], $words[$t % 16]];
            let word = pinned(_mm256_xor_si256(three_terms, w3));
            // A sum, as a shift by one: there are more units for it.
            let turned =
                _mm256_or_si256(_mm256_add_epi32(word, word), _mm256_srli_epi32::<31>(word));
            $words[($t + 3) % 16] = pinned(turned);
        }
        let e = sum($chain.turned[($t + 1) % 5], $words[$t % 16]);
        let e = sum(e, _mm256_set1_epi32(K[$t / 20].cast_signed()));
        let [b, c, d] =
            [$chain.a[($t + 1) % 2], $chain.turned[($t + 3) % 5], $chain.turned[($t + 2) % 5]];
        let e = sum(e, pinned(boolean!($f, b, c, d)));
        let before = $chain.a[$t % 2];
        $chain.a[($t + 1) % 2] = sum(e, pinned(rol!(5, before)));
        if const { $t < 79 } {
            $chain.turned[$t % 5] = pinned(rol!(30, before));
        }
    };
}

/// Four rounds from each of `$t` on.
macro_rules! rounds {
    ($chain:ident $words:ident $f:ident: $($t:literal),+) => {$(
        round!($chain $words $f $t);
        round!($chain $words $f $t + 1);
        round!($chain $words $f $t + 2);
        round!($chain $words $f $t + 3);
    )+};
}

/// The 80 rounds of one block; `words` are the last 16 of the message schedule.
#[inline]
#[target_feature(enable = "avx2")]
fn absorb_columns(state: &mut [__m256i; 5], words: &mut [__m256i; 16]) {
    // Where this is not inlined.
    align_frame();
    let mut chain = Chain::new(state);
    rounds!(chain words choice: 0, 4, 8, 12, 16);
    rounds!(chain words parity: 20, 24, 28, 32, 36);
    rounds!(chain words majority: 40, 44, 48, 52, 56);
    rounds!(chain words parity: 60, 64, 68, 72, 76);
    chain.add_to(state);
}
