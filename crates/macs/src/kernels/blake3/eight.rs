//! The blocks of eight nodes in AVX2, in assembly. All 16 words of the state are in registers, but
//! one that is in memory while its register serves the rotations; compilers keep many in memory.
//! The four `g` of a half round go in step.
#![expect(unsafe_code, reason = "assembly")]

use core::arch::asm;
use core::mem::{MaybeUninit, offset_of};

use super::IV;
use super::xmm::rotation;
use crate::wipe::overwrite;

/// Instructions with three registers.
#[rustfmt::skip]
macro_rules! vector {
    ($($op:literal $to:literal $a:literal $b:literal;)*) => {
        concat!($($op, " ymm", $to, ", ymm", $a, ", ymm", $b, "\n",)*)
    };
}

/// Vectors of those at `$at`, by their number, added to registers.
#[rustfmt::skip]
macro_rules! add {
    ($at:literal: $($to:literal $index:literal;)*) => {
        concat!($(
            "vpaddd ymm", $to, ", ymm", $to, ", [", $at, " + 32 * ", $index, "]\n",
        )*)
    };
}

/// Vectors to registers.
#[rustfmt::skip]
macro_rules! load {
    ($at:literal: $($to:literal $index:literal;)*) => {
        concat!($("vmovdqa ymm", $to, ", [", $at, " + 32 * ", $index, "]\n",)*)
    };
}

/// And to memory.
#[rustfmt::skip]
macro_rules! store {
    ($at:literal: $($from:literal $index:literal;)*) => {
        concat!($("vmovdqa [", $at, " + 32 * ", $index, "], ymm", $from, "\n",)*)
    };
}

/// One of the constants.
#[rustfmt::skip]
macro_rules! constant {
    ($($to:literal $index:literal;)*) => {
        concat!($("vmovdqa ymm", $to, ", [rip + {constants} + 32 * ", $index, "]\n",)*)
    };
}

/// 16 bytes of each lane to registers 8 to 11, of lanes 4 to 7 to the upper halves.
#[rustfmt::skip]
macro_rules! rows {
    ($at:literal: $($to:literal $low:literal $high:literal;)*) => {
        concat!($(
            "vmovdqu xmm", $to, ", [{", $low, "} + {n} + ", $at, "]\n",
            "vinserti128 ymm", $to, ", ymm", $to, ", [{", $high, "} + {n} + ", $at, "], 1\n",
        )*)
    };
}

/// Rows to columns, which are these vectors of the message.
#[rustfmt::skip]
macro_rules! transpose {
    ($at:literal: $w0:literal $w1:literal $w2:literal $w3:literal) => {
        concat!(
            rows!($at: "8" "p0" "p4"; "9" "p1" "p5"; "10" "p2" "p6"; "11" "p3" "p7";),
            vector!("vpunpckldq" "12" "8" "9"; "vpunpckhdq" "13" "8" "9";
                    "vpunpckldq" "14" "10" "11"; "vpunpckhdq" "15" "10" "11";
                    "vpunpcklqdq" "8" "12" "14"; "vpunpckhqdq" "9" "12" "14";
                    "vpunpcklqdq" "10" "13" "15"; "vpunpckhqdq" "11" "13" "15";),
            store!("{f}": "8" $w0; "9" $w1; "10" $w2; "11" $w3;),
        )
    };
}

/// Words rotated to the right; register 8 is free.
#[rustfmt::skip]
macro_rules! rotate {
    ($right:literal $left:literal: $($b:literal)*) => {
        concat!($(
            "vpsrld ymm8, ymm", $b, ", ", $right, "\n",
            "vpslld ymm", $b, ", ymm", $b, ", ", $left, "\n",
            vector!("vpor" $b $b "8";),
        )*)
    };
}

/// Words d added to words c. Register 8, a word c, comes from memory; what it had does not count.
#[rustfmt::skip]
macro_rules! add_to_c {
    (columns) => {
        concat!(
            "vpaddd ymm8, ymm12, [{f} + {spare}]\n",
            vector!("vpaddd" "9" "9" "13"; "vpaddd" "10" "10" "14"; "vpaddd" "11" "11" "15";),
        )
    };
    (diagonals) => {
        concat!(
            vector!("vpaddd" "10" "10" "15"; "vpaddd" "11" "11" "12";),
            "vpaddd ymm8, ymm13, [{f} + {spare}]\n",
            vector!("vpaddd" "9" "9" "14";),
        )
    };
}

/// Half of four `g`: a and d, c and b change. Register 8 has the order of bytes until it has a word
/// c, which goes back to memory.
#[rustfmt::skip]
macro_rules! half {
    ($which:ident $order:literal, $right:literal $left:literal,
     $m0:literal $m1:literal $m2:literal $m3:literal,
     $b0:literal $b1:literal $b2:literal $b3:literal,
     $c0:literal $c1:literal $c2:literal $c3:literal,
     $d0:literal $d1:literal $d2:literal $d3:literal) => {
        concat!(
            add!("{f}": "0" $m0; "1" $m1; "2" $m2; "3" $m3;),
            vector!("vpaddd" "0" "0" $b0; "vpaddd" "1" "1" $b1;
                    "vpaddd" "2" "2" $b2; "vpaddd" "3" "3" $b3;
                    "vpxor" $d0 $d0 "0"; "vpxor" $d1 $d1 "1";
                    "vpxor" $d2 $d2 "2"; "vpxor" $d3 $d3 "3";),
            constant!("8" $order;),
            vector!("vpshufb" $d0 $d0 "8"; "vpshufb" $d1 $d1 "8";
                    "vpshufb" $d2 $d2 "8"; "vpshufb" $d3 $d3 "8";),
            add_to_c!($which),
            vector!("vpxor" $b0 $b0 $c0; "vpxor" $b1 $b1 $c1;
                    "vpxor" $b2 $b2 $c2; "vpxor" $b3 $b3 $c3;),
            store!("{f} + {spare}": "8" "0";),
            rotate!($right $left: $b0 $b1 $b2 $b3),
        )
    };
}

/// A round with the words of the message in this order.
#[rustfmt::skip]
macro_rules! round {
    ($m0:literal $m1:literal $m2:literal $m3:literal $m4:literal $m5:literal $m6:literal
     $m7:literal $m8:literal $m9:literal $m10:literal $m11:literal $m12:literal $m13:literal
     $m14:literal $m15:literal) => {
        concat!(
            half!(columns "0", "12" "20", $m0 $m2 $m4 $m6,
                "4" "5" "6" "7", "8" "9" "10" "11", "12" "13" "14" "15"),
            half!(columns "1", "7" "25", $m1 $m3 $m5 $m7,
                "4" "5" "6" "7", "8" "9" "10" "11", "12" "13" "14" "15"),
            half!(diagonals "0", "12" "20", $m8 $m10 $m12 $m14,
                "5" "6" "7" "4", "10" "11" "8" "9", "15" "12" "13" "14"),
            half!(diagonals "1", "7" "25", $m9 $m11 $m13 $m15,
                "5" "6" "7" "4", "10" "11" "8" "9", "15" "12" "13" "14"),
        )
    };
}

/// All rounds, as `SCHEDULE` has them.
#[rustfmt::skip]
macro_rules! rounds {
    () => {
        concat!(
            round!("0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" "14" "15"),
            round!("2" "6" "3" "10" "7" "0" "4" "13" "1" "11" "12" "5" "9" "14" "15" "8"),
            round!("3" "4" "10" "12" "13" "2" "7" "14" "6" "5" "9" "0" "11" "15" "8" "1"),
            round!("10" "7" "12" "9" "14" "3" "13" "15" "4" "0" "11" "2" "5" "8" "1" "6"),
            round!("12" "13" "9" "11" "15" "10" "14" "8" "7" "2" "5" "3" "0" "1" "6" "4"),
            round!("9" "14" "11" "5" "8" "12" "15" "1" "13" "3" "0" "10" "2" "6" "4" "7"),
            round!("11" "15" "5" "0" "1" "9" "8" "6" "14" "10" "2" "12" "3" "4" "7" "13"),
        )
    };
}

/// Rotations by 16 and 8 bits, and the constant words of the state.
#[repr(C, align(32))]
struct Constants([[u8; 32]; 2], [[u32; 8]; 4]);

static CONSTANTS: Constants =
    Constants([rotation(2), rotation(1)], [[IV[0]; 8], [IV[1]; 8], [IV[2]; 8], [IV[3]; 8]]);

/// What the assembly has in memory, in vectors `V`.
#[repr(C)]
struct Frame<V> {
    /// The words of the message.
    words: MaybeUninit<[V; 16]>,
    /// One of the state's.
    spare: MaybeUninit<V>,
    /// The last row of the state before the rounds.
    tweak: [V; 4],
    /// The last of these vectors, the flags, of inner blocks and of the last one.
    flags: [V; 2],
}

/// Each node takes `blocks` blocks, at least one. `flags` are those of inner blocks and of the last
/// one, if that is not the first.
///
/// # Safety
/// At each of `starts` they are there. `V` is a vector of 256 bits.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn absorb<V: Copy>(
    value: &mut [V; 8],
    starts: &[*const u8; 8],
    blocks: usize,
    tweak: &[V; 4],
    flags: [V; 2],
) {
    const { assert!(size_of::<V>() == 32 && align_of::<V>() == 32) }
    let (words, spare) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut frame = Frame { words, spare, tweak: *tweak, flags };
    // From below zero up to it.
    let len = 64 * blocks;
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *starts;
    // SAFETY: reads the blocks and constants, reads and writes values and frame, whose vectors are
    // aligned.
    unsafe {
        asm!(
            concat!(
                load!("{v}": "0" "0"; "1" "1"; "2" "2"; "3" "3"; "4" "4"; "5" "5"; "6" "6";
                             "7" "7";),
                ".p2align 5\n",
                "2:\n",
                transpose!("0": "0" "1" "2" "3"),
                transpose!("16": "4" "5" "6" "7"),
                transpose!("32": "8" "9" "10" "11"),
                transpose!("48": "12" "13" "14" "15"),
                constant!("8" "2"; "9" "3"; "10" "4"; "11" "5";),
                load!("{f} + {tweak}": "12" "0"; "13" "1"; "14" "2"; "15" "3";),
                store!("{f} + {spare}": "8" "0";),
                rounds!(),
                "vpxor ymm0, ymm0, [{f} + {spare}]\n",
                vector!("vpxor" "1" "1" "9"; "vpxor" "2" "2" "10"; "vpxor" "3" "3" "11";
                        "vpxor" "4" "4" "12"; "vpxor" "5" "5" "13";
                        "vpxor" "6" "6" "14"; "vpxor" "7" "7" "15";),
                // The next block's flags.
                "xor {t:e}, {t:e}\n",
                "cmp {n}, -128\n",
                "sete {t:l}\n",
                "shl {t:e}, 5\n",
                "vmovdqa ymm8, [{f} + {t} + {flags}]\n",
                store!("{f} + {tweak}": "8" "3";),
                "add {n}, 64\n",
                "jnz 2b\n",
                store!("{v}": "0" "0"; "1" "1"; "2" "2"; "3" "3"; "4" "4"; "5" "5"; "6" "6";
                              "7" "7";),
            ),
            v = in(reg) value, f = in(reg) &raw mut frame,
            n = inout(reg) len.wrapping_neg() => _, t = out(reg) _,
            p0 = in(reg) p0.wrapping_add(len), p1 = in(reg) p1.wrapping_add(len),
            p2 = in(reg) p2.wrapping_add(len), p3 = in(reg) p3.wrapping_add(len),
            p4 = in(reg) p4.wrapping_add(len), p5 = in(reg) p5.wrapping_add(len),
            p6 = in(reg) p6.wrapping_add(len), p7 = in(reg) p7.wrapping_add(len),
            constants = sym CONSTANTS,
            spare = const offset_of!(Frame<V>, spare),
            tweak = const offset_of!(Frame<V>, tweak),
            flags = const offset_of!(Frame<V>, flags),
            out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _,
            out("ymm5") _, out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _,
            out("ymm10") _, out("ymm11") _, out("ymm12") _, out("ymm13") _, out("ymm14") _,
            out("ymm15") _,
            options(nostack),
        );
    }
    // Of parents the words are values of nodes; the spare one is a word of the last state.
    let public = tweak[0];
    overwrite(&mut frame.words, MaybeUninit::new([public; 16]));
    overwrite(&mut frame.spare, MaybeUninit::new(public));
}
