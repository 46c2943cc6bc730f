//! Workflows: what is refused before the first step, what a failure does, and what follows values.

use anyhow::Result;
use serde_json::{Value, json};
use sitewright_runtime::CallOutcome;
use sitewright_store::{Place, RunQuery};
use sitewright_tool::Taint;

use crate::stage::{Node, World};

struct Bench {
    node: Node,
    world: World,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let place = Place::File(folder.path().join("sitewright.db"));
        let world = World::new();
        Ok(Self {
            node: Node::open(&place, &world).await?,
            world,
            _folder: folder,
        })
    }

    async fn done(&self, input: Value) -> Value {
        match self.node.workflow(input).await.outcome {
            CallOutcome::Done(answer) => answer.data,
            other => panic!("{other:?}"),
        }
    }

    async fn refused(&self, input: Value) -> String {
        match self.node.workflow(input).await.outcome {
            CallOutcome::Refused(error) => error.message,
            other => panic!("{other:?}"),
        }
    }
}

fn step(id: &str, tool: &str, input: Value) -> Value {
    json!({ "id": id, "tool": tool, "input": input })
}

#[tokio::test]
async fn mistakes_are_found_before_the_first_step_and_say_what_there_is() -> Result<()> {
    let bench = Bench::new().await?;
    let slow = step("first", "slow", json!({}));
    let echo = |message: &str| step("b", "echo", json!({ "message": message }));
    let mut waits = step("b", "echo", json!({ "message": "x" }));
    waits["dependencies"] = json!(["c"]);
    for (steps, expected) in [
        (
            json!([slow, echo("${nowhere.x}")]),
            "The step `b` refers to `nowhere`, and the steps are `b`, `first`.",
        ),
        (
            json!([slow, step("b", "no-tool", json!({}))]),
            "The step `b` cannot run: There is no tool `no-tool`; `tool list` names those there are.",
        ),
        (
            json!([
                slow,
                waits,
                step("c", "echo", json!({ "message": "${b.echo}" }))
            ]),
            "The steps `b`, `c` wait for each other: take one of their dependencies or references out.",
        ),
        (
            json!([slow, slow]),
            "Two steps have the id `first`: give each its own.",
        ),
        (
            json!([
                slow,
                step("r", "random", json!({})),
                step(
                    "b",
                    "calculator",
                    json!({ "expression": "${r.number} + 1" })
                )
            ]),
            "The step `b` uses `${r.number}`, and `random` answers no `number`. It answers `numbers`: use one of these.",
        ),
        (
            json!([slow, echo("${first")]),
            "In the step `b`, `${first` is no reference: write it as `${step.field}` or `${step.list[0]}`.",
        ),
        (
            json!([slow, step("w", "workflow", json!({ "steps": [] }))]),
            "`workflow` cannot be a step of a workflow; the step `w` needs another tool.",
        ),
    ] {
        assert_eq!(bench.refused(json!({ "steps": steps })).await, expected);
    }
    let bad_input = json!([slow, step("b", "calculator", json!({ "expr": "1" }))]);
    assert!(
        bench
            .refused(json!({ "steps": bad_input }))
            .await
            .starts_with("In the step `b`: ")
    );
    let returned = json!({ "steps": [echo("x")], "returnStep": "z" });
    assert_eq!(
        bench.refused(returned).await,
        "`returnStep` names `z`, and the steps are `b`."
    );
    assert_eq!(
        bench.world.begun.available_permits(),
        0,
        "nothing was called"
    );
    Ok(())
}

/// R1, R2 and R3: types are kept, missing parts are errors, and references count although `dependencies` is empty.
#[tokio::test]
async fn values_keep_their_types_and_references_are_dependencies() -> Result<()> {
    let bench = Bench::new().await?;
    let written =
        |text: &str| json!({ "n": 1.5, "list": [true, null, { "deep": "x" }], "text": text });
    let value = written("a ${b} c");
    let mut late = step("late", "echo", json!({ "message": "${source.echo}" }));
    late["dependencies"] = json!([]);
    let steps = json!([
        late,
        step(
            "text",
            "echo",
            json!({ "message": "n is ${source.echo.n}" })
        ),
        step(
            "part",
            "echo",
            json!({ "message": "${source.echo.list[2].deep}" })
        ),
        step("source", "echo", json!({ "message": written("a $${b} c") })),
    ]);
    let output = bench
        .done(json!({ "steps": steps, "returnStep": "part" }))
        .await;
    assert_eq!(output["results"]["late"]["echo"], value);
    assert_eq!(output["results"]["text"]["echo"], "n is 1.5");
    assert_eq!(output["result"], json!({ "echo": "x" }));
    assert_eq!(output["executionOrder"][0], "source");
    let missing = json!([
        step("a", "echo", json!({ "message": { "x": 1 } })),
        step("b", "slow", json!({ "v": "${a.echo.y}" }))
    ]);
    let error = bench.refused(json!({ "steps": missing })).await;
    assert_eq!(
        error,
        "The step `b` (slow) failed: Its input cannot be filled in: `a.echo.y` leads nowhere: at `a.echo` there are `x`. Nothing was called. \
         Correct it and run the workflow again, or set `continueOnError`."
    );
    assert_eq!(bench.world.begun.available_permits(), 0);
    Ok(())
}

/// R4: a step waits only for what it needs, and a failure stops its siblings.
#[tokio::test]
async fn a_slow_step_delays_only_what_depends_on_it_and_a_failure_stops_the_others() -> Result<()> {
    let bench = Bench::new().await?;
    let mut opens = step("opens", "echo", json!({ "message": "${quick.echo}" }));
    opens["timeoutSeconds"] = json!(30);
    let steps = json!([
        step("slow", "slow", json!({})),
        step("quick", "echo", json!({ "message": 1 })),
        opens
    ]);
    let world = bench.world.clone();
    let opener = async {
        world.begun.acquire().await.expect("never closed").forget();
        world.gate.add_permits(1);
    };
    let (output, ()) = tokio::join!(bench.done(json!({ "steps": steps })), opener);
    assert_eq!(output["errors"], json!([]));
    assert_eq!(bench.world.count(), 1);
    let failing = json!([
        step("slow", "slow", json!({})),
        step("bad", "calculator", json!({ "expression": "1 / 0" }))
    ]);
    let error = bench.refused(json!({ "steps": failing })).await;
    assert!(
        error.starts_with("The step `bad` (calculator) failed: "),
        "{error}"
    );
    assert_eq!(
        bench.world.count(),
        1,
        "the slow one was stopped and has no effect"
    );
    Ok(())
}

#[tokio::test]
async fn with_continue_on_error_only_what_needs_the_failed_step_is_left_out() -> Result<()> {
    let bench = Bench::new().await?;
    let steps = json!([
        step("bad", "calculator", json!({ "expression": "1 / 0" })),
        step("needs", "echo", json!({ "message": "${bad.result}" })),
        step("free", "echo", json!({ "message": "here" })),
    ]);
    let output = bench
        .done(json!({ "steps": steps, "continueOnError": true }))
        .await;
    assert_eq!(output["results"], json!({ "free": { "echo": "here" } }));
    let errors = output["errors"].as_array().expect("a list");
    assert_eq!(
        (&errors[0]["step"], &errors[0]["tool"]),
        (&json!("bad"), &json!("calculator"))
    );
    assert_eq!(
        errors[1],
        json!({ "step": "needs", "tool": "echo", "error": "It was not run, because it needs `bad`, which failed." })
    );
    Ok(())
}

/// The last step sends what came from outside, so a person is asked although a read alone would not ask.
#[tokio::test]
async fn what_came_from_outside_stays_marked_through_steps() -> Result<()> {
    let bench = Bench::new().await?;
    let steps = json!([
        step("own", "vendor", json!({ "x": 1 })),
        step("copy", "echo", json!({ "message": "${own.said}" })),
        step("used", "vendor", json!({ "y": "${copy.echo.x}" })),
    ]);
    let approver = bench.node.approve_waiting_call();
    let (reply, approved) = tokio::join!(bench.node.workflow(json!({ "steps": steps })), approver);
    assert_eq!(approved?, "vendor");
    assert_eq!(reply.taint, Taint::Untrusted);
    let CallOutcome::Done(answer) = reply.outcome else {
        panic!("{reply:?}")
    };
    assert_eq!(answer.data["results"]["own"]["taint"], "Trusted");
    assert_eq!(answer.data["results"]["used"]["taint"], "Untrusted");
    Ok(())
}

/// Each step repeats the one before four times: without a limit, twelve steps of a kilobyte would make four gigabytes.
#[tokio::test]
async fn steps_that_repeat_each_other_do_not_grow_without_limit() -> Result<()> {
    let bench = Bench::new().await?;
    let mut steps = vec![step("s0", "echo", json!({ "message": "x".repeat(1_000) }))];
    for at in 1..12 {
        let before = format!("${{s{}.echo}}", at - 1).repeat(4);
        steps.push(step(
            &format!("s{at}"),
            "echo",
            json!({ "message": before }),
        ));
    }
    let message = bench.refused(json!({ "steps": steps })).await;
    assert_eq!(
        message,
        "The step `s6` (echo) failed: Its input cannot be filled in: with `s5.echo` it has more than 1048576 bytes: refer to a smaller \
         part of what the step answered. Nothing was called. Correct it and run the workflow again, or set `continueOnError`."
    );
    Ok(())
}

#[tokio::test]
async fn the_steps_of_a_workflow_share_one_limit() -> Result<()> {
    let bench = Bench::new().await?;
    let mut steps = vec![step(
        "s0",
        "echo",
        json!({ "message": "x".repeat(900_000) }),
    )];
    for at in 1..10 {
        let before = format!("${{s{}.echo}}", at - 1);
        steps.push(step(
            &format!("s{at}"),
            "echo",
            json!({ "message": before }),
        ));
    }
    let output = bench
        .done(json!({ "steps": steps, "continueOnError": true }))
        .await;
    assert_eq!(output["executionOrder"], json!(["s0", "s1", "s2"]));
    assert_eq!(
        output["errors"][0],
        json!({
            "step": "s2", "tool": "echo",
            "error": "Its input has 900015 bytes, and the inputs and outputs of a workflow may have 4 MiB together: ask for less, or split the \
                      workflow. Nothing was called.",
        })
    );
    Ok(())
}

/// What is nested too deeply to be read back must not be stored: the record and every list with it would be lost.
#[tokio::test]
async fn steps_that_nest_each_other_are_refused_before_they_cannot_be_read() -> Result<()> {
    let bench = Bench::new().await?;
    let mut steps = vec![step("s0", "echo", json!({ "message": 1 }))];
    for at in 1..80 {
        let before = format!("${{s{}}}", at - 1);
        steps.push(step(
            &format!("s{at}"),
            "echo",
            json!({ "message": [before] }),
        ));
    }
    let output = bench
        .done(json!({ "steps": steps, "continueOnError": true }))
        .await;
    let error = output["errors"][0]["error"].as_str().unwrap_or_default();
    assert!(
        error.starts_with("It was done, but its output is nested more than 100 levels deep."),
        "{error}"
    );
    let newest = RunQuery {
        actor: None,
        before: None,
        limit: 10,
    };
    let (store, site) = (&bench.node.store, &bench.node.site);
    let bodies = store.workflows(site, newest, |workflow| workflow.body);
    let bodies = bodies.await?;
    assert_eq!(bodies.len(), 1);
    assert!(bodies[0]["steps"].is_array(), "it can be read: {bodies:?}");
    Ok(())
}

/// A reference in a field that is no text is checked once it is filled in: the plan cannot know its type.
#[tokio::test]
async fn a_value_from_another_step_keeps_its_type_and_must_fit_the_field() -> Result<()> {
    let bench = Bench::new().await?;
    let waits = |reference: &str| step("wait", "timer", json!({ "seconds": reference }));
    let number = step("number", "calculator", json!({ "expression": "1 / 100" }));
    let output = bench
        .done(json!({ "steps": [waits("${number.result}"), number] }))
        .await;
    assert_eq!(output["results"]["wait"], json!({ "waited": 0.01 }));
    let text = step("text", "echo", json!({ "message": "soon" }));
    let output = bench
        .done(json!({ "steps": [text, waits("${text.echo}")], "continueOnError": true }))
        .await;
    let error = &output["errors"][0];
    assert_eq!(error["step"], "wait");
    let message = error["error"].as_str().unwrap_or_default();
    assert!(message.contains("seconds"), "{message}");
    Ok(())
}

#[tokio::test]
async fn a_step_that_takes_longer_than_it_may_fails_alone() -> Result<()> {
    let bench = Bench::new().await?;
    let mut slow = step("slow", "slow", json!({}));
    slow["timeoutSeconds"] = json!(1);
    let echo = step("quick", "echo", json!({ "message": "here" }));
    let output = bench
        .done(json!({ "steps": [slow, echo], "continueOnError": true }))
        .await;
    assert_eq!(output["results"], json!({ "quick": { "echo": "here" } }));
    assert_eq!(output["errors"][0]["step"], "slow");
    assert_eq!(bench.world.count(), 0);
    Ok(())
}
