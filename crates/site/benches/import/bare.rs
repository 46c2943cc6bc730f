//! html5ever alone: builds the arena and does nothing else.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ParseOpts, QualName, parse_document};

use crate::arena::{Arena, DOCUMENT, Data, Id};

pub(crate) fn parse(html: &str) -> Arena {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    parse_document(Bare(RefCell::new(Arena::new())), options).one(html)
}

struct Bare(RefCell<Arena>);

impl Bare {
    fn place(&self, parent: Id, before: Option<Id>, child: NodeOrText<Id>) {
        let mut arena = self.0.borrow_mut();
        let id = match child {
            NodeOrText::AppendNode(id) => {
                arena.unlink(id);
                id
            }
            NodeOrText::AppendText(text) => {
                let previous = match before {
                    Some(before) => arena.previous(before),
                    None => arena.last(parent),
                };
                if let Some(previous) = previous
                    && let Data::Text(end) = arena.data_mut(previous)
                {
                    end.push_tendril(&text);
                    return;
                }
                arena.add(Data::Text(text))
            }
        };
        arena.link(id, parent, before);
    }
}

impl TreeSink for Bare {
    type Handle = Id;
    type Output = Arena;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Arena {
        self.0.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> Ref<'a, QualName> {
        Ref::map(self.0.borrow(), |arena| arena.name_or_none(*target))
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Id {
        self.0.borrow_mut().add(Data::Element {
            name,
            attrs,
            is_integration_point: flags.mathml_annotation_xml_integration_point,
        })
    }

    fn create_comment(&self, text: StrTendril) -> Id {
        self.0.borrow_mut().add(Data::Comment(text))
    }

    fn create_pi(&self, _: StrTendril, data: StrTendril) -> Id {
        self.create_comment(data)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.place(*parent, None, child);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        let parent = self.0.borrow().parent(*element);
        match parent {
            Some(parent) => self.place(parent, Some(*element), child),
            None => self.place(*previous, None, child),
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let id = self.0.borrow_mut().add(Data::Doctype {
            name,
            public_id: public,
            system_id: system,
        });
        self.place(DOCUMENT, None, NodeOrText::AppendNode(id));
    }

    fn get_template_contents(&self, target: &Id) -> Id {
        *target
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.0.borrow_mut().quirks = mode;
    }

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        let parent = self.0.borrow().parent(*sibling);
        if let Some(parent) = parent {
            self.place(parent, Some(*sibling), child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Id, new: Vec<Attribute>) {
        if let Data::Element { attrs, .. } = self.0.borrow_mut().data_mut(*target) {
            for attr in new {
                if attrs.iter().all(|old| old.name != attr.name) {
                    attrs.push(attr);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Id) {
        self.0.borrow_mut().unlink(*target);
    }

    fn reparent_children(&self, node: &Id, new_parent: &Id) {
        self.0.borrow_mut().move_children(*node, *new_parent);
    }
}
