//! SHA-256 of one message for CPUs with AVX2 and BMI2, FIPS 180-4 §6.2.2: rounds in general
//! registers, the schedules of two blocks at once in the halves of 256-bit vectors (Gueron,
//! Krasnov: Parallelizing message schedules to accelerate the computations of hash functions,
//! 2012). While the first block goes through its rounds both schedules are made; during the
//! second's the next two blocks are read. In assembly because the order of instructions decides.
#![expect(unsafe_code, reason = "assembly, loads, calls that need the CPU's features")]

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::soft::K;
use super::{Block, State};
use crate::kernels::by_place;
use crate::kernels::cpu::Avx2;
use crate::kernels::md_block::{two_blocks, vector};
use crate::wipe::overwrite;

/// A round. `$h` becomes a, `$d` becomes e; `$bc` is b ⊕ c, of which Maj is made, and `$ab`
/// becomes that of the next round; `$s1` to `$s3` are instructions of the schedule.
#[rustfmt::skip]
macro_rules! round {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal,
     $bc:literal $ab:literal, $wk:literal; $s1:expr, $s2:expr, $s3:expr) => {
        concat!(
            "add {", $h, ":e}, dword ptr [{wk} + ", $wk, "]\n",
            "mov {x:e}, {", $f, ":e}\n",
            "mov {", $ab, ":e}, {", $b, ":e}\n",
            "rorx {y:e}, {", $e, ":e}, 25\n",
            "and {x:e}, {", $e, ":e}\n",
            "add {", $h, ":e}, {x:e}\n",
            "rorx {x:e}, {", $e, ":e}, 11\n",
            $s1,
            "xor {y:e}, {x:e}\n",
            "andn {x:e}, {", $e, ":e}, {", $g, ":e}\n",
            "add {", $h, ":e}, {x:e}\n",
            "rorx {x:e}, {", $e, ":e}, 6\n",
            "xor {y:e}, {x:e}\n",
            "xor {", $ab, ":e}, {", $a, ":e}\n",
            $s2,
            "rorx {x:e}, {", $a, ":e}, 22\n",
            "add {", $h, ":e}, {y:e}\n",
            "rorx {y:e}, {", $a, ":e}, 13\n",
            "and {", $bc, ":e}, {", $ab, ":e}\n",
            "add {", $d, ":e}, {", $h, ":e}\n",
            "xor {x:e}, {y:e}\n",
            "rorx {y:e}, {", $a, ":e}, 2\n",
            "xor {", $bc, ":e}, {", $b, ":e}\n",
            $s3,
            "xor {x:e}, {y:e}\n",
            "add {", $h, ":e}, {", $bc, ":e}\n",
            "add {", $h, ":e}, {x:e}\n",
        )
    };
}

/// Four rounds and, in registers of the width `$r`, the four words of the schedule 16 further:
/// `$w0` are the oldest, which are replaced. Of the new words the last two need the first two.
#[rustfmt::skip]
macro_rules! rounds_and_schedule {
    ($r:literal, $a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal
     $h:literal, $o0:literal $o1:literal $o2:literal $o3:literal,
     $w0:literal $w1:literal $w2:literal $w3:literal, $k:literal) => {
        concat!(
            round!($a $b $c $d $e $f $g $h, "m" "n", $o0;
                vector!($r; "palignr" "t0" $w1 $w0, "4"; "palignr" "t1" $w3 $w2, "4";
                    "psrld" "t2" "t0", "7";),
                vector!($r; "paddd" $w0 $w0 "t1"; "pslld" "t1" "t0", "25";),
                vector!($r; "psrld" "t3" "t0", "18"; "pxor" "t2" "t2" "t1";
                    "pslld" "t1" "t0", "14";)),
            round!($h $a $b $c $d $e $f $g, "n" "m", $o1;
                vector!($r; "psrld" "t0" "t0", "3"; "pxor" "t3" "t3" "t1";
                    "pxor" "t2" "t2" "t0";),
                vector!($r; "pshufd" "t0" $w3, "0xfa"; "pxor" "t2" "t2" "t3";),
                vector!($r; "psrlq" "t1" "t0", "17"; "paddd" $w0 $w0 "t2";
                    "psrlq" "t2" "t0", "19";)),
            round!($g $h $a $b $c $d $e $f, "m" "n", $o2;
                vector!($r; "psrld" "t0" "t0", "10"; "pxor" "t1" "t1" "t2";),
                vector!($r; "pxor" "t0" "t0" "t1"; "pshufb" "t0" "t0" "low";),
                vector!($r; "paddd" $w0 $w0 "t0"; "pshufd" "t0" $w0, "0x50";)),
            round!($f $g $h $a $b $c $d $e, "n" "m", $o3;
                vector!($r; "psrlq" "t1" "t0", "17"; "psrlq" "t2" "t0", "19";
                    "psrld" "t0" "t0", "10";),
                vector!($r; "pxor" "t1" "t1" "t2"; "pxor" "t0" "t0" "t1";
                    "pshufb" "t0" "t0" "high";),
                concat!(vector!($r; "paddd" $w0 $w0 "t0";),
                    "vpaddd {t0", $r, "}, {", $w0, $r, "}, [{k} + ", $k, "]\n",
                    "vmovdqa [{wk} + 128 + ", $k, "], {t0", $r, "}\n")),
        )
    };
}

/// 16 rounds and the words that the next 16 want.
#[rustfmt::skip]
macro_rules! sixteen_and_schedule {
    ($r:literal) => {
        concat!(
            rounds_and_schedule!($r, "a" "b" "c" "d" "e" "f" "g" "h",
                "0" "4" "8" "12", "w0" "w1" "w2" "w3", "0"),
            rounds_and_schedule!($r, "e" "f" "g" "h" "a" "b" "c" "d",
                "32" "36" "40" "44", "w1" "w2" "w3" "w0", "32"),
            rounds_and_schedule!($r, "a" "b" "c" "d" "e" "f" "g" "h",
                "64" "68" "72" "76", "w2" "w3" "w0" "w1", "64"),
            rounds_and_schedule!($r, "e" "f" "g" "h" "a" "b" "c" "d",
                "96" "100" "104" "108", "w3" "w0" "w1" "w2", "96"),
        )
    };
}

/// Four rounds whose words are there.
#[rustfmt::skip]
macro_rules! four_rounds {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal,
     $o0:literal $o1:literal $o2:literal $o3:literal) => {
        concat!(
            round!($a $b $c $d $e $f $g $h, "m" "n", $o0; "", "", ""),
            round!($h $a $b $c $d $e $f $g, "n" "m", $o1; "", "", ""),
            round!($g $h $a $b $c $d $e $f, "m" "n", $o2; "", "", ""),
            round!($f $g $h $a $b $c $d $e, "n" "m", $o3; "", "", ""),
        )
    };
}

/// 16 rounds whose words are there.
#[rustfmt::skip]
macro_rules! sixteen {
    () => {
        concat!(
            four_rounds!("a" "b" "c" "d" "e" "f" "g" "h", "0" "4" "8" "12"),
            four_rounds!("e" "f" "g" "h" "a" "b" "c" "d", "32" "36" "40" "44"),
            four_rounds!("a" "b" "c" "d" "e" "f" "g" "h", "64" "68" "72" "76"),
            four_rounds!("e" "f" "g" "h" "a" "b" "c" "d", "96" "100" "104" "108"),
        )
    };
}

/// The round constants, each four of them twice. Aligned so that a pointer into them tells by one
/// bit when it is past them.
#[repr(C, align(1024))]
struct Constants([u32; 128]);

static TWICE: Constants = {
    let mut twice = [0; 128];
    let mut t = 0;
    while t < 128 {
        twice[t] = K.0[t / 8 * 4 + t % 4];
        t += 1;
    }
    Constants(twice)
};

/// The addends of the rounds, word of the schedule plus round constant: four of the one block,
/// then four of the other.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Addends([u32; 128]);

/// The 64 rounds of the first block, and the schedule in registers of the width `$r`.
macro_rules! first_block {
    ($(#[$doc:meta])* $name:ident, $r:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The addends of 16 rounds have been written.
        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn $name(state: &mut State, w: [__m256i; 4], wk: &mut MaybeUninit<Addends>) {
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
            let low = _mm_set_epi64x(-1, 0x0b0a_0908_0302_0100);
            let high = _mm_set_epi64x(0x0b0a_0908_0302_0100, -1);
            // SAFETY: writes behind what has been written in the 512 bytes at `wk`, which are
            // aligned, and reads what was written; reads the constants from the 17th to their end:
            // the pointer's bit 9 stops the loop, for they are aligned to 1024 bytes.
            unsafe {
                asm!(
                    "2:",
                    sixteen_and_schedule!($r),
                    "add {wk}, 128",
                    "add {k}, 128",
                    "test {k:e}, 512",
                    "jz 2b",
                    sixteen!(),
                    a = inout(reg) a, b = inout(reg) b, c = inout(reg) c, d = inout(reg) d,
                    e = inout(reg) e, f = inout(reg) f, g = inout(reg) g, h = inout(reg) h,
                    x = out(reg) _, y = out(reg) _, m = inout(reg) b ^ c => _, n = out(reg) _,
                    wk = inout(reg) wk.as_mut_ptr() => _,
                    k = inout(reg) TWICE.0.as_ptr().wrapping_add(32) => _,
                    w0 = inout(ymm_reg) w[0] => _, w1 = inout(ymm_reg) w[1] => _,
                    w2 = inout(ymm_reg) w[2] => _, w3 = inout(ymm_reg) w[3] => _,
                    t0 = out(ymm_reg) _, t1 = out(ymm_reg) _,
                    t2 = out(ymm_reg) _, t3 = out(ymm_reg) _,
                    low = in(ymm_reg) _mm256_broadcastsi128_si256(low),
                    high = in(ymm_reg) _mm256_broadcastsi128_si256(high),
                    options(nostack),
                );
            }
            add(state, [a, b, c, d, e, f, g, h]);
        }
    };
}

first_block! {
    /// The first block of two; the addends of both are then there.
    first_of_two, ":y"
}

first_block! {
    /// A block without a second.
    only, ":x"
}

/// The rounds of the second block.
///
/// # Safety
/// All addends have been written.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn second(state: &mut State, wk: &MaybeUninit<Addends>) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    let start = wk.as_ptr().cast::<u8>().wrapping_add(16);
    // SAFETY: reads the 512 bytes at `wk`, from the second four words on.
    unsafe {
        asm!(
            "2:",
            sixteen!(),
            "add {wk}, 128",
            "cmp {wk}, {end}",
            "jne 2b",
            a = inout(reg) a, b = inout(reg) b, c = inout(reg) c, d = inout(reg) d,
            e = inout(reg) e, f = inout(reg) f, g = inout(reg) g, h = inout(reg) h,
            x = out(reg) _, y = out(reg) _, m = inout(reg) b ^ c => _, n = out(reg) _,
            wk = inout(reg) start => _,
            end = in(reg) start.wrapping_add(size_of::<Addends>()),
            options(nostack, readonly),
        );
    }
    add(state, [a, b, c, d, e, f, g, h]);
}

/// The words of two blocks, four of each in a vector.
#[inline]
#[target_feature(enable = "avx2")]
fn words([first, second]: [&Block; 2]) -> [__m256i; 4] {
    let swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    let swap = _mm256_broadcastsi128_si256(swap);
    by_place(_mm256_setzero_si256(), |i| {
        let at = |block: &Block| block.as_ptr().wrapping_add(16 * i).cast();
        // SAFETY: reads four times 16 bytes of blocks of 64.
        let [first, second] = unsafe { [_mm_loadu_si128(at(first)), _mm_loadu_si128(at(second))] };
        _mm256_shuffle_epi8(_mm256_set_m128i(second, first), swap)
    })
}

/// The addends of the first 16 rounds.
#[inline]
#[target_feature(enable = "avx2")]
fn first_addends(words: &[__m256i; 4], wk: &mut MaybeUninit<Addends>) {
    for (i, &both) in words.iter().enumerate() {
        // SAFETY: reads 32 bytes of the constants and writes 32 of the addends. Both are aligned.
        unsafe {
            let constants = _mm256_load_si256(TWICE.0.as_ptr().cast::<__m256i>().add(i));
            let addends = wk.as_mut_ptr().cast::<__m256i>().add(i);
            _mm256_store_si256(addends, _mm256_add_epi32(both, constants));
        }
    }
}

/// Absorbs two blocks at a time.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run_pairs(state: &mut State, pairs: &[[Block; 2]], wk: &mut MaybeUninit<Addends>) {
    let Some([one, other]) = pairs.first() else { return };
    let mut w = words([one, other]);
    for (i, pair) in pairs.iter().enumerate() {
        first_addends(&w, wk);
        // SAFETY: the first addends are there, `first_of_two` writes all others.
        unsafe { first_of_two(state, w, wk) };
        // The next pair's, while the second block has nothing but rounds; behind the last pair its
        // own again, which costs less than a branch.
        let [one, other] = pairs.get(i + 1).unwrap_or(pair);
        w = words([one, other]);
        // SAFETY: `first_of_two` has written all addends.
        unsafe { second(state, wk) };
    }
}

two_blocks!(128);
