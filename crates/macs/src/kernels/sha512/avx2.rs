//! SHA-512 of one message for CPUs with AVX2 and BMI2, FIPS 180-4 §6.4.2: rounds in general
//! registers, the schedules of two blocks at once in the halves of 256-bit vectors. While the
//! first block goes through its rounds both schedules are made; the second then has nothing but
//! rounds. In assembly because the order of instructions decides.
#![expect(unsafe_code, reason = "assembly, loads, calls that need the CPU's features")]

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;
use core::ptr;

use super::constants::K;
use super::vector::SWAP;
use super::{Block, State};
use crate::kernels::cpu::Avx2;
use crate::kernels::md_block::vector;
use crate::wipe::overwrite;

/// A round. `$h` becomes a, `$d` becomes e; `$bc` is b ⊕ c, of which Maj is made, and `$ab`
/// becomes that of the next round; `$s0` to `$s11` are instructions of the schedule, at equal
/// distances. f ∧ e stands before the rotations of e: on a Zen 3 rounds alone then take 6.0 cycles
/// wherever the code lies, not up to 6.5.
#[rustfmt::skip]
macro_rules! round {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal,
     $bc:literal $ab:literal, $wk:literal) => {
        round!($a $b $c $d $e $f $g $h, $bc $ab, $wk;
            "", "", "", "", "", "", "", "", "", "", "", "")
    };
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal,
     $bc:literal $ab:literal, $wk:literal; $s0:expr, $s1:expr, $s2:expr, $s3:expr, $s4:expr,
     $s5:expr, $s6:expr, $s7:expr, $s8:expr, $s9:expr, $s10:expr, $s11:expr) => {
        concat!(
            "mov {", $ab, "}, {", $b, "}\n", $s0,
            "mov {x}, {", $f, "}\n",
            "and {x}, {", $e, "}\n", $s1,
            "add {", $h, "}, qword ptr [{wk} + ", $wk, "]\n",
            "add {", $h, "}, {x}\n", $s2,
            "rorx {x}, {", $e, "}, 41\n",
            "rorx {y}, {", $e, "}, 18\n", $s3,
            "xor {x}, {y}\n",
            "andn {y}, {", $e, "}, {", $g, "}\n", $s4,
            "add {", $h, "}, {y}\n",
            "rorx {y}, {", $e, "}, 14\n", $s5,
            "xor {x}, {y}\n",
            "xor {", $ab, "}, {", $a, "}\n", $s6,
            "add {", $h, "}, {x}\n",
            "rorx {x}, {", $a, "}, 34\n", $s7,
            "rorx {y}, {", $a, "}, 39\n",
            "and {", $bc, "}, {", $ab, "}\n", $s8,
            "xor {y}, {x}\n",
            "add {", $d, "}, {", $h, "}\n", $s9,
            "rorx {x}, {", $a, "}, 28\n",
            "xor {", $bc, "}, {", $b, "}\n", $s10,
            "add {", $h, "}, {", $bc, "}\n",
            "xor {y}, {x}\n", $s11,
            "add {", $h, "}, {y}\n",
        )
    };
}

/// Two rounds and, of each block, two words of the schedule 16 further: `$w0` are the oldest, which
/// are replaced, `$w7` the newest.
#[rustfmt::skip]
macro_rules! rounds_and_schedule {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal,
     $o0:literal $o1:literal,
     $w0:literal $w1:literal $w4:literal $w5:literal $w7:literal, $k:literal) => {
        concat!(
            round!($a $b $c $d $e $f $g $h, "m" "n", $o0;
                vector!(""; "palignr" "t0" $w1 $w0, "8";),
                vector!(""; "palignr" "t1" $w5 $w4, "8";),
                vector!(""; "psrlq" "t2" "t0", "1";),
                vector!(""; "paddq" $w0 $w0 "t1";),
                vector!(""; "psllq" "t1" "t0", "63";),
                vector!(""; "psrlq" "t3" "t0", "7";),
                vector!(""; "pshufb" "t0" "t0" "ror8";),
                vector!(""; "pxor" "t2" "t2" "t1";),
                vector!(""; "pxor" "t0" "t0" "t3";),
                vector!(""; "psrlq" "t1" $w7, "19";),
                vector!(""; "pxor" "t0" "t0" "t2";),
                vector!(""; "psllq" "t2" $w7, "45";)),
            round!($h $a $b $c $d $e $f $g, "n" "m", $o1;
                "",
                vector!(""; "paddq" $w0 $w0 "t0";),
                vector!(""; "psrlq" "t3" $w7, "61";),
                vector!(""; "pxor" "t1" "t1" "t2";),
                vector!(""; "psllq" "t2" $w7, "3";),
                vector!(""; "psrlq" "t0" $w7, "6";),
                vector!(""; "pxor" "t2" "t2" "t3";),
                vector!(""; "pxor" "t1" "t1" "t0";),
                vector!(""; "pxor" "t1" "t1" "t2";),
                vector!(""; "paddq" $w0 $w0 "t1";),
                concat!("vpaddq {t0}, {", $w0, "}, [{k} + ", $k, "]\n"),
                concat!("vmovdqa [{wk} + ", $k, "], {t0}\n")),
        )
    };
}

/// 16 rounds and the words that the next 16 want.
#[rustfmt::skip]
macro_rules! sixteen_and_schedule {
    () => {
        concat!(
            rounds_and_schedule!("a" "b" "c" "d" "e" "f" "g" "h", "0" "8",
                "w0" "w1" "w4" "w5" "w7", "256"),
            rounds_and_schedule!("g" "h" "a" "b" "c" "d" "e" "f", "32" "40",
                "w1" "w2" "w5" "w6" "w0", "288"),
            rounds_and_schedule!("e" "f" "g" "h" "a" "b" "c" "d", "64" "72",
                "w2" "w3" "w6" "w7" "w1", "320"),
            rounds_and_schedule!("c" "d" "e" "f" "g" "h" "a" "b", "96" "104",
                "w3" "w4" "w7" "w0" "w2", "352"),
            rounds_and_schedule!("a" "b" "c" "d" "e" "f" "g" "h", "128" "136",
                "w4" "w5" "w0" "w1" "w3", "384"),
            rounds_and_schedule!("g" "h" "a" "b" "c" "d" "e" "f", "160" "168",
                "w5" "w6" "w1" "w2" "w4", "416"),
            rounds_and_schedule!("e" "f" "g" "h" "a" "b" "c" "d", "192" "200",
                "w6" "w7" "w2" "w3" "w5", "448"),
            rounds_and_schedule!("c" "d" "e" "f" "g" "h" "a" "b", "224" "232",
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
            round!($a $b $c $d $e $f $g $h, "m" "n", $o0),
            round!($h $a $b $c $d $e $f $g, "n" "m", $o1),
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

/// The round constants, each two of them twice.
#[repr(C, align(64))]
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
type Addends = [u64; 160];

/// What `absorb` has in memory, at distances that stand in its assembly.
#[repr(C, align(64))]
struct Run {
    addends: MaybeUninit<Addends>,
    state: MaybeUninit<State>,
    /// The next block.
    next: *const Block,
    /// The end of the blocks.
    end: *const Block,
    /// Where the state comes from and goes to.
    result: *mut State,
    /// The second block if it is not the one behind the first but of another message, else null.
    other: *const Block,
    /// The state of that message.
    other_result: *mut State,
}

impl Run {
    fn new(state: *mut State, next: *const Block, count: usize) -> Self {
        Self {
            addends: MaybeUninit::uninit(),
            state: MaybeUninit::uninit(),
            next,
            end: next.wrapping_add(count),
            result: state,
            other: ptr::null(),
            other_result: ptr::null_mut(),
        }
    }
}

/// `$op` between each word of the state and its place `$from` bytes behind `$base`.
#[rustfmt::skip]
macro_rules! each_word {
    ($op:ident $base:literal $from:literal) => {
        concat!(
            $op!("a" $base $from "0"), $op!("b" $base $from "8"), $op!("c" $base $from "16"),
            $op!("d" $base $from "24"), $op!("e" $base $from "32"), $op!("f" $base $from "40"),
            $op!("g" $base $from "48"), $op!("h" $base $from "56"),
        )
    };
}

/// From memory.
#[rustfmt::skip]
macro_rules! load {
    ($word:literal $base:literal $from:literal $at:literal) => {
        concat!("mov {", $word, "}, [{", $base, "} + ", $from, " + ", $at, "]\n")
    };
}

/// To memory.
#[rustfmt::skip]
macro_rules! store {
    ($word:literal $base:literal $from:literal $at:literal) => {
        concat!("mov [{", $base, "} + ", $from, " + ", $at, "], {", $word, "}\n")
    };
}

/// At the end of a block.
#[rustfmt::skip]
macro_rules! add_and_store {
    ($word:literal $base:literal $from:literal $at:literal) => {
        concat!("add {", $word, "}, [{", $base, "} + ", $from, " + ", $at, "]\n",
                store!($word $base $from $at))
    };
}

/// The words of the blocks at `{x}` and `{y}`, two of each in a vector, and the addends of their
/// first 16 rounds.
#[rustfmt::skip]
macro_rules! words {
    ($($w:literal $at:literal $addends:literal)+) => {
        concat!($(
            "vmovdqu {", $w, ":x}, [{x} + ", $at, "]\n",
            "vinserti128 {", $w, "}, {", $w, "}, [{y} + ", $at, "], 1\n",
            "vpshufb {", $w, "}, {", $w, "}, {swap}\n",
            "vpaddq {t0}, {", $w, "}, [{k} + ", $addends, "]\n",
            "vmovdqa [{wk} + ", $addends, "], {t0}\n",
        )+)
    };
}

/// The next two blocks, or the last one twice, to `{x}` and `{y}`.
#[rustfmt::skip]
macro_rules! next_blocks {
    () => {
        concat!(
            "mov {x}, [{wk} + 1344]\n",
            "mov {y}, [{wk} + 1368]\n",
            "test {y}, {y}\n",
            "jnz 3f\n",
            "lea {y}, [{x} + 128]\n",
            "cmp {y}, [{wk} + 1352]\n",
            "cmove {y}, {x}\n",
            "3:\n",
            "add qword ptr [{wk} + 1344], 256\n",
        )
    };
}

/// If the second block is of another message, that one's state takes the place of the first's.
#[rustfmt::skip]
macro_rules! other_state {
    () => {
        concat!(
            "cmp qword ptr [{wk} + 1368], 0\n",
            "je 4f\n",
            "mov {x}, [{wk} + 1360]\n",
            each_word!(store "x" "0"),
            "mov {x}, [{wk} + 1376]\n",
            "mov [{wk} + 1360], {x}\n",
            each_word!(load "x" "0"),
            each_word!(store "wk" "1280"),
            "4:\n",
        )
    };
}

/// Absorbs at least one block. The state stays in its registers from block to block. The rounds are
/// called, not repeated: 32 of a pair's 160 are few enough for a Zen 3 to keep them decoded.
///
/// # Safety
/// The pointers are valid.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn absorb(run: &mut Run) {
    let ror8 = _mm_set_epi64x(0x080f0e0d0c0b0a09, 0x0007060504030201);
    let swap = _mm_set_epi64x(SWAP[1] as i64, SWAP[0] as i64);
    // SAFETY: reads the blocks and the constants, reads and writes the states, and of the run reads
    // what was written. All vectors but those of the blocks are aligned. Calls only what is here.
    unsafe {
        asm!(
            "mov {x}, [{wk} + 1360]",
            each_word!(load "x" "0"),
            each_word!(store "wk" "1280"),
            "2:",
            next_blocks!(),
            words!("w0" "0" "0" "w1" "16" "32" "w2" "32" "64" "w3" "48" "96" "w4" "64" "128"
                   "w5" "80" "160" "w6" "96" "192" "w7" "112" "224"),
            "mov {m}, {b}",
            "xor {m}, {c}",
            "call 7f", "call 7f", "call 7f", "call 7f", "call 8f",
            each_word!(add_and_store "wk" "0"),
            "sub {wk}, 1280",
            "sub {k}, 1024",
            "mov {x}, [{wk} + 1344]",
            "cmp {x}, [{wk} + 1352]",
            "ja 5f",
            other_state!(),
            "mov {m}, {b}",
            "xor {m}, {c}",
            "add {wk}, 16",
            "call 8f", "call 8f", "call 8f", "call 8f", "call 8f",
            each_word!(add_and_store "wk" "-16"),
            "sub {wk}, 1296",
            "mov {x}, [{wk} + 1344]",
            "cmp {x}, [{wk} + 1352]",
            "jb 2b",
            "5:",
            "mov {x}, [{wk} + 1360]",
            each_word!(store "x" "0"),
            "jmp 9f",
            "7:",
            sixteen_and_schedule!(),
            "add {wk}, 256",
            "add {k}, 256",
            "ret",
            "8:",
            sixteen!(),
            "add {wk}, 256",
            "ret",
            "9:",
            a = out(reg) _, b = out(reg) _, c = out(reg) _, d = out(reg) _,
            e = out(reg) _, f = out(reg) _, g = out(reg) _, h = out(reg) _,
            x = out(reg) _, y = out(reg) _, m = out(reg) _, n = out(reg) _,
            wk = inout(reg) &raw mut *run => _, k = inout(reg) &raw const TWICE => _,
            w0 = out(ymm_reg) _, w1 = out(ymm_reg) _, w2 = out(ymm_reg) _, w3 = out(ymm_reg) _,
            w4 = out(ymm_reg) _, w5 = out(ymm_reg) _, w6 = out(ymm_reg) _, w7 = out(ymm_reg) _,
            t0 = out(ymm_reg) _, t1 = out(ymm_reg) _, t2 = out(ymm_reg) _, t3 = out(ymm_reg) _,
            ror8 = in(ymm_reg) _mm256_broadcastsi128_si256(ror8),
            swap = in(ymm_reg) _mm256_broadcastsi128_si256(swap),
        );
    }
}

/// Absorbs a run of blocks.
pub(crate) fn compress(_: Avx2, state: &mut State, blocks: &[Block]) {
    if blocks.is_empty() {
        return;
    }
    let mut run = Run::new(state, blocks.as_ptr(), blocks.len());
    // SAFETY: the token proves that the CPU has the features; there is a block.
    unsafe {
        absorb(&mut run);
        overwrite(run.state.assume_init_mut(), [0; 8]);
    }
}

/// Each state absorbs its block.
pub(crate) fn compress_pair(_: Avx2, [one, other]: [&mut State; 2], blocks: [&Block; 2]) {
    let mut run = Run::new(one, blocks[0], 2);
    run.other = blocks[1];
    run.other_result = other;
    // SAFETY: the token proves that the CPU has the features; there are two blocks. Both have been
    // absorbed, so all addends have been written.
    unsafe {
        absorb(&mut run);
        overwrite(run.addends.assume_init_mut(), [0; 160]);
        overwrite(run.state.assume_init_mut(), [0; 8]);
    }
}
