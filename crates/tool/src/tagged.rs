//! Enums that say what they are in a field among their others.

/// Defines an enum that is written with its variant in the field `tag`, and read so by way of a value: see
/// [`read_tagged`](crate::read_tagged). What serde is told besides the tag stands in parentheses behind it.
#[macro_export]
macro_rules! tagged {
    ($(#[$about:meta])* tag $tag:literal ($($serde:tt)*) pub enum $name:ident { $($variants:tt)* }) => {
        $(#[$about])*
        #[derive(serde::Serialize)]
        #[serde(tag = $tag, $($serde)*)]
        pub enum $name { $($variants)* }

        const _: () = {
            type Whole = $name;

            // Serde reads it as if the variant stood outside.
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
