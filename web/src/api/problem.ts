// What can go wrong between the browser and the server, as one error type that screens can show without looking inside.
import { words } from "../glossary";
import { plainSentence } from "../words/refusal-words";

export interface Problem {
  status: number;
  code: string;
  detail: string;
  errors: FieldErrors;
  requestId?: string;
}

/** A sentence per field, by the field's name in the request. */
export type FieldErrors = Readonly<Record<string, string>>;

/** The status of a request that never got an answer. */
export const NO_ANSWER = 0;

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly fieldErrors: FieldErrors;
  readonly requestId: string | undefined;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.status = problem.status;
    this.code = problem.code;
    this.fieldErrors = problem.errors;
    this.requestId = problem.requestId;
  }

  /** Whether asking again later may work without the person changing anything. */
  get retryable(): boolean {
    return this.status === NO_ANSWER || this.status >= 500;
  }
}

/** Reads an unsuccessful response; a body that is no problem document still gives a sentence a person can read. */
export async function problemFrom(response: Response): Promise<ApiError> {
  const body = await bodyOf(response);
  const detail = plainSentence(text(body, "detail") ?? fallbackDetail(response.status));
  return new ApiError({
    status: response.status,
    code: text(body, "code") ?? "unknown",
    detail,
    errors: fieldErrors(body),
    requestId: text(body, "requestId"),
  });
}

/** A request that got no answer at all. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError(
    { status: NO_ANSWER, code: "unreachable", detail: words.errors.unreachable, errors: {} },
    { cause },
  );
}

/** A form that is wrong before it is sent. */
export function invalid(field: string, message: string): ApiError {
  return new ApiError({ status: 400, code: "invalid_input", detail: message, errors: { [field]: message } });
}

/** Any thrown value as something a screen can show. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError({ status: 500, code: "unknown", detail: words.errors.broken, errors: {} }, { cause: error });
}

async function bodyOf(response: Response): Promise<object> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    // A proxy in between may answer with a page of its own; the status alone has to do.
    return {};
  }
}

function text(body: object, key: string): string | undefined {
  const value: unknown = Reflect.get(body, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function fieldErrors(body: object): FieldErrors {
  const list: unknown = Reflect.get(body, "errors");
  if (!Array.isArray(list)) return {};
  const found: Record<string, string> = {};
  for (const item of list) {
    if (typeof item !== "object" || item === null) continue;
    const field = text(item, "field");
    const message = text(item, "message");
    if (field !== undefined && message !== undefined) found[field] ??= plainSentence(message);
  }
  return found;
}

function fallbackDetail(status: number): string {
  if (status === 401) return words.errors.signedOut;
  if (status === 403) return words.errors.forbidden;
  if (status === 404) return words.errors.missing;
  if (status === 429) return words.errors.throttled;
  if (status >= 502 && status <= 504) return words.errors.unreachable;
  return words.errors.unexpected;
}
