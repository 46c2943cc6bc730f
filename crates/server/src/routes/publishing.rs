//! Publishing: previewing, publishing, past releases and their files.

use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_publish::{
    DamagedAddress, HostFile, RouteChange, RouteChangeKind, export_files, host_files, uploads_of,
};
use sitewright_runtime::{Call, CallOutcome};
use sitewright_site::Author;
use sitewright_store::{Release, ReleaseId, SiteId};
use sitewright_tool::{Capability, ErrorCode, sentence};

use super::names::Names;
use crate::App;
use crate::problem::ApiError;
use crate::route::{Access, Answer, Context, Json, Nothing, Route};

/// Rendering a large site for the first time takes a while.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

pub(super) fn routes() -> Vec<Route> {
    let (read, publish) = (
        Access::Needs(Capability::SiteRead),
        Access::Needs(Capability::SitePublish),
    );
    vec![
        Route::new(
            Method::GET,
            "/admin/api/site/publish",
            read,
            "What publishing would change for visitors",
            compare,
        )
        .within(PATIENCE),
        Route::new(
            Method::POST,
            "/admin/api/site/publish",
            publish,
            "Publish the site",
            publish_site,
        )
        .within(PATIENCE)
        .open_to_agents(),
        Route::new(
            Method::GET,
            "/admin/api/site/releases",
            read,
            "What was published, the newest first",
            releases,
        ),
        Route::new(
            Method::POST,
            "/admin/api/site/releases/{id}/restore",
            publish,
            "Show visitors an earlier release again",
            restore,
        )
        .within(PATIENCE)
        .open_to_agents(),
        Route::new(
            Method::GET,
            "/admin/api/site/releases/{id}/files",
            read,
            "The files of a release as a folder for a static host",
            files,
        ),
        Route::new(
            Method::GET,
            "/admin/api/site/releases/{id}/file",
            read,
            "A file of a release",
            file,
        ),
    ]
}

/// What publishing would change.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WouldChange {
    /// Where visitors find the site, without a slash at its end; absent while the setting `public_url` does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    public_url: Option<String>,
    /// What visitors see now; absent before the first release.
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<ReleaseInfo>,
    /// Send it with publishing: then exactly this is published, or nothing.
    version: String,
    /// The last entry of the log that would be published.
    seq: u64,
    /// How many pages there would be.
    pages: usize,
    /// The addresses that would show something else.
    changes: Vec<ChangeInfo>,
    /// What is not published although somebody may think so, in sentences.
    problems: Vec<String>,
}

/// An address that would show something else.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChangeInfo {
    /// The address, such as `/about`.
    address: String,
    /// The title of the page.
    title: String,
    /// What would happen to it.
    change: RouteChangeKind,
    /// Who made the changes since it was published, the latest first.
    authors: Vec<AuthorInfo>,
    /// Whether something from outside had a part in them.
    tainted: bool,
    /// Whether it would bring code that runs for visitors.
    has_scripts: bool,
    /// What could not be rendered, and texts that are still placeholders, in sentences.
    problems: Vec<String>,
}

/// Somebody who made changes.
#[derive(Serialize, JsonSchema)]
struct AuthorInfo {
    /// Who.
    #[serde(flatten)]
    author: Author,
    /// What they are called, while that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// A release.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReleaseInfo {
    /// The release.
    id: String,
    /// Its number.
    number: u64,
    /// The entry of the log that it was made of.
    seq: u64,
    /// Who published it, such as `user:ID`, `token:ID` or `local`.
    by: String,
    /// What they are called, while that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_name: Option<String>,
    /// What they wrote about it.
    note: String,
    /// When it was published, in milliseconds since 1970.
    at: i64,
    /// How many pages it has.
    pages: u64,
    /// Whether visitors see it.
    is_current: bool,
}

fn release_info(release: Release, names: &Names, current: Option<&ReleaseId>) -> ReleaseInfo {
    let by = release.actor.to_string();
    ReleaseInfo {
        is_current: current == Some(&release.id),
        id: release.id.to_string(),
        number: release.number,
        seq: release.seq,
        by_name: names.get(&by).cloned(),
        by,
        note: release.note,
        at: release.at.millis(),
        pages: release.pages,
    }
}

fn author_info(author: Author, names: &Names) -> AuthorInfo {
    AuthorInfo {
        name: names.author(&author),
        author,
    }
}

fn change_info(change: RouteChange, names: &Names) -> ChangeInfo {
    let RouteChange {
        address,
        title,
        change,
        authors,
        tainted,
        has_scripts,
        problems,
    } = change;
    let authors = authors.into_iter();
    ChangeInfo {
        address,
        title,
        change,
        authors: authors.map(|author| author_info(author, names)).collect(),
        tainted,
        has_scripts,
        problems,
    }
}

async fn compare(context: Context, _: Nothing) -> Result<Json<WouldChange>, ApiError> {
    let site = context.site()?;
    let compared = context.app.publisher().compare(site).await?;
    let names = Names::of(&context.app, site).await?;
    let current = compared.release.as_ref().map(|release| release.id.clone());
    let changes = compared.changes.into_iter();
    let public_url = context.app.settings().public_url.as_ref();
    Ok(Json(WouldChange {
        public_url: public_url.map(|url| url.as_str().trim_end_matches('/').to_owned()),
        release: compared
            .release
            .map(|release| release_info(release, &names, current.as_ref())),
        version: compared.version,
        seq: compared.seq,
        pages: compared.pages,
        changes: changes.map(|change| change_info(change, &names)).collect(),
        problems: compared.problems,
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Publish {
    /// Addresses that keep what is published there.
    #[serde(default)]
    leave_out: Vec<String>,
    /// The version that was looked at: then exactly that is published, or nothing.
    version: Option<String>,
    /// What to write about the release.
    note: Option<String>,
    /// The same for every repeat of the same call, which then gets the first one's answer.
    idempotency_key: Option<String>,
}

/// What visitors see since.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Published {
    /// The number of the release.
    release: u64,
    /// Its id.
    release_id: String,
    /// The number of the release they saw before; null when there was none.
    before: Option<u64>,
    /// Whether they see something else now.
    is_new: bool,
    /// How many pages there are.
    pages: u64,
    /// How many addresses show something else.
    changed: usize,
    /// The first 200 of them.
    changes: Value,
    /// Addresses whose stored files are damaged and could not be written anew; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<DamagedAddress>,
}

async fn publish_site(context: Context, input: Publish) -> Result<Json<Published>, ApiError> {
    let mut arguments = json!({ "leaveOut": input.leave_out });
    if let Some(version) = input.version {
        arguments["version"] = json!(version);
    }
    if let Some(note) = input.note {
        arguments["note"] = json!(note);
    }
    run(&context, "publishSite", arguments, input.idempotency_key).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Restore {
    /// The same for every repeat of the same call, which then gets the first one's answer.
    idempotency_key: Option<String>,
}

async fn restore(context: Context, input: Restore) -> Result<Json<Published>, ApiError> {
    let id = ReleaseId::from(context.param("id")?.to_owned());
    let release = context.app.store().release(context.site()?, &id).await?;
    let arguments = json!({ "to": release.number });
    run(&context, "rollbackSite", arguments, input.idempotency_key).await
}

/// Calls a publishing tool. A request to this route counts as confirmed; the pipeline still ignores a confirmation from an agent.
async fn run(
    context: &Context,
    tool: &str,
    arguments: Value,
    key: Option<String>,
) -> Result<Json<Published>, ApiError> {
    let caller = &context.caller;
    let site = context.site()?.clone();
    let call = Call {
        key,
        is_confirmed: true,
        person: caller.user_id().map(ToString::to_string),
        session: caller.session(),
        ..Call::new(site, tool, arguments, caller.committer(context.now))
    };
    let reply = context.app.pipeline().call(call).await;
    match reply.outcome {
        CallOutcome::Done(answer) => {
            let published = serde_json::from_value(answer.data);
            Ok(Json(published.map_err(|error| ApiError::internal(&error))?))
        }
        CallOutcome::Waiting(mut pending) => {
            pending.link = Some(format!("{}{}", context.app.address(), pending.path()));
            let error = pending.error();
            Err(ApiError::new(error.code, error.message).with("approval", pending.approval()))
        }
        CallOutcome::Refused(error) | CallOutcome::Unknown(error) => {
            Err(ApiError::new(error.code, error.message))
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReleasesQuery {
    /// Only releases with a number below this one.
    before: Option<u64>,
    /// How many, at most 200; 50 when left out.
    limit: Option<u16>,
}

/// What was published.
#[derive(Serialize, JsonSchema)]
struct Releases {
    /// The releases, the newest first.
    releases: Vec<ReleaseInfo>,
    /// What to send as `before` for older ones; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

async fn releases(context: Context, input: ReleasesQuery) -> Result<Json<Releases>, ApiError> {
    let (store, site) = (context.app.store(), context.site()?);
    let limit = input.limit.unwrap_or(50).clamp(1, 200);
    let found = store.releases(site, input.before, limit).await?;
    let is_full = found.len() == usize::from(limit);
    let next = found
        .last()
        .filter(|_| is_full)
        .map(|release| release.number);
    let current = store.current_release(site).await?;
    let names = Names::of(&context.app, site).await?;
    let found = found.into_iter();
    Ok(Json(Releases {
        releases: found
            .map(|release| release_info(release, &names, current.as_ref()))
            .collect(),
        next,
    }))
}

/// The files of a release.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Files {
    /// The release.
    release: ReleaseInfo,
    /// The files, in the order of their paths.
    files: Vec<FileInfo>,
    /// Addresses of pictures that the pages show, on this server.
    uploads: Vec<String>,
}

/// A file of a release.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileInfo {
    /// Its address in the release.
    address: String,
    /// Its path in a folder, such as `about/index.html`.
    path: String,
    /// What it is.
    content_type: String,
    /// How many bytes it has.
    bytes: usize,
}

/// The release in a path: its id, or `current`.
async fn named(app: &App, site: &SiteId, name: &str) -> Result<ReleaseId, ApiError> {
    if name != "current" {
        return Ok(ReleaseId::from(name.to_owned()));
    }
    let current = app.store().current_release(site).await?;
    current.ok_or_else(|| {
        ApiError::not_found("Nothing has been published yet. Publish first, with `sitewright publish` or in the editor.")
    })
}

async fn files(context: Context, _: Nothing) -> Result<Json<Files>, ApiError> {
    let (app, site) = (&context.app, context.site()?);
    let id = named(app, site, context.param("id")?).await?;
    let shown = app.publisher().release(site, &id).await?;
    let exported = export_files(&shown)
        .map_err(|error| ApiError::new(ErrorCode::Conflict, sentence(&error.to_string())))?;
    let info = |file: sitewright_publish::ExportFile| {
        let found = shown.file(&file.address)?;
        Some(FileInfo {
            content_type: found.content_type().to_owned(),
            bytes: found.bytes().len(),
            address: file.address,
            path: file.path,
        })
    };
    let of_host = |file: HostFile| FileInfo {
        address: format!("/{}", file.path),
        path: file.path.to_owned(),
        content_type: "text/plain; charset=utf-8".to_owned(),
        bytes: file.text.len(),
    };
    let files = exported.into_iter().filter_map(info);
    let files = files
        .chain(host_files(&shown).into_iter().map(of_host))
        .collect();
    let current = app.store().current_release(site).await?;
    let names = Names::of(app, site).await?;
    Ok(Json(Files {
        release: release_info(shown.release.clone(), &names, current.as_ref()),
        files,
        uploads: uploads_of(&shown).iter().cloned().collect(),
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileQuery {
    /// The address in the release, such as `/about`.
    address: String,
}

/// Bytes sent as a download and never displayed: they are a visitors' page, and this is the administration's host.
struct Download(Bytes);

impl Answer for Download {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn respond(self) -> Response {
        let mut response = self.0.into_response();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/octet-stream");
        headers.insert(CONTENT_TYPE, kind);
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
        response
    }
}

async fn file(context: Context, input: FileQuery) -> Result<Download, ApiError> {
    let (app, site) = (&context.app, context.site()?);
    let id = named(app, site, context.param("id")?).await?;
    let shown = app.publisher().release(site, &id).await?;
    if shown.is_unavailable(&input.address) {
        let detail = format!(
            "What is published at `{}` is damaged in the file storage. Publish again to write it anew.",
            input.address
        );
        return Err(ApiError::new(ErrorCode::Unavailable, detail));
    }
    let path = input.address.strip_prefix('/');
    if let Some(file) = host_files(&shown)
        .into_iter()
        .find(|file| Some(file.path) == path)
    {
        return Ok(Download(Bytes::from(file.text)));
    }
    let found = shown.file(&input.address);
    let found = found.ok_or_else(|| {
        ApiError::not_found(format!("The release has nothing at `{}`.", input.address))
    })?;
    Ok(Download(found.bytes()))
}
