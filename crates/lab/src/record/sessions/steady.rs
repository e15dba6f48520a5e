//! Whether a window was steady, by the slices that it is cut into.

use super::{Measured, Slice};

/// The halves of a window may differ by this share before it is called unsteady, and by so many
/// standard errors: a machine that others use too is never quite steady.
const DRIFT_MAX: f64 = 0.1;
const DRIFT_ERRORS: f64 = 3.0;

impl Measured {
    /// By which share the second half of the window was faster than the first; absent where there
    /// are too few slices.
    #[must_use]
    pub fn change(&self) -> Option<f64> {
        self.halves().map(|[(first, _), (second, _)]| second / first - 1.0)
    }

    /// The same where it is more than slices scatter, and too much.
    pub(crate) fn drift(&self) -> Option<f64> {
        let [(first, first_error), (_, second_error)] = self.halves()?;
        let noise = DRIFT_ERRORS * first_error.hypot(second_error) / first;
        self.change().filter(|by| by.abs() > DRIFT_MAX && by.abs() > noise)
    }

    /// Relative standard error of the throughput over the slices.
    #[must_use]
    pub fn slice_error(&self) -> Option<f64> {
        let rates = rates(&self.slices);
        if rates.len() < 4 {
            return None;
        }
        let (mean, error) = mean_and_error(&rates);
        (mean > 0.0).then(|| error / mean)
    }

    /// Mean throughput of each half, and the standard error of it.
    fn halves(&self) -> Option<[(f64, f64); 2]> {
        let rates = rates(&self.slices);
        let halves: [&[f64]; 2] = rates.split_at(rates.len() / 2).into();
        let told = halves.map(mean_and_error);
        (halves[0].len() >= 2 && told[0].0 > 0.0).then_some(told)
    }
}

/// Bytes a nanosecond of each slice that has a length.
fn rates(slices: &[Slice]) -> Vec<f64> {
    let has_length = slices.iter().filter(|slice| slice.ns > 0.0);
    has_length.map(|slice| slice.bytes as f64 / slice.ns).collect()
}

/// Mean of some values, and the standard error of it.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}
