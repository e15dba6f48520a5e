//! What goes into one tag or one sealed message, and what comes out.

/// Everything that goes into one tag or one sealed message: what a self-test asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inputs<'a> {
    /// The key; several keys joined.
    pub key: &'a [u8],
    /// The nonce; empty where the mac takes none.
    pub nonce: &'a [u8],
    /// SP 800-185's customization string; empty where the mac takes none.
    pub customization: &'a [u8],
    /// The associated data of a composition.
    pub associated_data: &'a [u8],
    /// The message, or the ciphertext that is to be opened.
    pub message: &'a [u8],
    /// Length of the tag: its leftmost bytes, where it is not an input of the mac.
    pub tag_len_bytes: usize,
}

/// A ciphertext and its tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The ciphertext without the tag.
    pub ciphertext: Vec<u8>,
    /// The tag that is sent with it.
    pub tag: Vec<u8>,
}
