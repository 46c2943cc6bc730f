//! Running plans in whole and in part.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Bench, page};
use crate::plan::{Accept, OpStatus, PlanProblemKind, PlanRun};
use crate::{ChangeId, Need, NodeId, Outcome, diff};

fn statuses(run: &PlanRun) -> Vec<OpStatus> {
    run.outcomes.iter().map(|outcome| outcome.status).collect()
}

fn only(indexes: &[usize]) -> Accept {
    Accept::Only(indexes.iter().copied().collect::<BTreeSet<_>>())
}

fn reasons(bench: &mut Bench, ops: Value) -> Vec<String> {
    let plan = bench.plan(ops);
    let run = bench.run(&plan, &Accept::All);
    assert!(
        run.is_clean(),
        "{:?}",
        run.all_problems().collect::<Vec<_>>()
    );
    let cautions = run.cautions.iter().map(|caution| json!(caution));
    cautions.map(|caution| caution.to_string()).collect()
}

#[test]
fn a_failing_operation_takes_only_those_that_need_it_along() {
    let mut bench = Bench::new();
    let plan = bench.plan(json!([
        { "op": "update_text", "node": bench.node("title"), "text": "Hi" },
        { "op": "add_node", "parent": NodeId::from(999), "html": "<p>x</p>", "as": "lost" },
        { "op": "update_text", "node": "@lost", "text": "y" },
        { "op": "update_text", "node": bench.node("intro"), "text": "Ho" },
    ]));
    let run = bench.run(&plan, &Accept::All);
    let expected = [
        OpStatus::Done,
        OpStatus::Failed,
        OpStatus::Dependent,
        OpStatus::Done,
    ];
    assert_eq!(statuses(&run), expected);
    assert_eq!(run.outcomes[2].depends_on, [1]);
    assert!(!run.is_clean());
    assert_eq!(run.ops.len(), 2);
    assert_eq!(run.diff.len(), 2);
    assert_eq!(run.receipt.changed.len(), 2);
}

#[test]
fn a_part_that_fails_halfway_leaves_nothing_behind() {
    let mut bench = Bench::new();
    // The HTML of the second operation is refused after its page was created.
    let plan = bench.plan(json!([
        { "op": "create_page", "title": "Prices", "html": "<p>{{page.title}}</p>" },
        { "op": "update_text", "node": bench.node("title"), "text": "Hi" },
    ]));
    let run = bench.run(&plan, &Accept::All);
    assert_eq!(statuses(&run), [OpStatus::Failed, OpStatus::Done]);
    assert_eq!(run.ops.len(), 1);
    assert_eq!(run.receipt.created, []);
}

#[test]
fn a_person_accepts_some_operations_and_gets_what_was_shown() {
    let mut bench = Bench::new();
    let plan = bench.plan(json!([
        { "op": "update_text", "node": bench.node("title"), "text": "Hi" },
        { "op": "create_page", "title": "Prices", "as": "prices" },
        { "op": "add_section", "page": "@prices", "html": "<section><h1>Prices</h1></section>" },
        { "op": "add_node", "parent": bench.node("hero"), "html": "<b>new</b>" },
    ]));
    let whole = bench.run(&plan, &Accept::All);
    let run = bench.run(&plan, &only(&[1, 2]));
    let expected = [
        OpStatus::NotAccepted,
        OpStatus::Done,
        OpStatus::Done,
        OpStatus::NotAccepted,
    ];
    assert_eq!(statuses(&run), expected);
    assert!(run.is_clean());
    assert_eq!(
        run.outcomes[1..3],
        whole.outcomes[1..3],
        "ids do not depend on what else is accepted"
    );
    assert_eq!(run.ops, whole.ops[1..3]);
    let before = bench.site.clone();
    assert_eq!(bench.site.apply_all(&run.ops, 9).rejected, []);
    assert_eq!(
        diff(&before, &bench.site),
        run.diff,
        "what is applied is what was shown"
    );
}

#[test]
fn what_needs_an_operation_that_was_not_accepted_is_told() {
    let mut bench = Bench::new();
    let plan = bench.plan(json!([
        { "op": "create_page", "title": "Prices", "as": "prices" },
        { "op": "rename_page", "page": page(4), "slug": "archive" },
        { "op": "add_section", "page": "@prices", "html": "<p>x</p>" },
        { "op": "rename_page", "page": page(5), "slug": "news" },
        { "op": "remove_node", "node": bench.node("end") },
    ]));
    assert!(bench.run(&plan, &Accept::All).is_clean());
    let run = bench.run(&plan, &only(&[2, 3, 4]));
    let expected = [
        OpStatus::NotAccepted,
        OpStatus::NotAccepted,
        OpStatus::Dependent,
        OpStatus::Dependent,
        OpStatus::Done,
    ];
    assert_eq!(statuses(&run), expected);
    assert_eq!(run.outcomes[2].depends_on, [0]);
    assert_eq!(run.outcomes[3].depends_on, [1], "the address is not free");
    assert_eq!(run.steps_left_out(), [(2, vec![0]), (3, vec![1])]);
    assert!(
        run.outcomes[3].problems[0]
            .expected
            .contains("has the address `news`")
    );
    assert_eq!(run.ops.len(), 1);
    let beyond = bench.run(&plan, &only(&[4, 9]));
    assert_eq!(beyond.problems[0].found, "an accepted operation 9");
}

#[test]
fn what_is_needed_is_told_with_what_that_needs() {
    let mut bench = Bench::new();
    let plan = bench.plan(json!([
        { "op": "create_page", "title": "Prices", "as": "prices" },
        { "op": "add_section", "page": "@prices", "html": "<section><p>x</p></section>", "as": "list" },
        { "op": "add_node", "parent": "@list", "html": "<b>new</b>" },
    ]));
    assert!(bench.run(&plan, &Accept::All).is_clean());
    let last = bench.run(&plan, &only(&[2]));
    assert_eq!(last.steps_left_out(), [(2, vec![0, 1])]);
    // The last operation lacks the section, which is accepted but lacks the page.
    let without_page = bench.run(&plan, &only(&[1, 2]));
    assert_eq!(without_page.steps_left_out(), [(1, vec![0]), (2, vec![0])]);
    let titles = [0, 1, 3].map(|index| plan.step_title(index, &bench.site));
    assert_eq!(
        titles,
        [
            Some("Adds the page “Prices”.".to_owned()),
            Some("Adds a section to the page “Prices”.".to_owned()),
            None
        ]
    );
}

#[test]
fn an_operation_that_changes_nothing_is_a_problem() {
    let mut bench = Bench::new();
    let same = json!([{ "op": "update_text", "node": bench.node("title"), "text": "Welcome" }]);
    let plan = bench.plan(same);
    let run = bench.run(&plan, &Accept::All);
    assert_eq!(
        run.outcomes[0].problems[0].kind,
        PlanProblemKind::NoEffectiveChange
    );
    let back_and_forth = bench.plan(json!([
        { "op": "update_text", "node": bench.node("title"), "text": "Other" },
        { "op": "update_text", "node": bench.node("title"), "text": "Welcome" },
    ]));
    let run = bench.run(&back_and_forth, &Accept::All);
    assert_eq!(statuses(&run), [OpStatus::Done, OpStatus::Done]);
    assert_eq!(run.problems[0].kind, PlanProblemKind::NoEffectiveChange);
    assert!(!run.is_clean());
}

#[test]
fn reasons_for_caution_are_told_and_only_those() {
    let mut bench = Bench::new();
    let id = |bench: &Bench, name: &str| json!(bench.node(name));
    let [top, hero, services, end, link] =
        ["top", "hero", "services", "end", "link"].map(|name| id(&bench, name));
    let remove = |node: &Value| json!({ "op": "remove_node", "node": node });
    assert_eq!(
        reasons(&mut bench, json!([remove(&top), remove(&link)])),
        Vec::<String>::new()
    );
    assert_eq!(
        reasons(
            &mut bench,
            json!([{ "op": "duplicate_page", "page": page(2), "title": "Copy" }])
        ),
        Vec::<String>::new(),
        "a page that is only copied is not touched"
    );
    let texts = [
        reasons(
            &mut bench,
            json!([{ "op": "remove_page", "page": page(5) }]),
        ),
        reasons(
            &mut bench,
            json!([remove(&link), { "op": "add_section", "page": page(2), "html": "<p>x</p>" }]),
        ),
        reasons(
            &mut bench,
            json!([remove(&top), remove(&hero), remove(&services)]),
        ),
        reasons(
            &mut bench,
            json!([{ "op": "replace_content", "node": Bench::root(1), "html": "<p>New</p>" }]),
        ),
        reasons(
            &mut bench,
            json!([remove(&link), remove(&end), { "op": "remove_item", "list": services, "index": 0 }]),
        ),
        reasons(
            &mut bench,
            json!([{ "op": "update_site_settings", "settings": { "head_code": "<script>1</script>" } }]),
        ),
    ];
    insta::assert_snapshot!(texts.concat().join("\n"));
}

#[test]
fn documents_that_are_not_open_are_asked_for_at_once() {
    let mut bench = Bench::new();
    let us = bench.site.bodies[&page(2)].root();
    let home = bench.node("hero");
    let plan = bench.plan(json!([
        { "op": "remove_node", "node": home },
        { "op": "add_node", "parent": us, "html": "<p>x</p>" },
        { "op": "add_section", "page": page(3), "html": "<p>x</p>" },
        { "op": "duplicate_page", "page": page(4), "title": "x" },
    ]));
    for number in [2, 3, 4] {
        bench.site.bodies.remove(&page(number));
    }
    let change = ChangeId::from("c".to_owned());
    let outcome = plan.run(
        &Accept::All,
        &mut bench.site,
        &bench.view,
        (&bench.facts, change),
    );
    let expected = vec![Need::Owner(us), Need::Body(page(3)), Need::Body(page(4))];
    assert_eq!(outcome, Ok(Outcome::Needs(expected)));
}

#[test]
fn copies_of_copies_stay_within_bounds() {
    let mut bench = Bench::new();
    let hero = bench.node("hero");
    let mut ops = vec![json!({ "op": "duplicate_node", "node": bench.node("intro"), "count": 50 })];
    ops.extend((0..12).map(|_| json!({ "op": "duplicate_node", "node": hero, "count": 50 })));
    let plan = bench.plan(json!(ops));
    let run = bench.run(&plan, &Accept::All);
    let kinds: Vec<PlanProblemKind> = run.all_problems().map(|problem| problem.kind).collect();
    assert!(!kinds.is_empty());
    assert!(kinds.iter().all(|kind| *kind == PlanProblemKind::TooLarge));
}
