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

/// Longest message.
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
        let offering: Vec<&Launch> = launches
            .iter()
            .zip(providers)
            .filter(|(_, provider)| provider.offers.iter().any(|offer| offer.mac == info.name))
            .map(|(launch, _)| launch)
            .collect();
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
    let mut workers = Vec::new();
    for launch in offering {
        workers.push(match idle.remove(&launch.name) {
            Some(worker) => worker,
            None => Worker::launch(launch, None)?,
        });
    }
    let mut rng = StdRng::seed_from_u64(seed);
    let mut different = vec![0_usize; workers.len()];
    let mut refused = vec![(0_usize, String::new()); workers.len()];
    let mut first_different: Vec<Option<String>> = vec![None; workers.len()];
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
            let mut is_equal = true;
            for (worker, answers_of_it) in answers.iter().enumerate() {
                match (&answers_of_it[i], &answers[0][i]) {
                    (Err(reason), _) => refused[worker] = (refused[worker].0 + 1, reason.clone()),
                    (Ok(answer), Ok(first)) if answer != first => {
                        is_equal = false;
                        different[worker] += 1;
                        first_different[worker].get_or_insert_with(|| random.words());
                    }
                    _ => {}
                }
            }
            let answered = answers.iter().filter(|answers| answers[i].is_ok()).count();
            agreement.equal += usize::from(is_equal && answered >= 2);
        }
    }
    let names = |worker: usize| (info.name, offering[worker].name.as_str());
    for (worker, words) in first_different.into_iter().enumerate() {
        let (mac, name) = names(worker);
        agreement.differences.extend(words.map(|words| {
            let (of, first) = (different[worker], &offering[0].name);
            format!("{mac}: {name} differs from {first} on {of} of {count}, first on {words}")
        }));
    }
    for (worker, (times, reason)) in refused.into_iter().enumerate().filter(|(_, (n, _))| *n > 0) {
        let (mac, name) = names(worker);
        agreement.refusals.push(format!("{name}: {mac}: {times} random inputs: {reason}"));
    }
    idle.extend(offering.iter().map(|launch| launch.name.clone()).zip(workers));
    Ok(())
}

/// The tags; for a composition ciphertexts and tags, joined.
fn ask(
    worker: &mut Worker,
    info: &MacInfo,
    round: &[Random],
) -> Result<Vec<Result<Vec<u8>, String>>, WorkerError> {
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
