//! Links from the main menu to a page. The main menu is the first navigation in the template around all pages, or on the home page. One
//! that shows the items of a navigation gets an item; one that is written by hand gets a link like those it has.

use sitewright_markup::html::escape_html;

use crate::{
    BodyId, Item, ItemId, Kind, NavItem, NavTarget, NewEntity, NodeId, Op, TemplateTarget, Tree,
};

use super::html::{self, Braces, Headings, InsertHtml};
use super::work::{Stop, Work};

enum MainMenu {
    /// A loop shows the items of this navigation.
    Items(ItemId),
    Links(LinkList),
}

/// A menu that is written by hand.
struct LinkList {
    /// The element that contains the links, or the items around them.
    parent: NodeId,
    /// Whether each link is in an item.
    has_items: bool,
    link_class: Option<String>,
}

/// Adds a link to a page at the end of the main menu.
pub(super) fn add_link(page: BodyId, label: &str, work: &mut Work<'_>) -> Result<(), Stop> {
    match main_menu(work)? {
        MainMenu::Items(navigation) => add_item(navigation, page, label, work),
        MainMenu::Links(list) => {
            let html = list.link(&work.site.permalink(page), label);
            let input = InsertHtml {
                parent_id: list.parent,
                index: None,
                html,
                braces: Braces::Literal,
                headings: Headings::default(),
            };
            // Inserting shows the template; the editor is to show the page.
            let open = work.open.take();
            html::insert(input, work)?;
            work.open = open;
            Ok(())
        }
    }
}

fn main_menu(work: &Work<'_>) -> Result<MainMenu, Stop> {
    let pages = &work.site.shell.pages;
    let layouts = pages.iter().filter(|(_, page)| {
        let template = page.template.as_ref();
        template.is_some_and(|template| template.target == TemplateTarget::Everywhere)
    });
    let documents = layouts.map(|(id, _)| id).chain(work.site.home_page());
    for document in documents {
        let tree = work.tree(document)?;
        let is_nav = |id: &NodeId| tag(tree, *id) == Some("nav");
        if let Some(nav) = tree.walk(tree.root()).find(is_nav) {
            return Ok(match shown_navigation(nav, tree, work) {
                Some(navigation) => MainMenu::Items(navigation),
                None => MainMenu::Links(link_list(nav, tree)),
            });
        }
    }
    Err(Stop::conflict(
        "The site has no menu yet. Insert a header with one first.",
    ))
}

/// The navigation whose items are shown in an element.
fn shown_navigation(nav: NodeId, tree: &Tree, work: &Work<'_>) -> Option<ItemId> {
    let loops = tree.walk(nav).filter_map(|id| match &tree.node(id)?.kind {
        Kind::Loop(found) => Some(found),
        Kind::Element(_) | Kind::Text(_) | Kind::Comment(_) | Kind::Outlet | Kind::Component(_) => {
            None
        }
    });
    let mut menus = loops.filter(|found| found.source == "site.navigation");
    let table = menus.next()?.table.as_deref()?;
    let mut navigations = work.site.navigations();
    let found = navigations.find(|(id, menu)| menu.slug == table || id.to_string() == table);
    found.map(|(id, _)| id)
}

fn link_list(nav: NodeId, tree: &Tree) -> LinkList {
    let is_list = |id: &NodeId| matches!(tag(tree, *id), Some("ul" | "ol"));
    let list = tree.walk(nav).find(is_list);
    let parent = list.unwrap_or(nav);
    let links = tree.walk(parent).filter(|id| tag(tree, *id) == Some("a"));
    let last = links.last().and_then(|id| tree.node(id));
    LinkList {
        parent,
        has_items: list.is_some(),
        link_class: last.and_then(|link| link.classes.clone()),
    }
}

impl LinkList {
    fn link(&self, address: &str, label: &str) -> String {
        let class = self.link_class.as_deref();
        let class = class.map(|class| format!(" class=\"{}\"", escape_html(class)));
        let link = format!(
            "<a{} href=\"{}\">{}</a>",
            class.unwrap_or_default(),
            escape_html(address),
            escape_html(label)
        );
        if self.has_items {
            format!("<li>{link}</li>")
        } else {
            link
        }
    }
}

fn add_item(
    navigation: ItemId,
    page: BodyId,
    label: &str,
    work: &mut Work<'_>,
) -> Result<(), Stop> {
    let site = work.site();
    let is_beside = |item: &NavItem| item.navigation == navigation && item.parent.is_none();
    let count = site.nav_items().filter(|(_, item)| is_beside(item)).count();
    let menu = site.navigation(navigation);
    if let Some(menu) = menu.filter(|menu| count >= menu.max_items as usize) {
        return Err(Stop::conflict(format!(
            "The menu “{}” is full: it has {count} items. Remove one first.",
            menu.label
        )));
    }
    let item = NavItem {
        navigation,
        parent: None,
        label: label.to_owned(),
        target: NavTarget::Page { id: page },
        hidden: false,
    };
    let id = work.mint.mint();
    let after = work.site.nav_items().last().map(|(id, _)| id);
    work.step(Op::Insert {
        new: Box::new(NewEntity::Item {
            id,
            item: Box::new(Item::NavItem(item)),
            pieces: Vec::new(),
            after,
        }),
    })
}

fn tag(tree: &Tree, id: NodeId) -> Option<&str> {
    match &tree.node(id)?.kind {
        Kind::Element(element) => Some(element.tag.as_str()),
        Kind::Text(_) | Kind::Comment(_) | Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => {
            None
        }
    }
}
