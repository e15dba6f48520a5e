//! Scales and ticks: from values to pixels, and which values get a label.

use crate::format;

/// Values to pixels, logarithmic or linear.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

/// A tick: where, with which label, and whether it is a main one.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// Its label; empty for a line only.
    pub label: String,
}

impl Scale {
    /// Logarithmic from `low` to `high`, both above zero, with a little air at both ends.
    #[must_use]
    pub fn log((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        // Zero has no logarithm, and a scale without an end would have ticks without end.
        let low = low.max(high * 1e-12).max(f64::MIN_POSITIVE);
        let air = ((high / low).ln() * 0.03).max(0.02).exp();
        Scale { low: (low / air).ln(), high: (high * air).ln(), from, to, log: true }
    }

    /// Linear.
    #[must_use]
    pub fn linear((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let air = if high > low { 0.0 } else { (high.abs() * 0.01).max(1e-9) };
        Scale { low: low - air, high: high + air, from, to, log: false }
    }

    /// The pixel of a value.
    #[must_use]
    pub fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.max(1e-300).ln() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Whether a value lies on it; 0 never does where it is logarithmic.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        let value = if self.log { value.ln() } else { value };
        value >= self.low && value <= self.high
    }

    /// Ticks at 1, 2 and 5 of each decade where there are few decades, else at 1 with lines
    /// between.
    #[must_use]
    pub fn decades(&self, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let span = (self.high - self.low) / std::f64::consts::LN_10;
        let labelled: &[f64] = match span {
            span if span < 0.7 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            span if span < 3.1 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let lines: &[f64] = if span < 3.1 { labelled } else { &[1.0, 2.0, 5.0] };
        let first = (self.low / std::f64::consts::LN_10).floor() as i32;
        let last = (self.high / std::f64::consts::LN_10).ceil() as i32;
        let values =
            (first..=last).flat_map(|p| lines.iter().map(move |m| (*m, m * 10f64.powi(p))));
        let tick = |(m, value): (f64, f64)| {
            let label = if labelled.contains(&m) { label(value) } else { String::new() };
            Tick { value, label }
        };
        values.filter(|(_, value)| self.holds(*value)).map(tick).collect()
    }

    /// Takes the labels away that would touch another one, `width` being how wide a label is: round
    /// ones stay before others, so that 1 outlives 2 and 2 outlives 3.
    #[must_use]
    pub fn legible(&self, mut ticks: Vec<Tick>, width: impl Fn(&str) -> f64) -> Vec<Tick> {
        let roundness = |tick: &Tick| {
            let digit = tick.value / 10f64.powf(tick.value.log10().floor());
            let order = [1.0, 10.0, 5.0, 2.0, 3.0];
            order.iter().position(|it| (digit - it).abs() < 1e-6).unwrap_or(order.len())
        };
        let mut order: Vec<usize> = (0..ticks.len()).collect();
        order.sort_by_key(|&i| roundness(&ticks[i]));
        let mut taken: Vec<(f64, f64)> = Vec::new();
        for i in order.into_iter().filter(|&i| !ticks[i].label.is_empty()).collect::<Vec<_>>() {
            let (at, half) = (self.at(ticks[i].value), width(&ticks[i].label) / 2.0 + 4.0);
            if taken.iter().all(|(low, high)| at + half < *low || at - half > *high) {
                taken.push((at - half, at + half));
            } else {
                ticks[i].label.clear();
            }
        }
        ticks
    }

    /// Ticks of each decade for an axis that goes up, as many as have room; lines without a label
    /// are left out.
    #[must_use]
    pub fn legible_up(&self, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let ticks = self.legible(self.decades(label), |_| 10.0);
        ticks.into_iter().filter(|it| !it.label.is_empty()).collect()
    }

    /// Message sizes: each of them where there is room, else every second, fourth, ….
    #[must_use]
    pub fn sizes(&self, sizes: &[u64]) -> Vec<Tick> {
        let widest = 62.0;
        let fits = |every: usize| {
            let shown: Vec<f64> =
                sizes.iter().step_by(every).map(|&it| self.at(it as f64)).collect();
            shown.windows(2).all(|pair| (pair[1] - pair[0]).abs() >= widest)
        };
        let every =
            (0..12).map(|n| 1 << n).find(|&every| fits(every)).unwrap_or(sizes.len().max(1));
        let shown = sizes.iter().step_by(every);
        shown.map(|&len| Tick { value: len as f64, label: format::bytes(len) }).collect()
    }
}

/// Multiples of 1, 2 or 5 of a power of ten from `low` to `high`, in at most so many steps.
#[must_use]
pub fn round_steps((low, high): (f64, f64), most: f64) -> Vec<f64> {
    let decade = 10f64.powf(((high - low) / most).log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|it| it * decade);
    let fits = |step: &f64| (high - low) / step <= most;
    let step = steps.into_iter().find(fits).unwrap_or(10.0 * decade);
    let first = (low / step).ceil();
    let values = (0..).map(|number| (first + f64::from(number)) * step);
    values.take_while(|value| *value <= high).collect()
}

/// Pushes labels apart along one direction so that neighbours are `gap` away from each other,
/// within `low` to `high`; answers the places in the order given.
#[must_use]
pub fn apart(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&i, &j| wanted[i].total_cmp(&wanted[j]));
    let mut placed = vec![0.0; wanted.len()];
    let mut least = low;
    for &i in &order {
        placed[i] = wanted[i].max(least);
        least = placed[i] + gap;
    }
    let mut most = high;
    for &i in order.iter().rev() {
        placed[i] = placed[i].min(most);
        most = placed[i] - gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_overlap_and_stay_inside() {
        let placed = apart(&[10.0, 11.0, 12.0, 99.0], 14.0, (0.0, 100.0));
        assert_eq!(placed, [10.0, 24.0, 38.0, 99.0]);
        let crowded = apart(&[99.0, 98.0], 14.0, (0.0, 100.0));
        assert_eq!(crowded, [100.0, 86.0]);
    }

    #[test]
    fn steps_are_round_and_inside() {
        assert_eq!(round_steps((0.0, 4.3), 4.5), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(round_steps((252.0, 318.0), 4.5), [260.0, 280.0, 300.0]);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale::log((12.0, 45_000.0), (0.0, 400.0));
        let labels: Vec<String> =
            scale.decades(format::time).into_iter().map(|tick| tick.label).collect();
        assert!(labels.contains(&"1.00 µs".to_string()), "{labels:?}");
        let sizes = [16, 64, 256, 1024];
        let labels: Vec<String> = Scale::log((16.0, 1024.0), (0.0, 130.0))
            .sizes(&sizes)
            .into_iter()
            .map(|it| it.label)
            .collect();
        assert_eq!(labels, ["16 B", "256 B"], "only every second has room");
    }
}
