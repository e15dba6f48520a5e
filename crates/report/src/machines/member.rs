//! What is kept of one run: the times of its launches, and what it says about claims. Names are
//! kept once for all runs, in the catalog.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use lab::cell::{KeyLife, Regime};
use lab::plan::is_floor;
use lab::record::Run;
use lab::study::{Choose, Panel, Statement, fits_any};
use serde::Serialize;

use crate::findings::{ClaimVerdict, Findings, Unit, series};

/// What a machine is, as far as it may explain what it measures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Traits {
    /// Its id; that of its kind.
    #[serde(skip)]
    pub machine_id: String,
    /// Id of its host.
    #[serde(skip)]
    pub host_id: String,
    /// Name of its run.
    #[serde(skip)]
    pub run_id: String,
    /// Processor, as it calls itself.
    pub cpu: String,
    /// CPUID vendor.
    pub vendor: Option<String>,
    /// Family and model.
    pub generation: Option<String>,
    /// Instructions that decide code paths.
    pub features: Vec<String>,
    /// Hypervisor, where there is one.
    pub hypervisor: Option<String>,
    /// Operating system and release of its Linux kernel.
    pub system: String,
    /// Logical processors.
    pub processors: u32,
    /// Whether nobody measured it.
    pub simulated: bool,
    /// `closed` or `open`, as `fleet check` has it.
    pub division: String,
}

/// What is compared together, over lengths.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Group {
    /// Name of the part.
    pub part: String,
    /// How calls follow one another.
    pub regime: Regime,
    /// How long a key lives.
    pub key_life: KeyLife,
}

/// Where offers are compared: in a group at a length.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The group.
    #[serde(flatten)]
    pub group: Group,
    /// Message length.
    pub len_bytes: u64,
}

/// Who computes: whichever code path a machine takes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Who {
    /// Name of the MAC.
    pub mac: String,
    /// Name of the provider.
    pub provider: String,
    /// Length of the key.
    pub key_len_bytes: u32,
}

impl Who {
    /// `hmac-sha256/openssl`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.mac, self.provider)
    }
}

/// All names of all runs, each once.
#[derive(Debug, Default)]
pub struct Catalog(Mutex<Names>);

#[derive(Debug, Default)]
struct Names {
    places: BTreeMap<Place, u32>,
    whos: BTreeMap<Who, u32>,
}

impl Catalog {
    fn number(&self, place: Place, who: Who) -> (u32, u32) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = names.places.len() as u32;
        let place = *names.places.entry(place).or_insert(next);
        let next = names.whos.len() as u32;
        (place, *names.whos.entry(who).or_insert(next))
    }

    /// All places with their numbers, in order.
    #[must_use]
    pub fn places(&self) -> Vec<(Place, u32)> {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.places.iter().map(|(place, at)| (place.clone(), *at)).collect()
    }

    /// All who compute with their numbers, in order.
    #[must_use]
    pub fn whos(&self) -> Vec<(Who, u32)> {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.whos.iter().map(|(who, at)| (who.clone(), *at)).collect()
    }
}

/// The times of one offer at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// Number of the place.
    pub place: u32,
    /// Number of who.
    pub who: u32,
    /// The code path taken.
    pub kernel: String,
    /// Logarithm of the median time in ns.
    pub log_ns: f64,
    /// Logarithm of the time in each launch, ascending by launch; in each block where there are too
    /// few launches.
    pub launches: Vec<(u32, f64)>,
}

/// One run of the study, with what is compared of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// What it was measured on.
    pub traits: Traits,
    /// Name and title of the study, its margin.
    pub(super) study: String,
    pub(super) study_title: String,
    pub(super) margin: f64,
    /// Versions of the providers.
    pub versions: BTreeMap<String, String>,
    /// Its cells, ordered by place and who.
    pub(super) cells: Vec<Timed>,
    pub(super) claims: Vec<Said>,
}

/// What a run says about a claim in one panel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    pub(super) id: String,
    pub(super) quoted: String,
    pub(super) source: String,
    pub(super) panel: String,
    pub(super) panel_title: String,
    pub(super) verdict: ClaimVerdict,
    /// Of a claim about all machines: how far orders must agree, and the cells that decide, by
    /// place and who.
    pub(super) trend: Option<(f64, Vec<(u32, u32)>)>,
}

impl Member {
    /// Of a run, with what was found in it.
    #[must_use]
    pub fn of(run: &Run, findings: &Findings, traits: Traits, catalog: &Catalog) -> Self {
        let mut cells: Vec<Timed> = Vec::new();
        for (record, series) in run.cells.iter().zip(series::told(&findings.series).iter()) {
            let cell = &record.cell;
            let values = series.values(series.unit());
            let (Some(middle), false) =
                (series::median(values.values().copied().collect()), is_floor(&cell.candidate.mac))
            else {
                continue;
            };
            let part = run.study.parts[record.part as usize].name.clone();
            let group = Group { part, regime: cell.regime, key_life: cell.key_life };
            let who = Who {
                mac: cell.candidate.mac.clone(),
                provider: cell.candidate.provider.clone(),
                key_len_bytes: cell.key_len_bytes,
            };
            let (place, who) = catalog.number(Place { group, len_bytes: cell.len_bytes }, who);
            cells.push(Timed {
                place,
                who,
                kernel: cell.candidate.kernel.clone(),
                log_ns: middle.ln(),
                // Blocks of one cell are not to meet launches of another one.
                launches: (series.values(Unit::Launch).iter())
                    .map(|(at, ns)| (*at, ns.ln()))
                    .collect(),
            });
        }
        // Of two code paths of one provider the faster one is what it offers.
        let order = |it: &Timed| (it.place, it.who);
        cells.sort_by(|x, y| order(x).cmp(&order(y)).then(x.log_ns.total_cmp(&y.log_ns)));
        cells.dedup_by_key(|it| order(it));
        let version = |it: &lab::record::ProviderRecord| (it.name.clone(), it.version.clone());
        Member {
            traits,
            study: run.study.name.clone(),
            study_title: run.study.title.clone(),
            margin: run.study.margin,
            versions: run.providers.iter().map(version).collect(),
            claims: said(run, findings, catalog),
            cells,
        }
    }

    /// Its cells at a place, ordered by who.
    #[must_use]
    pub fn at(&self, place: u32) -> &[Timed] {
        let from = self.cells.partition_point(|it| it.place < place);
        let to = self.cells.partition_point(|it| it.place <= place);
        &self.cells[from..to]
    }

    /// The cell of one offer at a place.
    #[must_use]
    pub fn cell(&self, place: u32, who: u32) -> Option<&Timed> {
        let found = self.cells.binary_search_by_key(&(place, who), |it| (it.place, it.who));
        found.ok().map(|at| &self.cells[at])
    }
}

fn said(run: &Run, findings: &Findings, catalog: &Catalog) -> Vec<Said> {
    let mut all = Vec::new();
    for (claim, found) in run.study.claims.iter().zip(&findings.claims) {
        for own in &found.panels {
            let panel = run.study.panels.iter().find(|it| it.name == own.panel);
            let trend = match (claim.statement(), panel) {
                (Some(Statement::SameTrend(macs, least)), Some(panel)) => {
                    Some((least, deciding(run, claim, (panel, macs), catalog)))
                }
                _ => None,
            };
            all.push(Said {
                id: found.id.clone(),
                quoted: found.quoted.clone(),
                source: found.source.clone(),
                panel: own.panel.clone(),
                panel_title: own.panel_title.clone(),
                verdict: own.verdict,
                trend,
            });
        }
    }
    all
}

/// The cells that decide a claim about the order on all machines.
fn deciding(
    run: &Run,
    claim: &lab::study::Claim,
    (panel, macs): (&Panel, &[String]),
    catalog: &Catalog,
) -> Vec<(u32, u32)> {
    let part = run.study.parts.iter().position(|part| part.name == claim.part);
    let is_of_case = |mac: &str| {
        let cases = part.iter().flat_map(|at| &run.study.parts[*at].cases);
        let mut own = cases.filter(|it| claim.cases.is_empty() || claim.cases.contains(&it.name));
        own.any(|case| fits_any(&case.macs, mac))
    };
    let mut cells = Vec::new();
    for record in &run.cells {
        let (cell, candidate) = (&record.cell, &record.cell.candidate);
        let speaks = match panel.choose {
            Choose::All => panel.takes(&candidate.provider),
            Choose::Fastest => {
                run.chosen.iter().any(|it| it.panel == panel.name && it.candidate == *candidate)
            }
        };
        let concerns = Some(record.part as usize) == part
            && claim.is_about(cell.regime)
            && (claim.key_lives.is_empty() || claim.key_lives.contains(&cell.key_life))
            && claim.concerns(cell.len_bytes);
        let is_mac = !is_floor(&candidate.mac) && fits_any(macs, &candidate.mac);
        if speaks && concerns && is_mac && is_of_case(&candidate.mac) {
            let group =
                Group { part: claim.part.clone(), regime: cell.regime, key_life: cell.key_life };
            let who = Who {
                mac: candidate.mac.clone(),
                provider: candidate.provider.clone(),
                key_len_bytes: cell.key_len_bytes,
            };
            cells.push(catalog.number(Place { group, len_bytes: cell.len_bytes }, who));
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}
