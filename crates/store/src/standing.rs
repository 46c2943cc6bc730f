//! What an actor may do at this moment. Whatever runs later than it was requested asks here first: calls that waited for approval, turns
//! that go on, messages that were queued.

use sitewright_tool::CapabilitySet;
use sqlx::Row;

use crate::roles::capabilities_from;
use crate::tokens::kind_from;
use crate::{Actor, SiteId, Store, StoreError, Timestamp, TokenId, UserId};

impl Store {
    /// The capabilities that an actor has on a site at `now`. `None` if the actor may do nothing at all there: the account is disabled
    /// or gone, the person is no longer a member of the site, or the token was revoked, has expired or belongs to another site.
    ///
    /// A token never has more capabilities than the person who created it.
    pub async fn capabilities_of(
        &self,
        site: &SiteId,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Option<CapabilitySet>, StoreError> {
        match actor {
            Actor::Local => Ok(Some(CapabilitySet::all())),
            Actor::Anonymous => Ok(None),
            Actor::User(user) => self.capabilities_of_user(site, user).await,
            Actor::Token(token) => self.capabilities_of_token(site, token, now).await,
        }
    }

    async fn capabilities_of_user(
        &self,
        site: &SiteId,
        user: &UserId,
    ) -> Result<Option<CapabilitySet>, StoreError> {
        let user = match self.user(user).await {
            Ok(user) if !user.disabled => user,
            Ok(_) | Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        if user.instance_owner {
            return Ok(Some(CapabilitySet::all()));
        }
        let member = match self.member(site, &user.id).await {
            Ok(member) => member,
            Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        match self.role(site, &member.role).await {
            Ok(role) => Ok(Some(role.capabilities)),
            // A role that no longer exists allows nothing; the person is still a member.
            Err(StoreError::NotFound { .. }) => Ok(Some(CapabilitySet::default())),
            Err(error) => Err(error),
        }
    }

    async fn capabilities_of_token(
        &self,
        site: &SiteId,
        token: &TokenId,
        now: Timestamp,
    ) -> Result<Option<CapabilitySet>, StoreError> {
        let row = sqlx::query(
            "SELECT user_id, kind, capabilities FROM tokens WHERE id = $1 AND site_id = $2 \
             AND (expires_at IS NULL OR expires_at > $3)",
        )
        .bind(token.as_str())
        .bind(site.as_str())
        .bind(now.millis())
        .fetch_optional(self.reader())
        .await?;
        let Some(row) = row else { return Ok(None) };
        let own = capabilities_from(row.try_get("capabilities")?)?
            .within(&kind_from(&row)?.capabilities_max());
        let Some(maker) = row.try_get::<Option<String>, _>("user_id")? else {
            return Ok(Some(own));
        };
        let present = self
            .capabilities_of_user(site, &UserId::from(maker))
            .await?;
        Ok(present.map(|present| own.within(&present)))
    }
}
