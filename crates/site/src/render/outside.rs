//! What only a host can do: look at a rendered document, install a font. It is asked for by value, and what came of it is a
//! fact like any other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_tool::Image;

use crate::tagged::tagged;
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
