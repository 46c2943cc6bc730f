//! The example as it is built and rendered.

use super::content::POSTS;
use super::{PAGES, example_ops};
use crate::{
    BodyId, ChangeId, EntryRow, Facts, Need, Outcome, Purpose, Reference, Rendered, Site,
    TemplateTarget, first_ops,
};

/// 15 November 2026, noon.
const NOW: i64 = 1_794_744_000_000;

fn example() -> Site {
    let mut site = Site::default();
    let first = first_ops("Oak", ChangeId::from("first".to_owned())).expect("a beginning");
    for op in &first {
        site.apply(op, 1).expect("applies");
    }
    let before = site.clone();
    let change = || ChangeId::from("example".to_owned());
    let ops = example_ops(&mut site, change(), NOW).expect("the example");
    assert_eq!(site, before, "the site is as it was until it is committed");
    let again = example_ops(&mut site, change(), NOW).expect("the example");
    assert_eq!(ops, again, "the same change makes the same ids");
    for op in &ops {
        site.apply(op, 2).expect("applies");
    }
    site
}

/// The posts as the database lists them, the newest first.
fn posts(site: &Site) -> Vec<EntryRow> {
    let mut rows: Vec<EntryRow> = site
        .records
        .iter()
        .map(|(id, open)| EntryRow {
            id: *id,
            record: open.record.clone(),
            rev: open.rev,
            created_at: NOW,
            updated_at: NOW,
            published_at: open.record.publish_at,
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.published_at));
    rows
}

/// What a rendering makes once it has the rows that it asks for.
fn rendered(
    site: &Site,
    mut facts: Facts,
    render: impl Fn(&Facts) -> Option<Outcome<Rendered>>,
) -> Rendered {
    for _ in 0..3 {
        let needs = match render(&facts).expect("something to render") {
            Outcome::Done(rendered) => return rendered,
            Outcome::Needs(needs) => needs,
        };
        for need in needs {
            let Need::Rows { key, query } = need else {
                panic!("{need:?}");
            };
            let limit = site.entry_query(&query, NOW).expect("a query").limit;
            let rows = posts(site).into_iter().take(limit as usize);
            let rows = rows.map(|row| site.entry_row(&row)).collect();
            facts.rows.insert(key, rows);
        }
    }
    panic!("it lacks something else each time");
}

fn rendered_page(site: &Site, id: BodyId) -> Rendered {
    rendered(site, Facts::default(), |facts| {
        site.render(id, Purpose::Publish, facts)
    })
}

#[test]
fn the_journal_lists_its_posts_and_each_has_a_page() {
    let site = example();
    let mut pages = site.shell.pages.iter();
    let (list, _) = pages
        .find(|(_, page)| page.slug == "blog")
        .expect("a journal");
    let list = rendered_page(&site, list).html;
    let mut rest = list.as_str();
    for post in &POSTS {
        let link = format!("<a href=\"/blog/{}\">{}</a>", post.slug, post.title);
        let (_, behind) = rest.split_once(&link).expect(post.title);
        rest = behind;
    }
    assert!(
        list.contains("<span>Firing</span>") && !list.contains("<img"),
        "{list}"
    );
    for row in posts(&site) {
        let facts = Facts {
            entry: Some(site.entry_row(&row)),
            collection: Some("blog".to_owned()),
            ..Facts::default()
        };
        let page = rendered(&site, facts, |facts| {
            site.render_entry(Purpose::Publish, facts)
        });
        assert_eq!(page.problems, Vec::<String>::new());
        let title = format!("<h1>{}</h1>", row.record.title);
        for part in [
            title.as_str(),
            "<div class=\"prose\"><p>",
            "<nav aria-label=\"Main menu\">",
        ] {
            assert!(page.html.contains(part), "{part}: {}", page.html);
        }
    }
}

#[test]
fn header_and_footer_show_the_items_of_their_menus() {
    let site = example();
    let mut pages = site.shell.pages.iter();
    let (home, _) = pages.find(|(_, page)| page.slug == "index").expect("home");
    let html = rendered_page(&site, home).html;
    for (address, label) in [
        ("/studio", "The studio"),
        ("/classes", "Classes"),
        ("/blog", "Journal"),
        ("/visit", "Visit"),
    ] {
        let item = format!("<li><a href=\"{address}\">{label}</a>");
        assert_eq!(html.matches(&item).count(), 2, "{item}: {html}");
    }
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
        let rendered = rendered_page(&site, id);
        assert_eq!(rendered.problems, Vec::<String>::new());
        for part in [
            "<nav aria-label=\"Main menu\">",
            "<span>Oak</span>",
            "prefers-color-scheme: dark",
            "@media (max-width: 1024px)",
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
