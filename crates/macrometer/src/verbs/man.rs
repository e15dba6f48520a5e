//! `man`: the man pages, of the command and of each verb.

use anyhow::{Result, bail};
use clap::Args;
use clap_mangen::Man as Page;

use crate::output;
use crate::suggestions::did_you_mean;

/// Print the man page of macrometer, or of one command
///
/// `macrometer man > macrometer.1`, `macrometer man run > macrometer-run.1`; or to read it
/// directly: `macrometer man run | man -l -`.
#[derive(Debug, Args)]
pub struct Man {
    /// The command
    #[arg(value_name = "COMMAND")]
    verb: Option<String>,
}

impl Man {
    pub fn run(self) -> Result<u8> {
        let mut command = super::command();
        // Gives each verb its full name, `macrometer-run`.
        command.build();
        let of = match &self.verb {
            None => command,
            Some(verb) => {
                let verbs = || command.get_subcommands().filter(|it| !it.is_hide_set());
                let Some(own) = verbs().find(|it| it.get_name() == verb) else {
                    let names = verbs().map(clap::Command::get_name);
                    let all = |all: &[&str]| format!("available: {}", all.join(", "));
                    bail!("unknown command {verb:?}{}", did_you_mean(verb, names, all));
                };
                own.clone()
            }
        };
        let mut text = Vec::new();
        Page::new(of).render(&mut text)?;
        output::print(String::from_utf8_lossy(&text).trim_end())?;
        Ok(0)
    }
}
