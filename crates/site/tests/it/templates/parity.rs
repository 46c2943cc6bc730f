//! A browser computes the same styles for every element of a page before and after import: custom properties, `::before` and
//! `::after` included, without scripts and animations.
//!
//! The suite looks at some pages of each template at one width each, `cargo xtask soak parity` at all of them at three.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};
use sitewright_markup::html::{HtmlLimits, HtmlMode, import_html};
use sitewright_testkit::browser::{Size, Visit};
use sitewright_testkit::unless_missing;
use sitewright_testkit::vendor::{Answer, Received, Reply, Vendor};

use super::addresses::{absolute, resolve};
use super::{Template, TemplatePage, publish, read, templates};

const WIDTHS: [u32; 3] = [375, 768, 1280];
/// How many pages of a template the suite looks at.
const PAGES_MAX: usize = 2;
/// The slowest page takes a few seconds.
const PAGE_LIMIT: Duration = Duration::from_secs(120);

/// A template on a server of its own, so that addresses from its root are right.
struct Stage {
    template: String,
    root: PathBuf,
    pages: HashMap<String, Sides>,
    list: Value,
    results: Mutex<Sender<Value>>,
}

/// A page before and after import.
struct Sides {
    before: String,
    after: String,
}

#[test]
fn browsers_compute_the_same_styles_before_and_after_import() {
    let Some(templates) = unless_missing(templates()) else {
        return;
    };
    let is_soak = is_soak();
    let (sender, results) = channel();
    let mut stages: Vec<Vendor> = Vec::new();
    let mut expected = 0;
    for (position, template) in templates.iter().enumerate() {
        let next = stages.last().map(|stage| stage.url("/_parity"));
        let chosen = chosen(template, position, is_soak);
        expected += chosen.iter().map(|(_, widths)| widths.len()).sum::<usize>();
        let stage = Stage::new(template, chosen, next, sender.clone());
        stages.push(Vendor::answering(move |request| stage.answer(request)));
    }
    let first = stages.last().unwrap().url("/_parity");
    let size = Size {
        width: 1400,
        height: 1000,
    };
    let Some(mut visit) = unless_missing(Visit::to(&first, size)) else {
        return;
    };
    let report = collect(&results, expected, &mut visit);
    println!(
        "parity: {:.4}% of {} styles are the same, in {expected} looks at pages of {} templates",
        report.percent(),
        report.compared,
        templates.len(),
    );
    assert!(report.failures.is_empty(), "{}", report.failures.join("\n"));
}

/// The pages to look at, each with its widths.
fn chosen(template: &Template, position: usize, is_soak: bool) -> Vec<(&TemplatePage, Vec<u32>)> {
    let whole = |page: &&TemplatePage| page.html.to_ascii_lowercase().contains("<html");
    let pages: Vec<&TemplatePage> = template.pages.iter().filter(whole).collect();
    if is_soak {
        return pages
            .into_iter()
            .map(|page| (page, WIDTHS.to_vec()))
            .collect();
    }
    // The home page says most, and the largest one has most in it.
    let mut best: Vec<&TemplatePage> = pages
        .iter()
        .copied()
        .filter(|page| page.path.ends_with("index.html"))
        .take(1)
        .collect();
    best.extend(pages.iter().copied().max_by_key(|page| page.html.len()));
    best.dedup_by_key(|page| page.path.clone());
    let with_width = |(index, page)| (page, vec![WIDTHS[(position + index) % WIDTHS.len()]]);
    best.into_iter()
        .take(PAGES_MAX)
        .enumerate()
        .map(with_width)
        .collect()
}

impl Stage {
    fn new(
        template: &Template,
        chosen: Vec<(&TemplatePage, Vec<u32>)>,
        next: Option<String>,
        results: Sender<Value>,
    ) -> Self {
        let mut pages = HashMap::new();
        let mut list = Vec::new();
        for (page, widths) in chosen {
            let path = format!("/{}", page.path);
            let after = imported(&template.root, &path, &page.html);
            list.push(json!({ "path": path, "widths": widths }));
            let before = page.html.clone();
            pages.insert(path, Sides { before, after });
        }
        Self {
            template: template.name.clone(),
            root: template.root.clone(),
            pages,
            list: json!({ "pages": list, "next": next }),
            results: Mutex::new(results),
        }
    }

    fn answer(&self, request: &Received) -> Answer {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let path = decoded(path);
        let page = self.pages.get(&path);
        let reply = match (path.as_str(), query, page) {
            ("/_parity", _, _) => html(include_str!("parity.html")),
            ("/_pages", _, _) => Reply::new(200, self.list.to_string()),
            ("/_result", _, _) => {
                let mut result: Value = serde_json::from_slice(&request.body).unwrap();
                result["template"] = json!(self.template);
                self.results.lock().unwrap().send(result).unwrap();
                Reply::new(204, "")
            }
            (_, "before", Some(sides)) => html(&sides.before),
            (_, "after", Some(sides)) => html(&sides.after),
            _ => self.file(&path),
        };
        Answer::Reply(reply)
    }

    fn file(&self, path: &str) -> Reply {
        let Some(file) = file_at(&self.root, path) else {
            return Reply::new(404, "");
        };
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        if extension == "css" {
            return Reply::new(200, absolute(&read(&file), path))
                .with_header("content-type", "text/css; charset=utf-8");
        }
        let kind = match &*extension {
            "svg" => "image/svg+xml",
            "html" => "text/html",
            "js" | "mjs" => "text/javascript",
            _ => "application/octet-stream",
        };
        Reply::new(200, std::fs::read(file).unwrap()).with_header("content-type", kind)
    }
}

/// A page after import, with the stylesheets that are in the template.
fn imported(root: &Path, path: &str, source: &str) -> String {
    let imported = import_html(source, &HtmlMode::Document, &HtmlLimits::default()).unwrap();
    publish(imported, &mut |href| {
        let address = resolve(path, href)?;
        let address = decoded(address.split(['?', '#']).next()?);
        Some(absolute(&read(&file_at(root, &address)?), &address))
    })
}

fn file_at(root: &Path, path: &str) -> Option<PathBuf> {
    let file = root.join(path.strip_prefix('/')?);
    (file.is_file() && !path.contains("..")).then_some(file)
}

fn html(text: &str) -> Reply {
    Reply::new(200, text).with_header("content-type", "text/html; charset=utf-8")
}

fn decoded(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code =
            code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[derive(Default)]
struct Report {
    compared: u64,
    same: u64,
    failures: Vec<String>,
}

impl Report {
    #[expect(clippy::cast_precision_loss, reason = "a percentage")]
    fn percent(&self) -> f64 {
        self.same as f64 * 100.0 / self.compared as f64
    }
}

fn collect(results: &Receiver<Value>, expected: usize, visit: &mut Visit) -> Report {
    let mut report = Report::default();
    for _ in 0..expected {
        let result = results.recv_timeout(PAGE_LIMIT);
        let result = result.unwrap_or_else(|_| {
            panic!(
                "a page took longer than {} s; the browser is open: {}",
                PAGE_LIMIT.as_secs(),
                visit.is_open()
            )
        });
        if let Some(failure) = result["failure"].as_str() {
            panic!("{}: {failure}", result["template"]);
        }
        let (compared, same) = (
            result["compared"].as_u64().unwrap(),
            result["same"].as_u64().unwrap(),
        );
        report.compared += compared;
        report.same += same;
        let differences = result["differences"].as_array().unwrap();
        if !differences.is_empty() {
            let list: Vec<&str> = differences.iter().filter_map(Value::as_str).collect();
            report.failures.push(format!(
                "{} {} at {}: {} of {compared} differ\n  {}",
                result["template"],
                result["path"],
                result["width"],
                compared - same,
                list.join("\n  ")
            ));
        }
    }
    report
}

#[expect(
    clippy::disallowed_methods,
    reason = "`cargo xtask soak` says so by the environment"
)]
fn is_soak() -> bool {
    std::env::var_os("SITEWRIGHT_SOAK").is_some()
}
