//! Everything around the body: doctype, `<html>`, `<head>`, styles.

use sitewright_markup::css::{CssForm, Piece, Present, relevant_pieces, write_css};
use sitewright_markup::html::HtmlPlace;
use sitewright_markup::html::{
    Position, attr, open_tag, refuses_attr, text, write_forest, write_strays,
};

use crate::{
    Attr, BodyId, Code, CodeFile, Element, Forest, Item, Kind, List, Namespace, Page, Placement,
    Site,
};

use super::scripts::scripts;
use super::walk::Body;
use super::{Facts, Purpose, Rendered, Subject, part_address};

/// The complete HTML document of a page.
pub(super) fn document(
    site: &Site,
    subject: &Subject<'_>,
    (purpose, facts): (Purpose, &Facts),
    body: Body,
) -> Rendered {
    let Body {
        html: content,
        documents,
        problems,
        present,
        used,
        has_more,
    } = body;
    let page: &Page = &subject.page;
    let settings = &site.shell.settings;
    let mut out = String::with_capacity(content.len() + 4096);
    let strays = |out: &mut String, place| write_strays(out, &page.settings.strays, place);
    open_html(&mut out, site, page);
    out.push_str("\n<meta charset=\"utf-8\">\n<title>");
    // The parts around the title are filled before it stands between them, because a title may say `{site}` itself.
    let pattern = settings.title_pattern.split("{title}");
    let parts: Vec<String> = pattern
        .map(|part| part.replace("{site}", &settings.name))
        .collect();
    let title = parts.join(&page.title);
    text(&mut out, &title, None, Position::Later);
    out.push_str("</title>\n");
    let address = part_address(&subject.address, facts.part);
    metas(&mut out, site, (page, &address), facts.base.as_deref());
    if let Some(favicon) = &settings.favicon {
        link(&mut out, "icon", favicon);
    }
    write_forest(&mut out, &page.settings.head, None);
    let files = files(site, &documents);
    let present = match purpose {
        Purpose::Publish => Some(everything_there(site, page, &files, present)),
        Purpose::Canvas => None,
    };
    styles(&mut out, site, &documents, present.as_ref());
    for file in files.iter().filter(|file| file.code == Code::Style) {
        style_element(&mut out, &file.content.replace("</", "<\\/"));
    }
    // Code runs on published pages only, never on the canvas.
    let body_code = match purpose {
        Purpose::Publish => {
            scripts(&mut out, &files, Placement::Head);
            out.push_str(&settings.head_code);
            let mut code = String::new();
            scripts(&mut code, &files, Placement::BodyEnd);
            code.push_str(&settings.body_code);
            code
        }
        Purpose::Canvas => String::new(),
    };
    // White space after this point would become text of the page.
    out.push_str("</head>");
    strays(&mut out, HtmlPlace::AfterHead);
    match content.strip_suffix("</body>") {
        Some(content) => {
            out.push_str(content);
            out.push_str(&body_code);
            out.push_str("</body>");
        }
        None => out.push_str(&content),
    }
    strays(&mut out, HtmlPlace::AfterBody);
    out.push_str("</html>");
    strays(&mut out, HtmlPlace::AfterHtml);
    Rendered {
        html: out,
        documents,
        problems,
        used,
        has_more,
    }
}

/// A page with the scripts and the custom code that a page of these documents has, and nothing else; empty when it has none.
pub(super) fn code_page(site: &Site, documents: &[BodyId]) -> String {
    let settings = &site.shell.settings;
    let files = files(site, documents);
    let (mut head, mut body) = (String::new(), String::new());
    scripts(&mut head, &files, Placement::Head);
    scripts(&mut body, &files, Placement::BodyEnd);
    head.push_str(&settings.head_code);
    body.push_str(&settings.body_code);
    if head.trim().is_empty() && body.trim().is_empty() {
        return String::new();
    }
    format!("<!doctype html><html><head>{head}</head><body>{body}</body></html>")
}

/// Writes everything up to and including the start tag of the head.
fn open_html(out: &mut String, site: &Site, page: &Page) {
    let settings = &page.settings;
    write_strays(out, &settings.strays, HtmlPlace::BeforeDoctype);
    out.push_str(settings.doctype.as_deref().unwrap_or("<!doctype html>"));
    write_strays(out, &settings.strays, HtmlPlace::BeforeHtml);
    out.push_str("\n<html");
    let has_lang = (settings.html_attrs.iter()).any(|attr| attr.name.as_str() == "lang");
    if !has_lang {
        let language = page.locale.as_deref();
        attr(
            out,
            "lang",
            language.unwrap_or(&site.shell.settings.language),
        );
    }
    for own in &settings.html_attrs {
        attr(out, own.name.as_str(), &own.value);
    }
    out.push_str(">\n");
    write_strays(out, &settings.strays, HtmlPlace::BeforeHead);
    out.push_str("<head");
    for own in &settings.head_attrs {
        attr(out, own.name.as_str(), &own.value);
    }
    out.push('>');
}

fn metas(out: &mut String, site: &Site, (page, address): (&Page, &str), base: Option<&str>) {
    let settings = &site.shell.settings;
    let own = metas_of(&page.settings.head);
    // A meta that the page has in its own head is not repeated.
    let mut meta = |key: &str, name: &str, content: &str| {
        if own.contains(&(key, name)) {
            return;
        }
        out.push_str("<meta");
        attr(out, key, name);
        attr(out, "content", content);
        out.push_str(">\n");
    };
    meta("name", "viewport", "width=device-width, initial-scale=1");
    if let Some(description) = &page.settings.description {
        meta("name", "description", description);
        meta("property", "og:description", description);
    }
    if page.settings.no_index || settings.discourage_search_engines {
        meta("name", "robots", "noindex");
    }
    meta("property", "og:title", &page.title);
    meta("property", "og:type", "website");
    meta("property", "og:site_name", &settings.name);
    let own_image = page.settings.social_image.as_ref();
    if let Some(image) = own_image.or(settings.social_image.as_ref()) {
        meta("property", "og:image", &absolute(base, image));
        meta("name", "twitter:card", "summary_large_image");
    }
    let own = page.settings.canonical.as_deref();
    let canonical = absolute(base, own.unwrap_or(address));
    // Consumers of both expect an absolute URL; a path alone is not one.
    if base.is_some() {
        meta("property", "og:url", &canonical);
    }
    if base.is_some() || own.is_some() {
        link(out, "canonical", &canonical);
    }
}

/// Writes a link, unless its address is one that documents may not have.
fn link(out: &mut String, rel: &str, href: &str) {
    let element = Element {
        tag: "link".into(),
        namespace: Namespace::Html,
        attrs: vec![Attr::new("rel", rel), Attr::new("href", href)],
    };
    if element
        .attrs
        .iter()
        .all(|attr| refuses_attr(&element, attr).is_none())
    {
        open_tag(out, &element, None, None, &[]);
        out.push('\n');
    }
}

/// Makes a path of the site absolute, if the address of the site is known.
fn absolute(base: Option<&str>, address: &str) -> String {
    match base {
        Some(base) if address.starts_with('/') && !address.starts_with("//") => {
            format!("{}{address}", base.trim_end_matches('/'))
        }
        _ => address.to_owned(),
    }
}

/// The metas of a head: the attribute that names each, and the name.
fn metas_of(head: &Forest) -> Vec<(&str, &str)> {
    let elements = head
        .0
        .iter()
        .filter_map(|planted| match &planted.node.kind {
            Kind::Element(element) if element.tag.as_str() == "meta" => Some(element),
            _ => None,
        });
    let attrs = elements.flat_map(|element| &element.attrs);
    attrs
        .filter(|attr| matches!(attr.name.as_str(), "name" | "property"))
        .map(|attr| (attr.name.as_str(), attr.value.as_str()))
        .collect()
}

/// The enabled files of a page, lowest priority first.
fn files<'s>(site: &'s Site, documents: &[BodyId]) -> Vec<&'s CodeFile> {
    let files = site.shell.items.list(List::Files);
    let used = files.filter_map(|(_, item)| match item {
        Item::File(file) if file.enabled && file.target.covers(documents) => Some(file),
        _ => None,
    });
    let mut used: Vec<&CodeFile> = used.collect();
    used.sort_by_key(|file| file.priority);
    used
}

/// Everything that CSS could match: the body, the elements around it, and any word in code that could add to the page.
fn everything_there(
    site: &Site,
    page: &Page,
    files: &[&CodeFile],
    mut present: Present,
) -> Present {
    for own in &page.settings.html_attrs {
        match own.name.as_str() {
            "class" => present.add_classes(&own.value),
            "id" => present.add_id(&own.value),
            _ => {}
        }
    }
    let Forest(head) = &page.settings.head;
    for planted in head {
        if let Kind::Element(element) = &planted.node.kind {
            present.add_tag(element.tag.as_str());
        }
    }
    for tag in ["title", "meta", "link", "style", "script"] {
        present.add_tag(tag);
    }
    for file in files.iter().filter(|file| file.code != Code::Style) {
        present.add_words(&file.content);
    }
    present.add_words(&site.shell.settings.head_code);
    present.add_words(&site.shell.settings.body_code);
    present
}

/// Writes the styles of a page: what the tokens generate, then the stylesheets for any of its documents, in order. On published
/// pages, rules that cannot match anything are left out. Each stylesheet gets an element of its own, because `@import` and
/// `@namespace` are valid only at the start of a stylesheet.
fn styles(out: &mut String, site: &Site, documents: &[BodyId], present: Option<&Present>) {
    style_element(out, &css_of(&mut site.framework().iter(), present));
    let items = &site.shell.items;
    let sheets = items.list(List::Sheets).filter(|(_, item)| match item {
        Item::Sheet(sheet) => sheet.target.covers(documents),
        _ => false,
    });
    for (id, _) in sheets {
        let mut pieces = items.pieces(id).map(|(_, piece)| piece);
        style_element(out, &css_of(&mut pieces, present));
    }
}

fn css_of(pieces: &mut dyn Iterator<Item = &Piece>, present: Option<&Present>) -> String {
    match present {
        Some(present) => {
            let relevant = relevant_pieces(pieces, present);
            write_css(relevant.iter().map(|piece| &**piece), CssForm::Readable)
        }
        None => write_css(pieces, CssForm::Readable),
    }
}

/// Writes a style element, unless it would be empty.
fn style_element(out: &mut String, css: &str) {
    if css.is_empty() {
        return;
    }
    out.push_str("<style>\n");
    out.push_str(css);
    out.push_str("</style>\n");
}
