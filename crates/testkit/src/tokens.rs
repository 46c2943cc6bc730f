//! What a text costs a model.

/// How many tokens a text has in the encoding o200k, which the budgets of prompts and catalogues are given in.
pub fn tokens_in(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}
