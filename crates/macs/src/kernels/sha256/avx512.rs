//! SHA-256 of many messages with AVX-512: 16 of them in the 16 words of a vector. Without SHA
//! instructions always; beside them where the vectors are quicker.
#![expect(unsafe_code, reason = "intrinsics under a token, loads of vectors")]

use core::arch::x86_64::*;

use super::batch::{Hmacs, SetUps};
use super::scalar::{Scalar, Wide};
use super::soft::{quarters, sixteen_times};
use super::unit::Task;
use super::{Block, Kernel, Sha256, State, sha_ni};
use crate::kernels::Job;
use crate::kernels::cpu::{Avx2, Avx512};
use crate::kernels::lanes::hmac::batch::{self, Ways};
use crate::kernels::lanes::hmac::{Hash, HmacKernel, HmacKey, Tags};
use crate::kernels::lanes::{self, Plan};
use crate::kernels::md_block::LengthOrder;
use crate::kernels::zmm::{self, Columns, ZmmLanes};

pub(crate) fn run<T: Task>(token: Avx512, task: T, message: &[u8], output: &mut T::Output) {
    // SAFETY: the token proves the features.
    unsafe { run_with(token, task, message, output) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn run_with<T: Task>(token: Avx512, task: T, message: &[u8], output: &mut T::Output) {
    *output = task.run(Scalar(token), message);
}

impl Wide for Avx512 {
    const LANES_MIN: usize = 3;

    #[inline(always)]
    fn avx2(self) -> Avx2 {
        Avx512::avx2(self)
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        drive(self, Kernel::Avx512(self), plan);
    }
}

/// Carries a plan out in 16 lanes; `kernel` takes chains that are left alone.
#[inline(always)]
pub(super) fn drive<'a, P>(token: Avx512, kernel: Kernel, plan: P)
where
    P: Plan<'a, 64, State = State>,
{
    lanes::drive::<_, _, 64, 16>(&mut Sha256Lanes::new(token, Sha256Columns(kernel)), plan);
}

/// Fewer messages are quicker in streams of SHA instructions, where there are any.
pub(super) const STREAMS_BELOW: usize = 12;

/// Prepares many keys of at most a block; `kernel` takes those that are too few for lanes.
pub(super) fn keys<H: Hash<64, State = State>>(
    token: Avx512,
    kernel: Kernel,
    keys: &[&[u8]],
    states: &mut [HmacKey<State>],
) {
    let fewest = if let Kernel::ShaNi(..) = kernel { 10 } else { 5 };
    for (keys, states) in keys.chunks(16).zip(states.chunks_mut(16)) {
        if keys.len() < fewest {
            kernel.run(SetUps::<H>::new(keys, states), &[], &mut ());
        } else {
            zmm::hmac::keys::<Sha256Columns, H, 8>(token, keys, states);
        }
    }
}

/// The tags of many messages; `kernel` takes those that are too few for lanes.
pub(super) fn macs<H: Hash<64, State = State>>(
    token: Avx512,
    kernel: Kernel,
    keys: &[HmacKey<State>],
    jobs: &[Job<'_>],
    tags: &mut [u8],
) {
    match kernel {
        Kernel::ShaNi(..) => {
            batch::macs::<_, H, 64>(Sixteen::<true> { token, kernel }, keys, jobs, tags)
        }
        _ => batch::macs::<_, H, 64>(Sixteen::<false> { token, kernel }, keys, jobs, tags),
    }
}

/// 16 lanes, beside streams of SHA instructions or not.
#[derive(Clone, Copy)]
struct Sixteen<const STREAMS: bool> {
    token: Avx512,
    kernel: Kernel,
}

impl<H: Hash<64, State = State>, const STREAMS: bool> Ways<H, 64> for Sixteen<STREAMS> {
    const STEP: usize = 16;
    const STEP_MIN: usize = if STREAMS { STREAMS_BELOW } else { 3 };
    const LANES_MIN: usize = if STREAMS { STREAMS_BELOW } else { 3 };

    #[inline(always)]
    fn one(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        HmacKernel::<H, 64>::hmac(self.kernel, key, message, tag);
    }

    #[inline(always)]
    fn in_step(self, tags: &mut Tags<'_, '_, H, 64>, numbers: &[u16]) {
        zmm::hmac::in_step::<Sha256Columns, H, 8, 1>(self.token, tags, numbers);
    }

    #[inline(always)]
    fn few(self, tags: &mut Tags<'_, '_, H, 64>, numbers: &[u16]) {
        match self.kernel {
            Kernel::ShaNi(token, _) => sha_ni::run(token, Hmacs { tags, numbers }, &[], &mut ()),
            _ => batch::one_by_one(self, tags, numbers),
        }
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        drive(self.token, self.kernel, plan);
    }
}

/// 16 chains.
pub(super) type Sha256Lanes = ZmmLanes<Sha256Columns, 8, 1>;

/// One block in each lane. The kernel takes chains that are left alone.
#[derive(Clone, Copy)]
pub(crate) struct Sha256Columns(Kernel);

impl Columns<8> for Sha256Columns {
    const ORDER: LengthOrder = LengthOrder::Big;

    #[inline(always)]
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m512i; 8]; GROUPS],
        words: &mut [[__m512i; 16]; GROUPS],
    ) {
        for (chains, words) in states.iter_mut().zip(words) {
            compress_16(chains, words);
        }
    }

    #[inline(always)]
    fn alone(&self) -> usize {
        if let Kernel::ShaNi(..) = self.0 { 6 } else { 1 }
    }

    fn absorb_one(&self, state: &mut State, blocks: &[Block]) {
        HmacKernel::<Sha256, 64>::compress(self.0, state, blocks);
    }
}

const XOR: i32 = 0x96;
const CHOICE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

type Vectors<const N: usize> = [__m512i; N];

/// A block for each of 16 chains: FIPS 180-4 §6.2.2.
#[inline(always)]
fn compress_16(chains: &mut Vectors<8>, words: &mut Vectors<16>) {
    let mut working = *chains;
    let [first, others @ ..] = quarters();
    sixteen_times!(T => {
        working = round_16(working, words[T], first[T]);
    });
    for constants in others {
        sixteen_times!(T => {
            let [far, near] = [words[(T + 1) % 16], words[(T + 14) % 16]];
            words[T] = extended(words[T], far, words[(T + 9) % 16], near);
            working = round_16(working, words[T], constants[T]);
        });
    }
    for (chain, working) in chains.iter_mut().zip(working) {
        // SAFETY: only called under a token.
        *chain = unsafe { _mm512_add_epi32(*chain, working) };
    }
}

/// Wt from those of 16, 15, 7 and 2 rounds before.
#[inline(always)]
fn extended(oldest: __m512i, far: __m512i, middle: __m512i, near: __m512i) -> __m512i {
    // SAFETY: only called under a token.
    unsafe {
        let far = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<7>(far),
            _mm512_ror_epi32::<18>(far),
            _mm512_srli_epi32::<3>(far),
        );
        let near = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<17>(near),
            _mm512_ror_epi32::<19>(near),
            _mm512_srli_epi32::<10>(near),
        );
        _mm512_add_epi32(_mm512_add_epi32(oldest, middle), _mm512_add_epi32(far, near))
    }
}

/// One round.
#[inline(always)]
fn round_16([a, b, c, d, e, f, g, h]: Vectors<8>, word: __m512i, constant: u32) -> Vectors<8> {
    // SAFETY: only called under a token.
    unsafe {
        let input = _mm512_add_epi32(word, _mm512_set1_epi32(constant as i32));
        let sum_e = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<6>(e),
            _mm512_ror_epi32::<11>(e),
            _mm512_ror_epi32::<25>(e),
        );
        let choice = _mm512_ternarylogic_epi32::<CHOICE>(e, f, g);
        let t1 = _mm512_add_epi32(_mm512_add_epi32(h, input), _mm512_add_epi32(choice, sum_e));
        let sum_a = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<2>(a),
            _mm512_ror_epi32::<13>(a),
            _mm512_ror_epi32::<22>(a),
        );
        let t2 = _mm512_add_epi32(sum_a, _mm512_ternarylogic_epi32::<MAJORITY>(a, b, c));
        [_mm512_add_epi32(t1, t2), a, b, c, _mm512_add_epi32(d, t1), e, f, g]
    }
}
