//! Entries on a page: the page of one, rich text, and lists that go on in further parts of the page.

use std::borrow::Cow;

use serde_json::Value;
use sitewright_markup::html::{
    HtmlLimits, HtmlMode, Position, escape_html, import_html, text, write_forest,
};

use super::{Step, Walk, is_raw, takes_comments};
use crate::binding::{rich_html, whole_binding};
use crate::render::scope::Scope;
use crate::render::{RowQuery, part_address};
use crate::{Element, Kind, Loop, Namespace, NavTarget};

/// Elements that cannot hold paragraphs: a browser would end them before the first one.
const TEXT_ONLY: [&str; 8] = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "button"];

impl<'a> Walk<'a> {
    /// Writes the body of an entry's page on a site without templates.
    pub(super) fn open_bare_body(&mut self) {
        let element = Element {
            tag: "body".into(),
            namespace: Namespace::Html,
            attrs: Vec::new(),
        };
        self.out.push_str("<body>");
        self.write_entry();
        self.steps.push(Step::Close(Cow::Owned(element)));
    }

    /// Writes the entry of the page: its text in the outlet of its template, else its title and text.
    pub(super) fn write_entry(&mut self) {
        let Some(entry) = &self.world.facts.entry else {
            return;
        };
        let has_template = self.subject.is_some_and(|subject| subject.has_template);
        let own = entry.as_object().into_iter().flat_map(|values| {
            let named = values.get("body");
            named.into_iter().chain(values.values())
        });
        let html = own
            .filter_map(rich_html)
            .next()
            .unwrap_or_default()
            .to_owned();
        if has_template {
            self.write_rich_text(&html);
            return;
        }
        let title = self.subject.map_or("", |subject| &subject.page.title);
        self.out.push_str("<article><h1>");
        text(&mut self.out, title, None, Position::Later);
        self.out.push_str("</h1>");
        self.write_rich_text(&html);
        self.out.push_str("</article>");
        for tag in ["article", "h1"] {
            self.seen.present.add_tag(tag);
        }
    }

    /// The HTML of a rich text, when a text is nothing but a binding to one and lies where paragraphs can be. Elsewhere, a rich text is
    /// shown without its formatting.
    pub(super) fn rich_text(
        &mut self,
        written: &str,
        scope: &Scope,
        parent: Option<&'a Element>,
    ) -> Option<String> {
        let value = self.world.find(scope, &whole_binding(written)?)?;
        let html = rich_html(&value)?;
        if parent.is_some_and(is_raw) || !takes_comments(parent) {
            return None;
        }
        if let Some(parent) = parent.filter(|parent| TEXT_ONLY.contains(&parent.tag.as_str())) {
            self.problems.push(format!(
                "`{}` is shown without its formatting: a <{}> cannot hold paragraphs. Use a <div>.",
                written.trim(),
                parent.tag.as_str()
            ));
            return None;
        }
        Some(html.to_owned())
    }

    /// Writes HTML from outside: imported like any other, so that nothing in it can run.
    pub(super) fn write_rich_text(&mut self, html: &str) {
        match import_html(html, &HtmlMode::body(), &HtmlLimits::default()) {
            Ok(imported) => {
                for planted in &imported.content.0 {
                    if let Kind::Element(element) = &planted.node.kind {
                        self.seen.note(element, planted.node.classes.as_deref());
                    }
                }
                write_forest(&mut self.out, &imported.content, None);
            }
            Err(error) => self
                .problems
                .push(format!("A rich text is left out: {error}.")),
        }
    }

    /// Records which entries a list depends on.
    pub(super) fn note_rows(&mut self, query: &RowQuery) {
        let table = query.table.as_deref().unwrap_or_default();
        let is_meant = |id: crate::ItemId, slug: &str| id.to_string() == table || slug == table;
        match query.source.as_str() {
            "data.rows" => {
                let mut collections = self.site.collections();
                let found = collections.find(|(id, found)| is_meant(*id, &found.slug));
                self.used.collections.extend(found.map(|(id, _)| id));
            }
            "site.navigation" => {
                let mut menus = self.site.navigations();
                let menu = menus.find(|(id, menu)| is_meant(*id, &menu.slug));
                let menu = menu.map(|(id, _)| id);
                let items = self.site.nav_items();
                let items = items.filter(|(_, item)| Some(item.navigation) == menu);
                let entries = items.filter_map(|(_, item)| match item.target {
                    NavTarget::Entry { id } => Some(id),
                    NavTarget::Page { .. }
                    | NavTarget::Media { .. }
                    | NavTarget::Url { .. }
                    | NavTarget::Placeholder => None,
                });
                self.used.entries.extend(entries);
            }
            _ => {}
        }
    }

    /// How many rows of a list the parts before this one show.
    pub(super) fn skipped(&self, looped: &Loop) -> u32 {
        match (looped.paged, looped.limit) {
            (true, Some(limit)) => limit.saturating_mul(self.world.facts.part),
            _ => 0,
        }
    }

    /// The rows of this part of a list, followed by links to the parts around it.
    pub(super) fn part_of(&mut self, looped: &Loop, mut rows: Vec<Value>) -> Vec<Value> {
        let (true, Some(limit), Some(subject)) = (looped.paged, looped.limit, self.subject) else {
            return rows;
        };
        let has_more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        self.has_more |= has_more;
        let part = self.world.facts.part;
        if part == 0 && !has_more {
            return rows;
        }
        let link = |rel: &str, part: u32| {
            let address = escape_html(&part_address(&subject.address, part));
            format!("<a rel=\"{rel}\" href=\"{address}\">{}</a>", part + 1)
        };
        // Numbers need no translation.
        let before = part.checked_sub(1).map(|before| link("prev", before));
        let current = format!("<span aria-current=\"page\">{}</span>", part + 1);
        let next = has_more.then(|| link("next", part + 1));
        let links: Vec<String> = before.into_iter().chain([current]).chain(next).collect();
        let nav = format!("<nav class=\"paging\">{}</nav>", links.join(" "));
        self.seen.present.add_classes("paging");
        for tag in ["nav", "a", "span"] {
            self.seen.present.add_tag(tag);
        }
        self.steps.push(Step::Html(nav));
        rows
    }
}
