//! Proofs that the CPU has the instructions of a kernel: a value of such a type can only be had
//! from `get`, which asks the CPU (once; then it is one load). What [`leave_out`] was told is not
//! proved any more.
#![cfg_attr(
    all(target_arch = "x86_64", target_feature = "sse2"),
    expect(unsafe_code, reason = "an instruction that tells who made the CPU, and what it has")
)]

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use core::sync::atomic::AtomicU32;
use core::sync::atomic::{AtomicU8, Ordering};

/// Instructions that [`leave_out`] takes away from the kernels: those of x86-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Instructions {
    /// All of AVX-512.
    Avx512 = 1,
    /// AES and carry-less multiplication on registers of more than 128 bits.
    Vaes = 2,
    /// SHA-1 and SHA-256.
    Sha = 4,
}

/// What was left out, one bit for each of [`Instructions`].
static LEFT_OUT: AtomicU8 = AtomicU8::new(0);

/// Makes the CPU count as one without these instructions, for the rest of the process: to be
/// called before anything else, for keys that were set up before keep their kernels.
///
/// It is of use for measuring and testing, and changes no result. Only kernels of this crate
/// are chosen by it, not those of the crates under HighwayHash and SHA-3.
pub fn leave_out(instructions: &[Instructions]) {
    let bits = instructions.iter().fold(0, |bits, it| bits | *it as u8);
    #[cfg(target_has_atomic = "8")]
    LEFT_OUT.fetch_or(bits, Ordering::Relaxed);
    // The smallest CPUs have no operation that reads and writes at once.
    #[cfg(not(target_has_atomic = "8"))]
    LEFT_OUT.store(LEFT_OUT.load(Ordering::Relaxed) | bits, Ordering::Relaxed);
}

/// Whether Intel made the CPU: its vector units take 512 bits at once, where those of Zen 4 take
/// twice 256, and what is quickest may differ. Asked once, for in a virtual machine the instruction
/// that tells costs microseconds.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) fn is_intel() -> bool {
    const OTHER: u8 = 1;
    const INTEL: u8 = 2;
    static MAKER: AtomicU8 = AtomicU8::new(0);
    #[cold]
    #[inline(never)]
    fn ask() -> u8 {
        if cfg!(miri) {
            return OTHER;
        }
        #[allow(unused_unsafe, reason = "since Rust 1.94 it is safe")]
        // SAFETY: every x86-64 has the instruction and this leaf.
        let name = unsafe { core::arch::x86_64::__cpuid(0) };
        let name = [name.ebx, name.edx, name.ecx].map(u32::to_le_bytes);
        let maker = if name.as_flattened() == b"GenuineIntel" { INTEL } else { OTHER };
        MAKER.store(maker, Ordering::Relaxed);
        maker
    }
    let maker = MAKER.load(Ordering::Relaxed);
    (if maker == 0 { ask() } else { maker }) == INTEL
}

/// Which of them these features of the CPU are among.
const fn instructions(features: &[&str]) -> u8 {
    let (mut bits, mut place) = (0, 0);
    while place < features.len() {
        bits |= match features[place].as_bytes() {
            [b'a', b'v', b'x', b'5', b'1', b'2', ..] => Instructions::Avx512 as u8,
            b"vaes" | b"vpclmulqdq" => Instructions::Vaes as u8,
            b"sha" | b"sha512" => Instructions::Sha as u8,
            _ => 0,
        };
        place += 1;
    }
    bits
}

/// Whether none of these was left out.
#[inline(always)]
fn are_left(instructions: u8) -> bool {
    LEFT_OUT.load(Ordering::Relaxed) & instructions == 0
}

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
                let has_all = are_left(const { instructions(&[$($feature),+]) }) && $module::get();
                has_all.then_some(Self(()))
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
    /// 128-bit vectors with shuffles of bytes.
    Sse41, sse41: "sse4.1", "ssse3";
    /// 256-bit vectors with the bit instructions of the same CPUs.
    Avx2, avx2: "avx2", "bmi1", "bmi2";
    /// 512-bit vectors.
    Avx512, avx512: "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx2", "bmi1", "bmi2";
    /// 52-bit multiplication on 512-bit vectors.
    Ifma, ifma:
        "avx512ifma", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx2", "bmi1",
        "bmi2";
    /// Carry-less multiplication.
    Clmul, clmul: "pclmulqdq", "ssse3", "sse4.1", "avx";
    /// Carry-less multiplication on 512-bit registers, and masked loads.
    Vpclmul512, vpclmul_512:
        "vpclmulqdq", "pclmulqdq", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx2", "bmi2";
}

/// Tokens of the 256-bit forms of instructions for which `cpufeatures` asks for 512-bit registers,
/// too: a Zen 3 or an Alder Lake has the former only. The bit is that of CPUID leaf 7 in ECX; the
/// other features prove that the system keeps 256-bit registers.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
macro_rules! ymm_tokens {
    ($(
        $(#[$doc:meta])* $token:ident, $module:ident: $own:literal = $bit:literal, $($feature:tt),+;
    )*) => {$(
        cpufeatures::new!($module, $($feature),+);

        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $token(());

        impl $token {
            /// The proof, if this CPU has them.
            #[inline(always)]
            pub(crate) fn get() -> Option<Self> {
                let is_left = are_left(const { instructions(&[$own, $($feature),+]) });
                let has_all = is_left && $module::get() && leaf_7_ecx() & (1 << $bit) != 0;
                has_all.then_some(Self(()))
            }
        }
    )*};
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
ymm_tokens! {
    /// AES on 256-bit registers.
    Vaes256, vaes_256: "vaes" = 9, "aes", "avx", "avx2";
    /// Carry-less multiplication on 256-bit registers.
    Vpclmul256, vpclmul_256: "vpclmulqdq" = 10, "pclmulqdq", "avx", "avx2";
}

/// ECX of CPUID leaf 7, asked once: a hypervisor answers it in microseconds. Only for CPUs that
/// have AVX2, which is told by the same leaf.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn leaf_7_ecx() -> u32 {
    static KNOWN: AtomicU32 = AtomicU32::new(0);
    // A bit that no token asks for says that it was asked.
    const ASKED: u32 = 1 << 31;
    let known = KNOWN.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let told = if cfg!(miri) {
        0
    } else {
        #[allow(unused_unsafe, reason = "since Rust 1.94 it is safe")]
        // SAFETY: every x86-64 has the instruction, and one with AVX2 this leaf.
        let leaf = unsafe { core::arch::x86_64::__cpuid_count(7, 0) };
        leaf.ecx
    };
    KNOWN.store(told | ASKED, Ordering::Relaxed);
    told | ASKED
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl AesNi {
    /// Itself, as of the tokens that prove more.
    #[inline(always)]
    pub(crate) fn aes_ni(self) -> AesNi {
        AesNi(())
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl Vaes256 {
    /// What it proves as well: AVX has SSSE3 and SSE4.1 in it.
    #[inline(always)]
    pub(crate) fn aes_ni(self) -> AesNi {
        AesNi(())
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl Vaes512 {
    /// What it proves as well: AVX has SSSE3 and SSE4.1 in it.
    #[inline(always)]
    pub(crate) fn aes_ni(self) -> AesNi {
        AesNi(())
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl Avx512 {
    /// What it proves as well.
    #[inline(always)]
    pub(crate) fn avx2(self) -> Avx2 {
        Avx2(())
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl Ifma {
    /// What it proves as well.
    #[inline(always)]
    pub(crate) fn avx2(self) -> Avx2 {
        Avx2(())
    }
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

/// 128-bit vectors: where the target has them, every CPU has.
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
#[derive(Clone, Copy, Debug)]
pub struct Neon(());

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
impl Neon {
    /// The proof.
    #[inline(always)]
    #[expect(clippy::unnecessary_wraps, reason = "as of all tokens")]
    pub(crate) fn get() -> Option<Self> {
        Some(Self(()))
    }
}

/// 128-bit vectors of WebAssembly: where the target has them, every engine that takes it has.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[derive(Clone, Copy, Debug)]
pub struct Simd128(());

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Simd128 {
    /// The proof.
    #[inline(always)]
    #[expect(clippy::unnecessary_wraps, reason = "as of all tokens")]
    pub(crate) fn get() -> Option<Self> {
        Some(Self(()))
    }
}
