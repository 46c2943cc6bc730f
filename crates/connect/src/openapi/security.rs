//! Which credentials an operation needs, and how they are sent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bundle::{Documents, LocatedValue};
use super::finding::Findings;
use super::operation::FoundOperation;

/// How the secret of a scheme is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum SecurityScheme {
    /// In a header of this name.
    Header {
        /// The header.
        name: String,
    },
    /// In a parameter of the query.
    Query {
        /// The parameter.
        name: String,
    },
    /// In a cookie.
    Cookie {
        /// The cookie.
        name: String,
    },
    /// As `Authorization: Bearer …`.
    Bearer,
    /// As `Authorization: Basic …`; the secret is `user:password`.
    Basic,
    /// As a bearer token that a token endpoint gives out (OAuth 2 client credentials); the secret is `id:secret` of the client.
    #[serde(rename_all = "camelCase")]
    ClientCredentials {
        /// The token endpoint.
        token_url: String,
    },
}

/// A scheme that an operation needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeededScheme {
    pub(crate) name: String,
    /// The scopes that its access token needs.
    pub(crate) scopes: Vec<String>,
}

/// The schemes of one alternative; all of them are needed together.
pub(crate) type Alternative = Vec<NeededScheme>;

/// What an operation needs: one of the alternatives. None at all means that it needs nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Security {
    pub(crate) alternatives: Vec<Alternative>,
}

/// The security schemes of a document.
pub(crate) fn schemes(
    root: &LocatedValue<'_>,
    documents: &Documents,
    findings: &mut Findings,
) -> BTreeMap<String, SecurityScheme> {
    let declared = root
        .get("components")
        .and_then(|parts| parts.get("securitySchemes"));
    let declared = declared.map(|schemes| schemes.fields()).unwrap_or_default();
    let mut known = BTreeMap::new();
    for (name, scheme) in declared {
        let Ok(scheme) = documents.resolve(scheme) else {
            continue;
        };
        match read_scheme(&scheme) {
            Some(read) => {
                known.insert(name.to_owned(), read);
            }
            None => findings.warn(
                documents,
                &scheme.place,
                "unsupported-security",
                "This kind of security scheme cannot be used: use an API key, HTTP basic or bearer, or OAuth 2.",
            ),
        }
    }
    known
}

fn read_scheme(scheme: &LocatedValue<'_>) -> Option<SecurityScheme> {
    let name = || scheme.text("name").map(str::to_owned);
    match scheme.text("type")? {
        "apiKey" => match scheme.text("in")? {
            "header" => Some(SecurityScheme::Header { name: name()? }),
            "query" => Some(SecurityScheme::Query { name: name()? }),
            "cookie" => Some(SecurityScheme::Cookie { name: name()? }),
            _ => None,
        },
        "http" => match scheme.text("scheme")?.to_ascii_lowercase().as_str() {
            "basic" => Some(SecurityScheme::Basic),
            "bearer" => Some(SecurityScheme::Bearer),
            _ => None,
        },
        "oauth2" => Some(match token_url(scheme) {
            Some(token_url) => SecurityScheme::ClientCredentials { token_url },
            None => SecurityScheme::Bearer,
        }),
        "openIdConnect" => Some(SecurityScheme::Bearer),
        _ => None,
    }
}

/// Where tokens are given out for client credentials. The other flows need a person in a browser, so a token of theirs is given as it is.
fn token_url(scheme: &LocatedValue<'_>) -> Option<String> {
    let flow = scheme.get("flows")?.get("clientCredentials")?;
    flow.text("tokenUrl").map(str::to_owned)
}

/// What an operation needs; its own list replaces the document's.
pub(crate) fn security(
    found: &FoundOperation<'_>,
    root: &LocatedValue<'_>,
    known: &BTreeMap<String, SecurityScheme>,
    reports: (&Documents, &mut Findings),
) -> Security {
    let (documents, findings) = reports;
    let list = found
        .operation
        .get("security")
        .or_else(|| root.get("security"));
    let Some(list) = list else {
        return Security::default();
    };
    let mut alternatives = Vec::new();
    for alternative in list.items() {
        let schemes = alternative.value.as_object().into_iter().flatten();
        let schemes: Alternative = schemes
            .map(|(name, scopes)| needed_scheme(name, scopes))
            .collect();
        for NeededScheme { name, .. } in &schemes {
            if known.contains_key(name) {
                continue;
            }
            let message = format!(
                "There is no usable security scheme `{name}`: declare it under `components.securitySchemes`."
            );
            findings.error(
                documents,
                &alternative.place,
                "unknown-security-scheme",
                message,
            );
        }
        alternatives.push(schemes);
    }
    // An empty alternative says that it also works without any.
    if alternatives.iter().any(Vec::is_empty) {
        alternatives.retain(|schemes| !schemes.is_empty());
        alternatives.push(Vec::new());
    }
    Security { alternatives }
}

fn needed_scheme(name: &str, scopes: &Value) -> NeededScheme {
    let scopes = scopes.as_array().into_iter().flatten();
    let scopes = scopes.filter_map(Value::as_str).map(str::to_owned);
    NeededScheme {
        name: name.to_owned(),
        scopes: scopes.collect(),
    }
}

/// The base address of an operation from `servers`, with its variables filled by their defaults.
pub(crate) fn server_url(found: &FoundOperation<'_>, root: &LocatedValue<'_>) -> Option<String> {
    let own = found.operation.get("servers");
    let list = own
        .or_else(|| found.path_servers.clone())
        .or_else(|| root.get("servers"))?;
    let server = list.items().into_iter().next()?;
    let mut url = server.text("url")?.to_owned();
    let variables = server.value.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten() {
        if let Some(default) = variable.get("default").and_then(Value::as_str) {
            url = url.replace(&format!("{{{name}}}"), default);
        }
    }
    Some(url)
}
