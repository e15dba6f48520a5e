//! What was asked, in words and as the command that asks it again.

use lab::record::{Invocation, Verb};

use super::Recommend;
use super::callers::{Language, titles};
use super::lengths::Lengths;
use crate::output;

impl Recommend {
    /// The workload in words.
    pub(super) fn asked(&self, lengths: &Lengths, from: &[Language]) -> String {
        let batch = self.batch.filter(|count| *count > 1);
        let keys = match (self.messages_per_key, batch) {
            (None, None) => self.servers.keys().unwrap_or_else(|| "one key for all".into()),
            (None, Some(count)) => format!("{count} at once, each under a key that is kept"),
            (Some(1), None) => "a new key for each".into(),
            (Some(1), Some(count)) => format!("{count} at once, each under a new key"),
            (Some(messages), None) => format!("{messages} under a key"),
            (Some(messages), Some(count)) => {
                format!("{count} at once, each under a key for {messages}")
            }
        };
        let mut words = vec![lengths.told(), keys];
        words.extend(self.needs.told());
        words.push(format!("calls from {}", titles(from)));
        words.join(", ")
    }

    /// The command line that measures the same again.
    pub(super) fn called(&self, seed: u64) -> Invocation {
        let quoted = |word: &str| output::quoted(word).into_owned();
        let from: Vec<&str> = self.from.iter().map(Language::name).collect();
        let options = [
            ("size", self.size.clone()),
            ("pcap", self.pcap.as_ref().map(|path| path.display().to_string())),
            ("messages-per-key", self.messages_per_key.map(|it| it.to_string())),
            ("batch", self.batch.map(|it| it.to_string())),
            ("rate", self.rate.map(|it| it.to_string())),
            ("from", (!from.is_empty()).then(|| from.join(","))),
            ("now", self.now.as_ref().map(ToString::to_string)),
            ("mac", (!self.mac.is_empty()).then(|| self.mac.join(","))),
        ];
        let conditions =
            [("budget", self.budget.map(|it| it.to_string())), ("cpu", self.cpu.clone())];
        let told = |(name, value): (&str, Option<String>)| {
            value.map_or(String::new(), |value| format!(" --{name} {}", quoted(&value)))
        };
        let options = options.into_iter().map(told).collect::<String>()
            + &self.servers.words()
            + &self.needs.words(quoted)
            + &self.providers.words();
        let called = Invocation::of(Verb::Recommend).with_options(&options);
        let called = called.with_conditions(&conditions.map(told).concat());
        Invocation { seed: Some(seed), ..called }
    }
}
