//! Personal data goes to a tool only with the person's recorded permission.

use serde_json::json;
use sitewright_tool::{ErrorCode, ToolError};

use super::{Pipeline, failed};
use crate::call::ResolvedCall;

impl Pipeline {
    /// Refuses a call of a tool that needs personal data for which the person gave no permission. A call that takes another back is let
    /// through: the vendor has the data already.
    pub(super) async fn check_personal_data(
        &self,
        resolved: &ResolvedCall,
    ) -> Result<(), ToolError> {
        let needed = &resolved.entry.manifest().pii_required;
        if needed.is_empty() || resolved.is_compensation() {
            return Ok(());
        }
        let person = resolved.data_subject();
        let grants = self
            .0
            .store
            .personal_data_grants(&resolved.call.site, &person)
            .await
            .map_err(|error| failed(&error))?;
        let is_granted = |field: &String| {
            let covers = |grant: &sitewright_store::PersonalDataGrant| {
                grant.tool == resolved.call.tool && grant.field == *field
            };
            grants.iter().any(covers)
        };
        let missing: Vec<&String> = needed.iter().filter(|field| !is_granted(field)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let tool = &resolved.call.tool;
        let names: Vec<&str> = missing.iter().map(|field| field.as_str()).collect();
        let message = format!(
            "`{tool}` needs personal data that you have not allowed it to have: {}. Allow it under Connections, or with `sitewright \
             openapi grant {tool}`. Nothing was sent.",
            names.join(", ")
        );
        Err(ToolError::new(ErrorCode::Forbidden, message).with(json!({ "personalData": missing })))
    }
}
