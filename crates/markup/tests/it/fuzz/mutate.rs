//! Makes new inputs of old ones: words of a dictionary put in, parts left out, repeated, exchanged between inputs.

/// The longest input, so that one check costs little.
const BYTES_MAX: usize = 2_048;

/// Makes inputs, the same ones in every run.
pub(super) struct Mutator {
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    state: u64,
}

impl Mutator {
    pub(super) fn new(seeds: Vec<Vec<u8>>, words: Vec<Vec<u8>>) -> Self {
        Self {
            seeds,
            words,
            state: 1,
        }
    }

    pub(super) fn next(&mut self) -> Vec<u8> {
        // One in eight is made of words alone.
        let mut input = match self.below(8) {
            0 => Vec::new(),
            _ => self.seed(),
        };
        for _ in 0..=self.below(12) {
            self.change(&mut input);
        }
        input.truncate(BYTES_MAX);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let (start, end) = self.range(input);
        match self.below(8) {
            0..3 => {
                let word = self.below(self.words.len());
                input.splice(start..start, self.words[word].clone());
            }
            3 => drop(input.drain(start..end)),
            4 => {
                let part = input[start..end].to_vec();
                for _ in 0..=self.below(3) {
                    input.splice(end..end, part.clone());
                }
            }
            5 | 6 => {
                let other = self.seed();
                let (from, to) = self.range(&other);
                input.splice(start..end, other[from..to].to_vec());
            }
            _ => {
                let byte = self.below(256);
                if let (Some(changed), Ok(byte)) = (input.get_mut(start), u8::try_from(byte)) {
                    *changed = byte;
                }
            }
        }
    }

    fn seed(&mut self) -> Vec<u8> {
        let seed = self.below(self.seeds.len());
        self.seeds[seed].clone()
    }

    /// A part of an input, from one edge of a word to another as a rule.
    fn range(&mut self, input: &[u8]) -> (usize, usize) {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte >= 0x80;
        let mut edge = |from: usize| {
            let mut at = from + self.below(input.len() + 1 - from);
            if self.below(4) > 0 {
                while at > from && at < input.len() && is_word(input[at - 1]) && is_word(input[at])
                {
                    at -= 1;
                }
            }
            at
        };
        let start = edge(0);
        (start, edge(start))
    }

    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % bound.max(1) as u64).unwrap_or(0)
    }
}

/// The words of a dictionary as libFuzzer reads it: one in quotes to a line, with `\"`, `\\` and `\xNN`.
pub(super) fn words(dictionary: &str) -> Vec<Vec<u8>> {
    let quoted = dictionary
        .lines()
        .filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    quoted.map(|word| unescape(word.as_bytes())).collect()
}

fn unescape(mut word: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let [first, rest @ ..] = word {
        let (byte, rest) = match (first, rest) {
            (b'\\', [b'x', high, low, rest @ ..]) => {
                let digits = String::from_utf8_lossy(&[*high, *low]).into_owned();
                (u8::from_str_radix(&digits, 16).unwrap(), rest)
            }
            (b'\\', [sign, rest @ ..]) => (*sign, rest),
            (byte, rest) => (*byte, rest),
        };
        bytes.push(byte);
        word = rest;
    }
    bytes
}
