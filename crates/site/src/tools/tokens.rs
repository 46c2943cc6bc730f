//! The design system: colours, and the scales of type and space. All tools here create missing tokens and update
//! existing ones.

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};
use sitewright_markup::css::{ColorToken, Scale, ScaleStep, TokenProblem};
use sitewright_tool::definition::edit;
use sitewright_tool::{Touched, read};

use crate::{Entity, Item, ItemId, List, NewEntity, Op};

use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        edit("set_color_tokens", "Set colours", "Makes or changes colours by slug. Each is used as var(--<slug>) and has shades, tints and \
               utility classes. What is left out of an existing one stays.")
        .words("Setting colours", "Set colours").with(set_colors),
        edit("set_type_scale", "Set the type scale", "Makes or changes the sizes of type, used as var(--text-m) and so on.").words("Setting text sizes", "Set text sizes").with(
            |input: SetScale<TypeEnd>, work| set_scale(input, List::TypeScales, work),
        ),
        edit("set_spacing_scale", "Set the spacing scale", "Makes or changes the sizes of space, used as var(--space-m) and so on.")
            .words("Setting spacing", "Set spacing").with(|input: SetScale<SpaceEnd>, work| set_scale(input, List::SpacingScales, work)),
    ]
}

/// Whether a token is new.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    Created,
    Updated,
    Unchanged,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetColorTokens {
    /// The colours.
    #[schemars(length(min = 1, max = 100))]
    tokens: Vec<SetColor>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetColor {
    /// The name of its variable, without dashes.
    slug: String,
    /// Its value, in any notation of CSS.
    light_value: String,
    /// The group it is listed in.
    category: Option<String>,
    /// Its value on dark pages.
    dark_value: Option<String>,
    /// Whether the dark value is used.
    dark_mode_enabled: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Colors {
    tokens: Vec<SetOne>,
}

#[derive(Serialize, JsonSchema)]
struct SetOne {
    slug: String,
    /// How CSS refers to it.
    r#ref: String,
    action: Action,
}

fn set_colors(input: SetColorTokens, work: &mut Work<'_>) -> Result<Colors, Stop> {
    some(&input.tokens)?;
    let mut tokens = Vec::with_capacity(input.tokens.len());
    for wish in input.tokens {
        let slug = wish.slug.trim().trim_start_matches("--").to_owned();
        let known = find(
            work,
            List::Colors,
            |item| matches!(item, Item::Color(color) if color.slug == slug),
        );
        let mut color = match &known {
            Some((_, Item::Color(color))) => color.clone(),
            _ => ColorToken::new(&slug, &wish.light_value),
        };
        color.light_value = wish.light_value;
        color.category = wish.category.or(color.category);
        // Giving a dark value enables dark mode unless the call says otherwise.
        color.dark_mode_enabled = wish
            .dark_mode_enabled
            .unwrap_or(color.dark_mode_enabled || wish.dark_value.is_some());
        color.dark_value = wish.dark_value.or(color.dark_value);
        color.variants().map_err(|problem| wrong(&problem))?;
        let action = put(work, known, Item::Color(color), &slug)?;
        tokens.push(SetOne {
            r#ref: format!("var(--{slug})"),
            slug,
            action,
        });
    }
    Ok(Colors { tokens })
}

/// Steps as a list, or with commas between.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Steps {
    List(Vec<String>),
    Text(String),
}

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        match Value::deserialize(source)? {
            Value::String(text) => Ok(Self::Text(text)),
            list => read(&list).map(Self::List).map_err(D::Error::custom),
        }
    }
}

impl Steps {
    fn names(self) -> Vec<String> {
        match self {
            Self::List(names) => names,
            Self::Text(text) => text
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect(),
        }
    }
}

/// What a scale can be told; `E` is what its ends are called.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetScale<E> {
    /// The scale; the first when left out.
    group_id: Option<String>,
    /// What its variables begin with.
    naming_convention: Option<String>,
    /// The names of its steps, smallest first.
    steps: Option<Steps>,
    /// Which step has the sizes of `min` and `max`, from 0.
    base_scale_index: Option<usize>,
    /// The scale on narrow screens.
    min: Option<E>,
    /// The scale on wide screens.
    max: Option<E>,
}

/// The end of a type scale.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TypeEnd {
    /// The size of the base step, in pixels.
    font_size: Option<f64>,
    /// How many times larger each step is than the one before.
    scale_ratio: Option<f64>,
}

/// The end of a spacing scale.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SpaceEnd {
    /// The size of the base step, in pixels.
    size: Option<f64>,
    /// How many times larger each step is than the one before.
    scale_ratio: Option<f64>,
}

/// The size and ratio at one end of either scale.
trait End {
    fn size_and_ratio(self) -> (Option<f64>, Option<f64>);
}

impl End for TypeEnd {
    fn size_and_ratio(self) -> (Option<f64>, Option<f64>) {
        (self.font_size, self.scale_ratio)
    }
}

impl End for SpaceEnd {
    fn size_and_ratio(self) -> (Option<f64>, Option<f64>) {
        (self.size, self.scale_ratio)
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ScaleSet {
    group_id: String,
    action: Action,
    naming_convention: String,
    /// The variables, smallest first.
    generated_vars: Vec<String>,
}

fn set_scale<E: End>(wish: SetScale<E>, list: List, work: &mut Work<'_>) -> Result<ScaleSet, Stop> {
    let is_wanted = |item: &Item| match item {
        Item::TypeScale(scale) | Item::SpacingScale(scale) => wish
            .group_id
            .as_ref()
            .is_none_or(|wanted| scale.group_id == *wanted),
        _ => false,
    };
    let known = find(work, list, is_wanted);
    let mut scale = match &known {
        Some((_, Item::TypeScale(scale) | Item::SpacingScale(scale))) => scale.clone(),
        _ if list == List::TypeScales => Scale::typography(),
        _ => Scale::spacing(),
    };
    scale.group_id = wish.group_id.unwrap_or(scale.group_id);
    scale.naming_convention = wish.naming_convention.unwrap_or(scale.naming_convention);
    scale.steps = wish.steps.map_or(scale.steps, Steps::names);
    scale.base_scale_index = wish.base_scale_index.unwrap_or(scale.base_scale_index);
    for (end, wish) in [(&mut scale.min, wish.min), (&mut scale.max, wish.max)] {
        let (size, ratio) = wish.map_or((None, None), End::size_and_ratio);
        end.size = size.unwrap_or(end.size);
        end.scale_ratio = ratio.unwrap_or(end.scale_ratio);
    }
    let screens = work.site.tokens().screens;
    let (steps, item): (Result<Vec<ScaleStep>, TokenProblem>, Item) = match list {
        List::TypeScales => (scale.type_steps(&screens), Item::TypeScale(scale.clone())),
        _ => (
            scale.spacing_steps(&screens),
            Item::SpacingScale(scale.clone()),
        ),
    };
    let steps = steps.map_err(|problem| wrong(&problem))?;
    let action = put(work, known, item, &scale.group_id)?;
    let generated_vars = steps
        .iter()
        .map(|step| format!("--{}", step.variable))
        .collect();
    Ok(ScaleSet {
        group_id: scale.group_id,
        action,
        naming_convention: scale.naming_convention,
        generated_vars,
    })
}

pub(super) fn some<T>(tokens: &[T]) -> Result<(), Stop> {
    if tokens.is_empty() {
        Err(Stop::invalid("tokens must hold at least one token."))
    } else {
        Ok(())
    }
}

pub(super) fn wrong(problem: &TokenProblem) -> Stop {
    Stop::invalid(format!("{problem}."))
}

pub(super) fn find(
    work: &Work<'_>,
    list: List,
    is_it: impl Fn(&Item) -> bool,
) -> Option<(ItemId, Item)> {
    let mut items = work.site.shell.items.list(list);
    items
        .find(|(_, item)| is_it(item))
        .map(|(id, item)| (id, item.clone()))
}

/// Creates the token, or writes the fields that differ.
pub(super) fn put(
    work: &mut Work<'_>,
    known: Option<(ItemId, Item)>,
    item: Item,
    name: &str,
) -> Result<Action, Stop> {
    let list = item.list();
    let touched = |id: ItemId| Touched {
        kind: "token".to_owned(),
        id: id.to_string(),
        name: Some(name.to_owned()),
        also_used_in: None,
    };
    let Some((id, before)) = known else {
        let id = work.mint.mint();
        let after = work.site.shell.items.list(list).last().map(|(id, _)| id);
        work.step(Op::Insert {
            new: Box::new(NewEntity::Item {
                id,
                item: Box::new(item),
                pieces: Vec::new(),
                after,
            }),
        })?;
        work.receipt.created.push(touched(id));
        return Ok(Action::Created);
    };
    let (was, wanted) = (fields(&before), fields(&item));
    let names: Vec<&String> = was
        .keys()
        .chain(wanted.keys().filter(|name| !was.contains_key(*name)))
        .collect();
    let mut changed = false;
    for field in names {
        let value = wanted.get(field).cloned().unwrap_or_default();
        if was.get(field).cloned().unwrap_or_default() != value {
            work.step(Op::Put {
                entity: Entity::Item { list, id },
                field: field.clone(),
                value,
            })?;
            changed = true;
        }
    }
    let (to, action) = if changed {
        (&mut work.receipt.changed, Action::Updated)
    } else {
        (&mut work.receipt.unchanged, Action::Unchanged)
    };
    to.push(touched(id));
    Ok(action)
}

fn fields(item: &Item) -> Map<String, Value> {
    let mut fields = json!(item).as_object().cloned().unwrap_or_default();
    fields.remove("type");
    fields
}
