//! Which credentials an operation needs, and how they are sent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bundle::{Documents, Located};
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
}

/// The schemes of one alternative; all of them are needed together.
pub(crate) type Alternative = Vec<String>;

/// What an operation needs: one of the alternatives. None at all means that it needs nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Security {
    pub(crate) alternatives: Vec<Alternative>,
}

/// The security schemes of a document.
pub(crate) fn schemes(
    root: &Located<'_>,
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

fn read_scheme(scheme: &Located<'_>) -> Option<SecurityScheme> {
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
        "oauth2" | "openIdConnect" => Some(SecurityScheme::Bearer),
        _ => None,
    }
}

/// What an operation needs; its own list replaces the document's.
pub(crate) fn security(
    found: &FoundOperation<'_>,
    root: &Located<'_>,
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
        let names = alternative.value.as_object().map(|fields| fields.keys());
        let names: Vec<String> = names.into_iter().flatten().cloned().collect();
        for name in names.iter().filter(|name| !known.contains_key(*name)) {
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
        alternatives.push(names);
    }
    // An empty alternative says that it also works without any.
    if alternatives.iter().any(Vec::is_empty) {
        alternatives.retain(|names| !names.is_empty());
        alternatives.push(Vec::new());
    }
    Security { alternatives }
}

/// The base address of an operation from `servers`, with its variables filled by their defaults.
pub(crate) fn server_url(found: &FoundOperation<'_>, root: &Located<'_>) -> Option<String> {
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
