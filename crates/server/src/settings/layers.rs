//! The sources of settings, in order.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::Settings;
use super::document::{names, variable_of};

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    #[error("the setting `{name}` from {place} cannot be used: {reason}")]
    Value {
        name: String,
        /// The source of the value.
        place: String,
        reason: String,
    },
    /// The file is not TOML, or cannot be read.
    #[error("the settings file {path} cannot be used: {reason}")]
    File {
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no setting with this name.
    #[error("{place} has the setting `{name}`, which does not exist; docs/settings.md lists them")]
    Unknown {
        name: String,
        /// The source that contains it.
        place: String,
    },
    /// Two settings contradict each other.
    #[error("{0}")]
    Together(&'static str),
}

/// The values collected so far, each with its source.
#[derive(Debug, Default)]
pub struct Layers {
    values: BTreeMap<String, (toml::Value, Place)>,
}

#[derive(Debug, Clone)]
enum Place {
    File(PathBuf),
    Environment(String),
    Flag,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Environment(variable) => write!(formatter, "the environment variable {variable}"),
            Self::Flag => formatter.write_str("the command line"),
        }
    }
}

impl Layers {
    /// Adds the file. A missing file is an error only if it was requested by name.
    pub fn file(mut self, path: &Path, asked_for: bool) -> Result<Self, BadSetting> {
        let bad = |reason: String| BadSetting::File {
            path: path.display().to_string(),
            reason,
        };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !asked_for => {
                return Ok(self);
            }
            Err(error) => return Err(bad(error.to_string())),
        };
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| bad(what_is_wrong(&text, &error)))?;
        let known = names();
        for (name, value) in table {
            let place = Place::File(path.to_owned());
            if !known.contains(&name) {
                return Err(BadSetting::Unknown {
                    name,
                    place: place.to_string(),
                });
            }
            self.values.insert(name, (value, place));
        }
        Ok(self)
    }

    /// Adds the environment: `SITEWRIGHT_<NAME>`, `DATABASE_URL` and `ORCHESTRATOR_TOOL_MANIFEST_PATH`. Other variables are ignored.
    pub fn environment(mut self, lookup: impl Fn(&str) -> Option<String>) -> Self {
        for name in names() {
            let variable = variable_of(&name);
            if let Some(value) = lookup(&variable).filter(|value| !value.is_empty()) {
                self.values.insert(
                    name,
                    (toml::Value::String(value), Place::Environment(variable)),
                );
            }
        }
        self
    }

    /// Adds one value from the command line.
    pub fn flag(mut self, name: &str, value: String) -> Result<Self, BadSetting> {
        if !names().contains(name) {
            return Err(BadSetting::Unknown {
                name: name.to_owned(),
                place: Place::Flag.to_string(),
            });
        }
        self.values
            .insert(name.to_owned(), (toml::Value::String(value), Place::Flag));
        Ok(self)
    }

    /// The settings, or the first that cannot be used.
    pub fn read(self) -> Result<Settings, BadSetting> {
        let places: BTreeMap<String, Place> = self
            .values
            .iter()
            .map(|(name, (_, place))| (name.clone(), place.clone()))
            .collect();
        let table: toml::Table = self
            .values
            .into_iter()
            .map(|(name, (value, _))| (name, value))
            .collect();
        let settings: Settings = serde_path_to_error::deserialize(table).map_err(|error| {
            let name = error.path().to_string();
            let place = places
                .get(&name)
                .map_or_else(|| "the settings".to_owned(), ToString::to_string);
            let reason = error.into_inner().message().trim().to_owned();
            BadSetting::Value {
                name,
                place,
                reason,
            }
        })?;
        check(&settings)?;
        Ok(settings)
    }
}

fn what_is_wrong(text: &str, error: &toml::de::Error) -> String {
    let before = error
        .span()
        .and_then(|span| text.get(..span.start))
        .unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    match error.message().trim() {
        "" => format!("line {line} is not valid TOML"),
        message => format!("line {line} is not valid TOML: {message}"),
    }
}

fn check(settings: &Settings) -> Result<(), BadSetting> {
    let keys = settings.s3_access_key_id.is_some() && settings.s3_secret_access_key.is_some();
    if settings.s3_bucket.is_some() && !keys {
        let reason = "`s3_bucket` needs `s3_access_key_id` and `s3_secret_access_key` beside it";
        return Err(BadSetting::Together(reason));
    }
    if settings.body_limit_bytes == 0 || settings.request_timeout_seconds == 0 {
        let reason = "`body_limit_bytes` and `request_timeout_seconds` must be at least 1, or nothing could be asked for";
        return Err(BadSetting::Together(reason));
    }
    if let (Some(public), Some(admin)) = (&settings.public_url, &settings.admin_url)
        && public.host_str() == admin.host_str()
        && public.port() == admin.port()
    {
        let reason = "`admin_url` must have another host name than `public_url`; leave it out to have both on one";
        return Err(BadSetting::Together(reason));
    }
    for url in [&settings.public_url, &settings.admin_url]
        .into_iter()
        .flatten()
    {
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() || url.path() != "/" {
            let reason = "`public_url` and `admin_url` are of the form https://www.example.com, with nothing behind the host";
            return Err(BadSetting::Together(reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Layers;

    fn read(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sitewright.toml");
        std::fs::write(&path, file).unwrap();
        let lookup = |name: &str| {
            environment
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        };
        let read = || {
            let mut layers = Layers::default().file(&path, true)?.environment(lookup);
            for (name, value) in flags {
                layers = layers.flag(name, (*value).to_owned())?;
            }
            layers.read()
        };
        match read() {
            Ok(settings) => format!(
                "{} {} {:?}",
                settings.listen, settings.body_limit_bytes, settings.trusted_proxies
            ),
            Err(error) => error
                .to_string()
                .replace(&path.display().to_string(), "FILE"),
        }
    }

    #[test]
    fn flags_win_over_the_environment_and_that_over_the_file() {
        let file = "listen = '127.0.0.1:1'\nbody_limit_bytes = 10\ntrusted_proxies = ['10.0.0.5']";
        assert_eq!(read(file, &[], &[]), "127.0.0.1:1 10 [10.0.0.5/32]");
        let environment = [
            ("SITEWRIGHT_LISTEN", "127.0.0.1:2"),
            ("SITEWRIGHT_TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
            ("SITEWRIGHT_BIN", "x"),
        ];
        assert_eq!(
            read(file, &environment, &[]),
            "127.0.0.1:2 10 [10.0.0.0/8, ::1/128]"
        );
        let flags = [("listen", "127.0.0.1:3"), ("body_limit_bytes", "20")];
        assert_eq!(
            read(file, &environment, &flags),
            "127.0.0.1:3 20 [10.0.0.0/8, ::1/128]"
        );
    }

    #[test]
    fn a_bad_value_is_refused_with_its_name_and_place() {
        assert_eq!(
            read("listen = 'here'", &[], &[]),
            "the setting `listen` from FILE cannot be used: `here` is not an address with a port, such as 127.0.0.1:8080"
        );
        assert_eq!(
            read("", &[("SITEWRIGHT_TRUSTED_PROXIES", "10.0.0.5,proxy")], &[]),
            "the setting `trusted_proxies` from the environment variable SITEWRIGHT_TRUSTED_PROXIES cannot be used: `proxy` is not \
             an address such as 10.0.0.5 or a network such as 10.0.0.0/8"
        );
        assert_eq!(
            read("", &[], &[("request_timeout_seconds", "soon")]),
            "the setting `request_timeout_seconds` from the command line cannot be used: invalid digit found in string"
        );
        assert_eq!(
            read(
                "
listen = ",
                &[],
                &[]
            ),
            "the settings file FILE cannot be used: line 2 is not valid TOML"
        );
    }

    #[test]
    fn an_unknown_name_is_refused_in_the_file_and_on_the_command_line() {
        assert_eq!(
            read("lisen = 'x'", &[], &[]),
            "FILE has the setting `lisen`, which does not exist; docs/settings.md lists them"
        );
        assert_eq!(
            read("", &[], &[("lisen", "x")]),
            "the command line has the setting `lisen`, which does not exist; docs/settings.md lists them"
        );
    }

    #[test]
    fn settings_that_need_each_other_are_checked_together() {
        assert_eq!(
            read("s3_bucket = 'b'", &[], &[]),
            "`s3_bucket` needs `s3_access_key_id` and `s3_secret_access_key` beside it"
        );
        assert_eq!(
            read("body_limit_bytes = 0", &[], &[]),
            "`body_limit_bytes` and `request_timeout_seconds` must be at least 1, or nothing could be asked for"
        );
        assert_eq!(
            read(
                "public_url = 'https://a.example'\nadmin_url = 'https://a.example'",
                &[],
                &[]
            ),
            "`admin_url` must have another host name than `public_url`; leave it out to have both on one"
        );
        assert_eq!(
            read("public_url = 'https://example.com/sub'", &[], &[]),
            "`public_url` and `admin_url` are of the form https://www.example.com, with nothing behind the host"
        );
    }
}
