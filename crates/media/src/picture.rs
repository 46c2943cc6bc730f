//! Decodes a picture within limits, and generates the sizes that are served.

use std::io::Cursor;

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{PixelType, ResizeOptions, Resizer};
use image::codecs::gif::GifDecoder;
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::PngDecoder;
use image::codecs::webp::{WebPDecoder, WebPEncoder};
use image::metadata::Orientation;
use image::{
    AnimationDecoder, ColorType, DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder,
    ImageError, ImageResult, Limits, RgbImage, RgbaImage,
};

use crate::format::{Format, NotAPicture};

/// The maximum number of pixels. A small file can claim billions.
pub const PIXELS_MAX: u64 = 40_000_000;
/// The maximum length of a side.
pub const SIDE_MAX: u32 = 20_000;
/// The memory that decoding may use; a file that needs more is rejected. The sizes made of it take some 25 MB more.
const MEMORY_MAX: u64 = 125 * 1024 * 1024;
/// The widths that pages choose from. A picture is never enlarged.
const WIDTHS: [u32; 6] = [320, 640, 960, 1280, 1920, 2560];
const JPEG_QUALITY: u8 = 82;
/// ICC profiles for screens have a few kilobytes; those for print are irrelevant here.
const PROFILE_BYTES_MAX: usize = 64 * 1024;

/// A picture that was decoded successfully.
#[derive(Debug)]
pub struct PreparedPicture {
    /// The format of the original.
    pub format: Format,
    /// The width when upright.
    pub width: u32,
    /// The height when upright.
    pub height: u32,
    /// Whether it is animated; the generated sizes show its first frame.
    pub is_animated: bool,
    /// The sizes that are served, smallest first; at least one.
    pub sizes: Vec<RenderedSize>,
}

/// One size, as a file without metadata.
#[derive(Debug)]
pub struct RenderedSize {
    pub width: u32,
    pub height: u32,
    pub format: Format,
    /// The encoded file.
    pub bytes: Vec<u8>,
}

/// Why a file cannot be used as a picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPicture {
    #[error(transparent)]
    NotAPicture(#[from] NotAPicture),
    /// It is larger than a page needs.
    #[error(
        "the picture has {width} by {height} pixels, and at most {} million with sides up to {SIDE_MAX} are allowed: make it smaller",
        PIXELS_MAX / 1_000_000
    )]
    TooManyPixels {
        /// The width that the file claims.
        width: u32,
        /// The height that the file claims.
        height: u32,
    },
    /// Decoding it needs too much memory.
    #[error(
        "the picture needs more memory than is allowed: make it smaller, or save it with 8 bits per channel and, as a JPEG, not progressive"
    )]
    TooCostly,
    /// It begins as a picture, but the rest cannot be decoded.
    #[error("the picture is damaged: open it in a picture editor and save it again")]
    Damaged(#[source] ImageError),
    /// A size could not be generated.
    #[error("no smaller picture could be made of it")]
    NotMade(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Decodes a picture and generates its sizes. Takes seconds for the largest, so call it on a blocking thread.
pub fn prepare(bytes: &[u8]) -> Result<PreparedPicture, BadPicture> {
    let format = Format::sniff(bytes)?;
    let OpenedPicture {
        picture,
        orientation,
        profile,
        is_animated,
    } = open(format, bytes)?;
    let is_turned = turns_sides(orientation);
    let (mut width, mut height) = (picture.width(), picture.height());
    if is_turned {
        (width, height) = (height, width);
    }
    let mut canvas = Canvas::of(picture);
    // Turning copies the picture, so it is made smaller before.
    let widest = widths(width).last().copied().unwrap_or(width);
    if widest < width {
        let down = proportional((width, height), widest);
        let (across, down) = if is_turned {
            (down, widest)
        } else {
            (widest, down)
        };
        canvas = canvas.resized(across, down).map_err(BadPicture::NotMade)?;
    }
    let mut canvas = canvas.turned(orientation)?.without_needless_alpha();
    let mut sizes = Vec::new();
    // From the largest down, each scaled from the previous one, so that the full picture is read only once.
    for wanted in widths(width).into_iter().rev() {
        if wanted < canvas.width {
            let down = proportional((width, height), wanted);
            canvas = canvas.resized(wanted, down).map_err(BadPicture::NotMade)?;
        }
        let rendered = canvas.encoded(format, profile.as_deref());
        sizes.push(rendered.map_err(|error| BadPicture::NotMade(error.into()))?);
    }
    sizes.reverse();
    Ok(PreparedPicture {
        format,
        width,
        height,
        is_animated,
        sizes,
    })
}

/// The height that goes with a smaller width; at least one pixel.
fn proportional((across, down): (u32, u32), width: u32) -> u32 {
    let (across, down) = (u64::from(across.max(1)), u64::from(down));
    let height = (down * u64::from(width) + across / 2) / across;
    u32::try_from(height).unwrap_or(u32::MAX).max(1)
}

fn widths(width: u32) -> Vec<u32> {
    let largest = width.min(WIDTHS[WIDTHS.len() - 1]);
    let mut widths: Vec<u32> = WIDTHS.into_iter().filter(|one| *one < largest).collect();
    widths.push(largest);
    widths
}

struct OpenedPicture {
    picture: DynamicImage,
    orientation: Orientation,
    profile: Option<Vec<u8>>,
    is_animated: bool,
}

fn open(format: Format, bytes: &[u8]) -> Result<OpenedPicture, BadPicture> {
    let file = || Cursor::new(bytes);
    match format {
        Format::Png => {
            let decoder = PngDecoder::with_limits(file(), limits()).map_err(refused)?;
            let is_animated = decoder.is_apng().map_err(refused)?;
            decode(decoder, is_animated)
        }
        Format::Jpeg => {
            let decoder = JpegDecoder::new(file()).map_err(refused)?;
            let (width, height) = decoder.dimensions();
            // Such a file is decoded coarse to fine: all coefficients of three channels are kept, in two bytes each.
            let coefficients = if is_progressive(bytes) { 6 } else { 0 };
            let kept = u64::from(width) * u64::from(height) * coefficients;
            if kept + memory_needed(&decoder) > MEMORY_MAX {
                return Err(BadPicture::TooCostly);
            }
            decode(decoder, false)
        }
        Format::WebP => {
            let decoder = WebPDecoder::new(file()).map_err(refused)?;
            let is_animated = decoder.has_animation();
            decode(decoder, is_animated)
        }
        Format::Gif => {
            let decoder = GifDecoder::new(file()).map_err(refused)?;
            let mut opened = decode(decoder, false)?;
            // The size is known to be within limits by now, so a second frame costs no more than the first.
            let mut again = GifDecoder::new(file()).map_err(refused)?;
            again.set_limits(limits()).map_err(refused)?;
            opened.is_animated = again.into_frames().take(2).filter(Result::is_ok).count() > 1;
            Ok(opened)
        }
    }
}

fn decode(mut decoder: impl ImageDecoder, is_animated: bool) -> Result<OpenedPicture, BadPicture> {
    // Checked before anything is decoded: a few bytes can claim enormous dimensions.
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if pixels > PIXELS_MAX || width.max(height) > SIDE_MAX || pixels == 0 {
        return Err(BadPicture::TooManyPixels { width, height });
    }
    if memory_needed(&decoder) > MEMORY_MAX {
        return Err(BadPicture::TooCostly);
    }
    decoder.set_limits(limits()).map_err(refused)?;
    // Invalid metadata is not a reason to reject a picture.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().ok().flatten().filter(|profile| {
        profile.len() <= PROFILE_BYTES_MAX && profile.get(16..20) == Some(b"RGB ")
    });
    let picture = DynamicImage::from_decoder(decoder).map_err(refused)?;
    Ok(OpenedPicture {
        picture,
        orientation,
        profile,
        is_animated,
    })
}

/// The memory at the peak: the decoded picture beside its copy with one byte per channel, or that copy beside the one that resizing
/// makes of a picture with transparency.
fn memory_needed(decoder: &impl ImageDecoder) -> u64 {
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let color = decoder.color_type();
    let decoded = pixels * u64::from(color.bytes_per_pixel());
    let plain = pixels * if color.has_alpha() { 4 } else { 3 };
    let converted = match color {
        ColorType::Rgb8 | ColorType::Rgba8 => 0,
        _ => plain,
    };
    let multiplied = if color.has_alpha() { plain } else { 0 };
    (decoded + converted).max(plain + multiplied)
}

/// Whether a JPEG file is progressive: its first frame header says so.
fn is_progressive(bytes: &[u8]) -> bool {
    const PROGRESSIVE: u8 = 0xC2;
    const SCAN: u8 = 0xDA;
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let [0xFF, marker, after @ ..] = rest {
        match (*marker, after) {
            (PROGRESSIVE, _) => return true,
            (SCAN, _) => return false,
            // Fill bytes before a marker.
            (0xFF, _) => rest = &rest[1..],
            (_, [high, low, ..]) => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                rest = after.get(length..).unwrap_or_default();
            }
            _ => return false,
        }
    }
    false
}

fn turns_sides(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

/// Does not limit the sides: [`decode`] checks them, with a better message.
fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MEMORY_MAX);
    limits
}

fn refused(error: ImageError) -> BadPicture {
    match error {
        ImageError::Limits(_) => BadPicture::TooCostly,
        other => BadPicture::Damaged(other),
    }
}

/// Pixels with one byte per channel, and an alpha channel only if the picture has transparency.
struct Canvas {
    width: u32,
    height: u32,
    kind: PixelType,
    pixels: Vec<u8>,
}

impl Canvas {
    fn of(picture: DynamicImage) -> Self {
        let (width, height) = (picture.width(), picture.height());
        let (kind, pixels) = if picture.color().has_alpha() {
            (PixelType::U8x4, picture.into_rgba8().into_raw())
        } else {
            (PixelType::U8x3, picture.into_rgb8().into_raw())
        };
        Self {
            width,
            height,
            kind,
            pixels,
        }
    }

    /// Turns and mirrors it until it is upright.
    fn turned(self, orientation: Orientation) -> Result<Self, BadPicture> {
        if orientation == Orientation::NoTransforms {
            return Ok(self);
        }
        let mut picture = self.into_picture()?;
        picture.apply_orientation(orientation);
        Ok(Self::of(picture))
    }

    /// Drops an alpha channel that hides nothing.
    fn without_needless_alpha(self) -> Self {
        let is_opaque = |pixel: &[u8]| pixel.last() == Some(&u8::MAX);
        if self.kind != PixelType::U8x4 || !self.pixels.chunks_exact(4).all(is_opaque) {
            return self;
        }
        let pixels = self.pixels.chunks_exact(4);
        Self {
            kind: PixelType::U8x3,
            pixels: pixels.flat_map(|pixel| &pixel[..3]).copied().collect(),
            ..self
        }
    }

    fn into_picture(self) -> Result<DynamicImage, BadPicture> {
        let Self {
            width,
            height,
            kind,
            pixels,
        } = self;
        let picture = match kind {
            PixelType::U8x4 => {
                RgbaImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgba8)
            }
            _ => RgbImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgb8),
        };
        // The buffer always has the size of its sides, because `of` and `resized` made it so.
        picture.ok_or_else(|| BadPicture::NotMade("the picture has lost pixels".into()))
    }

    fn resized(
        &self,
        width: u32,
        height: u32,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let source = ImageRef::new(self.width, self.height, &self.pixels, self.kind)?;
        let mut target = Image::new(width, height, self.kind);
        Resizer::new().resize(&source, &mut target, &ResizeOptions::new())?;
        Ok(Self {
            width,
            height,
            kind: self.kind,
            pixels: target.into_vec(),
        })
    }

    /// Transparency needs WebP. Photographs are smaller as JPEG and drawings as lossless WebP, so both are tried where the original could
    /// be either.
    fn encoded(&self, original: Format, profile: Option<&[u8]>) -> ImageResult<RenderedSize> {
        let (format, bytes) = if self.kind == PixelType::U8x4 {
            (Format::WebP, self.webp(profile)?)
        } else {
            let jpeg = self.jpeg(profile)?;
            let exact = match original.is_exact() {
                true => Some(self.webp(profile)?),
                false => None,
            };
            match exact.filter(|exact| exact.len() < jpeg.len()) {
                Some(exact) => (Format::WebP, exact),
                None => (Format::Jpeg, jpeg),
            }
        };
        Ok(RenderedSize {
            width: self.width,
            height: self.height,
            format,
            bytes,
        })
    }

    fn jpeg(&self, profile: Option<&[u8]>) -> ImageResult<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(
            JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY),
            profile,
        )?;
        Ok(bytes)
    }

    fn webp(&self, profile: Option<&[u8]>) -> ImageResult<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(WebPEncoder::new_lossless(&mut bytes), profile)?;
        Ok(bytes)
    }

    fn write(&self, mut encoder: impl ImageEncoder, profile: Option<&[u8]>) -> ImageResult<()> {
        if let Some(profile) = profile {
            // Without the profile the colours are slightly off on wide-gamut screens, which is better than no picture.
            drop(encoder.set_icc_profile(profile.to_vec()));
        }
        let kind = match self.kind {
            PixelType::U8x4 => ExtendedColorType::Rgba8,
            _ => ExtendedColorType::Rgb8,
        };
        encoder.write_image(&self.pixels, self.width, self.height, kind)
    }
}
