//! Many messages under many keys in one call.
#![expect(unsafe_code, reason = "functions that C calls by name")]
#![expect(non_camel_case_types, reason = "the names of the header")]

use std::ffi::c_char;
use std::mem::MaybeUninit;

use macs::{Batch, Job};

use super::options::{Options, find, macs_options};
use super::pointers::{Lent, apart, array, clear, give, lend, name as text, null, read};
use super::status::macs_status::{self, MACS_BAD_INDEX, MACS_BAD_TAG_LEN};
use super::status::{guard, refused, said};

/// Keys of one mac, all set up. As long as nobody changes it, any number of threads may use it at
/// once, without a lock.
pub struct macs_batch {
    batch: Batch,
}

/// One message of many.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct macs_job {
    /// Which of the batch's keys, counted from 0.
    pub key_index: usize,
    /// The nonce; null for a mac that takes none.
    pub nonce: *const u8,
    /// Its length in bytes; 0 for a mac that takes none.
    pub nonce_len: usize,
    /// The message.
    pub message: *const u8,
    /// Its length in bytes.
    pub message_len: usize,
}

/// Sets up `count` keys for the mac of this name: `keys[i]` has `key_lens[i]` bytes. `options` may
/// be null; a tag of another length or a customization string is not to be had here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_batch_new(
    name: *const c_char,
    keys: *const *const u8,
    key_lens: *const usize,
    count: usize,
    options: *const macs_options,
    out: Option<&mut MaybeUninit<*mut macs_batch>>,
) -> macs_status {
    guard(|| {
        give(out, || {
            // SAFETY: the header asks for a text, two arrays of `count`, keys of the lengths in the
            // second, and a structure of the size said, none of which changes during the call.
            let (name, keys, options) =
                unsafe { (text(name)?, all_keys(keys, key_lens, count)?, Options::of(options)?) };
            options.are_only("a batch", [false, true, false, false])?;
            let mut batch = Batch::with_info(find(name)?, &keys).map_err(refused)?;
            if let Some(len) = options.nonce_len {
                batch = batch.with_nonce_len(len).map_err(refused)?;
            }
            Ok(macs_batch { batch })
        })
    })
}

/// Sets up other keys in the place of those from number `first` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_batch_change(
    batch: Option<&mut macs_batch>,
    first: usize,
    keys: *const *const u8,
    key_lens: *const usize,
    count: usize,
) -> macs_status {
    guard(|| {
        let batch = &mut batch.ok_or_else(|| null("batch"))?.batch;
        // SAFETY: the header asks for two arrays of `count`, and for keys of the lengths in the
        // second, which stay as they are during the call.
        let keys = unsafe { all_keys(keys, key_lens, count) }?;
        if first > batch.keys() || keys.len() > batch.keys() - first {
            let text = format_args!(
                "keys {first} to {}: the batch has {}",
                first.saturating_add(keys.len()),
                batch.keys()
            );
            return Err(said(MACS_BAD_INDEX, text));
        }
        batch.rekey(first, &keys).map_err(refused)
    })
}

/// Wipes the keys and frees them. Nothing happens to a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn macs_batch_free(batch: Option<Box<macs_batch>>) {
    guard(|| {
        drop(batch);
        Ok(())
    });
}

/// The tags of `count` messages, one behind the other in the order of the jobs: `tags_len` must be
/// `count` times the length of a tag (`tag_len` of `macs_describe`). If any job is refused, no tag
/// is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_batch_tags(
    batch: Option<&macs_batch>,
    jobs: *const macs_job,
    count: usize,
    tags: *mut u8,
    tags_len: usize,
) -> macs_status {
    guard(|| {
        let batch = &batch.ok_or_else(|| null("batch"))?.batch;
        let written = ("tags", tags.cast_const(), tags_len);
        // SAFETY: the header asks for an array of `count` jobs, and in each for nonce and message
        // as long as it says, which stay as they are during the call.
        let jobs = unsafe { all_jobs(batch, jobs, count, Some(written)) }?;
        // SAFETY: the header asks for `tags_len` bytes that nobody else uses during the call; that
        // they are apart from the jobs and all that these name was found above.
        let ([], [tags]) = unsafe { lend([], [("tags", tags, tags_len)]) }?;
        check_len(batch, count, tags_len)?;
        batch.macs_into(&jobs, tags).map_err(refused)
    })
}

/// Checks the tags of `count` messages, each in constant time: `MACS_OK` if all are right,
/// `MACS_MISMATCH` if any is not. Unless it is null, `are_right` has a place for each, which is set
/// to 1 or 0, and to 0 if anything is refused; but for memory that overlaps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_batch_verify(
    batch: Option<&macs_batch>,
    jobs: *const macs_job,
    count: usize,
    tags: *const u8,
    tags_len: usize,
    are_right: *mut u8,
) -> macs_status {
    guard(|| {
        let places = if are_right.is_null() { 0 } else { count };
        let (read, written) = (("tags", tags, tags_len), ("are_right", are_right, places));
        // SAFETY: the header asks for an array of `count` jobs that is not written during the call,
        // and, unless it is null, for a byte for each job that nobody else uses.
        unsafe { clear(written, all_read(jobs, count).chain([read])) }?;
        let batch = &batch.ok_or_else(|| null("batch"))?.batch;
        // SAFETY: the header asks for an array of `count` jobs, and for what they name not to be
        // written during the call.
        let jobs = unsafe { all_jobs(batch, jobs, count, None) }?;
        // SAFETY: the header asks for `tags_len` bytes of tags and, unless it is null, a byte for
        // each job; that the latter are apart from the jobs was found above.
        let ([tags], [told]) = unsafe { lend([read], [written]) }?;
        check_len(batch, count, tags_len)?;
        let mut are_right = vec![false; jobs.len()];
        batch.verify_each(&jobs, tags, &mut are_right).map_err(refused)?;
        for (told, is_right) in told.iter_mut().zip(&are_right) {
            *told = (*is_right).into();
        }
        let all_right = are_right.into_iter().all(|is_right| is_right);
        if all_right { Ok(()) } else { Err(refused(macs::Error::TagMismatch)) }
    })
}

/// # Safety
/// `keys` and `key_lens` must have `count` elements, and each key the length that is said; nobody
/// may write any of it during the call.
unsafe fn all_keys<'a>(
    keys: *const *const u8,
    key_lens: *const usize,
    count: usize,
) -> Result<Vec<&'a [u8]>, macs_status> {
    // SAFETY: the caller's promise of two arrays.
    let (keys, key_lens) =
        unsafe { (array("keys", keys, count)?, array("key_lens", key_lens, count)?) };
    let mut all = Vec::with_capacity(count);
    for (key, len) in keys.iter().zip(key_lens) {
        // SAFETY: the caller's promise of each key's length.
        all.push(unsafe { read(("keys[i]", *key, *len)) }?);
    }
    Ok(all)
}

/// Whether this is the length of `count` tags.
fn check_len(batch: &Batch, count: usize, tags_len: usize) -> Result<(), macs_status> {
    let info = batch.info();
    let right = count.saturating_mul(info.tag_len_bytes);
    if tags_len == right {
        return Ok(());
    }
    let text =
        format_args!("`tags_len` is {tags_len}: {count} tags of {} have {right} bytes", info.name);
    Err(said(MACS_BAD_TAG_LEN, text))
}

/// The memory of the jobs, and all that they name.
///
/// # Safety
/// `jobs` must have `count` elements, if it is an array at all; nobody may write them during the
/// call.
unsafe fn all_read<'a>(jobs: *const macs_job, count: usize) -> impl Iterator<Item = Lent> + 'a {
    // SAFETY: the caller's promise. What is no array is refused where it is read.
    let given = unsafe { array("jobs", jobs, count) }.unwrap_or_default();
    let jobs = ("jobs", jobs.cast(), count.saturating_mul(size_of::<macs_job>()));
    let named = |job: &macs_job| {
        let nonce = ("jobs[i].nonce", job.nonce, job.nonce_len);
        [nonce, ("jobs[i].message", job.message, job.message_len)]
    };
    [jobs].into_iter().chain(given.iter().flat_map(named))
}

/// The jobs, each under a key that there is, with nothing that is about to be written.
///
/// # Safety
/// `jobs` must have `count` elements, and nonce and message of each the lengths that it says;
/// nobody may write any of it during the call.
unsafe fn all_jobs<'a>(
    batch: &Batch,
    jobs: *const macs_job,
    count: usize,
    written: Option<Lent>,
) -> Result<Vec<Job<'a>>, macs_status> {
    // SAFETY: the caller's promise of an array.
    let given = unsafe { array("jobs", jobs, count) }?;
    let keys = batch.keys();
    if let Some(written) = written {
        apart(written, ("jobs", jobs.cast(), size_of_val(given)))?;
    }
    let mut all = Vec::with_capacity(count);
    for job in given {
        if job.key_index >= keys {
            let text = format_args!("job {}: key {} of {keys}", all.len(), job.key_index);
            return Err(said(MACS_BAD_INDEX, text));
        }
        let nonce = ("jobs[i].nonce", job.nonce, job.nonce_len);
        let message = ("jobs[i].message", job.message, job.message_len);
        // SAFETY: the caller's promise of what each job names.
        let (nonce_bytes, message_bytes) = unsafe { (read(nonce)?, read(message)?) };
        if let Some(written) = written {
            apart(written, nonce).and_then(|()| apart(written, message))?;
        }
        all.push(Job::new(job.key_index, message_bytes).with_nonce(nonce_bytes));
    }
    Ok(all)
}

/// Threads share batches: the compiler says that they may.
const fn is_shared<T: Send + Sync>() {}
const _: () = is_shared::<macs_batch>();
