// Against the vectors of the standard, and read back by a decoder that goes the other way.
import { expect, test } from "vitest";
import { dataPlaces, encodeQr, formatBits, layoutOf, MASKS, type QrCode, qrPath, versionBits } from "./qr";
import { checkCodewords, times } from "./qr-checks";

test("check codewords are those of the standard's examples", () => {
  const numeric = [0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11];
  expect(checkCodewords(numeric, 10)).toEqual([0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55]);
  const letters = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
  expect(checkCodewords(letters, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
});

test("format and version bits are those of the standard's tables", () => {
  const formats = MASKS.map((_, mask) => formatBits(mask).toString(16));
  expect(formats).toEqual(["5412", "5125", "5e7c", "5b4b", "45f9", "40ce", "4f97", "4aa0"]);
  expect([7, 8, 21, 40].map((version) => versionBits(version).toString(16))).toEqual([
    "7c94",
    "85bc",
    "15683",
    "28c69",
  ]);
});

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
  expect(read(code)).toBe(text);
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

/** What a reader does, without correcting errors: any is told instead. */
function read(code: QrCode): string {
  const size = code.length;
  const version = (size - 17) / 4;
  const dark = (x: number, y: number) => code[y]?.[x] === true;
  let format = 0;
  for (let bit = 14; bit >= 0; bit--) {
    const [x, y] = bit < 6 ? [8, bit] : bit < 8 ? [8, bit + 1] : bit === 8 ? [7, 8] : [14 - bit, 8];
    format = format * 2 + (dark(x, y) ? 1 : 0);
  }
  const mask = MASKS.findIndex((_, at) => formatBits(at) === format);
  expect(mask).toBeGreaterThanOrEqual(0);
  const fixed = fixedPlaces(version);
  const places = dataPlaces(size, fixed);
  const bits = places.map(([x, y]) => (dark(x, y) !== MASKS[mask]?.(x, y) ? 1 : 0));
  const words = Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce<number>((word, bit) => word * 2 + bit, 0),
  );
  const { blocks, checks } = layoutOf(version, places.length);
  const shares = blocks.map(() => [] as number[]);
  const behind = blocks.map(() => [] as number[]);
  let at = 0;
  for (let round = 0; round < Math.max(...blocks); round++) {
    shares.forEach((share, block) => {
      if (round < (blocks[block] ?? 0)) share.push(words[at++] ?? -1);
    });
  }
  for (let round = 0; round < checks; round++) for (const share of behind) share.push(words[at++] ?? -1);
  const wrong = shares.map((share, block) => syndromes([...share, ...(behind[block] ?? [])], checks));
  expect(wrong.flat()).toEqual([]);
  const data = shares.flat().flatMap((word) => Array.from({ length: 8 }, (_, bit) => (word >> (7 - bit)) & 1));
  const number = (from: number, length: number) =>
    data.slice(from, from + length).reduce((sum, bit) => sum * 2 + bit, 0);
  expect(number(0, 4)).toBe(4);
  const countBits = version < 10 ? 8 : 16;
  const length = number(4, countBits);
  const bytes = Array.from({ length }, (_, byte) => number(4 + countBits + byte * 8, 8));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** Those that are not nought: a block with its checks is a multiple of the generator. */
function syndromes(block: readonly number[], checks: number): number[] {
  const found = [];
  for (let power = 0, root = 1; power < checks; power++, root = times(root, 2)) {
    const value = block.reduce((sum, word) => times(sum, root) ^ word, 0);
    if (value !== 0) found.push(power);
  }
  return found;
}

/** The table of alignment patterns of the standard, for the versions above. */
const CENTRES: Record<number, number[]> = {
  1: [],
  2: [6, 18],
  9: [6, 26, 46],
  10: [6, 28, 50],
  11: [6, 30, 54],
  32: [6, 34, 60, 86, 112, 138],
  40: [6, 30, 58, 86, 114, 142, 170],
};

function fixedPlaces(version: number): (x: number, y: number) => boolean {
  const size = version * 4 + 17;
  const centres = CENTRES[version];
  if (centres === undefined) throw new Error(`add version ${version} to the table`);
  const end = size - 7;
  return (x, y) => {
    const finder = (x < 9 && y < 9) || (x > size - 9 && y < 9) || (x < 9 && y > size - 9);
    const aligned = centres.some((cx) =>
      centres.some((cy) => {
        const taken = (cx === 6 && cy === 6) || (cx === 6 && cy === end) || (cx === end && cy === 6);
        return !taken && Math.abs(cx - x) <= 2 && Math.abs(cy - y) <= 2;
      }),
    );
    const versioned = version >= 7 && ((x < 6 && y >= size - 11) || (y < 6 && x >= size - 11));
    return finder || aligned || versioned || x === 6 || y === 6;
  };
}
