//! The page in a browser: it runs without an error, shows its marks, and does not overflow a phone.
//! Skipped, with a line that says so, where there is no `chromium`.

use report::{Findings, page};

use crate::browser::{chromium, errors, widths_on_a_phone, with_script};

#[test]
fn the_script_runs_without_an_error_and_every_mark_is_there() {
    for run in [synthetic::hmac_vs_cmac(), synthetic::cbc_mac_variants()] {
        let findings = Findings::of(&run);
        let page = page::render(&run, &findings);
        let folder = tempfile::tempdir().unwrap();
        let Some((dom, log)) = chromium(folder.path(), &page, &["--dump-dom"]) else { return };
        assert!(errors(&log).is_empty(), "{:?}", errors(&log));
        assert!(dom.contains("data-ready=\"yes\"") && !dom.contains("data-error="));
        for class in ["point", "interval", "distribution", "line"] {
            let wanted = format!("<g class=\"{class}\"");
            assert_eq!(dom.matches(&wanted).count(), page.matches(&wanted).count(), "{class}");
            assert!(dom.contains(&wanted) || class == "point");
        }
        assert!(dom.contains("type=\"radio\"") || dom.contains("<select"), "controls were made");
    }
}

/// The control: what the other tests find none of is seen where there is one.
#[test]
fn an_error_and_what_the_policy_refuses_are_seen() {
    let run = synthetic::hmac_vs_cmac();
    let page = page::render(&run, &Findings::of(&run));
    let throws = "throw new Error('planted');";
    let refused = page.replacen("</body>", &format!("<script>{throws}</script></body>"), 1);
    for (page, words) in
        [(with_script(&page, throws), "planted"), (refused, "Content Security Policy")]
    {
        let folder = tempfile::tempdir().unwrap();
        let Some((_, log)) = chromium(folder.path(), &page, &["--dump-dom"]) else { return };
        assert!(errors(&log).iter().any(|it| it.contains(words)), "{words}: {log}");
    }
}

#[test]
fn a_page_of_sessions_has_its_controls_and_its_filter() {
    let run = synthetic::apparent_processing();
    let page = page::render(&run, &Findings::of(&run));
    let folder = tempfile::tempdir().unwrap();
    let Some((dom, _)) = chromium(folder.path(), &page, &["--dump-dom"]) else { return };
    assert!(dom.contains("data-ready=\"yes\"") && !dom.contains("data-error="));
    assert!(dom.contains("<select") && dom.contains("class=\"filter\""));
}

#[test]
fn a_phone_sees_no_overflow() {
    for run in [synthetic::survey(), synthetic::hmac_vs_cmac(), synthetic::survey_of(26, 3)] {
        let page = page::render(&run, &Findings::of(&run));
        let Some(widths) = widths_on_a_phone(&page) else { return };
        assert_eq!(widths, [360, 360]);
    }
}

#[test]
fn a_picture_is_taken() {
    let run = synthetic::survey();
    let page = page::render(&run, &Findings::of(&run));
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("page.png");
    let shot = format!("--screenshot={}", picture.display());
    let more = [shot.as_str(), "--window-size=1200,2000"];
    if chromium(folder.path(), &page, &more).is_none() {
        return;
    }
    assert!(std::fs::metadata(&picture).unwrap().len() > 50_000, "not an empty sheet");
}
