//! The lines that a model is told about tools, from the one file that has them.

use sitewright_tool::DefinitionBuilder;

/// Looks the line of a tool up by its name.
#[derive(Clone, Copy)]
pub struct Guidance<'a>(pub &'a dyn Fn(&str) -> Option<String>);

impl Guidance<'_> {
    /// A definition with the line of its tool.
    pub(crate) fn of(self, definition: DefinitionBuilder) -> DefinitionBuilder {
        match (self.0)(definition.name()) {
            Some(line) => definition.guidance(&line),
            None => definition,
        }
    }
}
