//! The write-ahead log that lies beside an archive. SQLite reads it up to the first frame that is
//! not whole, and says nothing of those behind: after a kill nothing is lost by it, but a damaged
//! disk loses what was kept. So what cannot be read is looked for, and told.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use super::beside::{WAL, beside};

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// One that another process writes just now is whole a moment later.
const MOMENT: Duration = Duration::from_millis(200);

/// A log that cannot be read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trouble {
    /// Frames that are whole.
    good: u64,
    /// How many there were.
    all: u64,
}

impl Trouble {
    /// What is wrong with the log, if anything.
    pub(super) fn of(archive: &Path) -> Option<Self> {
        let look = || frames(&mut File::open(beside(archive, WAL)).ok()?).ok()?;
        let first: Self = look()?;
        std::thread::sleep(MOMENT);
        look().filter(|second| *second == first)
    }

    /// The same in words.
    pub(super) fn told(self) -> String {
        let Self { good, all } = self;
        format!(
            "its write-ahead log can be read up to frame {good} of {all}; what was written after \
             that cannot be read (a power failure, a damaged disk or a cut file leaves such a \
             log, and now and then a killed process)"
        )
    }
}

/// What is wrong with a log; `None` where all frames are whole. Frames of an earlier log may
/// follow: they are to be there, and so is what lies behind them.
fn frames(log: &mut (impl Read + Seek)) -> io::Result<Option<Trouble>> {
    let bytes = log.seek(SeekFrom::End(0))?;
    log.rewind()?;
    let mut header = [0; HEADER_BYTES];
    if bytes < HEADER_BYTES as u64 {
        return Ok((bytes > 0).then_some(Trouble { good: 0, all: 1 }));
    }
    log.read_exact(&mut header)?;
    let page_bytes = match word(&header, 8) {
        1 => 1 << 16,
        bytes => bytes as usize,
    };
    let mut frame = vec![0; FRAME_HEADER_BYTES + page_bytes.clamp(512, 1 << 16)];
    let all = (bytes - HEADER_BYTES as u64).div_ceil(frame.len() as u64);
    let mut sum = Sum { is_big_endian: word(&header, 0) & 1 == 1, state: (0, 0) };
    sum.add(&header[..24]);
    let is_ours = word(&header, 0) & !1 == 0x377f_0682 && word(&header, 4) == 3_007_000;
    if !is_ours || sum.state != (word(&header, 24), word(&header, 28)) {
        return Ok((all > 0).then_some(Trouble { good: 0, all }));
    }
    let own = salts(&header, 16);
    let whole = (bytes - HEADER_BYTES as u64) / frame.len() as u64;
    let mut good = 0;
    while good < whole {
        log.read_exact(&mut frame)?;
        sum.add(&frame[..8]);
        sum.add(&frame[FRAME_HEADER_BYTES..]);
        if sum.state != salts(&frame, 16) || salts(&frame, 8) != own {
            break;
        }
        good += 1;
    }
    // The header of a frame is written before its page: a writer that is killed may leave it alone.
    let cut = (bytes - HEADER_BYTES as u64) % frame.len() as u64;
    if whole < all && cut != FRAME_HEADER_BYTES as u64 {
        return Ok(Some(Trouble { good, all }));
    }
    Ok(lost(log, good..whole, frame.len() as u64, own)?.map(|all| Trouble { good, all }))
}

/// How many frames there are up to the last that is lost of these, which the log of these salts
/// cannot be read beyond; `None` where none is.
fn lost(
    log: &mut (impl Read + Seek),
    unread: Range<u64>,
    frame_bytes: u64,
    own: (u32, u32),
) -> io::Result<Option<u64>> {
    let (mut last, mut is_lost, mut is_earlier) = (unread.start, false, false);
    for at in unread {
        log.seek(SeekFrom::Start(HEADER_BYTES as u64 + at * frame_bytes))?;
        let mut begin = [0; 16];
        log.read_exact(&mut begin)?;
        let (first, second) = salts(&begin, 8);
        // One of the two would be damaged by chance; frames of an earlier log have others in both.
        if first == own.0 || second == own.1 {
            last = at + 1;
            // The last frame of a transaction has the size of the database.
            is_lost |= word(&begin, 4) != 0;
        } else if (first, second) == (0, 0) && !is_earlier {
            // SQLite writes no zeros there: the power failed when the file was longer already, and
            // not filled. Whether a transaction ended in them cannot be known.
            last = at + 1;
            is_lost = true;
        } else {
            is_earlier = true;
        }
    }
    // A transaction that a killed writer did not end is none, and the next writer begins in its
    // place: what is left of it behind the next transaction is no loss.
    Ok(is_lost.then_some(last))
}

/// The two numbers by which a log tells its frames from those of earlier ones.
fn salts(bytes: &[u8], at: usize) -> (u32, u32) {
    (word(bytes, at), word(bytes, at + 4))
}

/// A number of four bytes, the highest first.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
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
        std::fs::read(beside(&path, WAL)).unwrap()
    }

    fn told(log: &[u8]) -> Option<Trouble> {
        frames(&mut io::Cursor::new(log)).unwrap()
    }

    #[test]
    fn a_flipped_bit_anywhere_in_the_log_is_seen_and_a_whole_one_is_whole() {
        let log = log();
        assert_eq!(told(&log), None);
        assert_eq!(told(&[]), None);
        let count = (log.len() - HEADER_BYTES) / (FRAME_HEADER_BYTES + 4096);
        assert!(count > 6);
        for at in (0..HEADER_BYTES + FRAME_HEADER_BYTES).chain((100..log.len()).step_by(97)) {
            let mut damaged = log.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(told(&damaged).is_some(), "byte {at}");
        }
        let cut = &log[..log.len() - 5000];
        let count = count as u64;
        assert_eq!(told(cut), Some(Trouble { good: count - 2, all: count - 1 }));
        let begin = log.len() - (FRAME_HEADER_BYTES + 4096);
        for len in begin + 1..begin + FRAME_HEADER_BYTES {
            assert_eq!(told(&log[..len]), Some(Trouble { good: count - 1, all: count }), "{len}");
        }
        for len in 1..HEADER_BYTES {
            assert_eq!(told(&log[..len]), Some(Trouble { good: 0, all: 1 }), "{len}");
        }
    }

    /// What a killed writer leaves: a header without its page, and behind what the next one wrote
    /// frames of a transaction that had no end.
    #[test]
    fn a_transaction_without_an_end_is_no_damage() {
        let whole = log();
        let frame = FRAME_HEADER_BYTES + 4096;
        let first = HEADER_BYTES..HEADER_BYTES + frame;
        let mut begun = whole.clone();
        begun.extend_from_within(first.start..first.start + FRAME_HEADER_BYTES);
        assert_eq!(told(&begun), None);
        begun.push(0);
        let all = ((whole.len() - HEADER_BYTES) / frame) as u64;
        assert_eq!(told(&begun), Some(Trouble { good: all, all: all + 1 }));
        let mut left = whole.clone();
        left.extend_from_within(first.clone());
        left.extend_from_within(first);
        let commit = |log: &mut [u8], at: usize| log[at + 4..at + 8].copy_from_slice(&[0, 0, 0, 9]);
        assert_eq!(told(&left), None);
        // An end that cannot be read is a loss.
        commit(&mut left, whole.len() + frame);
        assert_eq!(told(&left), Some(Trouble { good: all, all: all + 2 }));
    }

    #[test]
    fn frames_of_an_earlier_log_are_no_damage() {
        let mut log = log();
        let frame = FRAME_HEADER_BYTES + 4096;
        let earlier = log.len() - 2 * frame;
        for begin in [earlier, earlier + frame] {
            log[begin + 8..begin + 16].copy_from_slice(&[7; 8]);
        }
        assert_eq!(told(&log), None);
    }

    /// As a power failure leaves them: the file is as long as it was to be, and its end is not on
    /// the disk.
    #[test]
    fn an_end_of_zeros_is_lost_unless_an_earlier_log_was_as_long() {
        let whole = log();
        let frame = FRAME_HEADER_BYTES + 4096;
        let all = ((whole.len() - HEADER_BYTES) / frame) as u64;
        let last_two = whole.len() - 2 * frame;
        // From a frame's beginning, from within its header, and from within the page before it.
        for (begin, good) in
            [(last_two, all - 2), (last_two + 8, all - 2), (last_two - 999, all - 3)]
        {
            let mut zeroed = whole.clone();
            zeroed[begin..].fill(0);
            assert_eq!(told(&zeroed), Some(Trouble { good, all }), "{begin}");
        }
        let mut longer = whole.clone();
        longer.resize(whole.len() + 3 * frame, 0);
        assert_eq!(told(&longer), Some(Trouble { good: all, all: all + 3 }));
        for begin in [last_two, last_two + frame] {
            longer[begin + 8..begin + 16].copy_from_slice(&[7; 8]);
        }
        assert_eq!(told(&longer), None);
    }
}
