//! Embeddings of the words of pictures, for finding them by meaning.
//!
//! A search compares its own embedding with those of the whole site, a byte per dimension: 20,000 pictures are about 20 MB. An index of
//! nearest neighbours would need an extension on both databases and pays only with far more pictures than a site has.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::TryStreamExt as _;
use sqlx::Row as _;

use crate::{MediaId, SiteId, Store, StoreError};

/// More than any model in use has.
const DIMENSIONS_MAX: usize = 4096;

/// What a text means to a model: a direction in a space of many dimensions, with a byte for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedding(Vec<i8>);

impl Embedding {
    /// The direction of a vector; `None` for one that has none (zeros, numbers that are not finite) or too many dimensions.
    pub fn of(vector: &[f32]) -> Option<Self> {
        let largest = vector
            .iter()
            .fold(0.0_f32, |max, value| max.max(value.abs()));
        let is_usable = vector.iter().all(|value| value.is_finite()) && largest > 0.0;
        if !is_usable || vector.len() > DIMENSIONS_MAX {
            return None;
        }
        // Only directions are compared, so each vector has a scale of its own.
        let bytes = vector
            .iter()
            .map(|value| (value / largest * 127.0).round() as i8);
        Some(Self(bytes.collect()))
    }

    /// The cosine of the angle between two directions; `None` for embeddings of different models.
    fn similarity(&self, other: &Self) -> Option<f64> {
        if self.0.len() != other.0.len() {
            return None;
        }
        let length = |vector: &[i8]| {
            let squares = vector.iter().map(|value| i64::from(*value).pow(2));
            (squares.sum::<i64>() as f64).sqrt()
        };
        let pairs = self.0.iter().zip(&other.0);
        let dot: i64 = pairs.map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
        Some(dot as f64 / (length(&self.0) * length(&other.0)))
    }

    fn to_text(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().map(|value| value.cast_unsigned()).collect();
        STANDARD.encode(bytes)
    }

    fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text).ok()?;
        let values: Vec<i8> = bytes.into_iter().map(u8::cast_signed).collect();
        values
            .iter()
            .any(|value| *value != 0)
            .then_some(Self(values))
    }
}

/// The words of a picture that have no embedding yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnembeddedText {
    number: i64,
    /// Lower case, separated by spaces.
    pub words: String,
}

impl Store {
    /// Some of the pictures, of any site, whose words this model has not seen.
    pub async fn unembedded_media(
        &self,
        model: &str,
        limit: u16,
    ) -> Result<Vec<UnembeddedText>, StoreError> {
        let rows = sqlx::query(
            "SELECT s.number, s.words FROM search_texts s WHERE s.kind = 'media' AND s.words <> '' AND NOT EXISTS \
             (SELECT 1 FROM search_vectors v WHERE v.number = s.number AND v.model = $1) ORDER BY s.number LIMIT $2",
        )
        .bind(model)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        let texts = rows.iter().map(|row| {
            Ok(UnembeddedText {
                number: row.try_get("number")?,
                words: row.try_get("words")?,
            })
        });
        texts.collect()
    }

    /// Stores the embedding of each text, except of those whose words have changed since they were read.
    pub async fn save_embeddings(
        &self,
        model: &str,
        texts: &[UnembeddedText],
        embeddings: &[Embedding],
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        for (text, embedding) in texts.iter().zip(embeddings) {
            sqlx::query(
                "INSERT INTO search_vectors (number, model, vector) SELECT number, $1, $2 FROM search_texts \
                 WHERE number = $3 AND words = $4 ON CONFLICT (number) DO UPDATE SET model = EXCLUDED.model, vector = EXCLUDED.vector",
            )
            .bind(model)
            .bind(embedding.to_text())
            .bind(text.number)
            .bind(&text.words)
            .execute(&mut *write)
            .await?;
        }
        write.commit().await?;
        Ok(())
    }

    /// The pictures of a site that are nearest in meaning, the nearest first.
    pub async fn nearest_media(
        &self,
        site: &SiteId,
        model: &str,
        wanted: &Embedding,
        limit: usize,
    ) -> Result<Vec<MediaId>, StoreError> {
        let mut rows = sqlx::query(
            "SELECT s.id, v.vector FROM search_texts s JOIN search_vectors v ON v.number = s.number \
             WHERE s.site_id = $1 AND s.kind = 'media' AND v.model = $2",
        )
        .bind(site.as_str())
        .bind(model)
        .fetch(self.reader());
        let mut nearest: Vec<(f64, String)> = Vec::with_capacity(limit + 1);
        while let Some(row) = rows.try_next().await? {
            let Some(found) = Embedding::parse(row.try_get("vector")?) else {
                continue;
            };
            let Some(similarity) = wanted.similarity(&found) else {
                continue;
            };
            let place = nearest.partition_point(|(other, _)| *other >= similarity);
            if place < limit {
                nearest.insert(place, (similarity, row.try_get("id")?));
                nearest.truncate(limit);
            }
        }
        Ok(nearest
            .into_iter()
            .map(|(_, id)| MediaId::from(id))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Embedding;

    #[test]
    fn similar_directions_are_near_whatever_their_length() {
        let embedding = |values: &[f32]| Embedding::of(values).unwrap();
        let wanted = embedding(&[1.0, 0.2, 0.0]);
        let near = wanted.similarity(&embedding(&[30.0, 6.1, 0.4])).unwrap();
        let far = wanted.similarity(&embedding(&[0.0, 0.1, 0.9])).unwrap();
        assert!(near > 0.99 && far < 0.1, "{near} {far}");
        assert_eq!(wanted.similarity(&embedding(&[1.0, 0.2])), None);
        assert_eq!(Embedding::parse(&wanted.to_text()), Some(wanted));
    }

    #[test]
    fn vectors_without_a_direction_are_refused() {
        for vector in [
            &[][..],
            &[0.0, 0.0],
            &[f32::NAN, 1.0],
            &[f32::INFINITY, 1.0],
        ] {
            assert_eq!(Embedding::of(vector), None, "{vector:?}");
        }
        assert_eq!(Embedding::of(&vec![1.0; 5_000]), None);
        assert_eq!(Embedding::parse("AAAA"), None, "zeros");
        assert_eq!(Embedding::parse("no Base64!"), None);
    }
}
