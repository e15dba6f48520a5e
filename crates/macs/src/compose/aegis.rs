//! AEGIS-128L, -128X, -256 and -256X: RFC 10032 §3 to §5. Key and nonce become a state, which takes
//! associated data and message and gives the stream and the tag.

use core::fmt;

use cipher::Key;
use digest::array::Array;
use digest::common::KeySizeUser;
use digest::typenum::Unsigned;
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::COUNTED_IN_64_BITS;
use crate::aegis::{Aegis128L, Aegis128X2, Aegis128X4, Aegis256, Aegis256X2, Aegis256X4, Variant};
use crate::composition::{Checked, Composition, Header, verify};
use crate::error::Error;
use crate::facts::{Facts, LeastBits, NonceNeed, Repeat, ShortTags};
use crate::inside::Inside;
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::wipe::{overwrite, wipe};

/// The most that lengths in 64 bits of bits allow.
const MESSAGE_LEN_MAX_BYTES: u64 = (1 << 61) - 1;

const TAG_MAX_BYTES: usize = 32;

/// AEGIS by the variant `V`. Tags have 32 bytes, or 16 by
/// [`with_tag_len`](Composition::with_tag_len): those commit to a key less, and a nonce must not be
/// used again for a tag of the other length.
#[derive(Clone)]
pub struct AegisAead<V: Variant> {
    kernel: V::Kernel,
    key: Array<u8, V::KeySize>,
}

impl<V: Variant> AegisAead<V> {
    /// The state after the associated data.
    #[inline]
    fn begin(&self, header: Header<'_>) -> V::State {
        let Header { nonce, associated_data } = header;
        let mut state = V::begin(self.kernel, &self.key, nonce);
        V::absorb(self.kernel, &mut state, associated_data);
        state
    }

    /// The tag of a state that has taken all.
    #[inline]
    fn end(&self, mut state: V::State, header: Header<'_>, message_len: usize, tag: &mut [u8]) {
        let lens_bytes = [header.associated_data.len(), message_len].map(|len| len as u64);
        V::end_crypt(self.kernel, &mut state, lens_bytes, tag);
        overwrite(&mut state, V::BLANK);
    }
}

impl<V: Variant> KeySizeUser for AegisAead<V> {
    type KeySize = V::KeySize;
}

impl<V: Variant> KeyInit for AegisAead<V> {
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }
}

impl<V: Variant> Composition for AegisAead<V> {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (V::KeySize::USIZE, Len::Exactly(V::KeySize::U64));
    const TAG_LEN: (usize, Len) = (TAG_MAX_BYTES, Len::OneOf(&[16, 32]));
    const ASSOCIATED_DATA_LEN: Len = COUNTED_IN_64_BITS;

    fn message_len_max_bytes(_: usize) -> u64 {
        MESSAGE_LEN_MAX_BYTES
    }
}

impl<V: Variant> Checked for AegisAead<V> {
    const IS_QUICK: bool = true;

    fn set_up(pin: Pin, key: &[u8], _: Inside) -> Result<Self, InvalidLength> {
        let key = Array::try_from(key).map_err(|_| InvalidLength)?;
        Ok(Self { kernel: V::Kernel::pinned(pin), key })
    }

    /// In place, on the code path that it has.
    fn set_up_again(&mut self, _: Pin, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        let key: &Array<u8, V::KeySize> = Array::slice_as_array(key).ok_or(InvalidLength)?;
        self.key.copy_from_slice(key);
        Ok(())
    }

    fn seal_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        _: usize,
        tag: &mut [u8],
        _: Inside,
    ) {
        let mut state = self.begin(header);
        V::crypt(self.kernel, &mut state, buffer, false);
        self.end(state, header, buffer.len(), tag);
        overwrite(&mut state, V::BLANK);
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
        _: Inside,
    ) -> Result<usize, Error> {
        let mut state = self.begin(header);
        V::crypt(self.kernel, &mut state, buffer, true);
        let mut right = [0; TAG_MAX_BYTES];
        let right = &mut right[..tag.len()];
        self.end(state, header, buffer.len(), right);
        overwrite(&mut state, V::BLANK);
        verify(right, tag)?;
        Ok(buffer.len())
    }
}

impl<V: Variant> Drop for AegisAead<V> {
    fn drop(&mut self) {
        wipe(&mut self.key);
    }
}

impl<V: Variant> ZeroizeOnDrop for AegisAead<V> {}

impl<V: Variant> fmt::Debug for AegisAead<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AegisAead { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = &[
    row::<Aegis128L>("aegis-128l"),
    row::<Aegis128X2>("aegis-128x2"),
    row::<Aegis128X4>("aegis-128x4"),
    row::<Aegis256>("aegis-256"),
    row::<Aegis256X2>("aegis-256x2"),
    row::<Aegis256X4>("aegis-256x4"),
];

const fn row<V: Variant>(name: &'static str) -> MacInfo {
    let key_len = (V::KeySize::USIZE, Len::Exactly(V::KeySize::U64));
    super::row::<AegisAead<V>>(name, V::PRIMITIVE.title, &MODE, V::PRIMITIVE, key_len)
        .with_message_len_max(MESSAGE_LEN_MAX_BYTES)
}

static MODE: Mode = Mode {
    title: "AEGIS",
    specification: "RFC 10032",
    standing: Standing::Conditional,
    proof: "none by reduction: cryptanalysis that RFC 10032 lists",
    bound: "claimed: 128 bits of strength against recovery of message and state, and against \
            forgery; more against differential forgeries with tags of 256 bits",
    nonce: "as long as the key, never the same, not for tags of another length either: one used \
            twice gives the state away, and with it messages and tags under that nonce (Vaudenay, \
            Vizár 2018)",
    key_life: "no practical limit, but for random nonces of 128 bits: 2^48 messages",
    approved_by: "IRTF (RFC 10032); of the portfolio that CAESAR chose in 2019 (AEGIS-128)",
    attacks: "who chooses keys and associated data makes one ciphertext that opens under several \
              (Isobe, Rahman 2023)",
    facts: Facts {
        nonce: NonceNeed::Unique(Repeat::SomeForgeries),
        // Finalize is the same for both, and then adds the blocks of the state up (RFC 10032 §3.9,
        // §4.9): all, or all but one of AEGIS-128L, for 128 bits; the two halves of them for 256.
        // So by AEGIS-256 the short tag is the sum of the long one's halves.
        short_tags: ShortTags::OwnFinalization(LeastBits::Bits(128)),
        ..Facts::AEAD
    },
};
