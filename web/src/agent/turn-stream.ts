// Following the events of a turn: the position in the stream, and when it counts as dead.
import type { Place } from "./agent-api";
import type { TurnEvent } from "./events";

/** Events, until the signal ends them. */
export type Source = (until: AbortSignal) => AsyncGenerator<TurnEvent>;

/** The server says every 15 seconds that a turn is alive. */
const SILENCE_MS = 40_000;

/** The rest of a stream after an event that was already read from it. */
export async function* withFirst<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** The position after an event. */
export function placeAfter(place: Place, event: TurnEvent): Place {
  return {
    bridgeId: event.type === "bridgeReady" ? event.bridgeId : place.bridgeId,
    epoch: "epoch" in event ? event.epoch : place.epoch,
    seq: event.seq ?? place.seq,
  };
}

/** The events of a source; a stream that says nothing for too long is dead and ends. */
export async function* untilSilent(source: Source, signal: AbortSignal): AsyncGenerator<TurnEvent> {
  const silent = new AbortController();
  const events = source(AbortSignal.any([signal, silent.signal]));
  try {
    for (;;) {
      const timer = setTimeout(() => silent.abort(), SILENCE_MS);
      const next = await events.next().finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await events.return(undefined);
  }
}
