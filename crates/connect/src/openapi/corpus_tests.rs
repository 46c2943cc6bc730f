//! Documents of real services: each is imported with all its operations, within time and memory, and what comes of it is checked against
//! the document. `cargo xtask soak openapi` fetches some thousands and names their folder; without it, the examples of this repository
//! are checked.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sitewright_runtime::Schema;
use sitewright_testkit::packages::Package;
use sitewright_testkit::processor::timed;

use super::parameter::Location;
use super::request::{RequestPlan, WrittenRequest};
use super::{Bundle, ImportedTool, OperationChoice, import};

/// `all`, or a number: only every so manyth document, without a limit of time, for a build that is not optimised.
const CORPUS: &str = "SITEWRIGHT_OPENAPI_CORPUS";
/// Of one import, on the processor.
const SECONDS_MAX: f64 = 2.0;
const MEMORY_MAX: u64 = 200 * 1024 * 1024;
/// How deep a sample goes before it leaves out what is not required.
const SAMPLE_DEPTH: usize = 12;

#[derive(Default)]
struct Totals {
    documents: usize,
    tools: usize,
    requests: usize,
    refused: BTreeMap<&'static str, usize>,
    problems: Vec<String>,
    slowest: f64,
    largest: u64,
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the long version of this test is told to run by its environment"
)]
fn real_documents_import_within_limits() {
    let corpus = std::env::var(CORPUS).ok();
    let every: usize = corpus
        .as_deref()
        .and_then(|every| every.parse().ok())
        .unwrap_or(1);
    let is_timed = corpus.as_deref() == Some("all");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    match corpus.is_some() {
        true => {
            for package in Package::locked(&root.join("tests/openapi_packages.json")) {
                collect(
                    &package.locate().expect("it was fetched").join("api"),
                    &mut files,
                );
            }
            assert!(
                files.len() >= 300,
                "there are only {} documents",
                files.len()
            );
        }
        false => collect(&root.join("../../examples/travel"), &mut files),
    }
    files.sort();
    let mut totals = Totals::default();
    for file in files.iter().step_by(every) {
        check(file, is_timed, &mut totals);
    }
    println!(
        "{} documents, {} tools, {} requests; refused: {:?}; slowest {:.2} s, most memory {} MB",
        totals.documents,
        totals.tools,
        totals.requests,
        totals.refused,
        totals.slowest,
        totals.largest / 1024 / 1024
    );
    assert!(totals.tools > 0 && totals.requests > 0);
    let shown: Vec<&String> = totals.problems.iter().take(40).collect();
    assert!(
        totals.problems.is_empty(),
        "{} problems: {shown:#?}",
        totals.problems.len()
    );
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            _ if path.is_dir() => collect(&path, files),
            Some("json" | "yaml" | "yml") => files.push(path),
            _ => {}
        }
    }
}

fn check(file: &Path, is_timed: bool, totals: &mut Totals) {
    let name = file.display().to_string();
    let text = fs::read_to_string(file).expect("a text");
    let bundle = Bundle::single(name.clone(), text);
    totals.documents += 1;
    reset_peak();
    let before = memory("VmRSS:");
    let (imported, time) =
        timed(|| catch_unwind(AssertUnwindSafe(|| import(&bundle, &OperationChoice::All))));
    let seconds = time.as_secs_f64();
    let used = memory("VmHWM:").saturating_sub(before);
    let Ok(imported) = imported else {
        totals.problems.push(format!("{name}: it panicked"));
        return;
    };
    totals.slowest = totals.slowest.max(seconds);
    totals.largest = totals.largest.max(used);
    if is_timed && seconds > SECONDS_MAX {
        totals.problems.push(format!("{name}: {seconds:.1} s"));
    }
    if used > MEMORY_MAX {
        totals
            .problems
            .push(format!("{name}: {used} bytes of memory"));
    }
    if imported.tools.is_empty()
        && let Some(first) = imported.findings.first()
    {
        *totals.refused.entry(first.code).or_default() += 1;
    }
    let document: Value = super::source::Source::parse(&bundle.files[&name])
        .map(|source| source.value)
        .unwrap_or_default();
    for tool in &imported.tools {
        totals.tools += 1;
        let checked = check_tool(tool, &document);
        match checked {
            Ok(is_sent) => totals.requests += usize::from(is_sent),
            Err(problem) => {
                let tool = tool.definition.name();
                totals.problems.push(format!("{name}: {tool}: {problem}"));
            }
        }
    }
}

/// Checks the schemas of a tool and a request made of a sample. Returns false if no sample could be made.
fn check_tool(tool: &ImportedTool, document: &Value) -> Result<bool, String> {
    let manifest = &tool.definition.manifest;
    let input = Schema::compile(&manifest.input_schema)
        .map_err(|error| format!("its input schema is invalid: {error}"))?;
    Schema::compile(&manifest.output_schema)
        .map_err(|error| format!("its output schema is invalid: {error}"))?;
    let Value::Object(arguments) = sample(&manifest.input_schema, &manifest.input_schema, 0) else {
        return Ok(false);
    };
    if input.check(&Value::Object(arguments.clone())).is_err() {
        return Ok(false);
    }
    let written = tool.request.write(&arguments)?;
    check_request(&tool.request, &written, (document, &arguments))?;
    Ok(true)
}

/// Whether a request is one that its document describes.
fn check_request(
    plan: &RequestPlan,
    written: &WrittenRequest,
    (document, arguments): (&Value, &Map<String, Value>),
) -> Result<(), String> {
    let item = follow(document, &document["paths"][&plan.path]);
    let operation = &item[plan.method];
    if !operation.is_object() {
        return Err(format!(
            "{} {} is not in the document",
            plan.method, plan.path
        ));
    }
    let (path, query) = written
        .target
        .split_once('?')
        .unwrap_or((&written.target, ""));
    if path.contains(['{', '}', ' ']) {
        return Err(format!("{path} is no path"));
    }
    let declared = [&item["parameters"], &operation["parameters"]];
    for parameter in declared.iter().flat_map(|list| list.as_array()).flatten() {
        let parameter = follow(document, parameter);
        let name = parameter["name"].as_str().unwrap_or_default();
        let planned = plan.parameters.iter().find(|planned| {
            let place = match planned.location {
                Location::Path => "path",
                Location::Query => "query",
                Location::Header => "header",
                Location::Cookie => "cookie",
            };
            planned.name.eq_ignore_ascii_case(name) && parameter["in"] == place
        });
        let Some(planned) = planned else { continue };
        let given = arguments.get(&planned.argument);
        let is_missing = match planned.location {
            Location::Query => given.is_some_and(is_scalar) && query.is_empty(),
            Location::Header => given.is_some() && !written.headers.contains_key(name),
            Location::Path | Location::Cookie => false,
        };
        if is_missing {
            return Err(format!("`{name}` was given and is not in the request"));
        }
    }
    check_body(document, operation, written)
}

fn check_body(document: &Value, operation: &Value, written: &WrittenRequest) -> Result<(), String> {
    let Some(kind) = written.headers.get("content-type") else {
        return Ok(());
    };
    let kind = kind.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let body = follow(document, &operation["requestBody"]);
    let Some(kinds) = body["content"].as_object() else {
        return Err(format!(
            "a body of {kind} is sent, and the document has none"
        ));
    };
    let is_declared = kinds.keys().any(|declared| {
        let declared = declared.split(';').next().unwrap_or_default().trim();
        let family = declared.strip_suffix('*');
        declared.eq_ignore_ascii_case(kind)
            || family.is_some_and(|family| kind.starts_with(family) || family == "*/")
    });
    match is_declared {
        true => Ok(()),
        false => Err(format!(
            "a body of {kind} is sent, and the document has {:?}",
            kinds.keys()
        )),
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array() && !value.is_null()
}

fn follow<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let mut value = value;
    for _ in 0..32 {
        let Some(reference) = value["$ref"].as_str() else {
            return value;
        };
        let pointer = reference.trim_start_matches('#');
        let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8_lossy();
        value = document.pointer(&pointer).unwrap_or(&Value::Null);
    }
    value
}

/// A value that a schema should accept: what is required, as small as possible.
fn sample(schema: &Value, root: &Value, depth: usize) -> Value {
    if depth > SAMPLE_DEPTH {
        return Value::Null;
    }
    if let Some(pointer) = schema["$ref"]
        .as_str()
        .and_then(|text| text.strip_prefix('#'))
    {
        let target = root.pointer(pointer).unwrap_or(&Value::Null);
        return sample(target, root, depth + 1);
    }
    for fixed in ["const", "default", "example"] {
        if !schema[fixed].is_null() {
            return schema[fixed].clone();
        }
    }
    if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(first) = schema[choice]
            .as_array()
            .and_then(|choices| choices.first())
            && schema["properties"].is_null()
        {
            return sample(first, root, depth + 1);
        }
    }
    if let Some(parts) = schema["allOf"].as_array()
        && schema["properties"].is_null()
    {
        let mut all = Map::new();
        for part in parts {
            match sample(part, root, depth + 1) {
                Value::Object(fields) => all.extend(fields),
                Value::Null => {}
                other => return other,
            }
        }
        return Value::Object(all);
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.first().and_then(Value::as_str),
        kind => kind.as_str(),
    };
    sample_of(kind, schema, root, depth)
}

fn sample_of(kind: Option<&str>, schema: &Value, root: &Value, depth: usize) -> Value {
    let number = |name: &str| schema[name].as_f64();
    match kind {
        Some("string") => {
            let least = schema["minLength"].as_u64().unwrap_or(1).clamp(1, 4096);
            json!("a".repeat(usize::try_from(least).unwrap_or(1)))
        }
        Some("integer" | "number") => {
            let least = number("minimum").unwrap_or_else(|| number("maximum").unwrap_or(1.0));
            json!(least.ceil().clamp(-9e15, 9e15) as i64)
        }
        Some("boolean") => json!(true),
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or(0).min(4);
            let items = (0..least).map(|_| sample(&schema["items"], root, depth + 1));
            Value::Array(items.collect())
        }
        Some("null") => Value::Null,
        _ if kind == Some("object") || schema["properties"].is_object() => {
            let required = schema["required"].as_array().into_iter().flatten();
            let fields = required.filter_map(Value::as_str).map(|name| {
                let value = sample(&schema["properties"][name], root, depth + 1);
                (name.to_owned(), value)
            });
            Value::Object(fields.collect())
        }
        _ => json!("a"),
    }
}

fn memory(line: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found = text.lines().find_map(|found| found.strip_prefix(line));
    let kilobytes =
        found.and_then(|found| found.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// Lets the peak of the memory start over.
fn reset_peak() {
    // Where the kernel does not allow it, the peak is that of all documents, which is no less than that of one.
    drop(fs::write("/proc/self/clear_refs", "5"));
}
