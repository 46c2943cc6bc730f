//! Full text: the words of entries and pictures, with an index of the database's own kind over them.
//!
//! The words are split and put into lower case here, so that both databases find the same things: their own ways of splitting text
//! differ for hyphens, addresses and accents.

mod vectors;

use sha2::{Digest, Sha256};
use sitewright_site::Record;
use sqlx::{AnyConnection, Row as _};

use crate::documents::stored;
use crate::{DatabaseKind, SiteId, Store, StoreError};
pub use vectors::{Embedding, UnembeddedText};

/// The most bytes of words that are stored of one thing.
const WORDS_MAX: usize = 200_000;
/// The most words of a search.
const QUERY_WORDS_MAX: usize = 16;
/// How many things from before there was an index are read at a time.
const BATCH: i64 = 500;

/// What can be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchKind {
    Entry,
    Media,
}

impl SearchKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Media => "media",
        }
    }
}

/// The thing whose words are written.
#[derive(Clone, Copy)]
pub(crate) struct SearchKey<'a> {
    pub(crate) site: &'a SiteId,
    pub(crate) kind: SearchKind,
    pub(crate) id: &'a str,
}

impl SearchKey<'_> {
    /// Writes the words of something, in place of those before.
    pub(crate) async fn write(
        self,
        write: &mut AnyConnection,
        words: &str,
    ) -> Result<(), StoreError> {
        if self.kind == SearchKind::Media {
            sqlx::query(
                "DELETE FROM search_vectors WHERE number IN (SELECT number FROM search_texts WHERE number = $1 AND words <> $2)",
            )
            .bind(self.number())
            .bind(words)
            .execute(&mut *write)
            .await?;
        }
        sqlx::query(
            "INSERT INTO search_texts (number, site_id, kind, id, words) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (number) DO UPDATE SET words = EXCLUDED.words",
        )
        .bind(self.number())
        .bind(self.site.as_str())
        .bind(self.kind.as_str())
        .bind(self.id)
        .bind(words)
        .execute(&mut *write)
        .await?;
        Ok(())
    }

    /// Forgets the words of something.
    pub(crate) async fn remove(self, write: &mut AnyConnection) -> Result<(), StoreError> {
        for statement in [
            "DELETE FROM search_vectors WHERE number = $1",
            "DELETE FROM search_texts WHERE number = $1",
        ] {
            sqlx::query(statement)
                .bind(self.number())
                .execute(&mut *write)
                .await?;
        }
        Ok(())
    }

    fn number(self) -> i64 {
        let mut hash = Sha256::new();
        for part in [self.site.as_str(), self.kind.as_str(), self.id] {
            hash.update(part);
            hash.update([0]);
        }
        let digest = hash.finalize();
        let mut bits = [0; 8];
        bits.copy_from_slice(&digest[..8]);
        i64::from_le_bytes(bits) & i64::MAX
    }
}

/// The words of texts.
pub(crate) fn words<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut words = String::new();
    for text in texts {
        for word in text.split(|char: char| !char.is_alphanumeric()) {
            if word.is_empty() {
                continue;
            }
            if words.len() + word.len() > WORDS_MAX {
                return words;
            }
            if !words.is_empty() {
                words.push(' ');
            }
            words.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
    words
}

/// The words of an entry: its title, its slug and every text in its fields.
pub(crate) fn words_of_entry(record: &Record) -> String {
    let mut texts = vec![record.title.as_str(), record.slug.as_str()];
    for value in record.values.values() {
        collect(value, &mut texts);
    }
    words(texts)
}

fn collect<'v>(value: &'v serde_json::Value, texts: &mut Vec<&'v str>) {
    use serde_json::Value;
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A search in the language of a database. Every word must begin a word of what is found.
pub(crate) struct SearchTerms {
    backend: DatabaseKind,
    /// What the placeholder of the words is bound to.
    pub(crate) bound: String,
}

impl SearchTerms {
    /// The search for a text; `None` when it has no words.
    pub(crate) fn of(backend: DatabaseKind, text: &str) -> Option<Self> {
        let split = words([text]);
        let mut terms = Vec::new();
        for word in split.split(' ').take(QUERY_WORDS_MAX) {
            if word.is_empty() {
                continue;
            }
            // The words have letters and digits only, so they need no escaping.
            terms.push(match backend {
                DatabaseKind::Sqlite => format!("\"{word}\"*"),
                DatabaseKind::Postgres => format!("{word}:*"),
            });
        }
        let bound = terms.join(match backend {
            DatabaseKind::Sqlite => " ",
            DatabaseKind::Postgres => " & ",
        });
        (!bound.is_empty()).then_some(Self { backend, bound })
    }

    /// The statement for the ids of what is found on the site `$1`, hit by hit: the better way when there are few hits. `words` is the
    /// placeholder of the words.
    pub(crate) fn ids_by_hit(&self, kind: SearchKind, words: &str) -> String {
        self.hits("s.id AS id", kind, words)
    }

    /// The same, with how well each fits as `score`, the best lowest.
    pub(crate) fn scored_ids(&self, kind: SearchKind, words: &str) -> String {
        let score = match self.backend {
            DatabaseKind::Sqlite => "i.rank".to_owned(),
            DatabaseKind::Postgres => {
                format!("-ts_rank(to_tsvector('simple', s.words), to_tsquery('simple', {words}))")
            }
        };
        self.hits(&format!("s.id AS id, {score} AS score"), kind, words)
    }

    /// The statement for the same ids that goes through everything on the site and looks whether it is a hit: the better way when most
    /// of it is, because it reads the rows in order.
    pub(crate) fn ids_by_thing(&self, kind: SearchKind, words: &str) -> String {
        match self.backend {
            DatabaseKind::Sqlite => format!(
                "SELECT s.id AS id FROM search_texts s WHERE s.site_id = $1 AND s.kind = '{}' AND s.number IN \
                 (SELECT rowid FROM search_index WHERE search_index MATCH {words})",
                kind.as_str()
            ),
            DatabaseKind::Postgres => self.ids_by_hit(kind, words),
        }
    }

    fn hits(&self, columns: &str, kind: SearchKind, words: &str) -> String {
        let (from, condition) = match self.backend {
            // SQLite keeps the order of tables around CROSS JOIN; otherwise it would go through all texts of the site.
            DatabaseKind::Sqlite => (
                "search_index i CROSS JOIN search_texts s ON s.number = i.rowid",
                format!("i.search_index MATCH {words}"),
            ),
            DatabaseKind::Postgres => (
                "search_texts s",
                format!("to_tsvector('simple', s.words) @@ to_tsquery('simple', {words})"),
            ),
        };
        format!(
            "SELECT {columns} FROM {from} WHERE {condition} AND s.site_id = $1 AND s.kind = '{}'",
            kind.as_str()
        )
    }
}

const SQLITE_INDEX: [&str; 4] = [
    "CREATE VIRTUAL TABLE IF NOT EXISTS search_index USING fts5(words, content = 'search_texts', content_rowid = 'number', \
     tokenize = 'unicode61 remove_diacritics 0')",
    "CREATE TRIGGER IF NOT EXISTS search_texts_added AFTER INSERT ON search_texts BEGIN \
     INSERT INTO search_index (rowid, words) VALUES (new.number, new.words); END",
    "CREATE TRIGGER IF NOT EXISTS search_texts_removed AFTER DELETE ON search_texts BEGIN \
     INSERT INTO search_index (search_index, rowid, words) VALUES ('delete', old.number, old.words); END",
    "CREATE TRIGGER IF NOT EXISTS search_texts_changed AFTER UPDATE ON search_texts BEGIN \
     INSERT INTO search_index (search_index, rowid, words) VALUES ('delete', old.number, old.words); \
     INSERT INTO search_index (rowid, words) VALUES (new.number, new.words); END",
];
const POSTGRES_INDEX: [&str; 1] = [
    "CREATE INDEX IF NOT EXISTS search_texts_by_words ON search_texts USING gin (to_tsvector('simple', words))",
];

impl Store {
    /// Makes the index, unless there is one, and fills it with what is older than it. Several nodes may do this at the same time.
    pub(crate) async fn begin_search(&self) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let statements = match self.backend() {
            DatabaseKind::Sqlite => &SQLITE_INDEX[..],
            DatabaseKind::Postgres => {
                // Two nodes that create one index at the same time would fail without a lock.
                sqlx::query("LOCK TABLE search_texts IN SHARE ROW EXCLUSIVE MODE")
                    .execute(&mut *write)
                    .await?;
                &POSTGRES_INDEX[..]
            }
        };
        for statement in statements {
            sqlx::query(*statement).execute(&mut *write).await?;
        }
        let first = sqlx::query("SELECT number FROM search_texts WHERE number = 0")
            .fetch_optional(&mut *write)
            .await?;
        write.commit().await?;
        match first {
            Some(_) => Ok(()),
            None => self.fill_search().await,
        }
    }

    /// Writes the words of everything from before there was an index. The row with the number 0 says that this is done.
    async fn fill_search(&self) -> Result<(), StoreError> {
        while self.fill_entries().await? {}
        while self.fill_media().await? {}
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO search_texts (number, site_id, kind, id, words) VALUES (0, '', '', '', '') ON CONFLICT DO NOTHING",
        )
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(())
    }

    /// Writes the words of some entries; false when there are none left.
    async fn fill_entries(&self) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let rows = sqlx::query(
            "SELECT e.site_id, e.id, e.format, e.document FROM content_entries e WHERE NOT EXISTS \
             (SELECT 1 FROM search_texts s WHERE s.site_id = e.site_id AND s.kind = 'entry' AND s.id = e.id) LIMIT $1",
        )
        .bind(BATCH)
        .fetch_all(&mut *write)
        .await?;
        for row in &rows {
            let record: Record = stored(row, "document")?;
            let site = SiteId::from(row.try_get::<String, _>("site_id")?);
            let id: String = row.try_get("id")?;
            let key = SearchKey {
                site: &site,
                kind: SearchKind::Entry,
                id: &id,
            };
            key.write(&mut write, &words_of_entry(&record)).await?;
        }
        write.commit().await?;
        Ok(!rows.is_empty())
    }
}
