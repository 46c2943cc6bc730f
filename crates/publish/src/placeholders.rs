//! Placeholder texts: elements that were added without a text are marked, and publishing reports them.

/// How many placeholders the sentence names.
const NAMED_MAX: usize = 4;

/// A sentence that names the placeholders of a page; `None` when there are none.
pub(crate) fn told(html: &str) -> Option<String> {
    let found: Vec<&str> = placeholders(html).collect();
    let named = found.iter().take(NAMED_MAX);
    let mut names: Vec<String> = named.map(|text| format!("“{text}”")).collect();
    if found.len() > NAMED_MAX {
        names.push(format!("{} more", found.len() - NAMED_MAX));
    }
    let last = names.pop()?;
    let list = match names.is_empty() {
        true => last,
        false => format!("{} and {last}", names.join(", ")),
    };
    Some(match found.len() {
        1 => format!("A text is still a placeholder: {list}."),
        count => format!("{count} texts are still placeholders: {list}."),
    })
}

/// The texts in square brackets at the beginning of elements that are marked with `data-placeholder`. A text that has been
/// replaced has no brackets any more.
fn placeholders(html: &str) -> impl Iterator<Item = &str> {
    let mut rest = html;
    std::iter::from_fn(move || {
        while let Some(start) = rest.find('<') {
            let tag = &rest[start..];
            let end = tag_end(tag);
            rest = &tag[end..];
            if is_marked(&tag[..end])
                && let Some(text) = first_text(rest)
                && text.starts_with('[')
                && text.ends_with(']')
            {
                return Some(text);
            }
        }
        None
    })
}

fn is_marked(tag: &str) -> bool {
    let mut names = tag.match_indices("data-placeholder");
    names.any(|(at, name)| {
        let behind = tag[at + name.len()..].chars().next();
        tag[..at].ends_with(char::is_whitespace)
            && behind.is_none_or(|sign| !sign.is_alphanumeric() && sign != '-')
    })
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

    #[test]
    fn marked_texts_in_brackets_are_told_and_replaced_ones_are_not() {
        let check = |html: &str, expected: Option<&str>| {
            assert_eq!(told(html).as_deref(), expected, "{html}");
        };
        let one = "<h1 data-placeholder=\"\">[your headline]</h1>";
        check(
            one,
            Some("A text is still a placeholder: “[your headline]”."),
        );
        check(
            &format!("{one}<figure title='a>b' data-placeholder><p> [picture 1] </p></figure>"),
            Some("2 texts are still placeholders: “[your headline]” and “[picture 1]”."),
        );
        check(
            &one.repeat(6),
            Some(
                "6 texts are still placeholders: “[your headline]”, “[your headline]”, “[your headline]”, “[your headline]” and 2 more.",
            ),
        );
        check("<h1 data-placeholder=\"\">Fresh bread</h1>", None);
        check("<h1 data-placeholder=\"\"></h1>[x]", None);
        check("<p>data-placeholder [x]</p>", None);
        check("<p data-placeholder-not=\"\">[x]</p>", None);
        check("<p>[x]</p><", None);
    }
}
