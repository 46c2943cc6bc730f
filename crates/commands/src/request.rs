//! What can be asked for, once a sentence is understood.

use serde::Deserialize;

use super::call::{PageSetting, SiteSetting};
use super::noun::Phrase;
use super::words::Number;

/// Something that a person asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Request {
    AddPage(NewPage),
    /// "Call it …": the name of what was just made, or another name for what was spoken of.
    NameIt(String),
    Rename {
        what: Phrase,
        to: String,
    },
    PageSetting {
        what: Phrase,
        setting: PageSetting,
    },
    Home {
        what: Phrase,
    },
    Parent {
        what: Phrase,
        under: Phrase,
    },
    Menu(MenuRequest),
    SiteSetting(SiteSetting),
    AddSection {
        kind: &'static str,
        title: Option<String>,
        place: Place,
    },
    AddItem(NewItem),
    AddElement(NewElement),
    Move {
        what: Phrase,
        place: Place,
    },
    Swap {
        what: Vec<Phrase>,
    },
    Order {
        what: Vec<Phrase>,
    },
    Copy {
        what: Phrase,
        name: Option<String>,
        place: Place,
    },
    Remove {
        what: Vec<Phrase>,
    },
    Hide {
        what: Phrase,
        at: Option<&'static str>,
    },
    Show {
        what: Phrase,
    },
    Text {
        what: Phrase,
        to: String,
    },
    Replace(Replacement),
    Link {
        what: Phrase,
        target: Target,
    },
    Tag {
        what: Phrase,
        level: u8,
    },
    Style {
        what: Phrase,
        looks: Vec<Look>,
        at: Option<&'static str>,
    },
    Colour {
        token: ColourToken,
        value: Shade,
    },
    NewColour {
        name: String,
        value: String,
    },
    Font {
        role: FontRole,
        family: Family,
    },
    Scale {
        which: Which,
        size: Size,
    },
    Radius(Size),
    AddClass {
        name: String,
        what: Phrase,
    },
    RemoveClass {
        name: String,
        what: Phrase,
    },
    Css(String),
    Alt {
        what: Phrase,
        text: String,
    },
    Source {
        what: Phrase,
        source: ToolSource,
    },
    Open {
        what: Phrase,
    },
    Undo {
        turns: usize,
    },
    Redo,
    Publish,
    /// The same as the last turn, about something else or elsewhere.
    Again {
        what: Option<Phrase>,
        place: Option<Phrase>,
    },
    /// More of what the last turn did: "bigger", "a little darker", "no, red".
    More {
        looks: Vec<Look>,
    },
    Question(Question),
    /// Something is missing: ask for it.
    Missing(MissingPart),
    /// It takes writing, taste, sight or translation.
    NeedsProvider(String),
    /// It is understood and cannot be done.
    Cannot(Limit),
    /// Whatever was said, nothing is to be done.
    Ignore(Reason),
    /// A thing was named, for "it" in what follows.
    Mention {
        what: Phrase,
    },
}

/// A page that is to be made.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct NewPage {
    pub(crate) name: Option<String>,
    /// The name was made from words that describe it, so that "call it" may replace it.
    pub(crate) is_described: bool,
    pub(crate) slug: Option<String>,
    pub(crate) under: Option<Phrase>,
    pub(crate) like: Option<Phrase>,
    pub(crate) sections: Vec<&'static str>,
}

/// What a message lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MissingPart {
    Section,
    Page,
    Name,
    Text,
    Colour,
    Font,
    Place,
    /// The second of two things that are to be swapped.
    Other,
    What,
    /// Whether to publish.
    GoAhead,
    /// What a yes is for.
    Order,
    /// How many changes to take back.
    Count,
    /// Whether to delete a page or to make it a draft.
    Removal,
}

/// Why nothing can be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Limit {
    /// The message is not in English; this says so in its language.
    Language(&'static str),
    /// No tool does this.
    Unsupported(String),
}

/// Why a message is no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    Negated,
    Question,
    /// Somebody else said it.
    Reported,
    /// It asks to follow what stands on a page.
    PageText,
    Code,
    Unclear,
}

/// A change to the links of the navigation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MenuRequest {
    Add {
        what: Phrase,
        link: Option<NewLink>,
        place: Place,
    },
    Remove {
        what: Vec<Phrase>,
    },
    Order {
        labels: Vec<Phrase>,
    },
    Move {
        what: Phrase,
        place: Place,
    },
    Label {
        what: Phrase,
        to: String,
    },
}

/// A link that is to be made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewLink {
    pub(crate) label: String,
    pub(crate) target: Target,
}

/// One more card, plan, question, quote or field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewItem {
    pub(crate) what: Phrase,
    pub(crate) name: Option<String>,
    pub(crate) detail: Option<String>,
    pub(crate) place: Place,
}

/// A heading, text, button, link or picture that is to be made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewElement {
    pub(crate) what: Phrase,
    pub(crate) text: Option<String>,
    pub(crate) target: Option<Target>,
    pub(crate) place: Place,
}

/// Words that are to be replaced by others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replacement {
    pub(crate) old: String,
    pub(crate) is_quoted: bool,
    pub(crate) new: String,
    pub(crate) within: Option<Phrase>,
    /// Wherever they stand, not in one place.
    pub(crate) all: bool,
}

/// Where a thing goes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Place {
    /// The page or the thing it goes into.
    pub(crate) into: Option<Phrase>,
    pub(crate) at: Option<At>,
    /// "There" or "here".
    pub(crate) is_there: bool,
}

/// The place among others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum At {
    First,
    Last,
    Nth(i64),
    Before(Phrase),
    After(Phrase),
    Between(Phrase, Phrase),
    Up(usize),
    Down(usize),
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Target {
    Address(String),
    Page(Phrase),
}

/// Where a picture comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ToolSource {
    Address(String),
    Image(Phrase),
}

/// A colour for a thing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Colour {
    /// A value of CSS.
    Value(String),
    /// The colour of the site that people call so: "the beige one".
    Like(String),
}

/// How something is to look.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Look {
    /// Text or background, whichever fits the thing.
    #[serde(skip)]
    Colour(Colour),
    #[serde(skip)]
    TextColour(Colour),
    #[serde(skip)]
    Background(Colour),
    Bigger,
    Smaller,
    Bold,
    Rounder,
    Darker,
    Lighter,
    MorePadding,
    LessPadding,
    LessGap,
    MoreGap,
    /// A property with a value.
    #[serde(skip)]
    Property(String, String),
}

impl Look {
    pub(crate) fn property(name: &str, value: &str) -> Self {
        Self::Property(name.to_owned(), value.to_owned())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ColourToken {
    /// By the name of its role: primary, accent, ink, background, surface.
    Role(&'static str),
    /// By its slug, or by what its colour is called.
    Named(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shade {
    Value(String),
    Darker,
    Lighter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FontRole {
    Headings,
    Body,
    All,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Family {
    Named(String),
    SameAs(FontRole),
    SansSerif,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Type,
    Space,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Size {
    Larger,
    Smaller,
    Value(Number),
}

/// Something that is only to be told.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Question {
    Pages,
    PageCount,
    HomePage,
    Colours,
    Fonts,
    Radius,
    Menu,
    Template,
    NoAlt,
    Selected,
    LastChange,
    Help,
    #[serde(skip)]
    Contents(Phrase),
    #[serde(skip)]
    WhereIs(String),
    #[serde(skip)]
    PageAbout(String),
    #[serde(skip)]
    HaveKind(String),
    #[serde(skip)]
    Count(Phrase),
    #[serde(skip)]
    ListOf(Phrase),
    #[serde(skip)]
    LinksTo(Phrase),
    #[serde(skip)]
    PriceOf(Phrase),
    #[serde(skip)]
    AltOf(Phrase),
    #[serde(skip)]
    AddressOf(Phrase),
    #[serde(skip)]
    Fact(Fact),
}

/// Something that is the same on every site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fact {
    Live,
    Preview,
    Saved,
    Who,
    Hello,
    Welcome,
}
