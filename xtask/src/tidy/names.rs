//! Bans names without meaning: they attract whatever does not fit anywhere else.

use super::Broken;
use super::files::SourceFile;
use super::rust_text::{RustText, is_word};

/// Of files, folders and modules.
const VAGUE: &[&str] = &[
    "util", "utils", "helper", "helpers", "common", "misc", "types", "manager", "managers",
    "service", "services", "handler", "handlers", "wrapper", "wrappers",
];
/// Of types: the end of the name.
const VAGUE_ENDS: &[&str] = &[
    "Manager", "Service", "Handler", "Wrapper", "Helper", "Utils",
];

pub(super) fn check(file: &SourceFile) -> Vec<Broken> {
    if !file.is_rust() && !file.path.ends_with(".ts") && !file.path.ends_with(".tsx") {
        return Vec::new();
    }
    let mut broken = Vec::new();
    if file.name() == "mod.rs" {
        broken.push(Broken::new(
            &file.path,
            "use `foo.rs` beside `foo/`, not `mod.rs`",
        ));
    }
    let parts = file
        .path
        .split('/')
        .map(|part| part.split('.').next().unwrap_or(part));
    for part in parts.filter(|part| VAGUE.contains(part)) {
        broken.push(Broken::new(
            &file.path,
            format!("`{part}` names no job: use a noun of the domain"),
        ));
    }
    if file.is_rust() {
        broken.extend(definitions(file));
    }
    broken
}

fn definitions(file: &SourceFile) -> Vec<Broken> {
    let code = RustText::new(&file.text).code;
    let mut broken = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let words: Vec<&str> = line
            .split(|c: char| !is_word(c))
            .filter(|word| !word.is_empty())
            .collect();
        for pair in words.windows(2) {
            let vague = match pair[0] {
                "mod" => line.trim_end().ends_with('{') && VAGUE.contains(&pair[1]),
                "struct" | "enum" | "trait" | "type" => {
                    VAGUE_ENDS.iter().any(|end| pair[1].ends_with(end))
                }
                _ => false,
            };
            // An associated `type Service` has the name its trait gave it.
            if vague && !(pair[0] == "type" && line.starts_with(' ')) {
                broken.push(Broken::at(
                    file,
                    index + 1,
                    format!("`{}` names no job: use a noun of the domain", pair[1]),
                ));
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::super::files::SourceFile;
    use super::check;

    fn check_file(path: &str, text: &str, expected: &[&str]) {
        let broken: Vec<String> = check(&SourceFile::new(path, text))
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(broken, expected);
    }

    #[test]
    fn vague_files_and_definitions_are_found() {
        check_file(
            "crates/a/src/utils.rs",
            "",
            &["crates/a/src/utils.rs: `utils` names no job: use a noun of the domain"],
        );
        check_file(
            "web/src/helpers/a.ts",
            "",
            &["web/src/helpers/a.ts: `helpers` names no job: use a noun of the domain"],
        );
        check_file(
            "crates/a/src/b/mod.rs",
            "",
            &["crates/a/src/b/mod.rs: use `foo.rs` beside `foo/`, not `mod.rs`"],
        );
        check_file(
            "crates/a/src/b.rs",
            "use tower::Service;\nstruct PageManager;\nmod common {\n    type Service = u8;\n}",
            &[
                "crates/a/src/b.rs:2: `PageManager` names no job: use a noun of the domain",
                "crates/a/src/b.rs:3: `common` names no job: use a noun of the domain",
            ],
        );
    }

    #[test]
    fn names_with_a_job_pass() {
        check_file(
            "crates/tool/src/capability.rs",
            "pub struct Capability;\nimpl Handler for Capability {}",
            &[],
        );
        check_file("web/scripts/types.mjs", "", &[]);
    }
}
