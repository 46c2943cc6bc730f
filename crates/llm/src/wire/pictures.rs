//! Pictures in requests, or a note in their place if the model or vendor does not accept them.

use sitewright_tool::Image;

use super::Quirks;
use crate::request::ModelRequest;

/// Returns the pictures that the model and vendor accept, and a note about the others.
pub(super) fn split<'a>(
    images: &'a [Image],
    request: &ModelRequest<'_>,
    quirks: &Quirks,
) -> (Vec<&'a Image>, Option<String>) {
    let sees = request.settings.capabilities.vision_input;
    let taken = |image: &&Image| sees && quirks.image_types.contains(&image.mime_type.as_str());
    let shown: Vec<&Image> = images.iter().filter(taken).collect();
    let omitted = images.len() - shown.len();
    let note = (omitted > 0)
        .then(|| format!("[{omitted} screenshot(s) omitted: this model does not take them]"));
    (shown, note)
}

/// Appends the note to the text of a tool's result.
pub(super) fn with_note(text: String, note: Option<String>) -> String {
    match note {
        Some(note) => format!("{text}\n{note}"),
        None => text,
    }
}

/// Encodes a picture as a data URL.
pub(super) fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.mime_type, image.data)
}
