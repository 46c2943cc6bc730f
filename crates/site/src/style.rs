//! The styles of a site as a whole: the CSS that its tokens generate, and the sheet that `applyCss` writes.

use sitewright_markup::css::{Piece, Tokens, font_face, framework_css};

use crate::{Breakpoint, Item, ItemId, List, Site, Target};

impl Site {
    /// The tokens, collected from their lists.
    pub fn tokens(&self) -> Tokens {
        let mut tokens = Tokens::default();
        let items = &self.shell.items;
        let lists = [
            List::Colors,
            List::Fonts,
            List::TypeScales,
            List::SpacingScales,
        ];
        for (_, item) in lists.into_iter().flat_map(|list| items.list(list)) {
            match item {
                Item::Color(color) => tokens.colors.push(color.clone()),
                Item::Font(font) => tokens.fonts.push(font.clone()),
                Item::TypeScale(scale) => tokens.type_scales.push(scale.clone()),
                Item::SpacingScale(scale) => tokens.spacing_scales.push(scale.clone()),
                Item::Breakpoint(_)
                | Item::Sheet(_)
                | Item::Family(_)
                | Item::File(_)
                | Item::Collection(_)
                | Item::Navigation(_)
                | Item::NavItem(_) => {}
            }
        }
        tokens
    }

    /// The CSS that installed fonts and tokens generate; it comes before every stylesheet.
    pub fn framework(&self) -> Vec<Piece> {
        let families = self.shell.items.list(List::Families);
        let faces = families.flat_map(|(_, item)| match item {
            Item::Family(family) => {
                let files = family.files.iter();
                let faces = files.filter_map(|file| font_face(&family.family, file));
                faces.collect::<Vec<_>>()
            }
            _ => Vec::new(),
        });
        faces.chain(framework_css(&self.tokens()).0).collect()
    }

    /// The sheet that site-wide CSS is written to: the first one that applies to all documents.
    pub fn site_sheet(&self) -> Option<ItemId> {
        let mut sheets = self.shell.items.list(List::Sheets);
        let found = sheets
            .find(|(_, item)| matches!(item, Item::Sheet(sheet) if sheet.target == Target::Site));
        found.map(|(id, _)| id)
    }

    /// The breakpoints, in order.
    pub fn breakpoints(&self) -> Vec<Breakpoint> {
        let items = self.shell.items.list(List::Breakpoints);
        let breakpoints = items.filter_map(|(_, item)| match item {
            Item::Breakpoint(breakpoint) => Some(breakpoint.clone()),
            _ => None,
        });
        breakpoints.collect()
    }
}
