//! Gemini's `models/{model}:generateContent`. One request generates one picture, which may be any part of the answer, or none.

use std::time::Duration;

use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use serde_json::{Value, json};
use sitewright_egress::{Egress, Request};
use sitewright_runtime::{Attempt, Failure};

use super::{ANSWER_BYTES_MAX, ImageFiles, ImageModel, ImageOrder, REMEDY, TOOL, declined};
use crate::exchange::Refusal;
use crate::provider::{ProviderReply, ProviderRequest, no_key};

/// The aspect ratios that every model supports, as width to height.
const SHAPES: [(&str, u32, u32); 8] = [
    ("1:1", 1, 1),
    ("2:3", 2, 3),
    ("3:2", 3, 2),
    ("3:4", 3, 4),
    ("4:3", 4, 3),
    ("9:16", 9, 16),
    ("16:9", 16, 9),
    ("21:9", 21, 9),
];

pub(super) async fn make(
    egress: &Egress,
    known: &ImageModel,
    wanted: &ImageOrder<'_>,
    attempt: Attempt<'_>,
) -> Result<ImageFiles, Failure> {
    let key = known
        .provider
        .header(HeaderName::from_static("x-goog-api-key"), "");
    let asking = ProviderRequest {
        egress,
        tool: TOOL,
        key: key.ok_or_else(|| no_key(TOOL, REMEDY))?,
        setting: "gemini_api_key",
        answer_max: ANSWER_BYTES_MAX,
    };
    let path = format!("/models/{}:generateContent", wanted.model);
    let mut made = ImageFiles::new();
    for _ in 0..wanted.count {
        let request = Request::post(known.provider.url(&path), body(wanted).to_string())
            .with_header(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            );
        let files = match asking.ask(request, attempt.timeout).await {
            Ok(ProviderReply::Json(answer)) => files(&answer).map_err(declined),
            Ok(ProviderReply::Refused(refused)) => Err(refusal(&asking, &refused)),
            Err(failure) => Err(failure),
        };
        match files {
            Ok(files) => made.extend(files),
            // Pictures made so far are paid for, and better than nothing.
            Err(_) if !made.is_empty() => break,
            Err(failure) => return Err(failure),
        }
    }
    made.truncate(usize::try_from(wanted.count).unwrap_or(usize::MAX));
    Ok(made)
}

fn body(wanted: &ImageOrder<'_>) -> Value {
    let mut config = json!({ "responseModalities": ["TEXT", "IMAGE"] });
    if let Some((width, height)) = wanted.size {
        config["imageConfig"] = json!({ "aspectRatio": shape(width, height) });
        // Models before the third generation support only one size.
        if !wanted.model.starts_with("gemini-2") {
            let size = match width.max(height) {
                0..=1024 => "1K",
                1025..=2048 => "2K",
                _ => "4K",
            };
            config["imageConfig"]["imageSize"] = json!(size);
        }
    }
    json!({
        "contents": [{ "role": "user", "parts": [{ "text": wanted.prompt }] }],
        "generationConfig": config
    })
}

/// The aspect ratio nearest to a size.
fn shape(width: u32, height: u32) -> &'static str {
    let wanted = f64::from(width) / f64::from(height.max(1));
    let distance =
        |across: u32, down: u32| (f64::from(across) / f64::from(down) / wanted).ln().abs();
    let nearest = SHAPES
        .into_iter()
        .min_by(|one, other| distance(one.1, one.2).total_cmp(&distance(other.1, other.2)));
    nearest.map_or("1:1", |(name, ..)| name)
}

/// The pictures in an answer, or the reason code when there is none.
fn files(answer: &Value) -> Result<ImageFiles, &str> {
    let candidate = &answer["candidates"][0];
    let parts = candidate["content"]["parts"].as_array();
    let files: ImageFiles = parts
        .into_iter()
        .flatten()
        // Skip the drafts that the model made while thinking.
        .filter(|part| part["thought"] != true)
        .filter_map(|part| part["inlineData"]["data"].as_str().map(str::to_owned))
        .collect();
    if !files.is_empty() {
        return Ok(files);
    }
    let reason = [
        &answer["promptFeedback"]["blockReason"],
        &candidate["finishReason"],
    ];
    let reason = reason
        .into_iter()
        .find_map(Value::as_str)
        .unwrap_or("NO_IMAGE");
    // Reasons are words from a closed list; anything else is not repeated.
    let is_word = reason.len() <= 40
        && reason
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    Err(if is_word { reason } else { "NO_IMAGE" })
}

fn refusal(asking: &ProviderRequest<'_>, refused: &Refusal) -> Failure {
    let mut failure = asking.failure(refused);
    if refused.status == StatusCode::TOO_MANY_REQUESTS && failure.retry_after.is_none() {
        failure.retry_after = delay(&refused.body);
    }
    failure
}

/// `{"error": {"details": [{"retryDelay": "17s"}]}}`.
fn delay(body: &[u8]) -> Option<Duration> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let mut details = answer["error"]["details"].as_array()?.iter();
    let text = details.find_map(|detail| detail["retryDelay"].as_str())?;
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    let delay = Duration::try_from_secs_f64(seconds).ok()?;
    (delay <= Duration::from_secs(24 * 60 * 60)).then_some(delay)
}
