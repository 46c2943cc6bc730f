import { exactTime, timeInWords } from "../words/time-words";

/** A moment in words, with the exact time for whoever asks. */
export function When({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {timeInWords(at, Date.now())}
    </time>
  );
}
