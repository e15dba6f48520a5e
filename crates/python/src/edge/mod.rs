//! Where memory of others is looked at: buffers of Python, columns of Arrow. All that is `unsafe`
//! in this crate is in the files of this folder.

pub mod buffers;
pub mod columns;
