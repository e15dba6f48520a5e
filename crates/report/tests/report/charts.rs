//! Charts hold a mark for each number, and words for who cannot see them.

use report::findings::Background;
use report::{Findings, charts};

fn marks(svg: &str, class: &str) -> usize {
    svg.matches(&format!("class=\"{class}\"")).count()
}

#[test]
fn each_interval_point_and_distribution_is_a_mark() {
    let run = synthetic::survey();
    let findings = Findings::of(&run);
    let charts = charts::all(&run, &findings);
    for group in &findings.groups {
        let of = |kind: &str, len| {
            let mut own =
                charts.iter().filter(|it| it.group == group.name && it.kind.name() == kind);
            &own.find(|it| it.len_bytes == len).unwrap().svg
        };
        let offers: usize =
            group.sizes.iter().map(|s| s.ranking.iter().filter(|r| r.best_of_mac).count()).sum();
        for kind in ["time-over-size", "cycles-per-byte"] {
            assert_eq!(marks(of(kind, None), "point"), offers, "{kind}");
        }
        assert_eq!(marks(of("time-over-size", None), "floor"), 1);
        for size in &group.sizes {
            let len = Some(size.len_bytes);
            assert_eq!(marks(of("ranking", len), "interval"), size.ranking.len());
            assert_eq!(marks(of("distributions", len), "distribution"), size.ranking.len());
        }
    }
    assert_eq!(charts.len(), 2 * (2 + 7 + 7));
}

#[test]
fn what_charts_are_called_is_known_without_drawing_them() {
    let runs = [
        synthetic::survey(),
        synthetic::hmac_vs_cmac(),
        synthetic::cbc_mac_variants(),
        synthetic::khc(),
        synthetic::sms(),
        synthetic::apparent_processing(),
    ];
    for run in runs {
        let names = charts::Names::of(&run);
        for chart in charts::all(&run, &Findings::of(&run)) {
            assert!(names.has(&chart.name), "{}", chart.name);
            for other in [format!("my-{}", chart.name), format!("{}-1234567", chart.name)] {
                assert!(!names.has(&other), "{other}");
            }
        }
        assert!(!names.has("") && !names.has("mine") && !names.has("ranking-64"));
    }
}

#[test]
fn the_paper_has_its_lines_and_every_tested_cell_its_histogram() {
    let run = synthetic::hmac_vs_cmac();
    let findings = Findings::of(&run);
    let charts = charts::all(&run, &findings);
    let of =
        |kind: &str| charts.iter().filter(|chart| chart.kind.name() == kind).collect::<Vec<_>>();
    assert_eq!(of("speed-over-size").len(), 8, "four cases in two panels");
    let lengths = run.study.parts[1].lengths().len();
    assert_eq!(marks(&of("speed-over-size")[0].svg, "point"), 5 * lengths);
    let drawn: usize = of("distributions").iter().map(|it| marks(&it.svg, "distribution")).sum();
    assert_eq!(drawn, 2 * (3 * 5 + 3));
}

#[test]
fn all_cases_of_a_part_stand_in_one_chart_of_bars_a_size() {
    let run = synthetic::cbc_mac_variants();
    let findings = Findings::of(&run);
    let charts = charts::all(&run, &findings);
    let bars: Vec<_> = charts.iter().filter(|chart| chart.kind.name() == "grouped-bars").collect();
    assert_eq!(bars.len(), 2 * 2 * 3, "panels, key lives, sizes");
    let first = bars[0];
    assert_eq!(first.name, "sizes-fastest-new-key-single-grouped-bars-29");
    assert_eq!(marks(&first.svg, "bar"), 2 * 6);
    for name in ["omac2", "core cycles per byte", "aes-128 by macs[vaes-512]"] {
        assert!(first.svg.contains(name), "{name}");
    }
    // One frame: each cipher and each mode is named once, and the values share an axis.
    for name in [">aes-128<", ">tdes-3<", ">emac<", ">omac1<"] {
        assert_eq!(first.svg.matches(name).count(), 1, "{name}");
    }
    assert!(!first.svg.contains(">cmac<"), "the study has a name for it");
    let height = |cell: &str| {
        let bar = first.svg.split("class=\"bar\"").find(|it| it.contains(cell)).unwrap();
        let after = bar.split("height=\"").nth(1).unwrap();
        after.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    let value = |mac: &str| {
        let is = |it: &&report::findings::CellFinding| it.path.starts_with(mac);
        let new_key = |it: &&report::findings::CellFinding| it.path.ends_with("single/new-key/29");
        let cell = findings.cells.iter().filter(is).find(new_key).unwrap();
        (height(&cell.path), cell.cycles_per_byte_estimated.unwrap())
    };
    let (aes, tdes) = (value("emac-aes-128/macs"), value("xcbc-tdes-3/macs"));
    assert!((aes.0 / tdes.0 / (aes.1 / tdes.1) - 1.0).abs() < 0.02, "{aes:?} {tdes:?}");
    let survey = synthetic::survey();
    let others = charts::all(&survey, &Findings::of(&survey));
    assert!(others.iter().all(|chart| chart.kind.name() != "grouped-bars"), "nobody asked for it");
}

#[test]
fn without_a_core_clock_bars_are_times() {
    let mut run = synthetic::cbc_mac_variants();
    run.samples.iter_mut().for_each(|sample| sample.core_hz = None);
    let charts = charts::all(&run, &Findings::of(&run));
    let bars = charts.iter().find(|chart| chart.kind.name() == "grouped-bars").unwrap();
    assert!(bars.svg.contains("ns per byte") && !bars.svg.contains("cycles per byte"));
}

#[test]
fn the_speeds_of_a_test_are_drawn_on_common_axes() {
    let run = synthetic::hmac_vs_cmac();
    let findings = Findings::of(&run);
    let charts = charts::all(&run, &findings);
    let of_sizes = charts.iter().filter(|it| it.kind.name() == "speeds" && it.len_bytes.is_none());
    assert_eq!(of_sizes.count(), 2, "the case of part III that is tested, in two panels");
    let fixed: Vec<_> =
        charts.iter().filter(|it| it.kind.name() == "speeds" && it.len_bytes.is_some()).collect();
    let drawn: usize = fixed.iter().map(|it| marks(&it.svg, "speeds")).sum();
    assert_eq!(drawn, 2 * (3 * 5 + 3));
    let tests = findings.groups[0].sizes[0].tests.as_ref().unwrap();
    assert_eq!(tests.histograms.len(), tests.columns.len());
    for histogram in &tests.histograms {
        assert_eq!(histogram.edges, tests.histograms[0].edges);
        assert_eq!(histogram.counts.iter().sum::<u64>(), tests.n_rows as u64);
    }
}

#[test]
fn a_large_survey_names_eight_lines_and_draws_the_rest_in_grey() {
    let run = synthetic::survey_of(26, 2);
    let charts = charts::all(&run, &Findings::of(&run));
    let chart = charts.iter().find(|chart| chart.kind.name() == "time-over-size").unwrap();
    assert_eq!((marks(&chart.svg, "line"), marks(&chart.svg, "rest")), (8, 18));
    assert!(chart.svg.contains("18 more in grey"));
    let ranking = charts.iter().find(|chart| chart.kind.name() == "ranking").unwrap();
    assert_eq!(marks(&ranking.svg, "interval"), 24);
    assert!(ranking.svg.contains("best offer of each MAC") && ranking.svg.contains("2 more in"));
}

#[test]
fn macs_that_share_a_bound_share_its_line_and_without_bounds_there_is_none() {
    let run = synthetic::survey();
    let per_byte = |findings: &Findings| {
        let charts = charts::all(&run, findings);
        charts.into_iter().find(|chart| chart.kind.name() == "cycles-per-byte").unwrap().svg
    };
    let plain = per_byte(&Findings::of(&run));
    assert_eq!(marks(&plain, "bound"), 0);
    assert!(!plain.contains("dashed"));
    let bound = |cell: &lab::cell::Cell| match &cell.candidate.mac[..] {
        "cmac-aes-128" | "hmac-sha256" => Some(2.0),
        "gmac-aes-128" => Some(0.1),
        _ => None,
    };
    let bounded = per_byte(&Findings::with_background(
        &run,
        &Background { bound: &bound, ..Background::default() },
    ));
    assert_eq!(marks(&bounded, "bound"), 2);
    assert!(bounded.contains("and 1 more</text>") && bounded.contains("bound of gmac-aes-128"));
}

#[test]
fn every_chart_has_a_title_a_description_and_numbers_only() {
    for run in [synthetic::hmac_vs_cmac(), synthetic::khc()] {
        sound(&run);
    }
}

fn sound(run: &lab::record::Run) {
    let mut names = std::collections::BTreeSet::new();
    for chart in charts::all(run, &Findings::of(run)) {
        assert!(chart.svg.contains(" viewBox=\"0 0 "), "{}", &chart.svg[..80]);
        assert!(chart.svg.contains(&format!("<title id=\"{}-title\">{}", chart.name, chart.title)));
        assert!(chart.svg.contains("role=\"img\"") && chart.svg.contains("<desc id="));
        assert!(!chart.svg.contains("NaN") && !chart.svg.contains("inf"), "{}", chart.name);
        assert!(names.insert(chart.name));
    }
}

#[test]
#[cfg(feature = "png")]
fn a_chart_becomes_a_png() {
    let run = synthetic::small();
    let charts = charts::all(&run, &Findings::of(&run));
    let png = charts[0].png().unwrap().unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
    assert_eq!(width, 2 * 780);
}
