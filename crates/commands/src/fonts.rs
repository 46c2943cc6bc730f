//! The fonts that every system has.

/// Families with their fallbacks; a generic family needs none.
const SYSTEM: &[(&str, &str)] = &[
    ("Arial", "sans-serif"),
    ("Helvetica", "sans-serif"),
    ("Verdana", "sans-serif"),
    ("Tahoma", "sans-serif"),
    ("Trebuchet MS", "sans-serif"),
    ("Georgia", "serif"),
    ("Times New Roman", "serif"),
    ("Times", "serif"),
    ("Garamond", "serif"),
    ("Palatino", "serif"),
    ("Courier New", "monospace"),
    ("Courier", "monospace"),
    ("system-ui", "sans-serif"),
    ("sans-serif", ""),
    ("serif", ""),
    ("monospace", ""),
];

/// A font that every system has, as a CSS value; `None` for one that has to be installed.
pub(crate) fn system(name: &str) -> Option<String> {
    let mut known = SYSTEM.iter();
    let (name, fallback) = known.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(match fallback {
        &"" => (*name).to_owned(),
        fallback if name.contains(' ') => format!("\"{name}\", {fallback}"),
        fallback => format!("{name}, {fallback}"),
    })
}
