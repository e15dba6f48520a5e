//! Which code path libcrypto takes, inferred: the library does not say. From 3.0 on it tells what
//! it found in the CPU, the variable `OPENSSL_ia32cap` applied; before, the CPU is asked here. The
//! rules are those at the entry of crypto/{sha,aes,md5}/asm/*.pl.

use super::primitive::Code;

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
    pub(super) fn new(cpu_info: Option<&str>) -> Self {
        match cpu_info {
            Some(text) => Self::read(text),
            None => Self::ask(),
        }
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

    /// For versions before 3.0, unless the variable makes the library see another CPU than we do.
    #[cfg(target_arch = "x86_64")]
    fn ask() -> Self {
        if std::env::var_os("OPENSSL_ia32cap").is_some() {
            return Self::Unknown;
        }
        let found = [
            // A CPU with AVX but neither AVX2 nor XOP is taken for one of Intel's.
            (INTEL, true),
            (SSSE3, is_x86_feature_detected!("ssse3")),
            (AES, is_x86_feature_detected!("aes")),
            (AVX, is_x86_feature_detected!("avx")),
            (BMI1, is_x86_feature_detected!("bmi1")),
            (AVX2, is_x86_feature_detected!("avx2")),
            (BMI2, is_x86_feature_detected!("bmi2")),
            (SHA, is_x86_feature_detected!("sha")),
        ];
        let mut words = vec![0; 2];
        for (bit, _) in found.into_iter().filter(|(_, present)| *present) {
            words[bit / 64] |= 1 << (bit % 64);
        }
        Self::X86(words)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn ask() -> Self {
        Self::Unknown
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

// Bits of OPENSSL_ia32cap_P (OPENSSL_ia32cap(3)).
const INTEL: usize = 30;
const SSSE3: usize = 41;
const XOP: usize = 43;
const AES: usize = 57;
const AVX: usize = 60;
const BMI1: usize = 64 + 3;
const AVX2: usize = 64 + 5;
const BMI2: usize = 64 + 8;
const SHA: usize = 64 + 29;
const SHA512: usize = 128 + 32;

fn x86_64(words: &[u64], code: Code) -> &'static str {
    let has = |bit: usize| words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1);
    let avx2 = has(AVX2) && has(BMI1) && has(BMI2);
    let avx = has(AVX) && has(INTEL) && has(SSSE3);
    match code {
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
        Code::Aes | Code::Md5 | Code::Sha256 | Code::Sha512 => "asm",
        Code::Sha1 => unreachable!("without SSSE3 above, with it the line before"),
        // There is no assembly of DES for this architecture.
        Code::Tdes => "soft",
    }
}

/// Bits of `OPENSSL_armcap_P` (crypto/arm_arch.h).
fn arm(caps: u64, code: Code) -> &'static str {
    const NEON: u64 = 1;
    let bit = match code {
        Code::Aes => 1 << 2,
        Code::Sha1 => 1 << 3,
        Code::Sha256 => 1 << 4,
        Code::Sha512 => 1 << 6,
        // C in some versions, assembly in others.
        Code::Md5 => return "unknown",
        Code::Tdes => return "soft",
    };
    match code {
        _ if caps & bit != 0 => "armv8",
        Code::Aes | Code::Sha256 if caps & NEON != 0 => "neon",
        _ => "asm",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What 3.0.19 said on an AMD EPYC (Zen 4).
    const ZEN4: &str = "CPUINFO: OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab";

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_librarys_own_words_decide() {
        let kernels = |text: &str| {
            let cpu = Cpu::new(Some(text));
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
    fn what_cannot_be_known_is_unknown() {
        for text in ["", "CPUINFO: OPENSSL_ia32cap=", "CPUINFO: OPENSSL_s390xcap=stfle:0x0"] {
            assert_eq!(Cpu::new(Some(text)).kernel(Code::Aes), "unknown", "{text}");
        }
    }

    #[test]
    fn arm_has_its_own_bits() {
        let cpu = Cpu::new(Some("CPUINFO: OPENSSL_armcap=0x7d"));
        assert_eq!(cpu.kernel(Code::Aes), "armv8");
        assert_eq!(Cpu::new(Some("CPUINFO: OPENSSL_armcap=0x1")).kernel(Code::Sha512), "asm");
    }
}
