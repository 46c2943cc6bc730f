//! A data folder on a disk that fills up: what is there can be read, whoever writes is told why not, and everything works again as
//! soon as there is room, without a restart.

use serde_json::{Value, json};

use crate::http::{Answer, Call};
use crate::product::{Instance, Server, until};

const FULL: &str = "The disk that holds the database is full; free some space, then try again.";

struct Stage {
    instance: Instance,
    token: String,
}

impl Stage {
    fn new() -> Self {
        let instance = Instance::on_small_disk(24);
        let token = instance.token("all");
        Self { instance, token }
    }

    fn call(&self, server: &Server, tool: &str, arguments: &Value) -> Answer {
        let body = json!({ "tool": tool, "scope": "site", "arguments": arguments });
        let call = Call::post("/tools/call", &body).token(&self.token);
        call.send(server)
    }

    /// Adds a page, and tells its title when that was acknowledged.
    fn add_page(&self, server: &Server, number: usize) -> Result<String, Value> {
        let title = format!("Page {number}");
        let page = json!({ "title": title, "slug": format!("page-{number}") });
        let added = self.call(server, "addPage", &page).json();
        if added["ok"] == true {
            Ok(title)
        } else {
            Err(added["error"].clone())
        }
    }

    /// The titles of pages that the site has.
    fn titles(&self, server: &Server) -> Vec<String> {
        let listed = self.call(server, "list_documents", &json!({})).json();
        let text = listed.to_string();
        let found = |title: &String| text.contains(&format!("\"{title}\""));
        (0..1000)
            .map(|number| format!("Page {number}"))
            .filter(found)
            .collect()
    }

    fn metric(&self, server: &Server, name: &str) -> f64 {
        let numbers = Call::get("/metrics").token(&self.token).send(server).text();
        let line = numbers.lines().find(|line| line.starts_with(name));
        let value = line.and_then(|line| line.split(' ').nth(1));
        value.map_or(0.0, |value| value.parse().unwrap())
    }
}

fn readiness(server: &Server) -> (u16, String) {
    let answer = Call::get("/readyz").send(server);
    match answer.status {
        200 => (200, String::new()),
        _ => (answer.problem().0, answer.problem().2),
    }
}

#[test]
fn a_full_disk_stops_writing_until_there_is_room_and_reading_never() {
    let stage = Stage::new();
    let server = stage.instance.serve("");
    let mut written = vec![stage.add_page(&server, 0).unwrap()];
    for round in 1..=3 {
        stage.instance.disk().fill();
        // SQLite may still have room in its log, which it reuses.
        let refused = until("the disk is full", || {
            match stage.add_page(&server, written.len()) {
                Ok(title) => {
                    written.push(title);
                    None
                }
                Err(refused) => Some(refused),
            }
        });
        assert_eq!(refused["code"], "storage_full", "{refused}");
        assert_eq!(refused["message"], FULL);
        let seen = until("the probe sees it", || {
            Some(readiness(&server)).filter(|(status, _)| *status == 503)
        });
        assert!(seen.1.contains("is full"), "{seen:?}");
        assert_eq!(stage.titles(&server), written, "reading, round {round}");
        until("a call waits to be recorded", || {
            let waiting = stage.metric(&server, "sitewright_calls_waiting_to_be_recorded");
            (waiting > 0.0).then_some(())
        });
        stage.instance.disk().free();
        until("it is ready again", || {
            (readiness(&server).0 == 200).then_some(())
        });
        written.push(stage.add_page(&server, written.len()).unwrap());
        assert_eq!(stage.titles(&server), written, "round {round}");
        assert_eq!(
            stage.metric(&server, "sitewright_calls_waiting_to_be_recorded"),
            0.0
        );
    }
    assert_eq!(
        stage.metric(&server, "sitewright_calls_unrecorded_total"),
        0.0
    );
    // Calls that read while the disk was full were recorded afterwards: two in each round.
    let reads = until("all calls are recorded", || {
        let path = "/admin/api/calls?limit=200";
        let calls = Call::get(path).token(&stage.token).send(&server).json();
        let calls = calls["calls"].as_array().unwrap().clone();
        let reads = calls.iter().filter(|call| call["tool"] == "list_documents");
        Some(reads.count()).filter(|reads| *reads >= 6)
    });
    assert_eq!(reads, 6);
    assert!(
        !server.log().contains("transaction depth"),
        "{}",
        server.log()
    );
    drop(server);
    let checked = stage.instance.run("audit verify --json").json();
    assert_eq!(checked["broken"], Value::Null);
}

/// A start on a full disk says so, and works once there is room.
#[test]
fn a_start_on_a_full_disk_names_the_cause() {
    let stage = Stage::new();
    stage.instance.disk().fill();
    let refused = stage.instance.run("serve --listen 127.0.0.1:0");
    let expected = "sitewright: the disk that holds the database is full; free some space, then try again: No space left on device (os error 28)\n";
    assert_eq!((refused.code, refused.stderr.as_str()), (Some(1), expected));
    stage.instance.disk().free();
    let server = stage.instance.serve("");
    assert_eq!(readiness(&server).0, 200);
}
