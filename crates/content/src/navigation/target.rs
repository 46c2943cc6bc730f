//! Where the items of menus lead, as tools write it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_site::{NavTarget, RecordId, Stop, Work};

use super::BodyId;
use crate::entry;

/// The kind of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum TargetType {
    Page,
    Entry,
    Media,
    Url,
    Placeholder,
}

/// A target as tools write it.
pub(super) struct WrittenTarget {
    pub(super) target_type: TargetType,
    pub(super) target_id: Option<String>,
    pub(super) url: Option<String>,
}

impl WrittenTarget {
    pub(super) fn of(target: &NavTarget) -> Self {
        let (target_type, target_id, url) = match target {
            NavTarget::Page { id } => (TargetType::Page, Some(id.to_string()), None),
            NavTarget::Entry { id } => (TargetType::Entry, Some(id.to_string()), None),
            NavTarget::Media { id } => (TargetType::Media, Some(id.clone()), None),
            NavTarget::Url { url } => (TargetType::Url, None, Some(url.clone())),
            NavTarget::Placeholder => (TargetType::Placeholder, None, None),
        };
        Self {
            target_type,
            target_id,
            url,
        }
    }

    /// The target, if it exists. What its kind has no use for is refused.
    pub(super) fn target(self, work: &Work<'_>) -> Result<NavTarget, Stop> {
        let needs_id = || {
            Stop::invalid_at(
                "targetId",
                "targetId must be the id of what the item leads to; it goes with page, entry and media.",
            )
        };
        let is_odd = match self.target_type {
            TargetType::Page | TargetType::Entry | TargetType::Media => self.url.is_some(),
            TargetType::Url => self.target_id.is_some(),
            TargetType::Placeholder => self.url.is_some() || self.target_id.is_some(),
        };
        if is_odd {
            return Err(Stop::invalid(
                "targetId goes with page, entry and media, url with url, and placeholder takes neither.",
            ));
        }
        match self.target_type {
            TargetType::Placeholder => Ok(NavTarget::Placeholder),
            TargetType::Url => match self.url {
                Some(url) => Ok(NavTarget::Url { url }),
                None => Err(Stop::invalid_at(
                    "url",
                    "url must be the address the item leads to.",
                )),
            },
            TargetType::Media => {
                let id = self.target_id.filter(|id| !id.is_empty());
                Ok(NavTarget::Media {
                    id: id.ok_or_else(needs_id)?,
                })
            }
            TargetType::Page => {
                let id: Option<BodyId> = self.target_id.and_then(|id| id.parse().ok());
                let id = id.ok_or_else(needs_id)?;
                match work.site().shell.pages.get(id) {
                    Some(_) => Ok(NavTarget::Page { id }),
                    None => Err(Stop::not_found(format!(
                        "There is no page {id} for the item to lead to."
                    ))),
                }
            }
            TargetType::Entry => {
                let id: Option<RecordId> = self.target_id.and_then(|id| id.parse().ok());
                let id = id.ok_or_else(needs_id)?;
                match entry::opened(id, work)? {
                    Some(_) => Ok(NavTarget::Entry { id }),
                    None => Err(entry::missing(id)),
                }
            }
        }
    }
}

/// Asks for all entries that items lead to at once: a host answers only so many times.
pub(super) fn open_targets<'t>(
    targets: impl Iterator<Item = &'t NavTarget>,
    work: &Work<'_>,
) -> Result<(), Stop> {
    let mut needs = Vec::new();
    for target in targets {
        if let NavTarget::Entry { id } = target
            && let Err(Stop::Needs(more)) = entry::opened(*id, work)
        {
            needs.extend(more);
        }
    }
    match needs.is_empty() {
        true => Ok(()),
        false => Err(Stop::Needs(needs)),
    }
}

/// The address of a target; `None` for one that has none, or is gone.
pub(super) fn hrefs(target: &NavTarget, work: &Work<'_>) -> Result<Option<String>, Stop> {
    Ok(match target {
        NavTarget::Page { id } => {
            let is_there = work.site().shell.pages.get(*id).is_some();
            is_there.then(|| work.site().permalink(*id))
        }
        NavTarget::Entry { id } => match entry::opened(*id, work)? {
            Some(record) => {
                let collection = work.site().collection(record.collection);
                collection.and_then(|collection| collection.permalink(&record))
            }
            None => None,
        },
        NavTarget::Url { url } => Some(url.clone()),
        NavTarget::Media { .. } | NavTarget::Placeholder => None,
    })
}
