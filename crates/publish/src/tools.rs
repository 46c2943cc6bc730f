//! Publishing as tools: previewing, publishing and rolling back. The pipeline evaluates them under the policy for publishing and shows
//! the approver what would change; the approval covers exactly that version.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_runtime::{
    Attempt, Delivery, Failure, Foreseen, Outside, PlannedChange, Tool, ToolOutput,
};
use sitewright_store::{Release, SiteId, StoreError};
use sitewright_tool::definition::outside;
use sitewright_tool::{
    Capability, Compensation, DefinitionBuilder, Effect, ErrorCode, Receipt, Scope, ToolError,
    Touched, write,
};

use crate::compare::{Comparison, RouteChange, RouteChangeKind};
use crate::publisher::{Authorization, PublishOptions, PublishResult, Publisher, RolledBack};
use crate::{DamagedAddress, PublishError};

/// How many addresses a reply lists; it always contains the total.
const LISTED_MAX: usize = 200;
/// The maximum number of addresses in `leaveOut`.
const LEFT_OUT_MAX: usize = 10_000;
const NOTE_MAX: usize = 500;

/// The tools `previewPublish`, `publishSite` and `rollbackSite`.
pub fn publishing_tools(publisher: &Publisher) -> Vec<Tool> {
    vec![
        Tool::outside(
            publishing(outside(
                "previewPublish",
                "See what publishing would change",
                "Lists the addresses that would show something else to visitors if the draft were published now: new, changed and \
                 removed ones, with who made the changes since. Changes nothing.",
                Effect::None,
            ))
            .words("Comparing with the live site", "Compared with the live site")
            .needs(Capability::SiteRead),
            PreviewTool(publisher.clone()),
        ),
        Tool::outside(
            switching(outside(
                "publishSite",
                "Publish the site",
                "Shows the draft to everybody. A person is asked first. Pages marked as drafts stay out, and so do the addresses in \
                 leaveOut. Call previewPublish before, tell the person what would change, and give its version.",
                Effect::Durable,
            ))
            .words("Publishing", "Published"),
            PublishTool(publisher.clone()),
        ),
        Tool::outside(
            switching(outside(
                "rollbackSite",
                "Go back to an earlier release",
                "Shows visitors an earlier release again; a person is asked first. The draft stays as it is.",
                Effect::Durable,
            ))
            .words("Rolling back", "Rolled back"),
            RollbackTool(publisher.clone()),
        ),
    ]
}

fn publishing(definition: DefinitionBuilder) -> DefinitionBuilder {
    definition
        .scopes(&[Scope::Site])
        .timeout_ms(300_000)
        .attempts(3, 200)
        .idempotent()
        .tags(&["publish", "release", "live"])
}

/// The definition shared by the tools that switch releases.
fn switching(definition: DefinitionBuilder) -> DefinitionBuilder {
    publishing(definition)
        .needs(Capability::SitePublish)
        .confirmed_by(Capability::SitePublish)
        .confirmation("structured-publish")
        .compensation(Compensation::Perfect)
}

struct PreviewTool(Publisher);
struct PublishTool(Publisher);
struct RollbackTool(Publisher);

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
    changes: ListedChanges,
    /// What is not published although somebody may think so.
    problems: Vec<String>,
}

/// Addresses that show something else.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListedChanges {
    /// How many addresses show something else.
    changed: usize,
    /// The first 200 of them.
    changes: Vec<RouteChange>,
}

impl From<Vec<RouteChange>> for ListedChanges {
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
struct SwitchReport {
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
    changes: ListedChanges,
    /// Addresses whose stored files are damaged and could not be written anew; absent when there are none, and the first 200.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<DamagedAddress>,
}

impl SwitchReport {
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

impl Outside for PreviewTool {
    type Input = PreviewPublish;
    type Data = Preview;

    async fn run(
        &self,
        _: PreviewPublish,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<Preview>, Failure> {
        let comparison = self.0.compare(&site_of(attempt)).await.map_err(failure)?;
        Ok(output(Preview::from(comparison), Receipt::default()))
    }
}

impl Outside for PublishTool {
    type Input = PublishSite;
    type Data = SwitchReport;

    async fn foresee(
        &self,
        input: PublishSite,
        attempt: Attempt<'_>,
    ) -> Result<Foreseen, ToolError> {
        let site = site_of(attempt);
        if let Some(foreseen) = foreseen_before(&self.0, &site, attempt).await? {
            return Ok(foreseen);
        }
        let comparison = self.0.foresee(&site, &options(input)?).await?;
        let version = comparison.version.clone();
        let preview = write(&Preview::from(comparison))?;
        Ok(foreseen(Some(preview), Some(version)))
    }

    async fn run(
        &self,
        input: PublishSite,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<SwitchReport>, Failure> {
        let site = site_of(attempt);
        if let Some(done) = done_before(&self.0, &site, attempt).await? {
            return Ok(done);
        }
        let published = self
            .0
            .publish(&site, &options(input)?, order(attempt))
            .await;
        let PublishResult {
            release,
            before,
            changes,
            damaged,
        } = published.map_err(failure)?;
        let receipt = receipt(&changes);
        let switched = SwitchReport::of(&release, before, changes).with_damaged(damaged);
        Ok(output(switched, receipt))
    }
}

impl Outside for RollbackTool {
    type Input = RollbackSite;
    type Data = SwitchReport;

    async fn foresee(
        &self,
        input: RollbackSite,
        attempt: Attempt<'_>,
    ) -> Result<Foreseen, ToolError> {
        let site = site_of(attempt);
        if let Some(foreseen) = foreseen_before(&self.0, &site, attempt).await? {
            return Ok(foreseen);
        }
        let (rolled, agreed) = self.0.foresee_return(&site, input.to).await?;
        let RolledBack {
            from,
            to,
            changes,
            damaged: _,
        } = rolled;
        let preview = write(&SwitchReport::of(&to, Some(from.number), changes))?;
        Ok(foreseen(Some(preview), Some(agreed)))
    }

    async fn run(
        &self,
        input: RollbackSite,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<SwitchReport>, Failure> {
        let site = site_of(attempt);
        if let Some(done) = done_before(&self.0, &site, attempt).await? {
            return Ok(done);
        }
        let rolled = self.0.roll_back(&site, input.to, order(attempt)).await;
        let RolledBack {
            from,
            to,
            changes,
            damaged,
        } = rolled.map_err(failure)?;
        let receipt = receipt(&changes);
        let switched = SwitchReport::of(&to, Some(from.number), changes).with_damaged(damaged);
        Ok(output(switched, receipt))
    }
}

/// The version that was approved when this call ran before, for a call that a crash interrupted after it had switched.
async fn foreseen_before(
    publisher: &Publisher,
    site: &SiteId,
    attempt: Attempt<'_>,
) -> Result<Option<Foreseen>, ToolError> {
    let call = &attempt.context.trace_id;
    let switch = publisher.store().switch_of_call(site, call).await;
    let switch = switch.map_err(PublishError::from)?;
    Ok(switch.map(|switch| foreseen(None, switch.agreed)))
}

/// The result of this call if it has already run, for a retry after a crash.
async fn done_before(
    publisher: &Publisher,
    site: &SiteId,
    attempt: Attempt<'_>,
) -> Result<Option<ToolOutput<SwitchReport>>, Failure> {
    let store = publisher.store();
    let unavailable = |error: StoreError| failure(error.into());
    let done = store.switch_of_call(site, &attempt.context.trace_id).await;
    let Some(done) = done.map_err(unavailable)? else {
        return Ok(None);
    };
    let release = store.release(site, &done.release).await;
    let release = release.map_err(unavailable)?;
    publisher.refresh(site).await.map_err(unavailable)?;
    let switched = SwitchReport::of(&release, None, Vec::new());
    Ok(Some(output(switched, Receipt::default())))
}

fn site_of(attempt: Attempt<'_>) -> SiteId {
    SiteId::from(attempt.context.site_id.clone())
}

fn order<'a>(attempt: Attempt<'a>) -> Authorization<'a> {
    Authorization {
        by: attempt.by,
        call: Some(&attempt.context.trace_id),
        agreed: attempt.agreed,
    }
}

fn options(input: PublishSite) -> Result<PublishOptions, ToolError> {
    let PublishSite {
        leave_out,
        version,
        note,
    } = input;
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
    Ok(PublishOptions {
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

fn output<T>(data: T, receipt: Receipt) -> ToolOutput<T> {
    ToolOutput {
        receipt: Some(receipt),
        ..ToolOutput::from(data)
    }
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

/// After a database error the switch may still have happened, so delivery is unknown; the retry finds out.
fn failure(error: PublishError) -> Failure {
    let delivery = match &error {
        PublishError::Store(StoreError::Database(_)) => Delivery::Unknown,
        _ => Delivery::Never,
    };
    if let PublishError::Store(error) = &error {
        let error = error as &dyn std::error::Error;
        tracing::warn!(error, "publishing failed");
    }
    Failure {
        error: error.into(),
        delivery,
        retry_after: None,
    }
}
