//! Checks that every test that `docs/coverage.md` names exists, so that renaming or removing a test requires updating its rows.

use std::collections::BTreeSet;

use super::Broken;
use super::files::SourceFile;
use super::test_names::rust_tests;

const COVERAGE: &str = "docs/coverage.md";

/// The functions with which the browser tests declare a test; the title is their first argument.
const DECLARATIONS: [&str; 3] = ["test", "step", "scenario"];

pub(super) fn check(files: &[SourceFile]) -> Vec<Broken> {
    let Some(coverage) = files.iter().find(|file| file.path == COVERAGE) else {
        return vec![Broken::new(COVERAGE, "the file is missing")];
    };
    let tests = Tests {
        rust: rust_tests(files),
        titles: files
            .iter()
            .filter(|file| file.path.starts_with("web/e2e/") && file.is_script())
            .flat_map(|file| titles(&file.text))
            .collect(),
        files: files.iter().map(|file| file.path.as_str()).collect(),
    };
    let mut broken = Vec::new();
    for (index, line) in coverage.text.lines().enumerate() {
        if let Some(row) = Row::read(line) {
            let rules = row.broken(&tests);
            broken.extend(rules.map(|rule| Broken::at(coverage, index + 1, rule)));
        }
    }
    broken
}

/// The tests that can be named as a proof.
struct Tests<'a> {
    rust: BTreeSet<String>,
    /// Titles of browser tests, each split at the placeholders of its template literal.
    titles: Vec<Vec<String>>,
    files: BTreeSet<&'a str>,
}

struct Row<'a> {
    id: &'a str,
    proof: &'a str,
}

impl<'a> Row<'a> {
    /// `None` for text, headings and other tables.
    fn read(line: &'a str) -> Option<Self> {
        let row = line.trim().strip_prefix("| ")?.strip_suffix('|')?;
        let (id, rest) = row.split_once(" | ")?;
        let (specification, number) = id.split_once('-')?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if specification.len() != 3 || !digits(specification) || !digits(number) {
            return None;
        }
        let proof = rest
            .rsplit_once(" | ")
            .map_or("", |(_, proof)| proof)
            .trim();
        Some(Self { id, proof })
    }

    fn broken<'r>(&'r self, tests: &'r Tests<'_>) -> impl Iterator<Item = String> + 'r {
        let id = self.id;
        let names = || quoted(self.proof).filter(|name| is_test_name(name));
        let unproven = (!self.proof.starts_with("missing") && names().next().is_none())
            .then(|| format!("{id} names neither a test nor what is missing"));
        names()
            .filter(|name| !tests.contain(name))
            .map(move |name| {
                format!("{id} names `{name}`, and there is no such test: name the one that proves the row")
            })
            .chain(unproven)
    }
}

/// The texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a quoted text names a test; other quoted texts in a proof are names of models and tools.
fn is_test_name(name: &str) -> bool {
    name.contains("::") || name.starts_with("e2e: ") || name.starts_with("web/")
}

impl Tests<'_> {
    fn contain(&self, name: &str) -> bool {
        if let Some(title) = name.strip_prefix("e2e: ") {
            self.titles.iter().any(|pieces| fits(pieces, title))
        } else if name.starts_with("web/") {
            self.files.contains(name) && name.contains(".test.")
        } else {
            self.rust.contains(name)
        }
    }
}

/// The titles of the tests that a script declares.
fn titles(script: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for declaration in DECLARATIONS {
        for (at, _) in script.match_indices(declaration) {
            let begins_word =
                !script[..at].ends_with(|c: char| c.is_alphanumeric() || "_.$".contains(c));
            let argument = script[at + declaration.len()..]
                .strip_prefix('(')
                .map(str::trim_start)
                .filter(|_| begins_word);
            found.extend(argument.and_then(title));
        }
    }
    found
}

/// A literal at the beginning of the text, split at the placeholders of a template.
fn title(text: &str) -> Option<Vec<String>> {
    let quote = text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut pieces = vec![String::new()];
    let mut characters = text[1..].chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => pieces.last_mut()?.extend(characters.next()),
            '$' if quote == '`' && characters.as_str().starts_with('{') => {
                characters.find(|c| *c == '}')?;
                pieces.push(String::new());
            }
            end if end == quote => return Some(pieces),
            other => pieces.last_mut()?.push(other),
        }
    }
    None
}

/// Whether a title consists of these pieces with anything between them.
fn fits(pieces: &[String], title: &str) -> bool {
    let [first, between @ .., last] = pieces else {
        return pieces.first().is_some_and(|whole| whole == title);
    };
    let Some(mut rest) = title.strip_prefix(first.as_str()) else {
        return false;
    };
    for piece in between {
        let Some(at) = rest.find(piece.as_str()) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::check as broken;
    use crate::tidy::files::SourceFile;

    fn check(rows: &str, expected: &[&str]) {
        let files = [
            SourceFile::new("docs/coverage.md", rows),
            SourceFile::new("crates/site/src/lib.rs", "#[test] fn a() {}"),
            SourceFile::new(
                "web/e2e/shell.test.mjs",
                "step(\n  \"a \\\"quoted\\\" title\", run);\ntest(`fits ${width} px`, run);\ncontest(\"none\");",
            ),
            SourceFile::new("web/src/a.test.ts", ""),
            SourceFile::new("web/src/a.ts", ""),
        ];
        let found: Vec<String> = broken(&files).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn tests_that_exist_are_enough() {
        check(
            "Tests are named `crate::module::test`.\n| id | requirement | proof |\n| --- | --- | --- |\n\
             | 000-01 | One, `site::b` | `site::a`, `web/src/a.test.ts` (by `a.tool`) |\n\
             | 000-02 | A choice `a|b` | `e2e: a \"quoted\" title`; `e2e: fits 320 px` |\n\
             | 000-03 | Not yet | missing: the rest; part of it: `site::a` |\n\
             | 000-04 | Not yet | missing |",
            &[],
        );
    }

    #[test]
    fn a_name_without_a_test_is_told_with_its_row() {
        let no_such = |place: &str, id: &str, name: &str| {
            format!(
                "docs/coverage.md:{place}: {id} names `{name}`, and there is no such test: name the one that proves the row"
            )
        };
        check(
            "| 000-01 | One | `site::b`, `site::a` |\n\
             | 000-02 | Two | missing: most; `e2e: none` |\n\
             | 000-03 | Three | `web/src/a.ts` |\n\
             | 000-04 | Four | by hand |",
            &[
                &no_such("1", "000-01", "site::b"),
                &no_such("2", "000-02", "e2e: none"),
                &no_such("3", "000-03", "web/src/a.ts"),
                "docs/coverage.md:4: 000-04 names neither a test nor what is missing",
            ],
        );
    }
}
