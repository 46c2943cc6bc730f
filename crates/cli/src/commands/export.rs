//! A release as a folder for any static host.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_tool::ErrorCode;

use crate::api::{Api, Refusal};
use crate::arguments::Export;
use crate::output::{self, counted, text};

pub(crate) async fn run(api: &Api, command: Export, as_json: bool) -> Result<()> {
    let Export { out, overwrite } = command;
    refuse_what_is_there(&out, overwrite)?;
    let listed = api.get("/admin/api/site/releases/current/files").await?;
    let release = text(&listed["release"], "id");
    let files = listed["files"].as_array().into_iter().flatten();
    let (mut written, mut missing) = (0_usize, Vec::new());
    for file in files {
        let address = text(file, "address");
        let query: String = url::form_urlencoded::byte_serialize(address.as_bytes()).collect();
        let path = format!("/admin/api/site/releases/{release}/file?address={query}");
        write(&out, &text(file, "path"), &api.bytes(&path).await?)?;
        written += 1;
    }
    let uploads = listed["uploads"].as_array().into_iter().flatten();
    for address in uploads.filter_map(Value::as_str) {
        match api.bytes(address).await {
            Ok(bytes) => {
                write(&out, address.trim_start_matches('/'), &bytes)?;
                written += 1;
            }
            // A page may use a picture that is gone; visitors see the same gap.
            Err(error) if is_missing(&error) => missing.push(address.to_owned()),
            Err(error) => return Err(error),
        }
    }
    let done = json!({
        "release": listed["release"]["number"], "folder": out, "files": written, "missing": missing,
    });
    output::result(as_json, &done, |done| {
        let mut lines = vec![format!(
            "Exported release {} to {}: {}.",
            text(done, "release"),
            out.display(),
            counted(written, "file", "files")
        )];
        lines.extend(
            missing
                .iter()
                .map(|address| format!("{address} is used on a page but no longer exists.")),
        );
        lines.join("\n")
    })
}

fn is_missing(error: &anyhow::Error) -> bool {
    let refusal = error.downcast_ref::<Refusal>();
    refusal.is_some_and(|refusal| refusal.code == ErrorCode::NotFound.as_str())
}

/// A mistyped folder must not be filled with files among others.
fn refuse_what_is_there(out: &Path, overwrite: bool) -> Result<()> {
    let refused = |detail: String| Err(Refusal::new(ErrorCode::Conflict, detail).into());
    let shown = out.display();
    if out.is_file() {
        return refused(format!("{shown} is a file; choose a folder."));
    }
    let is_empty = match fs::read_dir(out) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => return Err(error).with_context(|| format!("{shown} cannot be read")),
    };
    match is_empty || overwrite {
        true => Ok(()),
        false => refused(format!(
            "{shown} is not empty. Choose another folder, or add --overwrite to overwrite files with the same names."
        )),
    }
}

/// Writes a file inside the folder. The server is not trusted, so its paths are checked.
fn write(out: &Path, path: &str, bytes: &[u8]) -> Result<()> {
    let relative = PathBuf::from(path);
    let is_inside = !path.is_empty()
        && relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
    if !is_inside {
        let detail = format!("the server names a file outside the folder: {path}");
        return Err(Refusal::new(ErrorCode::UpstreamError, detail).into());
    }
    let place = out.join(relative);
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    fs::write(&place, bytes).with_context(|| format!("{} cannot be written", place.display()))
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn nothing_is_written_outside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        for hostile in ["../x", "/etc/x", "a/../../x", "", "./../x"] {
            assert!(write(&out, hostile, b"x").is_err(), "{hostile}");
        }
        assert!(!folder.path().join("x").exists() && !out.exists());
        write(&out, "a/b.html", b"x").unwrap();
        assert_eq!(std::fs::read(out.join("a/b.html")).unwrap(), b"x");
    }
}
