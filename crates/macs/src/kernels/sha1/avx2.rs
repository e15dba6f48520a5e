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
use crate::kernels::md_block::ymm::{self, Columns, YmmLanes};

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
            unsafe { rounds(state, words) };
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

/// The 80 rounds of one block; `words` are the last 16 of the message schedule.
///
/// Without target features, so that it is always inlined into a function that has them.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn rounds(state: &mut [__m256i; 5], words: &mut [__m256i; 16]) {
    let before = *state;
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    macro_rules! round {
        ($a:ident $b:ident $c:ident $d:ident $e:ident, $round:expr, $function:ident) => {
            // SAFETY: the caller's promise.
            unsafe {
                if $round >= 16 {
                    let [w3, w8] = [words[($round + 13) % 16], words[($round + 8) % 16]];
                    let [w14, w16] = [words[($round + 2) % 16], words[$round % 16]];
                    let older = _mm256_xor_si256(_mm256_xor_si256(w8, w14), w16);
                    words[$round % 16] = rol!(1, _mm256_xor_si256(older, w3));
                }
                let constant = _mm256_set1_epi32(K[$round / 20].cast_signed());
                let function = boolean!($function, $b, $c, $d);
                $e = _mm256_add_epi32($e, _mm256_add_epi32(words[$round % 16], constant));
                $e = _mm256_add_epi32($e, _mm256_add_epi32(function, rol!(5, $a)));
                $b = rol!(30, $b);
            }
        };
    }
    macro_rules! rounds {
        ($function:ident: $($round:expr),+) => {$(
            round!(a b c d e, $round, $function);
            round!(e a b c d, $round + 1, $function);
            round!(d e a b c, $round + 2, $function);
            round!(c d e a b, $round + 3, $function);
            round!(b c d e a, $round + 4, $function);
        )+};
    }
    rounds!(choice: 0, 5, 10, 15);
    rounds!(parity: 20, 25, 30, 35);
    rounds!(majority: 40, 45, 50, 55);
    rounds!(parity: 60, 65, 70, 75);
    for (word, (before, after)) in state.iter_mut().zip(before.into_iter().zip([a, b, c, d, e])) {
        // SAFETY: the caller's promise.
        *word = unsafe { _mm256_add_epi32(before, after) };
    }
}
