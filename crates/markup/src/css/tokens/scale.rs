//! Scales: sizes that grow by a ratio from step to step, and with the viewport between two widths.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Lock;

use super::{Sheet, TokenProblem, check_name, number};

/// A scale of sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Scale {
    /// What tools call it.
    pub group_id: String,
    /// What its variables begin with, such as `text`; or a pattern with `{step}`.
    pub naming_convention: String,
    /// The names of its steps, smallest first.
    pub steps: Vec<String>,
    /// Which step has the sizes of `min` and `max`, from 0.
    pub base_scale_index: usize,
    /// The scale on the narrowest screen.
    pub min: ScaleEnd,
    /// The scale on the widest screen.
    pub max: ScaleEnd,
    /// What agents may do to it.
    #[serde(default, skip_serializing_if = "Lock::is_open")]
    pub lock: Lock,
}

/// A scale at one width of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ScaleEnd {
    /// The size of the base step, in pixels.
    pub size: f64,
    /// How many times larger each step is than the one before.
    pub scale_ratio: f64,
}

/// Between which widths of the screen scales grow, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Screens {
    /// At and below this width sizes are those of `min`.
    pub min_width: f64,
    /// At and above this width sizes are those of `max`.
    pub max_width: f64,
}

impl Default for Screens {
    fn default() -> Self {
        Self {
            min_width: 320.0,
            max_width: 1400.0,
        }
    }
}

/// One step of a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleStep {
    pub name: String,
    /// The variable, without dashes.
    pub variable: String,
    pub value: String,
    /// The size on the narrowest screen, in pixels.
    pub min: f64,
    /// The size on the widest screen, in pixels.
    pub max: f64,
    pub classes: Vec<String>,
    uses: Vec<&'static [&'static str]>,
}

const STEPS_MAX: usize = 64;
const PIXELS_PER_REM: f64 = 16.0;

/// The spacing utilities, and the properties that each sets.
const DISTANCES: [(&str, &[&str]); 15] = [
    ("padding", &["padding"]),
    ("padding-top", &["padding-top"]),
    ("padding-right", &["padding-right"]),
    ("padding-bottom", &["padding-bottom"]),
    ("padding-left", &["padding-left"]),
    ("padding-x", &["padding-left", "padding-right"]),
    ("padding-y", &["padding-top", "padding-bottom"]),
    ("margin", &["margin"]),
    ("margin-top", &["margin-top"]),
    ("margin-right", &["margin-right"]),
    ("margin-bottom", &["margin-bottom"]),
    ("margin-left", &["margin-left"]),
    ("margin-x", &["margin-left", "margin-right"]),
    ("margin-y", &["margin-top", "margin-bottom"]),
    ("gap", &["gap"]),
];

impl Scale {
    /// The default type scale.
    pub fn typography() -> Self {
        Self {
            group_id: "typography".to_owned(),
            naming_convention: "text".to_owned(),
            steps: names(&["xs", "s", "m", "l", "xl", "2xl", "3xl", "4xl"]),
            base_scale_index: 2,
            min: ScaleEnd {
                size: 16.0,
                scale_ratio: 1.125,
            },
            max: ScaleEnd {
                size: 18.0,
                scale_ratio: 1.333,
            },
            lock: Lock::Open,
        }
    }

    /// The default spacing scale.
    pub fn spacing() -> Self {
        let steps = [
            "4xs", "3xs", "2xs", "xs", "s", "m", "l", "xl", "2xl", "3xl", "4xl",
        ];
        Self {
            group_id: "spacing".to_owned(),
            naming_convention: "space".to_owned(),
            steps: names(&steps),
            base_scale_index: 5,
            min: ScaleEnd {
                size: 16.0,
                scale_ratio: 1.25,
            },
            max: ScaleEnd {
                size: 28.0,
                scale_ratio: 1.414,
            },
            lock: Lock::Open,
        }
    }

    /// The steps as type sizes: `.text-m` sets the font size.
    pub fn type_steps(&self, screens: &Screens) -> Result<Vec<ScaleStep>, TokenProblem> {
        self.read(screens, |_, variable| {
            vec![(variable.to_owned(), &["font-size"] as &[_])]
        })
    }

    /// The steps as spacing: `.padding-m`, `.margin-left-m`, `.gap-m` and so on.
    pub fn spacing_steps(&self, screens: &Screens) -> Result<Vec<ScaleStep>, TokenProblem> {
        self.read(screens, |name, variable| {
            // The default scale owns the short names; another scale must not take them.
            let step = if self.naming_convention == "space" {
                name
            } else {
                variable
            };
            DISTANCES
                .iter()
                .map(|(prefix, properties)| (format!("{prefix}-{step}"), *properties))
                .collect()
        })
    }

    fn read(
        &self,
        screens: &Screens,
        uses: impl Fn(&str, &str) -> Vec<(String, &'static [&'static str])>,
    ) -> Result<Vec<ScaleStep>, TokenProblem> {
        self.check(screens)?;
        let mut steps = Vec::with_capacity(self.steps.len());
        for (index, name) in self.steps.iter().enumerate() {
            let variable = self.variable(name);
            check_name(&variable)?;
            let min = self.min.at(index, self.base_scale_index);
            let max = self.max.at(index, self.base_scale_index);
            let (classes, uses) = uses(name, &variable).into_iter().unzip();
            steps.push(ScaleStep {
                name: name.clone(),
                value: fluid(min, max, screens),
                variable,
                min,
                max,
                classes,
                uses,
            });
        }
        Ok(steps)
    }

    fn variable(&self, step: &str) -> String {
        if self.naming_convention.contains("{step}") {
            self.naming_convention.replace("{step}", step)
        } else {
            format!("{}-{step}", self.naming_convention)
        }
    }

    fn check(&self, screens: &Screens) -> Result<(), TokenProblem> {
        let ends = [self.min, self.max];
        let sized = |end: &ScaleEnd| end.size > 0.0 && end.size <= 10_000.0;
        let rising = |end: &ScaleEnd| (0.1..=10.0).contains(&end.scale_ratio);
        let widening = 0.0 < screens.min_width
            && screens.min_width < screens.max_width
            && screens.max_width <= 100_000.0;
        let steps = self.steps.len();
        let bad = if steps == 0 || steps > STEPS_MAX {
            ("steps", "between 1 and 64 names")
        } else if self.base_scale_index >= steps {
            ("baseScaleIndex", "the position of one of its steps")
        } else if !ends.iter().all(sized) {
            ("size", "above 0 and at most 10000")
        } else if !ends.iter().all(rising) {
            ("scaleRatio", "between 0.1 and 10")
        } else if !widening {
            ("screens", "from a narrower to a wider screen")
        } else {
            return Ok(());
        };
        Err(TokenProblem::Number {
            scale: super::super::limits::beginning(&self.group_id),
            field: bad.0,
            expected: bad.1,
        })
    }
}

impl ScaleEnd {
    /// The size of a step. Multiplied step by step, so that every machine gets the same digits.
    fn at(&self, index: usize, base: usize) -> f64 {
        let mut size = self.size;
        for _ in base..index {
            size *= self.scale_ratio;
        }
        for _ in index..base {
            size /= self.scale_ratio;
        }
        size
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A size that goes from `min` to `max` as the screen widens. On a steep scale the small steps shrink on wide screens,
/// so the bounds of `clamp` are sorted.
fn fluid(min: f64, max: f64, screens: &Screens) -> String {
    let rem = |pixels: f64| format!("{}rem", number(pixels / PIXELS_PER_REM));
    let (least, most) = (rem(min.min(max)), rem(min.max(max)));
    if least == most {
        return least;
    }
    let slope = (max - min) / (screens.max_width - screens.min_width);
    let start = rem(min - slope * screens.min_width);
    let (sign, percent) = if slope < 0.0 {
        ('-', -slope)
    } else {
        ('+', slope)
    };
    let percent = number(percent * 100.0);
    format!("clamp({least}, {start} {sign} {percent}vw, {most})")
}

pub(super) fn add(sheet: &mut Sheet, steps: Vec<ScaleStep>) {
    for step in steps {
        if !sheet.define(&step.variable, &step.value) {
            continue;
        }
        let value = format!("var(--{})", step.variable);
        for (class, properties) in step.classes.iter().zip(step.uses) {
            sheet.utility(class, properties, &value);
        }
    }
}
