//! OpenAPI documents: checking, adding, reviewing and removing them. Credentials are write-only.

use std::collections::{BTreeMap, BTreeSet};

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_connect::openapi::{
    BUNDLE_BYTES_MAX, Bundle, Finding, FindingLevel, Import, OperationChoice, OperationSummary,
    fetch_bundle, has_errors, import, weakened_contracts,
};
use sitewright_store::{NewOpenApiDocument, StoreError};
use sitewright_tool::{Capability, ErrorCode, sentence};
use url::Url;

use crate::openapi_sources::{LoadedDocument, StoredDocument};
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};

pub(super) const MANAGE: Access = Access::Needs(Capability::ToolsManage);
/// The text of a document grows when it is written as JSON.
const BODY_MAX: usize = BUNDLE_BYTES_MAX * 2;

pub(super) fn routes() -> Vec<Route> {
    const DOCUMENTS: &str = "/admin/api/openapi";
    const DOCUMENT: &str = "/admin/api/openapi/{name}";
    vec![
        Route::new(
            Method::GET,
            DOCUMENTS,
            MANAGE,
            "The OpenAPI documents whose operations are tools",
            list,
        ),
        Route::new(
            Method::POST,
            DOCUMENTS,
            MANAGE,
            "Add the tools of an OpenAPI document",
            add,
        )
        .up_to(BODY_MAX),
        Route::new(
            Method::POST,
            "/admin/api/openapi/lint",
            MANAGE,
            "Check an OpenAPI document",
            lint,
        )
        .up_to(BODY_MAX),
        Route::new(
            Method::POST,
            DOCUMENT,
            MANAGE,
            "Decide on a new version of a document that waits for review",
            review,
        ),
        Route::new(
            Method::DELETE,
            DOCUMENT,
            MANAGE,
            "Remove a document and its tools",
            remove,
        ),
    ]
}

/// A document to check: its texts, or its address.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DocumentSource {
    /// The name of the document among the files.
    root: Option<String>,
    /// Texts by their path, relative to the folder of the document.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Where to fetch it, instead of its texts.
    url: Option<String>,
    /// Operations that are to become tools although they do not say so, by operationId or as `GET /path`.
    #[serde(default)]
    operations: BTreeSet<String>,
}

/// The texts of a document that was fetched, so that what is added is what was checked.
#[derive(Serialize, JsonSchema)]
struct FetchedTexts {
    /// The name of the document among the files.
    root: String,
    /// Texts by their path, relative to the folder of the document.
    files: BTreeMap<String, String>,
}

async fn bundle_of(
    context: &Context,
    root: Option<String>,
    files: BTreeMap<String, String>,
    url: Option<String>,
) -> Result<Bundle, ApiError> {
    let bundle = match (root, url) {
        (Some(root), None) => Bundle { root, files },
        (None, Some(url)) => {
            let url = Url::parse(&url).map_err(|_relative| {
                let message =
                    "`url` must be a whole address, such as https://api.example.com/openapi.json.";
                ApiError::field("url", message)
            })?;
            fetch_bundle(context.app.egress(), &url)
                .await
                .map_err(|error| ApiError::field("url", sentence(&error.to_string())))?
        }
        _ => {
            return Err(ApiError::invalid(
                "Give either `root` and `files`, or `url`.",
            ));
        }
    };
    check_size(&bundle)?;
    Ok(bundle)
}

/// A document to add.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewDocument {
    /// The name of the document among the files.
    root: Option<String>,
    /// Texts by their path, relative to the folder of the document.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Where to fetch it, instead of its texts.
    url: Option<String>,
    /// Where its operations are called; the document's own servers when left out.
    base_url: Option<String>,
    /// Secrets by the name of their security scheme; encrypted and never shown again. Those stored before are kept when left out.
    credentials: Option<BTreeMap<String, String>>,
    /// Operations that become tools although they do not say so, by operationId or as `GET /path`.
    #[serde(default)]
    operations: BTreeSet<String>,
    /// Whether every operation becomes a tool.
    #[serde(default)]
    all_operations: bool,
}

/// What is wrong with a document.
#[derive(Serialize, JsonSchema)]
pub(super) struct FindingInfo {
    /// `error` or `warning`.
    level: &'static str,
    /// The rule.
    code: &'static str,
    /// The place, as a JSON pointer.
    pointer: String,
    /// The line of the place.
    line: u32,
    /// What is wrong and what to do about it.
    message: String,
}

impl From<Finding> for FindingInfo {
    fn from(finding: Finding) -> Self {
        let Finding {
            level,
            code,
            pointer,
            line,
            message,
        } = finding;
        Self {
            level: match level {
                FindingLevel::Error => "error",
                FindingLevel::Warning => "warning",
            },
            code,
            pointer,
            line,
            message,
        }
    }
}

/// The result of checking a document.
#[derive(Serialize, JsonSchema)]
struct LintReport {
    /// What is wrong with it.
    findings: Vec<FindingInfo>,
    /// Its operations.
    operations: Vec<OperationInfo>,
    /// The texts, when they were fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    fetched: Option<FetchedTexts>,
}

/// An operation of a document.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OperationInfo {
    /// Its operationId, or method and path.
    label: String,
    /// What it is for.
    summary: String,
    /// Whether it is a tool.
    is_tool: bool,
}

impl From<OperationSummary> for OperationInfo {
    fn from(operation: OperationSummary) -> Self {
        let OperationSummary {
            label,
            summary,
            is_tool,
        } = operation;
        Self {
            label,
            summary,
            is_tool,
        }
    }
}

async fn lint(context: Context, input: DocumentSource) -> Result<Json<LintReport>, ApiError> {
    let is_fetched = input.url.is_some();
    let bundle = bundle_of(&context, input.root, input.files, input.url).await?;
    let choice = match input.operations.is_empty() {
        true => OperationChoice::Marked,
        false => OperationChoice::Also(input.operations),
    };
    let import = import(&bundle, &choice);
    let operations = import.operations.into_iter().map(OperationInfo::from);
    Ok(Json(LintReport {
        operations: operations.collect(),
        findings: import.findings.into_iter().map(FindingInfo::from).collect(),
        fetched: is_fetched.then_some(FetchedTexts {
            root: bundle.root,
            files: bundle.files,
        }),
    }))
}

fn check_size(bundle: &Bundle) -> Result<(), ApiError> {
    bundle
        .check_size()
        .map_err(|error| ApiError::new(ErrorCode::TooLarge, sentence(&error.to_string())))
}

/// A document whose operations are tools.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AddedDocument {
    /// What it is called.
    name: String,
    /// The names of its tools.
    tools: Vec<String>,
    /// `added`, `replaced`, `unchanged`, or `waiting` for a person's review.
    outcome: &'static str,
    /// What the new version takes away, when it waits for a review.
    weakened: Vec<String>,
    /// What could be better about it.
    findings: Vec<FindingInfo>,
}

async fn add(context: Context, input: NewDocument) -> Result<Json<AddedDocument>, ApiError> {
    let bundle = bundle_of(&context, input.root, input.files, input.url).await?;
    let base_url = input.base_url.map(|text| Url::parse(&text));
    let base_url = base_url.transpose().map_err(|_relative| {
        let message = "`baseUrl` must be a whole address, such as https://api.example.com.";
        ApiError::field("baseUrl", message)
    })?;
    let app = &context.app;
    app.refresh_tools().await?;
    let site = context.site()?;
    let choice = match (input.all_operations, input.operations.is_empty()) {
        (true, _) => OperationChoice::All,
        (false, true) => OperationChoice::Marked,
        (false, false) => OperationChoice::Also(input.operations),
    };
    let import = import(&bundle, &choice);
    if has_errors(&import.findings) {
        return Err(refused(import.findings));
    }
    let kept = app
        .tool_sources()
        .document(site, &import.title)
        .and_then(|before| before.stored);
    let credentials = input
        .credentials
        .or_else(|| kept.map(|kept| kept.credentials));
    let stored = StoredDocument {
        bundle,
        base_url,
        credentials: credentials.unwrap_or_default(),
        choice,
    };
    store(&context, stored, import).await
}

/// Stores a document whose import has no errors, and loads its tools.
pub(super) async fn store(
    context: &Context,
    stored: StoredDocument,
    import: Import,
) -> Result<Json<AddedDocument>, ApiError> {
    let app = &context.app;
    let site = context.site()?;
    let name = import.title.clone();
    let before = app.tool_sources().document(site, &name);
    let kept = before.and_then(|before| before.stored);
    let invalid = |problem: String| ApiError::new(ErrorCode::InvalidInput, sentence(&problem));
    let made = stored.tools(app, site).map_err(invalid)?;
    let source = LoadedDocument::source(&name);
    for tool in &made {
        app.tools()
            .check_name(&source, &tool.definition().manifest)
            .map_err(|taken| ApiError::new(ErrorCode::Conflict, sentence(&taken.to_string())))?;
    }
    let tools: Vec<String> = made
        .iter()
        .map(|tool| tool.definition().name().to_owned())
        .collect();
    let weakened = match &kept {
        Some(kept) => weakened_contracts(&kept.import(), &import),
        None => Vec::new(),
    };
    let outcome = match (&kept, weakened.is_empty()) {
        (None, _) => "added",
        (Some(kept), _) if *kept == stored => "unchanged",
        (Some(_), true) => "replaced",
        (Some(_), false) => "waiting",
    };
    save(context, &name, &stored, (&tools, outcome)).await?;
    app.refresh_tools().await?;
    Ok(Json(AddedDocument {
        name,
        tools,
        outcome,
        weakened,
        findings: import.findings.into_iter().map(FindingInfo::from).collect(),
    }))
}

/// The errors of a document, each with its place.
pub(super) fn refused(findings: Vec<Finding>) -> ApiError {
    let errors = findings
        .into_iter()
        .filter(|finding| finding.level == FindingLevel::Error);
    let fields = errors.take(50).map(|finding| {
        let place = format!("{} (line {})", finding.pointer, finding.line);
        (place, finding.to_string())
    });
    ApiError::fields(fields.collect())
}

async fn save(
    context: &Context,
    name: &str,
    stored: &StoredDocument,
    result: (&[String], &str),
) -> Result<(), ApiError> {
    let (tools, outcome) = result;
    let sealed = stored.seal().map_err(|_unwritable| {
        ApiError::new(ErrorCode::Internal, "The document cannot be written.")
    })?;
    let new = NewOpenApiDocument {
        site: context.site()?,
        name,
        document: &sealed,
        tools,
    };
    let secrets = context.app.secrets();
    match outcome {
        "unchanged" => {}
        "waiting" => {
            secrets
                .put_waiting_openapi_document(&new, &context.by())
                .await?
        }
        _ => secrets.put_openapi_document(&new, &context.by()).await?,
    }
    Ok(())
}

/// The documents of a site.
#[derive(Serialize, JsonSchema)]
struct DocumentList {
    /// Each with its tools.
    documents: Vec<DocumentInfo>,
}

/// A document of a site.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DocumentInfo {
    /// What it is called.
    name: String,
    /// Where its operations are called, where that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    base_url: Option<String>,
    /// The names of its tools.
    tools: Vec<String>,
    /// The security schemes that have a credential.
    credentials: Vec<String>,
    /// What a new version that waits for a review would take away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    weakened: Vec<String>,
    /// Why it cannot be used, when it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

async fn list(context: Context, _: Nothing) -> Result<Json<DocumentList>, ApiError> {
    context.app.refresh_tools().await?;
    let documents = context.app.tool_sources().documents_of(context.site()?);
    let documents = documents.into_iter().map(|document| {
        let weakened = match (&document.stored, &document.waiting) {
            (Some(stored), Some(waiting)) => {
                weakened_contracts(&stored.import(), &waiting.import())
            }
            _ => Vec::new(),
        };
        let stored = document.stored.as_ref();
        let base_url = stored
            .and_then(|stored| stored.base_url.as_ref())
            .map(ToString::to_string);
        DocumentInfo {
            name: document.name,
            base_url,
            tools: document.tools.into_iter().collect(),
            credentials: stored
                .map(|stored| stored.credentials.keys().cloned().collect())
                .unwrap_or_default(),
            weakened,
            problem: document.problem,
        }
    });
    Ok(Json(DocumentList {
        documents: documents.collect(),
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Review {
    /// Whether the new version is used from now on; otherwise it is dropped.
    accept: bool,
}

async fn review(context: Context, input: Review) -> Result<Json<Value>, ApiError> {
    let name = context.param("name")?.to_owned();
    let site = context.site()?;
    context.app.refresh_tools().await?;
    let document = context.app.tool_sources().document(site, &name);
    let waiting = document.and_then(|document| {
        let (stored, waiting) = (document.stored?, document.waiting?);
        Some(if input.accept { waiting } else { stored })
    });
    let Some(chosen) = waiting else {
        return Err(ApiError::not_found(
            "No new version of a document with this name needs a review.",
        ));
    };
    let tools = chosen
        .tools(&context.app, site)
        .map_err(|problem| ApiError::new(ErrorCode::Conflict, sentence(&problem)))?;
    let tools: Vec<String> = tools
        .iter()
        .map(|tool| tool.definition().name().to_owned())
        .collect();
    save(&context, &name, &chosen, (&tools, "replaced")).await?;
    context.app.refresh_tools().await?;
    Ok(Json(json!({ "name": name, "tools": tools })))
}

async fn remove(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let name = context.param("name")?;
    let removed = context
        .app
        .store()
        .remove_openapi_document(context.site()?, name, &context.by())
        .await;
    removed.map_err(|error| match error {
        StoreError::NotFound { .. } => {
            ApiError::not_found("There is no OpenAPI document of this name.")
        }
        other => other.into(),
    })?;
    context.app.refresh_tools().await?;
    Ok(Done)
}
