//! What all libraries of others share: each says what it may have ([`Peer`]), and what it really
//! has is found by trying ([`offer`]). The answers it must give are those of our own library, which
//! is held against published ones by its own tests: a name alone would not do, for a setting that a
//! version does not know may be passed over silently.

mod proof;

use std::collections::BTreeMap;

use macs::MacInfo;

use words::{Different, DifferentPart};

use crate::{
    BatchTagger, Detail, Info, Input, Inputs, KeyLife, Offer, Place, Provider, Refused, Row,
    SEALED_KEY_LIVES, Sealed, Sealing, Tagger, Unavailable, in_turn, keyed, offered_tag_len,
    timed_nonce,
};

/// What a library says of itself.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// Version as the library itself reports it.
    pub(crate) version: String,
    /// The file it was loaded from, or `built in`.
    pub(crate) path: String,
    /// Whatever else decides the figures: build flags, the CPU as the library sees it.
    pub(crate) detail: Detail,
}

/// A mac that a library may have, and the code path that it would take.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// Canonical name in our catalog.
    pub(crate) mac: &'static str,
    /// One word: `sha-ni`, `aes-ni`, `avx2`, `soft`, `asm`, `unknown`.
    pub(crate) kernel: String,
}

/// One composition, ready to be called: `(key, message, ciphertext, tag)`. It seals the message
/// into the ciphertext, which is as long; a `prepared` one ignores the key. Nonce and associated
/// data were given when it was opened, and are the same for every message.
pub(crate) type Sealer =
    Box<dyn FnMut(&[u8], &[u8], &mut [u8], &mut [u8]) -> Result<(), &'static str>>;

/// A library of others. In what these functions are given the lengths of key, nonce and tag are
/// ones that the mac's definition takes, and no message is in it; the library may still refuse.
///
/// Threads share it. Some libraries fill a table or look at the CPU when a mac is used for the
/// first time, without a lock; [`offer`] has used each of them once by then.
pub(crate) trait Peer: Sync {
    /// Version, place and build.
    fn about(&self) -> About;

    /// All that it may have. What is wrong or missing is found by trying and left out.
    fn candidates(&self) -> Vec<Candidate>;

    /// Opens a mac for the key, the nonce and the customization string in `inputs`. The tagger
    /// gives tags of `inputs.tag_len_bytes`, which is the full length where the length is no input
    /// of the mac; for a tag slice of another length it returns [`crate::WRONG_TAG_LEN`] and writes
    /// nothing. A key life without a call of its own is an error.
    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused>;

    /// Opens a composition, likewise; there is no `one-shot` of them.
    fn sealer(
        &self,
        info: &'static MacInfo,
        _key_life: KeyLife,
        _inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        Err(Refused::not_here(info.name))
    }

    /// Opens a composition as it is timed, where the library writes ciphertext and tag as one: a
    /// tagger that leaves the ciphertext in a buffer of its own, which a sealer would have to copy.
    /// `None` where [`Peer::sealer`] has nothing to copy.
    fn sealing_tagger(
        &self,
        _info: &'static MacInfo,
        _key_life: KeyLife,
        _inputs: &Inputs<'_>,
    ) -> Option<Result<Tagger, Refused>> {
        None
    }

    /// Opens a sealed message, `inputs.message` with its `tag`; `None` when it is not genuine.
    fn unseal(
        &self,
        info: &'static MacInfo,
        _inputs: &Inputs<'_>,
        _tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        Err(Refused::not_here(info.name))
    }

    /// Compositions that it may have for messages which differ in nonce and associated data.
    fn sealings(&self) -> Vec<Candidate> {
        Vec::new()
    }

    /// Opens one of them.
    fn sealing(&self, info: &'static MacInfo, _key: &[u8]) -> Result<Box<dyn Sealing>, Refused> {
        Err(Refused::not_here(format!("transactions with {}", info.name)))
    }

    /// Whether the tags are computed elsewhere than in the calling thread: [`Info::offloads`].
    fn offloads(&self) -> bool {
        false
    }

    /// Opens a mac for as many messages at once as there are keys; `None` where the library has no
    /// interface for that and gets them one after the other.
    fn batch(
        &self,
        _info: &'static MacInfo,
        _key_life: KeyLife,
        _keys: &[&[u8]],
    ) -> Option<Result<BatchTagger, Refused>> {
        None
    }
}

/// A library, and what it was found to have.
struct Tried<P> {
    name: String,
    peer: P,
    offers: Vec<Offer>,
    /// Compositions whose messages may differ in nonce and associated data.
    sealings: Vec<Offer>,
    /// What gave other answers than it should, as `mac/key-life`.
    different: Vec<Different>,
    /// What it does not give at all, with its reason: [`Info::absent`].
    absent: BTreeMap<String, String>,
}

/// Tries all that the library may have, and makes it a provider with what works.
pub(crate) fn offer<P: Peer + 'static>(
    place: &Place,
    row: &Row,
    peer: P,
) -> Result<Box<dyn Provider>, Unavailable> {
    let (name, offers, sealings) = (place.name_or(row.name), Vec::new(), Vec::new());
    let (different, absent) = (Vec::new(), BTreeMap::new());
    let mut tried = Tried { name, peer, offers, sealings, different, absent };
    for Candidate { mac, kernel } in tried.peer.candidates() {
        let Some(info) = macs::find(mac) else { continue };
        let key_lives = tried.try_out(info);
        if !key_lives.is_empty() {
            tried.offers.push(Offer { mac: mac.into(), kernel, key_lives });
        }
    }
    if tried.offers.is_empty() {
        let About { path, .. } = tried.peer.about();
        return Err(format!("{path}: none of its MACs works{}", tried.left_out()).into());
    }
    for Candidate { mac, kernel } in tried.peer.sealings() {
        let Some(info) = macs::find(mac) else { continue };
        match proof::of(&tried.peer, info) {
            Outcome::Right => {
                let key_lives = vec![KeyLife::Prepared];
                tried.sealings.push(Offer { mac: mac.into(), kernel, key_lives });
            }
            Outcome::Absent(_) => {}
            Outcome::Different => tried.differs(info, DifferentPart::Sealing),
        }
    }
    tried.offers.sort_by(|a, b| a.mac.cmp(&b.mac));
    Ok(Box::new(tried))
}

/// Three messages, the third of which is the first again: a context that keeps something shows it.
const MESSAGES: [&[u8]; 3] = [b"a message", &[0x5A; 200], b"a message"];

/// Two keys of bytes that differ, so that no two parts of a TDES key are equal.
fn keys(len_bytes: usize) -> [Vec<u8>; 2] {
    let bytes = (1..=u8::MAX).cycle();
    [bytes.clone().take(len_bytes).collect(), bytes.skip(100).take(len_bytes).collect()]
}

/// What a try showed.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Right,
    /// The library does not have it, or refuses ordinary inputs: what it said.
    Absent(Refused),
    Different,
}

impl<P: Peer> Tried<P> {
    /// The key lives under which a mac works; what does not is noted.
    fn try_out(&mut self, info: &'static MacInfo) -> Vec<KeyLife> {
        let lives = if info.is_composition() { &SEALED_KEY_LIVES[..] } else { &KeyLife::ALL };
        let (mut right, mut is_different, mut said) = (Vec::new(), false, None);
        for key_life in lives {
            match self.outcome(info, *key_life) {
                Outcome::Right => right.push(*key_life),
                // Best what it says of a new key: the others may have no call of their own.
                Outcome::Absent(reason) if said.is_none() || *key_life == KeyLife::NewKey => {
                    said = Some(reason);
                }
                Outcome::Absent(_) => {}
                Outcome::Different => {
                    is_different = true;
                    self.differs(info, DifferentPart::KeyLife(*key_life));
                }
            }
        }
        if right.is_empty() && !is_different {
            let said = said.map(|refused| refused.to_string());
            self.absent.insert(info.name.into(), said.unwrap_or_default());
        }
        if info.is_composition() && !right.is_empty() && !self.round_trips(info) {
            self.differs(info, DifferentPart::All);
            return Vec::new();
        }
        right
    }

    /// Tags of messages under changing keys; a prepared context must ignore those it is handed.
    fn outcome(&self, info: &'static MacInfo, key_life: KeyLife) -> Outcome {
        let keys = keys(info.key_len_bytes);
        let second = usize::from(key_life != KeyLife::Prepared);
        let mut tagger = match self.open(info, key_life, &keys[0]) {
            Ok(tagger) => tagger,
            Err(reason) => return Outcome::Absent(reason),
        };
        for (message, (given, used)) in MESSAGES.iter().zip([(0, 0), (1, second), (0, 0)]) {
            let mut tag = vec![0; info.tag_len_bytes];
            if let Err(reason) = tagger(&keys[given], message, &mut tag) {
                return Outcome::Absent(reason.into());
            }
            if right_tag(info, &keys[used], message).as_ref() != Some(&tag) {
                return Outcome::Different;
            }
        }
        Outcome::Right
    }

    /// Whether a composition seals as our own library does, opens what it sealed, and does not open
    /// it with another tag. An empty message is one of them: CCM looks at the tag when it takes the
    /// message, and must do so then too.
    fn round_trips(&self, info: &'static MacInfo) -> bool {
        let [key, _] = keys(info.key_len_bytes);
        let (nonce, associated_data) = (&timed_nonce(info)[..], &b"associated data"[..]);
        let Ok(ours) = macs::DynComposition::with_info(info, &key) else { return false };
        // Encrypt-and-MAC takes none.
        let takes_any = ours.seal(nonce, associated_data, &[]).is_ok();
        let associated_data = if takes_any { associated_data } else { &[] };
        [&b""[..], b"a message", &[0x5A; 200]].into_iter().all(|message| {
            let Ok(mut ciphertext) = ours.seal(nonce, associated_data, message) else {
                return false;
            };
            let mut tag = ciphertext.split_off(ciphertext.len() - info.tag_len_bytes);
            let inputs = Inputs {
                key: &key,
                nonce,
                associated_data,
                message,
                tag_len_bytes: tag.len(),
                ..Inputs::default()
            };
            let right = Sealed { ciphertext: ciphertext.clone(), tag: tag.clone() };
            let is_sealed = self.seal_with(info, &inputs) == Ok(right);
            let sealed = Inputs { message: &ciphertext, ..inputs };
            let opened = self.peer.unseal(info, &sealed, &tag);
            tag[0] ^= 1;
            let forged = self.peer.unseal(info, &sealed, &tag);
            is_sealed && opened == Ok(Some(message.to_vec())) && forged == Ok(None)
        })
    }

    /// A tagger as it is timed: with zeros as nonce and, of a composition, a buffer that is kept.
    fn open(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        key: &[u8],
    ) -> Result<Tagger, Refused> {
        let (nonce, tag_len_bytes) = (timed_nonce(info), info.tag_len_bytes);
        let inputs = Inputs { key, nonce: &nonce, tag_len_bytes, ..Inputs::default() };
        if !info.is_composition() {
            return self.peer.mac(info, key_life, &inputs);
        }
        if let Some(opened) = self.peer.sealing_tagger(info, key_life, &inputs) {
            return opened;
        }
        let mut seal = self.peer.sealer(info, key_life, &inputs)?;
        let mut buffer = Vec::new();
        Ok(Box::new(move |key, message, tag| {
            if tag.len() != tag_len_bytes {
                return Err(crate::WRONG_TAG_LEN);
            }
            if buffer.len() != message.len() {
                buffer.resize(message.len(), 0);
            }
            seal(key, message, &mut buffer, tag)
        }))
    }

    fn seal_with(&self, info: &'static MacInfo, inputs: &Inputs<'_>) -> Result<Sealed, Refused> {
        let keys_only = Inputs { message: &[], ..*inputs };
        let mut seal = self.peer.sealer(info, KeyLife::NewKey, &keys_only)?;
        let (mut ciphertext, mut tag) =
            (vec![0; inputs.message.len()], vec![0; inputs.tag_len_bytes]);
        seal(inputs.key, inputs.message, &mut ciphertext, &mut tag)?;
        Ok(Sealed { ciphertext, tag })
    }

    /// The catalog row of an offered mac, once all lengths in `inputs` are ones it takes.
    fn accepted(&self, mac: &str, inputs: &Inputs<'_>) -> Result<&'static MacInfo, Refused> {
        self.offered(mac)?;
        let info = keyed(mac, inputs.key)?;
        let given = inputs.nonce.len();
        match info.nonce {
            Some(nonce) if !nonce.accepted_len.accepts(given) => {
                let (who, takes) = (mac.to_owned(), nonce.accepted_len.to_string());
                return Err(Refused::Len { who, input: Input::Nonce, takes, given });
            }
            None if given > 0 => return Err(untaken(mac, Input::Nonce)),
            _ => {}
        }
        if !info.is_customizable && !inputs.customization.is_empty() {
            return Err(untaken(mac, Input::Customization));
        }
        Ok(info)
    }

    fn offered(&self, mac: &str) -> Result<&Offer, Refused> {
        let offer = self.offers.iter().find(|offer| offer.mac == mac);
        offer.ok_or_else(|| Refused::lacks(&self.name, mac))
    }

    fn with_key_life(&self, mac: &str, key_life: KeyLife) -> Result<(), Refused> {
        if self.offered(mac)?.key_lives.contains(&key_life) {
            return Ok(());
        }
        Err(Refused::key_life(key_life, format!("{} has no {key_life} {mac}", self.name)))
    }

    fn left_out(&self) -> String {
        let different: Vec<String> = self.different.iter().map(ToString::to_string).collect();
        match &different[..] {
            [] => String::new(),
            different => format!("; left out for wrong tags: {}", different.join(", ")),
        }
    }

    fn differs(&mut self, info: &MacInfo, part: DifferentPart) {
        self.different.push(Different { mac: info.name.into(), part });
    }
}

/// The tag that our own library gives a message that is timed.
fn right_tag(info: &'static MacInfo, key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    let (nonce, mut tag) = (timed_nonce(info), vec![0; info.tag_len_bytes]);
    if info.is_composition() {
        let sealed = macs::DynComposition::with_info(info, key).ok()?.seal(&nonce, &[], message);
        return sealed.ok().map(|mut sealed| sealed.split_off(sealed.len() - tag.len()));
    }
    info.mac_with_nonce_into(key, &nonce, message, &mut tag).ok()?;
    Some(tag)
}

fn check_tag_len(info: &MacInfo, given: usize) -> Result<(), Refused> {
    let takes = info.accepted_short_tag_len;
    if takes.accepts(given) {
        return Ok(());
    }
    let (who, takes) = (info.name.to_owned(), takes.to_string());
    Err(Refused::Len { who, input: Input::Tag, takes, given })
}

fn untaken(mac: &str, input: Input) -> Refused {
    Refused::Untaken { who: mac.to_owned(), input }
}

impl<P: Peer> Provider for Tried<P> {
    fn sealings(&self) -> Vec<Offer> {
        self.sealings.clone()
    }

    fn sealing(&self, composition: &str, key: &[u8]) -> Result<Box<dyn Sealing>, Refused> {
        if !self.sealings.iter().any(|offer| offer.mac == composition) {
            return Err(Refused::lacks(&self.name, format!("transactions with {composition}")));
        }
        self.peer.sealing(keyed(composition, key)?, key)
    }

    fn info(&self) -> Info {
        let About { version, path, detail } = self.peer.about();
        let (name, offers, different) =
            (self.name.clone(), self.offers.clone(), self.different.clone());
        let (detail, offloads) = (detail.to_string() + &self.left_out(), self.peer.offloads());
        let absent = self.absent.clone();
        Info { name, version, path, detail, offers, different, absent, offloads }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, Refused> {
        self.with_key_life(mac, key_life)?;
        self.open(keyed(mac, key)?, key_life, key)
    }

    fn batch(&self, mac: &str, key_life: KeyLife, keys: &[&[u8]]) -> Result<BatchTagger, Refused> {
        self.with_key_life(mac, key_life)?;
        let mut info = None;
        for key in keys {
            info = Some(keyed(mac, key)?);
        }
        let at_once = info.and_then(|info| self.peer.batch(info, key_life, keys));
        at_once.unwrap_or_else(|| in_turn(self, mac, key_life, keys))
    }

    fn tag_len_bytes(&self, mac: &str) -> Option<usize> {
        offered_tag_len(self, mac)
    }

    fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, Refused> {
        let info = self.accepted(mac, inputs)?;
        if info.is_composition() {
            let why = format!("{mac} also encrypts: it has no tag alone");
            return Err(Refused::Purpose(why.into()));
        }
        let is_input = info.accepted_tag_len.accepts(inputs.tag_len_bytes);
        let tag_len_bytes = if is_input { inputs.tag_len_bytes } else { info.tag_len_bytes };
        let key_lives = &self.offered(mac)?.key_lives;
        let key_life = *key_lives.first().ok_or_else(|| Refused::not_here(mac))?;
        let opened = Inputs { tag_len_bytes, message: &[], ..*inputs };
        let mut tag = vec![0; tag_len_bytes];
        self.peer.mac(info, key_life, &opened)?(inputs.key, inputs.message, &mut tag)?;
        tag.truncate(inputs.tag_len_bytes);
        Ok(tag)
    }

    fn seal(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Sealed, Refused> {
        let info = self.accepted(mac, inputs)?;
        check_tag_len(info, inputs.tag_len_bytes)?;
        self.seal_with(info, inputs)
    }

    fn unseal(
        &self,
        mac: &str,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        let info = self.accepted(mac, inputs)?;
        check_tag_len(info, tag.len())?;
        self.peer.unseal(info, inputs, tag)
    }
}
