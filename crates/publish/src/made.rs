//! Files that publishing generates from the pages: the sitemap, `robots.txt`, and a default page for unknown addresses.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bytes::Bytes;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use sitewright_markup::html::escape_html;
use sitewright_site::SiteSettings;
use sitewright_store::{BlobId, ReleaseRoute, ReleaseRoutes, RouteKind};

use crate::page_code::NO_SCRIPTS;
use crate::rendering::RenderedPage;

/// The address of the page for unknown addresses; static hosts expect it there.
pub(crate) const NOT_FOUND_ADDRESS: &str = "/404.html";
pub(crate) const SITEMAP_ADDRESS: &str = "/sitemap.xml";
pub(crate) const ROBOTS_ADDRESS: &str = "/robots.txt";
/// The slug of the site's own page for unknown addresses.
pub(crate) const NOT_FOUND: &str = "404";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
/// The maximum number of addresses in one sitemap.
const SITEMAP_MAX: usize = 50_000;

/// Characters that must be encoded in a path.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'%')
    .add(b'\'')
    .add(b'&');

/// Whether an address belongs to a generated file.
pub(crate) fn is_made(address: &str) -> bool {
    [NOT_FOUND_ADDRESS, SITEMAP_ADDRESS, ROBOTS_ADDRESS].contains(&address)
}

/// An address, percent-encoded for a link.
pub(crate) fn encoded(address: &str) -> String {
    utf8_percent_encode(address, PATH).to_string()
}

/// The files generated from the routes of a release, by address.
pub(crate) fn made(
    routes: &ReleaseRoutes,
    base: Option<&str>,
    is_discouraged: bool,
    seq: u64,
) -> BTreeMap<&'static str, (ReleaseRoute, Bytes)> {
    let made = |content_type: &str, text: String| {
        let route = ReleaseRoute {
            file: BlobId::of(text.as_bytes()),
            content_type: content_type.to_owned(),
            page: None,
            title: String::new(),
            seq,
            kind: RouteKind::Made,
            is_listed: false,
            has_scripts: false,
            script_policy: None,
            entries: None,
        };
        (route, Bytes::from(text))
    };
    let sitemap = made("application/xml", sitemap(routes, base));
    let robots = made("text/plain; charset=utf-8", robots(base, is_discouraged));
    BTreeMap::from([(SITEMAP_ADDRESS, sitemap), (ROBOTS_ADDRESS, robots)])
}

/// The sitemap. Without a known public address, entries start with their path and the server adds the rest when it serves them.
fn sitemap(routes: &ReleaseRoutes, base: Option<&str>) -> String {
    let base = base.map(|base| base.trim_end_matches('/'));
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let listed = routes.iter().filter(|(_, route)| route.is_listed);
    for (address, _) in listed.take(SITEMAP_MAX) {
        text.push_str("<url><loc>");
        text.push_str(base.unwrap_or_default());
        text.push_str(&encoded(address));
        text.push_str("</loc></url>\n");
    }
    text.push_str("</urlset>\n");
    text
}

/// Completes the addresses of a sitemap that was made without knowing the public address.
pub(crate) fn located(sitemap: &str, base: &str) -> String {
    sitemap.replace("<loc>/", &format!("<loc>{}/", base.trim_end_matches('/')))
}

fn robots(base: Option<&str>, is_discouraged: bool) -> String {
    let mut text = String::from("User-agent: *\n");
    if is_discouraged {
        text.push_str("Disallow: /\n");
        return text;
    }
    text.push_str("Disallow: /admin\nDisallow: /preview/\n");
    if let Some(base) = base {
        // Writing into a string cannot fail.
        write!(
            text,
            "\nSitemap: {}{SITEMAP_ADDRESS}\n",
            base.trim_end_matches('/')
        )
        .unwrap_or_default();
    }
    text
}

/// The default page for unknown addresses, for sites without one of their own.
pub(crate) fn not_found(settings: &SiteSettings) -> RenderedPage {
    let (language, name) = (escape_html(&settings.language), escape_html(&settings.name));
    let html = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<title>Page not found – {name}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"robots\" content=\"noindex\">\n<style>\n\
         :root {{ color-scheme: light dark; font: 1.125rem/1.6 system-ui, sans-serif; }}\n\
         body {{ max-width: 36rem; margin: 20vh auto 0; padding: 0 1.5rem; }}\nh1 {{ font-size: 1.5rem; line-height: 1.25; }}\n\
         a {{ color: inherit; }}\n</style>\n</head>\n<body>\n<main>\n<h1>There is no such page</h1>\n\
         <p>Check the address, or go to the <a href=\"/\">home page of {name}</a>.</p>\n</main>\n</body>\n</html>\n"
    );
    RenderedPage {
        page: None,
        address: NOT_FOUND_ADDRESS.to_owned(),
        title: "Page not found".to_owned(),
        has_scripts: false,
        refusal: None,
        script_policy: NO_SCRIPTS.to_owned(),
        is_listed: false,
        problems: Vec::new(),
        file: BlobId::of(html.as_bytes()),
        html: Bytes::from(html),
        documents: Vec::new(),
        entries: None,
        has_more: false,
    }
}
