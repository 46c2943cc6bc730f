//! A release as a folder for any static host: which file gets which name, and which pictures it needs.

use std::collections::{BTreeMap, BTreeSet};

use sitewright_store::RouteKind;

use crate::ShownRelease;
use crate::made::NOT_FOUND_ADDRESS;

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Its address in the release.
    pub address: String,
    /// Its path in the folder, such as `about/index.html`.
    pub path: String,
}

/// Why a release cannot be exported as a folder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoFolder {
    /// A file of the release is damaged in storage.
    #[error(
        "what is published at `{0}` is damaged in the file storage; publish again to write it anew"
    )]
    Damaged(String),
    /// An address cannot be a file name.
    #[error(
        "the address `{0}` cannot be the name of a file; give the page another slug and publish again"
    )]
    Name(String),
    /// One name would be both a file and a folder.
    #[error(
        "`{0}` and `{1}` need the same name, once for a file and once for a folder; give one of the pages another slug and publish again"
    )]
    Clash(String, String),
}

/// The files of a release as a folder, ordered by path. A sitemap that was made without knowing the public address is left out:
/// a static host would not complete its addresses.
pub fn export_files(shown: &ShownRelease) -> Result<Vec<ExportFile>, NoFolder> {
    if let Some(address) = shown.unavailable.first() {
        return Err(NoFolder::Damaged(address.clone()));
    }
    let mut paths: BTreeMap<String, &str> = BTreeMap::new();
    for (address, file) in &shown.routes {
        if file.route.kind == RouteKind::Made && contains(&file.bytes(), b"<loc>/") {
            continue;
        }
        paths.insert(path_of(address, file.route.kind)?, address);
    }
    if shown.not_found.is_some() {
        let path = NOT_FOUND_ADDRESS.trim_start_matches('/').to_owned();
        paths.insert(path, NOT_FOUND_ADDRESS);
    }
    for (path, address) in &paths {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        for folder in folders {
            if let Some(other) = paths.get(folder) {
                return Err(NoFolder::Clash((*other).to_owned(), (*address).to_owned()));
            }
        }
    }
    let file = |(path, address): (String, &str)| ExportFile {
        address: address.to_owned(),
        path,
    };
    Ok(paths.into_iter().map(file).collect())
}

/// The addresses of the pictures that the pages of a release use. The first call for a release reads all its pages, so make it on a
/// blocking thread.
pub fn uploads_of(shown: &ShownRelease) -> &BTreeSet<String> {
    shown.uploads.get_or_init(|| {
        let files = shown.routes.values().chain(&shown.not_found);
        let mut found = BTreeSet::new();
        for file in files {
            if let Ok(text) = std::str::from_utf8(&file.bytes()) {
                found.extend(uploads_in(text));
            }
        }
        found
    })
}

fn path_of(address: &str, kind: RouteKind) -> Result<String, NoFolder> {
    let path = address.trim_start_matches('/');
    let is_name = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', '\0', ':'])
    };
    match kind {
        _ if !path.is_empty() && !path.split('/').all(is_name) => {
            Err(NoFolder::Name(address.to_owned()))
        }
        RouteKind::Page if path.is_empty() => Ok("index.html".to_owned()),
        RouteKind::Page => Ok(format!("{path}/index.html")),
        RouteKind::NotFound | RouteKind::Made => Ok(path.to_owned()),
    }
}

const UPLOADS: &str = "/uploads/";

fn uploads_in(text: &str) -> impl Iterator<Item = String> {
    text.match_indices(UPLOADS).filter_map(|(at, _)| {
        let rest = &text[at + UPLOADS.len()..];
        let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
        let (id, rest) = rest.split_once('/')?;
        let end = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        let name = rest[..end].trim_end_matches('.');
        let is_good =
            |part: &str| !part.is_empty() && !part.starts_with('.') && part.chars().all(is_part);
        (is_good(id) && is_good(name)).then(|| format!("{UPLOADS}{id}/{name}"))
    })
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use sitewright_store::RouteKind;

    use super::{NoFolder, path_of, uploads_in};

    #[test]
    fn a_page_is_a_folder_with_an_index_and_nothing_leads_out() {
        let page = |address: &str| path_of(address, RouteKind::Page);
        assert_eq!(page("/").as_deref(), Ok("index.html"));
        assert_eq!(page("/über/uns").as_deref(), Ok("über/uns/index.html"));
        assert_eq!(
            path_of("/robots.txt", RouteKind::Made).as_deref(),
            Ok("robots.txt")
        );
        for hostile in [
            "/..", "/a/../b", "/a//b", "//a/", "/.ssh", "/a\\b", "/c:x", "/a\0",
        ] {
            assert_eq!(page(hostile), Err(NoFolder::Name(hostile.to_owned())));
        }
    }

    #[test]
    fn pictures_are_found_wherever_they_are_named() {
        let html = "<img src=\"/uploads/a1/320.jpg\" srcset=\"/uploads/a1/320.jpg 320w, /uploads/a1/640.jpg 640w\"> \
                    url(/uploads/b_2/x.png) See /uploads/c/d.webp. /uploads/../etc /uploads/a/ /uploads/x";
        let found: Vec<String> = uploads_in(html).collect();
        assert_eq!(
            found,
            [
                "/uploads/a1/320.jpg",
                "/uploads/a1/320.jpg",
                "/uploads/a1/640.jpg",
                "/uploads/b_2/x.png",
                "/uploads/c/d.webp"
            ]
        );
    }
}
