//! Publishing as tools: what would change, publishing, and going back. The pipeline judges them as publishing, shows what would
//! change to whoever is asked, and a yes counts for exactly that.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_runtime::{
    Attempt, Failure, Foreseeing, Foreseen, Output, PlannedChange, Reached, Running, Tool,
};
use sitewright_store::{Release, SiteId, StoreError};
use sitewright_tool::{
    Capability, ErrorCode, Receipt, ToolError, ToolManifest, Touched, parse, schema_of, write,
};

use crate::compare::{Comparison, RouteChange, RouteChangeKind};
use crate::publisher::{Order, Published, Publisher, RolledBack, Wish};
use crate::{DamagedAddress, PublishError};

/// How many addresses an answer lists; the number of all is told.
const LISTED_MAX: usize = 200;
/// The most addresses that can be left out by name.
const LEFT_OUT_MAX: usize = 10_000;
const NOTE_MAX: usize = 500;

/// `previewPublish`, `publishSite` and `rollbackSite`.
pub fn publishing_tools(publisher: &Publisher) -> Result<Vec<Arc<dyn Tool>>, serde_json::Error> {
    let tool = |work: Work| -> Result<Arc<dyn Tool>, serde_json::Error> {
        Ok(Arc::new(PublishingTool {
            manifest: serde_json::from_value(work.manifest())?,
            publisher: publisher.clone(),
            work,
        }))
    };
    [Work::Preview, Work::Publish, Work::RollBack]
        .into_iter()
        .map(tool)
        .collect()
}

struct PublishingTool {
    manifest: ToolManifest,
    publisher: Publisher,
    work: Work,
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Preview,
    Publish,
    RollBack,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PreviewPublish {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PublishSite {
    /// Addresses that keep what is published there, such as `/about`.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    leave_out: Vec<String>,
    /// The `version` that previewPublish answered: then exactly that is published, or nothing.
    version: Option<String>,
    /// What to write about the release, for people.
    #[schemars(length(max = 500))]
    note: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RollbackSite {
    /// The number of the release to show; the one before the current one when left out.
    #[schemars(range(min = 1))]
    to: Option<u64>,
}

/// What publishing would change.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Preview {
    /// The number of the release that visitors see; null before the first.
    release: Option<u64>,
    /// For publishSite: then exactly this is published, or nothing.
    version: String,
    /// How many pages there are.
    pages: usize,
    #[serde(flatten)]
    changes: Listed,
    /// What is not published although somebody may think so.
    problems: Vec<String>,
}

/// Addresses that show something else.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Listed {
    /// How many addresses show something else.
    changed: usize,
    /// The first 200 of them.
    changes: Vec<RouteChange>,
}

impl From<Vec<RouteChange>> for Listed {
    fn from(mut changes: Vec<RouteChange>) -> Self {
        let changed = changes.len();
        changes.truncate(LISTED_MAX);
        Self { changed, changes }
    }
}

impl From<Comparison> for Preview {
    fn from(comparison: Comparison) -> Self {
        let Comparison {
            release,
            seq: _,
            version,
            pages,
            changes,
            problems,
        } = comparison;
        Self {
            release: release.map(|release| release.number),
            version,
            pages,
            changes: changes.into(),
            problems,
        }
    }
}

/// What visitors see since.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Done {
    /// The number of the release.
    release: u64,
    /// Its id.
    release_id: String,
    /// The number of the release they saw before; null when there was none.
    before: Option<u64>,
    /// Whether they see something else now.
    is_new: bool,
    /// How many pages there are.
    pages: u64,
    #[serde(flatten)]
    changes: Listed,
    /// Addresses whose stored files are damaged and could not be written anew; absent when there are none, and the first 200.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<DamagedAddress>,
}

impl Done {
    fn of(release: &Release, before: Option<u64>, changes: Vec<RouteChange>) -> Self {
        Self {
            damaged: Vec::new(),
            release: release.number,
            release_id: release.id.to_string(),
            before,
            is_new: before != Some(release.number),
            pages: release.pages,
            changes: changes.into(),
        }
    }

    fn with_damaged(mut self, mut damaged: Vec<DamagedAddress>) -> Self {
        damaged.truncate(LISTED_MAX);
        self.damaged = damaged;
        self
    }
}

impl Work {
    fn manifest(self) -> Value {
        let (name, title, description) = match self {
            Self::Preview => (
                "previewPublish",
                "See what publishing would change",
                "Lists the addresses that would show something else to visitors if the draft were published now: new, changed and \
                 removed ones, with who made the changes since. Changes nothing.",
            ),
            Self::Publish => (
                "publishSite",
                "Publish the site",
                "Shows the draft to everybody. A person is asked first. Pages marked as drafts stay out, and so do the addresses in \
                 leaveOut. Call previewPublish before, tell the person what would change, and give its version.",
            ),
            Self::RollBack => (
                "rollbackSite",
                "Go back to an earlier release",
                "Shows visitors an earlier release again; a person is asked first. The draft stays as it is.",
            ),
        };
        let (input, output) = match self {
            Self::Preview => (schema_of::<PreviewPublish>(), schema_of::<Preview>()),
            Self::Publish => (schema_of::<PublishSite>(), schema_of::<Done>()),
            Self::RollBack => (schema_of::<RollbackSite>(), schema_of::<Done>()),
        };
        let mut manifest = json!({
            "name": name, "title": title, "description": description, "inputSchema": input, "outputSchema": output,
            "scopes": ["site"], "timeoutMs": 300_000, "idempotent": true,
            "retryPolicy": { "maxAttempts": 3, "backoffMs": 200 }, "intentTags": ["publish", "release", "live"],
        });
        match self {
            Self::Preview => {
                manifest["capability"] = json!("read");
                manifest["effect"] = json!("none");
            }
            Self::Publish | Self::RollBack => {
                manifest["capability"] = json!("write");
                manifest["effect"] = json!("durable");
                manifest["confirmation"] = json!("structured-publish");
                manifest["compensation"] = json!("perfect");
            }
        }
        manifest
    }
}

impl Tool for PublishingTool {
    fn manifest(&self) -> &ToolManifest {
        &self.manifest
    }

    fn needs(&self) -> Capability {
        match self.work {
            Work::Preview => Capability::SiteRead,
            Work::Publish | Work::RollBack => Capability::SitePublish,
        }
    }

    fn confirmed_by(&self) -> Capability {
        Capability::SitePublish
    }

    fn foresee<'a>(&'a self, attempt: Attempt<'a>) -> Foreseeing<'a> {
        Box::pin(self.look_ahead(attempt))
    }

    fn call<'a>(&'a self, attempt: Attempt<'a>) -> Running<'a> {
        Box::pin(async move {
            match self.work {
                Work::Preview => self.preview(attempt).await,
                Work::Publish => self.publish(attempt).await,
                Work::RollBack => self.roll_back(attempt).await,
            }
        })
    }
}

impl PublishingTool {
    async fn look_ahead(&self, attempt: Attempt<'_>) -> Result<Foreseen, ToolError> {
        let site = site_of(attempt);
        let call = &attempt.context.trace_id;
        // A call that was at it before has done what was agreed to then.
        let done = self.publisher.store().switch_of_call(&site, call).await;
        if let Some(done) = done.map_err(PublishError::from)? {
            return Ok(foreseen(None, done.agreed));
        }
        match self.work {
            Work::Preview => Ok(Foreseen::default()),
            Work::Publish => {
                let wish = wish(attempt)?;
                let comparison = self.publisher.foresee(&site, &wish).await?;
                let version = comparison.version.clone();
                let preview = write(&Preview::from(comparison))?;
                Ok(foreseen(Some(preview), Some(version)))
            }
            Work::RollBack => {
                let RollbackSite { to } = parse(attempt.arguments.clone())?;
                let (rolled, agreed) = self.publisher.foresee_return(&site, to).await?;
                let RolledBack {
                    from,
                    to,
                    changes,
                    damaged: _,
                } = rolled;
                let preview = write(&Done::of(&to, Some(from.number), changes))?;
                Ok(foreseen(Some(preview), Some(agreed)))
            }
        }
    }

    async fn preview(&self, attempt: Attempt<'_>) -> Result<Output, Failure> {
        let comparison = self.publisher.compare(&site_of(attempt)).await;
        let comparison = comparison.map_err(failure)?;
        output(&Preview::from(comparison), Receipt::default()).map_err(refused)
    }

    async fn publish(&self, attempt: Attempt<'_>) -> Result<Output, Failure> {
        let site = site_of(attempt);
        if let Some(done) = self.done_before(&site, attempt).await? {
            return Ok(done);
        }
        let wish = wish(attempt).map_err(refused)?;
        let order = order(attempt);
        let published = self.publisher.publish(&site, &wish, order).await;
        let published = published.map_err(failure)?;
        let Published {
            release,
            before,
            changes,
            damaged,
        } = published;
        let receipt = receipt(&changes);
        let done = Done::of(&release, before, changes).with_damaged(damaged);
        output(&done, receipt).map_err(refused)
    }

    async fn roll_back(&self, attempt: Attempt<'_>) -> Result<Output, Failure> {
        let site = site_of(attempt);
        if let Some(done) = self.done_before(&site, attempt).await? {
            return Ok(done);
        }
        let RollbackSite { to } = parse(attempt.arguments.clone()).map_err(refused)?;
        let rolled = self.publisher.roll_back(&site, to, order(attempt)).await;
        let RolledBack {
            from,
            to,
            changes,
            damaged,
        } = rolled.map_err(failure)?;
        let receipt = receipt(&changes);
        let done = Done::of(&to, Some(from.number), changes).with_damaged(damaged);
        output(&done, receipt).map_err(refused)
    }

    /// What this very call has done already, when it is made again after a crash.
    async fn done_before(
        &self,
        site: &SiteId,
        attempt: Attempt<'_>,
    ) -> Result<Option<Output>, Failure> {
        let store = self.publisher.store();
        let unavailable = |error: StoreError| failure(error.into());
        let done = store.switch_of_call(site, &attempt.context.trace_id).await;
        let Some(done) = done.map_err(unavailable)? else {
            return Ok(None);
        };
        let release = store.release(site, &done.release).await;
        let release = release.map_err(unavailable)?;
        self.publisher.refresh(site).await.map_err(unavailable)?;
        let told = output(&Done::of(&release, None, Vec::new()), Receipt::default());
        told.map(Some).map_err(refused)
    }
}

fn site_of(attempt: Attempt<'_>) -> SiteId {
    SiteId::from(attempt.context.site_id.clone())
}

fn order<'a>(attempt: Attempt<'a>) -> Order<'a> {
    Order {
        by: attempt.by,
        call: Some(&attempt.context.trace_id),
        agreed: attempt.agreed,
    }
}

fn wish(attempt: Attempt<'_>) -> Result<Wish, ToolError> {
    let PublishSite {
        leave_out,
        version,
        note,
    } = parse(attempt.arguments.clone())?;
    let note = note.unwrap_or_default();
    let invalid = |message: String| Err(ToolError::new(ErrorCode::InvalidInput, message));
    if leave_out.len() > LEFT_OUT_MAX {
        return invalid(format!(
            "`leaveOut` has more than {LEFT_OUT_MAX} addresses."
        ));
    }
    if note.chars().count() > NOTE_MAX {
        return invalid(format!("`note` has more than {NOTE_MAX} characters."));
    }
    Ok(Wish {
        leave_out: leave_out.into_iter().collect(),
        version,
        note,
    })
}

fn foreseen(preview: Option<Value>, agreed: Option<String>) -> Foreseen {
    Foreseen {
        change: PlannedChange {
            publishes: true,
            ..PlannedChange::default()
        },
        preview,
        agreed,
    }
}

fn output(data: &impl Serialize, receipt: Receipt) -> Result<Output, ToolError> {
    Ok(Output {
        data: write(data)?,
        receipt: Some(receipt),
        ..Output::default()
    })
}

fn receipt(changes: &[RouteChange]) -> Receipt {
    let mut receipt = Receipt::default();
    for change in changes.iter().take(LISTED_MAX) {
        let list = match change.change {
            RouteChangeKind::New => &mut receipt.created,
            RouteChangeKind::Changed => &mut receipt.changed,
            RouteChangeKind::Removed => &mut receipt.removed,
        };
        list.push(Touched {
            kind: "address".to_owned(),
            id: change.address.clone(),
            name: Some(change.title.clone()),
            also_used_in: None,
        });
    }
    receipt
}

/// Nothing happened.
fn refused(error: ToolError) -> Failure {
    Failure {
        error,
        reached: Reached::Never,
        retry_after: None,
    }
}

/// When the store failed, it may have happened all the same; the next attempt finds out.
fn failure(error: PublishError) -> Failure {
    let reached = match &error {
        PublishError::Store(StoreError::Database(_)) => Reached::Unknown,
        _ => Reached::Never,
    };
    if let PublishError::Store(error) = &error {
        let error = error as &dyn std::error::Error;
        tracing::warn!(error, "publishing failed");
    }
    Failure {
        error: error.into(),
        reached,
        retry_after: None,
    }
}
