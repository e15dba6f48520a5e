//! What RFCs made of the family over AES-128: AES-XCBC-MAC (RFC 3566), and the two pseudorandom
//! functions of IKEv2 that take keys of any length (RFC 4434, RFC 4615).

use cipher::Block;
use digest::InvalidLength;
use digest::consts::U16;

use super::masks::Masks;
use super::omac::{self, Omac1Masks};
use super::xcbc_kdf::{DerivedKeys, XcbcKdf};
use super::{Cbc, Variant, xcbc};
use crate::block_mac::{BlockMac, BlockMode};
use crate::ciphers::{AES_128, Aes128, Engine};
use crate::facts::{Facts, LeastBits, ShortTags};
use crate::inside::Inside;
use crate::len::Len;
use crate::prepared::PreparedMac;
use crate::row::MacInfo;
use crate::status::Mode;
use crate::wipe::wipe;

/// AES-XCBC-MAC (RFC 3566 §4), its tag whole: IPsec's AES-XCBC-MAC-96 is the leftmost 12 bytes.
pub type XcbcRfc3566 = XcbcKdf<Aes128>;

/// AES-XCBC-PRF-128 (RFC 4434 §2): AES-XCBC-MAC under a key of any length.
pub type XcbcPrf128 = BlockMac<Cbc<Aes128, XcbcPrf>>;

/// AES-CMAC-PRF-128 (RFC 4615 §3): AES-CMAC under a key of any length.
pub type CmacPrf128 = BlockMac<Cbc<Aes128, CmacPrf>>;

/// The key made 16 bytes long, then AES-XCBC-MAC.
pub enum XcbcPrf {}

/// The key made 16 bytes long, then AES-CMAC.
pub enum CmacPrf {}

/// Sets `V` up under the tag of the key under a key of zeros: both RFCs shorten keys so.
fn set_up_shortened<V: Variant<Aes128>>(
    cipher: &mut Aes128,
    key: &[u8],
) -> Result<V::Ending, InvalidLength> {
    let mut shortened = Block::<Aes128>::default();
    Cbc::<Aes128, V>::keyed_on(cipher.kernel(Inside(())), &[0; 16])?.mac_into(key, &mut shortened);
    let keyed = V::set_up(cipher, &shortened);
    wipe(&mut shortened);
    keyed
}

impl Variant<Aes128> for XcbcPrf {
    type KeySize = U16;
    type Ending = Masks<Aes128>;

    const NAME: &'static str = "XcbcPrf128";

    /// RFC 4434 §2: a longer key is shortened, a shorter one padded with zeros.
    #[inline]
    fn set_up(cipher: &mut Aes128, key: &[u8]) -> Result<Masks<Aes128>, InvalidLength> {
        if key.len() > 16 {
            return set_up_shortened::<DerivedKeys>(cipher, key);
        }
        let mut padded = [0; 16];
        padded[..key.len()].copy_from_slice(key);
        let keyed = DerivedKeys::set_up(cipher, &padded);
        wipe(&mut padded);
        keyed
    }
}

impl Variant<Aes128> for CmacPrf {
    type KeySize = U16;
    type Ending = Masks<Aes128>;

    const NAME: &'static str = "CmacPrf128";

    /// RFC 4615 §3: a key of any other length than 16 bytes goes through AES-CMAC.
    #[inline]
    fn set_up(cipher: &mut Aes128, key: &[u8]) -> Result<Masks<Aes128>, InvalidLength> {
        if key.len() == 16 {
            return Omac1Masks::set_up(cipher, key);
        }
        set_up_shortened::<Omac1Masks>(cipher, key)
    }
}

pub(crate) const ROWS: &[MacInfo] = &[
    XcbcRfc3566::row("xcbc-rfc3566-aes-128", "AES-XCBC-MAC", &XCBC_MODE, &AES_128),
    prf_row::<XcbcPrf128>("xcbc-prf-128", "AES-XCBC-PRF-128", &XCBC_PRF_MODE),
    prf_row::<CmacPrf128>("cmac-prf-128", "AES-CMAC-PRF-128", &CMAC_PRF_MODE),
];

const fn prf_row<M: PreparedMac + Send + Sync + 'static>(
    name: &'static str,
    title: &'static str,
    mode: &'static Mode,
) -> MacInfo {
    MacInfo::mac::<M>(name, title, mode, &AES_128.primitive, (16, Len::Any))
}

static XCBC_MODE: Mode = Mode {
    title: "AES-XCBC-MAC",
    specification: "RFC 3566",
    approved_by: "IETF (RFC 3566), cut to 96 bits",
    facts: Facts {
        // RFC 3566 §4.3.
        short_tags: ShortTags::Leftmost(LeastBits::Bits(96)),
        ..xcbc::MODE.facts
    },
    ..xcbc::MODE
};

static XCBC_PRF_MODE: Mode = Mode {
    title: "AES-XCBC-PRF-128",
    specification: "RFC 4434",
    approved_by: "IETF (RFC 4434), for IKEv2",
    attacks: "keys of less than 16 bytes are padded with zeros, so those that differ in zeros at \
        their end are one, and so are a longer key and what it becomes, which others easily \
        become too; beyond the birthday bound as XCBC",
    ..xcbc::MODE
};

static CMAC_PRF_MODE: Mode = Mode {
    title: "AES-CMAC-PRF-128",
    specification: "RFC 4615",
    approved_by: "IETF (RFC 4615), for IKEv2",
    attacks: "a key of another length than 16 bytes and what it becomes are one, and others that \
        become the same are easily made; at the birthday bound as CMAC",
    ..omac::MODE
};
