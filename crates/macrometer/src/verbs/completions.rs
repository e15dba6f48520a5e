//! `completions`: what a shell needs to complete verbs, options and their words.

use anyhow::Result;
use clap::Args;
use clap_complete::{Shell, generate};

use crate::output;

/// Print the completions for a shell
///
/// bash: `macrometer completions bash > ~/.local/share/bash-completion/completions/macrometer`;
/// fish: `macrometer completions fish > ~/.config/fish/completions/macrometer.fish`;
/// zsh: to a file `_macrometer` in a folder of `$fpath`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<u8> {
        let mut text = Vec::new();
        generate(self.shell, &mut super::command(), "macrometer", &mut text);
        output::print(String::from_utf8_lossy(&text).trim_end())?;
        Ok(0)
    }
}
