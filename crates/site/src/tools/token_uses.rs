//! Where a token is used, to tell before it is removed, and to change its name everywhere at once.
//!
//! Names are found as whole words: `--accent` is not part of `--accent-2`. Code on every page and the props of components are not
//! searched, because their text can be in any language.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_markup::css::{ColorToken, Piece};
use sitewright_tool::definition::{edit, query};

use crate::field::attr_value;
use crate::{Attr, BodyId, Entity, Item, ItemId, Kind, List, Need, Node, Site};

use super::tokens::{find, put, wrong};
use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        query("list_token_uses", "List uses of a token", "Counts where a colour or font is used: its variable, the variables of its variants and \
               its utility classes, by document and stylesheet.")
        .words("Looking for uses of a token", "Looked for uses of a token").with(list_uses),
        edit("rename_color_token", "Rename a colour", "Changes the slug of a colour, and every use of its variables and utility classes with it.")
            .words("Renaming a colour", "Renamed a colour").with(rename_color),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListTokenUses {
    /// The slug of a colour or the variable of a font, without dashes.
    token: String,
}

#[derive(Serialize, JsonSchema)]
struct TokenUses {
    /// How often it is used in all.
    count: usize,
    places: Vec<TokenPlace>,
}

/// A document or stylesheet that uses a token.
#[derive(Serialize, JsonSchema)]
struct TokenPlace {
    /// The document; absent for what all documents share.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<BodyId>,
    /// What a person calls the place.
    name: String,
    count: usize,
}

fn list_uses(input: ListTokenUses, work: &mut Work<'_>) -> Result<TokenUses, Stop> {
    let wanted = input.token.trim().trim_start_matches("--");
    let color = find_color(work, wanted);
    let font = find(
        work,
        List::Fonts,
        |item| matches!(item, Item::Font(font) if font.variable == wanted),
    );
    let names = match (color, font) {
        (Some((_, Item::Color(color))), _) => TokenNames::of_color(&color, wanted)?,
        (_, Some((_, Item::Font(font)))) => TokenNames {
            variables: vec![NamePair::unchanged(format!("--{wanted}"))],
            classes: vec![NamePair::unchanged(font.class().to_owned())],
        },
        _ => return Err(unknown(wanted)),
    };
    let mut places: Vec<TokenPlace> = Vec::new();
    for found in uses(work, &names)? {
        let name = place_name(work.site, &found);
        match places
            .iter_mut()
            .find(|place| place.document == found.document && place.name == name)
        {
            Some(place) => place.count += found.count,
            None => places.push(TokenPlace {
                document: found.document,
                name,
                count: found.count,
            }),
        }
    }
    let count = places.iter().map(|place| place.count).sum();
    Ok(TokenUses { count, places })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RenameColorToken {
    /// The slug it has.
    slug: String,
    /// The slug it is to have.
    new_slug: String,
}

#[derive(Serialize, JsonSchema)]
struct ColorRename {
    slug: String,
    /// How CSS refers to it.
    r#ref: String,
    /// How many uses were changed with it.
    uses: usize,
}

fn rename_color(input: RenameColorToken, work: &mut Work<'_>) -> Result<ColorRename, Stop> {
    let (old, new) = (input.slug.trim(), input.new_slug.trim());
    let Some((id, Item::Color(color))) = find_color(work, old) else {
        return Err(unknown(old));
    };
    if old != new && find_color(work, new).is_some() {
        return Err(Stop::conflict(format!(
            "There is a colour `{new}` already; choose another name."
        )));
    }
    let names = TokenNames::of_color(&color, new)?;
    let found = if old == new {
        Vec::new()
    } else {
        uses(work, &names)?
    };
    let renamed = ColorToken {
        slug: new.to_owned(),
        ..color.clone()
    };
    put(
        work,
        Some((id, Item::Color(color))),
        Item::Color(renamed),
        new,
    )?;
    let uses = found.iter().map(|found| found.count).sum();
    for TokenUse {
        entity,
        field,
        value,
        ..
    } in found
    {
        work.put(entity, &field, value)?;
    }
    Ok(ColorRename {
        slug: new.to_owned(),
        r#ref: format!("var(--{new})"),
        uses,
    })
}

fn find_color(work: &Work<'_>, slug: &str) -> Option<(ItemId, Item)> {
    find(
        work,
        List::Colors,
        |item| matches!(item, Item::Color(color) if color.slug == slug),
    )
}

fn unknown(token: &str) -> Stop {
    Stop::not_found(format!(
        "There is no colour or font `{token}`; list_tokens names them."
    ))
}

/// A name and what it becomes.
struct NamePair {
    old: String,
    new: String,
}

impl NamePair {
    fn unchanged(name: String) -> Self {
        Self {
            new: name.clone(),
            old: name,
        }
    }
}

/// The names that refer to a token.
struct TokenNames {
    /// Variables, with their dashes.
    variables: Vec<NamePair>,
    /// Utility classes, without dots.
    classes: Vec<NamePair>,
}

impl TokenNames {
    /// The names of a colour and its variants, and what they are under another slug.
    fn of_color(color: &ColorToken, slug: &str) -> Result<Self, Stop> {
        let renamed = ColorToken {
            slug: slug.to_owned(),
            ..color.clone()
        };
        let (old, new) = (color.variants(), renamed.variants());
        let (old, new) = (
            old.map_err(|problem| wrong(&problem))?,
            new.map_err(|problem| wrong(&problem))?,
        );
        let mut names = Self {
            variables: Vec::new(),
            classes: Vec::new(),
        };
        for (old, new) in old.into_iter().zip(new) {
            names.variables.push(NamePair {
                old: format!("--{}", old.variable),
                new: format!("--{}", new.variable),
            });
            let classes = old.classes.into_iter().zip(new.classes);
            names
                .classes
                .extend(classes.map(|(old, new)| NamePair { old, new }));
        }
        Ok(names)
    }

    /// CSS with the new names, and how many it has; classes count after a dot alone.
    fn in_css(&self, css: &str) -> TokenRewrite {
        rewrite(css, |before, word| {
            let names = if before == Some('.') {
                &self.classes
            } else {
                &self.variables
            };
            names.iter().find(|name| name.old == word)
        })
    }

    /// The text of a `class` attribute with the new names.
    fn in_classes(&self, classes: &str) -> TokenRewrite {
        rewrite(classes, |_, word| {
            self.classes.iter().find(|name| name.old == word)
        })
    }
}

struct TokenRewrite {
    text: String,
    count: usize,
}

/// Replaces whole words of letters, digits, `-` and `_`; the lookup is also given the character before the word.
fn rewrite<'n>(
    text: &str,
    lookup: impl Fn(Option<char>, &str) -> Option<&'n NamePair>,
) -> TokenRewrite {
    let is_word = |char: char| char.is_alphanumeric() || char == '-' || char == '_';
    let mut rewritten = TokenRewrite {
        text: String::with_capacity(text.len()),
        count: 0,
    };
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|char| !is_word(char)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        rewritten.text.push_str(before);
        match lookup(before.chars().next_back(), word) {
            Some(name) => {
                rewritten.text.push_str(&name.new);
                rewritten.count += 1;
            }
            None => rewritten.text.push_str(word),
        }
        rest = after;
    }
    rewritten.text.push_str(rest);
    rewritten
}

/// A field that uses a token.
struct TokenUse {
    /// The document it belongs to; absent for what all documents share.
    document: Option<BodyId>,
    entity: Entity,
    field: String,
    /// The field with the new names.
    value: Value,
    count: usize,
}

impl TokenUse {
    fn shared(entity: Entity, field: &str, value: Value, count: usize) -> Self {
        Self {
            document: None,
            entity,
            field: field.to_owned(),
            value,
            count,
        }
    }
}

/// Every use in the site. Requests all documents that are not loaded at once.
fn uses(work: &Work<'_>, names: &TokenNames) -> Result<Vec<TokenUse>, Stop> {
    let site = &*work.site;
    let pages = site.shell.pages.iter().map(|(id, _)| id);
    let documents: Vec<BodyId> = pages
        .chain(site.shell.components.iter().map(|(id, _)| id))
        .collect();
    let missing = documents.iter().filter(|id| !site.bodies.contains_key(*id));
    let needs: Vec<Need> = missing.map(|id| Need::Body(*id)).collect();
    if !needs.is_empty() {
        return Err(Stop::Needs(needs));
    }
    let mut found = uses_in_items(site, names);
    for body in documents {
        let tree = work.tree(body)?;
        for grown in tree.subtree(tree.root()).iter().flat_map(|all| all.nodes()) {
            let is_css = tree
                .parent(grown.id)
                .and_then(|parent| tree.node(parent))
                .is_some_and(is_style_element);
            for (field, value, count) in uses_in_node(&grown.node, is_css, names) {
                found.push(TokenUse {
                    document: Some(body),
                    entity: Entity::Node {
                        body,
                        node: grown.id,
                    },
                    field,
                    value,
                    count,
                });
            }
        }
    }
    found.retain(|found| found.count > 0);
    Ok(found)
}

fn is_style_element(node: &Node) -> bool {
    matches!(&node.kind, Kind::Element(element) if element.tag.as_str() == "style")
}

fn uses_in_items(site: &Site, names: &TokenNames) -> Vec<TokenUse> {
    let items = &site.shell.items;
    let mut found = Vec::new();
    for (sheet, _) in items.list(List::Sheets) {
        for (id, piece) in items.pieces(sheet) {
            found.extend(uses_in_piece(Entity::Piece { sheet, id }, piece, names));
        }
    }
    for (id, item) in items.list(List::Colors) {
        let Item::Color(color) = item else { continue };
        let entity = Entity::Item {
            list: List::Colors,
            id,
        };
        let values = [
            ("lightValue", Some(&color.light_value)),
            ("darkValue", color.dark_value.as_ref()),
        ];
        for (field, value) in values {
            let Some(TokenRewrite { text, count }) = value.map(|value| names.in_css(value)) else {
                continue;
            };
            found.push(TokenUse::shared(entity, field, json!(text), count));
        }
    }
    for (id, item) in items.list(List::Files) {
        let Item::File(file) = item else { continue };
        let TokenRewrite { text, count } = names.in_css(&file.content);
        let entity = Entity::Item {
            list: List::Files,
            id,
        };
        found.push(TokenUse::shared(entity, "content", json!(text), count));
    }
    found
}

fn uses_in_piece(entity: Entity, piece: &Piece, names: &TokenNames) -> Vec<TokenUse> {
    match piece {
        Piece::Raw(raw) => {
            let TokenRewrite { text, count } = names.in_css(&raw.text);
            vec![TokenUse::shared(entity, "text", json!(text), count)]
        }
        Piece::Block(block) => {
            let selector = names.in_css(&block.selector);
            let mut declarations = block.declarations.clone();
            let mut count = 0;
            for declaration in &mut declarations {
                for part in [&mut declaration.property, &mut declaration.value] {
                    let rewritten = names.in_css(part);
                    count += rewritten.count;
                    *part = rewritten.text;
                }
            }
            vec![
                TokenUse::shared(entity, "selector", json!(selector.text), selector.count),
                TokenUse::shared(entity, "declarations", json!(declarations), count),
            ]
        }
    }
}

/// The fields of a node that can name a token, with the new names; a text does in a `style` element alone.
fn uses_in_node(node: &Node, is_css: bool, names: &TokenNames) -> Vec<(String, Value, usize)> {
    let mut found = Vec::new();
    if let Some(style) = &node.style {
        let TokenRewrite { text, count } = names.in_css(style);
        found.push(("style".to_owned(), json!(text), count));
    }
    if let Some(classes) = &node.classes {
        let TokenRewrite { text, count } = names.in_classes(classes);
        found.push(("classes".to_owned(), json!(text), count));
    }
    match &node.kind {
        Kind::Element(element) => {
            for attr in &element.attrs {
                let TokenRewrite { text, count } = names.in_css(&attr.value);
                let renamed = Attr {
                    value: text,
                    ..attr.clone()
                };
                found.push((
                    format!("attrs.{}", attr.name.as_str()),
                    attr_value(&renamed),
                    count,
                ));
            }
        }
        Kind::Text(text) if is_css => {
            let TokenRewrite { text, count } = names.in_css(text);
            found.push(("text".to_owned(), json!(text), count));
        }
        Kind::Text(_) | Kind::Comment(_) | Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => {}
    }
    found
}

fn place_name(site: &Site, found: &TokenUse) -> String {
    if let Some(document) = found.document {
        let page = site
            .shell
            .pages
            .get(document)
            .map(|page| page.title.clone());
        let component = || {
            site.shell
                .components
                .get(document)
                .map(|component| component.name.clone())
        };
        return page.or_else(component).unwrap_or_default();
    }
    let item = match found.entity {
        Entity::Piece { sheet, .. } => site.shell.items.get(List::Sheets, sheet),
        Entity::Item { list, id } => site.shell.items.get(list, id),
        _ => None,
    };
    match item {
        Some(Item::Sheet(sheet)) => sheet.name.clone(),
        Some(Item::File(file)) => file.path.clone(),
        Some(Item::Color(color)) => color.slug.clone(),
        _ => String::new(),
    }
}
