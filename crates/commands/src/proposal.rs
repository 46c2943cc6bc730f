//! Turns the steps of a turn into an edit plan, which a person accepts in whole or in part.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sitewright_site::{
    BodyId, EditPlan, Intent, NodeId, NodeRef, PageRef, PageSettingsPatch, PlanOp, Ref,
    SiteSettingsPatch,
};

use super::call::{Call, PageSetting, SiteSetting};
use super::draft::{KINDS, Step, made_ids};
use super::find::kind_word;

/// Returns the plan for these steps; `None` when a step has no equivalent plan operation.
pub(super) fn proposal(steps: &[Step], not_done: &[String]) -> Option<EditPlan> {
    let mut names = HashMap::new();
    let (mut ops, mut change_log) = (Vec::new(), Vec::new());
    for (at, step) in steps.iter().enumerate() {
        let name = format!("s{at}");
        for id in made_ids(&step.answer) {
            names.insert(id.to_owned(), name.clone());
        }
        if !matches!(step.call, Call::OpenDocument { .. }) {
            ops.push(Writer { names: &names }.op(step, name)?);
            change_log.push(words(&step.call));
        }
    }
    let count = match ops.len() {
        1 => "One step".to_owned(),
        many => format!("{many} steps"),
    };
    let mut summary = vec![format!(
        "{count} to look at. Nothing is changed until you accept."
    )];
    summary.extend_from_slice(not_done);
    Some(EditPlan {
        intent: Intent::EditPlan,
        summary_for_user: summary.join(" "),
        change_log,
        ops,
        suggested_next_actions: Vec::new(),
    })
}

/// Writes operations; a thing that an earlier step creates is referred to by that step's name.
struct Writer<'n> {
    names: &'n HashMap<String, String>,
}

impl Writer<'_> {
    fn page(&self, id: BodyId) -> PageRef {
        let name = self.names.get(&id.to_string()).cloned();
        name.map_or(Ref::Known(id), Ref::Made)
    }

    fn node(&self, id: NodeId) -> NodeRef {
        let name = self.names.get(&id.to_string()).cloned();
        name.map_or(Ref::Known(id), Ref::Made)
    }

    /// Returns the operation equivalent to a call; `None` when plans have none.
    fn op(&self, step: &Step, name: String) -> Option<PlanOp> {
        let page_op = self.page_op(step.call.clone(), name.clone());
        page_op.or_else(|| self.node_op(step, name))
    }

    fn page_op(&self, call: Call, name: String) -> Option<PlanOp> {
        let name = Some(name);
        Some(match call {
            Call::AddPage { title, slug } => PlanOp::CreatePage {
                title,
                slug,
                parent: None,
                html: None,
                name,
            },
            Call::DuplicatePage { page_id, title } => PlanOp::DuplicatePage {
                page: self.page(page_id),
                title,
                slug: None,
                name,
            },
            Call::RenamePage { page_id, title } => PlanOp::RenamePage {
                page: self.page(page_id),
                title: Some(title),
                slug: None,
            },
            Call::DeletePage { page_id } => PlanOp::RemovePage {
                page: self.page(page_id),
            },
            Call::UpdatePageSettings { page_id, setting } => {
                page_setting(self.page(page_id), setting, |id| self.page(id))
            }
            Call::UpdateSiteSettings(setting) => PlanOp::UpdateSiteSettings {
                settings: site_setting(setting),
            },
            Call::ApplyCss { css } => PlanOp::ApplyCss { css },
            _ => return None,
        })
    }

    fn node_op(&self, step: &Step, name: String) -> Option<PlanOp> {
        let (name, position) = (Some(name), Some(step.elements_before));
        let call = step.call.clone();
        if let Call::InsertHtml {
            parent_id, html, ..
        } = call
        {
            let parent = self.node(parent_id);
            return Some(PlanOp::AddNode {
                parent,
                html,
                position,
                name,
            });
        }
        let node = self.node(call.node()?);
        Some(match call {
            Call::ReplaceNodeHtml { html, .. } => PlanOp::ReplaceContent { node, html },
            Call::UpdateNodeProps {
                patch: props,
                breakpoint_id: breakpoint,
                ..
            } => PlanOp::UpdateProps {
                node,
                props,
                breakpoint,
            },
            Call::DeleteNode { .. } => PlanOp::RemoveNode { node },
            Call::DuplicateNode { .. } => PlanOp::DuplicateNode {
                node,
                count: None,
                name,
            },
            Call::MoveNode { new_parent_id, .. } => PlanOp::MoveNode {
                node,
                parent: Some(self.node(new_parent_id)),
                position,
            },
            Call::AssignClass { class_id, .. } => PlanOp::UpdateClasses {
                node,
                add: vec![class_id],
                remove: Vec::new(),
            },
            Call::RemoveClass { class_id, .. } => PlanOp::UpdateClasses {
                node,
                add: Vec::new(),
                remove: vec![class_id],
            },
            _ => return None,
        })
    }
}

fn page_setting(
    page: PageRef,
    setting: PageSetting,
    reference: impl Fn(BodyId) -> PageRef,
) -> PlanOp {
    let mut settings = PageSettingsPatch::default();
    match setting {
        PageSetting::Slug(slug) => {
            return PlanOp::RenamePage {
                page,
                title: None,
                slug: Some(slug),
            };
        }
        PageSetting::ParentId(parent) => {
            return PlanOp::MovePage {
                page,
                parent: Some(Some(reference(parent))),
                position: None,
            };
        }
        PageSetting::Description(text) => settings.description = Some(Some(text)),
        PageSetting::Draft(draft) => settings.draft = Some(draft),
        PageSetting::NoIndex(no_index) => settings.no_index = Some(no_index),
    }
    PlanOp::UpdatePageSettings { page, settings }
}

fn site_setting(setting: SiteSetting) -> SiteSettingsPatch {
    let mut settings = SiteSettingsPatch::default();
    match setting {
        SiteSetting::Name(name) => settings.name = Some(name),
        SiteSetting::Language(language) => settings.language = Some(language),
        SiteSetting::Favicon(address) => settings.favicon = Some(Some(address)),
        SiteSetting::DiscourageSearchEngines(yes) => {
            settings.discourage_search_engines = Some(yes);
        }
    }
    settings
}

/// Describes what a call does, for the list of changes.
fn words(call: &Call) -> String {
    match call {
        Call::AddPage { title, .. } => format!("Adds the page “{title}”."),
        Call::DuplicatePage { title, .. } => format!("Duplicates a page as “{title}”."),
        Call::RenamePage { title, .. } => format!("Renames a page to “{title}”."),
        Call::DeletePage { .. } => "Deletes a page.".to_owned(),
        Call::UpdatePageSettings { setting, .. } => match setting {
            PageSetting::Slug(slug) => format!("Changes a page’s address to /{slug}."),
            PageSetting::ParentId(_) => "Moves the page under another one.".to_owned(),
            _ => "Changes settings of a page.".to_owned(),
        },
        Call::UpdateSiteSettings(_) => "Changes settings of the site.".to_owned(),
        Call::InsertHtml { html, .. } => inserted_words(html),
        Call::ReplaceNodeHtml { .. } => "Changes the text of an element.".to_owned(),
        Call::UpdateNodeProps { patch, .. } => props_words(patch),
        Call::DeleteNode { .. } => "Removes an element.".to_owned(),
        Call::DuplicateNode { .. } => "Duplicates an element.".to_owned(),
        Call::MoveNode { .. } => "Moves an element.".to_owned(),
        Call::ApplyCss { css } => format!("Styles: {css}"),
        _ => "Changes an element.".to_owned(),
    }
}

fn inserted_words(html: &str) -> String {
    let has_class = |kind: &&&str| html.starts_with(&format!("<section class=\"{kind}"));
    let tag = html.split(['<', ' ', '>']).nth(1);
    match (KINDS.iter().find(has_class), tag) {
        (Some(&"text"), _) => "Adds a section.".to_owned(),
        (Some(kind), _) => format!("Adds a {} section.", kind_word(kind)),
        (None, Some(edge @ ("header" | "footer"))) => format!("Adds a {edge}."),
        _ => "Adds an element.".to_owned(),
    }
}

fn props_words(patch: &Map<String, Value>) -> String {
    match patch.get("text") {
        Some(Value::String(text)) => format!("Changes a text to “{text}”."),
        _ => {
            let names: Vec<&str> = patch.keys().map(String::as_str).collect();
            format!("Changes an element: {}.", names.join(", "))
        }
    }
}
