//! Real site templates of the npm registry, pinned in `tests/templates.json`: import and rendering give back their trees, and
//! browsers see the same styles.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot get what it needs has failed"
)]

mod addresses;
mod parity;
mod round_trip;

use std::fs;
use std::path::{Path, PathBuf};

use sitewright_markup::html::ImportedHtml;
use sitewright_site::{
    BodyId, ChangeId, Facts, Mint, Outcome, PageName, Purpose, Site, import_page,
};
use sitewright_testkit::Missing;
use sitewright_testkit::packages::Package;

/// Where pages and addresses that begin with a slash start, for packages that are not served from their own folder.
const ROOTS: [(&str, &str); 1] = [("gentelella", "dist")];

/// A package without pages, shown on the page of another one that has every element of HTML: its rules are nested and layered.
const DRESS: (&str, &str) = ("@knadh/oat", "css");
const MODEL: (&str, &str) = ("bamboo.css", "demo/index.html");

/// A package with the pages in it.
pub(crate) struct Template {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
    pub(crate) pages: Vec<TemplatePage>,
}

/// A page as it is in its package.
pub(crate) struct TemplatePage {
    /// Its path from the root, with slashes.
    pub(crate) path: String,
    pub(crate) html: String,
}

/// All templates with all their pages.
pub(crate) fn templates() -> Result<Vec<Template>, Missing> {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/templates.json");
    let packages = Package::locked(Path::new(lock));
    let mut templates = Vec::new();
    for package in packages {
        let folder = package.locate()?;
        let within = ROOTS.iter().find(|(name, _)| *name == package.name);
        let root = within.map_or(folder.clone(), |(_, within)| folder.join(within));
        let mut paths = Vec::new();
        collect(&root, &root, "html", &mut paths);
        let pages = paths.into_iter().map(|path| TemplatePage {
            html: read(&root.join(&path)),
            path,
        });
        templates.push(Template {
            name: package.name,
            pages: pages.collect(),
            root,
        });
    }
    dress(&mut templates);
    Ok(templates)
}

fn dress(templates: &mut [Template]) {
    let find = |name: &str| {
        let mut templates = templates.iter();
        templates
            .position(|template| template.name == name)
            .unwrap()
    };
    let (dress, model) = (find(DRESS.0), find(MODEL.0));
    let page = templates[model]
        .pages
        .iter()
        .find(|page| page.path == MODEL.1);
    let html = &page.unwrap().html;
    let mut files = Vec::new();
    collect(
        &templates[dress].root,
        &templates[dress].root.join(DRESS.1),
        "css",
        &mut files,
    );
    assert!(!files.is_empty());
    let links: String = files
        .iter()
        .map(|file| format!("<link rel=\"stylesheet\" href=\"{file}\">\n"))
        .collect();
    let own = "<link rel=\"stylesheet\" href=\"../dist/bamboo.min.css\">";
    let dressed = html.replace(own, &links);
    assert_ne!(*html, dressed);
    templates[dress].pages.push(TemplatePage {
        path: "demo.html".to_owned(),
        html: dressed,
    });
}

fn collect(root: &Path, folder: &Path, extension: &str, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(root, &path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(
                path.strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned(),
            );
        }
    }
}

pub(crate) fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Brings an import into an empty site and publishes it.
pub(crate) fn publish(
    imported: ImportedHtml,
    css: &mut dyn FnMut(&str) -> Option<String>,
) -> String {
    let mut site = Site::default();
    let mut mint = Mint::new(ChangeId::from("import".to_owned()));
    let name = PageName {
        slug: Some("page"),
        ..PageName::default()
    };
    let page = import_page(&site, imported, name, css, &mut mint).unwrap();
    for op in &page.ops {
        site.apply(op, 1).unwrap();
    }
    render(&site, page.id)
}

fn render(site: &Site, page: BodyId) -> String {
    let facts = Facts {
        base: Some("https://example.com".to_owned()),
        ..Facts::default()
    };
    match site.render(page, Purpose::Publish, &facts) {
        Some(Outcome::Done(rendered)) => {
            assert_eq!(rendered.problems, Vec::<String>::new());
            rendered.html
        }
        other => panic!("{other:?}"),
    }
}
