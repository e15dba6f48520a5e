//! The 64 rounds (FIPS 180-4 §6.2.2) of four streams side by side. The chaining values have eight
//! of the sixteen registers; the words stay in memory, whose loads and stores nothing else wants.

use core::arch::asm;

use super::rounds::add;
use super::{Chain, Words};
use crate::kernels::cpu::ShaNi;
use crate::kernels::sha256::Block;
use crate::kernels::sha256::soft::K;
use crate::kernels::sha256::unit::Unit;

/// Four rounds of one stream, whose Wt are in `$w`. The streams come one after the other: the CPU
/// looks far enough ahead to run them side by side.
macro_rules! stream {
    ($abef:literal, $cdgh:literal, $w:literal $(, $schedule:expr)*) => {
        concat!(
            "vpaddd xmm0, ", $w, ", xmm10\n",
            "sha256rnds2 ", $cdgh, ", ", $abef, ", xmm0\n",
            "vpshufd xmm0, xmm0, 0x0e\n",
            "sha256rnds2 ", $abef, ", ", $cdgh, ", xmm0\n",
            $($schedule,)*
        )
    };
}

/// Wt from memory.
macro_rules! load {
    ($at:literal, $now:literal, $w:literal) => {
        concat!("vmovdqa ", $w, ", [{w} + ", $at, " + ", $now, "]\n")
    };
}

/// W of four rounds on, in place of that of twelve rounds before: its second half, to xmm14.
macro_rules! extend {
    ($at:literal, $next:literal, $before:literal, $w:literal) => {
        concat!(
            "vpalignr xmm14, ",
            $w,
            ", [{w} + ",
            $at,
            " + ",
            $before,
            "], 4\n",
            "vpaddd xmm14, xmm14, [{w} + ",
            $at,
            " + ",
            $next,
            "]\n",
            "sha256msg2 xmm14, ",
            $w,
            "\n",
            "vmovdqa [{w} + ",
            $at,
            " + ",
            $next,
            "], xmm14\n",
        )
    };
}

/// W of twelve rounds on, in place of that of four rounds before: its first half.
macro_rules! begin {
    ($at:literal, $before:literal, $w:literal) => {
        concat!(
            "vmovdqa xmm15, [{w} + ",
            $at,
            " + ",
            $before,
            "]\n",
            "sha256msg1 xmm15, ",
            $w,
            "\n",
            "vmovdqa [{w} + ",
            $at,
            " + ",
            $before,
            "], xmm15\n",
        )
    };
}

/// Goes on to the words that were just extended: through memory they would take too long.
macro_rules! keep {
    ($w:literal) => {
        concat!("vmovdqa ", $w, ", xmm14\n")
    };
}

/// One step of the schedule, or none, for a stream.
macro_rules! schedule {
    ($at:literal, $w:literal, first $next:literal) => {
        load!($at, $next, $w)
    };
    ($at:literal, $w:literal, begin $next:literal $before:literal) => {
        concat!(begin!($at, $before, $w), load!($at, $next, $w))
    };
    ($at:literal, $w:literal, both $next:literal $before:literal) => {
        concat!(extend!($at, $next, $before, $w), begin!($at, $before, $w), keep!($w))
    };
    ($at:literal, $w:literal, extend $next:literal $before:literal) => {
        concat!(extend!($at, $next, $before, $w), keep!($w))
    };
    ($at:literal, $w:literal,) => {
        ""
    };
}

/// Four rounds of four streams, whose words are 64 bytes apart.
macro_rules! four_rounds {
    ($k:literal, $($step:tt)*) => {
        concat!(
            "vmovdqa xmm10, [{k} + ", $k, "]\n",
            stream!("xmm1", "xmm2", "xmm9", schedule!("0", "xmm9", $($step)*)),
            stream!("xmm3", "xmm4", "xmm11", schedule!("64", "xmm11", $($step)*)),
            stream!("xmm5", "xmm6", "xmm12", schedule!("128", "xmm12", $($step)*)),
            stream!("xmm7", "xmm8", "xmm13", schedule!("192", "xmm13", $($step)*)),
        )
    };
}

/// Absorbs a block each; `w` is overwritten.
#[inline(always)]
pub(super) fn four(_: ShaNi, chains: [Chain; 4], w: &mut [Words; 4]) -> [Chain; 4] {
    let [mut a, mut b, mut c, mut d] = chains;
    // SAFETY: the token proves the instructions; they read the constants, read and write `w`, both
    // aligned to 16 bytes by their types.
    unsafe {
        asm!(
            "vzeroupper",
            load!("0", "0", "xmm9"),
            load!("64", "0", "xmm11"),
            load!("128", "0", "xmm12"),
            load!("192", "0", "xmm13"),
            four_rounds!("0", first "16"),
            four_rounds!("16", begin "32" "0"),
            four_rounds!("32", begin "48" "16"),
            four_rounds!("48", both "0" "32"),
            four_rounds!("64", both "16" "48"),
            four_rounds!("80", both "32" "0"),
            four_rounds!("96", both "48" "16"),
            four_rounds!("112", both "0" "32"),
            four_rounds!("128", both "16" "48"),
            four_rounds!("144", both "32" "0"),
            four_rounds!("160", both "48" "16"),
            four_rounds!("176", both "0" "32"),
            four_rounds!("192", both "16" "48"),
            four_rounds!("208", extend "32" "0"),
            four_rounds!("224", extend "48" "16"),
            four_rounds!("240",),
            k = in(reg) &raw const K,
            w = in(reg) w.as_mut_ptr(),
            out("xmm0") _,
            inout("xmm1") a.abef, inout("xmm2") a.cdgh,
            inout("xmm3") b.abef, inout("xmm4") b.cdgh,
            inout("xmm5") c.abef, inout("xmm6") c.cdgh,
            inout("xmm7") d.abef, inout("xmm8") d.cdgh,
            out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _,
            out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(nostack, preserves_flags),
        );
    }
    [add(chains[0], a), add(chains[1], b), add(chains[2], c), add(chains[3], d)]
}

/// One copy of `four` for all the blocks that do not lie in messages: it is long.
#[target_feature(enable = "sha,avx,sse4.1,ssse3")]
pub(super) fn step_four(token: ShaNi, chains: &mut [Chain; 4], words: &mut [Words; 4]) {
    *chains = four(token, *chains, words);
}

/// Absorbs runs of one length.
#[target_feature(enable = "sha,avx,sse4.1,ssse3")]
pub(super) fn absorb_four(token: ShaNi, chains: &mut [Chain; 4], runs: [&[Block]; 4]) {
    let mut running = *chains;
    let [first, second, third, fourth] = runs;
    let others = second.iter().zip(third).zip(fourth);
    for (first, ((second, third), fourth)) in first.iter().zip(others) {
        let mut words =
            [token.words(first), token.words(second), token.words(third), token.words(fourth)];
        running = four(token, running, &mut words);
    }
    *chains = running;
}
