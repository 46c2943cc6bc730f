//! The items that all documents share, in lists: breakpoints, stylesheets, tokens, fonts, files, collections, menus.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_markup::css::{FontFile, FontToken};
use sitewright_tool::tagged;

use crate::{
    BodyId, Breakpoint, Chain, Collection, ColorToken, ItemId, Lock, NavItem, Navigation, Piece,
    Scale,
};

/// A list of the shell.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum List {
    /// Widths the editor shows.
    Breakpoints,
    /// Stylesheets, in the order of the cascade.
    Sheets,
    /// Colours.
    Colors,
    /// Names for fonts.
    Fonts,
    /// Sizes of type.
    TypeScales,
    /// Sizes of space.
    SpacingScales,
    /// Fonts that are installed.
    Families,
    /// Scripts and stylesheets written by hand.
    Files,
    /// Kinds of entries.
    Collections,
    /// Menus.
    Navigations,
    /// The items of all menus.
    NavItems,
}

impl List {
    /// All lists.
    pub const ALL: &'static [Self] = &[
        Self::Breakpoints,
        Self::Sheets,
        Self::Colors,
        Self::Fonts,
        Self::TypeScales,
        Self::SpacingScales,
        Self::Families,
        Self::Files,
        Self::Collections,
        Self::Navigations,
        Self::NavItems,
    ];
}

tagged! {
    /// A thing of a list.
    #[derive(Debug, Clone, PartialEq, JsonSchema)]
    tag "type" (rename_all = "camelCase")
    pub enum Item {
        /// A width the editor shows.
        Breakpoint(Breakpoint),
        /// A stylesheet; what stands in it is a list of its own.
        Sheet(Sheet),
        /// A colour.
        Color(ColorToken),
        /// A name for a font.
        Font(FontToken),
        /// Sizes of type.
        TypeScale(Scale),
        /// Sizes of space.
        SpacingScale(Scale),
        /// A font that is installed.
        Family(FontFamily),
        /// A script or stylesheet written by hand.
        File(CodeFile),
        /// A kind of entries.
        Collection(Collection),
        /// A menu.
        Navigation(Navigation),
        /// An item of a menu.
        NavItem(NavItem),
    }
}

impl Item {
    /// The list it belongs to.
    pub fn list(&self) -> List {
        match self {
            Self::Breakpoint(_) => List::Breakpoints,
            Self::Sheet(_) => List::Sheets,
            Self::Color(_) => List::Colors,
            Self::Font(_) => List::Fonts,
            Self::TypeScale(_) => List::TypeScales,
            Self::SpacingScale(_) => List::SpacingScales,
            Self::Family(_) => List::Families,
            Self::File(_) => List::Files,
            Self::Collection(_) => List::Collections,
            Self::Navigation(_) => List::Navigations,
            Self::NavItem(_) => List::NavItems,
        }
    }
}

/// A stylesheet: one per source, so that one import never restyles another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Sheet {
    /// Where it came from, or what a person calls it.
    pub name: String,
    /// The documents it is for.
    #[serde(default)]
    pub target: Target,
    /// What agents may do to it.
    #[serde(default)]
    pub lock: Lock,
}

tagged! {
    /// The documents something is for.
    #[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
    tag "kind" (rename_all = "camelCase", deny_unknown_fields)
    pub enum Target {
        /// All.
        Site,
        /// These, and pages that these wrap.
        Documents {
            /// The documents.
            ids: Vec<BodyId>,
        },
    }
}

#[expect(
    clippy::derivable_impls,
    reason = "the form of it that serde reads has no default to mark"
)]
impl Default for Target {
    fn default() -> Self {
        Self::Site
    }
}

impl Target {
    /// Whether it applies to any of these documents: a page and the templates around it.
    pub fn covers(&self, documents: &[BodyId]) -> bool {
        match self {
            Self::Site => true,
            Self::Documents { ids } => ids.iter().any(|id| documents.contains(id)),
        }
    }
}

/// A font that is installed: its files are blobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FontFamily {
    /// Its name in CSS.
    pub family: String,
    /// Its files.
    pub files: Vec<FontFile>,
}

/// A script or stylesheet written by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CodeFile {
    /// Its path, unique among files.
    pub path: String,
    /// What it is.
    pub code: Code,
    /// Its text.
    pub content: String,
    /// Whether it is used at all.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The documents it is for.
    #[serde(default)]
    pub target: Target,
    /// Which of several comes first: the least.
    #[serde(default = "usual_priority")]
    pub priority: i32,
    /// What agents may do to it.
    #[serde(default)]
    pub lock: Lock,
}

tagged! {
    /// What a file holds, and how a script is loaded.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
    tag "type" (rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)
    pub enum Code {
        /// CSS.
        Style,
        /// JavaScript.
        Script {
            /// Whether it is a module.
            #[serde(default = "yes")]
            module: bool,
            /// Where it stands.
            #[serde(default)]
            placement: Placement,
            /// When it runs.
            #[serde(default)]
            timing: Timing,
            /// Whether it also runs on the editor's canvas.
            #[serde(default)]
            in_canvas: bool,
        },
    }
}

/// Where a script stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// In the head.
    Head,
    /// At the end of the body.
    #[default]
    BodyEnd,
}

/// When a script runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// As soon as it is there.
    Immediate,
    /// When the document is there.
    #[default]
    DomReady,
    /// When nothing else is to be done.
    Idle,
}

fn yes() -> bool {
    true
}

fn usual_priority() -> i32 {
    100
}

/// The lists of the shell, and what stands in each stylesheet.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Items {
    lists: BTreeMap<List, Chain<ItemId, Item>>,
    /// By stylesheet. Apart from the sheet itself, so that a step on a rule does not cost the size of the sheet.
    pieces: BTreeMap<ItemId, Chain<ItemId, Piece>>,
}

impl Items {
    /// The items of a list, in order.
    pub fn list(&self, list: List) -> impl Iterator<Item = (ItemId, &Item)> {
        self.lists.get(&list).into_iter().flat_map(Chain::iter)
    }

    /// An item of a list.
    pub fn get(&self, list: List, id: ItemId) -> Option<&Item> {
        self.lists.get(&list)?.get(id)
    }

    /// The rules of a stylesheet, in order.
    pub fn pieces(&self, sheet: ItemId) -> impl Iterator<Item = (ItemId, &Piece)> {
        self.pieces.get(&sheet).into_iter().flat_map(Chain::iter)
    }

    /// A rule of a stylesheet.
    pub fn piece(&self, sheet: ItemId, id: ItemId) -> Option<&Piece> {
        self.pieces.get(&sheet)?.get(id)
    }

    /// The number of items in each list and of rules in each stylesheet.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = usize> {
        let lists = self.lists.values().map(Chain::len);
        lists.chain(self.pieces.values().map(Chain::len))
    }

    /// The item before this one in its list.
    pub(crate) fn before(&self, list: List, id: ItemId) -> Option<ItemId> {
        self.lists.get(&list)?.before(id)
    }

    pub(crate) fn get_mut(&mut self, list: List, id: ItemId) -> Option<&mut Item> {
        self.lists.get_mut(&list)?.get_mut(id)
    }

    pub(crate) fn relocate(
        &mut self,
        list: List,
        id: ItemId,
        after: Option<ItemId>,
    ) -> Option<Option<ItemId>> {
        self.lists.get_mut(&list)?.relocate(id, after)
    }

    /// The rules of a stylesheet; `None` if there is no such sheet.
    pub(crate) fn sheet(&self, sheet: ItemId) -> Option<&Chain<ItemId, Piece>> {
        self.pieces.get(&sheet)
    }

    pub(crate) fn sheet_mut(&mut self, sheet: ItemId) -> Option<&mut Chain<ItemId, Piece>> {
        self.pieces.get_mut(&sheet)
    }

    pub(crate) fn insert(
        &mut self,
        id: ItemId,
        item: Item,
        pieces: &[(ItemId, Piece)],
        after: Option<ItemId>,
    ) {
        if item.list() == List::Sheets {
            let mut chain = Chain::default();
            for (piece_id, piece) in pieces {
                let last = chain.last();
                chain.insert(*piece_id, piece.clone(), last);
            }
            self.pieces.insert(id, chain);
        }
        self.lists
            .entry(item.list())
            .or_default()
            .insert(id, item, after);
    }

    /// Removes an item with its rules and returns it with its predecessor.
    pub(crate) fn remove(&mut self, list: List, id: ItemId) -> Option<RemovedItem> {
        let chain = self.lists.get_mut(&list)?;
        let (item, after) = chain.remove(id)?;
        if chain.is_empty() {
            // An empty list and a missing one serialize the same, so they must not differ in memory either.
            self.lists.remove(&list);
        }
        // Items of different lists may have the same id; only stylesheets have rules.
        let chain = match list {
            List::Sheets => self.pieces.remove(&id).unwrap_or_default(),
            _ => Chain::default(),
        };
        let pieces = chain
            .iter()
            .map(|(id, piece)| (id, piece.clone()))
            .collect();
        Some(RemovedItem {
            item,
            pieces,
            after,
        })
    }
}

/// An item that was removed.
pub(crate) struct RemovedItem {
    pub(crate) item: Item,
    pub(crate) pieces: Vec<(ItemId, Piece)>,
    pub(crate) after: Option<ItemId>,
}
