//! The list of supported requests, generated from the rules: for the panel, the documentation and the command line.

use sitewright_site::Site;

use super::grammar::{AREAS, Area, CONTENT_RULES};
use super::say;

/// A group of supported requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandGroup {
    /// The heading of the group.
    pub title: &'static str,
    /// One example for each rule that has one.
    pub examples: Vec<String>,
}

/// Examples that speak of a page: what is before its name, the name, and what is after it.
const PAGE_MENTIONS: [(&str, &str, &str); 6] = [
    ("the ", "pricing", " page"),
    ("the ", "services", " page"),
    ("the ", "about", " page"),
    ("the ", "contact", " page"),
    ("the ", "sale", " page"),
    (" ", "About", " "),
];

/// Lists the supported requests by area, with an example of each way of asking.
pub fn text() -> String {
    let mut lines = vec!["Built-in commands (no AI). You can say, for example:".to_owned()];
    for CommandGroup { title, examples } in groups() {
        lines.push(format!("{title}: {}", examples.join("; ")));
    }
    lines.push(format!("Sections that can be added: {}.", say::kinds()));
    lines.push("English only. For writing, design advice, pictures and translation, connect a provider in AI settings.".to_owned());
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

/// The supported requests with pages that the site has, so that each example can be sent as it is.
pub fn groups_for(site: &Site) -> Vec<CommandGroup> {
    let pages = site.shell.pages.iter();
    let pages = pages.filter(|(id, page)| page.template.is_none() && site.permalink(*id) != "/");
    let names: Vec<&str> = pages.map(|(_, page)| name_of(&page.title)).collect();
    let mut groups = groups();
    for example in groups.iter_mut().flat_map(|group| &mut group.examples) {
        *example = with_page(example, &names);
    }
    groups
}

/// A title as it is said in a sentence: `the studio page`, not `the The studio page`.
fn name_of(title: &str) -> &str {
    title.strip_prefix("The ").unwrap_or(title)
}

fn with_page(example: &str, names: &[&str]) -> String {
    let mut mentions = PAGE_MENTIONS.iter().zip(names.iter().cycle());
    let found = mentions.find_map(|((before, stock, after), name)| {
        let mention = format!("{before}{stock}{after}");
        let own = format!("{before}{name}{after}");
        example
            .contains(&mention)
            .then(|| example.replace(&mention, &own))
    });
    found.unwrap_or_else(|| example.to_owned())
}

/// The supported requests, with neutral examples.
pub fn groups() -> Vec<CommandGroup> {
    let group = |area: &'static Area| CommandGroup {
        title: &area.title,
        examples: area
            .rule
            .iter()
            .filter_map(|rule| rule.example.clone())
            .collect(),
    };
    let content = CommandGroup {
        title: CONTENT,
        examples: CONTENT_RULES
            .iter()
            .filter_map(|rule| rule.example.clone())
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
