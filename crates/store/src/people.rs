//! People and their roles. A person has one account per instance and one role per site.

use serde_json::json;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::account_notices::{AccountEvent, notify};
use crate::audit::{Record, Stamp};
use crate::calls::withdraw_calls;
use crate::database::Write;
use crate::{Actor, BuiltInRole, RoleKey, SiteId, Store, StoreError, Timestamp, TokenId, UserId};

/// A person's account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// The address in lower case; also the name to sign in with.
    pub email: String,
    /// The name on screen.
    pub name: String,
    /// The hash of their password; none until they have chosen one.
    pub password_hash: Option<String>,
    /// Whether they are an owner on every site of the instance.
    pub instance_owner: bool,
    /// Whether they are blocked from signing in.
    pub disabled: bool,
    pub created_at: Timestamp,
}

/// A person as a member of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub user: User,
    pub role: RoleKey,
}

/// An account to create.
#[derive(Debug, Clone)]
pub struct NewUser<'a> {
    pub email: &'a str,
    /// The name on screen.
    pub name: &'a str,
    /// The hash of their password, if already chosen.
    pub password_hash: Option<&'a str>,
    /// Their role on the site.
    pub role: RoleKey,
}

/// The first account of an instance.
#[derive(Debug, Clone)]
pub struct NewOwner<'a> {
    pub email: &'a str,
    /// The name on screen.
    pub name: &'a str,
    pub password_hash: &'a str,
    /// The name for the first site.
    pub site_name: &'a str,
}

const LAST_OWNER: StoreError = StoreError::Refused {
    rule: "This is the last owner. Make someone else an owner first.",
};

impl Store {
    /// Whether the instance still has to be set up.
    pub async fn setup_required(&self) -> Result<bool, StoreError> {
        Ok(
            sqlx::query("SELECT value FROM instance WHERE name = 'set_up_at'")
                .fetch_optional(self.reader())
                .await?
                .is_none(),
        )
    }

    /// Creates the first account, the owner of the instance and of its first site.
    ///
    /// Fails if there is already an account, however many callers try at the same time.
    pub async fn set_up(&self, owner: NewOwner<'_>, by: &Stamp) -> Result<User, StoreError> {
        let mut write = self.write().await?;
        // The claim is a row with a fixed key, so that the database itself rejects one of two concurrent set-ups.
        sqlx::query("INSERT INTO instance (name, value) VALUES ('set_up_at', $1)")
            .bind(by.at.millis().to_string())
            .execute(&mut *write)
            .await
            .map_err(
                |error| match StoreError::on_duplicate(error, "the set-up", "done") {
                    StoreError::Taken { .. } => StoreError::Refused {
                        rule: "This instance is already set up; sign in instead.",
                    },
                    other => other,
                },
            )?;
        let row = sqlx::query("SELECT id FROM sites ORDER BY created_at, id LIMIT 1")
            .fetch_one(&mut *write)
            .await?;
        let site = SiteId::from(row.try_get::<String, _>("id")?);
        sqlx::query("UPDATE sites SET name = $1 WHERE id = $2")
            .bind(owner.site_name)
            .bind(site.as_str())
            .execute(&mut *write)
            .await?;
        let user = User {
            id: UserId::new(),
            email: owner.email.to_owned(),
            name: owner.name.to_owned(),
            password_hash: Some(owner.password_hash.to_owned()),
            instance_owner: true,
            disabled: false,
            created_at: by.at,
        };
        insert_user(&mut write, &user).await?;
        insert_member(&mut write, &site, &user.id, &BuiltInRole::Owner.key()).await?;
        Record::of("instance.set_up")
            .about(user.id.as_str())
            .with(json!({ "email": owner.email, "siteName": owner.site_name }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(user)
    }

    /// Creates an account, or uses the existing one with that address, and adds the person to the site.
    pub async fn add_member(
        &self,
        site: &SiteId,
        new: NewUser<'_>,
        by: &Stamp,
    ) -> Result<Member, StoreError> {
        let mut write = self.write().await?;
        let row = sqlx::query("SELECT * FROM users WHERE email = $1")
            .bind(new.email)
            .fetch_optional(&mut *write)
            .await?;
        let user = match row {
            Some(row) => user(&row)?,
            None => {
                let user = User {
                    id: UserId::new(),
                    email: new.email.to_owned(),
                    name: new.name.to_owned(),
                    password_hash: new.password_hash.map(str::to_owned),
                    instance_owner: false,
                    disabled: false,
                    created_at: by.at,
                };
                insert_user(&mut write, &user).await?;
                user
            }
        };
        insert_member(&mut write, site, &user.id, &new.role)
            .await
            .map_err(|error| match error {
                StoreError::Taken { .. } => StoreError::Taken {
                    what: "the address",
                    value: new.email.to_owned(),
                },
                other => other,
            })?;
        Record::of("user.added")
            .on(site)
            .about(user.id.as_str())
            .with(json!({ "email": new.email, "role": new.role.as_str() }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(Member {
            user,
            role: new.role,
        })
    }

    /// The people of a site, by name.
    pub async fn members(&self, site: &SiteId) -> Result<Vec<Member>, StoreError> {
        let rows = sqlx::query(
            "SELECT users.*, members.role FROM members JOIN users ON users.id = members.user_id \
             WHERE members.site_id = $1 ORDER BY users.name, users.email",
        )
        .bind(site.as_str())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(member).collect()
    }

    /// One person of a site.
    pub async fn member(&self, site: &SiteId, user: &UserId) -> Result<Member, StoreError> {
        let row = sqlx::query(
            "SELECT users.*, members.role FROM members JOIN users ON users.id = members.user_id \
             WHERE members.site_id = $1 AND members.user_id = $2",
        )
        .bind(site.as_str())
        .bind(user.as_str())
        .fetch_optional(self.reader())
        .await?;
        member(&row.ok_or(StoreError::NotFound { what: "person" })?)
    }

    /// The sites that a person is a member of, oldest first.
    pub async fn sites_of(&self, user: &UserId) -> Result<Vec<crate::Site>, StoreError> {
        let rows = sqlx::query(
            "SELECT sites.id, sites.slug, sites.name FROM sites JOIN members ON members.site_id = sites.id \
             WHERE members.user_id = $1 ORDER BY sites.created_at, sites.id",
        )
        .bind(user.as_str())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(crate::sites::site).collect()
    }

    /// The account with this address, for signing in.
    pub async fn user_by_email(&self, email: &str) -> Result<Option<User>, StoreError> {
        let row = sqlx::query("SELECT * FROM users WHERE email = $1")
            .bind(email)
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(user).transpose()
    }

    /// One account.
    pub async fn user(&self, id: &UserId) -> Result<User, StoreError> {
        let row = sqlx::query("SELECT * FROM users WHERE id = $1")
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?;
        user(&row.ok_or(StoreError::NotFound { what: "person" })?)
    }

    /// Changes a person's name.
    pub async fn rename_user(&self, id: &UserId, name: &str, by: &Stamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE users SET name = $1 WHERE id = $2")
            .bind(name)
            .bind(id.as_str())
            .execute(&mut *write)
            .await?;
        Record::of("user.renamed")
            .about(id.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// Changes a person's role on the site.
    pub async fn set_role(
        &self,
        site: &SiteId,
        user: &UserId,
        role: &RoleKey,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let changed =
            sqlx::query("UPDATE members SET role = $1 WHERE site_id = $2 AND user_id = $3")
                .bind(role.as_str())
                .bind(site.as_str())
                .bind(user.as_str())
                .execute(&mut *write)
                .await?;
        if changed.rows_affected() == 0 {
            return Err(StoreError::NotFound { what: "person" });
        }
        require_site_owner(&mut write, site).await?;
        notify(
            &mut write,
            user,
            AccountEvent::RoleChanged,
            role.as_str(),
            by,
        )
        .await?;
        Record::of("user.role_changed")
            .on(site)
            .about(user.as_str())
            .with(json!({ "role": role.as_str() }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// Blocks a person from signing in, or unblocks them. A disabled person's sessions end at once, and the calls that wait for approval
    /// on their behalf are withdrawn.
    pub async fn set_disabled(
        &self,
        user: &UserId,
        disabled: bool,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE users SET disabled = $1 WHERE id = $2")
            .bind(i64::from(disabled))
            .bind(user.as_str())
            .execute(&mut *write)
            .await?;
        if disabled {
            sqlx::query("DELETE FROM sessions WHERE user_id = $1")
                .bind(user.as_str())
                .execute(&mut *write)
                .await?;
            require_instance_owner(&mut write).await?;
            withdraw_calls_of(&mut write, user, None, by).await?;
        }
        let action = if disabled {
            "user.disabled"
        } else {
            "user.enabled"
        };
        Record::of(action)
            .about(user.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// Removes a person from the site, with their sessions and tokens there, and withdraws the calls of both that wait for approval.
    /// The account remains.
    pub async fn remove_member(
        &self,
        site: &SiteId,
        user: &UserId,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let removed = sqlx::query("DELETE FROM members WHERE site_id = $1 AND user_id = $2")
            .bind(site.as_str())
            .bind(user.as_str())
            .execute(&mut *write)
            .await?;
        if removed.rows_affected() == 0 {
            return Err(StoreError::NotFound { what: "person" });
        }
        withdraw_calls_of(&mut write, user, Some(site), by).await?;
        for gone in [
            "DELETE FROM sessions WHERE site_id = $1 AND user_id = $2",
            "DELETE FROM tokens WHERE site_id = $1 AND user_id = $2",
        ] {
            sqlx::query(gone)
                .bind(site.as_str())
                .bind(user.as_str())
                .execute(&mut *write)
                .await?;
        }
        require_site_owner(&mut write, site).await?;
        Record::of("user.removed")
            .on(site)
            .about(user.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }
}

/// Withdraws the waiting calls of a person and of the tokens they created, on one site or on all.
async fn withdraw_calls_of(
    write: &mut Write,
    user: &UserId,
    site: Option<&SiteId>,
    by: &Stamp,
) -> Result<(), StoreError> {
    let tokens =
        sqlx::query("SELECT id FROM tokens WHERE user_id = $1 AND ($2 = '' OR site_id = $2)")
            .bind(user.as_str())
            .bind(site.map_or("", SiteId::as_str))
            .fetch_all(&mut **write)
            .await?;
    withdraw_calls(write, &Actor::User(user.clone()), site, by).await?;
    for row in &tokens {
        let token = Actor::Token(TokenId::from(row.try_get::<String, _>("id")?));
        withdraw_calls(write, &token, site, by).await?;
    }
    Ok(())
}

pub(crate) async fn set_password(
    write: &mut Write,
    id: &UserId,
    password_hash: &str,
) -> Result<(), StoreError> {
    let changed = sqlx::query("UPDATE users SET password_hash = $1 WHERE id = $2")
        .bind(password_hash)
        .bind(id.as_str())
        .execute(&mut **write)
        .await?;
    if changed.rows_affected() == 0 {
        return Err(StoreError::NotFound { what: "person" });
    }
    Ok(())
}

async fn insert_user(write: &mut Write, user: &User) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO users (id, email, name, password_hash, instance_owner, disabled, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(user.id.as_str())
    .bind(&user.email)
    .bind(&user.name)
    .bind(user.password_hash.as_deref())
    .bind(i64::from(user.instance_owner))
    .bind(i64::from(user.disabled))
    .bind(user.created_at.millis())
    .execute(&mut **write)
    .await
    .map_err(|error| StoreError::on_duplicate(error, "the address", &user.email))?;
    Ok(())
}

async fn insert_member(
    write: &mut Write,
    site: &SiteId,
    user: &UserId,
    role: &RoleKey,
) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO members (site_id, user_id, role) VALUES ($1, $2, $3)")
        .bind(site.as_str())
        .bind(user.as_str())
        .bind(role.as_str())
        .execute(&mut **write)
        .await
        .map_err(|error| StoreError::on_duplicate(error, "the membership", user.as_str()))?;
    Ok(())
}

/// Fails if the site has no owner. Must run after a change and before its commit. The site's row is written first: on Postgres, its
/// lock serializes two changes that would each leave one owner, but together none.
pub(crate) async fn require_site_owner(write: &mut Write, site: &SiteId) -> Result<(), StoreError> {
    sqlx::query("UPDATE sites SET name = name WHERE id = $1")
        .bind(site.as_str())
        .execute(&mut **write)
        .await?;
    let owner =
        sqlx::query("SELECT user_id FROM members WHERE site_id = $1 AND role = 'owner' LIMIT 1")
            .bind(site.as_str())
            .fetch_optional(&mut **write)
            .await?;
    owner.map(drop).ok_or(LAST_OWNER)
}

pub(crate) async fn require_instance_owner(write: &mut Write) -> Result<(), StoreError> {
    sqlx::query("UPDATE instance SET value = value WHERE name = 'set_up_at'")
        .execute(&mut **write)
        .await?;
    let owner =
        sqlx::query("SELECT id FROM users WHERE instance_owner = 1 AND disabled = 0 LIMIT 1")
            .fetch_optional(&mut **write)
            .await?;
    owner.map(drop).ok_or(LAST_OWNER)
}

fn user(row: &AnyRow) -> Result<User, StoreError> {
    Ok(User {
        id: UserId::from(row.try_get::<String, _>("id")?),
        email: row.try_get("email")?,
        name: row.try_get("name")?,
        password_hash: row.try_get("password_hash")?,
        instance_owner: row.try_get::<i64, _>("instance_owner")? != 0,
        disabled: row.try_get::<i64, _>("disabled")? != 0,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
    })
}

fn member(row: &AnyRow) -> Result<Member, StoreError> {
    let role: String = row.try_get("role")?;
    let role = RoleKey::parse(&role).ok_or(StoreError::Corrupt { what: "role" })?;
    Ok(Member {
        user: user(row)?,
        role,
    })
}
