//! Snapshots of a rendered document. The host renders and captures; this module decides what to capture, and describes
//! the result in words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_tool::definition::view;
use sitewright_tool::{ErrorCode, ToolError};

use crate::{
    BodyId, Breakpoint, Facts, Frame, FrameLayout, FrameQuery, FrameReport, Need, NodeId,
    templates_for,
};

use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![view("render_snapshot", "Look at the page", "Looks at the document that is open, as a browser renders it: answers where each node stands and what looks wrong \
                      (overflow, broken images, invisible nodes), with a picture for models that see. breakpointId chooses the \
                      width, nodeId narrows it to one section. Use open_document first to look at another document.")
    .words("Looking at the page", "Looked at the page").heavy().pictures("captureScreenshot").with(look)]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RenderSnapshot {
    /// The breakpoint, as list_breakpoints names it; the one in front when left out.
    breakpoint_id: Option<String>,
    /// The node to look at alone; positions then count from its box.
    node_id: Option<NodeId>,
    /// Set by whoever knows whether the model sees, never by the model.
    #[schemars(skip)]
    capture_screenshot: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Snapshot {
    breakpoint_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<NodeId>,
    /// What people call the breakpoint.
    label: String,
    /// The width of its frame.
    width: u32,
    captured_at: String,
    layout: FrameLayout,
    screenshot: Screenshot,
}

/// The picture, which travels beside the answer and never in it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Screenshot {
    /// Whether there is one.
    attached: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
}

fn look(input: RenderSnapshot, work: &mut Work<'_>) -> Result<Snapshot, Stop> {
    let document = work
        .view
        .current
        .filter(|id| work.document_ref(*id).is_some());
    let document = document.ok_or_else(|| {
        Stop::conflict("No document is open to look at; open one with open_document first.")
    })?;
    let Breakpoint {
        id, label, width, ..
    } = breakpoint(input.breakpoint_id.as_deref(), work)?;
    if let Some(node) = input.node_id {
        check_node(node, document, work)?;
    }
    let query = FrameQuery {
        document,
        breakpoint: id,
        width,
        node: input.node_id,
        screenshot: input.capture_screenshot.unwrap_or(true),
    };
    let Frame {
        captured_at,
        layout,
        image,
    } = frame(&query, work.facts)?;
    let screenshot = Screenshot {
        attached: image.is_some(),
        mime_type: image.as_ref().map(|image| image.mime_type.clone()),
    };
    work.images.extend(image);
    Ok(Snapshot {
        breakpoint_id: query.breakpoint,
        node_id: query.node,
        label,
        width,
        captured_at,
        layout: FrameLayout {
            node_id: query.node,
            ..layout
        },
        screenshot,
    })
}

fn breakpoint(wanted: Option<&str>, work: &Work<'_>) -> Result<Breakpoint, Stop> {
    let all = work.site.breakpoints();
    let by_id = |id: &str| all.iter().find(|known| known.id == id).cloned();
    let found = match wanted {
        Some(wanted) => by_id(wanted),
        // The active breakpoint may have been deleted in the meantime; the base is always a valid choice.
        None => (work.view.breakpoint.as_deref())
            .and_then(by_id)
            .or_else(|| all.iter().find(|known| known.query.is_none()).cloned())
            .or_else(|| all.first().cloned()),
    };
    found.ok_or_else(|| {
        let ids: Vec<&str> = all.iter().map(|known| known.id.as_str()).collect();
        let message = match wanted {
            Some(wanted) if !ids.is_empty() => format!(
                "There is no breakpoint `{wanted}`; there are {}.",
                ids.join(", ")
            ),
            _ => "The site has no breakpoints to look at; a person adds one in its settings."
                .to_owned(),
        };
        Stop::invalid_at("breakpointId", message)
    })
}

/// Checks that a node belongs to the document, to a template around it, or to a component, which may be used in it.
fn check_node(node: NodeId, document: BodyId, work: &Work<'_>) -> Result<(), Stop> {
    let body = work.locate(node)?.body;
    let shell = &work.site.shell;
    let around = (shell.pages.get(document))
        .map(|page| templates_for(work.site, document, page, work.facts))
        .unwrap_or_default();
    if body == document || around.contains(&body) || shell.components.get(body).is_some() {
        return Ok(());
    }
    Err(elsewhere(node))
}

fn elsewhere(node: NodeId) -> Stop {
    Stop::not_found(format!(
        "The node {node} is not shown in the document that is open; open its document with open_document first."
    ))
}

fn frame(query: &FrameQuery, facts: &Facts) -> Result<Frame, Stop> {
    match facts.frames.get(query) {
        None => Err(Stop::Needs(vec![Need::Frame(query.clone())])),
        Some(FrameReport::Captured { frame }) => Ok((**frame).clone()),
        Some(FrameReport::NotShown) => {
            let missing = || Stop::not_found("The document shows nothing.");
            Err(query.node.map_or_else(missing, elsewhere))
        }
        Some(FrameReport::Impossible { reason }) => Err(ToolError::new(
            ErrorCode::Unavailable,
            format!("Nobody can look at the page now: {reason}. Go on with read_document, and say that you could not look."),
        )
        .into()),
    }
}
