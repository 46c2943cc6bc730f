// What a path and a method say about a request, from the server's own document. A path that is not there, or an input of another shape,
// does not compile.
import type { Routes } from "../generated/api";

export type Method = keyof Routes;

type PartOf<R, Part extends string> = R extends { [part in Part]: infer T } ? T : never;
type InputOf<R> = R extends { input: infer I extends AnyInput } ? I : never;

/** The paths of a method whose routes answer in a certain way. */
export type PathTo<M extends Method, Part extends "answer" | "line" | "event"> = {
  [P in keyof Routes[M]]: Routes[M][P] extends { [part in Part]: unknown } ? P : never;
}[keyof Routes[M]] &
  string;

/** The arguments after the path: none has to be given for a route that takes nothing. */
export type Given<M extends Method, P extends keyof Routes[M]> =
  Record<string, never> extends InputOf<Routes[M][P]>
    ? [input?: InputOf<Routes[M][P]>]
    : [input: InputOf<Routes[M][P]>];

export type Input<M extends Method, P extends keyof Routes[M]> = InputOf<Routes[M][P]>;
export type Answer<M extends Method, P extends keyof Routes[M]> = PartOf<Routes[M][P], "answer">;
export type Line<M extends Method, P extends keyof Routes[M]> = PartOf<Routes[M][P], "line">;
export type StreamEvent<M extends Method, P extends keyof Routes[M]> = PartOf<Routes[M][P], "event">;

/** Any input, for code that treats all routes alike. */
export interface AnyInput {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/** The address of a route with its parameters filled in. */
export function addressOf(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}
