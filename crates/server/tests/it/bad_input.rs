//! Bad input for every route: the routes come from the OpenAPI document, which is generated from the table that the router is built
//! from, so a new route is covered without a word here. Whatever is sent, the answer is never a server error, and a refusal is a
//! problem with a sentence that names the field.

use axum::body::Body;
use http::header::{CONTENT_TYPE, HOST};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use secrecy::SecretString;
use serde_json::{Value, json};
use sitewright_server::Peer;
use sitewright_testkit::{Postgres, TempDatabase};
use tower::ServiceExt as _;

use crate::instance::{Browser, Instance, PASSWORD};
use crate::schema::{Schemas, Shape};

/// A field that no route has.
const UNKNOWN: &str = "zzzUnknown";
/// What a string in a body or an address may be, and no database or file system should stumble over.
const ODD_STRINGS: [&str; 5] = [
    "",
    "a\0b",
    "\u{202e}\u{1f980}",
    "'; DROP TABLE users; --",
    "../../../etc/passwd",
];
const ODD_SEGMENTS: [&str; 9] = [
    "x",
    "%00",
    "%FF",
    "%F0%9F%A6%80",
    "..%2F..",
    "-1",
    "0",
    "99999999999999999999",
    "9223372036854775807",
];

/// Where a route reads its input from.
enum Source {
    Query(Vec<Parameter>),
    Json(Shape),
    File(Vec<Parameter>),
}

struct Parameter {
    name: String,
    is_required: bool,
    shape: Shape,
}

struct Route {
    method: String,
    path: String,
    source: Source,
}

/// Every route, from the document that the server itself gives out.
async fn routes(instance: &Instance) -> Vec<Route> {
    let path = "/admin/api/openapi.json";
    let document = instance.local("GET", path, json!({})).await.body;
    let schemas = Schemas::new(&document["components"]["schemas"]);
    let paths = document["paths"].as_object().expect("paths");
    let operations = paths.iter().flat_map(|(path, item)| {
        let item = item.as_object().expect("operations");
        item.iter().map(move |operation| (path, operation))
    });
    let read = |(path, (method, operation)): (&String, (&String, &Value))| {
        let parameters = operation["parameters"].as_array();
        let in_query = parameters
            .into_iter()
            .flatten()
            .filter(|parameter| parameter["in"] == "query");
        let query = in_query.map(|parameter| Parameter {
            name: parameter["name"].as_str().expect("a name").to_owned(),
            is_required: parameter["required"] == true,
            shape: schemas.shape(&parameter["schema"]),
        });
        let query = query.collect();
        let content = &operation["requestBody"]["content"];
        let source = match (&content["application/json"], content) {
            (Value::Null, Value::Null) => Source::Query(query),
            (Value::Null, _) => Source::File(query),
            (json, _) => Source::Json(schemas.shape(&json["schema"])),
        };
        Route {
            method: method.to_ascii_uppercase(),
            path: path.clone(),
            source,
        }
    };
    operations.map(read).collect()
}

/// What a request must lead to.
#[derive(Debug, Clone)]
enum Expected {
    /// A refusal of the input that names this field.
    Names(String),
    /// A refusal of the input.
    Refused,
    /// Anything but a server error.
    Handled,
}

/// A request, without what identifies its caller.
struct Sent {
    query: String,
    content_type: Option<&'static str>,
    body: Vec<u8>,
    expected: Expected,
}

impl Sent {
    fn json(body: &Value, expected: Expected) -> Self {
        Self::raw(body.to_string().into_bytes(), expected)
    }

    fn raw(body: Vec<u8>, expected: Expected) -> Self {
        Self {
            query: String::new(),
            content_type: Some("application/json"),
            body,
            expected,
        }
    }

    fn query(query: String, expected: Expected) -> Self {
        Self {
            query,
            content_type: None,
            body: Vec::new(),
            expected,
        }
    }
}

/// Input that does not have the form the route asks for.
fn malformed(source: &Source) -> Vec<Sent> {
    match source {
        Source::Json(shape) => malformed_bodies(shape),
        Source::Query(parameters) | Source::File(parameters) => malformed_queries(parameters),
    }
}

fn malformed_bodies(shape: &Shape) -> Vec<Sent> {
    use Expected::{Handled, Names, Refused};
    let mut sent = Vec::new();
    for whole in shape.examples() {
        let with = |name: &str, value: Value| {
            let mut body = whole.clone();
            body.insert(name.to_owned(), value);
            Value::Object(body)
        };
        let unknown = with(UNKNOWN, json!(1));
        sent.push(Sent::json(&unknown, Names(UNKNOWN.to_owned())));
        for (name, field) in shape.fields_of(&whole) {
            // What is wrong with a snapshot of the editor is ignored, so that it does not cost the message.
            let wrong = field.wrong_values().into_iter();
            for value in wrong.filter(|_| name != "snapshot") {
                sent.push(Sent::json(&with(name, value), Names(name.clone())));
            }
            if shape.requires(&whole, name) {
                let mut body = whole.clone();
                body.remove(name);
                sent.push(Sent::json(&Value::Object(body), Names(name.clone())));
            }
            let deep = format!("{{\"{name}\": {}", "[".repeat(100_000));
            sent.push(Sent::raw(deep.into_bytes(), Refused));
            let not_utf8 = [format!("{{\"{name}\": \"").as_bytes(), b"\xff\xc3\x28\"}"].concat();
            sent.push(Sent::raw(not_utf8, Refused));
            let half_a_pair = format!("{{\"{name}\": \"\\ud800\"}}");
            sent.push(Sent::raw(half_a_pair.into_bytes(), Refused));
            let infinite = format!("{{\"{name}\": 1e400}}");
            sent.push(Sent::raw(infinite.into_bytes(), Refused));
        }
        let body = Value::Object(whole).to_string();
        for content_type in [Some("text/plain"), Some("multipart/form-data"), None] {
            sent.push(Sent {
                content_type,
                ..Sent::raw(body.clone().into_bytes(), Refused)
            });
        }
        let behind = format!("{body} {{}}");
        sent.push(Sent::raw(behind.into_bytes(), Refused));
    }
    for body in ["{", "[]", "null", "7", "\"x\"", "{\"a\"}", "\u{feff}{}"] {
        sent.push(Sent::raw(body.as_bytes().to_vec(), Refused));
    }
    let objects = "{\"a\":".repeat(100_000);
    sent.push(Sent::raw(objects.into_bytes(), Refused));
    sent.push(Sent::raw(Vec::new(), Handled));
    sent
}

fn malformed_queries(parameters: &[Parameter]) -> Vec<Sent> {
    use Expected::Names;
    let required = |without: &str| {
        let required = parameters
            .iter()
            .filter(|parameter| parameter.is_required && parameter.name != without);
        let mut pairs = url::form_urlencoded::Serializer::new(String::new());
        for parameter in required {
            pairs.append_pair(&parameter.name, &parameter.shape.example_text());
        }
        pairs.finish()
    };
    let mut sent = vec![Sent::query(
        format!("{}&{UNKNOWN}=1", required("")),
        Names(UNKNOWN.to_owned()),
    )];
    for parameter in parameters {
        let name = &parameter.name;
        let others = required(name);
        for value in parameter.shape.wrong_texts() {
            let query = format!("{others}&{name}={value}");
            sent.push(Sent::query(query, Names(name.clone())));
        }
        let example = parameter.shape.example_text();
        let twice = format!("{others}&{name}={example}&{name}={example}");
        sent.push(Sent::query(twice, Names(name.clone())));
        if parameter.is_required {
            sent.push(Sent::query(others, Names(name.clone())));
        }
    }
    sent
}

/// Input of the right form whose values are strange.
fn odd(source: &Source, strings: &[&str]) -> Vec<Sent> {
    use Expected::Handled;
    let mut sent = Vec::new();
    match source {
        Source::Json(shape) => {
            for whole in shape.examples() {
                sent.push(Sent::json(&Value::Object(whole.clone()), Handled));
                for (name, field) in shape.fields_of(&whole) {
                    for value in field.odd_values(strings) {
                        let mut body = whole.clone();
                        body.insert(name.clone(), value);
                        sent.push(Sent::json(&Value::Object(body), Handled));
                    }
                }
            }
        }
        Source::Query(parameters) | Source::File(parameters) => {
            sent.push(Sent::query(String::new(), Handled));
            for Parameter { name, .. } in parameters {
                let numbers = ["9223372036854775807", "0"];
                for value in strings.iter().copied().chain(numbers) {
                    let mut pairs = url::form_urlencoded::Serializer::new(String::new());
                    for other in parameters.iter().filter(|other| other.is_required) {
                        if other.name != *name {
                            pairs.append_pair(&other.name, &other.shape.example_text());
                        }
                    }
                    let query = pairs.append_pair(name, value).finish();
                    sent.push(Sent::query(query, Handled));
                }
            }
        }
    }
    sent
}

/// The address of a route, with every parameter of the path replaced.
fn address(path: &str, segment: &str) -> String {
    let segments = path.split('/').map(|part| match part.starts_with('{') {
        true => segment,
        false => part,
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Who sends a request.
#[derive(Clone, Copy)]
enum By<'a> {
    Machine,
    Person(&'a Browser),
}

/// Sends a request and gives what is wrong with the answer.
async fn fault(
    instance: &Instance,
    route: &Route,
    segment: &str,
    sent: &Sent,
    by: By<'_>,
) -> Option<String> {
    let path = address(&route.path, segment);
    let uri = match sent.query.as_str() {
        "" => path,
        query => format!("{path}?{query}"),
    };
    let mut request = Request::builder()
        .method(route.method.as_str())
        .uri(&uri)
        .header(HOST, "localhost:8080");
    if let Some(content_type) = sent.content_type {
        request = request.header(CONTENT_TYPE, content_type);
    }
    let request = request
        .body(Body::from(sent.body.clone()))
        .expect("a request");
    let request = match by {
        By::Machine => {
            let mut request = request;
            request.extensions_mut().insert(Peer::Local);
            request
        }
        By::Person(browser) => browser.dress(request),
    };
    let response = instance.router.clone().oneshot(request).await;
    // These answer people, in a page.
    if route.path.starts_with("/preview/") {
        let status = response.expect("an answer").status();
        return (status.is_server_error()).then(|| format!("{} {uri}: {status}", route.method));
    }
    let wrong = judge(response.expect("an answer"), &sent.expected).await?;
    let body = String::from_utf8_lossy(&sent.body);
    let body: String = body.chars().take(200).collect();
    Some(format!("{} {uri} {body:?}: {wrong}", route.method))
}

/// What is wrong with an answer. A success is not read: it may be a stream that never ends.
async fn judge(response: Response<Body>, expected: &Expected) -> Option<String> {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return match expected {
            Expected::Handled => None,
            Expected::Names(_) | Expected::Refused => Some(format!("it is taken: {status}")),
        };
    }
    let is_problem = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind == "application/problem+json");
    let bytes = response.into_body().collect().await.expect("a body");
    let text = String::from_utf8_lossy(&bytes.to_bytes()).into_owned();
    let problem: Value = serde_json::from_str(&text).unwrap_or_default();
    let detail = problem["detail"].as_str().unwrap_or_default();
    let is_sentence = detail.ends_with(['.', '?', '!']) && detail.contains(' ');
    let names = |field: &str| {
        let errors = problem["errors"].as_array().into_iter().flatten();
        let fields = errors.filter_map(|error| error["field"].as_str());
        let mut fields = fields.map(|at| at.split(['.', '[']).next().unwrap_or_default());
        fields.any(|at| at == field)
    };
    let is_wrong = match expected {
        _ if status.is_server_error() || !is_problem || !is_sentence => true,
        Expected::Names(field) => status != 400 || !names(field),
        Expected::Refused => status != 400,
        Expected::Handled => !problem["code"].is_string(),
    };
    is_wrong.then(|| format!("{status} for {expected:?}: {text}"))
}

#[tokio::test]
async fn every_route_names_what_is_wrong_with_its_input() {
    let (instance, _) = Instance::owned().await;
    let (mut faults, mut count) = (Vec::new(), 0);
    for route in routes(&instance).await {
        for sent in malformed(&route.source) {
            faults.extend(fault(&instance, &route, "x", &sent, By::Machine).await);
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
    assert!(
        faults.is_empty(),
        "{} of {count}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// An instance on either database.
struct Place {
    instance: Instance,
    ada: Browser,
    _database: Option<TempDatabase>,
}

impl Place {
    async fn on(database: Option<TempDatabase>) -> Self {
        let url = database.as_ref().map(|database| database.url.clone());
        let (instance, ada) = Instance::owned_with(|settings| {
            settings.database_url = url.map(SecretString::from);
        })
        .await;
        Self {
            instance,
            ada,
            _database: database,
        }
    }

    /// Signs in again when one of the requests has ended the session or changed the password.
    async fn stay_signed_in(&mut self) {
        let answer = self.ada.get(&self.instance, "/admin/api/account").await;
        if answer.status != 200 {
            self.ada = Browser::default();
            let answer = self
                .ada
                .sign_in(&self.instance, "ada@example.com", PASSWORD);
            assert_eq!(answer.await.said(), "200");
        }
    }

    async fn takes_odd_values(mut self, strings: &[&str]) {
        let (mut faults, mut count) = (Vec::new(), 0);
        for route in routes(&self.instance).await {
            // Installing fonts is switched off in tests, and says so with 503.
            if route.path == "/admin/api/cms/fonts/install" {
                continue;
            }
            for sent in odd(&route.source, strings) {
                let by = match route.path.starts_with("/admin/api/setup/") {
                    true => By::Machine,
                    false => By::Person(&self.ada),
                };
                faults.extend(fault(&self.instance, &route, "x", &sent, by).await);
                count += 1;
            }
            let empty = Sent::query(String::new(), Expected::Handled);
            let long = "y".repeat(3000);
            let segments = ODD_SEGMENTS.iter().copied().chain([long.as_str()]);
            for segment in segments.filter(|_| route.path.contains('{')) {
                faults.extend(fault(&self.instance, &route, segment, &empty, By::Machine).await);
                count += 1;
            }
            self.stay_signed_in().await;
        }
        assert!(count > 500, "{count}");
        assert!(
            faults.is_empty(),
            "{} of {count}:\n{}",
            faults.len(),
            faults.join("\n")
        );
    }
}

#[tokio::test]
async fn no_value_makes_a_route_fail_on_sqlite() {
    Place::on(None).await.takes_odd_values(&ODD_STRINGS).await;
}

#[tokio::test]
async fn no_value_makes_a_route_fail_on_postgres() {
    if let Some(postgres) = sitewright_testkit::unless_missing(Postgres::shared()) {
        let database = postgres.create_database();
        // What differs is what the database itself refuses: a zero in a text, and numbers that are too large.
        let place = Place::on(Some(database)).await;
        place.takes_odd_values(&["a\0b"]).await;
    }
}
