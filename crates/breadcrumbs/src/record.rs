//! Records as callers write and read them, and their limits.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use sitewright_store::{Breadcrumb, Sensitivity, Timestamp, Visibility};
use sitewright_tool::Taint;

use crate::{BreadcrumbError, FieldProblem};

const TITLE_CHARS_MAX: usize = 300;
const TAGS_MAX: usize = 50;
const TAG_CHARS_MAX: usize = 200;
const SCHEMA_NAME_CHARS_MAX: usize = 100;
const CONTEXT_BYTES_MAX: usize = 1024 * 1024;
/// Ten years.
const TTL_SECONDS_MAX: i64 = 10 * 366 * 24 * 60 * 60;
const SEARCH_BYTES_MAX: usize = 8 * 1024;

/// A record to create.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRecord {
    /// What kind of record it is, such as `agent.response.v1`.
    pub schema_name: String,
    /// What it is called.
    pub title: String,
    /// Words by which it is found. `session:` and an id put it into a session.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Its content.
    #[serde(default)]
    pub context: Map<String, Value>,
    /// `public`, `team` (the default), or `private` for nobody but yourself.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = ["public", "team", "private"]))]
    pub visibility: Visibility,
    /// `low` (the default), `pii` or `secret`; the content of the latter two is not shown to models.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = ["low", "pii", "secret"]))]
    pub sensitivity: Sensitivity,
    /// How many seconds it is kept after it was last written; for ever when left out.
    #[serde(default)]
    pub ttl: Option<i64>,
}

/// What is sent to create a record: the record itself, or `{ "action": "create", "breadcrumb": { … } }`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostedRecord {
    /// `create`.
    #[serde(default)]
    action: Option<String>,
    /// The record.
    #[serde(default)]
    breadcrumb: Option<NewRecord>,
    #[serde(default)]
    schema_name: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default, deserialize_with = "given")]
    tags: Option<Vec<String>>,
    #[serde(default, deserialize_with = "given")]
    context: Option<Map<String, Value>>,
    #[serde(default, deserialize_with = "given")]
    visibility: Option<Visibility>,
    #[serde(default, deserialize_with = "given")]
    sensitivity: Option<Sensitivity>,
    #[serde(default)]
    ttl: Option<i64>,
}

/// The second form of [`PostedRecord`].
#[derive(JsonSchema)]
#[schemars(rename = "RecordInAction", deny_unknown_fields)]
#[expect(dead_code, reason = "it is a schema only")]
struct RecordInAction {
    /// What to do.
    #[schemars(extend("enum" = ["create", null]))]
    action: Option<String>,
    /// The record.
    breadcrumb: NewRecord,
}

impl JsonSchema for PostedRecord {
    fn schema_name() -> Cow<'static, str> {
        "PostedRecord".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let forms = [
            generator.subschema_for::<NewRecord>(),
            generator.subschema_for::<RecordInAction>(),
        ];
        json_schema!({ "anyOf": forms })
    }
}

impl PostedRecord {
    /// The record to create.
    pub fn record(self) -> Result<NewRecord, BreadcrumbError> {
        if let Some(action) = self.action.as_deref().filter(|action| *action != "create") {
            let shown: String = action.chars().take(60).collect();
            let message = format!("`{shown}` is no action: write `create`.");
            return Err(BreadcrumbError::field("action", message));
        }
        let is_bare = self.schema_name.is_some() || self.title.is_some() || self.context.is_some();
        match self.breadcrumb {
            Some(_) if is_bare => Err(BreadcrumbError::field(
                "breadcrumb",
                "The record is given twice: in `breadcrumb` and beside it.",
            )),
            Some(record) => Ok(record),
            None if self.action.is_some() => Err(BreadcrumbError::field(
                "breadcrumb",
                "`breadcrumb` is missing.",
            )),
            None => Ok(NewRecord {
                schema_name: self.schema_name.ok_or_else(|| missing("schema_name"))?,
                title: self.title.ok_or_else(|| missing("title"))?,
                tags: self.tags.unwrap_or_default(),
                context: self.context.unwrap_or_default(),
                visibility: self.visibility.unwrap_or_default(),
                sensitivity: self.sensitivity.unwrap_or_default(),
                ttl: self.ttl,
            }),
        }
    }
}

/// A field that is there has a value: `null` is refused, as in a record itself.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(field: D) -> Result<Option<T>, D::Error> {
    T::deserialize(field).map(Some)
}

fn missing(field: &str) -> BreadcrumbError {
    BreadcrumbError::field(field, format!("`{field}` is missing."))
}

/// What to change of a record. Fields that are left out stay as they are.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordPatch {
    /// The version that is changed; the current one.
    pub version: i64,
    /// What it is called.
    #[serde(default)]
    pub title: Option<String>,
    /// All its tags.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// All its content.
    #[serde(default)]
    pub context: Option<Map<String, Value>>,
    /// `public`, `team` or `private`.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("enum" = ["public", "team", "private", null]))]
    pub visibility: Option<Visibility>,
    /// `low`, `pii` or `secret`.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("enum" = ["low", "pii", "secret", null]))]
    pub sensitivity: Option<Sensitivity>,
    /// How many seconds it is kept after this.
    #[serde(default)]
    pub ttl: Option<i64>,
}

/// A record as it is answered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RecordView {
    pub id: String,
    /// What kind of record it is.
    pub schema_name: String,
    pub title: String,
    pub tags: Vec<String>,
    /// Its content. Values that are stored encrypted are `{"sealed": true}`.
    pub context: Value,
    /// Counted up by every change.
    pub version: i64,
    /// `public`, `team` or `private`.
    pub visibility: String,
    /// `low`, `pii` or `secret`.
    pub sensitivity: String,
    /// How many seconds it is kept after it was last written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<i64>,
    /// When it is deleted, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// Whether content is left out of this view.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// Whether anything in it came from outside.
    pub untrusted: bool,
    /// The number of the event that created it.
    pub seq: i64,
    pub owner: String,
    pub created_by: String,
    /// In ms since 1970.
    pub created_at: i64,
    pub updated_by: String,
    /// In ms since 1970.
    pub updated_at: i64,
}

impl RecordView {
    /// Everything but what is stored encrypted.
    pub fn full(record: Breadcrumb) -> Self {
        Self {
            id: record.id.to_string(),
            schema_name: record.schema_name,
            title: record.title,
            tags: record.tags,
            context: record.context,
            version: record.version,
            visibility: record.visibility.as_str().to_owned(),
            sensitivity: record.sensitivity.as_str().to_owned(),
            ttl: record.ttl,
            expires_at: record.expires_at.map(Timestamp::millis),
            withheld: false,
            untrusted: record.taint == Taint::Untrusted,
            seq: record.seq,
            owner: record.owner,
            created_by: record.created_by.to_string(),
            created_at: record.created_at.millis(),
            updated_by: record.updated_by.to_string(),
            updated_at: record.updated_at.millis(),
        }
    }

    /// What a model may see: without the content of sensitive records, and with the fields that `llm_hints` choose.
    pub fn for_model(record: Breadcrumb) -> Self {
        let is_sensitive = record.sensitivity != Sensitivity::Low;
        let mut view = Self::full(record);
        if is_sensitive {
            view.context = Value::Object(Map::new());
            view.withheld = true;
            return view;
        }
        let Some(fields) = view.context.as_object_mut() else {
            return view;
        };
        let Some(hints) = fields.remove("llm_hints") else {
            return view;
        };
        let names = |name: &str| -> Option<Vec<String>> {
            serde_json::from_value(hints.get(name)?.clone()).ok()
        };
        let before = fields.len();
        if let Some(include) = names("include") {
            fields.retain(|name, _| include.contains(name));
        }
        if let Some(exclude) = names("exclude") {
            fields.retain(|name, _| !exclude.contains(name));
        }
        view.withheld = fields.len() < before;
        view
    }
}

/// Checks what every record must keep to, whatever its schema.
pub(crate) fn check_limits(record: &NewRecord) -> Vec<FieldProblem> {
    let mut problems = Vec::new();
    let mut say = |field: &str, message: String| {
        problems.push(FieldProblem {
            field: field.to_owned(),
            message,
        });
    };
    let is_name =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    let name = &record.schema_name;
    if name.is_empty() || name.len() > SCHEMA_NAME_CHARS_MAX || !name.chars().all(is_name) {
        say(
            "schema_name",
            format!(
                "`schema_name` must be 1 to {SCHEMA_NAME_CHARS_MAX} letters, digits, `.`, `_` or `-`, such as `note.v1`."
            ),
        );
    }
    if record.title.trim().is_empty() || record.title.chars().count() > TITLE_CHARS_MAX {
        say(
            "title",
            format!("`title` must have 1 to {TITLE_CHARS_MAX} characters."),
        );
    }
    if record.tags.len() > TAGS_MAX {
        say("tags", format!("A record has at most {TAGS_MAX} tags."));
    }
    for (at, tag) in record.tags.iter().enumerate() {
        let is_good = !tag.trim().is_empty()
            && tag.chars().count() <= TAG_CHARS_MAX
            && !tag.contains(|character: char| character.is_control() || character == ',');
        if !is_good {
            say(
                &format!("tags[{at}]"),
                format!("A tag has 1 to {TAG_CHARS_MAX} characters, and no comma or line break."),
            );
        }
    }
    if let Some(ttl) = record.ttl
        && !(1..=TTL_SECONDS_MAX).contains(&ttl)
    {
        say(
            "ttl",
            "`ttl` is a number of seconds, from 1 to ten years.".to_owned(),
        );
    }
    let bytes = Value::Object(record.context.clone()).to_string().len();
    if bytes > CONTEXT_BYTES_MAX {
        say(
            "context",
            format!("`context` has {bytes} bytes; the most is {CONTEXT_BYTES_MAX}."),
        );
    }
    problems
}

/// The text by which a record is found; nothing for a record whose content must not be found.
pub(crate) fn search_text(record: &NewRecord) -> String {
    let mut text = format!("{} {}", record.title, record.schema_name);
    if record.sensitivity == Sensitivity::Low {
        let mut pending: Vec<&Value> = record.context.values().collect();
        while let Some(value) = pending.pop() {
            if text.len() > SEARCH_BYTES_MAX {
                break;
            }
            match value {
                Value::String(more) => {
                    text.push(' ');
                    text.extend(more.chars().take(SEARCH_BYTES_MAX));
                }
                Value::Number(number) => text.push_str(&format!(" {number}")),
                Value::Array(items) => pending.extend(items),
                Value::Object(fields) => pending.extend(fields.values()),
                Value::Null | Value::Bool(_) => {}
            }
        }
    }
    text.to_lowercase()
}
