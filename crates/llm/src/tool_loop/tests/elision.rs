//! What is left out of a long turn.

use super::*;

fn sent(turn: &ToolLoop) -> Vec<String> {
    let body: Value = serde_json::from_slice(&turn.request_body()).unwrap();
    body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect()
}

#[test]
fn stale_heavy_results_are_elided_once_and_the_rest_of_the_prefix_never_changes() {
    let mut turn = begun(plan());
    let mut requests = vec![sent(&turn)];
    for round in 0..6 {
        let id = format!("r{round}");
        calls(&mut turn, &[(&id, "read_document")]);
        done(
            &mut turn,
            &id,
            "read_document",
            json!({ "html": format!("<p>{round}</p>") }),
        );
        requests.push(sent(&turn));
    }
    for pair in requests.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        // Only the newest result of the previous request may differ, because this request elides it.
        let differing: Vec<usize> = (0..before.len())
            .filter(|at| before[*at] != after[*at])
            .collect();
        let newest = before.len() - 1;
        let expected = if before.len() > 1 {
            vec![newest]
        } else {
            vec![]
        };
        assert_eq!(differing, expected);
        if before.len() > 1 {
            assert!(
                after[newest].contains("Earlier read_document output removed"),
                "{}",
                after[newest]
            );
            assert!(
                after[newest].contains("Call read_document again"),
                "{}",
                after[newest]
            );
        }
    }
    assert!(requests[6].last().unwrap().contains("<p>5</p>"));
}

#[test]
fn results_of_one_batch_are_equally_new_and_pictures_are_heavy() {
    let mut turn = begun(plan());
    calls(&mut turn, &[("a", "read_document"), ("b", "read_document")]);
    done(&mut turn, "a", "read_document", json!("part 1"));
    done(&mut turn, "b", "read_document", json!("part 2"));
    let body = String::from_utf8(turn.request_body()).unwrap();
    assert!(body.contains("part 1") && body.contains("part 2"));
    for id in ["c", "d"] {
        calls(&mut turn, &[(id, "render_snapshot")]);
        let image = Image {
            mime_type: "image/png".to_owned(),
            data: format!("picture{id}"),
        };
        let result = ToolResult {
            tool_call_id: id.to_owned(),
            tool_name: "render_snapshot".to_owned(),
            ok: true,
            data: None,
            error: None,
            receipt: None,
            images: vec![image],
        };
        turn.step(
            2,
            LoopInput::ToolDone(ToolOutcome {
                result,
                ends_turn: false,
            }),
        );
    }
    let body = String::from_utf8(turn.request_body()).unwrap();
    assert!(!body.contains("picturec") && body.contains("pictured"));
    assert!(
        body.contains("part 1"),
        "another tool's results are not touched"
    );
}

#[test]
fn reasoning_that_is_bound_to_its_prefix_goes_when_the_prefix_is_elided() {
    let mut plan = plan();
    plan.settings = ModelSettings::new("claude-opus-5-5", Capabilities::of("claude-opus-5-5"));
    let mut turn = begun(plan);
    let thought = |turn: &mut ToolLoop, id: &str| {
        let echo = crate::message::Echo {
            format: crate::message::Format::Messages,
            model: "claude-opus-5-5".to_owned(),
            fields: serde_json::Map::new(),
        };
        let mut events = vec![StreamEvent::Block(Block::Reasoning(echo))];
        events.extend([
            call(id, "read_document"),
            StreamEvent::Ended(StopReason::ToolCalls),
        ]);
        stream(turn, events);
        done(turn, id, "read_document", json!(id));
    };
    let kept = |turn: &ToolLoop| {
        let blocks = turn.messages().iter().flat_map(|message| &message.content);
        blocks
            .filter(|block| matches!(block, Block::Reasoning(_)))
            .count()
    };
    thought(&mut turn, "a");
    assert_eq!(kept(&turn), 1);
    thought(&mut turn, "b");
    assert_eq!(
        kept(&turn),
        1,
        "the one before the elided result stays, the one behind it goes"
    );
}
