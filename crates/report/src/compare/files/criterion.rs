//! `sample.json` of criterion.rs, of one benchmark: how often it ran in each sample, and how many
//! nanoseconds that took (target/criterion/NAME/new/sample.json).

use serde::Deserialize;

use super::{Damage, Format, Held, Times};

pub(super) const FORMAT: Format = Format { name: "criterion's sample.json", is_of, read };

/// The file does not name its benchmark.
const NAME: &str = "benchmark";

#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    times: Vec<f64>,
}

fn is_of(text: &str) -> bool {
    serde_json::from_str::<Sample>(text).is_ok()
}

fn read(text: &str) -> Result<Held, Damage> {
    let own: Sample = serde_json::from_str(text).map_err(|error| Damage::json(&error))?;
    if own.iters.len() != own.times.len() {
        return Err(Damage::Unpaired { iters: own.iters.len(), times: own.times.len() });
    }
    let is_wrong = |(ns, calls): (&f64, &f64)| *ns <= 0.0 || *calls <= 0.0;
    if let Some(at) = own.times.iter().zip(&own.iters).position(is_wrong) {
        return Err(Damage::EmptySample { entry: at + 1 });
    }
    let times = own.times.iter().zip(&own.iters).map(|(ns, calls)| ns / calls).collect();
    Ok(Times::from([(NAME.to_owned(), times)]).into())
}
