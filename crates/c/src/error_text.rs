//! What the last call of a thread that failed had to say, kept without a heap and without anything
//! to be destroyed when the thread or the program ends.

use std::cell::Cell;
use std::ffi::c_char;
use std::fmt::{self, Write};

/// Its longest error, three suggestions for a name included, is shorter; the last byte stays zero.
const TEXT_LEN_BYTES: usize = 256;

thread_local! {
    static LAST: Cell<[u8; TEXT_LEN_BYTES]> = const { Cell::new([0; TEXT_LEN_BYTES]) };
}

/// Keeps the text for the thread that asks; what is too long is cut.
#[cold]
pub(crate) fn say(text: fmt::Arguments<'_>) {
    let mut cut = Cut { bytes: [0; TEXT_LEN_BYTES], len: 0 };
    // It fails where the text is cut, and then holds what there was room for.
    let _ = cut.write_fmt(text);
    LAST.set(cut.bytes);
}

/// Where the text of this thread is, with a zero byte at its end.
pub(crate) fn last() -> *const c_char {
    LAST.with(Cell::as_ptr).cast()
}

struct Cut {
    bytes: [u8; TEXT_LEN_BYTES],
    len: usize,
}

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = TEXT_LEN_BYTES - 1 - self.len;
        let taken = text.floor_char_boundary(room);
        self.bytes[self.len..][..taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.len += taken;
        if taken == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        let bytes = LAST.get();
        let len = bytes.iter().position(|&byte| byte == 0).expect("a zero byte");
        String::from_utf8(bytes[..len].to_vec()).expect("whole letters")
    }

    #[test]
    fn a_text_is_kept_and_a_long_one_is_cut_between_letters() {
        say(format_args!("{} and {}", 1, 2));
        assert_eq!(text(), "1 and 2");
        say(format_args!("a{}", "ß".repeat(200)));
        assert_eq!(text(), format!("a{}", "ß".repeat(127)));
        std::thread::spawn(|| assert_eq!(text(), "")).join().expect("no text of another thread");
    }
}
