//! Reading values that may come as text (from the environment and flags) or as themselves (from the file).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};

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

/// A list, or its items in one text, separated by commas. A bare address stands for the network of it alone.
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
