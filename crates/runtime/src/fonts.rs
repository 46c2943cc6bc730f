//! Fonts that site tools ask for. The code that creates the pipeline decides where they come from.

use std::future::ready;

use futures_util::future::BoxFuture;
use sitewright_site::{FontQuery, FontReport};
use sitewright_store::{SiteId, Stamp};

/// Installs fonts for a site.
pub trait Fonts: Send + Sync {
    /// Fetches the files of a font and stores them. It may take as long as a download.
    fn install<'a>(
        &'a self,
        site: &'a SiteId,
        wish: &'a FontQuery,
        by: &'a Stamp,
    ) -> BoxFuture<'a, FontReport>;
}

/// Refuses every font, for places where none may be installed.
pub(crate) struct NoFonts;

impl Fonts for NoFonts {
    fn install<'a>(
        &'a self,
        _: &'a SiteId,
        _: &'a FontQuery,
        _: &'a Stamp,
    ) -> BoxFuture<'a, FontReport> {
        let reason = "fonts cannot be installed here".to_owned();
        Box::pin(ready(FontReport::Refused { reason }))
    }
}
