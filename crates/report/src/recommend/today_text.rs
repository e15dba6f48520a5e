//! What is used today, in sentences: whether to change it, what that saves, and the same MAC
//! elsewhere.

use lab::study::ClassName;

use super::words::{faster, grouped, named_call, share, two_up};
use super::{Behind, CallAdvice, Recommendation, Rival, Today, WORTH_CORES, Worth};
use crate::format::percent;

impl Recommendation {
    /// What to do about what is used today; nothing where the answer says it.
    pub(super) fn verdict(&self, today: &Today) -> Option<String> {
        let name = today.row.name();
        let at_rate = |cores: Option<f64>| {
            let rate = self.rate_per_s.map(grouped).unwrap_or_default();
            let cores = cores.map(share).unwrap_or_default();
            format!("{cores} at {rate} messages per second")
        };
        match today.verdict {
            Worth::DoesNotFit => {
                let why =
                    today.why_not.as_deref().unwrap_or("it does not meet what is needed here");
                Some(format!("Change from {name}, however fast it is: {why}."))
            }
            Worth::IsTheAnswer => Some(format!("Stay with {name}: it is the answer.")),
            Worth::NotSlower => {
                let what = match self.answer().name == ClassName::Wide {
                    true => "nothing widely used",
                    false => "no eligible MAC",
                };
                Some(format!("Stay with {name}: {what} is shown to be faster."))
            }
            Worth::NotWorthChanging => Some(format!(
                "Stay with {name}: changing would save only {}.",
                // Not rounded up to what would be worth it.
                at_rate(today.cores_saved.map(|it| it.min(0.99 * WORTH_CORES)))
            )),
            Worth::WorthChanging => Some(format!(
                "Worth changing from {name}: it saves {}.",
                at_rate(today.cores_saved)
            )),
            Worth::DependsOnRate => today.worth_from_per_s.map(|from| {
                format!(
                    "Worth changing from {name} where it is {} messages per second or more: below, \
                     it saves less than {} of a core.",
                    grouped(two_up(from)),
                    percent(WORTH_CORES)
                )
            }),
            Worth::CannotSay => None,
        }
    }

    /// What is used today beside the answer; nothing where it is the answer.
    pub(super) fn today_line(&self, today: &Today) -> Option<String> {
        let name = self.called(&today.row);
        let takes = today.row.message_ns.time().value();
        let cores = today.cores.map(|it| format!(", {}", share(it))).unwrap_or_default();
        let against = today.to_best?;
        let ratio = against.ratio.ratio(self.margin);
        let interval = ratio.ends_in_words().unwrap_or_default();
        if against.verdict != Behind::Slower {
            let word = match against.verdict {
                Behind::AsFast => format!("as fast within {}", percent(self.margin)),
                Behind::Faster => "faster".into(),
                _ => "too close to call".into(),
            };
            let times = ratio.times();
            return Some(format!(
                "Today {name}, {takes}{cores}: {times} as long ({interval}), {word}."
            ));
        }
        let saved = today.saved_ns.map(|it| it.time().value()).unwrap_or_default();
        Some(format!(
            "Today {name}, {takes}{cores}. The change is {} faster ({interval}) and saves {saved} \
             of {takes}.",
            ratio.times()
        ))
    }

    pub(super) fn call_line(&self, advice: &CallAdvice) -> String {
        let times = advice.ratio.ratio.ratio(self.margin);
        let [slow, better] = [&advice.slow_ns, &advice.better_ns].map(|value| value.time().value());
        let slow_call = named_call(advice.slow, advice.slow_written.as_deref());
        let better_call = named_call(advice.better, advice.better_written.as_deref());
        let ratio = format!("{} ({})", times.times(), times.ends_in_words().unwrap_or_default());
        if advice.is_used {
            format!(
                "The call is slow, whatever the MAC: {better_call} instead of {slow_call} takes \
                 {better} instead of {slow}, {ratio} faster, with the same tags."
            )
        } else {
            format!(
                "With {slow_call} it takes {slow}: {better_call} is {ratio} faster, with the same \
                 tags."
            )
        }
    }

    /// That tags change with the MAC, or today's mac elsewhere, where that is faster and not the
    /// answer.
    pub(super) fn elsewhere(&self) -> Option<String> {
        let (same, today) = (self.class(&ClassName::SameMac)?, self.today.as_ref()?);
        let is_today = |it: &&Rival| it.row.is(&today.row);
        let best = &self.answer().best;
        if best.mac == today.row.mac && best.provider != today.row.provider {
            return Some(format!("{} is the same MAC: tags stay as they are.", best.name()));
        }
        let others = match best.mac == today.row.mac || self.stays() {
            true => String::new(),
            false => format!(
                "{} is a different MAC from {}: senders and verifiers must change together, and \
                 stored tags still need {}. ",
                best.mac, today.row.mac, today.row.mac
            ),
        };
        if same.best.is(&today.row) {
            return (!others.is_empty()).then(|| others.trim_end().to_owned());
        }
        Some(
            others
                + &match same.close.iter().find(is_today) {
                    Some(_) if !self.is_told() => {
                        "The same MAC elsewhere: too few launches to tell.".into()
                    }
                    Some(_) => {
                        format!(
                            "The same MAC: no provider is shown to be faster than {}.",
                            today.row.provider
                        )
                    }
                    None => format!(
                        "The same MAC, with the same tags: {}, {}, {}.",
                        same.best.name(),
                        same.best.message_ns.time().value(),
                        faster(today.row.message_ns.value / same.best.message_ns.value)
                    ),
                },
        )
    }
}
