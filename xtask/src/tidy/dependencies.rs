//! Which third-party packages may be used, and where.

use serde_json::Value;

use super::Broken;
use super::files::SourceFile;
use super::metadata::{Kind, Metadata};

/// The only crate that may use SQL.
const SQL_DRIVERS: &[&str] = &[
    "sqlx",
    "rusqlite",
    "tokio-postgres",
    "postgres",
    "diesel",
    "sea-orm",
    "libsqlite3-sys",
];

/// Whose benches are measured against bare statements.
const MAY_COMPARE_WITH_SQL: &[&str] = &["breadcrumbs", "content", "runtime"];

const HTTP_CLIENTS: &[&str] = &[
    "reqwest",
    "ureq",
    "isahc",
    "surf",
    "attohttpc",
    "curl",
    "minreq",
    "awc",
    "hyper-rustls",
];

/// Who may have an HTTP client, and why: `egress` is the rule, the others are its named exceptions.
const MAY_CALL_OUT: &[(&str, &str)] = &[
    (
        "egress",
        "the client for every address that users, models or content can influence",
    ),
    ("store", "S3, an endpoint the operator configured"),
    ("cli", "its own server, by socket or by --server"),
    ("testkit", "vendors on loopback"),
];

/// `llm` talks to providers over HTTP; an SDK would bring its own types and its own client, which bypasses `egress`.
const PROVIDER_SDKS: &[&str] = &[
    "async-openai",
    "openai",
    "openai-api-rs",
    "openai_api_rust",
    "openai-rust",
    "openai-client",
    "anthropic",
    "anthropic-sdk",
    "anthropic-sdk-rust",
    "anthropic-ai-sdk",
    "anthropic-rs",
    "anthropic-api",
    "async-anthropic",
    "clust",
    "misanthropic",
    "claude-sdk",
    "ollama-rs",
    "openrouter-rs",
    "openrouter_api",
    "genai",
    "rig-core",
    "llm-chain",
    "langchain-rust",
    "swiftide",
    "kalosm",
    "mistralai-client",
    "cohere-rust",
    "google-generative-ai-rs",
    "gemini-rust",
    "aws-sdk-bedrockruntime",
];

/// The same for the shell; a name that ends with a slash is a whole scope.
const REFUSED_NPM: &[(&str, &str)] = &[
    ("openai", "is a provider SDK"),
    ("@openai/", "is a provider SDK"),
    (
        "@modelcontextprotocol/",
        "belongs to the server, where a Rust crate speaks MCP",
    ),
    ("@anthropic-ai/", "is a provider SDK"),
    ("@google/genai", "is a provider SDK"),
    ("@google/generative-ai", "is a provider SDK"),
    ("@mistralai/", "is a provider SDK"),
    ("@openrouter/", "is a provider SDK"),
    ("cohere-ai", "is a provider SDK"),
    ("ollama", "is a provider SDK"),
    ("ai", "is a provider SDK"),
    ("@ai-sdk/", "is a provider SDK"),
    ("langchain", "is a provider SDK"),
    ("@langchain/", "is a provider SDK"),
    ("zod", "is a second source of schemas; types come from Rust"),
];

pub(super) fn check(metadata: &Metadata) -> Vec<Broken> {
    let mut broken = Vec::new();
    for package in metadata.ours() {
        let name = package.short_name();
        for dependency in &package.dependencies {
            let other = dependency.name.as_str();
            let has_bench = MAY_COMPARE_WITH_SQL.contains(&name);
            let may_use_sql = name == "store" || (has_bench && dependency.kind == Kind::TestsOnly);
            if SQL_DRIVERS.contains(&other) && !may_use_sql {
                broken.push(Broken::new(
                    &package.name,
                    format!("must not depend on {other}: SQL is in sitewright-store only"),
                ));
            }
            let may_call_out = MAY_CALL_OUT.iter().any(|(allowed, _)| *allowed == name);
            if HTTP_CLIENTS.contains(&other) && dependency.kind == Kind::Shipped && !may_call_out {
                broken.push(Broken::new(
                    &package.name,
                    format!("must not depend on {other}: calls go out through sitewright-egress"),
                ));
            }
        }
    }
    for package in &metadata.packages {
        if PROVIDER_SDKS.contains(&package.name.as_str()) {
            broken.push(Broken::new(
                &package.name,
                "is a provider SDK; providers are spoken to over HTTP",
            ));
        }
    }
    broken
}

/// The shell's manifest.
pub(super) fn check_web(file: &SourceFile) -> Vec<Broken> {
    if file.path != "web/package.json" {
        return Vec::new();
    }
    let Ok(manifest) = serde_json::from_str::<Value>(&file.text) else {
        return vec![Broken::new(&file.path, "is not JSON")];
    };
    let names = [
        "dependencies",
        "devDependencies",
        "optionalDependencies",
        "peerDependencies",
    ]
    .into_iter()
    .filter_map(|section| manifest[section].as_object())
    .flat_map(|section| section.keys());
    names
        .filter_map(|name| {
            let refused = |pattern: &str| {
                if pattern.ends_with('/') {
                    name.starts_with(pattern)
                } else {
                    name == pattern
                }
            };
            let (_, reason) = REFUSED_NPM.iter().find(|(pattern, _)| refused(pattern))?;
            Some(Broken::new(
                &file.path,
                format!("must not depend on {name}, which {reason}"),
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::files::SourceFile;
    use super::super::metadata::tests::workspace;
    use super::{check, check_web};

    fn check_packages(lines: &[&str], expected: &[&str]) {
        let broken: Vec<String> = check(&workspace(lines))
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(broken, expected);
    }

    #[test]
    fn sql_and_http_stay_where_they_belong() {
        check_packages(
            &[
                "sitewright-store: sqlx, reqwest",
                "sitewright-egress: reqwest",
                "sitewright-cli: reqwest",
            ],
            &[],
        );
        check_packages(&["sitewright-server: dev reqwest"], &[]);
        check_packages(
            &["sitewright-agent: reqwest", "sitewright-llm: dev sqlx"],
            &[
                "sitewright-agent: must not depend on reqwest: calls go out through sitewright-egress",
                "sitewright-llm: must not depend on sqlx: SQL is in sitewright-store only",
            ],
        );
    }

    #[test]
    fn a_provider_sdk_is_found_anywhere_in_the_tree() {
        check_packages(
            &["sitewright-llm: serde", "async-openai: reqwest"],
            &["async-openai: is a provider SDK; providers are spoken to over HTTP"],
        );
    }

    #[test]
    fn the_shell_has_neither_provider_sdks_nor_a_second_schema_source() {
        let refused = [
            ("@anthropic-ai/sdk", "is a provider SDK"),
            ("@openai/agents", "is a provider SDK"),
            (
                "@modelcontextprotocol/sdk",
                "belongs to the server, where a Rust crate speaks MCP",
            ),
            ("zod", "is a second source of schemas; types come from Rust"),
        ];
        for (name, why) in refused {
            let text = format!(
                r#"{{"dependencies": {{"react": "1"}}, "devDependencies": {{"{name}": "1", "ai-words": "1"}}}}"#
            );
            let broken: Vec<String> = check_web(&SourceFile::new("web/package.json", &text))
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(
                broken,
                [format!(
                    "web/package.json: must not depend on {name}, which {why}"
                )]
            );
        }
    }
}
