//! KMAC: NIST SP 800-185 §4; cSHAKE of bytepad(key) ‖ message ‖ length of the tag, with the
//! function name "KMAC" and a customization string. The length of the tag is an input: a shorter
//! tag is not the beginning of a longer one, except as KMACXOF (§4.3.1), where right_encode(0)
//! stands for it.
//!
//! The states after the customization string and after the key are kept.

#[cfg(feature = "dyn")]
mod boxed;

use core::fmt;

use digest::MacError;
use zeroize::ZeroizeOnDrop;

use crate::facts::{ConstantTime, Facts, Hardware, LeastBits, ShortTags};
use crate::kernel;
use crate::len::Len;
use crate::row::{MacInfo, Maker, TAG_LEN_MAX_BYTES};
use crate::sponge::{ALL_ROUNDS, Sponge};
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::verify::is_leftmost_of;

/// The shortest tag: SP 800-185 §8.4.2.
const TAG_LEN_MIN_BYTES: usize = 4;

/// KMAC over Keccak with blocks of `RATE` bytes, 168 or 136; the length of the tag is an input
/// unless `XOF`.
#[derive(Clone)]
pub struct Kmac<const RATE: usize, const XOF: bool> {
    customized: Sponge<ALL_ROUNDS>,
    keyed: Sponge<ALL_ROUNDS>,
    running: Sponge<ALL_ROUNDS>,
}

/// KMAC128: 128 bits of strength.
pub type Kmac128 = Kmac<168, false>;
/// KMAC256: 256 bits of strength.
pub type Kmac256 = Kmac<136, false>;
/// KMACXOF128.
pub type Kmac128Xof = Kmac<168, true>;
/// KMACXOF256.
pub type Kmac256Xof = Kmac<136, true>;

impl<const RATE: usize, const XOF: bool> Kmac<RATE, XOF> {
    /// With a key of any length and no customization string. SP 800-185 §8.4.1 asks for a key no
    /// shorter than the strength, 16 or 32 bytes.
    pub fn new(key: &[u8]) -> Self {
        Self::new_customized(key, &[])
    }

    /// With a key and a customization string of any length.
    pub fn new_customized(key: &[u8], customization: &[u8]) -> Self {
        let customized = customized(RATE, customization);
        let keyed = with_key(&customized, RATE, key);
        Self { running: keyed.clone(), keyed, customized }
    }

    /// Sets up another key in place; a message under way is dropped. The customization string
    /// stays.
    pub fn rekey(&mut self, key: &[u8]) {
        self.keyed = with_key(&self.customized, RATE, key);
        self.reset();
    }

    /// The tag of one whole message. A message under way through `update` is not disturbed.
    #[inline]
    pub fn mac_into(&self, message: &[u8], tag: &mut [u8]) {
        let mut running = self.keyed.clone();
        running.absorb(message);
        squeeze(&mut running, XOF, tag);
    }

    /// Checks, in constant time, the tag of one whole message. A message under way through
    /// `update` is not disturbed. The length of the tag is in its type, so that it is not for the
    /// sender of the tag to choose; it is at least 4 bytes (§8.4.2).
    ///
    /// # Errors
    /// When the tag is wrong.
    pub fn verify_message<const TAG: usize>(
        &self,
        message: &[u8],
        tag: &[u8; TAG],
    ) -> Result<(), MacError> {
        const { assert!(TAG >= TAG_LEN_MIN_BYTES, "a tag of at least 4 bytes") };
        let mut right = [0; TAG];
        self.mac_into(message, &mut right);
        if is_leftmost_of(&mut right, tag) { Ok(()) } else { Err(MacError) }
    }

    /// As [`verify_message`](Self::verify_message), of the pieces taken; then ready for the next
    /// message under the same key.
    ///
    /// # Errors
    /// When the tag is wrong.
    pub fn verify_reset<const TAG: usize>(&mut self, tag: &[u8; TAG]) -> Result<(), MacError> {
        const { assert!(TAG >= TAG_LEN_MIN_BYTES, "a tag of at least 4 bytes") };
        let mut right = [0; TAG];
        self.finalize_reset_into(&mut right);
        if is_leftmost_of(&mut right, tag) { Ok(()) } else { Err(MacError) }
    }

    /// Takes the next piece of the message.
    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        self.running.absorb(data);
    }

    /// The tag of the pieces taken, as long as `tag`.
    pub fn finalize_into(mut self, tag: &mut [u8]) {
        self.finalize_reset_into(tag);
    }

    /// The tag of the pieces taken; then ready for the next message under the same key.
    #[inline]
    pub fn finalize_reset_into(&mut self, tag: &mut [u8]) {
        squeeze(&mut self.running, XOF, tag);
        self.reset();
    }

    /// Drops the pieces taken; the key and the customization string stay.
    #[inline]
    pub fn reset(&mut self) {
        self.running = self.keyed.clone();
    }
}

impl<const RATE: usize, const XOF: bool> fmt::Debug for Kmac<RATE, XOF> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kmac { .. }")
    }
}

impl<const RATE: usize, const XOF: bool> ZeroizeOnDrop for Kmac<RATE, XOF> {}

#[cfg(feature = "std")]
crate::reading::io_write! { [const RATE: usize, const XOF: bool] Kmac<RATE, XOF>, Kmac::update }

/// The bits 00, which end the messages of cSHAKE, and the first one of the padding: SP 800-185
/// §3.3.
const END: u8 = 0b100;

/// The state after bytepad(encode_string("KMAC") ‖ encode_string(customization), block): §3.3.
fn customized(block_len: usize, customization: &[u8]) -> Sponge<ALL_ROUNDS> {
    let mut sponge = Sponge::new(block_len);
    sponge.absorb(encoded::<true>(block_len as u64).bytes());
    for string in [b"KMAC", customization] {
        absorb_string(&mut sponge, string);
    }
    sponge.fill_block();
    sponge
}

/// The state after bytepad(encode_string(key), block) as well: §2.3.3.
fn with_key(customized: &Sponge<ALL_ROUNDS>, block_len: usize, key: &[u8]) -> Sponge<ALL_ROUNDS> {
    let mut sponge = customized.clone();
    sponge.absorb(encoded::<true>(block_len as u64).bytes());
    absorb_string(&mut sponge, key);
    sponge.fill_block();
    sponge
}

/// encode_string: §2.3.2.
fn absorb_string(sponge: &mut Sponge<ALL_ROUNDS>, string: &[u8]) {
    sponge.absorb(encoded::<true>(bits(string)).bytes());
    sponge.absorb(string);
}

/// Absorbs the length of the tag and gives the tag: §4.3 steps 1 and 2, §4.3.1. The state is spent.
fn squeeze(sponge: &mut Sponge<ALL_ROUNDS>, is_xof: bool, tag: &mut [u8]) {
    let tag_bits = if is_xof { 0 } else { bits(tag) };
    sponge.absorb(encoded::<false>(tag_bits).bytes());
    sponge.finish(END, tag);
}

/// Length in bits.
fn bits(bytes: &[u8]) -> u64 {
    8 * bytes.len() as u64
}

/// A number as left_encode or right_encode writes it: §2.3.1.
struct Encoded {
    buffer: [u8; 9],
    len: usize,
}

impl Encoded {
    fn bytes(&self) -> &[u8] {
        &self.buffer[..self.len]
    }
}

/// left_encode if `LEFT`, or right_encode: the number's bytes, big-endian, and how many, before or
/// behind.
fn encoded<const LEFT: bool>(number: u64) -> Encoded {
    let count = (8 - number.leading_zeros() as usize / 8).max(1);
    let (mut buffer, digits) = ([0; 9], number.to_be_bytes());
    let (digits_at, count_at) = if LEFT { (1, 0) } else { (0, count) };
    buffer[digits_at..][..count].copy_from_slice(&digits[8 - count..]);
    buffer[count_at] = count as u8;
    Encoded { buffer, len: count + 1 }
}

pub(crate) const ROWS: &[MacInfo] = &[
    row::<168, false>("kmac128", "KMAC128", &MODE, &CSHAKE128),
    row::<168, true>("kmac128-xof", "KMACXOF128", &XOF_MODE, &CSHAKE128),
    row::<136, false>("kmac256", "KMAC256", &MODE, &CSHAKE256),
    row::<136, true>("kmac256-xof", "KMACXOF256", &XOF_MODE, &CSHAKE256),
];

/// The key and half the tag are as long as the strength: 16 and
/// 32 bytes, which is what a block lacks of Keccak's 200 bytes, halved.
const fn row<const RATE: usize, const XOF: bool>(
    name: &'static str,
    title: &'static str,
    mode: &'static Mode,
    primitive: &'static Primitive,
) -> MacInfo {
    let strength_bytes = (200 - RATE) / 2;
    let maker = Maker::Mac {
        #[cfg(feature = "dyn")]
        keyed: boxed::keyed::<RATE, XOF>,
        #[cfg(feature = "dyn")]
        one_shot: boxed::one_shot::<RATE, XOF>,
        #[cfg(feature = "batch")]
        batch: boxed::batch::<RATE, XOF>,
    };
    let key_len = (strength_bytes, Len::Any);
    MacInfo {
        accepted_tag_len: Len::Between(TAG_LEN_MIN_BYTES as u64, TAG_LEN_MAX_BYTES as u64),
        is_customizable: true,
        ..MacInfo::new(name, title, mode, primitive, key_len, 2 * strength_bytes, maker)
    }
}

static CSHAKE128: Primitive = cshake("cshake128", "cSHAKE128", 168);
static CSHAKE256: Primitive = cshake("cshake256", "cSHAKE256", 136);

const fn cshake(name: &'static str, title: &'static str, block_len_bytes: usize) -> Primitive {
    Primitive {
        name,
        title,
        standing: Standing::Sound,
        note: "",
        constant_time: ConstantTime::Yes("no table, no branch by data"),
        hardware: Hardware::None,
        block_len_bytes,
        paths: Paths::Foreign(kernel::keccak),
    }
}

static MODE: Mode = Mode {
    title: "KMAC",
    specification: "NIST SP 800-185 §4",
    standing: Standing::Sound,
    proof: "pseudorandom function, as a sponge with a key, if its permutation is ideal (Bertoni, \
            Daemen, Peeters, Van Assche 2008 and 2011)",
    bound: "strength of 128 or 256 bits, with a key no shorter than that (SP 800-185 §8.4.1)",
    nonce: "",
    key_life: "no practical limit",
    approved_by: "NIST (SP 800-185)",
    attacks: "",
    facts: Facts {
        // Fewer only after weighing the risks, and never below 32: SP 800-185 §8.4.2.
        short_tags: ShortTags::Input(LeastBits::Bits(64)),
        ..Facts::MAC
    },
};

static XOF_MODE: Mode = Mode {
    title: "KMACXOF",
    specification: "NIST SP 800-185 §4.3.1",
    attacks: "tags of one message in two lengths begin alike, other than KMAC's",
    facts: Facts { short_tags: ShortTags::Leftmost(LeastBits::Bits(64)), ..MODE.facts },
    ..MODE
};
