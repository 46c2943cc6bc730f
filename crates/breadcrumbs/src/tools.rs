//! The tools of the scope `breadcrumbs`.

mod model;
mod records;
mod utility;

use sitewright_agent::Models;
use sitewright_runtime::Tool;
use sitewright_tool::definition::outside;
use sitewright_tool::{DefinitionBuilder, Effect, Scope};

use crate::Breadcrumbs;

/// The tools that need the records or the models of an instance, and the utilities beside them.
pub fn breadcrumb_tools(breadcrumbs: &Breadcrumbs, models: &Models) -> Vec<Tool> {
    let mut tools = utility::tools();
    tools.extend(records::tools(breadcrumbs));
    tools.extend(model::tools(breadcrumbs, models));
    tools
}

/// A tool of this scope.
fn tool(name: &'static str, title: &str, description: &str, effect: Effect) -> DefinitionBuilder {
    outside(name, title, description, effect).scopes(&[Scope::Breadcrumbs])
}
