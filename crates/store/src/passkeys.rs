//! Passkeys: the public keys with which people sign in. What is in a credential is known only to the caller, who verifies with it.

use sqlx::Row;
use sqlx::any::AnyRow;

use serde_json::json;

use crate::account_notices::{AccountEvent, notify};
use crate::audit::{Record, Stamp};
use crate::{PasskeyId, Store, StoreError, Timestamp, UserId};

/// A passkey of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    pub id: PasskeyId,
    pub user: UserId,
    /// What the person calls it.
    pub name: String,
    /// The public key and its counter, as JSON.
    pub credential: String,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// A passkey to store.
#[derive(Debug)]
pub struct NewPasskey<'a> {
    pub user: &'a UserId,
    /// The authenticator's id of it, in base64url.
    pub credential_id: &'a str,
    pub name: &'a str,
    pub credential: &'a str,
}

/// The maximum number of passkeys per person; a sign-in reads all of them.
const PASSKEYS_MAX: usize = 20;

impl Store {
    /// Adds a passkey. Fails if the same one is already there, for whomever.
    pub async fn add_passkey(
        &self,
        new: NewPasskey<'_>,
        by: &Stamp,
    ) -> Result<PasskeyId, StoreError> {
        if self.passkeys_of(new.user).await?.len() >= PASSKEYS_MAX {
            return Err(StoreError::Refused {
                rule: "You have 20 passkeys; remove one first.",
            });
        }
        let id = PasskeyId::new();
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO passkeys (id, user_id, credential_id, name, credential, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(id.as_str())
        .bind(new.user.as_str())
        .bind(new.credential_id)
        .bind(new.name)
        .bind(new.credential)
        .bind(by.at.millis())
        .execute(&mut *write)
        .await
        .map_err(|error| StoreError::on_duplicate(error, "the passkey", new.name))?;
        notify(
            &mut write,
            new.user,
            AccountEvent::PasskeyAdded,
            new.name,
            by,
        )
        .await?;
        Record::of("user.passkey_added")
            .about(new.user.as_str())
            .with(json!({ "name": new.name }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(id)
    }

    /// The passkeys of a person, oldest first.
    pub async fn passkeys_of(&self, user: &UserId) -> Result<Vec<Passkey>, StoreError> {
        let rows = sqlx::query("SELECT * FROM passkeys WHERE user_id = $1 ORDER BY created_at, id")
            .bind(user.as_str())
            .fetch_all(self.reader())
            .await?;
        rows.iter().map(passkey).collect()
    }

    /// The passkey with this id of its authenticator.
    pub async fn passkey(&self, credential_id: &str) -> Result<Option<Passkey>, StoreError> {
        let row = sqlx::query("SELECT * FROM passkeys WHERE credential_id = $1")
            .bind(credential_id)
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(passkey).transpose()
    }

    /// Records a use, with the credential as it is afterwards.
    pub async fn use_passkey(
        &self,
        id: &PasskeyId,
        credential: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE passkeys SET credential = $1, last_used_at = $2 WHERE id = $3")
            .bind(credential)
            .bind(now.millis())
            .bind(id.as_str())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// Changes what a person calls one of their passkeys.
    pub async fn rename_passkey(
        &self,
        user: &UserId,
        id: &PasskeyId,
        name: &str,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let renamed = sqlx::query("UPDATE passkeys SET name = $1 WHERE id = $2 AND user_id = $3")
            .bind(name)
            .bind(id.as_str())
            .bind(user.as_str())
            .execute(&mut *write)
            .await?;
        if renamed.rows_affected() == 0 {
            return Err(NO_PASSKEY);
        }
        self.commit(write).await
    }

    /// Removes a passkey of the person; nobody can sign in with it any more.
    pub async fn remove_passkey(
        &self,
        user: &UserId,
        id: &PasskeyId,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let row = sqlx::query("DELETE FROM passkeys WHERE id = $1 AND user_id = $2 RETURNING name")
            .bind(id.as_str())
            .bind(user.as_str())
            .fetch_optional(&mut *write)
            .await?;
        let name: String = row.ok_or(NO_PASSKEY)?.try_get("name")?;
        notify(&mut write, user, AccountEvent::PasskeyRemoved, &name, by).await?;
        Record::of("user.passkey_removed")
            .about(user.as_str())
            .with(json!({ "name": name }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }
}

const NO_PASSKEY: StoreError = StoreError::NotFound { what: "passkey" };

fn passkey(row: &AnyRow) -> Result<Passkey, StoreError> {
    Ok(Passkey {
        id: PasskeyId::from(row.try_get::<String, _>("id")?),
        user: UserId::from(row.try_get::<String, _>("user_id")?),
        name: row.try_get("name")?,
        credential: row.try_get("credential")?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        last_used_at: row
            .try_get::<Option<i64>, _>("last_used_at")?
            .map(Timestamp::from_millis),
    })
}
