//! The design library, for the panel that inserts sections.

use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use sitewright_design::{Section, SectionValues};
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![Route::new(
        Method::GET,
        "/admin/api/design/sections",
        Access::Needs(Capability::SiteRead),
        "The sections that can be inserted",
        sections,
    )]
}

/// The sections of the design library.
#[derive(Serialize, JsonSchema)]
struct DesignSections {
    /// Family by family.
    sections: Vec<DesignSection>,
}

/// A section that can be inserted.
#[derive(Serialize, JsonSchema)]
struct DesignSection {
    /// Its name in calls, such as `hero-split`.
    key: String,
    /// What it is for, such as `hero`; the sections of a family are layouts of the same thing.
    family: String,
    /// What people call it.
    name: String,
    /// What it shows, in a sentence.
    description: String,
    /// Its HTML with sample texts, followed by its CSS, as insertHtml takes it.
    html: String,
}

impl From<&Section> for DesignSection {
    fn from(section: &Section) -> Self {
        Self {
            key: section.key.clone(),
            family: section.family.clone(),
            name: section.name.clone(),
            description: section.description.clone(),
            html: section.html(&SectionValues::default()),
        }
    }
}

async fn sections(_: Context, _: Nothing) -> Result<Json<DesignSections>, ApiError> {
    let sections = sitewright_design::sections().iter();
    Ok(Json(DesignSections {
        sections: sections.map(DesignSection::from).collect(),
    }))
}
