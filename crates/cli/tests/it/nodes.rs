//! Two servers with two data folders on one Postgres are one instance.

use serde_json::json;

use crate::http::{Answer, Call};
use crate::product::{Instance, OWNER, PASSWORD, Server, until};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Two folders, one database and one key.
pub(crate) fn two_nodes() -> Option<(Instance, Instance)> {
    let first = Instance::on_postgres()?.with("SITEWRIGHT_SECRET_KEY", KEY);
    let second = Instance::new()
        .with("DATABASE_URL", first.variable("DATABASE_URL"))
        .with("SITEWRIGHT_SECRET_KEY", KEY);
    Some((first, second))
}

fn sign_in(server: &Server, password: &str) -> Answer {
    let body = json!({ "email": OWNER, "password": password });
    Call::post("/admin/api/session", &body).send(server)
}

#[test]
fn what_one_node_does_the_other_sees_at_once() {
    let Some((first, second)) = two_nodes() else {
        return;
    };
    let (one, two) = (first.serve(""), second.serve(""));
    first.set_up();
    assert_eq!(sign_in(&two, PASSWORD).status, 200);
    let token = first.token("all");
    let body = json!({ "email": "grace@example.com", "role": "editor" });
    let added = Call::post("/admin/api/users", &body).token(&token);
    let id = added.send(&one).json()["user"]["id"].clone();
    let users = Call::get("/admin/api/users").token(&token);
    let seen = users.send(&two).json();
    assert_eq!(seen, users.send(&one).json());
    let seen: Vec<_> = seen["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|user| &user["email"])
        .collect();
    assert_eq!(seen, [OWNER, "grace@example.com"]);
    let path = format!("/admin/api/users/{}", id.as_str().unwrap());
    let disabled = Call::patch(&path, &json!({ "disabled": true })).token(&token);
    assert_eq!(disabled.send(&two).json()["disabled"], true);
    assert_eq!(users.send(&one).json()["users"][1]["disabled"], true);
}

/// A session begun on one node is good on the other, and ends on both.
#[test]
fn a_session_counts_on_both_nodes() {
    let Some((first, second)) = two_nodes() else {
        return;
    };
    first.set_up();
    let (one, two) = (first.serve(""), second.serve(""));
    let begun = sign_in(&one, PASSWORD);
    let cookie = begun.header("set-cookie").unwrap();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let session = Call::get("/admin/api/session").header("Cookie", &cookie);
    assert_eq!(session.send(&two).json()["signedIn"], true);
    let csrf = begun.json()["csrfToken"].as_str().unwrap().to_owned();
    let end = Call::delete("/admin/api/session").header("Cookie", &cookie);
    assert_eq!(end.header("x-csrf-token", &csrf).send(&two).status, 204);
    assert_eq!(session.send(&one).json()["signedIn"], false);
}

#[test]
fn tries_to_sign_in_are_counted_across_nodes() {
    let Some((first, second)) = two_nodes() else {
        return;
    };
    first.set_up();
    let nodes = [first.serve(""), second.serve("")];
    for attempt in 0..10 {
        let refused = sign_in(&nodes[attempt % 2], "wrong").refusal();
        assert_eq!(refused, (401, "unauthenticated".to_owned()), "{attempt}");
    }
    for node in &nodes {
        let refused = sign_in(node, PASSWORD);
        assert_eq!(refused.refusal(), (429, "rate_limited".to_owned()));
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=15 * 60).contains(&wait), "{wait}");
    }
}

#[test]
fn a_node_with_another_key_stays_out() {
    let Some((first, second)) = two_nodes() else {
        return;
    };
    first.set_up();
    let stranger = second.with("SITEWRIGHT_SECRET_KEY", &KEY.replace('0', "1"));
    let refused = stranger.run("serve --listen 127.0.0.1:0");
    assert_eq!(refused.code, Some(1));
    let sentence = "sitewright: the secret key does not fit this instance";
    assert!(refused.stderr.starts_with(sentence), "{refused:?}");
}

/// An agent asks on one node and a person decides on the other: the call runs once, and the agent has the answer where it asked.
#[test]
fn a_call_that_waits_on_one_node_is_decided_on_the_other() {
    let Some((first, second)) = two_nodes() else {
        return;
    };
    first.set_up();
    let (one, two) = (first.serve(""), second.serve(""));
    let token = first.token("all");
    let call = |server, tool: &str, arguments, key: &str| {
        let body = json!({ "tool": tool, "arguments": arguments, "idempotencyKey": key });
        Call::post("/tools/call", &body)
            .token(&token)
            .send(server)
            .json()
    };
    for (key, decision, code) in [("yes", "approve", "ok"), ("no", "deny", "approval_denied")] {
        let page = call(
            &one,
            "addPage",
            json!({ "title": key }),
            &format!("add-{key}"),
        );
        let page = json!({ "pageId": page["data"]["pageId"] });
        let waits = call(&one, "deletePage", page.clone(), key);
        let id = waits["error"]["details"]["approval"]["id"]
            .as_str()
            .unwrap();
        let waiting = Call::get("/admin/api/approvals").token(&token);
        assert!(waiting.send(&two).text().contains(id));
        // A token may not decide; whoever sits at the other machine may.
        let decide = format!("approvals {decision} {id}");
        let decided = second.run(&decide);
        assert_eq!(decided.code, Some(0), "{decided:?}");
        let answer = call(&one, "deletePage", page, key);
        let told = answer["error"]["code"].as_str().unwrap_or("ok");
        assert_eq!(told, code, "{answer}");
        let again = first.run(&format!("{decide} --json"));
        assert_eq!(again.failure().1, "conflict");
    }
    for server in [&one, &two] {
        let documents = call(server, "list_documents", json!({}), "look").to_string();
        assert!(
            documents.contains("\"no\"") && !documents.contains("\"yes\""),
            "{documents}"
        );
    }
}

/// The other node looks at the policy every few seconds: until then it judges by the one before.
#[test]
fn a_policy_that_is_set_on_one_node_soon_counts_on_the_other() {
    let Some((first, second)) = two_nodes() else {
        return;
    };
    first.set_up();
    let (one, two) = (first.serve(""), second.serve(""));
    let token = first.token("all");
    let code = |server| {
        let body = json!({ "tool": "list_documents" });
        let answer = Call::post("/tools/call", &body).token(&token).send(server);
        let code = answer.json()["error"]["code"].take();
        code.as_str().unwrap_or("ok").to_owned()
    };
    let set = |server, active: Option<&str>| {
        let body = json!({ "active": active });
        let put = Call::put("/admin/api/policy", &body).token(&token);
        assert_eq!(put.send(server).status, 200);
    };
    assert_eq!((code(&one), code(&two)), ("ok".to_owned(), "ok".to_owned()));
    set(&two, Some("forbid (principal, action, resource);"));
    assert_eq!(code(&two), "forbidden", "at once where it was set");
    until("the first node sees the policy", || {
        (code(&one) == "forbidden").then_some(())
    });
    set(&one, None);
    assert_eq!(code(&one), "ok");
    until("the second node sees the policy", || {
        (code(&two) == "ok").then_some(())
    });
}

/// Rows are shared and files are not: the second node says so when it starts, and not when the folder is one.
#[test]
fn a_node_with_a_folder_of_its_own_for_files_says_so() {
    let Some((first, second)) = two_nodes() else {
        return;
    };
    first.set_up();
    // A server that stops waits for what it began at its start.
    let log_of = |instance: &Instance| {
        let mut server = instance.serve("");
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
        server.log()
    };
    let warning = "this server stores files in another place";
    for (instance, is_warned) in [(&first, false), (&second, true), (&first, false)] {
        let log = log_of(instance);
        assert_eq!(log.contains(warning), is_warned, "{log}");
    }
}
