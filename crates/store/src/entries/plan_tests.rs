//! Which indexes the statements of lists take. The plans tell what a list costs on a large site, without one and without a clock.

use sitewright_site::{
    Direction, EntryFilter, EntryOrder, EntryQuery, EntryStatus, FieldId, ItemId, RecordId,
};
use sitewright_testkit::FreshDatabase;

use super::statement::{EntryAccess, EntrySource, EntryStatement, probe};
use crate::conditions::Conditions;
use crate::documents::EntryState;
use crate::{DatabaseKind, Place, SiteId, Store};

/// A database without entries: without statistics, plans do not depend on them.
struct Plans {
    store: Store,
    site: SiteId,
    _database: FreshDatabase,
}

impl Plans {
    async fn open(database: FreshDatabase) -> Self {
        let store = Store::open(&Place::at(&database.address)).await.unwrap();
        let site = store.sites().await.unwrap().remove(0).id;
        Self {
            store,
            site,
            _database: database,
        }
    }

    async fn sqlite() -> Self {
        Self::open(FreshDatabase::sqlite().unwrap()).await
    }

    /// Writes many entries into a table of Postgres.
    async fn fill(&self, state: EntryState) {
        let table = state.entries();
        let insert = format!(
            "INSERT INTO {table} (site_id, id, collection_id, slug, locale, status, title, published_at, sort_order, created_at, \
             updated_at, seq, format, document, translation_of) SELECT '{}', LPAD(n::TEXT, 12, '0'), '{}', 'entry-' || n, '', \
             'published', 'Entry', n, 0, n, n, 1, 1, '{{}}', '' FROM generate_series(1, 20000) n",
            self.site,
            collection()
        );
        let mut write = self.store.write().await.unwrap();
        for sql in [insert, format!("ANALYZE {table}")] {
            let sql = sqlx::query(sqlx::AssertSqlSafe(sql));
            sql.execute(&mut *write).await.unwrap();
        }
        write.commit().await.unwrap();
    }

    fn source(&self, state: EntryState) -> EntrySource<'_> {
        EntrySource {
            backend: self.store.backend(),
            state,
            site: &self.site,
        }
    }

    /// The steps of the statement for a page.
    async fn page(&self, state: EntryState, query: &EntryQuery, access: EntryAccess) -> String {
        let statement = EntryStatement::new(self.source(state), query, access);
        let (sql, conditions) = statement.page().unwrap();
        self.store.plan(&sql, &conditions).await
    }

    /// The steps of all statements of a list whose entries are looked up.
    async fn lookup(&self, state: EntryState, filter: EntryFilter) -> String {
        let query = EntryQuery {
            filter,
            limit: 50,
            ..EntryQuery::default()
        };
        let mut plan = self.page(state, &query, EntryAccess::ByMatch).await;
        let statement = EntryStatement::new(self.source(state), &query, EntryAccess::ByMatch);
        let (sql, conditions) = statement.count();
        plan += &self.store.plan(&sql, conditions).await;
        if let Some((sql, conditions)) = probe(self.source(state), &query.filter, 10) {
            plan += &self.store.plan(&sql, &conditions).await;
        }
        plan
    }
}

fn collection() -> ItemId {
    ItemId::from(7)
}

fn value() -> (FieldId, String) {
    (FieldId::from(3), "Sailing".to_owned())
}

fn of_collection(filter: EntryFilter) -> EntryFilter {
    EntryFilter {
        collections: vec![collection()],
        ..filter
    }
}

fn as_visitors_see(filter: EntryFilter) -> EntryFilter {
    EntryFilter {
        status: Some(EntryStatus::Published),
        visible_at: Some(5),
        locale: Some("pt-BR".to_owned()),
        falls_back: true,
        ..of_collection(filter)
    }
}

/// Every filter that few entries fit, however many the site has.
fn lookups() -> Vec<EntryFilter> {
    let filter = EntryFilter::default;
    vec![
        EntryFilter {
            id: Some(RecordId::from(1)),
            ..filter()
        },
        EntryFilter {
            slug: Some("a-boat".to_owned()),
            ..filter()
        },
        EntryFilter {
            family: Some(RecordId::from(1)),
            ..filter()
        },
        EntryFilter {
            refers_to: Some(RecordId::from(1)),
            ..filter()
        },
        EntryFilter {
            values: [value()].into(),
            ..filter()
        },
        EntryFilter {
            any_value: [value(), (FieldId::from(4), "Rowing".to_owned())].into(),
            ..filter()
        },
        EntryFilter {
            search: Some("boat harbour".to_owned()),
            ..filter()
        },
    ]
}

#[tokio::test]
async fn entries_that_few_fit_are_looked_up_and_the_site_is_not_read() {
    let plans = Plans::sqlite().await;
    let shapes = [std::convert::identity, of_collection, as_visitors_see];
    for state in [EntryState::Draft, EntryState::Published] {
        for filter in lookups() {
            for shape in shapes {
                let filter = shape(filter.clone());
                let plan = plans.lookup(state, filter.clone()).await;
                let reads_all = plan.lines().find(|step| {
                    let is_all_rows = ["SCAN e", "SCAN t", "SCAN n", "SCAN v", "SCAN s"]
                        .iter()
                        .any(|scan| step.starts_with(scan));
                    is_all_rows
                        || step.ends_with("(site_id=?)")
                        || step.ends_with("(site_id=? AND collection_id=?)")
                        || step.ends_with("(site_id=? AND kind=?)")
                });
                assert_eq!(reads_all, None, "{filter:?}\n{plan}");
            }
        }
    }
}

#[tokio::test]
async fn an_entry_and_its_translations_are_found_by_two_indexes() {
    let plans = Plans::sqlite().await;
    for state in [EntryState::Draft, EntryState::Published] {
        let family = EntryFilter {
            family: Some(RecordId::from(1)),
            ..EntryFilter::default()
        };
        let plan = plans.lookup(state, family).await;
        let table = state.entries();
        for step in [
            format!("SEARCH e USING INDEX sqlite_autoindex_{table}_1 (site_id=? AND id=?)"),
            format!("SEARCH t USING INDEX {table}_by_source (site_id=? AND translation_of=?)"),
        ] {
            assert!(plan.contains(&step), "{step}\n{plan}");
        }
    }
}

#[tokio::test]
async fn a_list_is_read_in_its_order_from_where_the_page_begins() {
    let plans = Plans::sqlite().await;
    let all = EntryFilter::default;
    let published = || EntryFilter {
        status: Some(EntryStatus::Published),
        ..of_collection(all())
    };
    let several = EntryFilter {
        collections: vec![collection(), ItemId::from(8)],
        ..all()
    };
    let broad = EntryFilter {
        values: [value()].into(),
        ..of_collection(all())
    };
    let id = RecordId::from(9);
    for (filter, order, index) in [
        (all(), EntryOrder::CreatedAt, "age"),
        (several, EntryOrder::CreatedAt, "age"),
        (of_collection(all()), EntryOrder::CreatedAt, "creation"),
        (of_collection(all()), EntryOrder::UpdatedAt, "change"),
        (of_collection(all()), EntryOrder::SortOrder, "hand"),
        (published(), EntryOrder::PublishedAt, "publication"),
        (broad, EntryOrder::CreatedAt, "creation"),
    ] {
        for direction in [Direction::Asc, Direction::Desc] {
            let query = EntryQuery {
                filter: filter.clone(),
                order,
                direction,
                limit: 25,
                cursor: Some(format!("{id}700")),
                ..EntryQuery::default()
            };
            let plan = plans.page(EntryState::Draft, &query, EntryAccess::ByOrder);
            let plan = plan.await;
            let step = plan.lines().next().unwrap();
            assert!(
                step.contains(&format!("INDEX content_entries_by_{index} (site_id=?")),
                "{plan}"
            );
            assert!(
                step.contains(",id)") && step.ends_with("(?,?))"),
                "{query:?}\n{plan}"
            );
            assert!(!plan.contains("TEMP B-TREE FOR ORDER BY"), "{plan}");
        }
    }
}

#[tokio::test]
async fn few_entries_with_a_status_are_looked_up_by_it() {
    let plans = Plans::sqlite().await;
    let query = EntryQuery {
        filter: EntryFilter {
            status: Some(EntryStatus::Draft),
            ..of_collection(EntryFilter::default())
        },
        cursor: Some(format!("{}700", RecordId::from(9))),
        ..EntryQuery::default()
    };
    let plan = plans.page(EntryState::Draft, &query, EntryAccess::ByMatch);
    let plan = plan.await;
    assert!(
        plan.contains(
            "content_entries_by_publication (site_id=? AND collection_id=? AND status=?)"
        ),
        "{plan}"
    );
}

/// Postgres plans by what is in the tables, so it gets a site with many entries.
#[tokio::test]
async fn postgres_finds_an_entry_and_its_translations_by_index() {
    let Some(database) = FreshDatabase::postgres() else {
        return;
    };
    let plans = Plans::open(database).await;
    for state in [EntryState::Draft, EntryState::Published] {
        plans.fill(state).await;
        let family = EntryFilter {
            family: Some(RecordId::from(1)),
            ..EntryFilter::default()
        };
        for shape in [std::convert::identity, of_collection, as_visitors_see] {
            let plan = plans.lookup(state, shape(family.clone())).await;
            assert!(!plan.contains("Seq Scan"), "{plan}");
            let mut by_index = plan.lines().filter(|step| step.contains("Index Cond"));
            assert!(
                by_index
                    .clone()
                    .any(|step| step.contains("translation_of =")),
                "{plan}"
            );
            assert!(by_index.any(|step| step.contains("(id =")), "{plan}");
        }
    }
}

impl Store {
    /// The steps of a statement, a line each.
    pub(crate) async fn plan(&self, sql: &str, conditions: &Conditions) -> String {
        use sqlx::Row as _;

        let mut read = self.read().await.unwrap();
        let (explain, column) = match self.backend() {
            DatabaseKind::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
            DatabaseKind::Postgres => ("EXPLAIN", "QUERY PLAN"),
        };
        let rows = conditions.bound(&format!("{explain} {sql}"));
        let rows = rows.fetch_all(&mut *read).await.unwrap();
        let steps = rows
            .iter()
            .map(|row| row.try_get::<String, _>(column).unwrap() + "\n");
        steps.collect()
    }
}
