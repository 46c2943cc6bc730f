//! Variables and utility classes from tokens.

use sitewright_markup::css::{
    ColorToken, CssForm, CssLimits, FontToken, Origin, Piece, Scale, ScaleEnd, Screens, Tokens,
    Utilities, check_piece, framework_css, write_css,
};

use super::show;

fn plain(slug: &str, light: &str) -> ColorToken {
    ColorToken {
        shades: 0,
        tints: 0,
        alpha: false,
        utilities: Utilities {
            text: false,
            background: false,
            border: false,
            fill: false,
        },
        ..ColorToken::new(slug, light)
    }
}

fn colors(colors: Vec<ColorToken>) -> Tokens {
    Tokens {
        colors,
        ..Tokens::default()
    }
}

fn sound(tokens: &Tokens) -> Vec<Piece> {
    let (pieces, problems) = framework_css(tokens);
    assert_eq!(problems, []);
    for piece in &pieces {
        assert_eq!(*piece.origin(), Origin::Framework);
        assert_eq!(check_piece(piece, &CssLimits::default()), Ok(()));
    }
    pieces
}

#[test]
fn dark_values_follow_the_system_and_a_switch() {
    let mut color = plain("ink", "#000");
    color.dark_value = Some("#fff".to_owned());
    assert_eq!(
        show(&sound(&colors(vec![color.clone()]))),
        ":root | --ink=#000"
    );
    color.dark_mode_enabled = true;
    assert_eq!(
        show(&sound(&colors(vec![plain("a", "red"), color]))),
        ":root | --a=red; --ink=#000\n\
         @media (prefers-color-scheme: dark) | :root:not([data-theme=\"light\"], .theme-light) | --ink=#fff\n\
         [data-theme=\"light\"], .theme-light | --ink=#000\n\
         [data-theme=\"dark\"], .theme-dark | --ink=#fff"
    );
}

#[test]
fn utilities_use_the_variables() {
    let mut color = plain("a", "red");
    color.utilities = Utilities {
        fill: true,
        ..Utilities::default()
    };
    assert_eq!(
        show(&sound(&colors(vec![color]))),
        ":root | --a=red\n.text-a | color=var(--a)\n.bg-a | background-color=var(--a)\n\
         .border-a | border-color=var(--a)\n.fill-a | fill=var(--a)"
    );
}

/// The variants of a colour: half see-through, the one shade of one, the one tint of one.
fn check_variants(value: &str, expected: [&str; 3]) {
    let token = ColorToken {
        shades: 1,
        tints: 1,
        alpha: true,
        ..plain("a", value)
    };
    let variants = token.variants().unwrap();
    let of = |name: &str| {
        let found = variants.iter().find(|variant| variant.variable == name);
        found.unwrap().light.clone()
    };
    assert_eq!(of("a"), value);
    assert_eq!([of("a-50"), of("a-d-1"), of("a-l-1")], expected, "{value}");
}

#[test]
fn every_notation_has_every_variant() {
    let red = [
        "hsl(0 100% 50% / 0.5)",
        "hsl(0 100% 30%)",
        "hsl(0 100% 70%)",
    ];
    for value in [
        "#f00",
        "#F00",
        "#ff0000",
        "#f00f",
        "#ff0000ff",
        "rgb(255,0,0)",
        "rgba(255, 0, 0, 1)",
        "rgb(255 0 0)",
        "rgb(100% 0% 0% / 100%)",
        "hsl(0,100%,50%)",
        "HSLA(360deg 100% 50% / 1)",
        "hsl(1turn 100 50)",
    ] {
        check_variants(value, red);
    }
    check_variants(
        "#336699",
        [
            "hsl(210 50% 40% / 0.5)",
            "hsl(210 50% 24%)",
            "hsl(210 50% 64%)",
        ],
    );
    check_variants(
        "rgb(0 0 0 / 50%)",
        [
            "hsl(0 0% 0% / 0.25)",
            "hsl(0 0% 0% / 0.5)",
            "hsl(0 0% 40% / 0.5)",
        ],
    );
    for value in [
        "oklch(0.7 0.1 200)",
        "rebeccapurple",
        "var(--b)",
        "rgb(from red r g b)",
    ] {
        check_variants(
            value,
            [
                &format!("color-mix(in srgb, {value} 50%, transparent)"),
                &format!("color-mix(in srgb, {value}, black 40%)"),
                &format!("color-mix(in srgb, {value}, white 40%)"),
            ],
        );
    }
}

#[test]
fn variants_are_counted_and_bounded() {
    let names = |shades, tints, alpha| -> Vec<String> {
        let token = ColorToken {
            shades,
            tints,
            alpha,
            ..plain("a", "#123")
        };
        let variants = token.variants().unwrap();
        variants
            .into_iter()
            .map(|variant| variant.variable)
            .collect()
    };
    assert_eq!(names(2, 1, false), ["a", "a-d-1", "a-d-2", "a-l-1"]);
    assert_eq!(names(255, 255, true).len(), 1 + 10 + 12 + 12);
}

#[test]
fn fonts_name_a_family_and_what_stands_in() {
    let font = |family: Option<&str>, fallback: &str| FontToken {
        name: "Heading".to_owned(),
        variable: "font-heading".to_owned(),
        fallback: fallback.to_owned(),
        family: family.map(str::to_owned),
        lock: sitewright_markup::Lock::Open,
    };
    for (family, fallback, expected) in [
        (Some("Inter"), "sans-serif", "\"Inter\", sans-serif"),
        (Some("A \"B\""), "", "\"A \\\"B\\\"\""),
        (None, "system-ui, serif", "system-ui, serif"),
    ] {
        let tokens = Tokens {
            fonts: vec![font(family, fallback)],
            ..Tokens::default()
        };
        assert_eq!(
            show(&sound(&tokens)),
            format!(
                ":root | --font-heading={expected}\n.font-heading | font-family=var(--font-heading)"
            )
        );
    }
}

/// What a value is in pixels on a screen of this width, as a browser computes it.
fn pixels(value: &str, width: f64) -> f64 {
    let rem = |text: &str| text.trim().trim_end_matches("rem").parse::<f64>().unwrap() * 16.0;
    let Some(arguments) = value.strip_prefix("clamp(") else {
        return rem(value);
    };
    let parts: Vec<&str> = arguments.trim_end_matches(')').split(',').collect();
    let words: Vec<&str> = parts[1].split_whitespace().collect();
    let slope = words[2].trim_end_matches("vw").parse::<f64>().unwrap() / 100.0 * width;
    let middle = rem(words[0]) + if words[1] == "-" { -slope } else { slope };
    let (least, most) = (rem(parts[0]), rem(parts[2]));
    assert!(least <= most, "inverted: {value}");
    middle.clamp(least, most)
}

#[test]
fn scales_have_the_asked_sizes_at_both_ends_of_the_screen() {
    let steep = Scale {
        min: ScaleEnd {
            size: 20.0,
            scale_ratio: 1.5,
        },
        max: ScaleEnd {
            size: 12.0,
            scale_ratio: 1.1,
        },
        ..Scale::typography()
    };
    let narrow = Screens {
        min_width: 500.0,
        max_width: 600.0,
    };
    for scale in [Scale::typography(), Scale::spacing(), steep] {
        for screens in [Screens::default(), narrow] {
            for step in scale.type_steps(&screens).unwrap() {
                let near = |width: f64, size: f64| {
                    let found = pixels(&step.value, width);
                    assert!((found - size).abs() < 0.01, "{} at {width}", step.value);
                };
                near(screens.min_width, step.min);
                near(screens.min_width / 2.0, step.min);
                near(screens.max_width, step.max);
                near(screens.max_width * 2.0, step.max);
                near(
                    f64::midpoint(screens.min_width, screens.max_width),
                    f64::midpoint(step.min, step.max),
                );
            }
        }
    }
}

#[test]
fn a_rem_is_sixteen_pixels() {
    let steps = Scale::typography().type_steps(&Screens::default()).unwrap();
    let shown: Vec<String> = steps
        .iter()
        .map(|step| format!("{}: {}", step.variable, step.value))
        .collect();
    assert_eq!(
        shown[1..4],
        [
            "text-s: clamp(0.844rem, 0.9022rem - 0.0666vw, 0.8889rem)".to_owned(),
            "text-m: clamp(1rem, 0.963rem + 0.1852vw, 1.125rem)".to_owned(),
            "text-l: clamp(1.125rem, 1.014rem + 0.555vw, 1.4996rem)".to_owned(),
        ]
    );
}

#[test]
fn steps_name_variables_and_classes() {
    let names = |scale: &Scale| -> Vec<String> {
        let steps = scale.spacing_steps(&Screens::default()).unwrap();
        let step = steps.into_iter().next().unwrap();
        [vec![step.variable], step.classes].concat()
    };
    let mut scale = Scale::spacing();
    let usual = names(&scale);
    assert_eq!(usual[..3], ["space-4xs", "padding-4xs", "padding-top-4xs"]);
    assert_eq!(usual.last().unwrap(), "gap-4xs");
    scale.naming_convention = "{step}-gutter".to_owned();
    assert_eq!(names(&scale)[..2], ["4xs-gutter", "padding-4xs-gutter"]);

    let text = Scale::typography().type_steps(&Screens::default()).unwrap();
    assert_eq!(text[2].classes, ["text-m"]);
}

#[test]
fn bad_tokens_are_named_and_the_others_stay() {
    let scale = |change: fn(&mut Scale)| {
        let mut scale = Scale::typography();
        change(&mut scale);
        Tokens {
            colors: vec![plain("ok", "red")],
            type_scales: vec![scale],
            ..Tokens::default()
        }
    };
    for (tokens, problem) in [
        (
            colors(vec![plain("ok", "red"), plain("a b", "red")]),
            "\"a b\" cannot name a token: use letters, digits, - and _",
        ),
        (
            colors(vec![plain("ok", "red"), plain("a", "red; } body {")]),
            "\"red; } body {\" is not one CSS value",
        ),
        (
            colors(vec![plain("ok", "red"), plain("a", "")]),
            "\"\" is not one CSS value",
        ),
        (
            colors(vec![plain("ok", "red"), plain("ok", "blue")]),
            "two tokens define --ok; rename one of them",
        ),
        (
            scale(|scale| scale.base_scale_index = 8),
            "baseScaleIndex of the scale \"typography\" must be the position of one of its steps",
        ),
        (
            scale(|scale| scale.min.size = f64::NAN),
            "size of the scale \"typography\" must be above 0 and at most 10000",
        ),
        (
            scale(|scale| scale.max.scale_ratio = 0.0),
            "scaleRatio of the scale \"typography\" must be between 0.1 and 10",
        ),
        (
            scale(|scale| scale.steps.clear()),
            "steps of the scale \"typography\" must be between 1 and 64 names",
        ),
    ] {
        let (pieces, problems) = framework_css(&tokens);
        assert_eq!(show(&pieces), ":root | --ok=red");
        let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(shown, [problem]);
    }
}

#[test]
fn tokens_without_their_options_take_the_usual_ones() {
    let tokens: Tokens = serde_json::from_str(
        r##"{"colors":[{"slug":"a","lightValue":"#123456"}],"screens":{"minWidth":400}}"##,
    )
    .unwrap();
    assert_eq!(tokens.colors, [ColorToken::new("a", "#123456")]);
    assert_eq!(tokens.screens.max_width, 1400.0);
    let css = write_css(&sound(&tokens), CssForm::Compact);
    assert!(css.starts_with(":root{--a:#123456;--a-5:hsl(210 65.38% 20.39% / 0.05);"));
}
