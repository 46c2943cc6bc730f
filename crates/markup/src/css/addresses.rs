//! The addresses that CSS loads files from, for an import that puts the CSS or the files in another place.

use cssparser::{ParseError, Parser, Token};

/// Blocks and functions in each other beyond this depth are left as they are: the walk is recursive, and hostile CSS could exhaust
/// the call stack.
const DEPTH_MAX: usize = 64;

/// CSS, or the declarations of a `style` attribute, with other addresses. `replace` gets each address of `url()` and `@import`; those
/// for which it returns none stay as written.
pub fn replace_addresses(css: &str, replace: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let mut found = Vec::new();
    // What cannot be read ends the walk, and the rest has no address that a browser would load.
    walk(&mut Parser::new(css), 0, &mut found).ok();
    let mut out = String::with_capacity(css.len());
    let mut written = 0;
    for WrittenAddress {
        start,
        end,
        address,
    } in found
    {
        let Some(replacement) = replace(&address) else {
            continue;
        };
        out.push_str(&css[written..start]);
        out.push_str(&url_function(&replacement));
        written = end;
    }
    out.push_str(&css[written..]);
    out
}

/// An address and the bytes of the CSS that it takes up, with its function or quotes.
struct WrittenAddress {
    start: usize,
    end: usize,
    address: String,
}

fn walk(
    input: &mut Parser<'_>,
    depth: usize,
    found: &mut Vec<WrittenAddress>,
) -> Result<(), ParseError<()>> {
    let mut is_import = false;
    loop {
        input.skip_whitespace();
        let start = input.position().byte_index();
        let Ok(token) = input.next().cloned() else {
            return Ok(());
        };
        let was_import = std::mem::take(&mut is_import);
        let address = match token {
            Token::UnquotedUrl(address) => Some(address.to_string()),
            Token::QuotedString(address) if was_import => Some(address.to_string()),
            Token::AtKeyword(name) => {
                is_import = name.eq_ignore_ascii_case("import");
                None
            }
            Token::Function(name) if name.eq_ignore_ascii_case("url") => {
                let quoted = input.parse_nested_block(|inner| {
                    Ok::<_, ParseError<()>>(inner.expect_string()?.to_string())
                });
                quoted.ok()
            }
            Token::Function(_)
            | Token::ParenthesisBlock
            | Token::CurlyBracketBlock
            | Token::SquareBracketBlock => {
                // A block that is not entered is skipped by the parser.
                if depth < DEPTH_MAX {
                    input.parse_nested_block(|inner| walk(inner, depth + 1, found))?;
                }
                None
            }
            _ => None,
        };
        found.extend(address.map(|address| WrittenAddress {
            start,
            end: input.position().byte_index(),
            address,
        }));
    }
}

fn url_function(address: &str) -> String {
    let mut out = String::from("url(\"");
    for sign in address.chars() {
        match sign {
            '"' | '\\' => out.extend(['\\', sign]),
            // A line break ends a string of CSS.
            sign if sign.is_control() => {}
            sign => out.push(sign),
        }
    }
    out.push_str("\")");
    out
}

#[cfg(test)]
mod tests {
    use super::{DEPTH_MAX, replace_addresses};

    fn check(css: &str, expected: &str) {
        let mut replace = |address: &str| Some(format!("/new/{}", address.strip_prefix("old/")?));
        assert_eq!(replace_addresses(css, &mut replace), expected);
    }

    #[test]
    fn addresses_are_replaced_and_everything_else_stays() {
        check("a{b:url(old/x.png)}", "a{b:url(\"/new/x.png\")}");
        check(
            "background: URL( 'old/x.svg#y' ) 0 0; color: red",
            "background: url(\"/new/x.svg#y\") 0 0; color: red",
        );
        check(
            "@import \"old/z.css\" print;",
            "@import url(\"/new/z.css\") print;",
        );
        check(
            "@media a{b{c:image-set(url(old/d) 1x)}}",
            "@media a{b{c:image-set(url(\"/new/d\") 1x)}}",
        );
        check("a{b:url(old/x\\\"y)}", "a{b:url(\"/new/x\\\"y\")}");
        for css in [
            "a{b:url(other.png)}",
            "a{b:url()}",
            "a{b:\"url(old/x)\"} /* url(old/x) */",
            "a{b:url(old/x y)}",
        ] {
            check(css, css);
        }
    }

    #[test]
    fn hostile_nesting_ends() {
        let css = "(".repeat(100_000);
        check(&css, &css);
        let deep = format!("{}url(old/x)", "{".repeat(DEPTH_MAX + 1));
        check(&deep, &deep);
    }
}
