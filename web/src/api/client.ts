// One way to talk to the server: JSON both ways, the CSRF token on everything that changes something, one error type.
import { readEvents, type ServerEvent } from "./event-stream";
import { readLines } from "./line-stream";
import { problemFrom, unreachable } from "./problem";

export type Method = "POST" | "PUT" | "PATCH" | "DELETE";

export interface Client {
  get<T>(path: string): Promise<T>;
  send<T>(method: Method, path: string, body?: unknown): Promise<T>;
  /** Sends the bytes of a file. */
  upload<T>(path: string, file: Blob): Promise<T>;
  /** What the server tells as it happens, until it ends the stream or the signal does. */
  events(path: string, listening: Listening): AsyncGenerator<ServerEvent>;
  /** An answer of one JSON value per line, as the lines come; with a body it is posted, without one it is asked for. */
  lines(path: string, options: { body?: unknown; signal: AbortSignal }): AsyncGenerator<unknown>;
}

export interface Listening {
  signal: AbortSignal;
  /** Called when the server has begun to tell. */
  onOpen(): void;
}

export interface ClientOptions {
  fetch: typeof fetch;
  /** Where the routes begin; those of the administration when left out. */
  root?: string;
  /** The token of the current session; read at each call, because it changes with the session. */
  csrfToken(): string | undefined;
  /** Called when the server says that nobody is signed in. */
  onUnauthenticated(path: string): void;
  /** Called after something was changed at a path. */
  onChanged?(path: string): void;
}

const ADMINISTRATION = "/admin/api";

export function createClient(options: ClientOptions): Client {
  const { root = ADMINISTRATION } = options;
  async function answer(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await options.fetch(root + path, { credentials: "same-origin", cache: "no-store", ...init });
    } catch (error) {
      throw unreachable(error);
    }
    if (!response.ok) {
      if (response.status === 401) options.onUnauthenticated(path);
      throw await problemFrom(response);
    }
    return response;
  }

  async function request<T>(path: string, init: RequestInit): Promise<T> {
    const response = await answer(path, init);
    if (response.status === 204) return undefined as T;
    try {
      return (await response.json()) as T;
    } catch (error) {
      throw unreachable(error);
    }
  }

  async function* events(path: string, { signal, onOpen }: Listening): AsyncGenerator<ServerEvent> {
    const response = await answer(path, { method: "GET", headers: { accept: "text/event-stream" }, signal });
    if (response.body === null) return;
    onOpen();
    try {
      yield* readEvents(response.body);
    } catch (error) {
      throw unreachable(error);
    }
  }

  function posted(body: unknown): { headers: Record<string, string>; body?: string } {
    const headers: Record<string, string> = { accept: "application/json" };
    const token = options.csrfToken();
    if (token !== undefined) headers["x-csrf-token"] = token;
    if (body === undefined) return { headers };
    headers["content-type"] = "application/json";
    return { headers, body: JSON.stringify(body) };
  }

  async function* lines(path: string, { body, signal }: { body?: unknown; signal: AbortSignal }) {
    const init = body === undefined ? { method: "GET" } : { method: "POST", ...posted(body) };
    const response = await answer(path, { ...init, signal });
    if (response.body === null) return;
    try {
      yield* readLines(response.body);
    } catch (error) {
      throw unreachable(error);
    }
  }

  return {
    events,
    lines,
    get: (path) => request(path, { method: "GET", headers: { accept: "application/json" } }),
    send: async <T>(method: Method, path: string, body?: unknown) => {
      const answered = await request<T>(path, { method, ...posted(body) });
      options.onChanged?.(path);
      return answered;
    },
    upload: (path, file) => {
      const headers = { ...posted(undefined).headers, "content-type": file.type || "application/octet-stream" };
      return request(path, { method: "POST", headers, body: file });
    },
  };
}
