//! Everything Sitewright stores: rows in SQLite or Postgres, blobs in a folder or S3, and secrets, encrypted, in rows.
//!
//! Only this crate writes SQL, and the same SQL text runs on both databases. Every write that matters to a person adds an audit entry in
//! the same transaction. The crate never reads settings, hashes passwords or knows about HTTP; the caller passes the time in.

mod account_notices;
mod accounts;
mod ai_budgets;
mod ai_defaults;
mod audit;
mod audit_chain;
mod audit_cut;
mod blob_marks;
mod blobs;
mod breadcrumbs;
mod calls;
mod clock;
mod conditions;
mod conversations;
mod credentials;
mod database;
mod documents;
mod entries;
mod error;
mod file_place;
mod fonts;
mod grants;
mod id;
mod key_rotation;
mod links;
mod media;
mod missions;
mod openapi_documents;
mod passkeys;
mod people;
mod personal_data;
mod policies;
mod preferences;
mod preview_links;
mod prices;
mod probe;
mod quotas;
mod registered_tools;
mod releases;
mod reservations;
mod retention;
mod roles;
mod search;
mod second_factors;
mod secrets;
mod sessions;
mod sites;
mod standing;
mod stored_json;
mod throttle;
mod tickets;
mod tokens;
mod turns;
mod usage;
mod workflows;

pub use account_notices::{AccountEvent, AccountNotice, NoticeAuthor};
pub use accounts::{FORMER_USER_NAME, NewPassword, TokensAfterPassword};
pub use ai_budgets::AiBudget;
pub use ai_defaults::AiDefault;
pub use audit::{Actor, AuditEntry, AuditPage, Refusal, RefusalKind, Stamp};
pub use audit_chain::{ChainHead, ChainReport, MalformedHead};
pub use blob_marks::CollectedBlobs;
pub use blobs::{BadBlobId, BlobId, BlobPlace, Blobs, S3Place};
pub use breadcrumbs::{
    Breadcrumb, BreadcrumbEvent, BreadcrumbFilter, BreadcrumbPage, BreadcrumbReader,
    BreadcrumbRequest, BreadcrumbRun, CreatedBreadcrumb, EventKind, IdempotencyKey,
    NewBreadcrumbRun, RequestState, Sensitivity, SessionClaim, Visibility,
};
pub use calls::{
    CallFilter, CallInCommit, CallLife, CallRecord, CallState, End, Lease, NoStep, Permission,
    SettledOutcome, Step, StepError, StepRecord,
};
pub use clock::RetentionClock;
pub use conversations::{Conversation, ConversationOwner, ConversationPatch, MessageRow};
pub use credentials::{Credential, CredentialChange, CredentialSecret, NewCredential};
pub use database::{DatabaseKind, Place, Store};
pub use documents::{
    Changes, CommitError, CommittedChange, Committer, DueEntry, EntryState, History, HistoryEntry,
    HistoryFilter, HistoryLimits, LiveSite, LogDamage, PartDamage, PastChange, PlannedRevert,
    PublishedSite, RawEntry, RecoverTo, Recovery, RestorePoint, RevertTarget, StoredSite, Touched,
    TouchedBy, Wake,
};
pub use entries::{BinnedEntry, ListedEntry};
pub use error::StoreError;
pub use fonts::FontFile;
pub use grants::GrantRow;
pub use id::{
    AuditId, BreadcrumbId, CallId, ConversationId, CredentialId, GrantId, MediaId, NoticeId,
    PasskeyId, PreviewLinkId, ReleaseId, SessionId, SiteId, Timestamp, TokenId, TurnId, UsageId,
    UserId,
};
pub use key_rotation::{KeyRotation, NextKey};
pub use links::{LinkPurpose, OneTimeLink};
pub use media::{BinnedMedia, MediaChange, MediaHits, MediaPage, MediaRow, MediaVariant};
pub use missions::{MissionRecord, MissionStep};
pub use openapi_documents::{NewOpenApiDocument, OpenApiDocument};
pub use passkeys::{NewPasskey, Passkey};
pub use people::{Member, NewOwner, NewUser, User};
pub use personal_data::PersonalDataGrant;
pub use policies::SitePolicy;
pub use preview_links::PreviewLink;
pub use prices::StoredPrices;
pub use quotas::{QuotaUse, Quotas};
pub use registered_tools::{NewRegisteredTool, RegisteredTool};
pub use releases::{
    NewRelease, Release, ReleaseFile, ReleaseRoute, ReleaseRoutes, ReleaseSwitch, RouteEntries,
    RouteKind, Switch,
};
pub use reservations::{SpendingCaps, SpendingMonth};
pub use retention::{CollectionMode, ReleaseLimits};
pub use roles::{BuiltInRole, Role, RoleKey};
pub use search::{Embedding, UnembeddedText};
pub use second_factors::{NewSecondFactor, SecondFactor};
pub use secrets::{KeySource, SecretKey, Secrets};
pub use sessions::{NewSession, Session, SessionSecret};
pub use sites::Site;
pub use stored_json::UNREADABLE;
pub use throttle::{Throttle, ThrottleVerdict, ThrottledSubject};
pub use tokens::{NewToken, Token, TokenKind, TokenSecret};
pub use turns::{NewTurnMessage, QueuedMessage, TurnBegun, TurnEnding, TurnRecord, TurnState};
pub use usage::{Rollup, TurnCost, UsageBy, UsageRow, UsageSum, UsageTotal};
pub use workflows::{RunQuery, WorkflowRecord};
