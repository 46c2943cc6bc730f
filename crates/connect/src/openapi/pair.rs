//! Ways back: pairs of operations of which one takes back what the other did.
//!
//! The rules run when a document is loaded, because a rollback that cannot work is found out only when it is needed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sitewright_tool::Reversibility;

use super::bundle::Documents;
use super::extension::Confirmation;
use super::finding::Findings;
use super::operation::FoundOperation;

/// What the rules need to know about a tool of the document.
pub(crate) struct PairPart<'a> {
    pub(crate) found: &'a FoundOperation<'a>,
    /// The required arguments.
    pub(crate) required: Vec<String>,
    /// All arguments.
    pub(crate) arguments: Vec<String>,
    /// The properties of its answer, where they are known.
    pub(crate) answers: Option<Vec<String>>,
    pub(crate) takes_everything: bool,
}

/// Checks the ways back of all tools of a document.
pub(crate) fn check_pairs(parts: &[PairPart<'_>], documents: &Documents, findings: &mut Findings) {
    let by_id: BTreeMap<&str, &PairPart<'_>> = parts
        .iter()
        .filter_map(|part| Some((part.found.id?, part)))
        .collect();
    for part in parts.iter().filter(|part| part.found.extensions.is_tool) {
        let mut rules = Rules {
            part,
            by_id: &by_id,
            documents,
            findings,
        };
        rules.check_declared();
        rules.check_cancels();
        rules.check_cancel_for();
        rules.check_compensating_tool();
        rules.check_filling();
    }
}

struct Rules<'a> {
    part: &'a PairPart<'a>,
    by_id: &'a BTreeMap<&'a str, &'a PairPart<'a>>,
    documents: &'a Documents,
    findings: &'a mut Findings,
}

impl Rules<'_> {
    fn error(&mut self, field: &str, code: &'static str, message: String) {
        let place = match field {
            "" => self.part.found.operation.place.clone(),
            field => self.part.found.operation.place.child(field),
        };
        self.findings.error(self.documents, &place, code, message);
    }

    /// What has an effect says whether it can be taken back, and what binds the user names how.
    fn check_declared(&mut self) {
        let found = self.part.found;
        let extensions = &found.extensions;
        let label = found.label();
        if extensions.cancel_for.is_some() {
            return;
        }
        if extensions.is_obligation() {
            if extensions.cancels.is_none() {
                let message = format!(
                    "`{label}` creates an obligation (a structured confirmation, or a cost above low) and names nothing that cancels \
                     it: add `x-orchet-cancels` with an operation of this document."
                );
                self.error("", "missing-cancel", message);
            }
        } else if !found.is_read()
            && extensions.counterpart().is_none()
            && extensions.reversibility.is_none()
        {
            let message = format!(
                "`{label}` changes something and does not say whether it can be taken back: add `x-orchet-cancels`, \
                 `x-orchet-cancel-for`, or `x-orchet-reversibility`."
            );
            self.error("", "missing-reversibility", message);
        }
    }

    fn check_cancels(&mut self) {
        const FIELD: &str = "x-orchet-cancels";
        let found = self.part.found;
        let Some(target_id) = found.extensions.cancels.as_deref() else {
            return;
        };
        if found.id == Some(target_id) {
            let message = "An operation cannot cancel itself: name the one that takes back what this one did.";
            return self.error(FIELD, "cancels-itself", message.to_owned());
        }
        let Some(target) = self.by_id.get(target_id) else {
            let message = format!(
                "`{target_id}` is no tool of this document: name an operation of this document with `x-orchet-tool: true`."
            );
            return self.error(FIELD, "cancel-target-missing", message);
        };
        if target.found.extensions.cancel_for.as_deref() != found.id {
            let message = format!(
                "`{target_id}` does not name this operation back: add `x-orchet-cancel-for: {}` to it.",
                found.label()
            );
            self.error(FIELD, "cancel-not-mutual", message);
        }
    }

    fn check_cancel_for(&mut self) {
        const FIELD: &str = "x-orchet-cancel-for";
        let found = self.part.found;
        let Some(target_id) = found.extensions.cancel_for.as_deref() else {
            return;
        };
        if let Confirmation::Structured(kind) = found.extensions.confirmation {
            let message = format!(
                "A tool that cancels must not ask ({kind}), because a rollback would wait for an answer that nobody gives: say \
                 `x-orchet-requires-confirmation: false`."
            );
            self.error("x-orchet-requires-confirmation", "cancel-asks", message);
        }
        let Some(target) = self.by_id.get(target_id) else {
            let message = format!(
                "`{target_id}` is no tool of this document: name an operation of this document with `x-orchet-tool: true`."
            );
            return self.error(FIELD, "cancel-target-missing", message);
        };
        if target.found.extensions.cancels.as_deref() != found.id {
            let message = format!(
                "`{target_id}` does not name this operation back: add `x-orchet-cancels: {}` to it.",
                found.label()
            );
            self.error(FIELD, "cancel-not-mutual", message);
        }
    }

    fn check_compensating_tool(&mut self) {
        let extensions = &self.part.found.extensions;
        let is_compensating = extensions.reversibility == Some(Reversibility::Compensating);
        if is_compensating && extensions.counterpart().is_none() {
            let message = "What is compensated needs a tool that does it: add `x-orchet-compensating-tool` or `x-orchet-cancels`.";
            return self.error(
                "x-orchet-reversibility",
                "missing-compensating-tool",
                message.to_owned(),
            );
        }
        let Some(named) = extensions.compensating_tool.as_deref() else {
            return;
        };
        const FIELD: &str = "x-orchet-compensating-tool";
        let Some(target) = self.by_id.get(named) else {
            let message = format!(
                "`{named}` is no tool of this document: name an operation of this document with `x-orchet-tool: true`."
            );
            return self.error(FIELD, "cancel-target-missing", message);
        };
        if let Confirmation::Structured(kind) = target.found.extensions.confirmation {
            let message = format!(
                "`{named}` asks a person ({kind}), and a rollback must not: say `x-orchet-requires-confirmation: false` there."
            );
            self.error(FIELD, "cancel-asks", message);
        }
    }

    /// Whether the arguments of the counterpart can be filled from the forward call.
    fn check_filling(&mut self) {
        let (part, extensions) = (self.part, &self.part.found.extensions);
        let target = extensions
            .counterpart()
            .and_then(|id| self.by_id.get(id).copied());
        let Some(target) = target.filter(|target| !std::ptr::eq(*target, part)) else {
            return;
        };
        if let Some(template) = &extensions.template {
            return self.check_template(template, target);
        }
        if target.takes_everything {
            return;
        }
        let answers: BTreeSet<&String> = part.answers.iter().flatten().collect();
        let inputs: BTreeSet<&String> = part.arguments.iter().collect();
        let missing = target.required.iter();
        let missing: Vec<&str> = missing
            .filter(|name| !answers.contains(name) && !inputs.contains(name))
            .map(String::as_str)
            .collect();
        if !missing.is_empty() {
            let message = format!(
                "`{}` needs `{}`, and neither the answer nor the input of this operation has it: describe it in the response, or give \
                 `x-orchet-compensating-inputs-template`.",
                target.found.label(),
                missing.join("`, `")
            );
            let field = match extensions.compensating_tool {
                Some(_) => "x-orchet-compensating-tool",
                None => "x-orchet-cancels",
            };
            self.error(field, "cancel-input-unfilled", message);
        }
    }

    fn check_template(&mut self, template: &Value, target: &PairPart<'_>) {
        const FIELD: &str = "x-orchet-compensating-inputs-template";
        let given: BTreeSet<&String> = template
            .as_object()
            .into_iter()
            .flat_map(|fields| fields.keys())
            .collect();
        let missing = target.required.iter().filter(|name| !given.contains(name));
        let missing: Vec<&str> = missing.map(String::as_str).collect();
        if !missing.is_empty() {
            let message = format!(
                "`{}` needs `{}`, which the template does not give: add it.",
                target.found.label(),
                missing.join("`, `")
            );
            self.error(FIELD, "cancel-input-unfilled", message);
        }
        for reference in references(template) {
            let mut parts = reference.split('.');
            let (source, name) = (
                parts.next().unwrap_or_default(),
                parts.next().unwrap_or_default(),
            );
            let name = name.split('[').next().unwrap_or_default().to_owned();
            let known = match source {
                "outputs" => self.part.answers.as_ref(),
                "inputs" => Some(&self.part.arguments),
                _ => {
                    let message = format!(
                        "`{{{{{reference}}}}}` begins with neither `outputs.` nor `inputs.`: correct it."
                    );
                    self.error(FIELD, "invalid-template", message);
                    continue;
                }
            };
            // Without a schema of the answer, nothing is known about its fields.
            if known.is_some_and(|known| !known.contains(&name)) {
                let message = format!(
                    "`{{{{{reference}}}}}` names a field that is not described: correct it, or describe the field."
                );
                self.error(FIELD, "invalid-template", message);
            }
        }
    }
}

/// What stands in double braces anywhere in a template.
fn references(template: &Value) -> Vec<String> {
    match template {
        Value::String(text) => {
            let parts = text.split("{{").skip(1);
            let parts = parts.filter_map(|part| part.split_once("}}"));
            parts.map(|(name, _)| name.trim().to_owned()).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Object(fields) => fields.values().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
