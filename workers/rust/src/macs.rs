//! The MACs that this worker was built with: a row each, and how it is called under each key life.

/// One MAC, ready to be called: `(key, message, tag)`. A prepared one ignores the key.
pub type Tagger = Box<dyn FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), &'static str>>;

/// When the key is set up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KeyLife {
    Prepared,
    NewKey,
    OneShot,
}

impl KeyLife {
    pub fn named(name: &str) -> Option<Self> {
        [Self::Prepared, Self::NewKey, Self::OneShot].into_iter().find(|life| life.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::NewKey => "new-key",
            Self::OneShot => "one-shot",
        }
    }
}

/// Opens a tagger for this key, and for messages that all get this nonce, empty where the MAC takes
/// none.
pub type Open = fn(KeyLife, &[u8], &[u8]) -> Result<Tagger, String>;

/// One MAC.
pub struct Row {
    /// Its name in the catalog of macrometer.
    pub mac: &'static str,
    /// Of the whole tag.
    pub tag_len: usize,
    /// Whether a shorter tag is another tag, not its beginning.
    pub tag_len_is_input: bool,
    /// 0 where no nonce is taken.
    pub nonce_len: usize,
    pub key_lives: &'static [KeyLife],
    pub open: Open,
}

impl Row {
    /// One whose library has a call for a prepared key and one for a new one, and no other.
    pub const fn new(mac: &'static str, tag_len: usize, open: Open) -> Self {
        let key_lives = &[KeyLife::Prepared, KeyLife::NewKey];
        Self { mac, tag_len, tag_len_is_input: false, nonce_len: 0, key_lives, open }
    }
}

/// All that there are, by family.
pub const ROWS: &[&[Row]] = &[
    #[cfg(feature = "blake2")]
    crate::blake2_keyed::ROWS,
    #[cfg(feature = "blake3")]
    crate::blake3_keyed::ROWS,
    #[cfg(feature = "cmac")]
    crate::cmac::ROWS,
    #[cfg(feature = "gmac")]
    crate::gmac::ROWS,
    #[cfg(feature = "blake2")]
    crate::hmac::BLAKE2,
    #[cfg(feature = "sha1")]
    crate::hmac::SHA1,
    #[cfg(feature = "sha2")]
    crate::hmac::SHA2,
    #[cfg(feature = "sha3")]
    crate::hmac::SHA3,
    #[cfg(feature = "poly1305")]
    crate::poly1305::ROWS,
];

#[allow(dead_code, reason = "that of BLAKE3 has one")]
pub const NO_ONE_SHOT: &str = "it has no one-shot call";
pub const WRONG_KEY_LEN: &str = "wrong key length for this MAC";

/// Takes a computed tag over.
#[inline(always)]
pub fn write(computed: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
    if computed.len() != tag.len() {
        return Err("wrong tag length for this MAC");
    }
    tag.copy_from_slice(computed);
    Ok(())
}
