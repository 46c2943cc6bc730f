// One way to talk to the server: JSON both ways, the CSRF token on everything that changes something, one error type. Paths are those of
// the server's document. Answers are believed to be what that document says: it is made from the types that the server writes.
import { readEvents } from "./event-stream";
import { readLines } from "./line-stream";
import { ApiError, problemFrom, unreachable } from "./problem";
import {
  type Answer,
  type AnyInput,
  addressOf,
  type Given,
  type Input,
  type Line,
  type Method,
  type PathTo,
  type StreamEvent,
} from "./routes";

type Ask<M extends Method> = <P extends PathTo<M, "answer">>(path: P, ...input: Given<M, P>) => Promise<Answer<M, P>>;

/** An answer of one JSON value per line, as the lines come. */
type AskForLines<M extends Method> = <P extends PathTo<M, "line">>(
  path: P,
  input: Input<M, P>,
  signal: AbortSignal,
) => AsyncGenerator<Line<M, P>>;

export interface Client {
  get: Ask<"GET">;
  /** A body that is a file is sent as it is. */
  post: Ask<"POST">;
  put: Ask<"PUT">;
  patch: Ask<"PATCH">;
  delete: Ask<"DELETE">;
  getLines: AskForLines<"GET">;
  postLines: AskForLines<"POST">;
  /** What the server tells as it happens, until it ends the stream or the signal does. */
  events<P extends PathTo<"GET", "event">>(
    path: P,
    input: Input<"GET", P>,
    listening: Listening,
  ): AsyncGenerator<StreamEvent<"GET", P>>;
}

export interface Listening {
  signal: AbortSignal;
  /** Called when the server has begun to tell. */
  onOpen(): void;
}

export interface ClientOptions {
  fetch: typeof fetch;
  /** The token of the current session; read at each call, because it changes with the session. */
  csrfToken(): string | undefined;
  /** Called when the server says that nobody is signed in. */
  onUnauthenticated(path: string): void;
  /** Called when the server wants a fresh proof of who is there; answers whether the person gave one. */
  onStepUp?(): Promise<boolean>;
  /** Called after something was changed at a path. */
  onChanged?(path: string): void;
}

export function createClient(options: ClientOptions): Client {
  async function respond(path: string, input: AnyInput, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await options.fetch(addressOf(path, input), {
        credentials: "same-origin",
        cache: "no-store",
        ...init,
      });
    } catch (error) {
      throw unreachable(error);
    }
    if (!response.ok) {
      if (response.status === 401) options.onUnauthenticated(path);
      throw await problemFrom(response);
    }
    return response;
  }

  async function answer(path: string, input: AnyInput, init: RequestInit) {
    const response = await respond(path, input, init);
    if (response.status === 204) return undefined;
    try {
      return await response.json();
    } catch (error) {
      throw unreachable(error);
    }
  }

  /** Sends a change; once more if the server wanted to know who is there and now does. */
  async function send(method: Method, path: string, input: AnyInput) {
    try {
      return await answer(path, input, initOf(method, input));
    } catch (error) {
      const isAsked = error instanceof ApiError && error.code === "step_up_required";
      if (!isAsked || !(await options.onStepUp?.())) throw error;
      return answer(path, input, initOf(method, input));
    }
  }

  function initOf(method: Method, { body }: AnyInput): RequestInit {
    const headers: Record<string, string> = { accept: "application/json" };
    if (method === "GET") return { method, headers };
    const token = options.csrfToken();
    if (token !== undefined) headers["x-csrf-token"] = token;
    if (body === undefined) return { method, headers };
    headers["content-type"] = body instanceof Blob ? body.type || "application/octet-stream" : "application/json";
    return { method, headers, body: body instanceof Blob ? body : JSON.stringify(body) };
  }

  const change =
    (method: Method) =>
    async (path: string, input: AnyInput = {}) => {
      const answered = await send(method, path, input);
      options.onChanged?.(path);
      return answered;
    };

  const lines = (method: Method) =>
    async function* (path: string, input: AnyInput, signal: AbortSignal): AsyncGenerator<never> {
      const { body } = await respond(path, input, { ...initOf(method, input), signal });
      if (body === null) return;
      try {
        for await (const line of readLines(body)) yield line as never;
      } catch (error) {
        throw unreachable(error);
      }
    };

  return {
    get: (path: string, input: AnyInput = {}) => answer(path, input, initOf("GET", input)),
    post: change("POST"),
    put: change("PUT"),
    patch: change("PATCH"),
    delete: change("DELETE"),
    getLines: lines("GET"),
    postLines: lines("POST"),
    async *events(path: string, input: AnyInput, { signal, onOpen }: Listening): AsyncGenerator<never> {
      const init = { method: "GET", headers: { accept: "text/event-stream" }, signal };
      const { body } = await respond(path, input, init);
      if (body === null) return;
      onOpen();
      try {
        for await (const { event, data } of readEvents(body)) yield { event, data: JSON.parse(data) } as never;
      } catch (error) {
        throw unreachable(error);
      }
    },
  };
}
