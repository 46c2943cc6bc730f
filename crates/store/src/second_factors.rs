//! Codes of an authenticator app, and the recovery codes for when the device is lost. The app's secret is encrypted with the
//! instance's key; of a recovery code only the hash is stored. Computing codes is the caller's part.

use std::collections::HashSet;

use secrecy::{ExposeSecret, SecretString};
use sqlx::Row;

use crate::account_notices::{AccountEvent, notify};
use crate::audit::{Record, Stamp};
use crate::database::Write;
use crate::sessions::hash;
use crate::{Secrets, SiteId, Store, StoreError, Timestamp, UserId};

/// What is known of a person's second factor without their secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactor {
    pub since: Timestamp,
    pub recovery_codes_left: i64,
}

/// A second factor to turn on.
#[derive(Debug)]
pub struct NewSecondFactor<'a> {
    pub user: &'a UserId,
    /// The secret of the authenticator app, in base32.
    pub secret: &'a SecretString,
    /// The time step of the code that the person gave as proof; it cannot be used again.
    pub step: i64,
    pub recovery_codes: &'a [SecretString],
}

impl Secrets {
    /// Turns the second factor on, or replaces it with another device's.
    pub async fn put_second_factor(
        &self,
        new: NewSecondFactor<'_>,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let sealed = self.seal_for_user(new.user, new.secret)?;
        let mut write = self.store().write().await?;
        self.require_current_key(&mut write).await?;
        sqlx::query(
            "INSERT INTO totp (user_id, sealed, last_step, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (user_id) \
             DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step, created_at = excluded.created_at",
        )
        .bind(new.user.as_str())
        .bind(sealed)
        .bind(new.step)
        .bind(by.at.millis())
        .execute(&mut *write)
        .await?;
        replace_codes(&mut write, new.user, new.recovery_codes).await?;
        record(
            &mut write,
            "user.second_factor_on",
            new.user,
            AccountEvent::SecondFactorOn,
            by,
        )
        .await?;
        self.store().commit(write).await
    }

    /// The secret of a person's authenticator app; none if they have no second factor.
    pub async fn second_factor_secret(
        &self,
        user: &UserId,
    ) -> Result<Option<SecretString>, StoreError> {
        let row = sqlx::query("SELECT sealed FROM totp WHERE user_id = $1")
            .bind(user.as_str())
            .fetch_optional(self.store().reader())
            .await?;
        row.map(|row| self.open_for_user(user, row.try_get("sealed")?))
            .transpose()
    }
}

impl Store {
    /// What is known of a person's second factor; none if they have none.
    pub async fn second_factor(&self, user: &UserId) -> Result<Option<SecondFactor>, StoreError> {
        let row = sqlx::query(
            "SELECT created_at, (SELECT COUNT(*) FROM recovery_codes WHERE recovery_codes.user_id = totp.user_id \
             AND used_at IS NULL) AS codes FROM totp WHERE user_id = $1",
        )
        .bind(user.as_str())
        .fetch_optional(self.reader())
        .await?;
        let factor = row.map(|row| {
            Ok::<_, StoreError>(SecondFactor {
                since: Timestamp::from_millis(row.try_get("created_at")?),
                recovery_codes_left: row.try_get("codes")?,
            })
        });
        factor.transpose()
    }

    /// The people of a site who have a second factor.
    pub async fn members_with_second_factor(
        &self,
        site: &SiteId,
    ) -> Result<HashSet<UserId>, StoreError> {
        let rows = sqlx::query(
            "SELECT totp.user_id FROM totp JOIN members ON members.user_id = totp.user_id WHERE members.site_id = $1",
        )
        .bind(site.as_str())
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| Ok(UserId::from(row.try_get::<String, _>("user_id")?)))
            .collect()
    }

    /// Accepts the code of a time step. False if a code of that step or a later one was accepted before, however many callers try at
    /// the same time.
    pub async fn accept_code_step(&self, user: &UserId, step: i64) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let accepted =
            sqlx::query("UPDATE totp SET last_step = $1 WHERE user_id = $2 AND last_step < $1")
                .bind(step)
                .bind(user.as_str())
                .execute(&mut *write)
                .await?;
        write.commit().await?;
        Ok(accepted.rows_affected() == 1)
    }

    /// Uses up a recovery code. False if the person has no such code, or has used it.
    pub async fn spend_recovery_code(
        &self,
        user: &UserId,
        code: &SecretString,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let spent = sqlx::query(
            "UPDATE recovery_codes SET used_at = $1 WHERE user_id = $2 AND code_hash = $3 AND used_at IS NULL",
        )
        .bind(now.millis())
        .bind(user.as_str())
        .bind(hash(code.expose_secret()))
        .execute(&mut *write)
        .await?;
        if spent.rows_affected() == 0 {
            return Ok(false);
        }
        record(
            &mut write,
            "user.recovery_code_used",
            user,
            AccountEvent::RecoveryCodeUsed,
            &Stamp::user(user, now),
        )
        .await?;
        self.commit(write).await?;
        Ok(true)
    }

    /// Replaces the recovery codes of a person who has a second factor.
    pub async fn replace_recovery_codes(
        &self,
        user: &UserId,
        codes: &[SecretString],
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let row = sqlx::query("SELECT user_id FROM totp WHERE user_id = $1")
            .bind(user.as_str())
            .fetch_optional(&mut *write)
            .await?;
        if row.is_none() {
            return Err(StoreError::NotFound {
                what: "second factor",
            });
        }
        replace_codes(&mut write, user, codes).await?;
        record(
            &mut write,
            "user.recovery_codes_replaced",
            user,
            AccountEvent::RecoveryCodesReplaced,
            by,
        )
        .await?;
        self.commit(write).await
    }

    /// Turns the second factor off and deletes the recovery codes. Succeeds if there is none.
    pub async fn remove_second_factor(&self, user: &UserId, by: &Stamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        if delete_second_factor(&mut write, user).await? {
            record(
                &mut write,
                "user.second_factor_off",
                user,
                AccountEvent::SecondFactorOff,
                by,
            )
            .await?;
        }
        self.commit(write).await
    }
}

/// Deletes the rows of a second factor, and returns whether there was one.
pub(crate) async fn delete_second_factor(
    write: &mut Write,
    user: &UserId,
) -> Result<bool, StoreError> {
    sqlx::query("DELETE FROM recovery_codes WHERE user_id = $1")
        .bind(user.as_str())
        .execute(&mut **write)
        .await?;
    let removed = sqlx::query("DELETE FROM totp WHERE user_id = $1")
        .bind(user.as_str())
        .execute(&mut **write)
        .await?;
    Ok(removed.rows_affected() > 0)
}

async fn replace_codes(
    write: &mut Write,
    user: &UserId,
    codes: &[SecretString],
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM recovery_codes WHERE user_id = $1")
        .bind(user.as_str())
        .execute(&mut **write)
        .await?;
    for code in codes {
        sqlx::query("INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, $2)")
            .bind(user.as_str())
            .bind(hash(code.expose_secret()))
            .execute(&mut **write)
            .await?;
    }
    Ok(())
}

async fn record(
    write: &mut Write,
    action: &'static str,
    user: &UserId,
    event: AccountEvent,
    by: &Stamp,
) -> Result<(), StoreError> {
    notify(write, user, event, "", by).await?;
    Record::of(action)
        .about(user.as_str())
        .save(write, by)
        .await?;
    Ok(())
}
