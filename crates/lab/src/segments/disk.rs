//! A transaction on disk: each action reads its input files and writes its output files. The files
//! of the last transaction are written over in place and then cut to their new length: to make a
//! file anew, or to empty it first, takes some file systems ten times as long or more (ext4 sends a
//! file that was emptied to the disk as soon as it is closed: `auto_da_alloc` in ext4(5)), and the
//! time of that would be all that is seen.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::error::SegmentsError;
use super::memory::bound;
use super::sealer::Sealer;
use super::{Watch, parts};
use crate::cell::Flow;
use crate::regimes::segments::Action;

/// The file that the sender has.
const FILE: &str = "file";
/// The same, sealed whole.
const SEALED: &str = "sealed";
/// The sealed file, put together again.
const COMBINED: &str = "combined";
/// The file that the receiver has at the end.
const RECEIVED: &str = "received";

/// What is held at a time of a file that may be longer than a memory limit.
const PIECE_LEN_BYTES: usize = 16 * 1024;

/// What the file of a part or segment is called, by its number.
type Name = fn(usize) -> String;

/// A folder with the files of the last transaction.
pub(super) struct Disk {
    pub(super) folder: PathBuf,
    /// Whether every file and the folder are synchronised within the action that wrote them.
    pub(super) synchronised: bool,
    /// What a segment holds.
    pub(super) block_len_bytes: usize,
}

impl Disk {
    /// Makes the files that transactions will write over, for a file of so many parts and so many
    /// segments once it is sealed.
    pub(super) fn make(
        &self,
        flow: Flow,
        parts: usize,
        segments: usize,
    ) -> Result<(), SegmentsError> {
        let kinds: &[(Name, usize)] = match flow {
            Flow::Es => &[(segment(flow), segments)],
            Flow::Se | Flow::SeBound => &[(part, parts), (segment(flow), parts), (opened, parts)],
        };
        for &(name, count) in kinds {
            // In this order, so that where the last is, all are.
            if self.folder.join(name(count.saturating_sub(1))).exists() {
                continue;
            }
            (0..count).try_for_each(|i| self.write(&name(i), &[]))?;
        }
        Ok(())
    }

    /// Puts the file there, and something else where it will be received.
    pub(super) fn begin(&self, file: &[u8]) -> Result<(), SegmentsError> {
        self.write_another(file)?;
        self.write(FILE, file)
    }

    /// Puts another file of the same length where this one will be received: like all others it is
    /// then written over, and nothing that was not written can pass for it.
    fn write_another(&self, file: &[u8]) -> Result<(), SegmentsError> {
        let path = self.folder.join(RECEIVED);
        let failed = |error| SegmentsError::file(&path, error);
        let mut received = open_to_write(&path).map_err(failed)?;
        // No other file is empty.
        let file: &[u8] = if file.is_empty() { &[0] } else { file };
        let mut piece = [0; PIECE_LEN_BYTES];
        for bytes in file.chunks(PIECE_LEN_BYTES) {
            let others = &mut piece[..bytes.len()];
            others.iter_mut().zip(bytes).for_each(|(other, byte)| *other = !byte);
            received.write_all(others).map_err(failed)?;
        }
        self.finish(&received, file.len() as u64).map_err(failed)
    }

    /// Whether the file arrived as it was.
    pub(super) fn has_received(&self, file: &[u8]) -> Result<bool, SegmentsError> {
        let path = self.folder.join(RECEIVED);
        let failed = |error| SegmentsError::file(&path, error);
        let mut received = File::open(&path).map_err(failed)?;
        let (mut left, mut piece) = (file, [0; PIECE_LEN_BYTES]);
        loop {
            let read = received.read(&mut piece).map_err(failed)?;
            match left.strip_prefix(&piece[..read]) {
                Some(_) if read == 0 => return Ok(left.is_empty()),
                Some(rest) => left = rest,
                None => return Ok(false),
            }
        }
    }

    /// Sender and receiver; whether the receiver took it for genuine.
    pub(super) fn transact(
        &self,
        sealer: &mut Sealer,
        flow: Flow,
        watch: &mut Watch,
    ) -> Result<bool, SegmentsError> {
        if flow == Flow::Es {
            self.sealed_then_split(sealer, watch)
        } else {
            self.split_then_sealed(sealer, flow, watch)
        }
    }

    fn sealed_then_split(
        &self,
        sealer: &mut Sealer,
        watch: &mut Watch,
    ) -> Result<bool, SegmentsError> {
        watch.time(Action::Encryption, || {
            let file = self.read(FILE)?;
            let mut buffer = sealer.enclose(&file, None);
            sealer.seal(&mut buffer, file.len(), None)?;
            self.write(SEALED, &buffer)?;
            self.settle()
        })?;
        let count = watch.time(Action::Splitting, || {
            let sealed = self.read(SEALED)?;
            let segments = sealed.chunks(self.block_len_bytes);
            let count = segments.len();
            let name = segment(Flow::Es);
            segments.enumerate().try_for_each(|(i, bytes)| self.write(&name(i), bytes))?;
            self.settle().map(|()| count)
        })?;
        watch.time(Action::Combining, || {
            let mut combined = Vec::new();
            for i in 0..count {
                combined.extend_from_slice(&self.read(&segment(Flow::Es)(i))?);
            }
            self.write(COMBINED, &combined)?;
            self.settle()
        })?;
        watch.time(Action::Decryption, || {
            let mut buffer = self.read(COMBINED)?;
            let Some(place) = sealer.open(&mut buffer, None) else { return Ok(false) };
            self.write(RECEIVED, &buffer[place])?;
            self.settle().map(|()| true)
        })
    }

    fn split_then_sealed(
        &self,
        sealer: &mut Sealer,
        flow: Flow,
        watch: &mut Watch,
    ) -> Result<bool, SegmentsError> {
        let count = watch.time(Action::Splitting, || {
            let Some(file) = self.read_where_it_fits(FILE)? else {
                return self.split_piece_by_piece().and_then(|count| self.settle().map(|()| count));
            };
            let mut count = 0;
            for bytes in parts(&file, self.block_len_bytes) {
                self.write(&part(count), bytes)?;
                count += 1;
            }
            self.settle().map(|()| count)
        })?;
        watch.time(Action::Encryption, || {
            for i in 0..count {
                let (bytes, bound) = (self.read(&part(i))?, bound(flow, i, count));
                let mut buffer = sealer.enclose(&bytes, bound.as_ref());
                sealer.seal(&mut buffer, bytes.len(), bound.as_ref())?;
                self.write(&segment(flow)(i), &buffer)?;
            }
            self.settle()
        })?;
        let is_open = watch.time(Action::Decryption, || {
            for i in 0..count {
                let mut buffer = self.read(&segment(flow)(i))?;
                let bound = bound(flow, i, count);
                let Some(place) = sealer.open(&mut buffer, bound.as_ref()) else {
                    return Ok::<_, SegmentsError>(false);
                };
                self.write(&opened(i), &buffer[place])?;
            }
            self.settle().map(|()| true)
        })?;
        if !is_open {
            return Ok(false);
        }
        watch.time(Action::Combining, || {
            let mut file = Vec::new();
            if file.try_reserve(count * self.block_len_bytes).is_err() {
                return self.combine_piece_by_piece(count).map(|()| true);
            }
            for i in 0..count {
                file.extend_from_slice(&self.read(&opened(i))?);
            }
            self.write(RECEIVED, &file)?;
            self.settle().map(|()| true)
        })
    }

    /// Under a memory limit that the file does not fit into: only a part is held at a time.
    fn split_piece_by_piece(&self) -> Result<usize, SegmentsError> {
        let path = self.folder.join(FILE);
        let failed = |error| SegmentsError::file(&path, error);
        let mut file = File::open(&path).map_err(failed)?;
        let mut block = vec![0; self.block_len_bytes];
        let mut count = 0;
        loop {
            let mut len = 0;
            while len < block.len() {
                match file.read(&mut block[len..]).map_err(failed)? {
                    0 => break,
                    read => len += read,
                }
            }
            if len > 0 || count == 0 {
                self.write(&part(count), &block[..len])?;
                count += 1;
            }
            if len < block.len() {
                return Ok(count);
            }
        }
    }

    /// Joins what `split_piece_by_piece` has cut.
    fn combine_piece_by_piece(&self, count: usize) -> Result<(), SegmentsError> {
        let path = self.folder.join(RECEIVED);
        let failed = |error| SegmentsError::file(&path, error);
        let mut file = open_to_write(&path).map_err(failed)?;
        let mut len = 0;
        for i in 0..count {
            let bytes = self.read(&opened(i))?;
            file.write_all(&bytes).map_err(failed)?;
            len += bytes.len() as u64;
        }
        self.finish(&file, len).map_err(failed)?;
        self.settle()
    }

    /// `None` where there is no memory for all of it.
    fn read_where_it_fits(&self, name: &str) -> Result<Option<Vec<u8>>, SegmentsError> {
        let path = self.folder.join(name);
        match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::OutOfMemory => Ok(None),
            read => read.map(Some).map_err(|error| SegmentsError::file(&path, error)),
        }
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, SegmentsError> {
        let path = self.folder.join(name);
        fs::read(&path).map_err(|error| SegmentsError::file(&path, error))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), SegmentsError> {
        let path = self.folder.join(name);
        let written = || {
            let mut file = open_to_write(&path)?;
            file.write_all(bytes)?;
            self.finish(&file, bytes.len() as u64)
        };
        written().map_err(|error: std::io::Error| SegmentsError::file(&path, error))
    }

    /// Takes away what an earlier, longer file has left behind the end of this one.
    fn finish(&self, file: &File, len_bytes: u64) -> std::io::Result<()> {
        if file.metadata()?.len() > len_bytes {
            file.set_len(len_bytes)?;
        }
        if self.synchronised { file.sync_all() } else { Ok(()) }
    }

    /// The folder's own entries, at the end of an action.
    fn settle(&self) -> Result<(), SegmentsError> {
        if !self.synchronised {
            return Ok(());
        }
        let synchronised = File::open(&self.folder).and_then(|folder| folder.sync_all());
        synchronised.map_err(|error| SegmentsError::file(&self.folder, error))
    }
}

/// A file to be written over from its beginning; what it holds stays until then.
fn open_to_write(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).open(path)
}

/// A part of the file, before it is sealed.
fn part(i: usize) -> String {
    format!("part-{i}")
}

/// What is sent. Each flow has files of its own: its segments have their own length, and one that
/// had to cut what another left behind would pay for that (ES after SE took 1.8 times as long to
/// split as ES after ES).
fn segment(flow: Flow) -> Name {
    match flow {
        Flow::Es => |i| format!("segment-{i}"),
        Flow::Se => |i| format!("sealed-{i}"),
        Flow::SeBound => |i| format!("bound-{i}"),
    }
}

/// A part of the file, opened by the receiver.
fn opened(i: usize) -> String {
    format!("opened-{i}")
}

/// Whether transactions write a file of this name.
pub(super) fn is_name(name: &str) -> bool {
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_digit());
    let numbered = |kind: &str| name.strip_prefix(kind).is_some_and(is_number);
    [FILE, SEALED, COMBINED, RECEIVED].contains(&name)
        || ["part-", "segment-", "sealed-", "bound-", "opened-"].into_iter().any(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_one_flow_are_not_those_of_another() {
        let names = [Flow::Es, Flow::Se, Flow::SeBound].map(|flow| segment(flow)(3));
        assert!(names.iter().all(|name| is_name(name)), "{names:?}");
        assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2]);
        assert!(!is_name("sealed-") && is_name(SEALED));
    }

    #[test]
    fn a_shorter_file_leaves_nothing_of_a_longer_one() {
        let folder = tempfile::tempdir().unwrap();
        for synchronised in [false, true] {
            let folder = folder.path().to_owned();
            let disk = Disk { folder, synchronised, block_len_bytes: 140 };
            for bytes in [&[1; 300][..], &[2; 40], &[], &[3; 172]] {
                disk.write(FILE, bytes).unwrap();
                assert_eq!(disk.read(FILE).unwrap(), bytes);
            }
            for (i, bytes) in [&[4; 140][..], &[5; 7]].into_iter().enumerate() {
                disk.write(&opened(i), bytes).unwrap();
            }
            disk.write(RECEIVED, &[6; 500]).unwrap();
            disk.combine_piece_by_piece(2).unwrap();
            assert_eq!(disk.read(RECEIVED).unwrap(), [&[4; 140][..], &[5; 7]].concat());
        }
    }

    /// Otherwise the file received would be made longer, and its blocks allocated, within the time.
    #[test]
    fn what_will_be_received_is_written_over_another_file_of_its_length() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().to_owned();
        let disk = Disk { folder, synchronised: false, block_len_bytes: 140 };
        let long: Vec<u8> = (0..PIECE_LEN_BYTES + 300).map(|at| (at % 251) as u8).collect();
        for file in [&long[..], &[7; 1000], &long[..], &[0; 1], &[9; 1]] {
            disk.begin(file).unwrap();
            assert_eq!(disk.read(FILE).unwrap(), file);
            let before = disk.read(RECEIVED).unwrap();
            assert_eq!(before.len(), file.len());
            assert!(before.iter().zip(file).all(|(other, byte)| other != byte));
            assert!(!disk.has_received(file).unwrap());
            disk.write(RECEIVED, file).unwrap();
            assert!(disk.has_received(file).unwrap());
        }
        disk.write(RECEIVED, &[]).unwrap();
        disk.begin(&[]).unwrap();
        assert!(!disk.has_received(&[]).unwrap(), "nothing was written");
    }
}
