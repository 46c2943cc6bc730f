//! A person's conversations with the assistant, and the notes about the site that people wrote for it.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_llm::Block;
use sitewright_store::{
    Conversation, ConversationId, ConversationOwner, ConversationPatch, MessageRow,
};
use sitewright_tool::{Capability, Scope};

use super::{TurnStateWord, owner};
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};

const LISTED_MAX: u16 = 200;
const TITLE_CHARS_MAX: usize = 200;
const BRIEF_CHARS_MAX: usize = 8_000;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/admin/api/ai/conversations";
    const ONE: &str = "/admin/api/ai/conversations/{id}";
    const BRIEF: &str = "/admin/api/ai/brief";
    let chats = Access::Needs(Capability::AiChat);
    let manages = Access::Needs(Capability::SettingsManage);
    vec![
        Route::new(
            Method::GET,
            ALL,
            chats,
            "Your conversations, the newest first",
            list,
        ),
        Route::new(Method::POST, ALL, chats, "Begin a conversation", create).open_to_agents(),
        Route::new(
            Method::GET,
            ONE,
            chats,
            "A conversation with its messages",
            read,
        ),
        Route::new(
            Method::PATCH,
            ONE,
            chats,
            "Rename a conversation or choose another model for it",
            change,
        )
        .open_to_agents(),
        Route::new(Method::DELETE, ONE, chats, "Remove a conversation", remove).open_to_agents(),
        Route::new(
            Method::GET,
            BRIEF,
            chats,
            "What people wrote about the site for the assistant",
            brief,
        ),
        Route::new(
            Method::PUT,
            BRIEF,
            manages,
            "Set what the assistant should know about the site",
            set_brief,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only conversations of this scope.
    scope: Option<Scope>,
}

/// Conversations.
#[derive(Serialize, JsonSchema)]
struct Conversations {
    /// The newest first.
    conversations: Vec<ConversationView>,
}

/// A conversation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ConversationView {
    /// The conversation.
    id: String,
    /// What it is about.
    scope: Scope,
    /// What it is called.
    title: String,
    /// The credential that is used; none for the built-in commands.
    credential_id: Option<String>,
    /// The model that is asked.
    model_id: Option<String>,
    /// How much of the model's window it fills.
    context_tokens: Option<u64>,
    /// When it began, in ms since 1970.
    created_at: i64,
    /// When something was said in it last, in ms since 1970.
    updated_at: i64,
}

impl From<Conversation> for ConversationView {
    fn from(conversation: Conversation) -> Self {
        Self {
            id: conversation.id.to_string(),
            scope: conversation.scope,
            title: conversation.title,
            credential_id: conversation.credential,
            model_id: conversation.model,
            context_tokens: conversation.context_tokens,
            created_at: conversation.created_at.millis(),
            updated_at: conversation.updated_at.millis(),
        }
    }
}

/// A conversation and what was said in it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WithMessages {
    /// The conversation.
    conversation: ConversationView,
    /// What was said, in order.
    messages: Vec<MessageView>,
    /// The newest turn, which may be under way, waiting or interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_turn: Option<LastTurn>,
}

/// The newest turn of a conversation.
#[derive(Serialize, JsonSchema)]
struct LastTurn {
    /// The turn.
    id: String,
    state: TurnStateWord,
}

/// A message.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MessageView {
    /// Its place in the conversation.
    seq: u64,
    /// The turn it belongs to.
    turn_id: String,
    /// `user`, `assistant` or `tool`.
    role: String,
    /// Blocks of the kinds `text`, `image`, `toolCall` and `toolResult`.
    #[schemars(with = "Vec<Block>")]
    content: Vec<Value>,
    /// When it was said, in ms since 1970.
    at: i64,
}

impl From<MessageRow> for MessageView {
    fn from(row: MessageRow) -> Self {
        let blocks: Vec<Value> = serde_json::from_str(&row.content).unwrap_or_default();
        Self {
            seq: row.seq,
            turn_id: row.turn.to_string(),
            role: row.role,
            content: blocks.into_iter().filter_map(shown).collect(),
            at: row.at.millis(),
        }
    }
}

/// A block as shown to people: without the parts that only its provider understands.
fn shown(mut block: Value) -> Option<Value> {
    if block["kind"] == "reasoning" {
        return None;
    }
    if let Some(fields) = block.as_object_mut() {
        fields.remove("echo");
    }
    Some(block)
}

async fn list(context: Context, query: ListQuery) -> Result<Json<Conversations>, ApiError> {
    let owner = owner(&context);
    let place = ConversationOwner {
        site: context.site()?,
        owner: owner.as_str(),
    };
    let store = context.app.store();
    let found = store.conversations(place, query.scope, LISTED_MAX).await?;
    Ok(Json(Conversations {
        conversations: found.into_iter().map(Into::into).collect(),
    }))
}

/// A conversation to begin.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewConversation {
    /// What it is about.
    scope: Scope,
    /// The credential; the scope's default is used when neither this nor a model is given.
    #[serde(default)]
    credential_id: Option<String>,
    /// The model; `offline` for the built-in commands, which need no credential.
    #[serde(default)]
    model_id: Option<String>,
}

async fn create(
    context: Context,
    input: NewConversation,
) -> Result<Json<ConversationView>, ApiError> {
    let model = chosen(&context, input.credential_id, input.model_id).await?;
    let owner = owner(&context);
    let place = ConversationOwner {
        site: context.site()?,
        owner: owner.as_str(),
    };
    let agent = context.app.agent();
    let begun = agent
        .begin_conversation(place, input.scope, model, &context.by())
        .await?;
    Ok(Json(begun.into()))
}

/// Validates the choice: a credential of the site and a model, or the built-in commands.
async fn chosen(
    context: &Context,
    credential: Option<String>,
    model: Option<String>,
) -> Result<Option<(Option<String>, String)>, ApiError> {
    match (credential, model) {
        (None, None) => Ok(None),
        (None, Some(model)) if model == sitewright_agent::OFFLINE => Ok(Some((None, model))),
        (None, Some(_)) => Err(ApiError::field(
            "credentialId",
            "Say whose access is used for this model, with `credentialId`.",
        )),
        (Some(_), None) => Err(ApiError::field("modelId", "Choose a model with `modelId`.")),
        (Some(credential), Some(model)) => {
            let id = credential.clone().into();
            context.app.store().credential(context.site()?, &id).await?;
            Ok(Some((Some(credential), model)))
        }
    }
}

async fn read(context: Context, _: Nothing) -> Result<Json<WithMessages>, ApiError> {
    let owner = owner(&context);
    let place = ConversationOwner {
        site: context.site()?,
        owner: owner.as_str(),
    };
    let id = ConversationId::from(context.param("id")?.to_owned());
    let store = context.app.store();
    let conversation = store.conversation(place, &id).await?;
    let messages = store.messages(&id).await?;
    let last = store.turns(&id, 1).await?.into_iter().next();
    Ok(Json(WithMessages {
        conversation: conversation.into(),
        messages: messages.into_iter().map(Into::into).collect(),
        last_turn: last.map(|turn| LastTurn {
            id: turn.id.to_string(),
            state: turn.state.into(),
        }),
    }))
}

/// What is to be different about a conversation.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ConversationChange {
    /// Another title.
    #[serde(default)]
    title: Option<String>,
    /// Another credential.
    #[serde(default)]
    credential_id: Option<String>,
    /// Another model.
    #[serde(default)]
    model_id: Option<String>,
}

async fn change(
    context: Context,
    input: ConversationChange,
) -> Result<Json<ConversationView>, ApiError> {
    let title = input.title.map(|title| title.trim().to_owned());
    if title
        .as_ref()
        .is_some_and(|title| title.is_empty() || title.chars().count() > TITLE_CHARS_MAX)
    {
        return Err(ApiError::field(
            "title",
            format!("`title` must have 1 to {TITLE_CHARS_MAX} characters."),
        ));
    }
    let model = chosen(&context, input.credential_id, input.model_id).await?;
    let patch = ConversationPatch {
        title,
        model: model.map(|(credential, model)| (credential, Some(model))),
    };
    let owner = owner(&context);
    let place = ConversationOwner {
        site: context.site()?,
        owner: owner.as_str(),
    };
    let id = ConversationId::from(context.param("id")?.to_owned());
    let changed = context
        .app
        .store()
        .change_conversation(place, &id, &patch)
        .await?;
    Ok(Json(changed.into()))
}

async fn remove(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let owner = owner(&context);
    let place = ConversationOwner {
        site: context.site()?,
        owner: owner.as_str(),
    };
    let id = ConversationId::from(context.param("id")?.to_owned());
    let store = context.app.store();
    store.delete_conversation(place, &id, &context.by()).await?;
    Ok(Done)
}

/// What people wrote about the site for the assistant.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Brief {
    /// The text; empty when there is none.
    brief: String,
}

async fn brief(context: Context, _: Nothing) -> Result<Json<Brief>, ApiError> {
    let brief = context.app.store().site_brief(context.site()?).await?;
    Ok(Json(Brief {
        brief: brief.unwrap_or_default(),
    }))
}

async fn set_brief(context: Context, input: Brief) -> Result<Json<Brief>, ApiError> {
    let brief = input.brief.trim();
    if brief.chars().count() > BRIEF_CHARS_MAX {
        return Err(ApiError::field(
            "brief",
            format!("`brief` may have {BRIEF_CHARS_MAX} characters; keep to what matters."),
        ));
    }
    let store = context.app.store();
    store
        .set_site_brief(context.site()?, brief, &context.by())
        .await?;
    Ok(Json(Brief {
        brief: brief.to_owned(),
    }))
}
