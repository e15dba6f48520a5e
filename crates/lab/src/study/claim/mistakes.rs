//! Claims that no run could decide, each with what is wrong.

use super::{
    Claim, ClaimedContrast, ClaimedCrossover, ClaimedRatio, ClaimedUneven, Contrasted, KEYS,
    SizeSpan, Statement,
};
use crate::study::{Panel, Part};

impl Claim {
    /// Refuses what no run could decide.
    pub(in crate::study) fn check(&self, panels: &[Panel], parts: &[Part]) -> Result<(), String> {
        self.mistake(panels, parts)
            .map_or(Ok(()), |what| Err(format!("claim {:?}: {what}", self.id)))
    }

    fn mistake(&self, panels: &[Panel], parts: &[Part]) -> Option<String> {
        let Some(part) = parts.iter().find(|part| part.name == self.part) else {
            return Some(format!("no part {:?}", self.part));
        };
        let is_known = |own: &&String| panels.iter().any(|panel| panel.name == **own);
        if let Some(panel) = self.panels.iter().find(|own| !is_known(own)) {
            return Some(format!("no panel {panel:?}"));
        }
        self.mistaken_cells(part).or_else(|| self.mistaken_statement(part, parts))
    }

    /// Cells that the part does not have.
    fn mistaken_cells(&self, part: &Part) -> Option<String> {
        let name = &part.name;
        let is_known = |case: &&String| part.cases.iter().any(|known| known.name == **case);
        if let Some(case) = self.cases.iter().find(|case| !is_known(case)) {
            return Some(format!("part {name:?} has no case {case:?}"));
        }
        if let Some(life) = self.key_lives.iter().find(|life| !part.key_lives.contains(life)) {
            return Some(format!("part {name:?} has no key life {life}"));
        }
        if let Some(regime) = self.regimes.iter().find(|regime| !part.regimes.contains(regime)) {
            return Some(format!("part {name:?} has no regime {regime}"));
        }
        if let Some(SizeSpan { from: Some(from), to: Some(to) }) = self.sizes
            && from > to
        {
            return Some(format!("sizes from {from} to {to}: from must not be above to"));
        }
        if self.lengths(part).is_empty() {
            return Some(format!("no length of part {name:?} lies within its sizes"));
        }
        let margin = self.margin.filter(|margin| !(*margin > 0.0 && *margin <= 1.0))?;
        Some(format!("margin = {margin}: must be above 0 and at most 1"))
    }

    fn mistaken_statement(&self, part: &Part, parts: &[Part]) -> Option<String> {
        if self.faster.is_empty() != self.than.is_empty() {
            return Some("`faster` and `than` belong together".into());
        }
        if self.least_tau.is_some() && self.same_trend.is_empty() && self.same_order.is_empty() {
            return Some("`least_tau` belongs to `same_trend` or `same_order`".into());
        }
        let given = self.statements();
        let [(_, statement)] = given[..] else {
            let keys: Vec<&str> = given.iter().map(|(key, _)| *key).collect();
            let what = if keys.is_empty() { "none".into() } else { keys.join(" and ") };
            return Some(format!("give exactly one of {KEYS}; it has {what}"));
        };
        match statement {
            Statement::Ordering(text) => mistaken_ordering(text),
            Statement::Faster(..)
            | Statement::NotNormal(_)
            | Statement::SameSpread(_)
            | Statement::LaunchesDiffer(_) => None,
            Statement::Unsettled(it) => (it.macs.is_empty() || it.calls < 6).then(|| {
                let calls = it.calls;
                format!("unsettled by {calls} calls: needs MACs, and 6 calls at least")
            }),
            Statement::Falling(_) | Statement::Proportional(_) | Statement::Reordered(_) => {
                let few = self.lengths(part).len() < 2;
                few.then(|| format!("needs at least two lengths of part {:?}", part.name))
            }
            Statement::Ratio(ratio) => mistaken_ratio(ratio),
            Statement::Crossover(it) => mistaken_crossover(it, &self.lengths(part)),
            Statement::Contrast(it) => self.mistaken_contrast(it, part, parts),
            Statement::Uneven(it) => self.mistaken_uneven(it, part),
            Statement::SameOrder(..) if self.regimes.len() < 2 => {
                Some("`same_order` needs two `regimes` at least".into())
            }
            Statement::SameOrder(_, least) | Statement::SameTrend(_, least) => {
                let right = least > 0.0 && least <= 1.0;
                (!right).then(|| format!("least_tau = {least}: must be above 0 and at most 1"))
            }
            Statement::Argument(why) if why.trim().is_empty() => {
                Some("argument: must say why no measurement decides it".into())
            }
            Statement::Argument(_) => self.decided_by.map(|_| {
                "`decided_by` is done again on data, and no measurement decides an argument".into()
            }),
        }
    }

    fn mistaken_uneven(&self, it: &ClaimedUneven, part: &Part) -> Option<String> {
        let ClaimedUneven { regime, least, .. } = it;
        if !self.regimes.is_empty() {
            return Some("`uneven` names its regime: leave `regimes` out".into());
        }
        if !part.regimes.contains(regime) {
            return Some(format!("part {:?} has no regime {regime}", part.name));
        }
        if !regime.tells_evenness() {
            return Some(format!("uneven {regime}: must be sessions by their apparent processing"));
        }
        let right = *least >= 1.0 && least.is_finite();
        (!right).then(|| format!("uneven with least {least}: must be 1 or more"))
    }

    fn mistaken_contrast(
        &self,
        it: &ClaimedContrast,
        part: &Part,
        parts: &[Part],
    ) -> Option<String> {
        let ClaimedContrast { regime, to, to_part, .. } = it;
        if !self.regimes.is_empty() {
            return Some("a contrast names its two regimes: leave `regimes` out".into());
        }
        let name = to_part.as_ref().unwrap_or(&part.name);
        let Some(other) = parts.iter().find(|part| part.name == *name) else {
            return Some(format!("no part {name:?}"));
        };
        for (part, regime) in [(part, regime), (other, to)] {
            if !part.regimes.contains(regime) {
                return Some(format!("part {:?} has no regime {regime}", part.name));
            }
        }
        let lengths = other.lengths();
        if !self.lengths(part).iter().any(|len| lengths.contains(len)) {
            return Some(format!("parts {:?} and {name:?} share no length of it", part.name));
        }
        if regime == to && *name == part.name {
            return Some(format!("contrast of {regime} to itself: must be two regimes"));
        }
        if it.of == Contrasted::Preemptions && to_part.is_some() {
            return Some("preemptions are compared within one part".into());
        }
        if it.of == Contrasted::Preemptions
            && ![regime, to].into_iter().all(|it| it.counts_preemptions())
        {
            return Some(format!("preemptions in {regime} and {to}: both must be of sessions"));
        }
        let (least, most) = (it.least.unwrap_or(0.0), it.most.unwrap_or(f64::INFINITY));
        let is_positive = |end: Option<f64>| end.is_none_or(|end| end > 0.0 && end.is_finite());
        let says = it.least.is_some() || it.most.is_some();
        let right = says && is_positive(it.least) && is_positive(it.most) && least <= most;
        let told = |end: Option<f64>| end.map_or("none".into(), |end| end.to_string());
        (!right).then(|| {
            format!(
                "contrast with least {} and most {}: needs one of them, above 0, and least <= most",
                told(it.least),
                told(it.most)
            )
        })
    }
}

fn mistaken_ordering(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let signs_right = words.iter().skip(1).step_by(2).all(|sign| matches!(*sign, "<" | "="));
    let names_right = words.iter().step_by(2).all(|name| !matches!(*name, "<" | "="));
    let right = words.len() >= 3 && words.len() % 2 == 1 && signs_right && names_right;
    (!right).then(|| format!("ordering {text:?}: must be MACs with < or = between them, in spaces"))
}

fn mistaken_ratio(ratio: &ClaimedRatio) -> Option<String> {
    let ClaimedRatio { slower, faster, least, most } = ratio;
    let most = most.unwrap_or(f64::MAX);
    let right = *least > 0.0 && *least <= most && most.is_finite();
    if !right {
        return Some(format!("ratio from {least} to {most}: needs 0 < least <= most"));
    }
    let stars = [slower, faster].map(|pattern| pattern.matches('*').count());
    (![[1, 1], [1, 0], [0, 0]].contains(&stars)).then(|| {
        format!("ratio of {slower:?} and {faster:?}: one `*` in each, in `slower` only, or in none")
    })
}

fn mistaken_crossover(it: &ClaimedCrossover, lengths: &[u64]) -> Option<String> {
    let ClaimedCrossover { below, above, from, to } = it;
    if from >= to {
        return Some(format!("crossover from {from} to {to}: from must be below to"));
    }
    if below == above {
        return Some(format!("crossover: {below:?} cannot overtake itself"));
    }
    let sides = lengths.iter().any(|len| len <= from) && lengths.iter().any(|len| len >= to);
    (!sides).then(|| {
        format!(
            "crossover from {from} to {to}: needs a length of {from} B or less, and of {to} B \
                 or more"
        )
    })
}
