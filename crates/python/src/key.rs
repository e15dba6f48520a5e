//! A prepared key: set up once, never changed, shared by threads without a lock.

use macs::DynMac;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::edge::buffers::View;
use crate::errors::refused;
use crate::mac::Mac;
use crate::{catalog, computed, keyed, tag};

/// A mac with its key, prepared for many messages.
#[pyclass(frozen, module = "macs")]
pub struct Key {
    mac: DynMac,
}

#[pymethods]
impl Key {
    #[new]
    #[pyo3(signature = (algorithm, key, *, customization = None, tag_len = None, nonce_len = None))]
    fn new(
        algorithm: &str,
        key: &Bound<'_, PyAny>,
        customization: Option<&Bound<'_, PyAny>>,
        tag_len: Option<&Bound<'_, PyAny>>,
        nonce_len: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let info = catalog::named(algorithm)?;
        let key = View::of(key, "key")?;
        Ok(Self { mac: keyed(info, key.bytes(), customization, tag_len, nonce_len)? })
    }

    /// The tag of a message; with a nonce where the mac takes one.
    #[pyo3(signature = (msg, nonce = None))]
    fn digest<'py>(
        &self,
        msg: &Bound<'py, PyAny>,
        nonce: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let message = View::of(msg, "msg")?;
        let bytes = message.bytes();
        let (py, tag_len) = (msg.py(), self.mac.tag_len_bytes());
        match nonce {
            None => tag(py, tag_len, bytes.len(), |tag| self.mac.mac_into(bytes, tag)),
            Some(nonce) => {
                let nonce = View::of(nonce, "nonce")?;
                let nonce = nonce.bytes();
                tag(py, tag_len, bytes.len(), |tag| self.mac.mac_with_nonce_into(nonce, bytes, tag))
            }
        }
    }

    /// Checks a tag in constant time; raises `TagMismatch` if it is not the message's.
    #[pyo3(signature = (msg, tag, nonce = None))]
    fn verify(
        &self,
        msg: &Bound<'_, PyAny>,
        tag: &Bound<'_, PyAny>,
        nonce: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (message, tag) = (View::of(msg, "msg")?, View::of(tag, "tag")?);
        let is_with_nonce = nonce.is_some();
        let nonce = View::of_nonce(nonce)?;
        let (message, tag, nonce) = (message.bytes(), tag.bytes(), nonce.bytes());
        let checked = computed(msg.py(), message.len(), || {
            if is_with_nonce {
                self.mac.verify_message_with_nonce(nonce, message, tag)
            } else {
                self.mac.verify_message(message, tag)
            }
        });
        checked.map_err(refused)
    }

    /// A message piece by piece, under this key.
    #[pyo3(signature = (msg = None, *, nonce = None))]
    fn new_message(
        &self,
        msg: Option<&Bound<'_, PyAny>>,
        nonce: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Mac> {
        Mac::begun(self.mac.clone(), msg, nonce)
    }

    /// Catalog name of the mac.
    #[getter]
    fn name(&self) -> &'static str {
        self.mac.info().name
    }

    /// Length of a tag in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.mac.tag_len_bytes()
    }

    /// Length in bytes of the blocks of what the mac is built on.
    #[getter]
    fn block_size(&self) -> usize {
        self.mac.info().primitive.block_len_bytes
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Key cannot be pickled: that would write its key out"))
    }

    fn __repr__(&self) -> String {
        format!("<macs.Key {}>", self.name())
    }
}
