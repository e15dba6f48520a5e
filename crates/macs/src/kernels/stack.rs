//! Where the compiler keeps vectors for which there are no registers.
#![cfg_attr(not(miri), expect(unsafe_code, reason = "an empty instruction"))]

#[cfg(not(miri))]
use core::arch::asm;
use core::mem::MaybeUninit;

/// Aligns the frame of the function that calls it, and with it the vectors in there. The compiler
/// aligns a frame for variables that ask for it, but not for what it puts there by itself: then it
/// lies across the ends of cache lines, and in one process of ten or so across that of a page.
/// Rounds of SHA-1 in eight lanes take 1.1 to 1.5 times as long there on a Zen 4.
#[inline(always)]
pub(crate) fn align_frame() {
    #[repr(align(64))]
    struct Line(#[expect(dead_code, reason = "only its place counts")] MaybeUninit<[u8; 64]>);

    let line = Line(MaybeUninit::uninit());
    let place = (&raw const line).addr();
    #[cfg(not(miri))]
    // SAFETY: the empty instruction does nothing with the address.
    unsafe {
        asm!("/* {0} */", in(reg) place, options(nomem, nostack, preserves_flags))
    };
    #[cfg(miri)]
    let _ = place;
}
