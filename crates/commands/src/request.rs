//! What can be asked for, once a sentence is understood.

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
    PageField {
        what: Phrase,
        field: Field,
        value: String,
    },
    Home {
        what: Phrase,
    },
    Parent {
        what: Phrase,
        under: Phrase,
    },
    MenuAdd {
        what: Phrase,
        label: Option<String>,
        target: Option<Target>,
        place: Place,
    },
    MenuRemove {
        what: Vec<Phrase>,
    },
    MenuOrder {
        labels: Vec<Phrase>,
    },
    MenuMove {
        what: Phrase,
        place: Place,
    },
    MenuLabel {
        what: Phrase,
        to: String,
    },
    SiteField {
        field: &'static str,
        value: String,
    },
    AddSection {
        kind: &'static str,
        title: Option<String>,
        place: Place,
    },
    AddItem {
        what: Phrase,
        name: Option<String>,
        detail: Option<String>,
        place: Place,
    },
    AddElement {
        what: Phrase,
        text: Option<String>,
        target: Option<Target>,
        place: Place,
    },
    Move {
        what: Phrase,
        place: Place,
    },
    Swap {
        what: Vec<Phrase>,
    },
    Order {
        what: Vec<Phrase>,
        on: Option<Phrase>,
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
    Replace {
        old: String,
        is_quoted: bool,
        new: String,
        within: Option<Phrase>,
        all: bool,
    },
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
    Class {
        name: String,
        what: Phrase,
        is_added: bool,
    },
    Css(String),
    Alt {
        what: Phrase,
        text: String,
    },
    Source {
        what: Phrase,
        source: Source,
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
    Missing(&'static str),
    /// It takes writing, taste, sight or translation.
    Points {
        what: String,
    },
    /// It is understood and cannot be done.
    Cannot(String),
    /// Whatever was said, nothing is to be done.
    Leave(&'static str),
    /// Several at once.
    Several(Vec<Request>),
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

/// A setting of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Slug,
    Description,
    Draft,
    NoIndex,
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
pub(crate) enum Source {
    Address(String),
    Image(Phrase),
}

/// How something is to look.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Look {
    /// Text or background, whichever fits the thing.
    Colour(String),
    TextColour(String),
    Background(String),
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
    Property(&'static str, String),
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
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Question {
    Pages,
    PageCount,
    HomePage,
    Contents(Phrase),
    WhereIs(String),
    PageAbout(String),
    HaveKind(&'static str),
    Colours,
    Fonts,
    Radius,
    Menu,
    HeaderOrigin,
    Template,
    Count(Phrase),
    ListOf(Phrase),
    LinksTo(Phrase),
    TextOf(Phrase),
    PriceOf(Phrase),
    AltOf(Phrase),
    NoAlt,
    AddressOf(Phrase),
    Selected,
    LastChange,
    Live,
    Preview,
    Save,
    Help,
    HowTo,
    WhoAreYou,
    Greeting,
    Thanks,
}
