//! The loops over eight registers, in assembly, because the compiler keeps the round keys for the
//! next step, on the stack. With AES-NI they are loaded by themselves: on some CPUs an operand in
//! memory halves the throughput.
#![expect(unsafe_code, reason = "assembly")]
#![cfg_attr(miri, allow(unused_macros, reason = "Miri has no assembly"))]

#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;

use super::super::ring::Quad;
use super::{Eight, States};
use crate::kernels::cpu::{AesNi, Vaes256};

/// For `asm!`: a round by AES-NI.
macro_rules! narrow {
    ($number:literal) => {
        narrow!($number: "0" "8" "k0" "0", "1" "9" "k0" "16", "2" "10" "k0" "32",
            "3" "11" "k0" "48", "4" "12" "k1" "0", "5" "13" "k1" "16", "6" "14" "k1" "32",
            "7" "15" "k1" "48")
    };
    ($number:literal: $($state:literal $own:literal $key:literal $at:literal),*) => {
        concat!($(
            "vmovdqa xmm", $own, ", [{", $key, "} + 64*", $number, " + ", $at, "]\n",
            "vaesenc xmm", $state, ", xmm", $state, ", xmm", $own, "\n",
        )*)
    };
}

/// For `asm!`: the last round of a block, with the next one.
macro_rules! narrow_last {
    () => {
        narrow_last!("0" "8" "k0" "0", "1" "9" "k0" "16", "2" "10" "k0" "32",
            "3" "11" "k0" "48", "4" "12" "k1" "0", "5" "13" "k1" "16", "6" "14" "k1" "32",
            "7" "15" "k1" "48")
    };
    ($($state:literal $own:literal $key:literal $at:literal),*) => {
        concat!($(
            "mov {p}, [{at} + 8*", $state, "]\n",
            "vmovdqu xmm", $own, ", [{p} + {off}]\n",
            "vpxor xmm", $own, ", xmm", $own, ", [{", $key, "} + 64*{keys} + ", $at, "]\n",
            "vaesenclast xmm", $state, ", xmm", $state, ", xmm", $own, "\n",
        )*)
    };
}

/// For `asm!`: a round by VAES.
macro_rules! wide {
    ($number:literal) => {
        wide!($number: "0" "k0" "0", "1" "k0" "32", "2" "k1" "0", "3" "k1" "32",
            "4" "k2" "0", "5" "k2" "32", "6" "k3" "0", "7" "k3" "32")
    };
    ($number:literal: $($state:literal $key:literal $at:literal),*) => {
        concat!($(
            "vaesenc ymm", $state, ", ymm", $state, ", [{", $key, "} + 64*", $number, " + ", $at,
            "]\n",
        )*)
    };
}

/// For `asm!`: the last round of a block, with the next one.
macro_rules! wide_last {
    () => {
        wide_last!("0" "8" "k0" "0", "1" "9" "k0" "32", "2" "10" "k1" "0", "3" "11" "k1" "32",
            "4" "12" "k2" "0", "5" "13" "k2" "32", "6" "14" "k3" "0", "7" "15" "k3" "32")
    };
    ($($state:literal $own:literal $key:literal $at:literal),*) => {
        concat!($(
            "mov {p}, [{at} + 16*", $state, "]\n",
            "mov {q}, [{at} + 16*", $state, " + 8]\n",
            "vmovdqu xmm", $own, ", [{p} + {off}]\n",
            "vinserti128 ymm", $own, ", ymm", $own, ", [{q} + {off}], 1\n",
            "vpxor ymm", $own, ", ymm", $own, ", [{", $key, "} + 64*{keys} + ", $at, "]\n",
            "vaesenclast ymm", $state, ", ymm", $state, ", ymm", $own, "\n",
        )*)
    };
}

/// For `asm!`: every fourth time what comes later is fetched. So many streams are more than the
/// hardware does that for.
macro_rules! fetch {
    ($($lane:literal)*) => {
        concat!(
            "test {off:e}, 48\n",
            "jnz 3f\n",
            $(
                "mov {p}, [{at} + 8*", $lane, "]\n",
                "prefetcht0 [{p} + {off} + 512]\n",
            )*
            "3:\n",
        )
    };
}

/// For `asm!`: all rounds but the last.
macro_rules! all {
    ($round:ident) => {
        concat!(
            $round!("1"),
            $round!("2"),
            $round!("3"),
            $round!("4"),
            $round!("5"),
            $round!("6"),
            $round!("7"),
            $round!("8"),
            ".if {keys} > 11\n",
            $round!("9"),
            $round!("10"),
            ".endif\n",
            ".if {keys} > 13\n",
            $round!("11"),
            $round!("12"),
            ".endif\n",
            $round!("({keys} - 2)"),
        )
    };
}

/// As [`Eight::rounds`].
#[cfg(not(miri))]
#[target_feature(enable = "aes,avx")]
#[inline]
fn rounds_128<const KEYS: usize>(quads: &[&Quad<KEYS>], states: &mut States<__m128i>) {
    // SAFETY: the addresses are of the rows of the quads.
    unsafe {
        asm!(
            all!(narrow),
            k0 = in(reg) quads[0], k1 = in(reg) quads[1],
            keys = const KEYS,
            inout("xmm0") states[0], inout("xmm1") states[1],
            inout("xmm2") states[2], inout("xmm3") states[3],
            inout("xmm4") states[4], inout("xmm5") states[5],
            inout("xmm6") states[6], inout("xmm7") states[7],
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
}

/// As [`Eight::absorb`].
#[cfg(not(miri))]
#[target_feature(enable = "aes,avx")]
#[inline]
unsafe fn absorb_128<const KEYS: usize>(
    quads: &[&Quad<KEYS>],
    states: &mut States<__m128i>,
    at: *const *const u8,
    offset: usize,
    blocks: usize,
) {
    // SAFETY: the caller has promised that the blocks can be read; the other addresses are of the
    // rows of the quads and of the pointers at `at`.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            fetch!("0" "1" "2" "3" "4" "5" "6" "7"),
            all!(narrow),
            narrow_last!(),
            "add {off}, 16",
            "dec {n}",
            "jnz 2b",
            k0 = in(reg) quads[0], k1 = in(reg) quads[1],
            at = in(reg) at, p = out(reg) _,
            off = inout(reg) offset => _, n = inout(reg) blocks => _,
            keys = const KEYS,
            inout("xmm0") states[0], inout("xmm1") states[1],
            inout("xmm2") states[2], inout("xmm3") states[3],
            inout("xmm4") states[4], inout("xmm5") states[5],
            inout("xmm6") states[6], inout("xmm7") states[7],
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(readonly, nostack),
        );
    }
}

/// As [`Eight::rounds`].
#[cfg(not(miri))]
#[target_feature(enable = "vaes,avx2")]
#[inline]
fn rounds_256<const KEYS: usize>(quads: &[&Quad<KEYS>], states: &mut States<__m256i>) {
    // SAFETY: the addresses are of the rows of the quads.
    unsafe {
        asm!(
            all!(wide),
            k0 = in(reg) quads[0], k1 = in(reg) quads[1],
            k2 = in(reg) quads[2], k3 = in(reg) quads[3],
            keys = const KEYS,
            inout("ymm0") states[0], inout("ymm1") states[1],
            inout("ymm2") states[2], inout("ymm3") states[3],
            inout("ymm4") states[4], inout("ymm5") states[5],
            inout("ymm6") states[6], inout("ymm7") states[7],
            options(pure, readonly, nostack, preserves_flags),
        );
    }
}

/// As [`Eight::absorb`].
#[cfg(not(miri))]
#[target_feature(enable = "vaes,avx2")]
#[inline]
unsafe fn absorb_256<const KEYS: usize>(
    quads: &[&Quad<KEYS>],
    states: &mut States<__m256i>,
    at: *const *const u8,
    offset: usize,
    blocks: usize,
) {
    // SAFETY: the caller has promised that the blocks can be read; the other addresses are of the
    // rows of the quads and of the pointers at `at`.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            fetch!("0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" "14" "15"),
            all!(wide),
            wide_last!(),
            "add {off}, 16",
            "dec {n}",
            "jnz 2b",
            k0 = in(reg) quads[0], k1 = in(reg) quads[1],
            k2 = in(reg) quads[2], k3 = in(reg) quads[3],
            at = in(reg) at, p = out(reg) _, q = out(reg) _,
            off = inout(reg) offset => _, n = inout(reg) blocks => _,
            keys = const KEYS,
            inout("ymm0") states[0], inout("ymm1") states[1],
            inout("ymm2") states[2], inout("ymm3") states[3],
            inout("ymm4") states[4], inout("ymm5") states[5],
            inout("ymm6") states[6], inout("ymm7") states[7],
            out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
            out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
            options(readonly, nostack),
        );
    }
}

impl Eight for __m128i {
    type Token = AesNi;

    #[inline(always)]
    fn rounds<const KEYS: usize>(quads: &[&Quad<KEYS>], states: &mut States<Self>) {
        #[cfg(miri)]
        super::rounds(quads, states);
        #[cfg(not(miri))]
        // SAFETY: inlined where the instructions are enabled.
        unsafe {
            rounds_128(quads, states);
        }
    }

    #[inline(always)]
    unsafe fn absorb<const KEYS: usize>(
        quads: &[&Quad<KEYS>],
        states: &mut States<Self>,
        at: *const *const u8,
        offset: usize,
        blocks: usize,
    ) {
        // SAFETY: inlined where the instructions are enabled; the caller promises the rest.
        unsafe {
            #[cfg(miri)]
            super::absorb(quads, states, at, offset, blocks);
            #[cfg(not(miri))]
            absorb_128(quads, states, at, offset, blocks);
        }
    }
}

impl Eight for __m256i {
    type Token = Vaes256;

    #[inline(always)]
    fn rounds<const KEYS: usize>(quads: &[&Quad<KEYS>], states: &mut States<Self>) {
        #[cfg(miri)]
        super::rounds(quads, states);
        #[cfg(not(miri))]
        // SAFETY: inlined where the instructions are enabled.
        unsafe {
            rounds_256(quads, states);
        }
    }

    #[inline(always)]
    unsafe fn absorb<const KEYS: usize>(
        quads: &[&Quad<KEYS>],
        states: &mut States<Self>,
        at: *const *const u8,
        offset: usize,
        blocks: usize,
    ) {
        // SAFETY: inlined where the instructions are enabled; the caller promises the rest.
        unsafe {
            #[cfg(miri)]
            super::absorb(quads, states, at, offset, blocks);
            #[cfg(not(miri))]
            absorb_256(quads, states, at, offset, blocks);
        }
    }
}
