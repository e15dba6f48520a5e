//! Whole numbers that a call is given: lengths and indices.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use crate::edge::buffers::kind_of;
use crate::errors::beyond;

/// Longer numbers are not shown.
const DIGITS_MAX: usize = 40;

/// A number, called `what`, which may be below 0.
///
/// # Errors
/// `TypeError` for what is no whole number, `ValueError` for one beyond 64 bits.
pub fn number(given: &Bound<'_, PyAny>, what: impl Fn() -> String) -> PyResult<i64> {
    given.extract().map_err(|error: PyErr| {
        let py = given.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            beyond(&what(), &digits(given))
        } else if error.is_instance_of::<PyTypeError>(py) {
            let (what, kind) = (what(), kind_of(given));
            PyTypeError::new_err(format!("{what}: a whole number is required, not '{kind}'"))
        } else {
            error
        }
    })
}

/// A length in bytes, where one is said.
///
/// # Errors
/// As [`number`], and `ValueError` for one below 0.
pub fn length(given: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Option<usize>> {
    let Some(given) = given else { return Ok(None) };
    let len = number(given, || what.into())?;
    usize::try_from(len).map(Some).map_err(|_| beyond(what, &len.to_string()))
}

/// Python itself refuses to write very long ones.
fn digits(given: &Bound<'_, PyAny>) -> String {
    let digits = given.str().ok().map(|digits| digits.to_string());
    digits.filter(|digits| digits.len() <= DIGITS_MAX).unwrap_or_else(|| "too long a number".into())
}
