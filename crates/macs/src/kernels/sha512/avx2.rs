//! SHA-512 of one message for CPUs with AVX2 and BMI2, FIPS 180-4 §6.4.2: rounds in general
//! registers, the schedules of two blocks at once in the halves of 256-bit vectors. While the
//! first block goes through its rounds both schedules are made; the second then has nothing but
//! rounds. In assembly because the order of instructions decides.
#![expect(unsafe_code, reason = "assembly, loads, calls that need the CPU's features")]

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::constants::K;
use super::vector::SWAP;
use super::{Block, State};
use crate::kernels::cpu::Avx2;
use crate::wipe::overwrite;

/// A round. `$h` becomes a, `$d` becomes e; `$bc` is b ⊕ c, of which Maj is made, and `$ab`
/// becomes that of the next round; `$s1` to `$s3` are instructions of the schedule. f ∧ e goes
/// before the rotations of e: a Zen 3 then takes 6.1 cycles wherever the code lies, instead of 6.1
/// to 6.6.
#[rustfmt::skip]
macro_rules! round {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal,
     $bc:literal $ab:literal, $wk:literal; $s1:expr, $s2:expr, $s3:expr) => {
        concat!(
            "mov {", $ab, "}, {", $b, "}\n",
            "mov {x}, {", $f, "}\n",
            "and {x}, {", $e, "}\n",
            "add {", $h, "}, qword ptr [{wk} + ", $wk, "]\n",
            "add {", $h, "}, {x}\n",
            "rorx {x}, {", $e, "}, 41\n",
            "rorx {y}, {", $e, "}, 18\n",
            $s1,
            "xor {x}, {y}\n",
            "andn {y}, {", $e, "}, {", $g, "}\n",
            "add {", $h, "}, {y}\n",
            "rorx {y}, {", $e, "}, 14\n",
            "xor {x}, {y}\n",
            "xor {", $ab, "}, {", $a, "}\n",
            "add {", $h, "}, {x}\n",
            $s2,
            "rorx {x}, {", $a, "}, 34\n",
            "rorx {y}, {", $a, "}, 39\n",
            "and {", $bc, "}, {", $ab, "}\n",
            "xor {y}, {x}\n",
            "add {", $d, "}, {", $h, "}\n",
            "rorx {x}, {", $a, "}, 28\n",
            "xor {", $bc, "}, {", $b, "}\n",
            $s3,
            "add {", $h, "}, {", $bc, "}\n",
            "xor {y}, {x}\n",
            "add {", $h, "}, {y}\n",
        )
    };
}

/// Two rounds and, in registers of the width `$r`, two words of the schedule 16 further: `$w0` are
/// the oldest, which are replaced, `$w7` the newest.
#[rustfmt::skip]
macro_rules! rounds_and_schedule {
    ($r:literal, $a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal
     $h:literal, $o0:literal $o1:literal,
     $w0:literal $w1:literal $w4:literal $w5:literal $w7:literal, $k:literal) => {
        concat!(
            round!($a $b $c $d $e $f $g $h, "m" "n", $o0;
                concat!("vpalignr {t0", $r, "}, {", $w1, $r, "}, {", $w0, $r, "}, 8\n",
                        "vpalignr {t1", $r, "}, {", $w5, $r, "}, {", $w4, $r, "}, 8\n",
                        "vpsrlq {t2", $r, "}, {t0", $r, "}, 1\n",
                        "vpaddq {", $w0, $r, "}, {", $w0, $r, "}, {t1", $r, "}\n"),
                concat!("vpsllq {t1", $r, "}, {t0", $r, "}, 63\n",
                        "vpsrlq {t3", $r, "}, {t0", $r, "}, 7\n",
                        "vpshufb {t0", $r, "}, {t0", $r, "}, {ror8", $r, "}\n",
                        "vpxor {t2", $r, "}, {t2", $r, "}, {t1", $r, "}\n"),
                concat!("vpxor {t0", $r, "}, {t0", $r, "}, {t3", $r, "}\n",
                        "vpsrlq {t1", $r, "}, {", $w7, $r, "}, 19\n",
                        "vpxor {t0", $r, "}, {t0", $r, "}, {t2", $r, "}\n",
                        "vpsllq {t2", $r, "}, {", $w7, $r, "}, 45\n")),
            round!($h $a $b $c $d $e $f $g, "n" "m", $o1;
                concat!("vpaddq {", $w0, $r, "}, {", $w0, $r, "}, {t0", $r, "}\n",
                        "vpsrlq {t3", $r, "}, {", $w7, $r, "}, 61\n",
                        "vpxor {t1", $r, "}, {t1", $r, "}, {t2", $r, "}\n",
                        "vpsllq {t2", $r, "}, {", $w7, $r, "}, 3\n"),
                concat!("vpsrlq {t0", $r, "}, {", $w7, $r, "}, 6\n",
                        "vpxor {t2", $r, "}, {t2", $r, "}, {t3", $r, "}\n",
                        "vpxor {t1", $r, "}, {t1", $r, "}, {t0", $r, "}\n",
                        "vpxor {t1", $r, "}, {t1", $r, "}, {t2", $r, "}\n"),
                concat!("vpaddq {", $w0, $r, "}, {", $w0, $r, "}, {t1", $r, "}\n",
                        "vpaddq {t0", $r, "}, {", $w0, $r, "}, [{k} + ", $k, "]\n",
                        "vmovdqa [{wk} + ", $k, "], {t0", $r, "}\n")),
        )
    };
}

/// 16 rounds and the words that the next 16 want.
#[rustfmt::skip]
macro_rules! sixteen_and_schedule {
    ($r:literal) => {
        concat!(
            rounds_and_schedule!($r, "a" "b" "c" "d" "e" "f" "g" "h", "0" "8",
                "w0" "w1" "w4" "w5" "w7", "256"),
            rounds_and_schedule!($r, "g" "h" "a" "b" "c" "d" "e" "f", "32" "40",
                "w1" "w2" "w5" "w6" "w0", "288"),
            rounds_and_schedule!($r, "e" "f" "g" "h" "a" "b" "c" "d", "64" "72",
                "w2" "w3" "w6" "w7" "w1", "320"),
            rounds_and_schedule!($r, "c" "d" "e" "f" "g" "h" "a" "b", "96" "104",
                "w3" "w4" "w7" "w0" "w2", "352"),
            rounds_and_schedule!($r, "a" "b" "c" "d" "e" "f" "g" "h", "128" "136",
                "w4" "w5" "w0" "w1" "w3", "384"),
            rounds_and_schedule!($r, "g" "h" "a" "b" "c" "d" "e" "f", "160" "168",
                "w5" "w6" "w1" "w2" "w4", "416"),
            rounds_and_schedule!($r, "e" "f" "g" "h" "a" "b" "c" "d", "192" "200",
                "w6" "w7" "w2" "w3" "w5", "448"),
            rounds_and_schedule!($r, "c" "d" "e" "f" "g" "h" "a" "b", "224" "232",
                "w7" "w0" "w3" "w4" "w6", "480"),
        )
    };
}

/// Two rounds whose words are there.
#[rustfmt::skip]
macro_rules! two_rounds {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal,
     $o0:literal $o1:literal) => {
        concat!(
            round!($a $b $c $d $e $f $g $h, "m" "n", $o0; "", "", ""),
            round!($h $a $b $c $d $e $f $g, "n" "m", $o1; "", "", ""),
        )
    };
}

/// 16 rounds whose words are there.
#[rustfmt::skip]
macro_rules! sixteen {
    () => {
        concat!(
            two_rounds!("a" "b" "c" "d" "e" "f" "g" "h", "0" "8"),
            two_rounds!("g" "h" "a" "b" "c" "d" "e" "f", "32" "40"),
            two_rounds!("e" "f" "g" "h" "a" "b" "c" "d", "64" "72"),
            two_rounds!("c" "d" "e" "f" "g" "h" "a" "b", "96" "104"),
            two_rounds!("a" "b" "c" "d" "e" "f" "g" "h", "128" "136"),
            two_rounds!("g" "h" "a" "b" "c" "d" "e" "f", "160" "168"),
            two_rounds!("e" "f" "g" "h" "a" "b" "c" "d", "192" "200"),
            two_rounds!("c" "d" "e" "f" "g" "h" "a" "b", "224" "232"),
        )
    };
}

/// The round constants, each two of them twice. Aligned so that a pointer into them tells by one
/// bit when it is past the schedule.
#[repr(C, align(2048))]
struct Constants([u64; 160]);

static TWICE: Constants = {
    let mut twice = [0; 160];
    let mut t = 0;
    while t < 160 {
        twice[t] = K.0[t / 4 * 2 + t % 2];
        t += 1;
    }
    Constants(twice)
};

/// The addends of the rounds, word of the schedule plus round constant: two of the one block, then
/// two of the other.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Addends([u64; 160]);

/// The 80 rounds of the first block, and the schedule in registers of the width `$r`.
macro_rules! first_block {
    ($(#[$doc:meta])* $name:ident, $r:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The addends of 16 rounds have been written.
        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn $name(state: &mut State, w: [__m256i; 8], wk: &mut MaybeUninit<Addends>) {
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
            let ror8 = _mm_set_epi64x(0x080f0e0d0c0b0a09, 0x0007060504030201);
            // SAFETY: writes behind what has been written in the 1280 bytes at `wk`, which are
            // aligned, and reads what was written; reads the constants up to their end: the
            // pointer's bit 10 stops the loop, for they are aligned to 2048 bytes.
            unsafe {
                asm!(
                    "2:",
                    sixteen_and_schedule!($r),
                    "add {wk}, 256",
                    "add {k}, 256",
                    "test {k:e}, 1024",
                    "jz 2b",
                    sixteen!(),
                    a = inout(reg) a, b = inout(reg) b, c = inout(reg) c, d = inout(reg) d,
                    e = inout(reg) e, f = inout(reg) f, g = inout(reg) g, h = inout(reg) h,
                    x = out(reg) _, y = out(reg) _, m = inout(reg) b ^ c => _, n = out(reg) _,
                    wk = inout(reg) wk.as_mut_ptr() => _, k = inout(reg) TWICE.0.as_ptr() => _,
                    w0 = inout(ymm_reg) w[0] => _, w1 = inout(ymm_reg) w[1] => _,
                    w2 = inout(ymm_reg) w[2] => _, w3 = inout(ymm_reg) w[3] => _,
                    w4 = inout(ymm_reg) w[4] => _, w5 = inout(ymm_reg) w[5] => _,
                    w6 = inout(ymm_reg) w[6] => _, w7 = inout(ymm_reg) w[7] => _,
                    t0 = out(ymm_reg) _, t1 = out(ymm_reg) _,
                    t2 = out(ymm_reg) _, t3 = out(ymm_reg) _,
                    ror8 = in(ymm_reg) _mm256_broadcastsi128_si256(ror8),
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
    let start = wk.as_ptr().cast::<u8>();
    // SAFETY: reads the 1280 bytes at `wk`, from the second pair of words on.
    unsafe {
        asm!(
            "2:",
            sixteen!(),
            "add {wk}, 256",
            "cmp {wk}, {end}",
            "jne 2b",
            a = inout(reg) a, b = inout(reg) b, c = inout(reg) c, d = inout(reg) d,
            e = inout(reg) e, f = inout(reg) f, g = inout(reg) g, h = inout(reg) h,
            x = out(reg) _, y = out(reg) _, m = inout(reg) b ^ c => _, n = out(reg) _,
            wk = inout(reg) start.wrapping_add(16) => _,
            end = in(reg) start.wrapping_add(16 + size_of::<Addends>()),
            options(nostack, readonly),
        );
    }
    add(state, [a, b, c, d, e, f, g, h]);
}

#[inline(always)]
fn add(state: &mut State, end: State) {
    state.iter_mut().zip(end).for_each(|(word, end)| *word = word.wrapping_add(end));
}

/// The words of two blocks, two of each in a vector, and the addends of their first 16 rounds.
#[inline]
#[target_feature(enable = "avx2")]
fn words([first, second]: [&Block; 2], wk: &mut MaybeUninit<Addends>) -> [__m256i; 8] {
    let swap = _mm256_broadcastsi128_si256(_mm_set_epi64x(SWAP[1] as i64, SWAP[0] as i64));
    let mut words = [swap; 8];
    for (i, both) in words.iter_mut().enumerate() {
        let at = |block: &Block| block.as_ptr().wrapping_add(16 * i).cast();
        // SAFETY: reads eight times 16 bytes of blocks of 128, and 32 bytes of the constants;
        // writes 32 bytes of the addends. Both are aligned.
        unsafe {
            let bytes = _mm256_set_m128i(_mm_loadu_si128(at(second)), _mm_loadu_si128(at(first)));
            *both = _mm256_shuffle_epi8(bytes, swap);
            let constants = _mm256_load_si256(TWICE.0.as_ptr().cast::<__m256i>().add(i));
            let addends = wk.as_mut_ptr().cast::<__m256i>().add(i);
            _mm256_store_si256(addends, _mm256_add_epi64(*both, constants));
        }
    }
    words
}

/// Absorbs a run of blocks.
pub(crate) fn compress(_: Avx2, state: &mut State, blocks: &[Block]) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run(state, blocks) }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run(state: &mut State, blocks: &[Block]) {
    let mut wk = MaybeUninit::uninit();
    let (pairs, rest) = blocks.as_chunks::<2>();
    for [one, other] in pairs {
        let w = words([one, other], &mut wk);
        // SAFETY: `words` has written the first addends, `first_of_two` writes all others.
        unsafe {
            first_of_two(state, w, &mut wk);
            second(state, &wk);
        }
    }
    for block in rest {
        let w = words([block, block], &mut wk);
        // SAFETY: `words` has written the first addends.
        unsafe { only(state, w, &mut wk) };
    }
}

/// Each state absorbs its block.
pub(crate) fn compress_pair(_: Avx2, states: [&mut State; 2], blocks: [&Block; 2]) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run_pair(states, blocks) }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run_pair([one, other]: [&mut State; 2], blocks: [&Block; 2]) {
    let mut wk = MaybeUninit::uninit();
    let w = words(blocks, &mut wk);
    // SAFETY: `words` has written the first addends, `first_of_two` writes all others.
    unsafe {
        first_of_two(one, w, &mut wk);
        second(other, &wk);
        overwrite(wk.assume_init_mut(), Addends([0; 160]));
    }
}
