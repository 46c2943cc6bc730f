//! Talking to the assistant: a turn as a stream of lines, results from browser tabs, and following or stopping a turn.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_agent::{
    AppliedPlan, Executor, Mode, NewMessage, PlanPreview, TabRequest, TurnOutcome,
};
use sitewright_llm::Block;
use sitewright_runtime::TabAnswer;
use sitewright_site::{BodyId, Change, DocumentRef, NodeId, RecordId, View};
use sitewright_store::{ConversationId, ConversationOwner, TurnId};
use sitewright_tool::{Capability, Envelope, ErrorCode, Image, Receipt, Scope, ToolError};

use super::turn_lines::Lines;
use super::{TurnStateWord, owner, scope};
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Route};

const PROMPT_CHARS_MAX: usize = 100_000;
const IMAGES_MAX: usize = 8;
/// Large, for pictures in a prompt and for a tab's result with its snapshot.
const BODY_MAX: usize = 24 * 1024 * 1024;

pub(super) fn routes() -> Vec<Route> {
    const TURN: &str = "/admin/api/ai/turns/{id}";
    let chats = Access::Needs(Capability::AiChat);
    vec![
        Route::new(
            Method::POST,
            "/admin/api/ai/chat/{scope}",
            chats,
            "Say something to the assistant, and follow its turn as lines of JSON",
            chat,
        )
        .up_to(BODY_MAX)
        .open_to_agents(),
        Route::new(
            Method::POST,
            "/admin/api/ai/tool-result",
            chats,
            "Answer a tool request as the tab that was asked",
            tool_result,
        )
        .up_to(BODY_MAX),
        Route::new(
            Method::GET,
            "/admin/api/ai/turns/{id}/events",
            chats,
            "Follow a turn: its state, then every event",
            events,
        ),
        Route::new(
            Method::POST,
            "/admin/api/ai/turns/{id}/abort",
            chats,
            "Stop a turn",
            abort,
        )
        .open_to_agents(),
        Route::new(Method::GET, TURN, chats, "A turn and how it ended", turn),
        Route::new(
            Method::POST,
            "/admin/api/ai/turns/{id}/plan",
            Access::Needs(Capability::AiToolsWrite),
            "Apply the accepted operations of a plan",
            accept,
        ),
        Route::new(
            Method::POST,
            "/admin/api/ai/turns/{id}/plan/preview",
            chats,
            "A page as the accepted operations of a plan would leave it",
            preview,
        )
        .open_to_agents(),
    ]
}

/// Something that is said to the assistant.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Said {
    /// The conversation.
    conversation_id: String,
    /// What is said; may be left out to go on with a turn.
    #[serde(default)]
    prompt: String,
    /// Pictures that belong to it, in base64.
    #[serde(default)]
    images: Vec<Image>,
    /// What the editor shows.
    #[serde(default)]
    #[schemars(with = "Option<EditorSnapshot>")]
    snapshot: Option<Value>,
    /// `edit`, or `plan` for a plan that is accepted later.
    #[serde(default)]
    mode: ModeWord,
    /// `browser` to run tools of the editor in this tab, which is usual when a snapshot is sent; else `headless`.
    #[serde(default)]
    executor: Option<ExecutorWord>,
    /// A turn that was interrupted and is to go on.
    #[serde(default)]
    turn_id: Option<String>,
}

#[derive(Deserialize, JsonSchema, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum ModeWord {
    #[default]
    Edit,
    Plan,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum ExecutorWord {
    Browser,
    Headless,
}

async fn chat(context: Context, said: Said) -> Result<Lines, ApiError> {
    let scope = scope(&context)?;
    let site = context.site()?.clone();
    let owner = owner(&context);
    let agent = context.app.agent();
    if let Some(turn) = said.turn_id {
        let sent = agent
            .go_on(
                ConversationOwner {
                    site: &site,
                    owner: &owner,
                },
                &TurnId::from(turn),
            )
            .await?;
        return Ok(Lines::new(&context, sent));
    }
    let conversation = ConversationId::from(said.conversation_id);
    let kept = context
        .app
        .store()
        .conversation(
            ConversationOwner {
                site: &site,
                owner: &owner,
            },
            &conversation,
        )
        .await?;
    if kept.scope != scope {
        return Err(ApiError::field(
            "conversationId",
            format!(
                "This conversation is about `{}`; talk to it there, or begin another.",
                kept.scope.as_str()
            ),
        ));
    }
    let mode = mode(said.mode, scope)?;
    let content = content(&said.prompt, said.images)?;
    let executor = match (scope, said.executor, &said.snapshot) {
        // A tab has no entries, so there is nothing that it could run of the content scope.
        (Scope::Content, _, _) => Executor::Headless,
        (_, Some(ExecutorWord::Headless), _) | (_, None, None) => Executor::Headless,
        (_, Some(ExecutorWord::Browser), _) | (_, None, Some(_)) => Executor::Browser,
    };
    let snapshot = said.snapshot.as_ref();
    let sent = agent
        .send(NewMessage {
            site,
            conversation,
            owner,
            person: context.caller.user_id().map(ToString::to_string),
            actor: context.by().actor,
            capabilities: context.caller.capabilities(),
            content,
            mode,
            executor,
            view: snapshot.map(view).unwrap_or_default(),
            entry: snapshot.and_then(entry),
        })
        .await?;
    Ok(Lines::new(&context, sent))
}

fn mode(word: ModeWord, scope: Scope) -> Result<Mode, ApiError> {
    match word {
        ModeWord::Edit => Ok(Mode::Edit),
        ModeWord::Plan if scope == Scope::Site => Ok(Mode::Plan),
        ModeWord::Plan => Err(ApiError::field(
            "mode",
            "A plan is made of edits of pages, so only `site` has one; leave `mode` out.",
        )),
    }
}

fn content(prompt: &str, images: Vec<Image>) -> Result<Vec<Block>, ApiError> {
    if prompt.trim().is_empty() && images.is_empty() {
        return Err(ApiError::field(
            "prompt",
            "`prompt` is empty; say something.",
        ));
    }
    if prompt.chars().count() > PROMPT_CHARS_MAX {
        return Err(ApiError::field(
            "prompt",
            format!("`prompt` may have {PROMPT_CHARS_MAX} characters; shorten it."),
        ));
    }
    if images.len() > IMAGES_MAX {
        return Err(ApiError::field(
            "images",
            format!("There may be {IMAGES_MAX} pictures; send fewer."),
        ));
    }
    let types = ["image/png", "image/jpeg", "image/webp", "image/gif"];
    if let Some(other) = images
        .iter()
        .find(|image| !types.contains(&image.mime_type.as_str()))
    {
        return Err(ApiError::field(
            "images",
            format!(
                "`{}` is not a picture that can be sent; use PNG, JPEG, WebP or GIF.",
                other.mime_type
            ),
        ));
    }
    let mut content = Vec::new();
    if !prompt.trim().is_empty() {
        content.push(Block::text(prompt));
    }
    content.extend(images.into_iter().map(Block::Image));
    Ok(content)
}

/// What is read of a snapshot, which may hold more.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "described and not parsed: one malformed part must not refuse the others"
)]
struct EditorSnapshot {
    current_document: Option<DocumentRef>,
    selected_node_id: Option<NodeId>,
    active_breakpoint_id: Option<String>,
    /// The entry that the content workspace has open.
    current_entry_id: Option<RecordId>,
}

/// Reads the parts of a snapshot that are used; malformed parts are ignored.
fn view(snapshot: &Value) -> View {
    let id = |value: &Value| -> Option<BodyId> { serde_json::from_value(value.clone()).ok() };
    View {
        current: id(&snapshot["currentDocument"]["id"]),
        selected: serde_json::from_value(snapshot["selectedNodeId"].clone()).ok(),
        breakpoint: snapshot["activeBreakpointId"].as_str().map(str::to_owned),
    }
}

/// The entry that a snapshot of the content workspace names.
fn entry(snapshot: &Value) -> Option<RecordId> {
    serde_json::from_value(snapshot["currentEntryId"].clone()).ok()
}

/// What a tab answers to a tool request.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TabSaid {
    /// The bridge, as `bridgeReady` names it.
    bridge_id: String,
    /// The request.
    request_id: String,
    /// What the tool said.
    result: TabResult,
    /// What the editor shows now.
    #[serde(default)]
    #[schemars(with = "Option<EditorSnapshot>")]
    snapshot: Option<Value>,
    /// The change that the tool planned, with the id of the request; the server commits it.
    #[serde(default)]
    changes: Vec<Change>,
}

/// What a tool said in a tab.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TabResult {
    /// Whether it did what was asked.
    ok: bool,
    /// What it answered.
    #[serde(default)]
    data: Option<Value>,
    /// Why it failed.
    #[serde(default)]
    error: Option<String>,
    /// Pictures.
    #[serde(default)]
    images: Vec<Image>,
    /// What it would do.
    #[serde(default)]
    receipt: Option<Receipt>,
}

async fn tool_result(context: Context, said: TabSaid) -> Result<Done, ApiError> {
    let gone = || ApiError::not_found("This request is no longer waiting for an answer.");
    let owner = owner(&context);
    let agent = context.app.agent();
    let asked = TabRequest {
        bridge: &said.bridge_id,
        request: &said.request_id,
    };
    let writes = agent.waits_for(&owner, asked).ok_or_else(gone)?;
    if writes && !context.caller.capabilities().has(Capability::AiToolsWrite) {
        return Err(ApiError::forbidden(
            "This needs the permission `ai.tools.write`; ask an owner of the site for it.",
        ));
    }
    if said.changes.len() > 1 {
        return Err(ApiError::field(
            "changes",
            "A tool makes one change; put all its steps into it.",
        ));
    }
    let result = said.result;
    let envelope = Envelope {
        images: result.images,
        receipt: result.receipt,
        ..match (result.ok, result.error) {
            (true, _) => Envelope::done(result.data.unwrap_or_default()),
            (false, error) => Envelope::failed(ToolError::new(
                ErrorCode::Internal,
                error.unwrap_or_else(|| "The editor could not do this.".to_owned()),
            )),
        }
    };
    let view = said.snapshot.as_ref().map(view);
    let answer = TabAnswer {
        envelope,
        change: said.changes.into_iter().next(),
        open: None::<DocumentRef>,
    };
    match agent.answer(&owner, asked, answer, view) {
        true => Ok(Done),
        false => Err(gone()),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct EventsQuery {
    /// The last event that is known. What came since is told as one state, which is left out when nothing did.
    #[serde(default)]
    after: Option<u64>,
    /// The life of the turn that `after` counts in, as the state and `bridgeReady` name it.
    #[serde(default)]
    epoch: Option<String>,
    /// The bridge of the tab that is there again.
    #[serde(default)]
    bridge_id: Option<String>,
}

async fn events(context: Context, query: EventsQuery) -> Result<Lines, ApiError> {
    let (site, owner) = (context.site()?.clone(), owner(&context));
    let id = TurnId::from(context.param("id")?.to_owned());
    let bridge = query.bridge_id.as_deref();
    let agent = context.app.agent();
    let mut sent = agent
        .watch(
            ConversationOwner {
                site: &site,
                owner: &owner,
            },
            &id,
            bridge,
        )
        .await?;
    if let (Some(after), Some(epoch)) = (query.after, query.epoch) {
        sent.watch = sent.watch.after(&epoch, after);
    }
    Ok(Lines::new(&context, sent))
}

/// Whether there was something to stop.
#[derive(Serialize, JsonSchema)]
struct Aborted {
    /// False when the turn was over already.
    stopped: bool,
}

async fn abort(context: Context, _: crate::route::Nothing) -> Result<Json<Aborted>, ApiError> {
    let (site, owner) = (context.site()?.clone(), owner(&context));
    let id = TurnId::from(context.param("id")?.to_owned());
    let stopped = context
        .app
        .agent()
        .abort(
            ConversationOwner {
                site: &site,
                owner: &owner,
            },
            &id,
        )
        .await?;
    Ok(Json(Aborted { stopped }))
}

/// A turn.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TurnInfo {
    /// The turn.
    id: String,
    /// The conversation it belongs to.
    conversation_id: String,
    state: TurnStateWord,
    /// How it ended: what it used, what it cost, why it failed, and the plan it handed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<TurnOutcome>,
    /// How its plan was applied, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied_plan: Option<AppliedPlan>,
    /// When it began, in ms since 1970.
    started_at: i64,
    /// When it ended, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<i64>,
}

async fn turn(context: Context, _: crate::route::Nothing) -> Result<Json<TurnInfo>, ApiError> {
    let (site, owner) = (context.site()?.clone(), owner(&context));
    let id = TurnId::from(context.param("id")?.to_owned());
    let store = context.app.store();
    let record = store.turn(&site, &id).await?;
    store
        .conversation(
            ConversationOwner {
                site: &site,
                owner: &owner,
            },
            &record.conversation,
        )
        .await?;
    let applied_plan = context.app.agent().applied_plan(&site, &id).await?;
    Ok(Json(TurnInfo {
        id: record.id.to_string(),
        applied_plan,
        conversation_id: record.conversation.to_string(),
        state: record.state.into(),
        outcome: TurnOutcome::of(&record),
        started_at: record.started_at.millis(),
        ended_at: record.ended_at.map(sitewright_store::Timestamp::millis),
    }))
}

/// What is accepted of a plan.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Accepted {
    /// The positions of the accepted operations; all when left out.
    #[serde(default)]
    accept: Option<Vec<usize>>,
}

async fn accept(context: Context, input: Accepted) -> Result<Json<Envelope>, ApiError> {
    let (site, owner) = (context.site()?.clone(), owner(&context));
    let id = TurnId::from(context.param("id")?.to_owned());
    let by = context.caller.committer(context.now);
    let answer = context
        .app
        .agent()
        .accept_plan(
            ConversationOwner {
                site: &site,
                owner: &owner,
            },
            &id,
            input.accept,
            by,
        )
        .await?;
    Ok(Json(answer.into()))
}

/// What to look at.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Previewed {
    /// The positions of the accepted operations; all when left out.
    #[serde(default)]
    accept: Option<Vec<usize>>,
    /// The page; the one that the plan opens when left out.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    page_id: Option<BodyId>,
}

async fn preview(context: Context, input: Previewed) -> Result<Json<Envelope>, ApiError> {
    let (site, owner) = (context.site()?.clone(), owner(&context));
    let id = TurnId::from(context.param("id")?.to_owned());
    let by = context.caller.committer(context.now);
    let preview = PlanPreview {
        accept: input.accept,
        page: input.page_id,
    };
    let answer = context
        .app
        .agent()
        .preview_plan(
            ConversationOwner {
                site: &site,
                owner: &owner,
            },
            &id,
            preview,
            by,
        )
        .await?;
    Ok(Json(answer.into()))
}
