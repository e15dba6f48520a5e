//! The page of a provider over its versions. Versions are of different machines, so that what
//! differs between them may be of the machines; one machine that has several has a row of its own.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::{Site, Told, counted, ratio, scrolled};
use crate::format;
use crate::machines::Row;

pub(super) fn page(site: &Site<'_>, provider: &str) -> String {
    let kinds = &site.machines.machines;
    let versions: BTreeSet<&str> =
        kinds.iter().filter_map(|it| it.versions.get(provider)).map(String::as_str).collect();
    let on = |version: &str| {
        let own =
            kinds.iter().filter(|it| it.versions.get(provider).is_some_and(|it| it == version));
        own.count()
    };
    let known: BTreeSet<&String> =
        site.members.iter().filter_map(|it| it.versions.get(provider)).collect();
    let about = html! { p .summary {
        (words::counted(known.len(), "version"))
        " of " (provider) " on "
        (counted(kinds.iter().filter(|it| it.versions.contains_key(provider)).count())) "."
    } };
    let list = html! {
        ul { @for version in &versions {
            li { code { (version) } ": " (counted(on(version))) }
        } }
    };
    site.sheet(Told {
        title: format!("{provider} over its versions"),
        header: site.header(provider, &about, false),
        answers: html! { div #answers tabindex="-1" {} },
        controls: html! {},
        sections: vec![
            ("versions", "Versions", list),
            ("offers", "Offers by version", offers(site, provider)),
        ],
    })
}

fn offers(site: &Site<'_>, provider: &str) -> Markup {
    html! {
        p .hint {
            "Time of the reference over that of the offer, within each machine; median over the \
             machines that have a version. Versions are on different machines: what differs may be \
             of the machines. p: chance of versions so far apart were there no difference, for all \
             comparisons together."
        }
        @for reference in &site.machines.references {
            @let telling = site.telling_len(&reference.group);
            @let is_told = |row: &&Row| row.who.provider == provider
                && row.place.group == reference.group
                && Some(row.place.len_bytes) == telling;
            @let rows: Vec<&Row> = site.machines.rows.iter().filter(is_told).collect();
            @if !rows.is_empty() {
                h3 {
                    (site.group_words(&reference.group))
                    @if let Some(len) = telling { ", " (format::bytes(len)) }
                }
                (scrolled("Offers by version", &table(site, &rows)))
            }
        }
    }
}

fn table(site: &Site<'_>, rows: &[&Row]) -> Markup {
    let head = ["version", "machines", "ratio", "95 %", "p"];
    html! { table .stack {
        thead { tr { th scope="col" .l { "MAC" } @for it in head { th scope="col" { (it) } } } }
        tbody { @for row in rows { @for (at, group) in row.groups.iter().enumerate() {
            @let [value, ends] = ratio(&group.over, site.machines.margin);
            @let p = row.p_groups_adjusted.filter(|_| at == 0).map(format::four_decimals);
            tr {
                th scope="row" {
                    (site.link("mac", &row.who.mac, "../")) (site.machines.key_words(&row.who))
                }
                td data-label=(head[0]) { (group.name) }
                td data-label=(head[1]) { (group.over.n) }
                td .v data-label=(head[2]) { (value) }
                td data-label=(head[3]) { (ends) }
                td data-label=(head[4]) { (p.unwrap_or_default()) }
            }
        } } }
    } }
}
