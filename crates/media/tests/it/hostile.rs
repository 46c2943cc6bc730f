//! Files made to hurt: each is refused in words, at little cost, and without the memory it asks for.

use std::sync::LazyLock;
use std::time::Duration;

use image::ImageFormat;
use sitewright_media::{BadPicture, prepare};
use sitewright_testkit::processor::timed;

use crate::{file, photograph};

/// What a photograph of two million pixels costs, which is a twentieth of what is allowed.
static PHOTOGRAPH: LazyLock<Duration> = LazyLock::new(|| {
    let bytes = file(photograph(2_000, 1_000), ImageFormat::Png);
    timed(|| prepare(&bytes).unwrap()).1
});

/// Why a file is refused, which must cost less than a photograph that is taken.
fn refusal(bytes: &[u8]) -> String {
    let photograph = *PHOTOGRAPH;
    let (refused, spent) = timed(|| prepare(bytes).unwrap_err());
    assert!(spent < photograph, "{spent:?} against {photograph:?}");
    refused.to_string()
}

/// The checksum that every part of a PNG carries.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| match crc & 1 {
            1 => (crc >> 1) ^ 0xedb8_8320,
            _ => crc >> 1,
        })
    };
    !bytes.iter().fold(!0, step)
}

/// A PNG whose head claims another size than its body has.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut png = file(photograph(4, 4), ImageFormat::Png);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    png
}

/// M9: a small file with 16 bits for each channel took half a gigabyte.
#[test]
fn m9_deep_colours_count_before_they_are_decoded() {
    let mut png = claiming(5_000, 5_000);
    let (bits, with_transparency) = (16, 6);
    png[24..26].copy_from_slice(&[bits, with_transparency]);
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    assert_eq!(refusal(&png), BadPicture::TooCostly.to_string());
}

#[test]
fn a_file_that_claims_to_be_huge_is_refused_before_it_is_decoded() {
    let sentence = "and at most 40 million with sides up to 20000 are allowed: make it smaller";
    assert_eq!(
        refusal(&claiming(60_000, 60_000)),
        format!("the picture has 60000 by 60000 pixels, {sentence}")
    );
    assert_eq!(
        refusal(&claiming(8_000, 8_000)),
        format!("the picture has 8000 by 8000 pixels, {sentence}")
    );
    // A hundred million pixels.
    assert_eq!(
        refusal(&claiming(10_000, 10_000)),
        format!("the picture has 10000 by 10000 pixels, {sentence}")
    );
    assert_eq!(
        refusal(&claiming(20_001, 1)),
        format!("the picture has 20001 by 1 pixels, {sentence}")
    );
    let mut gif = b"GIF89a\xff\xff\xff\xff\x80\0\0".to_vec();
    gif.extend([0; 6]);
    gif.extend(b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x4c\x01\0;");
    assert_eq!(
        refusal(&gif),
        format!("the picture has 65535 by 65535 pixels, {sentence}")
    );
}

/// A claim within the limits with nothing behind it: the file ends before its pixels.
#[test]
fn a_file_that_does_not_keep_its_promise_is_damaged() {
    assert_eq!(
        refusal(&claiming(5_000, 5_000)),
        "the picture is damaged: open it in a picture editor and save it again"
    );
    for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif] {
        let whole = file(photograph(64, 64), format);
        let half = &whole[..whole.len() / 3];
        assert!(
            matches!(prepare(half), Err(BadPicture::Damaged(_))),
            "{format:?}"
        );
    }
}

#[test]
fn what_only_begins_as_a_picture_is_no_picture() {
    for start in [
        &b"\x89PNG\r\n\x1a\n"[..],
        b"\xff\xd8\xff\xe0",
        b"GIF89a",
        b"RIFF\x10\0\0\0WEBP",
    ] {
        let page = [start, b"<script>alert('canary')</script>"].concat();
        // What stands where a GIF has its size reads as a large one.
        let refused = prepare(&page).unwrap_err();
        let in_words = matches!(
            refused,
            BadPicture::Damaged(_) | BadPicture::TooManyPixels { .. }
        );
        assert!(in_words, "{start:?} {refused:?}");
    }
    assert_eq!(
        refusal(b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>"),
        "the file is an SVG, and pictures must be PNG, JPEG, WebP or GIF: save it as one of those"
    );
}

/// What is hidden behind a picture does not come out on the other side.
#[test]
fn nothing_behind_or_between_the_pixels_is_served() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif] {
        let mut bytes = file(photograph(32, 32), format);
        bytes.extend(b"<script>canary</script><?php canary ?>");
        for size in prepare(&bytes).unwrap().sizes {
            assert!(!crate::contains(&size.bytes, b"canary"), "{format:?}");
        }
    }
}

/// Every byte of every kind of file, changed in turn: a picture or a refusal, never a panic.
#[test]
fn damage_anywhere_is_survived() {
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::WebP,
        ImageFormat::Gif,
    ] {
        let whole = file(photograph(9, 7), format);
        for at in 0..whole.len() {
            for change in [0x01, 0xff] {
                let mut changed = whole.clone();
                changed[at] ^= change;
                drop(prepare(&changed));
            }
            drop(prepare(&whole[..at]));
        }
    }
}
