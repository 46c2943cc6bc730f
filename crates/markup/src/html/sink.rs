//! The parser's callbacks for building the tree. They also count, because the parser itself has no limits and the cost
//! of some of its steps grows with the number of open elements.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name};

use super::arena::{Arena, DOCUMENT, Data, Id};
use super::limits::{HtmlError, HtmlLimits};
use super::loops::is_loop;

/// Levels of the arena that do not count as depth: the document, `<html>`, and `<head>` or `<body>`.
const FRAME: usize = 2;

/// What the parser is reading when it reports an error. Every tree that cannot be written as HTML results from an
/// error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Part of a token. The error yields a different token and has no other effect.
    Spelling,
    /// An end tag. It closes too much or nothing, and writing the tree closes the same elements. Moved nodes are
    /// detected separately.
    EndTag,
    Content,
}

/// Errors that have no effect on the tree.
const HARMLESS: [&str; 4] = [
    "Bad DOCTYPE",
    "DOCTYPE in body",
    "Unacknowledged self-closing tag",
    "Unexpected open tag at end of body",
];

/// Errors at end tags after which a form may contain a form.
const HARMFUL_AT_END: [&str; 2] = [
    "Bad open element on </form>",
    "Form element not in scope on </form>",
];

pub(super) struct Sink {
    arena: RefCell<Arena>,
    limits: HtmlLimits,
    refusal: RefCell<Option<HtmlError>>,
    is_refused: Cell<bool>,
    steps: Cell<u64>,
    text: Cell<usize>,
    attributes: Cell<usize>,
    depth: Cell<u32>,
    leaks: Cell<u64>,
    reading: Cell<Reading>,
}

impl Sink {
    pub(super) fn new(limits: HtmlLimits) -> Self {
        Self {
            arena: RefCell::new(Arena::new()),
            limits,
            refusal: RefCell::new(None),
            is_refused: Cell::new(false),
            steps: Cell::new(0),
            text: Cell::new(0),
            attributes: Cell::new(0),
            depth: Cell::new(0),
            leaks: Cell::new(0),
            reading: Cell::new(Reading::Content),
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.is_refused.get()
    }

    pub(super) fn refuse(&self, error: HtmlError) {
        self.is_refused.set(true);
        self.refusal.borrow_mut().get_or_insert(error);
    }

    /// Charges work that grows with the number of open elements.
    pub(super) fn charge(&self, steps: u64) {
        let steps_so_far = self.steps.get().saturating_add(steps);
        self.steps.set(steps_so_far);
        if steps_so_far > self.limits.steps() {
            self.refuse(HtmlError::Misnested);
        }
    }

    /// The depth of the last node, an upper bound for the number of open formatting elements.
    pub(super) fn depth(&self) -> u64 {
        u64::from(self.depth.get())
    }

    /// How many markers the parser may have left in its list of formatting elements. It walks over them without calling
    /// the sink.
    pub(super) fn leaks(&self) -> u64 {
        self.leaks.get()
    }

    /// Sets what is being read from here on.
    pub(super) fn read(&self, reading: Reading) {
        self.reading.set(reading);
    }

    fn count_text(&self, bytes: usize) {
        let text = self.text.get().saturating_add(bytes);
        self.text.set(text);
        if text > self.limits.text() {
            self.refuse(HtmlError::Misnested);
        }
    }

    fn add(&self, data: Data) -> Id {
        let mut arena = self.arena.borrow_mut();
        let id = arena.add(data);
        // Besides the frame, a few slots are not nodes of the result: a context element, clones that the parser
        // dropped.
        if arena.len() > self.limits.nodes + self.limits.nodes / 8 + 8 {
            self.refuse(HtmlError::Nodes {
                limit: self.limits.nodes,
            });
        }
        id
    }

    fn place(&self, parent: Id, before: Option<Id>, child: NodeOrText<Id>) {
        match child {
            NodeOrText::AppendNode(id) => {
                let mut arena = self.arena.borrow_mut();
                arena.unlink(id);
                let depth = arena.link(id, parent, before);
                self.depth.set(depth);
                let limit = self.limits.depth.saturating_add(FRAME);
                if depth as usize > limit {
                    self.charge(u64::from(depth));
                    if arena.depth(id) as usize > limit {
                        self.refuse(HtmlError::Depth {
                            limit: self.limits.depth,
                        });
                    }
                }
            }
            NodeOrText::AppendText(text) => self.place_text(parent, before, text),
        }
    }

    fn place_text(&self, parent: Id, before: Option<Id>, text: StrTendril) {
        self.count_text(text.len());
        {
            let mut arena = self.arena.borrow_mut();
            let previous = match before {
                Some(before) => arena.previous(before),
                None => arena.last(parent),
            };
            if let Some(Data::Text(end)) = previous.map(|id| arena.data_mut(id)) {
                end.push_tendril(&text);
                return;
            }
        }
        let id = self.add(Data::Text(text));
        self.place(parent, before, NodeOrText::AppendNode(id));
    }
}

impl TreeSink for Sink {
    type Handle = Id;
    type Output = Result<Arena, HtmlError>;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self::Output {
        match self.refusal.into_inner() {
            Some(error) => Err(error),
            None => Ok(self.arena.into_inner()),
        }
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        let is_doubtful = match self.reading.get() {
            Reading::Spelling => false,
            Reading::EndTag => HARMFUL_AT_END.contains(&&*message),
            Reading::Content => !HARMLESS.contains(&&*message),
        };
        if is_doubtful {
            self.arena.borrow_mut().is_doubtful = true;
        }
    }

    fn get_document(&self) -> Id {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> Ref<'a, QualName> {
        self.charge(1);
        Ref::map(self.arena.borrow(), |arena| arena.name_or_none(*target))
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Id {
        self.count_text(attrs.iter().map(|attr| attr.value.len()).sum());
        let attributes = self.attributes.get() + attrs.len();
        self.attributes.set(attributes);
        let limit = self.limits.attributes_total();
        if attributes > limit {
            self.refuse(HtmlError::AttributesInAll { limit });
        }
        if matches!(
            name.local,
            local_name!("object") | local_name!("applet") | local_name!("marquee")
        ) {
            self.leaks.set(self.leaks.get() + 1);
        }
        self.add(Data::Element {
            name,
            attrs,
            is_integration_point: flags.mathml_annotation_xml_integration_point,
        })
    }

    fn create_comment(&self, text: StrTendril) -> Id {
        self.count_text(text.len());
        self.add(Data::Comment(text))
    }

    /// Unreachable in practice: the HTML parser turns processing instructions into comments first.
    fn create_pi(&self, _target: StrTendril, data: StrTendril) -> Id {
        self.create_comment(data)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.place(*parent, None, child);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        let parent = {
            let mut arena = self.arena.borrow_mut();
            arena.is_doubtful = true;
            if let NodeOrText::AppendNode(id) = child {
                arena.has_moved_loop |= is_loop(&arena.name_or_none(id).local);
            }
            arena.parent(*element)
        };
        match parent {
            Some(parent) => self.place(parent, Some(*element), child),
            None => self.place(*previous, None, child),
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let id = self.add(Data::Doctype {
            name,
            public_id: public,
            system_id: system,
        });
        self.place(DOCUMENT, None, NodeOrText::AppendNode(id));
    }

    /// Template contents are stored as the template's children, as they are in the text.
    fn get_template_contents(&self, target: &Id) -> Id {
        *target
    }

    fn same_node(&self, x: &Id, y: &Id) -> bool {
        self.charge(1);
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        let mut arena = self.arena.borrow_mut();
        arena.quirks = mode;
        // There is no tree yet, so earlier errors can only be about the doctype.
        arena.is_doubtful = false;
    }

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        let parent = self.arena.borrow().parent(*sibling);
        self.arena.borrow_mut().is_doubtful = true;
        if let Some(parent) = parent {
            self.place(parent, Some(*sibling), child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Id, new: Vec<Attribute>) {
        self.charge(new.len() as u64);
        if let Data::Element { attrs, .. } = self.arena.borrow_mut().data_mut(*target) {
            for attr in new {
                if attrs.iter().all(|old| old.name != attr.name) {
                    attrs.push(attr);
                }
            }
            if attrs.len() > self.limits.attributes {
                self.refuse(HtmlError::Attributes {
                    limit: self.limits.attributes,
                });
            }
        }
    }

    fn remove_from_parent(&self, target: &Id) {
        let mut arena = self.arena.borrow_mut();
        arena.is_doubtful = true;
        arena.unlink(*target);
    }

    fn reparent_children(&self, node: &Id, new_parent: &Id) {
        let mut arena = self.arena.borrow_mut();
        arena.is_doubtful = true;
        let moved = arena.move_children(*node, *new_parent);
        self.charge(moved);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Id) -> bool {
        matches!(
            self.arena.borrow().data(*target),
            Data::Element {
                is_integration_point: true,
                ..
            }
        )
    }
}
