//! A whole page from outside as ops: the page with its tree, and a stylesheet for each source of its CSS.
//!
//! What the site generates for every page (title, description, canonical address, encoding) is moved from the head to the
//! page's settings, so that it is not written twice. Nothing is fetched: the caller supplies the CSS of links, with the
//! addresses in it already rewritten for the site.

use sitewright_markup::css::{CssError, CssLimits, Origin, Piece, parse_css};
use sitewright_markup::html::{
    HtmlDocument, HtmlStyle, HtmlStylePlace, ImportedHtml, doctype_text, is_css_type, links_sheet,
};

use crate::page::{HOME, slugified};
use crate::{
    Attr, BodyId, Forest, ForestNode, Item, ItemId, Kind, List, Lock, Mint, Namespace, NewEntity,
    Node, Op, Page, PlacementError, Sheet, Site, Subtree, SubtreeNode, Target,
};

/// Why a page was not imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageImportError {
    /// The HTML was read as a fragment.
    #[error("a fragment is not a page: read the HTML as a document")]
    Fragment,
    /// A stylesheet was rejected.
    #[error("the stylesheet {sheet}: {cause}")]
    Css {
        /// The address of the file, or `style` for one in the page.
        sheet: String,
        /// Why it was rejected.
        cause: CssError,
    },
    /// The nodes cannot form the tree of a page.
    #[error("the page: {0}")]
    Misplaced(PlacementError),
}

/// What an imported page is called. A title that is left out is the document's own; what that lacks comes from the name of its file.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageName<'n> {
    pub title: Option<&'n str>,
    pub slug: Option<&'n str>,
    /// The name of the file that the document was in.
    pub file: Option<&'n str>,
}

/// A document as a page that is not on the site yet.
#[derive(Debug)]
pub struct PageImport {
    pub id: BodyId,
    /// The slug it asks for, which it does not get if another page has it.
    pub slug: String,
    /// The ops that insert the page as the last one, with its stylesheets.
    pub ops: Vec<Op>,
}

/// Turns an imported document into a page of a site.
///
/// `css` returns the text of a linked stylesheet. If it does, the stylesheet becomes one of the site and the link is removed;
/// otherwise the link stays.
pub fn import_page(
    site: &Site,
    imported: ImportedHtml,
    name: PageName<'_>,
    css: &mut dyn FnMut(&str) -> Option<String>,
    mint: &mut Mint,
) -> Result<PageImport, PageImportError> {
    let ImportedHtml {
        mut content,
        document,
        styles,
        ..
    } = imported;
    let mut document = document.ok_or(PageImportError::Fragment)?;
    let mut linked = take_links(&mut document.head_nodes, css);
    linked.extend(take_links(&mut content, css));
    let id = mint.mint();
    site.aim(id, &mut content);
    let mut ops = Vec::new();
    let mut after = site.shell.items.list(List::Sheets).last().map(|(id, _)| id);
    for source in in_order(styles, linked) {
        let (sheet, op) = source.op(id, after, mint)?;
        ops.push(op);
        after = Some(sheet);
    }
    let body = std::mem::replace(&mut document.body, Node::new(Kind::Outlet));
    let page = page(document, name);
    let slug = page.slug.clone();
    let new = NewEntity::Page {
        id,
        page: Box::new(page),
        tree: tree(body, content, mint).map_err(PageImportError::Misplaced)?,
        after: site.shell.pages.last(),
    };
    ops.insert(0, Op::Insert { new: Box::new(new) });
    Ok(PageImport { id, slug, ops })
}

fn page(document: HtmlDocument, name: PageName<'_>) -> Page {
    let HtmlDocument {
        doctype,
        quirks,
        html,
        head,
        mut head_nodes,
        body: _,
        strays,
    } = document;
    let own = take_generated(&mut head_nodes);
    let mut page = name.page(own.title);
    let settings = &mut page.settings;
    let written = doctype_text(doctype.as_ref(), quirks);
    settings.doctype = (!written.eq_ignore_ascii_case("<!doctype html>")).then_some(written);
    settings.description = own.description;
    settings.canonical = own.canonical;
    settings.social_image = own.social_image;
    settings.html_attrs = attrs_of(html);
    settings.head_attrs = attrs_of(head);
    settings.head = head_nodes;
    settings.strays = strays;
    page
}

impl PageName<'_> {
    fn page(self, own_title: Option<String>) -> Page {
        let Self { title, slug, file } = self;
        let stem = file.map(|file| file.rsplit_once('.').map_or(file, |(stem, _)| stem));
        let stem = stem.map(str::trim).filter(|stem| !stem.is_empty());
        let title = title.map(str::to_owned).or(own_title);
        let title = title.unwrap_or_else(|| stem.or(slug).unwrap_or("Imported page").to_owned());
        let derive = || {
            // `index` names the first page of wherever the document comes from, and would be the home page here.
            let stem = stem.filter(|stem| !stem.eq_ignore_ascii_case(HOME));
            let derived = slugified(stem.unwrap_or(&title));
            match Page::new("", derived.as_str()).check_slug() {
                Ok(()) if derived != HOME => derived,
                Ok(()) | Err(_) => format!("{derived}-page"),
            }
        };
        let slug = slug.map_or_else(derive, str::to_owned);
        Page::new(title, slug)
    }
}

fn attrs_of(node: Node) -> Vec<Attr> {
    let Kind::Element(element) = node.kind else {
        return Vec::new();
    };
    let mut attrs = element.attrs;
    attrs.extend(node.classes.map(|classes| Attr::new("class", classes)));
    attrs.extend(node.style.map(|style| Attr::new("style", style)));
    attrs
}

fn tree(body: Node, content: Forest, mint: &mut Mint) -> Result<Subtree, PlacementError> {
    let mut grown = vec![SubtreeNode {
        id: mint.mint(),
        parent: None,
        node: body,
    }];
    grown.extend(
        content
            .0
            .into_iter()
            .map(|ForestNode { parent, node }| SubtreeNode {
                id: mint.mint(),
                // The body comes first in the list, so positions shift by one.
                parent: Some(parent.map_or(0, |parent| parent + 1)),
                node,
            }),
    );
    Subtree::new(grown)
}

/// The parts of the head that the site generates itself.
#[derive(Default)]
struct GeneratedPage {
    title: Option<String>,
    description: Option<String>,
    canonical: Option<String>,
    social_image: Option<String>,
}

/// Removes the first title, description, canonical address and social image from a head, and every declaration of its encoding.
fn take_generated(head: &mut Forest) -> GeneratedPage {
    let mut own = GeneratedPage::default();
    let mut taken = vec![false; head.0.len()];
    for (position, ForestNode { parent, node }) in head.0.iter().enumerate() {
        let Kind::Element(element) = &node.kind else {
            continue;
        };
        if parent.is_some() || element.namespace != Namespace::Html {
            continue;
        }
        let value = |name| element.attr(name).map(str::to_owned);
        let is = |name, wanted: &str| {
            element
                .attr(name)
                .is_some_and(|value| value.trim().eq_ignore_ascii_case(wanted))
        };
        match element.tag.as_str() {
            "title" if own.title.is_none() => {
                let text = one_line(&text_in(head, position));
                taken[position] = !text.is_empty();
                own.title = Some(text).filter(|text| !text.is_empty());
            }
            "meta" if element.attr("charset").is_some() || is("http-equiv", "content-type") => {
                taken[position] = true;
            }
            "meta" if own.description.is_none() && is("name", "description") => {
                own.description = value("content").filter(|text| !text.trim().is_empty());
                taken[position] = own.description.is_some();
            }
            "meta" if own.social_image.is_none() && is("property", "og:image") => {
                own.social_image = value("content").filter(|address| is_absolute(address));
                taken[position] = own.social_image.is_some();
            }
            "link" if own.canonical.is_none() && is("rel", "canonical") => {
                own.canonical = value("href").filter(|address| !address.trim().is_empty());
                taken[position] = own.canonical.is_some();
            }
            _ => {}
        }
    }
    take_out(head, &taken);
    own
}

fn text_in(forest: &Forest, element: usize) -> String {
    let inside = |planted: &&ForestNode| planted.parent.is_some_and(|at| at as usize == element);
    let texts = forest
        .0
        .iter()
        .filter(inside)
        .map(|planted| match &planted.node.kind {
            Kind::Text(text) => text.as_str(),
            _ => "",
        });
    texts.collect()
}

/// Whether an address means the same on every page, as the setting requires.
fn is_absolute(address: &str) -> bool {
    let on_the_site = address.starts_with('/') && !address.starts_with("//");
    on_the_site || address.starts_with("https://") || address.starts_with("http://")
}

fn one_line(text: &str) -> String {
    let words = text.split(|sign: char| sign.is_whitespace() || sign.is_control());
    let words = words.filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Removes nodes from a forest with their descendants.
fn take_out(forest: &mut Forest, taken: &[bool]) {
    let mut places: Vec<Option<u32>> = Vec::with_capacity(forest.0.len());
    let mut kept = Vec::with_capacity(forest.0.len());
    for (planted, taken) in std::mem::take(&mut forest.0).into_iter().zip(taken) {
        let parent = match planted.parent {
            None => Some(None),
            // A parent comes before its children, so its new position is known.
            Some(parent) => places.get(parent as usize).copied().flatten().map(Some),
        };
        let (false, Some(parent)) = (*taken, parent) else {
            places.push(None);
            continue;
        };
        places.push(u32::try_from(kept.len()).ok());
        kept.push(ForestNode {
            parent,
            node: planted.node,
        });
    }
    forest.0 = kept;
}

/// A linked stylesheet; `None` if its CSS is unknown and the link stays.
struct LinkedSheet(Option<Source>);

/// One source of CSS.
struct Source {
    /// The address of the file; `None` for CSS in the page itself.
    href: Option<String>,
    css: String,
    wrappers: Vec<String>,
}

/// The stylesheet links of a forest in order. Those whose CSS is known are removed from it.
fn take_links(
    forest: &mut Forest,
    css: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<LinkedSheet> {
    let mut links = Vec::new();
    let mut taken = vec![false; forest.0.len()];
    let mut dormant = vec![false; forest.0.len()];
    for (position, planted) in forest.0.iter().enumerate() {
        let Kind::Element(element) = &planted.node.kind else {
            continue;
        };
        let inherits = planted.parent.is_some_and(|at| dormant[at as usize]);
        dormant[position] = inherits || matches!(element.tag.as_str(), "template" | "noscript");
        if dormant[position] || !links_sheet(element) {
            continue;
        }
        let href = element.attr("href").unwrap_or_default();
        let wrappers: Vec<String> = media(element.attr("media")).into_iter().collect();
        // `@import` is not valid inside an at-rule, so a file that contains one stays a link if it has a media query.
        let fits = |css: &String| wrappers.is_empty() || !css.contains("@import");
        let source = css(href).filter(fits).map(|css| Source {
            href: Some(href.to_owned()),
            css,
            wrappers: wrappers.clone(),
        });
        taken[position] = source.is_some();
        links.push(LinkedSheet(source));
    }
    take_out(forest, &taken);
    links
}

/// All sources in document order, which is the order of the cascade.
fn in_order(styles: Vec<HtmlStyle>, linked: Vec<LinkedSheet>) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut linked = linked.into_iter();
    let mut links = 0;
    for style in styles {
        while links < style.links_before {
            sources.extend(linked.next().and_then(|link| link.0));
            links += 1;
        }
        sources.extend(source_of(style));
    }
    sources.extend(linked.filter_map(|link| link.0));
    sources
}

fn source_of(style: HtmlStyle) -> Option<Source> {
    let HtmlStyle {
        text,
        media: screens,
        attrs,
        place,
        links_before: _,
    } = style;
    let applies = match place {
        HtmlStylePlace::Head | HtmlStylePlace::Body => None,
        HtmlStylePlace::Noscript => Some("@media (scripting: none)".to_owned()),
        HtmlStylePlace::Template => return None,
    };
    let written_as = attrs.iter().find(|attr| attr.name.as_str() == "type");
    written_as
        .is_none_or(|written_as| is_css_type(&written_as.value))
        .then(|| Source {
            href: None,
            css: text,
            wrappers: applies
                .into_iter()
                .chain(media(screens.as_deref()))
                .collect(),
        })
}

fn media(screens: Option<&str>) -> Option<String> {
    let screens = screens.unwrap_or_default().trim();
    (!screens.is_empty() && !screens.eq_ignore_ascii_case("all"))
        .then(|| format!("@media {screens}"))
}

impl Source {
    fn op(
        self,
        page: BodyId,
        after: Option<ItemId>,
        mint: &mut Mint,
    ) -> Result<(ItemId, Op), PageImportError> {
        let Self {
            href,
            css,
            wrappers,
        } = self;
        let name = href.clone().unwrap_or_else(|| "style".to_owned());
        let origin = Origin::Import { source: href };
        let parsed = parse_css(&css, origin, &CssLimits::default()).map_err(|cause| {
            PageImportError::Css {
                sheet: name.clone(),
                cause,
            }
        })?;
        let sheet = Sheet {
            name,
            target: Target::Documents { ids: vec![page] },
            lock: Lock::Open,
        };
        let id = mint.mint();
        let pieces = parsed
            .pieces
            .into_iter()
            .map(|piece| (mint.mint(), within(&wrappers, piece)))
            .collect();
        let new = NewEntity::Item {
            id,
            item: Box::new(Item::Sheet(sheet)),
            pieces,
            after,
        };
        Ok((id, Op::Insert { new: Box::new(new) }))
    }
}

fn within(wrappers: &[String], mut piece: Piece) -> Piece {
    let own = match &mut piece {
        Piece::Block(block) => &mut block.wrappers,
        Piece::Raw(raw) => &mut raw.wrappers,
    };
    own.splice(0..0, wrappers.iter().cloned());
    piece
}
