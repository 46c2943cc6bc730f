//! The catalogue of content tools.

use std::collections::BTreeMap;

use sitewright_content::content_tools;
use sitewright_tool::{Capability, Scope};

#[test]
fn agents_get_no_tools_to_set_content_up() {
    let names: Vec<String> = content_tools()
        .iter()
        .map(|tool| tool.definition.name().to_owned())
        .collect();
    assert_eq!(
        names,
        [
            "getPage",
            "createPage",
            "updatePage",
            "deletePage",
            "getSectionTemplate",
            "getSection",
            "createSection",
            "updateSection",
            "deleteSection",
            "getPost",
            "createPost",
            "updatePost",
            "deletePost",
            "getNavItem",
            "createNavItem",
            "updateNavItem",
            "deleteNavItem",
            "getEntry",
            "createEntry",
            "updateEntry",
            "deleteEntry",
        ]
    );
}

#[test]
fn guidance_comes_from_one_file_and_belongs_to_tools() -> anyhow::Result<()> {
    let lines: BTreeMap<String, String> =
        serde_json::from_str(include_str!("../../guidance.json"))?;
    let tools = content_tools();
    // Three of them belong to tools of another crate, which checks them.
    let elsewhere = ["getImage", "browseImages", "importImage"];
    for (name, line) in &lines {
        if elsewhere.contains(&name.as_str()) {
            continue;
        }
        let tool = tools.iter().find(|tool| tool.definition.name() == name);
        let guidance = tool.and_then(|tool| tool.definition.manifest.guidance.as_ref());
        assert_eq!(guidance, Some(line), "{name}");
        assert!(line.len() < 120, "{name}");
    }
    Ok(())
}

#[test]
fn every_parameter_is_described() {
    for tool in content_tools() {
        let name = tool.definition.name();
        let properties = &tool.definition.manifest.input_schema["properties"];
        for (parameter, schema) in properties.as_object().expect("parameters") {
            assert!(
                schema["description"].is_string(),
                "{name} {parameter}: {schema}"
            );
        }
    }
}

/// Parts of descriptions, in their order.
const DESCRIPTIONS: &[(&str, &[&str])] = &[
    (
        "getPage",
        &[
            "Get page(s).",
            "By id, slug",
            "all",
            "lightweight",
            "includeContent",
            "Returns",
        ],
    ),
    ("createPage", &["Create empty page.", "createSection"]),
    ("updatePage", &["Update page metadata.", "updateSection"]),
    (
        "deletePage",
        &["Delete page(s) and all sections.", "Array", "confirmed"],
    ),
    (
        "getSectionTemplate",
        &[
            "Get section template(s).",
            "id, key, or all",
            "fields and structure",
        ],
    ),
    (
        "getSection",
        &["Get section(s) on page.", "pageSectionId, pageId"],
    ),
    (
        "createSection",
        &["Add section to page.", "Returns pageSectionId for updates"],
    ),
    (
        "updateSection",
        &["Update section content or attach image.", "Merges"],
    ),
    (
        "deleteSection",
        &["Delete section(s).", "Array", "confirmed"],
    ),
    ("getPost", &["Get post(s).", "By slug", "status, category"]),
    (
        "createPost",
        &["Create draft post.", "updatePost to publish"],
    ),
    (
        "updatePost",
        &["Update post.", "status: published/archived"],
    ),
    ("deletePost", &["Delete post(s).", "Array", "confirmed"]),
    (
        "getNavItem",
        &[
            "Get navigation item(s).",
            "By id",
            "label",
            "all",
            "navigationId",
        ],
    ),
    (
        "createNavItem",
        &[
            "Add navigation item.",
            "header or footer",
            "page, entry, media, url or placeholder",
        ],
    ),
    (
        "updateNavItem",
        &["Update nav item.", "visible: false to hide"],
    ),
    ("deleteNavItem", &["Remove navigation item(s)", "Array"]),
    (
        "getEntry",
        &["Get collection entry(s).", "By id", "collectionId"],
    ),
    ("createEntry", &["Create collection entry."]),
    ("updateEntry", &["Update entry content or status."]),
    ("deleteEntry", &["Delete entry(s).", "Array", "confirmed"]),
];

#[test]
fn descriptions_say_verb_entity_selectors_behaviour_and_answer() {
    for (name, parts) in DESCRIPTIONS {
        let tools = content_tools();
        let tool = tools.iter().find(|tool| tool.definition.name() == *name);
        let description = &tool.expect("a tool").definition.manifest.description;
        let mut rest = description.as_str();
        for part in *parts {
            let at = rest.find(part);
            assert!(at.is_some(), "{name}: {part} in {description}");
            rest = &rest[at.unwrap_or(0)..];
        }
    }
}

#[test]
fn every_tool_is_of_the_content_scope_and_says_what_it_does() {
    for tool in content_tools() {
        let definition = &tool.definition;
        let (name, manifest) = (definition.name(), &definition.manifest);
        assert_eq!(manifest.scopes, [Scope::Content], "{name}");
        assert!(
            definition.words.is_some() && !manifest.intent_tags.is_empty(),
            "{name}"
        );
        let is_delete = name.starts_with("delete");
        assert_eq!(
            manifest.confirmation.as_deref() == Some("preview"),
            is_delete,
            "{name}"
        );
        let reads = [Capability::ContentRead, Capability::SiteRead];
        assert_eq!(
            reads.contains(&definition.needs),
            name.starts_with("get"),
            "{name}"
        );
        assert!(manifest.description.len() < 200, "{name}");
    }
}
