//! What no run on one machine decides: that the order is the same on every machine, which takes two
//! of them, and what is a matter of argument.

use lab::study::{Panel, Statement};

use super::{ClaimVerdict, PanelVerdict};

/// Why no panel of a run can tell; absent where one can.
pub(super) fn why(statement: Statement<'_>) -> Option<String> {
    match statement {
        Statement::SameTrend(..) => {
            Some("it is decided between runs of two machines, by `macrometer compare`".into())
        }
        // The report ends each reason with a full stop of its own.
        Statement::Argument(why) => Some(why.trim().trim_end_matches('.').to_owned()),
        _ => None,
    }
}

pub(super) fn verdict(panel: &Panel, why: &str) -> PanelVerdict {
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
        reason: why.to_owned(),
        brief: ClaimVerdict::Elsewhere.name().into(),
    }
}
