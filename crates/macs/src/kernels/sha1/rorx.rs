//! SHA-1 of one message for CPUs with AVX2 and BMI2, FIPS 180-4 §6.1.2: rounds in general
//! registers, the schedules of two blocks at once in the halves of 256-bit vectors. While the first
//! block goes through its rounds both schedules are made; during the second's the next two blocks
//! are read. In assembly because the order of instructions decides: a round waits for two of the
//! previous one and has seven to nine, so that four ALUs have no cycle to lose.
//!
//! From word 32 on, Wt is (Wt-6 ⊕ Wt-16 ⊕ Wt-28 ⊕ Wt-32) rotated by two, four of which do not
//! need each other (Locktyukhin, Farrel: Improving the performance of the Secure Hash Algorithm,
//! Intel, 2010).
#![expect(unsafe_code, reason = "assembly, loads, calls that need the CPU's features")]

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::{MaybeUninit, transmute};

use super::{Block, INITIAL, K, LengthOrder, State};
use crate::kernels::by_place;
use crate::kernels::cpu::Avx2;
use crate::kernels::lanes::hmac::{IPAD, OPAD};
use crate::kernels::md_block::{length_word, tail, two_blocks, vector, xored};
use crate::wipe::overwrite;

/// A round: `$e` becomes a, `$t` becomes c and `$b` what `$t` was. On entry `$a` still lacks `x`,
/// which is its predecessor rotated by five; on exit `$e` lacks the new `x`. The function of b, c
/// and d (FIPS 180-4 §4.1.1) is made in place of b. `$s1` and `$s2` are instructions of the
/// schedule, whose places matter little; the order of all others was found by trial on a Zen 4.
#[rustfmt::skip]
macro_rules! round {
    (choice $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal, $wk:literal;
     $s1:expr, $s2:expr) => {
        concat!(
            "andn {y:e}, {", $b, ":e}, {", $d, ":e}\n",
            "add {", $a, ":e}, {x:e}\n",
            "add {", $e, ":e}, dword ptr [{wk} + ", $wk, "]\n",
            "rorx {", $t, ":e}, {", $b, ":e}, 2\n",
            $s1,
            "add {", $e, ":e}, {y:e}\n",
            "and {", $b, ":e}, {", $c, ":e}\n",
            "add {", $e, ":e}, {", $b, ":e}\n",
            $s2,
            "rorx {x:e}, {", $a, ":e}, 27\n",
        )
    };
    (parity $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal, $wk:literal;
     $s1:expr, $s2:expr) => {
        concat!(
            "rorx {", $t, ":e}, {", $b, ":e}, 2\n",
            "xor {", $b, ":e}, {", $c, ":e}\n",
            "add {", $a, ":e}, {x:e}\n",
            "add {", $e, ":e}, dword ptr [{wk} + ", $wk, "]\n",
            $s1,
            "xor {", $b, ":e}, {", $d, ":e}\n",
            "add {", $e, ":e}, {", $b, ":e}\n",
            $s2,
            "rorx {x:e}, {", $a, ":e}, 27\n",
        )
    };
    // Two sums of which no bit is in both.
    (majority $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal, $wk:literal;
     $s1:expr, $s2:expr) => {
        concat!(
            "mov {y:e}, {", $b, ":e}\n",
            "add {", $e, ":e}, dword ptr [{wk} + ", $wk, "]\n",
            "and {y:e}, {", $c, ":e}\n",
            "rorx {", $t, ":e}, {", $b, ":e}, 2\n",
            "xor {", $b, ":e}, {", $c, ":e}\n",
            $s1,
            "add {", $a, ":e}, {x:e}\n",
            "and {", $b, ":e}, {", $d, ":e}\n",
            "rorx {x:e}, {", $a, ":e}, 27\n",
            "add {", $e, ":e}, {y:e}\n",
            $s2,
            "add {", $e, ":e}, {", $b, ":e}\n",
        )
    };
}

/// Four rounds; `$s0` to `$s7` are instructions of the schedule.
#[rustfmt::skip]
macro_rules! four_rounds {
    ($function:ident $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal,
     $o0:literal $o1:literal $o2:literal $o3:literal; $s0:expr, $s1:expr, $s2:expr, $s3:expr,
     $s4:expr, $s5:expr, $s6:expr, $s7:expr) => {
        concat!(
            round!($function $a $b $t $c $d $e, $o0; $s0, $s1),
            round!($function $e $a $b $t $c $d, $o1; $s2, $s3),
            round!($function $d $e $a $b $t $c, $o2; $s4, $s5),
            round!($function $c $d $e $a $b $t, $o3; $s6, $s7),
        )
    };
}

/// Four rounds and, in registers of the width `$r`, four words of the schedule, whose addends, made
/// with the constant at `$k`, are for the rounds 16 further and lie at `$write`.
#[rustfmt::skip]
macro_rules! four_scheduled {
    // `$w0` to `$w3` are the last 16 words. Of the new ones the last needs the first.
    ($r:literal near $w0:literal $w1:literal $w2:literal $w3:literal $next:literal, $k:literal,
     $function:ident $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal,
     $o0:literal $o1:literal $o2:literal $o3:literal $write:literal) => {
        four_rounds!($function $a $b $t $c $d $e, $o0 $o1 $o2 $o3;
            vector!($r; "palignr" $next $w1 $w0, "8"; "psrldq" "t0" $w3, "4";),
            vector!($r; "pxor" $next $next $w0; "pxor" "t0" "t0" $w2;),
            vector!($r; "pxor" $next $next "t0";),
            vector!($r; "pslldq" "t0" $next, "12"; "psrld" "t1" $next, "31";),
            vector!($r; "paddd" $next $next $next; "psrld" "t2" "t0", "30";),
            vector!($r; "por" $next $next "t1"; "pslld" "t0" "t0", "2";),
            vector!($r; "pxor" $next $next "t2"; "pxor" $next $next "t0";),
            addends!($r $next $k $write))
    };
    // `$w0` are the words of 32 before, which become the new ones, `$w1` those of 28, `$w4` those
    // of 16, `$w6` and `$w7` those of eight and four.
    ($r:literal far $w0:literal $w1:literal $w4:literal $w6:literal $w7:literal, $k:literal,
     $function:ident $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal,
     $o0:literal $o1:literal $o2:literal $o3:literal $write:literal) => {
        four_rounds!($function $a $b $t $c $d $e, $o0 $o1 $o2 $o3;
            vector!($r; "palignr" "t0" $w7 $w6, "8";),
            vector!($r; "pxor" $w0 $w0 $w1;),
            vector!($r; "pxor" "t0" "t0" $w4;),
            vector!($r; "pxor" $w0 $w0 "t0";),
            vector!($r; "pslld" "t0" $w0, "2";),
            vector!($r; "psrld" $w0 $w0, "30";),
            vector!($r; "por" $w0 $w0 "t0";),
            addends!($r $w0 $k $write))
    };
    ($r:literal none $w:literal $from:literal $write:literal,
     $function:ident $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal,
     $o0:literal $o1:literal $o2:literal $o3:literal) => {
        four_rounds!($function $a $b $t $c $d $e, $o0 $o1 $o2 $o3; "", "", "", "", "", "", "", "")
    };
}

/// Words and constant to the place of the addends.
#[rustfmt::skip]
macro_rules! addends {
    ($r:literal $words:literal $k:literal $write:literal) => {
        concat!(
            "vpaddd {t1", $r, "}, {", $words, $r, "}, [{k} + ", $k, "]\n",
            "vmovdqa [{wk} + ", $write, "], {t1", $r, "}\n",
        )
    };
}

/// As `four_scheduled`, whose arguments it takes, without the schedule.
#[rustfmt::skip]
macro_rules! four_without {
    ($r:literal none $($rounds:tt)+) => { four_scheduled!($r none $($rounds)+) };
    ($r:literal $kind:ident $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal, $k:literal,
     $function:ident $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal,
     $o0:literal $o1:literal $o2:literal $o3:literal $write:literal) => {
        four_rounds!($function $a $b $t $c $d $e, $o0 $o1 $o2 $o3; "", "", "", "", "", "", "", "")
    };
}

/// As `four_without`, for a second block, with `wk` moved by 16 bytes to its addends. In the last
/// 16 rounds the words of the next two blocks, which are at `next`, are put into `w0` to `w3`, and
/// their addends where those of the first rounds were.
#[rustfmt::skip]
macro_rules! four_and_next {
    ($r:literal none $w:literal $from:literal $write:literal,
     $function:ident $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal,
     $o0:literal $o1:literal $o2:literal $o3:literal) => {
        four_rounds!($function $a $b $t $c $d $e, $o0 $o1 $o2 $o3;
            concat!("vmovdqu {", $w, ":x}, [{next} + ", $from, "]\n"), "",
            concat!("vinserti128 {", $w, ":y}, {", $w, ":y}, [{next} + 64 + ", $from, "], 1\n"), "",
            vector!(":y"; "pshufb" $w $w "swap";), "",
            concat!("vpaddd {t0:y}, {", $w, ":y}, [{k}]\n"),
            concat!("vmovdqa [{wk} - 16 + ", $write, "], {t0:y}\n"))
    };
    ($($scheduled:tt)+) => { four_without!($($scheduled)+) };
}

/// The 80 rounds, each four by `$four`. They leave a to e in `$d`, `$e`, `$b`, `$t` and `$c`.
#[rustfmt::skip]
macro_rules! rounds {
    ($four:ident $r:literal, $a:literal $b:literal $t:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "xor {x:e}, {x:e}\n",
            $four!($r near "w0" "w1" "w2" "w3" "w4", "0", choice $a $b $t $c $d $e,
                "0" "4" "8" "12" "128"),
            $four!($r near "w1" "w2" "w3" "w4" "w5", "32", choice $t $c $d $e $a $b,
                "32" "36" "40" "44" "160"),
            $four!($r near "w2" "w3" "w4" "w5" "w6", "32", choice $d $e $a $b $t $c,
                "64" "68" "72" "76" "192"),
            $four!($r near "w3" "w4" "w5" "w6" "w7", "32", choice $a $b $t $c $d $e,
                "96" "100" "104" "108" "224"),
            $four!($r far "w0" "w1" "w4" "w6" "w7", "32", choice $t $c $d $e $a $b,
                "128" "132" "136" "140" "256"),
            $four!($r far "w1" "w2" "w5" "w7" "w0", "32", parity $d $e $a $b $t $c,
                "160" "164" "168" "172" "288"),
            $four!($r far "w2" "w3" "w6" "w0" "w1", "64", parity $a $b $t $c $d $e,
                "192" "196" "200" "204" "320"),
            $four!($r far "w3" "w4" "w7" "w1" "w2", "64", parity $t $c $d $e $a $b,
                "224" "228" "232" "236" "352"),
            $four!($r far "w4" "w5" "w0" "w2" "w3", "64", parity $d $e $a $b $t $c,
                "256" "260" "264" "268" "384"),
            $four!($r far "w5" "w6" "w1" "w3" "w4", "64", parity $a $b $t $c $d $e,
                "288" "292" "296" "300" "416"),
            $four!($r far "w6" "w7" "w2" "w4" "w5", "64", majority $t $c $d $e $a $b,
                "320" "324" "328" "332" "448"),
            $four!($r far "w7" "w0" "w3" "w5" "w6", "96", majority $d $e $a $b $t $c,
                "352" "356" "360" "364" "480"),
            $four!($r far "w0" "w1" "w4" "w6" "w7", "96", majority $a $b $t $c $d $e,
                "384" "388" "392" "396" "512"),
            $four!($r far "w1" "w2" "w5" "w7" "w0", "96", majority $t $c $d $e $a $b,
                "416" "420" "424" "428" "544"),
            $four!($r far "w2" "w3" "w6" "w0" "w1", "96", majority $d $e $a $b $t $c,
                "448" "452" "456" "460" "576"),
            $four!($r far "w3" "w4" "w7" "w1" "w2", "96", parity $a $b $t $c $d $e,
                "480" "484" "488" "492" "608"),
            $four!($r none "w0" "0" "0", parity $t $c $d $e $a $b,
                "512" "516" "520" "524"),
            $four!($r none "w1" "16" "32", parity $d $e $a $b $t $c,
                "544" "548" "552" "556"),
            $four!($r none "w2" "32" "64", parity $a $b $t $c $d $e,
                "576" "580" "584" "588"),
            $four!($r none "w3" "48" "96", parity $t $c $d $e $a $b,
                "608" "612" "616" "620"),
            "add {", $d, ":e}, {x:e}\n",
        )
    };
}

/// Adds the chaining value at `state`.
#[rustfmt::skip]
macro_rules! add_state {
    ($a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "add {", $a, ":e}, dword ptr [{state}]\n",
            "add {", $b, ":e}, dword ptr [{state} + 4]\n",
            "add {", $c, ":e}, dword ptr [{state} + 8]\n",
            "add {", $d, ":e}, dword ptr [{state} + 12]\n",
            "add {", $e, ":e}, dword ptr [{state} + 16]\n",
        )
    };
}

/// Stores the chaining value where it was, to be read as words.
#[rustfmt::skip]
macro_rules! store_words {
    ($a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "mov dword ptr [{state}], {", $a, ":e}\n",
            "mov dword ptr [{state} + 4], {", $b, ":e}\n",
            "mov dword ptr [{state} + 8], {", $c, ":e}\n",
            "mov dword ptr [{state} + 12], {", $d, ":e}\n",
            "mov dword ptr [{state} + 16], {", $e, ":e}\n",
        )
    };
}

/// Stores the chaining value where it was, to be read as words or as a vector, which would have to
/// wait for stores of words. The last made, a, comes last.
#[rustfmt::skip]
macro_rules! store_vector {
    ($a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "mov dword ptr [{state} + 16], {", $e, ":e}\n",
            "vmovd {t0:x}, {", $d, ":e}\n",
            "vpinsrd {t0:x}, {t0:x}, {", $d, ":e}, 3\n",
            "vpinsrd {t0:x}, {t0:x}, {", $c, ":e}, 2\n",
            "vpinsrd {t0:x}, {t0:x}, {", $b, ":e}, 1\n",
            "vpinsrd {t0:x}, {t0:x}, {", $a, ":e}, 0\n",
            "vmovdqu [{state}], {t0:x}\n",
        )
    };
}

/// Each constant for all words of a vector.
#[repr(C, align(64))]
struct Constants([[u32; 8]; 4]);

static SPREAD: Constants = Constants([[K[0]; 8], [K[1]; 8], [K[2]; 8], [K[3]; 8]]);

/// The addends of the rounds, word of the schedule plus constant: four of the one block, then four
/// of the other.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Addends([u32; 160]);

/// The 80 rounds of the first block, and the schedule in registers of the width `$r`.
macro_rules! first_block {
    ($(#[$doc:meta])* $name:ident, $r:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The addends of 16 rounds have been written.
        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn $name(state: &mut State, w: [__m256i; 4], wk: &mut MaybeUninit<Addends>) {
            let [a, mut b, mut c, mut d, mut e] = *state;
            let t: u32;
            // SAFETY: writes behind what has been written in the 640 bytes at `wk`, which are
            // aligned, and reads what was written; reads the 128 bytes of constants.
            unsafe {
                asm!(
                    rounds!(four_scheduled $r, "a" "b" "t" "c" "d" "e"),
                    a = inout(reg) a => _, b = inout(reg) b, c = inout(reg) c,
                    d = inout(reg) d, e = inout(reg) e, t = out(reg) t,
                    x = out(reg) _, y = out(reg) _,
                    wk = in(reg) wk.as_mut_ptr(), k = in(reg) SPREAD.0.as_ptr(),
                    w0 = inout(ymm_reg) w[0] => _, w1 = inout(ymm_reg) w[1] => _,
                    w2 = inout(ymm_reg) w[2] => _, w3 = inout(ymm_reg) w[3] => _,
                    w4 = out(ymm_reg) _, w5 = out(ymm_reg) _,
                    w6 = out(ymm_reg) _, w7 = out(ymm_reg) _,
                    t0 = out(ymm_reg) _, t1 = out(ymm_reg) _, t2 = out(ymm_reg) _,
                    options(nostack),
                );
            }
            add(state, [d, e, b, t, c]);
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
    let [a, mut b, mut c, mut d, mut e] = *state;
    let t: u32;
    // SAFETY: reads the 640 bytes at `wk`, from the second four words on.
    unsafe {
        asm!(
            rounds!(four_without "", "a" "b" "t" "c" "d" "e"),
            a = inout(reg) a => _, b = inout(reg) b, c = inout(reg) c,
            d = inout(reg) d, e = inout(reg) e, t = out(reg) t,
            x = out(reg) _, y = out(reg) _,
            wk = in(reg) wk.as_ptr().cast::<u8>().wrapping_add(16),
            options(nostack, readonly),
        );
    }
    add(state, [d, e, b, t, c]);
}

/// Absorbs two blocks at a time. The loop, too, is assembly: the compiler would pass the chaining
/// value from one block to the next through memory, on which all else waits.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run_pairs(state: &mut State, pairs: &[[Block; 2]], wk: &mut MaybeUninit<Addends>) {
    let Some([one, other]) = pairs.first() else { return };
    let w = words([one, other]);
    first_addends(&w, wk);
    let [a, b, c, d, e] = *state;
    // SAFETY: reads the blocks of as many pairs as there are, of the last one twice; reads and
    // writes the chaining value, and the 640 bytes at `wk`, which are aligned, and of which the
    // addends of 16 rounds are there and the others are written before they are read; reads the
    // 128 bytes of constants.
    unsafe {
        asm!(
            "2:",
            rounds!(four_scheduled ":y", "a" "b" "t" "c" "d" "e"),
            add_state!("d" "e" "b" "t" "c"),
            store_words!("d" "e" "b" "t" "c"),
            // Behind the last pair its own again.
            "lea {x}, [{next} + 128]",
            "cmp {left}, 1",
            "cmovne {next}, {x}",
            "add {wk}, 16",
            rounds!(four_and_next ":y", "d" "e" "a" "b" "t" "c"),
            add_state!("t" "c" "e" "a" "b"),
            store_words!("t" "c" "e" "a" "b"),
            "sub {wk}, 16",
            "mov {x:e}, {a:e}",
            "mov {y:e}, {b:e}",
            "mov {a:e}, {t:e}",
            "mov {b:e}, {c:e}",
            "mov {c:e}, {e:e}",
            "mov {d:e}, {x:e}",
            "mov {e:e}, {y:e}",
            "dec {left}",
            "jnz 2b",
            store_vector!("a" "b" "c" "d" "e"),
            a = inout(reg) a => _, b = inout(reg) b => _, c = inout(reg) c => _,
            d = inout(reg) d => _, e = inout(reg) e => _, t = out(reg) _,
            x = out(reg) _, y = out(reg) _, state = in(reg) state.as_mut_ptr(),
            next = inout(reg) pairs.as_ptr() => _, left = inout(reg) pairs.len() => _,
            wk = inout(reg) wk.as_mut_ptr() => _, k = in(reg) SPREAD.0.as_ptr(),
            w0 = inout(ymm_reg) w[0] => _, w1 = inout(ymm_reg) w[1] => _,
            w2 = inout(ymm_reg) w[2] => _, w3 = inout(ymm_reg) w[3] => _,
            w4 = out(ymm_reg) _, w5 = out(ymm_reg) _, w6 = out(ymm_reg) _, w7 = out(ymm_reg) _,
            t0 = out(ymm_reg) _, t1 = out(ymm_reg) _, t2 = out(ymm_reg) _,
            swap = in(ymm_reg) swap(),
            options(nostack),
        );
    }
}

/// For a shuffle of bytes: words from big endian.
#[inline]
#[target_feature(enable = "avx2")]
fn swap() -> __m256i {
    let swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    _mm256_broadcastsi128_si256(swap)
}

/// The words of two blocks, four of each in a vector.
#[inline]
#[target_feature(enable = "avx2")]
fn words([first, second]: [&Block; 2]) -> [__m256i; 4] {
    let swap = swap();
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
            let constants = _mm256_load_si256(SPREAD.0[0].as_ptr().cast());
            let addends = wk.as_mut_ptr().cast::<__m256i>().add(i);
            _mm256_store_si256(addends, _mm256_add_epi32(both, constants));
        }
    }
}

two_blocks!(160);

/// HMAC from the chaining values after the key blocks.
pub(super) fn hmac(_: Avx2, inner: &State, outer: &State, message: &[u8]) -> State {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run_hmac(*inner, *outer, message) }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run_hmac(mut inner: State, mut outer: State, message: &[u8]) -> State {
    let field = length_word(LengthOrder::Big, message.len()).to_le_bytes();
    tail::absorb_by_two(message, field, |blocks| run(&mut inner, blocks));
    let mut words = [0; 16];
    words[..5].copy_from_slice(&inner);
    words[5] = 1 << 31;
    words[15] = 8 * (64 + 20);
    // SAFETY: both are 64 bytes without invalid values.
    let block = unsafe { transmute::<[u32; 16], Block>(by_place(0, |at| words[at].to_be())) };
    run(&mut outer, &[block]);
    outer
}

/// The chaining values after the key blocks, of a key of at most 64 bytes.
pub(super) fn hmac_key(token: Avx2, key: &[u8]) -> [State; 2] {
    assert!(key.len() <= 64, "at most a block");
    let block = key.try_into().unwrap_or_else(|_| tail::block(key, 0));
    let mut blocks = [xored(&block, IPAD), xored(&block, OPAD)];
    let mut states = [INITIAL; 2];
    compress_pair(token, states.each_mut(), blocks.each_ref());
    overwrite(&mut blocks, [[0; 64]; 2]);
    states
}

/// HMAC under a key, of at most 64 bytes, that is used once.
pub(super) fn hmac_once(token: Avx2, key: &[u8], message: &[u8]) -> State {
    let mut states = hmac_key(token, key);
    let state = hmac(token, &states[0], &states[1], message);
    overwrite(&mut states, [INITIAL; 2]);
    state
}
