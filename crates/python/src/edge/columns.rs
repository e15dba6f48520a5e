#![expect(unsafe_code, reason = "the structures of Arrow's C data interface")]
//! Columns of byte strings by Arrow's C data interface and its PyCapsule protocol: taken from any
//! library that has it, and handed to any. The structures are those of
//! <https://arrow.apache.org/docs/format/CDataInterface.html> and `CStreamInterface.html`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null;
use std::sync::Arc;
use std::{mem, slice};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

use super::buffers::kind_of;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";
/// The flag of a column that may have nulls.
const NULLABLE: i64 = 2;

/// The type of a column.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// The values of a column, or of a part of it.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// The parts of a column, one after another.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// What all three have: who holds one releases it, once.
macro_rules! released {
    ($($kind:ident),+) => {$(
        impl $kind {
            /// One that holds nothing, to be written over.
            const fn empty() -> Self {
                // SAFETY: every field is a number, a pointer or an optional function, for which
                // zeros are 0, null and none.
                unsafe { mem::zeroed() }
            }
        }

        impl Drop for $kind {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the interface has the holder call it with the structure that it is
                    // in. The callback sets it to null, so it is not called twice.
                    unsafe { release(self) }
                }
            }
        }

        // SAFETY: the interface lets a structure go from one thread to another, and be released
        // there; what is behind its pointers is not changed.
        unsafe impl Send for $kind {}
        // SAFETY: what is behind its pointers is not changed, and through a shared structure it is
        // only read.
        unsafe impl Sync for $kind {}
    )+};
}
released!(Schema, Array, Stream);

/// How the strings of a column are stored.
#[derive(Clone, Copy)]
enum Layout {
    /// `z`, `u`: offsets of 4 bytes.
    Offsets32,
    /// `Z`, `U`: offsets of 8 bytes.
    Offsets64,
    /// `vz`, `vu`: short ones in place, long ones in one of several buffers.
    Views,
    /// `w:n`: all of one length.
    Fixed(usize),
}

/// Part of a column of byte strings, held as long as this lives.
pub struct Strings {
    array: Array,
    layout: Layout,
}

/// The parts of the column that this object has.
///
/// # Errors
/// `TypeError` for an object without Arrow's protocol, `ValueError` for columns of anything else.
pub fn strings_of(object: &Bound<'_, PyAny>) -> PyResult<Vec<Strings>> {
    if object.hasattr("__arrow_c_array__")? {
        let pair = object.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
        let layout = layout_of(&taken(&schema, SCHEMA)?)?;
        return Ok(vec![Strings::checked(taken(&array, ARRAY)?, layout)?]);
    }
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let mut stream: Stream = taken(capsule.cast::<PyCapsule>()?, STREAM)?;
        return parts_of(&mut stream);
    }
    let kind = kind_of(object);
    let said = "an Arrow column is required (`__arrow_c_array__` or `__arrow_c_stream__`), not";
    Err(PyTypeError::new_err(format!("{said} '{kind}'")))
}

/// Takes a structure out of its capsule, as the protocol has it: the capsule's becomes empty.
fn taken<T: Taken>(capsule: &Bound<'_, PyCapsule>, name: &'static CStr) -> PyResult<T> {
    let place = capsule.pointer_checked(Some(name))?.cast::<T>();
    // SAFETY: a capsule of this name holds this structure, which nobody else touches while this
    // thread is attached; what is left in its place says that there is nothing to release.
    let taken = unsafe { place.as_ptr().replace(T::EMPTY) };
    if taken.is_released() {
        return Err(PyValueError::new_err("the Arrow column was taken before"));
    }
    Ok(taken)
}

/// What capsules hold.
trait Taken {
    const EMPTY: Self;
    fn is_released(&self) -> bool;
}

macro_rules! taken {
    ($($kind:ident),+) => {$(
        impl Taken for $kind {
            const EMPTY: Self = Self::empty();
            fn is_released(&self) -> bool {
                self.release.is_none()
            }
        }
    )+};
}
taken!(Schema, Array, Stream);

fn parts_of(stream: &mut Stream) -> PyResult<Vec<Strings>> {
    let incomplete = || PyValueError::new_err("the Arrow stream has no functions");
    let get_schema = stream.get_schema.ok_or_else(incomplete)?;
    let get_next = stream.get_next.ok_or_else(incomplete)?;
    let mut schema = Schema::empty();
    // SAFETY: a function of the stream, with the stream itself and a place for what it writes.
    if unsafe { get_schema(stream, &mut schema) } != 0 {
        return Err(failed(stream));
    }
    let layout = layout_of(&schema)?;
    let mut parts = Vec::new();
    loop {
        let mut array = Array::empty();
        // SAFETY: a function of the stream, with the stream itself and a place for what it writes.
        if unsafe { get_next(stream, &mut array) } != 0 {
            return Err(failed(stream));
        }
        if array.is_released() {
            return Ok(parts); // The end.
        }
        parts.push(Strings::checked(array, layout)?);
    }
}

/// What the stream says of its last call.
fn failed(stream: &mut Stream) -> PyErr {
    let told = stream.get_last_error.map(|get_last_error| {
        // SAFETY: a function of the stream, after one that failed: null or text that stays until
        // the next call.
        unsafe { get_last_error(stream).as_ref().map(|text| CStr::from_ptr(text).to_owned()) }
    });
    let told = told.flatten().map_or_else(String::new, |text| text.to_string_lossy().into_owned());
    PyValueError::new_err(format!("the Arrow stream failed: {told}"))
}

fn layout_of(schema: &Schema) -> PyResult<Layout> {
    // SAFETY: a schema that is not released has a format, which ends in a zero byte.
    let format = unsafe { schema.format.as_ref().map(|format| CStr::from_ptr(format)) };
    let format = format.unwrap_or_default().to_string_lossy();
    let is_plain = schema.dictionary.is_null();
    let fixed = format.strip_prefix("w:").and_then(|len| len.parse().ok());
    match (&*format, fixed) {
        ("z" | "u", _) if is_plain => Ok(Layout::Offsets32),
        ("Z" | "U", _) if is_plain => Ok(Layout::Offsets64),
        ("vz" | "vu", _) if is_plain => Ok(Layout::Views),
        (_, Some(len)) if is_plain => Ok(Layout::Fixed(len)),
        _ => {
            let kind = if is_plain { "type" } else { "a dictionary over the type" };
            let said = "a column of binary or text is required, not of";
            Err(PyValueError::new_err(format!("{said} {kind} '{format}'")))
        }
    }
}

impl Strings {
    /// The array as such a column, if it has the buffers of one.
    fn checked(array: Array, layout: Layout) -> PyResult<Self> {
        let buffers_min = match layout {
            Layout::Fixed(_) => 2,
            _ => 3,
        };
        if array.length < 0 || array.offset < 0 || array.n_buffers < buffers_min {
            let said = format!("{} buffers, offset {}", array.n_buffers, array.offset);
            return Err(PyValueError::new_err(format!("not a column of Arrow: {said}")));
        }
        Ok(Self { array, layout })
    }

    /// The strings, `None` for nulls.
    ///
    /// # Errors
    /// `ValueError` for offsets that go backwards.
    pub fn values(&self) -> PyResult<Vec<Option<&[u8]>>> {
        let (first, length) = (self.array.offset as usize, self.array.length as usize);
        let value = |at| if self.is_null(at) { Ok(None) } else { self.value(at).map(Some) };
        (first..first + length).map(value).collect()
    }

    fn buffer(&self, number: usize) -> *const u8 {
        // SAFETY: `checked` has counted the buffers, and views count theirs.
        unsafe { self.array.buffers.add(number).read() }.cast()
    }

    fn is_null(&self, at: usize) -> bool {
        let validity = self.buffer(0);
        // SAFETY: where there is such a buffer it has a bit for each value, lowest first.
        self.array.null_count != 0
            && !validity.is_null()
            && unsafe { validity.add(at / 8).read() } >> (at % 8) & 1 == 0
    }

    fn value(&self, at: usize) -> PyResult<&[u8]> {
        match self.layout {
            Layout::Fixed(len) => self.bytes(1, (len * at) as i64, len as i64),
            Layout::Offsets32 => {
                let offsets = self.buffer(1).cast::<[i32; 2]>();
                // SAFETY: there is one offset more than values. The pair begins at each of them,
                // which is where a value that is not aligned to its size may lie.
                let pair = unsafe { offsets.byte_add(4 * at).read_unaligned() };
                let [start, end] = pair.map(i64::from);
                self.bytes(2, start, end - start)
            }
            Layout::Offsets64 => {
                let offsets = self.buffer(1).cast::<[i64; 2]>();
                // SAFETY: there is one offset more than values, and the pair is read from where it
                // begins, aligned or not.
                let [start, end] = unsafe { offsets.byte_add(8 * at).read_unaligned() };
                self.bytes(2, start, end.wrapping_sub(start))
            }
            Layout::Views => self.viewed(at),
        }
    }

    /// A string by its view: 4 bytes of length, then up to 12 bytes of string, or 4 that it begins
    /// with, the number of a buffer and the place in it.
    fn viewed(&self, at: usize) -> PyResult<&[u8]> {
        // SAFETY: a view has 16 bytes, and there is one for each value.
        let view = unsafe { self.buffer(1).cast::<[i32; 4]>().add(at).read_unaligned() };
        let [len, _, number, start] = view;
        if (0..=12).contains(&len) {
            return self.bytes(1, 16 * at as i64 + 4, len.into());
        }
        // The last buffer has the lengths of those with strings.
        if i64::from(number) < 0 || i64::from(number) + 3 >= self.array.n_buffers {
            return Err(PyValueError::new_err(format!("value {at}: no buffer {number}")));
        }
        self.bytes(2 + number as usize, start.into(), len.into())
    }

    fn bytes(&self, buffer: usize, start: i64, len: i64) -> PyResult<&[u8]> {
        if start < 0 || len < 0 {
            let said = format!("not a column of Arrow: {len} bytes from {start} on");
            return Err(PyValueError::new_err(said));
        }
        if len == 0 {
            return Ok(&[]); // The buffer may be null.
        }
        let data = self.buffer(buffer);
        // SAFETY: the producer says that the buffer has these bytes; neither they nor where they
        // lie changes before the array is released, which is when `self` is dropped.
        Ok(unsafe { slice::from_raw_parts(data.add(start as usize), len as usize) })
    }
}

/// A column of tags to be handed out: all of one length, some of them null.
pub struct Tags {
    /// One behind the other; zeros where there is none.
    pub tags: Vec<u8>,
    /// Of each tag.
    pub tag_len_bytes: usize,
    /// A bit for each tag, lowest first, if any is null.
    pub validity: Option<Vec<u8>>,
    /// Number of tags, and of nulls among them.
    pub counts: (usize, usize),
}

/// What an array that was handed out holds until it is released.
struct HandedOut {
    _tags: Arc<Tags>,
    buffers: [*const c_void; 2],
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: called with a schema of `schema_capsule` that was not released, whose format is a
    // `CString` that was let go of there.
    unsafe {
        drop(CString::from_raw((*schema).format.cast_mut()));
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: called with an array of `array_capsule` that was not released, whose private data is
    // a box that was let go of there.
    unsafe {
        drop(Box::from_raw((*array).private_data.cast::<HandedOut>()));
        (*array).release = None;
    }
}

/// A capsule with the type of these tags.
///
/// # Errors
/// Only out of memory.
pub fn schema_capsule<'py>(py: Python<'py>, tags: &Tags) -> PyResult<Bound<'py, PyCapsule>> {
    let format = CString::new(format!("w:{}", tags.tag_len_bytes)).expect("no zero byte");
    let mut schema = Schema::empty();
    (schema.format, schema.name) = (format.into_raw(), c"".as_ptr());
    schema.flags = NULLABLE;
    schema.release = Some(release_schema);
    PyCapsule::new_with_value_and_destructor(py, schema, SCHEMA, |schema, _| drop(schema))
}

/// Capsules with the type of these tags, and with the tags.
///
/// # Errors
/// Only out of memory.
pub fn array_capsules<'py>(py: Python<'py>, tags: &Arc<Tags>) -> PyResult<Bound<'py, PyTuple>> {
    let validity = tags.validity.as_ref().map_or(null(), |validity| validity.as_ptr());
    let buffers = [validity.cast(), tags.tags.as_ptr().cast()];
    let held = Box::into_raw(Box::new(HandedOut { _tags: Arc::clone(tags), buffers }));
    let mut array = Array::empty();
    (array.length, array.null_count) = (tags.counts.0 as i64, tags.counts.1 as i64);
    array.n_buffers = 2;
    // SAFETY: the box was just made, and lives until the array is released.
    array.buffers = unsafe { &raw mut (*held).buffers }.cast();
    array.private_data = held.cast();
    array.release = Some(release_array);
    let array = PyCapsule::new_with_value_and_destructor(py, array, ARRAY, |array, _| drop(array))?;
    PyTuple::new(py, [schema_capsule(py, tags)?, array])
}
