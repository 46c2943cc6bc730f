//! A document into tools.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use sitewright_runtime::check_manifest;
use sitewright_tool::{
    Compensation, Definition, Effect, Execution, RetryPolicy, Rollback, ToolCapability,
    ToolManifest, ToolName,
};

use super::answer::tool_answer;
use super::body::BodyPlan;
use super::bundle::{Bundle, Documents, Located};
use super::extension::Confirmation;
use super::finding::{Finding, FindingLevel, Findings};
use super::input::tool_input;
use super::operation::{FoundOperation, operations};
use super::pair::{PairPart, check_pairs};
use super::request::RequestPlan;
use super::security::{SecurityScheme, schemes, security, server_url};

const TIMEOUT_MS: u32 = 30_000;
const ATTEMPTS_MAX: u8 = 3;
const BACKOFF_MS: u32 = 250;
const TITLE_CHARS_MAX: usize = 200;
const DESCRIPTION_CHARS_MAX: usize = 8_000;
/// The most tools that one document may add.
const TOOLS_MAX: usize = 2_000;

/// Which operations become tools, besides those that say so.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OperationChoice {
    /// No others.
    #[default]
    Marked,
    /// These, by operationId or as `GET /path`.
    Also(BTreeSet<String>),
    /// Every operation.
    All,
}

impl OperationChoice {
    fn covers(&self, found: &FoundOperation<'_>) -> bool {
        match self {
            Self::Marked => false,
            Self::Also(names) => {
                let place = format!("{} {}", found.method.to_uppercase(), found.path);
                names.contains(&place) || found.id.is_some_and(|id| names.contains(id))
            }
            Self::All => true,
        }
    }
}

/// The result of reading a document.
#[derive(Debug)]
pub struct Import {
    /// The name of the document, from `info.title`.
    pub title: String,
    /// The tools; none if a finding is an error.
    pub tools: Vec<ImportedTool>,
    /// What is wrong with the document.
    pub findings: Vec<Finding>,
    /// Every operation, whether it is a tool or not.
    pub operations: Vec<OperationSummary>,
    /// How the secret of each scheme is sent.
    pub schemes: BTreeMap<String, SecurityScheme>,
}

/// An operation, for a person who chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationSummary {
    /// Its operationId, or `GET /path`.
    pub label: String,
    /// What it is for.
    pub summary: String,
    /// Whether it is a tool.
    pub is_tool: bool,
}

/// A tool made from an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedTool {
    /// Everything about it except how it is called.
    pub definition: Definition,
    pub(crate) request: RequestPlan,
}

/// Reads a document. Never fails: what is wrong with it is among the findings.
pub fn import(bundle: &Bundle, choice: &OperationChoice) -> Import {
    let documents = Documents::parse(bundle);
    let mut findings = Findings::default();
    let root = match documents.root() {
        Ok(root) => root,
        Err(problem) => {
            findings.push(Finding {
                level: FindingLevel::Error,
                code: "syntax",
                pointer: String::new(),
                line: problem.line,
                message: format!(
                    "The document is neither JSON nor YAML: {}.",
                    problem.message
                ),
            });
            return Import::refused(findings);
        }
    };
    if !is_supported(&root, &documents, &mut findings) {
        return Import::refused(findings);
    }
    let found = operations(&root, &documents, &mut findings);
    let schemes = schemes(&root, &documents, &mut findings);
    let chosen: Vec<&FoundOperation<'_>> = found
        .iter()
        .filter(|found| found.extensions.is_tool || choice.covers(found))
        .collect();
    check_chosen(&chosen, &documents, &mut findings);
    let names = names(&chosen, &documents, &mut findings);
    let mut tools = Vec::new();
    let mut parts = Vec::new();
    for (operation, name) in chosen.iter().copied().zip(names).take(TOOLS_MAX) {
        let maker = ToolMaker {
            found: operation,
            root: &root,
            documents: &documents,
            schemes: &schemes,
        };
        let (tool, part) = maker.make(name, &mut findings);
        tools.push(tool);
        parts.push(part);
    }
    check_pairs(&parts, &documents, &mut findings);
    check_tools(&tools, &chosen, &documents, &mut findings);
    name_counterparts(&mut tools, &chosen);
    let is_refused = findings.has_errors();
    let labels: BTreeSet<String> = chosen.iter().map(|found| found.label()).collect();
    Import {
        title: title(&root),
        tools: if is_refused { Vec::new() } else { tools },
        findings: findings.sorted(),
        operations: found.iter().map(|found| summary(found, &labels)).collect(),
        schemes,
    }
}

impl Import {
    fn refused(findings: Findings) -> Self {
        Self {
            title: String::new(),
            tools: Vec::new(),
            findings: findings.sorted(),
            operations: Vec::new(),
            schemes: BTreeMap::new(),
        }
    }
}

fn title(root: &Located<'_>) -> String {
    let title = root.get("info").and_then(|info| info.text("title"));
    title
        .unwrap_or("OpenAPI")
        .chars()
        .take(TITLE_CHARS_MAX)
        .collect()
}

fn summary(found: &FoundOperation<'_>, labels: &BTreeSet<String>) -> OperationSummary {
    let label = found.label();
    OperationSummary {
        summary: found
            .operation
            .text("summary")
            .unwrap_or_default()
            .to_owned(),
        is_tool: labels.contains(&label),
        label,
    }
}

fn is_supported(root: &Located<'_>, documents: &Documents, findings: &mut Findings) -> bool {
    let version = root.text("openapi").unwrap_or_default();
    if version.starts_with("3.0") || version.starts_with("3.1") {
        return true;
    }
    let (field, message) = match (version, root.value.get("swagger")) {
        ("", Some(_)) => (
            "swagger",
            "Swagger 2 is not supported: convert the document to OpenAPI 3.".to_owned(),
        ),
        ("", None) => (
            "openapi",
            "The document does not say which OpenAPI it is written in: add `openapi: 3.1.0`."
                .to_owned(),
        ),
        (version, _) => (
            "openapi",
            format!("OpenAPI `{version}` is not supported: use 3.0 or 3.1."),
        ),
    };
    let place = documents.root_place().child(field);
    findings.error(documents, &place, "unsupported-version", message);
    false
}

fn check_chosen(chosen: &[&FoundOperation<'_>], documents: &Documents, findings: &mut Findings) {
    let place = documents.root_place().child("paths");
    if chosen.is_empty() {
        let message = "No operation is a tool: add `x-orchet-tool: true` to those that are, or choose them when adding the document.";
        findings.warn(documents, &place, "no-tools", message);
    }
    if chosen.len() > TOOLS_MAX {
        let message = format!("The document has more than {TOOLS_MAX} tools: choose fewer.");
        findings.error(documents, &place, "too-many-tools", message);
    }
    let mut ids: BTreeMap<&str, &FoundOperation<'_>> = BTreeMap::new();
    for found in chosen.iter().filter(|found| found.extensions.is_tool) {
        let Some(id) = found.id else {
            let message = format!(
                "`{}` has no operationId, which is the name of its tool: add one and keep it.",
                found.label()
            );
            findings.error(
                documents,
                &found.operation.place,
                "missing-operation-id",
                message,
            );
            continue;
        };
        if let Some(first) = ids.insert(id, found) {
            let message = format!(
                "The operationId `{id}` is also that of `{} {}`: give each operation its own.",
                first.method.to_uppercase(),
                first.path
            );
            let place = found.operation.place.child("operationId");
            findings.error(documents, &place, "duplicate-operation-id", message);
        }
    }
}

/// The names of the tools. An operationId that is no name becomes one; one that is taken is told apart by its path.
fn names(
    chosen: &[&FoundOperation<'_>],
    documents: &Documents,
    findings: &mut Findings,
) -> Vec<ToolName> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for found in chosen {
        let name = found.tool_name().filter(|name| !taken.contains(name));
        let name = name.or_else(|| found.distinct_name());
        let name = name.unwrap_or(const { ToolName::from_static("operation") });
        if let Some(id) = found.id
            && id != name.as_str()
        {
            let place = found.operation.place.child("operationId");
            let message = format!(
                "`{id}` cannot be the name of a tool, so the tool is `{name}`: use a letter, then up to 63 letters, digits, `.`, `_` \
                 or `-`."
            );
            findings.warn(documents, &place, "invalid-operation-id", message);
        }
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

fn check_tools(
    tools: &[ImportedTool],
    chosen: &[&FoundOperation<'_>],
    documents: &Documents,
    findings: &mut Findings,
) {
    for (tool, found) in tools.iter().zip(chosen) {
        let manifest = serde_json::to_value(&tool.definition.manifest).unwrap_or_default();
        for problem in check_manifest(&manifest).err().unwrap_or_default() {
            let message = format!("The tool `{}` cannot be used: {problem}.", found.label());
            findings.error(documents, &found.operation.place, "invalid-tool", message);
        }
    }
}

/// Replaces operationIds in cancel pairs by the names of the tools.
fn name_counterparts(tools: &mut [ImportedTool], chosen: &[&FoundOperation<'_>]) {
    let names: BTreeMap<&str, ToolName> = tools
        .iter()
        .zip(chosen)
        .filter_map(|(tool, found)| Some((found.id?, tool.definition.manifest.name.clone())))
        .collect();
    let named = |id: Option<&str>| id.and_then(|id| names.get(id).cloned());
    for (tool, found) in tools.iter_mut().zip(chosen) {
        let extensions = &found.extensions;
        let manifest = &mut tool.definition.manifest;
        manifest.cancels = named(extensions.cancels.as_deref());
        manifest.cancel_for = named(extensions.cancel_for.as_deref());
        tool.definition.rollback.tool = named(extensions.counterpart());
    }
}

struct ToolMaker<'a> {
    found: &'a FoundOperation<'a>,
    root: &'a Located<'a>,
    documents: &'a Documents,
    schemes: &'a BTreeMap<String, SecurityScheme>,
}

impl<'a> ToolMaker<'a> {
    fn make(&self, name: ToolName, findings: &mut Findings) -> (ImportedTool, PairPart<'a>) {
        let Self {
            found,
            root,
            documents,
            schemes,
        } = *self;
        let mut input = tool_input(found, documents, findings);
        let answer = tool_answer(found, documents, findings);
        self.check_words(findings);
        let extensions = &found.extensions;
        // Without a schema, a tool that cancels gets everything that is known about the call.
        let takes_everything =
            extensions.cancel_for.is_some() && input.is_undeclared && !found.is_read();
        if takes_everything {
            input.schema = json!({ "type": "object" });
            input.body = BodyPlan::Everything;
        }
        let is_read = found.is_read();
        let is_idempotent =
            is_read || input.has_key_header || matches!(found.method, "put" | "delete");
        let names = |field: &str| -> Vec<String> {
            match &input.schema[field] {
                Value::Object(fields) => fields.keys().cloned().collect(),
                Value::Array(names) => names
                    .iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect(),
                _ => Vec::new(),
            }
        };
        let part = PairPart {
            found,
            required: names("required"),
            arguments: names("properties"),
            answers: answer.properties,
            takes_everything,
        };
        let manifest = ToolManifest {
            name,
            description: self.description(),
            output_schema: answer.schema,
            capability: match is_read {
                true => ToolCapability::Read,
                false => ToolCapability::Write,
            },
            timeout_ms: TIMEOUT_MS,
            retry_policy: RetryPolicy {
                max_attempts: ATTEMPTS_MAX,
                backoff_ms: Some(BACKOFF_MS),
            },
            idempotent: is_idempotent,
            title: self.title(),
            scopes: Vec::new(),
            execution: Execution::Server,
            effect: Some(if is_read {
                Effect::None
            } else {
                Effect::External
            }),
            confirmation: match extensions.confirmation {
                Confirmation::Structured(kind) => Some(kind.to_owned()),
                Confirmation::Unset | Confirmation::Never => None,
            },
            cancels: None,
            cancel_for: None,
            compensation: self.compensation(),
            pii_required: extensions.personal.clone(),
            intent_tags: extensions.tags.clone(),
            guidance: None,
            heavy: false,
            aliases: Vec::new(),
            enabled: true,
            input_schema: input.schema,
        };
        let mut rollback = Rollback {
            tool: None,
            template: extensions.template.clone(),
            reversibility: extensions.reversibility,
            takes_everything,
            conflict_means_cancelled: extensions.cancel_for.is_some() && answer.declares_conflict,
            ..Rollback::default()
        };
        if let Some(seconds) = extensions.window_seconds {
            rollback.window_seconds = seconds;
        }
        let tool = ImportedTool {
            definition: Definition {
                rollback,
                ..Definition::imported(manifest)
            },
            request: RequestPlan {
                method: found.method,
                path: found.path.to_owned(),
                server: server_url(found, root),
                parameters: input.parameters,
                body: input.body,
                security: security(found, root, schemes, (documents, findings)),
            },
        };
        (tool, part)
    }

    /// A tool that cancels does so as well as it can, unless the document says otherwise.
    fn compensation(&self) -> Option<Compensation> {
        let extensions = &self.found.extensions;
        let is_part_of_pair = extensions.cancel_for.is_some() || extensions.counterpart().is_some();
        let default = is_part_of_pair.then_some(Compensation::BestEffort);
        extensions.compensation.or(default)
    }

    fn title(&self) -> Option<String> {
        let summary = self.found.operation.text("summary").map(str::trim);
        let summary = summary.filter(|summary| !summary.is_empty());
        let title = summary.map_or_else(
            || self.found.label(),
            |summary| summary.trim_end_matches('.').to_owned(),
        );
        Some(title.chars().take(TITLE_CHARS_MAX).collect())
    }

    fn description(&self) -> String {
        let text = |name: &str| {
            self.found
                .operation
                .text(name)
                .map(str::trim)
                .unwrap_or_default()
        };
        let (summary, description) = (text("summary"), text("description"));
        let whole = match (summary.is_empty(), description.is_empty()) {
            (true, true) => format!("{} {}", self.found.method.to_uppercase(), self.found.path),
            (false, true) => summary.to_owned(),
            (true, false) => description.to_owned(),
            (false, false) if description.starts_with(summary) => description.to_owned(),
            (false, false) => format!("{summary}\n\n{description}"),
        };
        whole.chars().take(DESCRIPTION_CHARS_MAX).collect()
    }

    /// People and models choose a tool by these words.
    fn check_words(&self, findings: &mut Findings) {
        let operation = &self.found.operation;
        if !self.found.extensions.is_tool {
            return;
        }
        let summary = operation.text("summary").map(str::trim).unwrap_or_default();
        if summary.is_empty() {
            let message = "The operation has no summary, which people and models choose by: add a sentence in plain words.";
            findings.warn(self.documents, &operation.place, "missing-summary", message);
        } else if is_jargon(summary, self.found.id) {
            let message = "The summary reads like code: write a sentence that a user understands.";
            let place = operation.place.child("summary");
            findings.warn(self.documents, &place, "jargon-summary", message);
        }
    }
}

/// A name of code, or words that only programmers use.
fn is_jargon(summary: &str, id: Option<&str>) -> bool {
    const WORDS: &[&str] = &[
        "endpoint", "crud", "dto", "payload", "upsert", "rpc", "crm", "gds", "pnr", "api", "json",
        "http", "uuid", "post", "get",
    ];
    let words: Vec<String> = summary
        .split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is_code = |word: &str| word.contains('_');
    Some(summary) == id
        || words.len() < 2
        || words.iter().any(|word| is_code(word))
        // `get` and `post` are ordinary verbs at the start of a sentence.
        || words.iter().skip(1).any(|word| WORDS.contains(&word.as_str()))
}

#[cfg(test)]
#[path = "import_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "lint_tests.rs"]
mod lint_tests;
