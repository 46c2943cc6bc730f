//! Other names that models use for fields and operations. A name that could mean two fields of an operation is not
//! translated.

/// A name without case, hyphens and underscores, for comparing spellings.
pub(super) fn squash(name: &str) -> String {
    name.chars()
        .filter(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The keys that a plan may be wrapped in.
pub(super) const WRAPPERS: [&str; 6] = ["plan", "editplan", "input", "arguments", "args", "data"];
/// The keys that the fields of an operation may be wrapped in.
pub(super) const ARGUMENTS: [&str; 7] = [
    "args",
    "arguments",
    "params",
    "parameters",
    "input",
    "payload",
    "data",
];
/// The keys that may contain the name of an operation.
pub(super) const TAGS: [&str; 7] = [
    "type",
    "operation",
    "action",
    "kind",
    "optype",
    "name",
    "tool",
];

/// Fields of a plan and its operations, each with its aliases, squashed. A name that is itself a field of the operation
/// is never treated as an alias.
pub(super) const FIELDS: &[(&str, &[&str])] = &[
    ("intent", &["kind"]),
    (
        "summary_for_user",
        &["summary", "message", "answer", "usersummary"],
    ),
    ("change_log", &["log", "changesummary"]),
    ("ops", &["operations", "edits", "actions", "steps"]),
    (
        "suggested_next_actions",
        &[
            "suggestions",
            "nextactions",
            "suggestedactions",
            "nextsteps",
            "suggestednextsteps",
        ],
    ),
    (
        "page",
        &[
            "pageid",
            "pageslug",
            "pagepath",
            "path",
            "slug",
            "title",
            "id",
            "document",
            "documentid",
            "targetpage",
        ],
    ),
    (
        "node",
        &[
            "nodeid",
            "id",
            "uid",
            "target",
            "targetid",
            "section",
            "sectionid",
            "block",
            "blockid",
            "element",
            "elementid",
        ],
    ),
    (
        "parent",
        &[
            "parentid",
            "parentnode",
            "parentnodeid",
            "newparent",
            "newparentid",
            "parentpage",
            "parentpageid",
            "parentslug",
            "container",
        ],
    ),
    (
        "list",
        &[
            "listid",
            "parent",
            "parentid",
            "node",
            "nodeid",
            "section",
            "sectionid",
            "container",
        ],
    ),
    (
        "position",
        &["index", "newindex", "toindex", "to", "at", "newposition"],
    ),
    ("index", &["itemindex", "from", "fromindex"]),
    ("html", &["markup", "content"]),
    ("text", &["content", "value"]),
    ("props", &["patch", "properties"]),
    ("settings", &["meta", "metadata", "patch", "config"]),
    ("fields", &["value", "item", "entry", "props"]),
    ("prop", &["listprop", "propname"]),
    ("title", &["name", "newtitle"]),
    ("slug", &["newslug", "path"]),
    ("as", &["ref", "handle"]),
    ("css", &["styles", "rules"]),
    (
        "component",
        &["componentid", "componentname", "templatekey"],
    ),
    ("count", &["copies", "times"]),
    ("breakpoint", &["breakpointid"]),
];

/// Operations, each with its aliases, squashed.
pub(super) const OPERATIONS: &[(&str, &[&str])] = &[
    ("create_page", &["addpage", "newpage", "insertpage"]),
    ("rename_page", &["retitlepage"]),
    ("remove_page", &["deletepage"]),
    ("move_page", &["reorderpage"]),
    ("duplicate_page", &["copypage", "clonepage"]),
    (
        "update_page_settings",
        &[
            "updatepagemeta",
            "updatepagemetadata",
            "setpagemeta",
            "setpagesettings",
            "updatepage",
        ],
    ),
    (
        "add_section",
        &["addblock", "insertsection", "insertblock", "createsection"],
    ),
    (
        "add_node",
        &[
            "inserthtml",
            "addhtml",
            "insertnode",
            "addelement",
            "insertelement",
            "createnode",
        ],
    ),
    ("replace_node", &["replacesection", "replaceblock"]),
    (
        "replace_content",
        &["replacenodehtml", "sethtml", "setcontent"],
    ),
    (
        "update_props",
        &[
            "updatenodeprops",
            "updatenode",
            "updateblock",
            "updatesection",
            "setprops",
        ],
    ),
    ("update_text", &["settext", "edittext", "changetext"]),
    ("update_classes", &["changeclasses"]),
    (
        "remove_node",
        &[
            "deletenode",
            "removesection",
            "deletesection",
            "removeblock",
            "deleteblock",
            "removeelement",
            "deleteelement",
        ],
    ),
    (
        "move_node",
        &[
            "movesection",
            "moveblock",
            "moveelement",
            "reordersection",
            "reordernode",
        ],
    ),
    (
        "duplicate_node",
        &[
            "duplicatesection",
            "duplicateblock",
            "copynode",
            "copysection",
            "clonenode",
        ],
    ),
    ("add_item", &["insertitem", "appenditem"]),
    ("update_item", &["edititem", "changeitem"]),
    ("remove_item", &["deleteitem"]),
    ("move_item", &["reorderitem"]),
    ("apply_css", &["addcss", "updatecss", "setcss"]),
    (
        "update_site_settings",
        &["updatesiteconfig", "updatesite", "setsitesettings"],
    ),
];

/// The edit distance between two names.
pub(super) fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, left) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, right) in other.iter().enumerate() {
            let changed = diagonal + usize::from(left != *right);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

/// The known name closest to this one, if any is close.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let squashed = squash(name);
    let near = known.map(|known| (distance(&squashed, &squash(known)), known));
    let near = near.filter(|(far, _)| *far <= 2 && *far * 2 <= squashed.chars().count());
    near.min_by_key(|(far, _)| *far).map(|(_, known)| known)
}
