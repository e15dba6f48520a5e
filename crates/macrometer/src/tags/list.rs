//! The lines of a list, one after another, in memory that does not grow with it.

use std::io::{self, BufRead, BufReader, Read};

use super::line::Ending;

/// The longest line: room for any name that the system takes, each byte of it escaped.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// So much of a longer one is skipped; then it is taken to have no end, as in /dev/zero.
const SKIPPED_BYTES_MAX: u64 = 256 << 20;

/// Where Windows editors like to begin a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What PowerShell writes by `>` begins with the first of these.
const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// A list as it is read.
pub struct List<R> {
    input: BufReader<R>,
    ending: Ending,
    line: Vec<u8>,
    number: u64,
}

/// A line of a list, or `None` where it is too long to be one.
pub struct Numbered<'a> {
    /// Number of the line, counted from 1.
    pub number: u64,
    pub line: Option<&'a [u8]>,
}

impl<R: Read> List<R> {
    pub fn new(input: R, ending: Ending) -> Self {
        Self { input: BufReader::new(input), ending, line: Vec::new(), number: 0 }
    }

    /// Waits until something of it has come, or its end. What goes wrong is told with the first
    /// line.
    pub fn wait(&mut self) {
        let _ = self.input.fill_buf();
    }

    /// The next line that says something: where lines end in newlines, empty ones and those that
    /// begin with # do not.
    ///
    /// # Errors
    /// When the list cannot be read on.
    pub fn next_line(&mut self) -> io::Result<Option<Numbered<'_>>> {
        loop {
            self.number += 1;
            self.line.clear();
            let limit = LINE_BYTES_MAX as u64 + 1;
            (&mut self.input).take(limit).read_until(self.ending.byte(), &mut self.line)?;
            if self.line.is_empty() {
                return Ok(None);
            }
            let is_ended = self.line.pop_if(|last| *last == self.ending.byte()).is_some();
            if !is_ended && self.line.len() > LINE_BYTES_MAX {
                self.skip_rest()?;
                return Ok(Some(Numbered { number: self.number, line: None }));
            }
            if self.number == 1 {
                self.take_mark()?;
            }
            if self.ending == Ending::Zero {
                break;
            }
            self.line.pop_if(|last| *last == b'\r');
            if !self.line.is_empty() && self.line[0] != b'#' {
                break;
            }
        }
        Ok(Some(Numbered { number: self.number, line: Some(&self.line) }))
    }

    /// Passes over the rest of a line that is too long.
    fn skip_rest(&mut self) -> io::Result<()> {
        let skipped = (&mut self.input).take(SKIPPED_BYTES_MAX).skip_until(self.ending.byte())?;
        if skipped as u64 == SKIPPED_BYTES_MAX {
            return Err(io::Error::other(format!("line {} does not end", self.number)));
        }
        Ok(())
    }

    /// Takes a byte order mark off the first line.
    fn take_mark(&mut self) -> io::Result<()> {
        if UTF_16.iter().any(|mark| self.line.starts_with(mark)) {
            let what = "a list in UTF-16, by its byte order mark: convert it to UTF-8";
            return Err(io::Error::other(what));
        }
        if self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], ending: Ending) -> Vec<(u64, Option<Vec<u8>>)> {
        let mut list = List::new(text, ending);
        let mut lines = Vec::new();
        while let Some(Numbered { number, line }) = list.next_line().unwrap() {
            lines.push((number, line.map(<[u8]>::to_vec)));
        }
        lines
    }

    #[test]
    fn a_list_in_utf_16_is_called_one() {
        for text in [&b"\xff\xfe0\0a\0\n\0"[..], b"\xfe\xff\x000\0a\0\n"] {
            let error = List::new(text, Ending::Newline).next_line().err().unwrap();
            assert!(error.to_string().starts_with("a list in UTF-16"), "{error}");
        }
    }

    #[test]
    fn lines_are_numbered_and_those_that_say_nothing_are_skipped() {
        let text = b"\xef\xbb\xbfa\r\n\n# c\n\r\n \nb\r\r\n\xef\xbb\xbfd";
        let expected = [
            (1, Some(b"a".to_vec())),
            (5, Some(b" ".to_vec())),
            (6, Some(b"b\r".to_vec())),
            (7, Some(b"\xef\xbb\xbfd".to_vec())),
        ];
        assert_eq!(lines(text, Ending::Newline), expected);
        assert_eq!(lines(b"", Ending::Newline), []);
        let expected = [(1, Some(b"#a\r\n".to_vec())), (2, Some(vec![])), (3, Some(b"b".to_vec()))];
        assert_eq!(lines(b"#a\r\n\0\0b", Ending::Zero), expected);
    }

    #[test]
    fn a_line_too_long_is_skipped_without_being_kept() {
        let longest = vec![b'x'; LINE_BYTES_MAX];
        let text = [&longest, &b"\n"[..], &longest, b"x\nend\n", &longest, &longest].concat();
        let expected =
            [(1, Some(longest.clone())), (2, None), (3, Some(b"end".to_vec())), (4, None)];
        assert_eq!(lines(&text, Ending::Newline), expected);
    }

    #[test]
    fn a_line_without_an_end_is_an_error() {
        let mut list = List::new(io::repeat(0), Ending::Newline);
        let error = list.next_line().err().unwrap();
        assert_eq!(error.to_string(), "line 1 does not end");
    }
}
