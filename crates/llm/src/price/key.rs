//! One key per model, whatever name a provider uses for it.

/// The key of a model in the price list: `claude-opus-4-8-20260514` and `anthropic/claude-opus-4.8` both become `claude-opus-4-8`.
/// Variants such as `:thinking` and `-fast` are kept, because they have other prices.
pub fn pricing_key(model: &str) -> String {
    let lower = model.trim().trim_start_matches('~').to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let (name, variant) = match name.split_once(':') {
        Some((name, variant)) => (name, Some(variant)),
        None => (name, None),
    };
    let mut key = without_date(name).replace('.', "-");
    if let Some(variant) = variant {
        key.push(':');
        key.push_str(variant);
    }
    key
}

/// Whether the name ends in a release date.
pub(super) fn is_dated(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or_default();
    let name = name.split(':').next().unwrap_or_default();
    without_date(name).len() != name.len()
}

/// Removes a date such as `-20260514`, `@20260514` or `-2026-05-14` from the end.
fn without_date(name: &str) -> &str {
    let digits = |text: &str, count: usize| {
        text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if let Some((start, end)) = name.rsplit_once(['-', '@'])
        && digits(end, 8)
        && end.starts_with("20")
    {
        return start;
    }
    let mut parts = name.rsplitn(4, '-');
    let (day, month, year) = (parts.next(), parts.next(), parts.next());
    match (day, month, year, parts.next()) {
        (Some(day), Some(month), Some(year), Some(start))
            if digits(day, 2) && digits(month, 2) && digits(year, 4) =>
        {
            start
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::pricing_key;

    #[test]
    fn a_providers_id_and_the_lists_slug_meet() {
        let check = |model: &str, key: &str| assert_eq!(pricing_key(model), key);
        check("claude-opus-4-8-20260514", "claude-opus-4-8");
        check("anthropic/claude-opus-4.8", "claude-opus-4-8");
        check("gpt-4o-2024-08-06", "gpt-4o");
        check("openai/gpt-5.6-sol", "gpt-5-6-sol");
        check("claude-sonnet-4-5@20250929", "claude-sonnet-4-5");
        check("~openai/gpt-latest", "gpt-latest");
    }

    #[test]
    fn variants_stay() {
        let check = |model: &str, key: &str| assert_eq!(pricing_key(model), key);
        check(
            "anthropic/claude-3.7-sonnet:thinking",
            "claude-3-7-sonnet:thinking",
        );
        check(
            "claude-3-7-sonnet-20250219:thinking",
            "claude-3-7-sonnet:thinking",
        );
        check("anthropic/claude-opus-4.8-fast", "claude-opus-4-8-fast");
        check("qwen3:8b", "qwen3:8b");
        check("mistral-small-2603", "mistral-small-2603");
    }
}
