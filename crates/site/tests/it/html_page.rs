//! A whole page from outside becomes a page of the site with stylesheets of its own.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot get what it needs has failed"
)]

use sitewright_markup::html::{HtmlLimits, HtmlMode, import_html};
use sitewright_site::{
    ChangeId, Item, List, Mint, NewEntity, Op, Page, PageName, Site, Target, import_page,
};

use crate::templates::publish;

fn import(html: &str) -> sitewright_markup::html::ImportedHtml {
    import_html(html, &HtmlMode::Document, &HtmlLimits::default()).unwrap()
}

fn named(slug: &str) -> PageName<'_> {
    PageName {
        slug: Some(slug),
        ..PageName::default()
    }
}

/// The page that HTML becomes, when nobody knows the CSS of links.
fn page(html: &str) -> Page {
    let mut mint = Mint::new(ChangeId::from("c".to_owned()));
    let site = Site::default();
    let imported = import_page(
        &site,
        import(html),
        named("about"),
        &mut |_| None,
        &mut mint,
    )
    .unwrap();
    match &imported.ops[0] {
        Op::Insert { new } => match &**new {
            NewEntity::Page { page, .. } => (**page).clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_every_page_has_moves_from_the_head_into_the_settings() {
    let page = page(
        "<!doctype html><html lang=de class=dark><head><meta charset=utf-8><title>\n Über\n uns </title>\
         <meta name=Description content='Wer wir sind'><link rel=canonical href=/wir>\
         <meta property=og:title content=Wir><meta property=og:image content=/wir.png></head><body>",
    );
    assert_eq!(page.title, "Über uns");
    assert_eq!(page.settings.description.as_deref(), Some("Wer wir sind"));
    assert_eq!(page.settings.canonical.as_deref(), Some("/wir"));
    assert_eq!(page.settings.social_image.as_deref(), Some("/wir.png"));
    assert_eq!(page.settings.head.0.len(), 1, "{:?}", page.settings.head);
    let attrs = page.settings.html_attrs.iter();
    let attrs: Vec<_> = attrs
        .map(|attr| (attr.name.as_str(), &*attr.value))
        .collect();
    assert_eq!(attrs, [("lang", "de"), ("class", "dark")]);
}

#[test]
fn what_a_page_says_in_its_head_is_not_said_again() {
    let html = publish(
        import(
            "<!doctype html><title>A</title><meta name=viewport content=width=320><meta property=og:title content=B>",
        ),
        &mut |_| None,
    );
    assert_eq!(html.matches("viewport").count(), 1, "{html}");
    assert_eq!(html.matches("og:title").count(), 1, "{html}");
    assert_eq!(html.matches("<title>").count(), 1, "{html}");
}

#[test]
fn a_page_without_a_title_is_called_by_its_slug_and_keeps_its_quirks() {
    let page = page("<p>x");
    assert_eq!(page.title, "about");
    assert_eq!(page.settings.doctype.as_deref(), Some(""));
    assert_eq!(
        publish(import("<p>x"), &mut |_| None).find("<html"),
        Some(1)
    );
}

/// Each source of CSS is a stylesheet of the page, in the order of the document; unknown links stay.
#[test]
fn styles_and_links_become_stylesheets_in_the_order_of_the_document() {
    let html = "<!doctype html><head><style>.a{}</style><link rel=stylesheet href=b.css>\
        <link rel=stylesheet href=//elsewhere/x.css><style media=print>.c{}</style>\
        <noscript><style>.d{}</style></noscript><link rel='alternate stylesheet' href=b.css>\
        <link rel=stylesheet href=b.css media='(width > 1px)'></head>\
        <body><style>.e{}</style><template><style>.f{}</style></template><link rel=stylesheet href=b.css>";
    let mut css = |href: &str| (href == "b.css").then(|| ".b{}".to_owned());
    let mut site = Site::default();
    let mut mint = Mint::new(ChangeId::from("c".to_owned()));
    let imported = import_page(&site, import(html), named("about"), &mut css, &mut mint).unwrap();
    for op in &imported.ops {
        site.apply(op, 1).unwrap();
    }
    let mut found = Vec::new();
    for (id, item) in site.shell.items.list(List::Sheets) {
        let Item::Sheet(sheet) = item else {
            panic!("{item:?}")
        };
        assert_eq!(
            sheet.target,
            Target::Documents {
                ids: vec![imported.id]
            }
        );
        let pieces = site.shell.items.pieces(id).map(|(_, piece)| piece);
        let css =
            sitewright_markup::css::write_css(pieces, sitewright_markup::css::CssForm::Compact);
        found.push(format!("{}: {css}", sheet.name));
    }
    assert_eq!(
        found,
        [
            "style: .a{}",
            "b.css: .b{}",
            "style: @media print{.c{}}",
            "style: @media (scripting: none){.d{}}",
            "b.css: @media (width > 1px){.b{}}",
            "style: .e{}",
            "b.css: .b{}",
        ]
    );
    let rendered = publish(import(html), &mut css);
    assert_eq!(
        rendered.matches("<link rel=\"stylesheet\"").count(),
        1,
        "{rendered}"
    );
    assert_eq!(rendered.matches("elsewhere").count(), 1, "{rendered}");
}

/// A rule before it would make browsers ignore an import.
#[test]
fn an_import_stands_at_the_beginning_of_its_stylesheet() {
    let html = "<!doctype html><style>.a{}</style><style>@import url(x.css);.b{}</style>";
    let rendered = publish(import(html), &mut |_| None);
    assert!(
        rendered.contains("<style>\n@import url(x.css);"),
        "{rendered}"
    );
}
