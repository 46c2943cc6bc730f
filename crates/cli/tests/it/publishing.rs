//! Publishing from outside: the commands, what visitors get over real sockets, other nodes, a folder for static hosts, and kills.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use sitewright_store::{
    BlobId, BlobPlace, Blobs, MediaId, MediaRow, MediaVariant, Place, SiteId, Stamp, Store,
    Timestamp,
};

use crate::http::{Answer, Call};
use crate::kill::{Random, busily_wait, rounds};
use crate::product::{Instance, Outcome, Server, run, until};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Both databases, as far as they are there.
fn instances() -> Vec<Instance> {
    let both = [Some(Instance::new()), Instance::on_postgres()];
    let both: Vec<Instance> = both.into_iter().flatten().collect();
    both.iter().for_each(Instance::set_up);
    both
}

fn tool(instance: &Instance, name: &str, arguments: &Value) -> Value {
    let mut command = instance.command(&format!("tool call {name} --scope site --yes --json"));
    command.args(["--args", &arguments.to_string()]);
    let answer = run(command, "").json();
    assert_eq!(answer["ok"], true, "{answer}");
    answer["data"].clone()
}

/// Adds a page with a paragraph.
fn page(instance: &Instance, title: &str, slug: &str, html: &str) -> Value {
    let added = tool(
        instance,
        "addPage",
        &json!({ "title": title, "slug": slug }),
    );
    let id = added["pageId"].clone();
    let document = json!({ "document": { "type": "page", "id": id } });
    let read = tool(instance, "read_document", &document);
    let root = root_of(&read);
    tool(
        instance,
        "insertHtml",
        &json!({ "parentId": root, "html": html }),
    );
    id
}

/// The id of the body in what a tool read.
pub(crate) fn root_of(read: &Value) -> String {
    let text = read.to_string();
    let (_, rest) = text.split_once("uid=\\\"").unwrap();
    rest.split_once("\\\"").unwrap().0.to_owned()
}

fn get(server: &Server, path: &str) -> Answer {
    Call::get(path).send(server)
}

#[test]
fn a_site_is_published_changed_and_rolled_back() {
    for instance in instances() {
        page(
            &instance,
            "About",
            "about",
            &"<p>Who we are.</p>".repeat(60),
        );
        // Without a server, on the folder itself.
        let published = instance.run("publish --note First --json").json();
        assert_eq!(
            (&published["release"], &published["isNew"]),
            (&json!(1), &json!(true))
        );
        let again = instance.run("publish");
        assert_eq!(
            again.stdout,
            "Release 1 is already live; nothing has changed.\n"
        );
        let server = instance.serve("");
        let about = get(&server, "/about");
        assert_eq!(about.status, 200);
        assert!(
            about.text().contains("<title>About – My site</title>"),
            "{}",
            about.text()
        );
        let tag = about.header("etag").unwrap();
        let known = Call::get("/about")
            .header("If-None-Match", tag)
            .send(&server);
        assert_eq!((known.status, known.body.len()), (304, 0));
        let packed = Call::get("/about")
            .header("Accept-Encoding", "gzip, br")
            .send(&server);
        assert_eq!(packed.header("content-encoding"), Some("br"));
        assert!(packed.body.len() < about.body.len() / 2);
        // Through the server that has the folder: visitors see it at once.
        page(&instance, "News", "news", "<p>New</p>");
        let preview = instance.run("publish --preview");
        assert!(
            preview.stdout.contains("new   /news    News   local"),
            "{}",
            preview.stdout
        );
        assert_eq!(get(&server, "/news").status, 404);
        let published = instance.run("publish");
        assert_eq!(
            published.stdout,
            "Published release 2 with 3 pages.\nnew: /news News\n"
        );
        assert_eq!(get(&server, "/news").status, 200);
        let back = instance.run("rollback");
        assert_eq!(
            back.stdout,
            "Rolled back to release 1 with 2 pages.\nremoved: /news News\n"
        );
        assert_eq!(get(&server, "/news").status, 404);
        assert_eq!(instance.run("rollback --to 2 --json").json()["release"], 2);
        assert_eq!(get(&server, "/news").status, 200);
        let listed = instance.run("releases");
        assert!(
            listed.stdout.contains("2 (live)") && listed.stdout.contains("First"),
            "{}",
            listed.stdout
        );
        let unknown = instance.run("rollback --to 9 --json").failure();
        assert_eq!(unknown.1, "not_found");
    }
}

#[test]
fn what_is_left_out_stays_and_a_wrong_address_is_told() {
    let instance = Instance::ready();
    page(&instance, "About", "about", "<p>Us</p>");
    instance.run("publish --leave-out /about --json").json();
    let server = instance.serve("");
    assert_eq!(
        (get(&server, "/").status, get(&server, "/about").status),
        (200, 404)
    );
    let (code, kind, detail) = instance.run("publish --leave-out /abuot --json").failure();
    assert_eq!((code, kind.as_str()), (Some(1), "invalid_input"));
    assert!(detail.contains("`/abuot`"), "{detail}");
}

#[test]
fn no_path_leads_anywhere_else() {
    let instance = Instance::ready();
    for slug in ["index.html", "a.b~c", "日本", "x-y_z"] {
        page(&instance, "Odd", slug, "<p>Odd</p>");
    }
    for hostile in [
        "..", ".ssh", "a/b", "a b", "a%2fb", "admin", "uploads", "_sw", "preview", "<x>",
    ] {
        let mut command = instance.command("tool call addPage --scope site --json");
        let arguments = json!({ "title": "Hostile", "slug": hostile });
        command.args(["--args", &arguments.to_string()]);
        assert_eq!(run(command, "").code, Some(1), "{hostile}");
    }
    instance.run("publish --json").json();
    let server = instance.serve("");
    for found in ["/index.html", "/a.b~c", "/%E6%97%A5%E6%9C%AC", "/x-y_z"] {
        assert_eq!(get(&server, found).status, 200, "{found}");
    }
    for nowhere in [
        "/../secret.key",
        "/..%2f..%2fsecret.key",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/a.b~c/../../sitewright.db",
        "//evil.example/%2f..",
        "/%00",
        "/%ff",
        "/blobs",
        "/secret.key",
    ] {
        let answer = get(&server, nowhere);
        assert_eq!(answer.status, 404, "{nowhere}");
        assert_eq!(answer.header("location"), None, "{nowhere}");
    }
}

/// Two servers with two folders that share a database and the files.
#[test]
fn another_node_shows_what_was_published() {
    let Some(first) = Instance::on_postgres() else {
        return;
    };
    let first = first.with("SITEWRIGHT_SECRET_KEY", KEY);
    let second = Instance::new()
        .with("DATABASE_URL", first.variable("DATABASE_URL"))
        .with("SITEWRIGHT_SECRET_KEY", KEY);
    first.set_up();
    std::fs::create_dir_all(second.data()).unwrap();
    std::fs::create_dir_all(first.data().join("blobs")).unwrap();
    std::os::unix::fs::symlink(first.data().join("blobs"), second.data().join("blobs")).unwrap();
    let (one, two) = (first.serve(""), second.serve(""));
    assert!(
        get(&two, "/")
            .text()
            .contains("Nothing is published here yet")
    );
    page(&first, "About", "about", "<p>Us</p>");
    first.run("publish --json").json();
    let here = get(&one, "/about");
    let there = until("the other node shows it", || {
        let answer = get(&two, "/about");
        (answer.status == 200).then_some(answer)
    });
    assert_eq!((here.body, here.status), (there.body, there.status));
    second.run("rollback --json").failure();
    page(&second, "News", "news", "<p>New</p>");
    second.run("publish --json").json();
    until("the first node shows it", || {
        (get(&one, "/news").status == 200).then_some(())
    });
    second.run("rollback --json").json();
    until("the first node went back", || {
        (get(&one, "/news").status == 404).then_some(())
    });
}

/// A picture that is there, and its address.
fn picture(instance: &Instance) -> (String, Vec<u8>) {
    let bytes = b"not really a picture".to_vec();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let id = runtime.block_on(async {
        let place = Place::File(instance.data().join("sitewright.db"));
        let store = Store::open(&place).await.unwrap();
        let blobs = Blobs::open(&BlobPlace::Folder(instance.data().join("blobs"))).unwrap();
        let site = SiteId::from("main".to_owned());
        let blob = blobs.put(&site, bytes.clone().into()).await.unwrap();
        let row = MediaRow {
            id: MediaId::new(),
            site,
            variants: vec![MediaVariant {
                width: 320,
                height: 200,
                format: "image/png".to_owned(),
                blob: blob.to_string(),
                bytes: bytes.len() as u64,
            }],
            blob: BlobId::of(b"the original"),
            format: "image/png".to_owned(),
            width: 320,
            height: 200,
            bytes: 1,
            is_animated: false,
            name: "harbour".to_owned(),
            alt: String::new(),
            credit: None,
            tags: Vec::new(),
            categories: Vec::new(),
            created_at: Timestamp::now(),
        };
        store
            .add_media(&row, &Stamp::local(Timestamp::now()))
            .await
            .unwrap();
        store.close().await;
        row.id
    });
    (format!("/uploads/{id}/320.png"), bytes)
}

fn export(instance: &Instance, out: &Path, words: &str) -> Outcome {
    let mut command = instance.command(&format!("export {words} --json"));
    command.arg(out);
    run(command, "")
}

#[test]
fn a_folder_has_what_visitors_see() {
    let instance = Instance::ready().with("SITEWRIGHT_PUBLIC_URL", "https://example.com");
    let (address, bytes) = picture(&instance);
    let html = format!(
        "<p>Us</p><img src=\"{address}\" alt=\"\"><img src=\"/uploads/gone/1.png\" alt=\"\">"
    );
    page(&instance, "About", "über/".trim_end_matches('/'), &html);
    let out = instance.folder().join("out");
    let nothing = export(&instance, &out, "").failure();
    assert_eq!(nothing.1, "not_found", "{nothing:?}");
    assert!(!out.exists());
    instance.run("publish --json").json();
    let done = export(&instance, &out, "").json();
    assert_eq!(
        (&done["files"], &done["missing"]),
        (&json!(8), &json!(["/uploads/gone/1.png"]))
    );
    let server = instance.serve("");
    for (file, path) in [
        ("index.html", "/"),
        ("über/index.html", "/%C3%BCber"),
        ("404.html", "/nowhere"),
        ("robots.txt", "/robots.txt"),
        ("sitemap.xml", "/sitemap.xml"),
    ] {
        let written = std::fs::read(out.join(file)).unwrap();
        assert_eq!(written, get(&server, path).body, "{file}");
    }
    assert_eq!(
        std::fs::read(out.join(address.trim_start_matches('/'))).unwrap(),
        bytes
    );
    let (code, kind, detail) = export(&instance, &out, "").failure();
    assert_eq!((code, kind.as_str()), (Some(1), "conflict"));
    assert!(detail.contains("is not empty"), "{detail}");
    std::fs::write(out.join("CNAME"), "example.com").unwrap();
    // Through the server, over what is there; what is not ours stays.
    assert_eq!(export(&instance, &out, "--overwrite").json()["files"], 8);
    assert!(out.join("CNAME").exists());
}

/// Damaged behind the server's back: one page is away until the site is published again, and never in pieces.
#[test]
fn a_damaged_file_costs_one_page_until_the_site_is_published_again() {
    for instance in instances() {
        page(
            &instance,
            "About",
            "about",
            &"<p>Who we are.</p>".repeat(60),
        );
        page(&instance, "News", "news", "<p>New</p>");
        instance.run("publish --json").json();
        let server = instance.serve("");
        let about = |server: &Server, form: &str| {
            Call::get("/about")
                .header("Accept-Encoding", form)
                .send(server)
        };
        let forms = ["identity", "br", "gzip"];
        let bodies = forms.map(|form| about(&server, form).body);
        let files = bodies.each_ref().map(|body| {
            let name = BlobId::of(body).to_string();
            let folder = instance.data().join("blobs").join("main");
            folder.join(&name[..2]).join(name)
        });
        drop(server);
        for file in &files {
            std::fs::remove_file(file).unwrap();
        }
        let server = instance.serve("");
        for (path, status) in [("/", 200), ("/news", 200), ("/about", 503)] {
            assert_eq!(get(&server, path).status, status, "{path}");
        }
        assert_eq!(get(&server, "/about").header("retry-after"), Some("60"));
        assert!(
            server.log().contains("address=\"/about\""),
            "{}",
            server.log()
        );
        let published = instance.run("publish --json").json();
        assert_eq!(published["isNew"], false, "{published}");
        assert_eq!(about(&server, "identity").body, bodies[0]);
        drop(server);
        for (form, file) in forms.iter().zip(&files) {
            let mut bytes = std::fs::read(file).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(file, bytes).unwrap();
            let server = instance.serve("");
            for (form, body) in forms.iter().zip(&bodies) {
                assert_eq!(about(&server, form).body, *body, "{form}");
            }
            instance.run("publish --json").json();
            let mended = std::fs::read(file).unwrap();
            let name = file.file_name().and_then(|name| name.to_str());
            assert_eq!(Some(BlobId::of(&mended).as_str()), name, "{form}");
        }
    }
}

const PAGES: usize = 40;

/// Killed while it publishes: visitors see the old site or the new one, and never a page of each.
#[test]
fn a_kill_while_publishing_leaves_one_release_whole() {
    let mut random = Random::seeded();
    for instance in instances() {
        let token = instance.token("all");
        let server = instance.serve("");
        for number in 0..PAGES {
            let page =
                json!({ "title": format!("Page {number}"), "slug": format!("page-{number}") });
            let add = json!({ "tool": "addPage", "scope": "site", "arguments": page });
            let added = Call::post("/tools/call", &add).token(&token).send(&server);
            assert_eq!(added.json()["ok"], true);
        }
        drop(server);
        instance.run("publish --json").json();
        for round in 1..=rounds().div_ceil(2) {
            let context = format!("seed {}, round {round}", random.seed);
            let name = format!("Edition {round}");
            tool(&instance, "updateSiteSettings", &json!({ "name": name }));
            let mut server = instance.serve("");
            let publish = Call::post("/admin/api/site/publish", &json!({})).token(&token);
            let pause = Duration::from_micros(random.below(120_000));
            let answered = std::thread::scope(|scope| {
                let address = server.address.clone();
                let publishing = scope.spawn(move || publish.try_send(&address));
                busily_wait(pause);
                server.kill();
                publishing
                    .join()
                    .unwrap()
                    .is_ok_and(|answer| answer.status == 200)
            });
            let server = instance.serve("");
            let editions: BTreeSet<bool> = (0..PAGES)
                .map(|number| {
                    get(&server, &format!("/page-{number}"))
                        .text()
                        .contains(&name)
                })
                .collect();
            assert_eq!(editions.len(), 1, "{context}: pages of two editions");
            let is_new = editions.contains(&true);
            assert!(
                is_new || !answered,
                "{context}: what was acknowledged is not there"
            );
            drop(server);
            // The next one begins where this one ended.
            let published = instance.run("publish --json").json();
            assert_eq!(published["isNew"], !is_new, "{context}");
        }
        let numbers: Vec<u64> = instance
            .run("releases --limit 200 --json")
            .json()
            .as_array()
            .unwrap()
            .iter()
            .map(|release| release["number"].as_u64().unwrap())
            .collect();
        let expected: Vec<u64> = (1..=numbers.len() as u64).rev().collect();
        assert_eq!(numbers, expected);
        assert_eq!(instance.run("audit verify --json").json()["ok"], true);
    }
}
