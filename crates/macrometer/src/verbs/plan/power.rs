//! How many launches a planned comparison needs to show a difference.

use std::collections::BTreeMap;

use lab::forecast::{Forecast, spreads};
use report::terminal::{table, wrapped};
use stats::{Confidence, Margin, pairs_for};

use super::Told;
use crate::must_be::MustBe;
use crate::output;

/// The share of runs that are to show it.
const POWER: f64 = 0.8;

/// How far launches differ where no run tells: libraries on one quiet machine were seen to have
/// 0.4 % in the middle, and 2.7 % for one in ten.
const SPREAD_ASSUMED: f64 = 0.015;

/// `2%` or `2 %`. Without its sign 1 could be 1 % or all of it.
pub fn difference(text: &str) -> Result<f64, MustBe> {
    let Some(percent) = text.trim().strip_suffix('%') else {
        return Err(MustBe("a percentage with its sign, such as 2%"));
    };
    let share = percent.trim().parse::<f64>().map(|percent| percent / 100.0);
    let share = share.ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or(MustBe("a difference such as 2%, above 0 and at most 100%"))
}

/// What is asked of the launches.
fn asked(difference: f64, margin: f64) -> String {
    let [percent, margin, runs] = [difference, margin, POWER].map(|share| share * 100.0);
    format!(
        "To show that one takes {percent:.1} % more time than another: the 95 % interval of the \
         ratio over launches excludes 1 and reaches beyond the margin of {margin:.1} %, in \
         {runs:.0} runs of 100."
    )
}

pub fn text(told: &Told<'_>, difference: f64, width: usize) -> String {
    let Told { ready, forecast, kept, name } = told;
    let study = &ready.study;
    let seen = kept.map(spreads).unwrap_or_default();
    let asked = wrapped(&asked(difference, study.margin), width, "");
    let mut text = format!("{}\n\n{asked}\n\n", study.title);
    let mut rows = Vec::new();
    let mut most = Some(0);
    for part in &forecast.parts {
        let name = &study.parts[part.part as usize].name;
        let spread = seen.get(name).copied().unwrap_or(SPREAD_ASSUMED);
        let launches = launches_for(difference, study.margin, spread);
        most = most.zip(launches).map(|(most, launches)| most.max(launches));
        let seconds = launches.map(|launches| {
            let each_s = forecast.launch_s + 1.1 * part.block_s;
            forecast.before_s + f64::from(launches) * each_s
        });
        rows.push(vec![
            name.clone(),
            format!("{:.2} %", spread * 100.0),
            launches.map_or("> 10,000".into(), |launches| launches.to_string()),
            seconds.map_or("–".into(), |seconds| format!("{seconds:.0}")),
        ]);
    }
    text += &table(&["part", "spread", "launches", "seconds"], rows, &[0], width);
    text += "\n";
    text += &from(told, &seen, width);
    match most.filter(|launches| *launches > 0) {
        Some(launches) => {
            text + &for_all(&output::quoted(name), launches, whole(forecast, launches))
        }
        None => text + "\nLaunches vary too much to detect so small a difference.\n",
    }
}

fn for_all(study: &str, launches: u32, budget_s: f64) -> String {
    format!("\nAll parts:\nmacrometer run {study} --launches {launches} --budget {budget_s:.0}\n")
}

/// Launches that show a difference: what lies beyond 1 is the whole of it.
fn launches_for(difference: f64, margin: f64, spread: f64) -> Option<u32> {
    let margin = Margin::new(margin).ok()?.log();
    let distance = difference.ln_1p();
    // Within the margin nothing is called different, however narrow the interval.
    (distance > margin).then(|| pairs_for(distance, spread, POWER, Confidence::default()))?
}

fn whole(forecast: &Forecast, launches: u32) -> f64 {
    let blocks_s: f64 = forecast.parts.iter().map(|part| part.block_s).sum();
    let all_s = forecast.before_s + f64::from(launches) * (forecast.launch_s + 1.1 * blocks_s);
    // The last share of a budget is for calls timed one by one.
    (all_s / 0.92 / 10.0).ceil() * 10.0
}

fn from(told: &Told<'_>, seen: &BTreeMap<String, f64>, width: usize) -> String {
    let what = "Spread: the standard deviation, over launches, of the ratio of two neighbours";
    let text = match told.kept {
        Some(run) if !seen.is_empty() => {
            format!("{what}; three of four pairs of run {} stay below it.", run.id)
        }
        _ => format!(
            "{what}. This is an assumption: no stored run of this study on this machine has four \
             launches."
        ),
    };
    wrapped(&text, width, "") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_a_percentage() {
        assert_eq!(difference("2%"), Ok(0.02));
        assert_eq!(difference("0.5 %"), Ok(0.005));
        for wrong in ["x%", "%", "0%", "-1%", "200%", "nan%"] {
            assert!(difference(wrong).unwrap_err().to_string().contains("above 0"), "{wrong}");
        }
        for bare in ["", "x", "1", "0.02"] {
            assert!(difference(bare).unwrap_err().to_string().contains("with its sign"), "{bare}");
        }
    }

    #[test]
    fn more_spread_needs_more_launches_and_what_is_within_the_margin_is_never_shown() {
        let of = |difference, spread| launches_for(difference, 0.01, spread);
        assert_eq!(of(0.02, 0.001), Some(6));
        assert!(of(0.02, 0.02) > of(0.02, 0.01));
        assert_eq!(of(0.009, 0.001), None);
    }
}
