//! Pictures, friendly and hostile, into a real store.

#![expect(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

mod hostile;
mod keeping;
mod sizes;

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

/// A photograph, as far as a compressor can tell: every pixel differs from its neighbours.
fn photograph(width: u32, height: u32) -> RgbImage {
    let mut state = 7u32;
    RgbImage::from_fn(width, height, |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = (state >> 24) as u8 / 8;
        let shade = |scale: u32| ((x * scale / width + y * 90 / height) % 200) as u8 + noise;
        Rgb([shade(150), shade(80), shade(120)])
    })
}

/// A drawing with a hole in it.
fn cut_out(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| {
        let is_hole = x > width / 3 && x < width / 2 && y > height / 3 && y < height / 2;
        Rgba([200, 30, 30, if is_hole { 0 } else { 255 }])
    })
}

fn file(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.into().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A JPEG that says it lies on its side, and where it was taken.
fn with_exif(jpeg: &[u8], orientation: u16) -> Vec<u8> {
    let mut tiff = b"MM\0*\0\0\0\x08\0\x02".to_vec();
    // Orientation: tag 0x0112, SHORT, one value.
    tiff.extend([0x01, 0x12, 0, 3, 0, 0, 0, 1]);
    tiff.extend(orientation.to_be_bytes());
    tiff.extend([0, 0]);
    // ImageDescription: tag 0x010e, ASCII, 20 bytes at offset 38.
    tiff.extend([0x01, 0x0e, 0, 2, 0, 0, 0, 20, 0, 0, 0, 38, 0, 0, 0, 0]);
    tiff.extend(b"GPS 52.5163N canary\0");
    let mut segment = b"Exif\0\0".to_vec();
    segment.extend(tiff);
    let length = u16::try_from(segment.len() + 2).unwrap();
    let mut bytes = jpeg[..2].to_vec();
    bytes.extend([0xff, 0xe1]);
    bytes.extend(length.to_be_bytes());
    bytes.extend(segment);
    bytes.extend(&jpeg[2..]);
    bytes
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}
