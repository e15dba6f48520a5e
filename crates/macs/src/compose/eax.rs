//! EAX: Bellare, Rogaway, Wagner, "The EAX Mode of Operation" (FSE 2004). OMAC^t(M) =
//! CMAC([t] ‖ M), [t] a block; N = OMAC^0(nonce), H = OMAC^1(associated data), C = CTR(M) from the
//! counter block N; tag = N ⊕ OMAC^2(C) ⊕ H. What [t] does is computed at key set-up.

#[cfg(feature = "batch")]
mod batch;

#[cfg(feature = "batch")]
use alloc::boxed::Box;
use core::fmt;

use cipher::{Block, Key, KeySizeUser};
use digest::typenum::Unsigned;
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::leftmost;
use crate::cbc::masks::Masks;
use crate::ciphers::chain::xor;
use crate::ciphers::{BlockCipher, CipherInfo, rows_over};
#[cfg(feature = "batch")]
use crate::composition::batch::KeyedCompositions;
use crate::composition::{Checked, Composition, Header, verify};
use crate::error::Error;
use crate::facts::{Facts, KeyLife, NonceNeed, Quantum, Repeat};
use crate::inside::Inside;
use crate::kernels::chaining::EaxPass;
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::wipe::{supersede, wipe};

/// EAX over the block cipher `C`.
#[derive(Clone)]
pub struct Eax<C: BlockCipher> {
    cipher: C,
    masks: Masks<C>,
    tweaks: Tweaks<C>,
}

/// OMAC^t for the three t, as far as it is known before the data.
struct Tweaks<C: BlockCipher> {
    /// The chaining value after [t].
    after: [Block<C>; 3],
    /// OMAC^t of nothing: CMAC([t]).
    of_nothing: [Block<C>; 3],
}

/// [t].
#[inline(always)]
fn tweak<C: BlockCipher>(t: u8) -> Block<C> {
    let mut block = Block::<C>::default();
    block[C::BlockSize::USIZE - 1] = t;
    block
}

/// Masks and tweaks. E_K([0]) is the L of CMAC; so there are two steps of three blocks each.
#[inline(always)]
fn set_up<C: BlockCipher>(cipher: &C) -> (Masks<C>, Tweaks<C>) {
    let mut after = [0, 1, 2].map(tweak::<C>);
    let mut of_nothing = after.clone();
    cipher.encrypt_blocks(&mut after);
    let masks = Masks::<C>::of_cmac(&after[0]);
    let [full, _] = masks.both();
    of_nothing.iter_mut().for_each(|block| xor(block, full));
    cipher.encrypt_blocks(&mut of_nothing);
    (masks, Tweaks { after, of_nothing })
}

impl<C: BlockCipher> KeySizeUser for Eax<C> {
    type KeySize = C::KeySize;
}

impl<C: BlockCipher> KeyInit for Eax<C> {
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }
}

impl<C: BlockCipher> Eax<C> {
    #[inline(always)]
    fn pass<const SEALS: bool>(&self, header: Header<'_>, data: &mut [u8]) -> Block<C> {
        pass::<C, SEALS>(&self.cipher, &self.masks, &self.tweaks, header, data)
    }
}

/// Encrypts or decrypts; the tag.
#[inline(always)]
fn pass<C: BlockCipher, const SEALS: bool>(
    cipher: &C,
    masks: &Masks<C>,
    tweaks: &Tweaks<C>,
    header: Header<'_>,
    data: &mut [u8],
) -> Block<C> {
    let Header { nonce, associated_data } = header;
    let Tweaks { after, of_nothing } = tweaks;
    let mut tag = Block::<C>::default();
    cipher.eax::<SEALS>(
        EaxPass {
            masks: masks.both(),
            after: after.each_ref(),
            of_nothing: of_nothing.each_ref(),
            nonce,
            associated_data,
            data,
            tag: &mut tag,
        },
        Inside(()),
    );
    tag
}

impl<C: BlockCipher> Composition for Eax<C> {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (C::BlockSize::USIZE, Len::Any);
    const TAG_LEN: (usize, Len) = leftmost(C::BlockSize::USIZE);
}

impl<C: BlockCipher> Checked for Eax<C> {
    fn set_up(pin: Pin, key: &[u8], _: Inside) -> Result<Self, InvalidLength> {
        let cipher = C::new_on(C::Kernel::pinned(pin), key, Inside(()))?;
        let (masks, tweaks) = set_up(&cipher);
        Ok(Self { cipher, masks, tweaks })
    }

    /// In place, on the code path that it has.
    fn set_up_again(&mut self, _: Pin, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        self.cipher.rekey(key, Inside(()))?;
        let (masks, tweaks) = set_up(&self.cipher);
        supersede(&mut self.masks, masks);
        supersede(&mut self.tweaks, tweaks);
        Ok(())
    }

    #[cfg(feature = "batch")]
    fn batch(
        pin: Pin,
        keys: &[&[u8]],
        _: Inside,
    ) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
        batch::boxed::<C>(pin, keys)
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

impl<C: BlockCipher> Clone for Tweaks<C> {
    fn clone(&self) -> Self {
        Self { after: self.after.clone(), of_nothing: self.of_nothing.clone() }
    }
}

impl<C: BlockCipher> Drop for Tweaks<C> {
    fn drop(&mut self) {
        self.after.iter_mut().chain(&mut self.of_nothing).for_each(|block| wipe(block));
    }
}

impl<C: BlockCipher + ZeroizeOnDrop> ZeroizeOnDrop for Eax<C> {}

impl<C: BlockCipher> fmt::Debug for Eax<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Eax { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "eax", "EAX");

const fn row<C: BlockCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    super::row::<Eax<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len())
}

static MODE: Mode = Mode {
    title: "EAX",
    specification: "Bellare, Rogaway, Wagner 2004",
    standing: Standing::Sound,
    proof: "private and authentic if the cipher is a pseudorandom permutation (Bellare, Rogaway, \
            Wagner 2004)",
    bound: "about σ²/2^n for privacy; 2^-τ more for each forgery tried, τ the bits of the tag",
    nonce: "any length, never the same: one used again shows the XOR of its messages, and lets \
            their tags be combined into a forgery",
    key_life: "keep σ far below 2^(n/2) blocks",
    approved_by: "ISO/IEC 19772 mechanism 4",
    attacks: "who chooses keys makes one ciphertext that opens under several (Menda, Len, Grubbs, \
              Ristenpart 2023)",
    facts: Facts {
        nonce: NonceNeed::Unique(Repeat::SomeForgeries),
        key_life: KeyLife::Blocks,
        // By its CMAC of associated data: Lang, Lucks 2023.
        quantum: Quantum::Superposition,
        ..Facts::AEAD
    },
};
