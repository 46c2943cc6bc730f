//! The commands, over each of their roads: on the folder, through the server that has it, and on a server elsewhere.

use std::fs::{File, TryLockError};

use serde_json::{Value, json};
use sitewright_testkit::closed_port;
use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use crate::http::Call;
use crate::product::{Instance, OWNER, Outcome, PASSWORD, Server, bare_command, run};

/// A way for a command to reach an instance.
enum Road<'a> {
    Folder(&'a Instance),
    Server(&'a Server, &'a str),
}

impl Road<'_> {
    fn run(&self, words: &str) -> Outcome {
        match self {
            Self::Folder(instance) => instance.run(words),
            Self::Server(server, token) => {
                let words = format!("{words} --server {} --token {token}", server.url());
                run(bare_command(&words), "")
            }
        }
    }
}

/// The same value with ids, times and secrets replaced, which are different each time.
fn masked(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mask = |(name, value): (&String, &Value)| match name.as_str() {
                "id" => (name.clone(), json!("ID")),
                "createdAt" | "expiresAt" => (name.clone(), json!("TIME")),
                "token" => (name.clone(), json!("SECRET")),
                _ => (name.clone(), masked(value)),
            };
            fields.iter().map(mask).collect()
        }
        Value::Array(items) => items.iter().map(masked).collect(),
        other => other.clone(),
    }
}

/// How many requests the API has answered, by its own count.
fn api_requests(server: &Server) -> u64 {
    let numbers = Call::get("/metrics").send(server).text();
    let lines = numbers.lines().filter(|line| {
        line.starts_with("sitewright_http_requests_total{") && line.contains("area=\"api\"")
    });
    let counts = lines.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap());
    counts.sum()
}

fn check_fixed_forms(road: &Road, made_by: &str) {
    let made = road
        .run("token create --name deploy --capabilities site.read,users.manage --json")
        .json();
    let secret = made["token"].as_str().unwrap();
    assert!(secret.starts_with("swt_"), "{secret}");
    let expected = json!({
        "token": "SECRET",
        "info": {
            "id": "ID", "name": "deploy", "kind": "script", "capabilities": ["site.read", "users.manage"],
            "createdAt": "TIME", "expiresAt": "TIME", "createdBy": made_by,
        },
    });
    assert_eq!(masked(&made), expected);
    let listed = road.run("token list --json").json();
    assert_eq!(listed[0]["id"], made["info"]["id"]);
    let revoke = format!(
        "token revoke {} --json",
        made["info"]["id"].as_str().unwrap()
    );
    assert_eq!(
        road.run(&revoke).json(),
        json!({ "revoked": made["info"]["id"] })
    );
    let all = road
        .run("token create --name all --capabilities all --kind agent --json")
        .json();
    assert_eq!(all["info"]["kind"], "agent");
    assert_eq!(all["info"]["capabilities"].as_array().unwrap().len(), 13);
    let verified = road.run("audit verify");
    assert_eq!((verified.code, verified.stderr.as_str()), (Some(0), ""));
    assert!(
        verified.stdout.starts_with("The log is intact: "),
        "{verified:?}"
    );
    assert_eq!(road.run("audit verify --json").json()["ok"], true);
    let owner = json!([{
        "id": "ID", "email": OWNER, "name": "ada", "role": "owner", "disabled": false, "invited": false,
        "instanceOwner": true, "secondFactor": false, "createdAt": "TIME",
    }]);
    assert_eq!(masked(&road.run("user list --json").json()), owner);
}

#[test]
fn the_fixed_forms_work_on_the_folder() {
    let instance = Instance::new();
    let words = format!("setup --email {OWNER} --password-stdin --json");
    let made = instance
        .run_with_input(&words, &format!("{PASSWORD}\n"))
        .json();
    let expected = json!({ "user": { "id": "ID", "email": OWNER, "name": "ada" } });
    assert_eq!(masked(&made), expected);
    check_fixed_forms(&Road::Folder(&instance), "The command line");
}

#[test]
fn a_site_starts_with_what_was_chosen() {
    let instance = Instance::new();
    let words = format!("setup --email {OWNER} --password-stdin --starter restaurant --json");
    instance.run_with_input(&words, PASSWORD).json();
    let listed = instance
        .run("tool call list_documents --scope site --json")
        .json();
    let documents = listed["data"]["documents"].as_array().unwrap().iter();
    let titles: Vec<&str> = documents
        .filter(|document| document["document"]["type"] == "page")
        .map(|document| document["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["Home", "Menu", "Visit"]);
}

#[test]
fn the_fixed_forms_work_through_the_server_that_has_the_folder() {
    let instance = Instance::new();
    let server = instance.serve("");
    let lock = File::open(instance.data().join("sitewright.lock")).unwrap();
    assert!(matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
    let before = api_requests(&server);
    instance.set_up();
    assert_eq!(api_requests(&server), before + 1);
    let credentials = json!({ "email": OWNER, "password": PASSWORD });
    let sign_in = Call::post("/admin/api/session", &credentials);
    assert_eq!(sign_in.send(&server).status, 200);
    let before = api_requests(&server);
    check_fixed_forms(&Road::Folder(&instance), "The command line");
    assert_eq!(api_requests(&server), before + 7);
    let token = instance.token("users.manage");
    let users = Call::get("/admin/api/users").token(&token);
    assert_eq!(users.send(&server).status, 200);
}

#[test]
fn the_fixed_forms_work_on_a_server_elsewhere() {
    let instance = Instance::ready();
    let server = instance.serve("");
    let token = instance.token("all");
    check_fixed_forms(&Road::Server(&server, &token), "The command line");
}

#[test]
fn people_are_looked_after_over_every_road() {
    let check = |road: &Road| {
        let text = |words: &str| {
            let outcome = road.run(words);
            assert_eq!(
                (outcome.code, outcome.stderr.as_str()),
                (Some(0), ""),
                "{outcome:?}"
            );
            outcome.stdout
        };
        let invited = text("user add --email grace@example.com --role editor --name Grace");
        let (sentence, link) = invited.split_once('\n').unwrap();
        assert_eq!(
            sentence,
            "Send this link to grace@example.com. It works once, within a week:"
        );
        assert!(link.contains("/admin/join#token="), "{link}");
        assert_eq!(
            text("user role grace@example.com author"),
            "grace@example.com is now author.\n"
        );
        assert_eq!(
            text("user disable GRACE@example.com"),
            "GRACE@example.com can no longer sign in.\n"
        );
        assert_eq!(
            text("user enable grace@example.com"),
            "grace@example.com can sign in again.\n"
        );
        let expected = "EMAIL              NAME   ROLE    STATE\n\
                        grace@example.com  Grace  author  invited\n\
                        ada@example.com    ada    owner   active\n";
        assert_eq!(text("user list"), expected);
        assert!(text("user password-link grace@example.com").contains("/admin/join#token="));
        assert_eq!(
            text("user remove grace@example.com"),
            "grace@example.com was removed from this site.\n"
        );
        let missing = road
            .run("user role grace@example.com author --json")
            .failure();
        let sentence = "no one on this site has the email address grace@example.com";
        assert_eq!(
            missing,
            (Some(1), "not_found".to_owned(), sentence.to_owned())
        );
    };
    let instance = Instance::ready();
    check(&Road::Folder(&instance));
    let token = instance.token("all");
    let server = instance.serve("");
    check(&Road::Folder(&instance));
    check(&Road::Server(&server, &token));
}

/// Commands on a folder with an owner, with the code and the sentence of their refusal.
const REFUSALS: [(&str, &str, &str); 10] = [
    (
        "token revoke nothing",
        "not_found",
        "There is no such token.",
    ),
    (
        "token create --name n --capabilities fly",
        "invalid_input",
        UNKNOWN_CAPABILITY,
    ),
    (
        "token create --name n --capabilities all --expires-in-days 0",
        "invalid_input",
        "A token must work for at least a day.",
    ),
    (
        "user add --email ada --role viewer",
        "invalid_input",
        "Enter an email address such as ada@example.com.",
    ),
    (
        "user add --email a@example.com --role king",
        "invalid_input",
        "There is no role `king` on this site.",
    ),
    (
        "user add --email a@example.com --role viewer --password-stdin",
        "invalid_input",
        "Choose a password of at least 12 characters.",
    ),
    (
        "user remove ada@example.com",
        "conflict",
        "This is the last owner. Make someone else an owner first.",
    ),
    (
        "setup --link",
        "conflict",
        "This instance is already set up; sign in instead.",
    ),
    (
        "audit list --limit 0",
        "invalid_input",
        "Ask for 1 to 200 entries.",
    ),
    (
        "user list --site other",
        "not_found",
        "There is no such site.",
    ),
];

#[test]
fn failures_have_an_exit_code_and_with_json_a_code() {
    let instance = Instance::ready();
    let check = |words: &str, code: &str, detail: &str| {
        let refused = instance.run_with_input(&format!("{words} --json"), "short");
        let expected = (Some(1), code.to_owned(), detail.to_owned());
        assert_eq!(refused.failure(), expected);
        let plain = Outcome {
            code: Some(1),
            stdout: String::new(),
            stderr: format!("sitewright: {detail}\n"),
        };
        assert_eq!(instance.run_with_input(words, "short"), plain);
    };
    for (words, code, detail) in REFUSALS {
        check(words, code, detail);
    }
    let unknown = "the command line has the setting `lisen`, which does not exist; docs/settings.md lists them";
    check("user list --set lisen=x", "invalid_input", unknown);
    let _server = instance.serve("");
    for (words, code, detail) in REFUSALS {
        check(words, code, detail);
    }
}

const UNKNOWN_CAPABILITY: &str = "`fly` is not a capability; use one of ai.chat, ai.tools.write, ai.providers.manage, ai.audit.read, \
    site.read, site.write, site.publish, site.code, content.read, content.deliver, content.write, content.publish, tools.read, tools.call, \
    tools.approve, tools.manage, users.manage, settings.manage, a group such as `site.*`, or `all`.";

#[test]
fn wrong_usage_is_exit_code_2_and_changes_nothing() {
    for words in [
        "",
        "fly",
        "token create --name n",
        "token create --capabilities all",
        "setup",
        "setup --email ada@example.com",
        "setup --link --email ada@example.com --password-stdin",
        "user add --email a@example.com",
        "audit",
        "audit list --limit many",
        "user list --server http://127.0.0.1:1",
        "user list --server nowhere --token t",
        "serve --fly",
    ] {
        let instance = Instance::new();
        let refused = instance.run(words);
        assert_eq!(
            (refused.code, refused.stdout.as_str()),
            (Some(2), ""),
            "{words}: {refused:?}"
        );
        assert!(!instance.data().exists(), "{words}");
    }
    let help = run(bare_command("--help"), "");
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_token_is_never_wider_than_its_maker() {
    let instance = Instance::ready();
    let server = instance.serve("");
    let narrow = instance.token("site.read,users.manage");
    let create = |capabilities: Value| {
        let body = json!({ "name": "n", "kind": "script", "capabilities": capabilities });
        Call::post("/admin/api/tokens", &body)
            .token(&narrow)
            .send(&server)
    };
    let refused = create(json!(["site.read", "settings.manage", "site.code"])).problem();
    let sentence =
        "A token cannot allow what you are not allowed to do yourself: site.code, settings.manage.";
    assert_eq!(refused, (403, "forbidden".to_owned(), sentence.to_owned()));
    let all = create(json!(["all"])).json();
    assert_eq!(
        all["info"]["capabilities"],
        json!(["site.read", "users.manage"])
    );
    let group = create(json!(["site.*"])).json();
    assert_eq!(group["info"]["capabilities"], json!(["site.read"]));
    let road = Road::Server(&server, &narrow);
    let refused = road
        .run("token create --name n --capabilities settings.manage --json")
        .failure();
    let sentence = "A token cannot allow what you are not allowed to do yourself: settings.manage.";
    assert_eq!(
        refused,
        (Some(1), "forbidden".to_owned(), sentence.to_owned())
    );
    let refused = road.run("audit verify --json").failure();
    let sentence =
        "This needs the capability settings.manage, which your role or token does not have.";
    assert_eq!(
        refused,
        (Some(1), "forbidden".to_owned(), sentence.to_owned())
    );
    let role = json!({ "name": "Wide", "capabilities": ["settings.manage"] });
    let refused = Call::put("/admin/api/roles/wide", &role)
        .token(&narrow)
        .send(&server);
    assert_eq!(refused.refusal(), (403, "forbidden".to_owned()));
    let owner = json!({ "email": "eve@example.com", "role": "owner" });
    let refused = Call::post("/admin/api/users", &owner)
        .token(&narrow)
        .send(&server);
    assert_eq!(refused.refusal(), (403, "forbidden".to_owned()));
}

#[test]
fn a_server_elsewhere_refuses_what_only_the_machine_may_do() {
    let instance = Instance::ready();
    let server = instance.serve("");
    let token = instance.token("all");
    let local = "This can only be done on the machine itself, with `sitewright`.";
    let forbidden = (Some(1), "forbidden".to_owned(), local.to_owned());
    let road = Road::Server(&server, &token);
    assert_eq!(road.run("setup --link --json").failure(), forbidden);
    assert_eq!(
        road.run("setup --email a@example.com --password-stdin --json")
            .failure(),
        forbidden
    );
    let wrong = Road::Server(&server, "swt_wrong")
        .run("user list --json")
        .failure();
    let sentence = "The token is not valid: it was revoked, has expired, or was never made here.";
    assert_eq!(
        wrong,
        (Some(1), "unauthenticated".to_owned(), sentence.to_owned())
    );
    let id = road.run("token list --json").json()[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(road.run(&format!("token revoke {id}")).code, Some(0));
    assert_eq!(road.run("user list --json").failure().1, "unauthenticated");
}

#[test]
fn a_server_that_is_none_is_said_to_be_so() {
    let on = |url: &str, words: &str| {
        let words = format!("{words} --json --server {url} --token swt_x");
        run(bare_command(&words), "").failure()
    };
    let unused = closed_port();
    let (code, kind, sentence) = on(&format!("http://{unused}"), "user list");
    assert_eq!((code, kind.as_str()), (Some(1), "unavailable"));
    assert!(
        sentence.starts_with(&format!("http://{unused}/ does not respond: ")),
        "{sentence}"
    );
    let check = |reply: Reply, expected: &str| {
        let vendor = Vendor::scripted([Answer::Reply(reply)]);
        let (code, kind, sentence) =
            on(&vendor.url("/"), "token create --name n --capabilities all");
        assert_eq!(
            (code, kind.as_str(), sentence.as_str()),
            (Some(1), "upstream_error", expected)
        );
        assert_eq!(vendor.connections(), 1);
    };
    let nginx = "the response has status 404 Not Found and does not come from Sitewright: is this address right?";
    check(Reply::new(404, "<h1>nginx</h1>"), nginx);
    let page = "the response has status 200 OK and is not JSON: is this address right?";
    check(Reply::new(200, "<h1>Welcome</h1>"), page);
    // Followed, a POST would become a GET, and a list of tokens be taken for a new one.
    let moved =
        Reply::new(301, "").with_header("location", "https://www.example.com/admin/api/tokens");
    let elsewhere = "the server redirects to https://www.example.com/admin/api/tokens; pass that address with --server";
    check(moved, elsewhere);
}

/// Scripts run commands side by side, and each has the folder for itself for a moment.
#[test]
fn commands_at_the_same_time_take_turns() {
    let instance = Instance::ready();
    let create = || instance.run("token create --name n --capabilities all --json");
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let commands: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
        commands
            .into_iter()
            .map(|command| command.join().unwrap())
            .collect()
    });
    let codes: Vec<_> = outcomes.iter().map(|outcome| outcome.code).collect();
    assert_eq!(codes, [Some(0); 8], "{outcomes:?}");
    let listed = instance.run("token list --json").json();
    assert_eq!(listed.as_array().unwrap().len(), 8);
}

#[test]
fn the_activity_log_is_listed_the_newest_first_over_every_road() {
    let instance = Instance::ready();
    instance.token("all");
    let server = instance.serve("");
    let token = instance.token("settings.manage");
    for road in [Road::Folder(&instance), Road::Server(&server, &token)] {
        let entries = road.run("audit list --json").json();
        let told: Vec<(&str, &str)> = entries
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| {
                (
                    entry["actor"].as_str().unwrap(),
                    entry["action"].as_str().unwrap(),
                )
            })
            .collect();
        assert_eq!(told[..2], [("local", "token.created"); 2]);
        assert_eq!(told.last(), Some(&("local", "instance.set_up")));
        let one = road.run("audit list --limit 1 --json").json();
        // Its place in the chain comes a moment after it was written, so only the id is the same for sure.
        assert_eq!(one.as_array().map(Vec::len), Some(1));
        assert_eq!(one[0]["id"], entries[0]["id"]);
        let listed = road.run("audit list --limit 2").stdout;
        let lines: Vec<Vec<&str>> = listed
            .lines()
            .map(|line| {
                line.split("  ")
                    .filter(|cell| !cell.is_empty())
                    .map(str::trim)
                    .collect()
            })
            .collect();
        assert_eq!(lines[0], ["WHEN (UTC)", "WHO", "WHAT", "ABOUT"]);
        assert_eq!(lines.len(), 3, "{listed}");
        let subject = entries[0]["subject"].as_str().unwrap();
        assert_eq!(lines[1][1..], ["local", "token.created", subject]);
    }
}

#[test]
fn a_log_that_was_changed_is_exit_code_1_with_the_place() {
    let instance = Instance::ready();
    instance.token("all");
    // A change behind our back: the same number of bytes, right in the file.
    let file = instance.data().join("sitewright.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let (told, lie) = (b"token.created", b"token.revoked");
    let places = bytes.windows(told.len()).enumerate();
    let found: Vec<usize> = places
        .filter(|(_, text)| text == told)
        .map(|(at, _)| at)
        .collect();
    assert!(!found.is_empty());
    for at in found {
        bytes[at..at + lie.len()].copy_from_slice(lie);
    }
    std::fs::write(&file, bytes).unwrap();
    let broken = instance.run("audit verify --json");
    let expected = json!({ "ok": false, "sealed": 3, "cut": 0, "unsealed": 0, "redacted": 0, "changes": 1, "broken": "entry 3 was changed" });
    let mut report: Value = serde_json::from_str(&broken.stdout).unwrap();
    let head = report
        .as_object_mut()
        .and_then(|report| report.remove("head"));
    assert!(head.is_some());
    assert_eq!(report, expected);
    assert_eq!(broken.code, Some(1));
    let broken = instance.run("audit verify");
    let sentence = "sitewright: The log has been altered: entry 3 was changed.\n\
                    3 entries in the chain, 0 written a moment ago, 0 redacted; site changes covered: 1.\n";
    assert_eq!(
        (broken.code, broken.stdout.as_str(), broken.stderr.as_str()),
        (Some(1), "", sentence)
    );
}

#[test]
fn a_mistyped_folder_is_refused_and_not_made() {
    let instance = Instance::new();
    for words in [
        "audit verify",
        "user list",
        "token create --name t --capabilities all",
    ] {
        let folder = instance.data().display().to_string();
        let said = format!(
            "There is no Sitewright in {folder}. Check --data, or start with `sitewright setup --data {folder} --link`."
        );
        let expected = (Some(1), "not_found".to_owned(), said);
        assert_eq!(
            instance.run(&format!("{words} --json")).failure(),
            expected,
            "{words}"
        );
        assert!(!instance.data().join("sitewright.db").exists());
    }
}

/// L10: the operator sees what the site holds and what goes next, and a refusal names the limit, the setting and the remedy.
#[test]
fn l10_an_operator_sees_the_limits_and_what_is_deleted_next() {
    let instance = Instance::ready();
    let shown = instance.run("storage");
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
    for line in [
        "0 of 1000 API tokens (tokens_max)",
        "0 of 21474836480 bytes of pictures (media_bytes_max)",
        "Nothing is deleted because of its age until the server has run for a week.",
    ] {
        assert!(shown.stdout.lines().any(|shown| shown == line), "{shown:?}");
    }
    let shown = instance.run("storage --json").json();
    assert_eq!(shown["next"]["isClockTrusted"], false);
    let create = "token create --name t --kind agent --capabilities site.read --json";
    assert_eq!(
        instance.run(&format!("{create} --set tokens_max=1")).code,
        Some(0)
    );
    let refused = instance
        .run(&format!("{create} --set tokens_max=1"))
        .failure();
    let told = "The limit of 1 API tokens is reached: revoke tokens that are not used, or raise the setting `tokens_max`.";
    assert_eq!(refused, (Some(1), "too_large".to_owned(), told.to_owned()));
}
