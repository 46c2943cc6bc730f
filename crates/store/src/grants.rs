//! Grants: what a person approved for one conversation. The policy decides whether a grant covers a call.

use serde_json::json;
use sqlx::Row;

use crate::audit::Record;
use crate::database::Write;
use crate::{GrantId, SiteId, Stamp, Store, StoreError, Timestamp};

/// A person's approval of calls of one kind in one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantRow {
    pub id: GrantId,
    pub conversation: String,
    /// Who gave it.
    pub person: String,
    pub tool: String,
    /// The effect of the calls it covers, as spelled in manifests.
    pub effect: String,
    pub given_at: Timestamp,
    pub expires_at: Timestamp,
}

/// Stores a grant, in the transaction of the decision that gives it.
pub(crate) async fn give_grant(
    write: &mut Write,
    site: &SiteId,
    grant: &GrantRow,
    by: &Stamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO grants (id, site_id, conversation, person, tool, effect, given_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(grant.id.as_str())
    .bind(site.as_str())
    .bind(&grant.conversation)
    .bind(&grant.person)
    .bind(&grant.tool)
    .bind(&grant.effect)
    .bind(grant.given_at.millis())
    .bind(grant.expires_at.millis())
    .execute(&mut **write)
    .await?;
    Record::of("grant.given")
        .on(site)
        .about(&grant.tool)
        .with(json!({ "grant": grant.id, "conversation": grant.conversation, "effect": grant.effect }))
        .save(write, by)
        .await
}

impl Store {
    /// The grants of a conversation that are valid at `now`.
    pub async fn grants(
        &self,
        site: &SiteId,
        conversation: &str,
        now: Timestamp,
    ) -> Result<Vec<GrantRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM grants WHERE site_id = $1 AND conversation = $2 AND expires_at > $3 ORDER BY id",
        )
        .bind(site.as_str())
        .bind(conversation)
        .bind(now.millis())
        .fetch_all(self.reader())
        .await?;
        let grant = |row: &sqlx::any::AnyRow| {
            Ok(GrantRow {
                id: GrantId::from(row.try_get::<String, _>("id")?),
                conversation: row.try_get("conversation")?,
                person: row.try_get("person")?,
                tool: row.try_get("tool")?,
                effect: row.try_get("effect")?,
                given_at: Timestamp::from_millis(row.try_get("given_at")?),
                expires_at: Timestamp::from_millis(row.try_get("expires_at")?),
            })
        };
        rows.iter().map(grant).collect()
    }
}
