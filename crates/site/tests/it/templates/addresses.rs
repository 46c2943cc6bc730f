//! Addresses in CSS, made to mean the same wherever the CSS stands, as an import into a site does with its files.

use cssparser::{ParseError, Parser, Token};

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
    let mut found = Vec::new();
    let mut parser = Parser::new(css);
    walk(&mut parser, &mut found).ok();
    let mut out = String::with_capacity(css.len());
    let mut written = 0;
    for (start, end, address) in found {
        let Some(resolved) = resolve(path, &address) else {
            continue;
        };
        out.push_str(&css[written..start]);
        let quoted = resolved.replace('\\', "\\\\").replace('"', "\\\"");
        out.push_str(&format!("url(\"{quoted}\")"));
        written = end;
    }
    out.push_str(&css[written..]);
    out
}

/// Collects the addresses in `url()` and of imports, with where they stand.
fn walk(
    input: &mut Parser<'_>,
    found: &mut Vec<(usize, usize, String)>,
) -> Result<(), ParseError<()>> {
    let mut is_import = false;
    loop {
        input.skip_whitespace();
        let start = input.position().byte_index();
        let Ok(token) = input.next().cloned() else {
            return Ok(());
        };
        let imports = std::mem::take(&mut is_import);
        match token {
            Token::UnquotedUrl(address) => {
                found.push((start, input.position().byte_index(), address.to_string()));
            }
            Token::QuotedString(address) if imports => {
                found.push((start, input.position().byte_index(), address.to_string()));
            }
            Token::AtKeyword(name) => is_import = name.eq_ignore_ascii_case("import"),
            Token::Function(name) if name.eq_ignore_ascii_case("url") => {
                let address = input.parse_nested_block(|inner| {
                    let address = inner.expect_string()?.to_string();
                    Ok::<_, ParseError<()>>(address)
                });
                if let Ok(address) = address {
                    found.push((start, input.position().byte_index(), address));
                }
            }
            Token::Function(_)
            | Token::ParenthesisBlock
            | Token::CurlyBracketBlock
            | Token::SquareBracketBlock => {
                input.parse_nested_block(|inner| walk(inner, found))?;
            }
            _ => {}
        }
    }
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
