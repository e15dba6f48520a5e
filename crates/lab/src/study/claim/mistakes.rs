//! Claims that no run could decide, each with what is wrong.

use super::{
    Claim, ClaimError, ClaimedContrast, ClaimedCrossover, ClaimedRatio, ClaimedUneven, Contrasted,
    NamesRegimes, SizeSpan, Statement,
};
use crate::cell::Regime;
use crate::study::{Bounds, Panel, Part};

type Checked = Result<(), ClaimError>;

impl Claim {
    /// Refuses what no run could decide.
    pub(in crate::study) fn check(&self, panels: &[Panel], parts: &[Part]) -> Checked {
        let part = named(parts, &self.part)?;
        let is_known = |own: &&String| panels.iter().any(|panel| panel.name == **own);
        if let Some(panel) = self.panels.iter().find(|own| !is_known(own)) {
            return Err(ClaimError::NoPanel { panel: panel.clone() });
        }
        self.check_cells(part)?;
        self.check_statement(part, parts)
    }

    /// Refuses cells that the part does not have.
    fn check_cells(&self, part: &Part) -> Checked {
        let name = || part.name.clone();
        let is_known = |case: &&String| part.cases.iter().any(|known| known.name == **case);
        if let Some(case) = self.cases.iter().find(|case| !is_known(case)) {
            return Err(ClaimError::NoCase { part: name(), case: case.clone() });
        }
        if let Some(&life) = self.key_lives.iter().find(|life| !part.key_lives.contains(life)) {
            return Err(ClaimError::NoKeyLife { part: name(), life });
        }
        self.regimes.iter().try_for_each(|&regime| has(part, regime))?;
        if let Some(SizeSpan { from: Some(from), to: Some(to) }) = self.sizes
            && from > to
        {
            return Err(ClaimError::Sizes { from, to });
        }
        if self.lengths(part).is_empty() {
            return Err(ClaimError::NoLength { part: name() });
        }
        Ok(self.margin.map_or(Ok(()), |margin| Bounds::Share.check("margin", margin))?)
    }

    fn check_statement(&self, part: &Part, parts: &[Part]) -> Checked {
        if self.faster.is_empty() != self.than.is_empty() {
            return Err(ClaimError::FasterOrThan);
        }
        if self.least_tau.is_some() && self.same_trend.is_empty() && self.same_order.is_empty() {
            return Err(ClaimError::LeastTau);
        }
        let given = self.statements();
        let [(_, statement)] = given[..] else {
            let given = given.iter().map(|(key, _)| *key).collect();
            return Err(ClaimError::Statements { given });
        };
        match statement {
            Statement::Ordering(text) => check_ordering(text),
            Statement::Faster(..)
            | Statement::NotNormal(_)
            | Statement::SameSpread(_)
            | Statement::LaunchesDiffer(_) => Ok(()),
            Statement::Unsettled(it) => {
                let is_right = !it.macs.is_empty() && it.calls >= 6;
                require(is_right, || ClaimError::Unsettled { calls: it.calls })
            }
            Statement::Falling(_) | Statement::Proportional(_) | Statement::Reordered(_) => {
                let has_several = self.lengths(part).len() >= 2;
                require(has_several, || ClaimError::OneLength { part: part.name.clone() })
            }
            Statement::Ratio(ratio) => check_ratio(ratio),
            Statement::Crossover(it) => check_crossover(it, &self.lengths(part)),
            Statement::Contrast(it) => self.check_contrast(it, part, parts),
            Statement::Uneven(it) => self.check_uneven(it, part),
            Statement::SameOrder(..) if self.regimes.len() < 2 => Err(ClaimError::OneRegime),
            Statement::SameOrder(_, least) | Statement::SameTrend(_, least) => {
                Ok(Bounds::Share.check("least_tau", least)?)
            }
            Statement::Argument(why) if why.trim().is_empty() => Err(ClaimError::NoReason),
            Statement::Argument(_) => {
                require(self.decided_by.is_none(), || ClaimError::DecidedArgument)
            }
        }
    }

    /// Refuses `regimes` beside a statement that names its own.
    fn check_names_regimes(&self, named: NamesRegimes) -> Checked {
        require(self.regimes.is_empty(), || ClaimError::RegimesTwice { named })
    }

    fn check_uneven(&self, it: &ClaimedUneven, part: &Part) -> Checked {
        let ClaimedUneven { regime, least, .. } = it;
        let (&regime, &least) = (regime, least);
        self.check_names_regimes(NamesRegimes::Uneven)?;
        has(part, regime)?;
        require(regime.tells_evenness(), || ClaimError::NotOfApparent { regime })?;
        require(least >= 1.0 && least.is_finite(), || ClaimError::Even { least })
    }

    fn check_contrast(&self, it: &ClaimedContrast, part: &Part, parts: &[Part]) -> Checked {
        let ClaimedContrast { regime, to, to_part, .. } = it;
        let (&regime, &to) = (regime, to);
        self.check_names_regimes(NamesRegimes::Contrast)?;
        let other = named(parts, to_part.as_ref().unwrap_or(&part.name))?;
        has(part, regime)?;
        has(other, to)?;
        let lengths = other.lengths();
        if !self.lengths(part).iter().any(|len| lengths.contains(len)) {
            let (part, other) = (part.name.clone(), other.name.clone());
            return Err(ClaimError::NoSharedLength { part, other });
        }
        if regime == to && other.name == part.name {
            return Err(ClaimError::ContrastToItself { regime });
        }
        if it.of == Contrasted::Preemptions && to_part.is_some() {
            return Err(ClaimError::PreemptionsOfParts);
        }
        if it.of == Contrasted::Preemptions
            && ![regime, to].into_iter().all(|it| it.counts_preemptions())
        {
            return Err(ClaimError::PreemptionsUncounted { regime, to });
        }
        let (least, most) = (it.least.unwrap_or(0.0), it.most.unwrap_or(f64::INFINITY));
        let is_positive = |end: Option<f64>| end.is_none_or(|end| end > 0.0 && end.is_finite());
        let says = it.least.is_some() || it.most.is_some();
        let right = says && is_positive(it.least) && is_positive(it.most) && least <= most;
        require(right, || ClaimError::ContrastBounds { least: it.least, most: it.most })
    }
}

fn require(holds: bool, wrong: impl FnOnce() -> ClaimError) -> Checked {
    if holds { Ok(()) } else { Err(wrong()) }
}

fn named<'a>(parts: &'a [Part], name: &str) -> Result<&'a Part, ClaimError> {
    let found = parts.iter().find(|part| part.name == name);
    found.ok_or_else(|| ClaimError::NoPart { part: name.into() })
}

fn has(part: &Part, regime: Regime) -> Checked {
    let has = part.regimes.contains(&regime);
    require(has, || ClaimError::NoRegime { part: part.name.clone(), regime })
}

fn check_ordering(text: &str) -> Checked {
    let words: Vec<&str> = text.split_whitespace().collect();
    let signs_right = words.iter().skip(1).step_by(2).all(|sign| matches!(*sign, "<" | "="));
    let names_right = words.iter().step_by(2).all(|name| !matches!(*name, "<" | "="));
    let right = words.len() >= 3 && words.len() % 2 == 1 && signs_right && names_right;
    require(right, || ClaimError::Ordering { text: text.into() })
}

fn check_ratio(ratio: &ClaimedRatio) -> Checked {
    let ClaimedRatio { slower, faster, least, most } = ratio;
    let (least, most) = (*least, most.unwrap_or(f64::MAX));
    let right = least > 0.0 && least <= most && most.is_finite();
    require(right, || ClaimError::RatioBounds { least, most })?;
    let stars = [slower, faster].map(|pattern| pattern.matches('*').count());
    require([[1, 1], [1, 0], [0, 0]].contains(&stars), || ClaimError::RatioStars {
        slower: slower.clone(),
        faster: faster.clone(),
    })
}

fn check_crossover(it: &ClaimedCrossover, lengths: &[u64]) -> Checked {
    let ClaimedCrossover { below, above, from, to } = it;
    let (&from, &to) = (from, to);
    require(from < to, || ClaimError::CrossoverBounds { from, to })?;
    require(below != above, || ClaimError::CrossoverOfItself { mac: below.clone() })?;
    let sides = lengths.iter().any(|&len| len <= from) && lengths.iter().any(|&len| len >= to);
    require(sides, || ClaimError::CrossoverLengths { from, to })
}
