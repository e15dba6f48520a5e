//! Many messages under many keys in one call.

use macs::Job;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::arrow::Digests;
use crate::edge::buffers::{Place, View};
use crate::edge::columns::strings_of;
use crate::errors::refused;
use crate::indices::{cut, key_of_each, nonces as nonces_of_each};
use crate::numbers::length;
use crate::{catalog, computed};

/// The prepared keys of one mac. It never changes; threads share it without a lock.
#[pyclass(frozen, module = "macs")]
pub struct Batch {
    batch: macs::Batch,
}

/// The objects of an iterable, held.
fn objects<'py>(iterable: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    // Of these each byte would be an object.
    if iterable.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err("a list of bytes-like objects is required, not 'bytes'"));
    }
    iterable.try_iter()?.collect()
}

fn views<'a>(objects: &'a [Bound<'_, PyAny>], what: &str) -> PyResult<Vec<View<'a>>> {
    objects.iter().map(|object| View::of(object, what)).collect()
}

fn job<'a>(((key, nonce), message): ((usize, &'a [u8]), &'a [u8])) -> Job<'a> {
    Job::new(key, message).with_nonce(nonce)
}

impl Batch {
    fn jobs<'a>(
        &self,
        key_index: Option<&Bound<'_, PyAny>>,
        nonces: Vec<&'a [u8]>,
        messages: impl ExactSizeIterator<Item = &'a [u8]>,
    ) -> PyResult<Vec<Job<'a>>> {
        let keys = key_of_each(key_index, messages.len(), self.batch.keys())?;
        Ok(keys.into_iter().zip(nonces).zip(messages).map(job).collect())
    }

    fn tag_len_bytes(&self) -> usize {
        self.batch.info().tag_len_bytes
    }

    /// The tags, one behind the other.
    fn tags(&self, py: Python<'_>, jobs: &[Job<'_>]) -> PyResult<Vec<u8>> {
        let mut tags = vec![0; jobs.len() * self.tag_len_bytes()];
        computed(py, len_bytes(jobs), || self.batch.macs_into(jobs, &mut tags)).map_err(refused)?;
        Ok(tags)
    }
}

/// Of all messages. Each counts for a block at least: many empty ones take their time, too.
fn len_bytes(jobs: &[Job<'_>]) -> usize {
    jobs.iter().map(|job| job.message.len().max(64)).sum()
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (algorithm, keys, *, nonce_len = None))]
    fn new(
        algorithm: &str,
        keys: &Bound<'_, PyAny>,
        nonce_len: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let info = catalog::named(algorithm)?;
        let keys = objects(keys)?;
        let keys = views(&keys, "a key")?;
        let keys: Vec<&[u8]> = keys.iter().map(View::bytes).collect();
        if keys.is_empty() {
            return Err(PyValueError::new_err("keys is empty; a batch needs one key at least"));
        }
        let mut batch = macs::Batch::with_info(info, &keys).map_err(refused)?;
        if let Some(nonce_len) = length(nonce_len, "nonce_len")? {
            batch = batch.with_nonce_len(nonce_len).map_err(refused)?;
        }
        Ok(Self { batch })
    }

    /// The tags of a list of messages.
    #[pyo3(signature = (messages, key_index = None, *, nonces = None))]
    fn digests<'py>(
        &self,
        messages: &Bound<'py, PyAny>,
        key_index: Option<&Bound<'py, PyAny>>,
        nonces: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = messages.py();
        let messages = objects(messages)?;
        let messages = views(&messages, "a message")?;
        let nonces = View::of_nonce(nonces)?;
        let nonces = nonces_of_each(nonces.bytes(), messages.len())?;
        let jobs = self.jobs(key_index, nonces, messages.iter().map(View::bytes))?;
        let tags = self.tags(py, &jobs)?;
        let tags = tags.chunks_exact(self.tag_len_bytes());
        PyList::new(py, tags.map(|tag| PyBytes::new(py, tag)))
    }

    /// The tags, one behind the other, of messages that lie in one buffer.
    #[pyo3(signature = (data, offsets, key_index = None, out = None, *, nonces = None))]
    fn digests_packed<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        offsets: &Bound<'py, PyAny>,
        key_index: Option<&Bound<'py, PyAny>>,
        out: Option<Bound<'py, PyAny>>,
        nonces: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = data.py();
        let data = View::of(data, "data")?;
        let messages = cut(data.bytes(), offsets)?;
        let nonces = View::of_nonce(nonces)?;
        let nonces = nonces_of_each(nonces.bytes(), messages.len())?;
        let jobs = self.jobs(key_index, nonces, messages.into_iter())?;
        // Computed aside: `out` may be where the data are.
        let place = out.as_ref().map(|out| self.place(out, jobs.len())).transpose()?;
        let tags = self.tags(py, &jobs)?;
        match out.zip(place) {
            None => Ok(PyBytes::new(py, &tags).into_any()),
            Some((out, place)) => {
                place.write(&tags);
                Ok(out)
            }
        }
    }

    /// The tags of a column of Arrow, null for nulls.
    #[pyo3(signature = (column, key_index = None, *, nonces = None))]
    fn digests_arrow(
        &self,
        column: &Bound<'_, PyAny>,
        key_index: Option<&Bound<'_, PyAny>>,
        nonces: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Digests> {
        let parts = strings_of(column)?;
        let mut values = Vec::new();
        for part in &parts {
            values.extend(part.values()?);
        }
        let nonces = View::of_nonce(nonces)?;
        let nonces = nonces_of_each(nonces.bytes(), values.len())?;
        let keys = key_of_each(key_index, values.len(), self.batch.keys())?;
        let is_there: Vec<bool> = values.iter().map(Option::is_some).collect();
        let all = keys.into_iter().zip(nonces).zip(values);
        let jobs: Vec<Job<'_>> = all.filter_map(|(how, value)| Some(job((how, value?)))).collect();
        let tags = self.tags(column.py(), &jobs)?;
        Ok(Digests::spread(&tags, self.tag_len_bytes(), &is_there))
    }

    /// Checks the tags of messages that lie in one buffer, each in constant time: a byte for each,
    /// 1 if its tag is right and 0 if it is not.
    #[pyo3(signature = (data, offsets, tags, key_index = None, *, nonces = None))]
    fn verify_packed<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        offsets: &Bound<'py, PyAny>,
        tags: &Bound<'py, PyAny>,
        key_index: Option<&Bound<'py, PyAny>>,
        nonces: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let (data, tags) = (View::of(data, "data")?, View::of(tags, "tags")?);
        let messages = cut(data.bytes(), offsets)?;
        let nonces = View::of_nonce(nonces)?;
        let nonces = nonces_of_each(nonces.bytes(), messages.len())?;
        let jobs = self.jobs(key_index, nonces, messages.into_iter())?;
        let (tags, mut are_right) = (tags.bytes(), vec![false; jobs.len()]);
        let (count, right, given) = (jobs.len(), jobs.len() * self.tag_len_bytes(), tags.len());
        if given != right {
            let name = self.name();
            let said = format!("{count} tags of {name} have {right} bytes, not {given}");
            return Err(PyValueError::new_err(said));
        }
        computed(py, len_bytes(&jobs), || self.batch.verify_each(&jobs, tags, &mut are_right))
            .map_err(refused)?;
        let are_right: Vec<u8> = are_right.into_iter().map(u8::from).collect();
        Ok(PyBytes::new(py, &are_right))
    }

    /// Catalog name of the mac.
    #[getter]
    fn name(&self) -> &'static str {
        self.batch.info().name
    }

    /// Length of a tag in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.tag_len_bytes()
    }

    /// Number of keys.
    fn __len__(&self) -> usize {
        self.batch.keys()
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Batch cannot be pickled: that would write its keys out"))
    }

    fn __repr__(&self) -> String {
        let keys = self.batch.keys();
        let noun = if keys == 1 { "key" } else { "keys" };
        format!("<macs.Batch {}, {keys} {noun}>", self.name())
    }
}

impl Batch {
    /// Where the tags shall be written.
    fn place(&self, out: &Bound<'_, PyAny>, count: usize) -> PyResult<Place> {
        let place = Place::of(out, "out")?;
        let (right, given) = (count * self.tag_len_bytes(), place.len_bytes());
        if given != right {
            return Err(PyValueError::new_err(format!(
                "out has {given} bytes, and the tags have {right}"
            )));
        }
        Ok(place)
    }
}
