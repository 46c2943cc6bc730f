//! Missions over real rows: what is booked, what is cancelled, who is asked, and what is left.

use std::sync::Arc;

use serde_json::{Value, json};
use sitewright_runtime::{Call, CardDecision, mission_tool};
use sitewright_store::{CallState, Committer};
use sitewright_tool::ErrorCode;

use crate::agency::{Agency, connect_agency};
use crate::stage::{EVERYONE, Stage, ana, call, code, keyed, local, main_site, on_both};

on_both! {
    a_mission_that_succeeds_keeps_everything
    a_leg_uses_what_another_answered
    a_failed_leg_takes_the_others_back_in_reverse_order
    what_cannot_be_taken_back_is_listed
    an_effect_whose_answer_was_lost_is_taken_back_or_listed
    one_approval_covers_the_legs_and_their_rollback
    a_mission_that_nobody_approved_does_nothing
    bad_legs_are_refused_before_anybody_is_asked
    a_repeat_answers_what_the_first_one_did
    a_cancel_that_fails_for_now_is_tried_again_and_resumed
}

pub(crate) fn prepared(stage: &Stage) -> anyhow::Result<Arc<Agency>> {
    let agency = Arc::new(Agency::in_memory());
    connect_agency(&stage.pipeline, &agency)?;
    stage.pipeline.tools().register(
        sitewright_runtime::ToolSource::BuiltIn,
        mission_tool(&stage.pipeline),
    )?;
    Ok(agency)
}

pub(crate) fn leg(id: &str, tool: &str, arguments: Value) -> Value {
    json!({ "id": id, "tool": tool, "arguments": arguments })
}

pub(crate) fn after(mut leg: Value, dependencies: &[&str]) -> Value {
    leg["dependencies"] = json!(dependencies);
    leg
}

pub(crate) fn mission(legs: &[Value], by: &Committer) -> Call {
    Call {
        is_confirmed: true,
        ..call("mission.run", json!({ "legs": legs }), by)
    }
}

/// The state of the mission and of its legs.
pub(crate) fn states(answer: &Value) -> Vec<String> {
    let legs = answer["legs"].as_array().expect("a list").iter();
    let legs = legs.map(|leg| {
        format!(
            "{} {}",
            leg["id"].as_str().expect("a text"),
            leg["state"].as_str().expect("a text")
        )
    });
    [answer["state"].as_str().expect("a text").to_owned()]
        .into_iter()
        .chain(legs)
        .collect()
}

pub(crate) async fn outcome(stage: &Stage, call: Call) -> Value {
    let envelope = stage.call(call).await;
    assert!(envelope.ok, "{envelope:?}");
    envelope.data.expect("the test")
}

async fn a_mission_that_succeeds_keeps_everything(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let legs = [
        leg("flight", "book", json!({ "what": "flight" })),
        leg("hotel", "book", json!({ "what": "hotel" })),
    ];
    let answer = outcome(&stage, mission(&legs, &local())).await;
    assert_eq!(
        states(&answer),
        ["completed", "flight committed", "hotel committed"]
    );
    assert_eq!(answer["residuals"], json!([]));
    assert_eq!(answer["legs"][0]["output"]["what"], "flight");
    assert_eq!(agency.kept(), ["flight", "hotel"]);
    let shown = stage
        .pipeline
        .mission(&main_site(), answer["missionId"].as_str().expect("a text"))
        .await?;
    assert_eq!(shown.outcome, answer);
    assert_eq!(
        stage.pipeline.missions(&main_site(), EVERYONE).await?.len(),
        1
    );
    Ok(())
}

async fn a_leg_uses_what_another_answered(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let legs = [
        leg(
            "car",
            "book",
            json!({ "what": "car for ${flight.what}", "price": "${flight.price}" }),
        ),
        leg("flight", "book", json!({ "what": "flight", "price": 12.5 })),
    ];
    let asked = outcome(&stage, mission(&legs, &local())).await;
    let approval = &asked["legs"][0]["approval"]["id"];
    let place = (&main_site(), approval.as_str().expect("a leg that asks"));
    stage
        .pipeline
        .decide(place, CardDecision::Yes, &ana())
        .await?;
    let id = asked["missionId"].as_str().expect("a text");
    let answer = stage.pipeline.resume_mission(&main_site(), id).await?;
    let answer = answer.outcome;
    assert_eq!(
        answer["legs"][0]["output"]["price"],
        json!(12.5),
        "{answer}"
    );
    assert_eq!(agency.kept(), ["car for flight", "flight"]);
    let missing = [
        leg("flight", "book", json!({ "what": "flight" })),
        leg("car", "book", json!({ "what": "${flight.nothing}" })),
    ];
    let answer = outcome(&stage, mission(&missing, &local())).await;
    assert_eq!(
        states(&answer),
        ["rolled_back", "flight rolled_back", "car failed"]
    );
    assert_eq!(answer["legs"][1]["error"]["code"], "invalid_input");
    Ok(())
}

async fn a_failed_leg_takes_the_others_back_in_reverse_order(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let legs = [
        leg("flight", "book", json!({ "what": "flight" })),
        after(
            leg("hotel", "book", json!({ "what": "hotel" })),
            &["flight"],
        ),
        after(
            leg(
                "car",
                "book",
                json!({ "what": "car", "behaviour": "refuse" }),
            ),
            &["hotel"],
        ),
        after(leg("tour", "book", json!({ "what": "tour" })), &["car"]),
    ];
    let answer = outcome(&stage, mission(&legs, &local())).await;
    assert_eq!(
        states(&answer),
        [
            "rolled_back",
            "flight rolled_back",
            "hotel rolled_back",
            "car failed",
            "tour pending"
        ]
    );
    assert_eq!(
        agency.lines(),
        ["book flight", "book hotel", "cancel hotel", "cancel flight"]
    );
    Ok(())
}

async fn what_cannot_be_taken_back_is_listed(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let legs = [
        leg("letter", "post", json!({ "what": "letter" })),
        after(
            leg(
                "visa",
                "book",
                json!({ "what": "visa", "cancel": "refuse" }),
            ),
            &["letter"],
        ),
        after(
            leg(
                "car",
                "book",
                json!({ "what": "car", "behaviour": "refuse" }),
            ),
            &["visa"],
        ),
    ];
    let answer = outcome(&stage, mission(&legs, &local())).await;
    assert_eq!(
        states(&answer),
        [
            "rolled_back_with_residuals",
            "letter manual_review",
            "visa rollback_failed",
            "car failed"
        ]
    );
    let residuals = answer["residuals"].as_array().expect("a list").iter();
    let residuals: Vec<&str> = residuals
        .map(|residual| residual["leg"].as_str().expect("a text"))
        .collect();
    assert_eq!(residuals, ["letter", "visa"]);
    assert_eq!(agency.kept(), ["letter", "visa"]);
    Ok(())
}

async fn an_effect_whose_answer_was_lost_is_taken_back_or_listed(
    stage: Stage,
) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let lost = |what: &str| json!({ "what": what, "behaviour": "lost" });
    let by_key = outcome(
        &stage,
        mission(&[leg("flight", "book_by_key", lost("flight"))], &local()),
    )
    .await;
    assert_eq!(states(&by_key), ["rolled_back", "flight rolled_back"]);
    let by_id = outcome(
        &stage,
        mission(&[leg("hotel", "book", lost("hotel"))], &local()),
    )
    .await;
    assert_eq!(
        states(&by_id),
        ["rolled_back_with_residuals", "hotel unknown"]
    );
    let safe = outcome(
        &stage,
        mission(&[leg("car", "book_safely", lost("car"))], &local()),
    )
    .await;
    assert_eq!(states(&safe), ["completed", "car committed"]);
    let nonsense = json!({ "what": "tour", "behaviour": "nonsense" });
    let nonsense = outcome(
        &stage,
        mission(&[leg("tour", "book_by_key", nonsense)], &local()),
    )
    .await;
    assert_eq!(states(&nonsense), ["rolled_back", "tour rolled_back"]);
    assert_eq!(agency.kept(), ["car", "hotel"]);
    Ok(())
}

async fn one_approval_covers_the_legs_and_their_rollback(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let agent = stage.agent().await?;
    let legs = [
        leg(
            "flight",
            "book",
            json!({ "what": "flight", "price": 100, "currency": "EUR" }),
        ),
        after(
            leg(
                "car",
                "book",
                json!({ "what": "car", "behaviour": "refuse" }),
            ),
            &["flight"],
        ),
    ];
    let waits = stage.call(keyed("trip", mission(&legs, &agent))).await;
    assert_eq!(code(&waits), Some(ErrorCode::ApprovalRequired));
    assert_eq!(agency.lines(), [""; 0]);
    let rows = stage.calls().await?;
    assert_eq!(rows.len(), 1, "{rows:?}");
    let row = &rows[0];
    let preview = row.preview.as_ref().expect("the test");
    assert_eq!(preview["kind"], "structured-trip");
    assert_eq!(preview["legs"][0]["takenBackBy"], "cancel");
    assert_eq!(preview["total"], json!({ "EUR": 100.0 }));
    let place = (&main_site(), row.id.as_str());
    stage
        .pipeline
        .decide(place, CardDecision::Yes, &ana())
        .await?;
    let answer = outcome(&stage, keyed("trip", mission(&legs, &agent))).await;
    assert_eq!(
        states(&answer),
        ["rolled_back", "flight rolled_back", "car failed"]
    );
    for row in stage.calls().await? {
        assert_ne!(row.life.state, CallState::Waiting, "{row:?}");
    }
    Ok(())
}

async fn a_mission_that_nobody_approved_does_nothing(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let agent = stage.agent().await?;
    let legs = [leg("flight", "book", json!({ "what": "flight" }))];
    let waits = stage.call(keyed("trip", mission(&legs, &agent))).await;
    assert_eq!(code(&waits), Some(ErrorCode::ApprovalRequired));
    let rows = stage.calls().await?;
    let place = (&main_site(), rows[0].id.as_str());
    stage
        .pipeline
        .decide(place, CardDecision::No, &ana())
        .await?;
    let denied = stage.call(keyed("trip", mission(&legs, &agent))).await;
    assert_eq!(code(&denied), Some(ErrorCode::ApprovalDenied));
    assert_eq!(agency.lines(), [""; 0]);
    assert_eq!(stage.pipeline.missions(&main_site(), EVERYONE).await?, []);
    Ok(())
}

async fn bad_legs_are_refused_before_anybody_is_asked(stage: Stage) -> anyhow::Result<()> {
    prepared(&stage)?;
    let book = |id: &str| leg(id, "book", json!({ "what": "x" }));
    for (legs, sentence) in [
        (
            vec![book("a"), book("a")],
            "Two legs have the id `a`: give each its own.",
        ),
        (
            vec![book("a b")],
            "`a b` is no id of a leg: use 1 to 64 letters, digits, `_` or `-`.",
        ),
        (
            vec![after(book("a"), &["b"])],
            "The leg `a` depends on `b`, and the legs are `a`.",
        ),
        (
            vec![after(book("a"), &["b"]), after(book("b"), &["a"])],
            "The legs `a`, `b` wait for each other: take one of their dependencies out.",
        ),
        (
            vec![leg("a", "nowhere", json!({}))],
            "The leg `a` cannot run: There is no tool `nowhere`; `tool list` names those there are.",
        ),
        (
            vec![leg("a", "mission.run", json!({ "legs": [book("b")] }))],
            "`mission.run` cannot be a leg of a mission; the leg `a` needs another tool.",
        ),
    ] {
        let refused = stage.call(mission(&legs, &stage.agent().await?)).await;
        let error = refused.error.expect("the test");
        assert_eq!(
            (error.code, error.message.as_str()),
            (ErrorCode::InvalidInput, sentence)
        );
    }
    let wrong = [leg("a", "book", json!({ "what": 7 }))];
    let refused = stage.call(mission(&wrong, &local())).await;
    assert_eq!(code(&refused), Some(ErrorCode::InvalidInput));
    Ok(())
}

async fn a_repeat_answers_what_the_first_one_did(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let legs = [leg("flight", "book", json!({ "what": "flight" }))];
    let once = outcome(&stage, keyed("trip", mission(&legs, &local()))).await;
    let again = outcome(&stage, keyed("trip", mission(&legs, &local()))).await;
    assert_eq!(once, again);
    assert_eq!(agency.lines(), ["book flight"]);
    Ok(())
}

/// The vendor is busy longer than the mission waits; the mission says so and goes on when it is resumed.
async fn a_cancel_that_fails_for_now_is_tried_again_and_resumed(
    stage: Stage,
) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    agency.fail_cancels(3);
    let legs = [
        leg("flight", "book", json!({ "what": "flight" })),
        after(
            leg(
                "car",
                "book",
                json!({ "what": "car", "behaviour": "refuse" }),
            ),
            &["flight"],
        ),
    ];
    let answer = outcome(&stage, mission(&legs, &local())).await;
    assert_eq!(
        states(&answer),
        ["rolling_back", "flight rollback_pending", "car failed"]
    );
    assert_eq!(answer["residuals"][0]["leg"], "flight");
    let id = answer["missionId"].as_str().expect("a text");
    let resumed = stage.pipeline.resume_mission(&main_site(), id).await?;
    assert_eq!(
        states(&resumed.outcome),
        ["rolled_back", "flight rolled_back", "car failed"]
    );
    assert_eq!(agency.kept(), [""; 0]);
    Ok(())
}
