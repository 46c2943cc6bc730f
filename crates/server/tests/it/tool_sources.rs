//! Connecting remote tools: what is refused, what is kept, what nobody ever sees again.

use http::header::HeaderValue;
use serde_json::{Value, json};
use sitewright_egress::AllowList;
use sitewright_server::Settings;
use sitewright_store::{Place, Store, Timestamp};

use crate::instance::{Answer, Browser, Instance, request};

fn pim_manifest() -> Value {
    json!({
        "name": "pim.getProduct", "description": "A product by its number", "inputSchema": { "type": "object" },
        "outputSchema": { "type": "object" }, "capability": "read", "timeoutMs": 3000,
        "retryPolicy": { "maxAttempts": 2 }, "idempotent": true
    })
}

fn pim() -> Value {
    json!({
        "manifest": pim_manifest(),
        "endpoint": "https://vendor.example.com/site-editor/tools/pim/getProduct?secret=query-canary",
        "staticHeaders": { "x-api-key": "k3y-canary" }
    })
}

async fn register(instance: &Instance, who: &Browser, registration: &Value) -> Answer {
    who.call(instance, "POST", "/tools/register", registration.clone())
        .await
}

/// The tools on offer that are not built in, with where they come from.
async fn connected(instance: &Instance, who: &Browser) -> Vec<String> {
    let answer = who.get(instance, "/tools").await;
    let tools = answer.body["tools"].as_array().expect("a list");
    let shown = tools.iter().map(|tool| {
        format!(
            "{} ({})",
            tool["name"].as_str().expect("a name"),
            tool["source"].as_str().expect("a source")
        )
    });
    shown.filter(|tool| !tool.ends_with("(built-in)")).collect()
}

#[tokio::test]
async fn a_registered_tool_is_listed_at_once_and_after_a_restart_until_it_is_removed() {
    let (instance, ada) = Instance::owned().await;
    let done = register(&instance, &ada, &pim()).await;
    assert_eq!(
        done.body,
        json!({ "name": "pim.getProduct", "outcome": "registered" })
    );
    assert_eq!(
        connected(&instance, &ada).await,
        ["pim.getProduct (registered)"]
    );
    let first = instance.router.clone();
    let mut instance = instance.opened_again(|_| {}).await;
    assert_eq!(
        connected(&instance, &ada).await,
        ["pim.getProduct (registered)"]
    );
    let gone = ada
        .call(&instance, "DELETE", "/tools/pim.getProduct", json!({}))
        .await;
    assert_eq!(gone.said(), "204");
    assert_eq!(connected(&instance, &ada).await, Vec::<String>::new());
    // The process that was there first sees what the other did.
    instance.router = first;
    assert_eq!(connected(&instance, &ada).await, Vec::<String>::new());
    let twice = ada
        .call(&instance, "DELETE", "/tools/pim.getProduct", json!({}))
        .await;
    assert_eq!(
        twice.said(),
        "404 not_found: No tool `pim.getProduct` was registered over the API; those built in or from a file cannot be removed here."
    );
}

#[tokio::test]
async fn a_second_registration_of_a_name_must_say_that_it_replaces() {
    let (instance, ada) = Instance::owned().await;
    assert_eq!(register(&instance, &ada, &pim()).await.said(), "200");
    let same = register(&instance, &ada, &pim()).await;
    assert_eq!(same.body["outcome"], "unchanged");
    let mut other = pim();
    other["manifest"]["scopes"] = json!(["content"]);
    assert_eq!(
        register(&instance, &ada, &other).await.said(),
        "409 conflict: There is a registered tool `pim.getProduct` already. Send `replace: true` to replace it, or choose another name."
    );
    other["replace"] = json!(true);
    assert_eq!(
        register(&instance, &ada, &other).await.body["outcome"],
        "replaced"
    );
    assert_eq!(
        connected(&instance, &ada).await,
        ["pim.getProduct (registered)"]
    );
    let mut built_in = pim();
    built_in["manifest"]["name"] = json!("insertHtml");
    assert_eq!(
        register(&instance, &ada, &built_in).await.said(),
        "409 conflict: There is a tool `insertHtml` already, from elsewhere (built-in); choose another name, or remove that one first."
    );
}

#[tokio::test]
async fn everything_wrong_is_told_at_once_with_its_field() {
    let (instance, ada) = Instance::owned().await;
    let mut wrong = pim();
    wrong["manifest"]["timeoutMs"] = json!(1);
    wrong["endpoint"] = json!("http://10.0.0.5/x");
    wrong["staticHeaders"] = json!({ "Host": "k3y-canary" });
    let refused = register(&instance, &ada, &wrong).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.body["code"]),
        (400, &json!("invalid_input"))
    );
    assert_eq!(
        refused.body["errors"],
        json!([
            { "field": "manifest.timeoutMs", "message": "`manifest.timeoutMs` is 1: give a whole number from 250 to 600000." },
            {
                "field": "endpoint",
                "message": "`endpoint` leads to 10.0.0.5, which may not be reached (it is in a private network): use a public address, or have \
                            an operator list it in SITEWRIGHT_EGRESS_ALLOW."
            },
            {
                "field": "staticHeaders.Host",
                "message": "`staticHeaders.Host` decides where the message goes or ends, and is set with each call: leave it out."
            }
        ])
    );
    let nothing = register(&instance, &ada, &json!({})).await;
    let fields: Vec<_> = nothing.body["errors"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|error| &error["field"])
        .collect();
    assert_eq!(fields, ["manifest", "endpoint"]);
    assert_eq!(connected(&instance, &ada).await, Vec::<String>::new());
}

#[tokio::test]
async fn only_who_manages_tools_connects_them_and_never_an_agent() {
    let (instance, ada) = Instance::owned().await;
    let editor = instance.member("edith@example.com", "editor").await;
    assert_eq!(register(&instance, &editor, &pim()).await.status, 403);
    assert_eq!(editor.get(&instance, "/tools/sources").await.status, 403);
    for (kind, expected) in [("agent", 403), ("script", 200)] {
        let body = json!({ "name": kind, "kind": kind, "capabilities": ["all"] });
        let made = ada.call(&instance, "POST", "/admin/api/tokens", body).await;
        let token = made.body["token"].as_str().expect("a token");
        let answer = instance
            .with_token(token, "POST", "/tools/register", pim())
            .await;
        assert_eq!(answer.status, expected, "{answer:?}");
    }
}

#[tokio::test]
async fn a_tool_of_one_site_is_not_there_for_another() {
    let (instance, ada) = Instance::owned().await;
    assert_eq!(register(&instance, &ada, &pim()).await.said(), "200");
    let place = Place::File(instance.settings.data.join("sitewright.db"));
    let store = Store::open(&place).await.expect("the database");
    store
        .create_site("second", "Second", Timestamp::now())
        .await
        .expect("a site");
    for (site, expected) in [("main", 1), ("second", 0)] {
        let mut list = ada.dress(request("GET", "/tools", None));
        list.headers_mut()
            .insert("sitewright-site", HeaderValue::from_static(site));
        let tools = instance.send(list).await.body["tools"].take();
        let registered = tools
            .as_array()
            .expect("a list")
            .iter()
            .filter(|tool| tool["source"] == "registered");
        assert_eq!(registered.count(), expected, "{site}");
    }
    let mut remove = ada.dress(request("DELETE", "/tools/pim.getProduct", None));
    remove
        .headers_mut()
        .insert("sitewright-site", HeaderValue::from_static("second"));
    assert_eq!(instance.send(remove).await.status, 404);
}

/// What the list says is on can be called, and what it says is off, or does not name, cannot.
#[tokio::test]
async fn the_tools_that_are_listed_as_enabled_are_those_that_can_be_called() {
    let (instance, ada) = Instance::owned_with(|settings| {
        settings.unsplash_access_key = Some("k3y-canary".into());
    })
    .await;
    assert_eq!(register(&instance, &ada, &pim()).await.said(), "200");
    let listed = ada.get(&instance, "/tools").await.body["tools"].take();
    let listed = listed.as_array().expect("a list").clone();
    let find = |name: &str| listed.iter().find(|tool| tool["name"] == name);
    for (name, enabled) in [
        ("insertHtml", true),
        ("pim.getProduct", true),
        ("unsplash.search", true),
        ("image.generate", false),
    ] {
        let tool = find(name).expect(name);
        assert_eq!(tool["enabled"], enabled, "{tool}");
    }
    let pim = find("pim.getProduct").expect("the tool that was registered");
    for (field, value) in pim_manifest().as_object().expect("a manifest") {
        assert_eq!(&pim[field], value, "{field}");
    }
    // Arguments that fit no schema: whether a tool is there is known before it would do anything.
    let answer = async |name: &str, scope: Option<&Value>| {
        let mut call = json!({ "tool": name, "arguments": ["none"] });
        if let Some(scope) = scope {
            call["scope"] = scope.clone();
        }
        ada.call(&instance, "POST", "/tools/call", call).await.body["error"]["code"].take()
    };
    for tool in &listed {
        let name = tool["name"].as_str().expect("a name");
        let expected = match tool["enabled"] == true {
            true => "invalid_input",
            false => "unavailable",
        };
        assert_eq!(
            answer(name, tool["scopes"].get(0)).await,
            expected,
            "{name}"
        );
    }
    assert_eq!(answer("pim.getPrice", None).await, "unknown_tool");
    let gone = ada
        .call(&instance, "DELETE", "/tools/pim.getProduct", json!({}))
        .await;
    assert_eq!(gone.said(), "204");
    assert_eq!(answer("pim.getProduct", None).await, "unknown_tool");
    let after = ada.get(&instance, "/tools").await.body["tools"].take();
    let rest: Vec<Value> = listed
        .iter()
        .filter(|tool| tool["name"] != "pim.getProduct")
        .cloned()
        .collect();
    assert_eq!(after, json!(rest), "the others are listed as they were");
}

/// A9: the list of tools gave away where they live, and files held their keys in the open.
#[tokio::test]
async fn no_route_ever_shows_a_secret_of_a_tool() {
    let (instance, ada) = Instance::owned().await;
    let registered = register(&instance, &ada, &pim()).await;
    let mut replaced = pim();
    replaced["staticHeaders"]["authorization"] = json!("Bearer t0ken-canary");
    let refused = register(&instance, &ada, &replaced).await;
    replaced["replace"] = json!(true);
    let replaced = register(&instance, &ada, &replaced).await;
    let document = ada.get(&instance, "/admin/api/openapi.json").await;
    let mut answers = vec![registered, refused, replaced];
    for (path, operations) in document.body["paths"].as_object().expect("paths") {
        let endless = path.ends_with("/changes") || path.ends_with("/stream");
        if operations.get("get").is_some() && !path.contains('{') && !endless {
            answers.push(ada.get(&instance, path).await);
        }
    }
    assert!(answers.len() > 15, "{}", answers.len());
    for answer in &answers {
        assert!(!format!("{answer:?}").contains("canary"), "{answer:?}");
    }
    let sources = ada.get(&instance, "/tools/sources").await;
    assert_eq!(
        sources.body["registered"],
        json!([{
            "name": "pim.getProduct", "host": "vendor.example.com", "headerNames": ["x-api-key", "authorization"], "harmless": false,
        }])
    );
    let audit = ada
        .get(&instance, "/admin/api/audit")
        .await
        .body
        .to_string();
    assert!(
        audit.contains("tool.registered") && audit.contains("tool.replaced"),
        "{audit}"
    );
}

#[tokio::test]
async fn the_bootstrap_file_gives_tools_and_a_bad_entry_is_told_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tools.json");
    let mut slow = pim();
    slow["manifest"]["name"] = json!("pim.slow");
    slow["manifest"]["timeoutMs"] = json!(1);
    let mut taken = pim();
    taken["manifest"]["name"] = json!("insertHtml");
    std::fs::write(&path, json!({ "tools": [slow, pim(), taken] }).to_string()).expect("a file");
    let instance =
        Instance::owned_with(|settings| settings.tool_manifest_path = Some(path.clone())).await;
    let (instance, ada) = instance;
    assert_eq!(connected(&instance, &ada).await, ["pim.getProduct (file)"]);
    let file = ada.get(&instance, "/tools/sources").await.body["file"].take();
    assert_eq!(
        file,
        json!({
            "path": path.display().to_string(), "loaded": ["pim.getProduct"],
            "problems": [
                "entry 0 (`pim.slow`) is refused: `manifest.timeoutMs` is 1: give a whole number from 250 to 600000",
                "`insertHtml` is refused: there is a tool `insertHtml` already, from elsewhere (built-in); choose another name, or \
                 remove that one first"
            ]
        })
    );
    // What came from the file is not the API's to replace.
    assert_eq!(
        register(&instance, &ada, &pim()).await.said(),
        "409 conflict: There is a tool `pim.getProduct` already, from elsewhere (file); choose another name, or remove that one first."
    );
    let gone = ada
        .call(&instance, "DELETE", "/tools/pim.getProduct", json!({}))
        .await;
    assert_eq!(gone.status, 404);
}

#[tokio::test]
async fn a_bootstrap_file_that_is_not_there_does_not_stop_the_start() {
    let path = std::path::PathBuf::from("/nowhere/tools.json");
    let (instance, ada) =
        Instance::owned_with(|settings| settings.tool_manifest_path = Some(path)).await;
    let file = ada.get(&instance, "/tools/sources").await.body["file"].take();
    assert_eq!(
        file["problems"],
        json!([
            "/nowhere/tools.json cannot be read (No such file or directory (os error 2)); correct ORCHESTRATOR_TOOL_MANIFEST_PATH, \
                or remove it"
        ])
    );
}

/// The allow-list may become shorter between two starts.
#[tokio::test]
async fn a_tool_that_may_not_be_reached_any_more_is_told_and_can_be_removed() {
    let (instance, ada) = Instance::owned_with(|settings| {
        settings.egress_allow = "127.0.0.1/32".parse().expect("a list")
    })
    .await;
    let mut local = pim();
    local["endpoint"] = json!("http://127.0.0.1:9999/x");
    assert_eq!(register(&instance, &ada, &local).await.said(), "200");
    let nothing = |settings: &mut Settings| settings.egress_allow = AllowList::default();
    let instance = instance.opened_again(nothing).await;
    assert_eq!(connected(&instance, &ada).await, Vec::<String>::new());
    let sources = ada.get(&instance, "/tools/sources").await.body["registered"].take();
    let problem = sources[0]["problem"].as_str().expect("a problem");
    assert!(
        problem.starts_with("`endpoint` leads to 127.0.0.1, which may not be reached"),
        "{problem}"
    );
    let gone = ada
        .call(&instance, "DELETE", "/tools/pim.getProduct", json!({}))
        .await;
    assert_eq!(gone.said(), "204");
}

#[tokio::test]
async fn each_of_the_eight_fields_is_needed_and_a_wrong_one_is_told() {
    let (instance, ada) = Instance::owned().await;
    let manifest = pim()["manifest"].take();
    for field in manifest.as_object().expect("an object").keys() {
        let mut without = pim();
        without["manifest"]
            .as_object_mut()
            .expect("an object")
            .shift_remove(field);
        let refused = register(&instance, &ada, &without).await;
        assert_eq!(refused.status, 400);
        assert_eq!(
            refused.body["errors"][0]["field"],
            format!("manifest.{field}")
        );
    }
    let mut admin = pim();
    admin["manifest"]["capability"] = json!("admin");
    assert_eq!(
        register(&instance, &ada, &admin).await.said(),
        "400 invalid_input: `manifest.capability` is \"admin\": choose one of `read`, `write`."
    );
}
