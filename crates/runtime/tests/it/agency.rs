//! A travel agency: tools that book and cancel. What it did are lines in memory or in a file, which outlives the process.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use sitewright_runtime::{
    Attempt, Delivery, Failure, Outside, Pipeline, Tool, ToolOutput, ToolSource, vendor_key,
};
use sitewright_tool::{Definition, ErrorCode, ToolError, ToolManifest};

pub(crate) struct Agency {
    file: Option<PathBuf>,
    memory: Mutex<Vec<String>>,
    failing_cancels: AtomicU32,
}

impl Agency {
    pub(crate) fn in_memory() -> Self {
        Self {
            file: None,
            memory: Mutex::default(),
            failing_cancels: AtomicU32::new(0),
        }
    }

    pub(crate) fn in_file(path: PathBuf) -> Self {
        Self {
            file: Some(path),
            ..Self::in_memory()
        }
    }

    /// Lets the next cancellations fail with an error that may pass.
    pub(crate) fn fail_cancels(&self, count: u32) {
        self.failing_cancels.store(count, Ordering::SeqCst);
    }

    /// What it did, in order: `book what` and `cancel what`.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.all().into_iter();
        let lines = lines.map(|line| line.split(" key ").next().unwrap_or_default().to_owned());
        lines.collect()
    }

    /// Every line with the key under which it was done.
    pub(crate) fn all(&self) -> Vec<String> {
        match &self.file {
            Some(path) => {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                text.lines().map(str::to_owned).collect()
            }
            None => self
                .memory
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        }
    }

    /// What is booked and not cancelled.
    pub(crate) fn kept(&self) -> Vec<String> {
        let mut kept = BTreeSet::new();
        for line in self.lines() {
            match line.split_once(' ') {
                Some(("book", what)) => kept.insert(what.to_owned()),
                Some((_, what)) => kept.remove(what),
                None => false,
            };
        }
        kept.into_iter().collect()
    }

    fn add(&self, line: &str) {
        match &self.file {
            Some(path) => {
                let file = std::fs::OpenOptions::new()
                    .append(true)
                    .create(true)
                    .open(path);
                let mut file = file.expect("the effects");
                file.write_all(format!("{line}\n").as_bytes())
                    .expect("an effect");
            }
            None => {
                let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
                memory.push(line.to_owned());
            }
        }
    }
}

/// How one of its tools works.
#[derive(Clone, Copy, PartialEq)]
enum Desk {
    Book,
    Cancel,
}

struct Work {
    agency: Arc<Agency>,
    desk: Desk,
    name: &'static str,
    honours_keys: bool,
}

/// Registers `book` and `cancel`, `book_by_key` and `cancel_by_key`, `book_safely`, which recognises keys, `book_confirmed`, which asks a
/// person, and `post`, which cannot be taken back.
pub(crate) fn connect_agency(pipeline: &Pipeline, agency: &Arc<Agency>) -> anyhow::Result<()> {
    for (name, desk, cancel, is_safe) in [
        ("book", Desk::Book, Some("cancel"), false),
        ("cancel", Desk::Cancel, None, false),
        ("book_by_key", Desk::Book, Some("cancel_by_key"), false),
        ("cancel_by_key", Desk::Cancel, None, false),
        ("book_safely", Desk::Book, Some("cancel"), true),
        ("book_confirmed", Desk::Book, Some("cancel"), false),
        ("post", Desk::Book, None, false),
    ] {
        let mut manifest = json!({
            "name": name, "description": "A desk of the agency.", "capability": "write", "timeoutMs": 2000,
            "inputSchema": { "type": "object", "required": ["what"], "properties": { "what": { "type": "string" } } },
            "outputSchema": { "type": "object" }, "idempotent": is_safe, "retryPolicy": { "maxAttempts": 1 },
        });
        if name == "cancel" {
            manifest["inputSchema"] = json!({
                "type": "object", "required": ["booking"], "properties": { "booking": {}, "what": {}, "cancel": {} },
            });
        }
        if name == "book_confirmed" {
            manifest["confirmation"] = json!("structured-booking");
        }
        if name == "cancel_by_key" {
            manifest["inputSchema"] = json!({ "type": "object" });
        }
        if let Some(cancel) = cancel {
            manifest["cancels"] = json!(cancel);
        }
        let manifest: ToolManifest = serde_json::from_value(manifest)?;
        let mut definition = Definition::imported(manifest);
        definition.rollback.takes_everything = name == "cancel_by_key";
        let work = Work {
            agency: Arc::clone(agency),
            desk,
            name,
            honours_keys: is_safe,
        };
        pipeline
            .tools()
            .register(ToolSource::File, Tool::new(definition, work))?;
    }
    Ok(())
}

fn failure(code: ErrorCode, delivery: Delivery) -> Failure {
    Failure {
        error: ToolError::new(code, "The agency said so."),
        delivery,
        retry_after: None,
    }
}

impl Work {
    #[expect(clippy::result_large_err, reason = "the form of `Outside::run`")]
    fn cancel(&self, input: &Value) -> Result<ToolOutput, Failure> {
        let busy = &self.agency.failing_cancels;
        let was_busy = busy.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            left.checked_sub(1)
        });
        if was_busy.is_ok() {
            return Err(failure(ErrorCode::UpstreamError, Delivery::Answered));
        }
        if input["cancel"] == "refuse" {
            return Err(failure(ErrorCode::InvalidInput, Delivery::Answered));
        }
        let key = match self.name {
            "cancel_by_key" => input["idempotency_key"].as_str(),
            _ => input["booking"].as_str(),
        };
        let booked = self.agency.all().into_iter().find_map(|line| {
            let (what, its_key) = line.strip_prefix("book ")?.split_once(" key ")?;
            (Some(its_key) == key).then(|| what.to_owned())
        });
        let Some(what) = booked else {
            return Err(failure(ErrorCode::NotFound, Delivery::Answered));
        };
        let is_cancelled = self.agency.all().iter().any(|line| {
            Some(line.as_str()) == key.map(|key| format!("cancel {what} key {key}")).as_deref()
        });
        if !is_cancelled {
            self.agency
                .add(&format!("cancel {what} key {}", key.unwrap_or_default()));
        }
        Ok(json!({ "cancelled": true }).into())
    }

    #[expect(clippy::result_large_err, reason = "the form of `Outside::run`")]
    fn book(&self, input: &Value, key: &str) -> Result<ToolOutput, Failure> {
        let what = input["what"].as_str().unwrap_or_default();
        if input["behaviour"] == "refuse" {
            return Err(failure(ErrorCode::InvalidInput, Delivery::Answered));
        }
        let line = format!("book {what} key {key}");
        let is_known = self.agency.all().contains(&line);
        if !(self.honours_keys && is_known) {
            self.agency.add(&line);
        }
        match input["behaviour"].as_str() {
            // A vendor that recognises keys answers the second time.
            Some("lost") if !(self.honours_keys && is_known) => {
                Err(failure(ErrorCode::UpstreamError, Delivery::Unknown))
            }
            Some("nonsense") => Ok(json!("nonsense").into()),
            _ => Ok(json!({ "booking": key, "booking_id": format!("b-{what}"), "what": what, "price": input["price"], "cancel": input["cancel"] }).into()),
        }
    }
}

impl Outside for Work {
    type Input = Value;
    type Data = Value;

    async fn run(&self, input: Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        let key = vendor_key(attempt.context, self.name, attempt.idempotency_key);
        match self.desk {
            Desk::Book => self.book(&input, &key),
            Desk::Cancel => self.cancel(&input),
        }
    }
}
