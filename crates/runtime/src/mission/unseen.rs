//! Whether the arguments of a leg hold values that the card of its mission could not show.
//!
//! A reference to the identifier of another leg that books something (`${flight.booking_id}`) names what that leg did, which the card
//! shows. Every other reference brings in something new: an amount, a place, a recipient, or the choice among search results.

use serde_json::Value;

use super::state::Leg;
use crate::interpolation::{STEP_MARKS, StepReference};

/// Longer values, and those with spaces, are no identifiers, whatever their field is called.
const IDENTIFIER_CHARS_MAX: usize = 100;

/// Whether a reference is the identifier of a leg with an effect, as far as that can be said before the leg has run.
fn is_identifier(reference: &StepReference, has_effect: &dyn Fn(&str) -> bool) -> bool {
    let field = reference.field.as_deref().unwrap_or_default();
    let is_named_so =
        field.eq_ignore_ascii_case("id") || field.ends_with("_id") || field.ends_with("Id");
    is_named_so && has_effect(&reference.step)
}

/// Whether the values will be unknown to whoever approves the mission. `has_effect` says it of a leg by its id.
pub(crate) fn has_unseen_references(arguments: &Value, has_effect: &dyn Fn(&str) -> bool) -> bool {
    STEP_MARKS.references(arguments).is_ok_and(|references| {
        references
            .iter()
            .any(|reference| !is_identifier(reference, has_effect))
    })
}

/// Whether the values that were filled in are beyond what the card showed.
pub(crate) fn has_unseen_values(leg: &Leg, legs: &[Leg]) -> bool {
    let find = |id: &str| legs.iter().find(|other| other.id == id);
    let has_effect = |id: &str| find(id).is_some_and(|other| other.effect.is_some());
    let Ok(references) = STEP_MARKS.references(&leg.arguments) else {
        return true;
    };
    references.iter().any(|reference| {
        let root = |id: &str| find(id).and_then(|other| other.output.as_ref());
        let text = Value::String(format!("${{{}}}", reference.text));
        let value = STEP_MARKS.fill(&text, &root, &[]);
        !is_identifier(reference, &has_effect) || !value.is_ok_and(|value| is_token(&value))
    })
}

fn is_token(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let is_plain = |character: char| character.is_ascii_graphic();
            !text.is_empty() && text.len() <= IDENTIFIER_CHARS_MAX && text.chars().all(is_plain)
        }
        Value::Number(number) => number.is_u64(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::has_unseen_references;

    #[test]
    fn only_identifiers_of_legs_with_an_effect_were_shown() {
        let has_effect = |id: &str| id == "flight";
        for (arguments, expected) in [
            (json!({ "price": 80, "to": ["Ana"] }), false),
            (json!({ "note": "for ${flight.booking_id}, $${x}" }), false),
            (
                json!({ "flight": "${flight.booking.id}", "other": "${flight.bookingId}" }),
                false,
            ),
            (json!({ "price": "${flight.price}" }), true),
            (json!({ "legs": [{ "to": "${flight.city}" }] }), true),
            (json!({ "offer_id": "${search.offers[0].id}" }), true),
            (json!({ "all": "${flight}" }), true),
            (json!({ "paid": "${flight.paid}" }), true),
        ] {
            assert_eq!(
                has_unseen_references(&arguments, &has_effect),
                expected,
                "{arguments}"
            );
        }
    }
}
