//! Collections: the kinds of entries a site has, and their fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_tool::tagged;

use super::record::Record;
use crate::{FieldId, Item, ItemId, List, Site};

/// A kind of entries, such as posts, with the fields that each of them has beside its title and slug.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Collection {
    /// Its short name, unique among the collections of the site.
    pub slug: String,
    /// What people call it.
    pub label: String,
    /// Where the addresses of its entries begin, such as `/blog`, when they have pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_base: Option<String>,
    /// Its fields, in the order in which people fill them in.
    #[serde(default)]
    pub fields: Vec<Field>,
}

/// A field of the entries of a collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Field {
    /// The key of its values in entries. It stays when the field is renamed, so renaming changes no entry.
    pub id: FieldId,
    /// What tools and bindings call it; unique among its siblings.
    pub name: String,
    /// What people call it; the name when it is empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What it holds.
    pub kind: FieldKind,
    /// Whether a published entry must have it. A draft may be incomplete.
    #[serde(default)]
    pub required: bool,
}

tagged! {
    /// What a field holds.
    #[derive(Debug, Clone, PartialEq, JsonSchema)]
    tag "type" (rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)
    pub enum FieldKind {
        /// Text as it is.
        Text {
            /// The most characters it may have.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            max: Option<u32>,
        },
        /// Text in Markdown.
        RichText,
        /// A number.
        Number {
            /// The least it may be.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            min: Option<f64>,
            /// The most it may be.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            max: Option<f64>,
        },
        /// Yes or no.
        Boolean,
        /// A day, such as `2026-03-31`, or a time, such as `2026-03-31T18:00:00Z`.
        Date,
        /// One of several words.
        Choice {
            /// The words.
            options: Vec<String>,
        },
        /// Another entry.
        Reference {
            /// The collection it is in; absent for any.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            collection: Option<ItemId>,
        },
        /// Other entries, in order.
        References {
            /// The collection they are in; absent for any.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            collection: Option<ItemId>,
        },
        /// A picture or another file: its address under `/uploads/`, or `{ "url", "alt" }`.
        Media,
        /// A word for addresses.
        Slug,
        /// Anything that JSON can hold.
        Json,
        /// Fields that belong together.
        Group {
            /// The fields.
            fields: Vec<Field>,
        },
        /// A list of the same fields, several times.
        Repeater {
            /// The fields of each.
            fields: Vec<Field>,
        },
    }
}

impl FieldKind {
    /// The fields in it, for a group or a list.
    pub fn fields(&self) -> &[Field] {
        match self {
            Self::Group { fields } | Self::Repeater { fields } => fields,
            Self::Text { .. }
            | Self::RichText
            | Self::Number { .. }
            | Self::Boolean
            | Self::Date
            | Self::Choice { .. }
            | Self::Reference { .. }
            | Self::References { .. }
            | Self::Media
            | Self::Slug
            | Self::Json => &[],
        }
    }
}

impl Field {
    /// What people call it.
    pub fn shown_name(&self) -> &str {
        match self.label.as_str() {
            "" => &self.name,
            label => label,
        }
    }
}

impl Collection {
    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The address of an entry; `None` if the entries of the collection have no pages. One in another language than the site's own has
    /// that language in front, because it may have the slug of the entry that it translates.
    pub fn permalink(&self, record: &Record) -> Option<String> {
        let base = self.route_base.as_deref()?.trim_end_matches('/');
        let slug = &record.slug;
        Some(match &record.locale {
            Some(locale) => format!("/{locale}{base}/{slug}"),
            None => format!("{base}/{slug}"),
        })
    }
}

impl Site {
    /// The collections, in order.
    pub fn collections(&self) -> impl Iterator<Item = (ItemId, &Collection)> {
        let items = self.shell.items.list(List::Collections);
        items.filter_map(|(id, item)| match item {
            Item::Collection(collection) => Some((id, collection)),
            _ => None,
        })
    }

    /// The collection with this id.
    pub fn collection(&self, id: ItemId) -> Option<&Collection> {
        match self.shell.items.get(List::Collections, id)? {
            Item::Collection(collection) => Some(collection),
            _ => None,
        }
    }
}
