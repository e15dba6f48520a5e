//! The one table of all macs: selection by name, tests, benchmarks and documents walk it.
//! A mac is added by its file, which ends in its rows, and one word in [`FAMILIES`].

mod by_name;

use digest::InvalidLength;

use crate::len::Len;
use crate::row::{CompositionMaker, MacInfo, Maker};
use crate::status::{Mode, Primitive};

/// The rows of every family that features chose.
const FAMILIES: &[&[MacInfo]] = &[
    #[cfg(feature = "aegis")]
    crate::aegismac::ROWS,
    #[cfg(feature = "ascon")]
    crate::ascon::ROWS,
    #[cfg(feature = "blake2")]
    crate::blake2::ROWS,
    #[cfg(feature = "blake3")]
    crate::blake3::ROWS,
    #[cfg(feature = "cbc-mac")]
    crate::cbc::cbc_mac::PAD2_ROWS,
    #[cfg(feature = "cbc-mac")]
    crate::cbc::cbc_mac::ROWS,
    #[cfg(feature = "cbc-mac")]
    crate::cbc::emac::ROWS,
    #[cfg(feature = "cmac")]
    crate::cbc::foreign::ROWS,
    #[cfg(feature = "cmac")]
    crate::cbc::omac::OMAC2_ROWS,
    #[cfg(feature = "cmac")]
    crate::cbc::omac::ROWS,
    #[cfg(feature = "retail-mac")]
    crate::cbc::retail::ROWS,
    #[cfg(all(feature = "cbc-mac", feature = "aes"))]
    crate::cbc::rfc::ROWS,
    #[cfg(feature = "cbc-mac")]
    crate::cbc::tmac::ROWS,
    #[cfg(feature = "cbc-mac")]
    crate::cbc::xcbc::ROWS,
    #[cfg(feature = "cbc-mac")]
    crate::cbc::xcbc_kdf::ROWS,
    #[cfg(feature = "chaskey")]
    crate::chaskey::ROWS,
    #[cfg(feature = "aegis-aead")]
    crate::compose::aegis::ROWS,
    #[cfg(feature = "compositions")]
    crate::compose::cbc_then_cmac::ROWS,
    #[cfg(feature = "ccm")]
    crate::compose::ccm::ROWS,
    #[cfg(feature = "chacha20poly1305")]
    crate::compose::chacha20_poly1305::ROWS,
    #[cfg(feature = "compositions")]
    crate::compose::ctr_and_cmac::ROWS,
    #[cfg(feature = "compositions")]
    crate::compose::ctr_then_cmac::ROWS,
    #[cfg(feature = "eax")]
    crate::compose::eax::ROWS,
    #[cfg(feature = "gcm")]
    crate::compose::gcm::ROWS,
    #[cfg(feature = "gcm-siv")]
    crate::compose::gcm_siv::ROWS,
    #[cfg(feature = "siv")]
    crate::compose::siv::ROWS,
    #[cfg(feature = "gmac")]
    crate::gmac::ROWS,
    #[cfg(feature = "highway")]
    crate::highway_hash::ROWS,
    #[cfg(feature = "hmac")]
    crate::hmac::ROWS,
    #[cfg(feature = "hmac")]
    crate::hmac::of_digest::ROWS,
    #[cfg(feature = "hopmac")]
    crate::hopmac::ROWS,
    #[cfg(feature = "khc")]
    crate::khc::ROWS,
    #[cfg(feature = "kmac")]
    crate::kmac::ROWS,
    #[cfg(feature = "pmac")]
    crate::pmac::ROWS,
    #[cfg(feature = "poly1305")]
    crate::poly1305::ROWS,
    #[cfg(feature = "s2v")]
    crate::s2v::ROWS,
    #[cfg(feature = "siphash")]
    crate::siphash::ROWS,
    #[cfg(feature = "umac")]
    crate::umac::ROWS,
    #[cfg(feature = "vmac")]
    crate::vmac::ROWS_64,
    #[cfg(feature = "vmac")]
    crate::vmac::ROWS_128,
];

/// All macs, in alphabetical order of their names.
pub fn catalog() -> &'static [MacInfo] {
    &CATALOG
}

/// The mac of this canonical name.
pub fn find(name: &str) -> Option<&'static MacInfo> {
    by_name::find(&CATALOG, &PLACES, name)
}

static CATALOG: [MacInfo; COUNT] = sorted();

static PLACES: [u16; by_name::places(COUNT)] = by_name::fill(&CATALOG);

const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

/// The rows of all families in the order of their names. Insertion sort, by the compiler.
const fn sorted() -> [MacInfo; COUNT] {
    let mut rows = [BLANK; COUNT];
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

/// What the places of the table hold before they are filled; there may be none.
const BLANK: MacInfo = {
    const MODE: &Mode = &Mode::BLANK;
    const PRIMITIVE: &Primitive = &Primitive::BLANK;
    let maker = Maker::Composition(CompositionMaker {
        keyed: |_, _| Err(InvalidLength),
        ciphertext_len_bytes: |message_len_bytes| message_len_bytes,
        #[cfg(feature = "batch")]
        may_use: |_| false,
        #[cfg(feature = "batch")]
        batch: |_, _| Err(InvalidLength),
        #[cfg(feature = "batch")]
        check: |_, _, _| Ok(()),
    });
    MacInfo::new("", "", MODE, PRIMITIVE, (0, Len::Any), 0, maker)
};

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
    use crate::row::TAG_LEN_MAX_BYTES;

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
