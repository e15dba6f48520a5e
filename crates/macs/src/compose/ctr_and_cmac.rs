//! Counter mode and CMAC of the message, each under its own key: the Encrypt-and-MAC that is often
//! measured. K1‖K2; C = CTR_K1(M), the nonce being the first counter block; tag = CMAC_K2(M).

use core::fmt;

use cipher::array::Array;
use cipher::{Block, Key, KeySizeUser};
use digest::typenum::Unsigned;
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::key_pair::{Paired, differing, halves_differ};
use super::leftmost;
use crate::cbc::omac::CmacOver;
use crate::ciphers::{CipherInfo, rows_over};
use crate::composition::{Checked, Composition, Header, verify};
use crate::error::Error;
use crate::facts::{Facts, KeyLife, LeastBits, Quantum, ShortTags};
use crate::inside::Inside;
use crate::kernels::chaining::Pass;
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::prepared::PreparedMac;
use crate::row::MacInfo;
use crate::status::{Mode, Standing};

/// Encrypt-and-MAC with CTR and CMAC over the cipher `C`.
#[derive(Clone)]
pub struct CtrAndCmac<C: Paired> {
    cipher: C,
    mac: CmacOver<C>,
}

impl<C: Paired> KeySizeUser for CtrAndCmac<C> {
    type KeySize = C::PairSize;
}

impl<C: Paired> KeyInit for CtrAndCmac<C> {
    /// # Panics
    /// When K1 and K2 are the same: with one key, the stream of one message is the tag of another.
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }

    /// Refuses K1 and K2 that are the same, too.
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::set_up(Pin::BEST, key, Inside(()))
    }
}

impl<C: Paired> CtrAndCmac<C> {
    /// Encrypts (taking the input) or decrypts (taking the output into the chain). Returns the tag.
    #[inline(always)]
    fn pass<const OPENS: bool>(&self, nonce: &[u8], data: &mut [u8]) -> Block<C> {
        let mut tag = Block::<C>::default();
        if data.is_empty() {
            self.mac.mac_into(data, &mut tag);
            return tag;
        }
        let mac = self.mac.mode();
        let counter = Array::slice_as_array(nonce).expect("a block, as checked");
        let masks = Some(mac.ending().both());
        let pass = Pass { counter, y: &mut tag, head: &[], data, masks };
        self.cipher.ctr_cbc::<OPENS>(mac.cipher(), pass, Inside(()));
        tag
    }
}

impl<C: Paired> Composition for CtrAndCmac<C> {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (C::BlockSize::USIZE, Len::Exactly(C::BlockSize::U64));
    const TAG_LEN: (usize, Len) = leftmost(C::BlockSize::USIZE);
    const ASSOCIATED_DATA_LEN: Len = Len::Exactly(0);
}

impl<C: Paired> Checked for CtrAndCmac<C> {
    const IS_QUICK: bool = !C::BLOCK_TAKES_LONG;

    fn may_use(key: &[u8]) -> bool {
        halves_differ(key)
    }

    fn set_up(pin: Pin, key: &[u8], _: Inside) -> Result<Self, InvalidLength> {
        let [k1, k2] = differing(key)?;
        let cipher = C::new_on(C::Kernel::pinned(pin), k1, Inside(()))?;
        Ok(Self { cipher, mac: CmacOver::new_on(pin, k2)? })
    }

    /// In place, on the code path that it has.
    fn set_up_again(&mut self, _: Pin, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        let [k1, k2] = differing(key)?;
        self.cipher.rekey(k1, Inside(()))?;
        self.mac.rekey(k2)
    }

    fn seal_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        _: usize,
        tag: &mut [u8],
        _: Inside,
    ) {
        tag.copy_from_slice(&self.pass::<false>(header.nonce, buffer)[..tag.len()]);
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
        _: Inside,
    ) -> Result<usize, Error> {
        verify(&mut self.pass::<true>(header.nonce, buffer), tag)?;
        Ok(buffer.len())
    }
}

impl<C: Paired + ZeroizeOnDrop> ZeroizeOnDrop for CtrAndCmac<C> {}

impl<C: Paired> fmt::Debug for CtrAndCmac<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CtrAndCmac { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "ctr+cmac", "CTR+CMAC");

const fn row<C: Paired>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    super::row::<CtrAndCmac<C>>(name, title, &MODE, &cipher.primitive, cipher.joined_key_len(2, 0))
}

static MODE: Mode = Mode {
    title: "CTR+CMAC",
    specification: "Encrypt-and-MAC of SP 800-38A §6.5 and SP 800-38B, K1‖K2",
    standing: Standing::Conditional,
    proof: "integrity of the plaintext from CMAC's; Encrypt-and-MAC is not private in general, \
            whatever the parts (Bellare, Namprempre 2000)",
    bound: "that of CMAC under K2, and of CTR under K1: about σ²/2^n",
    nonce: "never the same, and never so near another that counter blocks repeat: that shows the \
            XOR of messages; not authenticated",
    key_life: "far below 2^(n/2) blocks in all, for the bound; and CMAC's limit on messages",
    approved_by: "",
    attacks: "equal messages have equal tags, whatever the nonce: the tag shows repetition; who \
              knows keys makes one ciphertext that opens under several",
    facts: Facts {
        short_tags: ShortTags::Leftmost(LeastBits::Bits(64)),
        key_life: KeyLife::Blocks,
        quantum: Quantum::Superposition,
        ..Facts::AEAD
    },
};
