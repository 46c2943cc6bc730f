//! One OpenAPI document: what is wrong with it, and which of its operations are tools.

use std::collections::BTreeSet;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_connect::openapi::{OperationChoice, has_errors};
use sitewright_tool::ErrorCode;

use super::openapi_documents::{AddedDocument, FindingInfo, MANAGE, OperationInfo, refused, store};
use crate::openapi_sources::StoredDocument;
use crate::problem::ApiError;
use crate::route::{Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Method::GET,
            "/admin/api/openapi/{name}",
            MANAGE,
            "A document with its operations and what is wrong with it",
            one,
        ),
        Route::new(
            Method::POST,
            "/admin/api/openapi/{name}/operations",
            MANAGE,
            "Choose the operations of a document that become tools",
            choose,
        ),
    ]
}

/// A document in full.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DocumentDetail {
    /// What it is called.
    name: String,
    /// What could be better about it.
    findings: Vec<FindingInfo>,
    /// Its operations, and which of them are tools.
    operations: Vec<OperationInfo>,
    /// The operations that were chosen although they do not say that they are tools.
    chosen: Vec<String>,
    /// Whether every operation is a tool.
    all_operations: bool,
    /// The security schemes whose secrets can be given.
    schemes: Vec<String>,
}

fn stored(context: &Context) -> Result<StoredDocument, ApiError> {
    let name = context.param("name")?;
    let document = context.app.tool_sources().document(context.site()?, name);
    let document = document
        .ok_or_else(|| ApiError::not_found("There is no OpenAPI document of this name."))?;
    document.stored.ok_or_else(|| {
        let message = "The document cannot be read. Remove it and add it again.";
        ApiError::new(ErrorCode::Conflict, message)
    })
}

async fn one(context: Context, _: Nothing) -> Result<Json<DocumentDetail>, ApiError> {
    context.app.refresh_tools().await?;
    let stored = stored(&context)?;
    let import = stored.import();
    let (chosen, all_operations) = match stored.choice {
        OperationChoice::Marked => (BTreeSet::new(), false),
        OperationChoice::Also(names) => (names, false),
        OperationChoice::All => (BTreeSet::new(), true),
    };
    Ok(Json(DocumentDetail {
        name: import.title,
        findings: import.findings.into_iter().map(FindingInfo::from).collect(),
        operations: import
            .operations
            .into_iter()
            .map(OperationInfo::from)
            .collect(),
        chosen: chosen.into_iter().collect(),
        all_operations,
        schemes: import.schemes.into_keys().collect(),
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ChosenOperations {
    /// By operationId or as `GET /path`; those that say that they are tools need not be named.
    operations: BTreeSet<String>,
}

async fn choose(
    context: Context,
    input: ChosenOperations,
) -> Result<Json<AddedDocument>, ApiError> {
    context.app.refresh_tools().await?;
    let stored = StoredDocument {
        choice: match input.operations.is_empty() {
            true => OperationChoice::Marked,
            false => OperationChoice::Also(input.operations),
        },
        ..stored(&context)?
    };
    let import = stored.import();
    if has_errors(&import.findings) {
        return Err(refused(import.findings));
    }
    store(&context, stored, import).await
}
