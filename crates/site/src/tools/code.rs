//! Scripts and stylesheets written by hand: listing, reading, writing and patching them.

mod asset;
mod edit;
mod read;

use super::{About, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        About::look("list_code_assets", "List code", "Lists the scripts and stylesheets written by hand, with the hash of each.").with(read::list),
        About::look("read_code_asset", "Read code", "Reads a script or stylesheet, in parts when it is long. The hash is of the whole file.")
            .with(read::show),
        About::change(
            "write_code_asset",
            "Write code",
            "Makes a script or stylesheet, or replaces the one with this path. Behaviour such as menus, tabs and filters is written here, \
             not into HTML.")
        .with(edit::put),
        About::change(
            "patch_code_asset",
            "Change code",
            "Replaces exact texts in a script or stylesheet. expectedHash is the hash it was read with; a text that stands there more than \
             once needs more around it, or replaceAll.")
        .with(edit::patch),
        About::look("inspect_code_runtime", "Which code runs", "Tells which scripts and stylesheets a page or template has.").with(read::inspect),
    ]
}
