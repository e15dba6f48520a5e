//! `fleet check`: what bundles are worth.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use fleet::{Bundle, Division, Refused, Verdict, store};
use serde_json::{Value, json};

use crate::stores::Store;
use crate::verbs::Format;
use crate::{members, output};

/// Check a bundle: is it intact, and does it count as closed or open, and why
///
/// Closed bundles may be compared with those of other machines: every provider ran as installed on
/// its machine and passed all test vectors, the run is complete and has 12 launches or more, and
/// pairs of identical candidates, measured just before, were told apart no more often than on a
/// quiet machine.
///
/// The exit code is 1 if a bundle is refused.
#[derive(Debug, Args)]
pub struct Check {
    /// Bundles, or stores of bundles: folders, or a team's database as
    /// postgres://USER@HOST/DATABASE
    #[arg(required = true, value_name = "BUNDLE|STORE")]
    places: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Check {
    pub fn run(self) -> Result<u8> {
        let (mut judged, mut refused) = (Vec::new(), Vec::new());
        let is_text = matches!(self.format, Format::Text);
        let mut refuse = |error: Refused| {
            if is_text {
                members::tell(std::slice::from_ref(&error));
            }
            refused.push(error);
        };
        for place in &self.places {
            let store = Store::named(place)?;
            let mut others = store.refused.clone();
            let bundles = bundles(store.path(), &mut others)?;
            others.into_iter().for_each(&mut refuse);
            for bundle in bundles {
                match self::judged(&store, &bundle) {
                    Ok(sound) => {
                        if is_text {
                            output::print_text(&paragraph(&sound))?;
                        }
                        judged.push(sound);
                    }
                    Err(error) => refuse(error),
                }
            }
        }
        if !is_text {
            output::print(&report::document(&told(&judged, &refused))?)?;
        }
        Ok(u8::from(!refused.is_empty()))
    }
}

/// A bundle of a store with its verdict. It is named as the store is.
fn judged(store: &Store, place: &Path) -> Result<(Bundle, Verdict), Refused> {
    let read = Bundle::read(place).and_then(|it| verdict(&it).map(|verdict| (it, verdict)));
    match read {
        Ok((mut bundle, verdict)) => {
            bundle.place = store.shown(&bundle.place);
            Ok((bundle, verdict))
        }
        Err(mut error) => {
            error.place = store.shown(&error.place);
            Err(error)
        }
    }
}

/// The bundle at a place, or all of a store there. Only a bundle has checksums.
fn bundles(place: &Path, refused: &mut Vec<Refused>) -> Result<Vec<PathBuf>> {
    let is_bundle = [fleet::bundle::ABOUT, fleet::bundle::SUMS, fleet::bundle::ARCHIVE];
    if is_bundle.iter().any(|name| place.join(name).symlink_metadata().is_ok()) {
        // By the folders that it lies in it is known where it belongs.
        let whole = std::fs::canonicalize(place);
        return Ok(vec![whole.unwrap_or_else(|_| place.to_owned())]);
    }
    Ok(store::bundles(place, refused)?)
}

fn verdict(bundle: &Bundle) -> Result<Verdict, Refused> {
    let run = bundle.run().map_err(|error| Refused::new(&bundle.place, error.to_string()))?;
    Ok(Verdict::of(bundle, &run))
}

fn word(division: Division) -> &'static str {
    match division {
        Division::Closed => "closed",
        Division::Open => "open",
    }
}

fn paragraph((bundle, verdict): &(Bundle, Verdict)) -> String {
    let mut text = format!("{:<6}  {}\n", word(verdict.division), bundle.place.display());
    for reason in &verdict.reasons {
        text += &format!("        {reason}\n");
    }
    text
}

fn told(judged: &[(Bundle, Verdict)], refused: &[Refused]) -> Value {
    let row = |(bundle, verdict): &(Bundle, Verdict)| {
        let about = &bundle.about;
        let reason = |reason: &fleet::Reason| {
            let mut value = json!(reason);
            value["text"] = json!(reason.to_string());
            value
        };
        json!({
            "place": bundle.place, "study_id": about.study_id, "machine_id": about.machine_id,
            "host_id": about.host_id, "run": about.run_id, "division": verdict.division,
            "reasons": verdict.reasons.iter().map(reason).collect::<Vec<_>>(),
        })
    };
    let refusal = |it: &Refused| json!({ "place": it.place, "what": it.what });
    json!({
        "bundles": judged.iter().map(row).collect::<Vec<_>>(),
        "refused": refused.iter().map(refusal).collect::<Vec<_>>(),
    })
}
