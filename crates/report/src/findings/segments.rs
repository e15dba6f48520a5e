//! What a scheme costs in segments, by arithmetic: nonces and tags, padding, and what binds a part.

use lab::cell::Flow;
use lab::record::SchemeRecord;
use serde::Serialize;

use crate::format;

/// How a file becomes segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// The file is sealed, and what comes out is cut into segments.
    Whole,
    /// The file is cut into parts as long as a segment and each is sealed, as the paper has it: a
    /// sealed part no longer fits into one segment.
    Parts,
    /// The file is cut into parts that fit into a segment with their nonce and tag.
    Fitted,
}

/// What is sent for a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sending {
    /// How it was cut.
    pub layout: Layout,
    /// Length of the file.
    pub len_bytes: u64,
    /// Pieces that the file or its ciphertext was cut into.
    pub parts: u64,
    /// Segments on the air.
    pub segments: u64,
    /// Bytes on the air.
    pub sent_bytes: u64,
    /// Segments beyond those of the bare file, as a share of them.
    pub more_segments: f64,
    /// Bytes beyond the file, as a share of it; absent for an empty one.
    pub more_bytes: Option<f64>,
}

/// What sealing adds to a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Seal {
    /// Nonce and tag.
    pub fixed_len_bytes: u64,
    /// What binds a part and travels in front of it.
    pub front_len_bytes: u64,
    /// Length of the blocks that the ciphertext fills up, by one byte at least.
    pub padded_to_bytes: Option<u64>,
}

impl Seal {
    /// That of a scheme.
    #[must_use]
    pub fn of(record: &SchemeRecord) -> Self {
        let block = u64::from(record.ciphertext_block_len_bytes);
        Seal {
            fixed_len_bytes: u64::from(record.nonce_len_bytes) + u64::from(record.tag_len_bytes),
            front_len_bytes: u64::from(record.bound_len_bytes),
            padded_to_bytes: (block > 1).then_some(block),
        }
    }

    /// Length of a sealed piece.
    #[must_use]
    pub fn sealed(&self, len_bytes: u64) -> u64 {
        let inner = self.front_len_bytes + len_bytes;
        let padded = self.padded_to_bytes.map_or(inner, |block| (inner / block + 1) * block);
        self.fixed_len_bytes + padded
    }

    /// Length of the longest piece that fits into so many bytes once it is sealed; `None` where not
    /// even a byte does.
    #[must_use]
    pub fn room(&self, len_bytes: u64) -> Option<u64> {
        let padded = len_bytes.checked_sub(self.fixed_len_bytes)?;
        let inner = match self.padded_to_bytes {
            Some(block) => (padded / block * block).checked_sub(1)?,
            None => padded,
        };
        inner.checked_sub(self.front_len_bytes).filter(|&room| room > 0)
    }

    /// `32 B`, `32 + 16 B`, `32 B, padded`.
    #[must_use]
    pub fn words(&self) -> String {
        let front = match self.front_len_bytes {
            0 => String::new(),
            len => format!(" + {len}"),
        };
        let padded = if self.padded_to_bytes.is_some() { ", padded" } else { "" };
        format!("{}{front} B{padded}", self.fixed_len_bytes)
    }
}

impl Layout {
    /// The layouts that a flow can have.
    #[must_use]
    pub fn of(flow: Flow) -> &'static [Layout] {
        if flow == Flow::Es { &[Layout::Whole] } else { &[Layout::Parts, Layout::Fitted] }
    }

    /// What is sent for a file of `len_bytes` in segments of `block` bytes; `None` where nothing
    /// fits beside what sealing adds. An empty file takes a segment too, or nobody would know of
    /// it.
    #[must_use]
    pub fn sending(self, len_bytes: u64, block: u64, seal: &Seal) -> Option<Sending> {
        let pieces = |len: u64, piece: u64| len.div_ceil(piece).max(1);
        if block == 0 {
            return None;
        }
        // Parts of one length and a last one, which may be shorter.
        let in_parts = |len: u64| {
            let parts = pieces(len_bytes, len);
            let last = seal.sealed(len_bytes - (parts - 1) * len);
            let sealed = seal.sealed(len);
            let segments = (parts - 1) * pieces(sealed, block) + pieces(last, block);
            (parts, segments, (parts - 1) * sealed + last)
        };
        let (parts, segments, sent_bytes) = match self {
            Layout::Whole => {
                let sealed = seal.sealed(len_bytes);
                (pieces(sealed, block), pieces(sealed, block), sealed)
            }
            Layout::Parts => in_parts(block),
            Layout::Fitted => in_parts(seal.room(block)?),
        };
        let more = |sent: u64, bare: u64| sent as f64 / bare as f64 - 1.0;
        Some(Sending {
            layout: self,
            len_bytes,
            parts,
            segments,
            sent_bytes,
            more_segments: more(segments, pieces(len_bytes, block)),
            more_bytes: (len_bytes > 0).then(|| more(sent_bytes, len_bytes)),
        })
    }
}

/// How a file is cut, in words.
#[must_use]
pub fn layout_words(layout: Layout) -> &'static str {
    match layout {
        Layout::Whole => "es",
        Layout::Parts => "se, as in the paper",
        Layout::Fitted => "se, cut to fit",
    }
}

/// `+25 %`.
#[must_use]
pub fn share(more: Option<f64>) -> String {
    more.map_or(format::ABSENT.into(), |it| format!("+{}", format::percent(round(it))))
}

/// A tenth of a percent is enough for what is paid.
fn round(share: f64) -> f64 {
    (share * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    const EAX: Seal = Seal { fixed_len_bytes: 32, front_len_bytes: 0, padded_to_bytes: None };

    /// (parts, segments, bytes).
    fn sent(layout: Layout, len: u64, seal: &Seal) -> Option<(u64, u64, u64)> {
        layout.sending(len, 140, seal).map(|it| (it.parts, it.segments, it.sent_bytes))
    }

    #[test]
    fn a_kilobyte_by_hand() {
        // 1024 + 32 = 7 × 140 + 76.
        assert_eq!(sent(Layout::Whole, 1024, &EAX), Some((8, 8, 1056)));
        // 7 parts of 140 + 32, two segments each, and one of 44 + 32.
        assert_eq!(sent(Layout::Parts, 1024, &EAX), Some((8, 15, 1280)));
        // 1024 = 9 × 108 + 52.
        assert_eq!(sent(Layout::Fitted, 1024, &EAX), Some((10, 10, 1344)));
        let parts = Layout::Parts.sending(1024, 140, &EAX).unwrap();
        assert_eq!((parts.more_segments, parts.more_bytes), (0.875, Some(0.25)));
    }

    #[test]
    fn exact_multiples_begin_no_further_segment() {
        assert_eq!(sent(Layout::Whole, 108, &EAX), Some((1, 1, 140)));
        assert_eq!(sent(Layout::Whole, 109, &EAX), Some((2, 2, 141)));
        assert_eq!(sent(Layout::Parts, 280, &EAX), Some((2, 4, 344)));
        assert_eq!(sent(Layout::Fitted, 216, &EAX), Some((2, 2, 280)));
        assert_eq!(sent(Layout::Fitted, 217, &EAX), Some((3, 3, 313)));
        // The paper's own example: a file of 10 KB in 74 segments.
        assert_eq!(sent(Layout::Whole, 10_240, &EAX), Some((74, 74, 10_272)));
    }

    #[test]
    fn an_empty_file_takes_a_segment_and_has_no_share() {
        for layout in [Layout::Whole, Layout::Parts, Layout::Fitted] {
            let it = layout.sending(0, 140, &EAX).unwrap();
            assert_eq!((it.parts, it.segments, it.sent_bytes), (1, 1, 32));
            assert_eq!((it.more_segments, it.more_bytes), (0.0, None));
        }
    }

    #[test]
    fn padding_and_what_is_put_in_front_are_counted() {
        let padded = Seal { padded_to_bytes: Some(16), ..EAX };
        // 1024 becomes 1040; 140 becomes 144 and 44 becomes 48.
        assert_eq!(sent(Layout::Whole, 1024, &padded), Some((8, 8, 1072)));
        assert_eq!(sent(Layout::Parts, 1024, &padded), Some((8, 15, 7 * 176 + 80)));
        // Of 108 bytes 6 blocks are whole, and one byte of them is padding: 1024 = 10 × 95 + 74.
        assert_eq!(sent(Layout::Fitted, 1024, &padded), Some((11, 11, 10 * 128 + 112)));
        let bound = Seal { front_len_bytes: 16, ..EAX };
        assert_eq!(sent(Layout::Parts, 1024, &bound), Some((8, 15, 1024 + 8 * 48)));
        // 1024 = 11 × 92 + 12.
        assert_eq!(sent(Layout::Fitted, 1024, &bound), Some((12, 12, 1024 + 12 * 48)));
    }

    #[test]
    fn where_nothing_fits_there_is_no_number() {
        let of = |fixed_len_bytes| Seal { fixed_len_bytes, ..EAX };
        assert_eq!(sent(Layout::Fitted, 10, &of(140)), None);
        assert_eq!(sent(Layout::Fitted, 10, &of(200)), None);
        assert_eq!(sent(Layout::Fitted, 10, &of(139)), Some((10, 10, 1400)));
        assert_eq!(Seal { padded_to_bytes: Some(16), ..of(125) }.room(140), None);
        assert_eq!(Layout::Whole.sending(10, 0, &EAX), None);
    }
}
