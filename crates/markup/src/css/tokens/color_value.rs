//! Colours that we can compute with: hexadecimal, `rgb()` and `hsl()`. Every other notation is left to the browser's
//! `color-mix()`.

use cssparser::{ParseError, Parser, Token};

use super::number;

/// A colour by hue (degrees), saturation, lightness and opacity (0 to 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Color {
    hue: f64,
    saturation: f64,
    lightness: f64,
    alpha: f64,
}

impl Color {
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut input = Parser::new(text);
        let color = match input.next().ok()?.clone() {
            Token::IDHash(digits) | Token::Hash(digits) => from_hex(&digits),
            Token::Function(name) => {
                let read = match name.to_ascii_lowercase().as_str() {
                    "rgb" | "rgba" => read_rgb,
                    "hsl" | "hsla" => read_hsl,
                    _ => return None,
                };
                input
                    .parse_nested_block(|inner| {
                        read(inner)
                            .filter(|_| inner.is_exhausted())
                            .ok_or_else(ParseError::<()>::unexpected_token)
                    })
                    .ok()
            }
            _ => None,
        };
        color.filter(|_| input.is_exhausted())
    }

    pub(super) fn see_through(self, percent: u8) -> Self {
        Self {
            alpha: self.alpha * f64::from(percent) / 100.0,
            ..self
        }
    }

    pub(super) fn darker(self, share: f64) -> Self {
        Self {
            lightness: self.lightness * (1.0 - share),
            ..self
        }
    }

    pub(super) fn lighter(self, share: f64) -> Self {
        Self {
            lightness: self.lightness + (1.0 - self.lightness) * share,
            ..self
        }
    }

    pub(super) fn write(self) -> String {
        let round = |value: f64| number((value * 100.0).round() / 100.0);
        let hue = round(self.hue);
        let saturation = round(self.saturation * 100.0);
        let lightness = round(self.lightness * 100.0);
        if self.alpha < 1.0 {
            let alpha = number(self.alpha);
            format!("hsl({hue} {saturation}% {lightness}% / {alpha})")
        } else {
            format!("hsl({hue} {saturation}% {lightness}%)")
        }
    }

    fn from_rgb([red, green, blue]: [f64; 3], alpha: f64) -> Self {
        let most = red.max(green).max(blue);
        let least = red.min(green).min(blue);
        let spread = most - least;
        let lightness = f64::midpoint(most, least);
        if spread == 0.0 {
            return Self {
                hue: 0.0,
                saturation: 0.0,
                lightness,
                alpha,
            };
        }
        let sextant = if most == red {
            (green - blue) / spread + if green < blue { 6.0 } else { 0.0 }
        } else if most == green {
            (blue - red) / spread + 2.0
        } else {
            (red - green) / spread + 4.0
        };
        Self {
            hue: sextant * 60.0,
            saturation: spread / (1.0 - (2.0 * lightness - 1.0).abs()),
            lightness,
            alpha,
        }
    }
}

/// A colour mixed with another one; `share` is the share of the other.
pub(super) fn mix(color: &str, other: &str, share: f64) -> String {
    let percent = number((share * 10_000.0).round() / 100.0);
    format!("color-mix(in srgb, {color}, {other} {percent}%)")
}

/// A colour at this opacity.
pub(super) fn see_through(color: &str, percent: u8) -> String {
    format!("color-mix(in srgb, {color} {percent}%, transparent)")
}

fn from_hex(digits: &str) -> Option<Color> {
    let values: Vec<u8> = digits
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .and_then(|value| u8::try_from(value).ok())
        })
        .collect::<Option<_>>()?;
    let bytes: Vec<f64> = match values.len() {
        3 | 4 => values.iter().map(|value| f64::from(value * 17)).collect(),
        6 | 8 => values
            .chunks_exact(2)
            .map(|pair| f64::from(pair[0] * 16 + pair[1]))
            .collect(),
        _ => return None,
    };
    let [red, green, blue] = [bytes[0], bytes[1], bytes[2]].map(|byte| byte / 255.0);
    let alpha = bytes.get(3).map_or(1.0, |byte| byte / 255.0);
    Some(Color::from_rgb([red, green, blue], alpha))
}

fn read_rgb(input: &mut Parser<'_>) -> Option<Color> {
    let [red, green, blue, alpha] = read_parts(input, |token, _| {
        Some(match token {
            Token::Number { value, .. } => f64::from(*value) / 255.0,
            Token::Percentage { unit_value, .. } => f64::from(*unit_value),
            _ => return None,
        })
    })?;
    let channels = [red, green, blue].map(|channel| channel.clamp(0.0, 1.0));
    Some(Color::from_rgb(channels, alpha))
}

fn read_hsl(input: &mut Parser<'_>) -> Option<Color> {
    let [hue, saturation, lightness, alpha] = read_parts(input, |token, nth| {
        Some(match (nth, token) {
            (0, Token::Number { value, .. }) => f64::from(*value),
            (0, Token::Dimension { value, unit, .. }) => {
                let scale = match unit.to_ascii_lowercase().as_str() {
                    "deg" => 1.0,
                    "turn" => 360.0,
                    "grad" => 0.9,
                    "rad" => 180.0 / std::f64::consts::PI,
                    _ => return None,
                };
                f64::from(*value) * scale
            }
            (1 | 2, Token::Percentage { unit_value, .. }) => f64::from(*unit_value),
            (1 | 2, Token::Number { value, .. }) => f64::from(*value) / 100.0,
            _ => return None,
        })
    })?;
    Some(Color {
        hue: hue.rem_euclid(360.0),
        saturation: saturation.clamp(0.0, 1.0),
        lightness: lightness.clamp(0.0, 1.0),
        alpha,
    })
}

/// Three channels and the opacity, separated by commas, or by spaces and a slash.
fn read_parts(
    input: &mut Parser<'_>,
    channel: impl Fn(&Token<'_>, usize) -> Option<f64>,
) -> Option<[f64; 4]> {
    let mut parts = [0.0, 0.0, 0.0, 1.0];
    for (nth, part) in parts.iter_mut().take(3).enumerate() {
        let mut token = input.next().ok()?;
        // White space separates as well as commas.
        if nth > 0 && *token == Token::Comma {
            token = input.next().ok()?;
        }
        *part = channel(token, nth)?;
    }
    if input.is_exhausted() {
        return Some(parts);
    }
    if !matches!(input.next().ok()?, Token::Comma | Token::Delim('/')) {
        return None;
    }
    let alpha = match input.next().ok()? {
        Token::Number { value, .. } => f64::from(*value),
        Token::Percentage { unit_value, .. } => f64::from(*unit_value),
        _ => return None,
    };
    parts[3] = alpha.clamp(0.0, 1.0);
    Some(parts)
}
