//! The markup of new sections: the site's own classes and tokens where it has them, and placeholders that are marked as such.
//!
//! A placeholder stands in square brackets and its element has `data-placeholder`. No price, quote, name or figure is made up.

use super::draft::{Draft, escaped};

/// The HTML of a new section, with rules for the classes that the site does not have. A page that has no main heading gets it.
pub(crate) fn html(kind: &str, title: Option<&str>, level: u8, draft: &Draft) -> String {
    if matches!(kind, "header" | "footer") {
        return format!("{}{}", edge(kind, draft), styles(kind, draft));
    }
    let tag = format!("h{level}");
    let heading = title.map_or_else(
        || placeholder(&tag, heading(kind)),
        |title| format!("<{tag}>{}</{tag}>", escaped(title)),
    );
    let body = body(kind);
    let section = format!("<section class=\"{kind}\">{heading}{body}</section>");
    format!("{section}{}", styles(kind, draft))
}

/// The first or last part of a page on a site without a template for them.
fn edge(kind: &str, draft: &Draft) -> String {
    let name = escaped(&draft.site.shell.settings.name);
    if kind == "footer" {
        let contact = placeholder("p", "your address and phone number");
        return format!("<footer class=\"site-footer\"><p>© {name}</p>{contact}</footer>");
    }
    let link = |path: &str, title: &str| {
        let (path, title) = (escaped(path), escaped(title));
        format!("<li><a href=\"{path}\">{title}</a></li>")
    };
    let links: String = draft
        .pages()
        .map(|page| link(&page.path(), page.title()))
        .collect();
    format!(
        "<header class=\"site-header\"><a class=\"logo\" href=\"/\">{name}</a>\
         <nav aria-label=\"Main\"><ul class=\"menu\">{links}</ul></nav></header>"
    )
}

fn placeholder(tag: &str, text: &str) -> String {
    format!("<{tag} data-placeholder=\"\">[{text}]</{tag}>")
}

fn heading(kind: &str) -> &'static str {
    match kind {
        "hero" => "your headline",
        "features" => "what you offer",
        "pricing" => "your prices",
        "testimonials" => "what customers say",
        "faq" => "questions and answers",
        "gallery" => "your pictures",
        "contact" => "get in touch",
        "cta" => "your call to action",
        _ => "your heading",
    }
}

fn body(kind: &str) -> String {
    let text = |words: &str| placeholder("p", words);
    let three = |item: &dyn Fn(usize) -> String| (1..=3).map(item).collect::<String>();
    match kind {
        "hero" => format!(
            "{}<a class=\"button\" href=\"#\" data-placeholder=\"\">[button]</a>",
            text("one sentence about what you do")
        ),
        "features" => {
            let card = |nth: usize| {
                format!(
                    "<article class=\"card\">{}{}</article>",
                    placeholder("h3", &format!("feature {nth}")),
                    text("what it is")
                )
            };
            format!("<div class=\"grid\">{}</div>", three(&card))
        }
        "pricing" => {
            let plan = |nth: usize| {
                let price = "<p class=\"price\" data-placeholder=\"\">[your price]</p>";
                format!(
                    "<article class=\"card\">{}{price}<a class=\"button\" href=\"#\" data-placeholder=\"\">[button]</a></article>",
                    placeholder("h3", &format!("plan {nth}"))
                )
            };
            format!("<div class=\"grid\">{}</div>", three(&plan))
        }
        "testimonials" => format!(
            "<blockquote>{}<cite data-placeholder=\"\">[customer’s name]</cite></blockquote>",
            text("what a customer said")
        ),
        "faq" => three(&|nth| {
            format!(
                "<details><summary data-placeholder=\"\">[question {nth}]</summary>{}</details>",
                text("your answer")
            )
        }),
        "gallery" => format!(
            "<div class=\"grid\">{}</div>",
            three(&|nth| format!("<figure data-placeholder=\"\"><p>[picture {nth}]</p></figure>"))
        ),
        "contact" => format!(
            "{}<form method=\"post\"><label>Name<input name=\"name\" required></label><label>Email<input type=\"email\" name=\"email\" required></label>\
             <label>Message<textarea name=\"message\"></textarea></label><button type=\"submit\">Send</button></form>",
            text("your address and phone number")
        ),
        "cta" => format!(
            "{}<a class=\"button\" href=\"#\" data-placeholder=\"\">[button]</a>",
            text("one sentence that invites")
        ),
        _ => text("your text"),
    }
}

/// Rules for the classes of a section that the site has none for, written with the site's tokens.
fn styles(kind: &str, draft: &Draft) -> String {
    let mut classes = match kind {
        "header" => vec!["site-header", "menu"],
        "footer" => vec!["site-footer"],
        other => vec![other],
    };
    if matches!(kind, "features" | "pricing" | "gallery") {
        classes.extend(["grid", "card"]);
    }
    if matches!(kind, "hero" | "pricing" | "cta") {
        classes.push("button");
    }
    classes.retain(|class| !draft.has_rule(&format!(".{class}")));
    let rules = classes.iter().map(|class| {
        let declarations = declarations(class, draft);
        format!(".{class} {{ {declarations} }}\n")
    });
    let css: String = rules.collect();
    if css.is_empty() {
        css
    } else {
        format!("<style>{css}</style>")
    }
}

/// What a class of ours looks like, in the site's sizes and colours where it has them.
fn declarations(class: &str, draft: &Draft) -> String {
    let tokens = draft.site.tokens();
    let steps = tokens.spacing_scales.iter();
    let steps = steps.filter_map(|scale| scale.spacing_steps(&tokens.screens).ok());
    let steps: Vec<String> = steps.flatten().map(|step| step.variable).collect();
    let variable = |name: String, is_known: bool, or: &str| match is_known {
        true => format!("var(--{name})"),
        false => or.to_owned(),
    };
    let space = |step: &str, or: &str| {
        let name = format!("space-{step}");
        let is_known = steps.contains(&name);
        variable(name, is_known, or)
    };
    let colour = |name: &str, or: &str| {
        let is_known = tokens.colors.iter().any(|colour| colour.slug == name);
        variable(name.to_owned(), is_known, or)
    };
    let usual = space("m", "1.5rem");
    match class {
        "grid" => format!(
            "display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: {usual}"
        ),
        "card" => format!("padding: {usual}"),
        "button" => format!(
            "display: inline-block; padding: {} {}; color: {}; background-color: {}",
            space("2xs", "0.5rem"),
            space("s", "1rem"),
            colour("background", "white"),
            colour("primary", "black")
        ),
        "site-header" => format!(
            "display: flex; flex-wrap: wrap; gap: {usual}; justify-content: space-between; padding: {usual}"
        ),
        "menu" => format!(
            "display: flex; flex-wrap: wrap; gap: {usual}; margin: 0; padding: 0; list-style: none"
        ),
        "hero" => format!(
            "padding: {} {usual}; text-align: center",
            space("2xl", "5rem")
        ),
        _ => format!("padding: {} {usual}", space("xl", "3rem")),
    }
}
