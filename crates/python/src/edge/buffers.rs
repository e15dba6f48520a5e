#![expect(unsafe_code, reason = "the memory behind Python's buffer protocol")]
//! Objects with bytes in them: `bytes` without any copy or lock, all others by the buffer protocol.

use std::ffi::{CStr, c_int};
use std::{ptr, slice};

use pyo3::buffer::{ElementType, PyUntypedBuffer};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::beyond;

/// The bytes of an object, for as long as this lives.
pub enum View<'a> {
    /// Of `bytes`, which never change.
    Bytes(&'a [u8]),
    /// Of a `bytearray`, a `memoryview`, an array, …, which cannot change its length meanwhile.
    Buffer(Piece),
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
            Err(_) => Ok(Self::Buffer(piece(object, what)?)),
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
            Self::Buffer(piece) if piece.len_bytes() == 0 => &[],
            // SAFETY: a buffer that was asked for as `PyBUF_SIMPLE` is `len` bytes one behind the
            // other, and the exporter neither frees nor moves them before it is released, which is
            // when `self` is dropped. That a program writes into them meanwhile from another thread
            // is a race in that program, as with `hashlib`: the tag is then that of any mixture.
            Self::Buffer(piece) => unsafe {
                slice::from_raw_parts(piece.0.buf.cast(), piece.len_bytes())
            },
        }
    }
}

/// Memory in one piece that an object lends, of whatever shape and type. Exporters may point into
/// the structure itself, so it stays where it is.
pub struct Piece(Box<ffi::Py_buffer>);

impl Piece {
    /// Without `PyBUF_STRIDES` in the flags it is one piece, or refused. `hmac` asks for no more,
    /// and 0-dimensional arrays and those of `ctypes` have no strides.
    fn lent(object: &Bound<'_, PyAny>, flags: c_int) -> PyResult<Self> {
        let mut buffer = Box::new(ffi::Py_buffer::new());
        // SAFETY: the object is alive and this thread attached, for which `Bound` stands, and the
        // structure is there to be filled.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *buffer, flags) } == 0 {
            Ok(Self(buffer))
        } else {
            Err(PyErr::fetch(object.py()))
        }
    }

    /// Its length in bytes.
    fn len_bytes(&self) -> usize {
        self.0.len.unsigned_abs()
    }

    /// Whether Python follows what is in there to other memory: objects, or pointers of `ctypes`.
    fn has_addresses(&self) -> bool {
        // SAFETY: it is null or a text, which the exporter keeps until `self` is dropped.
        let format = (!self.0.format.is_null()).then(|| unsafe { CStr::from_ptr(self.0.format) });
        format.is_some_and(|format| format.to_bytes().iter().any(|sign| b"OPzZX&".contains(sign)))
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // Where the interpreter has ended, the memory has ended with it.
        Python::try_attach(|_| {
            // SAFETY: `lent` has filled it, it is released once, here, and this thread is attached.
            unsafe { ffi::PyBuffer_Release(&raw mut *self.0) }
        });
    }
}

#[cold]
fn piece(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Piece> {
    Piece::lent(object, ffi::PyBUF_SIMPLE).map_err(|error| {
        if error.is_instance_of::<PyTypeError>(object.py()) {
            let kind = kind_of(object);
            PyTypeError::new_err(format!("{what}: a bytes-like object is required, not '{kind}'"))
        } else if PyUntypedBuffer::get(object).is_ok_and(|buffer| !buffer.is_c_contiguous()) {
            PyBufferError::new_err(format!("{what}: its bytes must lie one behind the other"))
        } else {
            error
        }
    })
}

/// Memory of an object that can be written.
pub struct Place(Piece);

impl Place {
    /// The memory of this object, which errors call `what`.
    ///
    /// # Errors
    /// As of [`View::of`], `ValueError` for what cannot be written, `TypeError` for what must not.
    pub fn of(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        match Piece::lent(object, ffi::PyBUF_WRITABLE | ffi::PyBUF_ND | ffi::PyBUF_FORMAT) {
            Ok(piece) if piece.has_addresses() => {
                let said =
                    "holds objects or addresses, which no tag is: a bytearray can be written";
                Err(PyTypeError::new_err(format!("{what} {said}")))
            }
            Ok(piece) => Ok(Self(piece)),
            Err(_) => piece(object, what).and_then(|_| {
                let said = format!("{what} cannot be written; a bytearray can");
                Err(PyValueError::new_err(said))
            }),
        }
    }

    /// Its length in bytes.
    pub fn len_bytes(&self) -> usize {
        self.0.len_bytes()
    }

    /// Writes these bytes to its beginning, and none beyond its end.
    pub fn write(self, bytes: &[u8]) {
        let len = bytes.len().min(self.len_bytes());
        if len == 0 {
            return;
        }
        // SAFETY: the exporter has lent as many bytes or more for writing, one behind the other,
        // and keeps them until `self` is dropped; `bytes` is memory of ours, which it cannot
        // overlap.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.0.0.buf.cast(), len) }
    }
}

/// The name of an object's type.
pub fn kind_of(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string())
}

/// The whole numbers of a buffer; `None` for what is no buffer.
///
/// # Errors
/// `ValueError` for a buffer of anything else, and for numbers from 2^63 on.
pub fn integers(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Option<Vec<i64>>> {
    if object.is_instance_of::<PyBytes>() {
        let said = format!("{what}: bytes are no numbers; take an array of integers");
        return Err(PyTypeError::new_err(said));
    }
    let Ok(buffer) = PyUntypedBuffer::get(object) else { return Ok(None) };
    let format = buffer.format().to_string_lossy().into_owned();
    let view = View::of(object, what)?;
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
        ElementType::UnsignedInteger { bytes: 8 } if is_native => {
            // What is too large for any message becomes negative here.
            let numbers = words(bytes, |word| u64::from_ne_bytes(word) as i64);
            if let Some(at) = numbers.iter().position(|number| *number < 0) {
                return Err(beyond(&format!("{what}[{at}]"), &(numbers[at] as u64).to_string()));
            }
            numbers
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
