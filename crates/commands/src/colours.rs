//! Colours in words and in the notations of CSS.

use super::vocabulary::VOCABULARY;
use super::words::{Token, TokenKind, typed};

/// The value of a colour that CSS knows by name.
fn named(name: &str) -> Option<&'static str> {
    let value = VOCABULARY.colours.get(&name.replace("grey", "gray"));
    value.map(String::as_str)
}

/// The colour that these words describe, as CSS writes it; `None` when any of them is not part of a colour.
pub(crate) fn colour(sentence: &str, tokens: &[Token]) -> Option<String> {
    let tokens = super::pattern::without_padding(tokens);
    if let [only] = tokens
        && only.kind == TokenKind::Colour
    {
        return Some(only.text.to_lowercase());
    }
    let mut words: Vec<&str> = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::Word => words.push(&token.word),
            TokenKind::Quote => return colour_text(&token.text),
            _ => return None,
        }
    }
    while let [first, rest @ ..] = words.as_slice()
        && matches!(*first, "pure" | "bright" | "the" | "a" | "nice" | "plain")
        && !rest.is_empty()
    {
        words.remove(0);
    }
    let typed = typed(sentence, tokens);
    (words.len() <= 3 && !typed.is_empty())
        .then(|| words.concat())
        .filter(|name| named(name).is_some())
}

fn colour_text(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    rgb(&text).map(|_| text)
}

/// Red, green and blue of a colour; `None` for notations that are not supported here.
pub(crate) fn rgb(value: &str) -> Option<(f64, f64, f64)> {
    let value = value.trim().to_lowercase();
    let of = |rgb: u32| {
        let part = |shift: u32| f64::from(rgb >> shift & 0xff);
        (part(16), part(8), part(0))
    };
    let value = named(&value).unwrap_or(&value);
    if let Some(digits) = value.strip_prefix('#') {
        let long = match digits.len() {
            3 | 4 => digits
                .chars()
                .take(3)
                .flat_map(|digit| [digit, digit])
                .collect::<String>(),
            6 | 8 => digits.get(..6)?.to_owned(),
            _ => return None,
        };
        return u32::from_str_radix(&long, 16).ok().map(of);
    }
    let (function, rest) = value.split_once('(')?;
    let numbers: Vec<f64> = rest
        .trim_end_matches(')')
        .split([',', ' ', '/'])
        .filter(|part| !part.is_empty())
        .filter_map(|part| part.trim_end_matches(['%', 'g', 'e', 'd']).parse().ok())
        .collect();
    let [a, b, c, ..] = numbers.as_slice() else {
        return None;
    };
    match function {
        "rgb" | "rgba" => Some((*a, *b, *c)),
        "hsl" | "hsla" => Some(from_hsl(*a, *b / 100.0, *c / 100.0)),
        _ => None,
    }
}

fn from_hsl(hue: f64, saturation: f64, lightness: f64) -> (f64, f64, f64) {
    let chroma = saturation * lightness.min(1.0 - lightness);
    let part = |n: f64| {
        let k = (n + hue / 30.0).rem_euclid(12.0);
        (lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)) * 255.0
    };
    (part(0.0), part(8.0), part(4.0))
}

/// The colour one step lighter or darker, in hexadecimal notation.
pub(crate) fn shade(value: &str, towards: f64, share: f64) -> Option<String> {
    let (red, green, blue) = rgb(value)?;
    let mix = |part: f64| (part + (towards - part) * share).round().clamp(0.0, 255.0) as u8;
    Some(format!(
        "#{:02x}{:02x}{:02x}",
        mix(red),
        mix(green),
        mix(blue)
    ))
}

/// The common name of a colour, roughly: for "make the green darker".
pub(crate) fn family(value: &str) -> Option<&'static str> {
    let (red, green, blue) = rgb(value)?;
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    if most - least < 24.0 {
        return Some(match most {
            ..50.0 => "black",
            ..200.0 => "gray",
            _ if red > blue + 4.0 => "beige",
            _ => "white",
        });
    }
    let spread = most - least;
    let hue = if (most - red).abs() < f64::EPSILON {
        60.0 * ((green - blue) / spread).rem_euclid(6.0)
    } else if (most - green).abs() < f64::EPSILON {
        60.0 * ((blue - red) / spread + 2.0)
    } else {
        60.0 * ((red - green) / spread + 4.0)
    };
    Some(match hue {
        ..15.0 => "red",
        ..35.0 => "orange",
        ..50.0 => "amber",
        ..70.0 => "yellow",
        ..170.0 => "green",
        ..200.0 => "teal",
        ..255.0 => "blue",
        ..320.0 => "purple",
        _ => "red",
    })
}
