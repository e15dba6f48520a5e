//! The test bed of short messages: a file is sealed and cut into segments, or cut and sealed part
//! by part; the receiver does the reverse. A transaction is really made, and what comes out is
//! compared with what went in; each of its four actions is timed on its own.
//!
//! What seals is handed over ([`Sealing`]): nothing here knows a composition by name.

mod disk;
mod error;
pub mod faults;
pub mod folder;
mod memory;
mod nonces;
mod sealer;

use std::num::NonZeroU16;
use std::path::PathBuf;

use words::Sealing;

use crate::cell::Flow;
use crate::clock::{Clock, Elapsed};
use crate::regimes::segments::{Action, Medium};
use crate::study::BLOCK_LEN_BYTES;

use disk::Disk;
pub use error::SegmentsError;
use nonces::Nonces;
use sealer::Sealer;

/// Times of the four actions, over all transactions that were made with it.
#[derive(Debug, Default)]
pub struct Watch {
    clock: Option<Clock>,
    spent: [Elapsed; ACTIONS.len()],
}

/// The actions in their order here; a transaction is their sum.
const ACTIONS: [Action; 4] =
    [Action::Splitting, Action::Combining, Action::Encryption, Action::Decryption];

impl Watch {
    /// One that reads this clock.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock: Some(clock), ..Self::default() }
    }

    /// Does the work and adds its time to that of the action.
    fn time<T>(&mut self, action: Action, work: impl FnOnce() -> T) -> T {
        let Some(clock) = self.clock else { return work() };
        let mut done = None;
        let elapsed = clock.time(|| done = Some(work()));
        if let Some(place) = ACTIONS.iter().position(|it| *it == action) {
            let spent = &mut self.spent[place];
            // An empty bracket's cost counts where an action takes a microsecond.
            spent.ns += (elapsed.ns - clock.bracket_ns()).max(0.0);
            spent.ticks = elapsed.ticks.map(|ticks| ticks + spent.ticks.unwrap_or(0));
        }
        done.expect("the clock calls what it times")
    }

    /// The time of every action and, as their sum, of the whole transaction.
    #[must_use]
    pub fn actions(&self) -> Vec<(Action, Elapsed)> {
        let mut all: Vec<_> = ACTIONS.into_iter().zip(self.spent).collect();
        let ns = self.spent.iter().map(|elapsed| elapsed.ns).sum();
        let ticks = self.spent.iter().map(|elapsed| elapsed.ticks).sum();
        all.push((Action::Transaction, Elapsed { ns, ticks }));
        all
    }
}

/// A sender and a receiver with one key, and where segments are between them.
pub struct Pair {
    sealer: Sealer,
    flow: Flow,
    block_len_bytes: usize,
    disk: Option<Disk>,
}

impl Pair {
    /// Segments in memory. The nonces follow from the seed.
    #[must_use]
    pub fn in_memory(sealing: Box<dyn Sealing>, flow: Flow, seed: u64) -> Self {
        let nonces = Nonces::new(sealing.nonce_len_bytes(), seed);
        let sealer = Sealer { sealing, nonces };
        Self { sealer, flow, block_len_bytes: BLOCK_LEN_BYTES, disk: None }
    }

    /// Segments in `medium`, which needs a folder unless it is the memory.
    ///
    /// # Errors
    /// When a folder is needed and none was named.
    pub fn new(
        sealing: Box<dyn Sealing>,
        flow: Flow,
        medium: Medium,
        folder: Option<PathBuf>,
        seed: u64,
    ) -> Result<Self, SegmentsError> {
        let disk = match (medium, folder) {
            (Medium::Memory, _) => None,
            (_, None) => return Err(SegmentsError::NoFolder),
            (_, Some(folder)) => {
                let (synchronised, block_len_bytes) = (medium == Medium::Fsync, BLOCK_LEN_BYTES);
                Some(Disk { folder, synchronised, block_len_bytes })
            }
        };
        Ok(Self { disk, ..Self::in_memory(sealing, flow, seed) })
    }

    /// The same with segments of this length instead of [`BLOCK_LEN_BYTES`].
    #[must_use]
    pub fn with_block_len(mut self, len_bytes: NonZeroU16) -> Self {
        self.block_len_bytes = len_bytes.get().into();
        if let Some(disk) = &mut self.disk {
            disk.block_len_bytes = self.block_len_bytes;
        }
        self
    }

    /// Makes the files that transactions of files of this length will write over.
    ///
    /// # Errors
    /// What went wrong.
    pub fn make_files(&self, len_bytes: usize) -> Result<(), SegmentsError> {
        let Some(disk) = &self.disk else { return Ok(()) };
        let sealing = &self.sealer.sealing;
        let sealed = sealing.nonce_len_bytes()
            + sealing.ciphertext_len_bytes(len_bytes)
            + sealing.tag_len_bytes();
        let parts = len_bytes.div_ceil(self.block_len_bytes).max(1);
        disk.make(self.flow, parts, sealed.div_ceil(self.block_len_bytes))
    }

    /// A whole transaction; what the receiver has must be what the sender had. Its files remain
    /// until the next one writes them again, or whoever named the folder removes it.
    ///
    /// # Errors
    /// What went wrong: a refusal, a difference, a full disk.
    pub fn transact(&mut self, file: &[u8], watch: &mut Watch) -> Result<(), SegmentsError> {
        let Self { sealer, flow, block_len_bytes, disk } = self;
        if let Some(disk) = disk {
            disk.begin(file)?;
            let received = disk.transact(sealer, *flow, watch);
            let equal =
                received.and_then(|is_open| is_open.then(|| disk.has_received(file)).transpose());
            return equal.and_then(verdict);
        }
        let segments = memory::send(sealer, *flow, *block_len_bytes, file, watch)?;
        let received = memory::receive(sealer, *flow, segments, watch);
        verdict(received.map(|received| received.bytes() == file))
    }

    /// What the sender sends of a file.
    ///
    /// # Errors
    /// Lengths that the composition does not take.
    pub fn send(&mut self, file: &[u8]) -> Result<Vec<Vec<u8>>, SegmentsError> {
        let watch = &mut Watch::default();
        memory::send(&mut self.sealer, self.flow, self.block_len_bytes, file, watch)
    }

    /// What the receiver has of these segments; `None` where it refuses them.
    pub fn receive(&mut self, segments: Vec<Vec<u8>>) -> Option<Vec<u8>> {
        let watch = &mut Watch::default();
        let received = memory::receive(&mut self.sealer, self.flow, segments, watch);
        received.map(|received| received.bytes().to_vec())
    }

    /// The tag of a message under the nonce of zeros: what providers are held against each other
    /// by.
    ///
    /// # Errors
    /// Lengths that the composition does not take.
    pub fn known_tag(&mut self, message: &[u8]) -> Result<Vec<u8>, SegmentsError> {
        let sealing = &mut self.sealer.sealing;
        let mut buffer = vec![0; sealing.ciphertext_len_bytes(message.len())];
        buffer[..message.len()].copy_from_slice(message);
        let (nonce, mut tag) =
            (vec![0; sealing.nonce_len_bytes()], vec![0; sealing.tag_len_bytes()]);
        sealing.seal(&nonce, &[], &mut buffer, message.len(), &mut tag)?;
        Ok(tag)
    }

    /// What sealing adds to each message.
    #[must_use]
    pub fn added(&self) -> Added {
        let sealing = &self.sealer.sealing;
        let is_sent = self.flow == Flow::SeBound && !sealing.takes_associated_data();
        Added {
            nonce_len_bytes: sealing.nonce_len_bytes(),
            tag_len_bytes: sealing.tag_len_bytes(),
            bound_len_bytes: if is_sent { sealer::BINDING_LEN_BYTES } else { 0 },
            // Padding that is always there fills a block of its own when there is no message.
            ciphertext_block_len_bytes: sealing.ciphertext_len_bytes(0).max(1),
        }
    }
}

/// What sealing adds to a message of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// Bytes of a nonce.
    pub nonce_len_bytes: usize,
    /// Bytes of a tag.
    pub tag_len_bytes: usize,
    /// Bytes in front of the message that bind it, where no associated data does.
    pub bound_len_bytes: usize,
    /// Length of the blocks that a ciphertext fills up, by one byte at least; 1 where it is as long
    /// as the message.
    pub ciphertext_block_len_bytes: usize,
}

fn verdict(equal: Option<bool>) -> Result<(), SegmentsError> {
    match equal {
        Some(true) => Ok(()),
        Some(false) => Err(SegmentsError::Different),
        None => Err(SegmentsError::Rejected),
    }
}

/// The parts of a file that is split first. An empty file is one empty part: with none there would
/// be nothing to authenticate, and losing all of it could not be noticed.
fn parts(file: &[u8], block_len_bytes: usize) -> impl Iterator<Item = &[u8]> {
    let empty = file.is_empty().then_some(file);
    empty.into_iter().chain(file.chunks(block_len_bytes))
}
