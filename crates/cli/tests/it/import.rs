//! An HTML file on disk becomes a page, with the files beside it and none from elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::http::Call;
use crate::product::{Instance, Outcome, run};

const PICTURE: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

const PAGE: &str = "<!doctype html><html lang=de><title>Unser Brot</title><link rel=stylesheet href=css/site.css>\
    <link rel=stylesheet href=../secret.css><link rel=stylesheet href=linked.css><script>alert(1)</script>\
    <body class=shop><h1 onclick=alert(2)>{page.title}</h1><img src=img/oven.gif alt=Ofen><img src=notes.txt alt=''>\
    <img src=lost.png alt=''>";

/// A page with its files, beside one that is not the page's to read, reached by its path and through a link.
fn documents(instance: &Instance) -> PathBuf {
    let folder = instance.folder().join("page");
    for inner in ["css", "img"] {
        fs::create_dir_all(folder.join(inner)).unwrap();
    }
    let secret = instance.folder().join("secret.css");
    fs::write(&secret, ".secret { color: red }").unwrap();
    std::os::unix::fs::symlink(&secret, folder.join("linked.css")).unwrap();
    fs::write(
        folder.join("css/site.css"),
        "h1 { color: rgb(1, 2, 3); background: url(../img/oven.gif) }",
    )
    .unwrap();
    fs::write(folder.join("img/oven.gif"), PICTURE).unwrap();
    fs::write(folder.join("notes.txt"), "no picture").unwrap();
    let page = folder.join("brot.html");
    fs::write(&page, PAGE).unwrap();
    page
}

fn import(instance: &Instance, page: &Path, words: &str) -> Outcome {
    let mut command = instance.command(words);
    command.arg(page);
    run(command, "")
}

fn check(done: &Value) {
    assert_eq!(
        (&done["title"], &done["uploaded"], &done["missingFiles"]),
        (
            &json!("Unser Brot"),
            &json!(["img/oven.gif"]),
            &json!(["../secret.css", "linked.css", "lost.png", "notes.txt"])
        ),
        "{done}"
    );
    let refused = done["refusedPictures"][0].as_str().unwrap();
    assert!(refused.starts_with("notes.txt: "), "{refused}");
    let removed: Vec<&Value> = done["receipt"]["sanitised"]
        .as_array()
        .unwrap()
        .iter()
        .map(|removed| &removed["what"])
        .collect();
    assert_eq!(removed, ["onclick", "script"]);
}

#[test]
fn a_file_becomes_a_page_on_the_folder_and_through_its_server() {
    let instance = Instance::new().with("SITEWRIGHT_FIRST_SITE", "bare");
    instance.set_up();
    let page = documents(&instance);
    let here = import(&instance, &page, "import --json").json();
    check(&here);
    assert_eq!(here["path"], "/brot");
    let token = instance.token("all");
    let server = instance.serve("");
    let socket = import(&instance, &page, "import --json --slug bread").json();
    check(&socket);
    assert_eq!(socket["path"], "/bread");
    let remote = format!(
        "import --json --title Laib --server http://{} --token {token}",
        server.address
    );
    let remote = import(&instance, &page, &remote).json();
    assert_eq!(
        (&remote["title"], &remote["path"]),
        (&json!("Laib"), &json!("/brot-2"))
    );
    instance.run("publish --json").json();
    let html = Call::get("/bread").send(&server).text();
    for kept in [
        "<html lang=\"de\">",
        "<body class=\"shop\">",
        "<h1>{page.title}</h1>",
        "rgb(1, 2, 3)",
    ] {
        assert!(html.contains(kept), "{kept}: {html}");
    }
    assert!(!html.contains(".secret {"), "{html}");
    assert_eq!(html.matches("/uploads/").count(), 2, "{html}");
}

#[test]
fn it_says_what_it_did_and_what_it_left_out() {
    let instance = Instance::new().with("SITEWRIGHT_FIRST_SITE", "bare");
    instance.set_up();
    let outcome = import(&instance, &documents(&instance), "import");
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for line in [
        "Imported “Unser Brot” to /brot.",
        "Added 1 picture to the library.",
        "removed as unsafe: 1 × script in head",
        "not included: lost.png",
    ] {
        assert!(
            outcome.stdout.lines().any(|said| said == line),
            "{line}: {outcome:?}"
        );
    }
    let missing = instance.run("import nowhere.html");
    assert_ne!(missing.code, Some(0));
    assert!(
        missing.stderr.contains("nowhere.html cannot be read"),
        "{missing:?}"
    );
}
