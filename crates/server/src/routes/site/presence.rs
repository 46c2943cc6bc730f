//! Who else is on which page, and whose turn of the assistant is running.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_site::{BadId, BodyId};
use sitewright_store::{Actor, SiteId, StoreError, UserId};
use tokio::time::Instant;

use crate::App;
use crate::presence::There;
use crate::problem::ApiError;
use crate::route::{Context, Json};

const TAB_CHARS_MAX: usize = 64;

/// Where a tab is. It is believed for 50 seconds, so say it again before.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Whereabouts {
    /// The page, template or component it shows; null when it shows none any more.
    page: Option<String>,
    /// A name for the tab, made up by it, for people who have several.
    #[serde(default)]
    tab: String,
}

/// Who is there on this node of the server. `GET /admin/api/site/changes` tells it as the event `presence`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Present {
    /// People and the pages they are on, those of the reader too.
    people: Vec<PresentPerson>,
    /// Turns of the assistant that are under way.
    turns: Vec<PresentTurn>,
}

/// Somebody on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct PresentPerson {
    /// The person.
    id: String,
    /// What they are called.
    name: String,
    /// The page, template or component they see.
    page: BodyId,
}

/// A turn of the assistant that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PresentTurn {
    /// The turn.
    turn_id: String,
    /// On whose behalf.
    who: PresentAsker,
    /// The conversation, for whoever it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
}

/// On whose behalf a turn is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct PresentAsker {
    /// The person, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// What they are called.
    name: String,
}

pub(super) async fn say(context: Context, input: Whereabouts) -> Result<Json<Present>, ApiError> {
    let site = context.site()?;
    if input.tab.chars().count() > TAB_CHARS_MAX {
        let message = format!("The name of a tab has at most {TAB_CHARS_MAX} characters.");
        return Err(ApiError::field("tab", message));
    }
    let page: Option<BodyId> = input
        .page
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|bad: BadId| ApiError::field("page", format!("`page`: {bad}.")))?;
    let presence = context.app.presence();
    // A token is not on any page, but may still read who is.
    if let Ok(person) = context.caller.person() {
        let user = &person.user;
        match page {
            Some(page) => {
                let there = There {
                    id: user.id.clone(),
                    name: user.name.clone(),
                    page,
                };
                presence.seen(site, input.tab, there, Instant::now());
            }
            None => presence.gone(site, &user.id, input.tab),
        }
    }
    let reader = context.caller.user_id();
    Ok(Json(present(&context.app, site, reader).await?))
}

/// Presence, limited to what the reader may know.
pub(super) async fn present(
    app: &App,
    site: &SiteId,
    reader: Option<&UserId>,
) -> Result<Present, StoreError> {
    let people = app.presence().people(site, Instant::now());
    let mut turns = Vec::new();
    for turn in app.agent().running(site) {
        let person = turn.person.map(UserId::from);
        let name = match (&person, &turn.actor) {
            (Some(person), _) => app.store().user(person).await?.name,
            (None, Actor::Local) => "The command line".to_owned(),
            (None, _) => "A script".to_owned(),
        };
        let is_own = person.is_some() && person.as_ref() == reader;
        turns.push(PresentTurn {
            turn_id: turn.turn.to_string(),
            conversation: is_own.then(|| turn.conversation.to_string()),
            who: PresentAsker {
                id: person.map(|person| person.to_string()),
                name,
            },
        });
    }
    let person = |there: There| PresentPerson {
        id: there.id.to_string(),
        name: there.name,
        page: there.page,
    };
    Ok(Present {
        people: people.into_iter().map(person).collect(),
        turns,
    })
}
