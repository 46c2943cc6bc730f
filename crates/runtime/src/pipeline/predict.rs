//! Predicts how the policy would decide on a call, without running it.

use serde_json::Value;
use sitewright_tool::{Capability, ToolError};

use super::{Pipeline, foreseen, in_time};
use crate::call::ResolvedCall;
use crate::fonts::NoFonts;
use crate::planned::planned;
use crate::policy::{Decision, PlannedChange};
use crate::tool::Body;
use crate::{Call, headless};

/// How the policy would decide on a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredictedDecision {
    pub decision: Decision,
    /// Why, in sentences.
    pub why: String,
    /// The capability that the caller needs and does not have.
    pub lacks: Option<Capability>,
}

impl Pipeline {
    /// Judges a call as the pipeline would. The call is planned at most: it has no effect and is not recorded. Without arguments (null)
    /// or with invalid ones, only the properties of the tool are judged, and `why` says so.
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
                // Planning must not install fonts: the prediction would have the side effect it is about.
                let running = headless::run(&self.0.store, &NoFonts, tool, resolved);
                let (live, run) = in_time(resolved, running).await?;
                Ok(planned(live.site(), &run.ops, &resolved.call.by.author))
            }
        }
    }
}
