//! Detects addresses that can run code.

/// Schemes that run code, or that show content we cannot inspect.
const REFUSED: [&str; 10] = [
    "javascript",
    "vbscript",
    "livescript",
    "mocha",
    "data",
    "blob",
    "filesystem",
    "view-source",
    "jar",
    "mhtml",
];

/// What an address may contain inline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inline {
    /// Nothing: the content would be loaded as a document, or its use is unknown.
    Nothing,
    /// Images, audio and video, where the element only displays or plays them.
    Media,
}

/// The scheme that makes an address refused, if any.
pub(super) fn refused_scheme(url: &str, inline: Inline) -> Option<&'static str> {
    let scheme = scheme(url)?;
    let refused = REFUSED.into_iter().find(|refused| *refused == scheme)?;
    let is_media = refused == "data" && inline == Inline::Media && is_media(url);
    (!is_media).then_some(refused)
}

/// The first refused scheme among the addresses of a `srcset`.
pub(super) fn refused_in_srcset(srcset: &str) -> Option<&'static str> {
    srcset
        .split(|sign: char| sign == ',' || sign.is_ascii_whitespace())
        .find_map(|word| refused_scheme(word, Inline::Media))
}

/// The refused scheme in the target of a `<meta http-equiv="refresh">`, if any.
pub(super) fn refused_in_refresh(content: &str) -> Option<&'static str> {
    let after_delay = content
        .find([';', ','])
        .map_or(content, |at| &content[at + 1..]);
    let address = letters(after_delay)
        .collect::<String>()
        .replace(['"', '\''], "");
    let address = address.strip_prefix("url").unwrap_or(&address);
    refused_scheme(address.trim_start_matches('='), Inline::Nothing)
}

/// The scheme in lower case. More lenient than any browser: white space and control characters are skipped anywhere.
fn scheme(url: &str) -> Option<String> {
    let mut scheme = String::new();
    for letter in letters(url) {
        match letter {
            ':' => return Some(scheme),
            'a'..='z' | '0'..='9' | '+' | '-' | '.' => scheme.push(letter),
            _ => return None,
        }
        // No refused scheme is longer.
        if scheme.len() > 16 {
            return None;
        }
    }
    None
}

fn letters(url: &str) -> impl Iterator<Item = char> + '_ {
    url.chars()
        .filter(|letter| !is_skipped(*letter))
        .map(|letter| letter.to_ascii_lowercase())
}

fn is_skipped(letter: char) -> bool {
    letter.is_whitespace()
        || letter.is_control()
        || matches!(
            letter,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        )
}

fn is_media(url: &str) -> bool {
    let start: String = letters(url).take(12).collect();
    ["data:image/", "data:audio/", "data:video/"]
        .iter()
        .any(|media| start.starts_with(media))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: Option<&str>) {
        assert_eq!(refused_scheme(url, Inline::Nothing), expected, "{url:?}");
    }

    #[test]
    fn schemes_that_run_code_are_found_however_they_are_spelled() {
        for url in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "  javascript:x",
            "java\tscript:x",
            "java\r\nscript:x",
            "\u{1}\u{1f}javascript:x",
            "java\0script:x",
            "javascript\n:x",
            "\u{a0}javascript:x",
            "java\u{200b}script:x",
            "\u{feff}javascript:x",
            "javascript://%0aalert(1)",
        ] {
            check(url, Some("javascript"));
        }
        check("vbscript:x", Some("vbscript"));
        check("data:text/html,<script>", Some("data"));
        check("blob:https://a/b", Some("blob"));
        check("view-source:javascript:x", Some("view-source"));
    }

    #[test]
    fn addresses_that_go_somewhere_are_kept() {
        for url in [
            "",
            "#javascript:x",
            "/javascript:x",
            "?a=javascript:",
            "javascript",
            "https://a/javascript:x",
            "//a/b:c",
            "mailto:a@b.c",
            "tel:+1",
            "sms:1",
            "whatsapp://send",
            "{currentEntry.permalink}",
            "data/file.html",
            "java/script:x",
        ] {
            check(url, None);
        }
    }

    #[test]
    fn pictures_may_be_carried_where_they_are_only_shown() {
        for (url, expected) in [
            ("data:image/png;base64,AA", None),
            ("DATA:IMAGE/svg+xml,<svg/>", None),
            ("data:video/mp4;base64,AA", None),
            ("data:text/html,x", Some("data")),
            ("data:,x", Some("data")),
            ("javascript:x", Some("javascript")),
        ] {
            assert_eq!(refused_scheme(url, Inline::Media), expected, "{url}");
        }
    }

    #[test]
    fn every_candidate_of_a_srcset_is_judged() {
        for (srcset, expected) in [
            ("a.png 1x, b.png 2x", None),
            ("data:image/png;base64,AA== 1x, b.png 2x", None),
            ("a.png 1x, javascript:x 2x", Some("javascript")),
            ("a.png,javascript:x", Some("javascript")),
            (",javascript:x", Some("javascript")),
            ("a 1x,data:text/html,x 2x", Some("data")),
        ] {
            assert_eq!(refused_in_srcset(srcset), expected, "{srcset}");
        }
    }

    #[test]
    fn the_address_of_a_refresh_is_judged() {
        for (content, expected) in [
            ("5", None),
            ("0; url=/next", None),
            ("0;URL='https://a/'", None),
            ("0;url=javascript:x", Some("javascript")),
            ("0, url = \"java\nscript:x\"", Some("javascript")),
            ("0; data:text/html,x", Some("data")),
        ] {
            assert_eq!(refused_in_refresh(content), expected, "{content}");
        }
    }
}
