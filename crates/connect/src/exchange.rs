//! One request to somebody else's server, and its whole answer. Redirects are not followed, because they would take keys and arguments
//! to another server.

use http::{HeaderMap, StatusCode};
use sitewright_egress::{Body, Egress, EgressError, Request, Response};
use sitewright_runtime::Failure;
use sitewright_tool::ErrorCode;

use crate::{failure, vendor_text};

/// Enough of an error to find its message.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// An answer that arrived.
pub(crate) enum Answer {
    Success { headers: HeaderMap, body: Vec<u8> },
    Refusal(Refusal),
}

/// An error response, for code that knows the server's conventions.
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Its beginning.
    pub(crate) body: Vec<u8>,
}

impl Refusal {
    /// The refusal in our own words. `secrets` are not repeated; `credentials` says where the key is configured and what to do when
    /// it is rejected.
    pub(crate) fn failure(&self, tool: &str, secrets: &HeaderMap, credentials: &str) -> Failure {
        let says = vendor_text::quoted(&self.body, secrets);
        failure::of_status(
            tool,
            self.status,
            &self.headers,
            says.as_deref(),
            credentials,
        )
    }
}

/// Sends a request and reads the answer. A success of more than `answer_max` bytes is a failure.
pub(crate) async fn send(
    egress: &Egress,
    tool: &str,
    request: Request,
    answer_max: usize,
) -> Result<Answer, Failure> {
    // The size is limited while reading, when the status is known: an error is reported by its status, however long its body is.
    let request = request.with_max_body(u64::MAX).with_max_redirects(0);
    let sent = egress.send(request).await;
    let Response {
        status,
        headers,
        mut body,
        ..
    } = sent.map_err(|error| failure::of_exchange(tool, &error))?;
    if !status.is_success() {
        // An error body that is cut off is still useful for its beginning.
        let (BodyRead::Whole(body) | BodyRead::CutOff(body)) = read(&mut body, ERROR_BYTES_MAX)
            .await
            .unwrap_or_else(|(text, _)| BodyRead::CutOff(text));
        return Ok(Answer::Refusal(Refusal {
            status,
            headers,
            body,
        }));
    }
    match read(&mut body, answer_max).await {
        Ok(BodyRead::Whole(body)) => Ok(Answer::Success { headers, body }),
        Ok(BodyRead::CutOff(_)) => Err(failure::of_answer(
            tool,
            ErrorCode::TooLarge,
            &format!("its answer is larger than {answer_max} bytes. Ask for less"),
        )),
        Err((_, error)) => Err(failure::of_exchange(tool, &error)),
    }
}

/// An answer that was read up to a limit.
pub(crate) enum BodyRead {
    Whole(Vec<u8>),
    CutOff(Vec<u8>),
}

/// Reads up to a limit; on failure, what was received so far is returned with the error.
pub(crate) async fn read(
    body: &mut Body,
    limit: usize,
) -> Result<BodyRead, (Vec<u8>, EgressError)> {
    let mut bytes = Vec::new();
    loop {
        match body.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(BodyRead::Whole(bytes)),
            Err(error) => return Err((bytes, error)),
        }
        if bytes.len() > limit {
            bytes.truncate(limit);
            return Ok(BodyRead::CutOff(bytes));
        }
    }
}
