use sitewright_tool::Effect;

use super::tests::{HOUR, NOW, call, check, consequential, draft, judged};
use super::{Decision, Grant, GrantFor, Judgement, PlannedChange};

fn grant(effect: Effect) -> Grant {
    Grant {
        tool: "site.tool".to_owned(),
        effect,
        conversation: "talk".to_owned(),
        person: "ada".to_owned(),
        given_ms: NOW,
        expires_ms: NOW + HOUR,
    }
}

const REMOVES_A_PAGE: PlannedChange = PlannedChange {
    pages_touched: 1,
    pages_removed: 1,
    nodes_removed: 0,
    code_touched: false,
    head_code: false,
    publishes: false,
    locks_touched: 0,
};

#[test]
fn a_grant_reads_as_allow_for_its_tool_effect_conversation_person_and_time() {
    let grants = [grant(Effect::Draft)];
    let asked = Judgement {
        grants: &grants,
        ..draft(REMOVES_A_PAGE)
    };
    check(asked, Decision::Allow, &["drafts-run", "granted-runs"]);
    let others = [
        Judgement {
            tool: "site.Tool",
            ..asked
        },
        Judgement {
            effect: Effect::Durable,
            ..asked
        },
        Judgement {
            conversation: Some("other"),
            ..asked
        },
        Judgement {
            conversation: None,
            ..asked
        },
        Judgement {
            person: Some("bob"),
            ..asked
        },
        Judgement {
            person: None,
            ..asked
        },
        Judgement {
            now_ms: NOW + HOUR,
            ..asked
        },
        Judgement {
            now_ms: NOW - 1,
            ..asked
        },
    ];
    for other in others {
        assert_eq!(judged(&other).decision, Decision::Ask, "{other:?}");
    }
}

#[test]
fn a_grant_covers_what_cannot_be_undone_but_never_publishing_code_or_outside_effects() {
    let durable = [grant(Effect::Durable)];
    let asked = Judgement {
        grants: &durable,
        ..call(Effect::Durable)
    };
    check(asked, Decision::Allow, &["granted-runs"]);
    let external = [grant(Effect::External)];
    assert_eq!(
        judged(&Judgement {
            grants: &external,
            ..call(Effect::External)
        })
        .decision,
        Decision::Ask
    );
    for effect in [Effect::None, Effect::Draft, Effect::Durable] {
        let grants = [grant(effect)];
        for change in consequential() {
            let asked = Judgement {
                grants: &grants,
                change,
                ..call(effect)
            };
            assert_eq!(judged(&asked).decision, Decision::Ask, "{asked:?}");
            let kind = GrantFor {
                tool: "site.tool",
                effect,
                change,
                conversation: "talk",
                person: "ada",
            };
            assert_eq!(
                Grant::give(&kind, NOW, NOW + HOUR).unwrap_err().to_string(),
                "a grant never covers publishing, code or outside effects: approve each call"
            );
        }
    }
}

#[test]
fn a_grant_holds_a_day_at_most_whatever_its_row_says() {
    let kind = GrantFor {
        tool: "site.tool",
        effect: Effect::Draft,
        change: PlannedChange::default(),
        conversation: "talk",
        person: "ada",
    };
    assert_eq!(
        Grant::give(&kind, NOW, NOW + 24 * HOUR).map(|grant| grant.expires_ms),
        Ok(NOW + 24 * HOUR)
    );
    for end in [NOW + 24 * HOUR + 1, NOW, NOW - 1, i64::MAX] {
        assert!(Grant::give(&kind, NOW, end).is_err(), "{end}");
    }
    let grants = [Grant {
        expires_ms: NOW + 25 * HOUR,
        ..grant(Effect::Draft)
    }];
    assert_eq!(
        judged(&Judgement {
            grants: &grants,
            ..draft(REMOVES_A_PAGE)
        })
        .decision,
        Decision::Ask
    );
    let grants = [Grant {
        given_ms: i64::MIN,
        ..grant(Effect::Draft)
    }];
    assert_eq!(
        judged(&Judgement {
            grants: &grants,
            ..draft(REMOVES_A_PAGE)
        })
        .decision,
        Decision::Ask
    );
}
