//! SHA-512 of one message, FIPS 180-4 §6.4.2, spread over both halves of the CPU: e, f, g, h and Σ1
//! in general registers, a, b, c and Σ0 in vectors, and the schedule in vectors: of four words of a
//! block, or in longer messages of two words of two blocks, which takes fewer instructions. What
//! passes between them is −T1 one way and a, which becomes d, the other. In assembly because the
//! order of instructions decides.
#![expect(unsafe_code, reason = "assembly, loads, calls that need the CPU's features")]

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::Block;
use super::constants::K;
use crate::kernels::cpu::Avx512;
use crate::kernels::zmm::start_of;
use crate::wipe::overwrite;

/// A round. `$h` becomes e, `$d` becomes a; `$s1` to `$s3` are instructions of the schedule.
#[rustfmt::skip]
macro_rules! round {
    ($a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal,
     $wk:literal; $s1:expr, $s2:expr, $s3:expr) => {
        concat!(
            "rorx {x}, {", $e, "}, 14\n",
            "rorx {y}, {", $e, "}, 18\n",
            "add {", $h, "}, qword ptr [{wk} + ", $wk, "]\n",
            "mov {z}, {", $e, "}\n",
            "vprorq {s0}, {v", $a, "}, 28\n",
            "and {z}, {", $f, "}\n",
            "add {", $h, "}, {", $d, "}\n",
            $s1,
            "xor {x}, {y}\n",
            "andn {y}, {", $e, "}, {", $g, "}\n",
            "vprorq {s1}, {v", $a, "}, 34\n",
            "vprorq {s2}, {v", $a, "}, 39\n",
            "add {z}, {y}\n",
            "rorx {y}, {", $e, "}, 41\n",
            "vpternlogq {v", $c, "}, {v", $a, "}, {v", $b, "}, 0xe8\n",
            "xor {x}, {y}\n",
            $s2,
            "vpternlogq {s0}, {s1}, {s2}, 0x96\n",
            "add {", $h, "}, {z}\n",
            "add {", $h, "}, {x}\n",
            "sub {", $d, "}, {", $h, "}\n",
            $s3,
            "vmovq {s1}, {", $d, "}\n",
            "vpsubq {v", $c, "}, {v", $c, "}, {s1}\n",
            "vpaddq {v", $d, "}, {v", $c, "}, {s0}\n",
            "vmovq {", $d, "}, {v", $d, "}\n",
        )
    };
}

/// Four rounds, and the schedule's words 16 further: `$w0` to `$w3` hold the last 16 words, `$w0`
/// the oldest, which are replaced. Of the four new words the last two need the first two.
#[rustfmt::skip]
macro_rules! rounds_and_schedule {
    ($w0:literal $w1:literal $w2:literal $w3:literal,
     $o0:literal $o1:literal $o2:literal $o3:literal, $k:literal) => {
        concat!(
            round!("a" "b" "c" "d", "e" "f" "g" "h", $o0;
                concat!("valignq {t0}, {", $w1, "}, {", $w0, "}, 1\n",
                        "valignq {t3}, {", $w3, "}, {", $w2, "}, 1\n"),
                concat!("vprorq {t1}, {t0}, 1\n", "vprorq {t2}, {t0}, 8\n"),
                concat!("vpsrlq {t0}, {t0}, 7\n", "vpaddq {", $w0, "}, {", $w0, "}, {t3}\n")),
            round!("d" "a" "b" "c", "h" "e" "f" "g", $o1;
                concat!("vextracti128 {t3:x}, {", $w3, "}, 1\n",
                        "vpternlogq {t0}, {t1}, {t2}, 0x96\n"),
                concat!("vprorq {t1:x}, {t3:x}, 19\n", "vprorq {t2:x}, {t3:x}, 61\n"),
                concat!("vpsrlq {t3:x}, {t3:x}, 6\n", "vpaddq {", $w0, "}, {", $w0, "}, {t0}\n")),
            round!("c" "d" "a" "b", "g" "h" "e" "f", $o2;
                concat!("vpternlogq {t3:x}, {t1:x}, {t2:x}, 0x96\n"),
                concat!("vextracti128 {t1:x}, {", $w0, "}, 1\n",
                        "vpaddq {t0:x}, {", $w0, ":x}, {t3:x}\n"),
                concat!("vprorq {t2:x}, {t0:x}, 19\n", "vprorq {t3:x}, {t0:x}, 61\n")),
            round!("b" "c" "d" "a", "f" "g" "h" "e", $o3;
                concat!("vpsrlq {", $w0, ":x}, {t0:x}, 6\n",
                        "vpternlogq {t2:x}, {t3:x}, {", $w0, ":x}, 0x96\n"),
                concat!("vpaddq {t1:x}, {t1:x}, {t2:x}\n",
                        "vinserti128 {", $w0, "}, {t0}, {t1:x}, 1\n"),
                concat!("vpaddq {t3}, {", $w0, "}, ymmword ptr [{k} + ", $k, "]\n",
                        "vmovdqa ymmword ptr [{wk} + ", $o0, "], {t3}\n")),
        )
    };
}

/// Four rounds of the last 16.
#[rustfmt::skip]
macro_rules! rounds {
    ($o0:literal $o1:literal $o2:literal $o3:literal) => {
        concat!(
            round!("a" "b" "c" "d", "e" "f" "g" "h", $o0; "", "", ""),
            round!("d" "a" "b" "c", "h" "e" "f" "g", $o1; "", "", ""),
            round!("c" "d" "a" "b", "g" "h" "e" "f", $o2; "", "", ""),
            round!("b" "c" "d" "a", "f" "g" "h" "e", $o3; "", "", ""),
        )
    };
}

/// Two rounds and, of two blocks, two words of the schedule 16 further: `$w16` are the oldest,
/// which are replaced, `$w2` the newest.
#[rustfmt::skip]
macro_rules! rounds_and_schedules {
    ($a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal,
     $o0:literal $o1:literal; $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal,
     $wk:literal $k:literal) => {
        concat!(
            round!($a $b $c $d, $e $f $g $h, $o0;
                concat!("vpalignr ymm24, ", $w14, ", ", $w16, ", 8\n",
                        "vpalignr ymm25, ", $w6, ", ", $w8, ", 8\n"),
                concat!("vprorq ymm26, ", $w2, ", 19\n", "vprorq ymm27, ", $w2, ", 61\n",
                        "vpaddq ", $w16, ", ", $w16, ", ymm25\n"),
                concat!("vpsrlq ymm25, ", $w2, ", 6\n",
                        "vpternlogq ymm25, ymm26, ymm27, 0x96\n")),
            round!($d $a $b $c, $h $e $f $g, $o1;
                concat!("vprorq ymm26, ymm24, 1\n", "vprorq ymm27, ymm24, 8\n",
                        "vpaddq ", $w16, ", ", $w16, ", ymm25\n"),
                concat!("vpsrlq ymm24, ymm24, 7\n",
                        "vpternlogq ymm24, ymm26, ymm27, 0x96\n",
                        "vbroadcasti64x2 ymm25, xmmword ptr [{k} + ", $k, "]\n"),
                concat!("vpaddq ", $w16, ", ", $w16, ", ymm24\n",
                        "vpaddq ymm25, ymm25, ", $w16, "\n",
                        "vmovdqa64 ymmword ptr [{wk} + ", $wk, "], ymm25\n")),
        )
    };
}

/// 16 rounds of one of two blocks.
#[rustfmt::skip]
macro_rules! sixteen {
    () => {
        concat!(
            rounds!("0" "8" "32" "40"), rounds!("64" "72" "96" "104"),
            rounds!("128" "136" "160" "168"), rounds!("192" "200" "224" "232"),
        )
    };
}

/// The next 16 addends of the rounds: word of the schedule plus round constant.
#[repr(align(64))]
struct Addends([u64; 16]);

/// All addends of two blocks: two of the one, then two of the other.
#[repr(align(64))]
struct AddendsOfTwo(MaybeUninit<[[u64; 4]; 40]>);

/// From this number of blocks on two at a time are quicker.
const PAIRS_MIN: usize = 4;

/// Absorbs a run of blocks.
pub(crate) fn compress(_: Avx512, state: &mut [u64; 8], blocks: &[Block]) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run(state, blocks) }
}

/// Absorbs a block given as its 16 words.
pub(crate) fn compress_words(_: Avx512, state: &mut [u64; 8], words: &[u64; 16]) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run_words(state, words) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn run(state: &mut [u64; 8], blocks: &[Block]) {
    if blocks.len() >= PAIRS_MIN {
        return run_pairs(state, blocks);
    }
    let swap = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    let swap = _mm256_broadcastsi128_si256(swap);
    for block in blocks {
        let (quarters, _) = block.as_chunks::<32>();
        let word = |i: usize| _mm256_shuffle_epi8(load(&quarters[i]), swap);
        compress_one(state, [word(0), word(1), word(2), word(3)]);
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn run_pairs(state: &mut [u64; 8], blocks: &[Block]) {
    let (pairs, last) = blocks.as_chunks();
    let mut addends = AddendsOfTwo(MaybeUninit::uninit());
    for pair in pairs {
        compress_two(state, pair, &mut addends);
    }
    // They hold the words.
    overwrite(&mut addends.0, MaybeUninit::new([[0; 4]; 40]));
    run(state, last);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn run_words(state: &mut [u64; 8], words: &[u64; 16]) {
    let (quarters, _) = words.as_chunks::<4>();
    let word = |i: usize| load(&quarters[i]);
    compress_one(state, [word(0), word(1), word(2), word(3)]);
}

#[inline(always)]
fn load<T>(bytes: &T) -> __m256i {
    const { assert!(size_of::<T>() == 32) };
    // SAFETY: reads the 32 bytes of an array; only called where the CPU has AVX.
    unsafe { _mm256_loadu_si256(core::ptr::from_ref(bytes).cast()) }
}

/// A block, its words in order in `w`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn compress_one(state: &mut [u64; 8], w: [__m256i; 4]) {
    let mut wk = Addends([0; 16]);
    let (constants, _) = K.0.as_chunks::<4>();
    for ((addends, words), constants) in
        wk.0.as_chunks_mut::<4>().0.iter_mut().zip(w).zip(constants)
    {
        let sums = _mm256_add_epi64(words, load(constants));
        // SAFETY: writes 32 bytes of an array of 32 bytes.
        unsafe { _mm256_storeu_si256(addends.as_mut_ptr().cast(), sums) };
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    let vector = |word: u64| _mm_cvtsi64_si128(word as i64);
    let [va, vb, vc] = [vector(a), vector(b), vector(c)];
    // SAFETY: reads and writes the 128 bytes at `wk`, which are aligned, and reads the constants up
    // to the end of `K`: the pointer's bit 9 stops the loop, for `K` is aligned to 1024 bytes.
    unsafe {
        asm!(
            "2:",
            rounds_and_schedule!("w0" "w1" "w2" "w3", "0" "8" "16" "24", "128"),
            rounds_and_schedule!("w1" "w2" "w3" "w0", "32" "40" "48" "56", "160"),
            rounds_and_schedule!("w2" "w3" "w0" "w1", "64" "72" "80" "88", "192"),
            rounds_and_schedule!("w3" "w0" "w1" "w2", "96" "104" "112" "120", "224"),
            "add {k}, 128",
            "test {k:e}, 512",
            "jz 2b",
            rounds!("0" "8" "16" "24"),
            rounds!("32" "40" "48" "56"),
            rounds!("64" "72" "80" "88"),
            rounds!("96" "104" "112" "120"),
            a = inout(reg) a, b = inout(reg) b, c = inout(reg) c, d = inout(reg) d,
            e = inout(reg) e, f = inout(reg) f, g = inout(reg) g, h = inout(reg) h,
            x = out(reg) _, y = out(reg) _, z = out(reg) _,
            wk = in(reg) wk.0.as_mut_ptr(), k = inout(reg) K.0.as_ptr() => _,
            va = inout(xmm_reg) va => _, vb = inout(xmm_reg) vb => _,
            vc = inout(xmm_reg) vc => _, vd = out(xmm_reg) _,
            s0 = out(xmm_reg) _, s1 = out(xmm_reg) _, s2 = out(xmm_reg) _,
            t0 = out(ymm_reg) _, t1 = out(ymm_reg) _,
            t2 = out(ymm_reg) _, t3 = out(ymm_reg) _,
            w0 = inout(ymm_reg) w[0] => _, w1 = inout(ymm_reg) w[1] => _,
            w2 = inout(ymm_reg) w[2] => _, w3 = inout(ymm_reg) w[3] => _,
            options(nostack),
        );
    }
    let end = [a, b, c, d, e, f, g, h];
    state.iter_mut().zip(end).for_each(|(word, end)| *word = word.wrapping_add(end));
}

/// Two blocks: while the first goes through its rounds, the schedules of both are made.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn compress_two(state: &mut [u64; 8], [first, second]: &[Block; 2], addends: &mut AddendsOfTwo) {
    let swap = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    let swap = _mm256_broadcastsi128_si256(swap);
    let wk = addends.0.as_mut_ptr().cast::<u64>();
    let mut w = [_mm256_setzero_si256(); 8];
    let (first, second) = (first.as_chunks::<16>().0, second.as_chunks::<16>().0);
    let constants = K.0.as_chunks::<2>().0;
    for (i, words) in w.iter_mut().enumerate() {
        // SAFETY: reads 16 bytes each; writes 32 of the 1280 bytes, aligned to 32.
        unsafe {
            let low = _mm_loadu_si128(first[i].as_ptr().cast());
            let high = _mm_loadu_si128(second[i].as_ptr().cast());
            let k = _mm256_broadcastsi128_si256(_mm_loadu_si128(constants[i].as_ptr().cast()));
            *words = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), swap);
            _mm256_store_si256(wk.cast::<__m256i>().add(i), _mm256_add_epi64(*words, k));
        }
    }
    // SAFETY: `wk` has the first 16 addends of each block and room for all.
    unsafe {
        rounds_of_first(state, w, wk);
        rounds_of_second(state, wk);
    }
}

/// The 80 rounds of the first block, and the schedules of both.
///
/// # Safety
/// `wk` is aligned to 32 bytes and has 1280, of which the first 256 have been written.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
unsafe fn rounds_of_first(state: &mut [u64; 8], w: [__m256i; 8], wk: *mut u64) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    let vector = |word: u64| _mm_cvtsi64_si128(word as i64);
    let [va, vb, vc] = [vector(a), vector(b), vector(c)];
    // SAFETY: reads and writes the 1280 bytes at `wk`, and reads the constants up to the end of
    // `K`: the pointer's bit 9 stops the loop, for `K` is aligned to 1024 bytes.
    unsafe {
        asm!(
            "2:",
            rounds_and_schedules!("a" "b" "c" "d", "e" "f" "g" "h", "0" "8";
                "ymm16" "ymm17" "ymm20" "ymm21" "ymm23", "256" "128"),
            rounds_and_schedules!("c" "d" "a" "b", "g" "h" "e" "f", "32" "40";
                "ymm17" "ymm18" "ymm21" "ymm22" "ymm16", "288" "144"),
            rounds_and_schedules!("a" "b" "c" "d", "e" "f" "g" "h", "64" "72";
                "ymm18" "ymm19" "ymm22" "ymm23" "ymm17", "320" "160"),
            rounds_and_schedules!("c" "d" "a" "b", "g" "h" "e" "f", "96" "104";
                "ymm19" "ymm20" "ymm23" "ymm16" "ymm18", "352" "176"),
            rounds_and_schedules!("a" "b" "c" "d", "e" "f" "g" "h", "128" "136";
                "ymm20" "ymm21" "ymm16" "ymm17" "ymm19", "384" "192"),
            rounds_and_schedules!("c" "d" "a" "b", "g" "h" "e" "f", "160" "168";
                "ymm21" "ymm22" "ymm17" "ymm18" "ymm20", "416" "208"),
            rounds_and_schedules!("a" "b" "c" "d", "e" "f" "g" "h", "192" "200";
                "ymm22" "ymm23" "ymm18" "ymm19" "ymm21", "448" "224"),
            rounds_and_schedules!("c" "d" "a" "b", "g" "h" "e" "f", "224" "232";
                "ymm23" "ymm16" "ymm19" "ymm20" "ymm22", "480" "240"),
            "add {wk}, 256",
            "add {k}, 128",
            "test {k:e}, 512",
            "jz 2b",
            sixteen!(),
            a = inout(reg) a, b = inout(reg) b, c = inout(reg) c, d = inout(reg) d,
            e = inout(reg) e, f = inout(reg) f, g = inout(reg) g, h = inout(reg) h,
            x = out(reg) _, y = out(reg) _, z = out(reg) _,
            wk = inout(reg) wk => _, k = inout(reg) K.0.as_ptr() => _,
            va = inout(xmm_reg) va => _, vb = inout(xmm_reg) vb => _,
            vc = inout(xmm_reg) vc => _, vd = out(xmm_reg) _,
            s0 = out(xmm_reg) _, s1 = out(xmm_reg) _, s2 = out(xmm_reg) _,
            inout("zmm16") w[0] => _, inout("zmm17") w[1] => _,
            inout("zmm18") w[2] => _, inout("zmm19") w[3] => _,
            inout("zmm20") w[4] => _, inout("zmm21") w[5] => _,
            inout("zmm22") w[6] => _, inout("zmm23") w[7] => _,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
            options(nostack),
        );
    }
    let end = [a, b, c, d, e, f, g, h];
    state.iter_mut().zip(end).for_each(|(word, end)| *word = word.wrapping_add(end));
}

/// The 80 rounds of the second block.
///
/// # Safety
/// `wk` has all addends.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
unsafe fn rounds_of_second(state: &mut [u64; 8], wk: *mut u64) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    let vector = |word: u64| _mm_cvtsi64_si128(word as i64);
    let [va, vb, vc] = [vector(a), vector(b), vector(c)];
    // SAFETY: reads the 1280 bytes at `wk`.
    unsafe {
        asm!(
            "2:",
            sixteen!(),
            "add {wk}, 256",
            "cmp {wk}, {end}",
            "jne 2b",
            a = inout(reg) a, b = inout(reg) b, c = inout(reg) c, d = inout(reg) d,
            e = inout(reg) e, f = inout(reg) f, g = inout(reg) g, h = inout(reg) h,
            x = out(reg) _, y = out(reg) _, z = out(reg) _,
            wk = inout(reg) wk.add(2) => _, end = in(reg) wk.wrapping_add(162),
            va = inout(xmm_reg) va => _, vb = inout(xmm_reg) vb => _,
            vc = inout(xmm_reg) vc => _, vd = out(xmm_reg) _,
            s0 = out(xmm_reg) _, s1 = out(xmm_reg) _, s2 = out(xmm_reg) _,
            options(nostack, readonly),
        );
    }
    let end = [a, b, c, d, e, f, g, h];
    state.iter_mut().zip(end).for_each(|(word, end)| *word = word.wrapping_add(end));
}

/// Copies at most 128 bytes to the start of a block, and zeros after them.
#[inline]
pub(crate) fn fill(_: Avx512, bytes: &[u8], block: &mut Block) {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn filled(bytes: &[u8], block: &mut Block) {
        // SAFETY: a block is as long as two registers, and the store asks for no alignment.
        unsafe { block.as_mut_ptr().cast::<[__m512i; 2]>().write_unaligned(masked(bytes)) };
    }
    // SAFETY: the token proves that the CPU has the features.
    unsafe { filled(bytes, block) }
}

/// At most 128 bytes, and zeros after them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn masked(bytes: &[u8]) -> [__m512i; 2] {
    let mask = |len: usize| if len >= 64 { u64::MAX } else { (1 << len) - 1 };
    let low = start_of(bytes);
    let high = low.wrapping_add(64).cast();
    // SAFETY: the masks keep the loads inside `bytes`.
    unsafe {
        [
            _mm512_maskz_loadu_epi8(mask(bytes.len()), low.cast()),
            _mm512_maskz_loadu_epi8(mask(bytes.len().saturating_sub(64)), high),
        ]
    }
}

/// HMAC of a message whose key has been absorbed into `inner` and `outer`: FIPS 198-1 §4 steps 5
/// to 9. No block passes through memory.
pub(crate) fn hmac(
    _: Avx512,
    inner: &[u64; 8],
    outer: &[u64; 8],
    message: &[u8],
    digest_len_bytes: usize,
) -> [u64; 8] {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run_hmac(inner, outer, message, digest_len_bytes) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn run_hmac(
    inner: &[u64; 8],
    outer: &[u64; 8],
    message: &[u8],
    digest_len_bytes: usize,
) -> [u64; 8] {
    const LAST: u8 = 0x80;
    let mut state = *inner;
    let (blocks, tail) = message.as_chunks::<128>();
    if !blocks.is_empty() {
        run(&mut state, blocks);
    }
    // FIPS 180-4 §5.1.2: the mark, and the length in the last word of the last block.
    let [low, high] = masked(tail);
    let swap = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    let swap = _mm512_broadcast_i32x4(swap);
    let mark = _mm512_set1_epi8(0x80u8 as i8);
    let at = 1u128 << (tail.len() & 127);
    let low = _mm512_shuffle_epi8(_mm512_mask_mov_epi8(low, at as u64, mark), swap);
    let high = _mm512_mask_mov_epi8(high, (at >> 64) as u64, mark);
    let mut rest = [low, _mm512_shuffle_epi8(high, swap)];
    if tail.len() >= 112 {
        compress_shared(&mut state, quarters(rest));
        rest = [_mm512_setzero_si512(); 2];
    }
    let len_bits = (message.len() as i64 + 128) << 3;
    rest[1] = _mm512_mask_set1_epi64(rest[1], LAST, len_bits);
    compress_shared(&mut state, quarters(rest));

    let (whole, cut) = (digest_len_bytes / 8, digest_len_bytes % 8 * 8);
    let len_bits = (digest_len_bytes as i64 + 128) << 3;
    let padding = _mm512_maskz_set1_epi64(LAST, len_bits);
    let digest = gather(&state);
    let block = match state.get(whole) {
        Some(word) => {
            let last = word & !(u64::MAX >> cut) | (1 << 63 >> cut);
            let kept = _mm512_maskz_mov_epi64((1 << whole) - 1, digest);
            [_mm512_mask_set1_epi64(kept, 1 << whole, last as i64), padding]
        }
        None => [digest, _mm512_mask_set1_epi64(padding, 1, i64::MIN)],
    };
    let mut tag = *outer;
    compress_shared(&mut tag, quarters(block));
    overwrite(&mut state, [0; 8]);
    tag
}

/// One copy of the code for all blocks of HMAC, for the sake of the instruction caches.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn compress_shared(state: &mut [u64; 8], w: [__m256i; 4]) {
    compress_one(state, w);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn quarters([low, high]: [__m512i; 2]) -> [__m256i; 4] {
    [
        _mm512_castsi512_si256(low),
        _mm512_extracti64x4_epi64::<1>(low),
        _mm512_castsi512_si256(high),
        _mm512_extracti64x4_epi64::<1>(high),
    ]
}

/// The words as a vector. They have just been written one by one: one load of them all would wait
/// until they are in the cache.
#[inline]
#[target_feature(enable = "avx512f")]
fn gather(words: &[u64; 8]) -> __m512i {
    let [mut p0, mut p1, mut p2, mut p3] = [_mm_setzero_si128(); 4];
    // SAFETY: reads the 64 bytes of `words`.
    unsafe {
        asm!(
            "vmovq {p0}, qword ptr [{words}]",
            "vmovhps {p0}, {p0}, qword ptr [{words} + 8]",
            "vmovq {p1}, qword ptr [{words} + 16]",
            "vmovhps {p1}, {p1}, qword ptr [{words} + 24]",
            "vmovq {p2}, qword ptr [{words} + 32]",
            "vmovhps {p2}, {p2}, qword ptr [{words} + 40]",
            "vmovq {p3}, qword ptr [{words} + 48]",
            "vmovhps {p3}, {p3}, qword ptr [{words} + 56]",
            words = in(reg) words.as_ptr(),
            p0 = inout(xmm_reg) p0, p1 = inout(xmm_reg) p1,
            p2 = inout(xmm_reg) p2, p3 = inout(xmm_reg) p3,
            options(nostack, readonly, pure, preserves_flags),
        );
    }
    let low = _mm256_set_m128i(p1, p0);
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), _mm256_set_m128i(p3, p2))
}
