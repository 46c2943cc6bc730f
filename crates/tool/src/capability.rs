//! What a person, a token or an agent may do. Roles and tokens are sets of these; a route or a tool names the one it
//! needs.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

macro_rules! capabilities {
    ($($variant:ident $name:literal $description:literal,)*) => {
        /// One thing a caller may be allowed to do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Capability {
            $(#[doc = $description] $variant,)*
        }

        impl Capability {
            /// Every capability, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The spelling in roles, tokens and the HTTP API.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it allows, for a person who chooses capabilities.
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => $description,)* }
            }
        }
    };
}

capabilities! {
    AiChat "ai.chat" "Talk to the assistant",
    AiToolsWrite "ai.tools.write" "Let the assistant change things",
    AiProvidersManage "ai.providers.manage" "Add and remove AI providers and their keys",
    AiAuditRead "ai.audit.read" "See what the assistant did and what it cost",
    SiteRead "site.read" "See pages, styles and drafts",
    SiteWrite "site.write" "Change pages and styles",
    SitePublish "site.publish" "Publish the site and roll it back",
    SiteCode "site.code" "Write scripts and code for the page head",
    ContentRead "content.read" "See entries, media and navigation",
    ContentDeliver "content.deliver" "Read published entries over the API for other programs",
    ContentWrite "content.write" "Change entries, media and navigation",
    ContentPublish "content.publish" "Publish and archive entries",
    ToolsRead "tools.read" "See the tools and their runs",
    ToolsCall "tools.call" "Run tools",
    ToolsApprove "tools.approve" "Approve runs that wait for a person",
    ToolsManage "tools.manage" "Connect and remove tools, and change policy",
    UsersManage "users.manage" "Invite people and choose their roles",
    SettingsManage "settings.manage" "Change settings and read the activity log",
}

/// A name that is not a capability.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a capability; use one of {list}, a group such as `site.*`, or `all`",
    list = Capability::ALL.iter().map(|capability| capability.as_str()).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownCapability(pub String);

impl fmt::Display for Capability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Capability {
    type Err = UnknownCapability;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL
            .iter()
            .find(|capability| capability.as_str() == text);
        found
            .copied()
            .ok_or_else(|| UnknownCapability(text.to_owned()))
    }
}

/// A set of capabilities, written as a list of names. One that holds `content.read` holds `content.deliver`, too: whoever sees all
/// entries sees the published ones, and may make a token that sees no others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CapabilitySet(BTreeSet<Capability>);

impl CapabilitySet {
    fn of(mut capabilities: BTreeSet<Capability>) -> Self {
        if capabilities.contains(&Capability::ContentRead) {
            capabilities.insert(Capability::ContentDeliver);
        }
        Self(capabilities)
    }

    /// All capabilities.
    pub fn all() -> Self {
        Capability::ALL.iter().copied().collect()
    }

    /// What a model may be allowed at most, whatever its token or the person it acts for has. An agent that could manage people,
    /// tools, policy, providers or settings, or decide on waiting calls, could lift every limit set for it.
    pub fn for_agents() -> Self {
        use Capability::{
            AiProvidersManage, SettingsManage, ToolsApprove, ToolsManage, UsersManage,
        };
        let kept_from_agents = [
            AiProvidersManage,
            SettingsManage,
            ToolsApprove,
            ToolsManage,
            UsersManage,
        ];
        Self::all().beyond(&kept_from_agents.into_iter().collect())
    }

    /// Parses names, groups (`site.*`) and `all`.
    ///
    /// A group or `all` means as much of it as `mine` contains. A capability named in full is always included, so that a request for
    /// more than the caller has can be refused instead of silently narrowed.
    pub fn parse<S: AsRef<str>>(names: &[S], mine: &Self) -> Result<Self, UnknownCapability> {
        let mut set = BTreeSet::new();
        for name in names {
            let name = name.as_ref().trim();
            if name == "all" {
                set.extend(mine.iter());
            } else if let Some(group) = name.strip_suffix('*').filter(|group| group.ends_with('.'))
            {
                let mut members = Capability::ALL
                    .iter()
                    .filter(|one| one.as_str().starts_with(group))
                    .peekable();
                if members.peek().is_none() {
                    return Err(UnknownCapability(name.to_owned()));
                }
                set.extend(members.filter(|one| mine.has(**one)));
            } else {
                set.insert(name.parse()?);
            }
        }
        Ok(Self::of(set))
    }

    /// Whether the set holds `capability`.
    pub fn has(&self, capability: Capability) -> bool {
        self.0.contains(&capability)
    }

    /// The capabilities in `self` that are not in `other`.
    pub fn beyond(&self, other: &Self) -> Self {
        Self(self.0.difference(&other.0).copied().collect())
    }

    /// The capabilities in both sets.
    pub fn within(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).copied().collect())
    }

    /// Whether the set has no capabilities.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The capabilities in the order of the documentation.
    pub fn iter(&self) -> impl Iterator<Item = Capability> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<Capability> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        Self::of(capabilities.into_iter().collect())
    }
}

impl fmt::Display for CapabilitySet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Capability::as_str).collect();
        formatter.write_str(&names.join(", "))
    }
}

impl Serialize for Capability {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Capability {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Capability {
    fn schema_name() -> Cow<'static, str> {
        "Capability".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Self::ALL
            .iter()
            .map(|capability| capability.as_str())
            .collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

impl Serialize for CapabilitySet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for CapabilitySet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of(BTreeSet::deserialize(deserializer)?))
    }
}

impl JsonSchema for CapabilitySet {
    fn schema_name() -> Cow<'static, str> {
        "CapabilitySet".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let item = generator.subschema_for::<Capability>();
        json_schema!({ "type": "array", "items": item, "uniqueItems": true })
    }
}

#[cfg(test)]
mod tests {
    use super::{Capability, CapabilitySet};

    fn check(names: &[&str], mine: &[Capability], expected: &str) {
        let mine: CapabilitySet = mine.iter().copied().collect();
        let shown = match CapabilitySet::parse(names, &mine) {
            Ok(set) => set.to_string(),
            Err(error) => format!("refused {}", error.0),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_group_means_as_much_of_it_as_the_asker_has() {
        let mine = [
            Capability::SiteRead,
            Capability::SiteWrite,
            Capability::AiChat,
        ];
        check(&["site.*"], &mine, "site.read, site.write");
        check(&["all"], &mine, "ai.chat, site.read, site.write");
    }

    #[test]
    fn a_capability_named_in_full_is_taken_as_asked() {
        check(&["site.code"], &[], "site.code");
    }

    #[test]
    fn reading_everything_includes_reading_what_is_published() {
        check(&["content.read"], &[], "content.read, content.deliver");
        check(&["content.deliver"], &[], "content.deliver");
        let stored: CapabilitySet = serde_json::from_str(r#"["content.read"]"#).unwrap();
        assert!(stored.has(Capability::ContentDeliver));
    }

    #[test]
    fn unknown_names_and_groups_are_refused() {
        check(&["site.reed"], &[], "refused site.reed");
        check(&["sites.*"], &[], "refused sites.*");
        check(&["*"], &[], "refused *");
        check(&["__proto__"], &[], "refused __proto__");
    }
}
