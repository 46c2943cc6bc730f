//! Shadow mode: a candidate policy is evaluated on real calls beside the active one and decides nothing.

use serde::Serialize;

use super::{Decision, Judgement, Policy, Verdict};

/// The verdict that counts, and how the candidate's differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowJudgement {
    /// The active policy's verdict.
    pub verdict: Verdict,
    /// `None` if the candidate decides the same.
    pub difference: Option<Difference>,
}

/// A call that two policies decide differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub tool: String,
    pub active: Verdict,
    pub candidate: Verdict,
}

impl Difference {
    /// The difference in a sentence.
    pub fn sentence(&self) -> String {
        let now = match self.active.decision {
            Decision::Allow => "runs",
            Decision::Ask => "asks",
            Decision::Deny => "is refused",
        };
        let then = match self.candidate.decision {
            Decision::Allow => "would run",
            Decision::Ask => "would ask",
            Decision::Deny => "would be refused",
        };
        format!(
            "`{}` {now} and {then}. {}",
            self.tool,
            self.candidate.why.sentences()
        )
    }
}

/// Judges a call by both policies. Only the verdict of the active one counts.
pub fn judge_in_shadow(
    active: &Policy,
    candidate: &Policy,
    judgement: &Judgement<'_>,
) -> ShadowJudgement {
    let verdict = active.judge(judgement);
    let other = candidate.judge(judgement);
    let difference = (other.decision != verdict.decision).then(|| Difference {
        tool: judgement.tool.to_owned(),
        active: verdict.clone(),
        candidate: other,
    });
    ShadowJudgement {
        verdict,
        difference,
    }
}
