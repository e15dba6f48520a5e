//! The page is one file that loads nothing, whose anchors all lead somewhere.

use std::collections::BTreeSet;

use report::{Findings, page};

fn pages() -> Vec<String> {
    let runs = [
        synthetic::survey(),
        synthetic::hmac_vs_cmac(),
        synthetic::cbc_mac_variants(),
        synthetic::small(),
        synthetic::khc(),
        synthetic::sms(),
    ];
    runs.iter().map(|run| page::render(run, &Findings::of(run))).collect()
}

/// Values of an attribute, wherever it stands.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let opening = format!(" {attribute}=\"");
    page.split(&opening).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn nothing_is_loaded() {
    for page in pages() {
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("@import"));
        assert!(!page.contains("url("));
        assert!(values(&page, "src").is_empty());
        for target in values(&page, "href") {
            assert!(target.starts_with('#') || target == "data:,", "{target}");
        }
    }
}

#[test]
fn one_document_with_unique_ids_and_live_anchors() {
    for page in pages() {
        assert_eq!(page.matches("<html").count(), 1);
        assert_eq!(page.matches("<main").count(), 1);
        assert_eq!(page.matches("<h1").count(), 1);
        let ids = values(&page, "id");
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len());
        // A choice of the explorer is no anchor.
        let is_choice = |it: &&str| it.contains('=');
        let anchors = values(&page, "href").into_iter().filter_map(|it| it.strip_prefix('#'));
        let anchors = anchors.filter(|it| !is_choice(it));
        for anchor in anchors {
            assert!(unique.contains(anchor), "#{anchor} leads nowhere");
        }
        for label in values(&page, "aria-labelledby").iter().flat_map(|it| it.split(' ')) {
            assert!(unique.contains(label), "{label}");
        }
    }
}

#[test]
fn what_others_wrote_is_escaped() {
    let mut run = synthetic::small();
    let bad = "<script>alert('x')</script>\"&";
    run.study.title = bad.into();
    run.study.panels[0].title = bad.into();
    run.study.claims[0].text = bad.into();
    run.machine.cpu_model = bad.into();
    run.providers[0].version = bad.into();
    run.events[0].text = bad.into();
    for cell in &mut run.cells {
        cell.cell.candidate.provider = format!("{}{bad}", cell.cell.candidate.provider);
        cell.cell.candidate.kernel = "k\" onload=\"x".into();
    }
    let page = page::render(&run, &Findings::of(&run));
    assert_eq!(page.matches("<script>").count(), 2, "ours and the explorer's");
    assert!(page.contains("&lt;script&gt;alert("));
    // In JSON a quote is escaped otherwise, and nothing ends its element but its own end.
    let (before, rest) = page.split_once("<script id=\"explorer-data\"").unwrap();
    let (data, after) = rest.split_once("</script>").unwrap();
    assert!(data.contains("\\u003cscript>alert(") && !data.contains('<'));
    assert!(serde_json::from_str::<serde_json::Value>(data.split_once('>').unwrap().1).is_ok());
    assert!(!before.contains("\" onload=") && !after.contains("\" onload="));
}

#[test]
fn everything_the_reader_needs_is_there() {
    let page = &pages()[0];
    for wanted in [
        "siphash-2-4 from macs[soft]",
        "(95 % 43.0–43.4)",
        "is overtaken by gmac-aes-128",
        "AMD EPYC 9R14 (synthetic)",
        "umac-64: tag differs at 1 KiB",
        "macrometer run survey --seed 7",
        "time-stamp counter",
        "/usr/lib/x86_64-linux-gnu/libopenssl.so.3",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    let paper = &pages()[1];
    for wanted in [
        "Chi-Squared Test of Normality",
        "Friedman Test",
        "z Critical one-tail",
        "5.9915",
        "Therefore, the speed of cmac-aes-128 &lt; hmac-sha224",
    ] {
        assert!(paper.contains(wanted), "{wanted}");
    }
}

#[test]
fn the_papers_keep_their_figures_and_surveys_are_explored() {
    for (page, is_paper) in pages().iter().zip([false, true, true, false, true, true]) {
        assert_eq!(page.contains("id=\"explorer\""), !is_paper);
        assert_eq!(page.contains("<svg "), is_paper);
    }
}

#[test]
fn footnotes_are_no_stops_of_the_tab_key() {
    let run = synthetic::apparent_processing_on(8);
    let page = page::render(&run, &Findings::of(&run));
    let marks: Vec<&str> = page.split("<a class=\"note\"").skip(1).collect();
    assert!(!marks.is_empty());
    for mark in marks {
        let (tag, _) = mark.split_once('>').unwrap();
        assert!(tag.contains("tabindex=\"-1\""), "{tag}");
    }
}

#[test]
fn a_run_without_samples_still_has_a_page() {
    let mut run = synthetic::small();
    run.samples.clear();
    run.single_calls.clear();
    assert!(page::render(&run, &Findings::of(&run)).contains("Nothing was measured"));
    run.cells.clear();
    run.events.clear();
    assert!(page::render(&run, &Findings::of(&run)).contains("Nothing was excluded"));
}
