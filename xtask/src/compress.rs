//! Compressed copies next to the files of the shell, made once at build time at the highest setting, so that serving does not
//! have to compress.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Part of the shell's stamp, because other settings produce other output.
pub(crate) const FORM: &str = "br 11, gz 9, from 1 KiB";

/// A smaller response fits into one packet either way.
const SMALLEST: usize = 1024;
/// Formats that are already compressed.
const COMPRESSED: &[&str] = &[
    "br", "gz", "png", "jpg", "jpeg", "gif", "webp", "avif", "woff2",
];

pub(crate) fn folder(folder: &Path) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("could not list {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            self::folder(&path)?;
        } else if !path
            .extension()
            .is_some_and(|found| COMPRESSED.iter().any(|known| found == *known))
        {
            file(&path).with_context(|| format!("could not compress {}", path.display()))?;
        }
    }
    Ok(())
}

fn file(path: &Path) -> Result<()> {
    let content = fs::read(path)?;
    for (extension, compressed) in [("br", brotli(&content)?), ("gz", gzip(&content)?)] {
        let mut copy = path.as_os_str().to_owned();
        copy.push(".");
        copy.push(extension);
        if content.len() >= SMALLEST && compressed.len() < content.len() {
            fs::write(copy, compressed)?;
        } else if Path::new(&copy).exists() {
            fs::remove_file(copy)?;
        }
    }
    Ok(())
}

fn brotli(content: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: 22,
        ..Default::default()
    };
    brotli::BrotliCompress(&mut &*content, &mut out, &parameters)?;
    Ok(out)
}

pub(crate) fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    #[test]
    fn copies_are_made_where_they_help_and_read_back_the_same() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let long = "the same words over and over ".repeat(200);
        fs::create_dir(folder.path().join("assets")).expect("our own folder");
        for (name, content) in [
            ("assets/long.js", &*long),
            ("small.js", "let a;"),
            ("picture.png", &*long),
        ] {
            fs::write(folder.path().join(name), content).expect("our own folder");
        }
        // Run twice, to check that the copies are not compressed again.
        super::folder(folder.path()).expect("it compresses");
        super::folder(folder.path()).expect("it compresses");

        let mut names: Vec<_> = [folder.path().to_owned(), folder.path().join("assets")]
            .iter()
            .flat_map(|folder| fs::read_dir(folder).expect("our own folder"))
            .map(|entry| {
                entry
                    .expect("readable")
                    .file_name()
                    .into_string()
                    .expect("ours are plain")
            })
            .collect();
        names.sort();
        assert_eq!(
            names,
            [
                "assets",
                "long.js",
                "long.js.br",
                "long.js.gz",
                "picture.png",
                "small.js"
            ]
        );

        let read = |name: &str| fs::read(folder.path().join(name)).expect("it was made");
        let mut unzipped = String::new();
        flate2::read::GzDecoder::new(&*read("assets/long.js.gz"))
            .read_to_string(&mut unzipped)
            .expect("gzip");
        assert_eq!(unzipped, long);
        let mut plain = Vec::new();
        brotli::BrotliDecompress(&mut &*read("assets/long.js.br"), &mut plain).expect("brotli");
        assert_eq!(plain, long.as_bytes());
    }
}
