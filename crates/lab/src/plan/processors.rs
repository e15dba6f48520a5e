//! Regimes beside the processors that are there: what would be measured twice is left out, and what
//! cannot be is refused.

use super::PlanError;
use crate::cell::Regime;
use crate::machine::core_count;
use crate::record::Processor;
use crate::study::Part;

/// The regimes of a part that are measured with these processors.
///
/// # Errors
/// When one needs more processors than there are, and the part does not have it on all.
pub(super) fn regimes(part: &Part, processors: &[Processor]) -> Result<Vec<Regime>, PlanError> {
    let (count, cores) = (processors.len(), core_count(processors));
    let mut kept = Vec::new();
    for &regime in &part.regimes {
        if regime.same_with(count, cores).is_some_and(|it| part.regimes.contains(&it)) {
            continue;
        }
        if regime.processors_min() > count {
            let part = part.name.clone();
            return Err(PlanError::Processors { part, regime, processors: count });
        }
        kept.push(regime);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{Study, planted};

    /// The regimes left of these on so many processors, two of a core where `siblings`.
    fn left(names: &str, count: u32, siblings: bool) -> Result<Vec<String>, PlanError> {
        let lists = format!("sizes = [16]\nkey_lives = [\"prepared\"]\nregimes = {names}");
        let text = planted::text(&lists, "[\"*\"]");
        let part = Study::parse(&text).unwrap().parts.remove(0);
        let core = |cpu: u32| if siblings { cpu / 2 } else { cpu };
        let of = |cpu: u32| Processor { cpu, core: core(cpu), package: 0 };
        let processors: Vec<Processor> = (0..count).map(of).collect();
        let kept = regimes(&part, &processors)?;
        Ok(kept.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_is_the_same_as_on_all_is_measured_once() {
        let names = r#"["single", "sessions-100-on-1-apparent", "sessions-100-on-2-apparent",
            "sessions-100-on-4-apparent", "sessions-100-on-all-apparent",
            "sessions-100-on-cores-apparent", "sessions-7-on-2-apparent",
            "pooled-pinned-4-absolute", "pooled-pinned-all-absolute"]"#;
        let always = ["single", "sessions-100-on-1-apparent"];
        let on_two = [
            "sessions-100-on-all-apparent",
            "sessions-7-on-2-apparent",
            "pooled-pinned-all-absolute",
        ];
        assert_eq!(left(names, 2, false).unwrap(), [&always[..], &on_two].concat());
        let with_cores =
            [&always[..], &on_two[..1], &["sessions-100-on-cores-apparent"], &on_two[1..]].concat();
        assert_eq!(left(names, 2, true).unwrap(), with_cores);
        assert_eq!(left(names, 8, true).unwrap().len(), 9, "all of them differ");
        let said = left(names, 1, false).unwrap_err().to_string();
        let whole = "part \"a\": sessions-7-on-2-apparent: this machine has 1 processor";
        assert_eq!(said, whole);
    }

    #[test]
    fn more_processors_than_there_are_is_an_error_where_all_are_not_measured() {
        let said = left(r#"["sessions-100-on-4"]"#, 2, false).unwrap_err().to_string();
        let whole = "part \"a\": sessions-100-on-4-absolute: this machine has 2 processors";
        assert_eq!(said, whole);
        assert_eq!(left(r#"["sessions-100-on-2"]"#, 2, false).unwrap().len(), 2);
        assert_eq!(left(r#"["sessions-100-on-cores"]"#, 2, false).unwrap().len(), 2);
    }
}
