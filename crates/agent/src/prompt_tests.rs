use sitewright_llm::SYSTEM_PROMPT_DYNAMIC_BOUNDARY;
use sitewright_runtime::Registry;
use sitewright_site::{ChangeId, Facts, Op, Outcome, Replica, Site, View, first_ops, site_tools};
use sitewright_tool::{CapabilitySet, Definition, Scope};

use super::{About, Stance, system_prompt};
use crate::toolbox::Toolbox;

/// A new site after a sequence of tool calls.
pub(super) fn site(calls: &[(&str, serde_json::Value)]) -> Site {
    let mut replica = Replica::default();
    let ops = first_ops("Engines", ChangeId::from("first".to_owned())).expect("a beginning");
    replica.attempt(&ops);
    replica.keep();
    let tools = site_tools();
    for (number, (name, input)) in calls.iter().enumerate() {
        let tool = tools
            .iter()
            .find(|tool| tool.definition.manifest.name.as_str() == *name);
        let id = ChangeId::from(format!("change-{number}"));
        let facts = Facts::default();
        let run = tool.expect("a tool").run(
            input.clone(),
            replica.site_mut(),
            &View::default(),
            (&facts, id),
        );
        let Ok(Outcome::Done(run)) = run else {
            panic!("{name}: {run:?}")
        };
        replica.attempt(&run.ops);
        replica.keep();
    }
    replica.site().clone()
}

/// Applies ops to a site.
pub(super) fn changed(site: &mut Site, ops: &[Op]) {
    let mut replica = Replica::from_site(site.clone(), 1);
    replica.attempt(ops);
    replica.keep();
    *site = replica.site().clone();
}

fn offered(stance: Stance) -> Vec<Definition> {
    let listed = Registry::built_in().list(Some(Scope::Site));
    let all = CapabilitySet::all();
    Toolbox::new(listed, Scope::Site, stance, &all)
        .offered()
        .to_vec()
}

fn parts(site: &Site, stance: Stance) -> [String; 3] {
    let current = site.shell.pages.iter().next().map(|(id, _)| id);
    let view = View {
        current,
        ..View::default()
    };
    let about = About {
        site,
        view: &view,
        entry: None,
        brief: Some("We sell engines."),
    };
    let prompt = system_prompt(Scope::Site, stance, &offered(stance), &about);
    prompt.parts().map(str::to_owned)
}

#[test]
fn the_prompt_of_the_site_is_these_bytes() {
    let calls = [
        (
            "addPage",
            serde_json::json!({ "title": "About \"us\" Pages: [evil]" }),
        ),
        (
            "set_color_tokens",
            serde_json::json!({ "tokens": [{ "slug": "primary", "lightValue": "#0a66ff" }] }),
        ),
        ("set_spacing_scale", serde_json::json!({})),
    ];
    let [prefix, boundary, suffix] = parts(&site(&calls), Stance::Edit);
    assert_eq!(boundary, SYSTEM_PROMPT_DYNAMIC_BOUNDARY);
    insta::assert_snapshot!("site_prefix", prefix);
    insta::assert_snapshot!("site_suffix", suffix);
}

#[test]
fn a_site_without_tokens_is_told_to_be_so() {
    let [_, _, suffix] = parts(&site(&[]), Stance::Edit);
    assert!(
        suffix.contains("Tokens: (none — no design system yet;"),
        "{suffix}"
    );
}

#[test]
fn the_first_part_depends_on_nothing_but_the_tools_and_the_stance() {
    let one = site(&[]);
    let other = site(&[("addPage", serde_json::json!({ "title": "About" }))]);
    assert_eq!(parts(&one, Stance::Edit)[0], parts(&other, Stance::Edit)[0]);
    assert_ne!(parts(&one, Stance::Edit)[2], parts(&other, Stance::Edit)[2]);
    assert_ne!(parts(&one, Stance::Edit)[0], parts(&one, Stance::Plan)[0]);
}

#[test]
fn a_plan_offers_reading_and_the_plan_itself() {
    let names = |stance| -> Vec<String> {
        let tools = offered(stance);
        tools.iter().map(|tool| tool.name().to_owned()).collect()
    };
    let plan = names(Stance::Plan);
    assert!(plan.contains(&"submit_edit_plan".to_owned()));
    assert!(plan.contains(&"read_document".to_owned()));
    assert!(!plan.contains(&"insertHtml".to_owned()));
    let edit = names(Stance::Edit);
    assert!(edit.contains(&"insertHtml".to_owned()));
    assert!(!edit.contains(&"apply_edit_plan".to_owned()));
    assert!(!names(Stance::Look).contains(&"insertHtml".to_owned()));
}
