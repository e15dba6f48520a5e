//! Chromium without a window, for tests of the page. Not every test file uses all of it.
#![allow(dead_code, reason = "each test file has its own copy of this module")]

use std::path::Path;
use std::process::Command;

use base64ct::{Base64, Encoding};
use serde_json::Value;
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

/// What `steps`, the body of an asynchronous function, hands back from inside a page, whose policy
/// stays and allows this one script more; `None` where there is no Chromium.
pub fn asked(page: &str, steps: &str) -> Option<Value> {
    let script = format!(
        "(async () => {{ const sleep = (ms) => new Promise((ok) => setTimeout(ok, ms));\n\
         await sleep(100);\n{steps}\n}})()\n\
         .catch((error) => ({{ failed: String(error.stack || error) }}))\n\
         .then((seen) => {{ document.body.dataset.seen = JSON.stringify(seen); }});"
    );
    let digest = Base64::encode_string(&Sha256::digest(&script));
    let allowed = format!("script-src 'sha256-{digest}' ");
    let page = page.replacen("script-src ", &allowed, 1);
    let page = page.replacen("</body>", &format!("<script>{script}</script></body>"), 1);
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
