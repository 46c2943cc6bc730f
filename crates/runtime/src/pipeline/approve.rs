//! People's decisions, and running calls that were approved or interrupted by a crash.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::json;
use sitewright_store::{
    CallId, CallRecord, CallState, DatabaseKind, End, GrantId, GrantRow, RetentionClock,
    SettledOutcome, SiteId, Stamp, Step, StepError, StepRecord, StoreError, Timestamp,
};
use sitewright_tool::{Envelope, ErrorCode, ToolError};
use tokio::sync::{Semaphore, watch};

use super::{Begin, CallStop, KEPT_FOR, Pipeline, failed};
use crate::CallReply;
use crate::call::ResolvedCall;
use crate::policies::CallJudgement;
use crate::policy::{BadGrant, Grant};

/// How long a decision waits for its calls to finish before it returns; they continue in the background.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// How many calls that were taken over run at the same time.
const TAKEN_OVER_AT_ONCE: usize = 8;

/// The calls that this process has taken over and runs in the background. A lock and not a message: the calls end in tasks of their own.
pub(super) struct TakenOver {
    ids: Mutex<HashSet<CallId>>,
    count: watch::Sender<usize>,
    permits: Semaphore,
}

impl TakenOver {
    pub(super) fn new() -> Self {
        Self {
            ids: Mutex::default(),
            count: watch::Sender::default(),
            permits: Semaphore::new(TAKEN_OVER_AT_ONCE),
        }
    }

    /// Returns false if the call is among them already.
    fn begin(&self, id: &CallId) -> bool {
        self.change(|ids| ids.insert(id.clone()))
    }

    fn end(&self, id: &CallId) {
        self.change(|ids| ids.remove(id));
    }

    fn change(&self, change: impl FnOnce(&mut HashSet<CallId>) -> bool) -> bool {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let is_changed = change(&mut ids);
        self.count.send_replace(ids.len());
        is_changed
    }
}

/// What a person decides about the calls of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardDecision {
    Yes,
    /// Approves them, and calls of the same kind in the same conversation for this long.
    YesAndAlike(Duration),
    No,
}

/// Why a decision was refused. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// The call is not waiting for this decision.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Calls of this kind cannot be granted; approve each one.
    #[error(transparent)]
    Grant(#[from] BadGrant),
    /// Only the person whose conversation it is may give a grant.
    #[error(
        "only the person whose conversation this is can allow more calls of the kind; approve this one alone"
    )]
    NotTheirConversation,
}

impl From<StoreError> for DecideError {
    fn from(error: StoreError) -> Self {
        Self::Step(error.into())
    }
}

impl Pipeline {
    /// Decides on the waiting calls of a card, or on one call, and runs those that were approved. Returns the calls as they are
    /// afterwards; some may still be running.
    pub async fn decide(
        &self,
        (site, card): (&SiteId, &str),
        decided: CardDecision,
        by: &Stamp,
    ) -> Result<Vec<CallRecord>, DecideError> {
        let store = &self.0.store;
        let step = match decided {
            CardDecision::No => Step::Deny {
                by: &by.actor,
                at: by.at,
            },
            CardDecision::Yes | CardDecision::YesAndAlike(_) => Step::Approve {
                by: &by.actor,
                at: by.at,
            },
        };
        let grants = match decided {
            CardDecision::YesAndAlike(span) => self.grants_for(site, card, span, by).await?,
            CardDecision::Yes | CardDecision::No => Vec::new(),
        };
        let stepped = StepRecord { outcome: None, by };
        // Everything that can refuse the decision happens in this one transaction. What follows cannot fail, because an error would say
        // that nothing was changed.
        let calls = store
            .step_card((site, card), &step, &grants, stepped)
            .await?;
        tracing::debug!(target: "sitewright::call", stage = "decided");
        if decided == CardDecision::No {
            self.go_on_with_missions(&calls);
            return Ok(calls);
        }
        self.go_on_with(&calls).await;
        self.go_on_with_missions(&calls);
        let mut now = Vec::with_capacity(calls.len());
        for call in calls {
            now.push(self.as_it_is(call).await);
        }
        Ok(now)
    }

    /// The present state of a call that was just decided on; its state at the decision if the row cannot be read.
    async fn as_it_is(&self, call: CallRecord) -> CallRecord {
        let read = self.0.store.call(&call.site, &call.id).await;
        read.unwrap_or_else(|error| {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, call = %call.id, "a call that was decided on could not be read again");
            call
        })
    }

    /// The grants that [`CardDecision::YesAndAlike`] gives, one per waiting call.
    async fn grants_for(
        &self,
        site: &SiteId,
        card: &str,
        span: Duration,
        by: &Stamp,
    ) -> Result<Vec<GrantRow>, DecideError> {
        let calls = self.0.store.calls_of_card(site, card).await?;
        let waiting = calls
            .iter()
            .filter(|call| call.life.state == CallState::Waiting);
        let mut grants = Vec::new();
        for call in waiting {
            let judged: Option<CallJudgement> = call
                .judged
                .clone()
                .and_then(|judged| serde_json::from_value(judged).ok());
            let about = judged.as_ref().and_then(CallJudgement::grant_for);
            let Some((about, effect)) = about else {
                return Err(DecideError::NotTheirConversation);
            };
            if by.actor.to_string() != format!("user:{}", about.person) {
                return Err(DecideError::NotTheirConversation);
            }
            let expires = by.at.after(span);
            let Grant {
                tool,
                conversation,
                person,
                ..
            } = Grant::give(&about, by.at.millis(), expires.millis())?;
            grants.push(GrantRow {
                id: GrantId::new(),
                conversation,
                person,
                tool,
                effect,
                given_at: by.at,
                expires_at: expires,
            });
        }
        Ok(grants)
    }

    /// Records the outcome that a person found for a call whose outcome was unknown, or sends the call again.
    pub async fn settle(
        &self,
        (site, id): (&SiteId, &CallId),
        found: SettledOutcome,
        by: &Stamp,
    ) -> Result<CallRecord, DecideError> {
        // Fails unless the call belongs to this site.
        self.0.store.call(site, id).await?;
        let outcome = match found {
            SettledOutcome::Happened => Some(Envelope::done(
                json!({ "settled": "A person found that it was done." }),
            )),
            SettledOutcome::DidNotHappen => Some(Envelope::failed(ToolError {
                retryable: false,
                ..ToolError::new(
                    ErrorCode::UpstreamError,
                    "A person found that it was not done.",
                )
            })),
            SettledOutcome::SendAgain => None,
        };
        let step = Step::Settle {
            by: &by.actor,
            found,
        };
        let stepped = StepRecord {
            outcome: outcome.as_ref(),
            by,
        };
        let call = self.0.store.step_call(id, &[step], stepped).await?;
        self.go_on_with(std::slice::from_ref(&call)).await;
        Ok(self.as_it_is(call).await)
    }

    /// Runs the calls that are ready, in order. They continue when the caller is gone or has waited for [`ANSWER_WITHIN`].
    async fn go_on_with(&self, calls: &[CallRecord]) {
        let ready = calls
            .iter()
            .filter(|call| call.life.state == CallState::Ready);
        let ready: Vec<CallRecord> = ready.cloned().collect();
        let pipeline = self.clone();
        let going_on = self.0.tasks.spawn(async move {
            for row in ready {
                pipeline.go_on(row).await;
            }
        });
        if let Ok(Err(_panicked)) = tokio::time::timeout(ANSWER_WITHIN, going_on).await {
            tracing::error!("a tool broke down");
        }
    }

    /// Runs a call that is ready in the background, unless this process is running it already. At most [`TAKEN_OVER_AT_ONCE`] run at the
    /// same time; the others wait for their turn.
    fn go_on_in_background(&self, row: CallRecord) {
        let parts = &self.0;
        if !parts.taken_over.begin(&row.id) {
            return;
        }
        let pipeline = self.clone();
        parts.tasks.spawn(async move {
            let taken_over = &pipeline.0.taken_over;
            let id = row.id.clone();
            // The semaphore is never closed.
            let permit = taken_over.permits.acquire().await;
            let run = AssertUnwindSafe(pipeline.go_on(row)).catch_unwind().await;
            if run.is_err() {
                tracing::error!(call = %id, "a tool broke down");
            }
            drop(permit);
            taken_over.end(&id);
        });
    }

    /// Runs a call that is ready. Its row records the outcome.
    async fn go_on(&self, row: CallRecord) {
        let error = match self.try_again(&row).await {
            Ok(_) | Err(CallStop::Twin | CallStop::Recorded(_)) => return,
            Err(CallStop::Refused(error) | CallStop::Moved(error)) => error,
        };
        let outcome = Envelope::failed(error);
        // A refused step means that another process has taken the call over, which needs no action here.
        if let Err(StepError::Store(error)) = self.end(&row, End::Failed, &outcome).await {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, call = %row.id, "a call that failed stays ready; it is tried again");
        }
    }

    async fn try_again(&self, row: &CallRecord) -> Result<CallReply, CallStop> {
        let now = Timestamp::now();
        let store = &self.0.store;
        let present = store.capabilities_of(&row.site, &row.actor, now).await;
        let Some(present) = present.map_err(|error| failed(&error))? else {
            return Err(CallStop::Refused(ToolError::new(
                ErrorCode::Forbidden,
                "The caller is no longer allowed to make calls.",
            )));
        };
        let resolved = ResolvedCall::again(self.tools(), row, &present, now)?;
        self.check_personal_data(&resolved).await?;
        let plan = self.plan(&resolved).await?;
        self.run(&resolved, plan, Begin::Agreed(Box::new(row.clone())))
            .await
    }

    /// Recovers calls that the previous process left running. Leases are ignored only with SQLite, where no other process can be
    /// running them; with Postgres, [`Pipeline::tend`] waits until the lease of a call has expired.
    pub async fn resume(&self) -> Result<(), StoreError> {
        if self.0.store.backend() == DatabaseKind::Sqlite {
            for row in self.0.store.running_calls().await? {
                if row
                    .life
                    .lease
                    .as_ref()
                    .is_some_and(|lease| lease.holder != self.0.node)
                {
                    self.step_by_time(&row, &Step::Orphan).await?;
                }
            }
        }
        self.tend_missions(Timestamp::now(), true).await?;
        self.tend(Timestamp::now()).await
    }

    /// Periodic work: expires calls that no one decided on, takes over calls whose lease has expired, and refreshes the policies. The
    /// calls it takes over run in the background, so that one that takes long does not hold up the others.
    pub async fn tend(&self, now: Timestamp) -> Result<(), StoreError> {
        self.0.policies.refresh(&self.0.store).await?;
        for row in self.0.store.due_calls(now).await? {
            let row = match row.life.state {
                CallState::Ready => row,
                _ => match self.step_by_time(&row, &Step::Pass { at: now }).await? {
                    Some(row) => row,
                    None => continue,
                },
            };
            if row.life.state == CallState::Ready {
                self.go_on_in_background(row);
            }
        }
        self.tend_missions(now, false).await
    }

    /// Waits until the calls that [`Pipeline::tend`] took over are over.
    pub async fn taken_over_calls_ended(&self) {
        let mut count = self.0.taken_over.count.subscribe();
        // The sender lives as long as the pipeline.
        drop(count.wait_for(|count| *count == 0).await);
    }

    /// Deletes the rows of calls that ended longer ago than the retention time. Returns how many.
    pub async fn forget(&self, clock: &RetentionClock) -> Result<u64, StoreError> {
        self.0.store.forget_missions(clock, KEPT_FOR).await?;
        self.0.store.forget_calls(clock, KEPT_FOR).await
    }

    async fn step_by_time(
        &self,
        row: &CallRecord,
        step: &Step<'_>,
    ) -> Result<Option<CallRecord>, StoreError> {
        let by = Stamp::local(Timestamp::now());
        let stepped = StepRecord {
            outcome: None,
            by: &by,
        };
        match self
            .0
            .store
            .step_call(&row.id, std::slice::from_ref(step), stepped)
            .await
        {
            Ok(row) => Ok(Some(row)),
            // Another node was faster.
            Err(StepError::No(_)) => Ok(None),
            Err(StepError::Store(error)) => Err(error),
        }
    }
}
