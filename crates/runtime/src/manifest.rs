//! Validates manifests from outside. All problems are reported at once, each with the field and a remedy.
//!
//! It checks the manifest alone. The caller that registers the tool checks whether the name is free and the endpoint allowed.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};
use sitewright_tool::{Scope, ToolManifest, ToolName};

use crate::schema::Schema;

/// A problem with a field of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ManifestProblem {
    /// The field, such as `retryPolicy.maxAttempts`; empty for the manifest itself.
    pub field: String,
    pub problem: String,
    pub remedy: String,
}

impl fmt::Display for ManifestProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = match self.field.as_str() {
            "" => "the manifest",
            field => field,
        };
        write!(out, "`{field}` {}: {}", self.problem, self.remedy)
    }
}

/// What a field may contain.
enum Rule {
    Name,
    Text { chars_max: usize },
    Schema { object: bool },
    Choice(&'static [&'static str]),
    Whole { min: u64, max: u64 },
    Flag,
    Retries,
    Confirmation,
    Scopes,
    Texts,
    Names,
}

enum Need {
    Required,
    Optional,
}

const LIST_MAX: usize = 64;
const WORD_CHARS_MAX: usize = 200;
/// How much of a wrong value is quoted.
const QUOTED_CHARS_MAX: usize = 60;

use Need::{Optional, Required};

const FIELDS: &[(&str, Need, Rule)] = &[
    ("name", Required, Rule::Name),
    ("description", Required, Rule::Text { chars_max: 8_000 }),
    ("inputSchema", Required, Rule::Schema { object: true }),
    ("outputSchema", Required, Rule::Schema { object: false }),
    ("capability", Required, Rule::Choice(&["read", "write"])),
    (
        "timeoutMs",
        Required,
        Rule::Whole {
            min: 250,
            max: 600_000,
        },
    ),
    ("retryPolicy", Required, Rule::Retries),
    ("idempotent", Required, Rule::Flag),
    ("title", Optional, Rule::Text { chars_max: 200 }),
    ("scopes", Optional, Rule::Scopes),
    ("execution", Optional, Rule::Choice(&["server", "browser"])),
    (
        "effect",
        Optional,
        Rule::Choice(&["none", "draft", "durable", "external"]),
    ),
    ("confirmation", Optional, Rule::Confirmation),
    ("cancels", Optional, Rule::Name),
    ("cancelFor", Optional, Rule::Name),
    (
        "compensation",
        Optional,
        Rule::Choice(&["perfect", "best-effort", "manual"]),
    ),
    ("piiRequired", Optional, Rule::Texts),
    ("intentTags", Optional, Rule::Texts),
    ("guidance", Optional, Rule::Text { chars_max: 1_000 }),
    ("heavy", Optional, Rule::Flag),
    ("aliases", Optional, Rule::Names),
    ("enabled", Optional, Rule::Flag),
];

const ATTEMPTS: Rule = Rule::Whole { min: 1, max: 5 };
const BACKOFF: Rule = Rule::Whole {
    min: 0,
    max: 600_000,
};

/// Parses a manifest, or returns everything that is wrong with it.
pub fn check_manifest(manifest: &Value) -> Result<ToolManifest, Vec<ManifestProblem>> {
    let mut problems = Problems::default();
    let Some(fields) = manifest.as_object() else {
        problems.add(
            "",
            "is not an object",
            "send a JSON object with the fields of a manifest",
        );
        return Err(problems.0);
    };
    for (name, need, rule) in FIELDS {
        match (fields.get(*name), need) {
            (Some(value), _) => problems.check(name, value, rule),
            (None, Required) => problems.add(name, "is missing", rule.wants()),
            (None, Optional) => {}
        }
    }
    for name in unknown(
        fields,
        &FIELDS.iter().map(|(name, ..)| *name).collect::<Vec<_>>(),
    ) {
        problems.add(
            &name,
            "is not a field of a manifest",
            "leave it out, or correct its spelling",
        );
    }
    problems.check_together(fields);
    if !problems.0.is_empty() {
        return Err(problems.0);
    }
    // The rules above are stricter than the type; this only guards against the two drifting apart.
    serde_json::from_value(manifest.clone()).map_err(|error| {
        problems.add(
            "",
            &format!("cannot be read ({error})"),
            "correct the field it names",
        );
        problems.0
    })
}

#[derive(Default)]
struct Problems(Vec<ManifestProblem>);

impl Problems {
    fn add(&mut self, field: &str, problem: &str, remedy: impl Into<String>) {
        self.0.push(ManifestProblem {
            field: field.to_owned(),
            problem: problem.to_owned(),
            remedy: remedy.into(),
        });
    }

    fn check(&mut self, field: &str, value: &Value, rule: &Rule) {
        let fits = match rule {
            Rule::Name => is_name(value),
            Rule::Text { chars_max } => is_text(value, *chars_max),
            Rule::Choice(choices) => value.as_str().is_some_and(|text| choices.contains(&text)),
            Rule::Whole { min, max } => value
                .as_u64()
                .is_some_and(|number| (*min..=*max).contains(&number)),
            Rule::Flag => value.is_boolean(),
            Rule::Confirmation => value.as_str().is_some_and(is_confirmation),
            Rule::Scopes => is_list(value, |item| {
                item.as_str()
                    .is_some_and(|text| Scope::ALL.iter().any(|scope| scope.as_str() == text))
            }),
            Rule::Texts => is_list(value, |item| is_text(item, WORD_CHARS_MAX)),
            Rule::Names => is_list(value, is_name),
            Rule::Schema { object } => return self.check_schema(field, value, *object),
            Rule::Retries => return self.check_retries(field, value),
        };
        if !fits {
            self.add(field, &format!("is {}", shown(value)), rule.wants());
        }
    }

    fn check_schema(&mut self, field: &str, value: &Value, object: bool) {
        let wants = Rule::Schema { object }.wants();
        if !value.is_object() {
            return self.add(field, &format!("is {}", shown(value)), wants);
        }
        if let Err(bad) = Schema::compile(value) {
            return self.add(field, &bad.message, wants);
        }
        // Arguments are always an object, and model providers refuse a tool whose schema does not say so.
        if object && value.get("type").and_then(Value::as_str) != Some("object") {
            self.add(
                field,
                "does not say that the input is an object",
                "add \"type\": \"object\" to it",
            );
        }
    }

    fn check_retries(&mut self, field: &str, value: &Value) {
        let Some(fields) = value.as_object() else {
            return self.add(
                field,
                &format!("is {}", shown(value)),
                Rule::Retries.wants(),
            );
        };
        match fields.get("maxAttempts") {
            Some(attempts) => self.check("retryPolicy.maxAttempts", attempts, &ATTEMPTS),
            None => self.add("retryPolicy.maxAttempts", "is missing", ATTEMPTS.wants()),
        }
        if let Some(backoff) = fields.get("backoffMs") {
            self.check("retryPolicy.backoffMs", backoff, &BACKOFF);
        }
        for name in unknown(fields, &["maxAttempts", "backoffMs"]) {
            let field = format!("retryPolicy.{name}");
            self.add(
                &field,
                "is not a field of a retry policy",
                "leave it out, or correct its spelling",
            );
        }
    }

    /// Checks fields that depend on each other.
    fn check_together(&mut self, fields: &Map<String, Value>) {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        if text("capability") == Some("read")
            && text("effect").is_some_and(|effect| effect != "none")
        {
            let remedy = "say `capability: write`, or leave `effect` out";
            self.add(
                "effect",
                "is not `none`, and the tool says that it only reads",
                remedy,
            );
        }
        if text("cancels").is_some() && text("cancels") == text("name") {
            self.add(
                "cancels",
                "names the tool itself",
                "name the tool that takes back what this one did",
            );
        }
    }
}

impl Rule {
    /// What the rule accepts, in words.
    fn wants(&self) -> String {
        match self {
            Self::Name => {
                "use a letter, then up to 127 letters, digits, `.`, `_` or `-`".to_owned()
            }
            Self::Text { chars_max } => format!("give a text of 1 to {chars_max} characters"),
            Self::Schema { object: true } => {
                "give a JSON Schema 2020-12 of the input, at least {\"type\": \"object\"}"
                    .to_owned()
            }
            Self::Schema { object: false } => {
                "give a JSON Schema 2020-12 of the answer as an object, at least {}".to_owned()
            }
            Self::Choice(choices) => format!("choose one of `{}`", choices.join("`, `")),
            Self::Whole { min, max } => format!("give a whole number from {min} to {max}"),
            Self::Flag => "say true or false".to_owned(),
            Self::Retries => {
                "give an object such as {\"maxAttempts\": 2, \"backoffMs\": 200}".to_owned()
            }
            Self::Confirmation => {
                "say `none`, `preview`, or `structured-` and a kind, such as `structured-cart`"
                    .to_owned()
            }
            Self::Scopes => {
                "give a list of `site`, `content`, `data` and `plugin`, or leave it out".to_owned()
            }
            Self::Texts => {
                format!(
                    "give a list of at most {LIST_MAX} texts of 1 to {WORD_CHARS_MAX} characters"
                )
            }
            Self::Names => format!("give a list of at most {LIST_MAX} names of tools"),
        }
    }
}

fn is_name(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.parse::<ToolName>().is_ok())
}

fn is_text(value: &Value, chars_max: usize) -> bool {
    value.as_str().is_some_and(|text| {
        // Bytes first, so that the characters of a huge text are not counted.
        !text.trim().is_empty() && text.len() <= 4 * chars_max && text.chars().count() <= chars_max
    })
}

fn is_list(value: &Value, fits: impl Fn(&Value) -> bool) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.len() <= LIST_MAX && items.iter().all(fits))
}

fn is_confirmation(text: &str) -> bool {
    let is_kind = |kind: &str| {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=64).contains(&kind.len()) && kind.bytes().all(fits)
    };
    matches!(text, "none" | "preview") || text.strip_prefix("structured-").is_some_and(is_kind)
}

/// At most [`LIST_MAX`] unknown names, shortened.
fn unknown(fields: &Map<String, Value>, known: &[&str]) -> Vec<String> {
    let names = fields.keys().filter(|name| !known.contains(&name.as_str()));
    names.take(LIST_MAX).map(|name| shortened(name)).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.trim().is_empty() => "empty".to_owned(),
        Value::String(text) => format!("\"{}\"", shortened(text)),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let short: String = characters.by_ref().take(QUOTED_CHARS_MAX).collect();
    match characters.next() {
        Some(_) => format!("{short}…"),
        None => short,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ManifestProblem, check_manifest};

    fn vendor() -> Value {
        json!({
            "name": "pim.getProduct", "description": "A product by its number", "inputSchema": { "type": "object" },
            "outputSchema": { "type": "object" }, "capability": "read", "timeoutMs": 3000,
            "retryPolicy": { "maxAttempts": 2 }, "idempotent": true
        })
    }

    fn problems(manifest: &Value) -> Vec<String> {
        let problems = check_manifest(manifest).unwrap_err();
        problems.iter().map(ToString::to_string).collect()
    }

    fn check_field(field: &str, value: Value, expected: &str) {
        let mut manifest = vendor();
        manifest[field] = value;
        assert_eq!(problems(&manifest), [expected]);
    }

    #[test]
    fn the_eight_fields_make_a_manifest_and_each_is_needed() {
        let manifest = check_manifest(&vendor()).unwrap();
        assert_eq!(manifest.name.as_str(), "pim.getProduct");
        for field in vendor().as_object().unwrap().keys() {
            let mut without = vendor();
            without.as_object_mut().unwrap().shift_remove(field);
            let found = check_manifest(&without).unwrap_err();
            let [
                ManifestProblem {
                    field: named,
                    problem,
                    remedy,
                },
            ] = found.as_slice()
            else {
                panic!("{found:?}");
            };
            assert_eq!((named, problem.as_str()), (field, "is missing"));
            assert!(!remedy.is_empty());
        }
    }

    #[test]
    fn every_known_field_may_be_given_and_is_read() {
        let mut manifest = vendor();
        let more = json!({
            "title": "Product", "scopes": ["content"], "execution": "server", "effect": "none", "confirmation": "structured-cart",
            "cancels": "pim.release", "cancelFor": "pim.reserve", "compensation": "best-effort", "piiRequired": ["email"],
            "intentTags": ["shop"], "guidance": "By number, not by name.", "heavy": true, "aliases": ["getProduct"],
            "enabled": false
        });
        manifest
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let read = serde_json::to_value(check_manifest(&manifest).unwrap()).unwrap();
        assert_eq!(read, manifest);
        assert_eq!(manifest.as_object().unwrap().len(), super::FIELDS.len());
    }

    #[test]
    fn a_wrong_field_is_told_with_its_remedy() {
        let name = "use a letter, then up to 127 letters, digits, `.`, `_` or `-`";
        check_field(
            "name",
            json!("__proto__"),
            &format!("`name` is \"__proto__\": {name}"),
        );
        check_field(
            "name",
            json!("a".repeat(129)),
            &format!("`name` is \"{}…\": {name}", "a".repeat(60)),
        );
        check_field(
            "name",
            json!(["a"]),
            &format!("`name` is a list of 1: {name}"),
        );
        check_field(
            "description",
            json!(" "),
            "`description` is empty: give a text of 1 to 8000 characters",
        );
        check_field(
            "description",
            json!("x".repeat(9_000_000)),
            &format!(
                "`description` is \"{}…\": give a text of 1 to 8000 characters",
                "x".repeat(60)
            ),
        );
        check_field(
            "capability",
            json!("admin"),
            "`capability` is \"admin\": choose one of `read`, `write`",
        );
        let timeout = "give a whole number from 250 to 600000";
        check_field(
            "timeoutMs",
            json!(249),
            &format!("`timeoutMs` is 249: {timeout}"),
        );
        check_field(
            "timeoutMs",
            json!(600_001),
            &format!("`timeoutMs` is 600001: {timeout}"),
        );
        check_field(
            "timeoutMs",
            json!(250.5),
            &format!("`timeoutMs` is 250.5: {timeout}"),
        );
        check_field(
            "timeoutMs",
            json!("3000"),
            &format!("`timeoutMs` is \"3000\": {timeout}"),
        );
        check_field(
            "timeoutMs",
            json!(-1),
            &format!("`timeoutMs` is -1: {timeout}"),
        );
        check_field(
            "idempotent",
            json!("yes"),
            "`idempotent` is \"yes\": say true or false",
        );
    }

    #[test]
    fn a_wrong_choice_is_told_with_the_choices() {
        check_field(
            "confirmation",
            json!("structured-"),
            "`confirmation` is \"structured-\": say `none`, `preview`, or `structured-` and a kind, such as `structured-cart`",
        );
        check_field(
            "scopes",
            json!(["site", "shop"]),
            "`scopes` is a list of 2: give a list of `site`, `content`, `data` and `plugin`, or leave it out",
        );
        check_field(
            "endpont",
            json!("x"),
            "`endpont` is not a field of a manifest: leave it out, or correct its spelling",
        );
        check_field(
            "effect",
            json!("external"),
            "`effect` is not `none`, and the tool says that it only reads: say `capability: write`, or leave `effect` out",
        );
    }

    #[test]
    fn a_retry_policy_is_bounded() {
        let attempts = "give a whole number from 1 to 5";
        for (count, shown) in [
            (json!(0), "0"),
            (json!(6), "6"),
            (json!(1.5), "1.5"),
            (json!(u64::MAX), "18446744073709551615"),
        ] {
            check_field(
                "retryPolicy",
                json!({ "maxAttempts": count }),
                &format!("`retryPolicy.maxAttempts` is {shown}: {attempts}"),
            );
        }
        check_field(
            "retryPolicy",
            json!({}),
            &format!("`retryPolicy.maxAttempts` is missing: {attempts}"),
        );
        check_field(
            "retryPolicy",
            json!({ "maxAttempts": 1, "backoffMs": -5 }),
            "`retryPolicy.backoffMs` is -5: give a whole number from 0 to 600000",
        );
        check_field(
            "retryPolicy",
            json!({ "maxAttempts": 1, "jitter": true }),
            "`retryPolicy.jitter` is not a field of a retry policy: leave it out, or correct its spelling",
        );
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        let input = "give a JSON Schema 2020-12 of the input, at least {\"type\": \"object\"}";
        check_field(
            "inputSchema",
            json!(true),
            &format!("`inputSchema` is true: {input}"),
        );
        check_field(
            "inputSchema",
            json!({ "type": "string" }),
            "`inputSchema` does not say that the input is an object: add \"type\": \"object\" to it",
        );
        check_field(
            "inputSchema",
            json!({ "type": "object", "required": "sku" }),
            &format!(
                "`inputSchema` is not a JSON Schema 2020-12: `/required` must be a list, and is \"sku\": {input}"
            ),
        );
        let output = "give a JSON Schema 2020-12 of the answer as an object, at least {}";
        let mut deep = json!({});
        for _ in 0..100 {
            deep = json!({ "not": deep });
        }
        check_field(
            "outputSchema",
            deep,
            &format!(
                "`outputSchema` is nested more than 64 levels deep: move parts of it to `$defs`: {output}"
            ),
        );
        check_field(
            "outputSchema",
            json!({ "description": "x".repeat(300_000) }),
            &format!(
                "`outputSchema` is 300018 bytes long, and 262144 are allowed: leave out what the tool does not need: {output}"
            ),
        );
        let recursive = json!({ "type": "object", "properties": { "child": { "$ref": "#" } } });
        let mut manifest = vendor();
        manifest["outputSchema"] = recursive;
        check_manifest(&manifest).unwrap();
    }

    #[test]
    fn everything_wrong_is_told_at_once() {
        let fields: Vec<String> = check_manifest(&json!({ "name": "a b", "timeoutMs": 1 }))
            .unwrap_err()
            .into_iter()
            .map(|problem| problem.field)
            .collect();
        assert_eq!(
            fields,
            [
                "name",
                "description",
                "inputSchema",
                "outputSchema",
                "capability",
                "timeoutMs",
                "retryPolicy",
                "idempotent"
            ]
        );
        assert_eq!(
            problems(&json!([])),
            ["`the manifest` is not an object: send a JSON object with the fields of a manifest"]
        );
    }
}
