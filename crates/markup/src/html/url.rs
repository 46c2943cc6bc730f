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
    refused_scheme(&refresh_target(content), Inline::Nothing)
}

/// Whether a `<meta http-equiv="refresh">` leads to another site. One that would run code is refused for that.
pub(super) fn refresh_leads_elsewhere(content: &str) -> bool {
    let target = refresh_target(content);
    refused_scheme(&target, Inline::Nothing).is_none() && leads_elsewhere(&target)
}

/// Whether an address has a scheme or names a host.
pub(super) fn leads_elsewhere(address: &str) -> bool {
    let address: String = letters(address).collect::<String>().replace('\\', "/");
    let path = address
        .find(['/', '?', '#'])
        .map_or(&*address, |at| &address[..at]);
    address.starts_with("//") || path.contains(':')
}

/// The target of a refresh in lower case, without the white space and quotes that browsers skip in any place. A target that
/// follows the delay without a separator is one here and none in browsers.
fn refresh_target(content: &str) -> String {
    let letters: String = letters(content)
        .filter(|letter| !matches!(letter, '"' | '\''))
        .collect();
    let after_delay = letters
        .trim_start_matches(|letter: char| letter.is_ascii_digit() || ".;,+-".contains(letter));
    let target = after_delay
        .strip_prefix("url")
        .and_then(|rest| rest.strip_prefix('='));
    target.unwrap_or(after_delay).to_owned()
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
    fn a_refresh_stays_on_the_site() {
        for (content, expected) in [
            ("5", false),
            ("0; url=/next", false),
            ("0; url=next.html?a=b:c", false),
            ("0;URL='https://a/'", true),
            ("0;https://a/", true),
            ("0 url=https://a/", true),
            ("0,url = //a/b", true),
            ("0;url=/\\a", true),
            ("0;url=\\\\a", true),
            ("0;url=/\n/a", true),
            ("0;url=mailto:a@b.c", true),
            ("0;url=?to=https://a", false),
        ] {
            assert_eq!(refresh_leads_elsewhere(content), expected, "{content}");
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
