//! On whose behalf records are read, written and executed.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_runtime::Attempt;
use sitewright_site::Author;
use sitewright_store::{
    Actor, Breadcrumb, BreadcrumbReader, BreadcrumbRun, Committer, SiteId, Stamp, Store,
    StoreError, Timestamp,
};
use sitewright_tool::{CapabilitySet, ErrorCode, Taint, ToolError};

/// The caller of an operation on records.
#[derive(Debug, Clone)]
pub struct BreadcrumbCaller {
    pub site: SiteId,
    pub committer: Committer,
    /// The person behind it, if there is one.
    pub person: Option<String>,
    /// The sign-in or token that calls belong to.
    pub session: String,
}

/// What a run stores of its caller.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct StoredCaller {
    author: Author,
    capabilities: CapabilitySet,
    person: Option<String>,
    session: String,
    taint: Taint,
}

impl BreadcrumbCaller {
    /// The owner of what the caller writes: a person, a token or the machine itself.
    pub fn owner(&self) -> String {
        match &self.committer.by.actor {
            Actor::User(user) => user.to_string(),
            actor @ (Actor::Token(_) | Actor::Local | Actor::Anonymous) => actor.to_string(),
        }
    }

    /// Whether the caller is the machine itself, which sees everything.
    pub(crate) fn is_machine(&self) -> bool {
        self.committer.by.actor == Actor::Local
    }

    /// Whether a record is the caller's own; the machine counts as the owner of all.
    pub(crate) fn owns(&self, record: &Breadcrumb) -> bool {
        self.is_machine() || record.owner == self.owner()
    }

    pub(crate) fn by(&self) -> &Stamp {
        &self.committer.by
    }

    /// The caller's eyes; `owner` is [`owner`](Self::owner).
    pub(crate) fn reader<'a>(&'a self, owner: &'a str) -> BreadcrumbReader<'a> {
        BreadcrumbReader {
            site: &self.site,
            owner: (!self.is_machine()).then_some(owner),
            now: Timestamp::now(),
        }
    }

    /// The caller of a tool.
    pub(crate) fn of_tool(attempt: &Attempt<'_>) -> Result<Self, ToolError> {
        let Some(committer) = attempt.committer else {
            return Err(ToolError::new(
                ErrorCode::Internal,
                "The tool needs a caller.",
            ));
        };
        Ok(Self {
            site: SiteId::from(attempt.context.site_id.clone()),
            committer: committer.clone(),
            person: attempt.context.user_id.clone(),
            session: attempt.context.session_id.clone(),
        })
    }

    /// What a run stores, to go on after a crash.
    pub(crate) fn stored(&self) -> Result<Value, StoreError> {
        let stored = StoredCaller {
            author: self.committer.author.clone(),
            capabilities: self.committer.capabilities.clone(),
            person: self.person.clone(),
            session: self.session.clone(),
            taint: self.committer.taint,
        };
        serde_json::to_value(stored).map_err(|_unwritable| StoreError::Unstorable)
    }

    /// The caller of a run, with the capabilities that were stored as far as its actor still has them.
    pub(crate) async fn of_run(store: &Store, run: &BreadcrumbRun) -> Result<Self, StoreError> {
        const CORRUPT: StoreError = StoreError::Corrupt {
            what: "run of a breadcrumb",
        };
        let stored: StoredCaller =
            serde_json::from_value(run.caller.clone()).map_err(|_unreadable| CORRUPT)?;
        let at = Timestamp::now();
        let present = store.capabilities_of(&run.site, &run.actor, at).await?;
        let capabilities = stored.capabilities.within(&present.unwrap_or_default());
        let by = Stamp {
            actor: run.actor.clone(),
            at,
        };
        Ok(Self {
            site: run.site.clone(),
            committer: Committer {
                taint: stored.taint,
                ..Committer::new(stored.author, capabilities, by)
            },
            person: stored.person,
            session: stored.session,
        })
    }

    /// The model that acts for the caller.
    pub(crate) fn as_agent(&self, taint: Taint) -> Self {
        let id = self.person.clone().unwrap_or_else(|| self.owner());
        let capabilities = self
            .committer
            .capabilities
            .within(&CapabilitySet::for_agents());
        let by = Stamp {
            actor: self.committer.by.actor.clone(),
            at: Timestamp::now(),
        };
        Self {
            committer: Committer {
                taint,
                ..Committer::new(Author::Agent { id }, capabilities, by)
            },
            ..self.clone()
        }
    }
}
