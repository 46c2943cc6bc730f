//! What was added and not finished: texts and pictures that are marked as placeholders, links that lead nowhere, and forms that send
//! nothing. Publishing reports them.

/// How many texts a sentence names.
const NAMED_MAX: usize = 4;

/// Sentences about what is not finished on a page.
pub(crate) fn told(html: &str) -> Vec<String> {
    let found = LooseEnds::on(html);
    let pictures = match found.pictures {
        0 => None,
        1 => Some("A picture is still a placeholder.".to_owned()),
        count => Some(format!("{count} pictures are still placeholders.")),
    };
    let forms = match found.forms {
        0 => None,
        1 => Some("A form has no address to send to, so it does not work.".to_owned()),
        count => Some(format!(
            "{count} forms have no address to send to, so they do not work."
        )),
    };
    let links = quoted(&found.links).map(|list| match found.links.len() {
        1 => format!("A link leads nowhere: {list}."),
        count => format!("{count} links lead nowhere: {list}."),
    });
    [texts_told(&found.texts), pictures, links, forms]
        .into_iter()
        .flatten()
        .collect()
}

fn texts_told(found: &[&str]) -> Option<String> {
    let list = quoted(found)?;
    Some(match found.len() {
        1 => format!("A text is still a placeholder: {list}."),
        count => format!("{count} texts are still placeholders: {list}."),
    })
}

/// The first of several texts in quotes, and how many more there are; `None` for none.
fn quoted(found: &[&str]) -> Option<String> {
    let named = found.iter().take(NAMED_MAX);
    let mut names: Vec<String> = named.map(|text| format!("“{text}”")).collect();
    if found.len() > NAMED_MAX {
        names.push(format!("{} more", found.len() - NAMED_MAX));
    }
    let last = names.pop()?;
    Some(match names.is_empty() {
        true => last,
        false => format!("{} and {last}", names.join(", ")),
    })
}

/// What a page has that is not finished.
#[derive(Default)]
struct LooseEnds<'h> {
    texts: Vec<&'h str>,
    pictures: usize,
    links: Vec<&'h str>,
    forms: usize,
}

impl<'h> LooseEnds<'h> {
    fn on(html: &'h str) -> Self {
        let mut found = Self::default();
        let mut rest = html;
        while let Some(start) = rest.find('<') {
            let tag = &rest[start..];
            let end = tag_end(tag);
            rest = &tag[end..];
            found.read(&tag[..end], rest);
        }
        found
    }

    fn read(&mut self, tag: &'h str, behind: &'h str) {
        if is_tag(tag, "form") && is_dead_form(tag) {
            self.forms += 1;
        }
        if is_tag(tag, "a") && attr(tag, "href").is_some_and(leads_nowhere) {
            self.links.push(first_text(behind).unwrap_or("a link"));
        }
        let Some(sample) = attr(tag, "data-placeholder") else {
            return;
        };
        if is_tag(tag, "img") {
            let source = attr(tag, "src").unwrap_or_default();
            self.pictures += usize::from(source.starts_with("data:image/svg+xml,"));
        } else if let Some(text) = first_text(behind)
            && is_unchanged(text, sample)
        {
            self.texts.push(text);
        }
    }
}

/// Whether a marked text has not been replaced: it is the sample that the mark holds, or stands in square brackets.
fn is_unchanged(text: &str, sample: &str) -> bool {
    let in_brackets = text.starts_with('[') && text.ends_with(']');
    in_brackets || !sample.is_empty() && text == sample.replace("&quot;", "\"")
}

/// Whether an address is one that a section has until somebody gives it a target: `#`, or a number or mailbox that is none.
fn leads_nowhere(address: &str) -> bool {
    let has_digit = |number: &str| number.contains(|sign: char| sign.is_ascii_digit());
    let is_no_number = address
        .strip_prefix("tel:")
        .is_some_and(|number| !has_digit(number));
    let is_no_mailbox = address
        .strip_prefix("mailto:")
        .is_some_and(|mailbox| !mailbox.contains('@'));
    address == "#" || is_no_number || is_no_mailbox
}

/// A form that posts to the page it is on; pages are files, and nothing receives what is sent there.
fn is_dead_form(tag: &str) -> bool {
    let is_post = attr(tag, "method").is_some_and(|method| method.eq_ignore_ascii_case("post"));
    is_post && matches!(attr(tag, "action"), None | Some("" | "#"))
}

fn is_tag(tag: &str, name: &str) -> bool {
    let rest = tag.strip_prefix('<').and_then(|tag| tag.strip_prefix(name));
    rest.is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '-'))
}

/// The value of an attribute as it is written; empty when it has none.
fn attr<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut found = tag.match_indices(name);
    found.find_map(|(at, name)| {
        let behind = &tag[at + name.len()..];
        let is_name = tag[..at].ends_with(char::is_whitespace)
            && !behind.starts_with(|sign: char| sign.is_alphanumeric() || sign == '-');
        is_name.then(|| value(behind).unwrap_or_default())
    })
}

/// The quoted value behind the name of an attribute.
fn value(behind: &str) -> Option<&str> {
    let written = behind.strip_prefix('=')?;
    let quote = written
        .chars()
        .next()
        .filter(|sign| "\"'".contains(*sign))?;
    written[1..].split(quote).next()
}

/// Where a tag ends: after the first `>` outside quotes.
fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    for (at, sign) in tag.char_indices() {
        match (quote, sign) {
            (None, '>') => return at + 1,
            (None, '"' | '\'') => quote = Some(sign),
            (Some(open), sign) if open == sign => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// The first text after a tag, including text in elements nested there.
fn first_text(mut rest: &str) -> Option<&str> {
    loop {
        rest = rest.trim_start();
        if rest.starts_with("</") || rest.is_empty() {
            return None;
        }
        if !rest.starts_with('<') {
            let end = rest.find('<').unwrap_or(rest.len());
            return Some(rest[..end].trim_end());
        }
        rest = &rest[tag_end(rest)..];
    }
}

#[cfg(test)]
mod tests {
    use super::told;

    fn check(html: &str, expected: &[&str]) {
        assert_eq!(told(html), expected, "{html}");
    }

    #[test]
    fn marked_texts_are_told_until_they_are_replaced() {
        let one = "<h1 data-placeholder=\"\">[your headline]</h1>";
        check(one, &["A text is still a placeholder: “[your headline]”."]);
        check(
            &format!("{one}<figure title='a>b' data-placeholder><p> [picture 1] </p></figure>"),
            &["2 texts are still placeholders: “[your headline]” and “[picture 1]”."],
        );
        check(
            &one.repeat(6),
            &[
                "6 texts are still placeholders: “[your headline]”, “[your headline]”, “[your headline]”, “[your headline]” and 2 more.",
            ],
        );
        check("<h1 data-placeholder=\"\">Fresh bread</h1>", &[]);
        check("<h1 data-placeholder=\"\"></h1>[x]", &[]);
        check("<p>data-placeholder [x]</p>", &[]);
        check("<p data-placeholder-not=\"\">[x]</p>", &[]);
        check("<p>[x]</p><", &[]);
        let sample = "<h2 class=\"a\" data-placeholder=\"A &quot;good&quot; line\">";
        check(
            &format!("{sample}A \"good\" line</h2>"),
            &["A text is still a placeholder: “A \"good\" line”."],
        );
        check(&format!("{sample}Fresh bread</h2>"), &[]);
    }

    #[test]
    fn sample_pictures_are_told_until_they_are_replaced() {
        let picture = "<img src=\"data:image/svg+xml,%3Csvg\" alt=\"\" data-placeholder=\"\">";
        check(picture, &["A picture is still a placeholder."]);
        check(&picture.repeat(2), &["2 pictures are still placeholders."]);
        check(
            "<img src=\"/uploads/a.png\" alt=\"\" data-placeholder=\"\">",
            &[],
        );
        check("<img src=\"data:image/svg+xml,%3Csvg\" alt=\"\">", &[]);
    }

    #[test]
    fn links_that_lead_nowhere_are_told() {
        check(
            "<a class=\"button\" href=\"#\">Get started</a>",
            &["A link leads nowhere: “Get started”."],
        );
        check(
            "<a href=\"tel:Your number\">Call</a><a href=\"mailto:Your address\">Write</a>",
            &["2 links lead nowhere: “Call” and “Write”."],
        );
        check(
            "<a href=\"#top\">x</a><a href=\"tel:+44 113\">x</a><a href=\"mailto:a@b.example\">x</a>",
            &[],
        );
    }

    #[test]
    fn forms_that_send_nothing_are_told() {
        let dead = ["A form has no address to send to, so it does not work."];
        check("<form method=\"post\"></form>", &dead);
        check(
            "<form class=\"card\" method=\"POST\" action=\"\"></form>",
            &dead,
        );
        check(
            "<form method=\"post\" action=\"https://forms.example/a\"></form>",
            &[],
        );
        check("<form role=\"search\"></form>", &[]);
    }
}
