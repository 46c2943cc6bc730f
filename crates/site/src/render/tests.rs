//! Rendering of small documents.

use serde_json::{Value, json};
use sitewright_markup::css::{CssLimits, Origin};

use super::{Facts, Need, Outcome, Purpose, Rendered, UsedEntries};
use crate::{
    Attr, BodyId, Code, CodeFile, Component, ComponentUse, Direction, Element, Entity, Item,
    ItemId, Kind, Lock, Loop, Namespace, NewEntity, Node, NodeId, Op, Page, Param, ParamKind,
    Piece, Place, Sheet, Site, Subtree, SubtreeNode, Target, Template, TemplateTarget,
};

fn body(number: u64) -> BodyId {
    BodyId::from(number)
}

fn element(tag: &str, attrs: &[(&str, &str)]) -> Node {
    let attrs = attrs
        .iter()
        .map(|(name, value)| Attr::new(*name, *value))
        .collect();
    Node::new(Kind::Element(Element {
        tag: tag.into(),
        namespace: Namespace::Html,
        attrs,
    }))
}

fn text(text: &str) -> Node {
    Node::new(Kind::Text(text.to_owned()))
}

/// A document written by hand: ids count up from `first`, the parent is a position in the list.
struct Draft {
    site: Site,
    next: u64,
}

impl Draft {
    fn new() -> Self {
        Self {
            site: Site::default(),
            next: 1,
        }
    }

    fn page(&mut self, number: u64, page: Page, root: Node) -> NodeId {
        let (tree, id) = self.root(root);
        let new = NewEntity::Page {
            id: body(number),
            page: Box::new(page),
            tree,
            after: self.site.shell.pages.last(),
        };
        self.site
            .apply(&Op::Insert { new: Box::new(new) }, 1)
            .unwrap();
        id
    }

    fn component(&mut self, number: u64, params: Vec<Param>) -> NodeId {
        let (tree, id) = self.root(element("template", &[]));
        let component = Component {
            name: "Card".to_owned(),
            params,
            template_key: None,
            lock: Lock::Open,
        };
        let new = NewEntity::Component {
            id: body(number),
            component: Box::new(component),
            tree,
            after: None,
        };
        self.site
            .apply(&Op::Insert { new: Box::new(new) }, 1)
            .unwrap();
        id
    }

    fn root(&mut self, node: Node) -> (Subtree, NodeId) {
        let id = NodeId::from(self.next);
        self.next += 1;
        (
            Subtree::new(vec![SubtreeNode {
                id,
                parent: None,
                node,
            }])
            .unwrap(),
            id,
        )
    }

    fn add(&mut self, number: u64, parent: NodeId, node: Node) -> NodeId {
        let (nodes, id) = self.root(node);
        let tree = &self.site.bodies[&body(number)];
        let place = Place {
            parent,
            after: tree.children(parent).last(),
        };
        self.site
            .apply(
                &Op::Insert {
                    new: Box::new(NewEntity::Nodes {
                        body: body(number),
                        nodes,
                        place,
                    }),
                },
                1,
            )
            .unwrap();
        id
    }

    fn item(&mut self, number: u64, item: Item, pieces: Vec<(ItemId, Piece)>) {
        let new = NewEntity::Item {
            id: ItemId::from(number),
            after: self
                .site
                .shell
                .items
                .list(item.list())
                .last()
                .map(|(id, _)| id),
            item: Box::new(item),
            pieces,
        };
        let op = Op::Insert { new: Box::new(new) };
        self.site.apply(&op, 1).unwrap();
    }

    fn rendered(&self, number: u64, facts: &Facts) -> Rendered {
        match self
            .site
            .render(body(number), Purpose::Publish, facts)
            .unwrap()
        {
            Outcome::Done(rendered) => rendered,
            Outcome::Needs(needs) => panic!("{needs:?}"),
        }
    }

    fn body_of(&self, number: u64, facts: &Facts) -> String {
        let html = self.rendered(number, facts).html;
        let from = html.find("<body").unwrap();
        html[from..]
            .trim_end()
            .trim_end_matches("</html>")
            .trim_end()
            .to_owned()
    }
}

fn template(title: &str, target: TemplateTarget) -> Page {
    Page {
        template: Some(Template {
            target,
            priority: 100,
        }),
        ..Page::new(title, "layout")
    }
}

#[test]
fn a_page_in_a_template_keeps_its_title_its_body_classes_and_its_styles() {
    let mut draft = Draft::new();
    let mut root = element("body", &[("data-theme", "dark"), ("id", "layout")]);
    root.classes = Some("layout".to_owned());
    root.style = Some("margin: 0;".to_owned());
    let layout = draft.page(1, template("Layout", TemplateTarget::Everywhere), root);
    draft.add(1, layout, element("header", &[]));
    let main = draft.add(1, layout, element("main", &[]));
    draft.add(1, main, Node::new(Kind::Outlet));
    let mut root = element("body", &[("id", "home")]);
    root.classes = Some("home wide".to_owned());
    root.style = Some("color: red".to_owned());
    let home = draft.page(2, Page::new("Home", "index"), root);
    draft.add(2, home, text("Hello {page.title}"));
    assert_eq!(
        draft.body_of(2, &Facts::default()),
        "<body class=\"layout home wide\" style=\"margin: 0; color: red\" data-theme=\"dark\" id=\"home\"><header></header>\
         <main>Hello Home</main></body>"
    );
    let rendered = draft.rendered(2, &Facts::default());
    assert!(
        rendered.html.contains("<title>Home – My site</title>"),
        "{}",
        rendered.html
    );
    assert_eq!(rendered.documents, [body(1), body(2)]);
}

#[test]
fn a_template_without_an_outlet_wraps_nothing_and_the_greatest_priority_wins() {
    let mut draft = Draft::new();
    let empty = Page {
        template: Some(Template {
            target: TemplateTarget::Everywhere,
            priority: 900,
        }),
        ..Page::new("Empty", "a")
    };
    draft.page(1, empty, element("body", &[]));
    let low = draft.page(
        2,
        template("Low", TemplateTarget::Everywhere),
        element("body", &[]),
    );
    draft.add(2, low, Node::new(Kind::Outlet));
    let home = draft.page(3, Page::new("Home", "index"), element("body", &[]));
    draft.add(3, home, text("Hello"));
    assert_eq!(
        draft.rendered(3, &Facts::default()).documents,
        [body(2), body(3)]
    );
}

#[test]
fn a_loop_asks_for_its_rows_and_repeats_its_children() {
    let mut draft = Draft::new();
    let home = draft.page(1, Page::new("Blog", "blog"), element("body", &[]));
    let looped = Loop {
        source: "data.rows".to_owned(),
        table: Some("posts".to_owned()),
        order: Some("publishedAt".to_owned()),
        direction: Direction::Desc,
        limit: Some(2),
        offset: 0,
        filter: [("author".to_owned(), json!("{route.query.author|ada}"))].into(),
        paged: false,
    };
    let list = draft.add(1, home, Node::new(Kind::Loop(Box::new(looped))));
    let link = draft.add(
        1,
        list,
        element("a", &[("href", "{currentEntry.permalink}")]),
    );
    draft.add(1, link, text("{currentEntry.title|Untitled}"));
    let Some(Outcome::Needs(needs)) =
        draft
            .site
            .render(body(1), Purpose::Publish, &Facts::default())
    else {
        panic!("it needs rows")
    };
    let [Need::Rows { key, query }] = needs.as_slice() else {
        panic!("{needs:?}")
    };
    assert_eq!(query.filter.get("author").map(String::as_str), Some("ada"));
    let rows = vec![
        json!({ "title": "One & two", "permalink": "/blog/one" }),
        json!({ "permalink": "javascript:alert(1)" }),
    ];
    let facts = Facts {
        rows: [(key.clone(), rows)].into(),
        ..Facts::default()
    };
    assert_eq!(
        draft.body_of(1, &facts),
        "<body><a href=\"/blog/one\">One &amp; two</a><a>Untitled</a></body>"
    );
}

#[test]
fn a_component_is_filled_with_props_and_slots() {
    let mut draft = Draft::new();
    let param = |name: &str, kind, default: Value| Param {
        name: name.to_owned(),
        kind,
        description: None,
        default,
        required: false,
        options: Vec::new(),
        fields: [].into(),
    };
    let params = vec![
        param("title", ParamKind::String, json!("Card")),
        param("items", ParamKind::List, json!([])),
    ];
    let card = draft.component(10, params);
    let article = draft.add(10, card, element("article", &[]));
    let heading = draft.add(10, article, element("h2", &[]));
    draft.add(10, heading, text("{props.title}"));
    let each = Loop {
        source: "props.items".to_owned(),
        table: None,
        order: None,
        direction: Direction::Asc,
        limit: None,
        offset: 0,
        filter: [].into(),
        paged: false,
    };
    let list = draft.add(10, article, Node::new(Kind::Loop(Box::new(each))));
    draft.add(10, list, text("[{item.name} of {props.title}]"));
    let slot = draft.add(10, article, element("slot", &[("name", "foot")]));
    draft.add(10, slot, text("nothing"));

    let home = draft.page(1, Page::new("Home", "index"), element("body", &[]));
    let used = |props: Value| {
        let props = props
            .as_object()
            .cloned()
            .unwrap_or_default()
            .into_iter()
            .collect();
        Node::new(Kind::Component(Box::new(ComponentUse {
            id: body(10).to_string(),
            props,
        })))
    };
    draft.add(1, home, used(json!({})));
    let filled = draft.add(
        1,
        home,
        used(json!({ "title": "On {page.title}", "items": [{ "name": "a" }, { "name": "b" }] })),
    );
    let mut foot = element("p", &[]);
    foot.slot = Some("foot".to_owned());
    let foot = draft.add(1, filled, foot);
    draft.add(1, foot, text("of {page.title}, not {props.title|a prop}"));
    assert_eq!(
        draft.body_of(1, &Facts::default()),
        "<body><article><h2>Card</h2>nothing</article><article><h2>On Home</h2>[a of On Home][b of On Home]<p>of Home, not a prop</p>\
         </article></body>"
    );
}

#[test]
fn a_component_in_itself_is_left_out_and_told() {
    let mut draft = Draft::new();
    let card = draft.component(10, Vec::new());
    let me = Node::new(Kind::Component(Box::new(ComponentUse {
        id: body(10).to_string(),
        props: [].into(),
    })));
    draft.add(10, card, text("once"));
    draft.add(10, card, me.clone());
    let home = draft.page(1, Page::new("Home", "index"), element("body", &[]));
    draft.add(1, home, me);
    let rendered = draft.rendered(1, &Facts::default());
    assert!(
        rendered.html.contains("<body>once</body>"),
        "{}",
        rendered.html
    );
    assert_eq!(
        rendered.problems,
        ["The component Card contains itself, or lies too deep."]
    );
}

#[test]
fn hidden_nodes_are_left_out_and_the_canvas_names_every_element() {
    let mut draft = Draft::new();
    let home = draft.page(1, Page::new("Home", "index"), element("body", &[]));
    let shown = draft.add(1, home, element("p", &[]));
    let mut hidden = element("p", &[]);
    hidden.hidden = true;
    draft.add(1, home, hidden);
    assert_eq!(draft.body_of(1, &Facts::default()), "<body><p></p></body>");
    let Some(Outcome::Done(canvas)) =
        draft
            .site
            .render(body(1), Purpose::Canvas, &Facts::default())
    else {
        panic!("it is done")
    };
    assert!(
        canvas.html.contains(&format!(
            "<body data-sw-node=\"{home}\"><p data-sw-node=\"{shown}\"></p></body>"
        )),
        "{}",
        canvas.html
    );
}

/// A site whose page has `<p class="used Card" id="top">`, with these files and rules.
fn styled(rules: &str, files: &[(Code, &str)]) -> Draft {
    let mut draft = Draft::new();
    let mut page = Page::new("Home", "index");
    page.settings.html_attrs = vec![Attr::new("class", "dark")];
    let home = draft.page(1, page, element("body", &[]));
    let mut used = element("p", &[("id", "top")]);
    used.classes = Some("used Card".to_owned());
    draft.add(1, home, used);
    let pieces = sitewright_markup::css::parse_css(rules, Origin::Author, &CssLimits::default())
        .unwrap()
        .pieces;
    let pieces = (100..).map(ItemId::from).zip(pieces).collect();
    let sheet = Sheet {
        name: "site".to_owned(),
        target: Target::Site,
        lock: crate::Lock::Open,
    };
    draft.item(90, Item::Sheet(sheet), pieces);
    for (number, (code, content)) in (91..).zip(files) {
        let file = CodeFile {
            path: format!("{number}.txt"),
            code: *code,
            content: (*content).to_owned(),
            enabled: true,
            target: Target::Site,
            priority: 100,
            lock: crate::Lock::Open,
        };
        draft.item(number, Item::File(file), Vec::new());
    }
    draft
}

const SCRIPT: Code = Code::Script {
    module: true,
    placement: crate::Placement::BodyEnd,
    timing: crate::Timing::DomReady,
    in_canvas: false,
};

/// The selectors of a rendering's first style element.
fn selectors(html: &str) -> Vec<&str> {
    let css = html.split_once("<style>").map_or("", |(_, rest)| rest);
    let css = css.split_once("</style>").map_or("", |(css, _)| css);
    css.lines()
        .filter_map(|line| line.trim().strip_suffix('{'))
        .map(str::trim)
        .collect()
}

#[test]
fn a_visitor_gets_the_rules_that_can_match_and_the_canvas_all() {
    let rules = ".used{a:b} .unused{a:b} .CARD .used{a:b} p.unused, p#top{a:b} article .used{a:b} #gone{a:b} .dark p{a:b} \
                 .is-open{a:b} .tab-active{a:b} .code{a:b} :root{--x:1} [data-x]{a:b} p:not(.gone){a:b} @media print{.unused{a:b} .used{a:b}} \
                 .slide:is(.used, .gone){a:b} @keyframes spin{from{a:b}}";
    let draft = styled(
        rules,
        &[(SCRIPT, "el.classList.add('is-open', `tab-${name}`)")],
    );
    let mut site = draft.site;
    site.shell.settings.body_code = "<i class=code></i>".to_owned();
    let render = |purpose| match site.render(body(1), purpose, &Facts::default()) {
        Some(Outcome::Done(rendered)) => rendered.html,
        other => panic!("{other:?}"),
    };
    let published = render(Purpose::Publish);
    assert_eq!(
        selectors(&published),
        [
            ".used",
            ".CARD .used",
            "p.unused, p#top",
            ".dark p",
            ".is-open",
            ".tab-active",
            ".code",
            ":root",
            "[data-x]",
            "p:not(.gone)",
            "@media print",
            ".used",
        ]
    );
    assert!(published.contains("@keyframes spin"), "what is raw stays");
    assert!(
        published.contains("<i class=code></i></body>"),
        "code of the site runs for visitors"
    );
    let canvas = render(Purpose::Canvas);
    assert_eq!(selectors(&canvas).len(), 17, "{canvas}");
    assert!(
        !canvas.contains("<i class=code>"),
        "and not where the page is edited"
    );
}

#[test]
fn utilities_of_tokens_are_left_out_where_nothing_uses_them() {
    let mut draft = styled("", &[]);
    draft.item(
        80,
        Item::Color(crate::ColorToken::new("brand", "#336699")),
        Vec::new(),
    );
    let published = draft.rendered(1, &Facts::default()).html;
    assert_eq!(selectors(&published), [":root"]);
}

#[test]
fn styles_written_by_hand_come_last_and_cannot_end_their_element() {
    let css = "p { color: red } /* </style><script>alert(1)</script> */";
    let draft = styled(".used{a:b}", &[(Code::Style, css)]);
    let html = draft.rendered(1, &Facts::default()).html;
    assert_eq!(
        (
            html.matches("<style>").count(),
            html.matches("</style>").count()
        ),
        (2, 2)
    );
    assert!(
        html.find("p { color: red }") > html.find(".used {"),
        "{html}"
    );
    assert!(!html.contains("</script>"));
}

fn script(module: bool, placement: crate::Placement, timing: crate::Timing) -> Code {
    Code::Script {
        module,
        placement,
        timing,
        in_canvas: false,
    }
}

#[test]
fn scripts_stand_where_they_are_to_run_and_cannot_end_their_element() {
    use crate::{Placement, Timing};
    let draft = styled(
        "",
        &[
            (script(false, Placement::Head, Timing::Immediate), "first()"),
            (script(false, Placement::Head, Timing::DomReady), "late()"),
            (script(true, Placement::Head, Timing::DomReady), "module()"),
            (script(true, Placement::BodyEnd, Timing::Idle), "calm()"),
            (script(false, Placement::BodyEnd, Timing::Idle), "idle()"),
            (SCRIPT, "say('</SCRIPT><!-- <script>')"),
            (SCRIPT, "  "),
        ],
    );
    let html = draft.rendered(1, &Facts::default()).html;
    let place = |code: &str| html.find(code).unwrap_or_else(|| panic!("{code}: {html}"));
    let (head, end) = (place("</head>"), place("</body>"));
    assert!(place("<script>\nfirst()\n</script>") < head);
    assert!(place("<script type=\"module\">\nmodule()\n</script>") < head);
    for late in [
        "<script>\nlate()\n</script>",
        "<script type=\"module\">\nawait new Promise((go) => (window.requestIdleCallback ?? setTimeout)(go));\ncalm()\n</script>",
        "<script>\n(window.requestIdleCallback || setTimeout)(function () {\nidle()\n});\n</script>",
        "say('<\\/SCRIPT><\\!-- <script>')\n</script>",
    ] {
        let at = place(late);
        assert!(head < at && at < end, "{late}: {html}");
    }
    assert_eq!(html.matches("</script>").count(), 6, "{html}");
    let canvas = draft
        .site
        .render(body(1), Purpose::Canvas, &Facts::default());
    let Some(Outcome::Done(canvas)) = canvas else {
        panic!("{canvas:?}");
    };
    assert!(!canvas.html.contains("<script"), "{}", canvas.html);
}

#[test]
fn addresses_for_others_are_whole_where_it_is_known_where_the_site_is() {
    let mut draft = Draft::new();
    let mut page = Page::new("About", "about");
    page.settings.social_image = Some("/uploads/a.png".to_owned());
    draft.page(1, page, element("body", &[]));
    let known = Facts {
        base: Some("https://example.com/".to_owned()),
        ..Facts::default()
    };
    let html = draft.rendered(1, &known).html;
    for expected in [
        "<link rel=\"canonical\" href=\"https://example.com/about\">",
        "<meta property=\"og:url\" content=\"https://example.com/about\">",
        "<meta property=\"og:image\" content=\"https://example.com/uploads/a.png\">",
        "<meta property=\"og:type\" content=\"website\">",
    ] {
        assert!(html.contains(expected), "{expected}: {html}");
    }
    let html = draft.rendered(1, &Facts::default()).html;
    for address in ["og:url", "canonical"] {
        assert!(!html.contains(address), "a path is no address: {html}");
    }
}

#[test]
fn the_icon_of_the_site_is_on_every_page() {
    let mut draft = styled("", &[]);
    draft.site.shell.settings.favicon = Some("/icon.svg".to_owned());
    let html = draft.rendered(1, &Facts::default()).html;
    assert!(
        html.contains("<link rel=\"icon\" href=\"/icon.svg\">"),
        "{html}"
    );
}

#[test]
fn the_canvas_names_every_text_that_a_person_can_edit() {
    let mut draft = Draft::new();
    let home = draft.page(1, Page::new("Home", "index"), element("body", &[]));
    let pre = draft.add(1, home, element("pre", &[]));
    let first = draft.add(1, pre, text("\nA"));
    let second = draft.add(1, pre, text("B"));
    draft.add(1, home, text("\n"));
    let area = draft.add(1, home, element("textarea", &[]));
    draft.add(1, area, text("C"));
    let Some(Outcome::Done(canvas)) =
        draft
            .site
            .render(body(1), Purpose::Canvas, &Facts::default())
    else {
        panic!("it is done")
    };
    let page = body(1);
    let expected = format!(
        "<body data-sw-node=\"{home}\"><pre data-sw-node=\"{pre}\"><!--sw-text {page} {first}-->\nA<!--sw-text {page} {second}-->B</pre>\n\
         <textarea data-sw-node=\"{area}\">C</textarea></body>"
    );
    assert!(canvas.html.contains(&expected), "{}", canvas.html);
}

#[test]
fn a_node_is_rendered_alone_as_the_page_shows_it() {
    let mut draft = Draft::new();
    let home = draft.page(1, Page::new("Home", "index"), element("body", &[]));
    let shown = draft.add(1, home, element("p", &[]));
    let words = draft.add(1, shown, text("{page.title}"));
    draft.add(1, home, element("hr", &[]));
    let one = |number, node| {
        draft
            .site
            .render_node(body(number), node, &Facts::default())
    };
    let rendered = Rendered {
        html: format!(
            "<p data-sw-node=\"{shown}\"><!--sw-text {} {words}-->Home</p>",
            body(1)
        ),
        documents: vec![body(1)],
        problems: Vec::new(),
        used: UsedEntries::default(),
        has_more: false,
    };
    assert_eq!(one(1, shown), Some(Outcome::Done(rendered)));
    assert_eq!(one(1, nowhere()), None);
    assert_eq!(
        one(2, shown),
        Some(Outcome::Needs(vec![Need::Body(body(2))]))
    );
}

/// The id of a node that is in no document.
fn nowhere() -> NodeId {
    NodeId::from(987_654)
}

/// The template of a section is the same for all its sections, so its h1 is one only where the page has no other.
#[test]
fn a_page_has_one_main_heading_however_many_sections_bring_one() {
    let mut draft = Draft::new();
    let hero = draft.component(9, Vec::new());
    draft.add(9, hero, element("h1", &[]));
    draft.page(1, Page::new("Home", "index"), element("body", &[]));
    let root = draft.site.bodies[&body(1)].root();
    let used = || {
        Node::new(Kind::Component(Box::new(ComponentUse {
            id: body(9).to_string(),
            props: Default::default(),
        })))
    };
    draft.add(1, root, used());
    draft.add(1, root, used());
    let levels = |draft: &Draft| {
        let html = draft.body_of(1, &Facts::default());
        html.split('<')
            .filter_map(|tag| tag.strip_prefix('h')?.chars().next())
            .collect::<String>()
    };
    assert_eq!(
        levels(&draft),
        "11",
        "a component is as its author wrote it"
    );
    let put = |draft: &mut Draft, entity: Entity, field: &str, value: Value| {
        let field = field.to_owned();
        draft
            .site
            .apply(
                &Op::Put {
                    entity,
                    field,
                    value,
                },
                1,
            )
            .unwrap();
    };
    let component = Entity::Component { id: body(9) };
    put(&mut draft, component, "templateKey", json!("hero"));
    assert_eq!(levels(&draft), "12");
    let first = draft.site.bodies[&body(1)].children(root).next().unwrap();
    let first = Entity::Node {
        body: body(1),
        node: first,
    };
    put(&mut draft, first, "status", json!("draft"));
    assert_eq!(levels(&draft), "1", "a draft is not the page's heading");
    put(&mut draft, first, "status", json!("published"));
    draft.add(1, root, element("h1", &[]));
    assert_eq!(levels(&draft), "221");
}
