//! Writes the table of named characters, and checks it against the original.

#[path = "src/table.rs"]
mod table;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

use table::NamedCharacters;

fn main() -> Result<(), Box<dyn Error>> {
    // Beginnings of names are in the original too, without characters.
    let whole = original::NAMED_ENTITIES
        .entries()
        .filter(|(_, (first, _))| *first != 0);
    let sorted: BTreeMap<&str, (u32, u32)> = whole
        .map(|(name, characters)| (*name, *characters))
        .collect();

    let mut names = String::new();
    let mut starts = vec![0];
    for name in sorted.keys() {
        names.push_str(name);
        starts.push(u16::try_from(names.len())?);
    }
    let characters: Vec<(u32, u32)> = sorted.into_values().collect();
    let code = format!(
        "/// The named characters of HTML.\n\
         pub static NAMED_ENTITIES: NamedCharacters = NamedCharacters {{ names: {names:?}, starts: &{starts:?}, characters: &{characters:?} }};\n"
    );
    fs::write(
        Path::new(&env::var("OUT_DIR")?).join("named_characters.rs"),
        code,
    )?;
    check(&NamedCharacters {
        names: names.leak(),
        starts: starts.leak(),
        characters: characters.leak(),
    })
}

fn check(table: &NamedCharacters) -> Result<(), Box<dyn Error>> {
    let original = &original::NAMED_ENTITIES;
    for name in original.keys() {
        for asked in [
            (*name).to_owned(),
            format!("{name};"),
            format!("{name}a"),
            format!("{name}\u{0}"),
        ] {
            if table.get(&asked) != original.get(asked.as_str()) {
                return Err(format!("the tables differ at `{asked}`").into());
            }
        }
    }
    Ok(())
}
