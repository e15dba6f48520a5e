//! What is known of a mac's security, in the words of its sources: the half that its mode of
//! operation brings, and the half of the primitive under it. `docs/macs.md` and `list macs` are
//! made of it.

use core::fmt;

#[cfg(feature = "dyn")]
use alloc::vec::Vec;

use crate::facts::{ConstantTime, Facts, Hardware};
use crate::kernels::{Choice, KernelName, tell_available};

/// How far to rely on a mac. The worse of mode and primitive holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// No attack known beyond its bound, over a primitive that stands. What is proved of it is said
    /// apart.
    Sound,
    /// Sound as long as the condition named in the status holds, and badly broken when it does not.
    Conditional,
    /// For what already uses it: no practical attack, but not for new designs.
    Legacy,
    /// Broken in general use.
    Broken,
}

impl Standing {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::Conditional => "conditional",
            Self::Legacy => "legacy",
            Self::Broken => "broken",
        }
    }

    /// The worse of two.
    pub(crate) const fn or_worse(self, other: Self) -> Self {
        if (self as u8) < (other as u8) { other } else { self }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A construction that makes a mac, or a composition, of a primitive.
#[derive(Debug)]
#[non_exhaustive]
pub struct Mode {
    /// Name in print: `CMAC`.
    pub title: &'static str,
    /// Where it is defined.
    pub specification: &'static str,
    /// How far to rely on it over a good primitive.
    pub standing: Standing,
    /// What is proved of it, and by whom.
    pub proof: &'static str,
    /// How far the proof reaches: the advantage of an attacker who saw q messages, σ blocks in all,
    /// of n bits each.
    pub bound: &'static str,
    /// What is asked of nonces; empty where there is none.
    pub nonce: &'static str,
    /// When to change the key.
    pub key_life: &'static str,
    /// Who approved it.
    pub approved_by: &'static str,
    /// Attacks to know of; empty where there are none beyond the bound.
    pub attacks: &'static str,
    /// The same as values, to decide on.
    pub facts: Facts,
}

#[cfg(feature = "dyn")]
impl Mode {
    /// None.
    pub(crate) const BLANK: Self = Self {
        title: "",
        specification: "",
        standing: Standing::Broken,
        proof: "",
        bound: "",
        nonce: "",
        key_life: "",
        approved_by: "",
        attacks: "",
        facts: Facts::BLANK,
    };
}

/// A block cipher, hash function or the like, under a mode.
#[derive(Debug)]
pub struct Primitive {
    /// Canonical name as in the macs' names: `aes-128`.
    pub name: &'static str,
    /// Name in print: `AES-128`.
    pub title: &'static str,
    /// How far to rely on it.
    pub standing: Standing,
    /// What to know before relying on it; empty where there is nothing.
    pub note: &'static str,
    /// Whether this implementation takes the same time for all secrets: of the primitive alone. A
    /// mac may have a universal hash beside it, for which `MacInfo::constant_time` answers too.
    pub constant_time: ConstantTime,
    /// Instructions that it needs to be fast.
    pub hardware: Hardware,
    /// Length of its blocks.
    pub block_len_bytes: usize,
    pub(crate) paths: Paths,
}

impl Primitive {
    /// None.
    #[cfg(feature = "dyn")]
    pub(crate) const BLANK: Self = Self {
        name: "",
        title: "",
        standing: Standing::Broken,
        note: "",
        constant_time: ConstantTime::No(""),
        hardware: Hardware::None,
        block_len_bytes: 0,
        paths: Paths::Foreign(|| ""),
    };

    /// The code path that runs on this CPU: `soft`, `sha-ni`, `aes-ni`, …
    pub fn kernel(&self) -> &'static str {
        self.paths.kernel()
    }
}

/// A universal hash beside a primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniversalHash {
    pub(crate) paths: Paths,
    /// Whether this implementation takes the same time for all secrets.
    pub(crate) constant_time: ConstantTime,
}

/// The code paths of a primitive or of a universal hash.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Paths {
    /// This crate's: tells those that the CPU has, best first.
    Own(fn(&mut dyn FnMut(KernelName))),
    /// Another crate's, which chooses by itself: the one that it takes.
    Foreign(fn() -> &'static str),
}

impl Paths {
    /// Of the kernels of this type.
    pub(crate) const fn own<K: Choice>() -> Self {
        Self::Own(tell_available::<K>)
    }

    /// The one that runs.
    pub(crate) fn kernel(self) -> &'static str {
        match self {
            Self::Own(tell) => {
                let mut best = None;
                tell(&mut |kernel| best = best.or(Some(kernel)));
                best.map_or("", KernelName::as_str)
            }
            Self::Foreign(kernel) => kernel(),
        }
    }

    /// Those that can be pinned.
    #[cfg(feature = "dyn")]
    pub(crate) fn pinnable(self) -> Vec<KernelName> {
        let mut kernels = Vec::new();
        if let Self::Own(tell) = self {
            tell(&mut |kernel| kernels.push(kernel));
        }
        kernels
    }
}
