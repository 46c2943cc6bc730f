//! What would be decided about a call, without making it.

use serde_json::Value;
use sitewright_tool::{Capability, ToolError};

use super::{Pipeline, foreseen, in_time};
use crate::call::ResolvedCall;
use crate::fonts::NoFonts;
use crate::planned::planned;
use crate::policy::{Decision, PlannedChange};
use crate::tool::Body;
use crate::{Call, headless};

/// What would be decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredictedDecision {
    /// What would be decided.
    pub decision: Decision,
    /// Why, in sentences.
    pub why: String,
    /// What whoever calls is not allowed to do and would have to be.
    pub lacks: Option<Capability>,
}

impl Pipeline {
    /// Judges a call as it would be judged. Nothing runs and nothing is recorded; without arguments (null), or with some that do not
    /// fit, it is judged by what its tool is, and that is said.
    pub async fn predict_decision(&self, call: Call) -> Result<PredictedDecision, ToolError> {
        let resolved = ResolvedCall::resolved(self.tools(), call)?;
        if let Some(lacks) = resolved.lacks() {
            return Ok(PredictedDecision {
                decision: Decision::Deny,
                why: format!("It is refused: it needs the permission `{lacks}`."),
                lacks: Some(lacks),
            });
        }
        let (change, note) = match &resolved.call.arguments {
            Value::Null => {
                let note = "This is about the tool in general; what a call would touch or remove counts too.";
                (PlannedChange::default(), Some(note.to_owned()))
            }
            _ => match self.would_change(&resolved).await {
                Ok(change) => (change, None),
                Err(error) => {
                    let note = format!("With these arguments it would fail: {}", error.message);
                    (PlannedChange::default(), Some(note))
                }
            },
        };
        let judged = self
            .0
            .policies
            .judge(&self.0.store, &resolved, change)
            .await?;
        let why = [Some(judged.why), note];
        Ok(PredictedDecision {
            decision: judged.decision,
            why: why.into_iter().flatten().collect::<Vec<_>>().join(" "),
            lacks: None,
        })
    }

    async fn would_change(&self, resolved: &ResolvedCall) -> Result<PlannedChange, ToolError> {
        resolved.check_input()?;
        match &resolved.entry.tool.0 {
            Body::Outside(tool) => Ok(foreseen(tool, resolved).await?.change),
            Body::Pure(tool) => {
                // Fetching a font to judge whether it may be fetched would be too late.
                let running = headless::run(&self.0.store, &NoFonts, tool, resolved);
                let (live, run) = in_time(resolved, running).await?;
                Ok(planned(live.site(), &run.ops, &resolved.call.by.author))
            }
        }
    }
}
