//! A mission in the form that callers rely on.

use serde_json::{Value, json};

use super::state::{Leg, LegState, Mission, MissionState, Resolution};

impl Mission {
    /// Whether a person can have a leg of a completed mission taken back. Its tool says whether that is possible.
    pub(crate) fn can_be_cancelled(&self, leg: &Leg) -> bool {
        let is_done = leg.state == LegState::Committed && leg.effect.is_some();
        self.state == MissionState::Completed && is_done
    }

    /// The outputs of a mission in the form that callers rely on.
    pub(crate) fn view(&self, id: &str) -> Value {
        let legs: Vec<Value> = self
            .legs
            .iter()
            .map(|leg| {
                let mut view = json!({ "id": leg.id, "state": leg.state.as_str() });
                if let Some(output) = &leg.output {
                    view["output"] = output.clone();
                }
                if let Some(approval) = &leg.approval {
                    let path = format!("/admin/approvals/{}", approval.call);
                    view["approval"] =
                        json!({ "id": approval.call, "path": path, "expiresAt": approval.expires });
                }
                let error = leg.undo.as_ref().and_then(|undo| undo.error.as_ref());
                if let Some(error) = error.or(leg.error.as_ref()) {
                    view["error"] = json!({ "code": error.code, "message": error.message });
                }
                view
            })
            .collect();
        json!({ "missionId": id, "state": self.state.as_str(), "legs": legs, "residuals": self.residuals() })
    }

    /// What could not be taken back, or not yet.
    fn residuals(&self) -> Vec<Value> {
        let mut residuals = Vec::new();
        for leg in &self.legs {
            let waiting = match (&leg.undo, leg.state) {
                (Some(undo), LegState::RollbackPending) if undo.attempts > 0 => {
                    Some("It isn't cancelled yet; cancelling is tried again.".to_owned())
                }
                _ => None,
            };
            let Some(reason) = leg.residual.clone().or(waiting) else {
                continue;
            };
            let mut residual = json!({
                "leg": leg.id, "tool": leg.tool, "state": leg.state.as_str(), "reason": reason,
            });
            if let Some(output) = &leg.output {
                residual["output"] = output.clone();
            }
            if let Some(Resolution { by, at, note }) = &leg.resolution {
                residual["resolved"] = json!({ "by": by, "at": at, "note": note });
            }
            residuals.push(residual);
        }
        residuals
    }
}
