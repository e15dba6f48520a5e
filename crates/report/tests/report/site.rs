//! The site of many machines: nothing is asked from outside, links lead to files, and in a browser
//! it is filled, searched, and fits a phone.

use std::collections::BTreeSet;

use report::machines::{Asked, By};
use report::page::site::{File, Site, machine_file, within};
use serde_json::json;

use crate::browser::{asked, widths_on_a_phone};
use crate::gathered::Gathered;

fn files(gathered: &Gathered) -> Vec<File> {
    let found = gathered.compared(&Asked { by: Some(By::ProviderVersion), ..Asked::default() });
    Site::of(&found, &gathered.members, &gathered.catalog, "0.1.0").files()
}

fn page<'a>(files: &'a [File], name: &str) -> &'a str {
    &files.iter().find(|it| it.0 == name).unwrap_or_else(|| panic!("{name}")).1
}

#[test]
fn links_lead_to_files_of_the_site_and_nothing_is_loaded() {
    let gathered = Gathered::of(12, 100);
    let files = files(&gathered);
    let mut known: BTreeSet<String> = files.iter().map(|it| it.0.clone()).collect();
    let runs = gathered.members.iter().map(|it| &it.traits);
    known.extend(runs.map(|it| machine_file(&it.machine_id, &it.run_id)));
    for (name, text) in files.iter().filter(|it| it.0.ends_with(".html")) {
        assert!(text.contains("default-src 'none'; script-src 'sha256-"), "{name}");
        let depth = name.matches('/').count();
        for link in text.split("href=\"").skip(1).map(|it| it.split('"').next().unwrap()) {
            if link.starts_with('#') || link.starts_with("data:") {
                continue;
            }
            let link = if depth == 1 { link.strip_prefix("../").unwrap_or("?") } else { link };
            assert!(known.contains(link), "{name}: {link}");
        }
        assert!(!text.contains(" src=") && !text.contains("http://") && !text.contains("url("));
    }
    let csv = page(&files, "data/machines.csv");
    assert_eq!(csv.lines().count(), 13, "a head and twelve machines");
    let ratios = page(&files, "data/ratios.csv");
    assert!(ratios.lines().count() > 90 && ratios.starts_with("part,regime,key_life,len_bytes"));
}

#[test]
fn a_run_has_its_page_with_a_way_back() {
    let run = synthetic::survey();
    let page = report::page::render(&run, &report::Findings::of(&run));
    let within = within(&page);
    assert_eq!(within.matches("href=\"../index.html\"").count(), 1);
    assert!(within.len() > page.len());
}

#[test]
fn the_first_page_is_filled_and_searched_in_a_browser() {
    let gathered = Gathered::of(12, 100);
    let files = files(&gathered);
    let steps = "
        const rows = [...document.querySelectorAll('#matrix tbody tr')];
        const shown = () => rows.filter((row) => !row.hidden).length;
        const all = shown();
        const search = document.getElementById('search');
        const type = (text) => { search.value = text; search.dispatchEvent(new Event('input')); };
        type('epyc sha_ni');
        const some = shown();
        const said = document.getElementById('found').textContent;
        type('');
        search.focus();
        return { all, some, said, again: shown(), cells: rows[0].cells.length,
            best: document.querySelectorAll('td.best').length > 11,
            ready: document.documentElement.dataset.ready,
            focus: document.activeElement === search };";
    let Some(seen) = asked(page(&files, "index.html"), steps) else { return };
    // Generations 1, 3, 5 and 7 are EPYC: of twelve machines 1, 3, 5, 7, 9, 11.
    let (all, some, cells, ready) = (&seen["all"], &seen["some"], &seen["cells"], &seen["ready"]);
    assert_eq!((all, some, cells, ready), (&json!(12), &json!(6), &json!(12), &json!("yes")));
    assert_eq!(
        (&seen["again"], &seen["best"], &seen["focus"]),
        (&json!(12), &json!(true), &json!(true))
    );
    assert!(seen["said"].as_str().unwrap().starts_with("6 machines"), "{seen}");
}

#[test]
fn a_phone_sees_no_overflow() {
    let gathered = Gathered::of(12, 50);
    let files = files(&gathered);
    for name in ["index.html", "mac/hmac-sha256.html", "provider/openssl.html"] {
        let Some(widths) = widths_on_a_phone(page(&files, name)) else { return };
        assert_eq!(widths, [360, 360], "{name}");
    }
}
