//! An OpenAPI document with the files it refers to, and the resolution of `$ref`.
//!
//! Importing is pure: whoever has the document (a path, an upload, an address) collects the files first. A reference to an address is
//! not followed, because what stands there can change after a person reviewed it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::source::{Source, SyntaxProblem, segments};

/// The size of all files together.
pub const BUNDLE_BYTES_MAX: usize = 24 * 1024 * 1024;
const FILES_MAX: usize = 200;
/// How many references may lead to one another.
const CHAIN_MAX: usize = 32;

/// A document and the files that it refers to, as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// The name of the document among the files.
    pub root: String,
    /// Texts by their path, relative to the folder of the document.
    pub files: BTreeMap<String, String>,
}

/// Why a document could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The document itself cannot be read from disk.
    #[error("{path} cannot be read: {error}")]
    Unreadable {
        /// The document.
        path: String,
        /// Why.
        #[source]
        error: std::io::Error,
    },
    /// It is larger than can be imported.
    #[error(
        "the document and its files are larger than {BUNDLE_BYTES_MAX} bytes; import a smaller part of it"
    )]
    TooLarge,
    /// It refers to more files than can be imported.
    #[error("the document refers to more than {FILES_MAX} files; bundle them into one first")]
    TooManyFiles,
}

impl Bundle {
    /// A document without other files.
    pub fn single(name: impl Into<String>, text: impl Into<String>) -> Self {
        let root = name.into();
        Self {
            files: BTreeMap::from([(root.clone(), text.into())]),
            root,
        }
    }

    /// Reads a document and the files that it refers to by relative paths. A file that cannot be read is left out; the reference to it
    /// becomes a finding.
    pub fn read(path: &Path) -> Result<Self, BundleError> {
        let unreadable = |error| BundleError::Unreadable {
            path: path.display().to_string(),
            error,
        };
        let root = path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        let mut bundle = Self::single(root.clone(), fs::read_to_string(path).map_err(unreadable)?);
        let mut pending = vec![root];
        let mut seen: BTreeSet<String> = pending.iter().cloned().collect();
        bundle.check_size()?;
        while let Some(name) = pending.pop() {
            for file in bundle.references_of(&name) {
                if !seen.insert(file.clone()) || !may_be_read(&file) {
                    continue;
                }
                if let Ok(text) = fs::read_to_string(folder.join(&file)) {
                    bundle.files.insert(file.clone(), text);
                    bundle.check_size()?;
                    pending.push(file);
                }
            }
        }
        Ok(bundle)
    }

    /// Refuses a bundle that is over the limits.
    pub fn check_size(&self) -> Result<(), BundleError> {
        if self.files.len() > FILES_MAX {
            return Err(BundleError::TooManyFiles);
        }
        match self.files.values().map(String::len).sum::<usize>() {
            size if size > BUNDLE_BYTES_MAX => Err(BundleError::TooLarge),
            _ => Ok(()),
        }
    }

    /// The files that a file refers to.
    pub(crate) fn references_of(&self, name: &str) -> Vec<String> {
        let Some(Ok(source)) = self.files.get(name).map(|text| Source::parse(text)) else {
            return Vec::new();
        };
        let mut files = BTreeSet::new();
        let mut pending = vec![&source.value];
        while let Some(value) = pending.pop() {
            match value {
                Value::Object(fields) => {
                    let file = fields.get("$ref").and_then(Value::as_str).map(file_part);
                    if let Some(file) = file.filter(|file| !file.is_empty() && !is_address(file)) {
                        files.insert(joined(name, file));
                    }
                    pending.extend(fields.values());
                }
                Value::Array(items) => pending.extend(items),
                _ => {}
            }
        }
        files.into_iter().collect()
    }
}

/// A place in one of the files.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) pointer: String,
}

impl Place {
    pub(crate) fn child(&self, segment: &str) -> Self {
        Self {
            file: self.file.clone(),
            pointer: super::source::child(&self.pointer, segment),
        }
    }
}

/// A value with its place, after references were followed.
#[derive(Debug, Clone)]
pub(crate) struct LocatedValue<'a> {
    pub(crate) place: Place,
    pub(crate) value: &'a Value,
}

impl<'a> LocatedValue<'a> {
    /// A field, without following references in it.
    pub(crate) fn get(&self, name: &str) -> Option<LocatedValue<'a>> {
        let value = self.value.get(name)?;
        Some(LocatedValue {
            place: self.place.child(name),
            value,
        })
    }

    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.value.get(name)?.as_str()
    }

    /// The fields of an object, extensions left out.
    pub(crate) fn fields(&self) -> Vec<(&'a str, LocatedValue<'a>)> {
        let fields = self.value.as_object().into_iter().flatten();
        let known = fields.filter(|(name, _)| !name.starts_with("x-"));
        known
            .map(|(name, value)| {
                let place = self.place.child(name);
                (name.as_str(), LocatedValue { place, value })
            })
            .collect()
    }

    pub(crate) fn items(&self) -> Vec<LocatedValue<'a>> {
        let items = self.value.as_array().into_iter().flatten().enumerate();
        items
            .map(|(at, value)| LocatedValue {
                place: self.place.child(&at.to_string()),
                value,
            })
            .collect()
    }
}

/// Why a reference leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadReference {
    #[error(
        "`{0}` is an address, and addresses are not fetched: copy it into a file beside the document"
    )]
    Address(String),
    #[error("there is no file `{0}` beside the document: add it, or correct the path")]
    NoFile(String),
    #[error("`{file}` cannot be parsed ({problem})")]
    BadFile {
        file: String,
        problem: SyntaxProblem,
    },
    #[error("there is nothing at `{0}`: correct the reference")]
    Nothing(String),
    #[error("the reference leads back to itself")]
    Circle,
}

/// The parsed files of a bundle.
#[derive(Debug)]
pub(crate) struct Documents {
    root: String,
    sources: BTreeMap<String, Result<Source, SyntaxProblem>>,
}

impl Documents {
    pub(crate) fn parse(bundle: &Bundle) -> Self {
        let parsed = bundle.files.iter();
        Self {
            root: bundle.root.clone(),
            sources: parsed
                .map(|(name, text)| (name.clone(), Source::parse(text)))
                .collect(),
        }
    }

    /// The document itself, or why it cannot be parsed.
    pub(crate) fn root(&self) -> Result<LocatedValue<'_>, SyntaxProblem> {
        let missing = || SyntaxProblem::new(1, "the document is missing");
        let source = self.sources.get(&self.root).ok_or_else(missing)?;
        let source = source.as_ref().map_err(Clone::clone)?;
        Ok(LocatedValue {
            place: self.root_place(),
            value: &source.value,
        })
    }

    pub(crate) fn root_place(&self) -> Place {
        Place {
            file: self.root.clone(),
            pointer: String::new(),
        }
    }

    pub(crate) fn is_root(&self, place: &Place) -> bool {
        place.file == self.root
    }

    pub(crate) fn line(&self, place: &Place) -> u32 {
        match self.sources.get(&place.file) {
            Some(Ok(source)) => source.line(&place.pointer),
            Some(Err(problem)) => problem.line,
            None => 1,
        }
    }

    /// Follows `$ref` until there is none. `located` itself if it is no reference.
    pub(crate) fn resolve<'a>(
        &'a self,
        located: LocatedValue<'a>,
    ) -> Result<LocatedValue<'a>, BadReference> {
        let mut current = located;
        for _ in 0..CHAIN_MAX {
            let Some(reference) = current.text("$ref") else {
                return Ok(current);
            };
            current = self.target(&current.place.file, reference)?;
        }
        Err(BadReference::Circle)
    }

    /// What a reference in a file points to.
    pub(crate) fn target(
        &self,
        file: &str,
        reference: &str,
    ) -> Result<LocatedValue<'_>, BadReference> {
        let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if is_address(path) {
            return Err(BadReference::Address(reference.to_owned()));
        }
        let file = match path {
            "" => file.to_owned(),
            path => joined(file, path),
        };
        let source = match self.sources.get(&file) {
            None => return Err(BadReference::NoFile(file)),
            Some(Err(problem)) => {
                let problem = problem.clone();
                return Err(BadReference::BadFile { file, problem });
            }
            Some(Ok(source)) => source,
        };
        let fragment = percent_decode_str(fragment)
            .decode_utf8_lossy()
            .into_owned();
        let nothing = || BadReference::Nothing(reference.to_owned());
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return Err(nothing());
        }
        let mut value = &source.value;
        for segment in segments(&fragment) {
            value = match value {
                Value::Object(fields) => fields.get(&segment),
                Value::Array(items) => segment.parse().ok().and_then(|at: usize| items.get(at)),
                _ => None,
            }
            .ok_or_else(nothing)?;
        }
        let place = Place {
            file,
            pointer: fragment,
        };
        Ok(LocatedValue { place, value })
    }
}

fn file_part(reference: &str) -> &str {
    reference.split('#').next().unwrap_or_default()
}

fn is_address(path: &str) -> bool {
    path.contains("://") || path.starts_with("//") || path.starts_with("urn:")
}

/// Whether a file beside a document may be part of it. Documents come from others, and everything they name is sent to the server: a
/// reference to `../.ssh/id_ed25519` must lead nowhere.
fn may_be_read(file: &str) -> bool {
    let is_hidden = |part: &str| part.starts_with('.') && part != "..";
    let is_outside = file.starts_with("..");
    let extension = file.rsplit_once('.').map(|(_, extension)| extension);
    let is_document = matches!(extension, Some("json" | "yaml" | "yml"));
    !file.split('/').any(is_hidden) && (is_document || !is_outside)
}

/// A path relative to a file, both relative to the folder of the document, with `.` and `..` resolved.
fn joined(file: &str, path: &str) -> String {
    let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::{Bundle, Documents, joined, may_be_read};

    #[test]
    fn a_document_reads_no_file_that_is_none() {
        for file in ["pet.yaml", "parts/Pet", "../common/errors.json"] {
            assert!(may_be_read(file), "{file}");
        }
        for file in [
            ".env",
            "../.ssh/id_ed25519",
            "../../../dev/zero",
            "../.aws/keys.yaml",
        ] {
            assert!(!may_be_read(file), "{file}");
        }
    }

    fn check(reference: &str, expected: &str) {
        let bundle = Bundle {
            root: "api.yaml".to_owned(),
            files: BTreeMap::from([
                (
                    "api.yaml".to_owned(),
                    "a:\n  b/c: {d: [1, 2]}\nloop: {$ref: '#/loop'}\nfar: {$ref: 'sub/x.json#/y'}"
                        .to_owned(),
                ),
                (
                    "sub/x.json".to_owned(),
                    r##"{"y": {"$ref": "../api.yaml#/a/b~1c/d/1"}, "z": {"$ref": "#/y"}}"##
                        .to_owned(),
                ),
                ("bad.json".to_owned(), "{\n".to_owned()),
            ]),
        };
        let documents = Documents::parse(&bundle);
        let found = documents
            .target("api.yaml", reference)
            .and_then(|target| documents.resolve(target));
        let shown = match found {
            Ok(found) => format!(
                "{}#{} {}",
                found.place.file, found.place.pointer, found.value
            ),
            Err(problem) => problem.to_string(),
        };
        assert_eq!(shown, expected, "{reference}");
    }

    #[test]
    fn references_lead_within_and_between_files() {
        check("#/a/b~1c/d/0", "api.yaml#/a/b~1c/d/0 1");
        check("#/a/b%7E1c/d/0", "api.yaml#/a/b~1c/d/0 1");
        check("#/far", "api.yaml#/a/b~1c/d/1 2");
        check("sub/x.json#/z", "api.yaml#/a/b~1c/d/1 2");
    }

    #[test]
    fn a_reference_that_leads_nowhere_is_told_with_its_remedy() {
        check("#/loop", "the reference leads back to itself");
        check(
            "#/a/x",
            "there is nothing at `#/a/x`: correct the reference",
        );
        check("#a", "there is nothing at `#a`: correct the reference");
        check(
            "no.yaml#/a",
            "there is no file `no.yaml` beside the document: add it, or correct the path",
        );
        check(
            "bad.json",
            "`bad.json` cannot be parsed (line 2: EOF while parsing an object)",
        );
        check(
            "https://a.example/x.yaml#/y",
            "`https://a.example/x.yaml#/y` is an address, and addresses are not fetched: copy it into a file beside the document",
        );
    }

    #[test]
    fn paths_are_relative_to_the_file_they_stand_in() {
        assert_eq!(joined("sub/x.yaml", "../y.yaml"), "y.yaml");
        assert_eq!(joined("x.yaml", "./a//b.yaml"), "a/b.yaml");
        assert_eq!(joined("x.yaml", "../../b.yaml"), "../../b.yaml");
    }

    #[test]
    fn a_document_is_read_with_the_files_it_names() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        write(
            "api.yaml",
            "a: {$ref: 'sub/x.json#/y'}\nb: {$ref: 'gone.yaml'}",
        );
        write("sub/x.json", r#"{"y": {"$ref": "z.json"}}"#);
        write("sub/z.json", "{}");
        let bundle = Bundle::read(&folder.path().join("api.yaml")).unwrap();
        let names: Vec<&String> = bundle.files.keys().collect();
        assert_eq!(
            json!(names),
            json!(["api.yaml", "sub/x.json", "sub/z.json"])
        );
    }
}
