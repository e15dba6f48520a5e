//! The peers that macrometer measures, behind one trait: one file a provider, one row in [`ROWS`].
//!
//! A provider is something that can compute MACs: a library, a language runtime, the Linux kernel.
//! This crate knows how to find it, what it offers and which call is its fast documented path for
//! each key life (call by call in `docs/providers.md`). It does not time anything and knows no
//! study; the command hands its taggers to the lab.

#[macro_use]
mod absent;
pub mod af_alg;
mod built;
mod capabilities;
pub mod ffi;
pub mod limited;
mod peer;
mod processor;
pub mod programs;
pub mod restriction;
pub mod revision;
pub mod rust;
mod sealing;

use std::borrow::Cow;
use std::path::PathBuf;

pub use built::{NotBuilt, compiling_took};
use macs::MacInfo;
pub use processor::Lacking;
use restriction::Restriction;
use thiserror::Error;
pub use words::{
    BatchTagger, Cause, Info, Inputs, KeyLife, Offer, Provider, Refused, Sealed, Sealing, Tagger,
    Unavailable,
};
use words::{Detail, Input, ProviderName, in_turn};

/// Where the user wants a provider looked for, and what it shall be called.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The alias of `--lib ALIAS=PATH` (`openssl-4.0`); without one, the row's name.
    pub name: Option<String>,
    /// A library or interpreter given by `--lib NAME=PATH`.
    pub path: Option<PathBuf>,
}

impl Place {
    /// The name the provider reports: the alias, or `row`.
    fn name_or(&self, row: &str) -> String {
        self.name.clone().unwrap_or_else(|| row.to_owned())
    }

    /// The code path that the alias forces: `soft` of `macs[soft]`.
    fn kernel(&self) -> Option<&str> {
        ProviderName::of(self.name.as_ref()?).code_path
    }
}

/// How a provider is run.
#[derive(Clone, Copy)]
pub enum Kind {
    /// In our own binary, run again as `macrometer worker NAME`.
    InProcess(fn(&Place) -> Result<Box<dyn Provider>, Unavailable>),
    /// By another program that speaks the worker protocol: its argument vector.
    Program(fn(&Place) -> Result<Vec<String>, Unavailable>),
}

/// One provider in the list.
#[derive(Clone, Copy)]
pub struct Row {
    /// The word for it in cells, filters and pages.
    pub name: &'static str,
    /// One line for `list providers`.
    pub title: &'static str,
    /// What a user installs to have it.
    pub package: &'static str,
    /// How it is run.
    pub kind: Kind,
    /// The code paths that can be forced, by a name such as `macs[soft]`.
    pub forced: fn() -> Vec<Forced>,
    /// How it is restricted to what a run leaves of the processor's instructions.
    pub restriction: Restriction,
    /// Makes what opening it needs and takes its time to be made, so that a worker need not; or
    /// says what is not there.
    pub prepare: fn(&Place) -> Result<(), Unavailable>,
    /// Further variables of a worker that is started for its first calls only.
    pub cold_variables: &'static [(&'static str, &'static str)],
}

/// A code path that a provider can be forced to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forced {
    /// The word in brackets: `soft` of `openssl[soft]`.
    pub name: &'static str,
    /// Variables that its worker finds in its environment, for libraries that read them when they
    /// are loaded. Without any, the provider sees to it by itself ([`Place::name`]).
    pub variables: &'static [(&'static str, &'static str)],
    /// Instruction sets without which the processor cannot run it, or would run something else.
    pub needs: &'static [&'static str],
}

impl Forced {
    /// One that the provider reads off its alias.
    const fn by_name(name: &'static str) -> Self {
        Self { name, variables: &[], needs: &[] }
    }

    /// Whether this processor has what it needs.
    #[must_use]
    pub fn is_runnable(&self) -> bool {
        processor::lacks(self.needs).is_empty()
    }
}

/// Why a provider is not forced to a code path.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotForced {
    /// This one cannot be run here.
    #[error(transparent)]
    Lacking(#[from] Lacking),
    /// It has none to choose from.
    #[error("{0} cannot be forced to a code path")]
    NoChoice(&'static str),
    /// It has others.
    #[error("{provider} can be forced to {}", others.join(", "))]
    Unknown {
        /// Name of the provider.
        provider: &'static str,
        /// Those that can be run here.
        others: Vec<&'static str>,
    },
}

impl From<NotForced> for Unavailable {
    fn from(not_forced: NotForced) -> Self {
        not_forced.to_string().into()
    }
}

/// Every provider: adding one is one file and one row here. By name, but for our own library: where
/// two differ and there is no majority, the first is believed, and that is the one whose tags are
/// held against published ones by its own tests.
pub const ROWS: &[Row] = &[
    rust::macs_own::ROW,
    af_alg::ROW,
    rust::aws_lc_rs::ROW,
    ffi::botan::ROW,
    ffi::cryptopp::ROW,
    ffi::gcrypt::ROW,
    programs::go::ROW,
    rust::graviola::ROW,
    ffi::ipsec_mb::ROW,
    programs::java::ROW,
    ffi::macs_c::ROW,
    programs::macs_python::ROW,
    programs::macs_wasm::ROW,
    ffi::mbedtls::ROW,
    ffi::nettle::ROW,
    programs::node::ROW,
    rust::null::ROW,
    ffi::openssl::ROW,
    ffi::openssl::vendored::ROW,
    programs::python::ROW,
    rust::ring::ROW,
    rust::rustcrypto::ROW,
    ffi::sodium::ROW,
    ffi::wolfssl::ROW,
];

/// The row for a provider name or an alias of it: `openssl-4.0` is opened by `openssl`, and so is
/// `openssl[soft]`, on that code path.
#[must_use]
pub fn row(name: &str) -> Option<&'static Row> {
    let name = ProviderName::of(name);
    // Of two that fit, `ipsec-mb` and some `ipsec`, the longer.
    ROWS.iter().filter(|row| name.is_of(row.name)).max_by_key(|row| row.name.len())
}

impl Row {
    /// The code path that `name` (`openssl[soft]`) forces; `None` where it forces none.
    ///
    /// # Errors
    /// What this processor lacks, or the code paths that can be forced here.
    pub fn forced_by(&self, name: &str) -> Result<Option<Forced>, NotForced> {
        self.forced_to(&Place { name: Some(name.to_owned()), path: None })
    }

    /// Refuses a misspelt code path. One that this processor or this build lacks is known: a study
    /// that names it runs without it.
    ///
    /// # Errors
    /// The code paths that can be forced here.
    pub fn check_code_path(&self, name: &str) -> Result<(), NotForced> {
        let all = (self.forced)();
        let path = ProviderName::of(name).code_path;
        if path.is_none_or(|path| all.is_empty() || all.iter().any(|it| it.name == path)) {
            return Ok(());
        }
        self.forced_by(name).map(drop)
    }

    /// The code path that the name at this place forces.
    fn forced_to(&self, place: &Place) -> Result<Option<Forced>, NotForced> {
        let Some(kernel) = place.kernel() else { return Ok(None) };
        let mut all = (self.forced)();
        if let Some(forced) = all.iter().find(|forced| forced.name == kernel) {
            processor::check(forced.needs)?;
            return Ok(Some(*forced));
        }
        all.retain(Forced::is_runnable);
        let others: Vec<_> = all.iter().map(|forced| forced.name).collect();
        Err(match others.is_empty() {
            true => NotForced::NoChoice(self.name),
            false => NotForced::Unknown { provider: self.name, others },
        })
    }

    /// Opens a provider that runs in our own process.
    ///
    /// # Errors
    /// One line: what is not there, or what this processor lacks for the code path asked for.
    pub fn open(&self, place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
        self.forced_to(place)?;
        self.restricted()?;
        match self.kind {
            Kind::InProcess(open) => open(place),
            Kind::Program(_) => Err(format!("{} runs as a program of its own", self.name).into()),
        }
    }
}

/// The catalog row of `mac`, once `key` is known to have a length that the mac takes. Libraries
/// differ in what they do with other lengths; here all of them refuse.
fn keyed(mac: &str, key: &[u8]) -> Result<&'static MacInfo, Refused> {
    let info =
        macs::find(mac).ok_or_else(|| Refused::Unknown(format!("mac {mac:?} in the catalog")))?;
    if !info.accepted_key_len.accepts(key.len()) {
        let (who, takes) = (mac.to_owned(), info.accepted_key_len.to_string());
        return Err(Refused::Len { who, input: Input::Key, takes, given: key.len() });
    }
    Ok(info)
}

/// The tag length of a mac that is offered, by the catalog.
fn offered_tag_len(provider: &impl Provider, mac: &str) -> Option<usize> {
    let is_offered = provider.info().offers.iter().any(|offer| offer.mac == mac);
    is_offered.then(|| macs::find(mac)).flatten().map(|info| info.tag_len_bytes)
}

/// TDES with two keys, K1‖K2, as libraries take it that know three: K1‖K2‖K1.
#[inline]
fn widen(two_keys: &[u8], three_keys: &mut [u8; 24]) -> Result<(), &'static str> {
    if two_keys.len() != 16 {
        return Err("two-key TDES takes 16 bytes");
    }
    three_keys[..16].copy_from_slice(two_keys);
    three_keys[16..].copy_from_slice(&two_keys[..8]);
    Ok(())
}

/// The nonce of every message that is timed: zeros. A nonce that counts would make a tag depend on
/// how many came before it, so that providers could not be held against each other.
fn timed_nonce(info: &MacInfo) -> Vec<u8> {
    vec![0; info.nonce.map_or(0, |nonce| nonce.len_bytes)]
}

/// The key lives of compositions: no library has a function that does everything for all of them.
const SEALED_KEY_LIVES: [KeyLife; 2] = [KeyLife::Prepared, KeyLife::NewKey];

/// Errors and refusals that several providers share.
const WRONG_TAG_LEN: &str = "wrong tag length for this MAC";
const WRONG_KEY_LEN: &str = "wrong key length for this MAC";
const NO_ONE_SHOT: Refused =
    Refused::KeyLife { key_life: KeyLife::OneShot, why: Cow::Borrowed("it has no one-shot call") };
const ONE_MESSAGE_KEY: Refused = Refused::KeyLife {
    key_life: KeyLife::Prepared,
    why: Cow::Borrowed("a key is for one message"),
};
const USUAL_LENGTHS_ONLY: Refused = Refused::Limit {
    of: &[Input::Nonce, Input::Tag],
    why: Cow::Borrowed("12-byte nonces and 16-byte tags only"),
};

/// The same, with the lengths that were asked for.
fn usual_lengths_only(nonce: usize, tag: usize) -> Refused {
    let why = format!("12-byte nonces and 16-byte tags only, not {nonce} and {tag}");
    Refused::limit(&[Input::Nonce, Input::Tag], why)
}

fn no_one_shot_of(info: &MacInfo) -> Refused {
    Refused::key_life(KeyLife::OneShot, format!("no one-shot function for {}", info.name))
}

fn no_call_here(key_life: KeyLife, mac: &str) -> Refused {
    Refused::key_life(key_life, format!("no {key_life} {mac} here"))
}

/// The examples of the document on the library `macs` are tests. They are not in that crate, whose
/// package has no file from outside its folder.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/macs.md")]
struct Macs;
