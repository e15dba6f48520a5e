//! Vectors put to providers: what each answers, and whether that is right.

use std::collections::BTreeMap;

use lab::record::ProviderRecord;
use lab::worker::Inputs;
use lab::worker::client::{Launch, Worker, WorkerError};
use vectors::Case;
use words::BLOCK;

/// Cases that are put to a worker in one go.
const ROUND: usize = 64;

/// Longer messages are put to a worker one by one: no round of them has to fit in memory.
const LONG_BYTES: usize = 1 << 20;

/// What became of one case at one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It said what the case says.
    Passed,
    /// It said something else: what.
    Failed(String),
    /// It does not take a valid case: its reason.
    Refused(String),
}

/// What one provider made of the cases it offers a mac for, by the number of the case.
#[derive(Debug)]
pub struct Proof {
    /// Name of the provider.
    pub provider: String,
    /// Number of the case, and what became of it.
    pub verdicts: BTreeMap<usize, Verdict>,
    /// What ended it early.
    pub ended_by: Option<String>,
}

impl Proof {
    /// Cases that this verdict fits.
    pub fn count(&self, fits: impl Fn(&Verdict) -> bool) -> usize {
        self.verdicts.values().filter(|verdict| fits(verdict)).count()
    }
}

/// Puts the cases to a provider. One that dies or hangs fails the case it was asked; what it was
/// not asked any more stays without verdict.
pub fn prove(launch: &Launch, provider: &ProviderRecord, cases: &[Case]) -> Proof {
    let offered = |case: &Case| provider.offers.iter().any(|offer| offer.mac == case.mac);
    let mut proof =
        Proof { provider: provider.name.clone(), verdicts: BTreeMap::new(), ended_by: None };
    let mut worker = match Worker::launch(launch, None) {
        Ok(worker) => worker,
        Err(error) => {
            proof.ended_by = Some(error.to_string());
            return proof;
        }
    };
    let numbers: Vec<usize> = (0..cases.len()).filter(|&i| offered(&cases[i])).collect();
    for round in rounds(&numbers, cases) {
        let asked = if is_sealed(&cases[round[0]]) {
            sealed(&mut worker, round, cases, &mut proof.verdicts)
        } else {
            tagged(&mut worker, round, cases, &mut proof.verdicts)
        };
        if let Err(error) = asked {
            let failed = Verdict::Failed(error.to_string());
            proof.verdicts.entry(round[0]).or_insert(failed);
            proof.ended_by = Some(error.to_string());
            break;
        }
    }
    proof
}

/// One mac after the other: requests of one round are about one mac.
fn rounds<'a>(numbers: &'a [usize], cases: &[Case]) -> Vec<&'a [usize]> {
    let are_alike = |&a: &usize, &b: &usize| {
        cases[a].mac == cases[b].mac && is_sealed(&cases[a]) == is_sealed(&cases[b])
    };
    let is_long = |&number: &usize| cases[number].message.len_bytes > LONG_BYTES;
    let of_mac = |same_mac: &'a [usize]| {
        same_mac.chunks(if same_mac.iter().any(is_long) { 1 } else { ROUND })
    };
    numbers.chunk_by(are_alike).flat_map(of_mac).collect()
}

fn is_sealed(case: &Case) -> bool {
    case.ciphertext.is_some()
}

/// Length of the tag to ask for; `None` when the case shows a tag of a length that is not allowed.
fn tag_len(case: &Case) -> Option<usize> {
    let shown = case.tag.len();
    let block = || macs::ciphers::find(case.mac.strip_prefix(BLOCK)?);
    let whole = match macs::find(&case.mac) {
        Some(info) if info.accepted_short_tag_len.accepts(shown) => shown,
        Some(info) => info.tag_len_bytes,
        None => block()?.primitive.block_len_bytes,
    };
    case.tag_len_bytes(whole)
}

fn inputs<'a>(case: &'a Case, message: &'a [u8], tag_len_bytes: usize) -> Inputs<'a> {
    Inputs {
        key: &case.key,
        nonce: &case.nonce,
        customization: &case.customization,
        associated_data: &case.associated_data,
        message,
        tag_len_bytes,
    }
}

/// A round of cases about one mac.
fn tagged(
    worker: &mut Worker,
    round: &[usize],
    cases: &[Case],
    verdicts: &mut BTreeMap<usize, Verdict>,
) -> Result<(), WorkerError> {
    let mut asked = Vec::new();
    for &number in round {
        match tag_len(&cases[number]) {
            Some(tag_len) => asked.push((number, tag_len, cases[number].message.bytes())),
            None => drop(verdicts.insert(number, of_wrong_len(&cases[number]))),
        }
    }
    let inputs: Vec<Inputs<'_>> =
        asked.iter().map(|(number, len, message)| inputs(&cases[*number], message, *len)).collect();
    let Some((first, ..)) = asked.first() else { return Ok(()) };
    let tags = worker.tags(&cases[*first].mac, &inputs)?;
    for ((number, tag_len, _), tag) in asked.iter().zip(tags) {
        verdicts.insert(*number, of_tag(&cases[*number], *tag_len, tag));
    }
    Ok(())
}

/// The case shows a tag of a length that its mac does not have.
fn of_wrong_len(case: &Case) -> Verdict {
    if case.is_valid {
        return Verdict::Failed("the case's tag does not have the length it states".into());
    }
    Verdict::Passed
}

fn of_tag(case: &Case, tag_len: usize, answer: Result<Vec<u8>, String>) -> Verdict {
    match answer {
        Err(reason) if case.is_valid => Verdict::Refused(reason),
        Err(_) => Verdict::Passed,
        Ok(tag) => {
            let is_equal = tag == case.tag[..tag_len];
            match (is_equal, case.is_valid) {
                (true, true) | (false, false) => Verdict::Passed,
                (true, false) => Verdict::Failed("it accepts an invalid tag".into()),
                (false, true) => Verdict::Failed(format!(
                    "tag {} instead of {}",
                    hex::encode(tag),
                    hex::encode(&case.tag[..tag_len])
                )),
            }
        }
    }
}

/// A round of cases about one composition.
fn sealed(
    worker: &mut Worker,
    round: &[usize],
    cases: &[Case],
    verdicts: &mut BTreeMap<usize, Verdict>,
) -> Result<(), WorkerError> {
    for &number in round {
        let verdict = of_composition(worker, &cases[number])?;
        verdicts.insert(number, verdict);
    }
    Ok(())
}

/// A valid case must be sealed and opened as it says; an invalid one must not open.
fn of_composition(worker: &mut Worker, case: &Case) -> Result<Verdict, WorkerError> {
    let message = case.message.bytes();
    let ciphertext = case.ciphertext.as_deref().unwrap_or_default();
    if case.is_valid {
        match worker.seal(&case.mac, &inputs(case, &message, case.tag.len())) {
            Ok(sealed) if sealed.ciphertext == ciphertext && sealed.tag == case.tag => {}
            Ok(_) => return Ok(Verdict::Failed("sealed differently".into())),
            Err(error) => return refused(error),
        }
    }
    let inputs = inputs(case, ciphertext, case.tag.len());
    let opened = match worker.unseal(&case.mac, &inputs, &case.tag) {
        Ok(opened) => opened,
        Err(error) if case.is_valid => return refused(error),
        Err(error) if error.is_refusal() => return Ok(Verdict::Passed),
        Err(error) => return Err(error),
    };
    Ok(of_opened(opened.as_deref(), case.is_valid.then_some(&message[..])))
}

/// What was opened against the message that is right; none where the tag is not.
fn of_opened(opened: Option<&[u8]>, right: Option<&[u8]>) -> Verdict {
    match (opened, right) {
        (Some(opened), Some(message)) if opened == message => Verdict::Passed,
        (Some(_), Some(_)) => Verdict::Failed("it decrypts to a different message".into()),
        (None, Some(_)) => Verdict::Failed("not opened".into()),
        (Some(_), None) => Verdict::Failed("it accepts an invalid tag".into()),
        (None, None) => Verdict::Passed,
    }
}

/// A refusal is a verdict; anything else ends the worker.
fn refused(error: WorkerError) -> Result<Verdict, WorkerError> {
    if error.is_refusal() { Ok(Verdict::Refused(error.to_string())) } else { Err(error) }
}
