//! The schemas from which the shell's types for the core are generated: arguments, results and everything they contain.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use sitewright_site::{
    BodySnapshot, Breakpoint, Change, DocumentRef, Layer, Logged, NodeView, Outcome, Rendered,
    ShellSnapshot,
};
use sitewright_tool::{Envelope, ToolManifest};

use super::{Acted, ListedPage, Run};
use crate::given::{Call, WrittenFacts};

fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut generator = settings.into_generator();
    macro_rules! define {
        ($($name:ty),* $(,)?) => {$( drop(generator.subschema_for::<$name>()); )*};
    }
    define!(
        Change,
        Logged,
        ShellSnapshot,
        BodySnapshot,
        Call,
        WrittenFacts,
        Acted,
        Run,
        Outcome<Rendered>,
        ListedPage<'static>,
        Breakpoint,
        Layer,
        NodeView,
        DocumentRef,
        ToolManifest,
        Envelope,
    );
    json!({ "$defs": generator.take_definitions(true) })
}

#[test]
fn the_schemas_the_shell_is_built_from_are_these() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../web/src/generated/site.json"
    );
    let written = serde_json::to_string_pretty(&document()).unwrap() + "\n";
    sitewright_testkit::check_generated(path, &written);
}
