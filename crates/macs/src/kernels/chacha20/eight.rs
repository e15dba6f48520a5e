//! Eight blocks at once in AVX2, in assembly. All words are in registers; one of them is in memory
//! while its register serves the rotations. The four quarter rounds go in step, where compilers do
//! one after the other, and steps of Poly1305 in words are between them: they need other units.
#![expect(unsafe_code, reason = "assembly")]

use core::arch::asm;
use core::mem::offset_of;
use core::ptr;

use cipher::inout::InOutBuf;

use super::rounds::{Sink, counts_in_columns, rotation};
use super::{BLOCK_BYTES, COUNTER, State};
use crate::kernels::cpu::Avx2;
use crate::kernels::poly1305::{Accumulator, words};
use crate::wipe::overwrite;

/// What is encrypted at once.
pub(super) const EIGHT_BYTES: usize = 8 * BLOCK_BYTES;

/// Instructions with three registers.
#[rustfmt::skip]
macro_rules! vector {
    ($($op:literal $to:literal $a:literal $b:literal;)*) => {
        concat!($($op, " ymm", $to, ", ymm", $a, ", ymm", $b, "\n",)*)
    };
}

/// Words rotated to the left; register 0 is free.
#[rustfmt::skip]
macro_rules! rotate {
    ($left:literal $right:literal: $($b:literal)*) => {
        concat!($(
            "vpsrld ymm0, ymm", $b, ", ", $right, "\n",
            "vpslld ymm", $b, ", ymm", $b, ", ", $left, "\n",
            vector!("vpor" $b $b "0";),
        )*)
    };
}

/// An instruction with a register and memory: what is at `$at`, or as many vectors behind it as the
/// register's number.
#[rustfmt::skip]
macro_rules! with_memory {
    ($op:literal, $at:literal: $($to:literal)*) => {
        concat!($($op, " ymm", $to, ", ymm", $to, ", ymmword ptr [", $at, "]\n",)*)
    };
    ($op:literal, each $at:literal: $($to:literal)*) => {
        concat!($(
            $op, " ymm", $to, ", ymm", $to, ", ymmword ptr [", $at, " + 32 * ", $to, "]\n",
        )*)
    };
}

/// Half of four quarter rounds, in which a and d, c and b change. The words a are in registers 0 to
/// 3, but the first one comes from memory and goes there.
#[rustfmt::skip]
macro_rules! half {
    ($order:literal, $left:literal $right:literal,
     $b0:literal $b1:literal $b2:literal $b3:literal,
     $c0:literal $c1:literal $c2:literal $c3:literal,
     $d0:literal $d1:literal $d2:literal $d3:literal) => {
        concat!(
            "vpaddd ymm0, ymm", $b0, ", ymmword ptr [{f} + {first}]\n",
            vector!("vpaddd" "1" "1" $b1; "vpaddd" "2" "2" $b2; "vpaddd" "3" "3" $b3;
                    "vpxor" $d0 $d0 "0"; "vpxor" $d1 $d1 "1";
                    "vpxor" $d2 $d2 "2"; "vpxor" $d3 $d3 "3";),
            "vmovdqa ymmword ptr [{f} + {first}], ymm0\n",
            with_memory!("vpshufb", $order: $d0 $d1 $d2 $d3),
            vector!("vpaddd" $c0 $c0 $d0; "vpaddd" $c1 $c1 $d1;
                    "vpaddd" $c2 $c2 $d2; "vpaddd" $c3 $c3 $d3;
                    "vpxor" $b0 $b0 $c0; "vpxor" $b1 $b1 $c1;
                    "vpxor" $b2 $b2 $c2; "vpxor" $b3 $b3 $c3;),
            rotate!($left $right: $b0 $b1 $b2 $b3),
        )
    };
}

/// A double round, and something after each half.
#[rustfmt::skip]
macro_rules! double_round {
    ($s0:expr, $s1:expr, $s2:expr, $s3:expr) => {
        concat!(
            half!("rip + {constants}", "12" "20",
                "4" "5" "6" "7", "8" "9" "10" "11", "12" "13" "14" "15"), $s0,
            half!("rip + {constants} + 32", "7" "25",
                "4" "5" "6" "7", "8" "9" "10" "11", "12" "13" "14" "15"), $s1,
            half!("rip + {constants}", "12" "20",
                "5" "6" "7" "4", "10" "11" "8" "9", "15" "12" "13" "14"), $s2,
            half!("rip + {constants} + 32", "7" "25",
                "5" "6" "7" "4", "10" "11" "8" "9", "15" "12" "13" "14"), $s3,
        )
    };
}

/// All words as they are before the rounds.
#[rustfmt::skip]
macro_rules! begin {
    () => {
        concat!(
            "vmovdqa ymm0, ymmword ptr [{f}]\n",
            "vmovdqa ymmword ptr [{f} + {first}], ymm0\n",
            begin!("1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" "14" "15"),
        )
    };
    ($($to:literal)*) => {
        concat!($("vmovdqa ymm", $to, ", ymmword ptr [{f} + 32 * ", $to, "]\n",)*)
    };
}

/// In each lane, rows `$a` to `$d` to columns `$d`, `$b`, `$t`, `$a`.
#[rustfmt::skip]
macro_rules! transpose {
    ($a:literal $b:literal $c:literal $d:literal, $t:literal) => {
        vector!("vpunpckldq" $t $a $b; "vpunpckhdq" $a $a $b;
                "vpunpckldq" $b $c $d; "vpunpckhdq" $c $c $d;
                "vpunpcklqdq" $d $t $b; "vpunpckhqdq" $b $t $b;
                "vpunpcklqdq" $t $a $c; "vpunpckhqdq" $a $a $c;)
    };
}

/// Halves of two blocks, which are the lanes of two vectors: XORed with what is at `$from` and 64
/// bytes behind `from`.
#[rustfmt::skip]
macro_rules! put {
    ($a:literal $b:literal, $t:literal, $from:literal $to:literal, $at:literal) => {
        concat!(
            "vinserti128 ymm", $t, ", ymm", $a, ", xmm", $b, ", 1\n",
            "vperm2i128 ymm", $a, ", ymm", $a, ", ymm", $b, ", 0x31\n",
            "vpxor ymm", $t, ", ymm", $t, ", ymmword ptr [{", $from, "} + ", $at, "]\n",
            "vpxor ymm", $a, ", ymm", $a, ", ymmword ptr [{from} + 64 + ", $at, "]\n",
            "vmovdqu ymmword ptr [{", $to, "} + ", $at, "], ymm", $t, "\n",
            "vmovdqu ymmword ptr [{to} + 64 + ", $at, "], ymm", $a, "\n",
        )
    };
}

/// After the rounds: the second halves of all blocks, for whose words the first ones have to wait,
/// and the first halves. The first block is from `$from` to `$to`. `$s0` and `$s1` go along.
#[rustfmt::skip]
macro_rules! finish {
    ($from:literal $to:literal, $s0:expr, $s1:expr) => {
        concat!(
            with_memory!("vpaddd", each "{f}": "12" "13" "14" "15" "8" "9" "10" "11"),
            transpose!("12" "13" "14" "15", "0"),
            transpose!("8" "9" "10" "11", "14"),
            $s0,
            put!("11" "15", "10", $from $to, "32"),
            put!("9" "13", "15", "from" "to", "128 + 32"),
            put!("14" "0", "13", "from" "to", "256 + 32"),
            put!("8" "12", "0", "from" "to", "384 + 32"),
            "vmovdqa ymm0, ymmword ptr [{f} + {first}]\n",
            with_memory!("vpaddd", each "{f}": "0" "1" "2" "3" "4" "5" "6" "7"),
            $s1,
            transpose!("0" "1" "2" "3", "8"),
            transpose!("4" "5" "6" "7", "2"),
            put!("3" "7", "9", $from $to, "0"),
            put!("1" "5", "10", "from" "to", "128"),
            put!("8" "2", "11", "from" "to", "256"),
            put!("0" "4", "12", "from" "to", "384"),
            // The next blocks.
            "vmovdqa ymm0, ymmword ptr [{f} + {counters}]\n",
            with_memory!("vpaddd", "rip + {constants} + 64": "0"),
            "vmovdqa ymmword ptr [{f} + {counters}], ymm0\n",
        )
    };
}

/// A step of Poly1305: h = h·r, below 2^130 + 2^66, and plus the block at `$at` behind m if that is
/// given, of which h's third word then has the bit above it.
#[rustfmt::skip]
macro_rules! step {
    ($at:literal) => {
        step!("add {d0}, qword ptr [{m} + ", $at, "]\n",
              "adc {d1}, qword ptr [{m} + ", $at, " + 8]\n",
              "adc {e1}, 1\n",)
    };
    ($($block:literal,)*) => {
        concat!(
            "mulx {e0}, {d0}, {r0}\n",
            "mulx {e1}, {d1}, qword ptr [{f} + {r1}]\n",
            $($block,)*
            "mov rdx, {h1}\n",
            "mulx {t}, {h1}, qword ptr [{f} + {s1}]\n",
            "add {d0}, {h1}\n",
            "adc {e0}, {t}\n",
            "mulx {t}, {h1}, {r0}\n",
            "mov rdx, {h2}\n",
            "imul rdx, qword ptr [{f} + {s1}]\n",
            "imul {h2}, {r0}\n",
            "add {h2}, {e1}\n",
            "add {h1}, {d1}\n",
            "adc {h2}, {t}\n",
            "add rdx, {e0}\n",
            "add {h1}, rdx\n",
            "adc {h2}, 0\n",
            // What is above 2^130 counts five times: (h2 >> 2) and four times that.
            "mov rdx, {h2}\n",
            "mov {t}, {h2}\n",
            "shr {t}, 2\n",
            "and rdx, -4\n",
            "and {h2}, 3\n",
            "add rdx, {t}\n",
            "add rdx, {d0}\n",
            "adc {h1}, 0\n",
            "adc {h2}, 0\n",
        )
    };
}

/// Rotations by 16 and 8 bits, and what is added to the counters.
#[repr(C, align(32))]
struct Constants([[u8; 32]; 2], [u32; 8]);

static CONSTANTS: Constants = Constants([rotation(2), rotation(1)], [8; 8]);

/// The stream of eight blocks, aligned so that no vector of it is in two lines of the cache.
#[repr(C, align(64))]
struct Stream([u8; EIGHT_BYTES]);

/// Steps of Poly1305 in any case: two in a double round, and two at the end.
const STEPS_MIN: usize = 22;
/// A third one in each double round.
const STEPS_MAX: usize = 32;

/// What the assembly has in memory.
#[repr(C, align(64))]
pub(super) struct Eight {
    /// The words of the next eight blocks before the rounds, each eight times.
    start: [[u32; 8]; 16],
    /// The first words during the rounds.
    first: [u32; 8],
    /// The upper word of r, and the same and a quarter of it.
    r1: u64,
    s1: u64,
    /// Up to where a double round goes along with three steps, and up to where there are any.
    three_until: *const u8,
    until: *const u8,
}

impl Drop for Eight {
    fn drop(&mut self) {
        overwrite(&mut self.start, [[0; 8]; 16]);
        overwrite(&mut self.first, [0; 8]);
        overwrite(&mut self.r1, 0);
        overwrite(&mut self.s1, 0);
    }
}

impl Eight {
    #[inline(always)]
    pub(super) fn new(start: &State) -> Self {
        let mut start = start.map(|word| [word; 8]);
        for (word, count) in start[COUNTER].iter_mut().zip(const { counts_in_columns(2) }) {
            *word = word.wrapping_add(count);
        }
        Self { start, first: [0; 8], r1: 0, s1: 0, three_until: ptr::null(), until: ptr::null() }
    }

    /// XORs the next blocks into where they go.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn apply(&mut self, sink: &mut Sink<'_>) {
        if let Some(first) = sink.first.take_if(|_| sink.data.len() >= EIGHT_BYTES - BLOCK_BYTES) {
            *first = [0; BLOCK_BYTES];
            let rest = sink.next(EIGHT_BYTES - BLOCK_BYTES).as_mut_ptr();
            // SAFETY: there are 64 bytes, and behind them, as it were, 448 others.
            unsafe { self.xor_into(first.as_mut_ptr(), rest.wrapping_sub(BLOCK_BYTES)) };
        } else if sink.first.is_none() && sink.data.len() >= EIGHT_BYTES {
            let all = sink.next(EIGHT_BYTES).as_mut_ptr();
            // SAFETY: there are 512 bytes.
            unsafe { self.xor_into(all, all) };
        } else {
            let mut stream = Stream([0; EIGHT_BYTES]);
            // SAFETY: there are 512 bytes.
            unsafe { self.xor_into(stream.0.as_mut_ptr(), stream.0.as_mut_ptr()) };
            sink.take_part(&mut stream.0);
        }
    }

    /// XORs eight blocks, the first of them into `head` and the others into what is behind the
    /// first 64 bytes of `all`.
    ///
    /// # Safety
    /// They are there.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    unsafe fn xor_into(&mut self, head: *mut u8, all: *mut u8) {
        // SAFETY: reads and writes those bytes and this structure, whose vectors are aligned.
        unsafe {
            asm!(
                begin!(),
                "mov {n:e}, 10",
                ".p2align 5",
                "2:",
                double_round!("", "", "", ""),
                "dec {n:e}",
                "jnz 2b",
                finish!("head" "head", "", ""),
                f = in(reg) self, head = in(reg) head, from = in(reg) all, to = in(reg) all,
                n = out(reg) _,
                constants = sym CONSTANTS,
                first = const offset_of!(Self, first),
                counters = const offset_of!(Self, start) + 32 * COUNTER,
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _,
                out("ymm5") _, out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _,
                out("ymm10") _, out("ymm11") _, out("ymm12") _, out("ymm13") _, out("ymm14") _,
                out("ymm15") _,
                options(nostack),
            );
        }
    }

    /// Encrypts eight blocks, of which the last may not be there or not be whole, and absorbs
    /// others.
    ///
    /// # Panics
    /// If it is more than eight blocks, or another number of blocks to be absorbed than goes along.
    #[inline(always)]
    pub(super) fn encrypt_along(
        &mut self,
        _: Avx2,
        running: &mut Accumulator,
        blocks: &[[u8; 16]],
        data: InOutBuf<'_, '_, u8>,
    ) {
        if data.len() == EIGHT_BYTES {
            let (from, to) = data.into_raw();
            // SAFETY: the token proves the instructions, and there are 512 bytes.
            return unsafe { self.along(running, blocks, from, to) };
        }
        let mut stream = Stream([0; EIGHT_BYTES]);
        // SAFETY: the token proves the instructions, and there are 512 bytes.
        unsafe { self.along(running, blocks, stream.0.as_ptr(), stream.0.as_mut_ptr()) };
        Sink { first: None, data: data.into_out_with_copied_in() }.take_part(&mut stream.0);
    }

    /// # Safety
    /// There are 512 bytes to be read and 512 to be written, the same or others.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    unsafe fn along(
        &mut self,
        running: &mut Accumulator,
        blocks: &[[u8; 16]],
        from: *const u8,
        to: *mut u8,
    ) {
        assert!((STEPS_MIN..=STEPS_MAX).contains(&blocks.len()), "as many steps as go along");
        let threes = blocks.len() - STEPS_MIN;
        // The first block is added here, each other one in the step before its own.
        let [m0, m1] = words(&blocks[0]);
        let sum = u128::from(running.h[0]) + u128::from(m0);
        let mut h0 = sum as u64;
        let sum = u128::from(running.h[1]) + u128::from(m1) + (sum >> 64);
        let mut h1 = sum as u64;
        let mut h2 = running.h[2] + 1 + (sum >> 64) as u64;
        (self.r1, self.s1) = (running.r[1], running.r[1] + (running.r[1] >> 2));
        let second = blocks[1..].as_ptr().cast::<u8>();
        self.three_until = second.wrapping_add(48 * threes);
        self.until = second.wrapping_add(320 + 16 * threes);
        // SAFETY: reads and writes those bytes and this structure, whose vectors are aligned, and
        // reads the blocks: one in each step but the last.
        unsafe {
            asm!(
                begin!(),
                ".p2align 5",
                "2:",
                double_round!(
                    step!("0"),
                    step!("16"),
                    concat!(
                        "cmp {m}, qword ptr [{f} + {three_until}]\n",
                        "lea {m}, [{m} + 32]\n",
                        "jae 3f\n",
                        step!("0"),
                        "add {m}, 16\n",
                        "3:\n",
                    ),
                    ""
                ),
                "cmp {m}, qword ptr [{f} + {until}]",
                "jb 2b",
                finish!("from" "to", step!("0"), step!()),
                f = in(reg) self, from = in(reg) from, to = in(reg) to,
                m = inout(reg) second => _, r0 = in(reg) running.r[0],
                inout("rdx") h0, h1 = inout(reg) h1, h2 = inout(reg) h2,
                d0 = out(reg) _, e0 = out(reg) _, d1 = out(reg) _, e1 = out(reg) _,
                t = out(reg) _,
                constants = sym CONSTANTS,
                first = const offset_of!(Self, first),
                counters = const offset_of!(Self, start) + 32 * COUNTER,
                r1 = const offset_of!(Self, r1), s1 = const offset_of!(Self, s1),
                three_until = const offset_of!(Self, three_until),
                until = const offset_of!(Self, until),
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _,
                out("ymm5") _, out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _,
                out("ymm10") _, out("ymm11") _, out("ymm12") _, out("ymm13") _, out("ymm14") _,
                out("ymm15") _,
                options(nostack),
            );
        }
        running.h = [h0, h1, h2];
    }
}
