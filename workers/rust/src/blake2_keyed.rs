//! Keyed BLAKE2, with its longest tag: the length is an input.

use blake2::{Blake2bMac512, Blake2sMac256};

use crate::macs::Row;
use crate::traits::cloned;

pub const ROWS: &[Row] = &[
    Row { tag_len_is_input: true, ..Row::new("blake2b-keyed", 64, cloned::<Blake2bMac512>) },
    Row { tag_len_is_input: true, ..Row::new("blake2s-keyed", 32, cloned::<Blake2sMac256>) },
];
