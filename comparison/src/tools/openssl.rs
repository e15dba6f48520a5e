//! `openssl speed`: HMAC-SHA-256 by its own libcrypto, twice. It times no other operation and does
//! not compare, so there is only how far two runs of the same lie apart.

use std::process::Command;

use anyhow::{Context, Result, bail};
use comparison_work::MESSAGE_BYTES;

use super::{Bench, Paired, Tool, ToolName, finite, printed};

pub struct Openssl;

impl Tool for Openssl {
    fn name(&self) -> ToolName {
        ToolName::Openssl
    }

    fn find(&self, _: &mut Bench) -> Result<String> {
        let told = printed(Command::new("openssl").arg("version"), &[0]);
        let told = told.context("the package openssl (Debian) brings it")?;
        Ok(told.split(' ').nth(1).unwrap_or_default().to_owned())
    }

    fn times_the_operation(&self) -> bool {
        false
    }

    fn pair(&self, bench: &mut Bench, _: [u32; 2]) -> Result<Paired> {
        // It takes whole seconds only: 5 are 2 and 3.
        let first = (bench.seconds / 2.0).floor().max(1.0);
        let base = rate(first)?;
        let new = rate((bench.seconds - first).round().max(1.0))?;
        Ok(Paired { ratio: base / new, verdicts: vec![] })
    }

    fn order(&self, _: &mut Bench, _: &[u32]) -> Result<Vec<usize>> {
        bail!("openssl speed has no candidates")
    }
}

fn rate(seconds: f64) -> Result<f64> {
    let mut command = Command::new("openssl");
    command.args(["speed", "-mr", "-hmac", "sha256", "-bytes", &MESSAGE_BYTES.to_string()]);
    bytes_per_s(&printed(command.args(["-seconds", &seconds.to_string()]), &[0])?)
}

fn bytes_per_s(told: &str) -> Result<f64> {
    let line = told.lines().find(|line| line.starts_with("+F:"));
    let last = line.and_then(|line| finite(line.rsplit(':').next()?));
    last.with_context(|| format!("openssl speed: no line +F in {told:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_read() {
        let told = "+H:1024\n+F:9:hmac(sha256):1267843282.05\n";
        assert_eq!(bytes_per_s(told).unwrap(), 1_267_843_282.05);
        assert!(bytes_per_s("+H:1024\n").is_err());
        assert!(bytes_per_s("+F:9:hmac(sha256):inf\n").is_err());
    }
}
