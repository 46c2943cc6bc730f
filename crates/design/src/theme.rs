//! The base theme: what an empty site begins with, so that whatever is put on it looks finished.

use sitewright_markup::css::{CssLimits, Origin, Piece, parse_css};
use sitewright_site::{
    ChangeId, FontFamily, Item, ItemId, List, Lock, Mint, NewEntity, Op, Sheet, Site, Target,
};

/// Colours, fonts and scales, as the site stores them.
pub const THEME_TOKENS: &str = include_str!("../theme/tokens.json");
/// The rules for elements and the few classes that sections share.
pub const THEME_CSS: &str = include_str!("../theme/base.css");

/// A typeface that ships with the program. Its licence is in the file beside it.
#[derive(Debug, Clone, Copy)]
pub struct BundledFont {
    /// Its name in CSS and in the tokens of the theme.
    pub family: &'static str,
    /// The weights of its one file, which is variable.
    pub weight: &'static str,
    /// The file, as WOFF2 with the Latin letters; others come from the fallback.
    pub woff2: &'static [u8],
}

/// The typefaces of the base theme.
pub const BUNDLED_FONTS: &[BundledFont] = &[
    BundledFont {
        family: "Fraunces",
        weight: "100 900",
        woff2: include_bytes!("../theme/fonts/fraunces.woff2"),
    },
    BundledFont {
        family: "Figtree",
        weight: "300 900",
        woff2: include_bytes!("../theme/fonts/figtree.woff2"),
    },
];

/// The ops that give a site the base theme with these typefaces, whose files the site has already. None when the site has a
/// stylesheet: its look is its owner's.
pub fn theme_ops(site: &Site, families: Vec<FontFamily>, change: ChangeId) -> Vec<Op> {
    if site.site_sheet().is_some() {
        return Vec::new();
    }
    let mut mint = Mint::new(change);
    // A file that cannot be read gives no tokens, which a test notices.
    let tokens: Vec<Item> = serde_json::from_str(THEME_TOKENS).unwrap_or_default();
    let families = families.into_iter().map(Item::Family);
    let mut ops: Vec<Op> = Vec::new();
    let mut last: Vec<(List, ItemId)> = Vec::new();
    for item in families.chain(tokens) {
        let list = item.list();
        let before = last.iter().rev().find(|(of, _)| *of == list);
        let existing = || site.shell.items.list(list).last().map(|(id, _)| id);
        let after = before.map(|(_, id)| *id).or_else(existing);
        let id = mint.mint();
        last.push((list, id));
        ops.push(insert(id, after, item, Vec::new()));
    }
    let parsed = parse_css(THEME_CSS, Origin::Author, &CssLimits::default());
    let pieces = parsed.map(|parsed| parsed.pieces).unwrap_or_default();
    let pieces: Vec<(ItemId, Piece)> = pieces
        .into_iter()
        .map(|piece| (mint.mint(), piece))
        .collect();
    let sheet = Item::Sheet(Sheet {
        name: "Site".to_owned(),
        target: Target::Site,
        lock: Lock::Open,
    });
    ops.push(insert(mint.mint(), None, sheet, pieces));
    ops
}

fn insert(id: ItemId, after: Option<ItemId>, item: Item, pieces: Vec<(ItemId, Piece)>) -> Op {
    let item = Box::new(item);
    Op::Insert {
        new: Box::new(NewEntity::Item {
            id,
            item,
            pieces,
            after,
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use sitewright_markup::css::{CssLimits, Origin, parse_css};
    use sitewright_site::{ChangeId, Site, first_ops};

    use super::{BUNDLED_FONTS, THEME_CSS, THEME_TOKENS, theme_ops};

    #[test]
    fn a_new_site_takes_the_theme_once() {
        let mut site = Site::default();
        let first = first_ops("Bakery", ChangeId::from("first".to_owned())).expect("ops");
        let theme = |site: &Site| theme_ops(site, Vec::new(), ChangeId::from("theme".to_owned()));
        for op in first.iter().chain(&theme(&Site::default())) {
            site.apply(op, 0).expect("an op that fits");
        }
        let tokens = site.tokens();
        let counts = [
            tokens.colors.len(),
            tokens.type_scales.len(),
            tokens.spacing_scales.len(),
        ];
        assert_eq!(counts, [10, 1, 1]);
        assert_eq!(theme(&site), Vec::new());
    }

    #[test]
    fn the_fonts_of_the_tokens_are_bundled_with_their_licences() {
        let tokens: Vec<Value> = serde_json::from_str(THEME_TOKENS).expect("tokens");
        let families = tokens.iter().filter_map(|token| token["family"].as_str());
        let bundled: Vec<&str> = BUNDLED_FONTS.iter().map(|font| font.family).collect();
        assert_eq!(families.collect::<Vec<_>>(), bundled);
        for font in BUNDLED_FONTS {
            assert!(font.woff2.starts_with(b"wOF2"), "{}", font.family);
            let file = format!("{}-OFL.txt", font.family.to_lowercase());
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/theme/fonts");
            let licence = std::fs::read_to_string(format!("{folder}/{file}")).expect("a licence");
            assert!(licence.contains("SIL OPEN FONT LICENSE"), "{file}");
        }
    }

    #[test]
    fn the_rules_are_read_without_problems() {
        let parsed = parse_css(THEME_CSS, Origin::Author, &CssLimits::default()).expect("CSS");
        let problems: Vec<String> = parsed
            .problems
            .into_iter()
            .map(|found| found.text)
            .collect();
        assert_eq!(problems, Vec::<String>::new());
    }
}
