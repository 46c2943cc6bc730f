//! Section templates. Those of every site come from the design library; a site gets the component of one when its first section is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_design::{Section, section};
use sitewright_site::{
    BodyId, ChangeId, Component, ComponentSource, Lock, Mint, Param, Site, Stop, Work,
};

use crate::listing::{Listing, Selectors};

/// The sections of the design library that are templates of every site, in the order in which answers list them. Agents know these
/// keys and the names of their fields, so both stay as they are.
const SEEDED: [&str; 10] = [
    "hero", "features", "text", "gallery", "quote", "cta", "contact", "faq", "pricing", "posts",
];

fn seeded() -> impl Iterator<Item = &'static Section> {
    SEEDED.iter().filter_map(|key| section(key))
}

/// The id that the component of a seeded template has in every site, so that the id is known before there is a component.
fn seeded_id(key: &str) -> BodyId {
    Mint::new(ChangeId::of_call("section template", key)).mint()
}

/// A template as a call finds it: a component of the site, or one that the site does not have yet.
pub(super) struct Template {
    pub(super) id: BodyId,
    pub(super) key: String,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) fields: Vec<Param>,
}

/// The templates of a site: the seeded ones first. A component of the site takes the place of the seeded template with its key.
pub(super) fn all(site: &Site) -> Vec<Template> {
    let of_site = |key: &str| {
        let mut components = site.shell.components.iter();
        components.find(|(_, component)| component.template_key.as_deref() == Some(key))
    };
    let seeded = seeded().map(|seeded| match of_site(&seeded.key) {
        Some((id, component)) => {
            let description = Some(seeded.description.clone());
            Template::of_component(id, component, &seeded.key, description)
        }
        None => Template {
            id: seeded_id(&seeded.key),
            key: seeded.key.clone(),
            name: seeded.name.clone(),
            description: Some(seeded.description.clone()),
            fields: seeded.fields.clone(),
        },
    });
    let mut templates: Vec<Template> = seeded.collect();
    for (id, component) in site.shell.components.iter() {
        let Some(key) = &component.template_key else {
            continue;
        };
        if templates.iter().all(|template| template.key != *key) {
            templates.push(Template::of_component(id, component, key, None));
        }
    }
    templates
}

impl Template {
    fn of_component(
        id: BodyId,
        component: &Component,
        key: &str,
        description: Option<String>,
    ) -> Self {
        Self {
            id,
            key: key.to_owned(),
            name: component.name.clone(),
            description,
            fields: component.params.clone(),
        }
    }

    /// The template with this key.
    pub(super) fn with_key(key: &str, work: &Work<'_>) -> Result<Self, Stop> {
        let templates = all(work.site());
        let keys: Vec<String> = templates.iter().map(|found| found.key.clone()).collect();
        let mut templates = templates.into_iter();
        templates.find(|found| found.key == key).ok_or_else(|| {
            let message = format!(
                "templateKey: there is no section template `{key}`; there are {}.",
                keys.join(", ")
            );
            Stop::invalid_at("templateKey", message)
        })
    }

    /// Makes sure that the site has its component.
    pub(super) fn add_to_site(&self, work: &mut Work<'_>) -> Result<(), Stop> {
        if work.site().shell.components.get(self.id).is_some() {
            return Ok(());
        }
        let seeded = seeded().find(|seeded| seeded.key == self.key);
        let seeded = seeded.ok_or_else(|| {
            Stop::not_found(format!(
                "The section template `{}` is gone; getSectionTemplate names those there are.",
                self.key
            ))
        })?;
        work.add_component(ComponentSource {
            id: self.id,
            component: Component {
                name: self.name.clone(),
                params: self.fields.clone(),
                template_key: Some(self.key.clone()),
                lock: Lock::Open,
            },
            html: &seeded.source,
        })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetSectionTemplate {
    /// Get by id.
    id: Option<BodyId>,
    /// Get by key, such as `hero`.
    key: Option<String>,
    /// Get all.
    #[serde(default)]
    all: bool,
    /// How many at most.
    limit: Option<u32>,
    /// The `next` of the answer before.
    cursor: Option<String>,
}

/// A section template in an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownTemplate {
    id: BodyId,
    /// What createSection takes as templateKey.
    key: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// What its sections hold, in order.
    fields: Vec<Param>,
}

pub(super) fn get(
    input: GetSectionTemplate,
    work: &mut Work<'_>,
) -> Result<Listing<ShownTemplate>, Stop> {
    Selectors {
        all: &[
            ("id", input.id.is_some()),
            ("key", input.key.is_some()),
            ("all", input.all),
        ],
        missing: "Provide id, key, or set all: true.",
    }
    .check()?;
    let found = all(work.site()).into_iter().filter(|template| {
        input.id.is_none_or(|id| template.id == id)
            && input.key.as_ref().is_none_or(|key| template.key == *key)
    });
    let found = found.map(|template| ShownTemplate {
        id: template.id,
        key: template.key,
        name: template.name,
        description: template.description,
        fields: template.fields,
    });
    Listing::page_of(found.collect(), input.limit, input.cursor.as_deref())
}

#[cfg(test)]
mod tests {
    use super::{SEEDED, seeded};

    #[test]
    fn every_template_is_in_the_library_and_has_the_usual_names_of_fields() {
        let keys: Vec<&str> = seeded().map(|seeded| seeded.key.as_str()).collect();
        assert_eq!(keys, SEEDED);
        let usual = [
            "title",
            "text",
            "image",
            "backgroundImage",
            "cta",
            "items",
            "author",
            "address",
            "phone",
            "email",
        ];
        for seeded in seeded() {
            for field in &seeded.fields {
                assert!(usual.contains(&field.name.as_str()), "{}", field.name);
            }
        }
    }
}
