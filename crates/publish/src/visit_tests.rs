use std::collections::HashMap;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use sitewright_store::{
    Actor, BlobId, Release, ReleaseId, ReleaseRoute, ReleaseRoutes, RouteKind, Timestamp,
};

use super::{Host, Visit, quality};
use crate::ShownRelease;
use crate::compress::pack;
use crate::stored::StoredFile;

const LONG: &str = "<p>Long enough to be worth a compressed form.</p>\n";

/// A site with a page in each state that matters.
fn shown() -> ShownRelease {
    let long = LONG.repeat(40);
    let sitemap = format!(
        "<urlset><url><loc>/</loc></url></urlset>{}",
        " ".repeat(300)
    );
    let files: [(&str, &str, RouteKind); 9] = [
        ("/", &long, RouteKind::Page),
        ("/über-uns", &long, RouteKind::Page),
        ("/short", "<p>short</p>", RouteKind::Page),
        ("/code", "<script>x()</script>", RouteKind::Page),
        ("/older", "<script>y()</script>", RouteKind::Page),
        ("/lost", "<p>lost</p>", RouteKind::Page),
        ("/404.html", "<h1>Nothing here</h1>", RouteKind::NotFound),
        ("/robots.txt", "User-agent: *\n", RouteKind::Made),
        ("/sitemap.xml", &sitemap, RouteKind::Made),
    ];
    let mut stored = HashMap::new();
    let mut routes = ReleaseRoutes::new();
    for (address, content, kind) in files {
        let bytes = Bytes::copy_from_slice(content.as_bytes());
        let file = BlobId::of(&bytes);
        stored.insert(file.clone(), StoredFile::intact(pack(bytes)));
        let route = ReleaseRoute {
            file,
            content_type: "text/html; charset=utf-8".to_owned(),
            page: None,
            title: String::new(),
            seq: 1,
            kind,
            is_listed: true,
            has_scripts: content.contains("<script"),
            script_policy: (address == "/code").then(|| LISTED.to_owned()),
            entries: None,
        };
        routes.insert(address.to_owned(), route);
    }
    let release = Release {
        id: ReleaseId::new(),
        number: 1,
        seq: 1,
        actor: Actor::Local,
        note: String::new(),
        at: Timestamp::from_millis(0),
        pages: 4,
    };
    let lost = stored.get_mut(&routes["/lost"].file).unwrap();
    lost.packed = None;
    ShownRelease::new(release, routes, &stored)
}

fn visit(
    method: &Method,
    path: &str,
    headers: &[(HeaderName, &str)],
    host: Host,
) -> Response<Bytes> {
    let headers: HeaderMap = headers
        .iter()
        .map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()))
        .collect();
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path, None),
    };
    shown().answer(&Visit {
        method,
        path,
        query,
        headers: &headers,
        host,
        base: &|| "http://here.example:8080".to_owned(),
    })
}

fn get(path: &str, headers: &[(HeaderName, &str)]) -> Response<Bytes> {
    visit(&Method::GET, path, headers, Host::Own)
}

fn header<'a>(answer: &'a Response<Bytes>, name: &str) -> Option<&'a str> {
    answer
        .headers()
        .get(name)
        .map(|value| value.to_str().unwrap())
}

#[test]
fn a_site_without_a_favicon_gives_browsers_nothing_to_complain_about() {
    let answer = get("/favicon.ico", &[]);
    assert_eq!(
        (answer.status(), answer.body().len()),
        (StatusCode::NO_CONTENT, 0)
    );
}

#[test]
fn the_best_form_that_a_visitor_takes_is_sent() {
    for (options, expected) in [
        ("gzip, deflate, br, zstd", Some("br")),
        ("BR", Some("br")),
        ("gzip", Some("gzip")),
        ("x-gzip", Some("gzip")),
        ("br;q=0.5, gzip;q=0.8", Some("gzip")),
        ("br;q=0, gzip", Some("gzip")),
        ("br;q=0, gzip;q=0", None),
        ("br;q=0.000, *", Some("gzip")),
        ("*", Some("br")),
        ("*;q=0", None),
        ("gzip;q=0.5, identity", None),
        ("gzip;q=0.5, identity;q=0.2", Some("gzip")),
        ("identity;q=0, gzip;q=0.001", Some("gzip")),
        ("deflate, zstd", None),
        ("br;q=nonsense", None),
        ("", None),
    ] {
        let answer = get("/", &[(ACCEPT_ENCODING, options)]);
        assert_eq!(header(&answer, "content-encoding"), expected, "{options}");
        assert_eq!(
            header(&answer, "vary"),
            Some("accept-encoding"),
            "{options}"
        );
        let length = answer.body().len().to_string();
        assert_eq!(
            header(&answer, "content-length"),
            Some(&*length),
            "{options}"
        );
    }
    assert_eq!(get("/", &[]).body(), &LONG.repeat(40));
    let short = get("/short", &[(ACCEPT_ENCODING, "br, gzip")]);
    assert_eq!(
        header(&short, "content-encoding"),
        None,
        "there is no other form"
    );
}

#[test]
fn a_wish_is_read_to_the_thousandth() {
    for (parameter, expected) in [
        ("", 1000),
        ("q=1", 1000),
        ("q=1.000", 1000),
        (" Q = 0.25 ", 250),
        ("q=0.1", 100),
        ("q=0.12345", 123),
        ("q=.5", 0),
        ("q=2", 0),
        ("q=0.ä", 0),
        ("level=3", 1000),
    ] {
        assert_eq!(quality(parameter), expected, "{parameter}");
    }
}

#[test]
fn whoever_has_the_bytes_gets_a_short_yes() {
    let forms = ["br", "gzip", "identity"];
    let tags = forms.map(|form| {
        let answer = get("/", &[(ACCEPT_ENCODING, form)]);
        header(&answer, "etag").unwrap().to_owned()
    });
    assert!(tags[0] != tags[1] && tags[1] != tags[2], "{tags:?}");
    for (form, tag) in forms.iter().zip(&tags) {
        for known in [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"other\", {tag}"),
            "*".to_owned(),
        ] {
            let answer = get("/", &[(ACCEPT_ENCODING, form), (IF_NONE_MATCH, &known)]);
            assert_eq!(answer.status(), 304, "{known}");
            assert_eq!(header(&answer, "etag"), Some(&**tag));
            assert!(answer.body().is_empty() && header(&answer, "content-length").is_none());
        }
    }
    let other = get("/", &[(ACCEPT_ENCODING, "gzip"), (IF_NONE_MATCH, &tags[0])]);
    assert_eq!(other.status(), 200, "another form is other bytes");
}

#[test]
fn a_head_is_the_answer_without_its_body() {
    for path in ["/", "/nowhere", "/sitemap.xml", "/lost"] {
        let (full, head) = (
            visit(&Method::GET, path, &[], Host::Shared),
            visit(&Method::HEAD, path, &[], Host::Shared),
        );
        assert_eq!(
            (full.status(), full.headers()),
            (head.status(), head.headers())
        );
        assert!(head.body().is_empty() && !full.body().is_empty());
    }
    let refused = visit(&Method::POST, "/", &[], Host::Own);
    assert_eq!(refused.status(), 405);
    assert_eq!(header(&refused, "allow"), Some("GET, HEAD"));
}

#[test]
fn an_address_has_one_spelling() {
    for (path, status, place) in [
        ("/%C3%BCber-uns", 200, None),
        ("/%c3%bcber-uns", 200, None),
        ("/%C3%BCber-uns/", 308, Some("/%C3%BCber-uns")),
        ("/short/?a=1&b=%2F", 308, Some("/short?a=1&b=%2F")),
        ("/lost", 503, None),
        ("/lost/", 308, Some("/lost")),
        ("/short//", 404, None),
        ("//short", 404, None),
        ("//evil.example/", 404, None),
        ("/short/..", 404, None),
        ("/../short", 404, None),
        ("/%2e%2e/%2e%2e/etc/passwd", 404, None),
        ("/..%2f..%2fsecret.key", 404, None),
        ("/short%00", 404, None),
        ("/%ff", 404, None),
        ("/SHORT", 404, None),
        ("/404.html", 404, None),
        ("", 404, None),
    ] {
        let answer = get(path, &[]);
        assert_eq!(answer.status(), status, "{path}");
        assert_eq!(header(&answer, "location"), place, "{path}");
    }
    let nothing = get("/nowhere", &[(IF_NONE_MATCH, "*")]);
    assert_eq!(nothing.body(), "<h1>Nothing here</h1>");
    assert_eq!(header(&nothing, "etag"), None);
}

#[test]
fn code_of_pages_is_kept_from_an_administration_on_the_same_host() {
    let policy = |path: &str, host: Host| {
        let answer = visit(&Method::GET, path, &[], host);
        header(&answer, "content-security-policy").map(str::to_owned)
    };
    let quiet = "script-src 'none'; object-src 'none'; base-uri 'self'";
    let closed = "form-action 'self'; frame-src 'self'; frame-ancestors 'self'";
    let sandbox = "sandbox allow-scripts allow-forms allow-popups";
    let code = policy("/code", Host::Shared);
    assert_eq!(code, Some(format!("{sandbox}; {LISTED}; {closed}")));
    for path in ["/", "/nowhere"] {
        assert_eq!(
            policy(path, Host::Shared),
            Some(format!("{quiet}; {closed}"))
        );
        assert_eq!(policy(path, Host::Own).as_deref(), Some(quiet));
    }
    // H3: a host of its own has a policy, too.
    assert_eq!(policy("/code", Host::Own).as_deref(), Some(LISTED));
    let older = "object-src 'none'; base-uri 'self'";
    assert_eq!(policy("/older", Host::Own).as_deref(), Some(older));
    assert_eq!(policy("/robots.txt", Host::Shared), None);
}

/// The policy of a page with a script.
const LISTED: &str =
    "script-src 'self' https: 'unsafe-eval' 'sha256-x'; object-src 'none'; base-uri 'self'";

/// L4: a page that a browser cached under another policy gets the one that holds.
#[test]
fn l4_an_unchanged_page_is_answered_with_its_policy() {
    for (path, host) in [
        ("/", Host::Shared),
        ("/code", Host::Shared),
        ("/", Host::Own),
    ] {
        let whole = visit(&Method::GET, path, &[], host);
        let tag = header(&whole, "etag").unwrap_or_default();
        let again = visit(&Method::GET, path, &[(IF_NONE_MATCH, tag)], host);
        assert_eq!(again.status(), 304);
        let policy = header(&again, "content-security-policy");
        assert!(policy.is_some(), "{path}");
        assert_eq!(policy, header(&whole, "content-security-policy"));
    }
}

#[test]
fn a_list_for_search_engines_names_the_host_that_is_asked() {
    let answer = get("/sitemap.xml", &[(ACCEPT_ENCODING, "br")]);
    let text = std::str::from_utf8(answer.body()).unwrap();
    assert!(
        text.contains("<loc>http://here.example:8080/</loc>"),
        "{text}"
    );
    assert_eq!(header(&answer, "cache-control"), Some("no-store"));
    assert_eq!(header(&answer, "etag"), None);
}

#[test]
fn an_address_whose_file_is_lost_asks_to_come_back() {
    let known = [(IF_NONE_MATCH, "*"), (ACCEPT_ENCODING, "br")];
    let answer = visit(&Method::GET, "/lost", &known, Host::Shared);
    assert_eq!(answer.status(), 503);
    assert_eq!(header(&answer, "retry-after"), Some("60"));
    assert_eq!(header(&answer, "cache-control"), Some("no-store"));
    assert_eq!(header(&answer, "etag"), None);
    let text = std::str::from_utf8(answer.body()).unwrap();
    assert!(
        text.contains("<h1>This page is not available at the moment</h1>"),
        "{text}"
    );
}
