//! What a provider can be asked.

use crate::{Info, Inputs, KeyLife, Offer, Refused, Sealed, Sealing};

/// One message authentication code, ready to be called: `(key, message, tag)`.
///
/// A `prepared` tagger was given its key when it was opened and ignores the first argument. The tag
/// slice has exactly the mac's tag length; another length is an error, never a write out of bounds.
/// That of a composition seals the message in a buffer of its own, with zeros as nonce and no
/// associated data, and gives the tag. The plain closure type keeps one dynamic call per message.
pub type Tagger = Box<dyn FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), &'static str>>;

/// Many messages at once, `(keys, messages, tags)`: message i under key i, the tags one behind the
/// other. A prepared one was given its keys when it was opened and ignores the first argument.
pub type BatchTagger = Box<dyn FnMut(&[&[u8]], &[&[u8]], &mut [u8]) -> Result<(), &'static str>>;

/// A provider that runs inside our own worker process. Threads share it; each opens taggers of its
/// own.
///
/// Nothing here says so by hand (`unsafe impl`): what a provider keeps for all threads are function
/// pointers, the open library and what it told of itself, none of which changes. All that does
/// change, contexts and keys, belongs to a tagger, which never leaves its thread.
pub trait Provider: Sync {
    /// Version, place and offers.
    fn info(&self) -> Info;

    /// Opens one mac. `key` is the first key; a prepared tagger keeps it.
    ///
    /// # Errors
    /// What this provider cannot do.
    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, Refused>;

    /// Opens one mac for batches of as many messages as there are keys: message i under key i.
    ///
    /// # Errors
    /// As `tagger`.
    fn batch(&self, mac: &str, key_life: KeyLife, keys: &[&[u8]]) -> Result<BatchTagger, Refused> {
        in_turn(self, mac, key_life, keys)
    }

    /// Length of the tag of `mac` in bytes, where this provider offers it.
    fn tag_len_bytes(&self, mac: &str) -> Option<usize>;

    /// One tag, with all that may go into it.
    ///
    /// # Errors
    /// What the provider refuses; likewise below.
    fn tag(&self, mac: &str, _inputs: &Inputs<'_>) -> Result<Vec<u8>, Refused> {
        Err(Refused::not_here(mac))
    }

    /// Seals one message.
    #[expect(clippy::missing_errors_doc, reason = "as `tag`")]
    fn seal(&self, mac: &str, _inputs: &Inputs<'_>) -> Result<Sealed, Refused> {
        Err(Refused::not_here(mac))
    }

    /// Opens one sealed message; `None` when it is not genuine.
    #[expect(clippy::missing_errors_doc, reason = "as `tag`")]
    fn unseal(
        &self,
        mac: &str,
        _inputs: &Inputs<'_>,
        _tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        Err(Refused::not_here(mac))
    }

    /// The compositions that [`sealing`](Self::sealing) opens.
    fn sealings(&self) -> Vec<Offer> {
        vec![]
    }

    /// Opens one composition for messages that differ in nonce and associated data.
    #[expect(clippy::missing_errors_doc, reason = "as `tag`")]
    fn sealing(&self, composition: &str, _key: &[u8]) -> Result<Box<dyn Sealing>, Refused> {
        Err(Refused::not_here(format!("transactions with {composition}")))
    }
}

/// Batches for libraries without an interface for many messages at once: a context for each
/// prepared key, one after the other; or one context that gets the keys in turn.
///
/// # Errors
/// As [`Provider::tagger`].
pub fn in_turn<P: Provider + ?Sized>(
    provider: &P,
    mac: &str,
    key_life: KeyLife,
    keys: &[&[u8]],
) -> Result<BatchTagger, Refused> {
    let tag_len = provider.tag_len_bytes(mac).ok_or_else(|| Refused::not_here(mac))?;
    let contexts = if key_life == KeyLife::Prepared { keys } else { &keys[..1] };
    let mut taggers: Vec<Tagger> =
        contexts.iter().map(|key| provider.tagger(mac, key_life, key)).collect::<Result<_, _>>()?;
    Ok(Box::new(move |keys, messages, tags| {
        let count = taggers.len();
        let tags = tags.chunks_exact_mut(tag_len);
        for (i, ((key, message), tag)) in keys.iter().zip(messages).zip(tags).enumerate() {
            taggers[i % count](key, message, tag)?;
        }
        Ok(())
    }))
}
