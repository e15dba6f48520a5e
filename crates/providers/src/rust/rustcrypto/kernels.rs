//! The code paths, as the crates' backend modules choose them at run time. `macs` has such names
//! too, but of its own kernels; these stay right when the two part.
#![allow(unexpected_cfgs, reason = "the backend cfgs belong to the crates named")]

/// Names the code path on this CPU.
pub(super) type Kernel = fn() -> &'static str;

pub(super) fn soft() -> &'static str {
    "soft"
}

/// A chain takes one block at a time: of the VAES backends it runs the AES-NI part. GMAC and GCM
/// are named by it too.
pub(super) fn aes() -> &'static str {
    match aes::hardware_accelerated() {
        true if cfg!(target_arch = "aarch64") => "armv8",
        true => "aes-ni",
        false => "soft",
    }
}

/// What long messages get where blocks are independent; short ones get the AES-NI part.
pub(super) fn aes_wide() -> &'static str {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if aes() == "aes-ni" && is_x86_feature_detected!("vaes") {
        return if is_x86_feature_detected!("avx512f") { "vaes512" } else { "vaes256" };
    }
    aes()
}

pub(super) fn blake3() -> &'static str {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return match () {
        () if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") => {
            "avx512"
        }
        () if is_x86_feature_detected!("avx2") => "avx2",
        () if is_x86_feature_detected!("sse4.1") => "sse41",
        () => "sse2",
    };
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    if cfg!(all(target_arch = "aarch64", target_endian = "little")) { "neon" } else { "soft" }
}

/// Chosen by the compiler's target.
pub(super) fn kuznyechik() -> &'static str {
    let is_portable = cfg!(any(kuznyechik_backend = "soft", kuznyechik_backend = "compact_soft"));
    match () {
        () if is_portable => "soft",
        () if cfg!(target_feature = "sse2") => "sse2",
        () if cfg!(all(target_arch = "aarch64", target_feature = "neon")) => "neon",
        () => "soft",
    }
}

/// ChaCha20 and, where that has it too, Poly1305.
pub(super) fn chacha20() -> &'static str {
    if cfg!(chacha20_backend = "soft") {
        return "soft";
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return if is_x86_feature_detected!("avx2") { "avx2" } else { "sse2" };
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    if cfg!(all(target_arch = "aarch64", target_feature = "neon")) { "neon" } else { "soft" }
}

pub(super) fn keccak() -> &'static str {
    if cfg!(keccak_backend = "soft") {
        return "soft";
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("sha3") {
        return "armv8";
    }
    "soft"
}

pub(super) fn md5() -> &'static str {
    if cfg!(md5_backend = "soft") { "soft" } else { loongarch_or_soft() }
}

pub(super) fn poly1305() -> &'static str {
    if cfg!(poly1305_backend = "soft") {
        return "soft";
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if is_x86_feature_detected!("avx2") {
        return "avx2";
    }
    "soft"
}

pub(super) fn sha1() -> &'static str {
    if cfg!(sha1_backend = "soft") {
        return "soft";
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if is_x86_feature_detected!("sha")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("sse4.1")
    {
        return "sha-ni";
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("sha2") {
        return "armv8";
    }
    loongarch_or_soft()
}

pub(super) fn sha256() -> &'static str {
    if cfg!(any(sha2_backend = "soft", sha2_256_backend = "soft")) {
        return "soft";
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if is_x86_feature_detected!("sha") && is_x86_feature_detected!("sse4.1") {
        return "sha-ni";
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("sha2") {
        return "armv8";
    }
    loongarch_or_soft()
}

pub(super) fn sha512() -> &'static str {
    if cfg!(any(sha2_backend = "soft", sha2_512_backend = "soft")) {
        return "soft";
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if is_x86_feature_detected!("avx2") {
        return "avx2";
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("sha3") {
        return "armv8";
    }
    loongarch_or_soft()
}

fn loongarch_or_soft() -> &'static str {
    if cfg!(target_arch = "loongarch64") { "loongarch-asm" } else { "soft" }
}
