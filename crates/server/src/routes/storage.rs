//! How much a site holds, how much it may, and what is about to be deleted because of its age.

use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use sitewright_store::QuotaUse;
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::retention::{self, CollectionReport};
use crate::route::{Access, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![Route::new(
        Method::GET,
        "/admin/api/storage",
        Access::Needs(Capability::SettingsManage),
        "How much the site holds, how much it may, and what is deleted next",
        show,
    )]
}

/// What a site holds.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StorageUse {
    /// What is limited, and how much of it there is.
    limits: Vec<LimitUse>,
    /// What the next round of collection deletes, within the hour.
    next: CollectionReport,
}

/// A limit.
#[derive(Serialize, JsonSchema)]
struct LimitUse {
    /// What is counted.
    what: String,
    /// How much there is.
    used: u64,
    /// How much there may be.
    most: u64,
    /// The setting that changes the limit.
    setting: String,
}

impl From<QuotaUse> for LimitUse {
    fn from(quota: QuotaUse) -> Self {
        let QuotaUse {
            what,
            used,
            most,
            setting,
        } = quota;
        Self {
            what: what.to_owned(),
            used,
            most,
            setting: setting.to_owned(),
        }
    }
}

async fn show(context: Context, _: Nothing) -> Result<Json<StorageUse>, ApiError> {
    let (app, site) = (&context.app, context.site()?);
    let limits = app.store().quota_use(site).await?;
    Ok(Json(StorageUse {
        limits: limits.into_iter().map(LimitUse::from).collect(),
        next: retention::preview(app, site, context.now).await?,
    }))
}
