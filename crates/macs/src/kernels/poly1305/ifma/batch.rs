//! Poly1305 of eight messages at once, each under its own key in a lane of its own; four blocks of
//! each message at a time. Messages of like length go together, in the order they come.
#![expect(unsafe_code, reason = "intrinsics, masked loads")]

use core::arch::x86_64::*;
use core::mem::transmute;
use core::ops::Range;

use super::super::{CLAMP, Kernel, Key, Tag};
use super::{
    Factor, Limbs, MASK_42, MASK_44, add, carry, factor, multiply, nothing, plus, set1, split,
};
use crate::kernels::Job;
use crate::kernels::cpu::Ifma;

const LANES: usize = 8;
/// Bytes of each message at a time.
const STRIDE_BYTES: usize = 64;
/// From this length one message alone fills the lanes as well.
const ALONE_BYTES: usize = 2048;
/// Up to this length one message after the other is as quick.
const SHORT_BYTES: usize = 16;
/// Fewer messages of a class than this are not worth the lanes. Longer ones fill them alone.
const LANES_MIN: [usize; CLASSES] = [6, 5, 4, 5, 7, 8];
/// Fewer than this are not worth them in any class.
pub(in super::super) const ANY_MIN: usize = 4;
/// The lengths of the classes of which four or five are enough.
const LENS_OF_FOUR: Range<usize> = 193..449;
const LENS_OF_FIVE: Range<usize> = 65..961;
/// So many more than there are lanes are done one after the other.
const BEYOND_MAX: usize = 3;
/// How many messages are sorted by length at a time.
const WINDOW: usize = 256;
/// Classes of lengths: up to 64 bytes, 192, 448, …
const CLASSES: usize = 6;

/// A message under its key.
#[derive(Clone, Copy)]
struct Lane<'a> {
    key: &'a Key,
    message: &'a [u8],
}

/// Eight messages under way.
#[derive(Clone, Copy)]
struct State {
    h: Limbs,
    r: Factor,
    s: [__m512i; 2],
    /// How many bytes each message yet has; not above 0 when it is at its end.
    left: __m512i,
}

/// Row `i` holds the words of lane `i`; column `j` then holds word `j` of all lanes.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn transpose(rows: [__m512i; LANES]) -> [__m512i; LANES] {
    let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
    let pair = |a, b| (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let (a0, a1) = pair(r0, r1);
    let (b0, b1) = pair(r2, r3);
    let (c0, c1) = pair(r4, r5);
    let (d0, d1) = pair(r6, r7);
    let quarter = |a, b, c, d| {
        let (even, odd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xdd>(a, b));
        let (even2, odd2) =
            (_mm512_shuffle_i64x2::<0x88>(c, d), _mm512_shuffle_i64x2::<0xdd>(c, d));
        [
            _mm512_shuffle_i64x2::<0x88>(even, even2),
            _mm512_shuffle_i64x2::<0x88>(odd, odd2),
            _mm512_shuffle_i64x2::<0xdd>(even, even2),
            _mm512_shuffle_i64x2::<0xdd>(odd, odd2),
        ]
    };
    let [w0, w2, w4, w6] = quarter(a0, b0, c0, d0);
    let [w1, w3, w5, w7] = quarter(a1, b1, c1, d1);
    [w0, w1, w2, w3, w4, w5, w6, w7]
}

/// The message's bytes from `at` on, zeros behind its end, and 1 behind an incomplete block.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn row(message: &[u8], at: usize) -> __m512i {
    let left = message.len().saturating_sub(at);
    let inside = _bzhi_u64(u64::MAX, left.min(STRIDE_BYTES) as u32);
    let padded =
        u64::from(left < STRIDE_BYTES && !left.is_multiple_of(16)) << (left % STRIDE_BYTES);
    let from = message.as_ptr().wrapping_add(at);
    // SAFETY: by the mask only bytes of the message are loaded.
    let bytes = unsafe { _mm512_maskz_loadu_epi8(inside, from.cast()) };
    _mm512_mask_set1_epi8(bytes, padded, 1)
}

/// The columns of the next four blocks of eight messages; of `WHOLE` ones if all have them.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn columns<const WHOLE: bool>(lanes: &[Lane<'_>; LANES], at: usize) -> [__m512i; LANES] {
    let row = |lane: usize| {
        let message = lanes[lane].message;
        match message.get(at..).and_then(<[u8]>::first_chunk::<STRIDE_BYTES>) {
            // SAFETY: these 64 bytes are loaded.
            Some(bytes) if WHOLE => unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) },
            _ => row(message, at),
        }
    };
    transpose([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)])
}

/// Block number `block` of the four is absorbed by every message that yet has one.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn absorb<const WHOLE: bool>(state: &mut State, [low, high]: [__m512i; 2], block: usize) {
    let mut high_bit = set1(1 << 40);
    if !WHOLE {
        let whole = _mm512_cmpgt_epi64_mask(state.left, set1(16 * block as i64 + 15));
        high_bit = _mm512_maskz_set1_epi64(whole, 1 << 40);
    }
    let next = plus(state.h, split(low, high, high_bit));
    let next = carry(multiply(nothing(), next, state.r));
    let live =
        if WHOLE { 0xff } else { _mm512_cmpgt_epi64_mask(state.left, set1(16 * block as i64)) };
    for (limb, next) in state.h.iter_mut().zip(next) {
        *limb = _mm512_mask_mov_epi64(*limb, live, next);
    }
}

/// Up to four blocks of every message.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn stride<const WHOLE: bool, const GROUPS: usize>(
    states: &mut [State; GROUPS],
    groups: &[[Lane<'_>; LANES]; GROUPS],
    at: usize,
    blocks: usize,
) {
    let mut words = [[_mm512_setzero_si512(); LANES]; GROUPS];
    for (words, lanes) in words.iter_mut().zip(groups) {
        *words = columns::<WHOLE>(lanes, at);
    }
    for block in 0..4 {
        if WHOLE || block < blocks {
            for (state, words) in states.iter_mut().zip(&words) {
                absorb::<WHOLE>(state, [words[2 * block], words[2 * block + 1]], block);
            }
        }
    }
    for State { left, .. } in states {
        *left = _mm512_sub_epi64(*left, set1(STRIDE_BYTES as i64));
    }
}

/// The words of h modulo 2^130 − 5, plus s, modulo 2^128.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn tags([h0, h1, h2]: Limbs, s: [__m512i; 2]) -> [__m512i; 2] {
    let (mask_44, mask_42) = (set1(MASK_44), set1(MASK_42));
    let and = _mm512_and_si512;
    let shift = _mm512_srli_epi64::<44>;
    // Twice round, so that all limbs are below their bounds; then h is below 2^130.
    let (mut h0, mut h1, mut h2) = (h0, h1, h2);
    for _ in 0..2 {
        h1 = add(h1, shift(h0));
        h2 = add(h2, shift(h1));
        let over = _mm512_srli_epi64::<42>(h2);
        h0 = add(and(h0, mask_44), add(over, _mm512_slli_epi64::<2>(over)));
        (h1, h2) = (and(h1, mask_44), and(h2, mask_42));
    }
    h1 = add(h1, shift(h0));
    h0 = and(h0, mask_44);
    h2 = add(h2, shift(h1));
    h1 = and(h1, mask_44);
    // h + 5 reaches 2^130 if and only if h reaches the modulus.
    let g0 = add(h0, set1(5));
    let g1 = add(h1, shift(g0));
    let g2 = add(h2, shift(g1));
    let above = _mm512_cmpgt_epi64_mask(g2, mask_42);
    let h0 = _mm512_mask_mov_epi64(h0, above, and(g0, mask_44));
    let h1 = _mm512_mask_mov_epi64(h1, above, and(g1, mask_44));
    let h2 = _mm512_mask_mov_epi64(h2, above, and(g2, mask_42));
    let low = _mm512_or_si512(h0, _mm512_slli_epi64::<44>(h1));
    let high = _mm512_or_si512(_mm512_srli_epi64::<20>(h1), _mm512_slli_epi64::<24>(h2));
    let low = add(low, s[0]);
    let carried = _mm512_cmplt_epu64_mask(low, s[0]);
    let high = add(high, s[1]);
    [low, _mm512_mask_add_epi64(high, carried, high, set1(1))]
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn start(lanes: &[Lane<'_>; LANES]) -> State {
    // SAFETY: the 32 bytes of a key are loaded.
    let row = |lane: usize| unsafe {
        _mm512_zextsi256_si512(_mm256_loadu_si256(lanes[lane].key.as_ptr().cast()))
    };
    let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
    let [r0, r1, s0, s1, ..] = transpose(rows);
    let r0 = _mm512_and_si512(r0, set1(CLAMP[0] as i64));
    let r1 = _mm512_and_si512(r1, set1(CLAMP[1] as i64));
    let len = |lane: usize| lanes[lane].message.len() as i64;
    State {
        h: [_mm512_setzero_si512(); 3],
        r: factor(split(r0, r1, _mm512_setzero_si512())),
        s: [s0, s1],
        left: _mm512_setr_epi64(len(0), len(1), len(2), len(3), len(4), len(5), len(6), len(7)),
    }
}

/// The tags of `GROUPS` (one or two) times eight messages.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
fn whole<const GROUPS: usize>(
    groups: &[[Lane<'_>; LANES]; GROUPS],
    shortest: usize,
    longest: usize,
) -> [[Tag; LANES]; GROUPS] {
    let mut states = [start(&groups[0]); GROUPS];
    if GROUPS == 2 {
        states[1] = start(&groups[1]);
    }
    let mut at = 0;
    while at + STRIDE_BYTES <= shortest {
        stride::<true, GROUPS>(&mut states, groups, at, 4);
        at += STRIDE_BYTES;
    }
    while at < longest {
        stride::<false, GROUPS>(&mut states, groups, at, (longest - at).div_ceil(16));
        at += STRIDE_BYTES;
    }
    let mut tags = [[[0; 16]; LANES]; GROUPS];
    for (tags, State { h, s, .. }) in tags.iter_mut().zip(states) {
        *tags = close(h, s);
    }
    tags
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn close(h: Limbs, s: [__m512i; 2]) -> [Tag; LANES] {
    let [low, high] = tags(h, s);
    let order = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    let first = _mm512_permutex2var_epi64(low, order, high);
    let second = _mm512_permutex2var_epi64(low, add(order, set1(4)), high);
    // SAFETY: both are 128 bytes of which any value is valid.
    unsafe { transmute([first, second]) }
}

/// The tags of up to `GROUPS` times eight messages, those of these numbers; there are some.
fn run<const GROUPS: usize>(
    _: Ifma,
    numbers: &[u8],
    keys: &[Key],
    jobs: &[Job<'_>],
    tags: &mut [Tag],
) {
    let lane = |number: u8| {
        let job = jobs[usize::from(number)];
        Lane { key: &keys[job.key], message: job.message }
    };
    // Idle lanes go along with the first.
    let mut lanes = [[lane(numbers[0]); LANES]; GROUPS];
    let (mut shortest, mut longest) = (usize::MAX, 0);
    for (place, &number) in lanes.as_flattened_mut().iter_mut().zip(numbers) {
        *place = lane(number);
        shortest = shortest.min(place.message.len());
        longest = longest.max(place.message.len());
    }
    // SAFETY: the token proves the instructions.
    let computed = unsafe { whole(&lanes, shortest, longest) };
    for (tag, &number) in computed.as_flattened().iter().zip(numbers) {
        tags[usize::from(number)] = *tag;
    }
}

pub(in super::super) fn batch(token: Ifma, keys: &[Key], jobs: &[Job<'_>], tags: &mut [Tag]) {
    for (jobs, tags) in jobs.chunks(WINDOW).zip(tags.chunks_mut(WINDOW)) {
        // The lengths of which so few are worth it.
        let lens = match jobs.len() {
            ..=4 => LENS_OF_FOUR,
            5 => LENS_OF_FIVE,
            _ => SHORT_BYTES + 1..ALONE_BYTES,
        };
        let fit = jobs.iter().filter(|job| lens.contains(&job.message.len())).take(ANY_MIN).count();
        if fit < ANY_MIN {
            let alone = |job: &Job<'_>| Kernel::Ifma(token).mac(&keys[job.key], job.message);
            jobs.iter().zip(tags).for_each(|(job, tag)| *tag = alone(job));
        } else {
            window(token, keys, jobs, tags);
        }
    }
}

#[inline(always)]
fn is_for_lanes(job: &Job<'_>) -> bool {
    (SHORT_BYTES + 1..ALONE_BYTES).contains(&job.message.len())
}

/// At most `WINDOW` messages.
fn window(token: Ifma, keys: &[Key], jobs: &[Job<'_>], tags: &mut [Tag]) {
    let mut waiting = [[0; 2 * LANES]; CLASSES];
    let mut counts = [0; CLASSES];
    let alone = |job: &Job<'_>| Kernel::Ifma(token).mac(&keys[job.key], job.message);
    for (number, job) in (0..=u8::MAX).zip(jobs) {
        if !is_for_lanes(job) {
            tags[usize::from(number)] = alone(job);
            continue;
        }
        let class = ((job.message.len() - 1) / STRIDE_BYTES + 1).ilog2() as usize;
        let count = &mut counts[class];
        waiting[class][*count] = number;
        *count += 1;
        if *count == 2 * LANES {
            run::<2>(token, &waiting[class], keys, jobs, tags);
            *count = 0;
        }
    }
    for ((numbers, count), least) in waiting.iter().zip(counts).zip(LANES_MIN) {
        let mut rest = &numbers[..count];
        if count > LANES + BEYOND_MAX {
            run::<2>(token, rest, keys, jobs, tags);
            continue;
        }
        if count >= least {
            let (some, beyond) = rest.split_at(count.min(LANES));
            run::<1>(token, some, keys, jobs, tags);
            rest = beyond;
        }
        for number in rest.iter().map(|&number| usize::from(number)) {
            tags[number] = alone(&jobs[number]);
        }
    }
}
