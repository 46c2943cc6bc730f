// Something the server has, as a screen sees it: on its way, here, or failed with a way to try again.
import { useCallback, useEffect, useState } from "react";
import { type ApiError, asApiError } from "../api/problem";

export type Loaded<T> = { status: "loading" } | { status: "failed"; error: ApiError } | { status: "ready"; value: T };

export interface Resource<T> {
  state: Loaded<T>;
  /** Asks again; what is already shown stays until the answer is here. */
  reload(): void;
  /** Shows a value the server has just answered to a change. */
  replace(change: (value: T) => T): void;
}

/** `load` must keep its identity between renders, or the request is repeated. */
export function useResource<T>(load: () => Promise<T>): Resource<T> {
  const [state, setState] = useState<Loaded<T>>({ status: "loading" });
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is what asks again.
  useEffect(() => {
    let wanted = true;
    load().then(
      (value) => wanted && setState({ status: "ready", value }),
      (error: unknown) => wanted && setState({ status: "failed", error: asApiError(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [load, round]);

  const reload = useCallback(() => {
    setState((current) => (current.status === "failed" ? { status: "loading" } : current));
    setRound((current) => current + 1);
  }, []);
  const replace = useCallback((change: (value: T) => T) => {
    setState((current) => (current.status === "ready" ? { status: "ready", value: change(current.value) } : current));
  }, []);
  return { state, reload, replace };
}
