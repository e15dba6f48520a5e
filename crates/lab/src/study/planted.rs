//! The study of those tests that are about something else.

/// Its text: one panel `p`, and one part `a` of which `part` says lengths, key lives and regimes,
/// with one case of these macs. What a test adds behind it stands in tables of its own.
pub(crate) fn text(part: &str, macs: &str) -> String {
    format!(
        "name = \"s\"\ntitle = \"S\"\nsummary = \"s\"\nbudget_s = 1.0\nlaunches = 2\n\
         [[panels]]\nname = \"p\"\ntitle = \"P\"\n[[parts]]\nname = \"a\"\ntitle = \"A\"\n{part}\n\
         [[parts.cases]]\nname = \"c\"\ntitle = \"C\"\nmacs = {macs}\n"
    )
}
