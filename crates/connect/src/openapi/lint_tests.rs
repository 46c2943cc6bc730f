//! The rules for documents: where each is broken, and the sentence that says so.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sitewright_tool::{Compensation, Effect};

use super::{OperationChoice, import};
use crate::openapi::bundle::Bundle;
use crate::openapi::finding::FindingLevel;

/// The example of the seed, completed where OpenAPI demands it.
const FLIGHTS: &str = include_str!("../../tests/openapi/flights.yaml");

/// Codes and pointers of the errors.
fn errors(document: &Value) -> Vec<String> {
    found(document, FindingLevel::Error)
}

fn found(document: &Value, level: FindingLevel) -> Vec<String> {
    let bundle = Bundle::single("api.json", document.to_string());
    let import = import(&bundle, &OperationChoice::Marked);
    let findings = import
        .findings
        .iter()
        .filter(|finding| finding.level == level);
    let mut found: Vec<String> = findings
        .map(|finding| format!("{} {}", finding.code, finding.pointer))
        .collect();
    // The whole document is on one line, so the order says nothing.
    found.sort();
    found
}

/// The flights as JSON, to be broken.
fn flights() -> Value {
    crate::openapi::source::Source::parse(FLIGHTS)
        .unwrap()
        .value
}

fn check(change: impl FnOnce(&mut Value), expected: &[&str]) {
    let mut document = flights();
    change(&mut document);
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(errors(&document), expected);
}

const BOOK: &str = "/paths/~1book/post";
const CANCEL: &str = "/paths/~1cancel/post";

fn set(document: &mut Value, pointer: &str, field: &str, value: Value) {
    document.pointer_mut(pointer).unwrap()[field] = value;
}

fn remove(document: &mut Value, pointer: &str, field: &str) {
    let object = document
        .pointer_mut(pointer)
        .unwrap()
        .as_object_mut()
        .unwrap();
    object.shift_remove(field).unwrap();
}

#[test]
fn the_example_loads_as_a_pair() {
    let import = import(
        &Bundle::single("flights.yaml", FLIGHTS),
        &OperationChoice::Marked,
    );
    let [book, cancel] = import.tools.as_slice() else {
        panic!("{:?}", import.findings);
    };
    let (book, cancel) = (&book.definition, &cancel.definition);
    assert_eq!(
        (book.name(), cancel.name()),
        ("flight_book_offer", "flight_cancel_booking")
    );
    let manifest = &book.manifest;
    assert_eq!(
        manifest.input_schema["required"],
        json!(["offer_id", "traveler_id"])
    );
    assert_eq!(
        manifest.confirmation.as_deref(),
        Some("structured-itinerary")
    );
    assert_eq!(
        manifest.cancels.as_ref().unwrap().as_str(),
        "flight_cancel_booking"
    );
    assert_eq!(manifest.effect(), Effect::External);
    assert_eq!(
        cancel.manifest.cancel_for.as_ref().unwrap().as_str(),
        "flight_book_offer"
    );
    assert_eq!(cancel.manifest.confirmation, None);
    assert_eq!(cancel.manifest.compensation, Some(Compensation::BestEffort));
    assert!(cancel.rollback.takes_everything);
    let codes: Vec<&str> = import.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(
        codes,
        [
            "missing-response-schema",
            "missing-summary",
            "missing-response-schema"
        ]
    );
}

#[test]
fn a_finding_has_its_line_and_its_remedy() {
    let text = FLIGHTS.replace(
        "x-orchet-cancels: flight_cancel_booking",
        "x-orchet-cancels: flight_undo",
    );
    let import = import(
        &Bundle::single("flights.yaml", text.clone()),
        &OperationChoice::Marked,
    );
    let finding = import
        .findings
        .iter()
        .find(|finding| finding.code == "cancel-target-missing")
        .unwrap();
    let line = text
        .lines()
        .position(|line| line.contains("flight_undo"))
        .unwrap()
        + 1;
    assert_eq!(finding.line as usize, line);
    assert_eq!(finding.pointer, format!("{BOOK}/x-orchet-cancels"));
    assert_eq!(
        finding.message,
        "`flight_undo` is no tool of this document: name an operation of this document with `x-orchet-tool: true`."
    );
    assert!(import.tools.is_empty());
}

#[test]
fn a_tool_needs_a_name_of_its_own() {
    let (book, cancel) = (
        format!("missing-operation-id {BOOK}"),
        format!("cancel-target-missing {CANCEL}/x-orchet-cancel-for"),
    );
    let mutual = format!("cancel-not-mutual {BOOK}/x-orchet-cancels");
    check(
        |document| remove(document, BOOK, "operationId"),
        &[&book, &mutual, &cancel],
    );
    let duplicate = |document: &mut Value| {
        let book = document.pointer(BOOK).unwrap().clone();
        document["paths"]["/again"] = json!({ "post": book });
    };
    check(
        duplicate,
        &["duplicate-operation-id /paths/~1again/post/operationId"],
    );
}

#[test]
fn the_input_of_a_tool_is_an_object() {
    let media = format!("{BOOK}/requestBody/content/application~1json");
    let at = format!("non-object-input {media}/schema");
    for schema in [
        json!({ "type": "array", "items": {} }),
        json!({ "type": "string" }),
        json!({}),
    ] {
        check(|document| set(document, &media, "schema", schema), &[&at]);
    }
    let either =
        json!({ "oneOf": [{ "type": "object" }, { "type": "object", "properties": { "a": {} } }] });
    check(|document| set(document, &media, "schema", either), &[]);
}

#[test]
fn an_effect_says_whether_it_can_be_taken_back() {
    let plain = |more: Value| {
        let mut operation = json!({ "operationId": "note", "summary": "Write a note.", "x-orchet-tool": true, "responses": {} });
        operation
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({ "openapi": "3.1.0", "info": {}, "paths": { "/note": { "post": operation } } })
    };
    let at = "/paths/~1note/post";
    let silent = format!("missing-reversibility {at}");
    let obliged = format!("missing-cancel {at}");
    for (more, expected) in [
        (json!({}), vec![&silent]),
        (json!({ "x-orchet-cost-tier": "low" }), vec![&silent]),
        (json!({ "x-orchet-reversibility": "irreversible" }), vec![]),
        (
            json!({ "x-orchet-reversibility": "irreversible", "x-orchet-cost-tier": "metered" }),
            vec![&obliged],
        ),
        (json!({ "x-orchet-cost-tier": "money" }), vec![&obliged]),
        (
            json!({ "x-orchet-requires-confirmation": "structured-cart" }),
            vec![&obliged],
        ),
        (
            json!({ "x-orchet-requires-confirmation": false }),
            vec![&silent],
        ),
        (
            json!({ "x-orchet-reversibility": "compensating" }),
            vec![&format!(
                "missing-compensating-tool {at}/x-orchet-reversibility"
            )],
        ),
    ] {
        let expected: Vec<String> = expected.into_iter().cloned().collect();
        assert_eq!(errors(&plain(more.clone())), expected, "{more}");
    }
}

#[test]
fn a_pair_is_mutual_and_in_one_document() {
    let missing = format!("cancel-target-missing {BOOK}/x-orchet-cancels");
    let one_way = format!("cancel-not-mutual {BOOK}/x-orchet-cancels");
    let other_way = format!("cancel-not-mutual {CANCEL}/x-orchet-cancel-for");
    let silent = format!("missing-reversibility {CANCEL}");
    let obliged = format!("missing-cancel {BOOK}");
    check(
        |document| remove(document, CANCEL, "x-orchet-cancel-for"),
        &[&one_way, &silent],
    );
    check(
        |document| remove(document, BOOK, "x-orchet-cancels"),
        &[&obliged, &other_way],
    );
    check(
        |document| remove(document, "/paths", "/cancel"),
        &[&missing],
    );
    check(
        |document| set(document, CANCEL, "x-orchet-tool", json!(false)),
        &[&missing],
    );
    let itself = format!("cancels-itself {BOOK}/x-orchet-cancels");
    check(
        |document| {
            set(
                document,
                BOOK,
                "x-orchet-cancels",
                json!("flight_book_offer"),
            )
        },
        &[&itself, &other_way],
    );
}

#[test]
fn a_tool_that_cancels_never_asks() {
    let at = format!("cancel-asks {CANCEL}/x-orchet-requires-confirmation");
    check(
        |document| {
            set(
                document,
                CANCEL,
                "x-orchet-requires-confirmation",
                json!("structured-booking"),
            )
        },
        &[&at],
    );
    check(
        |document| remove(document, CANCEL, "x-orchet-requires-confirmation"),
        &[],
    );
}

#[test]
fn what_an_extension_cannot_say_is_refused() {
    for (name, value) in [
        ("x-orchet-requires-confirmation", json!(true)),
        ("x-orchet-requires-confirmation", json!("structured-party")),
        ("x-orchet-requires-confirmation", json!("false")),
    ] {
        let at = format!("invalid-confirmation {CANCEL}/{name}");
        check(|document| set(document, CANCEL, name, value), &[&at]);
    }
    for (name, value) in [
        ("x-orchet-cost-tier", json!("cheap")),
        ("x-orchet-pii-required", json!("email")),
        ("x-orchet-pii-required", json!([1])),
        ("x-orchet-intent-tags", json!([""])),
        ("x-orchet-compensation-kind", json!("sometimes")),
        ("x-orchet-reversibility", json!(true)),
        (
            "x-orchet-compensating-inputs-template",
            json!("{{outputs.a}}"),
        ),
        ("x-orchet-compensating-window-seconds", json!(0)),
        ("x-orchet-compensating-window-seconds", json!("60")),
        ("x-orchet-confirm", json!(true)),
    ] {
        let at = format!("invalid-extension {CANCEL}/{name}");
        check(|document| set(document, CANCEL, name, value), &[&at]);
    }
    check(
        |document| set(document, CANCEL, "x-orchet-tool", json!("true")),
        &[
            &format!("cancel-target-missing {BOOK}/x-orchet-cancels"),
            &format!("invalid-extension {CANCEL}/x-orchet-tool"),
        ],
    );
}

#[test]
fn the_kinds_of_confirmation_are_listed() {
    let mut document = flights();
    set(
        &mut document,
        BOOK,
        "x-orchet-requires-confirmation",
        json!(true),
    );
    let import = import(
        &Bundle::single("api.json", document.to_string()),
        &OperationChoice::Marked,
    );
    let finding = import
        .findings
        .iter()
        .find(|finding| finding.code == "invalid-confirmation")
        .unwrap();
    assert_eq!(
        finding.message,
        "`x-orchet-requires-confirmation` is true: say false, or one of `structured-cart`, `structured-itinerary`, \
         `structured-booking`, `structured-reservation`, `structured-trip`."
    );
}

#[test]
fn what_a_cancel_needs_must_come_from_somewhere() {
    let needs = |document: &mut Value, field: &str| {
        let body = json!({ "required": true, "content": { "application/json": { "schema": {
            "type": "object", "required": [field], "properties": { field: { "type": "string" } },
        } } } });
        set(document, CANCEL, "requestBody", body);
    };
    let answers = |document: &mut Value| {
        let response = json!({ "200": { "description": "ok", "content": { "application/json": { "schema": {
            "type": "object", "properties": { "booking_id": { "type": "string" } },
        } } } } });
        set(document, BOOK, "responses", response);
    };
    let at = format!("cancel-input-unfilled {BOOK}/x-orchet-cancels");
    check(|document| needs(document, "booking_id"), &[&at]);
    check(|document| needs(document, "offer_id"), &[]);
    check(
        |document| {
            needs(document, "booking_id");
            answers(document);
        },
        &[],
    );
    let template = |document: &mut Value, value: Value| {
        needs(document, "id");
        answers(document);
        set(
            document,
            BOOK,
            "x-orchet-compensating-inputs-template",
            value,
        );
    };
    let field = format!("{BOOK}/x-orchet-compensating-inputs-template");
    let (unfilled, invalid) = (
        format!("cancel-input-unfilled {field}"),
        format!("invalid-template {field}"),
    );
    check(
        |document| template(document, json!({ "id": "{{outputs.booking_id}}" })),
        &[],
    );
    check(
        |document| template(document, json!({ "other": "{{inputs.offer_id}}" })),
        &[&unfilled],
    );
    check(
        |document| template(document, json!({ "id": "{{outputs.number}}" })),
        &[&invalid],
    );
    check(
        |document| template(document, json!({ "id": "{{answer.number}}" })),
        &[&invalid],
    );
}

#[test]
fn placeholders_references_and_schemes_must_exist() {
    let at = |code: &str, rest: &str| format!("{code} /paths/~1x~1{{id}}/get{rest}");
    let document = |operation: Value| {
        let mut operation = operation;
        operation["operationId"] = json!("look");
        operation["x-orchet-tool"] = json!(true);
        json!({ "openapi": "3.0.0", "info": {}, "paths": { "/x/{id}": { "get": operation } } })
    };
    assert_eq!(
        errors(&document(json!({}))),
        [at("undeclared-placeholder", "")]
    );
    let parameter =
        json!({ "name": "id", "in": "path", "required": true, "schema": { "$ref": "#/nowhere" } });
    assert_eq!(
        errors(&document(json!({ "parameters": [parameter] }))),
        [at("unresolved-ref", "/parameters/0/schema/$ref")]
    );
    let parameter = json!({ "name": "id", "in": "path", "schema": {} });
    assert_eq!(
        errors(&document(
            json!({ "parameters": [parameter], "security": [{ "key": [] }] })
        )),
        [at("unknown-security-scheme", "/security/0")]
    );
    assert_eq!(
        errors(&document(json!({ "parameters": [{ "name": "id" }] }))),
        [
            at("invalid-parameter", "/parameters/0"),
            at("undeclared-placeholder", "")
        ]
    );
}

#[test]
fn other_versions_and_broken_texts_are_refused() {
    assert_eq!(
        errors(&json!({ "swagger": "2.0" })),
        ["unsupported-version /swagger"]
    );
    assert_eq!(
        errors(&json!({ "openapi": "4.0.0" })),
        ["unsupported-version /openapi"]
    );
    assert_eq!(
        errors(&json!({ "info": {} })),
        ["unsupported-version /openapi"]
    );
    let import = import(
        &Bundle::single("a.yaml", "a: [\n"),
        &OperationChoice::Marked,
    );
    assert_eq!(import.findings[0].code, "syntax");
}

#[test]
fn words_and_loose_answers_are_warned_about() {
    let document = json!({ "openapi": "3.1.0", "info": {}, "paths": {
        "/a": { "get": { "operationId": "a", "x-orchet-tool": true, "summary": "get_a", "x-orchet-pii-required": ["e-mail"],
            "responses": { "200": { "description": "ok", "content": { "application/json": { "schema": {} } } } } } },
        "/b": { "get": { "operationId": "b b", "x-orchet-tool": true, "summary": "Find what you want.",
            "responses": { "200": { "description": "ok", "content": { "application/hal+json": { "schema": { "type": "object" } } } } } } },
        "/c": { "get": { "operationId": "c", "x-orchet-cost-tier": "low" } },
    } });
    let warnings: BTreeSet<String> = found(&document, FindingLevel::Warning)
        .into_iter()
        .collect();
    let expected = [
        "extension-without-tool /paths/~1c/get/x-orchet-cost-tier",
        "invalid-operation-id /paths/~1b/get/operationId",
        "jargon-summary /paths/~1a/get/summary",
        "loose-response-schema /paths/~1a/get/responses/200/content/application~1json/schema",
        "unfamiliar-pii /paths/~1a/get/x-orchet-pii-required/0",
    ];
    assert_eq!(warnings, expected.iter().map(ToString::to_string).collect());
    assert_eq!(errors(&document), [""; 0]);
}

#[test]
fn a_document_without_extensions_offers_its_operations() {
    let document = json!({ "openapi": "3.0.0", "info": {}, "paths": { "/a": { "get": { "operationId": "a" }, "post": {} } } });
    let bundle = Bundle::single("api.json", document.to_string());
    let names = |choice: &OperationChoice| -> Vec<String> {
        let import = import(&bundle, choice);
        import
            .tools
            .iter()
            .map(|tool| tool.definition.name().to_owned())
            .collect()
    };
    assert_eq!(names(&OperationChoice::Marked), [""; 0]);
    let also = |label: &str| OperationChoice::Also([label.to_owned()].into());
    assert_eq!(names(&also("a")), ["a"]);
    assert_eq!(names(&also("POST /a")).len(), 1);
    assert_eq!(names(&OperationChoice::All).len(), 2);
}
