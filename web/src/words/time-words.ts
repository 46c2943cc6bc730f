// Times as a person would say them. The clock is an argument, so that the same moment always reads the same.
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly (readonly [limit: number, size: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [HOUR, MINUTE, "minute"],
  [DAY, HOUR, "hour"],
  [14 * DAY, DAY, "day"],
  [60 * DAY, 7 * DAY, "week"],
  [365 * DAY, 30 * DAY, "month"],
  [Number.POSITIVE_INFINITY, 365 * DAY, "year"],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" });

/** "just now", "5 minutes ago", "in 3 days". */
export function timeInWords(at: number, now: number): string {
  const distance = at - now;
  const size = Math.abs(distance);
  if (size < 45 * SECOND) return distance > 5 * SECOND ? "in a moment" : "just now";
  for (const [limit, unitSize, unit] of UNITS) {
    const count = Math.max(1, Math.round(size / unitSize));
    if (size < limit && count * unitSize < limit) return relative.format(distance < 0 ? -count : count, unit);
  }
  return exactTime(at);
}

/** The moment in full, in the reader's time zone. */
export function exactTime(at: number): string {
  return exact.format(at);
}

export function dayOf(at: number): string {
  return day.format(at);
}

/** A day by its beginning: "Today", "Yesterday", or its date. */
export function dayInWords(start: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0);
  if (start === today) return "Today";
  // Not a day's length, which is another one when the clocks change.
  const yesterday = new Date(today - 1).setHours(0, 0, 0, 0);
  return start === yesterday ? "Yesterday" : dayOf(start);
}
