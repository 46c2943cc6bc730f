//! Writes one main heading per page.

use std::borrow::Cow;

use super::Walk;
use crate::render::scope::Scope;
use crate::{Element, Namespace, NodeId};

impl<'a> Walk<'a> {
    /// An element, or for the `h1` of a section made from a template an `h2` where the page has its main heading elsewhere: the template
    /// is the same for all its sections, so it cannot say which of them begins the page.
    pub(super) fn levelled(&self, element: &'a Element, scope: &Scope) -> Cow<'a, Element> {
        let is_main = element.namespace == Namespace::Html && element.tag.as_str() == "h1";
        let Some(section) = is_main.then(|| self.section_around(scope)).flatten() else {
            return Cow::Borrowed(element);
        };
        let main_heading = self.main_heading.get_or_init(|| {
            let mut layers = self.layers.iter().rev();
            layers.find_map(|layer| self.site.main_heading(*layer))
        });
        match *main_heading == Some(section) {
            true => Cow::Borrowed(element),
            false => Cow::Owned(Element {
                tag: "h2".into(),
                ..element.clone()
            }),
        }
    }

    /// The node of the page whose component the scope is in, if that is a section made from a template.
    fn section_around(&self, scope: &Scope) -> Option<NodeId> {
        let component = self.site.shell.components.get(*scope.components.first()?)?;
        component.template_key.as_ref()?;
        let mut filling = scope.filling.as_ref()?;
        while let Some(outer) = &filling.scope.filling {
            filling = outer;
        }
        Some(filling.node)
    }
}
