//! Tags as a column of Arrow, to be taken by any library that speaks its PyCapsule protocol.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyTuple};

use crate::edge::columns::{Tags, array_capsules, schema_capsule};

/// A column of tags, `fixed_size_binary` of Arrow; null where the message was null.
#[pyclass(frozen, module = "macs")]
pub struct Digests {
    tags: Arc<Tags>,
}

impl Digests {
    /// The tags of those messages that are there, one behind the other, with nulls between them.
    pub fn spread(tags: &[u8], tag_len_bytes: usize, is_there: &[bool]) -> Self {
        let nulls = is_there.iter().filter(|is_there| !**is_there).count();
        let counts = (is_there.len(), nulls);
        if nulls == 0 {
            let tags = Tags { tags: tags.to_vec(), tag_len_bytes, validity: None, counts };
            return Self { tags: Arc::new(tags) };
        }
        let mut spread = vec![0; is_there.len() * tag_len_bytes];
        let mut validity = vec![0u8; is_there.len().div_ceil(8)];
        let mut tags = tags.chunks_exact(tag_len_bytes);
        for (at, place) in spread.chunks_exact_mut(tag_len_bytes).enumerate() {
            if is_there[at] {
                place.copy_from_slice(tags.next().unwrap_or_default());
                validity[at / 8] |= 1 << (at % 8);
            }
        }
        let tags = Tags { tags: spread, tag_len_bytes, validity: Some(validity), counts };
        Self { tags: Arc::new(tags) }
    }

    fn is_null(&self, at: usize) -> bool {
        let validity = self.tags.validity.as_ref();
        validity.is_some_and(|validity| validity[at / 8] >> (at % 8) & 1 == 0)
    }
}

#[pymethods]
impl Digests {
    /// Length of each tag in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.tags.tag_len_bytes
    }

    /// The tags as a list, `None` for nulls.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let tags = self.tags.tags.chunks_exact(self.tags.tag_len_bytes).enumerate();
        let tags = tags.map(|(at, tag)| (!self.is_null(at)).then(|| PyBytes::new(py, tag)));
        PyList::new(py, tags)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.tags)
    }

    /// The type that is asked for is a wish, which the protocol lets a producer pass over.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        array_capsules(py, &self.tags)
    }

    fn __len__(&self) -> usize {
        self.tags.counts.0
    }

    fn __repr__(&self) -> String {
        let (count, nulls) = self.tags.counts;
        let len = self.tags.tag_len_bytes;
        format!("<macs.Digests: {count} of {len} bytes, {nulls} null>")
    }
}
