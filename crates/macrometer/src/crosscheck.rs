//! Providers held against each other on random inputs.

use std::collections::BTreeMap;

use lab::record::ProviderRecord;
use lab::worker::Inputs;
use lab::worker::client::{Launch, Worker, WorkerError};
use macs::{Len, MacInfo};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Inputs that are put to the workers in one go.
const ROUND: usize = 256;

/// Longest message but for now and then one of [`LONG_BYTES`].
const USUAL_BYTES: usize = 300;

/// Longest of the random messages.
const LONG_BYTES: usize = 5000;

/// Longest key where any length is taken: longer than every block.
const KEY_BYTES: usize = 200;

/// What holding the providers against each other has shown.
#[derive(Debug, Default)]
pub struct Agreement {
    /// Macs that two providers or more have.
    pub macs: usize,
    /// Inputs on which all of them gave the same answer.
    pub equal: usize,
    /// A line for each mac and provider that differed, with the first input it did so on.
    pub differences: Vec<String>,
    /// A line for each mac and provider that refused inputs.
    pub refusals: Vec<String>,
}

/// One input, with what is behind the slices of [`Inputs`].
struct Random {
    key: Vec<u8>,
    nonce: Vec<u8>,
    customization: Vec<u8>,
    associated_data: Vec<u8>,
    message: Vec<u8>,
    tag_len_bytes: usize,
}

/// What a worker computes, or why it refuses to.
type Answer = Result<Vec<u8>, String>;

/// What the answers of one provider have shown of one mac.
#[derive(Default)]
struct Seen {
    /// How many differ from those of the first provider.
    different: usize,
    /// The input of the first such answer.
    first_different: Option<String>,
    refused: usize,
    last_reason: String,
}

/// Asks for `count` random inputs a mac. The inputs follow from the seed.
pub fn crosscheck(
    launches: &[Launch],
    providers: &[ProviderRecord],
    count: usize,
    seed: u64,
) -> Agreement {
    let mut agreement = Agreement::default();
    let mut idle = BTreeMap::new();
    for info in macs::catalog() {
        let offers = |of: &ProviderRecord| of.offers.iter().any(|offer| offer.mac == info.name);
        let offering = launches.iter().zip(providers).filter(|(_, provider)| offers(provider));
        let offering: Vec<&Launch> = offering.map(|(launch, _)| launch).collect();
        if offering.len() < 2 {
            continue;
        }
        agreement.macs += 1;
        if let Err(error) = one_mac(info, &offering, (count, seed), &mut idle, &mut agreement) {
            agreement.differences.push(format!("{}: {error}", info.name));
        }
    }
    agreement
}

/// Compares all with the first, which is our own library where it takes part. Workers are taken
/// from those that are idle, and given back unless one has failed.
fn one_mac(
    info: &'static MacInfo,
    offering: &[&Launch],
    (count, seed): (usize, u64),
    idle: &mut BTreeMap<String, Worker>,
    agreement: &mut Agreement,
) -> Result<(), WorkerError> {
    let mut workers = started(offering, idle)?;
    let mut seen: Vec<Seen> = offering.iter().map(|_| Seen::default()).collect();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut left = count;
    while left > 0 {
        let round: Vec<Random> =
            (0..left.min(ROUND)).map(|_| Random::new(info, &mut rng)).collect();
        left -= round.len();
        let mut answers = Vec::new();
        for worker in &mut workers {
            answers.push(ask(worker, info, &round)?);
        }
        for (i, random) in round.iter().enumerate() {
            let answers: Vec<&Answer> = answers.iter().map(|of_worker| &of_worker[i]).collect();
            agreement.equal += usize::from(are_equal(&answers, random, &mut seen));
        }
    }
    agreement.add(info.name, offering, count, seen);
    idle.extend(offering.iter().map(|launch| launch.name.clone()).zip(workers));
    Ok(())
}

fn started(
    offering: &[&Launch],
    idle: &mut BTreeMap<String, Worker>,
) -> Result<Vec<Worker>, WorkerError> {
    let worker = |launch: &&Launch| match idle.remove(&launch.name) {
        Some(worker) => Ok(worker),
        None => Worker::launch(launch, None),
    };
    offering.iter().map(worker).collect()
}

/// Whether two or more have answered one input, and all of them alike; the answers are counted.
fn are_equal(answers: &[&Answer], random: &Random, seen: &mut [Seen]) -> bool {
    let mut is_equal = true;
    for (answer, seen) in answers.iter().zip(seen) {
        match (answer, answers[0]) {
            (Err(reason), _) => {
                seen.refused += 1;
                seen.last_reason.clone_from(reason);
            }
            (Ok(answer), Ok(first)) if answer != first => {
                is_equal = false;
                seen.different += 1;
                seen.first_different.get_or_insert_with(|| random.words());
            }
            _ => {}
        }
    }
    is_equal && answers.iter().filter(|answer| answer.is_ok()).count() >= 2
}

impl Agreement {
    /// What the answers of those that offer a mac have shown on `count` inputs.
    fn add(&mut self, mac: &str, offering: &[&Launch], count: usize, seen: Vec<Seen>) {
        for (launch, seen) in offering.iter().zip(seen) {
            let (name, first) = (&launch.name, &offering[0].name);
            if let Some(words) = seen.first_different {
                let of = seen.different;
                self.differences.push(format!(
                    "{mac}: {name} differs from {first} on {of} of {count}, first on {words}"
                ));
            }
            if seen.refused > 0 {
                let (times, reason) = (seen.refused, seen.last_reason);
                self.refusals.push(format!("{name}: {mac}: {times} random inputs: {reason}"));
            }
        }
    }
}

/// The tags; for a composition ciphertexts and tags, joined.
fn ask(worker: &mut Worker, info: &MacInfo, round: &[Random]) -> Result<Vec<Answer>, WorkerError> {
    let inputs: Vec<Inputs<'_>> = round.iter().map(Random::inputs).collect();
    if !info.is_composition() {
        return worker.tags(info.name, &inputs);
    }
    let mut answers = Vec::new();
    for inputs in &inputs {
        answers.push(match worker.seal(info.name, inputs) {
            Ok(sealed) => Ok([sealed.ciphertext, sealed.tag].concat()),
            Err(error) if error.is_refusal() => Err(error.to_string()),
            Err(error) => return Err(error),
        });
    }
    Ok(answers)
}

impl Random {
    fn new(info: &MacInfo, rng: &mut StdRng) -> Self {
        let mut bytes = |len: usize| -> Vec<u8> { (0..len).map(|_| rng.random()).collect() };
        let mut nonce = bytes(info.nonce.map_or(0, |nonce| nonce.len_bytes));
        // VMAC takes nonces below 2^127 only.
        nonce.first_mut().into_iter().for_each(|first| *first &= 0x7f);
        let key_len = match info.accepted_key_len {
            Len::Any => rng.random_range(0..=KEY_BYTES),
            _ => info.key_len_bytes,
        };
        let longest = if rng.random_ratio(1, 16) { LONG_BYTES } else { USUAL_BYTES };
        let message_len = rng.random_range(0..=longest);
        let associated_len = if info.is_composition() { rng.random_range(0..=64) } else { 0 };
        let mut bytes = |len: usize| -> Vec<u8> { (0..len).map(|_| rng.random()).collect() };
        Self {
            key: bytes(key_len),
            nonce,
            customization: Vec::new(),
            associated_data: bytes(associated_len),
            message: bytes(message_len),
            tag_len_bytes: info.tag_len_bytes,
        }
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            key: &self.key,
            nonce: &self.nonce,
            customization: &self.customization,
            associated_data: &self.associated_data,
            message: &self.message,
            tag_len_bytes: self.tag_len_bytes,
        }
    }

    /// The input for whoever wants to see the difference again: random bytes, no secrets.
    fn words(&self) -> String {
        let parts = [
            ("key", &self.key),
            ("nonce", &self.nonce),
            ("associated data", &self.associated_data),
            ("message", &self.message),
        ];
        let shown = parts.iter().filter(|(_, bytes)| !bytes.is_empty());
        shown
            .map(|(name, bytes)| format!("{name} {}", hex::encode(bytes)))
            .collect::<Vec<_>>()
            .join(", ")
    }
}
