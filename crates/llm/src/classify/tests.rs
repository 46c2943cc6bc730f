use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::json;

use super::{answer, payload};
use crate::error::{Again, ErrorClass};
use crate::message::Format;

fn classified(
    format: Format,
    status: u16,
    headers: &[(&'static str, &str)],
    body: &str,
) -> (ErrorClass, Again, String) {
    let headers: HeaderMap = headers
        .iter()
        .map(|(name, value)| {
            let value = HeaderValue::from_str(value).unwrap();
            (HeaderName::from_static(name), value)
        })
        .collect();
    let status = StatusCode::from_u16(status).unwrap();
    let error = answer(format, status, &headers, body.as_bytes());
    (error.class, error.again, error.detail)
}

#[track_caller]
fn check(status: u16, body: &str, class: ErrorClass, again: Again) {
    let (found, found_again, _) = classified(Format::Responses, status, &[], body);
    assert_eq!((found, found_again), (class, again), "{status} {body}");
}

#[test]
fn every_status_of_the_reference_has_its_class() {
    let error =
        |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "m"}}).to_string();
    check(
        400,
        &error("invalid_request_error"),
        ErrorClass::InvalidRequest,
        Again::Never,
    );
    check(
        401,
        &error("authentication_error"),
        ErrorClass::Auth,
        Again::Never,
    );
    check(
        402,
        &error("billing_error"),
        ErrorClass::Billing,
        Again::Never,
    );
    check(
        403,
        &error("permission_error"),
        ErrorClass::Auth,
        Again::Never,
    );
    check(
        404,
        &error("not_found_error"),
        ErrorClass::InvalidRequest,
        Again::Never,
    );
    check(408, "", ErrorClass::Server, Again::May);
    check(
        409,
        &error("conflict_error"),
        ErrorClass::Server,
        Again::May,
    );
    check(
        413,
        &error("request_too_large"),
        ErrorClass::InvalidRequest,
        Again::Never,
    );
    check(
        429,
        &error("rate_limit_error"),
        ErrorClass::RateLimited,
        Again::May,
    );
    check(500, &error("api_error"), ErrorClass::Server, Again::May);
    check(503, "", ErrorClass::Overloaded, Again::May);
    check(
        529,
        &error("overloaded_error"),
        ErrorClass::Overloaded,
        Again::May,
    );
}

#[test]
fn k08_quota_and_spending_caps_are_not_rate_limits() {
    let quota = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#;
    check(429, quota, ErrorClass::Billing, Again::Never);
    let cap = r#"{"type":"error","error":{"type":"rate_limit_error","message":"cap"}}"#;
    let (class, again, _) = classified(Format::Messages, 429, &[], cap);
    assert_eq!((class, again), (ErrorClass::RateLimited, Again::Never));
    let (class, again, _) = classified(Format::Messages, 429, &[("retry-after", "2")], cap);
    assert_eq!((class, again), (ErrorClass::RateLimited, Again::May));
    let spent = r#"{"type":"error","error":{"type":"invalid_request_error","message":"m","details":{"error_code":"enforced_spend_limit_reached"}}}"#;
    check(400, spent, ErrorClass::Billing, Again::Never);
}

#[test]
fn k07_bodies_of_any_shape_are_read() {
    let detail = |status, body: &str| classified(Format::Chat, status, &[], body).2;
    assert_eq!(
        detail(
            502,
            "<html><head><title>502 Bad gateway</title></head></html>"
        ),
        "502 Bad gateway"
    );
    assert_eq!(detail(524, "<!doctype html><p>no title"), "an HTML page");
    assert_eq!(detail(500, ""), "");
    assert_eq!(
        detail(400, r#"{"error":"model is required"}"#),
        "model is required"
    );
    assert_eq!(
        detail(
            400,
            r#"{"object":"error","message":"vLLM says no","code":400}"#
        ),
        "vLLM says no"
    );
    assert_eq!(detail(429, "Too many requests"), "Too many requests");
    assert_eq!(detail(400, r#"{"error":{"code":null,"message":null}}"#), "");
}

#[test]
fn k07_a_code_may_be_a_number_or_a_text() {
    check(
        200,
        r#"{"error":{"code":402,"message":"credits"}}"#,
        ErrorClass::Billing,
        Again::Never,
    );
    check(
        200,
        r#"{"error":{"code":"rate_limit_exceeded","message":"slow"}}"#,
        ErrorClass::RateLimited,
        Again::May,
    );
    check(
        403,
        r#"{"error":{"code":403,"message":"flagged","metadata":{"reasons":["x"]}}}"#,
        ErrorClass::Refusal,
        Again::Never,
    );
    check(
        400,
        r#"{"error":{"code":400,"message":"m","metadata":{"error_type":"context_length_exceeded"}}}"#,
        ErrorClass::ContextOverflow,
        Again::Never,
    );
}

#[test]
fn words_decide_only_where_providers_give_no_code() {
    check(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        ErrorClass::ContextOverflow,
        Again::Never,
    );
    check(
        400,
        r#"{"error":{"message":"registry.ollama.ai/library/llama2:latest does not support tools","type":"api_error"}}"#,
        ErrorClass::NoToolSupport,
        Again::Never,
    );
}

#[test]
fn the_provider_may_say_itself_whether_to_try_again() {
    let (_, again, _) = classified(Format::Responses, 500, &[("x-should-retry", "false")], "");
    assert_eq!(again, Again::Never);
    let (_, again, _) = classified(Format::Responses, 400, &[("x-should-retry", "true")], "");
    assert_eq!(again, Again::May);
}

#[test]
fn k06_errors_inside_a_stream_are_classified_by_the_same_table() {
    let class = |value| payload(&value).class;
    assert_eq!(
        class(json!({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})),
        ErrorClass::Overloaded
    );
    assert_eq!(
        class(json!({"type":"error","code":"rate_limit_exceeded","message":"slow"})),
        ErrorClass::RateLimited
    );
    assert_eq!(
        class(
            json!({"type":"response.failed","response":{"error":{"code":"server_error","message":"m"}}})
        ),
        ErrorClass::Server
    );
    assert_eq!(
        class(json!({"error":{"code":402,"message":"credits"}})),
        ErrorClass::Billing
    );
    assert_eq!(
        class(json!({"object":"error","message":"boom"})),
        ErrorClass::Server
    );
    assert_eq!(
        payload(&json!({"error":"runner died"})).detail,
        "runner died"
    );
}

#[test]
fn k36_keys_quoted_in_an_error_are_redacted() {
    let (_, _, detail) = classified(
        Format::Responses,
        401,
        &[],
        r#"{"error":{"message":"Incorrect API key provided: sk-proj-aaaaaaaaaaaa","code":"invalid_api_key"}}"#,
    );
    assert_eq!(detail, "Incorrect API key provided: [redacted]");
}
