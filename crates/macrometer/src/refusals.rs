//! A policy put to providers: which of what it disallows they compute, and which of what it
//! approves they refuse.

use std::collections::BTreeMap;

use lab::cell::{Candidate, Cell, KeyLife, Regime};
use lab::record::{Offer, ProviderRecord};
use lab::worker::client::{Launch, Worker, WorkerError};
use lab::worker::{Inputs, keys_len_bytes, pool_len_bytes};
use macs::{MacInfo, ShortTags};
use serde::Serialize;

use crate::policies::{Policy, Status};

/// Length of the message that is asked for.
const MESSAGE_BYTES: u64 = 64;

/// What a provider is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// A MAC that the policy approves or allows, with a key and a tag of their usual lengths.
    Approved,
    /// A MAC that the policy disallows.
    Disallowed,
    /// One that it approves or allows, with keys that are too short.
    ShortKey,
    /// One that it approves or allows, with tags that are too short.
    ShortTag,
}

/// What a provider did about one MAC, asked in one way.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// What it was asked for.
    pub question: Question,
    /// The MAC.
    pub mac: &'static str,
    /// The call, where it was one of those that are timed.
    pub key_life: Option<KeyLife>,
    /// The fewest bits of key or tag that may be, where that is what was asked about.
    pub least_bits: Option<usize>,
    /// Who says so: `policy`, or `specification` where the policy names no number.
    pub least_by: Option<&'static str>,
    /// Lengths of the key, or of the tag where that is what was asked about, that it computed with.
    pub computed_bits: Vec<usize>,
    /// Lengths that it refused.
    pub refused_bits: Vec<usize>,
    /// What it said when it first refused.
    pub reason: Option<String>,
}

/// What became of a policy at one provider.
#[derive(Clone, Debug, Serialize)]
pub struct Answers {
    /// Name of the provider.
    pub provider: String,
    /// Its version.
    pub version: String,
    /// Where it is.
    pub path: String,
    /// What it did.
    pub answers: Vec<Answer>,
    /// MACs that the policy disallows which it was tried for and does not give, with what it said.
    pub absent_disallowed: BTreeMap<String, String>,
    /// The same of MACs that the policy approves or allows.
    pub absent_approved: BTreeMap<String, String>,
    /// What ended it early.
    pub ended_by: Option<String>,
}

impl Answers {
    /// Of a provider that was not asked yet.
    pub fn none(provider: &ProviderRecord) -> Self {
        Self {
            provider: provider.name.clone(),
            version: provider.version.clone(),
            path: provider.path.clone(),
            answers: vec![],
            absent_disallowed: BTreeMap::new(),
            absent_approved: BTreeMap::new(),
            ended_by: None,
        }
    }

    /// The answers to one question.
    pub fn to(&self, question: Question) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(move |answer| answer.question == question)
    }
}

/// Puts a policy to a provider. One that dies or hangs is not asked any further.
pub fn ask(launch: &Launch, provider: &ProviderRecord, policy: &Policy) -> Answers {
    let mut told = Answers::none(provider);
    if let Err(error) = ask_all(launch, provider, policy, &mut told) {
        told.ended_by = Some(error.to_string());
    }
    told
}

fn ask_all(
    launch: &Launch,
    provider: &ProviderRecord,
    policy: &Policy,
    told: &mut Answers,
) -> Result<(), WorkerError> {
    let mut worker = Worker::launch(launch, None)?;
    for (mac, reason) in worker.absent()? {
        told.add_absent(policy, mac, reason);
    }
    worker.pool(&vec![0x5A; pool_len_bytes(MESSAGE_BYTES)])?;
    for info in macs::catalog() {
        let Some(offer) = provider.offers.iter().find(|offer| offer.mac == info.name) else {
            continue;
        };
        Asked { worker: &mut worker, info, offer, told }.by(policy)?;
    }
    Ok(())
}

impl Answers {
    /// A mac that a provider does not have, if the policy says anything of it.
    fn add_absent(&mut self, policy: &Policy, mac: String, reason: String) {
        let Some(info) = macs::find(&mac) else { return };
        if policy.admits(info) {
            self.absent_approved.insert(mac, reason);
        } else if policy.status(info) == Status::Disallowed {
            self.absent_disallowed.insert(mac, reason);
        }
    }
}

/// A provider that is asked about one MAC it offers.
struct Asked<'a> {
    worker: &'a mut Worker,
    info: &'static MacInfo,
    offer: &'a Offer,
    told: &'a mut Answers,
}

/// A minimum in bits, and who says so.
type Least = (usize, &'static str);

impl Asked<'_> {
    /// Asks what a policy makes worth asking.
    fn by(&mut self, policy: &Policy) -> Result<(), WorkerError> {
        let usual = [8 * self.info.key_len_bytes];
        match policy.status(self.info) {
            Status::Disallowed => self.keys(Question::Disallowed, &usual, None),
            Status::Approved | Status::Allowed => {
                self.keys(Question::Approved, &usual, None)?;
                self.short_keys(policy)?;
                self.short_tags(policy)
            }
            Status::Legacy | Status::Silent => Ok(()),
        }
    }

    /// Every length of a key below the minimum that the MAC's definition takes, but for none at
    /// all: the timed calls are not made without a key.
    fn short_keys(&mut self, policy: &Policy) -> Result<(), WorkerError> {
        let least = match policy.key_bits_min(self.info) {
            Some(bits) => (bits, "policy"),
            None => (self.info.key_bits_min(), "specification"),
        };
        let takes = |bytes: &usize| self.info.accepted_key_len.accepts(*bytes);
        let short: Vec<usize> = (1..least.0.div_ceil(8)).filter(takes).map(|it| 8 * it).collect();
        if short.is_empty() {
            return Ok(());
        }
        self.keys(Question::ShortKey, &short, Some(least))
    }

    /// Keys of these lengths, in every call that is timed.
    fn keys(
        &mut self,
        question: Question,
        lens_bits: &[usize],
        least: Option<Least>,
    ) -> Result<(), WorkerError> {
        for &key_life in &self.offer.key_lives {
            let mut answer = self.answer(question, Some(key_life), least);
            for &bits in lens_bits {
                let cell = self.cell(key_life, bits);
                let keys: Vec<u8> =
                    (1..=u8::MAX).cycle().take(keys_len_bytes(cell.key_len_bytes)).collect();
                let opened = self.worker.open(0, &cell, &keys, None);
                answer.note(bits, opened.and_then(|()| self.worker.prove(0, 1)))?;
            }
            self.told.answers.push(answer);
        }
        Ok(())
    }

    fn cell(&self, key_life: KeyLife, key_bits: usize) -> Cell {
        let candidate = Candidate {
            mac: self.offer.mac.clone(),
            provider: self.told.provider.clone(),
            kernel: self.offer.kernel.clone(),
        };
        Cell {
            candidate,
            regime: Regime::USUAL,
            key_life,
            len_bytes: MESSAGE_BYTES,
            key_len_bytes: u32::try_from(key_bits / 8).unwrap_or(u32::MAX),
            usual_key: key_bits == 8 * self.info.key_len_bytes,
        }
    }

    /// Every length of a tag below the policy's minimum, where the library is told the length;
    /// other tags are cut by whoever uses them.
    fn short_tags(&mut self, policy: &Policy) -> Result<(), WorkerError> {
        let Some(least_bits) = policy.tag_bits_min(self.info) else { return Ok(()) };
        let takes = match self.info.short_tags() {
            _ if self.info.is_composition() => self.info.accepted_short_tag_len,
            ShortTags::Input(_) => self.info.accepted_tag_len,
            _ => return Ok(()),
        };
        let short: Vec<usize> =
            (1..least_bits.div_ceil(8)).filter(|&bytes| takes.accepts(bytes)).collect();
        if short.is_empty() {
            return Ok(());
        }
        let mut answer = self.answer(Question::ShortTag, None, Some((least_bits, "policy")));
        for bytes in short {
            let outcome = self.tag(bytes);
            answer.note(8 * bytes, outcome)?;
        }
        self.told.answers.push(answer);
        Ok(())
    }

    /// A tag of this length, alone or of a sealed message.
    fn tag(&mut self, tag_len_bytes: usize) -> Result<(), WorkerError> {
        let key: Vec<u8> = (1..=u8::MAX).cycle().take(self.info.key_len_bytes).collect();
        let nonce = vec![0; self.info.nonce.map_or(0, |nonce| nonce.len_bytes)];
        let inputs = Inputs {
            key: &key,
            nonce: &nonce,
            message: b"a message",
            tag_len_bytes,
            ..Inputs::default()
        };
        if self.info.is_composition() {
            return self.worker.seal(self.info.name, &inputs).map(drop);
        }
        for tag in self.worker.tags(self.info.name, &[inputs])? {
            tag.map_err(WorkerError::Refused)?;
        }
        Ok(())
    }

    fn answer(
        &self,
        question: Question,
        key_life: Option<KeyLife>,
        least: Option<Least>,
    ) -> Answer {
        let (least_bits, least_by) = least.unzip();
        let (computed_bits, refused_bits) = (vec![], vec![]);
        let mac = self.info.name;
        Answer {
            question,
            mac,
            key_life,
            least_bits,
            least_by,
            computed_bits,
            refused_bits,
            reason: None,
        }
    }
}

impl Answer {
    /// Takes down what became of a length. What is no refusal ends the worker.
    fn note<T>(&mut self, bits: usize, outcome: Result<T, WorkerError>) -> Result<(), WorkerError> {
        match outcome {
            Ok(_) => self.computed_bits.push(bits),
            Err(error) if error.is_refusal() => {
                self.refused_bits.push(bits);
                self.reason.get_or_insert_with(|| error.to_string());
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
