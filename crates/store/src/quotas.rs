//! How much a site may hold of what an author or an agent's token could grow without end. Each limit is checked in the transaction that
//! adds, so no interface needs to know of it.

use serde::Serialize;
use sqlx::{AnyConnection, Row};

use crate::{SiteId, Store, StoreError};

/// The limits of every site of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    /// Bytes of pictures, with all their sizes.
    pub media_bytes: u64,
    /// Pages, templates and components.
    pub documents: u64,
    /// API tokens.
    pub tokens: u64,
    /// Conversations with the assistant, for each person or token.
    pub conversations: u64,
    /// Tools that were registered over the API.
    pub tools: u64,
    /// Files of installed fonts.
    pub font_files: u64,
    /// Preview links.
    pub preview_links: u64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            media_bytes: 20 * 1024 * 1024 * 1024,
            documents: 10_000,
            tokens: 1_000,
            conversations: 2_000,
            tools: 500,
            font_files: 1_000,
            preview_links: 1_000,
        }
    }
}

/// A limit, and what to do when it is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) most: u64,
    /// What is counted, in words for people.
    pub(crate) what: &'static str,
    /// The setting that changes the limit.
    pub(crate) setting: &'static str,
    /// What the caller can do, as an imperative.
    pub(crate) remedy: &'static str,
}

impl Limit {
    /// Fails if there are more than allowed.
    pub(crate) fn check(self, count: u64) -> Result<(), StoreError> {
        let Self {
            most,
            what,
            setting,
            remedy,
        } = self;
        if count <= most {
            return Ok(());
        }
        Err(StoreError::LimitReached {
            what,
            most,
            setting,
            remedy,
        })
    }

    /// Counts rows with a query that has the site as `$1` and `about` as `$2`, and fails if there are more than allowed.
    pub(crate) async fn check_rows(
        self,
        connection: &mut AnyConnection,
        sql: &'static str,
        site: &SiteId,
        about: &str,
    ) -> Result<(), StoreError> {
        let row = sqlx::query(sql)
            .bind(site.as_str())
            .bind(about)
            .fetch_one(connection)
            .await?;
        self.check(row.try_get::<i64, _>("used")?.unsigned_abs())
    }
}

impl Quotas {
    pub(crate) fn for_media(self) -> Limit {
        Limit {
            most: self.media_bytes,
            what: "bytes of pictures",
            setting: "media_bytes_max",
            remedy: "delete pictures that are not used",
        }
    }

    pub(crate) fn for_documents(self) -> Limit {
        Limit {
            most: self.documents,
            what: "pages, templates and components",
            setting: "documents_max",
            remedy: "delete some that are not used",
        }
    }

    pub(crate) fn for_tokens(self) -> Limit {
        Limit {
            most: self.tokens,
            what: "API tokens",
            setting: "tokens_max",
            remedy: "revoke tokens that are not used",
        }
    }

    pub(crate) fn for_conversations(self) -> Limit {
        Limit {
            most: self.conversations,
            what: "conversations of one owner",
            setting: "conversations_max",
            remedy: "delete old conversations",
        }
    }

    pub(crate) fn for_tools(self) -> Limit {
        Limit {
            most: self.tools,
            what: "connected tools",
            setting: "tools_max",
            remedy: "remove tools that are not used",
        }
    }

    pub(crate) fn for_font_files(self) -> Limit {
        Limit {
            most: self.font_files,
            what: "font files",
            setting: "font_files_max",
            remedy: "choose fewer weights and scripts",
        }
    }

    pub(crate) fn for_preview_links(self) -> Limit {
        Limit {
            most: self.preview_links,
            what: "preview links",
            setting: "preview_links_max",
            remedy: "withdraw links that are not used",
        }
    }
}

/// How much of a limit a site uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuotaUse {
    /// What is counted, in words for people.
    pub what: &'static str,
    pub used: u64,
    pub most: u64,
    /// The setting that changes the limit.
    pub setting: &'static str,
}

/// The number of rows that count against each limit; `$1` is the site.
pub(crate) const MEDIA_BYTES: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN stored_bytes = 0 THEN bytes ELSE stored_bytes END), 0) AS BIGINT) AS used \
     FROM media WHERE site_id = $1 AND $2 = ''";
pub(crate) const TOKENS: &str =
    "SELECT COUNT(*) AS used FROM tokens WHERE site_id = $1 AND $2 = ''";
pub(crate) const CONVERSATIONS_OF: &str =
    "SELECT COUNT(*) AS used FROM conversations WHERE site_id = $1 AND owner = $2";
const CONVERSATIONS_MOST: &str = "SELECT COALESCE(MAX(owned), 0) AS used FROM \
     (SELECT COUNT(*) AS owned FROM conversations WHERE site_id = $1 AND $2 = '' GROUP BY owner) AS owners";
pub(crate) const TOOLS: &str =
    "SELECT COUNT(*) AS used FROM registered_tools WHERE site_id = $1 AND $2 = ''";
pub(crate) const FONT_FILES: &str =
    "SELECT COUNT(*) AS used FROM fonts WHERE site_id = $1 AND $2 = ''";
pub(crate) const PREVIEW_LINKS: &str =
    "SELECT COUNT(*) AS used FROM preview_links WHERE site_id = $1 AND $2 = ''";

impl Store {
    /// The same store with these limits.
    #[must_use]
    pub fn with_quotas(mut self, quotas: Quotas) -> Self {
        self.quotas = quotas;
        self
    }

    /// How much of each limit a site uses. Of conversations, those of the owner who has most.
    pub async fn quota_use(&self, site: &SiteId) -> Result<Vec<QuotaUse>, StoreError> {
        let quotas = self.quotas;
        let documents = {
            let live = self.live_site(site).await?;
            let shell = &live.site().shell;
            shell.pages.iter().count() + shell.components.iter().count()
        };
        let quota_use = |limit: Limit, used: u64| QuotaUse {
            what: limit.what,
            used,
            most: limit.most,
            setting: limit.setting,
        };
        let mut all = vec![quota_use(quotas.for_documents(), documents as u64)];
        let mut connection = self.connection().await?;
        for (limit, sql) in [
            (quotas.for_media(), MEDIA_BYTES),
            (quotas.for_font_files(), FONT_FILES),
            (quotas.for_tokens(), TOKENS),
            (quotas.for_conversations(), CONVERSATIONS_MOST),
            (quotas.for_tools(), TOOLS),
            (quotas.for_preview_links(), PREVIEW_LINKS),
        ] {
            let row = sqlx::query(sql)
                .bind(site.as_str())
                .bind("")
                .fetch_one(&mut *connection)
                .await?;
            let used = row.try_get::<i64, _>("used")?.unsigned_abs();
            all.push(quota_use(limit, used));
        }
        Ok(all)
    }
}
