//! The `x-orchet-*` extensions of an operation. A value that is not understood is an error: ignoring it could drop a confirmation or a
//! way back.

use serde_json::Value;
use sitewright_tool::{Compensation, Reversibility};

use super::bundle::{Documents, Located};
use super::finding::Findings;

const PREFIX: &str = "x-orchet-";

/// The kinds of structured confirmation, each with the fields that its card shows first.
pub(crate) const CONFIRMATIONS: &[(&str, &[&str])] = &[
    (
        "structured-cart",
        &["items", "quantity", "total", "currency"],
    ),
    (
        "structured-itinerary",
        &[
            "offer_id",
            "traveler_id",
            "origin",
            "destination",
            "depart",
            "return",
            "price",
            "currency",
        ],
    ),
    (
        "structured-booking",
        &[
            "property_id",
            "room_id",
            "guest_id",
            "check_in",
            "check_out",
            "guests",
            "price",
            "currency",
        ],
    ),
    (
        "structured-reservation",
        &[
            "place",
            "date",
            "time",
            "party_size",
            "name",
            "deposit",
            "currency",
        ],
    ),
    ("structured-trip", &["legs", "total", "currency"]),
];

/// Personal data that vendors are known to ask for. Other names are allowed with a warning, because they are probably misspelt.
const PERSONAL: &[&str] = &[
    "name",
    "email",
    "phone",
    "address",
    "dob",
    "payment_method_id",
    "passport",
    "passport_optional",
    "loyalty_numbers",
    "traveler_profile",
];

/// How a person is asked before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Confirmation {
    /// The policy decides.
    #[default]
    Unset,
    /// Declared as `false`.
    Never,
    Structured(&'static str),
}

/// What a call costs, in the vendor's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum CostTier {
    #[default]
    Free,
    Low,
    Metered,
    Money,
}

/// The extensions of one operation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Extensions {
    pub(crate) is_tool: bool,
    pub(crate) confirmation: Confirmation,
    pub(crate) personal: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) cancels: Option<String>,
    pub(crate) cancel_for: Option<String>,
    pub(crate) cost: CostTier,
    pub(crate) compensation: Option<Compensation>,
    pub(crate) reversibility: Option<Reversibility>,
    pub(crate) compensating_tool: Option<String>,
    pub(crate) template: Option<Value>,
    pub(crate) window_seconds: Option<u32>,
}

impl Extensions {
    /// Whether the operation binds the user to something, such as a booking or a payment.
    pub(crate) fn is_obligation(&self) -> bool {
        matches!(self.confirmation, Confirmation::Structured(_)) || self.cost > CostTier::Low
    }

    /// The operation that takes back what this one did.
    pub(crate) fn counterpart(&self) -> Option<&str> {
        let named = self.compensating_tool.as_deref();
        named.or(self.cancels.as_deref())
    }

    /// Reads the extensions. Problems are reported for operations that are tools; others are none of our business.
    pub(crate) fn read(
        operation: &Located<'_>,
        documents: &Documents,
        findings: &mut Findings,
    ) -> Self {
        let mut read = Self::default();
        match operation.get("x-orchet-tool") {
            None => {}
            Some(mark) => match mark.value {
                Value::Bool(is_tool) => read.is_tool = *is_tool,
                other => findings.error(
                    documents,
                    &mark.place,
                    "invalid-extension",
                    format!("`x-orchet-tool` is {other}: say true, or leave it out."),
                ),
            },
        }
        let fields = operation.value.as_object().into_iter().flatten();
        for (name, value) in fields.filter(|(name, _)| name.starts_with(PREFIX)) {
            if name == "x-orchet-tool" {
                continue;
            }
            let place = operation.place.child(name);
            let part = Located { place, value };
            if !read.is_tool {
                findings.warn(
                    documents,
                    &part.place,
                    "extension-without-tool",
                    format!("`{name}` has no effect, because the operation is no tool: add `x-orchet-tool: true`."),
                );
                continue;
            }
            if let Err(problem) = read.take(name, &part, documents, findings) {
                let message = format!("`{name}` is {}: {problem}.", shown(value));
                let code = match name.as_str() {
                    "x-orchet-requires-confirmation" => "invalid-confirmation",
                    _ => "invalid-extension",
                };
                findings.error(documents, &part.place, code, message);
            }
        }
        read
    }

    fn take(
        &mut self,
        name: &str,
        part: &Located<'_>,
        documents: &Documents,
        findings: &mut Findings,
    ) -> Result<(), String> {
        let value = part.value;
        match name.strip_prefix(PREFIX).unwrap_or_default() {
            "requires-confirmation" => self.confirmation = confirmation(value)?,
            "pii-required" => {
                self.personal = texts(value)?;
                for (at, field) in self.personal.iter().enumerate() {
                    if !PERSONAL.contains(&field.as_str()) {
                        let place = part.place.child(&at.to_string());
                        let message = format!(
                            "`{field}` is not among the usual personal fields ({}): check its spelling.",
                            PERSONAL.join(", ")
                        );
                        findings.warn(documents, &place, "unfamiliar-pii", message);
                    }
                }
            }
            "intent-tags" => self.tags = texts(value)?,
            "cancels" => self.cancels = Some(operation_id(value)?),
            "cancel-for" => self.cancel_for = Some(operation_id(value)?),
            "compensating-tool" => self.compensating_tool = Some(operation_id(value)?),
            "cost-tier" => {
                self.cost = choice(
                    value,
                    &[
                        ("free", CostTier::Free),
                        ("low", CostTier::Low),
                        ("metered", CostTier::Metered),
                        ("money", CostTier::Money),
                    ],
                )?;
            }
            "compensation-kind" => {
                let kinds = [
                    ("perfect", Compensation::Perfect),
                    ("best-effort", Compensation::BestEffort),
                    ("manual", Compensation::Manual),
                ];
                self.compensation = Some(choice(value, &kinds)?);
            }
            "reversibility" => {
                let kinds = [
                    ("reversible", Reversibility::Reversible),
                    ("compensating", Reversibility::Compensating),
                    ("irreversible", Reversibility::Irreversible),
                ];
                self.reversibility = Some(choice(value, &kinds)?);
            }
            "compensating-inputs-template" => match value {
                Value::Object(_) => self.template = Some(value.clone()),
                _ => {
                    return Err(
                        "give an object such as {\"booking_id\": \"{{outputs.booking_id}}\"}"
                            .to_owned(),
                    );
                }
            },
            "compensating-window-seconds" => {
                let seconds = value.as_u64().filter(|seconds| *seconds > 0);
                let seconds = seconds.and_then(|seconds| u32::try_from(seconds).ok());
                let wants = || "give a whole number of seconds, at least 1".to_owned();
                self.window_seconds = Some(seconds.ok_or_else(wants)?);
            }
            _ => {
                return Err(
                    "there is no such extension; correct its spelling or leave it out".to_owned(),
                );
            }
        }
        Ok(())
    }
}

fn confirmation(value: &Value) -> Result<Confirmation, String> {
    if *value == Value::Bool(false) {
        return Ok(Confirmation::Never);
    }
    let kind = value.as_str().unwrap_or_default();
    let found = CONFIRMATIONS.iter().find(|(known, _)| *known == kind);
    let wants = || {
        let kinds: Vec<&str> = CONFIRMATIONS.iter().map(|(kind, _)| *kind).collect();
        format!("say false, or one of `{}`", kinds.join("`, `"))
    };
    let (kind, _) = found.ok_or_else(wants)?;
    Ok(Confirmation::Structured(kind))
}

fn choice<T: Copy>(value: &Value, choices: &[(&str, T)]) -> Result<T, String> {
    let found = choices
        .iter()
        .find(|(name, _)| value.as_str() == Some(name));
    let wants = || {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        format!("choose one of `{}`", names.join("`, `"))
    };
    found.map(|(_, choice)| *choice).ok_or_else(wants)
}

fn operation_id(value: &Value) -> Result<String, String> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned)
        .ok_or_else(|| "give the operationId of an operation in this document".to_owned())
}

fn texts(value: &Value) -> Result<Vec<String>, String> {
    let wants = || "give a list of at most 64 short texts".to_owned();
    let items = value.as_array().filter(|items| items.len() <= 64);
    let items = items.ok_or_else(wants)?;
    let text = |item: &Value| {
        let text = item
            .as_str()
            .filter(|text| !text.trim().is_empty() && text.len() <= 100);
        text.map(str::to_owned).ok_or_else(wants)
    };
    items.iter().map(text).collect()
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
