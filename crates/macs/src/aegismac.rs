//! AEGISMAC-128L, -128X, -256 and -256X: RFC 10032 §8, with tags of 16 or 32 bytes. Of all that
//! AEGIS does only this may be done more than once under one key and nonce: both are set up
//! together and kept, and the macs take no nonce with a message.

use core::marker::PhantomData;

use digest::array::{Array, ArraySize};
use digest::consts::{U16, U32};
use digest::typenum::Unsigned;
use digest::{InvalidLength, Output};

use crate::aegis::{Aegis128L, Aegis128X2, Aegis128X4, Aegis256, Aegis256X2, Aegis256X4, Variant};
use crate::digest_traits::digest_traits;
use crate::facts::{Facts, Prf, ShortTags};
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::wipe::{overwrite, wipe};

/// AEGISMAC by the variant `V` with a tag of `N` bytes, 16 or 32. As the key it takes a key alone,
/// whose nonce then is zeros, or a key and behind it a nonce of the same length.
#[derive(Clone)]
pub struct AegisMac<V: Variant, N: TagSize> {
    kernel: V::Kernel,
    keyed: V::State,
    running: V::State,
    /// The last bytes of the message under way, less than the rate.
    buffer: Array<u8, V::Rate>,
    message_len_bytes: u64,
    tag_size: PhantomData<N>,
}

/// The lengths of tags, 16 and 32 bytes.
pub trait TagSize: ArraySize + Send + Sync + 'static {}

impl TagSize for U16 {}
impl TagSize for U32 {}

/// AEGISMAC-128L, tag of 16 bytes.
pub type AegisMac128L = AegisMac<Aegis128L, U16>;
/// AEGISMAC-128L, tag of 32 bytes.
pub type AegisMac128LTag256 = AegisMac<Aegis128L, U32>;
/// AEGISMAC-128X2, tag of 16 bytes.
pub type AegisMac128X2 = AegisMac<Aegis128X2, U16>;
/// AEGISMAC-128X2, tag of 32 bytes.
pub type AegisMac128X2Tag256 = AegisMac<Aegis128X2, U32>;
/// AEGISMAC-128X4, tag of 16 bytes.
pub type AegisMac128X4 = AegisMac<Aegis128X4, U16>;
/// AEGISMAC-128X4, tag of 32 bytes.
pub type AegisMac128X4Tag256 = AegisMac<Aegis128X4, U32>;
/// AEGISMAC-256, tag of 16 bytes.
pub type AegisMac256 = AegisMac<Aegis256, U16>;
/// AEGISMAC-256, tag of 32 bytes.
pub type AegisMac256Tag256 = AegisMac<Aegis256, U32>;
/// AEGISMAC-256X2, tag of 16 bytes.
pub type AegisMac256X2 = AegisMac<Aegis256X2, U16>;
/// AEGISMAC-256X2, tag of 32 bytes.
pub type AegisMac256X2Tag256 = AegisMac<Aegis256X2, U32>;
/// AEGISMAC-256X4, tag of 16 bytes.
pub type AegisMac256X4 = AegisMac<Aegis256X4, U16>;
/// AEGISMAC-256X4, tag of 32 bytes.
pub type AegisMac256X4Tag256 = AegisMac<Aegis256X4, U32>;

impl<V: Variant, N: TagSize> AegisMac<V, N> {
    /// With a nonce, which may serve any number of messages.
    #[must_use]
    pub fn with_nonce(key: &Array<u8, V::KeySize>, nonce: &Array<u8, V::KeySize>) -> Self {
        let kernel = V::Kernel::best();
        Self::begun(kernel, V::begin(kernel, key, nonce))
    }

    fn begun(kernel: V::Kernel, keyed: V::State) -> Self {
        let (buffer, tag_size) = (Array::default(), PhantomData);
        Self { kernel, keyed, running: keyed, buffer, message_len_bytes: 0, tag_size }
    }

    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_on(Pin::BEST, key)
    }

    fn absorb(&mut self, mut data: &[u8]) {
        let rate = self.buffer.len();
        let buffered = self.buffered_len();
        self.message_len_bytes = self.message_len_bytes.wrapping_add(data.len() as u64);
        if buffered > 0 {
            let (fill, rest) = data.split_at(data.len().min(rate - buffered));
            self.buffer[buffered..][..fill.len()].copy_from_slice(fill);
            if buffered + fill.len() < rate {
                return;
            }
            V::absorb(self.kernel, &mut self.running, &self.buffer);
            data = rest;
        }
        let (whole, tail) = data.split_at(data.len() - data.len() % rate);
        V::absorb(self.kernel, &mut self.running, whole);
        self.buffer[..tail.len()].copy_from_slice(tail);
    }

    fn buffered_len(&self) -> usize {
        (self.message_len_bytes % V::Rate::U64) as usize
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        let tail = &self.buffer[..self.buffered_len()];
        V::absorb(self.kernel, &mut self.running, tail);
        V::end(self.kernel, &mut self.running, self.message_len_bytes, tag);
    }

    fn restart(&mut self) {
        self.running = self.keyed;
        self.message_len_bytes = 0;
        wipe(&mut self.buffer);
    }
}

/// The state of a key alone or of a key and a nonce.
fn state<V: Variant>(kernel: V::Kernel, key: &[u8]) -> Result<V::State, InvalidLength> {
    let no_nonce = Array::<u8, V::KeySize>::default();
    let (key, nonce) = key.split_at_checked(no_nonce.len()).ok_or(InvalidLength)?;
    match nonce.len() {
        0 => Ok(V::begin(kernel, key, &no_nonce)),
        len if len == no_nonce.len() => Ok(V::begin(kernel, key, nonce)),
        _ => Err(InvalidLength),
    }
}

#[inline]
fn mac<V: Variant>(kernel: V::Kernel, mut state: V::State, message: &[u8], tag: &mut [u8]) {
    V::absorb(kernel, &mut state, message);
    V::end(kernel, &mut state, message.len() as u64, tag);
    overwrite(&mut state, V::BLANK);
}

impl<V: Variant, N: TagSize> ByRow for AegisMac<V, N> {}

impl<V: Variant, N: TagSize> PreparedMac for AegisMac<V, N> {
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        let kernel = V::Kernel::pinned(pin);
        Ok(Self::begun(kernel, state::<V>(kernel, key)?))
    }

    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.keyed = state::<V>(self.kernel, key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        mac::<V>(self.kernel, self.keyed, message, tag);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        let kernel = V::Kernel::best();
        mac::<V>(kernel, state::<V>(kernel, key)?, message, tag);
        Ok(())
    }
}

impl<V: Variant, N: TagSize> Drop for AegisMac<V, N> {
    fn drop(&mut self) {
        overwrite(&mut self.keyed, V::BLANK);
        overwrite(&mut self.running, V::BLANK);
        wipe(&mut self.buffer);
    }
}

digest_traits! {
    [V: Variant, N: TagSize] AegisMac<V, N>, "AegisMac", key: V::KeySize, tag: N
}

pub(crate) const ROWS: &[MacInfo] = &[
    row::<Aegis128L, U16>("aegismac-128l", "AEGISMAC-128L"),
    row::<Aegis128L, U32>("aegismac-128l-256", "AEGISMAC-128L, 256-bit tag"),
    row::<Aegis128X2, U16>("aegismac-128x2", "AEGISMAC-128X2"),
    row::<Aegis128X2, U32>("aegismac-128x2-256", "AEGISMAC-128X2, 256-bit tag"),
    row::<Aegis128X4, U16>("aegismac-128x4", "AEGISMAC-128X4"),
    row::<Aegis128X4, U32>("aegismac-128x4-256", "AEGISMAC-128X4, 256-bit tag"),
    row::<Aegis256, U16>("aegismac-256", "AEGISMAC-256"),
    row::<Aegis256, U32>("aegismac-256-256", "AEGISMAC-256, 256-bit tag"),
    row::<Aegis256X2, U16>("aegismac-256x2", "AEGISMAC-256X2"),
    row::<Aegis256X2, U32>("aegismac-256x2-256", "AEGISMAC-256X2, 256-bit tag"),
    row::<Aegis256X4, U16>("aegismac-256x4", "AEGISMAC-256X4"),
    row::<Aegis256X4, U32>("aegismac-256x4-256", "AEGISMAC-256X4, 256-bit tag"),
];

/// A key alone is the usual one. The longest message is that whose length in bits has 64 bits (§3).
const fn row<V: Variant, N: TagSize>(name: &'static str, title: &'static str) -> MacInfo {
    let accepted = if V::KeySize::USIZE == 16 { &[16, 32] } else { &[32, 64] };
    let key_len = (V::KeySize::USIZE, Len::OneOf(accepted));
    MacInfo::mac::<AegisMac<V, N>>(name, title, &MODE, V::PRIMITIVE, key_len)
        .with_message_len_max((1 << 61) - 1)
}

static MODE: Mode = Mode {
    title: "AEGISMAC",
    specification: "RFC 10032 §8",
    standing: Standing::Sound,
    proof: "none by reduction: cryptanalysis of AEGIS that RFC 10032 lists",
    bound: "claimed: 128 bits of strength against forgery and recovery of the state; more against \
            differential forgeries with tags of 256 bits",
    nonce: "",
    key_life: "none named: key and nonce are set up together, and may serve any number of \
               messages; but AEGIS that encrypts, never under the same key and nonce",
    approved_by: "IRTF (RFC 10032)",
    attacks: "no hash function, for who knows the key makes messages of one tag; and tags are no \
              keys, for nobody says that they are random (RFC 10032 §8)",
    facts: Facts {
        prf: Prf::No,
        // A tag of 16 bytes is not the beginning of one of 32, and there are no others.
        short_tags: ShortTags::No,
        ..Facts::MAC
    },
};
