//! Deserializing values that may be text (from the environment and flags) or typed (from the file).

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};
use url::Url;

/// A number or anything else that has a text form.
pub(super) fn text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Number(i64),
    }
    let text = match Written::deserialize(deserializer)? {
        Written::Text(text) => text,
        Written::Number(number) => number.to_string(),
    };
    text.trim().parse().map_err(de::Error::custom)
}

/// An address and a port; the address may be `localhost`.
pub(super) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(deserializer)?;
    let spelled = text.trim().replacen("localhost", "127.0.0.1", 1);
    spelled.parse().map_err(|_error| {
        de::Error::custom(format!(
            "`{text}` is not an address with a port, such as 127.0.0.1:8080"
        ))
    })
}

/// An absolute web address.
pub(super) fn url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Url>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parsed = Url::parse(text.trim());
    parsed.map(Some).map_err(|_error| {
        de::Error::custom(format!(
            "`{text}` is not an address such as https://www.example.com"
        ))
    })
}

/// A list, or its items in one comma-separated text. A bare address means the network that contains only that address.
pub(super) fn list<'de, D>(deserializer: D) -> Result<Vec<ipnet::IpNet>, D::Error>
where
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        List(Vec<String>),
    }
    let items = match Written::deserialize(deserializer)? {
        Written::Text(text) => text.split(',').map(str::to_owned).collect(),
        Written::List(items) => items,
    };
    let items = items
        .iter()
        .map(|item| item.trim())
        .filter(|item| !item.is_empty());
    items
        .map(|item| match item.parse::<std::net::IpAddr>() {
            Ok(address) => Ok(ipnet::IpNet::from(address)),
            Err(_) => item.parse().map_err(|_error| {
                de::Error::custom(format!(
                    "`{item}` is not an address such as 10.0.0.5 or a network such as 10.0.0.0/8"
                ))
            }),
        })
        .collect()
}
