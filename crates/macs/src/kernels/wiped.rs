//! Keyed values on the heap, which is wiped whole before it is freed. That a value wipes its fields
//! is not enough: when it was moved there, the bytes between and behind them came along from the
//! stack, where the key had been.
#![expect(unsafe_code, reason = "memory that holds no value any more is written")]

use alloc::alloc::{Layout, dealloc};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::{drop_in_place, write_bytes};

use zeroize::optimization_barrier;

/// A value in a box that is wiped when the value is dropped.
pub(crate) struct Wiped<T: ?Sized>(ManuallyDrop<Box<T>>);

impl<T: ?Sized> Wiped<T> {
    pub(crate) fn new(value: Box<T>) -> Self {
        Self(ManuallyDrop::new(value))
    }
}

impl<T: ?Sized> Deref for Wiped<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> DerefMut for Wiped<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: ?Sized> Drop for Wiped<T> {
    fn drop(&mut self) {
        let layout = Layout::for_value::<T>(&self.0);
        // SAFETY: the box is not used again. Its memory has this layout, and is freed as `Box`
        // frees it: not at all if there is none of it.
        unsafe {
            let value = Box::into_raw(ManuallyDrop::take(&mut self.0));
            drop_in_place(value);
            if layout.size() > 0 {
                wipe(value.cast(), layout.size());
                dealloc(value.cast(), layout);
            }
        }
    }
}

/// Drops all values of a vector and wipes its memory.
pub(crate) fn wipe_values<T>(values: &mut Vec<T>) {
    values.clear();
    // SAFETY: so much memory is the vector's, and there is no value in it.
    unsafe { wipe(values.as_mut_ptr().cast(), values.capacity() * size_of::<T>()) };
}

/// # Safety
/// So much memory can be written, and holds no value.
unsafe fn wipe(memory: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { write_bytes(memory, 0, len) };
    optimization_barrier(&memory);
}
