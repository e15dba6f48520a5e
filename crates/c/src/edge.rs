//! What C calls. In the names of C, since the header is made of these files.
//!
//! A handle is a box that C keeps as a pointer: `Option<&T>` and `Option<Box<T>>` are pointers that
//! may be null, so that the compiler has each of them checked. Bytes come as a pointer and a
//! length, and are checked by `pointers`.

mod batch;
mod composition;
mod info;
mod key;
mod options;
mod pointers;
mod state;
mod status;
mod version;
