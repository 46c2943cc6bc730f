//! Addresses in CSS, made to mean the same wherever the CSS stands, as an import into a site does with its files.

use sitewright_markup::css::replace_addresses;

/// The path that an address of a file at `path` leads to; nothing for one that leaves the template. Paths begin with a slash.
pub(super) fn resolve(path: &str, address: &str) -> Option<String> {
    let address = address.trim();
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let (file, rest) = address.split_at(end);
    let scheme = file
        .find(':')
        .is_some_and(|colon| !file[..colon].contains('/'));
    if file.is_empty() || scheme || file.starts_with("//") {
        return None;
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    if file.starts_with('/') {
        parts = vec![""];
    }
    for part in file.split('/').filter(|part| !part.is_empty()) {
        match part {
            "." => {}
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => {}
            part => parts.push(part),
        }
    }
    Some(format!("{}{rest}", parts.join("/")))
}

/// The CSS of a file at `path` with absolute addresses.
pub(super) fn absolute(css: &str, path: &str) -> String {
    replace_addresses(css, &mut |address| resolve(path, address))
}

#[test]
fn addresses_are_absolute_and_those_that_lead_away_stay() {
    let check = |css: &str, expected: &str| assert_eq!(absolute(css, "/css/deep/a.css"), expected);
    check("a{b:url(../x.png)}", "a{b:url(\"/css/x.png\")}");
    check("a{b:url( 'x.svg#y' )}", "a{b:url(\"/css/deep/x.svg#y\")}");
    check(
        "@import \"/z.css\" print;",
        "@import url(\"/z.css\") print;",
    );
    check(
        "@media a{b{c:image-set(url(d) 1x)}}",
        "@media a{b{c:image-set(url(\"/css/deep/d\") 1x)}}",
    );
    for css in [
        "a{b:url(data:x)}",
        "a{b:url(#c)}",
        "a{b:\"url(x)\"}",
        "@import url(//h/x);",
    ] {
        check(css, css);
    }
}
