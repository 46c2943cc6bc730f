//! Answers a round with the built-in commands, on a snapshot of the site.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sitewright_commands::Commands;
use sitewright_llm::{ErrorClass, LocalModel, Message, ModelError, StreamEvent};
use sitewright_site::Site;
use sitewright_store::{SiteId, Store, StoreError};

use crate::bridge::EditorBridge;

pub(crate) struct BuiltIn {
    pub(crate) commands: Commands,
    /// Records what was read, so that an edit a person makes after that wins over the commands.
    pub(crate) bridge: Arc<EditorBridge>,
    pub(crate) store: Store,
    pub(crate) site: SiteId,
}

impl BuiltIn {
    /// Copies the documents that the answer may be about. Planning on a copy does not hold the live site while others change it.
    async fn copy_site(&self, conversation: &[Message]) -> Result<Site, StoreError> {
        let mut live = self.store.live_site(&self.site).await?;
        let mut copy = Site::default();
        copy.shell.clone_from(&live.site().shell);
        for document in self.commands.documents(conversation, &copy) {
            if live.open(document).await?
                && let Some(tree) = live.site().bodies.get(&document)
            {
                copy.bodies.insert(document, tree.clone());
                self.bridge.has_read(Some(document), live.seq());
            }
        }
        Ok(copy)
    }
}

impl LocalModel for BuiltIn {
    fn answer<'a>(&'a self, conversation: &'a [Message]) -> BoxFuture<'a, Vec<StreamEvent>> {
        Box::pin(async move {
            match self.copy_site(conversation).await {
                Ok(site) => self.commands.answer(conversation, &site),
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "the built-in commands cannot read the site"
                    );
                    let why = "The site could not be read.";
                    vec![StreamEvent::Failed(ModelError::new(
                        ErrorClass::Server,
                        why,
                    ))]
                }
            }
        })
    }
}
