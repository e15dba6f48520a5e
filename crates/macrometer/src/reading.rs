//! Files that a user names and that are read whole: bounded in length and in time, whatever the
//! name stands for. A pipe may have no writer, and a device no end.

use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};

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
    let within = format!("it did not end within {} s: use a file", WITHIN.as_secs());
    // Opening alone can wait for ever.
    let bytes = Awaited::of(most, move || std::fs::File::open(path))?.by(WITHIN, &within)?;
    if bytes.len() as u64 > most {
        bail!("more than {most} bytes, the most that is accepted");
    }
    Ok(bytes)
}

/// The text of a file as short as a study; `what` it is stands in errors.
///
/// # Errors
/// As [`whole`], or when it is no text.
pub fn text_of(what: &str, name: &str) -> Result<String> {
    let bytes = whole(Path::new(name), STUDY_BYTES_MAX);
    let bytes = bytes.map_err(|error| anyhow!("cannot read {what} {name}: {error}"))?;
    String::from_utf8(bytes).map_err(|_| anyhow!("{name}: not a text file"))
}

/// The content of a file as text.
///
/// # Errors
/// Naming the first line and byte that is none.
pub fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let (sound, rest) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let line = 1 + sound.iter().filter(|&&byte| byte == b'\n').count();
        let byte = rest.first().copied().unwrap_or_default();
        anyhow!("line {line}: is not UTF-8 (byte 0x{byte:02X}): save it as UTF-8")
    })
}

/// What is being read by a thread: reading cannot be called off, and may wait for ever.
struct Awaited(Receiver<std::io::Result<Vec<u8>>>);

impl Awaited {
    /// Of what is opened, one byte more than `most` at most.
    fn of<R: Read>(
        most: u64,
        open: impl FnOnce() -> std::io::Result<R> + Send + 'static,
    ) -> Result<Self> {
        let (sender, receiver) = channel();
        let read = move || {
            let mut bytes = Vec::new();
            let read = open().and_then(|it| it.take(most + 1).read_to_end(&mut bytes));
            // Nobody may wait any more. The thread ends with the process at the latest.
            let _ = sender.send(read.map(|_| bytes));
        };
        let reader = std::thread::Builder::new().name("reader".into()).spawn(read);
        reader.map_err(|error| anyhow!("no thread could be started to read it: {error}"))?;
        Ok(Self(receiver))
    }

    /// What was read, where it came to an end within a time.
    fn by(self, within: Duration, otherwise: &str) -> Result<Vec<u8>> {
        match self.0.recv_timeout(within) {
            Ok(read) => read.map_err(|error| anyhow!(words::reason(&error))),
            Err(RecvTimeoutError::Timeout) => bail!("{otherwise}"),
            Err(RecvTimeoutError::Disconnected) => bail!("cannot be read"),
        }
    }
}
