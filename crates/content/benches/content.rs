//! Reading content at scale: 100,000 entries and 20,000 pictures, found by id, by slug and as a filtered page of 50, by the tools through
//! the whole pipeline and by the store alone. The baseline runs the bare statements on sqlx's typed pool, on the same file, taking turns
//! so that noise hits both. Prints a JSON object per measure for `cargo xtask bench`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has failed, and it prints"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sitewright_content::content_tools;
use sitewright_runtime::{Call, Pipeline, Registry, Tool, ToolSource};
use sitewright_site::{
    Author, EntryFilter, EntryQuery, EntryStatus, FORMAT, FieldId, ItemId, Record, RecordId,
};
use sitewright_store::{Committer, MediaId, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_tool::{CapabilitySet, Envelope, Scope};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions, SqliteRow};
use sqlx::{Row as _, SqliteConnection};

const ENTRIES: u64 = 100_000;
const PICTURES: u64 = 20_000;
const CATEGORIES: u64 = 200;
const PAGE: u32 = 50;
const LIST: u32 = 25;
const ROUNDS: u64 = 500;
const COLUMNS: &str =
    "e.id, e.seq, e.format, e.document, e.created_at, e.updated_at, e.published_at";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(measure());
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let store = Store::open(&Place::File(path.clone()))
        .await
        .expect("a store");
    let site = store.sites().await.expect("sites").remove(0).id;
    let bare = Bare::open(&store, site, &path).await;
    bare.fill().await;
    let tools = Tools::over(&store, &bare.site);
    measure_tools(&bare, &tools).await;
    measure_store(&bare, &store).await;
}

/// Numbers of entries from all over the file: a step without common divisors visits them all.
fn numbers() -> impl Iterator<Item = u64> {
    (0..ROUNDS).map(|round| round * 7_919 % ENTRIES)
}

async fn measure_tools(bare: &Bare, tools: &Tools) {
    let [mut by_id, mut by_slug, mut page, mut list] = [(); 4].map(|()| Pair::default());
    for number in numbers() {
        let one = json!({ "id": RecordId::from(number + 1), "includeContent": true });
        by_id.product.push(timed(tools.get("getEntry", one)).await);
        by_id.baseline.push(timed(bare.by_id(number)).await);
        let named = json!({ "slug": slug(number), "collectionId": bare.collection, "includeContent": true });
        by_slug
            .product
            .push(timed(tools.get("getEntry", named)).await);
        by_slug.baseline.push(timed(bare.by_slug(number)).await);
        let filtered = json!({
            "collectionSlug": "blog", "status": "published", "category": category(number), "includeContent": true, "limit": PAGE,
        });
        page.product
            .push(timed(tools.get("getPost", filtered)).await);
        page.baseline.push(timed(bare.page(number)).await);
        let newest = json!({ "collectionId": bare.collection, "limit": LIST });
        list.product
            .push(timed(tools.get("getEntry", newest)).await);
        list.baseline.push(timed(bare.list()).await);
    }
    by_id.print("getEntry by id, of 100,000");
    by_slug.print("getEntry by slug, of 100,000");
    list.print("getEntry, the newest 25 of a collection with their number, of 100,000");
    page.print("getPost, a filtered page of 50 with their number, of 100,000");
}

async fn measure_store(bare: &Bare, store: &Store) {
    let [mut by_id, mut by_slug, mut page] = [(); 3].map(|()| Pair::default());
    let [mut picture, mut pictures, mut found] = [(); 3].map(|()| Pair::default());
    for number in numbers() {
        let query = |filter: EntryFilter| EntryQuery {
            filter,
            limit: PAGE,
            ..EntryQuery::default()
        };
        let one = query(EntryFilter {
            id: Some(RecordId::from(number + 1)),
            ..EntryFilter::default()
        });
        by_id.product.push(timed(bare.entries(store, &one)).await);
        by_id.baseline.push(timed(bare.by_id(number)).await);
        let named = query(EntryFilter {
            collections: vec![bare.collection],
            slug: Some(slug(number)),
            ..EntryFilter::default()
        });
        by_slug
            .product
            .push(timed(bare.entries(store, &named)).await);
        by_slug.baseline.push(timed(bare.by_slug(number)).await);
        let filtered = query(EntryFilter {
            collections: vec![bare.collection],
            status: Some(EntryStatus::Published),
            values: [(bare.category, category(number))].into(),
            ..EntryFilter::default()
        });
        page.product
            .push(timed(bare.entries(store, &filtered)).await);
        page.baseline.push(timed(bare.page(number)).await);
        let number = number % PICTURES;
        picture.product.push(timed(bare.media(store, number)).await);
        picture.baseline.push(timed(bare.picture(number)).await);
        pictures.product.push(timed(bare.media_page(store)).await);
        pictures.baseline.push(timed(bare.pictures()).await);
        found.product.push(timed(bare.search(store, number)).await);
        found.baseline.push(timed(bare.found(number)).await);
    }
    by_id.print("the store alone: an entry by its id");
    by_slug.print("the store alone: an entry by its slug");
    page.print("the store alone: a filtered page of 50 entries with their number");
    picture.print("the store alone: a picture by its id, of 20,000");
    pictures.print("the store alone: a page of 50 pictures whose name contains a text, of 20,000");
    found.print(
        "the store alone: the best 50 of 2,000 pictures with two words and their number, of 20,000",
    );
}

fn slug(number: u64) -> String {
    format!("entry-{number}")
}

fn category(number: u64) -> String {
    format!("Category {}", number % CATEGORIES)
}

/// The content tools, as the API calls them.
struct Tools {
    pipeline: Pipeline,
    site: SiteId,
}

impl Tools {
    fn over(store: &Store, site: &SiteId) -> Self {
        let registry = Registry::built_in();
        for tool in content_tools() {
            let registered = registry.register(ToolSource::BuiltIn, Tool::from(tool));
            registered.expect("a free name");
        }
        Self {
            pipeline: Pipeline::new(store.clone(), registry),
            site: site.clone(),
        }
    }

    async fn get(&self, tool: &str, arguments: Value) {
        let by = Stamp::local(Timestamp::now());
        let by = Committer::new(Author::Local, CapabilitySet::all(), by);
        let call = Call {
            scope: Some(Scope::Content),
            ..Call::new(self.site.clone(), tool, arguments, by)
        };
        let envelope = Envelope::from(self.pipeline.call(call).await);
        let data = envelope.data.expect("entries");
        assert!(data["count"].as_u64() > Some(0), "{data}");
    }
}

/// The typed pool on the file of the store.
struct Bare {
    pool: SqlitePool,
    site: SiteId,
    collection: ItemId,
    category: FieldId,
}

impl Bare {
    async fn open(store: &Store, site: SiteId, path: &Path) -> Self {
        let live = store.live_site(&site).await.expect("a site");
        let (collection, found) = live.site().collections().next().expect("a collection");
        let category = found.field("category").expect("a field").id;
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false)
            .connect_with(SqliteConnectOptions::new().filename(path))
            .await
            .expect("a pool");
        Self {
            pool,
            site,
            collection,
            category,
        }
    }

    /// Writes the rows as a commit would, without a hundred thousand commits.
    async fn fill(&self) {
        let mut write = self.pool.begin().await.expect("a transaction");
        for number in 0..ENTRIES {
            let record = Record {
                collection: self.collection,
                slug: slug(number),
                title: format!("Entry {number}"),
                locale: None,
                translation_of: None,
                source_digest: None,
                status: EntryStatus::Published,
                publish_at: None,
                unpublish_at: None,
                sort_order: 0,
                values: [(self.category, json!(category(number)))].into(),
            };
            let document = serde_json::to_string(&record).expect("a document");
            let id = RecordId::from(number + 1).to_string();
            let at = i64::try_from(number).expect("a time") + 1;
            sqlx::query(
                "INSERT INTO content_entries (site_id, id, collection_id, slug, locale, status, title, published_at, sort_order, \
                 created_at, updated_at, seq, format, document) VALUES ($1, $2, $3, $4, '', 'published', $5, $6, 0, $6, $6, 1, $7, $8)",
            )
            .bind(self.site.as_str())
            .bind(&id)
            .bind(self.collection.to_string())
            .bind(&record.slug)
            .bind(&record.title)
            .bind(at)
            .bind(i64::from(FORMAT))
            .bind(document)
            .execute(&mut *write)
            .await
            .expect("an entry");
            sqlx::query("INSERT INTO content_values (site_id, entry_id, field_id, value) VALUES ($1, $2, $3, $4)")
                .bind(self.site.as_str())
                .bind(&id)
                .bind(self.category.to_string())
                .bind(category(number))
                .execute(&mut *write)
                .await
                .expect("a value");
        }
        sqlx::query("INSERT INTO content_counts (site_id, collection_id, status, entries) VALUES ($1, $2, 'published', $3)")
            .bind(self.site.as_str())
            .bind(self.collection.to_string())
            .bind(i64::try_from(ENTRIES).expect("a number"))
            .execute(&mut *write)
            .await
            .expect("a count");
        self.fill_pictures(&mut write).await;
        write.commit().await.expect("a commit");
    }

    async fn fill_pictures(&self, write: &mut SqliteConnection) {
        for number in 0..PICTURES {
            sqlx::query(
                "INSERT INTO media (id, site_id, blob, format, width, height, bytes, is_animated, name, alt, variants, created_at) \
                 VALUES ($1, $2, $4, 'image/png', 900, 600, 1000, 0, $3, 'A boat', '[]', 1)",
            )
            .bind(picture_id(number))
            .bind(self.site.as_str())
            .bind(format!("boat-{}.png", number % 10))
            .bind(format!("{number:064x}"))
            .execute(&mut *write)
            .await
            .expect("a picture");
            sqlx::query("INSERT INTO search_texts (number, site_id, kind, id, words) VALUES ($1, $2, 'media', $3, $4)")
                .bind(search_number(number))
                .bind(self.site.as_str())
                .bind(picture_id(number))
                .bind(format!("boat {} png a boat", number % 10))
                .execute(&mut *write)
                .await
                .expect("words");
        }
    }

    async fn entries(&self, store: &Store, query: &EntryQuery) {
        let list = store.entries(&self.site, query).await.expect("entries");
        assert!(!list.rows.is_empty(), "{query:?}");
    }

    async fn by_id(&self, number: u64) {
        let sql = format!("SELECT {COLUMNS} FROM content_entries e WHERE site_id = $1 AND id = $2");
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(self.site.as_str())
            .bind(RecordId::from(number + 1).to_string())
            .fetch_one(&self.pool)
            .await
            .expect("a row");
        read(&row);
    }

    async fn by_slug(&self, number: u64) {
        let sql = format!(
            "SELECT {COLUMNS} FROM content_entries e WHERE site_id = $1 AND (collection_id || '') = $2 AND slug = $3"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(self.site.as_str())
            .bind(self.collection.to_string())
            .bind(slug(number))
            .fetch_one(&self.pool)
            .await
            .expect("a row");
        read(&row);
    }

    async fn page(&self, number: u64) {
        // SQLite keeps the order of tables around CROSS JOIN, so it looks up the entries with the value.
        let fits = "content_values v CROSS JOIN content_entries e WHERE v.site_id = $1 AND v.value = $4 AND v.field_id = $3 \
                    AND e.site_id = $1 AND e.id = v.entry_id AND e.collection_id = $2 AND e.status = 'published'";
        for sql in [
            format!("SELECT COUNT(*) FROM {fits}"),
            format!(
                "SELECT {COLUMNS} FROM {fits} ORDER BY e.created_at DESC, e.id DESC LIMIT {PAGE}"
            ),
        ] {
            let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(self.site.as_str())
                .bind(self.collection.to_string())
                .bind(self.category.to_string())
                .bind(category(number))
                .fetch_all(&self.pool)
                .await
                .expect("rows");
            rows.iter().filter(|row| row.len() > 1).for_each(read);
        }
    }

    async fn list(&self) {
        for sql in [
            "SELECT SUM(entries) FROM content_counts WHERE site_id = $1 AND collection_id = $2"
                .to_owned(),
            format!(
                "SELECT {COLUMNS} FROM content_entries e WHERE site_id = $1 AND collection_id = $2 \
                 ORDER BY created_at DESC, id DESC LIMIT {LIST}"
            ),
        ] {
            let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(self.site.as_str())
                .bind(self.collection.to_string())
                .fetch_all(&self.pool)
                .await
                .expect("rows");
            rows.iter().filter(|row| row.len() > 1).for_each(read);
        }
    }

    async fn media(&self, store: &Store, number: u64) {
        let id = MediaId::from(picture_id(number));
        let found = store.media(&id).await.expect("a picture");
        assert!(found.is_some(), "{id}");
    }

    async fn picture(&self, number: u64) {
        let row = sqlx::query("SELECT * FROM media WHERE id = $1 AND deleted_at = 0")
            .bind(picture_id(number))
            .fetch_one(&self.pool)
            .await
            .expect("a row");
        read_picture(&row);
    }

    async fn media_page(&self, store: &Store) {
        let limit = u16::try_from(PAGE).expect("a limit");
        let page = store.media_page(&self.site, "boat-7", None, limit).await;
        assert_eq!(page.expect("a page").rows.len(), usize::from(limit));
    }

    async fn search(&self, store: &Store, number: u64) {
        let words = picture_words(number);
        let hits = store.search_media(&self.site, &words, PAGE, 0).await;
        assert_eq!(hits.expect("hits").total, PICTURES / 10);
    }

    async fn found(&self, number: u64) {
        let hits = "search_index i CROSS JOIN search_texts s ON s.number = i.rowid WHERE i.search_index MATCH $2 AND s.site_id = $1 \
                    AND s.kind = 'media'";
        let words = picture_words(number);
        let words: Vec<String> = words
            .split(' ')
            .map(|word| format!("\"{word}\"*"))
            .collect();
        for sql in [
            format!("SELECT COUNT(*) FROM {hits}"),
            format!(
                "SELECT m.* FROM (SELECT s.id AS id, i.rank AS score FROM {hits} ORDER BY score, id DESC LIMIT {PAGE}) f \
                 CROSS JOIN media m WHERE m.id = f.id AND m.deleted_at = 0 ORDER BY f.score, m.id DESC"
            ),
        ] {
            let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(self.site.as_str())
                .bind(words.join(" "))
                .fetch_all(&self.pool)
                .await
                .expect("rows");
            rows.iter()
                .filter(|row| row.len() > 1)
                .for_each(read_picture);
        }
    }

    async fn pictures(&self) {
        let rows = sqlx::query(
            "SELECT * FROM media WHERE site_id = $1 AND deleted_at = 0 AND (LOWER(name) LIKE $2 OR LOWER(alt) LIKE $2) \
             ORDER BY id DESC LIMIT $3",
        )
        .bind(self.site.as_str())
        .bind("%boat-7%")
        .bind(PAGE)
        .fetch_all(&self.pool)
        .await
        .expect("rows");
        rows.iter().for_each(read_picture);
    }
}

/// A number that is spread like the hashes of the store.
fn search_number(number: u64) -> i64 {
    let spread = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    spread.cast_signed() & i64::MAX
}

fn picture_words(number: u64) -> String {
    format!("boat {}", number % 10)
}

fn picture_id(number: u64) -> String {
    RecordId::from(number + 1).to_string()
}

/// Takes the values out of a row, which is part of every read.
fn read(row: &SqliteRow) {
    let texts: [String; 2] = [row.get("id"), row.get("document")];
    let numbers: [i64; 5] = [
        row.get("seq"),
        row.get("format"),
        row.get("created_at"),
        row.get("updated_at"),
        row.get("published_at"),
    ];
    std::hint::black_box((texts, numbers));
}

fn read_picture(row: &SqliteRow) {
    let texts: [String; 9] = [
        row.get("id"),
        row.get("site_id"),
        row.get("blob"),
        row.get("format"),
        row.get("name"),
        row.get("alt"),
        row.get("variants"),
        row.get("tags"),
        row.get("categories"),
    ];
    let numbers: [i64; 4] = [
        row.get("width"),
        row.get("height"),
        row.get("bytes"),
        row.get("created_at"),
    ];
    std::hint::black_box((texts, numbers));
}

async fn timed(work: impl Future<Output = ()>) -> Duration {
    let started = Instant::now();
    work.await;
    started.elapsed()
}

#[derive(Default)]
struct Pair {
    product: Vec<Duration>,
    baseline: Vec<Duration>,
}

impl Pair {
    fn print(mut self, measure: &str) {
        self.product.sort_unstable();
        self.baseline.sort_unstable();
        for percent in [50, 99] {
            let of = |times: &[Duration]| times[times.len() * percent / 100].as_secs_f64() * 1e6;
            let (product, baseline) = (of(&self.product), of(&self.baseline));
            let ratio = product / baseline;
            let mut line = json!({
                "measure": format!("{measure}, p{percent}"), "product": format!("{product:.0} µs"),
                "baseline": format!("{baseline:.0} µs"), "ratio": ratio,
            });
            if percent == 99 {
                line["target"] = json!({
                    "text": format!("at most 3x, found {ratio:.2}"), "met": ratio <= 3.0,
                });
            }
            println!("{line}");
        }
    }
}
