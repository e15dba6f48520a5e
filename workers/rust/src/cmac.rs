//! CMAC over the half of AES that encrypts: it never decrypts.

use aes::{Aes128Enc, Aes192Enc, Aes256Enc};
use cmac::Cmac;

use crate::macs::Row;
use crate::traits::reset;

pub const ROWS: &[Row] = &[
    Row::new("cmac-aes-128", 16, reset::<Cmac<Aes128Enc>, Cmac<Aes128Enc>>),
    Row::new("cmac-aes-192", 16, reset::<Cmac<Aes192Enc>, Cmac<Aes192Enc>>),
    Row::new("cmac-aes-256", 16, reset::<Cmac<Aes256Enc>, Cmac<Aes256Enc>>),
];
