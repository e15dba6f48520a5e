//! The memory that both sides use: JavaScript writes between calls, and what is here reads during
//! calls, or the other way round.

use crate::refused::Refused;

/// Arrays of numbers begin here.
const ALIGNMENT: usize = 8;

/// Where JavaScript writes what a call takes.
pub struct Input {
    bytes: Vec<u8>,
    begin: usize,
}

impl Input {
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), begin: 0 }
    }

    /// Makes it exactly this long; returns where it begins. What was in it is wiped already.
    ///
    /// # Errors
    /// More than there is memory; it then stays as it was.
    pub fn resize(&mut self, len: usize) -> Result<*mut u8, Refused> {
        let with_padding = len.saturating_add(ALIGNMENT);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(with_padding).map_err(|_| Refused::memory(len))?;
        bytes.resize(with_padding, 0);
        self.bytes = bytes;
        self.begin = self.bytes.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Ok(self.bytes[self.begin..].as_mut_ptr())
    }

    /// Its parts, of these lengths.
    ///
    /// # Errors
    /// More than fits.
    pub fn parts<const N: usize>(&self, lens: [usize; N]) -> Result<[&[u8]; N], Refused> {
        let (mut rest, mut parts) = (&self.bytes[self.begin..], [&[][..]; N]);
        for (part, len) in parts.iter_mut().zip(lens) {
            (*part, rest) = rest.split_at_checked(len).ok_or(Refused::Outside)?;
        }
        Ok(parts)
    }

    /// Wipes its first bytes. They stay where they are for JavaScript to read, so that no compiler
    /// leaves this out.
    pub fn wipe(&mut self, len: usize) {
        let area = &mut self.bytes[self.begin..];
        let len = len.min(area.len());
        area[..len].fill(0);
    }
}

/// Where JavaScript reads what came out, and wipes what is secret.
pub struct Output {
    bytes: Vec<u8>,
    len: usize,
}

impl Output {
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), len: 0 }
    }

    /// As many bytes, to be overwritten.
    ///
    /// # Errors
    /// More than there is memory.
    pub fn bytes(&mut self, len: usize) -> Result<&mut [u8], Refused> {
        if len > self.bytes.len() {
            self.bytes.fill(0);
            let more = len - self.bytes.len();
            self.bytes.try_reserve(more).map_err(|_| Refused::memory(len))?;
            self.bytes.resize(len, 0);
        }
        self.len = len;
        Ok(&mut self.bytes[..len])
    }

    /// A text.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn text(&mut self, text: &str) -> Result<(), Refused> {
        self.bytes(text.len())?.copy_from_slice(text.as_bytes());
        Ok(())
    }

    /// Where it begins, and how long what is in it is.
    pub fn place(&self) -> (*const u8, usize) {
        (self.bytes.as_ptr(), self.len)
    }
}
