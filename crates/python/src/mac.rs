//! A message piece by piece, in the shape of `hmac.HMAC`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use macs::{DynMac, Error, Kind};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use crate::edge::buffers::View;
use crate::errors::refused;
use crate::{DETACHED_MIN_BYTES, catalog, computed, keyed};

/// A message under way. Threads may share it; pieces are taken in the order in which they come.
#[pyclass(frozen, module = "macs")]
pub struct Mac {
    state: Mutex<State>,
    /// What is for one tag, and must not serve for another.
    is_once: Option<Once>,
}

struct State {
    mac: DynMac,
    /// Whether the tag of what is for one tag was told.
    is_told: bool,
}

/// What may have one tag only: with those of two messages, anybody can forge others.
#[derive(Clone, Copy)]
enum Once {
    Key,
    Nonce,
}

impl Once {
    fn of(mac: &DynMac, has_nonce: bool) -> Option<Self> {
        let key = (mac.info().kind() == Kind::OneTimeMac).then_some(Self::Key);
        key.or(has_nonce.then_some(Self::Nonce))
    }

    /// The error for a second tag.
    #[cold]
    fn refused(self, name: &str) -> PyErr {
        let what = match self {
            Self::Key => "key",
            Self::Nonce => "nonce",
        };
        PyValueError::new_err(format!(
            "{name}: a second tag under one {what} would let others forge tags; \
             begin a new message with a new {what}"
        ))
    }
}

/// A message under a new key, as `hmac.new`.
#[pyfunction]
#[pyo3(signature = (
    key, msg = None, digestmod = None, *,
    nonce = None, customization = None, tag_len = None, nonce_len = None
))]
pub fn new(
    key: &Bound<'_, PyAny>,
    msg: Option<&Bound<'_, PyAny>>,
    digestmod: Option<&Bound<'_, PyAny>>,
    nonce: Option<&Bound<'_, PyAny>>,
    customization: Option<&Bound<'_, PyAny>>,
    tag_len: Option<&Bound<'_, PyAny>>,
    nonce_len: Option<&Bound<'_, PyAny>>,
) -> PyResult<Mac> {
    let Some(digestmod) = digestmod else {
        return Err(PyTypeError::new_err("Missing required argument 'digestmod'."));
    };
    let info = catalog::of_digestmod(digestmod)?;
    let key = View::of(key, "key")?;
    Mac::begun(keyed(info, key.bytes(), customization, tag_len, nonce_len)?, msg, nonce)
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
        let is_once = Once::of(&mac, nonce.is_some());
        Ok(Self { state: Mutex::new(State { mac, is_told: false }), is_once })
    }

    /// The state. Nothing is done with the interpreter while the guard lives.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        // A panic of another thread leaves a state that is some state.
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// The mac with what it has taken, whose tag is about to be told.
    fn told(&self, py: Python<'_>) -> DynMac {
        let mut state = self.lock(py);
        state.is_told = self.is_once.is_some();
        state.mac.clone()
    }
}

impl State {
    /// Takes the next piece, if it may.
    fn update(&mut self, bytes: &[u8]) -> bool {
        if !self.is_told {
            self.mac.update(bytes);
        }
        !self.is_told
    }
}

#[pymethods]
impl Mac {
    /// Takes the next piece of the message.
    fn update(&self, msg: &Bound<'_, PyAny>) -> PyResult<()> {
        let message = View::of(msg, "msg")?;
        let (py, bytes) = (msg.py(), message.bytes());
        let is_taken = if bytes.len() < DETACHED_MIN_BYTES {
            self.lock(py).update(bytes)
        } else {
            py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).update(bytes))
        };
        match self.is_once {
            Some(once) if !is_taken => Err(once.refused(self.name(py))),
            _ => Ok(()),
        }
    }

    /// The tag of the pieces taken so far; more may come, but under a nonce, or a key that is for
    /// one message.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut copy = self.told(py);
        let tag_len = copy.tag_len_bytes();
        PyBytes::new_with(py, tag_len, |tag| copy.finalize_reset_into(tag).map_err(refused))
    }

    /// The same in hexadecimal.
    fn hexdigest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.digest(py)?.call_method0("hex")
    }

    /// Checks a tag in constant time; raises `TagMismatch` if it is not that of the pieces taken.
    fn verify(&self, tag: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, tag) = (tag.py(), View::of(tag, "tag")?);
        let mut state = self.lock(py);
        let checked = state.mac.clone().verify(tag.bytes());
        // Whether it was right or not, it was one.
        if matches!(checked, Ok(()) | Err(Error::TagMismatch)) {
            state.is_told = self.is_once.is_some();
        }
        drop(state);
        checked.map_err(refused)
    }

    /// Another message that begins with the same pieces; not under a nonce, nor under a key that is
    /// for one message.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        if let Some(once) = self.is_once {
            return Err(once.refused(self.name(py)));
        }
        let mac = self.lock(py).mac.clone();
        Ok(Self { state: Mutex::new(State { mac, is_told: false }), is_once: None })
    }

    /// Catalog name of the mac.
    #[getter]
    fn name(&self, py: Python<'_>) -> &'static str {
        self.lock(py).mac.info().name
    }

    /// Length of the tag in bytes.
    #[getter]
    fn digest_size(&self, py: Python<'_>) -> usize {
        self.lock(py).mac.tag_len_bytes()
    }

    /// Length in bytes of the blocks of what the mac is built on.
    #[getter]
    fn block_size(&self, py: Python<'_>) -> usize {
        self.lock(py).mac.info().primitive.block_len_bytes
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Mac cannot be pickled: that would write its key out"))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<macs.Mac {}>", self.name(py))
    }
}
