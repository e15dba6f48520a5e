//! What says which message is where, and under which key: arrays of integers, checked before
//! anything is computed.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::edge::buffers::integers;
use crate::numbers::number;

/// The integers of a buffer (an `array`, a NumPy array) or of a list.
fn numbers(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<i64>> {
    match integers(object, what)? {
        Some(numbers) => Ok(numbers),
        None => {
            let each = object.try_iter()?.enumerate();
            each.map(|(at, given)| number(&given?, || format!("{what}[{at}]"))).collect()
        }
    }
}

/// Which key each of `count` messages is under. Without saying, one key is for all messages, and as
/// many keys as messages are for one each.
///
/// # Errors
/// `ValueError` for another number of indices than messages, or a key that is not there.
pub fn key_of_each(
    key_index: Option<&Bound<'_, PyAny>>,
    count: usize,
    keys: usize,
) -> PyResult<Vec<usize>> {
    let Some(key_index) = key_index else { return of_each(count, keys) };
    let numbers = numbers(key_index, "key_index")?;
    if numbers.len() != count {
        let given = numbers.len();
        return Err(PyValueError::new_err(format!(
            "key_index has {given} numbers for {count} messages"
        )));
    }
    let index = |(at, number): (usize, i64)| match usize::try_from(number) {
        Ok(key) if key < keys => Ok(key),
        _ => Err(PyValueError::new_err(format!(
            "key_index[{at}] is {number}, and there are {keys} keys, counted from 0"
        ))),
    };
    numbers.into_iter().enumerate().map(index).collect()
}

/// The same without indices.
fn of_each(count: usize, keys: usize) -> PyResult<Vec<usize>> {
    match keys {
        1 => Ok(vec![0; count]),
        _ if keys == count => Ok((0..count).collect()),
        _ => Err(PyValueError::new_err(format!(
            "{count} messages under {keys} keys: key_index must say which has which"
        ))),
    }
}

/// The messages that these offsets cut out of the data, as Arrow has them: message i is
/// `data[offsets[i]..offsets[i + 1]]`, so that there is one offset more than messages.
///
/// # Errors
/// `ValueError` for no offsets, and for those that go backwards or beyond the data.
pub fn cut<'a>(data: &'a [u8], offsets: &Bound<'_, PyAny>) -> PyResult<Vec<&'a [u8]>> {
    let offsets = numbers(offsets, "offsets")?;
    if offsets.is_empty() {
        let said = "offsets is empty; it has one number more than there are messages";
        return Err(PyValueError::new_err(said));
    }
    let message = |(at, pair): (usize, &[i64])| {
        let (start, end) = (usize::try_from(pair[0]).ok(), usize::try_from(pair[1]).ok());
        start.zip(end).and_then(|(start, end)| data.get(start..end)).ok_or_else(|| {
            PyValueError::new_err(format!(
                "offsets[{at}] and the next are {} and {}, which is no part of {} bytes",
                pair[0],
                pair[1],
                data.len()
            ))
        })
    };
    offsets.windows(2).enumerate().map(message).collect()
}

/// Nonces of one length that lie one behind the other, one for each of `count` messages.
///
/// # Errors
/// `ValueError` for bytes that cannot be divided so.
pub fn nonces(packed: &[u8], count: usize) -> PyResult<Vec<&[u8]>> {
    if packed.is_empty() {
        return Ok(vec![&[]; count]);
    }
    if count == 0 || !packed.len().is_multiple_of(count) {
        let len = packed.len();
        return Err(PyValueError::new_err(format!(
            "nonces has {len} bytes, which is no equal number for each of {count} messages"
        )));
    }
    Ok(packed.chunks_exact(packed.len() / count).collect())
}
