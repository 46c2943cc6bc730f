use serde_json::json;
use sitewright_site::{Entity, NewEntity, Op, Record, RecordId, Site, View};
use sitewright_testkit::tokens_in;
use sitewright_tool::definition::{edit, query};
use sitewright_tool::{Definition, DefinitionBuilder, Scope};

use super::super::tests::{changed, site};
use super::super::{About, Stance, system_prompt};

/// A tool of the scope, with a line of guidance or without one.
fn tool(definition: DefinitionBuilder, line: Option<&str>) -> Definition {
    let definition = definition.scopes(&[Scope::Content]);
    let definition = match line {
        Some(line) => definition.guidance(line),
        None => definition,
    };
    definition.build::<(), ()>()
}

fn tools() -> Vec<Definition> {
    vec![
        tool(edit("updatePost", "Update", "Updates."), Some("Set both.")),
        tool(query("getPost", "Get", "Gets."), None),
        tool(query("getPage", "Get", "Gets."), Some("Light by default.")),
    ]
}

const ENTRY: &str = "0123456789ab";

/// A site with a page in another language and a post.
fn with_post() -> Site {
    let mut site = site(&[
        (
            "addPage",
            json!({ "title": "About \"us\" · Open: nothing" }),
        ),
        ("addPage", json!({ "title": "Über uns" })),
    ]);
    let (german, _) = site.shell.pages.iter().last().expect("a page");
    let (collection, _) = site.collections().next().expect("the blog");
    let record: Record = serde_json::from_value(json!({
        "collection": collection, "slug": "engines", "title": "Engines, old and new",
    }))
    .expect("a record");
    let id: RecordId = ENTRY.parse().expect("an id");
    changed(
        &mut site,
        &[
            Op::Put {
                entity: Entity::Page { id: german },
                field: "locale".to_owned(),
                value: json!("de"),
            },
            Op::Insert {
                new: Box::new(NewEntity::Record {
                    id,
                    record: Box::new(record),
                }),
            },
        ],
    );
    site
}

fn parts(site: &Site, stance: Stance, tools: &[Definition], entry: Option<&str>) -> [String; 3] {
    let view = View::default();
    let about = About {
        site,
        view: &view,
        entry: entry.map(|id| id.parse().expect("an id")),
        brief: None,
    };
    let prompt = system_prompt(Scope::Content, stance, tools, &about);
    prompt.parts().map(str::to_owned)
}

fn prefix(stance: Stance, tools: &[Definition]) -> String {
    let [prefix, _, _] = parts(&site(&[]), stance, tools, None);
    prefix
}

/// What stands inside an element of the prompt.
fn part<'p>(prompt: &'p str, name: &str) -> &'p str {
    let (_, rest) = prompt.split_once(&format!("<{name}>")).expect(name);
    let (inside, _) = rest.split_once(&format!("</{name}>")).expect(name);
    inside
}

#[test]
fn the_prompt_of_content_is_these_bytes() {
    let [prefix, _, suffix] = parts(&with_post(), Stance::Edit, &tools(), Some(ENTRY));
    insta::assert_snapshot!("content_prefix", prefix);
    insta::assert_snapshot!("content_suffix", suffix);
}

#[test]
fn the_rules_are_about_200_tokens_whatever_tools_are_active() {
    let alone = prefix(Stance::Edit, &[]);
    let rules = part(part(&alone, "operational"), "rules");
    let tokens = tokens_in(rules);
    assert!((160..=240).contains(&tokens), "{tokens}");
    for stance in [Stance::Edit, Stance::Plan, Stance::Look] {
        let with_tools = prefix(stance, &tools());
        assert_eq!(part(&with_tools, "rules"), rules);
    }
    let all = tokens_in(&alone);
    assert!(all <= 700, "{all}");
}

#[test]
fn the_parts_stand_in_their_order_with_something_in_each() {
    let prompt = prefix(Stance::Edit, &tools());
    let mut rest = prompt.as_str();
    for name in [
        "identity",
        "reasoning-and-acting",
        "communication",
        "truth-model",
        "operational",
        "tool-calling-rules",
        "tool-guidance",
    ] {
        assert!(tokens_in(part(rest, name)) > 5, "{name}");
        let (before, after) = rest.split_once(&format!("</{name}>")).expect(name);
        assert_eq!(before.trim().find('<'), Some(0), "{name}: {before}");
        rest = after;
    }
}

/// Each rule by the words that it cannot do without, in their order.
const RULES: &[(&str, &[&str])] = &[
    (
        "images",
        &["relative", "begins with /uploads/", "Never", "host"],
    ),
    (
        "images",
        &["getImage", "first", "browseImages", "importImage"],
    ),
    ("images", &["`url` of the answer, unchanged"]),
    ("entities", &["page is not a post", "tools of its own"]),
    (
        "entities",
        &["Look one up before you create, update or delete"],
    ),
    ("entities", &["delete happens only with `confirmed: true`"]),
    ("efficiency", &["without content, unless", "edit"]),
    ("efficiency", &["Before you report success, read again"]),
    ("efficiency", &["merge", "only what is to be different"]),
    ("external", &["Credit the photographer"]),
    ("external", &["/uploads/ address that importImage answers"]),
    ("tool-calling-rules", &["follow the tool's schema exactly"]),
    ("tool-calling-rules", &["Never name a tool to the person"]),
];

#[test]
fn every_rule_stands_in_its_part_as_one_line() {
    let prompt = prefix(Stance::Edit, &[]);
    for (name, words) in RULES {
        let mut lines = part(&prompt, name).lines();
        let is_there = lines.any(|line| {
            let mut rest = line;
            words.iter().all(|word| match rest.split_once(word) {
                Some((_, after)) => {
                    rest = after;
                    true
                }
                None => false,
            })
        });
        assert!(is_there, "{name}: {words:?}");
    }
}

#[test]
fn guidance_is_there_for_active_tools_and_for_no_others() {
    let both = prefix(Stance::Edit, &tools());
    let guidance = part(&both, "tool-guidance");
    assert_eq!(part(guidance, "getPage"), "\nLight by default.\n");
    assert_eq!(part(guidance, "updatePost"), "\nSet both.\n");
    assert!(!guidance.contains("getPost"), "it has no line");
    let one = prefix(Stance::Edit, &tools()[..1]);
    assert!(!part(&one, "tool-guidance").contains("getPage"));
    assert!(!prefix(Stance::Edit, &[]).contains("tool-guidance"));
}

#[test]
fn what_is_open_is_told_and_what_is_gone_is_not() {
    let site = with_post();
    let open = |entry| {
        let [_, _, suffix] = parts(&site, Stance::Edit, &[], entry);
        let line = suffix.lines().last().expect("a line");
        line.to_owned()
    };
    assert_eq!(
        open(Some(ENTRY)),
        "· Open: entry 0123456789ab=blog/engines \"Engines, old and new\" (draft)"
    );
    assert_eq!(open(Some("zzzzzzzzzzzz")), "· Open: nothing");
    assert_eq!(open(None), "· Open: nothing");
}
