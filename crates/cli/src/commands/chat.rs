//! Talking to the assistant in a terminal: its text as it arrives, a line for each call, and a prompt where it needs a decision.

use std::io::{self, IsTerminal as _, Read as _, Write as _};

use anyhow::{Context as _, Result};
use http::Method;
use serde_json::{Value, json};
use sitewright_tool::ErrorCode;

use crate::api::{Api, Refusal};
use crate::arguments::Chat;
use crate::output::{self, text};

pub(crate) async fn run(api: &Api, chat: Chat, as_json: bool) -> Result<()> {
    let conversation = conversation(api, &chat).await?;
    let mut view = View {
        as_json,
        is_yes: chat.yes,
        is_mid_line: false,
        plan: None,
        failed: None,
        waits: None,
        noted: String::new(),
    };
    if !as_json && conversation["modelId"] == "offline" {
        view.note("Built-in commands (no AI). Connect a provider with `sitewright credential add` to talk to a model.")?;
    }
    let body = json!({
        "conversationId": conversation["id"],
        "prompt": prompt(&chat.prompt)?,
        "executor": "headless",
        "mode": if chat.plan { "plan" } else { "edit" },
    });
    let path = format!("/admin/api/ai/chat/{}", chat.scope);
    let mut lines = api.lines(Method::POST, &path, Some(body)).await?;
    while let Some(event) = lines.next().await? {
        view.show(api, &event).await?;
        if view.waits.is_some() {
            break;
        }
    }
    view.end_line()?;
    if let Some(plan) = view.plan.take() {
        view.decide_on_plan(api, &plan).await?;
    }
    view.outcome()
}

/// The conversation to use.
async fn conversation(api: &Api, chat: &Chat) -> Result<Value> {
    if let Some(id) = &chat.conversation {
        let found = api
            .get(&format!("/admin/api/ai/conversations/{id}"))
            .await?;
        return Ok(found["conversation"].clone());
    }
    let mut body = json!({ "scope": chat.scope });
    match (&chat.credential, chat.model.as_deref()) {
        (None, None) => {}
        (None, Some("offline")) => body["modelId"] = json!("offline"),
        (Some(credential), Some(model)) => {
            body["credentialId"] = json!(credential);
            body["modelId"] = json!(model);
        }
        (None, Some(model)) => {
            body["credentialId"] = json!(only_credential(api).await?);
            body["modelId"] = json!(model);
        }
        (Some(_), None) => {
            let detail = "Choose a model with --model.".to_owned();
            return Err(Refusal::new(ErrorCode::InvalidInput, detail).into());
        }
    }
    api.post("/admin/api/ai/conversations", body).await
}

/// The only credential, if there is exactly one.
async fn only_credential(api: &Api) -> Result<String> {
    let answer = api.get("/admin/api/ai/credentials").await?;
    let all = answer["credentials"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    match all.as_slice() {
        [one] => Ok(text(one, "id")),
        [] => {
            let detail = "There is no credential. Add one with `sitewright credential add`, or use --model offline.";
            Err(Refusal::new(ErrorCode::InvalidInput, detail.to_owned()).into())
        }
        _ => {
            let detail = "There are several credentials; choose one with --credential (see `sitewright credential list`).";
            Err(Refusal::new(ErrorCode::InvalidInput, detail.to_owned()).into())
        }
    }
}

fn prompt(given: &str) -> Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .context("standard input cannot be read")?;
    Ok(text)
}

/// What the terminal shows of a turn.
struct View {
    as_json: bool,
    is_yes: bool,
    is_mid_line: bool,
    plan: Option<Value>,
    failed: Option<String>,
    /// The call that waits for approval, when no one at this terminal can be asked.
    waits: Option<String>,
    /// The last note that was printed.
    noted: String,
}

/// Printed when the server stops in the middle of a turn.
const GOING_AWAY: &str = "The server is stopping. Changes made so far are kept.";

impl View {
    async fn show(&mut self, api: &Api, event: &Value) -> Result<()> {
        if self.as_json {
            output::line(&event.to_string())?;
        }
        match event["type"].as_str().unwrap_or_default() {
            "text" => self.words(&text(event, "text"))?,
            "toolCall" => self.call(&text(event, "toolName"))?,
            "toolResult" if event["ok"] == false => {
                self.note(&format!("  failed: {}", text(event, "error")))?;
            }
            "retry" => self.note(&format!("  {} Retrying…", text(event, "reason")))?,
            "budget" if event["phase"] != "before" => {
                let (limit, max) = (text(event, "limit"), text(event, "max"));
                self.note(&format!(
                    "Stopped: this request reached its limit ({limit}, {max}). Changes made so far are kept."
                ))?;
            }
            "usage" => self.cost(event)?,
            "approvalRequest" => self.ask(api, event).await?,
            "plan" => self.plan = Some(event.clone()),
            "error" => self.failed = Some(text(event, "message")),
            "done" if event["outcome"] == "stopped" => self.failed = Some("Stopped.".to_owned()),
            "goingAway" => self.failed = Some(GOING_AWAY.to_owned()),
            "done" if event["outcome"] == "interrupted" => {
                self.failed = Some(GOING_AWAY.to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    fn words(&mut self, words: &str) -> Result<()> {
        if self.as_json || words.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(words.as_bytes())?;
        out.flush()?;
        self.is_mid_line = !words.ends_with('\n');
        Ok(())
    }

    /// Consecutive calls of one tool are one line: to the user, reading ten pages is one step.
    fn call(&mut self, tool: &str) -> Result<()> {
        let line = format!("· {tool}");
        if self.noted == line && !self.is_mid_line {
            return Ok(());
        }
        self.note(&line)
    }

    /// Prints a note about what happens, apart from the text of the answer.
    fn note(&mut self, note: &str) -> Result<()> {
        if self.as_json {
            return Ok(());
        }
        self.end_line()?;
        let mut err = io::stderr().lock();
        writeln!(err, "{note}")?;
        note.clone_into(&mut self.noted);
        Ok(())
    }

    fn end_line(&mut self) -> Result<()> {
        if std::mem::take(&mut self.is_mid_line) {
            output::line("")?;
        }
        Ok(())
    }

    fn cost(&mut self, event: &Value) -> Result<()> {
        let tokens = event["promptTokens"].as_u64().unwrap_or(0)
            + event["completionTokens"].as_u64().unwrap_or(0);
        let cost = match event["costUsd"].as_f64() {
            Some(cost) => format!("{cost:.4} US dollars"),
            None => "price unknown".to_owned(),
        };
        self.note(&format!("({tokens} tokens, {cost})"))
    }

    async fn ask(&mut self, api: &Api, event: &Value) -> Result<()> {
        let id = text(event, "approvalId");
        let question = format!("{}: {}", text(event, "title"), event["input"]);
        let decision = if self.is_yes {
            "approve"
        } else if self.as_json || !io::stdin().is_terminal() {
            self.waits = Some(id);
            return Ok(());
        } else if self.says_yes(&format!("{}\n{question}", text(event, "reason")))? {
            "approve"
        } else {
            "deny"
        };
        let path = format!("/admin/api/approvals/{id}");
        api.post(&path, json!({ "decision": decision })).await?;
        Ok(())
    }

    fn says_yes(&mut self, question: &str) -> Result<bool> {
        self.end_line()?;
        let mut err = io::stderr().lock();
        write!(err, "{question}\nGo ahead? [y/N] ")?;
        err.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// Shows a plan, and applies it if the user agrees.
    async fn decide_on_plan(&mut self, api: &Api, event: &Value) -> Result<()> {
        let plan = &event["plan"];
        let outcomes = plan["outcomes"].as_array().cloned().unwrap_or_default();
        if outcomes.is_empty() {
            return Ok(());
        }
        for outcome in &outcomes {
            self.note(&format!("{}. {}", outcome["index"], text(outcome, "op")))?;
            for line in outcome["diff"].as_array().into_iter().flatten() {
                let field = text(line, "field");
                self.note(&format!(
                    "   {} {} {field}",
                    text(line, "kind"),
                    text(line, "name")
                ))?;
            }
        }
        let may_ask = !self.as_json && io::stdin().is_terminal();
        let turn = text(event, "turnId");
        let is_yes = self.is_yes || (may_ask && self.says_yes("Apply this plan?")?);
        if !is_yes {
            return self.note(&format!(
                "Nothing was changed. To apply it later: POST /admin/api/ai/turns/{turn}/plan"
            ));
        }
        let path = format!("/admin/api/ai/turns/{turn}/plan");
        let answer = api.post(&path, json!({})).await?;
        if self.as_json {
            output::line(&json!({ "type": "applied", "result": answer }).to_string())?;
        }
        match answer["ok"] == true {
            true => self.note("Applied."),
            false => {
                self.failed = Some(text(&answer["error"], "message"));
                Ok(())
            }
        }
    }

    fn outcome(self) -> Result<()> {
        if let Some(id) = self.waits {
            let detail = format!(
                "The assistant is waiting for approval. To approve: sitewright approvals approve {id}\nTo approve automatically next time, add --yes."
            );
            return Err(Refusal::new(ErrorCode::ApprovalRequired, detail).into());
        }
        match self.failed {
            Some(detail) => Err(Refusal::new(ErrorCode::UpstreamError, detail).into()),
            None => Ok(()),
        }
    }
}
