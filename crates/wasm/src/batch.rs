//! Many messages under many keys in one call.

use macs::{Batch, Job};

use crate::areas::Output;
use crate::catalog::row;
use crate::objects::{Object, Objects};
use crate::refused::Refused;

pub fn new_batch(
    objects: &mut Objects,
    number: u32,
    nonce_len: u32,
    [lens, keys]: [&[u8]; 2],
) -> Result<u32, Refused> {
    let mut rest = keys;
    let keys = numbers(lens).map(|len| {
        let (key, behind) = rest.split_at_checked(len).ok_or(Refused::Outside)?;
        rest = behind;
        Ok(key)
    });
    let keys = keys.collect::<Result<Vec<_>, Refused>>()?;
    let mut batch = Batch::with_info(row(number)?, &keys)?;
    if nonce_len != u32::MAX {
        batch = batch.with_nonce_len(nonce_len as usize)?;
    }
    Ok(objects.add(Object::Batch(batch)))
}

/// What a batch has to do: message i is `data[offsets[i]..offsets[i + 1]]`, under the key of the
/// number `index[i]`. Nonces lie one behind the other, all of one length.
type Work<'a> = [&'a [u8]; 4];

fn jobs<'a>(
    batch: &Batch,
    [offsets, index, nonces, data]: Work<'a>,
) -> Result<Vec<Job<'a>>, Refused> {
    let count = index.len() / 4;
    let nonce_len = nonces.len().checked_div(count).unwrap_or(0);
    let begins = numbers(offsets);
    let ends = numbers(offsets).skip(1);
    let job = |(at, (key, (begin, end)))| {
        let message = data.get(begin..end).ok_or(Refused::Outside)?;
        let nonce = nonces.get(at * nonce_len..(at + 1) * nonce_len).ok_or(Refused::Outside)?;
        if key >= batch.keys() {
            return Err(Refused::Outside);
        }
        Ok(Job::new(key, message).with_nonce(nonce))
    };
    numbers(index).zip(begins.zip(ends)).enumerate().map(job).collect()
}

pub fn tags(
    objects: &Objects,
    output: &mut Output,
    number: u32,
    work: Work<'_>,
) -> Result<(), Refused> {
    let batch = objects.batch(number)?;
    let jobs = jobs(batch, work)?;
    let tags = output.bytes(jobs.len() * batch.tag_len_bytes())?;
    Ok(batch.macs_into(&jobs, tags)?)
}

/// A byte for each tag, 1 if it is right.
pub fn verify(
    objects: &Objects,
    output: &mut Output,
    number: u32,
    work: Work<'_>,
    tags: &[u8],
) -> Result<(), Refused> {
    let batch = objects.batch(number)?;
    let jobs = jobs(batch, work)?;
    let mut are_right = vec![false; jobs.len()];
    batch.verify_each(&jobs, tags, &mut are_right)?;
    let said = output.bytes(jobs.len())?;
    for (said, is_right) in said.iter_mut().zip(are_right) {
        *said = u8::from(is_right);
    }
    Ok(())
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = usize> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word) as usize)
}
