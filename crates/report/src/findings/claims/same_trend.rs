//! The order is the same on every machine: one run is of one machine, so no panel of it can tell.

use lab::study::Panel;

use super::{ClaimVerdict, PanelVerdict};

pub(super) fn elsewhere(panel: &Panel) -> PanelVerdict {
    PanelVerdict {
        panel: panel.name.clone(),
        panel_title: panel.title.clone(),
        verdict: ClaimVerdict::Undecided,
        comparisons: 0,
        hold: 0,
        contradicted: 0,
        effect: None,
        reason: "undecided: it is decided between runs of two machines, by `macrometer compare`"
            .into(),
    }
}
