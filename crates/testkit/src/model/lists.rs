//! The lists of models.

use serde_json::{Value, json};

use super::Dialect;
use crate::vendor::{Answer, Reply};

pub(super) fn answer(dialect: Dialect, path: &str) -> Answer {
    match list(dialect, path) {
        Some(body) => Answer::Reply(
            Reply::new(200, body.to_string()).with_header("content-type", "application/json"),
        ),
        None => Answer::Reply(Reply::new(404, "{\"error\":\"not found\"}")),
    }
}

fn list(dialect: Dialect, path: &str) -> Option<Value> {
    Some(match (dialect, path) {
        (Dialect::Anthropic, "/v1/models") => json!({
            "data": [
                { "type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5", "created_at": "2026-09-22T00:00:00Z",
                  "lifecycle": "active", "line": "opus", "max_input_tokens": 1_000_000, "max_tokens": 128_000,
                  "capabilities": { "image_input": { "supported": true } } },
                { "type": "model", "id": "claude-haiku-5-5", "display_name": "Claude Haiku 5.5", "created_at": "2026-09-22T00:00:00Z",
                  "lifecycle": "active", "line": "haiku", "max_input_tokens": 1_000_000, "max_tokens": 128_000,
                  "capabilities": { "image_input": { "supported": true } } },
            ],
            "has_more": false, "first_id": "claude-opus-5-5", "last_id": "claude-haiku-5-5",
        }),
        (Dialect::OpenAi, "/v1/models") => json!({
            "object": "list",
            "data": [
                { "id": "gpt-6-sol", "object": "model", "created": 1_790_000_000, "owned_by": "openai", "shutdown_date": null },
                { "id": "text-embedding-3-small", "object": "model", "created": 1_700_000_000, "owned_by": "openai", "shutdown_date": null },
            ],
        }),
        (Dialect::OpenRouter, "/api/v1/models") => json!({ "data": [{
            "id": "anthropic/claude-opus-5.5", "canonical_slug": "anthropic/claude-opus-5.5", "name": "Claude Opus 5.5",
            "created": 1_790_000_000, "description": "", "context_length": 1_000_000,
            "architecture": { "modality": "text+image->text", "input_modalities": ["text", "image"], "output_modalities": ["text"],
                              "tokenizer": "Claude", "instruct_type": null },
            "pricing": { "prompt": "0.000004", "completion": "0.00002", "input_cache_read": "0.0000002", "input_cache_write": "0.000005" },
            "top_provider": { "context_length": 1_000_000, "max_completion_tokens": 128_000, "is_moderated": false },
            "per_request_limits": null, "supported_parameters": ["tools", "tool_choice", "max_tokens", "reasoning"],
        }] }),
        (Dialect::OpenRouter, "/api/v1/key") => json!({ "data": {
            "label": "sk-or-v1-…", "limit": 20, "limit_remaining": 12.5, "usage": 7.5, "is_free_tier": false,
        } }),
        (Dialect::Ollama, "/api/tags") => json!({ "models": [{
            "name": "qwen3:8b", "model": "qwen3:8b", "modified_at": "2026-08-21T00:00:00Z", "size": 5_000_000_000_u64, "digest": "abc",
            "details": { "format": "gguf", "family": "qwen3", "families": ["qwen3"], "parameter_size": "8B", "quantization_level": "Q4_K_M" },
            "capabilities": ["completion", "tools", "thinking"],
        }] }),
        (Dialect::Venice, "/api/v1/models") => json!({ "object": "list", "data": [{
            "id": "kimi-k3", "type": "text", "object": "model", "created": 1_780_000_000, "owned_by": "venice.ai",
            "model_spec": { "availableContextTokens": 1_000_000, "name": "Kimi K3",
                            "capabilities": { "supportsVision": true, "supportsFunctionCalling": true, "supportsReasoning": true },
                            "pricing": { "input": { "usd": 1.0 }, "output": { "usd": 3.0 } } },
        }] }),
        _ => return None,
    })
}
