//! SIV: RFC 5297. K1‖K2; the tag is V = S2V_K1(associated data, nonce, message), and counter mode
//! under K2 begins with V, two bits cleared. Without a nonce it is deterministic (§4).

use core::fmt;

use cipher::{Block, Key, KeySizeUser};
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::key_pair::{Paired, differing, halves_differ};
use crate::ciphers::{CipherInfo, WideCipher, ctr, rows_over};
use crate::composition::{Checked, Composition, Header, verify};
use crate::error::Error;
use crate::facts::{Facts, KeyLife, NonceNeed, Quantum, Repeat, ShortTags};
use crate::inside::Inside;
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::row::MacInfo;
use crate::s2v::Strings;
use crate::status::{Mode, Standing};

/// SIV over the block cipher `C`, of 128-bit blocks. RFC 5297 sends the tag before the ciphertext;
/// where it goes here is the caller's affair, or behind, as that of all compositions.
#[derive(Clone)]
pub struct Siv<C: WideCipher> {
    strings: Strings<C>,
    cipher: C,
}

impl<C: WideCipher + Paired> KeySizeUser for Siv<C> {
    type KeySize = C::PairSize;
}

impl<C: WideCipher + Paired> KeyInit for Siv<C> {
    /// # Panics
    /// When K1 and K2 are the same: what is proved is proved of two independent keys.
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }

    /// Refuses K1 and K2 that are the same, too.
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::set_up(Pin::BEST, key, Inside(()))
    }
}

impl<C: WideCipher> Siv<C> {
    #[inline]
    fn tag(&self, header: Header<'_>, message: &[u8]) -> Block<C> {
        let Header { nonce, associated_data } = header;
        let nonce = Some(nonce).filter(|nonce| !nonce.is_empty());
        self.strings.mac([associated_data].into_iter().chain(nonce), message)
    }

    /// §2.5: the upper bits of the two lower words are cleared, so that a counter of 31 bits does.
    #[inline]
    fn encrypt_or_decrypt(&self, tag: &[u8], data: &mut [u8]) {
        let mut first = Block::<C>::default();
        first.copy_from_slice(tag);
        first[8] &= 0x7f;
        first[12] &= 0x7f;
        self.cipher.ctr::<{ ctr::WHOLE_BLOCK }>(&first, &mut [], data.into(), Inside(()));
    }
}

impl<C: WideCipher + Paired> Composition for Siv<C> {
    const TITLE: &'static str = MODE.title;
    /// None at all, too.
    const NONCE_LEN: (usize, Len) = (16, Len::Any);
    const TAG_LEN: (usize, Len) = (16, Len::Exactly(16));
}

impl<C: WideCipher + Paired> Checked for Siv<C> {
    fn set_up(pin: Pin, key: &[u8], _: Inside) -> Result<Self, InvalidLength> {
        let [k1, k2] = differing(key)?;
        let strings = Strings::new_on(pin, k1)?;
        Ok(Self { strings, cipher: C::new_on(C::Kernel::pinned(pin), k2, Inside(()))? })
    }

    /// In place, on the code path that it has.
    fn set_up_again(&mut self, _: Pin, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        let [k1, k2] = differing(key)?;
        self.strings.rekey(k1)?;
        self.cipher.rekey(k2, Inside(()))
    }

    fn may_use(key: &[u8]) -> bool {
        halves_differ(key)
    }

    fn seal_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        _: usize,
        tag: &mut [u8],
        _: Inside,
    ) {
        tag.copy_from_slice(&self.tag(header, buffer));
        self.encrypt_or_decrypt(tag, buffer);
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
        _: Inside,
    ) -> Result<usize, Error> {
        self.encrypt_or_decrypt(tag, buffer);
        verify(&mut self.tag(header, buffer), tag)?;
        Ok(buffer.len())
    }
}

impl<C: WideCipher + ZeroizeOnDrop> ZeroizeOnDrop for Siv<C> {}

impl<C: WideCipher> fmt::Debug for Siv<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Siv { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(aes: row, "siv", "SIV");

const fn row<C: WideCipher + Paired>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    super::row::<Siv<C>>(name, title, &MODE, &cipher.primitive, cipher.joined_key_len(2, 0))
}

static MODE: Mode = Mode {
    title: "SIV",
    specification: "RFC 5297",
    standing: Standing::Sound,
    proof: "deterministic authenticated encryption if the cipher is a pseudorandom permutation \
            (Rogaway, Shrimpton 2006)",
    bound: "about σ²/2^n; 2^-128 more for each forgery tried",
    nonce: "any length, or none: one used again, or none, shows which messages are the same under \
            the same associated data, and nothing else",
    key_life: "keep σ far below 2^(n/2) blocks",
    approved_by: "RFC 5297 is informational; IETF for the time of day (NTS, RFC 8915)",
    attacks: "who chooses keys makes one ciphertext that opens under several (Menda, Len, Grubbs, \
              Ristenpart 2023)",
    facts: Facts {
        nonce: NonceNeed::Unique(Repeat::Equality),
        // The tag is where counter mode begins: it must be whole.
        short_tags: ShortTags::No,
        key_life: KeyLife::Blocks,
        quantum: Quantum::Superposition,
        ..Facts::AEAD
    },
};
