//! New sections, from `sections.toml`: they use the site's own classes and tokens where it has them, and placeholders that are
//! marked as such.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::draft::{Draft, escape_html};

#[derive(Debug, Default, Deserialize)]
struct Sections {
    kind: HashMap<String, Section>,
    style: HashMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Section {
    heading: String,
    body: String,
    /// The classes it needs rules for.
    classes: Vec<String>,
}

/// A test checks that the file can be parsed.
static SECTIONS: LazyLock<Sections> =
    LazyLock::new(|| toml::from_str(include_str!("sections.toml")).unwrap_or_default());

/// The HTML of a new section, with rules for the classes that the site does not have. On a page without a main heading, the
/// section gets it.
pub(crate) fn html(kind: &str, title: Option<&str>, level: u8, draft: &Draft) -> String {
    let Some(section) = SECTIONS.kind.get(kind) else {
        return String::new();
    };
    let (body, name) = (&section.body, escape_html(&draft.site.shell.settings.name));
    let html = match (kind, title.map(escape_html)) {
        ("header", _) => {
            let links = links(draft);
            format!(
                "<header class=\"site-header\"><a class=\"logo\" href=\"/\">{name}</a>\
                 <nav aria-label=\"Main\"><ul class=\"menu\">{links}</ul></nav></header>"
            )
        }
        ("footer", _) => format!("<footer class=\"site-footer\"><p>© {name}</p>{body}</footer>"),
        (_, Some(title)) => {
            format!("<section class=\"{kind}\"><h{level}>{title}</h{level}>{body}</section>")
        }
        (_, None) => {
            let heading = &section.heading;
            format!(
                "<section class=\"{kind}\"><h{level} data-placeholder=\"\">[{heading}]</h{level}>{body}</section>"
            )
        }
    };
    format!("{html}{}", styles(&section.classes, draft))
}

fn links(draft: &Draft) -> String {
    let link = |path: &str, title: &str| {
        let (path, title) = (escape_html(path), escape_html(title));
        format!("<li><a href=\"{path}\">{title}</a></li>")
    };
    let pages = draft.pages();
    pages.map(|page| link(&page.path(), page.title())).collect()
}

/// Rules for the classes that the site has no rules for.
fn styles(classes: &[String], draft: &Draft) -> String {
    let is_missing = |class: &&String| !draft.has_rule(&format!(".{class}"));
    let rules = classes.iter().filter(is_missing).filter_map(|class| {
        let style = SECTIONS.style.get(class).or(SECTIONS.style.get("other"))?;
        Some(format!(".{class} {{ {} }}\n", fill_variables(style, draft)))
    });
    let css: String = rules.collect();
    if css.is_empty() {
        css
    } else {
        format!("<style>{css}</style>")
    }
}

/// Declarations that use the site's own sizes and colours where it has them.
fn fill_variables(style: &str, draft: &Draft) -> String {
    let tokens = draft.site.tokens();
    let scales = tokens.spacing_scales.iter();
    let steps = scales.filter_map(|scale| scale.spacing_steps(&tokens.screens).ok());
    let steps = steps.flatten().map(|step| step.variable);
    let colours = tokens.colors.iter().map(|colour| colour.slug.clone());
    let known: Vec<String> = steps.chain(colours).collect();
    let mut parts = style.split('{');
    let mut css = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (variable, rest) = part.split_once('}').unwrap_or(("", part));
        let (name, other) = variable.split_once('|').unwrap_or((variable, ""));
        if known.iter().any(|known| known == name) {
            css.push_str(&format!("var(--{name})"));
        } else {
            css.push_str(other);
        }
        css.push_str(rest);
    }
    css
}

#[cfg(test)]
mod tests {
    use super::{SECTIONS, Sections};
    use crate::draft::KINDS;

    #[test]
    fn every_kind_of_section_has_its_markup() {
        let read = toml::from_str::<Sections>(include_str!("sections.toml"));
        assert_eq!(read.map(|_| ()).map_err(|error| error.to_string()), Ok(()));
        let missing = KINDS
            .iter()
            .filter(|kind| !SECTIONS.kind.contains_key(**kind));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new());
    }
}
