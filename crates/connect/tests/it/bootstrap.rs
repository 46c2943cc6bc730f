//! The bootstrap file, good and bad.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sitewright_connect::{Bootstrap, read_bootstrap};
use sitewright_egress::EgressPolicy;

fn entry(name: &str) -> Value {
    json!({
        "manifest": {
            "name": name, "description": "Finds assets", "inputSchema": { "type": "object" }, "outputSchema": { "type": "object" },
            "capability": "read", "timeoutMs": 5000, "retryPolicy": { "maxAttempts": 2 }, "idempotent": true
        },
        "endpoint": "https://vendor.example.com/site-editor/tools/dam/searchAssets",
        "staticHeaders": { "x-api-key": "k3y-canary" }
    })
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, mode: u32, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// The sentence about a file, with its folder left out.
    fn refusal(&self, path: &Path) -> String {
        let error = read_bootstrap(path, &EgressPolicy::default()).unwrap_err();
        error
            .to_string()
            .replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn read(path: &Path) -> Bootstrap {
    read_bootstrap(path, &EgressPolicy::default()).unwrap()
}

#[test]
fn a_bad_entry_is_refused_by_name_and_the_others_load() {
    let folder = Folder::new();
    let mut slow = entry("dam.slow");
    slow["manifest"]["timeoutMs"] = json!(1);
    slow["endpoint"] = json!("https://10.0.0.5/x");
    let tools = json!({ "tools": [entry("dam.searchAssets"), slow, 7, entry("pim.getProduct"), entry("dam.searchAssets")] });
    let bootstrap = read(&folder.write("tools.json", 0o600, tools.to_string()));
    let names: Vec<_> = bootstrap
        .tools
        .iter()
        .map(|tool| tool.manifest.name.as_str())
        .collect();
    assert_eq!(names, ["dam.searchAssets", "pim.getProduct"]);
    let refused: Vec<_> = bootstrap
        .refused
        .iter()
        .map(|entry| {
            let problems: Vec<_> = entry.problems.iter().map(ToString::to_string).collect();
            (entry.position, entry.name.as_deref(), problems.join("; "))
        })
        .collect();
    assert_eq!(
        refused,
        [
            (
                1,
                Some("dam.slow"),
                "`manifest.timeoutMs` is 1: give a whole number from 250 to 600000; `endpoint` leads to 10.0.0.5, which may not be \
                 reached (it is in a private network): use a public address, or have an operator list it in SITEWRIGHT_EGRESS_ALLOW"
                    .to_owned()
            ),
            (
                2,
                None,
                "the registration is not an object: send a JSON object with `manifest`, `endpoint` and, if needed, `staticHeaders` and `harmless`".to_owned()
            ),
            (
                4,
                Some("dam.searchAssets"),
                "`manifest.name` is the name of an entry before it: choose another name, or remove one of the entries".to_owned()
            ),
        ]
    );
}

#[test]
fn a_file_that_cannot_be_used_says_why() {
    let folder = Folder::new();
    assert_eq!(
        folder.refusal(&folder.path("none.json")),
        "none.json cannot be read (No such file or directory (os error 2)); correct ORCHESTRATOR_TOOL_MANIFEST_PATH, or remove it"
    );
    fs::create_dir(folder.path("folder")).unwrap();
    assert_eq!(
        folder.refusal(&folder.path("folder")),
        "folder cannot be read (it is no regular file); correct ORCHESTRATOR_TOOL_MANIFEST_PATH, or remove it"
    );
    let no_json = folder.write("no.json", 0o600, "{\"tools\": [\n  k3y-canary\n]}");
    assert_eq!(
        folder.refusal(&no_json),
        "no.json is not valid JSON: expected value at line 2 column 3"
    );
    let form = "is not of the form {\"tools\": [{\"manifest\": …, \"endpoint\": …}]}";
    for (text, problem) in [
        ("[]", "it is no object"),
        ("{}", "it has no field `tools`"),
        ("{\"tools\": {}}", "`tools` is no list"),
        (
            "{\"tools\": [], \"tool\": []}",
            "it has a field `tool`, which means nothing",
        ),
    ] {
        let path = folder.write("form.json", 0o600, text);
        assert_eq!(
            folder.refusal(&path),
            format!("form.json {form}: {problem}")
        );
    }
    let many = json!({ "tools": vec![1; 1_001] }).to_string();
    let path = folder.write("form.json", 0o600, many);
    assert_eq!(
        folder.refusal(&path),
        format!("form.json {form}: it has 1001 tools, and 1000 are allowed")
    );
    let huge = folder.write("huge.json", 0o600, "");
    fs::File::options()
        .write(true)
        .open(&huge)
        .unwrap()
        .set_len(17 * 1024 * 1024)
        .unwrap();
    assert_eq!(
        folder.refusal(&huge),
        "huge.json is larger than 16777216 bytes; it should hold manifests of tools only"
    );
}

/// A9: secrets stood in the file, readable for everybody, and there was no other way.
#[test]
fn a_secret_may_stand_in_a_file_of_its_own_and_an_open_one_is_noticed() {
    let folder = Folder::new();
    let in_the_open = json!({ "tools": [entry("dam.searchAssets")] }).to_string();
    assert!(read(&folder.write("tools.json", 0o644, &in_the_open)).exposes_secrets);
    assert!(!read(&folder.write("tools.json", 0o600, &in_the_open)).exposes_secrets);
    folder.write("dam.key", 0o600, "k3y-canary\n");
    let mut referring = entry("dam.searchAssets");
    referring["staticHeaders"] = json!({ "x-api-key": { "file": "dam.key" } });
    let bootstrap = read(&folder.write(
        "tools.json",
        0o644,
        json!({ "tools": [referring] }).to_string(),
    ));
    assert_eq!(bootstrap.refused, []);
    assert_eq!(bootstrap.tools[0].static_headers["x-api-key"], "k3y-canary");
    assert!(!bootstrap.exposes_secrets);
}

#[test]
fn a_reference_that_leads_nowhere_refuses_its_entry() {
    let folder = Folder::new();
    for (reference, problem) in [
        (
            json!({ "file": "none.key" }),
            "cannot be read from none.key (No such file or directory (os error 2))",
        ),
        (json!({ "env": "KEY" }), "is an object of another form"),
        (
            json!({ "file": "a", "or": "b" }),
            "is an object of another form",
        ),
        (
            json!({ "file": "." }),
            "cannot be read from . (it is no regular file)",
        ),
    ] {
        let mut referring = entry("dam.searchAssets");
        referring["staticHeaders"] = json!({ "x-api-key": reference });
        let tools = json!({ "tools": [referring, entry("pim.getProduct")] });
        let bootstrap = read(&folder.write("tools.json", 0o600, tools.to_string()));
        assert_eq!(bootstrap.tools.len(), 1);
        let found = &bootstrap.refused[0].problems[0];
        let shown = found
            .problem
            .replace(&format!("{}/", folder.0.path().display()), "");
        assert_eq!(
            (found.field.as_str(), shown.as_str()),
            ("staticHeaders.x-api-key", problem)
        );
    }
}
