//! An HTML file as a page, with the stylesheets and pictures in its folder.
//!
//! Which files a page needs is answered by the tool that imports it, run here on an empty site. Only files in the folder of the page
//! are read: a page from elsewhere could name any file of this machine, and what it names becomes public.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_site::{ChangeId, Facts, Outcome, Site, View, document_tools};
use sitewright_tool::ErrorCode;

use super::tool::{refusal, remarks};
use crate::api::{Api, Refusal};
use crate::arguments::Import;
use crate::output::{self, counted, text};

const TOOL: &str = "import_page";

pub(crate) async fn run(api: &Api, command: Import, as_json: bool) -> Result<()> {
    let Import { file, title, slug } = command;
    let place = file
        .canonicalize()
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let folder = place.parent().unwrap_or(&place);
    let mut arguments = json!({
        "html": read_text(&place)?,
        "fileName": place.file_name().map(|name| name.to_string_lossy()),
        "files": [],
    });
    for (name, given) in [("title", title), ("slug", slug)] {
        if let Some(given) = given {
            arguments[name] = json!(given);
        }
    }
    add_stylesheets(&mut arguments, folder)?;
    let pictures = add_pictures(api, &mut arguments, folder).await?;
    let call = json!({ "tool": TOOL, "scope": "site", "arguments": arguments });
    let envelope = api.post("/tools/call", call).await?;
    if envelope["ok"] != true {
        return Err(refusal(envelope).into());
    }
    let mut done = envelope["data"].clone();
    done["receipt"] = envelope["receipt"].clone();
    done["uploaded"] = json!(pictures.uploaded);
    done["refusedPictures"] = json!(pictures.refused);
    output::result(as_json, &done, report)
}

/// Adds the text of each linked stylesheet.
fn add_stylesheets(arguments: &mut Value, folder: &Path) -> Result<()> {
    for path in missing_files(arguments)? {
        let is_css = Path::new(&path).extension().is_some_and(|end| end == "css");
        if let Some(file) = beside(folder, &path).filter(|_| is_css) {
            add_file(arguments, json!({ "path": path, "css": read_text(&file)? }));
        }
    }
    Ok(())
}

/// What became of the pictures of a page.
struct Pictures {
    uploaded: Vec<String>,
    /// The path of each that the library did not take, with the reason.
    refused: Vec<String>,
}

/// Uploads the pictures that the page and its stylesheets show, and adds their addresses.
async fn add_pictures(api: &Api, arguments: &mut Value, folder: &Path) -> Result<Pictures> {
    let mut pictures = Pictures {
        uploaded: Vec::new(),
        refused: Vec::new(),
    };
    let known: BTreeSet<String> = listed(&arguments["files"], "path");
    for path in missing_files(arguments)? {
        let Some(file) = beside(folder, &path).filter(|_| !known.contains(&path)) else {
            continue;
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let query: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
        let bytes =
            fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        let address = format!("/admin/api/media?name={query}");
        match api.upload(&address, bytes).await {
            Ok(picture) => {
                add_file(arguments, json!({ "path": path, "url": picture["url"] }));
                pictures.uploaded.push(path);
            }
            // A file that is no picture stays behind; whatever else is wrong concerns the whole import.
            Err(error) => match error.downcast_ref::<Refusal>() {
                Some(refusal) if refusal.code == ErrorCode::InvalidInput.as_str() => {
                    pictures.refused.push(format!("{path}: {}", refusal.detail));
                }
                Some(_) | None => return Err(error),
            },
        }
    }
    Ok(pictures)
}

fn add_file(arguments: &mut Value, file: Value) {
    if let Some(files) = arguments["files"].as_array_mut() {
        files.push(file);
    }
}

/// The paths of the files that the page refers to and the arguments lack.
fn missing_files(arguments: &Value) -> Result<Vec<String>> {
    let tools = document_tools();
    let tool = tools.iter().find(|tool| tool.definition.name() == TOOL);
    let tool = tool.context("this build has no tool that imports pages")?;
    let change = ChangeId::from(TOOL.to_owned());
    let mut site = Site::default();
    let view = View::default();
    let run = tool.run(
        arguments.clone(),
        &mut site,
        &view,
        (&Facts::default(), change),
    );
    match run.map_err(|error| Refusal::new(error.code, error.message))? {
        Outcome::Done(run) => Ok(strings(&run.data["missingFiles"])),
        // An empty site has everything that it needs.
        Outcome::Needs(_) => Ok(Vec::new()),
    }
}

/// A file in the folder, if there is one and it does not lie outside through a link.
fn beside(folder: &Path, path: &str) -> Option<PathBuf> {
    let file = folder.join(path).canonicalize().ok()?;
    (file.starts_with(folder) && file.is_file()).then_some(file)
}

/// The text of a file. One without UTF-8 is read as Latin 1, which old editors wrote and which reads every byte.
fn read_text(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
        error
            .as_bytes()
            .iter()
            .map(|byte| char::from(*byte))
            .collect()
    }))
}

fn strings(list: &Value) -> Vec<String> {
    let texts = list.as_array().into_iter().flatten();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn listed(list: &Value, field: &str) -> BTreeSet<String> {
    let items = list.as_array().into_iter().flatten();
    items.map(|item| text(item, field)).collect()
}

fn report(done: &Value) -> String {
    let mut lines = vec![format!(
        "Imported “{}” to {}.",
        text(done, "title"),
        text(done, "path")
    )];
    let uploaded = strings(&done["uploaded"]).len();
    if uploaded > 0 {
        lines.push(format!(
            "Added {} to the library.",
            counted(uploaded, "picture", "pictures")
        ));
    }
    lines.extend(remarks(&done["receipt"]));
    for (field, words) in [
        ("missingFiles", "not included"),
        ("refusedPictures", "not a picture the library takes"),
        ("externalStylesheets", "loaded from another site"),
    ] {
        let named = strings(&done[field]).into_iter();
        lines.extend(named.map(|name| format!("{words}: {name}")));
    }
    lines.join("\n")
}
