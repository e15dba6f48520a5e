//! Keys of the one length that a mac takes, as libraries want them: those of TDES with two keys are
//! widened to three.

use macs::MacInfo;
use zeroize::Zeroizing;

/// What keys of a mac are checked against, and widened in.
pub(super) struct FixedKeys {
    len_bytes: usize,
    /// For two keys of TDES: K1‖K2‖K1.
    wide: Option<Zeroizing<[u8; 24]>>,
}

impl FixedKeys {
    /// Those of a mac whose keys have one length.
    pub(super) fn of(info: &MacInfo) -> Self {
        let wide = (info.primitive.name == "tdes-2").then(Zeroizing::default);
        Self { len_bytes: info.key_len_bytes, wide }
    }

    /// The key as the library takes it. One of another length is an error: a library would read
    /// past its end, or take it for that of another cipher.
    #[inline]
    pub(super) fn checked<'a>(&'a mut self, key: &'a [u8]) -> Result<&'a [u8], &'static str> {
        if key.len() != self.len_bytes {
            return Err(crate::WRONG_KEY_LEN);
        }
        let Some(wide) = &mut self.wide else { return Ok(key) };
        crate::widen(key, wide)?;
        Ok(&wide[..])
    }
}
