//! The one table of all macs: selection by name, tests, benchmarks and documents walk it.
//! A mac is added by its file, which ends in its rows, and one word in [`FAMILIES`].

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use digest::typenum::Unsigned;
use digest::{InvalidLength, OutputSizeUser};

use crate::batch::KeyedBatch;
use crate::compose::Composition;
use crate::dyn_composition::{self, KeyedComposition};
use crate::dyn_mac::{self, Keyed};
use crate::error::{Error, Input};
use crate::kernels::{KernelName, Pin};
use crate::len::Len;
use crate::prepared::{NonceMac, PreparedMac};
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::suggest::suggest;
use crate::work::Theory;
use crate::{
    blake2, blake3, cbc, compose, gmac, hmac, khc, kmac, pmac, poly1305, siphash, umac, vmac,
};

/// The longest tag of any mac in the catalog.
pub const TAG_LEN_MAX_BYTES: usize = 64;

/// The rows of every family.
const FAMILIES: &[&[MacInfo]] = &[
    blake2::ROWS,
    blake3::ROWS,
    cbc::cbc_mac::PAD2_ROWS,
    cbc::cbc_mac::ROWS,
    cbc::emac::ROWS,
    cbc::omac::OMAC2_ROWS,
    cbc::omac::ROWS,
    cbc::rfc::ROWS,
    cbc::tmac::ROWS,
    cbc::xcbc::ROWS,
    cbc::xcbc_kdf::ROWS,
    compose::cbc_then_cmac::ROWS,
    compose::ccm::ROWS,
    compose::chacha20_poly1305::ROWS,
    compose::ctr_and_cmac::ROWS,
    compose::ctr_then_cmac::ROWS,
    compose::eax::ROWS,
    compose::gcm::ROWS,
    gmac::ROWS,
    hmac::ROWS,
    hmac::of_digest::ROWS,
    khc::ROWS,
    kmac::ROWS,
    pmac::ROWS,
    poly1305::ROWS,
    siphash::ROWS,
    umac::ROWS,
    vmac::ROWS_64,
    vmac::ROWS_128,
];

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
    /// (KMAC, CCM), or for a composition, whose shorter tags are the leftmost bytes.
    pub accepted_tag_len: Len,
    /// Those that can be asked for by `with_short_tag_len`: more only where a short tag costs more
    /// than its own bits (GCM).
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
    /// The code paths of its universal hash, where it has one.
    pub(crate) universal_hash: Option<Paths>,
    /// What it computes, where that can be told.
    pub(crate) theory: Option<Theory>,
    pub(crate) maker: Maker,
}

/// The nonce that a mac takes with every message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Mac { keyed: SetUp, one_shot: OneShot, batch: SetUpBatch },
    Composition { keyed: SetUpComposition, ciphertext_len_bytes: fn(usize) -> usize },
}

/// Key and customization string to prepared mac.
pub(crate) type SetUp = fn(Pin, &[u8], &[u8]) -> Result<Box<dyn Keyed>, InvalidLength>;

/// Key, nonce, message and buffer for the tag.
pub(crate) type OneShot = fn(&[u8], &[u8], &[u8], &mut [u8]) -> Result<(), InvalidLength>;

/// Keys to prepared macs.
pub(crate) type SetUpBatch = fn(Pin, &[&[u8]]) -> Result<Box<dyn KeyedBatch>, InvalidLength>;

/// Key to prepared composition.
pub(crate) type SetUpComposition =
    fn(Pin, &[u8]) -> Result<Box<dyn KeyedComposition>, InvalidLength>;

impl MacInfo {
    /// A row for a mac without nonce.
    pub(crate) const fn mac<M>(
        name: &'static str,
        title: &'static str,
        mode: &'static Mode,
        primitive: &'static Primitive,
        (key_len_bytes, accepted_key_len): (usize, Len),
    ) -> Self
    where
        M: PreparedMac,
    {
        let maker = Maker::Mac {
            keyed: dyn_mac::keyed::<M>,
            one_shot: dyn_mac::one_shot::<M>,
            batch: dyn_mac::batch::<M>,
        };
        let tag_len_bytes = <M as OutputSizeUser>::OutputSize::USIZE;
        Self::new(
            name,
            title,
            mode,
            primitive,
            (key_len_bytes, accepted_key_len),
            tag_len_bytes,
            maker,
        )
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
            keyed: dyn_mac::keyed_with_nonce::<M>,
            one_shot: dyn_mac::one_shot_with_nonce::<M>,
            batch: dyn_mac::batch_with_nonce::<M>,
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
        let maker = Maker::Composition {
            keyed: dyn_composition::keyed::<C>,
            ciphertext_len_bytes: C::ciphertext_len_bytes,
        };
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
            theory: None,
            maker,
        }
    }

    /// The same row with the code paths of a universal hash beside those of the primitive.
    pub(crate) const fn with_universal_hash(self, paths: Paths) -> Self {
        Self { universal_hash: Some(paths), ..self }
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

    /// The code path that runs on this CPU: `soft`, `sha-ni`, `aes-ni`, `avx2`, `armv8`, …
    pub fn kernel(&self) -> &'static str {
        self.primitive.kernel()
    }

    /// The code paths that can be pinned on this CPU, best first: those of its primitive, then
    /// those of its universal hash. None where another crate chooses.
    pub fn kernels(&self) -> Vec<KernelName> {
        let mut kernels = self.primitive.paths.pinnable();
        for kernel in self.universal_hash.map(Paths::pinnable).unwrap_or_default() {
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

    /// Whether it encrypts as well: then [`DynComposition`](crate::DynComposition) runs it, and
    /// [`DynMac`](crate::DynMac) otherwise.
    pub const fn is_composition(&self) -> bool {
        matches!(self.maker, Maker::Composition { .. })
    }

    #[inline]
    pub(crate) fn check_key(&self, key: &[u8]) -> Result<(), Error> {
        if self.accepted_key_len.accepts(key.len()) { Ok(()) } else { Err(self.refused_key(key)) }
    }

    #[inline]
    pub(crate) fn check_tag_len(&self, tag_len_bytes: usize) -> Result<(), Error> {
        if self.accepted_tag_len.accepts(tag_len_bytes) {
            return Ok(());
        }
        Err(self.refused(Input::Tag, self.accepted_tag_len, tag_len_bytes as u64))
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
        if accepted.accepts(nonce.len()) {
            return Ok(());
        }
        Err(self.refused(Input::Nonce, accepted, nonce.len() as u64))
    }

    /// The nonces that a key takes for which this length was chosen.
    pub(crate) fn chosen_nonce_len(&self, nonce_len_bytes: usize) -> Result<Len, Error> {
        let accepted = self.nonce.map_or(Len::Exactly(0), |nonce| nonce.accepted_len);
        if accepted.accepts(nonce_len_bytes) {
            return Ok(Len::Exactly(nonce_len_bytes as u64));
        }
        Err(self.refused(Input::Nonce, accepted, nonce_len_bytes as u64))
    }

    /// The nonces that a key takes for which nothing else was said.
    pub(crate) fn nonce_len(&self) -> Len {
        match self.nonce {
            None => Len::Exactly(0),
            Some(nonce) if nonce.one_len_per_key => Len::Exactly(nonce.len_bytes as u64),
            Some(nonce) => nonce.accepted_len,
        }
    }

    #[inline]
    pub(crate) fn check_no_nonce(&self) -> Result<(), Error> {
        match self.nonce {
            None => Ok(()),
            Some(nonce) => {
                Err(Error::NonceMissing { mac: self.name, accepted: nonce.accepted_len })
            }
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

    #[cold]
    pub(crate) fn wrong_kind(&self) -> Error {
        let is = match self.maker {
            Maker::Mac { .. } => "a mac: it gives tags and encrypts nothing",
            Maker::Composition { .. } => "a composition: it seals and opens, it gives no bare tags",
        };
        Error::WrongKind { mac: self.name, is }
    }
}

impl fmt::Debug for MacInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MacInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All macs, in alphabetical order of their names.
pub fn catalog() -> &'static [MacInfo] {
    &CATALOG
}

/// The mac of this canonical name.
pub fn find(name: &str) -> Option<&'static MacInfo> {
    let index = CATALOG.binary_search_by(|mac| mac.name.cmp(name)).ok()?;
    Some(&CATALOG[index])
}

/// `find`, with the error that says what the name may have meant.
pub(crate) fn lookup(name: &str) -> Result<&'static MacInfo, Error> {
    find(name).ok_or_else(|| Error::UnknownMac { name: name.into(), suggestions: suggest(name) })
}

static CATALOG: [MacInfo; COUNT] = sorted();

const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

/// The rows of all families in the order of their names, for the binary search in `find`.
/// Insertion sort, by the compiler.
const fn sorted() -> [MacInfo; COUNT] {
    let mut rows = [FAMILIES[0][0]; COUNT];
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            let mut place = count;
            while place > 0 && is_before(FAMILIES[family][row].name, rows[place - 1].name) {
                rows[place] = rows[place - 1];
                place -= 1;
            }
            rows[place] = FAMILIES[family][row];
            count += 1;
            row += 1;
        }
        family += 1;
    }
    rows
}

/// `a < b`, which `str` cannot say at compile time.
const fn is_before(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() {
        if a[i] != b[i] {
            return a[i] < b[i];
        }
        i += 1;
    }
    a.len() < b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_found() {
        assert!(catalog().is_sorted_by(|a, b| a.name < b.name));
        for mac in catalog() {
            assert!(core::ptr::eq(find(mac.name).unwrap(), mac));
        }
        assert!(find("hmac-sha3").is_none());
    }

    #[test]
    fn rows_are_whole() {
        for mac in catalog() {
            assert!(mac.tag_len_bytes <= TAG_LEN_MAX_BYTES, "{}", mac.name);
            assert!(mac.accepted_tag_len.accepts(mac.tag_len_bytes), "{}", mac.name);
            assert!(mac.accepted_key_len.accepts(mac.key_len_bytes), "{}", mac.name);
            assert!(!mac.kernel().is_empty() && !mac.mode.proof.is_empty(), "{}", mac.name);
            assert_eq!(mac.nonce.is_some(), !mac.mode.nonce.is_empty(), "{}", mac.name);
            if let Some(nonce) = mac.nonce {
                assert!(nonce.accepted_len.accepts(nonce.len_bytes), "{}", mac.name);
            }
        }
    }
}
