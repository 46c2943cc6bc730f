// Amounts of the assistant's work as people read them: money, tokens, days. The clock and the time zone are arguments.
const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const dollars = (digits: number) =>
  new Intl.NumberFormat("en", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
const cents = dollars(2);
const fine = dollars(4);

/** US dollars; small sums keep enough digits to differ from nothing. */
export function formatCost(usd: number): string {
  if (usd === 0 || usd >= 0.01) return cents.format(usd);
  return usd < 0.0001 ? "< $0.0001" : fine.format(usd);
}

export function formatNumber(count: number): string {
  return whole.format(count);
}

/** "1M", "200K": for windows and axes. */
export function formatCompact(count: number): string {
  return compact.format(count);
}

/** US dollars per million tokens. */
export function formatPrice(usd: number): string {
  return usd === 0 ? "$0" : usd < 0.1 ? `$${usd.toPrecision(2)}` : cents.format(usd).replace(/\.00$/, "");
}

/** The first instant of a range of days that ends today, in the reader's own time zone. */
export function rangeStart(days: number, now: Date): Date {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - (days - 1));
  return start;
}

/** Every day of the range as `YYYY-MM-DD`, in order. */
export function daysOf(days: number, now: Date): string[] {
  const first = rangeStart(days, now);
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(first.getFullYear(), first.getMonth(), first.getDate() + index);
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  });
}

const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "5 Nov". */
export function dayName(day: string): string {
  return shortDay.format(new Date(`${day}T00:00:00Z`));
}

/** The least of 1, 2 or 5 times a power of ten that is not below the value: the top of an axis. */
export function axisTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value * (1 - Number.EPSILON)) ?? 10;
  return step * power;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
