//! OpenMetrics 1.0 (<https://prometheus.io/docs/specs/om/open_metrics_spec/>): the time of a call
//! in seconds and the ends of its interval, as gauges. Only what Prometheus's older text format
//! knows as well, so that whoever reads that one can read it.

use std::fmt::Write as _;

use lab::record::Run;

use super::{Format, Measured, measured};
use crate::Findings;

pub(super) const FORMAT: Format =
    Format { name: "openmetrics", title: "OpenMetrics text, for Prometheus and the like", write };

fn write(run: &Run, findings: &Findings) -> String {
    let all = measured(run, findings);
    let mut text = "# TYPE macrometer_run_info gauge\n\
                    # HELP macrometer_run_info The run.\n"
        .to_owned();
    let about = [
        ("run", run.id.clone()),
        ("study", run.study.name.clone()),
        ("cpu", crate::format::processor(&run.machine)),
    ];
    let _ = writeln!(text, "macrometer_run_info{{{}}} 1", labelled(&about));
    let ends = |own: &Measured<'_>| own.finding.interval_ns;
    gauge(&mut text, "call", "Median time per call.", &all, |own| Some(own.median_ns));
    let low = "Lower end of the confidence interval of that median.";
    gauge(&mut text, "call_low", low, &all, |own| Some(ends(own)?.low));
    let high = "Upper end of the confidence interval of that median.";
    gauge(&mut text, "call_high", high, &all, |own| Some(ends(own)?.high));
    text + "# EOF\n"
}

fn gauge(
    text: &mut String,
    name: &str,
    help: &str,
    all: &[Measured<'_>],
    ns: impl Fn(&Measured<'_>) -> Option<f64>,
) {
    let name = format!("macrometer_{name}_seconds");
    let _ = writeln!(text, "# TYPE {name} gauge\n# UNIT {name} seconds\n# HELP {name} {help}");
    for own in all {
        if let Some(ns) = ns(own) {
            let _ = writeln!(text, "{name}{{{}}} {:e}", labelled(&own.labels()), ns / 1e9);
        }
    }
}

/// Labels as the format has them. A reader may end a line at more than `\n`, and shows values on a
/// terminal.
fn labelled(labels: &[(&str, String)]) -> String {
    let escaped = |value: &str| {
        let value = words::legible(value);
        value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
    };
    let all: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    all.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_add_no_line_and_do_nothing_to_a_terminal() {
        let value = "a\"\\\nb\rc\u{1b}[2J\u{202e}".to_owned();
        let told = labelled(&[("run", value), ("cpu", "x".into())]);
        let escaped = r#"run="a\"\\\nb"#;
        let replaced = "\u{fffd}c\u{fffd}[2J\u{fffd}\",cpu=\"x\"";
        assert_eq!(told, format!("{escaped}{replaced}"));
    }
}
