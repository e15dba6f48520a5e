//! The counters themselves: the one place in the lab where instructions are chosen by hand.
#![expect(unsafe_code, reason = "reads the time-stamp counter and times a chain of known length")]

use std::sync::OnceLock;
use std::time::Instant;

/// Where ticks come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// x86-64: a time-stamp counter that CPUID calls invariant.
    #[cfg(target_arch = "x86_64")]
    TimeStamp,
    /// aarch64: the generic timer's virtual counter.
    #[cfg(target_arch = "aarch64")]
    Virtual,
    /// The operating system's monotonic clock, in nanoseconds.
    System,
}

impl Source {
    /// The most exact source that this machine guarantees.
    pub(super) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if invariant_time_stamp() {
            return Self::TimeStamp;
        }
        #[cfg(target_arch = "aarch64")]
        return Self::Virtual;
        #[allow(unreachable_code)]
        Self::System
    }

    pub(super) fn is_counter(self) -> bool {
        self != Self::System
    }

    /// Reads the counter after all earlier work, before any later.
    #[inline]
    pub(super) fn begin(self) -> u64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::TimeStamp => {
                use core::arch::x86_64::{_mm_lfence, _rdtsc};
                // SAFETY: SSE2 and the time-stamp counter belong to every x86-64; `best` saw the
                // counter's invariance, and nothing here touches memory.
                unsafe {
                    _mm_lfence();
                    let ticks = _rdtsc();
                    _mm_lfence();
                    ticks
                }
            }
            #[cfg(target_arch = "aarch64")]
            Self::Virtual => virtual_counter(),
            Self::System => system_ns(),
        }
    }

    /// Reads the counter after the timed work has ended, before any later work begins.
    #[inline]
    pub(super) fn end(self) -> u64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::TimeStamp => {
                use core::arch::x86_64::{__rdtscp, _mm_lfence};
                let mut core_id = 0;
                // SAFETY: every x86-64 with an invariant counter has RDTSCP, and `best` saw it;
                // `core_id` is a live local.
                unsafe {
                    let ticks = __rdtscp(&raw mut core_id);
                    _mm_lfence();
                    ticks
                }
            }
            #[cfg(target_arch = "aarch64")]
            Self::Virtual => virtual_counter(),
            Self::System => system_ns(),
        }
    }
}

impl Source {
    /// Reads the counter when all earlier loads and stores are done, as the program CRPRF does:
    /// MFENCE, then RDTSCP.
    #[inline]
    pub(super) fn after_stores(self) -> u64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::TimeStamp => {
                use core::arch::x86_64::{__rdtscp, _mm_mfence};
                let mut core_id = 0;
                // SAFETY: every x86-64 with an invariant counter has RDTSCP, and `best` saw it;
                // `core_id` is a live local.
                unsafe {
                    _mm_mfence();
                    __rdtscp(&raw mut core_id)
                }
            }
            #[cfg(target_arch = "aarch64")]
            Self::Virtual => virtual_counter(),
            Self::System => system_ns(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn invariant_time_stamp() -> bool {
    let cpuid = raw_cpuid::CpuId::new();
    let invariant =
        cpuid.get_advanced_power_mgmt_info().is_some_and(|power| power.has_invariant_tsc());
    let rdtscp =
        cpuid.get_extended_processor_and_feature_identifiers().is_some_and(|id| id.has_rdtscp());
    invariant && rdtscp
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn virtual_counter() -> u64 {
    let ticks: u64;
    // SAFETY: user space may read the virtual counter on every supported system; the barrier
    // orders it after earlier instructions.
    unsafe {
        core::arch::asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nostack, nomem));
    }
    ticks
}

fn system_ns() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Runs `count` additions (a multiple of 10 of them), each of which needs the one before it, so
/// that they take one core cycle each. False where no such chain is written for this processor.
#[inline(never)]
pub(super) fn additions(count: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: registers only; the loop runs count/10 times and ends at zero.
    unsafe {
        core::arch::asm!(
            "2:",
            "add {sum}, {one}", "add {sum}, {one}", "add {sum}, {one}", "add {sum}, {one}",
            "add {sum}, {one}", "add {sum}, {one}", "add {sum}, {one}", "add {sum}, {one}",
            "add {sum}, {one}", "add {sum}, {one}",
            "dec {left}",
            "jnz 2b",
            sum = inout(reg) 0u64 => _, one = in(reg) 1u64, left = inout(reg) count / 10 => _,
            options(nostack, nomem),
        );
        return true;
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: registers only; the loop runs count/10 times and ends at zero.
    unsafe {
        core::arch::asm!(
            "2:",
            "add {sum}, {sum}, {one}", "add {sum}, {sum}, {one}", "add {sum}, {sum}, {one}",
            "add {sum}, {sum}, {one}", "add {sum}, {sum}, {one}", "add {sum}, {sum}, {one}",
            "add {sum}, {sum}, {one}", "add {sum}, {sum}, {one}", "add {sum}, {sum}, {one}",
            "add {sum}, {sum}, {one}",
            "subs {left}, {left}, #1",
            "b.ne 2b",
            sum = inout(reg) 0u64 => _, one = in(reg) 1u64, left = inout(reg) count / 10 => _,
            options(nostack, nomem),
        );
        return true;
    }
    #[allow(unreachable_code)]
    {
        let _ = count;
        false
    }
}
