//! Unsplash: links carry a referral parameter, and each use is reported at an address that the photograph names.

use http::header::{self, HeaderName, HeaderValue};
use serde_json::Value;
use sitewright_egress::Request;
use sitewright_runtime::{Attempt, Failure};
use url::Url;

use super::{
    ANSWER_BYTES_MAX, BROWSE, BrowseImages, IMPORT, LIMIT, Orientation, Photo, PhotoProvider,
    PhotoProviders, Photos, REMEDY, bad_answer, text, web_address,
};
use crate::provider::{ProviderReply, ProviderRequest, no_key};

const COLORS: [&str; 11] = [
    "black_and_white",
    "black",
    "white",
    "yellow",
    "orange",
    "red",
    "purple",
    "magenta",
    "green",
    "teal",
    "blue",
];

pub(super) async fn search(
    providers: &PhotoProviders,
    input: &BrowseImages,
    attempt: Attempt<'_>,
) -> Result<Photos, Failure> {
    let url = providers.unsplash.url(&search_path(input));
    let answer = ask(providers, BROWSE, url, attempt).await?;
    let Some(results) = answer["results"].as_array() else {
        return Err(bad_answer(BROWSE, "Unsplash's answer has no results"));
    };
    let items = results.iter().filter_map(|photo| read(providers, photo));
    let items = items.take(input.limit.unwrap_or(LIMIT)).collect();
    let unknown = input
        .color
        .as_deref()
        .filter(|color| !COLORS.contains(color));
    let note = unknown.map(|color| {
        format!("Unsplash has no filter for `{color}`, so its photographs are of all colours.")
    });
    Ok(Photos::of(items, note.into_iter().collect()))
}

fn search_path(input: &BrowseImages) -> String {
    let mut words = url::form_urlencoded::Serializer::new(String::new());
    words.append_pair("query", &input.query);
    words.append_pair("per_page", &input.limit.unwrap_or(LIMIT).to_string());
    words.append_pair("content_filter", "high");
    if let Some(orientation) = input.orientation {
        let word = match orientation {
            Orientation::Landscape => "landscape",
            Orientation::Portrait => "portrait",
            Orientation::Square => "squarish",
        };
        words.append_pair("orientation", word);
    }
    if let Some(color) = input
        .color
        .as_deref()
        .filter(|color| COLORS.contains(color))
    {
        words.append_pair("color", color);
    }
    format!("/search/photos?{}", words.finish())
}

pub(super) async fn photo(
    providers: &PhotoProviders,
    id: &str,
    attempt: Attempt<'_>,
) -> Result<Photo, Failure> {
    let url = providers.unsplash.url(&format!("/photos/{id}"));
    let answer = ask(providers, IMPORT, url, attempt).await?;
    let photo = read(providers, &answer);
    let photo = photo.ok_or_else(|| bad_answer(IMPORT, "Unsplash's answer is not a photograph"))?;
    match &photo.report_url {
        Some(_) => Ok(photo),
        None => Err(bad_answer(
            IMPORT,
            "the place where a use is reported is not Unsplash's",
        )),
    }
}

/// Reports that a photograph is used.
pub(super) async fn report(
    providers: &PhotoProviders,
    url: &str,
    attempt: Attempt<'_>,
) -> Result<(), Failure> {
    ask(providers, IMPORT, url.to_owned(), attempt)
        .await
        .map(drop)
}

async fn ask(
    providers: &PhotoProviders,
    tool: &str,
    url: String,
    attempt: Attempt<'_>,
) -> Result<Value, Failure> {
    let key = providers
        .unsplash
        .header(header::AUTHORIZATION, "Client-ID ");
    let asking = ProviderRequest {
        egress: &providers.egress,
        tool,
        key: key.ok_or_else(|| no_key(tool, REMEDY))?,
        setting: "unsplash_access_key",
        answer_max: ANSWER_BYTES_MAX,
    };
    let version = HeaderName::from_static("accept-version");
    let request = Request::get(url).with_header(version, HeaderValue::from_static("v1"));
    match asking.ask(request, attempt.timeout).await? {
        ProviderReply::Json(answer) => Ok(answer),
        ProviderReply::Refused(refused) => Err(crate::unsplash::refusal(&asking, &refused)),
    }
}

fn read(providers: &PhotoProviders, photo: &Value) -> Option<Photo> {
    let file = text(photo, "/urls/full").or(text(photo, "/urls/regular"))?;
    let preview = text(photo, "/urls/small")
        .or(text(photo, "/urls/thumb"))
        .unwrap_or(file);
    let alt = text(photo, "/alt_description").or(text(photo, "/description"));
    let name = text(photo, "/user/name").or(text(photo, "/user/username"));
    let profile = text(photo, "/user/links/html");
    let report = text(photo, "/links/download_location");
    Some(Photo {
        provider: PhotoProvider::Unsplash,
        photo_id: text(photo, "/id")?.to_owned(),
        preview_url: web_address(preview)?,
        width: photo["width"].as_u64().unwrap_or(0),
        height: photo["height"].as_u64().unwrap_or(0),
        alt: alt.unwrap_or_default().to_owned(),
        photographer: name.unwrap_or("Unsplash").to_owned(),
        photographer_url: profile.and_then(|profile| with_source(providers, profile)),
        source_url: with_source(providers, text(photo, "/links/html")?)?,
        file_url: web_address(file)?,
        // The key goes to Unsplash alone, whatever an answer names.
        report_url: report
            .filter(|report| is_same_origin(report, &providers.unsplash.base_url))
            .map(str::to_owned),
    })
}

fn with_source(providers: &PhotoProviders, link: &str) -> Option<String> {
    let mut url = Url::parse(&web_address(link)?).ok()?;
    url.query_pairs_mut()
        .append_pair("utm_source", &providers.unsplash_app)
        .append_pair("utm_medium", "referral");
    Some(url.into())
}

fn is_same_origin(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _ => false,
    }
}
