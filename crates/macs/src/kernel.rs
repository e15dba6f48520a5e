//! Which code path the primitives of other crates take on this CPU, by name. It repeats the choice
//! made in their backend modules (keccak 0.2, highway 1), with the same
//! detection and the same build-wide `--cfg *_backend`, so that a report names what really ran.
#![allow(unexpected_cfgs, reason = "the backend cfgs belong to those crates")]

/// A code path: `soft`, or the instruction set used.
type Kernel = &'static str;

const SOFT: Kernel = "soft";

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod cpu {
    cpufeatures::new!(avx2_x86, "avx2");
    cpufeatures::new!(sse41_x86, "sse4.1");

    /// On 64-bit CPUs; without `std` it asks for nothing that the whole build does not have.
    pub(super) fn highway() -> super::Kernel {
        let (has_avx2, has_sse41) = if cfg!(feature = "std") {
            (avx2_x86::get(), sse41_x86::get())
        } else {
            (cfg!(target_feature = "avx2"), cfg!(target_feature = "sse4.1"))
        };
        match () {
            () if !cfg!(target_arch = "x86_64") => super::SOFT,
            () if has_avx2 => "avx2",
            () if has_sse41 => "sse41",
            () => super::SOFT,
        }
    }

    pub(super) fn keccak() -> super::Kernel {
        super::SOFT
    }
}

#[cfg(target_arch = "aarch64")]
mod cpu {
    cpufeatures::new!(sha3_arm, "sha3");

    pub(super) fn keccak() -> super::Kernel {
        if sha3_arm::get() { "armv8" } else { super::SOFT }
    }

    pub(super) fn highway() -> super::Kernel {
        "neon"
    }
}

#[cfg(not(any(target_arch = "aarch64", target_arch = "x86", target_arch = "x86_64")))]
mod cpu {
    pub(super) fn keccak() -> super::Kernel {
        super::SOFT
    }

    pub(super) fn highway() -> super::Kernel {
        let has_simd = cfg!(all(target_family = "wasm", target_feature = "simd128"));
        if has_simd { "simd128" } else { super::SOFT }
    }
}

pub(crate) fn keccak() -> Kernel {
    if cfg!(keccak_backend = "soft") { SOFT } else { cpu::keccak() }
}

pub(crate) fn highway() -> Kernel {
    cpu::highway()
}
