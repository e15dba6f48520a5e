//! How the targets read their input.

/// Bytes off the front; fewer when there are no more.
pub fn take<'a>(data: &mut &'a [u8], len: usize) -> &'a [u8] {
    let (head, rest) = data.split_at(len.min(data.len()));
    *data = rest;
    head
}

/// A number below 256; 0 when there is nothing more.
pub fn number(data: &mut &[u8]) -> usize {
    take(data, 1).first().copied().unwrap_or(0).into()
}

/// As long as is usual, or as long as the input says.
pub fn of_len<'a>(data: &mut &'a [u8], usual_len: usize) -> &'a [u8] {
    let other = number(data);
    take(data, if other.is_multiple_of(4) { other } else { usual_len })
}
