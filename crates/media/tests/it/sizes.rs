//! What is made of a picture.

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use sitewright_media::{Format, prepare};

use crate::{contains, cut_out, file, photograph, with_exif};

fn shapes(bytes: &[u8]) -> Vec<String> {
    let prepared = prepare(bytes).unwrap();
    let shapes = prepared.sizes.iter().map(|size| {
        let found = Format::sniff(&size.bytes).unwrap();
        assert_eq!(found, size.format);
        let decoded = image::load_from_memory(&size.bytes).unwrap();
        assert_eq!(
            (decoded.width(), decoded.height()),
            (size.width, size.height)
        );
        format!("{}x{} {}", size.width, size.height, size.format.extension())
    });
    shapes.collect()
}

#[test]
fn a_photograph_gets_the_widths_that_it_is_larger_than() {
    let jpeg = file(photograph(1000, 500), ImageFormat::Jpeg);
    assert_eq!(
        shapes(&jpeg),
        ["320x160 jpg", "640x320 jpg", "960x480 jpg", "1000x500 jpg"]
    );
    assert_eq!(
        shapes(&file(photograph(320, 7), ImageFormat::Jpeg)),
        ["320x7 jpg"]
    );
    assert_eq!(
        shapes(&file(photograph(1, 1), ImageFormat::Jpeg)),
        ["1x1 jpg"]
    );
    // So flat that a smaller one would have no height left.
    assert_eq!(
        shapes(&file(photograph(2000, 1), ImageFormat::Jpeg)),
        [
            "320x1 jpg",
            "640x1 jpg",
            "960x1 jpg",
            "1280x1 jpg",
            "1920x1 jpg",
            "2000x1 jpg"
        ]
    );
}

#[test]
fn nothing_is_served_wider_than_screens_are() {
    let jpeg = file(photograph(3000, 30), ImageFormat::Jpeg);
    let shapes = shapes(&jpeg);
    assert_eq!(
        (shapes.len(), shapes.last().unwrap().as_str()),
        (6, "2560x26 jpg")
    );
}

#[test]
fn a_hole_stays_a_hole_and_a_drawing_keeps_its_edges() {
    let png = file(cut_out(400, 400), ImageFormat::Png);
    assert_eq!(shapes(&png), ["320x320 webp", "400x400 webp"]);
    let full = &prepare(&png).unwrap().sizes[1];
    let decoded = image::load_from_memory(&full.bytes).unwrap().into_rgba8();
    assert_eq!(
        (decoded[(0, 0)].0, decoded[(160, 160)].0[3]),
        ([200, 30, 30, 255], 0)
    );
    let drawing = RgbImage::from_fn(330, 330, |x, _| {
        if x < 165 {
            Rgb([0, 0, 0])
        } else {
            Rgb([255, 255, 255])
        }
    });
    assert_eq!(
        shapes(&file(drawing, ImageFormat::Png)),
        ["320x320 webp", "330x330 webp"]
    );
    assert_eq!(
        shapes(&file(photograph(330, 330), ImageFormat::Png)),
        ["320x320 jpg", "330x330 jpg"]
    );
    // Transparency that nobody uses costs nothing.
    let opaque = DynamicImage::ImageRgb8(photograph(330, 330)).into_rgba8();
    assert_eq!(
        shapes(&file(opaque, ImageFormat::Png)),
        ["320x320 jpg", "330x330 jpg"]
    );
}

#[test]
fn every_format_is_read() {
    let picture = DynamicImage::ImageRgb8(photograph(20, 10));
    for (format, expected) in [
        (ImageFormat::Png, Format::Png),
        (ImageFormat::Jpeg, Format::Jpeg),
        (ImageFormat::WebP, Format::WebP),
        (ImageFormat::Gif, Format::Gif),
    ] {
        let prepared = prepare(&file(picture.clone(), format)).unwrap();
        assert_eq!(
            (
                prepared.format,
                prepared.width,
                prepared.height,
                prepared.is_animated
            ),
            (expected, 20, 10, false)
        );
    }
    let deep = picture.into_rgb16();
    assert_eq!(
        prepare(&file(deep, ImageFormat::Png)).unwrap().sizes.len(),
        1
    );
    let grey = DynamicImage::ImageRgb8(photograph(20, 10)).into_luma8();
    assert_eq!(
        prepare(&file(grey, ImageFormat::Jpeg)).unwrap().sizes.len(),
        1
    );
}

#[test]
fn a_picture_on_its_side_stands_up_and_tells_nobody_where_it_was_taken() {
    let mut picture = photograph(64, 32);
    for y in 0..32 {
        for x in 0..16 {
            picture.put_pixel(x, y, Rgb([255, 0, 0]));
        }
    }
    let jpeg = with_exif(&file(picture, ImageFormat::Jpeg), 6);
    assert!(contains(&jpeg, b"canary"));
    let prepared = prepare(&jpeg).unwrap();
    assert_eq!((prepared.width, prepared.height), (32, 64));
    let size = &prepared.sizes[0];
    assert!(!contains(&size.bytes, b"canary") && !contains(&size.bytes, b"Exif"));
    // Turned by a quarter to the right, what was left is above.
    let upright = image::load_from_memory(&size.bytes).unwrap().into_rgb8();
    let Rgb([red, green, _]) = upright[(16, 3)];
    assert!(red > 200 && green < 60, "{red} {green}");
    // Eight directions exist; a ninth is nonsense and changes nothing.
    let jpeg = with_exif(&file(photograph(64, 32), ImageFormat::Jpeg), 9);
    assert_eq!(prepare(&jpeg).unwrap().width, 64);
}

#[test]
fn a_moving_picture_is_known_and_shows_its_first_moment() {
    let mut bytes = Vec::new();
    {
        let mut encoder = image::codecs::gif::GifEncoder::new(&mut bytes);
        for shade in [10, 250] {
            let frame = image::RgbaImage::from_pixel(8, 8, image::Rgba([shade, shade, shade, 255]));
            encoder.encode_frame(image::Frame::new(frame)).unwrap();
        }
    }
    let prepared = prepare(&bytes).unwrap();
    assert!(prepared.is_animated);
    let first = image::load_from_memory(&prepared.sizes[0].bytes)
        .unwrap()
        .into_rgb8();
    assert!(first[(4, 4)].0[0] < 40);
}
