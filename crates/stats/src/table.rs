//! The randomised block design as a type: columns are candidates with names, rows are blocks, and
//! a cell is one finite number. What ranks or pairs blocks takes a [`Table`], so that nobody has
//! to check lengths again; [`ByColumn`] carries one result per column, in column order.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::error::{StatsError, check_count, check_finite, check_positive};
use crate::sample::{Differences, Sample};

/// At least two named columns of equal length, at least one row, all values finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl Table {
    /// Columns as (name, values in block order).
    ///
    /// # Errors
    /// [`StatsError::TooFew`] for fewer than two columns or no block,
    /// [`StatsError::DuplicateColumn`], and [`StatsError::Column`] around
    /// [`StatsError::UnequalLengths`], [`StatsError::NotFinite`] or
    /// [`StatsError::TooLarge`].
    pub fn new<N: Into<String>>(columns: Vec<(N, Vec<f64>)>) -> Result<Self, StatsError> {
        let (names, columns): (Vec<String>, Vec<Vec<f64>>) =
            columns.into_iter().map(|(name, values)| (name.into(), values)).unzip();
        check_count("columns", columns.len(), 2)?;
        check_count("blocks", columns[0].len(), 1)?;
        for (i, (name, values)) in names.iter().zip(&columns).enumerate() {
            if names[..i].contains(name) {
                return Err(StatsError::DuplicateColumn(name.clone()));
            }
            let left = columns[0].len();
            let checked = if values.len() == left {
                check_finite(values)
            } else {
                Err(StatsError::UnequalLengths { left, right: values.len() })
            };
            checked.map_err(|source| in_column(name, source))?;
        }
        Ok(Table { names, columns })
    }

    /// Names in column order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many columns; at least 2.
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// How many blocks (rows); at least 1.
    pub fn n_blocks(&self) -> usize {
        self.columns[0].len()
    }

    /// One column in block order.
    ///
    /// # Panics
    /// When `index` is not below [`n_columns`](Self::n_columns).
    pub fn column(&self, index: usize) -> &[f64] {
        &self.columns[index]
    }

    /// One column with its order given up for sorting.
    ///
    /// # Panics
    /// When `index` is not below [`n_columns`](Self::n_columns).
    pub fn sample(&self, index: usize) -> Sample {
        Sample::of_checked(self.columns[index].clone())
    }

    /// Column i less column j, block by block: see [`Differences::between`].
    ///
    /// # Panics
    /// When either is not below [`n_columns`](Self::n_columns).
    pub fn differences(&self, i: usize, j: usize) -> Differences {
        Differences::of_checked(&self.columns[i], &self.columns[j])
    }

    /// The columns with their names, in column order.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.names.iter().map(String::as_str).zip(self.columns.iter().map(Vec::as_slice))
    }

    /// The blocks one after another, each with its values in column order.
    pub fn blocks(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        (0..self.n_blocks()).map(|row| self.columns.iter().map(|column| column[row]).collect())
    }

    /// The pairs i < j in column order: (0, 1), (0, 2), …, (1, 2), ….
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let k = self.n_columns();
        (0..k).flat_map(move |i| (i + 1..k).map(move |j| (i, j)))
    }
}

/// A [`Table`] of durations: all values above zero, so that every logarithm is finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    table: Table,
    /// The columns' logarithms: each is in many pairs.
    logs: Vec<Vec<f64>>,
}

impl Times {
    /// Checks that all values are above zero.
    ///
    /// # Errors
    /// [`StatsError::Column`] around [`StatsError::NotPositive`].
    pub fn new(table: Table) -> Result<Self, StatsError> {
        for (name, values) in table.columns() {
            check_positive(values).map_err(|source| in_column(name, source))?;
        }
        let logs = table.columns.iter().map(|own| own.iter().map(|time| time.ln()).collect());
        Ok(Times { logs: logs.collect(), table })
    }

    /// The table whose logarithms these are.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// ln of column j less ln of column i, block by block: see [`Differences::of_logs`].
    ///
    /// # Panics
    /// When either is not below [`Table::n_columns`].
    pub fn log_differences(&self, i: usize, j: usize) -> Differences {
        Differences::of_binary(&self.logs[j], &self.logs[i])
    }
}

/// One value per column, in column order; written as a map that keeps this order.
#[derive(Debug, Clone, PartialEq)]
pub struct ByColumn<T>(Vec<(String, T)>);

impl<T> ByColumn<T> {
    /// Joins names and values; what is longer is cut.
    pub(crate) fn zip(names: &[String], values: impl IntoIterator<Item = T>) -> Self {
        ByColumn(names.iter().cloned().zip(values).collect())
    }

    /// The value of the column of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Names and values in column order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl<T: Serialize> Serialize for ByColumn<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

fn in_column(name: &str, source: StatsError) -> StatsError {
    StatsError::Column { column: name.to_owned(), source: Box::new(source) }
}
