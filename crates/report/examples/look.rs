//! Writes charts, page and tables of the synthetic runs to a folder, to be looked at:
//! `cargo run -p macrometer-report --example look FOLDER [charts [RUN]]`.

use std::path::Path;

use lab::cell::Cell;
use report::findings::{Background, Work};
use report::{Findings, charts};

/// What KHC's authors count.
fn work(cell: &Cell) -> Option<Work> {
    let calls = synthetic::khc_compressions(cell)?;
    Some(Work { calls, key_schedules: 0, key_material: None })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("which folder?")?;
    let folder = Path::new(&folder);
    for (name, run) in [
        ("survey", synthetic::survey()),
        ("paper", synthetic::hmac_vs_cmac()),
        ("variants", synthetic::cbc_mac_variants()),
        ("sms", synthetic::sms()),
        ("large", synthetic::survey_of(26, 5)),
        ("khc", synthetic::khc()),
        ("sessions", synthetic::apparent_processing()),
        ("sessions-8", synthetic::apparent_processing_on(8)),
    ] {
        if std::env::args().nth(3).is_some_and(|wanted| wanted != name) {
            continue;
        }
        let began = std::time::Instant::now();
        let background = Background { work: &work, ..Background::default() };
        let findings = Findings::with_background(&run, &background);
        let found = began.elapsed();
        let drawn = charts::all(&run, &findings);
        println!(
            "{name}: {} cells, findings {found:?}, charts {:?}",
            run.cells.len(),
            began.elapsed() - found
        );
        std::fs::create_dir_all(folder.join(name))?;
        for headline in &findings.headlines {
            println!("  {}", headline.sentence);
        }
        for claim in &findings.claims {
            for panel in &claim.panels {
                let said = panel.verdict.because(&panel.reason);
                println!("  {} [{}] {said}", claim.id, panel.panel);
            }
        }
        for crossover in findings.groups.iter().flat_map(|it| &it.crossovers) {
            println!("  {}", crossover.sentence);
        }
        std::fs::write(
            folder.join(format!("{name}.txt")),
            report::terminal::render(&run, &findings, 120, false),
        )?;
        for width in [80, 120] {
            std::fs::write(
                folder.join(format!("{name}-brief-{width}.txt")),
                report::terminal::brief(&run, &findings, width, false),
            )?;
        }
        let began = std::time::Instant::now();
        let page = report::page::render(&run, &findings);
        println!("  page {} bytes in {:?}", page.len(), began.elapsed());
        std::fs::write(folder.join(format!("{name}.html")), page)?;
        if std::env::args().nth(2).is_none() {
            continue;
        }
        for chart in drawn.iter().filter(|_| name != "large") {
            std::fs::write(folder.join(name).join(format!("{}.svg", chart.name)), &chart.svg)?;
            if let Some(png) = chart.png()? {
                std::fs::write(folder.join(name).join(format!("{}.png", chart.name)), png)?;
            }
        }
    }
    Ok(())
}
