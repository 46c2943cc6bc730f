//! Names in order, found by halving.

/// The names of characters, without the `&` before them.
pub struct NamedCharacters {
    /// Every name behind the one before, in order.
    pub names: &'static str,
    /// Where each name starts, and where the last ends.
    pub starts: &'static [u16],
    /// The characters of each name; the second is 0 when there is one.
    pub characters: &'static [(u32, u32)],
}

impl NamedCharacters {
    /// The characters of a name, `(0, 0)` for the beginning of one.
    pub fn get(&self, name: &str) -> Option<&(u32, u32)> {
        let (mut from, mut to) = (0, self.characters.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.name(middle) < name {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        // Whatever begins with the name stands behind it.
        let characters = self.characters.get(from)?;
        match self.name(from).strip_prefix(name)? {
            "" => Some(characters),
            _ => Some(&(0, 0)),
        }
    }

    fn name(&self, at: usize) -> &str {
        &self.names[usize::from(self.starts[at])..usize::from(self.starts[at + 1])]
    }
}
