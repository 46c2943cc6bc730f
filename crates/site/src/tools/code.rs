//! Scripts and stylesheets written by hand: listing, reading, writing and patching them.

mod asset;
mod edit;
mod read;

use sitewright_tool::{Execution, ToolCapability};

use super::{About, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    let about = |name, title, description, capability| About {
        name,
        title,
        description,
        capability,
        execution: Execution::Browser,
    };
    let (look, change) = (ToolCapability::Read, ToolCapability::Write);
    vec![
        about("list_code_assets", "List code", "Lists the scripts and stylesheets written by hand, with the hash of each.", look).with(read::list),
        about("read_code_asset", "Read code", "Reads a script or stylesheet, in parts when it is long. The hash is of the whole file.", look)
            .with(read::show),
        about(
            "write_code_asset",
            "Write code",
            "Makes a script or stylesheet, or replaces the one with this path. Behaviour such as menus, tabs and filters is written here, \
             not into HTML.",
            change,
        )
        .with(edit::put),
        about(
            "patch_code_asset",
            "Change code",
            "Replaces exact texts in a script or stylesheet. expectedHash is the hash it was read with; a text that stands there more than \
             once needs more around it, or replaceAll.",
            change,
        )
        .with(edit::patch),
        about("inspect_code_runtime", "Which code runs", "Tells which scripts and stylesheets a page or template has.", look).with(read::inspect),
    ]
}
