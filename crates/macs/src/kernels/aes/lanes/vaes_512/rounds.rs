//! The rounds of sixteen lanes: four groups of four. Four chains are what covers the latency of a
//! round; four of the round keys stay in registers, because one load a cycle is all there is and
//! the message has to be loaded too. Blocks are loaded by pairs, two lanes to a register, and
//! transposed, which takes half the shuffles of putting four single ones together.
#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers; assembly")]

use core::arch::asm;
use core::arch::x86_64::*;

use super::super::super::Block;
use super::super::ring::{Quad, Row};
#[cfg(doc)]
use super::super::runs::Runs;
use super::GROUPS;

/// For `asm!`: a round whose key is in memory.
macro_rules! round {
    ($number:literal) => {
        round!("vaesenc", $number)
    };
    ($op:literal, $number:literal) => {
        concat!(
            $op,
            " zmm0, zmm0, [{k0} + 64*",
            $number,
            "]\n",
            $op,
            " zmm1, zmm1, [{k1} + 64*",
            $number,
            "]\n",
            $op,
            " zmm2, zmm2, [{k2} + 64*",
            $number,
            "]\n",
            $op,
            " zmm3, zmm3, [{k3} + 64*",
            $number,
            "]\n",
        )
    };
}

/// For `asm!`: four instructions, one a group, with an operand of its own each.
macro_rules! each {
    ($op:literal: $a:literal, $b:literal, $c:literal, $d:literal) => {
        concat!(
            $op,
            " zmm0, zmm0, zmm",
            $a,
            "\n",
            $op,
            " zmm1, zmm1, zmm",
            $b,
            "\n",
            $op,
            " zmm2, zmm2, zmm",
            $c,
            "\n",
            $op,
            " zmm3, zmm3, zmm",
            $d,
            "\n",
        )
    };
}

/// For `asm!`: loads a round key of each group.
macro_rules! pin {
    ($number:literal: $a:literal, $b:literal, $c:literal, $d:literal) => {
        concat!(
            "vmovdqa64 zmm",
            $a,
            ", [{k0} + 64*",
            $number,
            "]\n",
            "vmovdqa64 zmm",
            $b,
            ", [{k1} + 64*",
            $number,
            "]\n",
            "vmovdqa64 zmm",
            $c,
            ", [{k2} + 64*",
            $number,
            "]\n",
            "vmovdqa64 zmm",
            $d,
            ", [{k3} + 64*",
            $number,
            "]\n",
        )
    };
}

/// For `asm!`: loads a pair of blocks for each lane of the group whose pointers lie at `$at`, and
/// transposes them to a register of first blocks and one of second ones, with `fold` in. Sixteen
/// streams are more than the hardware fetches ahead.
macro_rules! pairs {
    ($at:literal, $key:literal, $first:literal, $second:literal) => {
        concat!(
            "mov {p}, [{at} + ",
            $at,
            "]\n",
            "mov {q}, [{at} + ",
            $at,
            " + 8]\n",
            "vmovdqu ymm12, [{p} + {off}]\n",
            "prefetcht0 [{p} + {off} + 256]\n",
            "mov {p}, [{at} + ",
            $at,
            " + 16]\n",
            "vinserti64x4 zmm12, zmm12, [{q} + {off}], 1\n",
            "prefetcht0 [{q} + {off} + 256]\n",
            "mov {q}, [{at} + ",
            $at,
            " + 24]\n",
            "vmovdqu ymm13, [{p} + {off}]\n",
            "prefetcht0 [{p} + {off} + 256]\n",
            "vinserti64x4 zmm13, zmm13, [{q} + {off}], 1\n",
            "prefetcht0 [{q} + {off} + 256]\n",
            "vmovdqa64 zmm14, [{",
            $key,
            "} + 64*{keys}]\n",
            "vshufi32x4 zmm",
            $first,
            ", zmm12, zmm13, 0x88\n",
            "vshufi32x4 zmm",
            $second,
            ", zmm12, zmm13, 0xdd\n",
            "vpxorq zmm",
            $first,
            ", zmm",
            $first,
            ", zmm14\n",
            "vpxorq zmm",
            $second,
            ", zmm",
            $second,
            ", zmm14\n",
        )
    };
}

/// For `asm!`: half of the lanes' pointers go on, at `head_end` to `body` and at `body_end` to
/// `tail_at`, which lie behind them in [`Runs`].
macro_rules! advance {
    ($at:literal) => {
        concat!(
            ".if {switch}\n",
            "vpbroadcastq zmm15, [{step}]\n",
            "vpaddq zmm15, zmm15, [{at} + ",
            $at,
            "]\n",
            "vpcmpeqq k1, zmm15, [{at} + ",
            $at,
            " + 128]\n",
            "vmovdqa64 zmm15{{k1}}, [{at} + ",
            $at,
            " + 256]\n",
            "vpcmpeqq k1, zmm15, [{at} + ",
            $at,
            " + 384]\n",
            "vmovdqa64 zmm15{{k1}}, [{at} + ",
            $at,
            " + 512]\n",
            "vmovdqa64 [{at} + ",
            $at,
            "], zmm15\n",
            ".endif\n",
        )
    };
}

/// For `asm!`: the rounds between the first four and the last one or two, which longer keys have.
macro_rules! long {
    () => {
        concat!(
            ".if {keys} > 11\n",
            round!("9"),
            round!("10"),
            ".endif\n",
            ".if {keys} > 13\n",
            round!("11"),
            round!("12"),
            ".endif\n",
        )
    };
}

/// The states of all lanes.
pub(super) type States = [__m512i; GROUPS];

/// Takes this number of pairs of blocks in each lane, from `offset` on behind the pointers that lie
/// at `at`. With `SWITCH` the pointers go on by 32 bytes a pair, and what [`Runs`] has lies behind
/// them.
///
/// # Safety
/// All these blocks can be read, and `pairs` is not 0.
#[target_feature(enable = "vaes,avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
pub(super) unsafe fn absorb<const KEYS: usize, const SWITCH: bool>(
    quads: [&Quad<KEYS>; GROUPS],
    state: &mut States,
    at: *mut *const u8,
    offset: usize,
    pairs: u64,
) {
    let step = 32u64;
    // SAFETY: the caller has promised that the blocks can be read; the other addresses are of the
    // rows of `quads` and of what is at `at`. Nothing but the pointers at `at` is written.
    unsafe {
        asm!(
            pin!("1": "16", "17", "18", "19"),
            pin!("3": "20", "21", "22", "23"),
            pin!("5": "24", "25", "26", "27"),
            pin!("7": "28", "29", "30", "31"),
            ".p2align 5",
            "2:",
            each!("vaesenc": "16", "17", "18", "19"),
            pairs!("0", "k0", "4", "8"),
            round!("2"),
            each!("vaesenc": "20", "21", "22", "23"),
            pairs!("32", "k1", "5", "9"),
            round!("4"),
            each!("vaesenc": "24", "25", "26", "27"),
            pairs!("64", "k2", "6", "10"),
            round!("6"),
            each!("vaesenc": "28", "29", "30", "31"),
            pairs!("96", "k3", "7", "11"),
            round!("8"),
            long!(),
            round!("({keys} - 2)"),
            each!("vaesenclast": "4", "5", "6", "7"),
            each!("vaesenc": "16", "17", "18", "19"),
            round!("2"),
            each!("vaesenc": "20", "21", "22", "23"),
            advance!("0"),
            round!("4"),
            each!("vaesenc": "24", "25", "26", "27"),
            advance!("64"),
            round!("6"),
            each!("vaesenc": "28", "29", "30", "31"),
            round!("8"),
            long!(),
            round!("({keys} - 2)"),
            each!("vaesenclast": "8", "9", "10", "11"),
            ".if {switch} == 0", "add {off}, 32", ".endif",
            "dec {n}", "jnz 2b",
            k0 = in(reg) quads[0], k1 = in(reg) quads[1],
            k2 = in(reg) quads[2], k3 = in(reg) quads[3],
            at = in(reg) at, step = in(reg) &step,
            off = inout(reg) offset => _, n = inout(reg) pairs => _,
            p = out(reg) _, q = out(reg) _,
            keys = const KEYS, switch = const SWITCH as usize,
            inout("zmm0") state[0], inout("zmm1") state[1],
            inout("zmm2") state[2], inout("zmm3") state[3],
            out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
            out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
            out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
            out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
            out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
            out("k1") _,
            options(nostack),
        );
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn load(row: &Row) -> __m512i {
    // SAFETY: 64 bytes.
    unsafe { _mm512_load_si512((&raw const *row).cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn store(row: &mut Row, blocks: __m512i) {
    // SAFETY: 64 bytes.
    unsafe { _mm512_store_si512((&raw mut *row).cast(), blocks) }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn load_block(block: &Block) -> __m128i {
    // SAFETY: 16 bytes.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn store_block(block: &mut Block, value: __m128i) {
    // SAFETY: 16 bytes.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), value) }
}

/// Four blocks to a register.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn join(blocks: [__m128i; 4]) -> __m512i {
    let [a, b, c, d] = blocks;
    let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b);
    let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(c), d);
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// All rounds but the last. In assembly, because the compiler keeps the round keys for the next
/// step, on the stack.
#[target_feature(enable = "vaes,avx512f")]
#[inline]
pub(super) fn rounds<const KEYS: usize>(quads: [&Quad<KEYS>; GROUPS], state: &mut States) {
    // SAFETY: the addresses are of the rows of `quads`.
    unsafe {
        asm!(
            round!("1"), round!("2"), round!("3"), round!("4"),
            round!("5"), round!("6"), round!("7"), round!("8"),
            long!(),
            round!("({keys} - 2)"),
            k0 = in(reg) quads[0],
            k1 = in(reg) quads[1],
            k2 = in(reg) quads[2],
            k3 = in(reg) quads[3],
            keys = const KEYS,
            inout("zmm0") state[0],
            inout("zmm1") state[1],
            inout("zmm2") state[2],
            inout("zmm3") state[3],
            options(pure, readonly, nostack, preserves_flags),
        );
    }
}

/// The rest of a chain step, and the whitening of the next one with `blocks`.
#[target_feature(enable = "vaes,avx512f")]
#[inline]
pub(super) fn step<const KEYS: usize>(
    quads: [&Quad<KEYS>; GROUPS],
    state: &mut States,
    blocks: States,
) {
    rounds(quads, state);
    for ((state, quad), blocks) in state.iter_mut().zip(quads).zip(blocks) {
        *state = _mm512_aesenclast_epi128(*state, _mm512_xor_si512(load(&quad.fold), blocks));
    }
}
