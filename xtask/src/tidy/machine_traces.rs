//! Traces of one machine in committed files: its folders, the registry it downloads from.

use super::Broken;
use super::files::SourceFile;

/// Folders, recognised at the start of a path only. Written in two halves so that this file passes its own rule.
const FOLDERS: &[&str] = &[
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
];
const HOSTS: &[&str] = &[
    concat!("registry.", "npmjs.org"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
];
/// Files written by tools, which record where they found things.
const LOCK_FILES: &[&str] = &["Cargo.lock", "package-lock.json"];

pub(super) fn check(file: &SourceFile) -> Vec<Broken> {
    if LOCK_FILES.contains(&file.name()) {
        return Vec::new();
    }
    let mut broken = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let folder = FOLDERS.iter().find(|folder| {
            line.match_indices(**folder)
                .any(|(at, _)| starts_path(&line[..at]))
        });
        let host = HOSTS.iter().find(|host| line.contains(**host));
        if let Some(trace) = folder.or(host) {
            broken.push(Broken::at(
                file,
                index + 1,
                format!("`{trace}` is a trace of one machine"),
            ));
        }
    }
    broken
}

/// Whether a path starts here, rather than continuing one: `src/work/a` and `https://example.com/home/` are not paths of a
/// machine.
fn starts_path(before: &str) -> bool {
    !before.chars().next_back().is_some_and(|c| {
        c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}' | ']' | '*')
    })
}

#[cfg(test)]
mod tests {
    use super::super::files::SourceFile;
    use super::check;

    #[test]
    fn absolute_paths_and_registries_are_found_except_in_lock_files() {
        let text = concat!(
            "cd /wo",
            "rk/main\nsrc/work/a\n$HOME/x\n`/ro",
            "ot/.cargo`\nhttps://registry.",
            "npmjs.org/a\n"
        );
        let places = |path: &str| -> Vec<String> {
            check(&SourceFile::new(path, text))
                .into_iter()
                .map(|broken| broken.place)
                .collect()
        };
        assert_eq!(
            places("docs/a.md"),
            ["docs/a.md:1", "docs/a.md:4", "docs/a.md:5"]
        );
        assert_eq!(places("web/package-lock.json"), Vec::<String>::new());
    }
}
