//! Numbers of which the compiler knows nothing. Of one that is 0 or 1 it makes a choice, and of a
//! choice it may make a branch, whose time tells which it was.
#![cfg_attr(
    all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)),
    expect(unsafe_code, reason = "an empty instruction")
)]

/// The same number.
#[inline(always)]
pub(crate) fn opaque(number: u64) -> u64 {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let mut number = number;
        // SAFETY: the empty instruction changes nothing.
        unsafe {
            core::arch::asm!(
                "/* {0} */",
                inout(reg) number,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        number
    }
    #[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), miri))]
    core::hint::black_box(number)
}
