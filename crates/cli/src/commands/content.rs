//! Entries out of a site and into one: as JSON lines, or as folders of Markdown files with front matter.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};
use sitewright_tool::ErrorCode;

use crate::api::{Api, Refusal};
use crate::arguments::{Content, ContentForm};
use crate::output::{self, counted, text};

/// What an exported entry has beside its fields.
const OWN: [&str; 8] = [
    "title",
    "slug",
    "locale",
    // The slug of the original, because ids are those of one site.
    "translationOf",
    "status",
    "publishAt",
    "unpublishAt",
    "sortOrder",
];

pub(crate) async fn run(api: &Api, command: Content, as_json: bool) -> Result<()> {
    match command {
        Content::Export {
            out,
            collection,
            form,
        } => {
            let wanted = wanted_collections(api, collection.as_deref()).await?;
            let written = export(api, &out, wanted, form).await?;
            report(as_json, written, &out)
        }
        Content::Import { from } => import(api, &from, as_json).await,
    }
}

/// A collection, as files have it.
struct ExportedCollection {
    slug: String,
    /// The field that is the text of a Markdown file.
    body: Option<String>,
}

async fn collections(api: &Api) -> Result<Vec<ExportedCollection>> {
    let setup = api.get("/admin/api/content/collections").await?;
    let collections = setup["collections"].as_array().into_iter().flatten();
    let body = |collection: &Value| {
        let fields = collection["fields"].as_array().into_iter().flatten();
        let mut rich = fields.filter(|field| field["kind"]["type"] == "richText");
        rich.next().map(|field| text(field, "name"))
    };
    let exported = collections.map(|collection| ExportedCollection {
        slug: text(collection, "slug"),
        body: body(collection),
    });
    Ok(exported.collect())
}

/// The collection with this slug, or all.
async fn wanted_collections(api: &Api, only: Option<&str>) -> Result<Vec<ExportedCollection>> {
    let mut wanted = collections(api).await?;
    wanted.retain(|collection| only.is_none_or(|only| only == collection.slug));
    if wanted.is_empty() {
        let detail = "there is no such collection";
        return Err(Refusal::new(ErrorCode::NotFound, detail.to_owned()).into());
    }
    Ok(wanted)
}

/// Writes the entries of collections, and returns how many there are.
async fn export(
    api: &Api,
    out: &Path,
    wanted: Vec<ExportedCollection>,
    form: ContentForm,
) -> Result<usize> {
    let mut lines = match form {
        ContentForm::Jsonl => Some(
            fs::File::create_new(out)
                .with_context(|| format!("{} cannot be made", out.display()))?,
        ),
        ContentForm::Markdown => None,
    };
    let mut count = 0_usize;
    for ExportedCollection { slug, body } in wanted {
        let mut cursor = None;
        loop {
            let page = page(api, &slug, cursor.as_deref()).await?;
            for item in page["items"].as_array().into_iter().flatten() {
                let mut entry = exported(&slug, item);
                if let Some(id) = item["translationOf"].as_str() {
                    let source = api.get(&format!("/admin/api/content/entries/{id}")).await?;
                    entry["translationOf"] = source["slug"].clone();
                }
                match &mut lines {
                    Some(lines) => writeln!(lines, "{entry}")?,
                    None => write_markdown(out, &entry, body.as_deref())?,
                }
                count += 1;
            }
            cursor = page["next"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
    }
    Ok(count)
}

fn report(as_json: bool, count: usize, out: &Path) -> Result<()> {
    let done = json!({ "entries": count, "out": out });
    output::result(as_json, &done, |_| {
        let entries = counted(count, "entry", "entries");
        format!("Exported {entries} to {}.", out.display())
    })
}

async fn page(api: &Api, collection: &str, cursor: Option<&str>) -> Result<Value> {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("collection", collection);
    query.append_pair("includeContent", "true");
    query.append_pair("limit", "200");
    if let Some(cursor) = cursor {
        query.append_pair("cursor", cursor);
    }
    api.get(&format!("/admin/api/content/entries?{}", query.finish()))
        .await
}

/// An entry as a file has it.
fn exported(collection: &str, item: &Value) -> Value {
    let mut entry = Map::from_iter([("collection".to_owned(), json!(collection))]);
    for name in OWN {
        if let Some(value) = item.get(name) {
            entry.insert(name.to_owned(), value.clone());
        }
    }
    entry.insert("content".to_owned(), item["content"].clone());
    Value::Object(entry)
}

fn write_markdown(out: &Path, entry: &Value, body: Option<&str>) -> Result<()> {
    let (collection, slug) = (text(entry, "collection"), text(entry, "slug"));
    let is_plain = |part: &str| !part.is_empty() && !part.contains(['/', '\\']) && part != "..";
    let locale = entry["locale"].as_str();
    if !is_plain(&collection) || !is_plain(&slug) || !locale.is_none_or(is_plain) {
        let detail = format!("the server names a file outside the folder: {collection}/{slug}");
        return Err(Refusal::new(ErrorCode::UpstreamError, detail).into());
    }
    let folder = out.join(&collection);
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let language = locale.map_or_else(String::new, |locale| format!(".{locale}"));
    let place = folder.join(format!("{slug}{language}.md"));
    fs::write(&place, markdown(entry, body))
        .with_context(|| format!("{} cannot be written", place.display()))
}

/// An entry as Markdown: its rich text below, everything else above, each value as JSON, which YAML reads too.
fn markdown(entry: &Value, body: Option<&str>) -> String {
    let mut file = String::from("---\n");
    let mut line = |name: &str, value: &Value| file.push_str(&format!("{name}: {value}\n"));
    for name in OWN.into_iter().filter(|name| *name != "slug") {
        if let Some(value) = entry.get(name) {
            line(name, value);
        }
    }
    let content = entry["content"].as_object().into_iter().flatten();
    for (name, value) in content.filter(|(name, _)| Some(name.as_str()) != body) {
        line(&format!("fields.{name}"), value);
    }
    file.push_str("---\n");
    let text = body.and_then(|body| entry["content"][body].as_str());
    file.push_str(text.unwrap_or_default());
    file.push('\n');
    file
}

/// Reads what `markdown` writes, and the usual front matter: a value that is not JSON is taken as text.
fn read_markdown(file: &str, slug: &str, body: Option<&str>) -> Value {
    let (front, rest) = file
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .unwrap_or(("", file));
    let mut entry = Map::from_iter([("slug".to_owned(), json!(slug))]);
    let mut content = Map::new();
    for line in front.lines() {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let (name, value) = (name.trim(), value.trim());
        let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
        match name.strip_prefix("fields.") {
            Some(field) => drop(content.insert(field.to_owned(), value)),
            None if OWN.contains(&name) => drop(entry.insert(name.to_owned(), value)),
            None => drop(content.insert(name.to_owned(), value)),
        }
    }
    if let Some(body) = body.filter(|_| !rest.trim().is_empty()) {
        content.insert(body.to_owned(), json!(rest.trim_matches('\n')));
    }
    entry.insert("content".to_owned(), Value::Object(content));
    Value::Object(entry)
}

async fn import(api: &Api, from: &Path, as_json: bool) -> Result<()> {
    let known = collections(api).await?;
    let entries = match from.is_dir() {
        true => read_folder(from, &known)?,
        false => read_lines(from)?,
    };
    let (mut created, mut changed) = (0_usize, 0_usize);
    // Originals come before what translates them.
    let (originals, translations): (Vec<_>, Vec<_>) = entries
        .into_iter()
        .partition(|entry| entry["translationOf"].is_null());
    let entries = originals.into_iter().chain(translations);
    for entry in entries {
        match save(api, entry).await? {
            SaveOutcome::Created => created += 1,
            SaveOutcome::Changed => changed += 1,
        }
    }
    let done = json!({ "created": created, "changed": changed });
    output::result(as_json, &done, |_| {
        let entries = counted(created, "entry", "entries");
        format!("Created {entries} and updated {changed}.")
    })
}

fn read_lines(from: &Path) -> Result<Vec<Value>> {
    let file =
        fs::read_to_string(from).with_context(|| format!("{} cannot be read", from.display()))?;
    let lines = file.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| format!("line {} is not JSON", at + 1))
        })
        .collect()
}

/// Every Markdown file in the folders that are named like collections.
fn read_folder(from: &Path, known: &[ExportedCollection]) -> Result<Vec<Value>> {
    let mut entries = Vec::new();
    for ExportedCollection {
        slug: collection,
        body,
    } in known
    {
        let folder = from.join(collection);
        if !folder.is_dir() {
            continue;
        }
        let mut files: Vec<PathBuf> = fs::read_dir(&folder)?
            .map(|file| file.map(|file| file.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        for file in files
            .iter()
            .filter(|file| file.extension().is_some_and(|end| end == "md"))
        {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            // Behind a dot is the language.
            let slug = stem.split('.').next().unwrap_or_default();
            let written = fs::read_to_string(file)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            let mut entry = read_markdown(&written, slug, body.as_deref());
            entry["collection"] = json!(collection);
            entries.push(entry);
        }
    }
    Ok(entries)
}

enum SaveOutcome {
    Created,
    Changed,
}

/// The id of the entry with a slug, in a language or else the site's own.
async fn id_of(
    api: &Api,
    collection: &str,
    slug: &str,
    locale: Option<&str>,
) -> Result<Option<String>> {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("collection", collection)
        .append_pair("slug", slug)
        .finish();
    let found = api
        .get(&format!("/admin/api/content/entries?{query}"))
        .await?;
    let mut items = found["items"].as_array().into_iter().flatten();
    let item = items.find(|item| item["locale"].as_str() == locale);
    Ok(item.map(|item| text(item, "id")))
}

/// Creates an entry, or changes the one that has its slug and language.
async fn save(api: &Api, mut entry: Value) -> Result<SaveOutcome> {
    let (collection, slug) = (text(&entry, "collection"), text(&entry, "slug"));
    let locale = entry["locale"].as_str().map(str::to_owned);
    let fields = entry.as_object_mut();
    let fields = fields.context("an entry must be an object")?;
    fields.remove("collection");
    let told = || format!("{collection}/{slug}");
    if let Some(id) = id_of(api, &collection, &slug, locale.as_deref()).await? {
        // Its language is what it was found by.
        fields.remove("locale");
        fields.remove("translationOf");
        let path = format!("/admin/api/content/entries/{id}");
        api.patch(&path, entry).await.with_context(told)?;
        return Ok(SaveOutcome::Changed);
    }
    if let Some(source) = fields.get("translationOf").and_then(Value::as_str) {
        let id = id_of(api, &collection, source, None).await?;
        let id = id.with_context(|| format!("{}: there is no entry `{source}`", told()))?;
        fields.insert("translationOf".to_owned(), json!(id));
    }
    // A new entry is a draft or published; an archived one is archived after that.
    let is_archived = fields.get("status") == Some(&json!("archived"));
    if is_archived {
        fields.remove("status");
    }
    fields.insert("collectionId".to_owned(), json!(collection));
    let made = api.post("/admin/api/content/entries", entry).await;
    let made = made.with_context(told)?;
    if is_archived {
        let path = format!("/admin/api/content/entries/{}", text(&made, "id"));
        api.patch(&path, json!({ "status": "archived" }))
            .await
            .with_context(told)?;
    }
    Ok(SaveOutcome::Created)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{markdown, read_markdown};

    #[test]
    fn an_entry_survives_a_markdown_file() {
        let entry = json!({
            "collection": "blog", "title": "It: works", "slug": "a", "status": "published", "sortOrder": 0,
            "content": { "body": "# One\n\n---\n\nTwo", "author": "Ana", "size": { "width": 3 }, "title": "Inner" },
        });
        let file = markdown(&entry, Some("body"));
        let mut read = read_markdown(&file, "a", Some("body"));
        read["collection"] = json!("blog");
        assert_eq!(read, entry, "{file}");
    }

    #[test]
    fn usual_front_matter_is_understood() {
        let file = "---\ntitle: Hello world\nauthor: Ana\n---\n\nText";
        let expected = json!({ "slug": "x", "title": "Hello world", "content": { "author": "Ana", "body": "Text" } });
        assert_eq!(read_markdown(file, "x", Some("body")), expected);
        let plain = json!({ "slug": "x", "content": { "body": "Text" } });
        assert_eq!(read_markdown("Text\n", "x", Some("body")), plain);
    }
}
