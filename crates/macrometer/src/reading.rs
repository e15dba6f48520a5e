//! Files that a user names and that are read whole: bounded in length and in time, whatever the
//! name stands for. A pipe may have no writer, and a device no end.

use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};

use crate::output::reason;

/// A study is some kilobytes; this is no study.
pub const STUDY_BYTES_MAX: u64 = 1 << 20;

/// The largest file of test vectors, or table of samples.
pub const TABLE_BYTES_MAX: u64 = 1 << 28;

/// How long a file may take to be read.
const WITHIN: Duration = Duration::from_secs(8);

/// The content of a file; its name is left to the caller's error.
///
/// # Errors
/// When it cannot be read, is longer than `most` bytes, or does not come to an end in time.
pub fn whole(path: &Path, most: u64) -> Result<Vec<u8>> {
    let path = path.to_owned();
    let (sender, receiver) = channel();
    let read = move || {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path);
        let read = file.and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
        // Nobody waits any more after that time.
        let _ = sender.send(read.map(|_| bytes));
    };
    // Opening alone can wait for ever, and cannot be called off: so it is done in a thread, which
    // ends with the process.
    let reader = std::thread::Builder::new().name("reader".into()).spawn(read);
    reader.map_err(|error| anyhow!("no thread could be started to read it: {error}"))?;
    let bytes = match receiver.recv_timeout(WITHIN) {
        Ok(read) => read.map_err(|error| anyhow!(reason(&error)))?,
        Err(RecvTimeoutError::Timeout) => {
            bail!("it did not end within {} s: use a file", WITHIN.as_secs())
        }
        Err(RecvTimeoutError::Disconnected) => bail!("cannot be read"),
    };
    if bytes.len() as u64 > most {
        bail!("more than {most} bytes, the most that is accepted");
    }
    Ok(bytes)
}
