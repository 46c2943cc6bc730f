//! Everything the browser gets: the wasm core, then the shell that loads it.

use anyhow::Result;

use crate::paths::Paths;
use crate::progress::Progress;
use crate::{wasm, web};

pub(crate) fn build(paths: &Paths, progress: &Progress) -> Result<()> {
    web::install(paths, progress)?;
    wasm::build(paths, progress)?;
    web::build(paths, progress)
}
