//! What stands around the body: doctype, `<html>`, `<head>`, styles.

use crate::css::{CssForm, write_css};
use crate::html::{Position, attr, text, write_forest};
use crate::{BodyId, Item, List, Page, Site};

use super::Rendered;
use super::walk::Body;

/// The whole document of a page.
pub(super) fn document(site: &Site, id: BodyId, page: &Page, body: Body) -> Rendered {
    let Body {
        html: content,
        documents,
        problems,
    } = body;
    let settings = &site.shell.settings;
    let mut out = String::with_capacity(content.len() + 4096);
    out.push_str(
        page.settings
            .doctype
            .as_deref()
            .unwrap_or("<!doctype html>"),
    );
    out.push_str("\n<html");
    if !page
        .settings
        .html_attrs
        .iter()
        .any(|attr| attr.name.as_str() == "lang")
    {
        attr(
            &mut out,
            "lang",
            page.locale.as_deref().unwrap_or(&settings.language),
        );
    }
    for own in &page.settings.html_attrs {
        attr(&mut out, own.name.as_str(), &own.value);
    }
    out.push_str(">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    let title = settings
        .title_pattern
        .replace("{title}", &page.title)
        .replace("{site}", &settings.name);
    text(&mut out, &title, None, Position::Later);
    out.push_str("</title>\n");
    metas(&mut out, site, id, page);
    write_forest(&mut out, &page.settings.head, None);
    let css = styles(site, &documents);
    if !css.is_empty() {
        out.push_str("<style>\n");
        out.push_str(&css);
        out.push_str("</style>\n");
    }
    out.push_str("</head>\n");
    out.push_str(&content);
    out.push_str("\n</html>\n");
    Rendered {
        html: out,
        documents,
        problems,
    }
}

fn metas(out: &mut String, site: &Site, id: BodyId, page: &Page) {
    let settings = &site.shell.settings;
    let has_viewport = page
        .settings
        .head
        .0
        .iter()
        .any(|planted| match &planted.node.kind {
            crate::Kind::Element(element) => element
                .attrs
                .iter()
                .any(|attr| attr.name.as_str() == "name" && attr.value == "viewport"),
            _ => false,
        });
    let mut meta = |key: &str, name: &str, content: &str| {
        out.push_str("<meta");
        attr(out, key, name);
        attr(out, "content", content);
        out.push_str(">\n");
    };
    if !has_viewport {
        meta("name", "viewport", "width=device-width, initial-scale=1");
    }
    if let Some(description) = &page.settings.description {
        meta("name", "description", description);
        meta("property", "og:description", description);
    }
    if page.settings.no_index || settings.discourage_search_engines {
        meta("name", "robots", "noindex");
    }
    meta("property", "og:title", &page.title);
    if let Some(image) = page
        .settings
        .social_image
        .as_ref()
        .or(settings.social_image.as_ref())
    {
        meta("property", "og:image", image);
    }
    let canonical = page
        .settings
        .canonical
        .clone()
        .unwrap_or_else(|| site.permalink(id));
    out.push_str("<link rel=\"canonical\"");
    attr(out, "href", &canonical);
    out.push_str(">\n");
}

/// The styles of a page: what the tokens generate, then the stylesheets for any of its documents, in their order.
fn styles(site: &Site, documents: &[BodyId]) -> String {
    let framework = site.framework();
    let sheets = site
        .shell
        .items
        .list(List::Sheets)
        .filter(|(_, item)| match item {
            Item::Sheet(sheet) => sheet.target.covers(documents),
            _ => false,
        });
    let written = sheets
        .flat_map(|(id, _)| site.shell.items.pieces(id))
        .map(|(_, piece)| piece);
    write_css(framework.iter().chain(written), CssForm::Readable)
}
