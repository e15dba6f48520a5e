//! The peers that macrometer measures, behind one trait: one file a provider, one row in [`ROWS`].
//!
//! A provider is something that can compute MACs: a library, a language runtime, the kernel. This
//! crate knows how to find it, what it offers and which call is its fast documented path for each
//! key life (call by call in `docs/providers.md`). It does not time anything and knows no study;
//! the command hands its taggers to the lab.

#[macro_use]
mod absent;
pub mod af_alg;
mod built;
mod capabilities;
pub mod ffi;
mod peer;
mod processor;
pub mod programs;
pub mod rust;
mod sealing;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use macs::MacInfo;
use serde::Serialize;

pub use sealing::Sealing;

/// How long a key lives: what happens to the key in each measured call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyLife {
    /// Key set up once, context reused: the library's best way.
    Prepared,
    /// Key set up for every message, context kept where the library allows it.
    NewKey,
    /// The library's one-call interface, as people really call it.
    OneShot,
}

impl KeyLife {
    /// All of them, from the key that lives longest to the one that lives shortest.
    pub const ALL: [Self; 3] = [Self::Prepared, Self::NewKey, Self::OneShot];

    /// The word for it in cells, files and requests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::NewKey => "new-key",
            Self::OneShot => "one-shot",
        }
    }
}

impl fmt::Display for KeyLife {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for KeyLife {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|key_life| key_life.name() == name);
        found.ok_or_else(|| format!("no key life {name:?}: prepared, new-key or one-shot"))
    }
}

/// One mac as one provider has it, on one code path.
#[derive(Debug, Clone, Serialize)]
pub struct Offer {
    /// Canonical name in the catalog of `macs`, or `null`.
    pub mac: String,
    /// The code path that runs: `sha-ni`, `aes-ni`, `avx2`, `soft`, …
    pub kernel: String,
    /// The key lives this provider has a call for.
    pub key_lives: Vec<KeyLife>,
}

/// What a provider says of itself; its JSON is the reply to `info` in the worker protocol.
#[derive(Debug, Clone, Serialize)]
pub struct Info {
    /// Name of the row, or the alias it was opened under (`openssl-4.0`).
    pub name: String,
    /// Version as the library itself reports it.
    pub version: String,
    /// Where it was found: a shared object, an interpreter, or `built in`.
    pub path: String,
    /// Whatever else decides the figures: build flags, modules used.
    pub detail: String,
    /// What it can compute.
    pub offers: Vec<Offer>,
    /// What it has and is not offered, for it gives other answers: `mac/key-life`.
    pub different: Vec<String>,
    /// Whether tags may be computed elsewhere than in the thread that asks for them, by a device or
    /// another thread: processor time of that thread is then only a share of the work.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offloads: bool,
}

/// One message authentication code, ready to be called: `(key, message, tag)`.
///
/// A `prepared` tagger was given its key when it was opened and ignores the first argument. The tag
/// slice has exactly the mac's tag length; another length is an error, never a write out of bounds.
/// That of a composition seals the message in a buffer of its own, with zeros as nonce and no
/// associated data, and gives the tag. The plain closure type keeps one dynamic call per message
/// and lets the lab run it without knowing this crate.
pub type Tagger = Box<dyn FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), &'static str>>;

/// Many messages at once, `(keys, messages, tags)`: message i under key i, the tags one behind the
/// other. A prepared one was given its keys when it was opened and ignores the first argument.
pub type BatchTagger = Box<dyn FnMut(&[&[u8]], &[&[u8]], &mut [u8]) -> Result<(), &'static str>>;

/// Everything that goes into one tag or one sealed message: what a self-test asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inputs<'a> {
    /// The key; several keys joined.
    pub key: &'a [u8],
    /// The nonce; empty where the mac takes none.
    pub nonce: &'a [u8],
    /// SP 800-185's customization string; empty where the mac takes none.
    pub customization: &'a [u8],
    /// The associated data of a composition.
    pub associated_data: &'a [u8],
    /// The message, or the ciphertext that is to be opened.
    pub message: &'a [u8],
    /// Length of the tag: its leftmost bytes, where it is not an input of the mac.
    pub tag_len_bytes: usize,
}

/// A peer that runs inside our own worker process. Threads share it; each opens taggers of its own.
///
/// Nothing here says so by hand (`unsafe impl`): what a provider keeps for all threads are function
/// pointers, the open library and what it told of itself, none of which changes. All that does
/// change, contexts and keys, belongs to a tagger, which never leaves its thread.
pub trait Provider: Sync {
    /// Version, place and offers.
    fn info(&self) -> Info;

    /// Opens one mac. `key` is the first key; a prepared tagger keeps it.
    ///
    /// # Errors
    /// One line saying what this provider cannot do.
    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String>;

    /// Opens one mac for batches of as many messages as there are keys. What is here does for
    /// libraries without such an interface: a context for each prepared key, one after the other;
    /// or one context that gets the keys in turn.
    ///
    /// # Errors
    /// As `tagger`.
    fn batch(&self, mac: &str, key_life: KeyLife, keys: &[&[u8]]) -> Result<BatchTagger, String> {
        in_turn(self, mac, key_life, keys)
    }

    /// One tag, with all that may go into it. What is here does for macs that take a key and a
    /// message only: by the first key life that is offered.
    ///
    /// # Errors
    /// One line saying what the provider refuses; likewise below.
    fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, String> {
        let offers = self.info().offers;
        let offer = offers.iter().find(|offer| offer.mac == mac);
        let key_life = offer.and_then(|offer| offer.key_lives.first());
        let (Some(key_life), Some(info)) = (key_life, macs::find(mac)) else {
            return Err(format!("no {mac} here"));
        };
        if !inputs.nonce.is_empty() || !inputs.customization.is_empty() {
            return Err(format!("{mac}: neither nonces nor customization strings here"));
        }
        let mut tag = vec![0; info.tag_len_bytes];
        self.tagger(mac, *key_life, inputs.key)?(inputs.key, inputs.message, &mut tag)?;
        tag.truncate(inputs.tag_len_bytes);
        Ok(tag)
    }

    /// Seals one message: the ciphertext and its tag.
    #[expect(clippy::missing_errors_doc, reason = "as `tag`")]
    fn seal(&self, mac: &str, _inputs: &Inputs<'_>) -> Result<(Vec<u8>, Vec<u8>), String> {
        Err(format!("no {mac} here"))
    }

    /// Opens one sealed message; `None` when it is not genuine.
    #[expect(clippy::missing_errors_doc, reason = "as `tag`")]
    fn unseal(
        &self,
        mac: &str,
        _inputs: &Inputs<'_>,
        _tag: &[u8],
    ) -> Result<Option<Vec<u8>>, String> {
        Err(format!("no {mac} here"))
    }

    /// The compositions that [`sealing`](Self::sealing) opens.
    fn sealings(&self) -> Vec<Offer> {
        vec![]
    }

    /// Opens one composition for messages that differ in nonce and associated data.
    #[expect(clippy::missing_errors_doc, reason = "as `tag`")]
    fn sealing(&self, composition: &str, _key: &[u8]) -> Result<Box<dyn Sealing>, String> {
        Err(format!("no transactions with {composition} here"))
    }

    /// Length of the tag of `mac` in bytes, where this provider offers it.
    fn tag_len_bytes(&self, mac: &str) -> Option<usize> {
        let offered = self.info().offers.iter().any(|offer| offer.mac == mac);
        offered.then(|| macs::find(mac)).flatten().map(|info| info.tag_len_bytes)
    }
}

/// What [`Provider::batch`] is for libraries without an interface for many messages at once.
fn in_turn<P: Provider + ?Sized>(
    provider: &P,
    mac: &str,
    key_life: KeyLife,
    keys: &[&[u8]],
) -> Result<BatchTagger, String> {
    let tag_len = provider.tag_len_bytes(mac).ok_or_else(|| format!("no {mac} here"))?;
    let contexts = if key_life == KeyLife::Prepared { keys } else { &keys[..1] };
    let mut taggers: Vec<Tagger> =
        contexts.iter().map(|key| provider.tagger(mac, key_life, key)).collect::<Result<_, _>>()?;
    Ok(Box::new(move |keys, messages, tags| {
        let count = taggers.len();
        let tags = tags.chunks_exact_mut(tag_len);
        for (i, ((key, message), tag)) in keys.iter().zip(messages).zip(tags).enumerate() {
            taggers[i % count](key, message, tag)?;
        }
        Ok(())
    }))
}

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
        self.name.as_ref()?.strip_suffix(']')?.split_once('[').map(|(_, kernel)| kernel)
    }
}

/// How a provider is run.
#[derive(Clone, Copy)]
pub enum Kind {
    /// In our own binary, run again as `macrometer worker NAME`.
    InProcess(fn(&Place) -> Result<Box<dyn Provider>, String>),
    /// By another program that speaks the worker protocol: its argument vector.
    Program(fn(&Place) -> Result<Vec<String>, String>),
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
}

/// A code path that a provider can be held to.
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
    let (name, is_forced) = match name.split_once('[') {
        Some((name, kernel)) => (name, kernel.ends_with(']')),
        None => (name, true),
    };
    let is_alias = |row: &&Row| {
        name.strip_prefix(row.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    // Of two that fit, `ipsec-mb` and some `ipsec`, the longer.
    ROWS.iter().filter(is_alias).max_by_key(|row| row.name.len()).filter(|_| is_forced)
}

impl Row {
    /// Further variables of a worker that is started for its first calls only.
    #[must_use]
    pub fn cold_variables(&self) -> &'static [(&'static str, &'static str)] {
        if self.name == programs::java::ROW.name { programs::java::COLD } else { &[] }
    }

    /// The code path that `name` (`openssl[soft]`) forces; `None` where it forces none.
    ///
    /// # Errors
    /// One line with the code paths that can be forced here, or with what this processor lacks.
    pub fn forced_by(&self, name: &str) -> Result<Option<Forced>, String> {
        self.held_to(&Place { name: Some(name.to_owned()), path: None })
    }

    /// The same of the name at this place.
    fn held_to(&self, place: &Place) -> Result<Option<Forced>, String> {
        let Some(kernel) = place.kernel() else { return Ok(None) };
        let name = place.name_or(self.name);
        let mut all = (self.forced)();
        if let Some(forced) = all.iter().find(|forced| forced.name == kernel) {
            processor::check(forced.needs).map_err(|reason| format!("{name}: {reason}"))?;
            return Ok(Some(*forced));
        }
        all.retain(Forced::is_runnable);
        let names: Vec<_> = all.iter().map(|forced| forced.name).collect();
        match &names[..] {
            [] => Err(format!("{name}: no code path of {} can be forced", self.name)),
            names => Err(format!("{name}: {} can be held to {}", self.name, names.join(", "))),
        }
    }

    /// Opens a provider that runs in our own process.
    ///
    /// # Errors
    /// One line: what is not there, or what this processor lacks for the code path asked for.
    pub fn open(&self, place: &Place) -> Result<Box<dyn Provider>, String> {
        self.held_to(place)?;
        match self.kind {
            Kind::InProcess(open) => open(place),
            Kind::Program(_) => Err(format!("{} runs as a program of its own", self.name)),
        }
    }
}

/// The catalog row of `mac`, once `key` is known to have a length that the mac takes. Libraries
/// differ in what they do with other lengths; here all of them refuse.
fn keyed(mac: &str, key: &[u8]) -> Result<&'static MacInfo, String> {
    let info = macs::find(mac).ok_or_else(|| format!("no mac {mac:?} in the catalog"))?;
    if !info.accepted_key_len.accepts(key.len()) {
        let (given, takes) = (key.len(), info.accepted_key_len);
        return Err(format!("{mac} takes a key of {takes}, not {given} bytes"));
    }
    Ok(info)
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

/// What the name of a block cipher alone begins with: `block-aes-128` encrypts one block.
pub const BLOCK: &str = "block-";

/// The error of a tagger whose tag slice has not the mac's tag length.
const WRONG_TAG_LEN: &str = "the tag slice has not the mac's tag length";
