//! Splits Rust source into code, string literals and comments, so that a rule about one is not misled by another.

/// The three layers of a source file; line numbers start at one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RustText {
    /// The source with comments and the contents of literals blanked; line numbers are preserved.
    pub(crate) code: String,
    pub(crate) strings: Vec<(usize, String)>,
    pub(crate) comments: Vec<(usize, String)>,
}

impl RustText {
    pub(crate) fn new(source: &str) -> Self {
        let mut reader = Reader {
            rest: source,
            line: 1,
            text: Self::default(),
        };
        while !reader.rest.is_empty() {
            reader.next();
        }
        reader.text
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    text: RustText,
}

impl Reader<'_> {
    fn next(&mut self) {
        if self.rest.starts_with("//") {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.comment(end);
        } else if self.rest.starts_with("/*") {
            self.comment(block_comment_end(self.rest));
        } else if let Some(literal) = string_literal(self.rest).filter(|_| !self.inside_word()) {
            let content = self.rest[literal.open..literal.open + literal.content].to_owned();
            self.text.strings.push((self.line, content));
            self.code(literal.open);
            self.blank(literal.content);
            self.code(literal.close.min(self.rest.len()));
        } else if let Some(length) = char_literal(self.rest) {
            self.blank(length);
        } else {
            self.code(self.rest.chars().next().map_or(0, char::len_utf8));
        }
    }

    /// `r"` starts a raw string, but not at the end of a name.
    fn inside_word(&self) -> bool {
        !self.rest.starts_with('"') && self.text.code.chars().next_back().is_some_and(is_word)
    }

    fn comment(&mut self, length: usize) {
        self.text
            .comments
            .push((self.line, self.rest[..length].to_owned()));
        self.blank(length);
    }

    fn code(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.text.code.push_str(taken);
        self.rest = rest;
    }

    fn blank(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length);
        let lines = taken.matches('\n').count();
        self.line += lines;
        self.text.code.push(' ');
        self.text.code.extend(std::iter::repeat_n('\n', lines));
        self.rest = rest;
    }
}

pub(crate) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Block comments nest in Rust.
fn block_comment_end(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The lengths of a string literal's parts, in bytes.
struct StringLiteral {
    open: usize,
    content: usize,
    close: usize,
}

fn string_literal(text: &str) -> Option<StringLiteral> {
    let prefix = ["br", "cr", "r", "b", "c", ""].into_iter().find(|prefix| {
        text.strip_prefix(prefix)
            .is_some_and(|rest| rest.trim_start_matches('#').starts_with('"'))
    })?;
    let rest = &text[prefix.len()..];
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let raw = prefix.ends_with('r');
    if hashes > 0 && !raw {
        return None;
    }
    let open = prefix.len() + hashes + 1;
    let content = if raw {
        let close = format!("\"{}", "#".repeat(hashes));
        text[open..].find(&close).unwrap_or(text.len() - open)
    } else {
        escaped_end(&text[open..])
    };
    Some(StringLiteral {
        open,
        content,
        close: hashes + 1,
    })
}

/// The end of a literal with escapes: the first quote that is not escaped by a backslash.
fn escaped_end(content: &str) -> usize {
    let mut escaped = false;
    for (at, character) in content.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    content.len()
}

/// A character literal, not a lifetime: a quote, one character or an escape, a quote.
fn char_literal(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    if inner.starts_with('\\') {
        let end = inner[2.min(inner.len())..].find('\'')?;
        return Some(1 + 2 + end + 1);
    }
    let character = inner.chars().next()?;
    inner[character.len_utf8()..]
        .starts_with('\'')
        .then_some(2 + character.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::RustText;

    fn check(source: &str, code: &str, strings: &[(usize, &str)], comments: &[(usize, &str)]) {
        let owned = |parts: &[(usize, &str)]| {
            parts
                .iter()
                .map(|(line, text)| (*line, (*text).to_owned()))
                .collect()
        };
        let expected = RustText {
            code: code.to_owned(),
            strings: owned(strings),
            comments: owned(comments),
        };
        assert_eq!(RustText::new(source), expected);
    }

    #[test]
    fn literals_and_comments_are_told_from_code() {
        check(
            "let a = 1; // why\nb",
            "let a = 1;  \nb",
            &[],
            &[(1, "// why")],
        );
        check(
            "/* a /* b */ \n */ c",
            " \n c",
            &[],
            &[(1, "/* a /* b */ \n */")],
        );
        check(
            r#"f("a // \" b")"#,
            r#"f(" ")"#,
            &[(1, r#"a // \" b"#)],
            &[],
        );
        check("x\nr#\"a \" b\"# y", "x\nr#\" \"# y", &[(2, "a \" b")], &[]);
        check(
            r#"b"x" 'y' '"' '\'' 'life"#,
            "b\" \"       'life",
            &[(1, "x")],
            &[],
        );
        check("for \"a\nb\" c", "for \" \n\" c", &[(1, "a\nb")], &[]);
        check("\"never closed", "\" ", &[(1, "never closed")], &[]);
    }
}
