//! What is wrong with a document: where, and what to do about it.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;

use super::bundle::{Documents, Place};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingLevel {
    /// The document is refused.
    Error,
    /// The document is accepted; a tool may be harder to use.
    Warning,
}

/// Something wrong with an OpenAPI document. Scripts rely on the names of the fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether the document is refused for it.
    pub level: FindingLevel,
    /// The rule, such as `missing-operation-id`.
    pub code: &'static str,
    /// The place, as a JSON pointer; with the name of the file before `#` where it is not the document's own.
    pub pointer: String,
    /// The line of the place, from 1.
    pub line: u32,
    /// What is wrong and what to do about it.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            FindingLevel::Error => "error",
            FindingLevel::Warning => "warning",
        };
        let Self {
            code,
            pointer,
            line,
            message,
            ..
        } = self;
        write!(out, "{level}[{code}] line {line}, {pointer}: {message}")
    }
}

/// Collects findings. The same finding is reported once, however many operations share the place.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    all: Vec<Finding>,
    seen: HashSet<(&'static str, String, String)>,
}

/// Nobody reads more, and a broken document can have one for every schema.
const FINDINGS_MAX: usize = 2_000;

impl Findings {
    pub(crate) fn error(
        &mut self,
        documents: &Documents,
        place: &Place,
        code: &'static str,
        message: impl Into<String>,
    ) {
        self.add(
            documents,
            place,
            FindingLevel::Error,
            (code, message.into()),
        );
    }

    pub(crate) fn warn(
        &mut self,
        documents: &Documents,
        place: &Place,
        code: &'static str,
        message: impl Into<String>,
    ) {
        self.add(
            documents,
            place,
            FindingLevel::Warning,
            (code, message.into()),
        );
    }

    fn add(
        &mut self,
        documents: &Documents,
        place: &Place,
        level: FindingLevel,
        about: (&'static str, String),
    ) {
        let (code, message) = about;
        let pointer = match documents.is_root(place) {
            true => place.pointer.clone(),
            false => format!("{}#{}", place.file, place.pointer),
        };
        // Errors are never left out: they decide whether the document is refused.
        let has_room = self.all.len() < FINDINGS_MAX || level == FindingLevel::Error;
        if has_room && self.seen.insert((code, pointer.clone(), message.clone())) {
            self.all.push(Finding {
                level,
                code,
                line: documents.line(place),
                pointer,
                message,
            });
        }
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        self.all.push(finding);
    }

    pub(crate) fn has_errors(&self) -> bool {
        has_errors(&self.all)
    }

    /// The findings in the order of the document.
    pub(crate) fn sorted(mut self) -> Vec<Finding> {
        self.all.sort_by(|one, other| {
            let key = |finding: &Finding| (finding.line, finding.level);
            key(one).cmp(&key(other))
        });
        self.all
    }
}

/// Whether a document with these findings is refused.
pub fn has_errors(findings: &[Finding]) -> bool {
    findings
        .iter()
        .any(|finding| finding.level == FindingLevel::Error)
}
