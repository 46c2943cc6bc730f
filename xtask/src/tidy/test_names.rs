//! The names of the Rust tests, as `docs/coverage.md` writes them: `store::it::ai::seeding_fills_empty_scopes_only`.
//!
//! Modules are followed from the root of each target as the compiler follows them, so a test in a file that no `mod` line
//! mentions does not count. Macros are not expanded: `on_both!` is known by name, and a test that another macro generates is not
//! found.

use std::collections::{BTreeSet, HashMap};

use super::files::SourceFile;
use super::rust_text::{RustText, is_word};

/// Deeper nesting can only be a `#[path]` that leads back to its own file.
const DEPTH_MAX: usize = 32;

/// Returns every test of the workspace.
///
/// A crate is named by its folder. Its unit tests follow directly, those of `tests/it` after `it`, and the two that `on_both!`
/// generates share one name, without the database.
pub(super) fn rust_tests(files: &[SourceFile]) -> BTreeSet<String> {
    let mut search = Search {
        files: files
            .iter()
            .filter(|file| file.is_rust())
            .map(|file| (file.path.as_str(), file.text.as_str()))
            .collect(),
        found: BTreeSet::new(),
    };
    for file in files {
        if let Some(module) = target_root(&file.path) {
            let folder = parent(&file.path).to_owned();
            search.read(&file.path, &Module { module, folder }, 0);
        }
    }
    search.found
}

/// The prefix of the names of a target's tests when this file is its root.
fn target_root(path: &str) -> Option<String> {
    let (package, rest) = path
        .strip_prefix("crates/")
        .and_then(|rest| rest.split_once('/'))
        .or_else(|| path.strip_prefix("xtask/").map(|rest| ("xtask", rest)))?;
    if matches!(rest, "src/lib.rs" | "src/main.rs") {
        return Some(package.to_owned());
    }
    let target = rest.strip_prefix("tests/")?;
    let name = target
        .strip_suffix("/main.rs")
        .or_else(|| target.strip_suffix(".rs"))?;
    (!name.contains('/')).then(|| format!("{package}::{name}"))
}

struct Search<'a> {
    files: HashMap<&'a str, &'a str>,
    found: BTreeSet<String>,
}

/// A module, and the folder in which `mod name;` looks for its children.
#[derive(Clone)]
struct Module {
    module: String,
    folder: String,
}

impl Module {
    fn child(&self, name: &str) -> Self {
        Self {
            module: format!("{}::{name}", self.module),
            folder: format!("{}/{name}", self.folder),
        }
    }
}

impl Search<'_> {
    fn read(&mut self, path: &str, module: &Module, depth: usize) {
        let Some(source) = self.files.get(path).filter(|_| depth < DEPTH_MAX) else {
            return;
        };
        let text = RustText::new(source);
        let mut items = Items::new(&text, module.clone());
        while items.next_item() {}
        self.found.extend(items.tests);
        for child in items.children {
            let (file, module) = match child.path {
                // Relative to the file, or, within an inline module, to that module's folder.
                Some(written) => {
                    let base = if child.inline {
                        &child.parent.folder
                    } else {
                        parent(path)
                    };
                    let file = resolve(base, &written);
                    let folder = parent(&file).to_owned();
                    let module = child.parent.child(&child.name).module;
                    (file, Module { module, folder })
                }
                None => {
                    let module = child.parent.child(&child.name);
                    (format!("{}.rs", module.folder), module)
                }
            };
            self.read(&file, &module, depth + 1);
        }
    }
}

/// A `mod name;`, whose body is in another file.
struct Child {
    parent: Module,
    name: String,
    path: Option<String>,
    inline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Mark(char),
}

/// Reads the items of one file that matter here.
struct Items<'a> {
    text: &'a RustText,
    tokens: Vec<(usize, Token<'a>)>,
    at: usize,
    /// Inline modules around the current token, each with the number of braces that were open before its own.
    modules: Vec<(usize, Module)>,
    braces: usize,
    /// What the attributes before the current item say.
    is_test: bool,
    path: Option<String>,
    tests: Vec<String>,
    children: Vec<Child>,
}

impl<'a> Items<'a> {
    fn new(text: &'a RustText, module: Module) -> Self {
        Self {
            text,
            tokens: tokens(&text.code),
            at: 0,
            modules: vec![(0, module)],
            braces: 0,
            is_test: false,
            path: None,
            tests: Vec::new(),
            children: Vec::new(),
        }
    }

    /// Consumes one token, or as many as belong together; returns `false` at the end of the file.
    fn next_item(&mut self) -> bool {
        let Some(token) = self.peek(0) else {
            return false;
        };
        match (token, self.peek(1), self.peek(2)) {
            (Token::Mark('#'), Some(Token::Mark('[')), _) => self.attribute(),
            (Token::Word("mod"), Some(Token::Word(name)), Some(Token::Mark(';'))) => {
                self.children.push(Child {
                    parent: self.module().clone(),
                    name: name.to_owned(),
                    path: self.path.take(),
                    inline: self.modules.len() > 1,
                });
                self.take_item(3);
            }
            (Token::Word("mod"), Some(Token::Word(name)), Some(Token::Mark('{'))) => {
                self.modules.push((self.braces, self.module().child(name)));
                self.braces += 1;
                self.take_item(3);
            }
            (Token::Word("fn"), Some(Token::Word(name)), _) => {
                if self.is_test {
                    self.tests.push(format!("{}::{name}", self.module().module));
                }
                self.take_item(2);
            }
            (Token::Word("on_both"), Some(Token::Mark('!')), Some(Token::Mark('{'))) => {
                self.at += 3;
                while let Some(Token::Word(name)) = self.peek(0) {
                    self.tests.push(format!("{}::{name}", self.module().module));
                    self.at += 1;
                }
                // The closing brace, whose opening one was consumed above.
                self.take_item(1);
            }
            (Token::Mark('{'), _, _) => {
                self.braces += 1;
                self.take_item(1);
            }
            (Token::Mark('}'), _, _) => {
                self.braces = self.braces.saturating_sub(1);
                if self.modules.len() > 1
                    && self
                        .modules
                        .last()
                        .is_some_and(|(open, _)| *open == self.braces)
                {
                    self.modules.pop();
                }
                self.take_item(1);
            }
            (Token::Mark(';'), _, _) => self.take_item(1),
            (Token::Word(_) | Token::Mark(_), _, _) => self.at += 1,
        }
        true
    }

    fn peek(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).map(|(_, token)| *token)
    }

    fn module(&self) -> &Module {
        &self.modules[self.modules.len() - 1].1
    }

    /// Skips tokens after which attributes no longer apply.
    fn take_item(&mut self, tokens: usize) {
        self.at += tokens;
        self.is_test = false;
        self.path = None;
    }

    fn attribute(&mut self) {
        let line = self.tokens[self.at].0;
        self.at += 2;
        // `test`, or the last part of `tokio::test`; what follows, such as `(flavor = …)`, does not matter.
        let mut name = None;
        while let Some(Token::Word(word)) = self.peek(0) {
            name = Some(word);
            self.at += 1;
            while self.peek(0) == Some(Token::Mark(':')) {
                self.at += 1;
            }
        }
        match name {
            Some("test") => self.is_test = true,
            Some("path") => {
                let mut strings = self.text.strings.iter();
                self.path = strings
                    .find(|(at, _)| *at == line)
                    .map(|(_, written)| written.clone());
            }
            _ => {}
        }
        let mut open = 1_usize;
        while open > 0 {
            match self.peek(0) {
                Some(Token::Mark('[')) => open += 1,
                Some(Token::Mark(']')) => open -= 1,
                Some(Token::Word(_) | Token::Mark(_)) => {}
                None => return,
            }
            self.at += 1;
        }
    }
}

fn tokens(code: &str) -> Vec<(usize, Token<'_>)> {
    let mut tokens = Vec::new();
    let (mut line, mut at) = (1, 0);
    while let Some(character) = code[at..].chars().next() {
        let length = if is_word(character) {
            let rest = &code[at..];
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push((line, Token::Word(&rest[..length])));
            length
        } else {
            if character == '\n' {
                line += 1;
            } else if !character.is_whitespace() {
                tokens.push((line, Token::Mark(character)));
            }
            character.len_utf8()
        };
        at += length;
    }
    tokens
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path as written in `#[path]`, resolved against a folder.
fn resolve(folder: &str, written: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in written.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::rust_tests;
    use crate::tidy::files::SourceFile;

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let files: Vec<SourceFile> = files
            .iter()
            .map(|(path, text)| SourceFile::new(path, text))
            .collect();
        let found: Vec<String> = rust_tests(&files).into_iter().collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn tests_are_called_by_crate_target_and_module() {
        check(
            &[
                ("crates/store/src/lib.rs", "mod ai;\nfn no_test() {}"),
                (
                    "crates/store/src/ai.rs",
                    "fn f() { if a { b } }\n#[cfg(test)]\nmod tests {\n mod deep { #[test] fn a() {} }\n #[tokio::test(flavor = \"x\")]\n async fn b() {}\n}\n#[test] fn c() {}",
                ),
                ("crates/store/tests/it/main.rs", "mod ai;"),
                (
                    "crates/store/tests/it/ai.rs",
                    "on_both! {\n a\n b\n}\n#[test]\nfn c() {}",
                ),
                (
                    "crates/agent/tests/commands.rs",
                    "#[path = \"commands/corpus.rs\"]\nmod corpus;",
                ),
                (
                    "crates/agent/tests/commands/corpus.rs",
                    "#[test] fn all() {}",
                ),
                ("xtask/src/main.rs", "#[test] fn x() {}"),
            ],
            &[
                "agent::commands::corpus::all",
                "store::ai::c",
                "store::ai::tests::b",
                "store::ai::tests::deep::a",
                "store::it::ai::a",
                "store::it::ai::b",
                "store::it::ai::c",
                "xtask::x",
            ],
        );
    }

    #[test]
    fn a_file_that_no_module_names_has_no_tests() {
        check(
            &[
                (
                    "crates/site/src/lib.rs",
                    "// mod lost;\nconst A: &str = \"mod lost;\";",
                ),
                ("crates/site/src/lost.rs", "#[test] fn a() {}"),
            ],
            &[],
        );
    }

    #[test]
    fn attributes_hold_for_the_item_behind_them() {
        check(
            &[(
                "crates/site/src/lib.rs",
                "#[cfg(test)] fn a() {}\n#[test]\n#[expect(clippy::x, reason = \"[\")]\nfn b() { fn inner() {} }\n#[test] fn c() {}\nmacro_rules! m { ($n:ident) => { #[test] fn $n() {} } }\nfn d() {}",
            )],
            &["site::b", "site::c"],
        );
    }
}
