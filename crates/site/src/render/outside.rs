//! Work that only a host can do: inspecting a rendered document, installing a font. It is requested as a value, and its result
//! is passed in as a fact like any other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_tool::Image;
use sitewright_tool::tagged;

use crate::{BodyId, FontFamily, NodeId};

/// Which look at which document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FrameQuery {
    /// The document.
    pub document: BodyId,
    /// The breakpoint whose frame is looked at.
    pub breakpoint: String,
    /// The width of that frame in pixels.
    pub width: u32,
    /// The node to look at alone, with everything in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// Whether a picture is wanted beside the layout.
    pub screenshot: bool,
}

tagged! {
    /// What came of a look.
    #[derive(Debug, Clone, PartialEq, JsonSchema)]
    tag "type" (rename_all = "camelCase", deny_unknown_fields)
    pub enum FrameReport {
        /// This was seen.
        Captured {
            /// What was seen.
            frame: Box<Frame>,
        },
        /// The node is nowhere in what the document shows.
        NotShown,
        /// Nobody can look.
        Impossible {
            /// Why, as the beginning of a sentence without its full stop.
            reason: String,
        },
    }
}

/// What was seen of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Frame {
    /// When, in ISO 8601.
    pub captured_at: String,
    /// Where everything stands.
    pub layout: FrameLayout,
    /// The picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Image>,
}

/// Where everything stands in a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FrameLayout {
    /// The node it is about; positions count from its box. Absent for the whole page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// The window and what it scrolls over.
    pub viewport: Viewport,
    /// The box of each node.
    pub boxes: Vec<FrameBox>,
    /// What looks wrong.
    pub warnings: Vec<FrameWarning>,
}

/// The window and what it scrolls over, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Viewport {
    /// The width of the window.
    pub width: f64,
    /// The height of the window.
    pub height: f64,
    /// The width of what it shows.
    pub scroll_width: f64,
    /// The height of what it shows.
    pub scroll_height: f64,
}

/// The box of a node, in pixels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FrameBox {
    /// The node.
    pub node_id: NodeId,
    /// Its tag.
    pub tag: String,
    /// How far it is from the left.
    pub x: f64,
    /// How far it is from the top.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// Something that looks wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FrameWarning {
    /// What it is.
    pub kind: FrameWarningKind,
    /// The node it is about.
    pub node_id: NodeId,
    /// What it is, in a sentence.
    pub message: String,
}

/// What can look wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FrameWarningKind {
    /// It is wider than what holds it.
    Overflow,
    /// A picture did not load.
    BrokenImage,
    /// It takes no room or cannot be seen.
    Invisible,
}

/// A web font to install; equal for equal wishes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FontQuery {
    /// The family as Google Fonts writes it.
    pub google_family: String,
    /// Weights, with `italic` behind them for slanted ones, in order.
    pub variants: Vec<String>,
    /// Subsets, in order.
    pub subsets: Vec<String>,
}

/// Why a font query is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadFontQuery {
    /// The field, by its name in JSON.
    pub field: &'static str,
    /// What would be valid.
    pub message: &'static str,
}

const FAMILY_CHARS_MAX: usize = 80;
const LIST_MAX: usize = 20;

impl FontQuery {
    /// Builds a query in normalised form, so that equal queries compare equal. The default variants are 400 and 700, the
    /// default subset is `latin`.
    pub fn of(
        google_family: &str,
        variants: Option<&[String]>,
        subsets: Option<&[String]>,
    ) -> Result<Self, BadFontQuery> {
        let bad = |field, message| BadFontQuery { field, message };
        let google_family = google_family
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let is_name = !google_family.is_empty()
            && google_family.chars().count() <= FAMILY_CHARS_MAX
            && google_family
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || matches!(char, ' ' | '-' | '+' | '_'));
        if !is_name {
            let message = "googleFamily must be the name of a family as Google Fonts writes it, such as `Open Sans`.";
            return Err(bad("googleFamily", message));
        }
        let variants = list(variants, &["400", "700"], variant).ok_or_else(|| {
            let message = "variants must be weights from 100 to 900, with `italic` behind them for slanted ones: 400, 700italic.";
            bad("variants", message)
        })?;
        let subsets = list(subsets, &["latin"], subset).ok_or_else(|| {
            let message = "subsets must be names such as latin, latin-ext or cyrillic.";
            bad("subsets", message)
        })?;
        Ok(Self {
            google_family,
            variants,
            subsets,
        })
    }
}

/// The given list or the default one, sorted and without duplicates; `None` if an entry is invalid.
fn list(
    given: Option<&[String]>,
    usual: &[&str],
    read: impl Fn(&str) -> Option<String>,
) -> Option<Vec<String>> {
    let read_all: Option<Vec<String>> = match given.filter(|given| !given.is_empty()) {
        Some(given) => given.iter().map(|one| read(one.trim())).collect(),
        None => Some(usual.iter().map(|one| (*one).to_owned()).collect()),
    };
    let mut all = read_all.filter(|all| all.len() <= LIST_MAX)?;
    all.sort();
    all.dedup();
    Some(all)
}

fn variant(written: &str) -> Option<String> {
    let (weight, slant) = match written.strip_suffix("italic") {
        Some(weight) => (weight, "italic"),
        None => (written, ""),
    };
    let weight = match weight {
        "" if !slant.is_empty() => "400",
        "regular" => "400",
        "bold" => "700",
        weight => weight,
    };
    let is_weight = weight.len() == 3
        && weight.ends_with("00")
        && weight.as_bytes()[0].is_ascii_digit()
        && weight != "000";
    is_weight.then(|| format!("{weight}{slant}"))
}

fn subset(written: &str) -> Option<String> {
    let fine = (1..=40).contains(&written.len())
        && written
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    fine.then(|| written.to_owned())
}

tagged! {
    /// What came of a wish for a font.
    #[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
    tag "type" (rename_all = "camelCase")
    pub enum FontReport {
        /// Its files are stored.
        Installed(FontFamily),
        /// They are not.
        Refused {
            /// Why, as the beginning of a sentence without its full stop.
            reason: String,
        },
    }
}
