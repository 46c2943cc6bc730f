//! What the sources of a crate may contain: SQL, outgoing connections, and, for the pure crates, access to the outside world.

use super::Broken;
use super::files::SourceFile;
use super::rust_text::{RustText, is_word};

/// Who may contain SQL: the store, and the kit that creates its test databases.
const MAY_SPEAK_SQL: &[&str] = &["store", "testkit"];

/// Who may open a connection with a client of its own; the same exceptions as for client packages.
const MAY_CALL_OUT: &[&str] = &["egress", "store", "cli", "testkit"];
const CLIENT_PATHS: &[&str] = &["hyper::client", "hyper_util::client", "reqwest::"];

const PURE: &[&str] = &["tool", "markup", "site"];
/// Where manifests are made: from the types of a tool's body, and from the operations of a vendor's document.
const MANIFEST_MAKERS: &[&str] = &[
    "crates/tool/src/definition.rs",
    "crates/connect/src/openapi/import.rs",
];

/// Files, environment, clocks, threads, sockets and async: everything that makes a result depend on more than its arguments.
const IMPURE: &[&str] = &[
    "fs::",
    "std::fs",
    "env::",
    "std::env",
    "process::",
    "thread::",
    "std::thread",
    "net::",
    "std::net",
    "SystemTime",
    "Instant",
    "async",
    "await",
    "tokio",
    "getrandom",
    "rand",
];

pub(super) fn check(file: &SourceFile) -> Vec<Broken> {
    let Some(package) = file.shipped_by().filter(|_| file.is_rust()) else {
        return Vec::new();
    };
    let text = RustText::new(&file.text);
    let mut broken = Vec::new();
    if !MAY_SPEAK_SQL.contains(&package) {
        for (line, literal) in text.strings.iter().filter(|(_, literal)| is_sql(literal)) {
            let start: String = literal
                .split_whitespace()
                .take(4)
                .collect::<Vec<_>>()
                .join(" ");
            broken.push(Broken::at(
                file,
                *line,
                format!("SQL belongs into sitewright-store: `{start} …`"),
            ));
        }
    }
    if !MAY_CALL_OUT.contains(&package) {
        let rule = |path: &str| format!("`{path}` calls out past sitewright-egress");
        broken.extend(uses(file, &text.code, CLIENT_PATHS, rule));
    }
    if !MANIFEST_MAKERS.contains(&file.path.as_str()) {
        let lines = text.code.lines().enumerate();
        for (index, _) in lines.filter(|(_, line)| makes_a_manifest(line)) {
            let rule =
                "the schemas of a tool come from the types of its body: use tool::Definition";
            broken.push(Broken::at(file, index + 1, rule.to_owned()));
        }
    }
    if PURE.contains(&package) {
        let rule = |path: &str| {
            format!("`{path}` in sitewright-{package}, which is pure: take it as an argument")
        };
        broken.extend(uses(file, &text.code, IMPURE, rule));
    }
    broken
}

/// Whether the line begins a literal, and not the type itself, its methods or a function that returns one.
fn makes_a_manifest(line: &str) -> bool {
    let before = line.split_once("ToolManifest {").map(|(before, _)| before);
    before.is_some_and(|before| {
        let is_type = ["struct ", "impl ", "for "]
            .iter()
            .any(|word| before.ends_with(word));
        !is_type && !before.contains("->")
    })
}

/// Statements in capitals, as we write them, so that prose does not match.
fn is_sql(literal: &str) -> bool {
    let words: Vec<&str> = literal
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
        .collect();
    let follows = |first: &str, second: &str| {
        words
            .iter()
            .position(|word| *word == first)
            .is_some_and(|at| words[at..].contains(&second))
    };
    let adjacent = |first: &str, second: &str| words.windows(2).any(|pair| pair == [first, second]);
    follows("SELECT", "FROM")
        || follows("UPDATE", "SET")
        || adjacent("INSERT", "INTO")
        || adjacent("DELETE", "FROM")
}

fn uses(
    file: &SourceFile,
    code: &str,
    paths: &[&str],
    rule: impl Fn(&str) -> String,
) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (index, line) in code.lines().enumerate() {
        // One report per line: `std::fs` also contains `fs::`.
        if let Some(path) = paths.iter().find(|path| has_path(line, path)) {
            broken.push(Broken::at(file, index + 1, rule(path)));
        }
    }
    broken
}

/// Whether the path occurs as whole words: `fs::` is not in `prefs::` nor `rand` in `operand`.
fn has_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        !before.is_some_and(is_word) && (path.ends_with(':') || !after.is_some_and(is_word))
    })
}

#[cfg(test)]
mod tests {
    use super::super::files::SourceFile;
    use super::check;

    fn check_source(path: &str, text: &str, expected: &[&str]) {
        let broken: Vec<String> = check(&SourceFile::new(path, text))
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(broken, expected);
    }

    #[test]
    fn sql_is_found_in_literals_of_other_crates_only() {
        let query = "fn f() {\n    g(\"SELECT id\n  FROM page\");\n}";
        check_source("crates/store/src/pages.rs", query, &[]);
        check_source(
            "crates/server/src/pages.rs",
            query,
            &[
                "crates/server/src/pages.rs:2: SQL belongs into sitewright-store: `SELECT id FROM page …`",
            ],
        );
        check_source(
            "crates/server/src/a.rs",
            "// SELECT a FROM b\nlet a = \"Select a page from the list\";",
            &[],
        );
        check_source("crates/server/tests/it/main.rs", query, &[]);
        for statement in [
            "INSERT INTO a VALUES (1)",
            "UPDATE a SET b = 1",
            "DELETE FROM a",
        ] {
            let text = format!("f(\"{statement}\")");
            assert_eq!(
                check(&SourceFile::new("crates/agent/src/a.rs", &text)).len(),
                1,
                "{statement}"
            );
        }
    }

    #[test]
    fn a_client_outside_egress_is_found() {
        let source = "use hyper_util::client::legacy::Client;";
        check_source("crates/cli/src/socket.rs", source, &[]);
        check_source(
            "crates/connect/src/mcp.rs",
            source,
            &["crates/connect/src/mcp.rs:1: `hyper_util::client` calls out past sitewright-egress"],
        );
    }

    #[test]
    fn a_manifest_with_schemas_of_its_own_is_found() {
        let text = "fn f() {\n    let manifest = ToolManifest { input_schema: json!({}) };\n}";
        check_source(
            "crates/publish/src/tool.rs",
            text,
            &[
                "crates/publish/src/tool.rs:2: the schemas of a tool come from the types of its body: use tool::Definition",
            ],
        );
        check_source("crates/tool/src/definition.rs", text, &[]);
    }

    #[test]
    fn a_pure_crate_touches_nothing_outside() {
        check_source(
            "crates/tool/src/a.rs",
            "// std::fs\nuse crate::prefs::Operand;\nlet awaited = \"async\";",
            &[],
        );
        check_source(
            "crates/site/src/a.rs",
            "use std::{env, fs};\nlet a = fs::read(b);\nasync fn f() {}",
            &[
                "crates/site/src/a.rs:2: `fs::` in sitewright-site, which is pure: take it as an argument",
                "crates/site/src/a.rs:3: `async` in sitewright-site, which is pure: take it as an argument",
            ],
        );
    }
}
