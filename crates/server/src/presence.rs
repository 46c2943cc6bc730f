//! Who else is on which page. Tabs report periodically where they are; a report expires when they stop.
//!
//! Presence is kept in memory, by each node for itself: two people whose requests go to different nodes do not see each other. Nothing
//! depends on it, because all changes go through the log regardless.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sitewright_site::BodyId;
use sitewright_store::{SiteId, UserId};
use tokio::sync::watch;
use tokio::time::Instant;

/// How long a tab is considered present after its last report. Tabs report every 20 seconds.
const BELIEVED_FOR: Duration = Duration::from_secs(50);
/// The maximum number of tabs that are remembered per site.
const TABS_MAX: usize = 500;

/// Who is on which page, by site.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    sites: Mutex<HashMap<SiteId, BTreeMap<TabKey, Tab>>>,
    changed: watch::Sender<()>,
}

type TabKey = (UserId, String);

#[derive(Debug, Clone)]
struct Tab {
    name: String,
    page: BodyId,
    until: Instant,
}

/// A person on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct There {
    pub(crate) id: UserId,
    pub(crate) name: String,
    pub(crate) page: BodyId,
}

impl Presence {
    /// Records that a person's tab shows a page.
    pub(crate) fn seen(&self, site: &SiteId, tab: String, there: There, now: Instant) {
        let There { id, name, page } = there;
        let mut sites = self.lock();
        let tabs = sites.entry(site.clone()).or_default();
        tabs.retain(|_, tab| tab.until > now);
        let key = (id, tab);
        if tabs.len() >= TABS_MAX && !tabs.contains_key(&key) {
            return;
        }
        let until = now + BELIEVED_FOR;
        tabs.insert(key, Tab { name, page, until });
        drop(sites);
        self.changed.send_replace(());
    }

    /// Records that a person's tab no longer shows a page.
    pub(crate) fn gone(&self, site: &SiteId, person: &UserId, tab: String) {
        if let Some(tabs) = self.lock().get_mut(site) {
            tabs.remove(&(person.clone(), tab));
        }
        self.changed.send_replace(());
    }

    /// Who is on which page of a site; a person with several tabs on one page appears once.
    pub(crate) fn people(&self, site: &SiteId, now: Instant) -> Vec<There> {
        let sites = self.lock();
        let tabs = sites.get(site).into_iter().flatten();
        let tabs = tabs.filter(|(_, tab)| tab.until > now);
        let mut people: Vec<There> = Vec::new();
        for ((id, _), Tab { name, page, .. }) in tabs {
            let there = There {
                id: id.clone(),
                name: name.clone(),
                page: *page,
            };
            if !people.contains(&there) {
                people.push(there);
            }
        }
        people
    }

    /// Notifies when someone arrives, leaves or moves. Tabs that stop without reporting are noticed only by calling `people` again.
    pub(crate) fn changed(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SiteId, BTreeMap<TabKey, Tab>>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{BELIEVED_FOR, Instant, Presence, SiteId, There, UserId};

    #[test]
    fn a_tab_that_says_nothing_more_is_forgotten() {
        let (presence, site, now) = (Presence::default(), SiteId::new(), Instant::now());
        let there = |page: u64| There {
            id: UserId::from("ada".to_owned()),
            name: "Ada".to_owned(),
            page: page.into(),
        };
        presence.seen(&site, "1".to_owned(), there(1), now);
        presence.seen(&site, "2".to_owned(), there(1), now);
        let later = now + BELIEVED_FOR / 2;
        presence.seen(&site, "3".to_owned(), there(2), later);
        assert_eq!(presence.people(&site, later), [there(1), there(2)]);
        assert_eq!(presence.people(&site, now + BELIEVED_FOR), [there(2)]);
        presence.gone(&site, &there(2).id, "3".to_owned());
        assert_eq!(presence.people(&site, now + BELIEVED_FOR), []);
        assert_eq!(presence.people(&SiteId::new(), now), []);
    }
}
