//! The macs that are hash jobs: HMAC, CMAC, Poly1305. One message is a job that is flushed; of
//! many, each takes a lane.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_uint;
use std::ptr::{null, null_mut};
use std::rc::Rc;

use super::keys::{Form, Hash, Keys};
use super::layout::{
    AUTH_AES_CMAC, AUTH_AES_CMAC_256, AUTH_HMAC_SHA_1, AUTH_HMAC_SHA_224, AUTH_HMAC_SHA_256,
    AUTH_HMAC_SHA_384, AUTH_HMAC_SHA_512, AUTH_MD5, AUTH_POLY1305, Data, Job,
};
use super::multi_buffer::{Jobs, MultiBuffer};
use super::source::{Source, start};
use crate::{BatchTagger, Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

/// The library's lanes count in 16 bits; it checks for this length (`MB_MAX_LEN16`).
pub(super) const JOB_LEN_MAX: usize = (1 << 16) - 2;

const FAILED: &str = "the job was not completed";
const EMPTY: &str = "its HMAC does not take empty messages";
const TOO_LONG: &str = "its jobs take at most 65534 bytes of message";

/// A mac that is one hash job.
#[derive(Debug, Clone, Copy)]
pub(super) struct JobMac {
    name: &'static str,
    hash_alg: c_uint,
    tag_len_bytes: usize,
    form: Form,
}

const fn hmac(name: &'static str, hash_alg: c_uint, tag_len_bytes: usize, hash: Hash) -> JobMac {
    JobMac { name, hash_alg, tag_len_bytes, form: Form::Hmac(hash) }
}

const fn block_mac(name: &'static str, hash_alg: c_uint, form: Form) -> JobMac {
    JobMac { name, hash_alg, tag_len_bytes: 16, form }
}

const JOB_MACS: &[JobMac] = &[
    hmac("hmac-md5", AUTH_MD5, 16, Hash::Md5),
    hmac("hmac-sha1", AUTH_HMAC_SHA_1, 20, Hash::Sha(0)),
    hmac("hmac-sha224", AUTH_HMAC_SHA_224, 28, Hash::Sha(1)),
    hmac("hmac-sha256", AUTH_HMAC_SHA_256, 32, Hash::Sha(2)),
    hmac("hmac-sha384", AUTH_HMAC_SHA_384, 48, Hash::Sha(3)),
    hmac("hmac-sha512", AUTH_HMAC_SHA_512, 64, Hash::Sha(4)),
    block_mac("cmac-aes-128", AUTH_AES_CMAC, Form::Cmac),
    block_mac("cmac-aes-256", AUTH_AES_CMAC_256, Form::Cmac),
    block_mac("poly1305", AUTH_POLY1305, Form::Plain),
];

impl JobMac {
    pub(super) fn find(mac: &str) -> Option<&'static Self> {
        JOB_MACS.iter().find(|job_mac| job_mac.name == mac)
    }

    /// Hash bursts complete their jobs in one call, and leave out the queue.
    fn has_hash_burst(&self, library: &MultiBuffer) -> bool {
        match self.form {
            Form::Hmac(Hash::Sha(_)) => true,
            Form::Cmac => library.version.has_cmac_burst,
            _ => false,
        }
    }

    /// Jobs that are submitted without the library's checks must keep its limits.
    #[inline]
    fn check(&self, message: &[u8]) -> Result<(), &'static str> {
        match self.form {
            Form::Plain => Ok(()),
            Form::Hmac(_) if message.is_empty() => Err(EMPTY),
            _ if message.len() > JOB_LEN_MAX => Err(TOO_LONG),
            _ => Ok(()),
        }
    }

    /// Refuses what there is no call for.
    fn check_key_life(&self, key_life: KeyLife) -> Result<(), Refused> {
        match (key_life, self.form) {
            (KeyLife::OneShot, _) => Err(crate::NO_ONE_SHOT),
            (KeyLife::Prepared, Form::Plain) => Err(crate::ONE_MESSAGE_KEY),
            _ => Ok(()),
        }
    }

    /// A message and its tag; of the macs here, CMAC is read behind its end.
    #[inline]
    fn data(&self, message: &[u8], source: &mut Source, tag: &mut [u8]) -> Data {
        let is_cmac = self.form == Form::Cmac;
        let src = if is_cmac { source.of(message) } else { start(message) };
        Data { src, len: message.len(), dst: null_mut(), tag: tag.as_mut_ptr() }
    }

    pub(super) fn tagger(
        &'static self,
        library: &Rc<MultiBuffer>,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        self.check_key_life(key_life)?;
        let (library, is_new) = (Rc::clone(library), key_life == KeyLife::NewKey);
        let mut keys = Keys::new(&library, self.form, inputs.key)?;
        let job = Job::hash(self.hash_alg, self.tag_len_bytes, keys.fields());
        let mut source = Source::default();
        if !self.has_hash_burst(&library) {
            return Ok(Box::new(move |key, message, tag| {
                if tag.len() != self.tag_len_bytes {
                    return Err(WRONG_TAG_LEN);
                }
                self.check(message)?;
                if is_new {
                    keys.set(&library, key)?;
                }
                let data = self.data(message, &mut source, tag);
                // SAFETY: keys in the form of this mac, which are the closure's (`keys.set`); a
                // message of a length that was checked, with `data`; a tag as long as the job
                // says.
                if unsafe { library.run(&job, data) } { Ok(()) } else { Err(FAILED) }
            }));
        }
        let mut jobs = Jobs::new(library.version, &[job]);
        Ok(Box::new(move |key, message, tag| {
            if tag.len() != self.tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            self.check(message)?;
            if is_new {
                keys.set(&library, key)?;
            }
            jobs.set(0, self.data(message, &mut source, tag));
            // SAFETY: keys in the form of this mac, which are the closure's; a message of a length
            // that was checked; a tag as long as the job says; a library that has this call
            // (`has_hash_burst`).
            if unsafe { library.run_hashes(&mut jobs, self.hash_alg) } {
                Ok(())
            } else {
                Err(FAILED)
            }
        }))
    }

    /// As many messages at once as there are keys; `None` for Poly1305, whose jobs are done one by
    /// one.
    pub(super) fn batch(
        &'static self,
        library: &MultiBuffer,
        key_life: KeyLife,
        keys: &[&[u8]],
    ) -> Option<Result<BatchTagger, Refused>> {
        (self.form != Form::Plain).then(|| self.in_lanes(library.for_lanes()?, key_life, keys))
    }

    fn in_lanes(
        &'static self,
        library: Rc<MultiBuffer>,
        key_life: KeyLife,
        keys: &[&[u8]],
    ) -> Result<BatchTagger, Refused> {
        self.check_key_life(key_life)?;
        let is_new = key_life == KeyLife::NewKey;
        let mut kept: Vec<_> =
            keys.iter().map(|key| Keys::new(&library, self.form, key)).collect::<Result<_, _>>()?;
        let templates: Vec<_> = kept
            .iter()
            .map(|keys| Job::hash(self.hash_alg, self.tag_len_bytes, keys.fields()))
            .collect();
        let mut jobs =
            self.has_hash_burst(&library).then(|| Jobs::new(library.version, &templates));
        let none = Data { src: null(), len: 0, dst: null_mut(), tag: null_mut() };
        let mut queued: Vec<_> = templates.into_iter().map(|job| (job, none)).collect();
        let mut sources: Vec<_> = keys.iter().map(|_| Source::default()).collect();
        Ok(Box::new(move |keys, messages, tags| {
            if tags.len() != kept.len() * self.tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            if messages.len() != kept.len() || is_new && keys.len() != kept.len() {
                return Err(WRONG_COUNT);
            }
            for message in messages {
                self.check(message)?;
            }
            if is_new {
                for (kept, key) in kept.iter_mut().zip(keys) {
                    kept.set(&library, key)?;
                }
            }
            let tags = tags.chunks_exact_mut(self.tag_len_bytes);
            for (i, ((message, source), tag)) in
                messages.iter().zip(&mut sources).zip(tags).enumerate()
            {
                let data = self.data(message, source, tag);
                match &mut jobs {
                    Some(jobs) => jobs.set(i, data),
                    None => queued[i].1 = data,
                }
            }
            // SAFETY: keys in the form of this mac, which live as long as the closure; messages of
            // lengths that were checked, with `data`; tags as long as the jobs say;
            // `has_hash_burst`.
            let done = unsafe {
                match &mut jobs {
                    Some(jobs) => library.run_hashes(jobs, self.hash_alg),
                    None => library.run_all(&queued),
                }
            };
            if done { Ok(()) } else { Err(FAILED) }
        }))
    }
}

/// The error of a batch that is not as long as the list of keys it was opened with.
pub(super) const WRONG_COUNT: &str = "as many messages as keys are needed";
