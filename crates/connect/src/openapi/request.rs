//! The HTTP request of a call: the address, headers and body that its arguments make.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{CONTENT_TYPE, COOKIE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Map, Value};

use super::body::{BodyPlan, Media};
use super::parameter::{Form, Location, Parameter, Style};
use super::security::Security;

/// How the arguments of a tool become a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequestPlan {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// From `servers`, for when the person who adds the document gives no address.
    pub(crate) server: Option<String>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: BodyPlan,
    pub(crate) security: Security,
}

/// A request without credentials.
#[derive(Debug, PartialEq)]
pub(crate) struct WrittenRequest {
    pub(crate) method: Method,
    /// Path and query, to be appended to the base address.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
}

impl RequestPlan {
    /// Writes the arguments into a request, or says which one cannot be written.
    pub(crate) fn write(&self, arguments: &Map<String, Value>) -> Result<WrittenRequest, String> {
        let mut path = self.path.clone();
        let mut query: Vec<String> = Vec::new();
        let mut cookies: Vec<String> = Vec::new();
        let mut headers = HeaderMap::new();
        for parameter in &self.parameters {
            let Some(value) = arguments.get(&parameter.argument) else {
                continue;
            };
            let about = |problem: String| format!("`{}`: {problem}", parameter.argument);
            match parameter.location {
                Location::Path => {
                    let text = parameter.path_text(value)?;
                    // A name may stand in the path more than once.
                    path = path.replace(&format!("{{{}}}", parameter.name), &text);
                }
                Location::Query => query.extend(parameter.query_pairs(value).map_err(about)?),
                Location::Cookie => cookies.extend(parameter.cookie_pairs(value).map_err(about)?),
                Location::Header => {
                    let text = parameter.header_text(value).map_err(about)?;
                    let name = HeaderName::try_from(&parameter.name)
                        .map_err(|_bad| about("its name is no header".to_owned()))?;
                    let text = HeaderValue::try_from(text).map_err(|_bad| {
                        about("it has characters that no header can have".to_owned())
                    })?;
                    headers.append(name, text);
                }
            }
        }
        if path.contains(['{', '}']) {
            return Err("a part of the path is missing".to_owned());
        }
        if !cookies.is_empty() {
            let text = HeaderValue::try_from(cookies.join("; "))
                .map_err(|_bad| "a cookie has characters that it cannot have".to_owned())?;
            headers.insert(COOKIE, text);
        }
        let body = self.write_body(arguments, &mut headers)?;
        let target = match query.is_empty() {
            true => path,
            false => format!("{path}?{}", query.join("&")),
        };
        let method = Method::from_bytes(self.method.to_ascii_uppercase().as_bytes())
            .map_err(|_bad| "its method is unknown".to_owned())?;
        Ok(WrittenRequest {
            method,
            target,
            headers,
            body,
        })
    }

    fn write_body(
        &self,
        arguments: &Map<String, Value>,
        headers: &mut HeaderMap,
    ) -> Result<Option<Vec<u8>>, String> {
        let (media, value) = match &self.body {
            BodyPlan::None => return Ok(None),
            BodyPlan::Everything if arguments.is_empty() => return Ok(None),
            BodyPlan::Everything => (
                Media::Json("application/json".to_owned()),
                Value::Object(arguments.clone()),
            ),
            BodyPlan::Whole { media, argument } => match arguments.get(argument) {
                None => return Ok(None),
                Some(value) => (media.clone(), value.clone()),
            },
            BodyPlan::Fields {
                media,
                fields,
                is_open,
                is_required,
            } => {
                let is_parameter = |name: &String| {
                    self.parameters
                        .iter()
                        .any(|parameter| parameter.argument == *name)
                };
                let mut body = Map::new();
                for (argument, value) in arguments {
                    match fields.get(argument) {
                        Some(field) => {
                            body.insert(field.clone(), value.clone());
                        }
                        None if *is_open && !is_parameter(argument) => {
                            body.insert(argument.clone(), value.clone());
                        }
                        None => {}
                    }
                }
                if body.is_empty() && !is_required {
                    return Ok(None);
                }
                (media.clone(), Value::Object(body))
            }
        };
        let (content_type, bytes) = encode(&media, &value)?;
        let content_type = HeaderValue::try_from(content_type)
            .map_err(|_bad| "the media type of its body is invalid".to_owned())?;
        headers.insert(CONTENT_TYPE, content_type);
        Ok(Some(bytes))
    }
}

fn encode(media: &Media, value: &Value) -> Result<(String, Vec<u8>), String> {
    match media {
        Media::Json(name) => Ok((name.clone(), value.to_string().into_bytes())),
        Media::Form => {
            let mut pairs = Vec::new();
            for (name, value) in value.as_object().into_iter().flatten() {
                pairs.extend(form_pairs(name, value)?);
            }
            Ok((
                "application/x-www-form-urlencoded".to_owned(),
                pairs.join("&").into_bytes(),
            ))
        }
        Media::Multipart => multipart(value),
        Media::Text(name) => {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            Ok((name.clone(), text.into_bytes()))
        }
        Media::Binary(name) => {
            let text = value.as_str().unwrap_or_default();
            let bytes = STANDARD
                .decode(text)
                .map_err(|_bad| "the body is not base64".to_owned())?;
            Ok((name.clone(), bytes))
        }
    }
}

/// Lists are repeated; objects and lists of objects are written as JSON, which is their default content type in forms.
fn form_pairs(name: &str, value: &Value) -> Result<Vec<String>, String> {
    let form = Form {
        name,
        style: Style::Form,
        explode: true,
        allow_reserved: false,
    };
    let is_nested = |value: &Value| value.is_object() || value.is_array();
    match value {
        Value::Object(_) => form.pairs(&Value::String(value.to_string())),
        Value::Array(items) if items.iter().any(is_nested) => {
            let items = items.iter().map(|item| Value::String(item.to_string()));
            form.pairs(&Value::Array(items.collect()))
        }
        value => form.pairs(value),
    }
}

fn multipart(value: &Value) -> Result<(String, Vec<u8>), String> {
    use sha2::{Digest as _, Sha256};
    // A boundary from the content, so that every attempt of a call sends the same bytes.
    let boundary = hex::encode(&Sha256::digest(value.to_string())[..16]);
    let mut body = String::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        if name.contains(['"', '\r', '\n']) {
            return Err(format!("`{name}` cannot be the name of a part"));
        }
        let values = match value {
            Value::Array(items) => items.clone(),
            value => vec![value.clone()],
        };
        for value in values {
            let (kind, text) = match &value {
                Value::String(text) => ("text/plain; charset=utf-8", text.clone()),
                Value::Object(_) | Value::Array(_) => ("application/json", value.to_string()),
                value => ("text/plain; charset=utf-8", value.to_string()),
            };
            body.push_str(&format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n{text}\r\n"
            ));
        }
    }
    body.push_str(&format!("--{boundary}--\r\n"));
    Ok((
        format!("multipart/form-data; boundary={boundary}"),
        body.into_bytes(),
    ))
}
