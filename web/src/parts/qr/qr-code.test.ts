// Read back by a decoder of other authors, from pixels as a camera sees them.
import decodeQR from "qr/decode.js";
import { expect, test } from "vitest";
import { encodeQr, qrPath } from "./qr-code";

const LINK = `https://www.example.com/preview/${"a1B2c3D4".repeat(24)}`;

test.for([
  ["", 21],
  ["https://example.com/", 25],
  ["Grüße aus Wien ☕", 25],
  ["x".repeat(14), 21],
  ["x".repeat(15), 25],
  ["x".repeat(180), 53],
  ["x".repeat(181), 57],
  [LINK, 61],
  ["y".repeat(1500), 145],
  ["z".repeat(2331), 177],
] as const)("%s is read back from a square of %i", ([text, size]) => {
  const code = encodeQr(text);
  expect(code.length).toBe(size);
  expect(decodeQR(picture(code), { timeLimit: 30_000 })).toBe(text);
});

test("a text that no version holds is refused", () => {
  expect(() => encodeQr("z".repeat(2332))).toThrow(RangeError);
});

test("the drawing covers exactly the dark modules", () => {
  expect(
    qrPath([
      [true, true, false],
      [false, false, false],
      [false, true, true],
    ]),
  ).toBe("M0 0h2v1h-2zM1 2h2v1h-2z");
});

const PIXELS_PER_MODULE = 4;
const QUIET = 4;

/** As shown on a screen: grey values from white to black, with a quiet zone. */
function picture(code: readonly (readonly boolean[])[]): { width: number; height: number; data: Uint8Array } {
  const width = (code.length + 2 * QUIET) * PIXELS_PER_MODULE;
  const data = new Uint8Array(width * width * 3).fill(255);
  for (let y = 0; y < width; y++) {
    for (let x = 0; x < width; x++) {
      const module = code[Math.floor(y / PIXELS_PER_MODULE) - QUIET]?.[Math.floor(x / PIXELS_PER_MODULE) - QUIET];
      if (module === true) data.fill(0, (y * width + x) * 3, (y * width + x) * 3 + 3);
    }
  }
  return { width, height: width, data };
}
