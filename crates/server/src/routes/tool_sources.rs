//! Registering tools that run outside this server, and listing where tools come from. Headers are write-only.

use http::Method;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sitewright_connect::Registration;
use sitewright_runtime::ToolSource;
use sitewright_store::{NewRegisteredTool, StoreError};
use sitewright_tool::{Capability, ErrorCode, ToolManifest, sentence};

use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};

const MANAGE: Access = Access::Needs(Capability::ToolsManage);

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Method::POST,
            "/tools/register",
            MANAGE,
            "Connect a remote tool",
            register,
        ),
        Route::new(
            Method::DELETE,
            "/tools/{name}",
            MANAGE,
            "Remove a tool that was registered",
            remove,
        ),
        Route::new(
            Method::GET,
            "/tools/sources",
            MANAGE,
            "Where connected tools come from, and what is wrong with them",
            sources,
        ),
    ]
}

/// A remote tool to be connected. Its fields are checked together, so that all problems are told at once.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewTool {
    /// What the tool says about itself.
    #[schemars(with = "ToolManifest", required)]
    manifest: Option<Value>,
    /// Where it is called, by POST.
    #[schemars(with = "String", required)]
    endpoint: Option<Value>,
    /// Headers for every call, such as its key; they are encrypted and never shown again.
    #[schemars(with = "Option<std::collections::BTreeMap<String, String>>")]
    static_headers: Option<Value>,
    /// That nothing sent to it can do harm. Then its reads run without asking even after something from outside came into a conversation.
    #[schemars(with = "Option<bool>")]
    harmless: Option<Value>,
    /// Whether it may take the place of a tool of this name that was registered before.
    #[serde(default)]
    replace: bool,
}

/// A tool that was connected.
#[derive(Serialize, JsonSchema)]
struct RegisteredTool {
    /// Its name.
    name: String,
    /// What happened.
    outcome: Outcome,
}

/// What registering did.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    /// The tool is new.
    Registered,
    /// It took the place of one with its name.
    Replaced,
    /// It was there already, the same in everything.
    Unchanged,
}

async fn register(context: Context, input: NewTool) -> Result<Json<RegisteredTool>, ApiError> {
    let NewTool {
        manifest,
        endpoint,
        static_headers,
        harmless,
        replace,
    } = input;
    let given = [
        ("manifest", manifest),
        ("endpoint", endpoint),
        ("staticHeaders", static_headers),
        ("harmless", harmless),
    ];
    let given: Map<String, Value> = given
        .into_iter()
        .filter_map(|(field, value)| Some((field.to_owned(), value?)))
        .collect();
    let app = &context.app;
    let policy = app.settings().egress_policy();
    let registration = Registration::check(&Value::Object(given), &policy).map_err(|problems| {
        let wrong = problems.into_iter().map(|found| {
            let message = sentence(&found.to_string());
            (found.field, message)
        });
        ApiError::fields(wrong.collect())
    })?;
    app.refresh_tools().await?;
    let name = registration.manifest.name.as_str();
    let site = context.site()?;
    let known = app.tool_sources().registered_by(site);
    let before = known.iter().find(|(known, _)| known == name);
    if let Some((_, before)) = before
        && let Ok(tool) = &before.tool
        && *tool.registration() == registration
    {
        return Ok(answer(name, Outcome::Unchanged));
    }
    app.tools()
        .check_name(&ToolSource::Registered, &registration.manifest)
        .map_err(|taken| ApiError::new(ErrorCode::Conflict, sentence(&taken.to_string())))?;
    let sealed = SecretString::from(registration.to_json().to_string());
    let tool = NewRegisteredTool {
        site,
        name,
        registration: &sealed,
        host: registration.endpoint.host_str().unwrap_or_default(),
        replace,
    };
    app.secrets()
        .register_tool(&tool, &context.by())
        .await
        .map_err(|error| match error {
            StoreError::Taken { .. } => ApiError::new(
                ErrorCode::Conflict,
                format!("There is a registered tool `{name}` already. Send `replace: true` to replace it, or choose another name."),
            ),
            other => other.into(),
        })?;
    app.refresh_tools().await?;
    let outcome = match before {
        Some(_) => Outcome::Replaced,
        None => Outcome::Registered,
    };
    Ok(answer(name, outcome))
}

fn answer(name: &str, outcome: Outcome) -> Json<RegisteredTool> {
    Json(RegisteredTool {
        name: name.to_owned(),
        outcome,
    })
}

async fn remove(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let name = context.param("name")?;
    let removed = context
        .app
        .store()
        .remove_registered_tool(context.site()?, name, &context.by())
        .await;
    removed.map_err(|error| match error {
        StoreError::NotFound { .. } => ApiError::not_found(format!(
            "No tool `{}` was registered over the API; those built in or from a file cannot be removed here.",
            name.chars().take(128).collect::<String>()
        )),
        other => other.into(),
    })?;
    context.app.refresh_tools().await?;
    Ok(Done)
}

/// Where connected tools come from.
#[derive(Serialize, JsonSchema)]
struct Sources {
    /// The bootstrap file, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<FileSource>,
    /// Tools that this site registered.
    registered: Vec<RegisteredSource>,
}

/// The bootstrap file.
#[derive(Serialize, JsonSchema)]
struct FileSource {
    /// Where it is.
    path: String,
    /// The tools that were loaded.
    loaded: Vec<String>,
    /// What could not be, and why.
    problems: Vec<String>,
}

/// A tool that was registered.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RegisteredSource {
    /// Its name.
    name: String,
    /// Where its calls go.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    /// The names of the headers that go with its calls.
    header_names: Vec<String>,
    /// Whether it was marked as harmless.
    harmless: bool,
    /// Why it cannot be used, when it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

async fn sources(context: Context, _: Nothing) -> Result<Json<Sources>, ApiError> {
    context.app.refresh_tools().await?;
    let known = context.app.tool_sources();
    let file = known.file().map(|file| FileSource {
        path: file.path.display().to_string(),
        loaded: file.loaded.clone(),
        problems: file.problems.clone(),
    });
    let registered = known.registered_by(context.site()?).into_iter();
    let registered = registered.map(|(name, tool)| match tool.tool {
        Ok(tool) => RegisteredSource {
            name,
            host: tool.registration().endpoint.host_str().map(str::to_owned),
            header_names: tool
                .registration()
                .static_headers
                .keys()
                .map(ToString::to_string)
                .collect(),
            harmless: tool.registration().is_harmless,
            problem: None,
        },
        Err(problem) => RegisteredSource {
            name,
            host: None,
            header_names: Vec::new(),
            harmless: false,
            problem: Some(problem),
        },
    });
    Ok(Json(Sources {
        file,
        registered: registered.collect(),
    }))
}
