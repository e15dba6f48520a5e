//! Counter mode, then CMAC of all that is sent: Encrypt-then-MAC. K1‖K2; C = CTR_K1(M), the nonce
//! being the first counter block; tag = CMAC_K2(A ‖ N ‖ C ‖ AL), AL the length of A in bits as a
//! 64-bit big-endian number: the shape of RFC 7518 §5.2.2.1 with CMAC in HMAC's place.

use core::fmt;
use core::slice;

use cipher::array::Array;
use cipher::{Block, Key, KeySizeUser};
use digest::typenum::Unsigned;
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::key_pair::{Paired, differing, halves_differ};
use super::{COUNTED_IN_64_BITS, leftmost};
use crate::cbc::omac::CmacOver;
use crate::ciphers::ctr;
use crate::ciphers::{BlockCipher, CipherInfo, rows_over};
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

/// The longest block of a cipher.
const BLOCK_LEN_MAX: usize = 16;

/// Encrypt-then-MAC with CTR and CMAC over the cipher `C`.
#[derive(Clone)]
pub struct CtrThenCmac<C: Paired> {
    cipher: C,
    mac: CmacOver<C>,
}

impl<C: Paired> KeySizeUser for CtrThenCmac<C> {
    type KeySize = C::PairSize;
}

impl<C: Paired> KeyInit for CtrThenCmac<C> {
    /// # Panics
    /// When K1 and K2 are the same: what is proved is proved of two independent keys, and with one
    /// the blocks of encryption help to forge.
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }

    /// Refuses K1 and K2 that are the same, too.
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::set_up(Pin::BEST, key, Inside(()))
    }
}

impl<C: Paired> CtrThenCmac<C> {
    #[inline(always)]
    fn encrypt_or_decrypt(&self, first: &Block<C>, data: &mut [u8]) {
        self.cipher.ctr::<{ ctr::WHOLE_BLOCK }>(first, &mut [], data.into(), Inside(()));
    }

    /// Encrypts (taking the output into the chain) or decrypts (taking the input). Returns the tag.
    #[inline(always)]
    fn pass<const SEALS: bool>(&self, header: Header<'_>, data: &mut [u8]) -> Block<C> {
        let Header { nonce, associated_data } = header;
        let first: &Block<C> = Array::slice_as_array(nonce).expect("a block, as checked");
        let (blocks, rest) = Block::<C>::slice_as_chunks(associated_data);
        if !rest.is_empty() {
            // The chain's blocks are not those of the message.
            if SEALS {
                self.encrypt_or_decrypt(first, data);
            }
            let tag = tag_of_all(&self.mac, associated_data, nonce, data);
            if !SEALS {
                self.encrypt_or_decrypt(first, data);
            }
            return tag;
        }
        let (mac, mut y) = (self.mac.mode(), Block::<C>::default());
        mac.cipher().chain(&mut y, blocks, &[], Inside(()));
        let block_len = C::BlockSize::USIZE;
        let (data, tail) = data.split_at_mut(data.len() / block_len * block_len);
        let counter = ctr::after::<{ ctr::WHOLE_BLOCK }, _>(first, (data.len() / block_len) as u64);
        let head = slice::from_ref(first);
        let pass = Pass { counter: first, y: &mut y, head, data, masks: None };
        self.cipher.ctr_cbc::<SEALS>(mac.cipher(), pass, Inside(()));

        let mut end = [0; BLOCK_LEN_MAX + 8];
        let end = &mut end[..tail.len() + 8];
        let associated_data_bits = 8 * associated_data.len() as u64;
        end[tail.len()..].copy_from_slice(&associated_data_bits.to_be_bytes());
        if !SEALS {
            end[..tail.len()].copy_from_slice(tail);
        }
        if !tail.is_empty() {
            self.encrypt_or_decrypt(&counter, tail);
        }
        if SEALS {
            end[..tail.len()].copy_from_slice(tail);
        }
        self.mac.mac_from(y, end)
    }
}

/// CMAC(A ‖ N ‖ C ‖ AL): where A ends is told by AL, and N has one length only.
#[inline(always)]
pub(super) fn tag_of_all<C: BlockCipher>(
    mac: &CmacOver<C>,
    associated_data: &[u8],
    nonce: &[u8],
    ciphertext: &[u8],
) -> Block<C> {
    let associated_data_bits = 8 * associated_data.len() as u64;
    mac.mac_of_parts(&[associated_data, nonce, ciphertext, &associated_data_bits.to_be_bytes()])
}

impl<C: Paired> Composition for CtrThenCmac<C> {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (C::BlockSize::USIZE, Len::Exactly(C::BlockSize::U64));
    const TAG_LEN: (usize, Len) = leftmost(C::BlockSize::USIZE);
    const ASSOCIATED_DATA_LEN: Len = COUNTED_IN_64_BITS;
}

impl<C: Paired> Checked for CtrThenCmac<C> {
    const IS_QUICK: bool = !C::BLOCK_TAKES_LONG;

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
        tag.copy_from_slice(&self.pass::<true>(header, buffer)[..tag.len()]);
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
        _: Inside,
    ) -> Result<usize, Error> {
        verify(&mut self.pass::<false>(header, buffer), tag)?;
        Ok(buffer.len())
    }
}

impl<C: Paired + ZeroizeOnDrop> ZeroizeOnDrop for CtrThenCmac<C> {}

impl<C: Paired> fmt::Debug for CtrThenCmac<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CtrThenCmac { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "ctr-then-cmac", "CTR-then-CMAC");

const fn row<C: Paired>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    super::row::<CtrThenCmac<C>>(name, title, &MODE, &cipher.primitive, cipher.joined_key_len(2, 0))
}

static MODE: Mode = Mode {
    title: "CTR-then-CMAC",
    specification: "Encrypt-then-MAC of SP 800-38A §6.5 and SP 800-38B, K1‖K2, in the shape of \
                    RFC 7518 §5.2.2.1",
    standing: Standing::Sound,
    proof: "Encrypt-then-MAC is private and authentic if its parts are (Bellare, Namprempre 2000)",
    bound: "that of CMAC under K2, and of CTR under K1: about σ²/2^n",
    nonce: "never the same, and never so near another that counter blocks repeat: that shows the \
            XOR of messages; tags stay unforgeable",
    key_life: "far below 2^(n/2) blocks in all, for the bound; and CMAC's limit on messages",
    approved_by: "",
    attacks: "who knows keys makes one ciphertext that opens under several",
    facts: Facts {
        short_tags: ShortTags::Leftmost(LeastBits::Bits(64)),
        key_life: KeyLife::Blocks,
        quantum: Quantum::Superposition,
        ..Facts::AEAD
    },
};
