//! Legs whose arguments the card of their mission could not show: a person approves each of them again, with the values.

use serde_json::{Value, json};
use sitewright_runtime::{CardDecision, LegPlace};
use sitewright_store::{CallRecord, CallState};
use sitewright_tool::ErrorCode;

use crate::missions::{after, leg, mission, outcome, prepared, states};
use crate::stage::{EVERYONE, Stage, ana, code, keyed, local, main_site, on_both};

on_both! {
    a_leg_with_unseen_values_waits_for_an_approval_of_its_own
    what_was_shown_needs_no_second_approval
    a_refused_leg_takes_the_others_back
    a_rollback_withdraws_the_question
    an_agents_mission_asks_again_for_what_a_vendor_answered
    a_completed_leg_can_be_cancelled_later
}

/// A flight whose price a vendor names, and a hotel that costs as much.
fn trip() -> [Value; 2] {
    let hotel = json!({ "what": "hotel", "price": "${flight.price}" });
    [
        leg(
            "flight",
            "book_confirmed",
            json!({ "what": "flight", "price": 90 }),
        ),
        leg("hotel", "book_confirmed", hotel),
    ]
}

async fn waiting(stage: &Stage) -> anyhow::Result<Vec<CallRecord>> {
    let calls = stage.calls().await?.into_iter();
    Ok(calls
        .filter(|call| call.life.state == CallState::Waiting)
        .collect())
}

fn id_of(answer: &Value) -> String {
    answer["missionId"].as_str().expect("a text").to_owned()
}

async fn a_leg_with_unseen_values_waits_for_an_approval_of_its_own(
    stage: Stage,
) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let answer = outcome(&stage, mission(&trip(), &local())).await;
    assert_eq!(
        states(&answer),
        ["running", "flight committed", "hotel pending"]
    );
    let rows = waiting(&stage).await?;
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(answer["legs"][1]["approval"]["id"], json!(rows[0].id));
    let shown = json!({ "what": "hotel", "price": 90 });
    assert_eq!(rows[0].arguments, Some(shown), "the values are filled in");
    let expires = rows[0].life.expires.expect("a time").millis() - rows[0].at.millis();
    assert!(
        expires <= 1_800_000,
        "the flight can still be cancelled then: {expires}"
    );
    let id = id_of(&answer);
    let resumed = stage.pipeline.resume_mission(&main_site(), &id).await?;
    assert_eq!(resumed.outcome, answer, "resuming approves nothing");
    assert_eq!(agency.kept(), ["flight"]);
    let place = (&main_site(), rows[0].id.as_str());
    stage
        .pipeline
        .decide(place, CardDecision::Yes, &ana())
        .await?;
    let done = stage.pipeline.resume_mission(&main_site(), &id).await?;
    assert_eq!(
        states(&done.outcome),
        ["completed", "flight committed", "hotel committed"]
    );
    assert_eq!(agency.lines(), ["book flight", "book hotel"]);
    Ok(())
}

async fn what_was_shown_needs_no_second_approval(stage: Stage) -> anyhow::Result<()> {
    prepared(&stage)?;
    let legs = [
        leg("flight", "book_confirmed", json!({ "what": "flight" })),
        after(
            leg(
                "hotel",
                "book_confirmed",
                json!({ "what": "hotel", "price": 90 }),
            ),
            &["flight"],
        ),
        // It names what the card showed.
        leg(
            "car",
            "book_confirmed",
            json!({ "what": "car-${flight.booking_id}" }),
        ),
    ];
    let answer = outcome(&stage, mission(&legs, &local())).await;
    assert_eq!(
        states(&answer),
        [
            "completed",
            "flight committed",
            "hotel committed",
            "car committed"
        ]
    );
    Ok(())
}

async fn a_completed_leg_can_be_cancelled_later(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let legs = [
        leg("flight", "book", json!({ "what": "flight" })),
        leg(
            "visa",
            "book",
            json!({ "what": "visa", "cancel": "refuse" }),
        ),
    ];
    let answer = outcome(&stage, mission(&legs, &local())).await;
    let id = id_of(&answer);
    let site = main_site();
    let place = |leg| LegPlace {
        site: &site,
        mission: &id,
        leg,
    };
    let cancelled = stage.pipeline.cancel_leg(place("flight"), &ana()).await?;
    assert_eq!(
        states(&cancelled.outcome),
        ["completed", "flight rolled_back", "visa committed"]
    );
    assert_eq!(agency.kept(), ["visa"]);
    let again = stage.pipeline.cancel_leg(place("flight"), &ana()).await;
    assert!(again.is_err(), "{again:?}");
    let refused = stage.pipeline.cancel_leg(place("visa"), &ana()).await?;
    assert_eq!(
        states(&refused.outcome),
        ["completed", "flight rolled_back", "visa rollback_failed"]
    );
    assert_eq!(refused.outcome["residuals"][0]["leg"], "visa");
    let resolved = stage
        .pipeline
        .resolve_leg(place("visa"), "I called them.", &ana())
        .await?;
    let resolution = &resolved.outcome["residuals"][0]["resolved"];
    assert_eq!(resolution["note"], "I called them.");
    assert_eq!(resolution["by"], "user:ana");
    let none = stage
        .pipeline
        .resolve_leg(place("flight"), "x", &ana())
        .await;
    assert!(none.is_err(), "{none:?}");
    Ok(())
}

async fn a_refused_leg_takes_the_others_back(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let answer = outcome(&stage, mission(&trip(), &local())).await;
    let rows = waiting(&stage).await?;
    let place = (&main_site(), rows[0].id.as_str());
    stage
        .pipeline
        .decide(place, CardDecision::No, &ana())
        .await?;
    let id = id_of(&answer);
    let done = stage.pipeline.resume_mission(&main_site(), &id).await?;
    assert_eq!(
        states(&done.outcome),
        ["rolled_back", "flight rolled_back", "hotel failed"]
    );
    assert_eq!(done.outcome["legs"][1]["error"]["code"], "approval_denied");
    assert_eq!(agency.lines(), ["book flight", "cancel flight"]);
    Ok(())
}

async fn a_rollback_withdraws_the_question(stage: Stage) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let answer = outcome(&stage, mission(&trip(), &local())).await;
    let rows = waiting(&stage).await?;
    let stopped = stage
        .pipeline
        .stop_mission(&main_site(), &id_of(&answer))
        .await?;
    assert_eq!(
        states(&stopped.outcome),
        ["rolled_back", "flight rolled_back", "hotel pending"]
    );
    let place = (&main_site(), rows[0].id.as_str());
    let late = stage
        .pipeline
        .decide(place, CardDecision::Yes, &ana())
        .await;
    assert!(late.is_err(), "nobody can approve it any more: {late:?}");
    assert_eq!(agency.kept(), [""; 0]);
    Ok(())
}

async fn an_agents_mission_asks_again_for_what_a_vendor_answered(
    stage: Stage,
) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let agent = stage.agent().await?;
    // No structured confirmation: here it is the policy that asks about what agents do.
    let legs = [
        leg("flight", "book", json!({ "what": "flight", "price": 90 })),
        leg(
            "hotel",
            "book",
            json!({ "what": "hotel", "price": "${flight.price}" }),
        ),
    ];
    let waits = stage.call(keyed("trip", mission(&legs, &agent))).await;
    assert_eq!(code(&waits), Some(ErrorCode::ApprovalRequired));
    for lines in [vec!["book flight"], vec!["book flight", "book hotel"]] {
        let rows = waiting(&stage).await?;
        let place = (&main_site(), rows[0].id.as_str());
        stage
            .pipeline
            .decide(place, CardDecision::Yes, &ana())
            .await?;
        assert_eq!(agency.lines(), lines);
    }
    let missions = stage.pipeline.missions(&main_site(), EVERYONE).await?;
    let id = id_of(&missions[0].outcome);
    let done = stage.pipeline.resume_mission(&main_site(), &id).await?;
    assert_eq!(
        states(&done.outcome),
        ["completed", "flight committed", "hotel committed"]
    );
    Ok(())
}
