//! The library `macs` for Python. The package is in `python/macs`, its types and what each call
//! does in `python/macs/_macs.pyi`; here is the extension module behind it.
//!
//! A thread never waits for the interpreter while it holds a lock of this module, and work on
//! `DETACHED_MIN_BYTES` or more is done detached, so that other threads run meanwhile.

mod arrow;
mod batch;
mod catalog;
mod composition;
mod edge;
mod errors;
mod indices;
mod key;
mod mac;
mod numbers;

use macs::{DynMac, MacInfo};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::edge::buffers::View;
use crate::errors::refused;
use crate::numbers::length;

/// From here on, other threads run while tags are computed. CPython's `hashlib` has the same bound
/// (`HASHLIB_GIL_MINSIZE`).
const DETACHED_MIN_BYTES: usize = 2048;

/// Does this without the interpreter if it takes long.
fn computed<T: Send>(py: Python<'_>, len_bytes: usize, compute: impl FnOnce() -> T + Send) -> T {
    if len_bytes < DETACHED_MIN_BYTES { compute() } else { py.detach(compute) }
}

/// The tag that this call writes, for a message of this length.
fn tag<'py>(
    py: Python<'py>,
    tag_len_bytes: usize,
    message_len_bytes: usize,
    write: impl FnOnce(&mut [u8]) -> Result<(), macs::Error> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    if message_len_bytes < DETACHED_MIN_BYTES {
        return PyBytes::new_with(py, tag_len_bytes, |tag| write(tag).map_err(refused));
    }
    let mut tag = vec![0; tag_len_bytes];
    py.detach(|| write(&mut tag)).map_err(refused)?;
    Ok(PyBytes::new(py, &tag))
}

/// What may be said of a key beside its bytes.
fn keyed(
    info: &'static MacInfo,
    key: &[u8],
    customization: Option<&Bound<'_, PyAny>>,
    tag_len: Option<&Bound<'_, PyAny>>,
    nonce_len: Option<&Bound<'_, PyAny>>,
) -> PyResult<DynMac> {
    let (tag_len, nonce_len) = (length(tag_len, "tag_len")?, length(nonce_len, "nonce_len")?);
    let mut mac = match customization {
        None => DynMac::with_info(info, key).map_err(refused)?,
        Some(customization) => {
            let customization = View::of(customization, "customization")?;
            DynMac::with_customization(info, key, customization.bytes()).map_err(refused)?
        }
    };
    if let Some(tag_len) = tag_len {
        mac = mac.with_tag_len(tag_len).map_err(refused)?;
    }
    if let Some(nonce_len) = nonce_len {
        mac = mac.with_nonce_len(nonce_len).map_err(refused)?;
    }
    Ok(mac)
}

/// The tag of one message under one key, as `hmac.digest`.
#[pyfunction]
#[pyo3(signature = (key, msg, digest, *, nonce = None))]
fn digest<'py>(
    key: &Bound<'py, PyAny>,
    msg: &Bound<'py, PyAny>,
    digest: &Bound<'py, PyAny>,
    nonce: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let info = catalog::of_digestmod(digest)?;
    let (key, message) = (View::of(key, "key")?, View::of(msg, "msg")?);
    let nonce = View::of_nonce(nonce)?;
    let (key_bytes, bytes, nonce) = (key.bytes(), message.bytes(), nonce.bytes());
    tag(msg.py(), info.tag_len_bytes, bytes.len(), |tag| {
        if nonce.is_empty() {
            info.mac_into(key_bytes, bytes, tag)
        } else {
            info.mac_with_nonce_into(key_bytes, nonce, bytes, tag)
        }
    })
}

/// What a call costs that computes nothing: takes a message and gives eight constant bytes. The
/// instrument that measures this module prints it beside the others.
#[pyfunction]
fn _empty_call<'py>(msg: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let message = View::of(msg, "msg")?;
    std::hint::black_box(message.bytes());
    Ok(PyBytes::new(msg.py(), b"null tag"))
}

/// Leaves instructions out from now on (`avx512`, `vaes`, `sha`), so that one machine stands in for
/// older ones. For instruments, and before anything else.
#[pyfunction]
fn _leave_out(instructions: Vec<String>) -> PyResult<()> {
    let known = |name: &String| match &**name {
        "avx512" => Ok(macs::Instructions::Avx512),
        "vaes" => Ok(macs::Instructions::Vaes),
        "sha" => Ok(macs::Instructions::Sha),
        _ => Err(PyValueError::new_err(format!("avx512, vaes or sha can be left out, not {name}"))),
    };
    macs::leave_out(&instructions.iter().map(known).collect::<PyResult<Vec<_>>>()?);
    Ok(())
}

/// The extension module.
#[pymodule(name = "_macs")]
mod module {
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    #[pymodule_export]
    use super::{
        _empty_call, _leave_out, arrow::Digests, batch::Batch, catalog::info,
        composition::Composition, digest, key::Key, mac::Mac, mac::new,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("TagMismatch", py.get_type::<super::errors::TagMismatch>())?;
        for (name, is_composition) in [("algorithms", false), ("compositions", true)] {
            let rows = macs::catalog().iter().filter(|row| row.is_composition() == is_composition);
            let names: Vec<&str> = rows.map(|row| row.name).collect();
            module.add(name, PyTuple::new(py, names)?)?;
        }
        Ok(())
    }
}
