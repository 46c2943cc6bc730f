//! Entries out of one site and into another, through files.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::product::{Instance, run};

fn export(instance: &Instance, out: &Path, form: &str) -> Value {
    let mut command = instance.command(&format!("content export --format {form} --json"));
    command.arg("--out").arg(out);
    run(command, "").json()
}

fn import(instance: &Instance, from: &Path) -> Value {
    let mut command = instance.command("content import --json");
    command.arg(from);
    run(command, "").json()
}

/// What a site has, as sorted lines: entries of two sites are in the order in which they were created.
fn lines(instance: &Instance, name: &str) -> Vec<String> {
    let out = instance.folder().join(name);
    export(instance, &out, "jsonl");
    let mut lines: Vec<String> = fs::read_to_string(out)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines
}

/// An empty site with posts in every state, and one that translates another.
fn site_with_posts() -> Instance {
    let posts = [
        json!({
            "collection": "blog", "title": "Winterreifen", "slug": "winterreifen", "locale": "de", "translationOf": "winter",
            "status": "draft", "content": { "body": "Vor dem Schnee." },
        }),
        json!({
            "collection": "blog", "title": "Winter tyres: a guide", "slug": "winter", "status": "published",
            "content": { "body": "# When\n\n---\n\nBefore *snow*.", "excerpt": "Fit them in time", "author": "Ana" },
        }),
        json!({ "collection": "blog", "title": "Old", "slug": "old", "status": "archived", "content": { "body": "Gone" } }),
    ];
    let instance = empty();
    let file = instance.folder().join("posts.jsonl");
    let lines: Vec<String> = posts.iter().map(ToString::to_string).collect();
    fs::write(&file, lines.join("\n")).unwrap();
    assert_eq!(
        import(&instance, &file),
        json!({ "created": 3, "changed": 0 })
    );
    instance
}

fn empty() -> Instance {
    let instance = Instance::new().with("SITEWRIGHT_FIRST_SITE", "empty");
    instance.set_up();
    instance
}

#[test]
fn entries_travel_to_another_site_with_states_and_translations() {
    let source = site_with_posts();
    let expected = lines(&source, "before.jsonl");
    assert_eq!(expected.len(), 3, "{expected:?}");
    for said in [
        "\"translationOf\":\"winter\"",
        "\"published\"",
        "\"archived\"",
    ] {
        let lines = expected.iter().filter(|line| line.contains(said));
        assert_eq!(lines.count(), 1, "{said}: {expected:?}");
    }
    for form in ["jsonl", "markdown"] {
        let files = source.folder().join(form);
        assert_eq!(export(&source, &files, form)["entries"], 3);
        let target = empty();
        assert_eq!(
            import(&target, &files),
            json!({ "created": 3, "changed": 0 }),
            "{form}"
        );
        assert_eq!(lines(&target, "after.jsonl"), expected, "{form}");
        assert_eq!(
            import(&target, &files),
            json!({ "created": 0, "changed": 3 }),
            "{form}: a second time"
        );
        assert_eq!(lines(&target, "again.jsonl"), expected, "{form}");
    }
}

#[test]
fn a_file_that_cannot_be_imported_is_refused_by_its_line_or_entry() {
    let instance = empty();
    let refusal = |text: &str| {
        let file = instance.folder().join("entries.jsonl");
        fs::write(&file, text).unwrap();
        let mut command = instance.command("content import");
        command.arg(&file);
        let outcome = run(command, "");
        assert_ne!(outcome.code, Some(0), "{outcome:?}");
        outcome.stderr
    };
    let broken = refusal("{\"collection\": \"blog\", \"title\": \"A\", \"slug\": \"a\"}\n{oops\n");
    assert!(broken.contains("line 2 is not JSON"), "{broken}");
    let orphan = json!({
        "collection": "blog", "title": "B", "slug": "b", "locale": "de", "translationOf": "nobody", "content": {},
    });
    let orphan = refusal(&orphan.to_string());
    assert!(
        orphan.contains("blog/b: there is no entry `nobody`"),
        "{orphan}"
    );
    let unknown =
        json!({ "collection": "blog", "title": "C", "slug": "c", "content": { "colour": "red" } });
    let unknown = refusal(&unknown.to_string());
    assert!(
        unknown.contains("blog/c") && unknown.contains("colour"),
        "{unknown}"
    );
    assert_eq!(lines(&instance, "none.jsonl"), [] as [String; 0]);
}
