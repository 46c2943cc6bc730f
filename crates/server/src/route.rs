//! A route of the HTTP API as one value: method, path, access, input and output.
//!
//! The router, the OpenAPI document and the test that no route is public by accident are all derived from these values, so a route
//! cannot exist without declaring who may use it. A handler is a plain function from an input type to an output type.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sitewright_store::{SiteId, Stamp, Timestamp};
use sitewright_tool::{Capability, ErrorCode};
use tokio::time::timeout;

use crate::App;
use crate::body::{BodyShare, check_json, read_body};
use crate::caller::Caller;
use crate::origin::Origin;
use crate::problem::ApiError;
use crate::rate_limit::Pace;

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everyone, signed in or not.
    Public,
    /// Any person or token of this instance.
    SignedIn,
    /// Callers with this capability on the site.
    Needs(Capability),
    /// Only the machine itself: the command line on the data folder.
    Local,
}

/// Whether an agent's token may use a route, besides what `Access` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentAccess {
    /// It only reads, changes nothing but the agent's own conversations, or hands a call to the pipeline, which judges it.
    Open,
    /// It changes something without asking the policy.
    Closed,
}

/// The host names that a route answers on, where the administration has one of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hosts {
    Admin,
    /// The public one as well: files, previews and health probes.
    Every,
}

/// Everything a handler can use besides its input.
pub(crate) struct Context {
    pub(crate) app: App,
    pub(crate) caller: Caller,
    pub(crate) origin: Origin,
    pub(crate) headers: HeaderMap,
    pub(crate) now: Timestamp,
    pub(crate) params: Vec<(String, String)>,
}

impl Context {
    pub(crate) fn by(&self) -> Stamp {
        self.caller.by(self.now)
    }

    pub(crate) fn site(&self) -> Result<&SiteId, ApiError> {
        self.caller.site().map(|site| &site.id)
    }

    /// A path parameter, by the name the route gives it.
    pub(crate) fn param(&self, name: &str) -> Result<&str, ApiError> {
        let found = self.params.iter().find(|(key, _)| key == name);
        found
            .map(|(_, value)| value.as_str())
            .ok_or_else(|| ApiError::not_found("There is nothing at this address."))
    }
}

/// The input of a route that takes none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// What a handler can return.
pub(crate) trait Answer {
    const STATUS: StatusCode;
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema>;
    /// For a streaming response: its media type and the schema of one item.
    fn stream(_: &mut SchemaGenerator) -> Option<(&'static str, Schema)> {
        None
    }
    fn respond(self) -> Response;
}

/// A response with a JSON body.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize + JsonSchema> Answer for Json<T> {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }

    fn respond(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// A response without a body.
pub(crate) struct Done;

impl Answer for Done {
    const STATUS: StatusCode = StatusCode::NO_CONTENT;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn respond(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

/// A response that also changes the session cookie.
pub(crate) struct WithCookie<A>(pub(crate) A, pub(crate) HeaderValue);

impl<A: Answer> Answer for WithCookie<A> {
    const STATUS: StatusCode = A::STATUS;

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        A::schema(generator)
    }

    fn stream(generator: &mut SchemaGenerator) -> Option<(&'static str, Schema)> {
        A::stream(generator)
    }

    fn respond(self) -> Response {
        let mut response = self.0.respond();
        response.headers_mut().append(SET_COOKIE, self.1);
        response
    }
}

type Reply = Pin<Box<dyn Future<Output = Result<Response, ApiError>> + Send>>;
type Run = dyn Fn(Context, Input) -> Reply + Send + Sync;

/// The input of a request before it is parsed.
pub(crate) struct Input {
    pub(crate) query: Option<String>,
    pub(crate) content_type: Option<HeaderValue>,
    pub(crate) body: Body,
    pub(crate) body_limit: Option<usize>,
    pub(crate) time_limit: Option<Duration>,
}

/// Where a route reads its input from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputSource {
    Query,
    Json,
    /// In the query, with a file as the body.
    File,
}

/// An uploaded file, and the parameters from the query.
pub(crate) struct Upload<I> {
    pub(crate) about: I,
    pub(crate) bytes: Bytes,
}

#[derive(Clone)]
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) agents: AgentAccess,
    pub(crate) hosts: Hosts,
    pub(crate) pace: Pace,
    pub(crate) summary: &'static str,
    pub(crate) source: InputSource,
    pub(crate) input: fn(&mut SchemaGenerator) -> Schema,
    pub(crate) output: fn(&mut SchemaGenerator) -> Option<Schema>,
    pub(crate) stream: fn(&mut SchemaGenerator) -> Option<(&'static str, Schema)>,
    pub(crate) status: StatusCode,
    /// The maximum body size, where it exceeds the one in the settings.
    pub(crate) body_limit: Option<usize>,
    /// The time limit, where it exceeds the one in the settings.
    pub(crate) time_limit: Option<Duration>,
    pub(crate) run: Arc<Run>,
}

impl Route {
    /// A route that reads its input from the query for GET and DELETE, and from a JSON body otherwise.
    pub(crate) fn new<I, A, F>(
        method: Method,
        path: &'static str,
        access: Access,
        summary: &'static str,
        handler: F,
    ) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        A: Answer,
        F: Serves<I, A>,
    {
        let source = if method == Method::GET || method == Method::DELETE {
            InputSource::Query
        } else {
            InputSource::Json
        };
        Self {
            // Closed by default, so that a new route cannot become a way around the policy.
            agents: if method.is_safe() {
                AgentAccess::Open
            } else {
                AgentAccess::Closed
            },
            pace: match access {
                Access::Public if method.is_safe() => Pace::Page,
                Access::Public => Pace::Form,
                Access::SignedIn | Access::Needs(_) | Access::Local => Pace::Unlimited,
            },
            method,
            path,
            access,
            hosts: Hosts::Admin,
            summary,
            source,
            input: |generator| generator.subschema_for::<I>(),
            output: A::schema,
            stream: A::stream,
            status: A::STATUS,
            body_limit: None,
            time_limit: None,
            run: runs(handler, move |input: Input, limit| async move {
                match source {
                    InputSource::Json => parse_body(input, limit).await,
                    InputSource::Query | InputSource::File => {
                        Ok((parse_query(&input)?, BodyShare::default()))
                    }
                }
            }),
        }
    }

    /// A route whose body is a raw file, with everything else in the query.
    pub(crate) fn upload<I, A, F>(
        path: &'static str,
        access: Access,
        summary: &'static str,
        handler: F,
    ) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send,
        A: Answer,
        F: Serves<Upload<I>, A>,
    {
        Self {
            method: Method::POST,
            path,
            access,
            agents: AgentAccess::Closed,
            hosts: Hosts::Admin,
            pace: Pace::Unlimited,
            summary,
            source: InputSource::File,
            input: |generator| generator.subschema_for::<I>(),
            output: A::schema,
            stream: A::stream,
            status: A::STATUS,
            body_limit: None,
            time_limit: None,
            run: runs(handler, |input: Input, limit| async move {
                let about = parse_query(&input)?;
                let (bytes, share) = read_body(input.body, limit).await?;
                Ok((Upload { about, bytes }, share))
            }),
        }
    }

    /// Lets agents use it although it is not a read; see [`AgentAccess::Open`] for when that is right.
    pub(crate) fn open_to_agents(self) -> Self {
        Self {
            agents: AgentAccess::Open,
            ..self
        }
    }

    /// Allows the requests of a browser that loads the files of pages.
    pub(crate) fn for_files(self) -> Self {
        Self {
            pace: Pace::File,
            ..self
        }
    }

    /// Keeps agents from a read that would give them what they may not make.
    pub(crate) fn closed_to_agents(self) -> Self {
        Self {
            agents: AgentAccess::Closed,
            ..self
        }
    }

    /// Answers on the public host name, too.
    pub(crate) fn on_every_host(self) -> Self {
        Self {
            hosts: Hosts::Every,
            ..self
        }
    }

    /// Raises the body limit to this many bytes.
    pub(crate) fn up_to(self, bytes: usize) -> Self {
        Self {
            body_limit: Some(bytes),
            ..self
        }
    }

    /// Raises the time limit.
    pub(crate) fn within(self, limit: Duration) -> Self {
        Self {
            time_limit: Some(limit),
            ..self
        }
    }
}

/// An async function from a context and an input to a response.
pub(crate) trait Serves<I, A>: Clone + Send + Sync + 'static {
    fn call(self, context: Context, input: I) -> impl Future<Output = Result<A, ApiError>> + Send;
}

impl<I, A, F, Fut> Serves<I, A> for F
where
    F: Fn(Context, I) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<A, ApiError>> + Send,
    I: Send,
{
    fn call(self, context: Context, input: I) -> impl Future<Output = Result<A, ApiError>> + Send {
        self(context, input)
    }
}

/// Parses the input and calls the handler. Size and time are limited by the settings, which a route can only raise. Parsing and
/// handling each get the whole time limit.
fn runs<I, A, F, P, Fut>(handler: F, parse: P) -> Arc<Run>
where
    A: Answer,
    F: Serves<I, A>,
    P: Fn(Input, usize) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<(I, BodyShare), ApiError>> + Send,
{
    Arc::new(move |context: Context, input: Input| -> Reply {
        let (handler, parse) = (handler.clone(), parse.clone());
        Box::pin(async move {
            let settings = context.app.settings();
            let usual = settings.body_limit_bytes;
            let most = input.body_limit.map_or(usual, |limit| limit.max(usual));
            let limit = settings.request_timeout();
            let within = input.time_limit.map_or(limit, |longer| longer.max(limit));
            let (parsed, _share) = timeout(within, parse(input, most))
                .await
                .map_err(|_elapsed| ApiError::body_too_slow())??;
            let late = |_elapsed| {
                ApiError::new(
                    ErrorCode::Timeout,
                    "The request took too long and was stopped.",
                )
            };
            let answer = timeout(within, handler.call(context, parsed))
                .await
                .map_err(late)??;
            Ok(answer.respond())
        })
    })
}

fn parse_query<T: DeserializeOwned>(input: &Input) -> Result<T, ApiError> {
    let query = input.query.as_deref().unwrap_or_default();
    let pairs = serde_urlencoded::Deserializer::new(url::form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs)
        .map_err(|error| wrong_field(&error.path().to_string(), &error.into_inner().to_string()))
}

async fn parse_body<T: DeserializeOwned>(
    input: Input,
    limit: usize,
) -> Result<(T, BodyShare), ApiError> {
    let (bytes, share) = read_body(input.body, limit).await?;
    if bytes.is_empty() {
        // A body may be omitted where every field is optional.
        let value = serde_json::from_slice(b"{}")
            .map_err(|_error| ApiError::invalid("The body is empty; send a JSON object."))?;
        return Ok((value, share));
    }
    let is_json = input
        .content_type
        .as_ref()
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| {
            let essence = value.split(';').next().unwrap_or_default().trim();
            essence.eq_ignore_ascii_case("application/json")
        });
    if !is_json {
        return Err(ApiError::invalid(format!(
            "Send the body as JSON, with the header {CONTENT_TYPE}: application/json."
        )));
    }
    // serde would accept an array as the fields in order, which our schemas do not allow.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err(ApiError::invalid("The body must be a JSON object: { … }."));
    }
    check_json(&bytes)?;
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| wrong_field(&error.path().to_string(), &error.into_inner().to_string()))?;
    json.end().map_err(|error| {
        ApiError::invalid(format!(
            "There is something behind the JSON object: {error}."
        ))
    })?;
    Ok((value, share))
}

fn wrong_field(path: &str, reason: &str) -> ApiError {
    let named = |prefix: &str| Some(reason.strip_prefix(prefix)?.split_once('`')?.0);
    let within = |path: &str, field: &str| match path {
        "." | "" => field.to_owned(),
        path => format!("{path}.{field}"),
    };
    if let Some(field) = named("missing field `") {
        let field = within(path, field);
        return ApiError::field(&*field, format!("`{field}` is missing."));
    }
    if let Some(field) = named("duplicate field `") {
        // The path ends in a question mark, or in the field itself.
        let path = path.strip_suffix('?').or(path.strip_suffix(field));
        let above = path.unwrap_or_default().trim_end_matches('.');
        let field = within(above, field);
        return ApiError::field(&*field, format!("`{field}` is given twice."));
    }
    match path {
        // serde_path_to_error writes a question mark where it cannot name the field.
        path if path == "." || path.is_empty() || path.contains('?') => {
            ApiError::invalid(format!("The input cannot be read: {reason}."))
        }
        field => ApiError::field(field, format!("`{field}`: {reason}.")),
    }
}
