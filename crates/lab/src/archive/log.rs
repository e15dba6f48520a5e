//! The write-ahead log that lies beside an archive. SQLite reads it up to the first frame that is
//! not whole, and says nothing of those behind: after a kill nothing is lost by it, but a damaged
//! disk loses what was kept. So what cannot be read is looked for, and told.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// One that another process writes just now is whole a moment later.
const MOMENT: Duration = Duration::from_millis(200);

/// The log of an archive.
pub(super) fn beside(archive: &Path) -> PathBuf {
    let mut log = archive.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// What is to be told of the log of an archive that is opened, if anything.
pub(super) fn trouble(archive: &Path) -> Option<String> {
    let log = beside(archive);
    let before = fs::read(&log).ok()?;
    let (good, all) = frames(&before)?;
    std::thread::sleep(MOMENT);
    if fs::read(&log).ok()? != before {
        return None;
    }
    Some(format!(
        "{}: its log can be read up to frame {good} of {all}; what was written after that is lost \
         (a killed process leaves one such frame, a power failure or a damaged disk more)",
        archive.display()
    ))
}

/// Frames that are whole, and how far those of this log reach; `None` where all are whole. Frames
/// of an earlier log may follow: they are to be there.
fn frames(log: &[u8]) -> Option<(usize, usize)> {
    if log.is_empty() {
        return None;
    }
    let word = |at: usize| {
        let bytes: Option<[u8; 4]> = log.get(at..at + 4).and_then(|it| it.try_into().ok());
        bytes.map(u32::from_be_bytes)
    };
    let is_big_endian = word(0)? & 1 == 1;
    let page_bytes = match word(8)? {
        1 => 1 << 16,
        bytes => bytes as usize,
    };
    let frame_bytes = FRAME_HEADER_BYTES + page_bytes.clamp(512, 1 << 16);
    let all = log.len().saturating_sub(HEADER_BYTES).div_ceil(frame_bytes);
    let mut sum = Sum { is_big_endian, state: (0, 0) };
    sum.add(&log[..24.min(log.len())]);
    let is_ours = word(0)? & !1 == 0x377f_0682 && word(4)? == 3_007_000;
    if !is_ours || Some(sum.state) != word(24).zip(word(28)) {
        return (all > 0).then_some((0, all));
    }
    let salts = (word(16), word(20));
    let begin = |frame: usize| HEADER_BYTES + frame * frame_bytes;
    let mut good = 0;
    while let Some(frame) = log.get(begin(good)..begin(good + 1)) {
        let at = begin(good);
        sum.add(&frame[..8]);
        sum.add(&frame[FRAME_HEADER_BYTES..]);
        let is_whole = Some(sum.state) == word(at + 16).zip(word(at + 20));
        if !is_whole || (word(at + 8), word(at + 12)) != salts {
            break;
        }
        good += 1;
    }
    // One of the two would be damaged by chance; frames of an earlier log have others in both.
    let is_of_this = |frame: &usize| {
        let at = begin(*frame);
        word(at + 8) == salts.0 || word(at + 12) == salts.1
    };
    let last = (good..all).rev().find(is_of_this)?;
    Some((good, last + 1))
}

/// SQLite's checksum of its log.
struct Sum {
    is_big_endian: bool,
    state: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let (mut a, mut b) = self.state;
        for pair in bytes.chunks_exact(8) {
            let word = |at: usize| {
                let bytes = [pair[at], pair[at + 1], pair[at + 2], pair[at + 3]];
                if self.is_big_endian {
                    u32::from_be_bytes(bytes)
                } else {
                    u32::from_le_bytes(bytes)
                }
            };
            a = a.wrapping_add(word(0)).wrapping_add(b);
            b = b.wrapping_add(word(4)).wrapping_add(a);
        }
        self.state = (a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log that a process leaves which is killed.
    fn log() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let store = rusqlite::Connection::open(&path).unwrap();
        store.pragma_update(None, "journal_mode", "WAL").unwrap();
        store.execute_batch("CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(9999))").unwrap();
        store.execute_batch("INSERT INTO a VALUES (randomblob(20000))").unwrap();
        fs::read(beside(&path)).unwrap()
    }

    #[test]
    fn a_flipped_bit_anywhere_in_the_log_is_seen_and_a_whole_one_is_whole() {
        let log = log();
        assert_eq!(frames(&log), None);
        assert_eq!(frames(&[]), None);
        let count = (log.len() - HEADER_BYTES) / (FRAME_HEADER_BYTES + 4096);
        assert!(count > 6);
        for at in (0..HEADER_BYTES + FRAME_HEADER_BYTES).chain((100..log.len()).step_by(97)) {
            let mut damaged = log.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(frames(&damaged).is_some(), "byte {at}");
        }
        let cut = &log[..log.len() - 5000];
        assert_eq!(frames(cut), Some((count - 2, count - 1)));
    }

    #[test]
    fn frames_of_an_earlier_log_are_no_damage() {
        let mut log = log();
        let frame = FRAME_HEADER_BYTES + 4096;
        let earlier = log.len() - 2 * frame;
        for begin in [earlier, earlier + frame] {
            log[begin + 8..begin + 16].copy_from_slice(&[7; 8]);
        }
        assert_eq!(frames(&log), None);
    }
}
