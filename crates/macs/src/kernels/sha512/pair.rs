//! SHA-512 on two blocks of two messages: FIPS 180-4 §6.4.2 with both sums of a message in the two
//! words of a 128-bit half. After t rounds a half holds the pair (e of round t + 1, a of round t):
//! e runs one round ahead, so that T1 has crossed over to a before a needs it. In assembly because
//! the order of the additions decides.
#![expect(unsafe_code, reason = "assembly, loads, a call that needs the CPU's features")]

use core::arch::asm;
use core::arch::x86_64::*;

use super::Block;
use super::constants::K;
use crate::kernels::cpu::Avx512;
use crate::wipe::overwrite;

/// A step: from the pairs `$p0`, the newest, to `$p3` comes the next one, `$out`: in the words of e
/// Σ1 + Ch + (h + addend) + d, in those of a Σ0 + Maj + (e − d), which is T1. `$wk` is the place of
/// the addend; `$s1` to `$s3` are instructions of the schedule.
#[rustfmt::skip]
macro_rules! step {
    ($p0:literal $p1:literal $p2:literal $p3:literal => $out:literal, $wk:literal;
     $s1:expr, $s2:expr, $s3:expr) => {
        concat!(
            "vprorvq {s0}, {", $p0, "}, ymm16\n",
            "vprorvq {s1}, {", $p0, "}, ymm17\n",
            "vshufpd {x}, {", $p2, "}, {", $p0, "}, 5\n",
            "vmovdqa {m}, {", $p0, "}\n",
            "vprorvq {s2}, {", $p0, "}, ymm18\n",
            "vpternlogq {m}{{{e}}}, {", $p1, "}, {", $p2, "}, 0xca\n",
            "vpaddq {n}, {", $p3, "}, ymmword ptr [{wk} + ", $wk, "]\n",
            $s1,
            "vpsubq {x}{{{a}}}, {x}, {", $p3, "}\n",
            "vpternlogq {m}{{{a}}}, {", $p1, "}, {", $p2, "}, 0xe8\n",
            $s2,
            "vpaddq {x}{{{e}}}, {x}, {n}\n",
            "vpternlogq {s0}, {s1}, {s2}, 0x96\n",
            "vpaddq {m}, {m}, {x}\n",
            $s3,
            "vpaddq {", $out, "}, {m}, {s0}\n",
        )
    };
}

/// Two steps with the roles of the four pairs; `$scheduled` is nothing or the schedule's part in
/// the two words 16 further, `$w16` the oldest words, which are replaced.
#[rustfmt::skip]
macro_rules! two_steps {
    ($p0:literal $p1:literal $p2:literal $p3:literal => $last:literal,
     $wk0:literal $wk1:literal) => {
        concat!(
            step!($p0 $p1 $p2 $p3 => $p3, $wk0; "", "", ""),
            step!($p3 $p0 $p1 $p2 => $last, $wk1; "", "", ""),
        )
    };
    ($p0:literal $p1:literal $p2:literal $p3:literal, $wk0:literal $wk1:literal;
     $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal, $wk:literal $k:literal) => {
        concat!(
            step!($p0 $p1 $p2 $p3 => $p3, $wk0;
                concat!("vpalignr ymm19, ", $w14, ", ", $w16, ", 8\n",
                        "vpalignr ymm20, ", $w6, ", ", $w8, ", 8\n"),
                concat!("vprorq ymm21, ", $w2, ", 19\n", "vprorq ymm22, ", $w2, ", 61\n",
                        "vpaddq ", $w16, ", ", $w16, ", ymm20\n"),
                concat!("vpsrlq ymm20, ", $w2, ", 6\n",
                        "vpternlogq ymm20, ymm21, ymm22, 0x96\n")),
            step!($p3 $p0 $p1 $p2 => $p2, $wk1;
                concat!("vprorq ymm21, ymm19, 1\n", "vprorq ymm22, ymm19, 8\n",
                        "vpaddq ", $w16, ", ", $w16, ", ymm20\n"),
                concat!("vpsrlq ymm19, ymm19, 7\n",
                        "vpternlogq ymm19, ymm21, ymm22, 0x96\n",
                        "vbroadcasti64x2 ymm20, xmmword ptr [{k} + ", $k, "]\n"),
                concat!("vpaddq ", $w16, ", ", $w16, ", ymm19\n",
                        "vpaddq ymm20, ymm20, ", $w16, "\n",
                        "vmovdqa64 ymmword ptr [{wk} + ", $wk, "], ymm20\n")),
        )
    };
}

/// The next 16 addends of both messages: word of the schedule plus round constant, two words of
/// the one, then two of the other; and what a load of the last word reads behind them.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Addends([u64; 36]);

/// Each state absorbs its block.
pub(crate) fn compress_pair(_: Avx512, states: [&mut [u64; 8]; 2], blocks: [&Block; 2]) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run(states, blocks) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn run([first, second]: [&mut [u64; 8]; 2], blocks: [&Block; 2]) {
    let w = words(blocks);
    let mut wk = Addends([0; 36]);
    let (constants, _) = K.0.as_chunks::<2>();
    for ((addends, words), k) in wk.0.as_chunks_mut::<4>().0.iter_mut().zip(w).zip(constants) {
        let k = _mm256_broadcastsi128_si256(_mm_set_epi64x(k[1] as i64, k[0] as i64));
        // SAFETY: writes 32 bytes of an array of 32 bytes.
        unsafe { _mm256_storeu_si256(addends.as_mut_ptr().cast(), _mm256_add_epi64(words, k)) };
    }
    let pairs = start([(first, wk.0[0]), (second, wk.0[2])]);
    let end = rounds(pairs, w, &mut wk);
    let [p4, p3, p2, p1, p0] = end;
    for (state, half) in [(first, 0), (second, 1)] {
        let [v4, v3, v2, v1, v0] = [p4, p3, p2, p1, p0].map(|pair| pair[half]);
        let end = [v4[1], v3[1], v2[1], v1[1], v3[0], v2[0], v1[0], v0[0]];
        state.iter_mut().zip(end).for_each(|(word, end)| *word = word.wrapping_add(end));
    }
    overwrite(&mut wk, Addends([0; 36]));
}

/// The pairs before the first step, newest first: e of the first round is computed here.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn start(states: [(&[u64; 8], u64); 2]) -> [__m256i; 4] {
    let mut pairs = [[[0; 2]; 2]; 4];
    for (half, (state, addend)) in states.into_iter().enumerate() {
        let [a, b, c, d, e, f, g, h] = *state;
        let choice = (e & f) ^ (!e & g);
        let sum1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
        let t1 = h.wrapping_add(addend).wrapping_add(choice).wrapping_add(sum1);
        pairs[0][half] = [d.wrapping_add(t1), a];
        pairs[1][half] = [e, b];
        pairs[2][half] = [f, c];
        pairs[3][half] = [g, d];
    }
    let [p0, p1, p2, p3] = &pairs;
    [load(p0), load(p1), load(p2), load(p3)]
}

/// The 80 steps; returns the last five pairs, newest first, as words of each message.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2")]
fn rounds([p0, p1, p2, p3]: [__m256i; 4], w: [__m256i; 8], wk: &mut Addends) -> [[[u64; 2]; 2]; 5] {
    let [mut p0, mut p1, mut p2, mut p3] = [p0, p1, p2, p3];
    let last: __m256i;
    // SAFETY: reads and writes the 288 bytes at `wk`, which are aligned, and reads the constants up
    // to the end of `K`: the pointer's bit 9 stops the loop, for `K` is aligned to 1024 bytes.
    unsafe {
        asm!(
            "2:",
            two_steps!("p0" "p1" "p2" "p3", "8" "32";
                "ymm23" "ymm24" "ymm27" "ymm28" "ymm30", "0" "128"),
            two_steps!("p2" "p3" "p0" "p1", "40" "64";
                "ymm24" "ymm25" "ymm28" "ymm29" "ymm23", "32" "144"),
            two_steps!("p0" "p1" "p2" "p3", "72" "96";
                "ymm25" "ymm26" "ymm29" "ymm30" "ymm24", "64" "160"),
            two_steps!("p2" "p3" "p0" "p1", "104" "128";
                "ymm26" "ymm27" "ymm30" "ymm23" "ymm25", "96" "176"),
            two_steps!("p0" "p1" "p2" "p3", "136" "160";
                "ymm27" "ymm28" "ymm23" "ymm24" "ymm26", "128" "192"),
            two_steps!("p2" "p3" "p0" "p1", "168" "192";
                "ymm28" "ymm29" "ymm24" "ymm25" "ymm27", "160" "208"),
            two_steps!("p0" "p1" "p2" "p3", "200" "224";
                "ymm29" "ymm30" "ymm25" "ymm26" "ymm28", "192" "224"),
            two_steps!("p2" "p3" "p0" "p1", "232" "0";
                "ymm30" "ymm23" "ymm26" "ymm27" "ymm29", "224" "240"),
            "add {k}, 128",
            "test {k:e}, 512",
            "jz 2b",
            two_steps!("p0" "p1" "p2" "p3" => "p2", "8" "32"),
            two_steps!("p2" "p3" "p0" "p1" => "p0", "40" "64"),
            two_steps!("p0" "p1" "p2" "p3" => "p2", "72" "96"),
            two_steps!("p2" "p3" "p0" "p1" => "p0", "104" "128"),
            two_steps!("p0" "p1" "p2" "p3" => "p2", "136" "160"),
            two_steps!("p2" "p3" "p0" "p1" => "p0", "168" "192"),
            two_steps!("p0" "p1" "p2" "p3" => "p2", "200" "224"),
            two_steps!("p2" "p3" "p0" "p1" => "last", "232" "0"),
            p0 = inout(ymm_reg) p0, p1 = inout(ymm_reg) p1,
            p2 = inout(ymm_reg) p2, p3 = inout(ymm_reg) p3, last = out(ymm_reg) last,
            s0 = out(ymm_reg) _, s1 = out(ymm_reg) _, s2 = out(ymm_reg) _,
            m = out(ymm_reg) _, n = out(ymm_reg) _, x = out(ymm_reg) _,
            in("zmm16") _mm256_setr_epi64x(14, 28, 14, 28),
            in("zmm17") _mm256_setr_epi64x(18, 34, 18, 34),
            in("zmm18") _mm256_setr_epi64x(41, 39, 41, 39),
            out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _,
            inout("zmm23") w[0] => _, inout("zmm24") w[1] => _,
            inout("zmm25") w[2] => _, inout("zmm26") w[3] => _,
            inout("zmm27") w[4] => _, inout("zmm28") w[5] => _,
            inout("zmm29") w[6] => _, inout("zmm30") w[7] => _,
            e = in(kreg) 0b0101u8, a = in(kreg) 0b1010u8,
            wk = in(reg) wk.0.as_mut_ptr(), k = inout(reg) K.0.as_ptr() => _,
            options(nostack),
        );
    }
    let mut end = [[[0; 2]; 2]; 5];
    // The last step wrote `last`, so that `p0` is older than `p3`.
    for (words, pair) in end.iter_mut().zip([last, p1, p2, p3, p0]) {
        // SAFETY: writes 32 bytes of an array of 32 bytes.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), pair) };
    }
    end
}

/// The blocks' words, two of each in a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx2")]
fn words([first, second]: [&Block; 2]) -> [__m256i; 8] {
    let swap = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    let swap = _mm256_broadcastsi128_si256(swap);
    let pairs = first.as_chunks::<16>().0.iter().zip(second.as_chunks::<16>().0);
    let mut words = [_mm256_setzero_si256(); 8];
    for (both, (low, high)) in words.iter_mut().zip(pairs) {
        *both = _mm256_shuffle_epi8(load(&[*low, *high]), swap);
    }
    words
}

#[inline(always)]
fn load<T>(words: &T) -> __m256i {
    const { assert!(size_of::<T>() == 32) };
    // SAFETY: reads the 32 bytes of an array; only called where the CPU has AVX.
    unsafe { _mm256_loadu_si256(core::ptr::from_ref(words).cast()) }
}
