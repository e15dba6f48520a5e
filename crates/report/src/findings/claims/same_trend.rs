//! The order is the same on every machine: one run is of one machine, so no panel of it can tell.

use lab::study::Panel;

use super::{ClaimVerdict, PanelVerdict};

pub(super) fn elsewhere(panel: &Panel) -> PanelVerdict {
    PanelVerdict {
        panel: panel.name.clone(),
        panel_title: panel.title.clone(),
        verdict: ClaimVerdict::Elsewhere,
        comparisons: 0,
        hold: 0,
        contradicted: 0,
        open: 0,
        launches_needed: None,
        effect: None,
        by_source: None,
        reason:
            "not decided here: it is decided between runs of two machines, by `macrometer compare`"
                .into(),
    }
}
