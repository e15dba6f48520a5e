//! A process, and the workers that it starts, restricted to fewer instructions than the processor
//! has, so that one machine stands in for older ones. Libraries differ in how they are restricted,
//! and each row says its way.

use std::sync::OnceLock;

use thiserror::Error;

pub use words::{Extension, Without};

use crate::{Row, Unavailable, capabilities, ffi};

/// How a provider is restricted to what is left of the processor's instructions.
#[derive(Clone, Copy)]
pub enum Restriction {
    /// It has functions for that, called when it is opened.
    Opened,
    /// It has no code for any of them.
    NotNeeded,
    /// It takes what the processor says that it has, so that this must say less: where the
    /// instruction CPUID can be made to trap, it does.
    Hidden,
    /// By variables that its worker finds in its environment.
    Variables(fn(&Without) -> Result<Variables, NotRestricted>),
    /// In no way, for this reason.
    Never(&'static str),
}

/// Why a process or a provider cannot be restricted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotRestricted {
    /// The process is, to something else: what it runs without.
    #[error("this process already runs {}", .0.sentence().unwrap_or_default())]
    Already(Without),
    /// The provider has no way, for this reason.
    #[error("{0}")]
    Provider(&'static str),
}

/// Variables of the environment.
pub type Variables = Vec<(&'static str, String)>;

struct Restricted {
    without: Without,
    /// Whether CPUID does not tell of them any more either.
    is_hidden: bool,
}

static RESTRICTED: OnceLock<Restricted> = OnceLock::new();

/// Leaves these instructions out from now on, in this process: `macs` and all that is opened in it.
/// To be called before anything else asks the processor; what it does not have need not be left
/// out.
///
/// # Errors
/// Others were left out before.
pub fn restrict(without: Without) -> Result<(), NotRestricted> {
    if without.is_empty() && RESTRICTED.get().is_none() {
        return Ok(());
    }
    let wanted = without.clone();
    let restricted = RESTRICTED.get_or_init(move || {
        let macs = |extension: &Extension| match extension {
            Extension::Avx512 => macs::Instructions::Avx512,
            Extension::Vaes => macs::Instructions::Vaes,
            Extension::Sha => macs::Instructions::Sha,
        };
        macs::leave_out(&without.extensions().iter().map(macs).collect::<Vec<_>>());
        Restricted { is_hidden: ffi::hidden::hide(&without), without }
    });
    if restricted.without == wanted {
        return Ok(());
    }
    Err(NotRestricted::Already(restricted.without.clone()))
}

/// What is left out in this process.
#[must_use]
pub fn left_out() -> Without {
    RESTRICTED.get().map_or_else(Without::default, |restricted| restricted.without.clone())
}

/// Of these extensions those that this processor has any of.
#[must_use]
pub fn present(without: &Without) -> Without {
    let is_here = |it: &Extension| has_any_of(*it);
    without.extensions().iter().copied().filter(is_here).collect::<Vec<_>>().into()
}

/// Whether this processor has any of an extension, as CPUID tells now.
#[cfg(target_arch = "x86_64")]
fn has_any_of(extension: Extension) -> bool {
    raw_cpuid::CpuId::new().get_extended_feature_info().is_some_and(|it| match extension {
        Extension::Avx512 => it.has_avx512f(),
        Extension::Vaes => it.has_vaes() || it.has_vpclmulqdq(),
        Extension::Sha => it.has_sha(),
    })
}

/// There are such extensions on x86-64 only.
#[cfg(not(target_arch = "x86_64"))]
fn has_any_of(_: Extension) -> bool {
    false
}

/// Whether a feature of the processor, by the standard library's name, is left out.
pub(crate) fn takes_feature(feature: &str) -> bool {
    RESTRICTED.get().is_some_and(|restricted| restricted.without.takes_feature(feature))
}

/// Whether something is left out here, and the processor itself still tells of it.
pub(crate) fn is_seen() -> bool {
    RESTRICTED
        .get()
        .is_some_and(|restricted| !restricted.is_hidden && !restricted.without.is_empty())
}

/// Why what takes the processor's word cannot be restricted here.
pub(crate) const NOT_HIDDEN: &str = "it has no switch, and hiding instructions (CPUID faulting) \
                                     needs a processor and a Linux kernel that can; one of them \
                                     here cannot";

impl Row {
    /// What the worker must find in its environment to be restricted to what is left here.
    ///
    /// # Errors
    /// One line: why this provider cannot be restricted to it.
    pub fn restricted(&self) -> Result<Variables, Unavailable> {
        let without = left_out();
        if without.is_empty() {
            return Ok(vec![]);
        }
        let refused = |reason| Err(Unavailable::restricted(NotRestricted::Provider(reason)));
        let own = match self.restriction {
            Restriction::Opened | Restriction::NotNeeded => vec![],
            Restriction::Hidden if is_seen() => return refused(NOT_HIDDEN),
            Restriction::Hidden => vec![],
            Restriction::Never(reason) => return refused(reason),
            Restriction::Variables(variables) => match variables(&without) {
                Ok(variables) => variables,
                Err(reason) => return Err(Unavailable::restricted(reason)),
            },
        };
        Ok(own.into_iter().chain(of_the_c_library(&without)).collect())
    }
}

/// Copies and comparisons of glibc, which every worker but Go's makes; there it does nothing.
fn of_the_c_library(without: &Without) -> Option<(&'static str, String)> {
    let is_taken = without.takes(Extension::Avx512);
    is_taken.then(|| ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX512F,-AVX512BW,-AVX512VL".into()))
}

/// A variable that is set twice, for a code path and for what is left out: both.
#[must_use]
pub fn both(name: &str, one: &str, other: &str) -> String {
    match name {
        "OPENSSL_ia32cap" => capabilities::both(one, other),
        "GLIBC_TUNABLES" => format!("{one}:{other}"),
        "JDK_JAVA_OPTIONS" => format!("{one} {other}"),
        // The one code path that these force has nothing left to be taken away.
        "BOTAN_CLEAR_CPUID" | "NETTLE_FAT_OVERRIDE" => one.to_owned(),
        _ => format!("{one},{other}"),
    }
}

/// `OPENSSL_ia32cap`, for libcrypto and what has it inside.
#[expect(clippy::unnecessary_wraps, reason = "other providers refuse some")]
pub(crate) fn ia32cap(without: &Without) -> Result<Variables, NotRestricted> {
    Ok(vec![("OPENSSL_ia32cap", capabilities::mask(without))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_path_and_what_is_left_out_share_a_variable() {
        let all: Without = Extension::ALL.to_vec().into();
        let mask = capabilities::mask(&all);
        // Nothing of the processor is nothing without more of it.
        assert_eq!(both("OPENSSL_ia32cap", "0:0", &mask), "0:0");
        let no_aes = "~0x200000200000000:~0x60000000000:~0x0:~0x0:~0x0";
        let avx512: Without = vec![Extension::Avx512].into();
        let two = both("OPENSSL_ia32cap", no_aes, &capabilities::mask(&avx512));
        assert!(two.starts_with("~0x200000200000000:~0x"), "{two}");
        let word =
            u64::from_str_radix(two.split(':').nth(1).unwrap().trim_start_matches("~0x"), 16);
        // VAES and VPCLMULQDQ of the one, AVX512F of the other.
        assert_eq!(word.unwrap() & (0x600 << 32 | 1 << 16), 0x600 << 32 | 1 << 16);
        assert_eq!(
            both("GODEBUG", "cpu.sha=off", "cpu.avx512f=off"),
            "cpu.sha=off,cpu.avx512f=off"
        );
    }
}
