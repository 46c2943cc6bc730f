//! The site that a new installation starts with, so that people do not start from an empty page.
//!
//! It is written as files in `crates/site/example/` and brought in through the public tools, as one change on top of a new
//! site. It contains no prices, quotes, customers or figures, because anyone who keeps it would publish them.

use serde_json::Value;
use sitewright_tool::{ErrorCode, ToolError};

use crate::tools::html::{self, InsertHtml};
use crate::tools::pages::{self, AddPage, AddedPage};
use crate::tools::settings::page::{self, UpdatePageSettings};
use crate::tools::templates::{self, SetPageTemplate};
use crate::tools::{Stop, Work, css};
use crate::{ChangeId, Facts, Item, NewEntity, Op, Site, TemplateTarget, View};

const TOKENS: &str = include_str!("../example/tokens.json");
const STYLES: &str = include_str!("../example/site.css");
const FRAME: &str = include_str!("../example/frame.html");

/// A page of the example.
struct ExamplePage {
    title: &'static str,
    slug: &'static str,
    description: &'static str,
    html: &'static str,
}

const PAGES: [ExamplePage; 5] = [
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

/// The ops that turn a new site into the example. The home page must be open.
pub fn example_ops(site: &mut Site, change: ChangeId) -> Result<Vec<Op>, ToolError> {
    let (view, facts) = (View::default(), Facts::default());
    let mut work = Work::new(site, &view, &facts, change);
    build(&mut work).map_err(|stop| match stop {
        Stop::Error(error) => *error,
        Stop::Needs(_) => ToolError::new(
            ErrorCode::Internal,
            "The example needs what a new site does not have.",
        ),
    })?;
    work.take_ops()
}

fn build(work: &mut Work<'_>) -> Result<(), Stop> {
    tokens(work)?;
    css::upsert(work, STYLES)?;
    // All pages are added first, because a link gets its target only if the page exists.
    let frame = add_page(work, "Header and footer", "frame")?;
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
    insert(work, &frame, FRAME)?;
    let template = SetPageTemplate {
        page_id: frame.page_id,
        target: TemplateTarget::Everywhere,
        priority: None,
    };
    templates::set(template, work).map(drop)
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
    };
    pages::add(input, work)
}

fn insert(work: &mut Work<'_>, page: &AddedPage, html: &str) -> Result<(), Stop> {
    let input = InsertHtml {
        parent_id: page.root_node_id,
        index: None,
        html: html.to_owned(),
    };
    html::insert(input, work).map(drop)
}

fn unreadable(error: &dyn std::fmt::Display) -> Stop {
    Stop::invalid(format!("The tokens of the example cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::{PAGES, example_ops};
    use crate::{ChangeId, Facts, Outcome, Purpose, Reference, Site, TemplateTarget, first_ops};

    fn example() -> Site {
        let mut site = Site::default();
        let first = first_ops("Oak", ChangeId::from("first".to_owned())).expect("a beginning");
        for op in &first {
            site.apply(op, 1).expect("applies");
        }
        let before = site.clone();
        let change = || ChangeId::from("example".to_owned());
        let ops = example_ops(&mut site, change()).expect("the example");
        assert_eq!(site, before, "the site is as it was until it is committed");
        let again = example_ops(&mut site, change()).expect("the example");
        assert_eq!(ops, again, "the same change makes the same ids");
        for op in &ops {
            site.apply(op, 2).expect("applies");
        }
        site
    }

    #[test]
    fn every_page_renders_whole_within_the_frame() {
        let site = example();
        for page in &PAGES {
            let mut pages = site.shell.pages.iter();
            let (id, found) = pages
                .find(|(_, found)| found.slug == page.slug)
                .expect(page.title);
            assert_eq!(
                found.settings.description.as_deref(),
                Some(page.description)
            );
            let outcome = site.render(id, Purpose::Publish, &Facts::default());
            let Some(Outcome::Done(rendered)) = outcome else {
                panic!("{} lacks something", page.title);
            };
            assert_eq!(rendered.problems, Vec::<String>::new());
            for part in [
                "<nav aria-label=\"Main menu\">",
                "<span>Oak</span>",
                "prefers-color-scheme: dark",
                "@media (max-width: 768px)",
            ] {
                assert!(rendered.html.contains(part), "{}: {part}", page.title);
            }
            for absent in [
                "<script",
                "http://",
                "{site",
                "data-placeholder",
                "[",
                "€",
                "$",
            ] {
                let body = rendered.html.split("<body").nth(1).expect("a body");
                assert!(!body.contains(absent), "{}: {absent}", page.title);
            }
            assert_eq!(rendered.html.matches("<h1").count(), 1, "{}", page.title);
        }
    }

    #[test]
    fn links_know_their_pages() {
        let site = example();
        for page in PAGES.iter().filter(|page| page.slug != "404") {
            let mut pages = site.shell.pages.iter();
            let (id, _) = pages
                .find(|(_, found)| found.slug == page.slug)
                .expect(page.title);
            let pointing = site.referrers(&Reference::Page { id });
            assert!(
                page.slug == "index" || !pointing.is_empty(),
                "{}",
                page.slug
            );
        }
        let is_frame = |page: &crate::Page| {
            let template = page.template.as_ref();
            template.is_some_and(|template| template.target == TemplateTarget::Everywhere)
        };
        let pages = site.shell.pages.iter();
        assert_eq!(pages.filter(|(_, page)| is_frame(page)).count(), 1);
    }
}
