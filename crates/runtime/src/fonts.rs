//! Fonts that tools of the site wish for. Where they come from is for whoever makes the pipeline.

use std::future::ready;

use futures_util::future::BoxFuture;
use sitewright_site::{FontQuery, FontReport};
use sitewright_store::{SiteId, Stamp};

/// Installs fonts.
pub trait Fonts: Send + Sync {
    /// Gets the files of a font and keeps them. It may take as long as a download takes.
    fn install<'a>(
        &'a self,
        site: &'a SiteId,
        wish: &'a FontQuery,
        by: &'a Stamp,
    ) -> BoxFuture<'a, FontReport>;
}

/// For where no font can be had.
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
