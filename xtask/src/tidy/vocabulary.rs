//! How shipped code names things: types are nouns, public names are unique, a function takes named arguments, and public items
//! are documented.
//!
//! Each of the first three rules has a count of the places that still break it. The count may only go down: fewer places than it
//! says is a failure too, which reports the number to write here instead.

use std::collections::BTreeMap;

use super::Broken;
use super::files::SourceFile;
use super::rust_text::RustText;

const TUPLE_PARAMETERS: usize = 28;
const PARTICIPLES: usize = 30;
const DUPLICATE_NAMES: usize = 9;

/// Names of one word that end like a participle but are nouns.
const NOUNS: &[&str] = &["Feed", "Need", "Seed", "Speed"];
/// Irregular participles.
const IRREGULAR: &[&str] = &[
    "Begun", "Bound", "Broken", "Done", "Drawn", "Found", "Given", "Gone", "Grown", "Held", "Kept",
    "Known", "Left", "Lost", "Made", "Met", "Read", "Said", "Sent", "Shown", "Spent", "Taken",
    "Told", "Undone", "Was", "Written",
];

pub(super) fn check(files: &[SourceFile]) -> Vec<Broken> {
    let mut found = Found::default();
    for file in files.iter().filter(|file| is_shipped(file)) {
        found.read(file);
    }
    let mut broken = std::mem::take(&mut found.undocumented);
    broken.extend(ratchet(TUPLE_PARAMETERS, "TUPLE_PARAMETERS", found.tuples));
    broken.extend(ratchet(PARTICIPLES, "PARTICIPLES", found.participles));
    let duplicates = found.public.into_values().filter(|places| {
        let crates: std::collections::BTreeSet<&str> = places
            .iter()
            .filter_map(|place| place.place.split('/').nth(1))
            .collect();
        crates.len() > 1
    });
    let duplicates = duplicates.filter_map(|places| places.into_iter().next());
    broken.extend(ratchet(
        DUPLICATE_NAMES,
        "DUPLICATE_NAMES",
        duplicates.collect(),
    ));
    broken
}

/// A crate's `src` also contains tests, in files of their own.
fn is_shipped(file: &SourceFile) -> bool {
    let is_product = file.shipped_by().is_some_and(|name| name != "testkit");
    let is_test = file.name().ends_with("tests.rs") || file.path.contains("/tests/");
    is_product && file.is_rust() && !is_test
}

#[derive(Default)]
struct Found {
    tuples: Vec<Broken>,
    participles: Vec<Broken>,
    /// Types that other crates can see, by name.
    public: BTreeMap<String, Vec<Broken>>,
    undocumented: Vec<Broken>,
}

impl Found {
    fn read(&mut self, file: &SourceFile) {
        let code = RustText::new(&file.text).code;
        let end = code.find("#[cfg(test)]\nmod").unwrap_or(code.len());
        let source: Vec<&str> = file.text.lines().collect();
        for (index, line) in code[..end].lines().enumerate() {
            let line_number = index + 1;
            if takes_tuple(line) {
                let rule = "takes a tuple: give the values names, as arguments or as a struct";
                self.tuples.push(Broken::at(file, line_number, rule));
            }
            let Some(item) = Item::read(line) else {
                continue;
            };
            if item.is_type && is_participle(item.name) {
                let rule = format!("`{}` is a participle: name the thing it is", item.name);
                self.participles.push(Broken::at(file, line_number, rule));
            }
            if !item.is_public {
                continue;
            }
            if item.is_type {
                let rule = format!("`{}` is a public name of another crate, too", item.name);
                let places = self.public.entry(item.name.to_owned()).or_default();
                places.push(Broken::at(file, line_number, rule));
            }
            // A macro's own name is documented where the macro is used.
            if !line.contains('$') && !is_documented(&source[..index.min(source.len())]) {
                let rule = format!("say what the public `{}` is for", item.name);
                self.undocumented.push(Broken::at(file, line_number, rule));
            }
        }
    }
}

struct Item<'a> {
    name: &'a str,
    is_type: bool,
    is_public: bool,
}

impl<'a> Item<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let indent = line.len() - line.trim_start().len();
        let is_public = line.trim_start().starts_with("pub ");
        let mut words = line
            .split(|c: char| !super::rust_text::is_word(c))
            .filter(|word| !word.is_empty())
            .skip_while(|word| {
                ["pub", "crate", "super", "in", "async", "const", "unsafe"].contains(word)
            });
        let kind = words.next()?;
        let name = words.next()?;
        // An associated `type` has the name its trait gave it, and modules are documented inside.
        let is_type = match kind {
            "struct" | "enum" | "trait" => true,
            "type" => indent == 0,
            "fn" | "static" => false,
            _ => return None,
        };
        Some(Self {
            name,
            is_type,
            is_public,
        })
    }
}

/// A parameter such as `(site, owner): (&SiteId, &str)`, which rustfmt leaves on the same line as its type.
fn takes_tuple(line: &str) -> bool {
    let Some((before, after)) = line.split_once("): (") else {
        return false;
    };
    let pattern = before.rsplit('(').next().unwrap_or_default();
    let is_pattern = pattern
        .chars()
        .all(|c| super::rust_text::is_word(c) || c == ',' || c == ' ');
    let is_binding = line.trim_start().starts_with("let ") || before.contains(" let ");
    is_pattern && !pattern.is_empty() && !is_binding && !after.is_empty()
}

fn is_participle(name: &str) -> bool {
    let is_one_word = name.chars().skip(1).all(char::is_lowercase);
    let ends_like_one = name.ends_with("ed") && !NOUNS.contains(&name);
    is_one_word && (ends_like_one || IRREGULAR.contains(&name))
}

/// Whether there is a doc comment above, with only attributes in between; these may span several lines, and code ends the search.
fn is_documented(above: &[&str]) -> bool {
    let above = above.iter().rev().map(|line| line.trim());
    let mut attributes =
        above.take_while(|line| !line.is_empty() && !line.ends_with(['}', ';', '{']));
    attributes.any(|line| line.starts_with("///") || line.starts_with("#[doc"))
}

fn ratchet(allowed: usize, constant: &str, found: Vec<Broken>) -> Vec<Broken> {
    match found.len() {
        count if count > allowed => found,
        count if count < allowed => vec![Broken::new(
            "xtask/src/tidy/vocabulary.rs",
            format!("write {count} for {constant}: fewer places break the rule"),
        )],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, SourceFile, is_participle};

    fn read(text: &str) -> Found {
        let mut found = Found::default();
        found.read(&SourceFile::new("crates/a/src/b.rs", text));
        found
    }

    #[test]
    fn participles_are_told_from_nouns() {
        for name in ["Asked", "Kept", "Applied", "Shown"] {
            assert!(is_participle(name), "{name}");
        }
        for name in ["Need", "ResolvedCall", "Stamp", "Feed"] {
            assert!(!is_participle(name), "{name}");
        }
    }

    #[test]
    fn tuple_parameters_are_found_and_bindings_are_not() {
        let found =
            read("fn a(\n    (site, owner): (&SiteId, &str),\n) {}\nlet (a, b): (u8, u8) = c;");
        assert_eq!(found.tuples.len(), 1);
        assert_eq!(found.tuples[0].place, "crates/a/src/b.rs:2");
    }

    #[test]
    fn public_items_say_what_they_are_for_and_fields_need_not() {
        let found = read(
            "/// A page.\n#[derive(\n    Debug, Clone,\n)]\npub struct Page {\n    pub title: String,\n}\npub fn open() {}\n",
        );
        let places: Vec<&str> = found
            .undocumented
            .iter()
            .map(|broken| broken.place.as_str())
            .collect();
        assert_eq!(places, ["crates/a/src/b.rs:8"]);
    }
}
