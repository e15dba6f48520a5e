//! A program without `std`, without a heap and without an operating system: it must link.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;

use macs::ciphers::Aes128;
use macs::digest::{KeyInit, Mac};
use macs::{Cmac, HmacSha256, HmacSha512};

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    loop {}
}

fn is_zero<M: Mac + KeyInit>(key: &[u8]) -> bool {
    let Ok(mac) = M::new_from_slice(black_box(key)) else { return false };
    mac.chain_update(black_box(b"message")).finalize().into_bytes().iter().all(|&it| it == 0)
}

#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    black_box(is_zero::<HmacSha256>(&[1; 32]));
    black_box(is_zero::<HmacSha512>(&[1; 64]));
    black_box(is_zero::<Cmac<Aes128>>(&[1; 16]));
    loop {}
}
