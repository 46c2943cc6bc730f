//! The code in rendered pages: whether someone was allowed to write it, and the policy that lets browsers run nothing else.
//!
//! This is the second line of defence. The first is that no op and no binding brings code into a document; here the finished bytes
//! are read once more, as a browser does, and publishing refuses a page whose code is not the site's own.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use sitewright_markup::html::{FoundCode, PageScan, rendered_page_limits, scan_page};

/// How many kinds of unauthorised code a sentence names.
const NAMED_MAX: usize = 3;
/// How many inline scripts a policy lists. Each takes 53 bytes of a header, and servers in between limit headers to a few kilobytes.
const HASHES_MAX: usize = 48;
/// The policy of a page without code.
pub(crate) const NO_SCRIPTS: &str = "script-src 'none'; object-src 'none'; base-uri 'self'";
/// The policy of a page with scripts that an older version published: which ones is not known.
pub(crate) const UNKNOWN_SCRIPTS: &str = "object-src 'none'; base-uri 'self'";

/// What reading a rendered page found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageCode {
    /// Whether anything in it runs for visitors.
    pub(crate) has_scripts: bool,
    /// The part of the content security policy that says which scripts may run.
    pub(crate) policy: String,
    /// A sentence about code that nobody with permission put there; publishing refuses the page.
    pub(crate) refusal: Option<String>,
    /// The addresses on other sites of frames, and of what forms are sent to.
    pub(crate) frames_elsewhere: Vec<String>,
    pub(crate) forms_elsewhere: Vec<String>,
}

impl PageCode {
    /// Reads a page. `authorised` is a page with the site's own code and nothing else.
    pub(crate) fn of(html: &str, authorised: &str) -> Self {
        let limits = rendered_page_limits();
        let scans = scan_page(html, &limits).and_then(|scan| {
            let own = match authorised.is_empty() {
                true => PageScan::default(),
                false => scan_page(authorised, &limits)?,
            };
            Ok((scan, own))
        });
        let (scan, own) = match scans {
            Ok(scans) => scans,
            Err(error) => return Self::unreadable(&error.to_string()),
        };
        let own: BTreeSet<&FoundCode> = own.code.iter().collect();
        let foreign: Vec<&FoundCode> = scan
            .code
            .iter()
            .filter(|code| !own.contains(code))
            .collect();
        let refusal = refusal(&foreign);
        Self {
            has_scripts: !scan.code.is_empty(),
            // A page that is refused can still be previewed, and runs nothing there.
            policy: match refusal {
                None => script_policy(&scan.code),
                Some(_) => NO_SCRIPTS.to_owned(),
            },
            refusal,
            frames_elsewhere: scan.frames_elsewhere,
            forms_elsewhere: scan.forms_elsewhere,
        }
    }

    fn unreadable(why: &str) -> Self {
        Self {
            has_scripts: true,
            policy: NO_SCRIPTS.to_owned(),
            refusal: Some(format!(
                "It cannot be checked for code that runs for visitors: {why}."
            )),
            frames_elsewhere: Vec::new(),
            forms_elsewhere: Vec::new(),
        }
    }
}

fn refusal(foreign: &[&FoundCode]) -> Option<String> {
    let kinds: BTreeSet<String> = foreign.iter().map(ToString::to_string).collect();
    let mut named: Vec<String> = kinds.iter().take(NAMED_MAX).cloned().collect();
    if kinds.len() > NAMED_MAX {
        named.push(format!("{} more", kinds.len() - NAMED_MAX));
    }
    let last = named.pop()?;
    let list = match named.is_empty() {
        true => last,
        false => format!("{} and {last}", named.join(", ")),
    };
    Some(format!(
        "It would run code that was not added as code: {list}. Remove it, or add it as a script or custom code."
    ))
}

/// Lets the scripts of a page run, the inline ones by their hashes, and others only from files that they or the site load. Custom
/// code with handlers in attributes cannot be listed that way, so such a page may run any inline code.
fn script_policy(code: &[FoundCode]) -> String {
    if code.is_empty() {
        return NO_SCRIPTS.to_owned();
    }
    let mut inline = BTreeSet::new();
    let (mut any_inline, mut others) = (false, Vec::new());
    for found in code {
        match found {
            FoundCode::InlineScript { text } => drop(inline.insert(hash(text))),
            FoundCode::LinkedScript { address } if address.starts_with("http:") => {
                others.push("http:");
            }
            FoundCode::LinkedScript { .. } => {}
            FoundCode::Attribute { .. } => any_inline = true,
            FoundCode::Element { .. } => {}
        }
    }
    others.dedup();
    // A hash in the list would make browsers ignore the permission for any inline code.
    let inline: Vec<String> = match any_inline || inline.len() > HASHES_MAX {
        true => vec!["'unsafe-inline'".to_owned()],
        false => inline.into_iter().collect(),
    };
    let has = |tag: &str| {
        code.iter()
            .any(|found| matches!(found, FoundCode::Element { tag: own } if own == tag))
    };
    let mut policy = "script-src 'self' https: 'unsafe-eval'".to_owned();
    for source in others.into_iter().map(str::to_owned).chain(inline) {
        policy.push(' ');
        policy.push_str(&source);
    }
    if !has("object") && !has("embed") && !has("applet") {
        policy.push_str("; object-src 'none'");
    }
    if !has("base") {
        policy.push_str("; base-uri 'self'");
    }
    policy
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::{NO_SCRIPTS, PageCode};

    fn page(body: &str) -> String {
        format!("<!doctype html><html><head></head><body>{body}</body></html>")
    }

    #[test]
    fn a_page_without_code_may_run_none() {
        let code = PageCode::of(&page("<p>a</p>"), "");
        assert_eq!(
            (code.has_scripts, code.policy.as_str(), code.refusal),
            (false, NO_SCRIPTS, None)
        );
    }

    #[test]
    fn the_sites_own_scripts_are_listed_by_their_hashes() {
        let own = page("<script>alert(1)</script><script src=/a.js></script>");
        let code = PageCode::of(&own, &own);
        assert_eq!((code.has_scripts, code.refusal), (true, None));
        let hash = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        let expected = format!(
            "script-src 'self' https: 'unsafe-eval' {hash}; object-src 'none'; base-uri 'self'"
        );
        assert_eq!(code.policy, expected);
        let handlers = page("<p onclick=x>a</p><script>y</script>");
        let code = PageCode::of(&handlers, &handlers);
        assert!(code.policy.contains("'unsafe-inline'") && !code.policy.contains("sha256"));
    }

    /// H3: code in the bytes of a page is a problem, however it came there.
    #[test]
    fn h3_code_that_is_not_the_sites_own_is_refused() {
        let own = page("<script>menu()</script>");
        for attack in [
            "<img src=x onerror=alert(1)>",
            "<script>alert(1)</script>",
            "<a href=javascript:alert(1)>x</a>",
            "<noscript><xmp></noscript><img src=x onerror=alert(1)></xmp></noscript>",
            "<meta http-equiv=refresh content='0;url=https://elsewhere.example'>",
            "<base href=//elsewhere.example>",
        ] {
            let html = page(&format!("<script>menu()</script>{attack}"));
            let code = PageCode::of(&html, &own);
            assert!(code.refusal.is_some() && code.has_scripts, "{attack}");
            assert_eq!(code.policy, NO_SCRIPTS, "{attack}");
        }
        assert_eq!(PageCode::of(&own, &own).refusal, None);
    }
}
