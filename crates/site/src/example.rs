//! The site that a new installation starts with, so that people do not start from an empty page.
//!
//! It is written as files in `crates/site/example/` and brought in through the public tools, as one change on top of a new
//! site. It contains no prices, quotes, customers or figures, because anyone who keeps it would publish them.

mod content;

use serde_json::Value;
use sitewright_tool::{ErrorCode, ToolError};

use crate::tools::html::{self, Braces, Headings, InsertHtml};
use crate::tools::pages::{self, AddPage, AddedPage};
use crate::tools::settings::page::{self, UpdatePageSettings};
use crate::tools::templates::{self, SetPageTemplate};
use crate::tools::{Stop, Work, css};
use crate::{ChangeId, Facts, Item, NewEntity, Op, Site, TemplateTarget, View};

const TOKENS: &str = include_str!("../example/tokens.json");
const STYLES: &str = include_str!("../example/site.css");
const FRAME: &str = include_str!("../example/frame.html");
const POST: &str = include_str!("../example/post.html");

/// A page of the example.
struct ExamplePage {
    title: &'static str,
    slug: &'static str,
    description: &'static str,
    html: &'static str,
}

const PAGES: [ExamplePage; 6] = [
    ExamplePage {
        title: "Home",
        slug: HOME,
        description: "Tableware made by hand, and classes at the wheel for anyone who would like to try.",
        html: include_str!("../example/home.html"),
    },
    ExamplePage {
        title: "The studio",
        slug: "studio",
        description: "Who we are, how we work and what matters to us when we make pots.",
        html: include_str!("../example/studio.html"),
    },
    ExamplePage {
        title: "Classes",
        slug: "classes",
        description: "Pottery classes at the wheel and at the table, for beginners and for those who know their way around.",
        html: include_str!("../example/classes.html"),
    },
    ExamplePage {
        title: "Journal",
        slug: JOURNAL,
        description: "Notes from the workshop: what we are making, what went wrong and what the clay taught us.",
        html: include_str!("../example/journal.html"),
    },
    ExamplePage {
        title: "Visit",
        slug: "visit",
        description: "How to reach us, when to come by and how to get in.",
        html: include_str!("../example/visit.html"),
    },
    // The slug makes it the page for missing addresses.
    ExamplePage {
        title: "Not found",
        slug: "404",
        description: "There is no page at this address.",
        html: include_str!("../example/not-found.html"),
    },
];
const HOME: &str = "index";
/// The slug of the list of posts: where the addresses of the posts begin, too.
const JOURNAL: &str = "blog";

/// The ops that turn a new site into the example. The home page must be open. Its posts are dated before `now`, in milliseconds since
/// 1970.
pub fn example_ops(site: &mut Site, change: ChangeId, now: i64) -> Result<Vec<Op>, ToolError> {
    let (view, facts) = (View::default(), Facts::default());
    let mut work = Work::new(site, &view, &facts, change);
    build(&mut work, now).map_err(|stop| match stop {
        Stop::Error(error) => *error,
        Stop::Needs(_) => ToolError::new(
            ErrorCode::Internal,
            "The example needs what a new site does not have.",
        ),
    })?;
    work.take_ops()
}

fn build(work: &mut Work<'_>, now: i64) -> Result<(), Stop> {
    tokens(work)?;
    css::upsert(work, STYLES)?;
    // All pages are added first, because a link gets its target only if the page exists.
    let frame = add_page(work, "Header and footer", "frame")?;
    let post = add_page(work, "Journal post", "journal-post")?;
    let mut roots = Vec::new();
    for page in &PAGES {
        roots.push(match page.slug {
            HOME => home(work)?,
            slug => add_page(work, page.title, slug)?,
        });
    }
    for (page, made) in PAGES.iter().zip(&roots) {
        insert(work, made, page.html)?;
        let settings = UpdatePageSettings {
            page_id: made.page_id.to_string(),
            description: Some(Some(page.description.to_owned())),
            ..UpdatePageSettings::default()
        };
        page::update(settings, work)?;
    }
    for (page, html, target) in [
        (frame, FRAME, TemplateTarget::Everywhere),
        (post, POST, content::journal_posts()),
    ] {
        insert(work, &page, html)?;
        let template = SetPageTemplate {
            page_id: page.page_id,
            target,
            priority: None,
        };
        templates::set(template, work)?;
    }
    content::add_menus(work)?;
    content::add_posts(work, now)
}

/// Colours, fonts and scales.
fn tokens(work: &mut Work<'_>) -> Result<(), Stop> {
    let written: Value = serde_json::from_str(TOKENS).map_err(|error| unreadable(&error))?;
    let items: Vec<Item> = sitewright_tool::read(&written).map_err(|error| unreadable(&error))?;
    for item in items {
        let list = item.list();
        let last = work.site.shell.items.list(list).last();
        let new = NewEntity::Item {
            id: work.mint.mint(),
            after: last.map(|(id, _)| id),
            item: Box::new(item),
            pieces: Vec::new(),
        };
        work.step(Op::Insert { new: Box::new(new) })?;
    }
    Ok(())
}

/// The home page of a new site.
fn home(work: &Work<'_>) -> Result<AddedPage, Stop> {
    let mut pages = work.site.shell.pages.iter();
    let found = pages.find(|(_, page)| page.slug == HOME);
    let (id, _) = found.ok_or_else(|| Stop::invalid("The site has no home page."))?;
    Ok(AddedPage {
        page_id: id,
        root_node_id: work.tree(id)?.root(),
    })
}

fn add_page(work: &mut Work<'_>, title: &str, slug: &str) -> Result<AddedPage, Stop> {
    let input = AddPage {
        title: title.to_owned(),
        slug: Some(slug.to_owned()),
        in_menu: false,
    };
    pages::add(input, work)
}

fn insert(work: &mut Work<'_>, page: &AddedPage, html: &str) -> Result<(), Stop> {
    let input = InsertHtml {
        parent_id: page.root_node_id,
        index: None,
        html: html.to_owned(),
        braces: Braces::Bindings,
        headings: Headings::AsWritten,
    };
    html::insert(input, work).map(drop)
}

fn unreadable(error: &dyn std::fmt::Display) -> Stop {
    Stop::invalid(format!("The tokens of the example cannot be read: {error}"))
}

#[cfg(test)]
mod tests;
