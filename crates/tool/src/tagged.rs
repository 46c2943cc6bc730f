//! Internally tagged enums: a field beside the others names the variant.

/// Defines an internally tagged enum: it is serialized with its variant in the field `tag`, and read by way of a JSON value, see
/// [`read_tagged`](crate::read_tagged). Other serde attributes go in parentheses after the tag.
#[macro_export]
macro_rules! tagged {
    ($(#[$about:meta])* tag $tag:literal ($($serde:tt)*) pub enum $name:ident { $($variants:tt)* }) => {
        $(#[$about])*
        #[derive(serde::Serialize)]
        #[serde(tag = $tag, $($serde)*)]
        pub enum $name { $($variants)* }

        const _: () = {
            type Whole = $name;

            // Serde reads it as an externally tagged enum.
            #[derive(serde::Deserialize)]
            #[serde(remote = "Whole", $($serde)*)]
            enum Outside { $($variants)* }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
                    $crate::read_tagged($tag, source, |variant| Outside::deserialize(variant))
                }
            }
        };
    };
}
