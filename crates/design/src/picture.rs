//! The drawings that stand in for pictures until somebody chooses one. They are written into the address, so that a section needs no
//! file on the site it is put on.

use serde_json::Value;

const PICTURES: [(&str, &str); 3] = [
    (
        "pictures/landscape.svg",
        include_str!("../pictures/landscape.svg"),
    ),
    (
        "pictures/portrait.svg",
        include_str!("../pictures/portrait.svg"),
    ),
    ("pictures/logo.svg", include_str!("../pictures/logo.svg")),
];

/// Replaces the names of drawings in sample values with addresses that contain the drawings.
pub(crate) fn fill_in(value: &mut Value) {
    match value {
        Value::String(text) => {
            let found = PICTURES.iter().find(|(name, _)| name == text);
            if let Some((_, svg)) = found {
                *text = address(svg);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(fill_in),
        Value::Object(fields) => fields.values_mut().for_each(fill_in),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn address(svg: &str) -> String {
    let mut address = String::from("data:image/svg+xml,");
    for sign in svg.trim().chars() {
        match sign {
            '<' => address.push_str("%3C"),
            '>' => address.push_str("%3E"),
            '#' => address.push_str("%23"),
            '%' => address.push_str("%25"),
            '"' => address.push('\''),
            ' ' | '\n' => address.push_str("%20"),
            other => address.push(other),
        }
    }
    address
}
