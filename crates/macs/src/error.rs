//! The one error of this crate: what was asked for by name or length and cannot be.

#[cfg(feature = "dyn")]
use alloc::string::String;
#[cfg(feature = "dyn")]
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "dyn")]
use crate::kernels::KernelName;
use crate::len::Len;

/// Why a mac could not be made, or a tag not be given or accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A key, nonce, tag, message or associated data of a length that the mac does not take.
    Len {
        /// Canonical name of the mac, or of the composition.
        mac: &'static str,
        /// Of what.
        what: Input,
        /// What it takes.
        accepted: Len,
        /// What it was given.
        given_bytes: u64,
    },
    /// The mac takes a nonce with every message, and none was given since the last one.
    NonceMissing {
        /// Canonical name of the mac.
        mac: &'static str,
        /// What it takes.
        accepted: Len,
    },
    /// The mac takes nonces of this length, but not this one: of 16 bytes, VMAC wants the first bit
    /// to be 0.
    NonceRefused {
        /// Canonical name of the mac.
        mac: &'static str,
    },
    /// The kernel asked for is none of the mac's, or the CPU lacks its instructions.
    #[cfg(feature = "dyn")]
    NoKernel {
        /// Canonical name of the mac.
        mac: &'static str,
        /// The kernel asked for.
        kernel: KernelName,
        /// What there is; empty where another crate chooses.
        kernels: Vec<KernelName>,
    },
    /// The key is two keys joined, and they are the same.
    SameKeys {
        /// Canonical name of the composition.
        mac: &'static str,
    },
    /// The tag is not the message's.
    TagMismatch,
    /// The catalog has no mac of this name.
    #[cfg(feature = "dyn")]
    UnknownMac {
        /// The name asked for.
        name: String,
        /// The nearest names, best first; may be empty.
        suggestions: Vec<&'static str>,
    },
    /// The catalog has this name, but it is not of the kind asked for.
    #[cfg(feature = "dyn")]
    WrongKind {
        /// The canonical name.
        mac: &'static str,
        /// What it is: `a mac` or `a composition`.
        is: &'static str,
    },
}

/// What a length was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// The associated data of a composition.
    AssociatedData,
    /// A ciphertext, without its tag.
    Ciphertext,
    /// A customization string (SP 800-185).
    Customization,
    /// A key.
    Key,
    /// A message.
    Message,
    /// A nonce.
    Nonce,
    /// A tag.
    Tag,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AssociatedData => "associated data",
            Self::Ciphertext => "a ciphertext",
            Self::Customization => "a customization string",
            Self::Key => "a key",
            Self::Message => "a message",
            Self::Nonce => "a nonce",
            Self::Tag => "a tag",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Len { mac, what, accepted: Len::Exactly(0), .. } => {
                write!(f, "{mac} takes no {}", what.noun())
            }
            Self::Len { mac, what, accepted, given_bytes } => {
                let unit = if *given_bytes == 1 { "byte" } else { "bytes" };
                write!(f, "{mac} takes {what} of {accepted}, not of {given_bytes} {unit}")
            }
            Self::NonceMissing { mac, accepted } => {
                write!(f, "{mac} takes a nonce of {accepted} with every message, never the same")
            }
            Self::NonceRefused { mac } => {
                write!(f, "{mac} does not take this nonce: its first bit must be 0")
            }
            #[cfg(feature = "dyn")]
            Self::NoKernel { mac, kernel, kernels } => no_kernel(f, mac, kernel, kernels),
            Self::SameKeys { mac } => {
                write!(f, "{mac} takes two keys that differ, one behind the other")
            }
            Self::TagMismatch => f.write_str("the tag does not belong to this message and key"),
            #[cfg(feature = "dyn")]
            Self::UnknownMac { name, suggestions } => unknown_mac(f, name, suggestions),
            #[cfg(feature = "dyn")]
            Self::WrongKind { mac, is } => write!(f, "{mac} is {is}"),
        }
    }
}

#[cfg(feature = "dyn")]
fn no_kernel(
    f: &mut fmt::Formatter<'_>,
    mac: &str,
    kernel: &KernelName,
    kernels: &[KernelName],
) -> fmt::Result {
    write!(f, "{mac} has no kernel {kernel} on this CPU")?;
    for (i, kernel) in kernels.iter().enumerate() {
        write!(f, "{}{kernel}", if i == 0 { "; it has " } else { ", " })?;
    }
    Ok(())
}

#[cfg(feature = "dyn")]
fn unknown_mac(f: &mut fmt::Formatter<'_>, name: &str, suggestions: &[&str]) -> fmt::Result {
    write!(f, "there is no MAC `{name}` in the catalog")?;
    if cfg!(not(feature = "full")) {
        f.write_str(" of this build")?;
    }
    match suggestions.split_last() {
        None => Ok(()),
        Some((last, [])) => write!(f, "; did you mean {last}?"),
        Some((last, others)) => write!(f, "; did you mean {} or {last}?", others.join(", ")),
    }
}

impl Input {
    fn noun(self) -> &'static str {
        match self {
            Self::AssociatedData => "associated data",
            Self::Ciphertext => "ciphertext",
            Self::Customization => "customization string",
            Self::Key => "key",
            Self::Message => "message",
            Self::Nonce => "nonce",
            Self::Tag => "tag",
        }
    }
}

impl core::error::Error for Error {}
