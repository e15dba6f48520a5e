//! Authenticated encryption under a prepared key.

use macs::DynComposition;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::edge::buffers::View;
use crate::errors::refused;
use crate::numbers::length;
use crate::{catalog, computed};

/// A composition with its key. It never changes; threads share it without a lock.
#[pyclass(frozen, module = "macs")]
pub struct Composition {
    composition: DynComposition,
}

#[pymethods]
impl Composition {
    #[new]
    #[pyo3(signature = (algorithm, key, *, tag_len = None, allow_short = false))]
    fn new(
        algorithm: &str,
        key: &Bound<'_, PyAny>,
        tag_len: Option<&Bound<'_, PyAny>>,
        allow_short: bool,
    ) -> PyResult<Self> {
        let info = catalog::named(algorithm)?;
        let key = View::of(key, "key")?;
        let mut composition = DynComposition::with_info(info, key.bytes()).map_err(refused)?;
        if let Some(tag_len) = length(tag_len, "tag_len")? {
            let chosen = if allow_short {
                composition.with_short_tag_len(tag_len)
            } else {
                composition.with_tag_len(tag_len)
            };
            composition = chosen.map_err(refused)?;
        }
        Ok(Self { composition })
    }

    /// The ciphertext of a message with the tag behind it.
    #[pyo3(signature = (nonce, msg, associated_data = None))]
    fn seal<'py>(
        &self,
        nonce: &Bound<'py, PyAny>,
        msg: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.with(nonce, ("msg", msg), associated_data, DynComposition::seal)
    }

    /// The message that was sealed; raises `TagMismatch` if it was not sealed so.
    #[pyo3(signature = (nonce, sealed, associated_data = None))]
    fn open<'py>(
        &self,
        nonce: &Bound<'py, PyAny>,
        sealed: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.with(nonce, ("sealed", sealed), associated_data, DynComposition::open)
    }

    /// Catalog name of the composition.
    #[getter]
    fn name(&self) -> &'static str {
        self.composition.info().name
    }

    /// Length of the tag in bytes.
    #[getter]
    fn tag_size(&self) -> usize {
        self.composition.tag_len_bytes()
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Composition cannot be pickled: that would write its key out"))
    }

    fn __repr__(&self) -> String {
        format!("<macs.Composition {}>", self.name())
    }
}

/// Nonce, associated data and message, or what was made of it.
type Call = fn(&DynComposition, &[u8], &[u8], &[u8]) -> Result<Vec<u8>, macs::Error>;

impl Composition {
    fn with<'py>(
        &self,
        nonce: &Bound<'py, PyAny>,
        (what, text): (&str, &Bound<'py, PyAny>),
        associated_data: Option<&Bound<'py, PyAny>>,
        call: Call,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (nonce, held) = (View::of(nonce, "nonce")?, View::of(text, what)?);
        let data = match associated_data {
            None => View::Bytes(&[]),
            Some(data) => View::of(data, "associated_data")?,
        };
        let (nonce, data, bytes) = (nonce.bytes(), data.bytes(), held.bytes());
        let len_bytes = bytes.len() + data.len();
        let done = computed(text.py(), len_bytes, || call(&self.composition, nonce, data, bytes));
        Ok(PyBytes::new(text.py(), &done.map_err(refused)?))
    }
}
