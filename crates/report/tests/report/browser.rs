//! Chromium without a window, for tests of the page. Not every test file uses all of it.

use std::path::Path;
use std::process::Command;

use base64ct::{Base64, Encoding};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const QUIET: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--hide-scrollbars",
];

/// Runs Chromium on a page of its own; `None` where there is none.
pub fn chromium(folder: &Path, page: &str, more: &[&str]) -> Option<(String, String)> {
    let file = folder.join("page.html");
    std::fs::write(&file, page).unwrap();
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let url = format!("file://{}", file.display());
    let ran = Command::new("chromium").args(QUIET).arg(profile).args(more).arg(url).output();
    match ran {
        Ok(it) => Some((
            String::from_utf8_lossy(&it.stdout).into_owned(),
            String::from_utf8_lossy(&it.stderr).into_owned(),
        )),
        Err(why) => {
            println!("skipped: no chromium ({why})");
            None
        }
    }
}

/// What the page said to the console: errors, and what its policy refused.
pub fn errors(log: &str) -> Vec<&str> {
    log.lines().filter(|line| line.contains("CONSOLE")).collect()
}

/// A page with one script more, which its policy allows as it does its own.
pub fn with_script(page: &str, script: &str) -> String {
    let digest = Base64::encode_string(&Sha256::digest(script));
    let allowed = format!("script-src 'sha256-{digest}' ");
    let page = page.replacen("script-src ", &allowed, 1);
    page.replacen("</body>", &format!("<script>{script}</script></body>"), 1)
}

/// What `steps`, the body of an asynchronous function, hands back from inside a page, whose policy
/// stays and allows this one script more; `None` where there is no Chromium.
pub fn asked(page: &str, steps: &str) -> Option<Value> {
    let script = format!(
        "(async () => {{ const sleep = (ms) => new Promise((ok) => setTimeout(ok, ms));\n\
         await sleep(100);\n{steps}\n}})()\n\
         .catch((error) => ({{ failed: String(error.stack || error) }}))\n\
         .then((seen) => {{ document.body.dataset.seen = JSON.stringify(seen); }});"
    );
    let page = with_script(page, &script);
    let folder = tempfile::tempdir().unwrap();
    let more = ["--virtual-time-budget=20000", "--dump-dom", "--window-size=1280,1000"];
    let (dom, log) = chromium(folder.path(), &page, &more)?;
    assert!(errors(&log).is_empty(), "{:?}", errors(&log));
    let seen = dom.split("data-seen=\"").nth(1).unwrap_or_else(|| panic!("nothing seen: {log}"));
    let seen = seen.split('"').next().unwrap().replace("&quot;", "\"");
    let seen = seen.replace("&nbsp;", "\u{a0}").replace("&lt;", "<").replace("&gt;", ">");
    let seen: Value = serde_json::from_str(&seen.replace("&amp;", "&")).unwrap();
    assert!(seen.get("failed").is_none(), "{seen}");
    Some(seen)
}

/// axe-core from npm; `None`, and a line that says so, where it cannot be had.
fn axe(folder: &Path) -> Option<String> {
    let package = "axe-core@4.10.3";
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--prefix"]).arg(folder);
    match npm.arg(package).output() {
        Ok(it) if it.status.success() => {
            let file = folder.join("node_modules/axe-core/axe.min.js");
            Some(std::fs::read_to_string(file).unwrap())
        }
        Ok(it) => {
            println!("skipped: no {package}: {}", String::from_utf8_lossy(&it.stderr));
            None
        }
        Err(why) => {
            println!("skipped: no npm ({why})");
            None
        }
    }
}

/// Axe finds no violation in a page: as it opens, with everything unfolded, and in dark colours.
pub fn axe_is_content(page: &str) {
    let folder = tempfile::tempdir().unwrap();
    let Some(axe) = axe(folder.path()) else { return };
    let dark = page.replacen("<html lang=\"en\">", "<html lang=\"en\" data-theme=\"dark\">", 1);
    let open = "for (const it of document.querySelectorAll('details')) it.open = true;";
    for (page, more) in [(page, ""), (page, open), (&dark, open)] {
        let steps = format!(
            "{axe};\n{more} await sleep(100);\n\
             const {{ violations, passes }} = await axe.run();\n\
             return {{ passes: passes.length, violations: violations.map((it) => \
             [it.id, it.nodes.length, it.nodes[0].failureSummary]) }};"
        );
        let Some(seen) = asked(page, &steps) else { return };
        assert!(seen["passes"].as_u64().unwrap() > 10, "{seen}");
        assert_eq!(seen["violations"], json!([]), "{seen}");
    }
}

/// The widths of a page's content and of a phone's window that shows it; `None` where there is no
/// Chromium.
pub fn widths_on_a_phone(page: &str) -> Option<[u64; 2]> {
    // Headless Chromium makes no window below 500 pixels, so a frame is the phone.
    let probe = "<script>addEventListener('load',()=>setTimeout(()=>{const r=document.\
                 documentElement;parent.postMessage([r.scrollWidth,r.clientWidth],'*')},200))\
                 </script></body>";
    // The page's own policy would not let the probe run.
    let inner = page.replace("http-equiv=\"Content-Security-Policy\"", "name=\"policy\"");
    let inner = inner.replace("</body>", probe);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("inner.html"), inner).unwrap();
    let outer = "<!doctype html><body><script>addEventListener('message',e=>{document.body.\
                 dataset.seen=e.data.join(' ')})</script><iframe src=\"inner.html\" \
                 style=\"width:360px;height:800px;border:0\"></iframe></body>";
    let more = ["--virtual-time-budget=5000", "--dump-dom"];
    let (dom, _) = chromium(folder.path(), outer, &more)?;
    let (_, seen) = dom.split_once("data-seen=\"").expect("the probe has run");
    let mut seen = seen.split(['"', ' ']).map(|it| it.parse().unwrap());
    Some([seen.next().unwrap(), seen.next().unwrap()])
}
