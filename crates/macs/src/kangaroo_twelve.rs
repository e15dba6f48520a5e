//! KangarooTwelve: RFC 9861 §3, a tree of TurboSHAKE over chunks of the message. What is longer
//! than a chunk is the first one, and the digests of the others.

use crate::sponge::{FEW_ROUNDS, Sponge};
use crate::wipe::wipe;

/// B of §3.1: what is longer is cut into chunks.
pub(crate) const CHUNK_LEN_BYTES: usize = 8192;

/// The byte that ends a single node, §3.2.
pub(crate) const SINGLE_NODE: u8 = 0x07;

/// The byte that ends the node in which the others meet, §3.2.
const FINAL_NODE: u8 = 0x06;

/// The byte that ends a node over a chunk, §3.2.
const CHUNK_NODE: u8 = 0x0b;

/// What comes between the first chunk and the digests of the others, §3.2.
const FIRST_CHUNK_END: [u8; 8] = [3, 0, 0, 0, 0, 0, 0, 0];

/// What comes behind the number of digests, §3.2.
const DIGESTS_END: [u8; 2] = [0xff; 2];

/// The longest digest of a chunk: twice the strength.
const DIGEST_LEN_MAX_BYTES: usize = 64;

/// A message under way, with blocks of 168 or 136 bytes.
#[derive(Clone)]
pub(crate) struct KangarooTwelve {
    block_len: usize,
    trunk: Sponge<FEW_ROUNDS>,
    /// The chunk under way, if it is not the first.
    chunk: Sponge<FEW_ROUNDS>,
    len_bytes: u64,
}

impl KangarooTwelve {
    pub(crate) fn new(block_len: usize) -> Self {
        let (trunk, chunk) = (Sponge::new(block_len), Sponge::new(block_len));
        Self { block_len, trunk, chunk, len_bytes: 0 }
    }

    /// Takes the next piece of the message.
    pub(crate) fn absorb(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            // Only what follows tells that the message does not end with a chunk.
            let taken_len = (self.len_bytes % CHUNK_LEN_BYTES as u64) as usize;
            if taken_len == 0 && self.len_bytes > 0 {
                self.end_chunk();
            }
            let (part, rest) = data.split_at(data.len().min(CHUNK_LEN_BYTES - taken_len));
            let is_first = self.len_bytes < CHUNK_LEN_BYTES as u64;
            if is_first { &mut self.trunk } else { &mut self.chunk }.absorb(part);
            self.len_bytes += part.len() as u64;
            data = rest;
        }
    }

    fn end_chunk(&mut self) {
        if self.len_bytes == CHUNK_LEN_BYTES as u64 {
            return self.trunk.absorb(&FIRST_CHUNK_END);
        }
        let mut digest = [0; DIGEST_LEN_MAX_BYTES];
        let digest = &mut digest[..200 - self.block_len];
        self.chunk.finish(CHUNK_NODE, digest);
        self.trunk.absorb(digest);
        wipe(digest);
        self.chunk = Sponge::new(self.block_len);
    }

    /// The digest of what was taken, without a customization string. The state is spent.
    pub(crate) fn finish(&mut self, digest: &mut [u8]) {
        // The length of the customization string.
        self.absorb(&[0]);
        if self.len_bytes <= CHUNK_LEN_BYTES as u64 {
            return self.trunk.finish(SINGLE_NODE, digest);
        }
        self.end_chunk();
        let digests = ((self.len_bytes - 1) / CHUNK_LEN_BYTES as u64).to_be_bytes();
        let zeros = digests.iter().take_while(|&&byte| byte == 0).count();
        self.trunk.absorb(&digests[zeros..]);
        self.trunk.absorb(&[(digests.len() - zeros) as u8]);
        self.trunk.absorb(&DIGESTS_END);
        self.trunk.finish(FINAL_NODE, digest);
    }
}
