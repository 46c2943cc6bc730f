//! Compresses files once, when they are published.

use std::io::{Read, Write as _};

use bytes::Bytes;

/// A file in the forms that browsers accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackedBytes {
    pub(crate) plain: Bytes,
    pub(crate) brotli: Option<Bytes>,
    pub(crate) gzip: Option<Bytes>,
}

/// Compressing fewer bytes than this saves nothing in transit.
const WORTH_IT: usize = 200;
/// Levels 10 and 11 take ten times as long for five percent less.
const BROTLI_QUALITY: i32 = 9;
const BROTLI_WINDOW: i32 = 22;

/// Compresses bytes; a form that is not smaller is left out.
pub(crate) fn pack(plain: Bytes) -> PackedBytes {
    if plain.len() < WORTH_IT {
        return PackedBytes {
            plain,
            brotli: None,
            gzip: None,
        };
    }
    let smaller = |packed: std::io::Result<Vec<u8>>| {
        // Writing to memory does not fail; if it did, the plain form would be served.
        let packed = packed.ok()?;
        (packed.len() < plain.len()).then(|| Bytes::from(packed))
    };
    PackedBytes {
        brotli: smaller(brotli(&plain)),
        gzip: smaller(gzip(&plain)),
        plain,
    }
}

/// Decompresses brotli; `None` unless the result has exactly `length` bytes.
pub(crate) fn unpack_brotli(packed: &[u8], length: u64) -> Option<Bytes> {
    read_exactly(brotli::Decompressor::new(packed, BUFFER), length)
}

/// Decompresses gzip; `None` unless the result has exactly `length` bytes.
pub(crate) fn unpack_gzip(packed: &[u8], length: u64) -> Option<Bytes> {
    read_exactly(flate2::read::GzDecoder::new(packed), length)
}

const BUFFER: usize = 4096;

/// Stops after the known length, so that a few damaged bytes cannot decompress into gigabytes.
fn read_exactly(from: impl Read, length: u64) -> Option<Bytes> {
    let mut bytes = Vec::new();
    let read = from.take(length.saturating_add(1)).read_to_end(&mut bytes);
    (read.ok()? as u64 == length).then(|| Bytes::from(bytes))
}

fn brotli(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW,
        size_hint: plain.len(),
        ..brotli::enc::BrotliEncoderParams::default()
    };
    let mut packed = Vec::with_capacity(plain.len() / 2);
    brotli::BrotliCompress(&mut &*plain, &mut packed, &parameters)?;
    Ok(packed)
}

fn gzip(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let out = Vec::with_capacity(plain.len() / 2);
    let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{pack, unpack_brotli, unpack_gzip};

    #[test]
    fn both_forms_give_the_bytes_back_and_nothing_longer() {
        let plain: String = (0..500)
            .map(|number| format!("<p>Line {number}</p>\n"))
            .collect();
        let plain = Bytes::from(plain);
        let packed = pack(plain.clone());
        let (brotli, gzip) = (packed.brotli.unwrap(), packed.gzip.unwrap());
        let length = plain.len() as u64;
        assert_eq!(unpack_brotli(&brotli, length), Some(plain.clone()));
        assert_eq!(unpack_gzip(&gzip, length), Some(plain.clone()));
        for wrong in [0, length - 1, length + 1, u64::MAX] {
            assert_eq!(unpack_brotli(&brotli, wrong), None, "{wrong}");
            assert_eq!(unpack_gzip(&gzip, wrong), None, "{wrong}");
        }
        assert_eq!(unpack_brotli(&gzip, length), None);
        assert_eq!(unpack_gzip(&gzip[..gzip.len() / 2], length), None);
    }

    #[test]
    fn what_does_not_shrink_stays_as_it_is() {
        let short = pack(Bytes::from_static(b"short"));
        assert_eq!((short.brotli, short.gzip), (None, None));
        // Incompressible bytes from a small generator.
        let mut state = 1_u64;
        let noise: Vec<u8> = (0..1000)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                u8::try_from(state >> 56).unwrap()
            })
            .collect();
        let packed = pack(Bytes::from(noise));
        assert_eq!((packed.brotli, packed.gzip), (None, None));
    }
}
