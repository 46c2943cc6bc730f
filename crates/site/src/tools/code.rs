//! Hand-written scripts and stylesheets: listing, reading, writing and patching them.

mod asset;
mod edit;
mod read;

use sitewright_tool::definition;

use super::{PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        definition::view("list_code_assets", "List code", "Lists the scripts and stylesheets written by hand, with the hash of each.").words("Looking through the code", "Looked through the code").with(read::list),
        definition::view("read_code_asset", "Read code", "Reads a script or stylesheet, in parts when it is long. The hash is of the whole file.")
            .words("Reading code", "Read code").with(read::show),
        definition::edit("write_code_asset",
            "Write code",
            "Makes a script or stylesheet, or replaces the one with this path. Behaviour such as menus, tabs and filters is written here, \
             not into HTML.")
        .words("Writing code", "Wrote code").with(edit::put),
        definition::edit("patch_code_asset",
            "Change code",
            "Replaces exact texts in a script or stylesheet. expectedHash is the hash it was read with; a text that stands there more than \
             once needs more around it, or replaceAll.")
        .words("Changing code", "Changed code").with(edit::patch),
        definition::view("inspect_code_runtime", "Which code runs", "Tells which scripts and stylesheets a page or template has.").words("Checking which code runs", "Checked which code runs").with(read::inspect),
    ]
}
