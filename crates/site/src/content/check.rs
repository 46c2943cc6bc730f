//! What must hold of the collections, entries and menus that a change touches.

use std::collections::{BTreeMap, BTreeSet};

use super::collection::{Collection, Field, FieldKind};
use super::navigation::{NavItem, NavTarget, Navigation};
use super::record::{EntryStatus, Record};
use super::value::{BadValue, check_value, is_empty};
use crate::page::{RESERVED_SLUGS, check_spelling};
use crate::{Change, Entity, FieldId, ItemId, List, RecordId, Site, SlugProblem};

/// The most fields of a collection, those in groups included.
const FIELDS_MAX: usize = 200;
/// How deep groups and lists may be nested.
const DEPTH_MAX: usize = 4;
/// The most characters of a title or label.
const LINE_MAX: usize = 300;
/// The most characters of a language tag.
const LOCALE_MAX: usize = 35;
/// The most characters of the name of a field.
const NAME_MAX: usize = 60;
/// The largest entry, in bytes of JSON.
const RECORD_BYTES_MAX: usize = 1024 * 1024;
/// How deep a menu may be nested.
const MENU_DEPTH_MAX: usize = 8;

/// Why an entry cannot be as a change leaves it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryProblem {
    /// Its collection does not exist.
    #[error(
        "there is no collection {collection} for the entry `{title}`; choose one of those there are"
    )]
    Collection {
        /// The collection.
        collection: ItemId,
        /// The title of the entry.
        title: String,
    },
    /// Its title is empty or too long.
    #[error("`title` must be a line of text of at most {LINE_MAX} characters")]
    Title,
    /// Its slug cannot stand in an address.
    #[error(transparent)]
    Slug(SlugProblem),
    /// A value does not fit its field.
    #[error("entry `{title}`: {problem}")]
    Value {
        /// The title of the entry.
        title: String,
        /// The field, and what it must hold.
        problem: BadValue,
    },
    /// It is published without something that it must have.
    #[error(
        "entry `{title}`: `{field}` is required before it is published; fill it in, or keep the entry a draft"
    )]
    Required {
        /// The title of the entry.
        title: String,
        /// The field.
        field: String,
    },
    /// Its language is none, or it translates something without having a language of its own.
    #[error(
        "entry `{title}`: `locale` must be the tag of a language, such as `de` or `pt-BR`; a translation needs one"
    )]
    Locale {
        /// The title of the entry.
        title: String,
    },
    /// It ends before it begins.
    #[error("entry `{title}`: `unpublishAt` must be later than `publishAt`")]
    Times {
        /// The title of the entry.
        title: String,
    },
    /// It is too large.
    #[error("entry `{title}` has {found} bytes and may have {RECORD_BYTES_MAX}; split it")]
    Size {
        /// The title of the entry.
        title: String,
        /// Its size.
        found: usize,
    },
}

/// Why a collection cannot be as a change leaves it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CollectionProblem {
    /// Its slug or label is not usable.
    #[error("collection `{slug}`: {reason}")]
    Itself {
        /// Its slug.
        slug: String,
        /// What is wrong, with the remedy.
        reason: String,
    },
    /// One of its fields is not usable.
    #[error("field `{field}` of the collection `{slug}`: {reason}")]
    Field {
        /// The slug of the collection.
        slug: String,
        /// The name of the field.
        field: String,
        /// What is wrong, with the remedy.
        reason: String,
    },
}

/// Why a menu cannot be as a change leaves it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("menu item `{label}`: {reason}")]
pub struct NavProblem {
    /// What the item or the menu says.
    pub label: String,
    /// What is wrong, with the remedy.
    pub reason: String,
}

/// Something that a change leaves as it may not be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContentProblem {
    #[error(transparent)]
    Entry(#[from] EntryProblem),
    #[error(transparent)]
    Collection(#[from] CollectionProblem),
    #[error(transparent)]
    Nav(#[from] NavProblem),
}

/// Checks the collections, entries and menus that a change touched, on the site after it.
pub(crate) fn check_touched(site: &Site, change: &Change) -> Result<(), ContentProblem> {
    let touched: BTreeSet<Entity> = change.ops.iter().filter_map(crate::Op::entity).collect();
    for entity in touched {
        match entity {
            Entity::Record { id } => check_record(site, id)?,
            Entity::Item {
                list: List::Collections,
                id,
            } => check_collection(site, id)?,
            Entity::Item {
                list: List::Navigations,
                id,
            } => check_navigation(site, id)?,
            Entity::Item {
                list: List::NavItems,
                id,
            } => check_nav_item(site, id)?,
            _ => {}
        }
    }
    Ok(())
}

fn check_record(site: &Site, id: RecordId) -> Result<(), EntryProblem> {
    let Some(open) = site.records.get(&id) else {
        return Ok(());
    };
    let record = &open.record;
    let Some(collection) = site.collection(record.collection) else {
        return Err(EntryProblem::Collection {
            collection: record.collection,
            title: record.title.clone(),
        });
    };
    record.check(collection)
}

impl Record {
    /// Whether it can be an entry of this collection.
    pub fn check(&self, collection: &Collection) -> Result<(), EntryProblem> {
        if !is_line(&self.title) {
            return Err(EntryProblem::Title);
        }
        let title = || self.title.clone();
        check_spelling(&self.slug).map_err(EntryProblem::Slug)?;
        let is_known = self.locale.as_deref().map(is_language);
        if is_known == Some(false) || (is_known.is_none() && self.translation_of.is_some()) {
            return Err(EntryProblem::Locale { title: title() });
        }
        for field in &collection.fields {
            let value = self.values.get(&field.id);
            if let Some(value) = value {
                check_value(field, value).map_err(|problem| EntryProblem::Value {
                    title: title(),
                    problem,
                })?;
            }
            if field.required && self.status == EntryStatus::Published && is_empty(value) {
                return Err(EntryProblem::Required {
                    title: title(),
                    field: field.name.clone(),
                });
            }
        }
        if let (Some(from), Some(until)) = (self.publish_at, self.unpublish_at)
            && from >= until
        {
            return Err(EntryProblem::Times { title: title() });
        }
        let found = serde_json::to_string(self).map_or(0, |text| text.len());
        match found > RECORD_BYTES_MAX {
            true => Err(EntryProblem::Size {
                title: title(),
                found,
            }),
            false => Ok(()),
        }
    }
}

fn check_collection(site: &Site, id: ItemId) -> Result<(), CollectionProblem> {
    let Some(collection) = site.collection(id) else {
        return Ok(());
    };
    let slug = &collection.slug;
    let refuse = |reason: String| {
        Err(CollectionProblem::Itself {
            slug: slug.clone(),
            reason,
        })
    };
    if check_spelling(slug).is_err() {
        return refuse("its slug must be letters, digits and hyphens, such as `blog`".to_owned());
    }
    if !is_line(&collection.label) {
        return refuse("its label must be a line of text".to_owned());
    }
    let others = || site.collections().filter(|(other, _)| *other != id);
    if others().any(|(_, other)| other.slug == *slug) {
        return refuse("another collection has this slug; choose another one".to_owned());
    }
    if let Some(base) = &collection.route_base {
        if !is_route(base) {
            return refuse(format!(
                "its address `{base}` must begin with `/`, such as `/blog`, and must not be one of Sitewright's own"
            ));
        }
        if others().any(|(_, other)| other.route_base.as_ref() == Some(base)) {
            return refuse(format!(
                "another collection has the address `{base}`; choose another one"
            ));
        }
    }
    let mut ids = BTreeMap::new();
    check_fields(slug, &collection.fields, 1, &mut ids)
}

fn is_route(base: &str) -> bool {
    let Some(path) = base.strip_prefix('/') else {
        return false;
    };
    let mut segments = path.split('/');
    let first = segments.next().unwrap_or_default();
    check_spelling(first).is_ok()
        && !RESERVED_SLUGS.contains(&first)
        && segments.all(|segment| check_spelling(segment).is_ok())
}

fn check_fields(
    slug: &str,
    fields: &[Field],
    depth: usize,
    ids: &mut BTreeMap<FieldId, String>,
) -> Result<(), CollectionProblem> {
    let mut names = BTreeSet::new();
    for field in fields {
        let refuse = |reason: &str| {
            Err(CollectionProblem::Field {
                slug: slug.to_owned(),
                field: field.name.clone(),
                reason: reason.to_owned(),
            })
        };
        if !is_field_name(&field.name) {
            return refuse(
                "a name begins with a letter and has letters, digits and `_`, such as `price`",
            );
        }
        if !names.insert(field.name.as_str()) {
            return refuse("two fields have this name; choose another one");
        }
        if ids.insert(field.id, field.name.clone()).is_some() {
            return refuse("two fields have the same id; every field needs one of its own");
        }
        if ids.len() > FIELDS_MAX || depth > DEPTH_MAX {
            return refuse("there are too many fields, or they are nested too deeply");
        }
        match &field.kind {
            FieldKind::Choice { options } if options.is_empty() => {
                return refuse("a choice needs options");
            }
            FieldKind::Group { fields } | FieldKind::Repeater { fields } if fields.is_empty() => {
                return refuse("it needs fields of its own");
            }
            kind => check_fields(slug, kind.fields(), depth + 1, ids)?,
        }
    }
    Ok(())
}

fn is_field_name(name: &str) -> bool {
    name.len() <= NAME_MAX
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn check_navigation(site: &Site, id: ItemId) -> Result<(), NavProblem> {
    let Some(navigation) = site.navigation(id) else {
        return Ok(());
    };
    let Navigation { slug, label, .. } = navigation;
    let refuse = |reason: &str| {
        Err(NavProblem {
            label: label.clone(),
            reason: reason.to_owned(),
        })
    };
    if check_spelling(slug).is_err() || !is_line(label) {
        return refuse(
            "a menu needs a short name such as `header`, and a line of text as its label",
        );
    }
    let mut others = site.navigations().filter(|(other, _)| *other != id);
    if others.any(|(_, other)| other.slug == *slug) {
        return refuse("another menu has this short name; choose another one");
    }
    Ok(())
}

fn check_nav_item(site: &Site, id: ItemId) -> Result<(), NavProblem> {
    let Some(item) = site.nav_item(id) else {
        return Ok(());
    };
    let refuse = |reason: String| {
        Err(NavProblem {
            label: item.label.clone(),
            reason,
        })
    };
    if !is_line(&item.label) {
        return refuse("its label must be a line of text".to_owned());
    }
    let Some(navigation) = site.navigation(item.navigation) else {
        return refuse(format!("there is no menu {}", item.navigation));
    };
    if let NavTarget::Url { url } = &item.target
        && !is_link(url)
    {
        return refuse(format!(
            "`{url}` is no address for a link; use `/page`, `#part`, `https://…`, `mailto:…` or `tel:…`"
        ));
    }
    check_above(site, id, item)?;
    let top = site
        .nav_items()
        .filter(|(_, other)| other.navigation == item.navigation && other.parent.is_none());
    let most = navigation.max_items as usize;
    if item.parent.is_none() && top.count() > most {
        return refuse(format!(
            "the menu `{}` may have {most} items at the top level; put it under another item, or remove one first",
            navigation.label
        ));
    }
    Ok(())
}

/// Checks that the items above an item are of the same menu and that there is an end to them.
fn check_above(site: &Site, id: ItemId, item: &NavItem) -> Result<(), NavProblem> {
    let refuse = |reason: &str| {
        Err(NavProblem {
            label: item.label.clone(),
            reason: reason.to_owned(),
        })
    };
    let mut above = item.parent;
    for _ in 0..MENU_DEPTH_MAX {
        let Some(parent) = above else {
            return Ok(());
        };
        if parent == id {
            return refuse("it would lie under itself; choose another parent");
        }
        match site.nav_item(parent) {
            Some(found) if found.navigation == item.navigation => above = found.parent,
            Some(_) => return refuse("its parent is in another menu; choose one of the same menu"),
            None => return refuse("its parent does not exist; leave it out for the top level"),
        }
    }
    refuse("menus may be nested eight deep")
}

fn is_link(url: &str) -> bool {
    let lower = url.trim_start().to_ascii_lowercase();
    let is_safe = ["/", "#", "?", "https://", "http://", "mailto:", "tel:"]
        .iter()
        .any(|start| lower.starts_with(start));
    is_safe && url.len() <= 2_000 && !url.chars().any(char::is_control)
}

/// Whether a text has the form of a language tag. It is the first part of addresses, so it must not be one of Sitewright's own.
fn is_language(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let first = parts.next().unwrap_or_default();
    (2..=3).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_lowercase())
        && parts.all(|part| {
            (2..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
        && tag.len() <= LOCALE_MAX
        && !RESERVED_SLUGS.contains(&tag)
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= LINE_MAX
        && !text.chars().any(char::is_control)
}
