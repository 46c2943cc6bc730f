//! The list of supported requests, generated from the rules: for the panel, the documentation and the command line.

use super::grammar::{AREAS, Area, CONTENT_RULES};
use super::say;

/// A group of supported requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandGroup {
    /// The heading of the group.
    pub title: &'static str,
    /// One example for each rule that has one.
    pub examples: Vec<&'static str>,
}

/// Lists the supported requests by area, with an example of each way of asking.
pub fn text() -> String {
    let mut lines = vec!["Built-in commands (no AI). You can say, for example:".to_owned()];
    for CommandGroup { title, examples } in groups() {
        lines.push(format!("{title}: {}", examples.join("; ")));
    }
    lines.push(format!("Sections that can be added: {}.", say::kinds()));
    lines.push("English only. Writing, taste, pictures and translation take a provider; connect one in AI settings.".to_owned());
    lines.join("\n")
}

/// The same list as a page of the documentation.
pub fn markdown() -> String {
    let mut page = "# Built-in commands (no AI)\n\nMade from the rules in `crates/commands/src/grammar.toml`; `cargo nextest run -p sitewright-commands` writes it anew.\n\n".to_owned();
    page.push_str(
        "The built-in commands need no key. They are fixed rules that drive the same tools as a model does, so everything can be tried without a\n\
         provider. They understand English and the ways of asking below, with synonyms, slips of the keyboard and several requests in one\n\
         message. A message that is only half understood changes nothing. Deleting a page and publishing ask for a yes.\n",
    );
    for CommandGroup { title, examples } in groups() {
        page.push_str(&format!("\n## {title}\n\n"));
        for example in examples {
            page.push_str(&format!("- {example}\n"));
        }
    }
    page.push_str(&format!(
        "\n## Sections that can be added\n\n{}. Texts and pictures that you do not give are placeholders, marked with `data-placeholder`.\n\
         Prices, quotes, names of customers and figures are never made up.\n\n## What takes a provider\n\nWriting, taste, sight and translation. Connect one in AI settings.\n",
        say::kinds()
    ));
    page
}

/// The same list as plain text.
pub fn groups() -> Vec<CommandGroup> {
    let group = |area: &'static Area| CommandGroup {
        title: &area.title,
        examples: area
            .rule
            .iter()
            .filter_map(|rule| rule.example.as_deref())
            .collect(),
    };
    let content = CommandGroup {
        title: CONTENT,
        examples: CONTENT_RULES
            .iter()
            .filter_map(|rule| rule.example.as_deref())
            .collect(),
    };
    AREAS
        .iter()
        .map(group)
        .chain(std::iter::once(content))
        .collect()
}

/// Lists the requests that the content workspace supports.
pub(crate) fn content_text() -> String {
    let examples = groups().pop().map(|group| group.examples);
    format!(
        "Built-in commands (no AI). Here you can say, for example: {}. English only; writing takes a provider, so texts are placeholders.",
        examples.unwrap_or_default().join("; ")
    )
}

/// The heading of what is understood in the content workspace.
const CONTENT: &str = "Posts, entries and menus, in Content";
