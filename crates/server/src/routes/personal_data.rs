//! The caller's permissions to give personal data to tools.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::PersonalDataGrant;
use sitewright_tool::{Capability, ErrorCode};

use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    const GRANTS: &str = "/admin/api/personal-data";
    let calls = Access::Needs(Capability::ToolsCall);
    vec![
        Route::new(
            Method::GET,
            GRANTS,
            calls,
            "The personal data that you let tools have",
            list,
        ),
        Route::new(
            Method::POST,
            GRANTS,
            calls,
            "Let a tool have the personal data that it needs",
            grant,
        ),
        Route::new(
            Method::DELETE,
            "/admin/api/personal-data/{tool}",
            calls,
            "Take back what you let a tool have",
            revoke,
        ),
    ]
}

/// The permissions of the caller.
#[derive(Serialize, JsonSchema)]
struct Grants {
    /// By tool and field.
    grants: Vec<GrantInfo>,
}

/// A permission.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GrantInfo {
    /// The tool.
    tool: String,
    /// The personal data, such as `email`.
    field: String,
    /// Since when, in ms since 1970.
    given_at: i64,
}

/// The person a caller acts as: an agent's token cannot grant anything, so this is always a person or a script of theirs.
fn person(context: &Context) -> String {
    let user = context.caller.user_id().map(ToString::to_string);
    user.unwrap_or_else(|| context.by().actor.to_string())
}

async fn list(context: Context, _: Nothing) -> Result<Json<Grants>, ApiError> {
    let grants = context
        .app
        .store()
        .personal_data_grants(context.site()?, &person(&context))
        .await?;
    let grants = grants.into_iter().map(|grant| GrantInfo {
        tool: grant.tool,
        field: grant.field,
        given_at: grant.given_at.millis(),
    });
    Ok(Json(Grants {
        grants: grants.collect(),
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewGrant {
    /// The tool.
    tool: String,
    /// The personal data; everything that the tool needs when left out.
    fields: Option<Vec<String>>,
}

async fn grant(context: Context, input: NewGrant) -> Result<Json<Grants>, ApiError> {
    context.app.refresh_tools().await?;
    let site = context.site()?;
    let listed = context.app.tools().list(None);
    let sources = context.app.tool_sources();
    let tool = listed.iter().find(|tool| {
        tool.definition.name() == input.tool && sources.is_for(site, &tool.source, &input.tool)
    });
    let Some(tool) = tool else {
        return Err(ApiError::not_found("There is no tool of this name."));
    };
    let needed = &tool.definition.manifest.pii_required;
    let fields = input.fields.unwrap_or_else(|| needed.clone());
    if let Some(other) = fields.iter().find(|field| !needed.contains(field)) {
        let message = format!(
            "The tool does not need `{other}`; it needs: {}.",
            needed.join(", ")
        );
        return Err(ApiError::new(ErrorCode::InvalidInput, message));
    }
    let person = person(&context);
    let grants: Vec<PersonalDataGrant> = fields
        .into_iter()
        .map(|field| PersonalDataGrant {
            person: person.clone(),
            tool: input.tool.clone(),
            field,
            given_at: context.now,
        })
        .collect();
    context
        .app
        .store()
        .grant_personal_data(site, &grants, &context.by())
        .await?;
    list(context, Nothing {}).await
}

async fn revoke(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let tool = context.param("tool")?;
    let store = context.app.store();
    let gone = store
        .revoke_personal_data(context.site()?, &person(&context), tool, &context.by())
        .await?;
    match gone {
        0 => Err(ApiError::not_found(
            "You haven’t given this tool access to personal data.",
        )),
        _ => Ok(Done),
    }
}
