//! Pexels: its key is a bare header, its ids are numbers.

use http::header;
use serde_json::Value;
use sitewright_egress::Request;
use sitewright_runtime::{Attempt, Failure};

use super::{
    ANSWER_BYTES_MAX, BROWSE, BrowseImages, IMPORT, LIMIT, Orientation, Photo, PhotoProvider,
    PhotoProviders, Photos, REMEDY, bad_answer, text, web_address,
};
use crate::provider::{ProviderReply, ProviderRequest, no_key};

const COLORS: [&str; 12] = [
    "red",
    "orange",
    "yellow",
    "green",
    "turquoise",
    "blue",
    "violet",
    "pink",
    "brown",
    "black",
    "gray",
    "white",
];

pub(super) async fn search(
    providers: &PhotoProviders,
    input: &BrowseImages,
    attempt: Attempt<'_>,
) -> Result<Photos, Failure> {
    let answer = ask(providers, BROWSE, &search_path(input), attempt).await?;
    let Some(photos) = answer["photos"].as_array() else {
        return Err(bad_answer(BROWSE, "Pexels' answer has no photographs"));
    };
    let items = photos.iter().filter_map(read);
    let items = items.take(input.limit.unwrap_or(LIMIT)).collect();
    let unknown = input.color.as_deref().filter(|color| !has_color(color));
    let note = unknown.map(|color| {
        format!("Pexels has no filter for `{color}`, so its photographs are of all colours.")
    });
    Ok(Photos::of(items, note.into_iter().collect()))
}

fn has_color(color: &str) -> bool {
    color.starts_with('#') || COLORS.contains(&color)
}

fn search_path(input: &BrowseImages) -> String {
    let mut words = url::form_urlencoded::Serializer::new(String::new());
    words.append_pair("query", &input.query);
    words.append_pair("per_page", &input.limit.unwrap_or(LIMIT).to_string());
    if let Some(orientation) = input.orientation {
        let word = match orientation {
            Orientation::Landscape => "landscape",
            Orientation::Portrait => "portrait",
            Orientation::Square => "square",
        };
        words.append_pair("orientation", word);
    }
    if let Some(color) = input.color.as_deref().filter(|color| has_color(color)) {
        words.append_pair("color", color);
    }
    format!("/search?{}", words.finish())
}

pub(super) async fn photo(
    providers: &PhotoProviders,
    id: &str,
    attempt: Attempt<'_>,
) -> Result<Photo, Failure> {
    let answer = ask(providers, IMPORT, &format!("/photos/{id}"), attempt).await?;
    read(&answer).ok_or_else(|| bad_answer(IMPORT, "Pexels' answer is not a photograph"))
}

async fn ask(
    providers: &PhotoProviders,
    tool: &str,
    path: &str,
    attempt: Attempt<'_>,
) -> Result<Value, Failure> {
    let access = &providers.pexels;
    let asking = ProviderRequest {
        egress: &providers.egress,
        tool,
        key: access
            .header(header::AUTHORIZATION, "")
            .ok_or_else(|| no_key(tool, REMEDY))?,
        setting: "pexels_api_key",
        answer_max: ANSWER_BYTES_MAX,
    };
    let request = Request::get(access.url(path));
    match asking.ask(request, attempt.timeout).await? {
        ProviderReply::Json(answer) => Ok(answer),
        ProviderReply::Refused(refused) => Err(asking.failure(&refused)),
    }
}

fn read(photo: &Value) -> Option<Photo> {
    let original = text(photo, "/src/original")?;
    let file = text(photo, "/src/large2x").unwrap_or(original);
    let preview = text(photo, "/src/medium").unwrap_or(file);
    Some(Photo {
        provider: PhotoProvider::Pexels,
        photo_id: photo["id"].as_u64()?.to_string(),
        preview_url: web_address(preview)?,
        width: photo["width"].as_u64().unwrap_or(0),
        height: photo["height"].as_u64().unwrap_or(0),
        alt: text(photo, "/alt").unwrap_or_default().to_owned(),
        photographer: text(photo, "/photographer").unwrap_or("Pexels").to_owned(),
        photographer_url: text(photo, "/photographer_url").and_then(web_address),
        source_url: web_address(text(photo, "/url")?)?,
        file_url: web_address(file)?,
        report_url: None,
    })
}
