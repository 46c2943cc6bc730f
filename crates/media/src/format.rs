//! Detects what a file is by its first bytes.

/// A format of pictures that can be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Png,
    Jpeg,
    WebP,
    Gif,
}

/// A file that is not a supported picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAPicture {
    /// It is recognised as something else.
    #[error(
        "the file is {0}, and pictures must be PNG, JPEG, WebP or GIF: save it as one of those"
    )]
    Other(&'static str),
    /// It is not recognised.
    #[error(
        "the file is not a picture that can be read here: pictures must be PNG, JPEG, WebP or GIF"
    )]
    Unknown,
    #[error("the file is empty")]
    Empty,
}

/// Other formats that people upload, by their first bytes.
const OTHERS: &[(&[u8], &str)] = &[
    (b"BM", "a BMP"),
    (b"II*\0", "a TIFF"),
    (b"MM\0*", "a TIFF"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP or an office document"),
    (b"\0\0\x01\0", "an icon"),
    (b"8BPS", "a Photoshop file"),
    (b"\xff\x0a", "a JPEG XL"),
    (b"\0\0\0\x0cJXL ", "a JPEG XL"),
];

impl Format {
    /// Detects the format by the first bytes. Names and declared types are ignored.
    pub fn sniff(bytes: &[u8]) -> Result<Self, NotAPicture> {
        match bytes {
            [] => Err(NotAPicture::Empty),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Ok(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Ok(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Ok(Self::Gif),
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'E',
                b'B',
                b'P',
                ..,
            ] => Ok(Self::WebP),
            [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => {
                Err(NotAPicture::Other(in_container(brand)))
            }
            _ => Err(other(bytes)),
        }
    }

    /// The media type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Gif => "image/gif",
        }
    }

    /// Parses a media type that [`mime`](Self::mime) returned.
    pub fn of_mime(mime: &str) -> Option<Self> {
        [Self::Png, Self::Jpeg, Self::WebP, Self::Gif]
            .into_iter()
            .find(|format| format.mime() == mime)
    }

    /// The file name extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
            Self::Gif => "gif",
        }
    }

    /// Whether the format is lossless, as for drawings and screenshots.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Self::Png | Self::Gif)
    }
}

fn in_container(brand: &[u8]) -> &'static str {
    match brand.get(..4) {
        Some(b"avif" | b"avis") => "an AVIF",
        Some(b"heic" | b"heix" | b"mif1" | b"msf1") => "a HEIC",
        _ => "a video",
    }
}

fn other(bytes: &[u8]) -> NotAPicture {
    if let Some((_, name)) = OTHERS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return NotAPicture::Other(name);
    }
    let start = &bytes[..bytes.len().min(1024)];
    let text = String::from_utf8_lossy(start).to_ascii_lowercase();
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if text.contains("<svg") {
        NotAPicture::Other("an SVG")
    } else if text.starts_with('<') {
        NotAPicture::Other("a page")
    } else {
        NotAPicture::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn a_file_is_what_its_bytes_say() {
        let check = |bytes: &[u8], expected: &str| {
            let found = match Format::sniff(bytes) {
                Ok(format) => format.mime().to_owned(),
                Err(error) => error.to_string(),
            };
            assert!(found.starts_with(expected), "{found}");
        };
        check(b"\x89PNG\r\n\x1a\n....", "image/png");
        check(b"\xff\xd8\xff\xe1..", "image/jpeg");
        check(b"GIF89a", "image/gif");
        check(b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp");
        check(
            b"\0\0\0\x1cftypavif",
            "the file is an AVIF, and pictures must be PNG",
        );
        check(b"\0\0\0\x1cftypheic", "the file is a HEIC");
        check(
            b"<?xml version='1.0'?><svg onload='x'>",
            "the file is an SVG",
        );
        check(b"\xef\xbb\xbf <html><script>", "the file is a page");
        check(b"%PDF-1.7", "the file is a PDF");
        check(b"RIFF\x10\0\0\0WAVE", "the file is not a picture");
        check(b"\x89PNG", "the file is not a picture");
        check(b"", "the file is empty");
    }
}
