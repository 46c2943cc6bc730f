//! Sites in memory: one replica per site and process, used by one caller at a time. Entries of other nodes are applied before the
//! replica is handed out. A replica is only a cache of the log, so dropping it loses nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sitewright_site::{
    Author, BodyId, ChangeId, Mention, NodeId, RecordId, Replica, Site, first_ops,
};
use sitewright_tool::Taint;
use sqlx::AnyConnection;
use tokio::sync::OwnedMutexGuard;

use super::log::{self, LogDamage, Until};
use super::published::EntryState;
use super::records;
use crate::{DatabaseKind, SiteId, Store, StoreError, Timestamp};

/// The number of nodes a site may have in memory before its least recently used documents are closed.
const NODES_MAX: usize = 400_000;
/// The number of entries of collections that stay open. One is opened from its row, so little is saved by keeping more.
const RECORDS_MAX: usize = 64;
const CATCH_UP: u32 = 200;

/// The replicas of this process, by site.
#[derive(Debug, Default)]
pub(crate) struct Lives(Mutex<HashMap<SiteId, Arc<tokio::sync::Mutex<Live>>>>);

impl Lives {
    pub(super) fn of(&self, site: &SiteId) -> Arc<tokio::sync::Mutex<Live>> {
        let mut lives = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(lives.entry(site.clone()).or_default())
    }
}

/// A site's replica in memory.
#[derive(Debug, Default)]
pub(super) struct Live {
    pub(super) replica: Replica,
    /// Whether the replica matches the log. False until it is loaded and while a change is being committed: a commit that is
    /// dropped halfway leaves a replica that must be reloaded.
    pub(super) is_sound: bool,
    /// What was added since each document's last snapshot; the shell is the empty name.
    pub(super) since: HashMap<String, Since>,
    /// Why the shell cannot be replayed to the end of the log. The whole site is read-only if set.
    pub(super) damage: Option<LogDamage>,
    /// The same for single documents; only the damaged ones are read-only.
    pub(super) damaged_bodies: HashMap<BodyId, LogDamage>,
    /// When each document was last used, as a count of uses.
    used: HashMap<BodyId, u64>,
    uses: u64,
    /// Whether the site has its first collections and menus.
    has_content: bool,
}

/// The entries since a snapshot.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Since {
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

/// Exclusive guard over a site's in-memory replica, released when it is dropped.
#[derive(Debug)]
pub struct LiveSite {
    pub(super) store: Store,
    pub(super) id: SiteId,
    pub(super) live: OwnedMutexGuard<Live>,
    /// What [`rows`](Self::rows), [`address`](Self::address) and the entries of this guard are read from.
    pub(super) entry_state: EntryState,
}

impl Store {
    /// The site in its current state. Waits until no other caller on this node holds it.
    pub async fn live_site(&self, site: &SiteId) -> Result<LiveSite, StoreError> {
        let live = self.lives.of(site).lock_owned().await;
        let mut live = LiveSite {
            store: self.clone(),
            id: site.clone(),
            live,
            entry_state: EntryState::Draft,
        };
        // One process owns a SQLite file, so a sound replica is still current; checking would cost more than most reads do.
        if live.live.is_sound && self.backend() == DatabaseKind::Sqlite {
            return Ok(live);
        }
        let mut connection = self.connection().await?;
        let end = match log::end(&mut connection, site).await? {
            Some(end) => end,
            None => self.begin_log(site).await?,
        };
        if !live.live.is_sound || !live.follow(&mut connection, end).await? {
            drop(connection);
            // The snapshot and the entries since must come from one transaction: another node may collapse the log between two statements.
            let mut read = self.read().await?;
            live.load(&mut read).await?;
            read.rollback().await?;
        } else {
            drop(connection);
        }
        if !live.live.has_content && live.damage().is_none() {
            live.begin_content().await?;
            live.live.has_content = true;
        }
        Ok(live)
    }

    /// Writes the first entry of a site's log: the content of a new site.
    async fn begin_log(&self, site: &SiteId) -> Result<u64, StoreError> {
        let name = self.site(site).await?.name;
        let id = ChangeId::of_call("first", site.as_str());
        let ops = first_ops(&name, id.clone()).map_err(|_misplaced| StoreError::Corrupt {
            what: "beginning of a site",
        })?;
        let mut replica = Replica::default();
        let applied = replica.attempt(&ops);
        replica.keep();
        let mut write = self.write().await?;
        let begun = sqlx::query(
            "INSERT INTO site_logs (site_id, seq, kept_from) VALUES ($1, 1, 1) ON CONFLICT DO NOTHING",
        )
        .bind(site.as_str())
        .execute(&mut *write)
        .await?;
        // Another node was faster; it wrote the same first entry.
        if begun.rows_affected() == 0 {
            write.rollback().await?;
            return Ok(1);
        }
        let entry = super::commit::Entry {
            seq: 1,
            id: &id,
            digest: "",
            author: &Author::Local,
            turn: None,
            summary: "Created the site",
            at: Timestamp::now(),
            taint: Taint::Trusted,
        };
        entry.write(&mut write, site, &applied).await?;
        records::mark_content_begun(&mut write, site).await?;
        let shell = replica.site().shell_snapshot();
        log::write_snapshot(&mut write, site, log::SHELL, 1, &shell).await?;
        for body in replica.site().bodies.keys() {
            let document = replica.site().body_snapshot(*body);
            log::write_snapshot(&mut write, site, &body.to_string(), 1, &document).await?;
        }
        write.commit().await?;
        Ok(1)
    }
}

impl LiveSite {
    /// The site as of [`Self::seq`]; only documents that are open have their body.
    pub fn site(&self) -> &Site {
        self.live.replica.site()
    }

    /// Mutable for dry runs; the tool must undo every op before it returns.
    pub fn site_mut(&mut self) -> &mut Site {
        self.live.replica.site_mut()
    }

    /// The last entry of the log that the replica includes.
    pub fn seq(&self) -> u64 {
        self.live.replica.seq()
    }

    /// Opens a document; returns false if none has this id.
    pub async fn open(&mut self, body: BodyId) -> Result<bool, StoreError> {
        if self.site().bodies.contains_key(&body) {
            self.live.touch(body);
            return Ok(true);
        }
        let mut read = self.store.read().await?;
        let is_there = self.open_with(&mut read, body).await?;
        read.rollback().await?;
        Ok(is_there)
    }

    /// Why the site is read-only: the first entry of its log that cannot be replayed onto the shell.
    pub fn damage(&self) -> Option<&LogDamage> {
        self.live.damage.as_ref()
    }

    /// The damage of the site, or else the earliest damage of any open document.
    pub fn any_damage(&self) -> Option<&LogDamage> {
        self.damage().or_else(|| {
            self.live
                .damaged_bodies
                .values()
                .min_by_key(|damage| damage.seq)
        })
    }

    /// Why a document is read-only: the first entry about it that cannot be replayed. Only known once the document is open.
    pub fn damage_of(&self, body: BodyId) -> Option<&LogDamage> {
        self.live.damaged_bodies.get(&body)
    }

    /// Opens the document that contains a node; returns none if no document does.
    pub async fn open_owner(&mut self, node: NodeId) -> Result<Option<BodyId>, StoreError> {
        let mut read = self.store.read().await?;
        let bodies = log::bodies_mentioning(&mut read, &self.id, &format!("\"{node}\"")).await?;
        for body in bodies {
            self.open_with(&mut read, body).await?;
            let tree = self.site().bodies.get(&body);
            if tree.is_some_and(|tree| tree.node(node).is_some()) {
                return Ok(Some(body));
            }
        }
        Ok(None)
    }

    /// Every place in the site that refers to something outside the documents, such as an image, by its id.
    pub async fn mentions(&mut self, id: &str) -> Result<Vec<Mention>, StoreError> {
        // The id goes into a LIKE pattern, where other characters could act as wildcards.
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(Vec::new());
        }
        let mut read = self.store.read().await?;
        let bodies = log::bodies_mentioning(&mut read, &self.id, id).await?;
        for body in bodies {
            self.open_with(&mut read, body).await?;
        }
        let mut mentions = self.site().mentions(id);
        mentions.extend(records::mentions(&mut read, &self.id, id).await?);
        self.tidy();
        Ok(mentions)
    }

    /// Closes the least recently used documents while too many nodes are in memory.
    pub fn tidy(&mut self) {
        self.live.tidy(&[]);
    }

    pub(super) async fn open_with(
        &mut self,
        connection: &mut AnyConnection,
        body: BodyId,
    ) -> Result<bool, StoreError> {
        let shell = &self.site().shell;
        if shell.pages.get(body).is_none() && shell.components.get(body).is_none() {
            return Ok(false);
        }
        if !self.site().bodies.contains_key(&body) {
            let until = self
                .damage()
                .map_or(Until::End, |damage| Until::Damage(damage.seq));
            let loaded = log::readable_body(connection, &self.id, body, until).await?;
            let Some(loaded) = loaded else {
                return Err(StoreError::UnreadableDocument { document: body });
            };
            let at = loaded.at.max(self.seq());
            self.live
                .replica
                .open(body, &loaded.document, at)
                .map_err(log::astray)?;
            match loaded.damage {
                Some(damage) => self.live.damaged_bodies.insert(body, damage),
                None => self.live.damaged_bodies.remove(&body),
            };
            let since = self.live.since.entry(body.to_string()).or_default();
            since.entries = loaded.replayed;
        }
        self.live.touch(body);
        Ok(true)
    }

    /// Brings the replica to the end of the log. The caller holds the log's lock.
    pub(super) async fn catch_up(
        &mut self,
        connection: &mut AnyConnection,
        end: u64,
    ) -> Result<(), StoreError> {
        if !self.live.is_sound || !self.follow(connection, end).await? {
            self.load(connection).await?;
        }
        Ok(())
    }

    /// Applies the entries of other nodes. Returns false if the replica must be reloaded from
    /// snapshots, for example because the entries were collapsed.
    async fn follow(
        &mut self,
        connection: &mut AnyConnection,
        end: u64,
    ) -> Result<bool, StoreError> {
        while self.seq() < end {
            let before = self.seq();
            let entries = log::entries(connection, &self.id, before, CATCH_UP).await;
            let entries = match entries {
                Err(StoreError::Unreadable { .. }) => return Ok(false),
                entries => entries?,
            };
            let replica = &mut self.live.replica;
            let followed = entries
                .into_iter()
                .try_for_each(|entry| replica.receive(entry).map(drop));
            if followed.is_err() || self.seq() == before {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reloads the replica from its rows. The connection must be in a transaction that sees a single snapshot of the database.
    async fn load(&mut self, connection: &mut AnyConnection) -> Result<(), StoreError> {
        let end = log::end(connection, &self.id)
            .await?
            .ok_or(StoreError::NotFound { what: "site" })?;
        let loaded = log::shell(connection, &self.id).await?;
        if let Some(damage) = &loaded.damage {
            tracing::error!(site = %self.id, seq = damage.seq, reason = damage.reason, "the log cannot be read to its end: the site is read-only");
        }
        let since = Since {
            entries: loaded.replayed,
            bytes: 0,
        };
        let has_content = records::has_content_begun(connection, &self.id).await?;
        *self.live = Live {
            // A damaged shell also counts as being at the end of the log: no later entry can be applied, and tabs must not wait for one.
            replica: Replica::from_site(loaded.document, end),
            is_sound: true,
            since: HashMap::from([(log::SHELL.to_owned(), since)]),
            damage: loaded.damage,
            has_content,
            ..Live::default()
        };
        Ok(())
    }
}

impl Live {
    fn touch(&mut self, body: BodyId) {
        self.uses += 1;
        self.used.insert(body, self.uses);
    }

    /// Closes the least recently used documents while too many nodes are in memory, but none of those in `keep`, and entries of
    /// collections when too many are open.
    pub(super) fn tidy(&mut self, keep: &[BodyId]) {
        let replica = &mut self.replica;
        let mut nodes: usize = replica.site().bodies.values().map(|tree| tree.len()).sum();
        let mut oldest: Vec<(u64, BodyId, usize)> = replica
            .site()
            .bodies
            .iter()
            .filter(|(body, _)| !keep.contains(body))
            .map(|(body, tree)| (self.used.get(body).copied().unwrap_or(0), *body, tree.len()))
            .collect();
        oldest.sort_unstable();
        for (_, body, size) in oldest {
            if nodes <= NODES_MAX {
                break;
            }
            replica.close(body);
            nodes -= size;
        }
        if replica.site().records.len() > RECORDS_MAX {
            let open: Vec<RecordId> = replica.site().records.keys().copied().collect();
            for id in open {
                replica.close_record(id);
            }
        }
    }
}
