//! Embeddings of texts by a service with the interface of OpenAI, which Ollama and most gateways have too.
//!
//! The service is chosen by whoever runs the server, so a search that goes there is not counted as leaving for a vendor.

use std::time::Duration;

use http::HeaderMap;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use serde::Deserialize;
use serde_json::json;
use sitewright_egress::{Egress, Request};
use sitewright_runtime::Failure;
use sitewright_store::{Embedding, Store, StoreError};
use sitewright_tool::ErrorCode;

use crate::exchange::{self, Answer};
use crate::{ProviderAccess, failure};

const NAME: &str = "the embedding service";
const TIMEOUT: Duration = Duration::from_secs(20);
/// A batch of 64 vectors with 4,096 dimensions, written out in JSON.
const ANSWER_MAX: usize = 8 * 1024 * 1024;
/// How many pictures are embedded with one request.
const BATCH: u16 = 64;
/// Models refuse longer texts than they were made for; what a picture shows is said in fewer.
const CHARS_MAX: usize = 2_000;

/// A service for embeddings, and the model that it is asked for.
#[derive(Debug, Clone)]
pub struct Embedder {
    pub egress: Egress,
    pub service: ProviderAccess,
    pub model: String,
}

/// Why pictures could not be embedded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The service refused, did not answer or answered something else.
    #[error("{}", .0.error.message)]
    Service(Failure),
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Deserialize)]
struct EmbeddingList {
    data: Vec<EmbeddingItem>,
}

#[derive(Deserialize)]
struct EmbeddingItem {
    index: usize,
    embedding: Vec<f32>,
}

impl Embedder {
    /// Embeds some of the pictures that this model has not seen; false when there are none left.
    pub async fn embed_pictures(&self, store: &Store) -> Result<bool, EmbedError> {
        let texts = store.unembedded_media(&self.model, BATCH).await?;
        if texts.is_empty() {
            return Ok(false);
        }
        let words: Vec<&str> = texts.iter().map(|text| text.words.as_str()).collect();
        let embeddings = self.embed(&words).await.map_err(EmbedError::Service)?;
        store
            .save_embeddings(&self.model, &texts, &embeddings)
            .await?;
        Ok(true)
    }

    /// The embedding of each text, in order.
    pub(crate) async fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, Failure> {
        let input: Vec<String> = texts
            .iter()
            .map(|text| text.chars().take(CHARS_MAX).collect())
            .collect();
        let body = json!({ "model": self.model, "input": input, "encoding_format": "float" });
        let mut secrets = HeaderMap::new();
        secrets.extend(self.service.header(AUTHORIZATION, "Bearer "));
        let mut request = Request::post(self.service.url("/embeddings"), body.to_string())
            .with_header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .with_total(TIMEOUT);
        for (name, value) in &secrets {
            request = request.with_header(name.clone(), value.clone());
        }
        match exchange::send(&self.egress, NAME, request, ANSWER_MAX).await? {
            Answer::Refusal(refusal) => {
                let credentials = " in the setting `embedding_key`.";
                Err(refusal.failure(NAME, &secrets, credentials))
            }
            Answer::Success { body, .. } => read(&body, texts.len()).ok_or_else(|| {
                let what = "its answer does not have one usable vector for each text";
                failure::of_answer(NAME, ErrorCode::InvalidOutput, what)
            }),
        }
    }
}

/// The embeddings of an answer, in order; `None` unless there is a usable one for each text.
fn read(body: &[u8], expected: usize) -> Option<Vec<Embedding>> {
    let mut list: EmbeddingList = serde_json::from_slice(body).ok()?;
    list.data.sort_by_key(|item| item.index);
    let embeddings: Option<Vec<Embedding>> = list
        .data
        .iter()
        .enumerate()
        .filter(|(place, item)| *place == item.index)
        .map(|(_, item)| Embedding::of(&item.embedding))
        .collect();
    embeddings.filter(|embeddings| embeddings.len() == expected)
}
