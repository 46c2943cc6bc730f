//! Unsplash, Pexels, Tavily and a service for embeddings at one address, as their documentation describes them, with a few pages of the
//! web beside them.

use serde_json::{Value, json};

use crate::vendor::{Answer, Received, Reply, Vendor};

/// The key that all of them accept.
pub const KEY: &str = "k3y-canary";

/// The providers, each under a path of its own.
#[derive(Debug)]
pub struct OutsideWorld {
    vendor: Vendor,
}

impl OutsideWorld {
    /// Starts them. Photographs of both providers are this file.
    pub fn with_picture(picture: Vec<u8>) -> Self {
        Self {
            vendor: Vendor::answering(move |request| answer(request, &picture)),
        }
    }

    /// Where Unsplash answers.
    pub fn unsplash(&self) -> String {
        self.vendor.url("/unsplash")
    }

    /// Where Pexels answers.
    pub fn pexels(&self) -> String {
        self.vendor.url("/pexels")
    }

    /// Where Tavily answers.
    pub fn tavily(&self) -> String {
        self.vendor.url("/tavily")
    }

    /// Where a SearXNG answers.
    pub fn searxng(&self) -> String {
        self.vendor.url("/searxng")
    }

    /// Where embeddings are made, by a model that knows a few words for ships and ovens.
    pub fn embeddings(&self) -> String {
        self.vendor.url("/openai")
    }

    /// A page of the web: `/page`, `/picture`, `/echo`, `/missing`, `/endless`.
    pub fn web(&self, path: &str) -> String {
        self.vendor.url(&format!("/web{path}"))
    }

    /// Every request read so far, in order.
    pub fn requests(&self) -> Vec<Received> {
        self.vendor.requests()
    }

    /// The paths of the requests so far.
    pub fn paths(&self) -> Vec<String> {
        let requests = self.vendor.requests().into_iter();
        requests.map(|request| request.path).collect()
    }
}

fn answer(request: &Received, picture: &[u8]) -> Answer {
    let path = request.path.split('?').next().unwrap_or_default();
    let base = format!("http://{}", request.header("host").unwrap_or_default());
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    match parts.as_slice() {
        ["unsplash", ..] if !has_key(request, &format!("Client-ID {KEY}")) => refused(),
        ["unsplash", "search", "photos"] => {
            answered(&json!({ "total": 1, "results": [unsplash_photo(&base, "u1")] }))
        }
        ["unsplash", "photos", _, "download"] => answered(&json!({ "url": base })),
        ["unsplash", "photos", id] => answered(&unsplash_photo(&base, id)),
        ["pexels", ..] if !has_key(request, KEY) => refused(),
        ["pexels", "search"] => {
            answered(&json!({ "total_results": 1, "photos": [pexels_photo(&base, "12345678")] }))
        }
        ["pexels", "photos", id] => answered(&pexels_photo(&base, id)),
        ["tavily", ..] if !has_key(request, &format!("Bearer {KEY}")) => refused(),
        ["tavily", "search"] => answered(&tavily_results(&base, &request.body)),
        ["searxng", "search"] => answered(&json!({
            "results": [{ "title": "Kilns", "url": format!("{base}/web/page"), "content": "About kilns" }],
            "answers": [], "unresponsive_engines": []
        })),
        ["openai", ..] if !has_key(request, &format!("Bearer {KEY}")) => refused(),
        ["openai", "embeddings"] => answered(&embeddings(&request.body)),
        ["web", "page"] => {
            html("<title>Kilns</title><h1>Kilns</h1><p>They reach <b>1,200</b> degrees.</p>")
        }
        ["web", "picture"] => {
            Answer::Reply(Reply::new(200, picture).with_header("content-type", "image/png"))
        }
        ["web", "endless"] => Answer::Endless {
            headers: vec![("content-type".to_owned(), "text/plain".to_owned())],
            part: vec![b'x'; 65_536],
        },
        ["web", "echo"] => {
            let body = String::from_utf8_lossy(&request.body).into_owned();
            answered(
                &json!({ "method": request.method, "body": body, "header": request.header("x-probe") }),
            )
        }
        _ => Answer::Reply(Reply::new(404, "nothing here")),
    }
}

/// A vector for each text. A dimension counts the words of one meaning; the last one counts all others.
fn embeddings(body: &[u8]) -> Value {
    const MEANINGS: [&[&str]; 2] = [&["boat", "boats", "ship", "vessel"], &["kiln", "oven"]];
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    let texts = asked["input"].as_array().cloned().unwrap_or_default();
    let items = texts.iter().enumerate().map(|(index, text)| {
        let words = text.as_str().unwrap_or_default().split_whitespace();
        let mut vector = [0.0, 0.0, 0.1];
        for word in words {
            let meaning = MEANINGS.iter().position(|known| known.contains(&word));
            vector[meaning.unwrap_or(2)] += if meaning.is_some() { 1.0 } else { 0.01 };
        }
        json!({ "object": "embedding", "index": index, "embedding": vector })
    });
    let mut data: Vec<Value> = items.collect();
    // The order is not promised.
    data.reverse();
    json!({ "object": "list", "data": data, "model": asked["model"] })
}

fn has_key(request: &Received, key: &str) -> bool {
    request.header("authorization") == Some(key)
}

fn refused() -> Answer {
    Answer::Reply(Reply::new(401, json!({ "error": "bad key" }).to_string()))
}

fn answered(value: &Value) -> Answer {
    let reply = Reply::new(200, value.to_string());
    Answer::Reply(reply.with_header("content-type", "application/json"))
}

fn html(text: &str) -> Answer {
    Answer::Reply(Reply::new(200, text).with_header("content-type", "text/html; charset=utf-8"))
}

fn unsplash_photo(base: &str, id: &str) -> Value {
    json!({
        "id": id, "width": 4000, "height": 3000, "description": null, "alt_description": "mountain at sunset",
        "urls": { "full": format!("{base}/web/picture"), "regular": format!("{base}/web/picture"), "small": format!("{base}/web/picture") },
        "links": { "html": format!("https://unsplash.com/photos/{id}"), "download_location": format!("{base}/unsplash/photos/{id}/download?ixid=M3w") },
        "user": { "username": "ansel", "name": "Ansel", "links": { "html": "https://unsplash.com/@ansel" } }
    })
}

fn pexels_photo(base: &str, id: &str) -> Value {
    json!({
        "id": id.parse::<u64>().unwrap_or(0), "width": 3000, "height": 2000, "url": format!("https://www.pexels.com/photo/{id}/"),
        "photographer": "Ada", "photographer_url": "https://www.pexels.com/@ada", "alt": "A desk by the window",
        "src": { "original": format!("{base}/web/picture"), "large2x": format!("{base}/web/picture"), "medium": format!("{base}/web/picture") }
    })
}

fn tavily_results(base: &str, body: &[u8]) -> Value {
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    let is_deep = asked["search_depth"] == "advanced";
    json!({
        "query": asked["query"],
        "answer": is_deep.then_some("Kilns reach 1,200 degrees."),
        "results": [{
            "title": "Kilns", "url": format!("{base}/web/page"), "content": "About kilns", "score": 0.9,
            "raw_content": is_deep.then_some("# Kilns\n\nThey reach 1,200 degrees.")
        }]
    })
}
