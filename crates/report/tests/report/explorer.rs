//! The explorer of a survey's page: its data are the findings, and choosing, searching, sorting and
//! the address do in a browser what they say. Skipped, with a line that says so, where there is no
//! `chromium`.

use lab::record::Run;
use report::findings::{Background, CellFinding};
use report::{Findings, page};
use serde_json::{Value, json};

use crate::browser::{asked, axe_is_content};

/// A survey whose study names what is in wide use.
fn survey() -> Run {
    let mut run = synthetic::survey();
    run.study.named = ["hmac-sha256", "cmac-aes-128", "poly1305"].map(String::from).to_vec();
    run
}

/// Findings with a caution, bounds and languages, as the command knows them.
fn findings(run: &Run) -> Findings {
    let caution = |mac: &str| (mac == "gmac-aes-128").then(|| "no nonce twice".to_owned());
    let bound = |cell: &lab::cell::Cell| (cell.candidate.mac == "hmac-sha256").then_some(1.5);
    let language = |name: &str| Some(if name == "openssl" { "C" } else { "Rust" });
    let background = Background {
        caution: &caution,
        bound: &bound,
        language: &language,
        ..Background::default()
    };
    Findings::with_background(run, &background)
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script id=\"explorer-data\"").unwrap();
    let (_, rest) = rest.split_once('>').unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The cell of a candidate, by a part of its path.
fn cell<'a>(findings: &'a Findings, path: &str) -> &'a CellFinding {
    findings.cells.iter().find(|it| it.path == path).unwrap_or_else(|| panic!("{path}"))
}

/// What a table of all lengths shows of a cell.
fn shown(cell: &CellFinding) -> String {
    let time = cell.time().unwrap();
    time.value() + &time.ends()
}

const ROWS: &str = "const rows = () => [...document.querySelectorAll('.explored tbody tr')]\
    .map((row) => [...row.children].map((cell) => cell.textContent));\n\
    const press = (text) => [...document.querySelectorAll('#explorer button')]\
    .find((it) => it.textContent === text).click();\n\
    const go = async (hash) => { location.hash = hash; await sleep(50); };\n";

/// A value of scaled columns, as it is printed.
fn printed(column: &Value, at: usize) -> Option<(String, String)> {
    let whole = |name: &str| column[name][at].as_i64();
    let value = whole("value")?;
    let decimals = column["decimals"].as_str().unwrap().chars().nth(at).unwrap();
    let decimals = decimals.to_digit(16).unwrap() as usize;
    let text = |it: i64| format!("{:.decimals$}", it as f64 / 10f64.powi(decimals as i32));
    let ends = whole("below").map(|it| text(value - it)).zip(whole("above"));
    let ends = ends.map_or("–".into(), |(low, above)| format!("{low}–{}", text(value + above)));
    Some((text(value), ends))
}

#[test]
fn every_cell_of_the_columns_is_the_cell_of_the_findings() {
    for run in [survey(), synthetic::small(), synthetic::survey_of(6, 3)] {
        let findings = findings(&run);
        let data = data(&page::render(&run, &findings));
        let mut seen = 0;
        for (own, group) in data["groups"].as_array().unwrap().iter().zip(&findings.groups) {
            let offers = own["offers"].as_array().unwrap();
            for (column, size) in group.sizes.iter().enumerate() {
                assert_eq!(own["lens"][column], json!(size.len_bytes));
                for row in &size.ranking {
                    let cell = findings.cell(row);
                    let who = &cell.cell.candidate;
                    let is = |offer: &&Value| {
                        let ids = &data["offers"][offer.as_u64().unwrap() as usize];
                        let id = |at: usize| ids[at].as_u64().unwrap() as usize;
                        data["macs"][id(0)]["name"] == json!(who.mac)
                            && data["libraries"][id(1)]["name"] == json!(who.provider)
                            && data["kernels"][id(2)] == json!(who.kernel)
                    };
                    let place = offers.iter().position(|it| is(&it)).unwrap();
                    let at = place * group.sizes.len() + column;
                    let time = cell.time().map(|it| (it.value(), it.ends()));
                    let unit = own["unit"].as_str().unwrap().chars().nth(at).unwrap();
                    let unit = if unit == 's' { "s".into() } else { format!("{unit}s") };
                    let told = printed(&own["time"], at).map(|(v, e)| (format!("{v} {unit}"), e));
                    assert_eq!(told, time, "{}", cell.path);
                    let ratio = row.to_best.map(|it| it.figure(findings.margin));
                    let ratio = ratio.map(|it| (it.value(), it.ends()));
                    assert_eq!(printed(&own["ratio"], at), ratio, "{}", cell.path);
                    assert_eq!(own["samples"][at], json!(cell.samples));
                    assert_eq!(own["launches"][at], json!(cell.launches));
                    assert_eq!(own["rank"][at], json!(row.rank));
                    assert_eq!(own["p99"][at], json!(cell.single.map(|it| it.p99_ns)));
                    assert_eq!(own["to_bound"][at].is_null(), cell.to_bound().is_none());
                    seen += 1;
                }
            }
        }
        let ranked = findings.groups.iter().flat_map(|it| &it.sizes).map(|it| it.ranking.len());
        assert!(seen > 0 && seen == ranked.sum::<usize>());
    }
}

/// A comma means "or", a space "and"; hyphens, underscores and capitals mean nothing.
#[test]
fn a_search_is_written_as_people_write_names() {
    let run = survey();
    let page = page::render(&run, &findings(&run));
    let steps = format!(
        "{ROWS} const found = {{}};\n\
         for (const q of ['hmac-sha256', 'HMAC-SHA-256', 'Hmac_SHA256', 'cmac-aes-128', \
         'hmac-sha256,cmac-aes-128', 'hmac-sha256, CMAC_AES', 'hmac-sha256 cmac-aes-128', \
         'openssl hmac-sha256, openssl cmac', ', ,', '']) {{\n\
         await go(`#show=all&q=${{encodeURIComponent(q)}}`);\n\
         found[q] = rows().map((it) => it[0]); }}\n\
         return found;"
    );
    let Some(found) = asked(&page, &steps) else { return };
    let of = |search: &str| -> std::collections::BTreeSet<String> {
        let rows = found[search].as_array().unwrap().iter();
        rows.map(|row| row.as_str().unwrap().to_owned()).collect()
    };
    let (hmac, cmac) = (of("hmac-sha256"), of("cmac-aes-128"));
    assert!(hmac.len() == 1 && cmac.len() == 1 && hmac != cmac, "{found}");
    assert_eq!((of("HMAC-SHA-256"), of("Hmac_SHA256")), (hmac.clone(), hmac.clone()));
    let both = &hmac | &cmac;
    assert_eq!((of("hmac-sha256,cmac-aes-128"), of("hmac-sha256, CMAC_AES")), (both.clone(), both));
    assert!(of("hmac-sha256 cmac-aes-128").is_empty(), "{found}");
    assert_eq!(of("openssl hmac-sha256, openssl cmac").len(), 2, "{found}");
    assert!(of(", ,") == of("") && of("").len() > 2, "{found}");
}

#[test]
fn a_table_shows_what_the_report_tells_and_a_search_finds_it() {
    let run = survey();
    let findings = findings(&run);
    let page = page::render(&run, &findings);
    let steps = format!(
        "{ROWS} await go('#q=openssl cmac&by=offer&life=new-key'); const all = rows();\n\
         await go('#macs=cmac-aes-128&len=4096'); const one = rows();\n\
         const search = document.querySelector('#explorer input[type=search]');\n\
         search.value = 'rustcrypto'; search.dispatchEvent(new Event('input'));\n\
         const found = rows(); const hash = location.hash;\n\
         search.value = 'nothing has this name'; search.dispatchEvent(new Event('input'));\n\
         const none = document.querySelector('.status').textContent;\n\
         return {{ all, one, found, hash, none }};"
    );
    let Some(seen) = asked(&page, &steps) else { return };
    let mut row = vec!["cmac-aes-128openssl[aes-ni]".to_owned()];
    for len in &run.study.parts[0].sizes {
        let path = format!("cmac-aes-128/openssl/aes-ni/single/new-key/{len}");
        row.push(shown(cell(&findings, &path)));
    }
    assert_eq!(seen["all"], json!([row]));
    let own = cell(&findings, "cmac-aes-128/macs/aes-ni/single/prepared/4096");
    for wanted in [shown(own), "36 in 12".into()] {
        assert!(seen["one"][0].as_array().unwrap().contains(&json!(wanted)), "{wanted}: {seen}");
    }
    assert_eq!(seen["found"].as_array().unwrap().len(), 1, "HMAC of RustCrypto: {seen}");
    assert!(seen["hash"].as_str().unwrap().contains("q=rustcrypto"), "{seen}");
    assert!(seen["none"].as_str().unwrap().starts_with("Nothing fits"), "{seen}");
}

#[test]
fn presets_choose_and_the_address_brings_a_choice_back() {
    let run = survey();
    let page = page::render(&run, &findings(&run));
    let steps = format!(
        "{ROWS} const names = () => rows().map((row) => row[0]);\n\
         const used = names(); press('Fastest'); const fastest = names();\n\
         const pick = (control, value) => {{ const own = document.querySelector(\
         `[data-control=\"${{control}}\"]`); own.value = value; own.dispatchEvent(\
         new Event('change')); }};\n\
         pick('One MAC, all libraries', 'hmac-sha256'); const one = names();\n\
         pick('My call today', 'hmac-sha256'); pick('from', 'openssl'); const now = names();\n\
         const life = document.querySelector('[data-control=\"life=new-key\"]'); life.click();\n\
         pick('Chart of', 'cycles');\n\
         document.querySelector('[data-control=\"len=1024\"]').click();\n\
         const kept = location.hash; const table = rows();\n\
         await go('#show=all'); const between = rows(); await go(kept);\n\
         return {{ used, fastest, one, now, kept, table, between, again: rows(), \
         hash: location.hash }};"
    );
    let Some(seen) = asked(&page, &steps) else { return };
    let starts = |list: &str, wanted: &[&str]| {
        let list = seen[list].as_array().unwrap();
        assert_eq!(list.len(), wanted.len(), "{seen}");
        for (own, wanted) in list.iter().zip(wanted) {
            assert!(own.as_str().unwrap().starts_with(wanted), "{own} {wanted}");
        }
    };
    starts("used", &["hmac-sha256", "cmac-aes-128", "poly1305"]);
    assert_eq!(seen["fastest"].as_array().unwrap().len(), 5);
    starts("one", &["hmac-sha256rustcrypto[sha-ni]", "hmac-sha256openssl[sha-ni]"]);
    assert!(seen["now"][0].as_str().unwrap().ends_with("openssl[sha-ni]today"), "{seen}");
    assert!(seen["now"][1].as_str().unwrap().contains("same MAC elsewhere"), "{seen}");
    for part in ["now=hmac-sha256@openssl", "life=prepared,new-key", "unit=cycles", "len=1024"] {
        assert!(seen["kept"].as_str().unwrap().contains(part), "{part}: {seen}");
    }
    assert_eq!((&seen["again"], &seen["hash"]), (&seen["table"], &seen["kept"]));
    assert_ne!(seen["between"], seen["table"]);
}

#[test]
fn columns_sort_and_the_chart_is_read_by_keyboard() {
    let run = survey();
    let findings = findings(&run);
    let page = page::render(&run, &findings);
    let steps = format!(
        "{ROWS} await go('#show=all&by=offer');\n\
         const sort = (key) => {{\
         document.querySelector(`th button[data-key=\"${{key}}\"]`).click();\n\
         return rows().map((row) => row[2]); }};\n\
         const up = sort('64'); const down = sort('64');\n\
         const aria = document.querySelector('th[aria-sort]').getAttribute('aria-sort');\n\
         await go('#macs=cmac-aes-128&by=mac');\n\
         const place = document.querySelector('.chartplace');\n\
         place.focus(); const press2 = (key) => place.dispatchEvent(\
         new KeyboardEvent('keydown', {{ key, cancelable: true }}));\n\
         press2('Home'); press2('ArrowRight');\n\
         const said = document.querySelector('.said').textContent;\n\
         const card = document.querySelector('.cell').innerText; press2('Escape');\n\
         return {{ up, down, aria, said, card, hidden: document.querySelector('.cell').hidden,\
         stops: [...document.querySelectorAll('#explorer *')].filter((it) => it.tabIndex >= 0 \
         && it.offsetParent).length }};"
    );
    let Some(seen) = asked(&page, &steps) else { return };
    let size = &findings.groups[0].sizes[1];
    let mut cells: Vec<&CellFinding> = size.ranking.iter().map(|row| findings.cell(row)).collect();
    cells.sort_by(|a, b| a.median_ns.partial_cmp(&b.median_ns).unwrap());
    let mut up: Vec<String> = cells.iter().map(|cell| shown(cell)).collect();
    assert_eq!(seen["up"], json!(up));
    up.reverse();
    assert_eq!((&seen["down"], &seen["aria"]), (&json!(up), &json!("descending")));
    let own = cell(&findings, "cmac-aes-128/macs/aes-ni/single/prepared/64");
    let time = own.time().unwrap();
    let said = format!("{} (95 % {}), 36 samples in 12 launches", time.value(), time.ends());
    assert!(seen["said"].as_str().unwrap().ends_with(&said), "{said}: {seen}");
    for wanted in [&own.path, &run.id, "aes-ni", "key prepared", "Rust"] {
        assert!(seen["card"].as_str().unwrap().contains(wanted), "{wanted}: {seen}");
    }
    assert_eq!(seen["hidden"], json!(true));
    assert!(seen["stops"].as_u64().unwrap() < 60, "{seen}");
}

#[test]
fn a_large_survey_is_small_and_asks_nobody() {
    let sizes = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 65_536];
    let run = synthetic::survey_over(20, 5, &sizes);
    assert_eq!(run.cells.iter().filter(|it| it.cell.candidate.mac != "null").count(), 100 * 12 * 2);
    let page = page::render(&run, &Findings::of(&run));
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    let steps = "const begun = document.querySelectorAll('*').length;\n\
        location.hash = '#show=all&by=offer&life=prepared,new-key'; await sleep(100);\n\
        const rows = document.querySelectorAll('.explored tbody tr').length;\n\
        dispatchEvent(new Event('beforeprint'));\n\
        const printed = document.querySelectorAll('.explored tbody tr').length;\n\
        return { begun, rows, printed, svg: document.querySelectorAll('.printed svg').length,\n\
        asked: performance.getEntriesByType('resource').length };";
    let Some(seen) = asked(&page, steps) else { return };
    assert!(seen["begun"].as_u64().unwrap() < 5000, "{seen}");
    assert!(seen["rows"].as_u64().unwrap() < 100, "{seen}");
    assert_eq!(
        (&seen["printed"], &seen["svg"]),
        (&json!(200), &json!(1)),
        "whole on paper: {seen}"
    );
    assert_eq!(seen["asked"], json!(0));
}

#[test]
fn each_answer_leads_to_its_evidence() {
    // A study of several cases, panels and parts, as if it repeated no paper.
    let mut run = synthetic::hmac_vs_cmac();
    run.study.source = None;
    let findings = findings(&run);
    let page = page::render(&run, &findings);
    let steps = format!(
        "{ROWS} const seen = [];\n\
         for (const link of document.querySelectorAll('.evidence a')) {{\n\
         await go(link.getAttribute('href')); seen.push(rows()[0]); }} return seen;"
    );
    let Some(seen) = asked(&page, &steps) else { return };
    let mut sizes = 0;
    for (headline, row) in findings.headlines.iter().zip(seen.as_array().unwrap()) {
        let Some(len) = headline.len_bytes else { continue };
        let group = findings.groups.iter().find(|it| it.name == headline.group).unwrap();
        let size = group.sizes.iter().find(|it| it.len_bytes == len).unwrap();
        let first = findings.cell(&size.ranking[0]);
        for wanted in [first.source(), shown(first)] {
            assert!(row.as_array().unwrap().contains(&json!(wanted)), "{wanted}: {row}");
        }
        sizes += 1;
    }
    assert!(sizes > 3, "{seen}");
}

#[test]
fn one_length_has_its_table_and_no_chart() {
    let run = synthetic::survey_over(4, 2, &[64]);
    let page = page::render(&run, &Findings::of(&run));
    let steps = format!(
        "{ROWS} return {{ rows: rows(), chart: document.querySelector('.drawing').hidden,\n\
         heads: [...document.querySelectorAll('.explored th button')]\
         .map((it) => it.textContent) }};"
    );
    let Some(seen) = asked(&page, &steps) else { return };
    assert_eq!((&seen["chart"], seen["rows"].as_array().unwrap().len()), (&json!(true), 4));
    assert!(seen["heads"].as_array().unwrap().contains(&json!("verdict")), "{seen}");
}

#[test]
fn files_hold_what_is_shown() {
    let run = survey();
    let findings = findings(&run);
    let page = page::render(&run, &findings);
    let steps = format!(
        "{ROWS} const kept = {{}}; const names = new Map();\n\
         URL.createObjectURL = (blob) => {{ names.set('x', blob); return '#'; }};\n\
         for (const kind of ['SVG', 'PNG', 'CSV']) {{\n\
         names.clear(); press(kind);\n\
         for (let turn = 0; turn < 150 && !names.size; turn += 1) await sleep(50);\n\
         const blob = names.get('x');\n\
         kept[kind] = kind === 'PNG' ? blob.size : await blob.text(); }}\n\
         return kept;"
    );
    let Some(seen) = asked(&page, &steps) else { return };
    let svg = seen["SVG"].as_str().unwrap();
    assert!(svg.starts_with("<svg xmlns=") && svg.contains("ns per byte"), "{svg}");
    assert!(svg.contains("poly1305") && !svg.contains("var("));
    assert!(seen["PNG"].as_u64().unwrap() > 20_000);
    let csv = seen["CSV"].as_str().unwrap();
    assert_eq!(csv.lines().count(), 1 + 3 * 7, "{csv}");
    let own = cell(&findings, "cmac-aes-128/macs/aes-ni/single/prepared/64");
    let time = own.time().unwrap();
    let number = |text: &str| text.split(' ').next().unwrap().parse::<f64>().unwrap().to_string();
    let ends: Vec<String> = time.ends().split('–').map(number).collect();
    let row = format!(",prepared,64,36,12,{},{},", number(&time.value()), ends.join(","));
    assert!(csv.lines().any(|line| line.contains("cmac-aes-128") && line.contains(&row)), "{row}");
}

#[test]
fn without_a_script_the_answers_and_a_whole_table_are_there() {
    let run = survey();
    let page = page::render(&run, &findings(&run));
    let (_, used) = page.split_once("id=\"in-use\"").expect("what is in wide use");
    let (used, _) = used.split_once("</section>").unwrap();
    assert!(used.contains("hmac-sha256") && used.contains("cmac-aes-128"));
    // Where a study names nothing, the fastest offers are the table.
    let page = page::render(&synthetic::survey(), &Findings::of(&synthetic::survey()));
    let (_, rest) = page.split_once("<noscript>").unwrap();
    let (table, _) = rest.split_once("</noscript>").unwrap();
    for mac in ["siphash-2-4", "gmac-aes-128", "poly1305", "cmac-aes-128", "hmac-sha256"] {
        assert!(table.contains(mac), "{mac}");
    }
}

#[test]
fn axe_finds_no_violation() {
    let run = survey();
    axe_is_content(&page::render(&run, &findings(&run)));
}
