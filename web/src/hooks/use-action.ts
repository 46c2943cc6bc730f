// A button that asks the server for something: busy while it runs, and the reason when it fails.
import { useState } from "react";
import { type ApiError, asApiError } from "../api/problem";

export interface Action<A extends unknown[]> {
  pending: boolean;
  problem: ApiError | undefined;
  run(...args: A): void;
}

export function useAction<A extends unknown[]>(action: (...args: A) => Promise<void>): Action<A> {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  return {
    pending,
    problem,
    run(...args) {
      if (pending) return;
      setPending(true);
      setProblem(undefined);
      action(...args)
        .catch((error: unknown) => setProblem(asApiError(error)))
        .finally(() => setPending(false));
    },
  };
}
