#![expect(unsafe_code, reason = "the memory behind Python's buffer protocol")]
//! Objects with bytes in them: `bytes` without any copy or lock, all others by the buffer protocol.

use std::slice;

use pyo3::buffer::{ElementType, PyUntypedBuffer};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The bytes of an object, for as long as this lives.
pub enum View<'a> {
    /// Of `bytes`, which never change.
    Bytes(&'a [u8]),
    /// Of a `bytearray`, a `memoryview`, an array, …, which cannot change its length meanwhile.
    Buffer(PyUntypedBuffer),
}

impl<'a> View<'a> {
    /// The bytes of this object, which errors call `what`.
    ///
    /// # Errors
    /// `TypeError` for what has none, `BufferError` for bytes that lie apart.
    #[inline]
    pub fn of(object: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        match object.cast::<PyBytes>() {
            Ok(bytes) => Ok(Self::Bytes(bytes.as_bytes())),
            Err(_) => Ok(Self::Buffer(contiguous(object, what)?)),
        }
    }

    /// The bytes of a nonce; none if there is none.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_nonce(object: Option<&'a Bound<'_, PyAny>>) -> PyResult<Self> {
        object.map_or(Ok(Self::Bytes(&[])), |object| Self::of(object, "nonce"))
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Buffer(buffer) if buffer.len_bytes() == 0 => &[],
            // SAFETY: `contiguous` has checked that all bytes lie one behind the other, and the
            // exporter neither frees nor moves them before the buffer is released, which is when
            // `self` is dropped. That a program writes into them meanwhile from another thread is
            // a race in that program, as with `hashlib`: the tag is then that of any mixture.
            Self::Buffer(buffer) => unsafe {
                slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes())
            },
        }
    }
}

#[cold]
fn contiguous(object: &Bound<'_, PyAny>, what: &str) -> PyResult<PyUntypedBuffer> {
    let buffer = PyUntypedBuffer::get(object).map_err(|error| {
        if error.is_instance_of::<PyTypeError>(object.py()) {
            let kind = kind_of(object);
            PyTypeError::new_err(format!("{what}: a bytes-like object is required, not '{kind}'"))
        } else {
            error
        }
    })?;
    if buffer.is_c_contiguous() {
        return Ok(buffer);
    }
    Err(PyBufferError::new_err(format!("{what}: its bytes must lie one behind the other")))
}

/// The name of an object's type.
pub fn kind_of(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string())
}

/// The whole numbers of a buffer; `None` for what is no buffer.
///
/// # Errors
/// `ValueError` for a buffer of anything else.
pub fn integers(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Option<Vec<i64>>> {
    if object.is_instance_of::<PyBytes>() {
        let said = format!("{what}: bytes are no numbers; take an array of integers");
        return Err(PyTypeError::new_err(said));
    }
    let Ok(buffer) = PyUntypedBuffer::get(object) else { return Ok(None) };
    let format = buffer.format().to_string_lossy().into_owned();
    let view = View::Buffer(contiguous(object, what)?);
    let bytes = view.bytes();
    let is_native =
        !format.starts_with(if cfg!(target_endian = "little") { ['>', '!'] } else { ['<', '<'] });
    let numbers = match ElementType::from_format(buffer.format()) {
        ElementType::SignedInteger { bytes: 4 } if is_native => {
            words(bytes, |word| i32::from_ne_bytes(word).into())
        }
        ElementType::SignedInteger { bytes: 8 } if is_native => words(bytes, i64::from_ne_bytes),
        ElementType::UnsignedInteger { bytes: 4 } if is_native => {
            words(bytes, |word| u32::from_ne_bytes(word).into())
        }
        // What is too large for any message becomes negative, and is refused as such.
        ElementType::UnsignedInteger { bytes: 8 } if is_native => {
            words(bytes, |word| u64::from_ne_bytes(word) as i64)
        }
        _ => {
            let said = "integers of 4 or 8 bytes in this machine's byte order are taken, not";
            return Err(PyValueError::new_err(format!("{what}: {said} format '{format}'")));
        }
    };
    Ok(Some(numbers))
}

fn words<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> i64) -> Vec<i64> {
    bytes.as_chunks::<N>().0.iter().map(|word| number(*word)).collect()
}
