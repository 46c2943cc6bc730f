//! The operations of a document.

use sha2::{Digest as _, Sha256};
use sitewright_tool::ToolName;

use super::bundle::{Documents, Located};
use super::extension::{Confirmation, Extensions};
use super::finding::Findings;

/// The methods of OpenAPI, and whether they only read.
const METHODS: &[(&str, bool)] = &[
    ("get", true),
    ("head", true),
    ("options", true),
    ("trace", true),
    ("post", false),
    ("put", false),
    ("patch", false),
    ("delete", false),
];
/// What every model provider accepts as the name of a tool.
const NAME_CHARS_MAX: usize = 64;
const HASH_CHARS: usize = 8;

/// An operation with what its path says about it.
pub(crate) struct FoundOperation<'a> {
    pub(crate) path: &'a str,
    pub(crate) method: &'static str,
    pub(crate) operation: Located<'a>,
    pub(crate) path_parameters: Vec<Located<'a>>,
    pub(crate) path_servers: Option<Located<'a>>,
    pub(crate) extensions: Extensions,
    pub(crate) id: Option<&'a str>,
}

impl FoundOperation<'_> {
    /// Whether a call has no effect. A GET that declares an obligation or a way back has one, whatever HTTP says.
    pub(crate) fn is_read(&self) -> bool {
        let is_safe = METHODS
            .iter()
            .any(|(method, is_safe)| *method == self.method && *is_safe);
        let Extensions {
            confirmation,
            cancels,
            cancel_for,
            ..
        } = &self.extensions;
        let asks = matches!(confirmation, Confirmation::Structured(_));
        is_safe && !asks && cancels.is_none() && cancel_for.is_none()
    }

    /// How people and options name it: its operationId, or method and path.
    pub(crate) fn label(&self) -> String {
        match self.id {
            Some(id) => id.to_owned(),
            None => format!("{} {}", self.method.to_uppercase(), self.path),
        }
    }

    /// The name of its tool: the operationId where that is a name, else one made from it, or from method and path. What is made always
    /// ends in a hash, so that it does not depend on the order of operations.
    pub(crate) fn tool_name(&self) -> Option<ToolName> {
        if let Some(id) = self.id
            && id.len() <= NAME_CHARS_MAX
            && let Ok(name) = id.parse()
        {
            return Some(name);
        }
        self.made_name(self.id)
    }

    /// A name that is different for every operation, for one whose operationId is taken.
    pub(crate) fn distinct_name(&self) -> Option<ToolName> {
        self.made_name(None)
    }

    fn made_name(&self, id: Option<&str>) -> Option<ToolName> {
        let place = format!("{} {}", self.method, self.path);
        let wanted = id.or(self.id).unwrap_or(&place);
        let hashed = id.unwrap_or(&place);
        let mut plain = String::new();
        for character in wanted.chars() {
            match character {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => plain.push(character),
                _ if plain.ends_with('_') => {}
                _ => plain.push('_'),
            }
        }
        let plain = plain
            .trim_matches('_')
            .trim_start_matches(|first: char| !first.is_ascii_alphabetic());
        let room = NAME_CHARS_MAX - HASH_CHARS - 1;
        let plain: String = plain.chars().take(room).collect();
        let plain = if plain.is_empty() {
            "operation".to_owned()
        } else {
            plain
        };
        let hash = hex::encode(Sha256::digest(hashed));
        format!("{plain}_{}", &hash[..HASH_CHARS]).parse().ok()
    }
}

/// Every operation of a document, in its order.
pub(crate) fn operations<'a>(
    root: &Located<'a>,
    documents: &'a Documents,
    findings: &mut Findings,
) -> Vec<FoundOperation<'a>> {
    let mut found = Vec::new();
    let paths = root
        .get("paths")
        .map(|paths| paths.fields())
        .unwrap_or_default();
    for (path, own) in paths {
        let place = own.place.clone();
        // 3.1 allows fields beside the reference; they come first.
        let mut items = vec![own.clone()];
        match documents.resolve(own) {
            Ok(target) if target.place != place => items.push(target),
            Ok(_) => {}
            Err(problem) => {
                let message = format!("The reference cannot be followed: {problem}.");
                findings.error(documents, &place.child("$ref"), "unresolved-ref", message);
            }
        }
        let field = |name: &str| items.iter().find_map(|item| item.get(name));
        for (method, _) in METHODS {
            let Some(operation) = field(method).filter(|operation| operation.value.is_object())
            else {
                continue;
            };
            let extensions = Extensions::read(&operation, documents, findings);
            found.push(FoundOperation {
                path,
                method,
                id: operation
                    .text("operationId")
                    .filter(|id| !id.trim().is_empty()),
                path_parameters: field("parameters").into_iter().collect(),
                path_servers: field("servers"),
                extensions,
                operation,
            });
        }
    }
    found
}
