//! Colours in words and in the notations of CSS.

use super::words::{Token, TokenKind, typed};

/// The names that CSS knows and people say, with their values.
const NAMES: &[(&str, u32)] = &[
    ("aliceblue", 0xf0f8ff),
    ("antiquewhite", 0xfaebd7),
    ("aqua", 0x00ffff),
    ("aquamarine", 0x7fffd4),
    ("azure", 0xf0ffff),
    ("beige", 0xf5f5dc),
    ("bisque", 0xffe4c4),
    ("black", 0x000000),
    ("blanchedalmond", 0xffebcd),
    ("blue", 0x0000ff),
    ("blueviolet", 0x8a2be2),
    ("brown", 0xa52a2a),
    ("burlywood", 0xdeb887),
    ("cadetblue", 0x5f9ea0),
    ("chartreuse", 0x7fff00),
    ("chocolate", 0xd2691e),
    ("coral", 0xff7f50),
    ("cornflowerblue", 0x6495ed),
    ("cornsilk", 0xfff8dc),
    ("crimson", 0xdc143c),
    ("cyan", 0x00ffff),
    ("darkblue", 0x00008b),
    ("darkcyan", 0x008b8b),
    ("darkgoldenrod", 0xb8860b),
    ("darkgray", 0xa9a9a9),
    ("darkgreen", 0x006400),
    ("darkkhaki", 0xbdb76b),
    ("darkmagenta", 0x8b008b),
    ("darkolivegreen", 0x556b2f),
    ("darkorange", 0xff8c00),
    ("darkorchid", 0x9932cc),
    ("darkred", 0x8b0000),
    ("darksalmon", 0xe9967a),
    ("darkseagreen", 0x8fbc8f),
    ("darkslateblue", 0x483d8b),
    ("darkslategray", 0x2f4f4f),
    ("darkturquoise", 0x00ced1),
    ("darkviolet", 0x9400d3),
    ("deeppink", 0xff1493),
    ("deepskyblue", 0x00bfff),
    ("dimgray", 0x696969),
    ("dodgerblue", 0x1e90ff),
    ("firebrick", 0xb22222),
    ("floralwhite", 0xfffaf0),
    ("forestgreen", 0x228b22),
    ("fuchsia", 0xff00ff),
    ("gainsboro", 0xdcdcdc),
    ("ghostwhite", 0xf8f8ff),
    ("gold", 0xffd700),
    ("goldenrod", 0xdaa520),
    ("gray", 0x808080),
    ("green", 0x008000),
    ("greenyellow", 0xadff2f),
    ("honeydew", 0xf0fff0),
    ("hotpink", 0xff69b4),
    ("indianred", 0xcd5c5c),
    ("indigo", 0x4b0082),
    ("ivory", 0xfffff0),
    ("khaki", 0xf0e68c),
    ("lavender", 0xe6e6fa),
    ("lavenderblush", 0xfff0f5),
    ("lawngreen", 0x7cfc00),
    ("lemonchiffon", 0xfffacd),
    ("lightblue", 0xadd8e6),
    ("lightcoral", 0xf08080),
    ("lightcyan", 0xe0ffff),
    ("lightgray", 0xd3d3d3),
    ("lightgreen", 0x90ee90),
    ("lightpink", 0xffb6c1),
    ("lightsalmon", 0xffa07a),
    ("lightseagreen", 0x20b2aa),
    ("lightskyblue", 0x87cefa),
    ("lightslategray", 0x778899),
    ("lightsteelblue", 0xb0c4de),
    ("lightyellow", 0xffffe0),
    ("lime", 0x00ff00),
    ("limegreen", 0x32cd32),
    ("linen", 0xfaf0e6),
    ("magenta", 0xff00ff),
    ("maroon", 0x800000),
    ("mediumblue", 0x0000cd),
    ("mediumorchid", 0xba55d3),
    ("mediumpurple", 0x9370db),
    ("mediumseagreen", 0x3cb371),
    ("midnightblue", 0x191970),
    ("mintcream", 0xf5fffa),
    ("mistyrose", 0xffe4e1),
    ("moccasin", 0xffe4b5),
    ("navajowhite", 0xffdead),
    ("navy", 0x000080),
    ("oldlace", 0xfdf5e6),
    ("olive", 0x808000),
    ("olivedrab", 0x6b8e23),
    ("orange", 0xffa500),
    ("orangered", 0xff4500),
    ("orchid", 0xda70d6),
    ("palegreen", 0x98fb98),
    ("paleturquoise", 0xafeeee),
    ("papayawhip", 0xffefd5),
    ("peachpuff", 0xffdab9),
    ("peru", 0xcd853f),
    ("pink", 0xffc0cb),
    ("plum", 0xdda0dd),
    ("powderblue", 0xb0e0e6),
    ("purple", 0x800080),
    ("rebeccapurple", 0x663399),
    ("red", 0xff0000),
    ("rosybrown", 0xbc8f8f),
    ("royalblue", 0x4169e1),
    ("saddlebrown", 0x8b4513),
    ("salmon", 0xfa8072),
    ("sandybrown", 0xf4a460),
    ("seagreen", 0x2e8b57),
    ("seashell", 0xfff5ee),
    ("sienna", 0xa0522d),
    ("silver", 0xc0c0c0),
    ("skyblue", 0x87ceeb),
    ("slateblue", 0x6a5acd),
    ("slategray", 0x708090),
    ("snow", 0xfffafa),
    ("springgreen", 0x00ff7f),
    ("steelblue", 0x4682b4),
    ("tan", 0xd2b48c),
    ("teal", 0x008080),
    ("thistle", 0xd8bfd8),
    ("tomato", 0xff6347),
    ("turquoise", 0x40e0d0),
    ("violet", 0xee82ee),
    ("wheat", 0xf5deb3),
    ("white", 0xffffff),
    ("whitesmoke", 0xf5f5f5),
    ("yellow", 0xffff00),
    ("yellowgreen", 0x9acd32),
];

fn named(name: &str) -> Option<u32> {
    let name = name.replace("grey", "gray");
    let found = NAMES.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value)
}

/// The colour that these words are, as CSS writes it; nothing when any of them is something else.
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

/// Red, green and blue of a colour; nothing for notations that are not read here.
pub(crate) fn rgb(value: &str) -> Option<(f64, f64, f64)> {
    let value = value.trim().to_lowercase();
    let of = |rgb: u32| {
        let part = |shift: u32| f64::from(rgb >> shift & 0xff);
        (part(16), part(8), part(0))
    };
    if let Some(known) = named(&value) {
        return Some(of(known));
    }
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

/// The colour a step lighter or darker, as a hexadecimal number.
pub(crate) fn shaded(value: &str, towards: f64, share: f64) -> Option<String> {
    let (red, green, blue) = rgb(value)?;
    let mix = |part: f64| (part + (towards - part) * share).round().clamp(0.0, 255.0) as u8;
    Some(format!(
        "#{:02x}{:02x}{:02x}",
        mix(red),
        mix(green),
        mix(blue)
    ))
}

/// What a person calls a colour, roughly: for "make the green darker".
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
