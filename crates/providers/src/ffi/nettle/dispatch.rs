//! Which code runs: the rules of Nettle's own fat-x86_64.c. They are repeated here, for the library
//! does not tell.

use std::{env, fs};

use crate::ffi::library::Library;
use crate::restriction::{Extension, NotRestricted, Variables, Without};

/// The variable that replaces what a fat build finds in the CPU: `vendor:intel,aesni,sha_ni`.
pub(super) const OVERRIDE: &str = "NETTLE_FAT_OVERRIDE";

/// What an algorithm is written in.
#[derive(Clone, Copy)]
pub(super) enum Code {
    /// Block by block, with AES instructions where there are any.
    Aes,
    /// ... and a universal hash by carry-less multiplication, from 3.8 on.
    AesClmul,
    /// Assembly for the plain instruction set.
    Asm,
    /// Nothing but C.
    C,
    /// MD5: assembly in Nettle 3, C in Nettle 4.
    Md5,
    /// SHA-1 and SHA-256, with SHA instructions where there are any.
    Sha,
    /// Assembly with SSE2, which every x86-64 has.
    Sse2,
}

/// What the library found in the CPU when it was loaded; `None` where its rules are not known.
pub(super) struct Dispatch(Option<Found>);

struct Found {
    aes: bool,
    sha: bool,
    clmul: bool,
    is_4: bool,
}

impl Dispatch {
    /// Only builds that pick at run time (`--enable-fat`) are known, by the variable in them.
    pub(super) fn new(library: &Library, (major, minor): (i32, i32)) -> Self {
        let file = fs::read(&library.path).unwrap_or_default();
        let is_fat = file.windows(OVERRIDE.len()).any(|bytes| bytes == OVERRIDE.as_bytes());
        if !is_fat || !cfg!(target_arch = "x86_64") {
            return Self(None);
        }
        let has_clmul = (major, minor) >= (3, 8);
        let (aes, sha, clmul) = match env::var(OVERRIDE) {
            Ok(list) => {
                let has = |name| list.split(',').any(|word| word == name);
                (has("aesni"), has("sha_ni"), has("pclmul"))
            }
            Err(_) => cpu(),
        };
        Self(Some(Found { aes, sha, clmul: clmul && has_clmul, is_4: major == 4 }))
    }

    pub(super) fn kernel(&self, code: Code) -> &'static str {
        let Some(Found { aes, sha, clmul, is_4 }) = self.0 else { return "unknown" };
        match code {
            Code::Aes if aes => "aes-ni",
            Code::AesClmul if aes && clmul => "aes-ni",
            Code::Sha if sha => "sha-ni",
            Code::Md5 if is_4 => "soft",
            Code::Aes | Code::AesClmul | Code::Asm | Code::Md5 | Code::Sha => "asm",
            Code::C => "soft",
            Code::Sse2 => "sse2",
        }
    }
}

/// The variable without SHA instructions; there is no code for AVX-512 or VAES. With it the library
/// takes the vendor from there too, and its XOR with SSE2 on Intel's processors alone.
#[expect(clippy::unnecessary_wraps, reason = "other providers refuse some")]
pub(super) fn restricted(without: &Without) -> Result<Variables, NotRestricted> {
    let (aes, _, clmul) = cpu();
    let all = [("vendor:intel", is_intel()), ("aesni", aes), ("pclmul", clmul)];
    let left = all.into_iter().filter(|(_, has)| *has);
    let left: Vec<_> = left.map(|(name, _)| name).collect();
    let left = if left.is_empty() { "none".into() } else { left.join(",") };
    Ok(if without.takes(Extension::Sha) { vec![(OVERRIDE, left)] } else { vec![] })
}

fn is_intel() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let vendor = raw_cpuid::CpuId::new().get_vendor_info();
        vendor.is_some_and(|vendor| vendor.as_str() == "GenuineIntel")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// AES, SHA and carry-less multiplication.
fn cpu() -> (bool, bool, bool) {
    #[cfg(target_arch = "x86_64")]
    {
        let (aes, sha) = (is_x86_feature_detected!("aes"), is_x86_feature_detected!("sha"));
        (aes, sha, is_x86_feature_detected!("pclmulqdq"))
    }
    #[cfg(not(target_arch = "x86_64"))]
    (false, false, false)
}
