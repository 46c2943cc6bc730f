//! What each operation does.

use serde_json::json;

use super::{Bench, page};

fn titles(bench: &Bench) -> Vec<String> {
    let pages = bench.site.shell.pages.iter();
    pages
        .map(|(id, page)| format!("{} {}", page.title, bench.site.permalink(id)))
        .collect()
}

#[test]
fn pages_are_made_with_content_and_later_operations_find_them() {
    let mut bench = Bench::new();
    let run = bench.apply(
        json!([
            { "op": "create_page", "title": "Prices", "parent": page(2), "slug": "prices", "html": "<h1 id=\"p\">Prices</h1>", "as": "prices" },
            { "op": "add_section", "page": "@prices", "html": "<section id=\"first\">A</section>", "position": 0, "as": "first" },
            { "op": "add_node", "parent": "@first", "html": "<b>B</b>" },
            { "op": "update_page_settings", "page": "@prices", "settings": { "description": "What it costs" } },
        ]),
        "c",
    );
    let (made, settings) = bench.site.shell.pages.iter().last().unwrap();
    assert_eq!(bench.site.permalink(made), "/about/prices");
    assert_eq!(
        settings.settings.description.as_deref(),
        Some("What it costs")
    );
    let root = bench.site.bodies[&made].root();
    assert_eq!(
        bench.html(root),
        "<body><section id=\"first\">A<b>B</b></section><h1 id=\"p\">Prices</h1></body>"
    );
    assert_eq!(run.outcomes[0].diff[0].sentence, "Page Prices added.");
    assert_eq!(
        run.outcomes[0].receipt.created[0].name.as_deref(),
        Some("Prices")
    );
}

#[test]
fn a_slug_that_is_taken_elsewhere_is_free_under_another_page() {
    let mut bench = Bench::new();
    let run = bench.apply(
        json!([
            { "op": "create_page", "title": "News", "parent": page(2) },
            { "op": "create_page", "title": "Admin", "parent": page(2) },
            { "op": "create_page", "title": "News", "parent": page(2) },
        ]),
        "c",
    );
    let made = &titles(&bench)[5..];
    assert_eq!(
        made,
        [
            "News /about/news",
            "Admin /about/admin",
            "News /about/news-2"
        ]
    );
    let notes = run
        .outcomes
        .iter()
        .flat_map(|outcome| &outcome.receipt.notes);
    assert_eq!(
        notes.collect::<Vec<_>>(),
        ["The slug `news` is taken; the page has `news-2`."]
    );
}

#[test]
fn pages_are_renamed_moved_copied_and_removed() {
    let mut bench = Bench::new();
    bench.apply(
        json!([
            { "op": "rename_page", "page": page(2), "title": "Company", "slug": "company" },
            { "op": "duplicate_page", "page": page(2), "title": "Company two", "as": "copy" },
            { "op": "add_section", "page": "@copy", "html": "<i>new</i>" },
            { "op": "move_page", "page": page(4), "parent": page(2) },
            { "op": "move_page", "page": page(3), "parent": null, "position": 0 },
            { "op": "move_page", "page": page(1), "position": 9 },
            { "op": "remove_page", "page": page(5) },
        ]),
        "c",
    );
    assert_eq!(
        titles(&bench),
        [
            "Team /team",
            "Company /company",
            "News /company/news",
            "Company two /company-two",
            "Home /"
        ]
    );
    let copy = bench
        .site
        .shell
        .pages
        .iter()
        .find(|(_, page)| page.title == "Company two");
    let root = bench.site.bodies[&copy.unwrap().0].root();
    assert_eq!(
        bench.html(root),
        "<body><main id=\"about\"><p>Us</p></main><i>new</i></body>"
    );
}

#[test]
fn settings_change_and_null_takes_one_away() {
    let mut bench = Bench::new();
    let set = json!({ "description": "Us", "no_index": true, "social_image": "/a.png" });
    bench.apply(
        json!([{ "op": "update_page_settings", "page": page(2), "settings": set }]),
        "c",
    );
    let clear = json!({ "description": null });
    bench.apply(
        json!([{ "op": "update_page_settings", "page": page(2), "settings": clear }]),
        "d",
    );
    let settings = &bench.site.shell.pages.get(page(2)).unwrap().settings;
    assert_eq!(
        (settings.description.as_deref(), settings.no_index),
        (None, true)
    );
    assert_eq!(settings.social_image.as_deref(), Some("/a.png"));
    let site =
        json!({ "name": "Bakery", "title_pattern": "{title} | {site}", "favicon": "/f.png" });
    bench.apply(
        json!([{ "op": "update_site_settings", "settings": site }]),
        "e",
    );
    let clear = json!({ "favicon": null });
    bench.apply(
        json!([{ "op": "update_site_settings", "settings": clear }]),
        "f",
    );
    let settings = &bench.site.shell.settings;
    assert_eq!(
        (settings.name.as_str(), &settings.favicon),
        ("Bakery", &None)
    );
}

#[test]
fn nodes_are_added_replaced_moved_copied_and_removed() {
    let mut bench = Bench::new();
    let [top, hero, intro, services, end] =
        ["top", "hero", "intro", "services", "end"].map(|id| bench.node(id));
    bench.apply(
        json!([
            { "op": "add_node", "parent": hero, "html": "<em>new</em>", "position": 1 },
            { "op": "replace_node", "node": intro, "html": "<h2>Other</h2>", "as": "other" },
            { "op": "update_classes", "node": "@other", "add": ["big", "red"] },
            { "op": "update_classes", "node": "@other", "remove": ["red"] },
            { "op": "replace_content", "node": top, "html": "<b>Top</b>" },
            { "op": "duplicate_node", "node": top, "count": 2, "as": "copy" },
            { "op": "update_props", "node": "@copy", "props": { "tag": "div", "id": null } },
            { "op": "move_node", "node": end, "position": 0 },
            { "op": "move_node", "node": "@other", "parent": services, "position": 0 },
            { "op": "remove_node", "node": bench.node("list") },
        ]),
        "c",
    );
    let html = bench.html(Bench::root(1)).replace('\n', "");
    assert_eq!(
        html,
        concat!(
            "<body><footer id=\"end\"><p>Bye</p></footer><header id=\"top\"><b>Top</b></header><div><b>Top</b></div>",
            "<header id=\"top\"><b>Top</b></header>",
            "<section id=\"hero\"><em>new</em><a id=\"link\" href=\"/about\">About</a></section>",
            "<section id=\"services\"><h2 class=\"big\">Other</h2><h2>Services</h2></section></body>"
        )
    );
}

#[test]
fn texts_props_and_styles_change() {
    let mut bench = Bench::new();
    let [title, link] = ["title", "link"].map(|id| bench.node(id));
    let run = bench.apply(
        json!([
            { "op": "update_text", "node": title, "text": "Hi <all>" },
            { "op": "update_props", "node": link, "props": { "href": "https://example.org", "title": "Out" } },
            { "op": "apply_css", "css": ".hero { color: red }" },
        ]),
        "c",
    );
    assert_eq!(bench.html(title), "<h1 id=\"title\">Hi &lt;all&gt;</h1>");
    assert_eq!(
        bench.html(link),
        "<a id=\"link\" href=\"https://example.org\" title=\"Out\">About</a>"
    );
    let sentences: Vec<&str> = run
        .outcomes
        .iter()
        .map(|outcome| outcome.diff[0].sentence.as_str())
        .collect();
    insta::assert_snapshot!(sentences.join("\n"));
}

#[test]
fn items_of_a_list_are_its_elements() {
    let mut bench = Bench::new();
    let list = bench.node("list");
    let services = bench.node("services");
    bench.apply(
        json!([
            { "op": "add_item", "list": list, "html": "<li>Zero</li>", "position": 0, "as": "zero" },
            { "op": "update_classes", "node": "@zero", "add": ["first"] },
            { "op": "update_item", "list": list, "index": 1, "text": "Uno" },
            { "op": "update_item", "list": services, "index": 2, "html": "<b>Due</b>" },
            { "op": "remove_item", "list": list, "index": 3 },
            { "op": "move_item", "list": list, "index": 2, "position": 0 },
        ]),
        "c",
    );
    assert_eq!(
        bench.html(list),
        "<ul id=\"list\"><li><b>Due</b></li><li class=\"first\">Zero</li><li id=\"one\">Uno</li> </ul>"
    );
}

#[test]
fn items_of_a_component_are_entries_of_its_list() {
    let mut bench = Bench::new();
    bench.apply(
        json!([
            { "op": "add_section", "page": page(2), "component": "features", "props": { "title": "Why" }, "position": 0, "as": "why" },
            { "op": "add_item", "list": "@why", "fields": { "name": "Fast" } },
            { "op": "add_item", "list": "@why", "prop": "items", "fields": { "name": "Small", "text": "Tiny" }, "position": 0 },
            { "op": "add_item", "list": "@why", "fields": { "name": "Gone" } },
            { "op": "update_item", "list": "@why", "index": 1, "fields": { "text": "Quick" } },
            { "op": "remove_item", "list": "@why", "index": 2 },
            { "op": "move_item", "list": "@why", "index": 1, "position": 0 },
            { "op": "update_props", "node": "@why", "props": { "title": "Why us" } },
        ]),
        "c",
    );
    let tree = &bench.site.bodies[&page(2)];
    let first = tree.children(tree.root()).next().unwrap();
    let crate::Kind::Component(used) = &tree.node(first).unwrap().kind else {
        panic!("the section is first");
    };
    assert_eq!(used.id, page(50).to_string());
    assert_eq!(
        json!(used.props),
        json!({ "title": "Why us", "items": [{ "name": "Fast", "text": "Quick" }, { "name": "Small", "text": "Tiny" }] })
    );
}

#[test]
fn what_cannot_be_done_is_told_in_the_words_of_the_plan() {
    let mut bench = Bench::new();
    let [hero, intro, list, link, one] =
        ["hero", "intro", "list", "link", "one"].map(|id| bench.node(id));
    let gone = crate::NodeId::from(999);
    let component = json!({ "op": "add_section", "page": page(2), "component": "features", "props": { "title": "x" }, "as": "use" });
    let attempts = vec![
        json!([{ "op": "remove_node", "node": gone }]),
        json!([{ "op": "remove_node", "node": Bench::root(1) }]),
        json!([{ "op": "replace_node", "node": Bench::root(1), "html": "<p>x</p>" }]),
        json!([{ "op": "replace_node", "node": intro, "html": "<style>p { color: red }</style>" }]),
        json!([{ "op": "remove_node", "node": hero }, { "op": "update_text", "node": intro, "text": "x" }]),
        json!([{ "op": "update_text", "node": hero, "text": "x" }]),
        json!([{ "op": "update_text", "node": one, "text": "One" }]),
        json!([{ "op": "update_props", "node": intro, "props": { "href": "/x" } }]),
        json!([{ "op": "update_props", "node": link, "props": { "href": "javascript:alert(1)" } }]),
        json!([{ "op": "update_props", "node": hero, "props": { "hidden": true }, "breakpoint": "phone" }]),
        json!([{ "op": "move_node", "node": hero, "parent": intro }]),
        json!([{ "op": "move_node", "node": hero, "parent": bench.node("about") }]),
        json!([{ "op": "duplicate_node", "node": hero, "count": 51 }]),
        json!([{ "op": "create_page", "title": "Tools" }]),
        json!([{ "op": "rename_page", "page": page(2), "slug": "news" }]),
        json!([{ "op": "move_page", "page": page(2), "parent": page(3) }]),
        json!([{ "op": "update_page_settings", "page": page(2), "settings": { "canonical": "about" } }]),
        json!([{ "op": "update_site_settings", "settings": { "title_pattern": "Bakery" } }]),
        json!([{ "op": "add_item", "list": list, "html": "<p>x</p>" }]),
        json!([{ "op": "add_item", "list": list, "html": "<li>x</li><li>y</li>" }]),
        json!([{ "op": "add_item", "list": list, "fields": { "name": "x" } }]),
        json!([{ "op": "remove_item", "list": list, "index": 3 }]),
        json!([{ "op": "remove_item", "list": hero, "index": 0 }]),
        json!([{ "op": "add_section", "page": page(2), "component": "Hero" }]),
        json!([{ "op": "add_section", "page": page(2), "component": "Features" }]),
        json!([component, { "op": "add_item", "list": "@use", "html": "<li>x</li>" }]),
        json!([component, { "op": "add_item", "list": "@use", "fields": { "icon": "x" } }]),
        json!([component, { "op": "add_item", "list": "@use", "prop": "title", "fields": {} }]),
        json!([component, { "op": "update_props", "node": "@use", "props": { "colour": "red" } }]),
    ];
    let texts: Vec<String> = attempts
        .into_iter()
        .flat_map(|ops| bench.problems(ops))
        .collect();
    insta::assert_snapshot!(texts.join("\n"));
}
