//! Answers visitors from memory: conditional requests, compressed forms, redirects, and the page for unknown addresses.

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION, RETRY_AFTER, VARY,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use percent_encoding::percent_decode_str;
use sitewright_store::RouteKind;

use crate::made::{HTML, SITEMAP_ADDRESS, encoded, located};
use crate::page_policy::{Host, NO_SCRIPTS_ANYWHERE};
use crate::shown::{ShownFile, ShownForm, ShownRelease};
use crate::stored::FileForm;

/// A visitor's request.
pub struct Visit<'a> {
    pub method: &'a Method,
    /// The path as it was sent, still encoded.
    pub path: &'a str,
    pub query: Option<&'a str>,
    pub headers: &'a HeaderMap,
    /// What else is served on the host.
    pub host: Host,
    /// Returns the public address of the site for this visitor, such as `https://www.example.com`.
    pub base: &'a dyn Fn() -> String,
}

/// Browsers revalidate on every visit and get a short `304` when nothing has changed.
const FRESH: HeaderValue = HeaderValue::from_static("public, max-age=0, must-revalidate");
/// Browsers ask for it on their own when a page names no favicon.
const FAVICON_ADDRESS: &str = "/favicon.ico";
const A_DAY: HeaderValue = HeaderValue::from_static("public, max-age=86400");
const BY_ENCODING: HeaderValue = HeaderValue::from_static("accept-encoding");

impl ShownRelease {
    /// Answers a visitor's request.
    pub fn answer(&self, visit: &Visit<'_>) -> Response<Bytes> {
        if !matches!(*visit.method, Method::GET | Method::HEAD) {
            let mut refused = Response::new(Bytes::new());
            *refused.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            let allowed = HeaderValue::from_static("GET, HEAD");
            refused.headers_mut().insert(ALLOW, allowed);
            return refused;
        }
        let Ok(path) = percent_decode_str(visit.path).decode_utf8() else {
            return self.nothing(visit);
        };
        if let Some(file) = self.routes.get(&*path) {
            return found(file, &path, visit);
        }
        if self.is_unavailable(&path) {
            return unavailable(visit);
        }
        // Addresses have no trailing slash; only those that exist are redirected to.
        let is_there =
            |address: &str| self.routes.contains_key(address) || self.is_unavailable(address);
        match path.strip_suffix('/') {
            Some(address) if is_there(address) => moved(address, visit),
            None if path == FAVICON_ADDRESS => no_favicon(),
            _ => self.nothing(visit),
        }
    }

    fn nothing(&self, visit: &Visit<'_>) -> Response<Bytes> {
        let mut answer = match &self.not_found {
            Some(file) => {
                let (form, content) = chosen(file, visit.headers);
                sent(file, form, content, visit)
            }
            None => plain_page(&NO_SUCH_PAGE, visit),
        };
        // Without an ETag, caches cannot store and revalidate the error page as the content of this address.
        answer.headers_mut().remove(ETAG);
        *answer.status_mut() = StatusCode::NOT_FOUND;
        answer
    }
}

/// The answer for a site without a favicon. A 404 would be an error in the console of every visitor and in every audit.
fn no_favicon() -> Response<Bytes> {
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    answer.headers_mut().insert(CACHE_CONTROL, A_DAY);
    answer
}

fn found(file: &ShownFile, path: &str, visit: &Visit<'_>) -> Response<Bytes> {
    if file.route.kind == RouteKind::Made && path == SITEMAP_ADDRESS {
        let bytes = file.bytes();
        // The sitemap was made without knowing the public address, which this request supplies.
        if let Ok(text) = std::str::from_utf8(&bytes)
            && text.contains("<loc>/")
        {
            return made_now(file, located(text, &(visit.base)()), visit);
        }
    }
    let (form, content) = chosen(file, visit.headers);
    if is_known(&content.tag, visit.headers) {
        let mut unchanged = Response::new(Bytes::new());
        *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
        let headers = unchanged.headers_mut();
        headers.insert(ETAG, content.tag.clone());
        headers.insert(CACHE_CONTROL, FRESH);
        headers.insert(VARY, BY_ENCODING);
        // A browser that cached the page under another policy applies this one from here on.
        add_policy(headers, file, visit);
        return unchanged;
    }
    sent(file, form, content, visit)
}

/// The response with the file in the chosen form.
fn sent(
    file: &ShownFile,
    form: FileForm,
    content: &ShownForm,
    visit: &Visit<'_>,
) -> Response<Bytes> {
    let is_head = *visit.method == Method::HEAD;
    let body = match is_head {
        true => Bytes::new(),
        false => content.bytes.clone(),
    };
    let mut answer = Response::new(body);
    let headers = answer.headers_mut();
    headers.reserve(8);
    headers.insert(CONTENT_TYPE, file.content_type.clone());
    headers.insert(CONTENT_LENGTH, HeaderValue::from(content.bytes.len()));
    headers.insert(ETAG, content.tag.clone());
    headers.insert(CACHE_CONTROL, FRESH);
    headers.insert(VARY, BY_ENCODING);
    if form != FileForm::Plain {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(form.encoding()));
    }
    add_policy(headers, file, visit);
    answer
}

fn add_policy(headers: &mut HeaderMap, file: &ShownFile, visit: &Visit<'_>) {
    if let Some(policy) = file.policies.on(visit.host) {
        headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
    }
}

/// The answer for an address whose file is damaged in storage. The next publishing restores it, so search engines are asked to come
/// back and browsers must not cache the answer.
fn unavailable(visit: &Visit<'_>) -> Response<Bytes> {
    let mut answer = plain_page(&UNAVAILABLE_PAGE, visit);
    *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let headers = answer.headers_mut();
    headers.insert(RETRY_AFTER, RETRY_SECONDS);
    answer
}

/// A built-in page, for when the site has none to show.
struct PlainPage {
    title: &'static str,
    text: &'static str,
}

const NO_SUCH_PAGE: PlainPage = PlainPage {
    title: "There is no such page",
    text: "Check the address, or go to the <a href=\"/\">home page</a>.",
};
const UNAVAILABLE_PAGE: PlainPage = PlainPage {
    title: "This page is not available at the moment",
    text: "Try again in a few minutes, or go to the <a href=\"/\">home page</a>.",
};
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("60");

fn plain_page(PlainPage { title, text }: &PlainPage, visit: &Visit<'_>) -> Response<Bytes> {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"robots\" content=\"noindex\">\n<style>\n\
         :root {{ color-scheme: light dark; font: 1.125rem/1.6 system-ui, sans-serif; }}\n\
         body {{ max-width: 36rem; margin: 20vh auto 0; padding: 0 1.5rem; }}\nh1 {{ font-size: 1.5rem; line-height: 1.25; }}\n\
         a {{ color: inherit; }}\n</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p>{text}</p>\n</main>\n</body>\n</html>\n"
    );
    let length = html.len();
    let mut answer = Response::new(match *visit.method == Method::HEAD {
        true => Bytes::new(),
        false => Bytes::from(html),
    });
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, NO_SCRIPTS_ANYWHERE);
    answer
}

fn made_now(file: &ShownFile, text: String, visit: &Visit<'_>) -> Response<Bytes> {
    let length = text.len();
    let mut answer = Response::new(match *visit.method == Method::HEAD {
        true => Bytes::new(),
        false => Bytes::from(text),
    });
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, file.content_type.clone());
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    // The text depends on the host name of the request.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

fn moved(address: &str, visit: &Visit<'_>) -> Response<Bytes> {
    let mut place = encoded(address);
    if let Some(query) = visit.query {
        place.push('?');
        place.push_str(query);
    }
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, FRESH);
    if let Ok(place) = HeaderValue::from_str(&place) {
        headers.insert(LOCATION, place);
    }
    answer
}

/// The form that the visitor prefers among those available.
fn chosen<'f>(file: &'f ShownFile, headers: &HeaderMap) -> (FileForm, &'f ShownForm) {
    let wishes = Wishes::of(headers);
    let mut best: Option<(u16, FileForm, &ShownForm)> = None;
    for form in FileForm::ALL {
        let Some(content) = file.form(form) else {
            continue;
        };
        let options = wishes.options(form);
        if options > 0 && best.is_none_or(|(most, ..)| options > most) {
            best = Some((options, form, content));
        }
    }
    match best {
        Some((_, form, content)) => (form, content),
        // A visitor that accepts no encoding at all gets the plain form.
        None => (FileForm::Plain, file.plain()),
    }
}

/// The visitor's preference for each encoding, in thousandths.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Wishes {
    brotli: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
    any: Option<u16>,
}

impl Wishes {
    fn of(headers: &HeaderMap) -> Self {
        let mut wishes = Self::default();
        let values = headers.get_all(ACCEPT_ENCODING).iter();
        let items = values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','));
        for item in items {
            let (name, parameter) = item.split_once(';').unwrap_or((item, ""));
            let options = Some(quality(parameter));
            let name = name.trim();
            if name.eq_ignore_ascii_case("br") {
                wishes.brotli = options;
            } else if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
                wishes.gzip = options;
            } else if name.eq_ignore_ascii_case("identity") {
                wishes.identity = options;
            } else if name == "*" {
                wishes.any = options;
            }
        }
        wishes
    }

    fn options(self, form: FileForm) -> u16 {
        match form {
            FileForm::Brotli => self.brotli.or(self.any).unwrap_or(0),
            FileForm::Gzip => self.gzip.or(self.any).unwrap_or(0),
            // Acceptable unless it is excluded explicitly, and least preferred unless the header gives a value.
            FileForm::Plain => self
                .identity
                .or(self.any.filter(|any| *any == 0))
                .unwrap_or(1),
        }
    }
}

/// The value of a `q=` parameter in thousandths: 1000 when it is absent, 0 when it cannot be parsed.
fn quality(parameter: &str) -> u16 {
    let Some((name, number)) = parameter.trim().split_once('=') else {
        return 1000;
    };
    if !name.trim().eq_ignore_ascii_case("q") {
        return 1000;
    }
    let (whole, part) = number.trim().split_once('.').unwrap_or((number.trim(), ""));
    let thousandths = format!("{part:0<3}");
    match (whole, thousandths.get(..3).map(str::parse)) {
        ("1", _) => 1000,
        ("0", Some(Ok(part))) => part,
        _ => 0,
    }
}

/// Whether the visitor's `If-None-Match` already has these bytes.
fn is_known(tag: &HeaderValue, headers: &HeaderMap) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter();
    let mut tags = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim);
    tags.any(|known| {
        let known = known.strip_prefix("W/").unwrap_or(known);
        known == "*" || known.as_bytes() == tag.as_bytes()
    })
}

#[cfg(test)]
#[path = "visit_tests.rs"]
mod tests;
