//! The cost of a turn, and its use of the context window.

use super::Catalogue;
use crate::provider::{InputTokens, ProviderId};
use crate::stream::Usage;

/// The cost of usage in US dollars: what the provider says it charged, else the tokens at list prices, else `None`, which means unknown.
/// Models that run on the user's own machine cost nothing.
pub fn resolve_cost_usd(
    catalogue: &Catalogue,
    provider: ProviderId,
    model: &str,
    usage: &Usage,
) -> Option<f64> {
    if usage.cost_usd.is_some() {
        return usage.cost_usd;
    }
    if provider.record().runs_locally {
        return Some(0.0);
    }
    let price = catalogue.get(model)?;
    let (input, output) = (price.prompt?, price.completion?);
    let cached = usage
        .cache_read_tokens
        .saturating_add(usage.cache_creation_tokens);
    let fresh = match provider.record().input_tokens {
        InputTokens::WithoutCached => usage.prompt_tokens,
        InputTokens::All => usage.prompt_tokens.saturating_sub(cached),
    };
    let hour = usage
        .cache_creation_1h_tokens
        .min(usage.cache_creation_tokens);
    let minutes = usage.cache_creation_tokens - hour;
    let write = price.cache_write.unwrap_or(input);
    let sum = input.times(fresh)
        + output.times(usage.completion_tokens)
        + price
            .cache_read
            .unwrap_or(input)
            .times(usage.cache_read_tokens)
        + write.times(minutes)
        + price.cache_write_1h.unwrap_or(write).times(hour);
    Some(sum as f64 / 1e12)
}

/// The tokens of the context window that a round used: its whole input, whether or not the provider counts cached input separately.
pub fn normalize_context_tokens(provider: ProviderId, usage: &Usage) -> u64 {
    match provider.record().input_tokens {
        InputTokens::WithoutCached => usage
            .prompt_tokens
            .saturating_add(usage.cache_read_tokens)
            .saturating_add(usage.cache_creation_tokens),
        InputTokens::All => usage.prompt_tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::{normalize_context_tokens, resolve_cost_usd};
    use crate::price::Catalogue;
    use crate::provider::ProviderId;
    use crate::stream::Usage;
    use serde_json::json;

    fn usage() -> Usage {
        Usage {
            prompt_tokens: 1_000,
            completion_tokens: 100,
            cache_read_tokens: 600,
            cache_creation_tokens: 200,
            ..Usage::default()
        }
    }

    fn catalogue() -> Catalogue {
        let entry = |id: &str| {
            json!({ "id": id, "pricing": {
                "prompt": "0.000004", "completion": "0.00002", "input_cache_read": "0.0000002", "input_cache_write": "0.000005",
            } })
        };
        let list =
            json!({ "data": [entry("anthropic/claude-opus-5.5"), entry("openai/gpt-6-sol")] });
        Catalogue::from_openrouter(list.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn k29_cached_input_is_counted_once_whichever_way_the_provider_counts() {
        let cost =
            |provider, model: &str| resolve_cost_usd(&catalogue(), provider, model, &usage());
        // 1000 uncached (0.004), 600 read from the cache (0.00012), 200 written to it (0.001), 100 output (0.002).
        let anthropic = 0.00712;
        assert_eq!(
            cost(ProviderId::Anthropic, "claude-opus-5-5"),
            Some(anthropic)
        );
        // Only 200 of the 1000 are uncached (0.0008).
        let openai = 0.00392;
        assert_eq!(cost(ProviderId::OpenAi, "gpt-6-sol"), Some(openai));
        assert_eq!(cost(ProviderId::OpenAi, "nobody-knows"), None);
        assert_eq!(cost(ProviderId::Ollama, "nobody-knows"), Some(0.0));
    }

    #[test]
    fn the_providers_own_figure_wins() {
        let usage = Usage {
            cost_usd: Some(0.5),
            ..usage()
        };
        let cost = resolve_cost_usd(
            &catalogue(),
            ProviderId::OpenRouter,
            "anthropic/claude-opus-5.5",
            &usage,
        );
        assert_eq!(cost, Some(0.5));
    }

    #[test]
    fn the_context_used_is_the_whole_input_of_every_provider() {
        let used = |provider| normalize_context_tokens(provider, &usage());
        assert_eq!(used(ProviderId::Anthropic), 1_800);
        for provider in [
            ProviderId::OpenAi,
            ProviderId::OpenRouter,
            ProviderId::Ollama,
            ProviderId::Venice,
        ] {
            assert_eq!(used(provider), 1_000);
        }
    }
}
