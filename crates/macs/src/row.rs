//! A row of the catalog: what is known of a mac, and how one with a key is made.

#[cfg(feature = "dyn")]
mod of_facts;

#[cfg(feature = "dyn")]
use alloc::boxed::Box;
#[cfg(feature = "dyn")]
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "dyn")]
use digest::InvalidLength;
use digest::OutputSizeUser;
use digest::typenum::Unsigned;

use crate::composition::Composition;
#[cfg(feature = "batch")]
use crate::composition::Header;
#[cfg(feature = "batch")]
use crate::composition::batch::{self, KeyedCompositions};
#[cfg(feature = "dyn")]
use crate::composition::keyed::{self, SetUpComposition};
use crate::error::{Error, Input};
use crate::facts::{ConstantTime, Facts};
#[cfg(feature = "dyn")]
use crate::kernels::{KernelName, Pin};
#[cfg(feature = "batch")]
use crate::keyed::KeyedBatch;
#[cfg(feature = "dyn")]
use crate::keyed::SetUp;
use crate::len::Len;
#[cfg(feature = "dyn")]
use crate::prepared::boxed;
use crate::prepared::{NonceMac, PreparedMac};
use crate::status::{Mode, Paths, Primitive, Standing, UniversalHash};
use crate::work::{Theory, Work};

/// The longest tag of any mac in the catalog.
pub const TAG_LEN_MAX_BYTES: usize = 64;

/// What the catalog knows of a mac.
#[derive(Clone, Copy)]
pub struct MacInfo {
    /// Canonical name: `hmac-sha256`, `cmac-aes-128`.
    pub name: &'static str,
    /// Name in print: `HMAC-SHA-256`.
    pub title: &'static str,
    /// The construction, with what is known of its security.
    pub mode: &'static Mode,
    /// What the construction is built on, with what is known of that.
    pub primitive: &'static Primitive,
    /// Length of the tag when nothing else is said.
    pub tag_len_bytes: usize,
    /// The tag lengths that can be asked for. More than one only where the length is an input
    /// (KMAC, CCM), or for a composition: how shorter tags are made is told by `short_tags`.
    pub accepted_tag_len: Len,
    /// Those that can be asked for by `with_short_tag_len`: others only where a short tag costs
    /// more than its own bits (GCM).
    pub accepted_short_tag_len: Len,
    /// Length of the key to take when nothing else is said.
    pub key_len_bytes: usize,
    /// The key lengths it takes.
    pub accepted_key_len: Len,
    /// The nonce to give with every message, where it takes one.
    pub nonce: Option<Nonce>,
    /// Whether it takes a customization string with its key (SP 800-185).
    pub is_customizable: bool,
    /// The longest message that its specification allows.
    pub message_len_max_bytes: u64,
    /// Its universal hash, where it has one beside its primitive.
    pub(crate) universal_hash: Option<UniversalHash>,
    /// What is known of it: what is known of its mode, unless more is known of this row.
    pub(crate) facts: Facts,
    /// What it computes, where that can be told.
    pub(crate) theory: Option<Theory>,
    pub(crate) maker: Maker,
}

/// The nonce that a mac takes with every message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Nonce {
    /// The length to take when nothing else is said.
    pub len_bytes: usize,
    /// The lengths it takes.
    pub accepted_len: Len,
    /// Whether a key takes nonces of one length only, chosen when it is set up (`with_nonce_len`):
    /// where nonces of two lengths can be the same to the mac, so that one of them would be used
    /// twice.
    pub one_len_per_key: bool,
}

/// How a row is made into something with a key.
#[derive(Clone, Copy)]
pub(crate) enum Maker {
    Mac {
        #[cfg(feature = "dyn")]
        keyed: SetUp,
        #[cfg(feature = "dyn")]
        one_shot: OneShot,
        #[cfg(feature = "batch")]
        batch: SetUpBatch,
    },
    Composition(CompositionMaker),
}

/// What a row knows of the type of its composition.
#[derive(Clone, Copy)]
pub(crate) struct CompositionMaker {
    #[cfg(feature = "dyn")]
    pub(crate) keyed: SetUpComposition,
    #[cfg(feature = "dyn")]
    pub(crate) ciphertext_len_bytes: fn(usize) -> usize,
    /// Whether a key of a length that is taken may be used.
    #[cfg(feature = "batch")]
    pub(crate) may_use: fn(&[u8]) -> bool,
    #[cfg(feature = "batch")]
    pub(crate) batch: SetUpCompositions,
    /// Checks all lengths of what is sealed, or opened: of the message, if it is sealed, and of the
    /// ciphertext.
    #[cfg(feature = "batch")]
    pub(crate) check: fn(Header<'_>, Option<usize>, usize) -> Result<(), Error>,
}

/// Key, nonce, message and buffer for the tag.
#[cfg(feature = "dyn")]
pub(crate) type OneShot = fn(&[u8], &[u8], &[u8], &mut [u8]) -> Result<(), InvalidLength>;

/// Keys to prepared macs.
#[cfg(feature = "batch")]
pub(crate) type SetUpBatch = fn(Pin, &[&[u8]]) -> Result<Box<dyn KeyedBatch>, InvalidLength>;

/// Keys to prepared compositions.
#[cfg(feature = "batch")]
pub(crate) type SetUpCompositions =
    fn(Pin, &[&[u8]]) -> Result<Box<dyn KeyedCompositions>, InvalidLength>;

impl MacInfo {
    /// A row for a mac without nonce.
    pub(crate) const fn mac<M>(
        name: &'static str,
        title: &'static str,
        mode: &'static Mode,
        primitive: &'static Primitive,
        key_len: (usize, Len),
    ) -> Self
    where
        M: PreparedMac,
    {
        let maker = Maker::Mac {
            #[cfg(feature = "dyn")]
            keyed: boxed::keyed::<M>,
            #[cfg(feature = "dyn")]
            one_shot: boxed::one_shot::<M>,
            #[cfg(feature = "batch")]
            batch: boxed::batch::<M>,
        };
        let tag_len_bytes = <M as OutputSizeUser>::OutputSize::USIZE;
        Self::new(name, title, mode, primitive, key_len, tag_len_bytes, maker)
    }

    /// A row for a mac that takes a nonce.
    pub(crate) const fn nonce_mac<M>(
        name: &'static str,
        title: &'static str,
        mode: &'static Mode,
        primitive: &'static Primitive,
        key_len: (usize, Len),
        (nonce_len_bytes, accepted_len): (usize, Len),
    ) -> Self
    where
        M: NonceMac,
    {
        let maker = Maker::Mac {
            #[cfg(feature = "dyn")]
            keyed: boxed::keyed_with_nonce::<M>,
            #[cfg(feature = "dyn")]
            one_shot: boxed::one_shot_with_nonce::<M>,
            #[cfg(feature = "batch")]
            batch: boxed::batch_with_nonce::<M>,
        };
        let nonce =
            Some(Nonce { len_bytes: nonce_len_bytes, accepted_len, one_len_per_key: false });
        let tag_len_bytes = M::TagSize::USIZE;
        Self { nonce, ..Self::new(name, title, mode, primitive, key_len, tag_len_bytes, maker) }
    }

    /// A row for a composition.
    pub(crate) const fn composition<C>(
        name: &'static str,
        title: &'static str,
        mode: &'static Mode,
        primitive: &'static Primitive,
        key_len: (usize, Len),
        (nonce_len_bytes, accepted_len): (usize, Len),
        (tag_len_bytes, accepted_tag_len): (usize, Len),
    ) -> Self
    where
        C: Composition,
    {
        let maker = Maker::Composition(CompositionMaker {
            #[cfg(feature = "dyn")]
            keyed: keyed::keyed::<C>,
            #[cfg(feature = "dyn")]
            ciphertext_len_bytes: C::ciphertext_len_bytes,
            #[cfg(feature = "batch")]
            may_use: C::may_use,
            #[cfg(feature = "batch")]
            batch: batch::batch::<C>,
            #[cfg(feature = "batch")]
            check: batch::check_job::<C>,
        });
        let nonce =
            Some(Nonce { len_bytes: nonce_len_bytes, accepted_len, one_len_per_key: false });
        let row = Self::new(name, title, mode, primitive, key_len, tag_len_bytes, maker);
        Self { nonce, accepted_tag_len, accepted_short_tag_len: accepted_tag_len, ..row }
    }

    pub(crate) const fn new(
        name: &'static str,
        title: &'static str,
        mode: &'static Mode,
        primitive: &'static Primitive,
        (key_len_bytes, accepted_key_len): (usize, Len),
        tag_len_bytes: usize,
        maker: Maker,
    ) -> Self {
        Self {
            name,
            title,
            mode,
            primitive,
            tag_len_bytes,
            accepted_tag_len: Len::Exactly(tag_len_bytes as u64),
            accepted_short_tag_len: Len::Exactly(tag_len_bytes as u64),
            key_len_bytes,
            accepted_key_len,
            nonce: None,
            is_customizable: false,
            message_len_max_bytes: u64::MAX,
            universal_hash: None,
            facts: mode.facts,
            theory: None,
            maker,
        }
    }

    /// The same row with a universal hash beside the primitive.
    pub(crate) const fn with_universal_hash(
        self,
        paths: Paths,
        constant_time: ConstantTime,
    ) -> Self {
        Self { universal_hash: Some(UniversalHash { paths, constant_time }), ..self }
    }

    /// The same row with further tag lengths, for those who ask for short ones.
    pub(crate) const fn with_short_tag_len(self, accepted_short_tag_len: Len) -> Self {
        Self { accepted_short_tag_len, ..self }
    }

    /// The same row of a mac to which nonces of two lengths can be the same.
    pub(crate) const fn with_one_nonce_len_per_key(self) -> Self {
        let nonce = match self.nonce {
            Some(nonce) => Some(Nonce { one_len_per_key: true, ..nonce }),
            None => None,
        };
        Self { nonce, ..self }
    }

    /// The same row with a limit to the length of a message.
    pub(crate) const fn with_message_len_max(self, message_len_max_bytes: u64) -> Self {
        Self { message_len_max_bytes, ..self }
    }

    /// The same row with what is known of it, where that is not what is known of its mode.
    pub(crate) const fn with_facts(self, facts: Facts) -> Self {
        Self { facts, ..self }
    }

    /// The same row with what the mac computes.
    pub(crate) const fn with_theory(self, theory: Theory) -> Self {
        Self { theory: Some(theory), ..self }
    }
}

#[cfg(feature = "dyn")]
impl MacInfo {
    /// What the mac computes for a message of this length, under a key of its usual length. `None`
    /// for macs that are not made of calls of a block cipher or of a hash of the MD family alone.
    #[must_use]
    pub fn work(&self, message_len_bytes: u64) -> Option<Work> {
        let block_len = self.primitive.block_len_bytes as u64;
        Some(self.theory?.work(message_len_bytes, block_len, self.key_len_bytes as u64))
    }

    /// The code path that runs on this CPU: `soft`, `sha-ni`, `aes-ni`, `avx2`, `armv8`, …
    pub fn kernel(&self) -> &'static str {
        self.primitive.kernel()
    }

    /// The code paths that can be pinned on this CPU, best first: those of its primitive, then
    /// those of its universal hash. None where another crate chooses.
    pub fn kernels(&self) -> Vec<KernelName> {
        let mut kernels = self.primitive.paths.pinnable();
        let of_hash = self.universal_hash.map(|hash| hash.paths.pinnable());
        for kernel in of_hash.unwrap_or_default() {
            if !kernels.contains(&kernel) {
                kernels.push(kernel);
            }
        }
        kernels
    }

    /// The kernel of this name, if the mac and the CPU have it.
    pub(crate) fn pin(&self, kernel: KernelName) -> Result<Pin, Error> {
        let kernels = self.kernels();
        if kernels.contains(&kernel) {
            return Ok(Pin::to(kernel));
        }
        Err(Error::NoKernel { mac: self.name, kernel, kernels })
    }

    /// How far to rely on it: the worse of its mode and its primitive.
    pub const fn standing(&self) -> Standing {
        self.mode.standing.or_worse(self.primitive.standing)
    }

    /// Whether more than one length of tag can be asked for.
    pub const fn takes_tag_len(&self) -> bool {
        !matches!(self.accepted_tag_len, Len::Exactly(_))
    }

    /// Whether it encrypts as well: then [`DynComposition`](crate::DynComposition) runs it, and
    /// [`DynMac`](crate::DynMac) otherwise.
    pub const fn is_composition(&self) -> bool {
        matches!(self.maker, Maker::Composition(_))
    }

    #[inline]
    pub(crate) fn check_key(&self, key: &[u8]) -> Result<(), Error> {
        if self.accepted_key_len.accepts(key.len()) { Ok(()) } else { Err(self.refused_key(key)) }
    }

    #[inline]
    pub(crate) fn check_len(
        &self,
        what: Input,
        accepted: Len,
        given_bytes: usize,
    ) -> Result<(), Error> {
        if accepted.accepts(given_bytes) {
            return Ok(());
        }
        Err(self.refused(what, accepted, given_bytes as u64))
    }

    #[inline]
    pub(crate) fn check_tag_len(&self, tag_len_bytes: usize) -> Result<(), Error> {
        self.check_len(Input::Tag, self.accepted_tag_len, tag_len_bytes)
    }

    #[inline]
    pub(crate) fn check_short_tag_len(&self, tag_len_bytes: usize) -> Result<(), Error> {
        self.check_len(Input::Tag, self.accepted_short_tag_len, tag_len_bytes)
    }

    #[inline]
    pub(crate) fn check_message(&self, message_len_bytes: u64) -> Result<(), Error> {
        if message_len_bytes <= self.message_len_max_bytes {
            return Ok(());
        }
        let accepted = Len::Between(0, self.message_len_max_bytes);
        Err(self.refused(Input::Message, accepted, message_len_bytes))
    }

    #[inline]
    pub(crate) fn check_nonce(&self, nonce: &[u8]) -> Result<(), Error> {
        self.check_nonce_len(self.nonce_len(), nonce)
    }

    /// As `check_nonce`, for a key whose nonces were given this length.
    #[inline]
    pub(crate) fn check_nonce_len(&self, accepted: Len, nonce: &[u8]) -> Result<(), Error> {
        self.check_len(Input::Nonce, accepted, nonce.len())
    }

    /// The nonces that a key takes for which this length was chosen.
    pub(crate) fn chosen_nonce_len(&self, nonce_len_bytes: usize) -> Result<Len, Error> {
        let accepted = self.nonce.map_or(Len::Exactly(0), |nonce| nonce.accepted_len);
        self.check_len(Input::Nonce, accepted, nonce_len_bytes)?;
        Ok(Len::Exactly(nonce_len_bytes as u64))
    }

    /// The nonces that a key takes for which nothing else was said.
    pub(crate) fn nonce_len(&self) -> Len {
        match self.nonce {
            None => Len::Exactly(0),
            Some(nonce) if nonce.one_len_per_key => Len::Exactly(nonce.len_bytes as u64),
            Some(nonce) => nonce.accepted_len,
        }
    }

    /// Whether the mac can do without a nonce; `accepted` are those that the key would take.
    #[inline]
    pub(crate) fn check_no_nonce(&self, accepted: Len) -> Result<(), Error> {
        match self.nonce {
            None => Ok(()),
            Some(_) => Err(Error::NonceMissing { mac: self.name, accepted }),
        }
    }

    #[cold]
    pub(crate) fn refused_key(&self, key: &[u8]) -> Error {
        self.refused(Input::Key, self.accepted_key_len, key.len() as u64)
    }

    /// The mac takes nonces of this length, but not this one.
    #[cold]
    pub(crate) fn refused_nonce(&self) -> Error {
        Error::NonceRefused { mac: self.name }
    }

    /// Two keys were asked for that differ.
    #[cold]
    pub(crate) fn same_keys(&self) -> Error {
        Error::SameKeys { mac: self.name }
    }

    #[cold]
    pub(crate) fn refused(&self, what: Input, accepted: Len, given_bytes: u64) -> Error {
        Error::Len { mac: self.name, what, accepted, given_bytes }
    }

    /// The same error, said of this row: types say the name of their mode only.
    #[cold]
    pub(crate) fn named(&self, error: Error) -> Error {
        match error {
            Error::Len { what, accepted, given_bytes, .. } => {
                Error::Len { mac: self.name, what, accepted, given_bytes }
            }
            other => other,
        }
    }

    #[cold]
    pub(crate) fn wrong_kind(&self) -> Error {
        let is = match self.maker {
            Maker::Mac { .. } => "a mac: it gives tags and encrypts nothing",
            Maker::Composition(_) => "a composition: it seals and opens, it gives no bare tags",
        };
        Error::WrongKind { mac: self.name, is }
    }
}

impl fmt::Debug for MacInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MacInfo").field("name", &self.name).finish_non_exhaustive()
    }
}
