//! Rules of the crate that no compiler checks, read from its sources.

use std::path::{Path, PathBuf};

/// The sources of the crate, tests excepted, with their paths below `src`.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            if path.is_dir() && !name.ends_with("tests") {
                folders.push(path);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                files.push((name, code.to_owned()));
            }
        }
    }
    files.sort();
    files
}

fn files_with(word: &str) -> Vec<String> {
    let found = sources()
        .into_iter()
        .filter(|(_, code)| code.contains(word));
    found.map(|(name, _)| name).collect()
}

#[test]
fn formats_and_the_loop_do_no_io() {
    let pure = [
        "wire",
        "tool_loop",
        "sse",
        "arguments",
        "classify",
        "retry",
        "history",
        "schema",
        "lenient",
    ];
    let io = [
        "sitewright_egress",
        "tokio",
        "async ",
        "std::net",
        "std::fs",
        "std::thread",
        "Instant",
        "SystemTime",
        "reqwest",
    ];
    let mut looked_at = 0;
    for (name, code) in sources() {
        if !pure.iter().any(|module| name.starts_with(module)) {
            continue;
        }
        looked_at += 1;
        for word in io {
            assert!(!code.contains(word), "{name} says {word}");
        }
    }
    assert!(looked_at >= pure.len());
}

#[test]
fn what_all_providers_share_exists_once() {
    let once = |word: &str, place: &str| assert_eq!(files_with(word), [place], "{word}");
    once("fn parse_tool_arguments", "arguments.rs");
    once("struct SseParser", "sse.rs");
    once("const CODES", "classify.rs");
    once("RETRIES_MAX", "retry.rs");
    once("\"__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__\"", "prompt.rs");
    once("screenshot(s) omitted", "wire/pictures.rs");
    once("output removed", "tool_loop/elision.rs");
}

#[test]
fn formats_read_json_in_one_way() {
    // Fragments of arguments and events of streams go through the shared readers; a driver with one of its own would differ.
    let readers = ["from_str", "from_slice", "from_reader", "from_value"];
    for (name, code) in sources() {
        if !name.starts_with("wire/") || name == "wire/messages_stream.rs" {
            continue;
        }
        for reader in readers {
            assert!(!code.contains(reader), "{name} reads JSON with {reader}");
        }
    }
}

#[test]
fn adding_a_vendor_of_a_known_format_takes_no_protocol_code() {
    // No format may ask who the provider is: what differs is in the record.
    for name in ["Anthropic", "OpenRouter", "Ollama", "Venice"] {
        let asking = files_with(&format!("ProviderId::{name}"));
        assert!(
            asking.iter().all(|file| !file.starts_with("wire")),
            "{asking:?}"
        );
    }
}

#[test]
fn every_gotcha_of_the_providers_has_a_named_test() {
    const GOTCHAS: u32 = 36;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("tests")];
    let mut names = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let tests = text
                    .lines()
                    .filter(|line| line.trim_start().contains("fn k"));
                names.extend(tests.map(|line| format!("_{}\n", line.replace("fn ", "_"))));
            }
        }
    }
    let missing: Vec<u32> = (1..=GOTCHAS)
        .filter(|number| !names.contains(&format!("_k{number:02}_")))
        .collect();
    assert!(missing.is_empty(), "gotchas without a test: {missing:?}");
}
