//! OpenAI's `POST /images/generations`. Its answer always contains files in base64.

use http::header::{self, HeaderValue};
use serde_json::{Value, json};
use sitewright_egress::{Egress, Request};
use sitewright_runtime::{Attempt, Failure};
use sitewright_tool::ErrorCode;

use super::{ANSWER_BYTES_MAX, ImageFiles, ImageModel, ImageOrder, REMEDY, TOOL, declined};
use crate::exchange::Refusal;
use crate::failure;
use crate::provider::{ProviderReply, ProviderRequest, no_key};

pub(super) async fn make(
    egress: &Egress,
    known: &ImageModel,
    wanted: &ImageOrder<'_>,
    attempt: Attempt<'_>,
) -> Result<ImageFiles, Failure> {
    let key = known.provider.header(header::AUTHORIZATION, "Bearer ");
    let asking = ProviderRequest {
        egress,
        tool: TOOL,
        key: key.ok_or_else(|| no_key(TOOL, REMEDY))?,
        setting: "openai_api_key",
        answer_max: ANSWER_BYTES_MAX,
    };
    let url = known.provider.url("/images/generations");
    let request = Request::post(url, body(wanted).to_string()).with_header(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    match asking.ask(request, attempt.timeout).await? {
        ProviderReply::Json(answer) => files(&answer).ok_or_else(|| {
            failure::of_answer(
                TOOL,
                ErrorCode::InvalidOutput,
                "its answer has no `data` with `b64_json`",
            )
        }),
        ProviderReply::Refused(refused) => Err(refusal(&asking, &refused)),
    }
}

fn body(wanted: &ImageOrder<'_>) -> Value {
    let size = wanted.size.map_or_else(
        || "auto".to_owned(),
        |(width, height)| format!("{width}x{height}"),
    );
    json!({ "model": wanted.model, "prompt": wanted.prompt, "n": wanted.count, "size": size })
}

fn files(answer: &Value) -> Option<ImageFiles> {
    let items = answer["data"].as_array()?.iter();
    items
        .map(|item| item["b64_json"].as_str().map(str::to_owned))
        .collect()
}

fn refusal(asking: &ProviderRequest<'_>, refused: &Refusal) -> Failure {
    let answer: Value = serde_json::from_slice(&refused.body).unwrap_or_default();
    match answer["error"]["code"].as_str() {
        Some(code @ ("moderation_blocked" | "content_policy_violation")) => declined(code),
        // This comes with status 429, but waiting does not help.
        Some("insufficient_quota" | "billing_hard_limit_reached") => {
            let mut failure = asking.failure(refused);
            failure.error.code = ErrorCode::UpstreamError;
            failure.error.retryable = false;
            failure.retry_after = None;
            failure.error.message = format!(
                "`{TOOL}`: the account at OpenAI has no credit left. Add credit there, or use another provider."
            );
            failure
        }
        _ => asking.failure(refused),
    }
}
