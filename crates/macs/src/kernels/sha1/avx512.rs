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
            unsafe { rounds(state, words) };
        }
    }
}

/// The 80 rounds of one block; `words` are the last 16 of the message schedule.
///
/// Without target features, so that it is always inlined into a function that has them.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn rounds(state: &mut [__m512i; 5], words: &mut [__m512i; 16]) {
    let before = *state;
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    macro_rules! round {
        ($a:ident $b:ident $c:ident $d:ident $e:ident, $round:expr, $function:literal) => {
            // SAFETY: the caller's promise.
            unsafe {
                if $round >= 16 {
                    let [w3, w8] = [words[($round + 13) % 16], words[($round + 8) % 16]];
                    let [w14, w16] = [words[($round + 2) % 16], words[$round % 16]];
                    let sum = _mm512_xor_si512(_mm512_ternarylogic_epi32::<0x96>(w8, w14, w16), w3);
                    words[$round % 16] = _mm512_rol_epi32::<1>(sum);
                }
                let constant = _mm512_set1_epi32(K[$round / 20].cast_signed());
                let function = _mm512_ternarylogic_epi32::<$function>($b, $c, $d);
                $e = _mm512_add_epi32($e, _mm512_add_epi32(words[$round % 16], constant));
                $e = _mm512_add_epi32($e, _mm512_add_epi32(function, _mm512_rol_epi32::<5>($a)));
                $b = _mm512_rol_epi32::<30>($b);
            }
        };
    }
    macro_rules! rounds {
        ($function:literal: $($round:expr),+) => {$(
            round!(a b c d e, $round, $function);
            round!(e a b c d, $round + 1, $function);
            round!(d e a b c, $round + 2, $function);
            round!(c d e a b, $round + 3, $function);
            round!(b c d e a, $round + 4, $function);
        )+};
    }
    rounds!(0xca: 0, 5, 10, 15);
    rounds!(0x96: 20, 25, 30, 35);
    rounds!(0xe8: 40, 45, 50, 55);
    rounds!(0x96: 60, 65, 70, 75);
    for (word, (before, after)) in state.iter_mut().zip(before.into_iter().zip([a, b, c, d, e])) {
        // SAFETY: the caller's promise.
        *word = unsafe { _mm512_add_epi32(before, after) };
    }
}
