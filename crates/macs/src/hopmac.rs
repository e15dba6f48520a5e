//! HopMAC: RFC 9861 §4, a hash without key and then a short hash with one,
//! KT(key, KT(message, "", 32 or 64 bytes), length of the tag). What the message is hashed with,
//! KangarooTwelve, is a tree over chunks of 8 KiB. The outer call is a single node: TurboSHAKE of
//! key ‖ inner digest ‖ the digest's length, whose state after the key is kept.

use core::marker::PhantomData;

use digest::array::ArraySize;
use digest::consts::{U32, U64};
use digest::{InvalidLength, Output};

use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware};
use crate::kangaroo_twelve::{CHUNK_LEN_BYTES, KangarooTwelve, SINGLE_NODE};
use crate::kernel;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::sponge::{FEW_ROUNDS, Sponge};
use crate::status::{Mode, Paths, Primitive, Standing};

/// length_encode of the inner digest's length, §3.3: a byte, and how many bytes that was.
const ENCODED_LEN_BYTES: usize = 2;

/// HopMAC over KangarooTwelve with blocks of `RATE` bytes, 168 or 136, and digests and tags of `N`
/// bytes, without a customization string.
#[derive(Clone)]
pub struct HopMac<const RATE: usize, N: ArraySize> {
    keyed: Sponge<FEW_ROUNDS>,
    running: KangarooTwelve,
    tag_size: PhantomData<fn() -> N>,
}

/// HopMAC128: 128 bits of strength, tag of 32 bytes.
pub type HopMac128 = HopMac<168, U32>;
/// HopMAC256: 256 bits of strength, tag of 64 bytes.
pub type HopMac256 = HopMac<136, U64>;

impl<const RATE: usize, N: ArraySize> HopMac<RATE, N> {
    /// With a longer key the outer call would be a tree.
    const KEY_LEN_MAX_BYTES: usize = CHUNK_LEN_BYTES - N::USIZE - ENCODED_LEN_BYTES;

    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        let running = KangarooTwelve::new(RATE);
        Ok(Self { keyed: Self::outer(key)?, running, tag_size: PhantomData })
    }

    #[inline(always)]
    fn outer(key: &[u8]) -> Result<Sponge<FEW_ROUNDS>, InvalidLength> {
        if key.len() > Self::KEY_LEN_MAX_BYTES {
            return Err(InvalidLength);
        }
        let mut outer = Sponge::new(RATE);
        outer.absorb(key);
        Ok(outer)
    }

    fn absorb(&mut self, data: &[u8]) {
        self.running.absorb(data);
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        close(&self.keyed, &mut self.running, tag);
    }

    fn restart(&mut self) {
        self.running = KangarooTwelve::new(RATE);
    }
}

/// The tag of what `inner` took, as long as the inner digest.
fn close(keyed: &Sponge<FEW_ROUNDS>, inner: &mut KangarooTwelve, tag: &mut [u8]) {
    inner.finish(tag);
    let mut outer = keyed.clone();
    outer.absorb(tag);
    outer.absorb(&[tag.len() as u8, 1]);
    outer.finish(SINGLE_NODE, tag);
}

impl<const RATE: usize, N: ArraySize> ByRow for HopMac<RATE, N> {}

impl<const RATE: usize, N: ArraySize> PreparedMac for HopMac<RATE, N> {
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.keyed = Self::outer(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        let mut inner = KangarooTwelve::new(RATE);
        inner.absorb(message);
        close(&self.keyed, &mut inner, tag);
    }
}

digest_traits! { [const RATE: usize, N: ArraySize] HopMac<RATE, N>, "HopMac", key: N, tag: N }

pub(crate) const ROWS: &[MacInfo] = &[
    row::<168, U32>("hopmac128", "HopMAC128", &KT128),
    row::<136, U64>("hopmac256", "HopMAC256", &KT256),
];

/// The key is as long as the strength.
const fn row<const RATE: usize, N: ArraySize>(
    name: &'static str,
    title: &'static str,
    primitive: &'static Primitive,
) -> MacInfo {
    let max = HopMac::<RATE, N>::KEY_LEN_MAX_BYTES as u64;
    MacInfo::mac::<HopMac<RATE, N>>(
        name,
        title,
        &MODE,
        primitive,
        (N::USIZE / 2, Len::Between(0, max)),
    )
}

static KT128: Primitive = kangaroo_twelve("kt128", "KT128", 168);
static KT256: Primitive = kangaroo_twelve("kt256", "KT256", 136);

const fn kangaroo_twelve(
    name: &'static str,
    title: &'static str,
    block_len_bytes: usize,
) -> Primitive {
    Primitive {
        name,
        title,
        standing: Standing::Sound,
        note: "Keccak with 12 rounds, half of SHA-3's, of which 6 are broken at most",
        constant_time: ConstantTime::Yes("no table, no branch by data"),
        hardware: Hardware::None,
        block_len_bytes,
        paths: Paths::Foreign(kernel::keccak),
    }
}

static MODE: Mode = Mode {
    title: "HopMAC",
    specification: "RFC 9861 §4",
    standing: Standing::Sound,
    proof: "pseudorandom function, as a sponge with a key behind a hash, if its permutation is \
            ideal (Bertoni, Daemen, Peeters, Van Assche 2008 and 2011)",
    bound: "strength of 128 or 256 bits, with a key no shorter than that; inner digests collide at \
            2^128 or 2^256, which can be worked on without the key",
    nonce: "",
    key_life: "no practical limit",
    approved_by: "IRTF (RFC 9861, informational)",
    attacks: "",
    facts: Facts::MAC,
};
