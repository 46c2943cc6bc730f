// Values whose shape only a tool knows, such as its data and the details of its errors.

/** A field of a value that may be anything; undefined when it has none. */
export function readField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
