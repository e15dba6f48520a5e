//! The crate's errors as exceptions, with its words.

use macs::Error;
use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, create_exception};

create_exception!(
    macs,
    TagMismatch,
    PyValueError,
    "The tag does not belong to this message and key."
);

/// The exception for what the library refuses.
pub fn refused(error: Error) -> PyErr {
    let words = error.to_string();
    match error {
        Error::TagMismatch => TagMismatch::new_err(words),
        _ => PyValueError::new_err(words),
    }
}

/// For a number that no length and no index can be.
pub fn beyond(what: &str, number: &str) -> PyErr {
    let most = i64::MAX;
    PyValueError::new_err(format!("{what} is {number}; numbers from 0 to {most} are taken"))
}
