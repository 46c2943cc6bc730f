//! A vendor's HTTP endpoint as a tool: one POST per attempt, sending `{toolName, arguments, context}` and receiving `{data}`.

use std::fmt;

use http::header::{self, HeaderValue};
use serde::Serialize;
use serde_json::Value;
use sitewright_egress::{Egress, Request};
use sitewright_runtime::{Attempt, Delivery, Failure, Outside, Tool, ToolOutput, vendor_key};
use sitewright_tool::{Definition, Destination, ErrorCode, Taint, ToolContext};

use crate::exchange::{self, Answer};
use crate::failure;
use crate::pseudonyms::VendorPseudonyms;
use crate::registration::{IDEMPOTENCY_KEY, Registration};

/// The maximum size of an answer, decompressed.
pub const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A remote tool. Its answers are untrusted.
#[derive(Clone)]
pub struct RemoteTool {
    registration: Registration,
    egress: Egress,
    /// The only site it serves; all sites when `None`.
    site: Option<String>,
    /// Hides from the vendor who calls.
    pseudonyms: Option<VendorPseudonyms>,
}

/// The exact body that is sent to the vendor.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VendorCall<'a> {
    tool_name: &'a str,
    arguments: &'a Value,
    context: &'a ToolContext,
}

/// Where the key of a remote tool is configured, for when it is rejected.
const CREDENTIALS: &str =
    " in its `staticHeaders`. Somebody who manages tools has to register it with valid ones.";

impl RemoteTool {
    /// A tool at the endpoint of a registration.
    pub fn new(registration: Registration, egress: Egress) -> Self {
        Self {
            registration,
            egress,
            site: None,
            pseudonyms: None,
        }
    }

    /// Tells the vendor pseudonyms instead of the ids of the person and the session. Tools of one host get the same ones.
    #[must_use]
    pub fn with_pseudonyms(mut self, pseudonyms: VendorPseudonyms) -> Self {
        self.pseudonyms = Some(pseudonyms);
        self
    }

    /// Limits the tool to one site. For the others it does not exist.
    #[must_use]
    pub fn only_for(mut self, site: impl Into<String>) -> Self {
        self.site = Some(site.into());
        self
    }

    /// The registration it was made from.
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    async fn post(&self, arguments: &Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        let name = self.registration.manifest.name.as_str();
        if self
            .site
            .as_ref()
            .is_some_and(|site| *site != attempt.context.site_id)
        {
            return Err(failure::of_other_site(name));
        }
        let request = self.request(arguments, attempt).map_err(|what| {
            let message = format!("The call of `{name}` has {what} that cannot be sent.");
            failure::failure(ErrorCode::Internal, message, Delivery::Never)
        })?;
        let answer = exchange::send(&self.egress, name, request, ANSWER_BYTES_MAX).await?;
        let body = match answer {
            Answer::Success { body, .. } => body,
            Answer::Refusal(refusal) => {
                let secrets = &self.registration.static_headers;
                return Err(refusal.failure(name, secrets, CREDENTIALS));
            }
        };
        let data = data_in(&body)
            .map_err(|what| failure::of_answer(name, ErrorCode::InvalidOutput, what))?;
        Ok(ToolOutput {
            data,
            taint: Taint::Untrusted,
            ..ToolOutput::default()
        })
    }

    /// The request of an attempt, or the name of the part that cannot be sent.
    fn request(&self, arguments: &Value, attempt: Attempt<'_>) -> Result<Request, &'static str> {
        let host = self.registration.endpoint.host_str().unwrap_or_default();
        let hidden = match &self.pseudonyms {
            Some(pseudonyms) => {
                let hidden = pseudonyms.hide(host, attempt.context);
                Some(hidden.ok_or("a caller")?)
            }
            None => None,
        };
        let call = VendorCall {
            tool_name: self.registration.manifest.name.as_str(),
            arguments,
            context: hidden.as_ref().unwrap_or(attempt.context),
        };
        let body = serde_json::to_vec(&call).map_err(|_error| "arguments")?;
        let key = HeaderValue::try_from(vendor_key(
            attempt.context,
            self.registration.manifest.name.as_str(),
            attempt.idempotency_key,
        ))
        .map_err(|_error| "a key")?;
        let mut request = Request::post(self.registration.endpoint.as_str(), body)
            .with_header(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            )
            .with_header(IDEMPOTENCY_KEY, key)
            .with_total(attempt.timeout);
        let headers = &self.registration.static_headers;
        if !headers.contains_key(header::ACCEPT) {
            request =
                request.with_header(header::ACCEPT, HeaderValue::from_static("application/json"));
        }
        for (name, value) in headers {
            request = request.with_header(name.clone(), value.clone());
        }
        Ok(request)
    }
}

impl Outside for RemoteTool {
    type Input = Value;
    type Data = Value;

    async fn run(&self, arguments: Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        self.post(&arguments, attempt).await
    }
}

impl From<RemoteTool> for Tool {
    fn from(remote: RemoteTool) -> Self {
        let registration = &remote.registration;
        let definition = Definition {
            destination: match registration.is_harmless {
                true => Destination::Harmless,
                false => Destination::Vendor,
            },
            ..Definition::imported(registration.manifest.clone())
        };
        Self::new(definition, remote)
    }
}

impl fmt::Debug for RemoteTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = out.debug_struct("RemoteTool");
        debug
            .field("name", &self.registration.manifest.name)
            .finish_non_exhaustive()
    }
}

/// The data in an answer, or what is wrong with it.
fn data_in(text: &[u8]) -> Result<Value, &'static str> {
    if text.is_empty() {
        return Err("its answer is empty instead of {\"data\": …}");
    }
    match serde_json::from_slice::<Value>(text) {
        // Other fields are ignored: they may be for other clients. `null` is valid data.
        Ok(Value::Object(mut fields)) => fields
            .shift_remove("data")
            .ok_or("its answer has no field `data`"),
        Ok(_) => Err("its answer is not an object with a field `data`"),
        Err(_no_json) => Err("its answer is not JSON"),
    }
}
