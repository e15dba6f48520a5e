//! Which code path libcrypto takes, inferred: the library does not say. From 3.0 on it tells what
//! it found in the CPU, the variable `OPENSSL_ia32cap` applied; before, the CPU is asked here. The
//! rules are those at the entry of crypto/{aes,chacha,md5,modes,poly1305,sha}/asm/*.pl.

use std::ffi::c_ulong;

use super::primitive::Code;
use crate::capabilities::{self, Words, bit::*};

/// What the library found in the CPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cpu {
    /// `OPENSSL_armcap_P`.
    Arm(u64),
    /// Built without assembly.
    NoAssembly,
    /// An unknown CPU, or a library that does not tell.
    Unknown,
    /// `OPENSSL_ia32cap_P` in 64-bit words, lowest first; words a version does not know are absent.
    X86(Vec<u64>),
}

impl Cpu {
    /// Reads the text of `OpenSSL_version(OPENSSL_CPU_INFO)`, or asks the CPU where there is none.
    /// `number` is the library's version, `0x3010_0000` for 3.1.0; a fork without one has rules of
    /// its own.
    pub(super) fn new(cpu_info: Option<&str>, number: Option<c_ulong>) -> Self {
        let Some(number) = number else { return Self::Unknown };
        let mut cpu = cpu_info.map_or_else(Self::ask, Self::read);
        // Before 3.1 there was no code for it.
        if let (Self::X86(words), ..0x3010_0000) = (&mut cpu, number) {
            words.iter_mut().skip(VAES / 64).take(1).for_each(|word| *word &= !(1 << (VAES % 64)));
        }
        cpu
    }

    fn read(text: &str) -> Self {
        let text = text.trim_start_matches("CPUINFO: ");
        if text == "N/A" {
            return Self::NoAssembly;
        }
        let (name, words) = text.split_once('=').unwrap_or_default();
        let words = words.split(' ').next().unwrap_or_default().split(':');
        let words = words.map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok());
        match (name, words.collect::<Option<Vec<_>>>()) {
            ("OPENSSL_armcap", Some(words)) => {
                words.first().map_or(Self::Unknown, |w| Self::Arm(*w))
            }
            ("OPENSSL_ia32cap", Some(words)) => Self::X86(words),
            _ => Self::Unknown,
        }
    }

    /// For versions before 3.0.
    fn ask() -> Self {
        capabilities::found().map_or(Self::Unknown, |words| Self::X86(words.0))
    }

    /// The code path of one primitive, as one word.
    pub(super) fn kernel(&self, code: Code) -> &'static str {
        match self {
            Self::Arm(caps) => arm(*caps, code),
            Self::NoAssembly => "soft",
            Self::Unknown => "unknown",
            Self::X86(words) if cfg!(target_arch = "x86_64") => x86_64(words, code),
            Self::X86(_) => "unknown",
        }
    }
}

fn x86_64(words: &[u64], code: Code) -> &'static str {
    let words = Words(words.to_vec());
    let has = |bit| words.has(bit);
    let avx2 = has(AVX2) && has(BMI1) && has(BMI2);
    let avx = has(AVX) && has(INTEL) && has(SSSE3);
    let all = |bits: &[usize]| words.all(bits);
    match code {
        Code::Gcm if all(&[AVX512F, AVX512DQ, AVX512BW, AVX512VL, VAES, VPCLMULQDQ]) => "vaes",
        Code::Gcm if has(AES) && has(PCLMULQDQ) => "aes-ni",
        // What long messages get; short ones get a part of less width.
        Code::Poly1305 if all(&[AVX, AVX512F, AVX512IFMA, AVX512VL]) => "avx512ifma",
        Code::Poly1305 if all(&[AVX, AVX2, AVX512F]) => "avx512",
        Code::Poly1305 if all(&[AVX, AVX2]) => "avx2",
        Code::Poly1305 if has(AVX) => "avx",
        Code::ChaCha if has(AVX512F) || has(AVX512VL) => "avx512",
        Code::ChaCha if has(SSSE3) && has(XOP) => "xop",
        Code::ChaCha if has(SSSE3) && has(AVX2) => "avx2",
        Code::ChaCha if has(SSSE3) => "ssse3",
        Code::Aes if has(AES) => "aes-ni",
        // Vector-permutation AES.
        Code::Aes if has(SSSE3) => "ssse3",
        Code::Sha1 if !has(SSSE3) => "asm",
        Code::Sha1 | Code::Sha256 if has(SHA) => "sha-ni",
        Code::Sha512 if has(XOP) => "xop",
        Code::Sha512 if has(AVX2) && has(SHA512) => "sha512-ni",
        Code::Sha1 | Code::Sha256 | Code::Sha512 if avx2 => "avx2",
        Code::Sha1 | Code::Sha256 | Code::Sha512 if avx => "avx",
        Code::Sha1 | Code::Sha256 if has(SSSE3) => "ssse3",
        Code::Sha1 => unreachable!("without SSSE3 above, with it the line before"),
        // There is no assembly of these for this architecture.
        Code::Aria | Code::Blake2 | Code::Ripemd160 | Code::SipHash | Code::Sm3 => "soft",
        Code::Tdes => "soft",
        // C in some versions, assembly in others.
        Code::Sm4 => "unknown",
        _ => "asm",
    }
}

/// Bits of `OPENSSL_armcap_P` (crypto/arm_arch.h).
fn arm(caps: u64, code: Code) -> &'static str {
    const NEON: u64 = 1;
    const PMULL: u64 = 1 << 5;
    // SVE and SVE2: which of the paths runs hangs on version and vector length.
    const SVE: u64 = 1 << 13 | 1 << 14;
    let bit = match code {
        Code::Aes => 1 << 2,
        Code::Gcm if caps & PMULL == 0 => 0,
        Code::Gcm => 1 << 2,
        Code::ChaCha | Code::Poly1305 if caps & SVE != 0 => return "unknown",
        Code::ChaCha | Code::Poly1305 => 0,
        // ARMV8_HAVE_SHA3_AND_WORTH_USING
        Code::Keccak => 1 << 15,
        Code::Sha1 => 1 << 3,
        Code::Sha256 => 1 << 4,
        Code::Sha512 => 1 << 6,
        // C in some versions, assembly in others.
        Code::Md5 | Code::Sm3 | Code::Sm4 => return "unknown",
        Code::Aria | Code::Blake2 | Code::Camellia | Code::Ripemd160 => return "soft",
        Code::SipHash | Code::Tdes => return "soft",
    };
    match code {
        _ if caps & bit != 0 => "armv8",
        Code::Aes | Code::ChaCha | Code::Gcm | Code::Poly1305 | Code::Sha256
            if caps & NEON != 0 =>
        {
            "neon"
        }
        _ => "asm",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V3_0: c_ulong = 0x3000_0130;

    /// What 3.0.19 said on an AMD EPYC (Zen 4).
    const ZEN4: &str = "CPUINFO: OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab";

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_librarys_own_words_decide() {
        let kernels = |text: &str| {
            let cpu = Cpu::new(Some(text), Some(V3_0));
            [Code::Aes, Code::Md5, Code::Sha1, Code::Sha256, Code::Sha512, Code::Tdes]
                .map(|code| cpu.kernel(code))
        };
        assert_eq!(kernels(ZEN4), ["aes-ni", "asm", "sha-ni", "sha-ni", "avx2", "soft"]);
        // SHA taken away by the variable; the environment's words follow the library's.
        let no_sha = "CPUINFO: OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6d1bf07ab env::~0x0";
        assert_eq!(kernels(no_sha), ["aes-ni", "asm", "avx2", "avx2", "avx2", "soft"]);
        let sha512 = "CPUINFO: OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab:0x100000000";
        assert_eq!(kernels(sha512)[4], "sha512-ni");
        let bare = "CPUINFO: OPENSSL_ia32cap=0x0:0x0";
        assert_eq!(kernels(bare), ["asm", "asm", "asm", "asm", "asm", "soft"]);
        assert_eq!(kernels("CPUINFO: N/A"), ["soft"; 6]);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn wide_vectors_are_used_where_a_version_has_code_for_them() {
        let kernels = |text: &str, number| {
            let cpu = Cpu::new(Some(text), Some(number));
            [Code::Gcm, Code::Poly1305, Code::ChaCha, Code::Keccak, Code::Blake2]
                .map(|c| cpu.kernel(c))
        };
        assert_eq!(kernels(ZEN4, V3_0), ["aes-ni", "avx512ifma", "avx512", "asm", "soft"]);
        assert_eq!(kernels(ZEN4, 0x3010_0000)[0], "vaes");
        // AVX2 and nothing above.
        let avx2 = "CPUINFO: OPENSSL_ia32cap=0xfffa3203078bffff:0x20";
        assert_eq!(kernels(avx2, 0x3010_0000), ["aes-ni", "avx2", "avx2", "asm", "soft"]);
        let bare = "CPUINFO: OPENSSL_ia32cap=0x0:0x0";
        assert_eq!(kernels(bare, V3_0), ["asm", "asm", "asm", "asm", "soft"]);
    }

    /// The words of each variable, taken from those of the CPU.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn forced_paths_are_what_their_names_say() {
        let Cpu::X86(words) = Cpu::new(Some(ZEN4), Some(0x3010_0000)) else { panic!("x86") };
        let kernels = |name: &str| {
            let forced = capabilities::FORCED.iter().find(|forced| forced.name == name);
            let variable = forced.expect(name).variables[0].1;
            let cpu = Cpu::X86(Words(words.clone()).without(variable).expect("masks").0);
            [Code::Aes, Code::Gcm, Code::Sha1, Code::Sha256, Code::Sha512, Code::Poly1305]
                .map(|code| cpu.kernel(code))
        };
        assert_eq!(kernels("avx2"), ["aes-ni", "aes-ni", "avx2", "avx2", "avx2", "avx2"]);
        assert_eq!(kernels("no-aes")[..4], ["ssse3", "asm", "sha-ni", "sha-ni"]);
        assert_eq!(kernels("no-sha"), ["aes-ni", "vaes", "avx2", "avx2", "avx2", "avx512ifma"]);
        assert_eq!(kernels("soft"), ["asm"; 6]);
    }

    #[test]
    fn what_cannot_be_known_is_unknown() {
        assert_eq!(Cpu::new(Some(ZEN4), None).kernel(Code::Aes), "unknown", "a fork");
        for text in ["", "CPUINFO: OPENSSL_ia32cap=", "CPUINFO: OPENSSL_s390xcap=stfle:0x0"] {
            assert_eq!(Cpu::new(Some(text), Some(V3_0)).kernel(Code::Aes), "unknown", "{text}");
        }
    }

    #[test]
    fn arm_has_its_own_bits() {
        let cpu = Cpu::new(Some("CPUINFO: OPENSSL_armcap=0x7d"), Some(V3_0));
        assert_eq!(cpu.kernel(Code::Aes), "armv8");
        assert_eq!(
            [Code::Gcm, Code::Poly1305, Code::Keccak].map(|c| cpu.kernel(c)),
            ["armv8", "neon", "asm"]
        );
        let old = Cpu::new(Some("CPUINFO: OPENSSL_armcap=0x1"), Some(V3_0));
        assert_eq!([Code::Sha512, Code::Gcm].map(|c| old.kernel(c)), ["asm", "neon"]);
    }
}
