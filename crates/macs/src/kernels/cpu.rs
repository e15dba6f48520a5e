//! Proofs that the CPU has the instructions of a kernel: a value of such a type can only be had
//! from `get`, which asks the CPU (once; then it is one load).

/// A type whose values prove a set of instructions.
macro_rules! tokens {
    ($($(#[$doc:meta])* $token:ident, $module:ident: $($feature:tt),+;)*) => {$(
        cpufeatures::new!($module, $($feature),+);

        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $token(());

        impl $token {
            /// The proof, if this CPU has them.
            #[inline(always)]
            pub(crate) fn get() -> Option<Self> {
                $module::get().then_some(Self(()))
            }
        }
    )*};
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
tokens! {
    /// AES instructions, in their AVX encoding.
    AesNi, aes_ni: "aes", "avx", "sse4.1", "ssse3";
    /// AES on 512-bit registers, and masked loads.
    Vaes512, vaes_512: "vaes", "aes", "avx", "avx2", "avx512f", "avx512bw", "avx512vl", "avx512dq";
    /// SHA instructions.
    ShaNi, sha_ni: "sha", "ssse3", "sse4.1", "avx";
    /// 256-bit vectors with the bit instructions of the same CPUs.
    Avx2, avx2: "avx2", "bmi1", "bmi2";
    /// 512-bit vectors.
    Avx512, avx512: "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx2", "bmi1", "bmi2";
    /// 52-bit multiplication on 512-bit vectors.
    Ifma, ifma: "avx512ifma", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx2", "bmi2";
    /// Carry-less multiplication.
    Clmul, clmul: "pclmulqdq", "ssse3", "sse4.1", "avx";
    /// Carry-less multiplication on 512-bit registers, and masked loads.
    Vpclmul512, vpclmul_512:
        "vpclmulqdq", "pclmulqdq", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx2", "bmi2";
}

#[cfg(target_arch = "aarch64")]
tokens! {
    /// AES and 64-bit polynomial multiplication.
    ArmAes, arm_aes: "aes";
    /// SHA-1 and SHA-256 instructions.
    ArmSha2, arm_sha2: "sha2";
    /// SHA-512 instructions, which came with those of SHA-3.
    ArmSha3, arm_sha3: "sha2", "sha3";
}
