//! The system prompt of a turn: a fixed part with the rules, and a dynamic part about the current site.
//!
//! The texts are in `prompts/`. The fixed part depends only on the scope, the stance and the tools on offer, so that providers can cache
//! it; everything specific to a turn is in the dynamic part.

mod content;

use sitewright_llm::SystemPrompt;
use sitewright_site::{BodyId, RecordId, Site, TemplateTarget, View};
use sitewright_tool::{Definition, Scope};

/// The most documents and pages that are listed; the model can look up the others with a tool.
const LISTED_MAX: usize = 80;
/// The most design tokens of one kind that are listed.
const TOKENS_MAX: usize = 60;
const TITLE_CHARS_MAX: usize = 60;

/// What a turn may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stance {
    /// It changes the site.
    Edit,
    /// It submits an edit plan.
    Plan,
    /// It only reads.
    Look,
}

/// The parts of a site that a prompt describes.
pub(crate) struct About<'a> {
    pub(crate) site: &'a Site,
    pub(crate) view: &'a View,
    /// The entry that the content workspace has open. It is among the open entries of the site, unless it does not exist.
    pub(crate) entry: Option<RecordId>,
    /// What the site's people wrote about it for the assistant.
    pub(crate) brief: Option<&'a str>,
}

/// Builds the system prompt of a turn.
pub(crate) fn system_prompt(
    scope: Scope,
    stance: Stance,
    tools: &[Definition],
    about: &About<'_>,
) -> SystemPrompt {
    SystemPrompt::new(prefix(scope, stance, tools), suffix(scope, about))
}

fn prefix(scope: Scope, stance: Stance, tools: &[Definition]) -> String {
    let mut text = match scope {
        Scope::Site => include_str!("../prompts/site.md"),
        Scope::Content => include_str!("../prompts/content.md"),
        Scope::Data | Scope::Plugin => include_str!("../prompts/general.md"),
        Scope::Breadcrumbs => include_str!("../prompts/breadcrumbs.md"),
    }
    .to_owned();
    match stance {
        Stance::Edit => {}
        Stance::Plan => text.push_str(concat!("\n", include_str!("../prompts/plan.md"))),
        Stance::Look => text.push_str(concat!("\n", include_str!("../prompts/read_only.md"))),
    }
    let mut guided: Vec<(&str, &str)> = tools
        .iter()
        .filter_map(|tool| Some((tool.name(), tool.manifest.guidance.as_deref()?)))
        .collect();
    guided.sort_unstable();
    if !guided.is_empty() {
        text.push_str("\n<tool-guidance>\n");
        for (name, guidance) in guided {
            text.push_str(&format!("<{name}>\n{guidance}\n</{name}>\n"));
        }
        text.push_str("</tool-guidance>\n");
    }
    text
}

/// The dynamic part: lines about the current state of the site.
fn suffix(scope: Scope, about: &About<'_>) -> String {
    let mut text = match scope {
        Scope::Site => site_lines(about),
        Scope::Content => content::lines(about),
        Scope::Data | Scope::Plugin | Scope::Breadcrumbs => {
            format!("Site: {}", quoted(&about.site.shell.settings.name))
        }
    };
    if let Some(brief) = about.brief {
        text.push_str("\n\nWhat the people of this site want you to know:\n");
        text.push_str(brief);
    }
    text
}

fn site_lines(about: &About<'_>) -> String {
    let About { site, view, .. } = about;
    let current = view.current;
    let title = current.and_then(|id| title_of(site, id));
    let root = current.and_then(|id| site.bodies.get(&id));
    let root = root.map_or_else(|| "none".to_owned(), |tree| tree.root().to_string());
    let selected = view
        .selected
        .map_or_else(|| "none".to_owned(), |node| node.to_string());
    let breakpoints = site.breakpoints();
    let all: Vec<String> = breakpoints
        .iter()
        .map(|breakpoint| {
            // What a query must say; the frame on the canvas can be narrower.
            let width = breakpoint.width_max().unwrap_or(breakpoint.width);
            format!("{}@{width}px", breakpoint.id)
        })
        .collect();
    let active = view.breakpoint.as_deref();
    let active = active.or(breakpoints.first().map(|first| first.id.as_str()));
    format!(
        "Page: {} · root: {root} · selected: {selected}\n· active breakpoint: {} · all breakpoints: [{}]\n· Documents: [{}]\n· Pages: [{}]\n· {}",
        quoted(&title.unwrap_or_else(|| "Untitled".to_owned())),
        active.unwrap_or("none"),
        all.join(", "),
        documents(site, current),
        pages(site, current),
        tokens(site),
    )
}

fn title_of(site: &Site, id: BodyId) -> Option<String> {
    let page = site.shell.pages.get(id).map(|page| page.title.clone());
    page.or_else(|| {
        let component = site.shell.components.get(id);
        component.map(|component| component.name.clone())
    })
}

fn documents(site: &Site, current: Option<BodyId>) -> String {
    let root = |id: BodyId| {
        let tree = site.bodies.get(&id);
        tree.map_or_else(String::new, |tree| format!("root={}; ", tree.root()))
    };
    let marks = |id: BodyId, is_page: bool| match (current == Some(id), is_page) {
        (true, true) => "current, active-page, ",
        (true, false) => "current, ",
        (false, _) => "",
    };
    let pages = site.shell.pages.iter().map(|(id, page)| {
        let (kind, about) = match &page.template {
            None if page.slug == "index" && page.parent_id.is_none() => {
                ("page", "Homepage".to_owned())
            }
            None => ("page", format!("at {}", site.permalink(id))),
            Some(template) => (
                "template",
                match &template.target {
                    TemplateTarget::Everywhere => {
                        "Everywhere template wrapping all pages".to_owned()
                    }
                    TemplateTarget::PostTypes { table_slugs } => {
                        format!("Template wrapping entries of {}", table_slugs.join(", "))
                    }
                    TemplateTarget::NotFound => "Template for addresses that are none".to_owned(),
                },
            ),
        };
        let marks = marks(id, page.template.is_none());
        format!(
            "{kind}:{id}={} ({marks}{}{about})",
            quoted(&page.title),
            root(id)
        )
    });
    let components = site.shell.components.iter().map(|(id, component)| {
        let name = quoted(&component.name);
        format!(
            "visualComponent:{id}={name} ({}{}component)",
            marks(id, false),
            root(id)
        )
    });
    listed(pages.chain(components), LISTED_MAX, "list_documents")
}

fn pages(site: &Site, current: Option<BodyId>) -> String {
    let pages = site.shell.pages.iter();
    let ordinary = pages.filter(|(_, page)| page.template.is_none());
    let lines = ordinary.map(|(id, page)| {
        let active = if current == Some(id) { " (active)" } else { "" };
        format!("{id}={}{active}", page.slug)
    });
    listed(lines, LISTED_MAX, "list_documents")
}

/// A summary of the design tokens.
fn tokens(site: &Site) -> String {
    let tokens = site.tokens();
    let colors: Vec<String> = tokens
        .colors
        .iter()
        .map(|color| format!("{}={}", color.slug, color.light_value))
        .collect();
    let steps = |scales: &[sitewright_site::Scale], is_type: bool| -> Vec<String> {
        let all = scales.iter().flat_map(|scale| {
            let steps = if is_type {
                scale.type_steps(&tokens.screens)
            } else {
                scale.spacing_steps(&tokens.screens)
            };
            steps.unwrap_or_default()
        });
        all.map(|step| step.name).collect()
    };
    let (sizes, spaces) = (
        steps(&tokens.type_scales, true),
        steps(&tokens.spacing_scales, false),
    );
    let fonts: Vec<String> = tokens
        .fonts
        .iter()
        .map(|font| {
            format!(
                "--{}→{}",
                font.variable,
                font.family.as_ref().unwrap_or(&font.name)
            )
        })
        .collect();
    if colors.is_empty() && sizes.is_empty() && spaces.is_empty() && fonts.is_empty() {
        return "Tokens: (none — no design system yet; establish one first with the set_… tools)"
            .to_owned();
    }
    let list = |all: Vec<String>| listed(all.into_iter(), TOKENS_MAX, "list_tokens");
    format!(
        "Tokens — colors: [{}]; type --text-*: [{}]; spacing --space-*: [{}]; fonts: [{}]",
        list(colors),
        list(sizes),
        list(spaces),
        list(fonts)
    )
}

fn listed(lines: impl Iterator<Item = String>, most: usize, tool: &str) -> String {
    let mut lines = lines.peekable();
    let mut shown: Vec<String> = lines.by_ref().take(most).collect();
    let more = lines.count();
    if more > 0 {
        shown.push(format!("… and {more} more, see {tool}"));
    }
    shown.join(", ")
}

/// Quotes a name, on one line and with a bounded length: names are user input and must not be able to imitate lines of the prompt.
fn quoted(name: &str) -> String {
    let one_line: String = name
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(TITLE_CHARS_MAX)
        .collect();
    format!("\"{}\"", one_line.replace('"', "'"))
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
