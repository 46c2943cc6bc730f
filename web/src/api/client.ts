// One way to talk to the server: JSON both ways, the CSRF token on everything that changes something, one error type.
import { readEvents, type ServerEvent } from "./event-stream";
import { problemFrom, unreachable } from "./problem";

export type Method = "POST" | "PUT" | "PATCH" | "DELETE";

export interface Client {
  get<T>(path: string): Promise<T>;
  send<T>(method: Method, path: string, body?: unknown): Promise<T>;
  /** What the server tells as it happens, until it ends the stream or the signal does. */
  events(path: string, listening: Listening): AsyncGenerator<ServerEvent>;
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

  return {
    events,
    get: (path) => request(path, { method: "GET", headers: { accept: "application/json" } }),
    send: (method, path, body) => {
      const headers: Record<string, string> = { accept: "application/json" };
      const token = options.csrfToken();
      if (token !== undefined) headers["x-csrf-token"] = token;
      if (body === undefined) return request(path, { method, headers });
      headers["content-type"] = "application/json";
      return request(path, { method, headers, body: JSON.stringify(body) });
    },
  };
}
