//! The 64 rounds (FIPS 180-4 §6.2.2), as one block of assembly each: the compiler would move the
//! whole message schedule before the rounds, and a short message would wait for it. The SHA
//! instructions have SSE encodings only, which are slow while upper halves of vectors hold
//! something: every block of assembly here begins by clearing these, and has no other encoding.

use core::arch::asm;
use core::arch::x86_64::*;

use super::{Chain, Words, from_vectors};
use crate::kernels::cpu::ShaNi;
use crate::kernels::sha256::Block;
use crate::kernels::sha256::soft::K;
use crate::kernels::sha256::unit::Unit;

#[inline(always)]
pub(super) fn add(a: Chain, b: Chain) -> Chain {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { Chain { abef: _mm_add_epi32(a.abef, b.abef), cdgh: _mm_add_epi32(a.cdgh, b.cdgh) } }
}

/// Wt + Kt of four rounds, at byte `$k` of the constants.
macro_rules! input {
    ($k:literal, $w:literal) => {
        concat!("movdqa xmm0, ", $w, "\n", "paddd xmm0, [{k} + ", $k, "]\n")
    };
}

/// Four rounds of one stream; `$schedule` goes between the two instructions.
macro_rules! four_rounds {
    ($k:literal, $w:literal, $($schedule:expr)?) => {
        concat!(
            input!($k, $w),
            "sha256rnds2 xmm2, xmm1, xmm0\n",
            "pshufd xmm0, xmm0, 0x0e\n",
            $($schedule,)?
            "sha256rnds2 xmm1, xmm2, xmm0\n",
        )
    };
}

/// W of four rounds on, in place of that of twelve rounds before: its second half.
macro_rules! extend {
    ($next:literal, $now:literal, $before:literal, $spare:literal) => {
        concat!(
            "movdqa ",
            $spare,
            ", ",
            $now,
            "\n",
            "palignr ",
            $spare,
            ", ",
            $before,
            ", 4\n",
            "paddd ",
            $next,
            ", ",
            $spare,
            "\n",
            "sha256msg2 ",
            $next,
            ", ",
            $now,
            "\n",
        )
    };
}

/// W of twelve rounds on, in place of that of four rounds before: its first half.
macro_rules! begin {
    ($before:literal, $now:literal) => {
        concat!("sha256msg1 ", $before, ", ", $now, "\n")
    };
}

/// Four rounds with the message schedule.
macro_rules! scheduled {
    ($k:literal, $now:literal, $next:literal, $before:literal) => {
        concat!(
            four_rounds!($k, $now, extend!($next, $now, $before, "xmm7")),
            begin!($before, $now)
        )
    };
}

/// Absorbs a block.
#[inline(always)]
pub(super) fn one(_: ShaNi, chain: Chain, w: Words) -> Chain {
    let Chain { mut abef, mut cdgh } = chain;
    // SAFETY: the token proves the instructions; the memory read is the constants.
    unsafe {
        asm!(
            "vzeroupper",
            four_rounds!("0", "xmm3",),
            four_rounds!("16", "xmm4", begin!("xmm3", "xmm4")),
            four_rounds!("32", "xmm5", begin!("xmm4", "xmm5")),
            scheduled!("48", "xmm6", "xmm3", "xmm5"),
            scheduled!("64", "xmm3", "xmm4", "xmm6"),
            scheduled!("80", "xmm4", "xmm5", "xmm3"),
            scheduled!("96", "xmm5", "xmm6", "xmm4"),
            scheduled!("112", "xmm6", "xmm3", "xmm5"),
            scheduled!("128", "xmm3", "xmm4", "xmm6"),
            scheduled!("144", "xmm4", "xmm5", "xmm3"),
            scheduled!("160", "xmm5", "xmm6", "xmm4"),
            scheduled!("176", "xmm6", "xmm3", "xmm5"),
            scheduled!("192", "xmm3", "xmm4", "xmm6"),
            four_rounds!("208", "xmm4", extend!("xmm5", "xmm4", "xmm3", "xmm7")),
            four_rounds!("224", "xmm5", extend!("xmm6", "xmm5", "xmm4", "xmm7")),
            four_rounds!("240", "xmm6",),
            k = in(reg) &raw const K,
            out("xmm0") _, inout("xmm1") abef, inout("xmm2") cdgh,
            inout("xmm3") w[0] => _, inout("xmm4") w[1] => _,
            inout("xmm5") w[2] => _, inout("xmm6") w[3] => _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    add(chain, Chain { abef, cdgh })
}

/// As `one` without its rounds. The assembly is empty: what goes through it lies in registers, as
/// `one` has it, and the compiler knows no more of it. The words wait for nothing, and so they are
/// put in the order of the chaining value, which is XORed once.
#[inline(always)]
pub(super) fn none(_: ShaNi, chain: Chain, w: Words) -> Chain {
    let Chain { mut abef, mut cdgh } = chain;
    let [mut a, mut b, mut c, mut d] = w;
    // SAFETY: it has no instructions.
    unsafe {
        asm!(
            "/* {0} {1} {2} {3} {4} {5} */",
            inout(xmm_reg) abef, inout(xmm_reg) cdgh,
            inout(xmm_reg) a, inout(xmm_reg) b, inout(xmm_reg) c, inout(xmm_reg) d,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let words = from_vectors([_mm_xor_si128(a, c), _mm_xor_si128(b, d)]);
        Chain { abef: _mm_xor_si128(abef, words.abef), cdgh: _mm_xor_si128(cdgh, words.cdgh) }
    }
}

/// Four rounds of two streams: `$now` and `$now2` are their words.
macro_rules! four_rounds_of_two {
    ($k:literal, $now:literal, $now2:literal, $($schedule:expr)?) => {
        concat!(
            input!($k, $now),
            "sha256rnds2 xmm2, xmm1, xmm0\n",
            "pshufd xmm13, xmm0, 0x0e\n",
            input!($k, $now2),
            "sha256rnds2 xmm8, xmm7, xmm0\n",
            "pshufd xmm14, xmm0, 0x0e\n",
            $($schedule,)?
            "movdqa xmm0, xmm13\n",
            "sha256rnds2 xmm1, xmm2, xmm0\n",
            "movdqa xmm0, xmm14\n",
            "sha256rnds2 xmm7, xmm8, xmm0\n",
        )
    };
}

/// Both halves of the message schedule of two streams.
macro_rules! extend_two {
    ($next:literal, $now:literal, $before:literal, $next2:literal, $now2:literal,
     $before2:literal) => {
        concat!(extend!($next, $now, $before, "xmm15"), extend!($next2, $now2, $before2, "xmm15"))
    };
}

macro_rules! begin_two {
    ($before:literal, $now:literal, $before2:literal, $now2:literal) => {
        concat!(begin!($before, $now), begin!($before2, $now2))
    };
}

/// Four rounds of two streams with the message schedule.
macro_rules! scheduled_two {
    ($k:literal, $now:literal, $next:literal, $before:literal, $now2:literal, $next2:literal,
     $before2:literal) => {
        concat!(
            four_rounds_of_two!(
                $k,
                $now,
                $now2,
                extend_two!($next, $now, $before, $next2, $now2, $before2)
            ),
            begin_two!($before, $now, $before2, $now2)
        )
    };
}

/// Absorbs a block each.
#[inline(always)]
pub(super) fn two(_: ShaNi, chains: [Chain; 2], [w, v]: [Words; 2]) -> [Chain; 2] {
    let [mut a, mut b] = chains;
    // SAFETY: the token proves the instructions; the memory read is the constants.
    unsafe {
        asm!(
            "vzeroupper",
            four_rounds_of_two!("0", "xmm3", "xmm9",),
            four_rounds_of_two!("16", "xmm4", "xmm10", begin_two!("xmm3", "xmm4", "xmm9", "xmm10")),
            four_rounds_of_two!(
                "32", "xmm5", "xmm11",
                begin_two!("xmm4", "xmm5", "xmm10", "xmm11")
            ),
            scheduled_two!("48", "xmm6", "xmm3", "xmm5", "xmm12", "xmm9", "xmm11"),
            scheduled_two!("64", "xmm3", "xmm4", "xmm6", "xmm9", "xmm10", "xmm12"),
            scheduled_two!("80", "xmm4", "xmm5", "xmm3", "xmm10", "xmm11", "xmm9"),
            scheduled_two!("96", "xmm5", "xmm6", "xmm4", "xmm11", "xmm12", "xmm10"),
            scheduled_two!("112", "xmm6", "xmm3", "xmm5", "xmm12", "xmm9", "xmm11"),
            scheduled_two!("128", "xmm3", "xmm4", "xmm6", "xmm9", "xmm10", "xmm12"),
            scheduled_two!("144", "xmm4", "xmm5", "xmm3", "xmm10", "xmm11", "xmm9"),
            scheduled_two!("160", "xmm5", "xmm6", "xmm4", "xmm11", "xmm12", "xmm10"),
            scheduled_two!("176", "xmm6", "xmm3", "xmm5", "xmm12", "xmm9", "xmm11"),
            scheduled_two!("192", "xmm3", "xmm4", "xmm6", "xmm9", "xmm10", "xmm12"),
            four_rounds_of_two!(
                "208", "xmm4", "xmm10",
                extend_two!("xmm5", "xmm4", "xmm3", "xmm11", "xmm10", "xmm9")
            ),
            four_rounds_of_two!(
                "224", "xmm5", "xmm11",
                extend_two!("xmm6", "xmm5", "xmm4", "xmm12", "xmm11", "xmm10")
            ),
            four_rounds_of_two!("240", "xmm6", "xmm12",),
            k = in(reg) &raw const K,
            out("xmm0") _,
            inout("xmm1") a.abef, inout("xmm2") a.cdgh,
            inout("xmm3") w[0] => _, inout("xmm4") w[1] => _,
            inout("xmm5") w[2] => _, inout("xmm6") w[3] => _,
            inout("xmm7") b.abef, inout("xmm8") b.cdgh,
            inout("xmm9") v[0] => _, inout("xmm10") v[1] => _,
            inout("xmm11") v[2] => _, inout("xmm12") v[3] => _,
            out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    [add(chains[0], a), add(chains[1], b)]
}

/// Absorbs runs of one length.
#[target_feature(enable = "sha,avx,sse4.1,ssse3")]
pub(super) fn absorb_two(token: ShaNi, chains: &mut [Chain; 2], [first, second]: [&[Block]; 2]) {
    let mut running = *chains;
    for (first, second) in first.iter().zip(second) {
        running = two(token, running, [token.words(first), token.words(second)]);
    }
    *chains = running;
}

/// Absorbs a run.
#[target_feature(enable = "sha,avx,sse4.1,ssse3")]
pub(super) fn absorb_one(token: ShaNi, chain: &mut Chain, run: &[Block]) {
    let mut running = *chain;
    for block in run {
        running = one(token, running, token.words(block));
    }
    *chain = running;
}
