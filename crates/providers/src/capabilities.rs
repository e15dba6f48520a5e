//! What an x86-64 CPU can do, in the words of OpenSSL's `OPENSSL_ia32cap`, which AWS-LC shares: as
//! asked here, for libraries that do not tell, and as the variable takes it away from them.

use words::{Extension, Without};

use crate::Forced;

/// Bits in what CPUID tells: EBX, ECX and EDX of leaf 7, EAX and EDX of its second part.
pub(crate) type Masks = [u32; 5];

/// The bits of what is left out (Intel's manual, volume 2A, CPUID; AMD's, volume 3, appendix E).
pub(crate) fn masks(without: &Without) -> Masks {
    let mut masks = [0; 5];
    for extension in without.extensions() {
        let own: [&[u32]; 5] = match extension {
            // F, DQ, IFMA, PF, ER, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ; 4VNNIW,
            // 4FMAPS, VP2INTERSECT, FP16; BF16; AVX10.
            Extension::Avx512 => [
                &[16, 17, 21, 26, 27, 28, 30, 31],
                &[1, 6, 11, 12, 14],
                &[2, 3, 8, 23],
                &[5],
                &[19],
            ],
            // VAES, VPCLMULQDQ.
            Extension::Vaes => [&[], &[9, 10], &[], &[], &[]],
            // SHA; SHA512.
            Extension::Sha => [&[29], &[], &[], &[0], &[]],
        };
        for (mask, bits) in masks.iter_mut().zip(own) {
            *mask |= bits.iter().fold(0, |bits, bit| bits | 1 << bit);
        }
    }
    masks
}

/// The variable that takes them away.
pub(crate) fn mask(without: &Without) -> String {
    let [ebx, ecx, edx, second_eax, second_edx] = masks(without).map(u64::from);
    let words = [0, ebx | ecx << 32, edx | second_eax << 32, second_edx, 0];
    variable(&words)
}

fn variable(masks: &[u64]) -> String {
    masks.iter().map(|mask| format!("~0x{mask:x}")).collect::<Vec<_>>().join(":")
}

/// The variable that takes away what each of two does; the first where it takes nothing away but
/// says what there is.
pub(crate) fn both(one: &str, other: &str) -> String {
    let (Some(own), Some(others)) = (masks_of(one), masks_of(other)) else {
        return one.to_owned();
    };
    // A word that is not given takes away all of it, where a version knows it.
    let word = |masks: &[u64], place: usize| masks.get(place).copied().unwrap_or(u64::MAX);
    let places = 0..own.len().max(others.len());
    variable(&places.map(|place| word(&own, place) | word(&others, place)).collect::<Vec<_>>())
}

/// The words of a variable that has masks alone: `~0x…:~0x…`.
fn masks_of(variable: &str) -> Option<Vec<u64>> {
    let mask = |word: &str| u64::from_str_radix(word.strip_prefix("~0x")?, 16).ok();
    variable.split(':').map(mask).collect()
}

/// The code paths that they can be forced to, by what they are told not to have found in the CPU. A
/// word of the variable is 64 bits; OpenSSL before 3.4 and AWS-LC know two of them, later versions
/// five, of which those that are not given count as zero.
#[cfg(target_arch = "x86_64")]
pub(crate) const FORCED: &[Forced] = &[
    // What processors of 2013 have: no SHA instructions, no AVX-512, no VAES.
    Forced {
        name: "avx2",
        variables: &[("OPENSSL_ia32cap", "~0x0:~0xfffffffff0230000:~0xffffffffffffffff")],
        needs: &["avx2", "bmi1", "bmi2"],
    },
    // AES and PCLMULQDQ, and both in wide vectors.
    Forced {
        name: "no-aes",
        variables: &[("OPENSSL_ia32cap", "~0x200000200000000:~0x60000000000:~0x0:~0x0:~0x0")],
        needs: &[],
    },
    // SHA-1 and SHA-256, SHA-512.
    Forced {
        name: "no-sha",
        variables: &[("OPENSSL_ia32cap", "~0x0:~0x20000000:~0x100000000:~0x0:~0x0")],
        needs: &[],
    },
    // Nothing but SSE2: no AES, PCLMULQDQ, SSSE3 to SSE4.2, XOP, FMA, AVX, and nothing later.
    Forced {
        name: "soft",
        variables: &[(
            "OPENSSL_ia32cap",
            "~0x32181a0200000000:~0xffffffffffffffff:~0xffffffffffffffff",
        )],
        needs: &[],
    },
];

#[cfg(target_arch = "aarch64")]
pub(crate) const FORCED: &[Forced] =
    &[Forced { name: "soft", variables: &[("OPENSSL_armcap", "0")], needs: &[] }];

#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(crate) const FORCED: &[Forced] = &[];

/// Places of the capabilities: the number of the word times 64, and that of the bit in it
/// (OPENSSL_ia32cap(3)).
pub(crate) mod bit {
    pub(crate) const FXSR: usize = 24;
    pub(crate) const INTEL: usize = 30;
    pub(crate) const PCLMULQDQ: usize = 33;
    pub(crate) const SSSE3: usize = 41;
    pub(crate) const XOP: usize = 43;
    pub(crate) const SSE41: usize = 51;
    pub(crate) const MOVBE: usize = 54;
    pub(crate) const AES: usize = 57;
    pub(crate) const AVX: usize = 60;
    pub(crate) const BMI1: usize = 64 + 3;
    pub(crate) const AVX2: usize = 64 + 5;
    pub(crate) const BMI2: usize = 64 + 8;
    pub(crate) const AVX512F: usize = 64 + 16;
    pub(crate) const AVX512DQ: usize = 64 + 17;
    pub(crate) const AVX512IFMA: usize = 64 + 21;
    pub(crate) const SHA: usize = 64 + 29;
    pub(crate) const AVX512BW: usize = 64 + 30;
    pub(crate) const AVX512VL: usize = 64 + 31;
    pub(crate) const VAES: usize = 64 + 41;
    pub(crate) const VPCLMULQDQ: usize = 64 + 42;
    pub(crate) const SHA512: usize = 128 + 32;
}

/// Capabilities, 64 a word; words that are absent are zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words(pub(crate) Vec<u64>);

impl Words {
    pub(crate) fn has(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    pub(crate) fn all(&self, bits: &[usize]) -> bool {
        bits.iter().all(|bit| self.has(*bit))
    }

    /// What the variable leaves, where it takes bits away: `~0x…:~0x…`. It has other forms, and a
    /// bit (FXSR) that takes others with it; then a library sees a CPU that we do not know.
    pub(crate) fn without(&self, variable: &str) -> Option<Self> {
        let masks = masks_of(variable)?;
        if masks.len() < self.0.len() || masks[0] >> bit::FXSR & 1 == 1 {
            return None;
        }
        Some(Self(self.0.iter().zip(masks).map(|(word, mask)| word & !mask).collect()))
    }
}

/// What this CPU has, less what the variable takes away; `None` where that cannot be known.
#[cfg(target_arch = "x86_64")]
pub(crate) fn found() -> Option<Words> {
    let words = detected();
    match std::env::var("OPENSSL_ia32cap") {
        Err(std::env::VarError::NotPresent) => Some(words),
        variable => words.without(&variable.ok()?),
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn found() -> Option<Words> {
    None
}

/// What this CPU has.
#[cfg(target_arch = "x86_64")]
pub(crate) fn detected() -> Words {
    let vendor = raw_cpuid::CpuId::new().get_vendor_info();
    let found = [
        (bit::INTEL, vendor.is_some_and(|vendor| vendor.as_str() == "GenuineIntel")),
        (bit::PCLMULQDQ, is_x86_feature_detected!("pclmulqdq")),
        (bit::SSSE3, is_x86_feature_detected!("ssse3")),
        (bit::SSE41, is_x86_feature_detected!("sse4.1")),
        (bit::MOVBE, is_x86_feature_detected!("movbe")),
        (bit::AES, is_x86_feature_detected!("aes")),
        (bit::AVX, is_x86_feature_detected!("avx")),
        (bit::BMI1, is_x86_feature_detected!("bmi1")),
        (bit::AVX2, is_x86_feature_detected!("avx2")),
        (bit::BMI2, is_x86_feature_detected!("bmi2")),
        (bit::AVX512F, is_x86_feature_detected!("avx512f")),
        (bit::AVX512DQ, is_x86_feature_detected!("avx512dq")),
        (bit::AVX512IFMA, is_x86_feature_detected!("avx512ifma")),
        (bit::SHA, is_x86_feature_detected!("sha")),
        (bit::AVX512BW, is_x86_feature_detected!("avx512bw")),
        (bit::AVX512VL, is_x86_feature_detected!("avx512vl")),
        (bit::VAES, is_x86_feature_detected!("vaes")),
        (bit::VPCLMULQDQ, is_x86_feature_detected!("vpclmulqdq")),
    ];
    let mut words = vec![0; 2];
    for (bit, _) in found.into_iter().filter(|(_, present)| *present) {
        words[bit / 64] |= 1 << (bit % 64);
    }
    Words(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_masks_of_all_words_are_understood() {
        let words = Words(vec![0xF0, 0xFF]);
        assert_eq!(words.without("~0x10:~0xf:~0x0"), Some(Words(vec![0xE0, 0xF0])));
        for variable in ["", "0x0:0x0", "~0x0", "~0x1000000:~0x0", "~0:~0"] {
            assert_eq!(words.without(variable), None, "{variable}");
        }
    }
}
