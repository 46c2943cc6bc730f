//! The working state of a tool: the site as it will be, new ids, and what goes into the receipt.

use serde_json::{Value, json};
use sitewright_tool::{ErrorCode, Image, Receipt, ToolError, Touched};

use crate::{
    Applied, BodyId, ChangeId, Entity, Facts, Kind, Mint, Need, Node, NodeId, OPS_MAX, Op, OpError,
    Site, Tree,
};

use crate::revert::same;

use super::View;
use super::documents::DocumentRef;

/// Why a tool stopped.
pub enum Stop {
    /// It lacks something, and can be called again once the host provides it.
    Needs(Vec<Need>),
    /// It cannot do what was requested.
    Error(Box<ToolError>),
}

impl From<ToolError> for Stop {
    fn from(error: ToolError) -> Self {
        Self::Error(Box::new(error))
    }
}

impl Stop {
    /// What the input names does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        ToolError::new(ErrorCode::NotFound, message).into()
    }

    /// The input cannot be used.
    pub fn invalid(message: impl Into<String>) -> Self {
        ToolError::new(ErrorCode::InvalidInput, message).into()
    }

    /// An error for one invalid field of the input, with its JSON pointer.
    pub fn invalid_at(field: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let mut error = ToolError::new(ErrorCode::InvalidInput, message.clone());
        let pointer = format!("/{field}");
        error.details = Some(json!({ "errors": [{ "pointer": pointer, "message": message }] }));
        error.into()
    }

    /// The site, as it is, does not allow it.
    pub fn conflict(message: impl Into<String>) -> Self {
        ToolError::new(ErrorCode::Conflict, message).into()
    }
}

/// The working state of a tool. Ops are applied to the site immediately, so that later steps see the earlier ones; all
/// are undone at the end, or when the tool stops.
pub struct Work<'a> {
    pub(crate) site: &'a mut Site,
    pub(crate) view: &'a View,
    pub(crate) facts: &'a Facts,
    pub(crate) mint: Mint,
    pub(crate) receipt: Receipt,
    /// The document the editor should show.
    pub(crate) open: Option<DocumentRef>,
    pub(crate) images: Vec<Image>,
    pub(crate) question: Option<Value>,
    ops: Vec<Op>,
    applied: Applied,
}

/// A node and the document it was found in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocatedNode {
    pub(crate) body: BodyId,
    pub(crate) node: NodeId,
}

impl LocatedNode {
    pub(crate) fn entity(self) -> Entity {
        Entity::Node {
            body: self.body,
            node: self.node,
        }
    }
}

impl<'a> Work<'a> {
    pub(crate) fn new(
        site: &'a mut Site,
        view: &'a View,
        facts: &'a Facts,
        change: ChangeId,
    ) -> Self {
        let applied = Applied {
            done: Vec::new(),
            rejected: Vec::new(),
        };
        Self {
            site,
            view,
            facts,
            mint: Mint::new(change),
            receipt: Receipt::default(),
            open: None,
            images: Vec::new(),
            question: None,
            ops: Vec::new(),
            applied,
        }
    }

    /// Applies an op. Fails when it cannot be applied, or when the change would exceed the maximum number of ops.
    pub fn step(&mut self, op: Op) -> Result<(), Stop> {
        if self.ops.len() >= OPS_MAX {
            let message = format!(
                "This takes more than {OPS_MAX} steps, which is the most for one change; do it in parts."
            );
            return Err(ToolError::new(ErrorCode::TooLarge, message).into());
        }
        match self.site.apply(&op, u64::MAX) {
            Ok(done) => {
                self.ops.push(done.op.clone());
                self.applied.done.push(done);
                Ok(())
            }
            Err(error) => Err(refusal(&error)),
        }
    }

    /// Sets a field. Adds no op when the field has the value already.
    pub fn put(&mut self, entity: Entity, field: &str, value: Value) -> Result<(), Stop> {
        let current = self.site.field(entity, field);
        if current.is_ok_and(|current| same(&current, &value)) {
            return Ok(());
        }
        let field = field.to_owned();
        self.step(Op::Put {
            entity,
            field,
            value,
        })
    }

    /// The number of ops applied so far.
    pub fn steps(&self) -> usize {
        self.ops.len()
    }

    /// The site with the ops applied so far. Only [`Self::step`] and [`Self::put`] change it.
    pub fn site(&self) -> &Site {
        self.site
    }

    /// What the host has provided.
    pub fn facts(&self) -> &Facts {
        self.facts
    }

    /// A new id.
    pub fn mint<I: From<u64>>(&mut self) -> I {
        self.mint.mint()
    }

    /// What the call created, changed and removed.
    pub fn receipt(&mut self) -> &mut Receipt {
        &mut self.receipt
    }

    /// Sets what to show before the change is confirmed.
    pub fn ask(&mut self, question: Value) {
        self.question = Some(question);
    }

    /// The ops applied so far.
    pub(crate) fn done(&self) -> &[Op] {
        &self.ops
    }

    pub(crate) fn take_ops(&mut self) -> Result<Vec<Op>, ToolError> {
        self.take_back(0)
    }

    /// Undoes all ops except the first `kept`, and returns those it undid.
    pub(crate) fn take_back(&mut self, kept: usize) -> Result<Vec<Op>, ToolError> {
        let kept = kept.min(self.ops.len());
        let ops = self.ops.split_off(kept);
        let applied = Applied {
            done: self.applied.done.split_off(kept),
            rejected: Vec::new(),
        };
        self.site
            .undo_all(&applied)
            .map_err(|error| ToolError::new(ErrorCode::Internal, error.to_string()))?;
        Ok(ops)
    }

    /// Finds a node in any loaded document, and makes the editor show that document.
    pub(crate) fn find(&mut self, id: NodeId) -> Result<LocatedNode, Stop> {
        let found = self.locate(id)?;
        if self.view.current != Some(found.body) {
            self.open = self.document_ref(found.body);
        }
        Ok(found)
    }

    /// Finds a node in any loaded document; the editor stays where it is.
    pub(crate) fn locate(&self, id: NodeId) -> Result<LocatedNode, Stop> {
        let body = self
            .site
            .bodies
            .iter()
            .find(|(_, tree)| tree.node(id).is_some())
            .map(|(body, _)| *body);
        let Some(body) = body else {
            if self.facts.unknown_nodes.contains(&id) || self.everything_is_open() {
                let message = format!(
                    "There is no node {id}. Read the document again: ids are never made up, and nodes can be gone."
                );
                return Err(Stop::not_found(message));
            }
            return Err(Stop::Needs(vec![Need::Owner(id)]));
        };
        Ok(LocatedNode { body, node: id })
    }

    fn everything_is_open(&self) -> bool {
        let documents = self.site.shell.pages.len() + self.site.shell.components.len();
        self.site.bodies.len() >= documents
    }

    /// The tree of a document; requests it from the host when it is not loaded.
    pub(crate) fn tree(&self, body: BodyId) -> Result<&Tree, Stop> {
        self.site
            .bodies
            .get(&body)
            .ok_or_else(|| Stop::Needs(vec![Need::Body(body)]))
    }

    pub(crate) fn node(&self, found: LocatedNode) -> Result<&Node, Stop> {
        let node = self.tree(found.body)?.node(found.node);
        node.ok_or_else(|| Stop::not_found(format!("There is no node {}.", found.node)))
    }

    pub(crate) fn touched(&self, found: LocatedNode) -> Touched {
        let node = self
            .site
            .bodies
            .get(&found.body)
            .and_then(|tree| tree.node(found.node));
        Touched {
            kind: "node".to_owned(),
            id: found.node.to_string(),
            name: node.map(name_of),
            also_used_in: None,
        }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        // A tool that stops half way must leave no changes. Undoing ops that were just applied cannot fail.
        drop(self.take_back(0));
    }
}

/// The display name of a node.
pub(crate) fn name_of(node: &Node) -> String {
    if let Some(label) = &node.label {
        return label.clone();
    }
    match &node.kind {
        Kind::Element(element) => {
            let class = node
                .classes
                .as_deref()
                .and_then(|classes| classes.split_ascii_whitespace().next());
            class.map_or_else(
                || element.tag.as_str().to_owned(),
                |class| format!("{}.{class}", element.tag.as_str()),
            )
        }
        Kind::Text(text) => text.trim().chars().take(30).collect(),
        Kind::Comment(_) => "comment".to_owned(),
        Kind::Loop(looped) => format!("loop over {}", looped.source),
        Kind::Outlet => "outlet".to_owned(),
        Kind::Component(_) => "component".to_owned(),
    }
}

fn refusal(error: &OpError) -> Stop {
    let code = match error {
        OpError::Missing(_) => ErrorCode::NotFound,
        OpError::Misplaced(_) | OpError::Field(_) | OpError::Violation(_) | OpError::OtherList => {
            ErrorCode::InvalidInput
        }
        OpError::Exists(_) => ErrorCode::Conflict,
    };
    ToolError::new(
        code,
        format!("{error}. Read the document again and correct the call."),
    )
    .into()
}
