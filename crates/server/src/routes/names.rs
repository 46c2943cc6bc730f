//! Display names of those who act on a site.

use std::collections::HashMap;

use sitewright_site::Author;
use sitewright_store::{Actor, SiteId};

use crate::App;
use crate::problem::ApiError;

/// The names of people and tokens, by actor.
pub(super) struct Names(HashMap<String, String>);

impl Names {
    /// Loads the names of a site's people and tokens.
    pub(super) async fn of(app: &App, site: &SiteId) -> Result<Self, ApiError> {
        let mut names = HashMap::new();
        for member in app.store().members(site).await? {
            names.insert(Actor::User(member.user.id).to_string(), member.user.name);
        }
        for token in app.store().tokens(site, None).await? {
            names.insert(Actor::Token(token.id).to_string(), token.name);
        }
        Ok(Self(names))
    }

    /// The name of an actor such as `user:ID`.
    pub(super) fn get(&self, actor: &str) -> Option<&String> {
        self.0.get(actor)
    }

    /// The name of a change's author; for an agent, of the person it acts for.
    pub(super) fn author(&self, author: &Author) -> Option<String> {
        let user = |id: &str| self.get(&Actor::User(id.to_owned().into()).to_string());
        let token = |id: &str| self.get(&Actor::Token(id.to_owned().into()).to_string());
        let name = match author {
            Author::Person { id } => user(id),
            Author::Agent { id } => user(id).or_else(|| token(id)),
            Author::Script { id } => token(id),
            Author::Local => None,
        };
        name.cloned()
    }
}
