//! What the library at hand really has, found by trying. The answers it must give are those of our
//! own library, which is held against published ones by its own tests: a name alone would not do,
//! for a setting that a version does not know (the rounds of SipHash) may be passed over silently.

use super::aead::Composition;
use super::evp_mac::Restart;
use super::library::Libcrypto;
use super::low_level::PrimitiveFn;
use super::primitive::Primitive;
use super::tagger;
use crate::{Inputs, KeyLife, SEALED_KEY_LIVES, Tagger, keyed};

/// A mac that works.
pub(super) struct Found {
    pub(super) primitive: &'static Primitive,
    pub(super) restart: Restart,
    pub(super) key_lives: Vec<KeyLife>,
}

/// A composition that works.
pub(super) struct FoundComposition {
    pub(super) composition: &'static Composition,
    pub(super) cipher: PrimitiveFn,
    pub(super) key_lives: Vec<KeyLife>,
}

impl FoundComposition {
    /// A tagger as it is timed.
    pub(super) fn tagger(
        &self,
        libcrypto: &'static Libcrypto,
        key_life: KeyLife,
        key: &[u8],
    ) -> Result<Tagger, String> {
        let info = keyed(self.composition.mac, key)?;
        let inputs = (key, crate::timed_nonce(info), info.tag_len_bytes);
        let Libcrypto { base, cipher: functions, .. } = libcrypto;
        base.with_reason(|| self.composition.tagger(functions, self.cipher, key_life, inputs))
    }

    /// Whether a context that is kept seals each of [`MESSAGES`] as our own library does, with a
    /// change of key between them where the key life has one.
    fn is_right(&self, libcrypto: &'static Libcrypto, key_life: KeyLife) -> bool {
        let Some(info) = macs::find(self.composition.mac) else { return false };
        let keys = keys(info.key_len_bytes);
        let second = usize::from(key_life != KeyLife::Prepared);
        let Ok(mut tagger) = self.tagger(libcrypto, key_life, &keys[0]) else { return false };
        MESSAGES.iter().zip([(0, 0), (1, second), (0, 0)]).all(|(message, (given, used))| {
            let mut tag = vec![0; info.tag_len_bytes];
            let right = macs::DynComposition::with_info(info, &keys[used])
                .and_then(|ours| ours.seal(&crate::timed_nonce(info), &[], message));
            tagger(&keys[given], message, &mut tag).is_ok()
                && right.is_ok_and(|sealed| sealed.ends_with(&tag))
        })
    }
}

/// Why something is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// The library does not have it, or refuses ordinary inputs.
    Absent,
    /// It gives other answers.
    Different,
}

/// Three messages, the third of which is the first again: a context that keeps something shows it.
const MESSAGES: [&[u8]; 3] = [b"a message", &[0x5A; 200], b"a message"];

/// Two keys of bytes that differ, so that no two parts of a TDES key are equal.
fn keys(len_bytes: usize) -> [Vec<u8>; 2] {
    let bytes = (1..=u8::MAX).cycle();
    [bytes.clone().take(len_bytes).collect(), bytes.skip(100).take(len_bytes).collect()]
}

/// Tries a mac: one tag by itself, then which key lives give the same tags, and whether a context
/// that is restarted keeps its key and forgets the message before.
pub(super) fn mac(
    libcrypto: &'static Libcrypto,
    primitive: &'static Primitive,
) -> Result<Found, Missing> {
    let info = macs::find(primitive.mac).ok_or(Missing::Absent)?;
    let keys = keys(info.key_len_bytes);
    let nonce = crate::timed_nonce(info);
    let right = |key: &[u8], message: &[u8]| {
        let mut tag = vec![0; info.tag_len_bytes];
        let computed = info.mac_with_nonce_into(key, &nonce, message, &mut tag);
        computed.map(|()| tag).map_err(|_| Missing::Absent)
    };
    for message in MESSAGES {
        let (key, nonce, tag_len_bytes) = (&keys[0][..], &nonce[..], info.tag_len_bytes);
        let inputs = Inputs { key, nonce, message, tag_len_bytes, ..Inputs::default() };
        let tag = tagger::tag(libcrypto, primitive, &inputs).map_err(|_| Missing::Absent)?;
        if tag != right(key, message)? {
            return Err(Missing::Different);
        }
    }
    let is_right = |restart, key_life| {
        // A prepared context must ignore the key it is handed.
        let second = &keys[usize::from(key_life != KeyLife::Prepared)];
        let tagger = tagger::tagger(libcrypto, primitive, restart, key_life, &keys[0]);
        tagger.is_ok_and(|mut tagger| {
            MESSAGES
                .iter()
                .zip([(&keys[0], &keys[0]), (&keys[1], second), (&keys[0], &keys[0])])
                .all(|(message, (given, used))| {
                    let mut tag = vec![0; info.tag_len_bytes];
                    let computed = tagger(given, message, &mut tag);
                    computed.is_ok() && right(used, message).is_ok_and(|right| right == tag)
                })
        })
    };
    let ways = primitive.restarts();
    let restart = ways.into_iter().find(|way| is_right(*way, KeyLife::Prepared));
    let restart = restart.unwrap_or(ways[0]);
    let key_lives: Vec<_> =
        KeyLife::ALL.into_iter().filter(|key_life| is_right(restart, *key_life)).collect();
    if key_lives.is_empty() {
        Err(Missing::Different)
    } else {
        Ok(Found { primitive, restart, key_lives })
    }
}

/// Tries a composition: a message sealed, opened again, and not opened with another tag. An empty
/// message is one of them: CCM looks at the tag when it takes the message, and must do so then too.
pub(super) fn composition(
    libcrypto: &'static Libcrypto,
    composition: &'static Composition,
) -> Result<FoundComposition, Missing> {
    let info = macs::find(composition.mac).ok_or(Missing::Absent)?;
    let cipher = libcrypto.primitive(composition.function).ok_or(Missing::Absent)?;
    let functions = &libcrypto.cipher;
    let [key, _] = keys(info.key_len_bytes);
    let nonce = crate::timed_nonce(info);
    let ours = macs::DynComposition::new(composition.mac, &key).map_err(|_| Missing::Absent)?;
    for message in [&b""[..], b"a message", &[0x5A; 200]] {
        let (nonce, associated_data) = (&nonce[..], &b"associated data"[..]);
        let (mut ciphertext, mut tag) = (message.to_vec(), vec![0; info.tag_len_bytes]);
        let sealed =
            ours.seal_in_place(nonce, associated_data, &mut ciphertext, message.len(), &mut tag);
        sealed.map_err(|_| Missing::Absent)?;
        let inputs = Inputs {
            key: &key,
            nonce,
            associated_data,
            message,
            tag_len_bytes: tag.len(),
            ..Inputs::default()
        };
        let answer = composition.seal(functions, cipher, &inputs).map_err(|_| Missing::Absent)?;
        let sealed = Inputs { message: &ciphertext, ..inputs };
        let opened = composition.unseal(functions, cipher, &sealed, &tag);
        let is_opened = opened.is_ok_and(|opened| opened.as_deref() == Some(message));
        let right = (ciphertext.clone(), tag.clone());
        tag[0] ^= 1;
        let is_forged = composition.unseal(functions, cipher, &sealed, &tag) != Ok(None);
        if answer != right || !is_opened || is_forged {
            return Err(Missing::Different);
        }
    }
    let mut found = FoundComposition { composition, cipher, key_lives: Vec::new() };
    let works = |key_life: &KeyLife| found.is_right(libcrypto, *key_life);
    found.key_lives = SEALED_KEY_LIVES.into_iter().filter(works).collect();
    Ok(found)
}
