//! A value and the interval around it, printed so that what is read is what was found: both with
//! the same number of decimals, the ends rounded outward, and as many decimals as it takes that no
//! end is printed as a bound which it excludes.

use super::{ABSENT, TimeUnit};

/// Significant digits: more than the least where rounding would widen the interval much, up to the
/// most; beyond that only where a bound asks for it.
const DIGITS_MIN: i32 = 3;
const DIGITS_MAX: i32 = 5;

/// How much wider an interval may look than it is.
const WIDENED_MAX: f64 = 1.5;

/// Doubles have no more to tell.
const DECIMALS_MAX: usize = 15;

/// A value and its interval, ready for print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    value: String,
    ends: Option<[String; 2]>,
    sign: &'static str,
}

/// A printed value and its interval, all times ten to the power of its decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scaled {
    pub(crate) value: i64,
    pub(crate) ends: Option<[i64; 2]>,
    pub(crate) decimals: u32,
}

impl Figure {
    /// A value and its interval, where it has one.
    #[must_use]
    pub fn of(value: f64, ends: Option<(f64, f64)>) -> Self {
        Self::against(value, ends, &[])
    }

    /// As [`of`](Self::of), where the interval is held against bounds: one that lies outside of it
    /// lies outside of what is printed.
    #[must_use]
    pub fn against(value: f64, ends: Option<(f64, f64)>, bounds: &[f64]) -> Self {
        let ends = ends.filter(|(low, high)| low.is_finite() && high.is_finite());
        if !value.is_finite() {
            return Self { value: ABSENT.into(), ends: None, sign: "" };
        }
        let Some((low, high)) = ends else {
            return Self { value: super::three(value), ends: None, sign: "" };
        };
        let Printed { decimals, mut ends, read } = fitting(value, (low, high), bounds);
        if low > 0.0 && read[0] == 0.0 {
            // Beside a far higher end: it is no zero.
            let own = (DIGITS_MIN - 1 - low.log10().floor() as i32).max(0) as usize;
            ends[0] = outward(low, own.min(DECIMALS_MAX), -1.0);
            return Self { value: super::three(value), ends: Some(ends), sign: "" };
        }
        let ends = Some(ends);
        Self { value: zero_alone(format!("{value:.decimals$}"), value), ends, sign: "" }
    }

    /// A ratio, told beside 1 and beside the margin within which it counts as 1.
    #[must_use]
    pub fn ratio(value: f64, ends: Option<(f64, f64)>, margin: f64) -> Self {
        Self::against(value, ends, &[1.0, 1.0 + margin, 1.0 / (1.0 + margin)])
    }

    /// A time, in the unit that fits it.
    #[must_use]
    pub fn time(value_ns: f64, ends_ns: Option<(f64, f64)>) -> Self {
        let unit = TimeUnit::of(value_ns);
        Self { sign: unit.sign(), ..Self::time_in(value_ns, ends_ns, unit) }
    }

    /// A time in a unit that stands elsewhere.
    #[must_use]
    pub fn time_in(value_ns: f64, ends_ns: Option<(f64, f64)>, unit: TimeUnit) -> Self {
        let ends = ends_ns.map(|(low, high)| (unit.scale(low), unit.scale(high)));
        Self::of(unit.scale(value_ns), ends)
    }

    /// Its unit; empty where it has none.
    pub(crate) fn sign(&self) -> &'static str {
        self.sign
    }

    /// What is printed, as whole numbers: for data from which it is printed again. Absent where
    /// there is no value.
    pub(crate) fn scaled(&self) -> Option<Scaled> {
        let decimals = |text: &String| text.split_once('.').map_or(0, |(_, rest)| rest.len());
        let all = std::iter::once(&self.value).chain(self.ends.iter().flatten());
        let decimals = all.map(decimals).max()?;
        let whole = |text: &String| {
            let scaled = text.parse::<f64>().ok()? * 10f64.powi(decimals as i32);
            Some(scaled.round() as i64)
        };
        let ends = self.ends.as_ref().and_then(|[low, high]| Some([whole(low)?, whole(high)?]));
        Some(Scaled { value: whole(&self.value)?, ends, decimals: decimals as u32 })
    }

    /// The value with its unit: `61.2 ns`.
    #[must_use]
    pub fn value(&self) -> String {
        match self.sign {
            "" => self.value.clone(),
            sign => format!("{} {sign}", self.value),
        }
    }

    /// The value as a factor: `1.08 ×`.
    #[must_use]
    pub fn times(&self) -> String {
        format!("{} ×", self.value)
    }

    /// The interval, `60.9–61.6`; absent where there is none.
    #[must_use]
    pub fn known_ends(&self) -> Option<String> {
        self.ends.as_ref().map(|ends| ends.join("–"))
    }

    /// The interval, or a dash.
    #[must_use]
    pub fn ends(&self) -> String {
        self.known_ends().unwrap_or_else(|| ABSENT.into())
    }

    /// The interval for sentences, `60.9 to 61.6`; absent where there is none.
    #[must_use]
    pub fn ends_in_words(&self) -> Option<String> {
        self.ends.as_ref().map(|ends| ends.join(" to "))
    }
}

/// The ends of an interval at so many decimals.
struct Printed {
    decimals: usize,
    ends: [String; 2],
    /// What a reader takes them for.
    read: [f64; 2],
}

impl Printed {
    fn at(decimals: usize, (low, high): (f64, f64)) -> Self {
        let ends = [outward(low, decimals, -1.0), outward(high, decimals, 1.0)];
        let read = [number(&ends[0]), number(&ends[1])];
        Self { decimals, ends, read }
    }
}

/// An interval at as few decimals as do.
fn fitting(value: f64, (low, high): (f64, f64), bounds: &[f64]) -> Printed {
    let size = value.abs().max(high - low);
    let magnitude = if size > 0.0 { size.log10().floor() as i32 } else { 0 };
    let of = |digits: i32| ((digits - 1 - magnitude).max(0) as usize).min(DECIMALS_MAX);
    let printed = |decimals: usize| Printed::at(decimals, (low, high));
    let is_narrow = |it: &Printed| it.read[1] - it.read[0] <= (high - low) * WIDENED_MAX;
    let excludes_alike = |it: &Printed| {
        let [below, above] = it.read;
        bounds.iter().all(|&it| (low <= it || below > it) && (high >= it || above < it))
    };
    let few = (DIGITS_MIN..DIGITS_MAX).map(|digits| printed(of(digits))).find(is_narrow);
    let mut fitting = few.unwrap_or_else(|| printed(of(DIGITS_MAX)));
    while fitting.decimals < DECIMALS_MAX && !excludes_alike(&fitting) {
        fitting = printed(fitting.decimals + 1);
    }
    fitting
}

/// `value` at so many decimals, not nearer to the other end than it is; `away` is −1 for the lower
/// end, 1 for the upper.
fn outward(value: f64, decimals: usize, away: f64) -> String {
    let scale = 10f64.powi(decimals as i32);
    let nearest = format!("{value:.decimals$}");
    let last = (number(&nearest) * scale).round();
    // One step is enough but where the last decimal is as fine as a double.
    let further =
        (1..).map(|steps| format!("{:.decimals$}", (last + away * f64::from(steps)) / scale));
    let is_outside = |text: &String| (number(text) - value) * away >= 0.0;
    let text = std::iter::once(nearest.clone()).chain(further.take(4)).find(is_outside);
    zero_alone(text.unwrap_or(nearest), value)
}

/// What a reader takes a printed number for.
fn number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

/// Zero has no sign, and no decimals where the value is exactly that.
fn zero_alone(text: String, value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    match text.strip_prefix('-') {
        Some(rest) if number(rest) == 0.0 => rest.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(value: f64, low: f64, high: f64) -> String {
        let figure = Figure::ratio(value, Some((low, high)), 0.01);
        format!("{} ({})", figure.times(), figure.ends_in_words().unwrap())
    }

    #[test]
    fn a_low_end_beside_a_far_higher_one_is_no_zero() {
        assert_eq!(told(1.04, 0.8881, 119.17), "1.04 × (0.888 to 120)");
        assert_eq!(Figure::time(389.2, Some((331.7, 28_502.5))).ends(), "331–28503");
        assert_eq!(Figure::of(1.11, Some((0.0144, 1.44))).ends(), "0.01–1.44");
    }

    #[test]
    fn a_value_has_the_decimals_of_its_interval_and_lies_in_it() {
        assert_eq!(told(1.0171, 1.0152, 1.0188), "1.017 × (1.015 to 1.019)");
        assert_eq!(told(1.0172, 1.01498, 1.0194), "1.017 × (1.014 to 1.020)");
        assert_eq!(told(3.0719, 3.0004, 3.2), "3.07 × (3.00 to 3.20)");
        assert_eq!(Figure::time(61.23, Some((60.93, 61.58))).ends(), "60.9–61.6");
        assert_eq!(Figure::time(61.223, Some((61.21, 61.24))).value(), "61.22 ns");
        assert_eq!(Figure::time(1000.0, Some((990.0, 1010.0))).ends(), "0.99–1.01");
    }

    #[test]
    fn an_end_that_excludes_a_bound_is_not_printed_as_the_bound() {
        assert_eq!(told(1.02, 1.004, 1.33), "1.020 × (1.004 to 1.330)");
        assert_eq!(told(0.99, 0.95, 0.9996), "0.9900 × (0.9500 to 0.9996)");
        assert_eq!(told(1.05, 1.0102, 1.09), "1.0500 × (1.0102 to 1.0900)");
        let above_five = Figure::against(5.2, Some((5.001, 5.5)), &[5.0]);
        assert_eq!(above_five.ends(), "5.001–5.500");
        // What holds the bound needs no more digits for it.
        assert_eq!(told(1.02, 1.0, 1.33), "1.02 × (1.00 to 1.33)");
    }

    #[test]
    fn an_end_is_printed_outward_where_its_last_decimal_is_as_fine_as_a_double() {
        let high = -308_355.766_768_572_27;
        assert!(number(&outward(high, 10, 1.0)) >= high);
        assert!(number(&outward(high, 10, -1.0)) <= high);
    }

    #[test]
    fn zero_and_what_is_not_a_number_have_no_sign() {
        assert_eq!(Figure::of(-0.001, Some((-3.0, 2.5))).value(), "0.00");
        assert_eq!(Figure::of(f64::NAN, None).value(), ABSENT);
        assert_eq!(Figure::of(2.0, Some((1.0, f64::INFINITY))).known_ends(), None);
        assert_eq!(Figure::of(61.23, None).value(), "61.2");
    }

    proptest! {
        #[test]
        fn what_is_printed_never_denies_what_was_found(
            exponent in -8.0f64..8.0, sign in prop::bool::ANY, below in 0.0f64..0.5,
            above in 0.0f64..0.5, fine in -12i32..1, near in -1e-3f64..1e-3
        ) {
            let value = 10f64.powf(exponent) * if sign { 1.0 } else { -1.0 };
            let width = value.abs() * 10f64.powi(fine);
            let (low, high) = (value - below * width, value + above * width);
            let bounds = [1.0, low + near * width, high + near * width];
            let figure = Figure::against(value, Some((low, high)), &bounds);
            let [below, above] = figure.ends.clone().unwrap();
            let decimals = |text: &str| text.split_once('.').map_or(0, |(_, rest)| rest.len());
            prop_assert_eq!(decimals(&below), decimals(&figure.value));
            prop_assert_eq!(decimals(&above), decimals(&figure.value));
            let at_limit = decimals(&below) >= DECIMALS_MAX;
            let [below, middle, above] = [&below, &figure.value, &above].map(|text| number(text));
            prop_assert!(below <= low && high <= above, "{figure:?} of {low} to {high}");
            prop_assert!(below <= middle && middle <= above, "{figure:?}");
            for bound in bounds {
                prop_assert!(at_limit || low <= bound || below > bound, "{figure:?}: {bound}");
                prop_assert!(at_limit || high >= bound || above < bound, "{figure:?}: {bound}");
            }
        }
    }
}
