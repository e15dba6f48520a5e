//! Code paths of ring and AWS-LC, inferred: both come from BoringSSL and share most of its rules,
//! which are written in C and Rust (read in ring 0.17.14 and aws-lc-sys 0.47). `words` is the CPU
//! as the library sees it; `None` where that is not known.

use crate::capabilities::{Words, bit::*};

/// Chooses by what an x86-64 CPU has. On AArch64 it is the instructions named, else `otherwise`.
fn choose(
    words: Option<&Words>,
    x86_64: impl Fn(&Words) -> &'static str,
    (aarch64, otherwise): (Arm, &'static str),
) -> &'static str {
    match words {
        Some(words) if cfg!(target_arch = "x86_64") => x86_64(words),
        _ => on_aarch64(aarch64, otherwise),
    }
}

/// Instructions of AArch64.
#[derive(Debug, Clone, Copy)]
enum Arm {
    #[cfg(feature = "aws-lc-rs")]
    Aes,
    AesAndPmull,
    None,
    Sha2,
    Sha512,
}

#[cfg(target_arch = "aarch64")]
fn on_aarch64(instructions: Arm, otherwise: &'static str) -> &'static str {
    use std::arch::is_aarch64_feature_detected as detected;

    let has = match instructions {
        #[cfg(feature = "aws-lc-rs")]
        Arm::Aes => detected!("aes"),
        Arm::AesAndPmull => detected!("aes") && detected!("pmull"),
        Arm::None => false,
        Arm::Sha2 => detected!("sha2"),
        Arm::Sha512 => detected!("sha3"),
    };
    match std::env::var_os("OPENSSL_armcap") {
        Some(_) => "unknown",
        None if has => "armv8",
        None => otherwise,
    }
}

#[cfg(not(target_arch = "aarch64"))]
fn on_aarch64(_: Arm, _: &'static str) -> &'static str {
    "unknown"
}

/// The AVX code of the hashes is for Intel's CPUs only.
fn has_avx(words: &Words) -> bool {
    words.all(&[AVX, SSSE3, INTEL])
}

/// AWS-LC's; ring has plain Rust.
#[cfg(feature = "aws-lc-rs")]
pub(super) fn sha1(words: Option<&Words>) -> &'static str {
    let x86_64 = |words: &Words| match () {
        () if words.all(&[SHA, SSSE3]) => "sha-ni",
        () if words.all(&[AVX2, BMI1, BMI2, SSSE3]) => "avx2",
        () if has_avx(words) => "avx",
        () if words.has(SSSE3) => "ssse3",
        () => "asm",
    };
    choose(words, x86_64, (Arm::Sha2, "asm"))
}

/// ring wants SSSE3 beside the SHA instructions; no CPU has one without the other.
pub(super) fn sha256(words: Option<&Words>) -> &'static str {
    let x86_64 = |words: &Words| match () {
        () if words.has(SHA) => "sha-ni",
        () if has_avx(words) => "avx",
        () if words.has(SSSE3) => "ssse3",
        () => "asm",
    };
    choose(words, x86_64, (Arm::Sha2, "asm"))
}

pub(super) fn sha512(words: Option<&Words>) -> &'static str {
    let x86_64 = |words: &Words| if has_avx(words) { "avx" } else { "asm" };
    choose(words, x86_64, (Arm::Sha512, "asm"))
}

/// One block after the other; AWS-LC's alone, for ring has no CMAC.
#[cfg(feature = "aws-lc-rs")]
pub(super) fn aes(words: Option<&Words>) -> &'static str {
    let x86_64 = |words: &Words| match () {
        () if words.has(AES) => "aes-ni",
        () if words.has(SSSE3) => "ssse3",
        () => "soft",
    };
    choose(words, x86_64, (Arm::Aes, "neon"))
}

/// `wide` are the capabilities for several blocks in one vector, which differ.
pub(super) fn gcm(words: Option<&Words>, wide: &[usize]) -> &'static str {
    let x86_64 = |words: &Words| match () {
        () if words.all(&[AES, PCLMULQDQ]) && words.all(wide) => "vaes",
        () if words.all(&[AES, PCLMULQDQ]) => "aes-ni",
        () if words.has(SSSE3) => "ssse3",
        () => "soft",
    };
    choose(words, x86_64, (Arm::AesAndPmull, "neon"))
}

pub(super) fn chacha20_poly1305(words: Option<&Words>) -> &'static str {
    let x86_64 = |words: &Words| match () {
        () if words.all(&[SSE41, AVX2, BMI2]) => "avx2",
        () if words.has(SSE41) => "sse41",
        () if words.has(SSSE3) => "ssse3",
        () => "soft",
    };
    choose(words, x86_64, (Arm::None, "neon"))
}
