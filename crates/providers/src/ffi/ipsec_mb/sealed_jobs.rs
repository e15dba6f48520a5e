//! The compositions that are one job: CCM and ChaCha20-Poly1305.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_void;
use std::ptr::{null, without_provenance};
use std::rc::Rc;

use super::jobs::{JOB_LEN_MAX, WRONG_COUNT};
use super::keys::{Form, Keys};
use super::layout::{
    AUTH_AES_CCM, AUTH_CHACHA20_POLY1305, CIPHER_CCM, CIPHER_CHACHA20_POLY1305, DIR_DECRYPT,
    DIR_ENCRYPT, Data, Job, ORDER_CIPHER_HASH, ORDER_HASH_CIPHER,
};
use super::multi_buffer::MultiBuffer;
use super::source::{Source, start};
use crate::ffi::state::State;
use crate::peer::Sealer;
use crate::{BatchTagger, Input, Inputs, KeyLife, Refused, WRONG_TAG_LEN};

/// CCM's associated data: three blocks with its length in them.
const CCM_DATA_LEN_MAX: usize = 46;

const TOO_LONG: &str = "its CCM jobs take at most 65534 bytes of message";
const FAILED: &str = "the job was not completed";

/// A composition by jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sealing {
    Ccm,
    ChaCha20Poly1305,
}

impl Sealing {
    pub(super) fn find(mac: &str) -> Option<Self> {
        match mac {
            "ccm-aes-128" | "ccm-aes-256" => Some(Self::Ccm),
            "chacha20-poly1305" => Some(Self::ChaCha20Poly1305),
            _ => None,
        }
    }

    fn check(self, inputs: &Inputs<'_>) -> Result<(), Refused> {
        let (nonce, data, tag) =
            (inputs.nonce.len(), inputs.associated_data.len(), inputs.tag_len_bytes);
        match self {
            Self::ChaCha20Poly1305 if (nonce, tag) != (12, 16) => {
                Err(crate::usual_lengths_only(nonce, tag))
            }
            Self::Ccm if data > CCM_DATA_LEN_MAX => {
                let why =
                    format!("at most {CCM_DATA_LEN_MAX} bytes of associated data, not {data}");
                Err(Refused::limit(&[Input::AssociatedData], why))
            }
            Self::Ccm if !(7..=13).contains(&nonce) || !matches!(tag, 4..=16) || tag % 2 > 0 => {
                let why = format!("nonces of {nonce} and tags of {tag} bytes are not supported");
                Err(Refused::limit(&[Input::Nonce, Input::Tag], why))
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn check_len(self, message: &[u8]) -> Result<(), &'static str> {
        match self {
            Self::Ccm if message.len() > JOB_LEN_MAX => Err(TOO_LONG),
            _ => Ok(()),
        }
    }
}

/// A job with its key, and what is the same for all messages.
struct SealedJob {
    keys: Keys,
    job: Job,
    /// Nonce and associated data, in blocks of their own: `job` points to them.
    _nonce: State,
    _associated_data: State,
}

impl SealedJob {
    fn new(
        library: &MultiBuffer,
        sealing: Sealing,
        seals: bool,
        inputs: &Inputs<'_>,
    ) -> Result<Self, Refused> {
        sealing.check(inputs)?;
        let form = if sealing == Sealing::Ccm { Form::Ccm } else { Form::Plain };
        let keys = Keys::new(library, form, inputs.key)?;
        let (mut nonce, mut data) = (in_blocks(inputs.nonce), in_blocks(inputs.associated_data));
        let data_len = without_provenance(inputs.associated_data.len());
        let associated_data = [data.as_mut_ptr::<c_void>().cast_const(), data_len, null()];
        let (hash_alg, cipher_mode) = match sealing {
            Sealing::Ccm => (AUTH_AES_CCM, CIPHER_CCM),
            Sealing::ChaCha20Poly1305 => (AUTH_CHACHA20_POLY1305, CIPHER_CHACHA20_POLY1305),
        };
        // CCM authenticates what is not encrypted, ChaCha20-Poly1305 what is.
        let hashes_first = (sealing == Sealing::Ccm) == seals;
        let job = Job {
            enc_keys: keys.as_ptr(),
            dec_keys: keys.as_ptr(),
            key_len_in_bytes: inputs.key.len() as u64,
            iv: nonce.as_mut_ptr(),
            iv_len_in_bytes: inputs.nonce.len() as u64,
            cipher_mode,
            cipher_direction: if seals { DIR_ENCRYPT } else { DIR_DECRYPT },
            chain_order: if hashes_first { ORDER_HASH_CIPHER } else { ORDER_CIPHER_HASH },
            ..Job::hash(hash_alg, inputs.tag_len_bytes, associated_data)
        };
        Ok(Self { keys, job, _nonce: nonce, _associated_data: data })
    }

    /// A method of the whole: a closure that names only `job` leaves behind what it points to.
    ///
    /// # Safety
    /// `data` must be a message of a length that the library takes, and room for as long an output
    /// and for a tag as long as the job says.
    #[inline]
    unsafe fn run(&self, library: &MultiBuffer, data: Data) -> bool {
        // SAFETY: key, nonce and associated data lie in this structure, with the lengths that the
        // job says; the rest is the caller's promise.
        unsafe { library.run(&self.job, data) }
    }
}

/// A copy that ends with zeros up to a whole cache line.
fn in_blocks(bytes: &[u8]) -> State {
    let mut state = State::new(bytes.len());
    // SAFETY: at least as many bytes, of our own.
    unsafe { state.as_mut_ptr::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    state
}

pub(super) fn sealer(
    library: &Rc<MultiBuffer>,
    sealing: Sealing,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Sealer, Refused> {
    let (library, is_new) = (Rc::clone(library), key_life == KeyLife::NewKey);
    let (mut sealed, tag_len_bytes) =
        (SealedJob::new(&library, sealing, true, inputs)?, inputs.tag_len_bytes);
    let mut source = Source::default();
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != tag_len_bytes || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        sealing.check_len(message)?;
        if is_new {
            sealed.keys.set(&library, key)?;
        }
        let (dst, tag) = (ciphertext.as_mut_ptr(), tag.as_mut_ptr());
        let data = Data { src: source.of(message), len: message.len(), dst, tag };
        // SAFETY: lengths that were checked, an output as long as the message and a tag as long as
        // the job says.
        if unsafe { sealed.run(&library, data) } { Ok(()) } else { Err(FAILED) }
    }))
}

/// The message, whether it is genuine or not, and the tag that it should have.
pub(super) fn open(
    library: &MultiBuffer,
    sealing: Sealing,
    inputs: &Inputs<'_>,
) -> Result<(Vec<u8>, Vec<u8>), Refused> {
    sealing.check_len(inputs.message)?;
    let sealed = SealedJob::new(library, sealing, false, inputs)?;
    let (mut opened, mut tag) = (vec![0; inputs.message.len()], vec![0; inputs.tag_len_bytes]);
    let mut source = Source::default();
    let (src, dst) = (source.of(inputs.message), opened.as_mut_ptr());
    let data = Data { src, len: opened.len(), dst, tag: tag.as_mut_ptr() };
    // SAFETY: the length was checked; an output as long as the message, a tag as long as the job
    // says.
    if unsafe { sealed.run(library, data) } { Ok((opened, tag)) } else { Err(FAILED.into()) }
}

/// CCM in lanes, with zeros as nonce; `None` for ChaCha20-Poly1305, whose jobs are done one by one.
pub(super) fn batch(
    library: &MultiBuffer,
    sealing: Sealing,
    key_life: KeyLife,
    keys: &[&[u8]],
    inputs: &Inputs<'_>,
) -> Option<Result<BatchTagger, Refused>> {
    (sealing == Sealing::Ccm).then(|| in_lanes(library.for_lanes()?, key_life, keys, inputs))
}

fn in_lanes(
    library: Rc<MultiBuffer>,
    key_life: KeyLife,
    keys: &[&[u8]],
    inputs: &Inputs<'_>,
) -> Result<BatchTagger, Refused> {
    let (is_new, tag_len_bytes) = (key_life == KeyLife::NewKey, inputs.tag_len_bytes);
    let mut sealed: Vec<_> = keys
        .iter()
        .map(|key| SealedJob::new(&library, Sealing::Ccm, true, &Inputs { key, ..*inputs }))
        .collect::<Result<_, _>>()?;
    let mut jobs = Vec::with_capacity(sealed.len());
    // The ciphertexts, one behind the other; nobody reads them.
    let mut ciphertexts = Vec::new();
    Ok(Box::new(move |keys, messages, tags| {
        if tags.len() != sealed.len() * tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if messages.len() != sealed.len() || is_new && keys.len() != sealed.len() {
            return Err(WRONG_COUNT);
        }
        for message in messages {
            Sealing::Ccm.check_len(message)?;
        }
        let len_bytes = messages.iter().map(|message| message.len()).sum();
        if ciphertexts.len() != len_bytes {
            ciphertexts.resize(len_bytes, 0_u8);
        }
        let (mut rest, tags) = (&mut ciphertexts[..], tags.chunks_exact_mut(tag_len_bytes));
        jobs.clear();
        for (i, ((sealed, message), tag)) in sealed.iter_mut().zip(messages).zip(tags).enumerate() {
            if is_new {
                sealed.keys.set(&library, keys[i])?;
            }
            let (ciphertext, behind) = rest.split_at_mut(message.len());
            rest = behind;
            let (dst, tag) = (ciphertext.as_mut_ptr(), tag.as_mut_ptr());
            let data = Data { src: start(message), len: message.len(), dst, tag };
            jobs.push((sealed.job, data));
        }
        // SAFETY: for each of them the length was checked, its output is as long as its message and
        // its tag as long as the job says; `sealed` has all that they point to.
        if unsafe { library.run_all(&jobs) } { Ok(()) } else { Err(FAILED) }
    }))
}
