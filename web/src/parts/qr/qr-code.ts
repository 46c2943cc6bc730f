// QR codes for addresses: error level M, the smallest version that holds the text. `uqr` draws the modules.
import { encode } from "uqr";

/** Rows of modules, true for dark, without the quiet zone around them. Throws a RangeError when no version holds the text. */
export function encodeQr(text: string): readonly (readonly boolean[])[] {
  return encode(text, { ecc: "M", border: 0 }).data;
}

/** The dark modules as the path of a drawing, one unit to the module. */
export function qrPath(code: readonly (readonly boolean[])[]): string {
  const runs = code.flatMap((row, y) => {
    const line = row.map((dark) => (dark ? "1" : "0")).join("");
    return [...line.matchAll(/1+/g)].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`);
  });
  return runs.join("");
}
