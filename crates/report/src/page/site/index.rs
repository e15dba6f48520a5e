//! The first page: claims, machines by MACs, and the ways to all other pages.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::super::prose::prose;
use super::{Site, Told, counted, scrolled};
use crate::format;
use crate::machines::Kind;

/// Most cells of the matrix that the first page has; with more, MACs that fewer machines have are
/// left out.
const CELLS_MAX: usize = 60_000;

/// What can be searched.
const SEARCHED: &str = "processor, instruction, MAC, provider";

pub(super) fn page(site: &Site<'_>) -> String {
    let machines = site.machines;
    let about = html! { p .summary { (machines.sentence()) } };
    let sections = [
        ("machines", "Machines and MACs", Some(matrix(site))),
        ("claims", "Claims over all machines", claims(site)),
        ("macs", "MACs", Some(list(site, "mac"))),
        ("providers", "Providers", Some(list(site, "provider"))),
        ("data", "Data", Some(data(site))),
        ("method", "How to read this", Some(method(site))),
    ];
    site.sheet(Told {
        title: format!("{}: {}", machines.study_title, counted(machines.machines.len())),
        header: site.header(&machines.study_title, &about, true),
        answers: html! { div #answers tabindex="-1" {} },
        controls: html! {
            div .picker #finder hidden {
                label {
                    "Search "
                    input #search type="search" placeholder=(SEARCHED) autocomplete="off";
                }
                output #found for="search" aria-live="polite" {}
            }
        },
        sections: sections
            .into_iter()
            .filter_map(|(id, title, it)| Some((id, title, it?)))
            .collect(),
    })
}

fn matrix(site: &Site<'_>) -> Markup {
    let machines = &site.machines.machines;
    let (macs, values) = values(site);
    let told = site.telling().map_or(String::new(), |(group, len)| {
        format!("{}, {}", format::bytes(len), site.group_words(group))
    });
    let links: Vec<&String> =
        macs.iter().filter_map(|mac| site.files.get(&("mac", mac.clone()))).collect();
    let content = json!({ "macs": macs, "links": links, "values": values }).to_string();
    // Nothing in it ends the element.
    let content = content.replace('<', "\\u003c");
    html! {
        p .hint {
            "Time of each MAC’s fastest offer over that of the machine’s fastest MAC (" (told)
            "): 1.00 is the fastest. Each row is of one machine; rows are not compared with each \
             other."
        }
        (scrolled("Machines and MACs", &html! {
            table .matrix #matrix {
                thead { tr { th scope="col" .l { "Machine" } } }
                tbody { @for kind in machines { tr data-words=(words(kind)) {
                    th scope="row" {
                        a href=(site.machine_file(kind)) { (kind.traits.cpu) }
                        small { (kind.machine_id.get(..8).unwrap_or_default()) }
                    }
                } } }
            }
        }))
        script type="application/json" #values { (PreEscaped(content)) }
    }
}

/// What a machine is found by beside its name.
fn words(kind: &Kind) -> String {
    let traits = &kind.traits;
    let mut words = traits.features.join(" ");
    for more in [&traits.vendor, &traits.hypervisor].into_iter().flatten() {
        words.push_str(&format!(" {more}"));
    }
    words
}

/// The MACs that most machines have, and of each machine their times in hundredths of the fastest.
fn values(site: &Site<'_>) -> (Vec<String>, Vec<Vec<Option<u64>>>) {
    let machines = &site.machines.machines;
    let Some((group, len)) = site.telling() else { return (vec![], vec![]) };
    let places = site.catalog.places();
    let place = places.iter().find(|(it, _)| it.group == *group && it.len_bytes == len);
    let Some(&(_, place)) = place else { return (vec![], vec![]) };
    let whos = site.catalog.whos();
    let mac: BTreeMap<u32, &str> = whos.iter().map(|(who, at)| (*at, who.mac.as_str())).collect();
    let best = |kind: &Kind| {
        let mut best: BTreeMap<&str, f64> = BTreeMap::new();
        for timed in kind.members.iter().flat_map(|at| site.members[*at].at(place)) {
            let known = best.entry(mac[&timed.who]).or_insert(f64::INFINITY);
            *known = known.min(timed.log_ns);
        }
        best
    };
    let rows: Vec<BTreeMap<&str, f64>> = machines.iter().map(best).collect();
    let mut counts: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for row in &rows {
        let least = row.values().copied().fold(f64::INFINITY, f64::min);
        for (mac, log) in row {
            let own = counts.entry(mac).or_default();
            *own = (own.0 + 1, own.1 + log - least);
        }
    }
    let mut macs: Vec<(&str, usize, f64)> =
        counts.into_iter().map(|(mac, (n, sum))| (mac, n, sum / n as f64)).collect();
    macs.sort_by(|x, y| y.1.cmp(&x.1).then(x.2.total_cmp(&y.2)));
    macs.truncate((CELLS_MAX / machines.len().max(1)).max(1));
    macs.sort_by(|x, y| x.2.total_cmp(&y.2));
    let cells = |row: &BTreeMap<&str, f64>| {
        let least = row.values().copied().fold(f64::INFINITY, f64::min);
        let cell =
            |mac: &&str| row.get(mac).map(|log| (100.0 * (log - least).exp()).round() as u64);
        macs.iter().map(|it| cell(&it.0)).collect()
    };
    (macs.iter().map(|it| it.0.to_owned()).collect(), rows.iter().map(cells).collect())
}

fn claims(site: &Site<'_>) -> Option<Markup> {
    let claims = &site.machines.claims;
    (!claims.is_empty()).then(|| {
        html! { @for claim in claims {
            article .claim {
                blockquote { p { (claim.quoted) } footer { (claim.source) } }
                p {
                    b { (claim.panel_title) }
                    span .verdict.(claim.verdict.name()) { (claim.verdict.name()) }
                }
                p { (prose(&claim.verdict.because(&claim.reason))) "." }
            }
        } }
    })
}

fn list(site: &Site<'_>, folder: &'static str) -> Markup {
    html! {
        ul .found { @for ((own, name), file) in &site.files { @if *own == folder {
            li { a href=(file) { (name) } }
        } } }
    }
}

fn data(site: &Site<'_>) -> Markup {
    html! {
        p .hint {
            "All figures of this site. The samples are in the bundles that it was made from."
        }
        ul {
            @for (file, what) in super::data::FILES {
                li { a href=(file) download { (file) } ": " (what) }
            }
        }
        p { "Study " code { (site.machines.study_id) } }
    }
}

fn method(site: &Site<'_>) -> Markup {
    html! {
        p {
            "A ratio is the time of a reference over that of an offer, made within one machine’s \
             launches: above 1, the offer is that many times faster. Times of two machines are \
             never divided by each other. A machine counts once, whatever number of hosts of its \
             kind measured. Intervals are those of the sign test over machines (95 %); “next \
             machine” is where one more machine would be, drawn as these were. Differences within "
            (format::percent(site.machines.margin)) " do not matter. Calls are corrected for the \
             number of comparisons (Benjamini and Yekutieli, 5 %). “Depends on the machine” says \
             that some machines have it faster and some slower, by more than chance."
        }
    }
}
