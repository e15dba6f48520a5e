//! The code paths of the primitives: one folder a primitive, one file a kernel. The only SIMD and
//! the only unsafe code of the crate. A kernel's value is the proof that the CPU has it; it is
//! chosen once a key: the best one, or the one that a [`Pin`] names.

#![cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(dead_code, unused_macros, reason = "what only lanes call; other CPUs have none yet")
)]

use core::fmt;
use core::str::FromStr;

use crate::inside::Sealed;

/// The list of a primitive's code paths, best first: a variant of its `Kernel` and how to get it
/// when it is pinned; after `else`, how to get it when nothing is, if that is another way. The last
/// is `Soft`, which is always there.
macro_rules! choice {
    (@best $pinned:expr, $best:expr) => { $best };
    (@best $pinned:expr) => { $pinned };
    ($($(#[$cfg:meta])* $name:ident = $get:expr $(, else $best:expr)?;)*) => {
        impl $crate::inside::Sealed for Kernel {}

        impl $crate::kernels::Choice for Kernel {
            const ALL: &'static [($crate::KernelName, $crate::kernels::Getter<Self>)] =
                &[$($(#[$cfg])* ($crate::KernelName::$name, || $get)),*];

            fn name(self) -> $crate::KernelName {
                match self {
                    $($(#[$cfg])* Self::$name { .. } => $crate::KernelName::$name,)*
                }
            }

            #[inline(always)]
            fn best() -> Self {
                $($(#[$cfg])*
                if let Some(kernel) = choice!(@best $get $(, $best)?) {
                    return kernel;
                })*
                Self::Soft
            }
        }
    };
}

#[cfg(feature = "aegis")]
pub(crate) mod aegis;
#[cfg(feature = "aes")]
pub(crate) mod aes;
#[cfg(feature = "blake3")]
pub(crate) mod blake3;
#[cfg(feature = "chacha20poly1305")]
pub(crate) mod chacha20;
pub(crate) mod chaining;
pub(crate) mod cpu;
#[cfg(all(test, feature = "full"))]
mod freed;
#[cfg(all(
    feature = "aes",
    any(feature = "gcm", feature = "gmac"),
    target_arch = "x86_64",
    target_feature = "sse2"
))]
pub(crate) mod gcm;
#[cfg(feature = "_ghash")]
pub(crate) mod ghash;
mod job;
pub(crate) mod lanes;
#[cfg(feature = "md5")]
pub(crate) mod md5;
mod md_block;
#[cfg(all(
    any(feature = "blake3", feature = "chacha20poly1305"),
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
))]
mod neon;
#[cfg(feature = "umac")]
pub(crate) mod opaque;
pub(crate) mod partial;
#[cfg(feature = "poly1305")]
pub(crate) mod poly1305;
#[cfg(feature = "rc6")]
pub(crate) mod rc6;
#[cfg(all(test, feature = "full", target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod secrets;
#[cfg(feature = "serpent")]
pub(crate) mod serpent;
#[cfg(feature = "sha1")]
pub(crate) mod sha1;
#[cfg(feature = "sha256")]
#[cfg_attr(not(feature = "frame"), allow(dead_code, reason = "what only frames call"))]
pub(crate) mod sha256;
#[cfg(feature = "frame")]
pub(crate) use sha256::frame as sha256_frame;
#[cfg(feature = "sha512")]
pub(crate) mod sha512;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod stack;
#[cfg(feature = "tdes")]
pub(crate) mod tdes;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(feature = "twofish")]
pub(crate) mod twofish;
#[cfg(feature = "umac")]
pub(crate) mod umac_nh;
#[cfg(feature = "vmac")]
pub(crate) mod vhash;
#[cfg(feature = "alloc")]
pub(crate) mod wiped;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod zmm;

pub use job::{InTurn, Job};

/// An array made place by place, beginning with `zero`s. For functions that enable instructions: a
/// closure has the instructions of the function around it, but `array::map` and `array::from_fn` do
/// not, and where the compiler does not inline those it calls the closure for each place.
#[inline(always)]
pub(crate) fn by_place<T: Copy, const N: usize>(
    zero: T,
    mut make: impl FnMut(usize) -> T,
) -> [T; N] {
    let mut places = [zero; N];
    for (at, place) in places.iter_mut().enumerate() {
        *place = make(at);
    }
    places
}

/// One row a code path: its name in code, its name everywhere else, what it stands on.
macro_rules! kernel_names {
    ($($(#[$doc:meta])* $name:ident $text:literal;)*) => {
        /// A code path of a primitive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum KernelName {
            $($(#[$doc])* $name,)*
        }

        impl KernelName {
            /// All names, whether this CPU has such kernels or not.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The word for it in reports and requests: `soft`, `aes-ni`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

kernel_names! {
    /// Portable code.
    Soft "soft";
    /// Portable code that looks tables up by secrets, where `Soft` does not.
    Table "table";
    /// AES instructions on 128-bit registers (with AVX).
    AesNi "aes-ni";
    /// AES instructions on 256-bit registers.
    Vaes256 "vaes-256";
    /// AES instructions on 512-bit registers (AVX-512).
    Vaes512 "vaes-512";
    /// SHA instructions.
    ShaNi "sha-ni";
    /// 128-bit vectors (SSE4.1).
    Sse41 "sse41";
    /// 256-bit vectors.
    Avx2 "avx2";
    /// 512-bit vectors.
    Avx512 "avx512";
    /// 52-bit multiplication on 512-bit vectors.
    Ifma "ifma";
    /// Carry-less multiplication on 128-bit registers.
    Clmul "clmul";
    /// Carry-less multiplication on 256-bit registers.
    Vpclmul256 "vpclmul-256";
    /// Carry-less multiplication on 512-bit registers.
    Vpclmul512 "vpclmul-512";
    /// The cryptographic extensions of ARMv8.
    Armv8 "armv8";
    /// 128-bit vectors of AArch64.
    Neon "neon";
    /// 128-bit vectors of WebAssembly.
    Simd128 "simd128";
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for KernelName {
    type Err = UnknownKernel;

    fn from_str(name: &str) -> Result<Self, UnknownKernel> {
        Self::ALL.iter().copied().find(|kernel| kernel.as_str() == name).ok_or(UnknownKernel)
    }
}

/// A word that names no kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownKernel;

impl fmt::Display for UnknownKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such kernel; there are")?;
        let mut separator = " ";
        for kernel in KernelName::ALL {
            write!(f, "{separator}{kernel}")?;
            separator = ", ";
        }
        Ok(())
    }
}

impl core::error::Error for UnknownKernel {}

/// Which code path a key is to be set up for. A mac of several primitives takes the pinned path for
/// those that have it, and the best for the others; but GHASH beside a pinned AES takes registers
/// of the same width, for GCM and GMAC run both in one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pin(Option<KernelName>);

impl Pin {
    /// The best that this CPU has.
    pub const BEST: Self = Self(None);

    /// The one of this name.
    #[must_use]
    pub const fn to(kernel: KernelName) -> Self {
        Self(Some(kernel))
    }

    /// The kernel pinned, if one is.
    #[must_use]
    pub const fn kernel(self) -> Option<KernelName> {
        self.0
    }
}

/// Gives a kernel if the CPU has its instructions.
pub type Getter<K> = fn() -> Option<K>;

/// The code paths of one primitive. No other crate implements the trait.
pub trait Choice: Sealed + Copy + Send + Sync + 'static {
    /// All of them, best first; the last is `Soft`, which every CPU has.
    const ALL: &'static [(KernelName, Getter<Self>)];

    /// Its name.
    fn name(self) -> KernelName;

    /// The best that this CPU has.
    fn best() -> Self;

    /// The one that is pinned, or the best.
    #[inline]
    fn pinned(pin: Pin) -> Self {
        let Some(name) = pin.0 else { return Self::best() };
        let named = Self::ALL.iter().find(|(other, _)| *other == name);
        named.and_then(|(_, get)| get()).unwrap_or_else(Self::best)
    }
}

/// Tells the kernels of a primitive that this CPU has, best first.
pub(crate) fn tell_available<K: Choice>(tell: &mut dyn FnMut(KernelName)) {
    let has = |(name, get): &(KernelName, fn() -> Option<K>)| get().map(|_| *name);
    K::ALL.iter().filter_map(has).for_each(tell);
}

/// The only kernel of a primitive that has portable code and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct OnlySoft;

impl Sealed for OnlySoft {}

impl Choice for OnlySoft {
    const ALL: &'static [(KernelName, fn() -> Option<Self>)] = &[(KernelName::Soft, || Some(Self))];

    fn name(self) -> KernelName {
        KernelName::Soft
    }

    fn best() -> Self {
        Self
    }
}
