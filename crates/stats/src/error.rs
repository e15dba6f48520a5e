//! What the statistics refuse. A value of [`Table`](crate::Table), [`Sample`](crate::Sample) or
//! [`Differences`](crate::Differences) is proof that its numbers were checked; these are the
//! reasons for which no such value is made, and the few cases where a method does not apply.

/// Largest magnitude accepted. Sums of fourth powers stay finite below it, so no statistic of
/// accepted values is NaN; times in any unit are some forty orders away.
pub const MAGNITUDE_MAX: f64 = 1e60;

/// Why numbers were refused, or why a method does not apply to them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// A column of a table was refused; the source says why.
    #[error("column `{column}`: {source}")]
    Column {
        /// Name of the column.
        column: String,
        /// What is wrong with it.
        source: Box<StatsError>,
    },
    /// The method divides by the spread, and there is none.
    #[error("all values are equal")]
    Constant,
    /// Two columns have one name, so results could not be told apart.
    #[error("two columns are named `{0}`")]
    DuplicateColumn(String),
    /// Printed figures that cannot come from any data.
    #[error("{0}")]
    Inconsistent(String),
    /// A value is NaN or infinite.
    #[error("value {index} is not a finite number")]
    NotFinite {
        /// Position, from 0.
        index: usize,
    },
    /// Sizes of a curve do not increase strictly.
    #[error("size {index} is not above the one before it")]
    NotIncreasing {
        /// Position, from 0.
        index: usize,
    },
    /// A value is zero or negative where a logarithm is taken.
    #[error("value {index} is not above zero")]
    NotPositive {
        /// Position, from 0.
        index: usize,
    },
    /// A parameter lies outside the range in which it has a meaning.
    #[error("{what} is {value}, outside {range}")]
    OutOfRange {
        /// Name of the parameter.
        what: &'static str,
        /// What was given.
        value: f64,
        /// The range allowed, in words.
        range: &'static str,
    },
    /// Fewer values, columns or blocks than the method needs.
    #[error("too few {what}: {have}, at least {need} needed")]
    TooFew {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        have: usize,
        /// How many there must be.
        need: usize,
    },
    /// A value so large that its powers would overflow: see [`MAGNITUDE_MAX`].
    #[error("value {index} is beyond ±1e60")]
    TooLarge {
        /// Position, from 0.
        index: usize,
    },
    /// Paired series of different lengths.
    #[error("paired series have {left} and {right} values")]
    UnequalLengths {
        /// Length of the first.
        left: usize,
        /// Length of the second, or of the first column that differs.
        right: usize,
    },
}

/// Refuses NaN, infinities and what is beyond [`MAGNITUDE_MAX`].
pub(crate) fn check_finite(values: &[f64]) -> Result<(), StatsError> {
    match values.iter().position(|value| value.is_nan() || value.abs() > MAGNITUDE_MAX) {
        Some(index) if values[index].is_finite() => Err(StatsError::TooLarge { index }),
        Some(index) => Err(StatsError::NotFinite { index }),
        None => Ok(()),
    }
}

/// Refuses what has no finite logarithm.
pub(crate) fn check_positive(values: &[f64]) -> Result<(), StatsError> {
    check_finite(values)?;
    match values.iter().position(|value| *value <= 0.0) {
        Some(index) => Err(StatsError::NotPositive { index }),
        None => Ok(()),
    }
}

/// Refuses fewer than `need` things.
pub(crate) fn check_count(what: &'static str, have: usize, need: usize) -> Result<(), StatsError> {
    if have < need { Err(StatsError::TooFew { what, have, need }) } else { Ok(()) }
}
