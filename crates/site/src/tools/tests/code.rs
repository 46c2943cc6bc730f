//! Scripts and stylesheets.

use serde_json::{Value, json};

use super::Bench;

#[test]
fn code_is_written_read_and_patched_by_its_hash() {
    let mut bench = Bench::new();
    let write = json!({ "path": "scripts/menu.js", "type": "script", "content": "let a = 1;\nlet b = 1;\n", "runtime": { "placement": "head" } });
    let run = bench.call("write_code_asset", write.clone()).unwrap();
    assert_eq!(
        (
            &run.data["action"],
            &run.data["runtime"]["placement"],
            &run.data["size"]
        ),
        (&json!("created"), &json!("head"), &json!(22))
    );
    assert_eq!(
        bench.call("write_code_asset", write.clone()).unwrap().data["action"],
        "unchanged"
    );
    let read = bench
        .call(
            "read_code_asset",
            json!({ "path": "scripts/menu.js", "maxChars": 11 }),
        )
        .unwrap()
        .data;
    assert_eq!(
        (&read["content"], &read["pageInfo"]),
        (
            &json!("let a = 1;\n"),
            &json!({ "part": 1, "totalParts": 2, "nextPart": 2 })
        )
    );
    let patch = |hash: &Value, old: &str, all: bool| json!({ "path": "scripts/menu.js", "expectedHash": hash, "replacements": [{ "oldText": old, "newText": "2", "replaceAll": all }] });
    let twice = bench
        .call("patch_code_asset", patch(&read["hash"], "1", false))
        .unwrap_err();
    assert!(twice.contains("stands there 2 times"), "{twice}");
    let missing = bench
        .call("patch_code_asset", patch(&read["hash"], "3", true))
        .unwrap_err();
    assert!(missing.contains("does not stand in the file"), "{missing}");
    let patched = bench
        .call("patch_code_asset", patch(&read["hash"], "1", true))
        .unwrap()
        .data;
    let content = |bench: &mut Bench| {
        let read = bench.call("read_code_asset", json!({ "path": "scripts/menu.js" }));
        read.unwrap().data["content"].clone()
    };
    assert_eq!(content(&mut bench), "let a = 2;\nlet b = 2;\n");
    let mut summary = bench
        .call("list_code_assets", json!({ "type": "script" }))
        .unwrap()
        .data["assets"][0]
        .take();
    summary["replacements"] = json!(2);
    assert_eq!(patched, summary);
    let stale = bench
        .call("patch_code_asset", patch(&read["hash"], "2", true))
        .unwrap_err();
    assert!(
        stale.starts_with("conflict: `scripts/menu.js` has changed"),
        "{stale}"
    );
    assert_eq!(
        content(&mut bench),
        "let a = 2;\nlet b = 2;\n",
        "nothing that is refused changes it"
    );
}

#[test]
fn writing_a_path_again_replaces_its_text_and_keeps_how_it_loads() {
    let mut bench = Bench::new();
    let write = json!({ "path": "menu.js", "type": "script", "content": "let a = 1;", "runtime": { "placement": "head" } });
    let written = bench.call("write_code_asset", write).unwrap().data;
    let write = json!({ "path": "menu.js", "type": "script", "content": "let a = 2;" });
    let replaced = bench.call("write_code_asset", write).unwrap().data;
    assert_eq!(replaced["action"], "updated");
    assert_eq!(replaced["fileId"], written["fileId"]);
    assert_eq!(replaced["runtime"], written["runtime"]);
    assert_ne!(replaced["hash"], written["hash"]);
}

#[test]
fn code_is_patched_by_its_id_and_listed_by_type() {
    let mut bench = Bench::new();
    let write = json!({ "path": "scripts/menu.js", "type": "script", "content": "let a = 2;\n" });
    let patched = bench.call("write_code_asset", write).unwrap().data;
    let by_id = json!({
        "fileId": patched["fileId"], "expectedHash": patched["hash"],
        "replacements": [{ "oldText": "let a = 2", "newText": "let a = 3" }, { "oldText": "a = 3", "newText": "a = 4" }],
    });
    let patched = bench.call("patch_code_asset", by_id).unwrap().data;
    assert_eq!(patched["replacements"], 2);
    let read = bench.call("read_code_asset", json!({ "path": "scripts/menu.js" }));
    assert_eq!(read.unwrap().data["content"], "let a = 4;\n");
    let listed = bench
        .call("list_code_assets", json!({ "type": "script" }))
        .unwrap()
        .data;
    assert_eq!(listed["assets"][0]["hash"], patched["hash"]);
    assert_eq!(
        bench
            .call("list_code_assets", json!({ "type": "style" }))
            .unwrap()
            .data,
        json!({ "assets": [] })
    );
}

#[test]
fn a_path_stays_within_the_files() {
    let mut bench = Bench::new();
    for path in ["", "../x.js", "a//b.js"] {
        let refused = bench.call(
            "write_code_asset",
            json!({ "path": path, "type": "script", "content": "" }),
        );
        assert!(
            refused.unwrap_err().starts_with("invalid_input: path"),
            "{path}"
        );
    }
}

#[test]
fn code_is_used_where_it_is_for() {
    let mut bench = Bench::new();
    let other = bench
        .call("addPage", json!({ "title": "Other" }))
        .unwrap()
        .data["pageId"]
        .clone();
    let target = json!({ "target": { "kind": "documents", "ids": [other] } });
    bench
        .call(
            "write_code_asset",
            json!({ "path": "a.css", "type": "style", "content": "", "runtime": target }),
        )
        .unwrap();
    bench.call("write_code_asset", json!({ "path": "b.js", "type": "script", "content": "", "runtime": { "priority": 5 } })).unwrap();
    let here = bench.call("inspect_code_runtime", json!({})).unwrap().data;
    assert_eq!(
        (
            here["scripts"].as_array().map(Vec::len),
            here["styles"].as_array().map(Vec::len)
        ),
        (Some(1), Some(0))
    );
    let there = bench
        .call(
            "inspect_code_runtime",
            json!({ "document": { "type": "page", "id": other } }),
        )
        .unwrap()
        .data;
    assert_eq!(there["styles"][0]["path"], "a.css");
}
