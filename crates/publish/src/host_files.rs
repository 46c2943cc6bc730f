//! Files for whoever serves an exported folder: the headers that this server sends with the pages, in the words of static hosts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sitewright_store::RouteKind;

use crate::ShownRelease;
use crate::made::{NOT_FOUND_ADDRESS, encoded};
use crate::page_policy::{Host, policy};

/// A file of an export that is in no release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFile {
    /// Its path in the folder.
    pub path: &'static str,
    pub text: String,
}

/// The headers besides the policy.
const HEADERS: [(&str, &str); 2] = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
];

/// The files with the headers for an exported release. A name that a page of the release has already is left out.
pub fn host_files(shown: &ShownRelease) -> Vec<HostFile> {
    let policies = policies(shown);
    let files = [
        HostFile {
            path: "_headers",
            text: headers_file(&policies),
        },
        HostFile {
            path: "nginx-headers.conf",
            text: nginx_file(&policies),
        },
    ];
    let is_free = |file: &HostFile| !shown.routes.contains_key(&format!("/{}", file.path));
    files.into_iter().filter(is_free).collect()
}

/// The policies of the pages of a release.
struct Policies {
    /// The one that most pages have.
    usual: String,
    /// The pages that have another.
    others: BTreeMap<String, String>,
    /// All pages.
    pages: Vec<String>,
}

fn policies(shown: &ShownRelease) -> Policies {
    let own = shown.not_found.iter().map(|file| (NOT_FOUND_ADDRESS, file));
    let routes = shown
        .routes
        .iter()
        .map(|(address, file)| (address.as_str(), file));
    let pages = routes
        .chain(own)
        .filter(|(_, file)| file.route.kind != RouteKind::Made);
    let all: BTreeMap<String, String> = pages
        .map(|(address, file)| (address.to_owned(), policy(&file.route, Host::Own)))
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for policy in all.values() {
        *counts.entry(policy).or_default() += 1;
    }
    let usual = counts.iter().max_by_key(|(_, count)| **count);
    let usual = usual
        .map(|(policy, _)| (*policy).to_owned())
        .unwrap_or_default();
    Policies {
        pages: all.keys().cloned().collect(),
        others: all
            .into_iter()
            .filter(|(_, policy)| *policy != usual)
            .collect(),
        usual,
    }
}

/// The file that Netlify and Cloudflare Pages read. Where several rules match an address, they send all policies, and browsers
/// apply them all; so either one rule is for all pages, or each page has its own.
fn headers_file(policies: &Policies) -> String {
    let mut text = String::from("# Headers for Netlify and Cloudflare Pages.\n/*\n");
    for (name, value) in HEADERS {
        line(&mut text, name, value);
    }
    if policies.others.is_empty() {
        line(&mut text, POLICY, &policies.usual);
        return text;
    }
    for page in &policies.pages {
        let policy = policies.others.get(page).unwrap_or(&policies.usual);
        let address = encoded(page);
        text.push_str(&address);
        text.push('\n');
        line(&mut text, POLICY, policy);
        if page != "/" && page != NOT_FOUND_ADDRESS {
            text.push_str(&address);
            text.push_str("/\n");
            line(&mut text, POLICY, policy);
        }
    }
    text
}

const POLICY: &str = "Content-Security-Policy";

fn line(text: &mut String, name: &str, value: &str) {
    // Writing into a string cannot fail.
    writeln!(text, "  {name}: {value}").unwrap_or_default();
}

/// A snippet for nginx. `map` belongs into the `http` block and the rest into `server`, so the rest is commented out: the file can
/// be included as it is, and the lines are copied.
fn nginx_file(policies: &Policies) -> String {
    let mut text = String::from(
        "# Headers for nginx. Include this file in the http block, and copy the lines at its end into the server block of this folder.\n\
         map $uri $sitewright_policy {\n",
    );
    let mut entry = |source: &str, policy: &str| {
        writeln!(text, "    {source} \"{policy}\";").unwrap_or_default();
    };
    entry("default", &policies.usual);
    for (page, policy) in &policies.others {
        let page = page.replace('\\', "\\\\").replace('"', "\\\"");
        match page.as_str() {
            "/" => {
                entry("\"/\"", policy);
                entry("\"/index.html\"", policy);
            }
            NOT_FOUND_ADDRESS => entry(&format!("\"{page}\""), policy),
            page => {
                for end in ["", "/", "/index.html"] {
                    entry(&format!("\"{page}{end}\""), policy);
                }
            }
        }
    }
    text.push_str("}\n\n# charset utf-8;\n");
    for (name, value) in HEADERS.into_iter().chain([(POLICY, "$sitewright_policy")]) {
        writeln!(text, "# add_header {name} \"{value}\" always;").unwrap_or_default();
    }
    text.push_str("# Over https, once it works: add_header Strict-Transport-Security \"max-age=31536000\" always;\n");
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Policies, headers_file, nginx_file};

    fn policies(others: &[(&str, &str)]) -> Policies {
        let others: BTreeMap<String, String> = others
            .iter()
            .map(|(page, policy)| ((*page).to_owned(), (*policy).to_owned()))
            .collect();
        Policies {
            usual: "script-src 'none'".to_owned(),
            pages: ["/", "/404.html", "/über"].map(str::to_owned).to_vec(),
            others,
        }
    }

    #[test]
    fn one_rule_is_for_all_pages_or_each_has_its_own() {
        let text = headers_file(&policies(&[]));
        assert!(
            text.contains("/*\n")
                && text.ends_with("  Content-Security-Policy: script-src 'none'\n")
        );
        assert_eq!(text.matches("Content-Security-Policy").count(), 1);
        let text = headers_file(&policies(&[("/über", "script-src 'self'")]));
        let expected = "/\n  Content-Security-Policy: script-src 'none'\n/404.html\n  Content-Security-Policy: script-src 'none'\n\
            /%C3%BCber\n  Content-Security-Policy: script-src 'self'\n/%C3%BCber/\n  Content-Security-Policy: script-src 'self'\n";
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn nginx_chooses_the_policy_by_address() {
        let text = nginx_file(&policies(&[("/über", "script-src 'self'"), ("/", "x")]));
        assert!(text.contains(
            "    default \"script-src 'none'\";\n    \"/\" \"x\";\n    \"/index.html\" \"x\";\n"
        ));
        assert!(
            text.contains("    \"/über/index.html\" \"script-src 'self'\";\n"),
            "{text}"
        );
    }
}
