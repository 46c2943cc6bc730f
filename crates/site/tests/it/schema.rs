//! The schemas from which the shell's TypeScript types are made.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use sitewright_site::{
    BodySnapshot, Change, DiffLine, DocumentRef, FontQuery, FontReport, FrameQuery, FrameReport,
    Logged, ReadingPart, Reference, ShellSnapshot,
};
use sitewright_tool::{Envelope, ToolManifest};

/// Everything of the site that crosses to the browser, with the types it is made of.
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
        DocumentRef,
        ReadingPart,
        DiffLine,
        Reference,
        FrameQuery,
        FrameReport,
        FontQuery,
        FontReport,
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
    let written = serde_json::to_string_pretty(&document()).expect("JSON is written") + "\n";
    if std::fs::read_to_string(path).ok().as_deref() != Some(&written) {
        std::fs::write(path, &written).expect("the folder is there");
        panic!("web/src/generated/site.json was out of date and has been written anew; commit it");
    }
}
