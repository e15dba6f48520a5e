//! Which code path the primitives of other crates take on this CPU, by name. It repeats the choice
//! made in their backend modules (sha2 0.11, sha1 0.11, md-5 0.11, aes 0.9, keccak 0.2, poly1305
//! 0.9, blake3 1), with the same detection crate and the same build-wide `--cfg *_backend`, so that
//! a report names what really ran.
#![allow(unexpected_cfgs, reason = "the backend cfgs belong to those crates")]

/// A code path: `soft`, or the instruction set used.
pub(crate) type Kernel = &'static str;

const SOFT: Kernel = "soft";

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod cpu {
    cpufeatures::new!(sha1_x86, "sha", "sse2", "ssse3", "sse4.1");
    cpufeatures::new!(sha256_x86, "sha", "sse4.1");
    cpufeatures::new!(avx2_x86, "avx2");
    cpufeatures::new!(avx512_x86, "avx512f", "avx512vl");
    cpufeatures::new!(sse41_x86, "sse4.1");

    pub(super) fn sha1() -> super::Kernel {
        if sha1_x86::get() { "sha-ni" } else { super::SOFT }
    }

    pub(super) fn sha256() -> super::Kernel {
        if sha256_x86::get() { "sha-ni" } else { super::SOFT }
    }

    pub(super) fn sha512() -> super::Kernel {
        avx2()
    }

    pub(super) fn avx2() -> super::Kernel {
        if avx2_x86::get() { "avx2" } else { super::SOFT }
    }

    pub(super) fn keccak() -> super::Kernel {
        super::SOFT
    }

    pub(super) fn blake3() -> super::Kernel {
        match () {
            () if avx512_x86::get() => "avx512",
            () if avx2_x86::get() => "avx2",
            () if sse41_x86::get() => "sse41",
            () => "sse2",
        }
    }

    /// Of its kernels with VAES a chain, one block at a time, runs the AES-NI part.
    pub(super) const AES: super::Kernel = "aes-ni";
}

#[cfg(target_arch = "aarch64")]
mod cpu {
    cpufeatures::new!(sha2_arm, "sha2");
    cpufeatures::new!(sha3_arm, "sha3");

    pub(super) fn sha1() -> super::Kernel {
        sha256()
    }

    pub(super) fn sha256() -> super::Kernel {
        if sha2_arm::get() { "armv8" } else { super::SOFT }
    }

    /// The SHA-512 instructions came with the `sha3` feature.
    pub(super) fn sha512() -> super::Kernel {
        if sha3_arm::get() { "armv8" } else { super::SOFT }
    }

    pub(super) fn avx2() -> super::Kernel {
        super::SOFT
    }

    pub(super) fn keccak() -> super::Kernel {
        if sha3_arm::get() { "armv8" } else { super::SOFT }
    }

    pub(super) fn blake3() -> super::Kernel {
        if cfg!(target_endian = "little") { "neon" } else { super::SOFT }
    }

    pub(super) const AES: super::Kernel = "armv8";
}

#[cfg(not(any(target_arch = "aarch64", target_arch = "x86", target_arch = "x86_64")))]
mod cpu {
    /// sha2 has a SIMD path for WebAssembly that is chosen when it is compiled.
    const SHA2: super::Kernel =
        if cfg!(all(target_arch = "wasm32", target_feature = "simd128")) { "simd128" } else { MD };

    /// For LoongArch the whole MD family is written in assembly.
    const MD: super::Kernel =
        if cfg!(target_arch = "loongarch64") { "loongarch-asm" } else { super::SOFT };

    pub(super) fn sha1() -> super::Kernel {
        MD
    }

    pub(super) fn sha256() -> super::Kernel {
        SHA2
    }

    pub(super) fn sha512() -> super::Kernel {
        SHA2
    }

    pub(super) fn avx2() -> super::Kernel {
        super::SOFT
    }

    pub(super) fn keccak() -> super::Kernel {
        super::SOFT
    }

    pub(super) fn blake3() -> super::Kernel {
        super::SOFT
    }

    pub(super) const AES: super::Kernel = super::SOFT;
}

pub(crate) fn md5() -> Kernel {
    if cfg!(all(target_arch = "loongarch64", not(md5_backend = "soft"))) {
        "loongarch-asm"
    } else {
        SOFT
    }
}

pub(crate) fn sha1() -> Kernel {
    if cfg!(sha1_backend = "soft") { SOFT } else { cpu::sha1() }
}

pub(crate) fn sha256() -> Kernel {
    if cfg!(any(sha2_backend = "soft", sha2_256_backend = "soft")) { SOFT } else { cpu::sha256() }
}

pub(crate) fn sha512() -> Kernel {
    if cfg!(any(sha2_backend = "soft", sha2_512_backend = "soft")) { SOFT } else { cpu::sha512() }
}

pub(crate) fn aes() -> Kernel {
    if aes::hardware_accelerated() { cpu::AES } else { SOFT }
}

pub(crate) fn keccak() -> Kernel {
    if cfg!(keccak_backend = "soft") { SOFT } else { cpu::keccak() }
}

/// What whole messages of many chunks get; with AVX2 a chunk alone gets the SSE4.1 part.
pub(crate) fn blake3() -> Kernel {
    cpu::blake3()
}

/// What whole long messages get.
pub(crate) fn poly1305() -> Kernel {
    if cfg!(poly1305_backend = "soft") { SOFT } else { cpu::avx2() }
}

pub(crate) fn soft() -> Kernel {
    SOFT
}
