//! Messages that the library may read up to 15 bytes behind their end, or 16 bytes of an empty one.
//!
//! CMAC with AVX-512 and VAES loads the last block whole, and so does ChaCha20 of the SSE manager
//! (both before 2.0.2); neither uses what lies behind. Within a page that does no harm. The next
//! page need not be there: a message that ends too near to it is copied.

/// No page is shorter.
const PAGE_LEN_MIN: usize = 4096;

/// What is read at once.
const BLOCK_LEN: usize = 16;

/// Where an empty message lies: that of a slice may be no address at all.
static EMPTY: [u8; BLOCK_LEN] = [0; BLOCK_LEN];

/// Where the library is to read a message that it reads within its bounds, if it has any byte.
#[inline]
pub(super) const fn start(message: &[u8]) -> *const u8 {
    if message.is_empty() { EMPTY.as_ptr() } else { message.as_ptr() }
}

/// Memory for the copy of a message, if one is needed.
#[derive(Default)]
pub(super) struct Source(Vec<u8>);

impl Source {
    /// Where the library is to read a message, and perhaps behind it.
    #[inline]
    pub(super) fn of(&mut self, message: &[u8]) -> *const u8 {
        let len = message.len();
        let behind = len.next_multiple_of(BLOCK_LEN) - len;
        // The last byte's place in its page, and how many there are behind it.
        let last = message.as_ptr().addr().wrapping_add(len.wrapping_sub(1)) % PAGE_LEN_MIN;
        if len == 0 || last + behind < PAGE_LEN_MIN {
            return start(message);
        }
        self.0.clear();
        self.0.extend_from_slice(message);
        self.0.resize(len + behind, 0);
        self.0.as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_in_the_message_its_page_or_a_copy() {
        let pages: Vec<u8> = (0..3 * PAGE_LEN_MIN).map(|i| (i % 251) as u8).collect();
        let boundary = PAGE_LEN_MIN - pages.as_ptr().addr() % PAGE_LEN_MIN + PAGE_LEN_MIN;
        let mut source = Source::default();
        let mut copied = 0;
        for (end, len) in
            (boundary - 40..boundary + 40).flat_map(|end| (0..70).map(move |l| (end, l)))
        {
            let message = &pages[end - len..end];
            let read = source.of(message);
            if len == 0 {
                assert_eq!(read, EMPTY.as_ptr());
            } else if read == message.as_ptr() {
                let page = |at: usize| (pages.as_ptr().addr() + at) / PAGE_LEN_MIN;
                let behind = len.next_multiple_of(BLOCK_LEN) - len;
                assert_eq!(page(end - 1), page(end - 1 + behind), "{end}, {len} bytes");
            } else {
                assert!(source.0.starts_with(message));
                assert!(source.0.len().is_multiple_of(BLOCK_LEN));
                copied += 1;
            }
        }
        // Of each length that is no multiple of a block, at most 15 of the ends.
        assert!((65..65 * 15).contains(&copied), "{copied}");
    }
}
