//! `openssl speed -mr`: lines that begin with `+H:` have lengths in bytes, lines with `+F:` bytes
//! per second at each (apps/speed.c). Several outputs in one file are repetitions.

use super::{Format, Held, Times};

pub(super) const FORMAT: Format = Format { name: "openssl speed -mr", is_of, read };

fn is_of(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("+F:"))
}

fn read(text: &str) -> Result<Held, String> {
    let mut times = Times::new();
    let mut lens: Vec<f64> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let numbers = |fields: &str, what: &str| -> Result<Vec<f64>, String> {
            let one = |field: &str| match field.parse::<f64>() {
                Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
                Ok(value) => Err(format!("line {number}: {value} is no {what}: must be above 0")),
                Err(_) => Err(format!("line {number}: {field:?} is not a number")),
            };
            fields.split(':').map(one).collect()
        };
        if let Some(fields) = line.strip_prefix("+H:") {
            lens = numbers(fields, "length")?;
        }
        let Some(fields) = line.strip_prefix("+F:") else { continue };
        let named = fields.split_once(':').and_then(|(_, rest)| rest.split_once(':'));
        let (name, rest) = named.ok_or_else(|| format!("line {number}: has no name and speeds"))?;
        let speeds = numbers(rest, "speed")?;
        if speeds.len() != lens.len() {
            let (speeds, lens) = (speeds.len(), lens.len());
            return Err(format!("line {number}: {speeds} speeds for {lens} lengths (+H)"));
        }
        for (len, speed) in lens.iter().zip(speeds) {
            times.entry(format!("{name}, {len} B")).or_default().push(len * 1e9 / speed);
        }
    }
    Ok(times.into())
}
