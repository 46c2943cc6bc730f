//! Ids and times: TEXT and BIGINT in every table, newtypes in every signature.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A new id; later ids sort after earlier ones.
            pub fn new() -> Self {
                Self(uuid::Uuid::now_v7().simple().to_string())
            }

            /// The id as it is stored and sent.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// A site of this instance.
    SiteId;
    /// A person with an account.
    UserId;
    /// A person's session.
    SessionId;
    /// An API token.
    TokenId;
    /// A passkey of a person.
    PasskeyId;
    /// A notice about a change to an account.
    NoticeId;
    /// A link to a draft.
    PreviewLinkId;
    /// An entry of the audit log.
    AuditId;
    /// A call of a tool.
    CallId;
    /// An asset: an image.
    MediaId;
    /// A person's approval of calls of one kind.
    GrantId;
    /// A conversation with the assistant.
    ConversationId;
    /// One request to the assistant and its answer, with all its rounds.
    TurnId;
    /// A release of a site.
    ReleaseId;
    /// Access to a model provider.
    CredentialId;
    /// One recorded run of a model within a turn.
    UsageId;
    /// A record of the breadcrumbs.
    BreadcrumbId;
}

impl BreadcrumbId {
    /// A new id as a UUID with hyphens, which is how other systems compare ids of records.
    pub fn generate() -> Self {
        Self(uuid::Uuid::now_v7().hyphenated().to_string())
    }
}

/// Milliseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The current time. This is the only place that reads the wall clock.
    #[expect(
        clippy::disallowed_methods,
        reason = "everything else takes the time from here, as an argument"
    )]
    pub fn now() -> Self {
        let elapsed = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Self(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
    }

    /// From the stored number.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// The stored number.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// The time `span` after this one.
    pub fn after(self, span: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// The time `span` before this one.
    pub fn before(self, span: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// The time from `earlier` to this time; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}
