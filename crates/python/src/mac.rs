//! A message piece by piece, in the shape of `hmac.HMAC`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use macs::DynMac;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use crate::edge::buffers::View;
use crate::errors::refused;
use crate::{DETACHED_MIN_BYTES, catalog, computed, keyed};

/// A message under way. Threads may share it; pieces are taken in the order in which they come.
#[pyclass(frozen, module = "macs")]
pub struct Mac {
    mac: Mutex<DynMac>,
}

/// A message under a new key, as `hmac.new`.
#[pyfunction]
#[pyo3(signature = (
    key, msg = None, digestmod = None, *, nonce = None, customization = None, tag_len = None
))]
pub fn new(
    key: &Bound<'_, PyAny>,
    msg: Option<&Bound<'_, PyAny>>,
    digestmod: Option<&Bound<'_, PyAny>>,
    nonce: Option<&Bound<'_, PyAny>>,
    customization: Option<&Bound<'_, PyAny>>,
    tag_len: Option<usize>,
) -> PyResult<Mac> {
    let Some(digestmod) = digestmod else {
        return Err(PyTypeError::new_err("Missing required argument 'digestmod'."));
    };
    let info = catalog::of_digestmod(digestmod)?;
    let nonce_len = nonce.map(|nonce| Ok::<_, PyErr>(View::of(nonce, "nonce")?.bytes().len()));
    let key = View::of(key, "key")?;
    let mac = keyed(info, key.bytes(), customization, tag_len, nonce_len.transpose()?)?;
    Mac::begun(mac, msg, nonce)
}

impl Mac {
    /// A message under this key, of which no piece was taken.
    pub fn begun(
        mut mac: DynMac,
        msg: Option<&Bound<'_, PyAny>>,
        nonce: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if let Some(nonce) = nonce {
            mac.set_nonce(View::of(nonce, "nonce")?.bytes()).map_err(refused)?;
        }
        if let Some(msg) = msg {
            let message = View::of(msg, "msg")?;
            let bytes = message.bytes();
            computed(msg.py(), bytes.len(), || mac.update(bytes));
        }
        Ok(Self { mac: Mutex::new(mac) })
    }

    /// The state. Nothing is done with the interpreter while the guard lives.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, DynMac> {
        // A panic of another thread leaves a state that is some state.
        self.mac.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Mac {
    /// Takes the next piece of the message.
    fn update(&self, msg: &Bound<'_, PyAny>) -> PyResult<()> {
        let message = View::of(msg, "msg")?;
        let bytes = message.bytes();
        if bytes.len() < DETACHED_MIN_BYTES {
            self.lock(msg.py()).update(bytes);
        } else {
            msg.py().detach(|| {
                self.mac.lock().unwrap_or_else(PoisonError::into_inner).update(bytes);
            });
        }
        Ok(())
    }

    /// The tag of the pieces taken so far; more may come.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut copy = self.lock(py).clone();
        let tag_len = copy.tag_len_bytes();
        PyBytes::new_with(py, tag_len, |tag| copy.finalize_reset_into(tag).map_err(refused))
    }

    /// The same in hexadecimal.
    fn hexdigest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.digest(py)?.call_method0("hex")
    }

    /// Checks a tag in constant time; raises `TagMismatch` if it is not that of the pieces taken.
    fn verify(&self, tag: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut copy = self.lock(tag.py()).clone();
        copy.verify(View::of(tag, "tag")?.bytes()).map_err(refused)
    }

    /// Another message that begins with the same pieces.
    fn copy(&self, py: Python<'_>) -> Self {
        Self { mac: Mutex::new(self.lock(py).clone()) }
    }

    /// Catalog name of the mac.
    #[getter]
    fn name(&self, py: Python<'_>) -> &'static str {
        self.lock(py).info().name
    }

    /// Length of the tag in bytes.
    #[getter]
    fn digest_size(&self, py: Python<'_>) -> usize {
        self.lock(py).tag_len_bytes()
    }

    /// Length in bytes of the blocks of what the mac is built on.
    #[getter]
    fn block_size(&self, py: Python<'_>) -> usize {
        self.lock(py).info().primitive.block_len_bytes
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Mac cannot be pickled: that would write its key out"))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<macs.Mac {}>", self.name(py))
    }
}
