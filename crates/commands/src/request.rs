//! The requests that a sentence can express, once it is understood.

use serde::Deserialize;

use super::call::{PageSetting, SiteSetting};
use super::noun::Phrase;
use super::words::Number;

/// Something that a person asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Request {
    AddPage(NewPage),
    /// "Call it …": the name of what was just created, or another name for what was mentioned.
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
        source: PictureSource,
    },
    Open {
        what: Phrase,
    },
    Undo {
        turns: usize,
    },
    Redo,
    Publish,
    /// The same as the last turn, for another thing or in another place.
    Again {
        what: Option<Phrase>,
        place: Option<Phrase>,
    },
    /// More of what the last turn did: "bigger", "a little darker", "no, red".
    More {
        looks: Vec<Look>,
    },
    Question(Question),
    /// Something is missing and has to be asked for.
    Missing(MissingPart),
    /// It needs writing, judgement of taste, sight or translation.
    NeedsProvider(String),
    /// It is understood and not supported.
    Cannot(Limit),
    /// There is nothing to do.
    Ignore(Reason),
    /// A thing was mentioned, for "it" in what follows.
    Mention {
        what: Phrase,
    },
}

/// The name of a landing page that got no other, which says nothing to visitors.
pub(crate) const LANDING_NAME: &str = "Landing";

/// A page to be created.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct NewPage {
    pub(crate) name: Option<String>,
    /// The name was derived from words that describe the page, so that "call it" may replace it.
    pub(crate) is_described: bool,
    pub(crate) slug: Option<String>,
    pub(crate) under: Option<Phrase>,
    pub(crate) like: Option<Phrase>,
    pub(crate) sections: Vec<&'static str>,
}

/// The part that a request lacks.
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
    /// The second of two things to be swapped.
    Other,
    What,
    /// Whether to publish.
    GoAhead,
    /// What a "yes" refers to.
    Order,
    /// How many changes to undo.
    Count,
    /// Whether to delete a page or to make it a draft.
    Removal,
}

/// Why a request is not supported.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Limit {
    /// The message is not in English; holds a sentence that says so in its language.
    Language(&'static str),
    /// No tool does this.
    Unsupported(String),
}

/// Why a message is not an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    Negated,
    Question,
    /// It reports what someone else said.
    Reported,
    /// It asks to follow instructions in the text of a page.
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

/// A link to be created.
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

/// A heading, text, button, link or picture to be created.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewElement {
    pub(crate) what: Phrase,
    pub(crate) text: Option<String>,
    pub(crate) target: Option<Target>,
    pub(crate) place: Place,
}

/// Words to be replaced by others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replacement {
    pub(crate) old: String,
    pub(crate) is_quoted: bool,
    pub(crate) new: String,
    pub(crate) within: Option<Phrase>,
    /// At every occurrence, not at one.
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

/// The position among siblings.
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
pub(crate) enum PictureSource {
    Address(String),
    Image(Phrase),
}

/// A colour for a thing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Colour {
    /// A CSS value.
    Value(String),
    /// The site's colour that looks like this: "the beige one".
    Like(String),
}

/// How to style something.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Look {
    /// The text or the background, whichever suits the thing.
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
    /// A CSS property and its value.
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
    /// By its slug, or by the common name of its colour.
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

/// A question, which changes nothing.
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

/// A fact that is the same on every site.
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
