//! Making a site writable again after its log was damaged.
//!
//! The rows of the log are not touched. Recovery writes new snapshots of every part after them, so that nothing needs the damaged
//! entries, and leaves a gap in the sequence. A replica in a tab or on another node cannot follow the log across a gap and reloads
//! the site, which it must do, because no ops lead from its state to the recovered one.

use serde_json::json;
use sitewright_site::{Applied, Author, BodyId, ChangeId, Entity, Site};
use sitewright_tool::Taint;

use super::check::{Documents, PartDamage, read_parts};
use super::commit::Entry;
use super::log;
use crate::audit::Record;
use crate::database::Write;
use crate::{SiteId, Stamp, Store, StoreError};

/// The action of the audit entry about a recovery. Verifying the history relies on the log entry that it names.
pub(super) const SITE_RECOVERED: &str = "site.recovered";

/// The state that a damaged site is recovered to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoverTo {
    /// Every part at the last entry that can be replayed onto it.
    LastReadable,
    /// The whole site at a restore point.
    RestorePoint(u64),
}

/// The result of a recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// The log entry that records the recovery.
    pub seq: u64,
    /// The parts that were damaged. A document of which nothing could be read no longer exists.
    pub damage: Vec<PartDamage>,
}

impl Store {
    /// Makes a damaged site writable again. Returns none, and changes nothing, if the site is not damaged.
    pub async fn recover_site(
        &self,
        site: &SiteId,
        to: RecoverTo,
        author: &Author,
        by: &Stamp,
    ) -> Result<Option<Recovery>, StoreError> {
        let mut live = self.lives.of(site).lock_owned().await;
        let mut write = self.write().await?;
        let end = log::lock(&mut write, site)
            .await?
            .ok_or(StoreError::NotFound { what: "site" })?;
        let stored = read_parts(&mut write, site, Documents::Keep).await?;
        if stored.damage.is_empty() {
            write.rollback().await?;
            return Ok(None);
        }
        let target = match to {
            RecoverTo::LastReadable => without_unreadable(stored.site, &stored.damage)?,
            RecoverTo::RestorePoint(seq) => log::restore_point(&mut write, site, seq)
                .await?
                .ok_or(StoreError::NotFound {
                    what: "restore point",
                })?,
        };
        // The replica holds only what could be read; whatever happens from here on, it must be reloaded.
        live.is_sound = false;
        let seq = end + 2;
        let summary = match to {
            RecoverTo::LastReadable => "Recover what can be read of the site".to_owned(),
            RecoverTo::RestorePoint(point) => {
                format!("Recover the site from the restore point at entry {point}")
            }
        };
        let entry = Entry {
            seq,
            id: &ChangeId::of_call("recovery", &format!("{site} {seq}")),
            digest: "",
            author,
            turn: None,
            summary: &summary,
            at: by.at,
            taint: Taint::Trusted,
        };
        let nothing = Applied {
            done: Vec::new(),
            rejected: Vec::new(),
        };
        entry.write(&mut write, site, &nothing).await?;
        write_parts(&mut write, site, seq, &target).await?;
        Record::of(SITE_RECOVERED)
            .on(site)
            .with(json!({ "entry": seq, "damage": stored.damage }))
            .save(&mut write, by)
            .await?;
        super::wake::announce(self, &mut write, site).await?;
        self.commit(write).await?;
        drop(live);
        self.bell.ring(site);
        Ok(Some(Recovery {
            seq,
            damage: stored.damage,
        }))
    }
}

/// Removes the documents of which nothing can be read: they have no nodes to show or change.
fn without_unreadable(mut site: Site, damage: &[PartDamage]) -> Result<Site, StoreError> {
    for part in damage.iter().filter(|part| part.entry.is_none()) {
        let id = part.document.ok_or(StoreError::Refused {
            rule: "nothing of the site can be read; recover it from a restore point",
        })?;
        let entity = match site.shell.pages.get(id) {
            Some(_) => Entity::Page { id },
            None => Entity::Component { id },
        };
        site.delete_document(entity)
            .map_err(|_missing| StoreError::UnreadableDocument { document: id })?;
    }
    Ok(site)
}

/// Writes a snapshot of every part at the recovery entry, and records the entry as touching every
/// part that existed before or exists after it.
async fn write_parts(
    write: &mut Write,
    site: &SiteId,
    seq: u64,
    target: &Site,
) -> Result<(), StoreError> {
    let before: Vec<String> = log::parts_with_snapshots(write, site).await?;
    let bodies = target.bodies.keys().map(BodyId::to_string);
    let mut parts: Vec<String> = before.into_iter().chain(bodies).collect();
    parts.push(log::SHELL.to_owned());
    parts.sort_unstable();
    parts.dedup();
    for part in &parts {
        log::name_part(write, site, part, seq).await?;
        if part == log::SHELL {
            log::write_snapshot(write, site, part, seq, &target.shell_snapshot()).await?;
            continue;
        }
        match part.parse().ok().and_then(|id| target.body_snapshot(id)) {
            Some(document) => log::write_snapshot(write, site, part, seq, &document).await?,
            None => log::forget_snapshots(write, site, part).await?,
        }
    }
    sqlx::query("UPDATE site_logs SET recovered_at = $1 WHERE site_id = $2")
        .bind(log::signed(seq))
        .bind(site.as_str())
        .execute(&mut **write)
        .await?;
    Ok(())
}
