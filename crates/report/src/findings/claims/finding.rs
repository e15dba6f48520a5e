//! The verdicts on published sentences, as data.

use serde::Serialize;

use super::super::RatioFinding;

/// What becomes of a published sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// Everything it says was found.
    Confirmed,
    /// Something it says was found otherwise.
    Refuted,
    /// Neither was shown.
    Undecided,
    /// No run of this panel on one machine can tell.
    Elsewhere,
}

impl ClaimVerdict {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ClaimVerdict::Confirmed => "confirmed",
            ClaimVerdict::Refuted => "refuted",
            ClaimVerdict::Undecided => "undecided",
            ClaimVerdict::Elsewhere => "not decided here",
        }
    }

    /// The word before the reason, where it does not stand beside it.
    #[must_use]
    pub fn because(self, reason: &str) -> String {
        format!("{}: {reason}", self.name())
    }
}

/// A claim with a verdict for each panel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimFinding {
    /// Its name within the study.
    pub id: String,
    /// The sentence, as published.
    pub text: String,
    /// The same as it is printed: between quotation marks, but for a paraphrase.
    pub quoted: String,
    /// Page, table or figure.
    pub source: String,
    /// Under which load of sessions it is decided, where that is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
    /// How it is decided, in one sentence.
    pub decided: String,
    /// One entry a panel.
    pub panels: Vec<PanelVerdict>,
}

impl ClaimFinding {
    /// The verdicts to be printed: one for all panels where each says the same.
    #[must_use]
    pub fn told(&self) -> &[PanelVerdict] {
        let said = |it: &PanelVerdict| (it.verdict, it.reason.clone(), it.by_source.clone());
        let is_same = self.panels.windows(2).all(|two| said(&two[0]) == said(&two[1]));
        &self.panels[..if is_same { self.panels.len().min(1) } else { self.panels.len() }]
    }

    /// Who gives one of [`told`](Self::told).
    #[must_use]
    pub fn whose<'a>(&self, said: &'a PanelVerdict) -> &'a str {
        if self.told().len() < self.panels.len() { "All panels" } else { &said.panel_title }
    }
}

/// What one panel says about a claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PanelVerdict {
    /// Name of the panel.
    pub panel: String,
    /// Its title.
    pub panel_title: String,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// Number of comparisons that the claim amounts to.
    pub comparisons: usize,
    /// How many of them hold.
    pub hold: usize,
    /// How many are contradicted.
    pub contradicted: usize,
    /// How many have no interval yet, or one that shows neither.
    pub open: usize,
    /// Launches in all with which it is expected to be decided; absent where it is decided, or
    /// where no number of launches is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launches_needed: Option<usize>,
    /// The comparison that decides: the worst one, or the narrowest that still holds.
    pub effect: Option<Effect>,
    /// What the rule by which its source decided makes of the same data, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_source: Option<String>,
    /// Why, in one sentence without the verdict.
    pub reason: String,
    /// The verdict and why in few words, for where there is little room.
    pub brief: String,
}

/// Two cells compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// The one that takes longer, by place in [`Findings::cells`](super::super::Findings::cells).
    pub slower: usize,
    /// The one that takes less, likewise.
    pub faster: usize,
    /// What is compared.
    pub quantity: Quantity,
    /// That of the slower over that of the faster.
    pub ratio: RatioFinding,
}

/// What two cells are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Time of a message.
    Time,
    /// Time of a byte of it.
    TimePerByte,
    /// Its time, shared out among the calls of the primitive.
    TimePerPrimitiveCall,
    /// How often a thread of sessions is put aside for another, in a second of processor time.
    Preemptions,
    /// Apparent processing of the session that is scheduled least over that of the one scheduled
    /// most: both in one cell.
    BetweenSessions,
}
