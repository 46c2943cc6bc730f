//! The tree that the parser builds. Slots link to their parent, siblings, and first and last child, so the cost of a
//! change does not depend on the number of children.

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};

/// Index of a slot in an arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Id(u32);

/// The document node, always in the first slot.
pub(super) const DOCUMENT: Id = Id(0);

/// The content of a slot.
#[derive(Debug)]
pub(super) enum Data {
    Document,
    Doctype {
        name: StrTendril,
        public_id: StrTendril,
        system_id: StrTendril,
    },
    Element {
        name: QualName,
        attrs: Vec<Attribute>,
        is_integration_point: bool,
    },
    Text(StrTendril),
    Comment(StrTendril),
}

#[derive(Debug)]
struct Slot {
    data: Data,
    parent: Option<Id>,
    first: Option<Id>,
    last: Option<Id>,
    previous: Option<Id>,
    next: Option<Id>,
    /// Correct when the slot is linked. Moving an ancestor makes it stale; [`Arena::depth`] recomputes it where it
    /// matters.
    depth: u32,
}

/// All nodes that the parser created, including those it dropped again.
#[derive(Debug)]
pub(super) struct Arena {
    slots: Vec<Slot>,
    nameless: QualName,
    pub(super) quirks: QuirksMode,
    /// Whether the parser hit an error that can produce a tree that no HTML text parses to.
    pub(super) is_doubtful: bool,
    /// Whether the parser moved a loop out of a table.
    pub(super) has_moved_loop: bool,
}

impl Arena {
    pub(super) fn new() -> Self {
        let mut arena = Self {
            slots: Vec::new(),
            nameless: QualName::new(None, ns!(), local_name!("")),
            quirks: QuirksMode::NoQuirks,
            is_doubtful: false,
            has_moved_loop: false,
        };
        arena.add(Data::Document);
        arena
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// All nodes, including those that the parser dropped.
    pub(super) fn ids(&self) -> impl Iterator<Item = Id> + use<> {
        (0..u32::try_from(self.slots.len()).unwrap_or(u32::MAX)).map(Id)
    }

    pub(super) fn add(&mut self, data: Data) -> Id {
        // The sink stops adding at the node limit, far below `u32::MAX`.
        let id = Id(u32::try_from(self.slots.len()).unwrap_or(u32::MAX));
        self.slots.push(Slot {
            data,
            parent: None,
            first: None,
            last: None,
            previous: None,
            next: None,
            depth: 0,
        });
        id
    }

    fn slot(&self, id: Id) -> &Slot {
        &self.slots[id.0 as usize]
    }

    fn slot_mut(&mut self, id: Id) -> &mut Slot {
        &mut self.slots[id.0 as usize]
    }

    pub(super) fn data(&self, id: Id) -> &Data {
        &self.slot(id).data
    }

    pub(super) fn data_mut(&mut self, id: Id) -> &mut Data {
        &mut self.slot_mut(id).data
    }

    pub(super) fn parent(&self, id: Id) -> Option<Id> {
        self.slot(id).parent
    }

    pub(super) fn first(&self, id: Id) -> Option<Id> {
        self.slot(id).first
    }

    pub(super) fn last(&self, id: Id) -> Option<Id> {
        self.slot(id).last
    }

    pub(super) fn previous(&self, id: Id) -> Option<Id> {
        self.slot(id).previous
    }

    pub(super) fn next(&self, id: Id) -> Option<Id> {
        self.slot(id).next
    }

    /// The children of a node, in order.
    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.first(id), |child| self.next(*child))
    }

    /// The node and its ancestors, innermost first.
    pub(super) fn lineage(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(Some(id), |node| self.parent(*node))
    }

    /// The name of an element; `None` for any other node.
    pub(super) fn name(&self, id: Id) -> Option<&QualName> {
        match self.data(id) {
            Data::Element { name, .. } => Some(name),
            Data::Document | Data::Doctype { .. } | Data::Text(_) | Data::Comment(_) => None,
        }
    }

    /// The name of an element, or the empty name for any other node. The parser never asks for the latter, but a panic
    /// would take down the host.
    pub(super) fn name_or_none(&self, id: Id) -> &QualName {
        self.name(id).unwrap_or(&self.nameless)
    }

    /// Links a node that has no parent under `parent`, before `before` or last. Returns its depth, computed from the
    /// parent's stored depth, which may be stale.
    pub(super) fn link(&mut self, id: Id, parent: Id, before: Option<Id>) -> u32 {
        let previous = match before {
            Some(before) => self.previous(before),
            None => self.last(parent),
        };
        let depth = self.slot(parent).depth + 1;
        let slot = self.slot_mut(id);
        slot.parent = Some(parent);
        slot.previous = previous;
        slot.next = before;
        slot.depth = depth;
        match previous {
            Some(previous) => self.slot_mut(previous).next = Some(id),
            None => self.slot_mut(parent).first = Some(id),
        }
        match before {
            Some(before) => self.slot_mut(before).previous = Some(id),
            None => self.slot_mut(parent).last = Some(id),
        }
        depth
    }

    pub(super) fn unlink(&mut self, id: Id) {
        let slot = self.slot_mut(id);
        let (parent, previous, next) = (slot.parent.take(), slot.previous.take(), slot.next.take());
        let Some(parent) = parent else { return };
        match previous {
            Some(previous) => self.slot_mut(previous).next = next,
            None => self.slot_mut(parent).first = next,
        }
        match next {
            Some(next) => self.slot_mut(next).previous = previous,
            None => self.slot_mut(parent).last = previous,
        }
    }

    /// Appends all children of `from` to those of `to`, and returns how many were moved.
    pub(super) fn move_children(&mut self, from: Id, to: Id) -> u64 {
        let mut moved = 0;
        while let Some(child) = self.first(from) {
            self.unlink(child);
            self.link(child, to, None);
            moved += 1;
        }
        moved
    }

    /// Computes the real depth of a node and stores it for nodes that are linked under it later.
    pub(super) fn depth(&mut self, id: Id) -> u32 {
        let depth = self.lineage(id).count() - 1;
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        self.slot_mut(id).depth = depth;
        depth
    }
}
