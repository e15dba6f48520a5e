//! Text as LaTeX.

/// Text of others, so that LaTeX prints it as it is. What pdfLaTeX has no sign for is printed by
/// its number.
pub(crate) fn escaped(text: &str) -> String {
    text.chars().map(sign).collect()
}

fn sign(letter: char) -> String {
    match letter {
        '\\' => r"\textbackslash{}".into(),
        '{' | '}' | '$' | '&' | '#' | '_' | '%' => format!("\\{letter}"),
        '^' => r"\textasciicircum{}".into(),
        '~' => r"\textasciitilde{}".into(),
        '<' => r"\textless{}".into(),
        '>' => r"\textgreater{}".into(),
        '|' => r"\textbar{}".into(),
        // A bracket behind a line's end would be taken for its option.
        '[' => "{[}".into(),
        ']' => "{]}".into(),
        '"' => r"\textquotedbl{}".into(),
        '\'' => r"\textquotesingle{}".into(),
        '×' => r"\texttimes{}".into(),
        'µ' | 'μ' => r"\textmu{}".into(),
        '–' => "--".into(),
        '—' => "---".into(),
        '“' => "``".into(),
        '”' => "''".into(),
        '‘' => "`".into(),
        '’' => "'".into(),
        '…' => r"\dots{}".into(),
        '·' => r"\textperiodcentered{}".into(),
        '±' => r"\textpm{}".into(),
        '−' => "$-$".into(),
        '→' => r"$\to$".into(),
        '≤' => r"$\le$".into(),
        '≥' => r"$\ge$".into(),
        '÷' => r"\textdiv{}".into(),
        '²' => r"\texttwosuperior{}".into(),
        '§' => r"\S{}".into(),
        '†' => r"\dag{}".into(),
        '‡' => r"\ddag{}".into(),
        '√' => r"$\surd$".into(),
        'χ' => r"$\chi$".into(),
        'Σ' => r"$\Sigma$".into(),
        ' '..='~' => letter.to_string(),
        '\u{c0}'..='\u{ff}' => letter.to_string(),
        letter if letter.is_whitespace() => " ".into(),
        letter if letter.is_control() => String::new(),
        letter => format!("U+{:04X}", u32::from(letter)),
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn nothing_of_others_is_a_command() {
        assert_eq!(
            escaped(r"50 % of a_b & \input{x} #1 $^~"),
            concat!(
                r"50 \% of a\_b \& \textbackslash{}input\{x\} \#1 \$",
                r"\textasciicircum{}\textasciitilde{}"
            )
        );
        assert_eq!(escaped("“1.5 × µs”\n–\u{7}☃"), r"``1.5 \texttimes{} \textmu{}s'' --U+2603");
        assert_eq!(escaped("macs[aes-ni]"), "macs{[}aes-ni{]}");
    }
}
