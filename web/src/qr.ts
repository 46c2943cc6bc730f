// QR codes (ISO/IEC 18004) for addresses: bytes, error level M, the smallest of the 40 versions that holds the text. Everything is
// drawn into a square of modules; nothing here knows how it is shown.

import { checkCodewords, withChecks } from "./qr-checks";

/** Rows of modules, true for dark. The quiet zone around them is left to whoever shows it. */
export type QrCode = readonly (readonly boolean[])[];

/** Level M, by version: check codewords in each block, and how many blocks there are. */
const CHECKS_PER_BLOCK = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
];
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35,
  37, 38, 40, 43, 45, 47, 49,
];
const BYTE_MODE = 4;
const LEVEL_M = 0;

export function encodeQr(text: string): QrCode {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= BLOCKS.length; version++) {
    const board = new Board(version);
    const layout = layoutOf(version, board.free());
    if (bitsFor(bytes.length, version) > layout.data * 8) continue;
    board.fill(interleave(dataCodewords(bytes, version, layout.data), layout));
    return board.finish();
  }
  throw new RangeError("the text is too long for a QR code");
}

export interface Layout {
  /** How many codewords there are for data. */
  data: number;
  /** How many data codewords each block has. */
  blocks: number[];
  checks: number;
}

/** How the codewords of a version are shared out among blocks; the longer ones come last. */
export function layoutOf(version: number, freeModules: number): Layout {
  const total = Math.floor(freeModules / 8);
  const count = BLOCKS[version - 1] ?? 0;
  const checks = CHECKS_PER_BLOCK[version - 1] ?? 0;
  const data = total - count * checks;
  const short = Math.floor(data / count);
  const long = data % count;
  const blocks = Array.from({ length: count }, (_, block) => short + (block >= count - long ? 1 : 0));
  return { data, blocks, checks };
}

const countBits = (version: number) => (version < 10 ? 8 : 16);

function bitsFor(length: number, version: number): number {
  return 4 + countBits(version) + length * 8;
}

function dataCodewords(bytes: Uint8Array, version: number, capacity: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  push(BYTE_MODE, 4);
  push(bytes.length, countBits(version));
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, capacity * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const words = Array.from({ length: bits.length / 8 }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((word, bit) => word * 2 + bit, 0),
  );
  for (let pad = 0xec; words.length < capacity; pad ^= 0xec ^ 0x11) words.push(pad);
  return words;
}

function interleave(data: readonly number[], { blocks, checks }: Layout): number[] {
  let at = 0;
  const shares = blocks.map((length) => {
    at += length;
    return data.slice(at - length, at);
  });
  const checked = shares.map((share) => checkCodewords(share, checks));
  return [...inTurn(shares), ...inTurn(checked)];
}

/** The first of each list, then the second of each, and so on. */
function inTurn(lists: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

export const formatBits = (mask: number) => withChecks((LEVEL_M << 3) | mask, 10, 0x537) ^ 0x5412;
export const versionBits = (version: number) => withChecks(version, 12, 0x1f25);

/** Whether a mask turns the module at a place around. */
export const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The places of data, in the order of their bits: pairs of columns from the right, up and down in turn. */
export function dataPlaces(size: number, isFixed: (x: number, y: number) => boolean): [x: number, y: number][] {
  const places: [number, number][] = [];
  let upwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    // The column of the timing pattern is no part of a pair.
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = upwards ? size - 1 - step : step;
      for (const x of [right, right - 1]) if (!isFixed(x, y)) places.push([x, y]);
    }
    upwards = !upwards;
  }
  return places;
}

/** Where the centres of alignment patterns are, on both axes. */
function alignments(version: number): number[] {
  if (version === 1) return [];
  const last = version * 4 + 10;
  const gaps = Math.floor(version / 7) + 1;
  // Even distances from the last one down; version 32 alone is listed otherwise.
  const step = version === 32 ? 26 : Math.ceil((last - 6) / gaps / 2) * 2;
  return [6, ...Array.from({ length: gaps }, (_, at) => last - (gaps - 1 - at) * step)];
}

class Board {
  readonly #size: number;
  readonly #version: number;
  readonly #dark: boolean[][];
  readonly #fixed: boolean[][];

  constructor(version: number) {
    this.#version = version;
    this.#size = version * 4 + 17;
    const square = () => Array.from({ length: this.#size }, () => new Array<boolean>(this.#size).fill(false));
    this.#dark = square();
    this.#fixed = square();
    this.#drawPatterns();
  }

  free(): number {
    return this.#fixed.flat().filter((fixed) => !fixed).length;
  }

  fill(codewords: readonly number[]): void {
    dataPlaces(this.#size, (x, y) => at(this.#fixed, x, y)).forEach(([x, y], bit) => {
      const word = codewords[bit >> 3] ?? 0;
      this.#write(x, y, ((word >> (7 - (bit & 7))) & 1) === 1);
    });
  }

  /** The board under the mask that is easiest to read. */
  finish(): QrCode {
    const masked = MASKS.map((turns, mask) => {
      this.#drawFormat(mask);
      return this.#dark.map((row, y) => row.map((dark, x) => dark !== (!at(this.#fixed, x, y) && turns(x, y))));
    });
    return masked.reduce((best, next) => (penalty(next) < penalty(best) ? next : best));
  }

  #drawPatterns() {
    const end = this.#size - 7;
    for (let along = 0; along < this.#size; along++) {
      this.#fix(along, 6, along % 2 === 0);
      this.#fix(6, along, along % 2 === 0);
    }
    for (const [left, top] of [[0, 0] as const, [end, 0] as const, [0, end] as const]) {
      this.#drawRings(left + 3, top + 3, [true, true, false, true, false]);
    }
    const centres = alignments(this.#version);
    for (const x of centres) {
      for (const y of centres) {
        const inFinder = (x === 6 && y === 6) || (x === 6 && y === end) || (x === end && y === 6);
        if (!inFinder) this.#drawRings(x, y, [true, false, true]);
      }
    }
    this.#drawFormat(0);
    this.#drawVersion();
  }

  /** Squares around a centre, from the inside out. */
  #drawRings(x: number, y: number, rings: readonly boolean[]) {
    const reach = rings.length - 1;
    for (let down = -reach; down <= reach; down++) {
      for (let across = -reach; across <= reach; across++) {
        const ring = Math.max(Math.abs(down), Math.abs(across));
        this.#fix(x + across, y + down, rings[ring] ?? false);
      }
    }
  }

  #drawFormat(mask: number) {
    const bits = formatBits(mask);
    const last = this.#size - 1;
    for (let bit = 0; bit < 15; bit++) {
      const dark = ((bits >> bit) & 1) === 1;
      // Once around the first finder, once shared between the other two; the timing patterns are passed over.
      if (bit < 8) {
        this.#fix(8, bit < 6 ? bit : bit + 1, dark);
        this.#fix(last - bit, 8, dark);
      } else {
        this.#fix(bit === 8 ? 7 : 14 - bit, 8, dark);
        this.#fix(8, last - 14 + bit, dark);
      }
    }
    this.#fix(8, this.#size - 8, true);
  }

  #drawVersion() {
    if (this.#version < 7) return;
    const bits = versionBits(this.#version);
    for (let bit = 0; bit < 18; bit++) {
      const dark = ((bits >> bit) & 1) === 1;
      const along = Math.floor(bit / 3);
      const across = this.#size - 11 + (bit % 3);
      this.#fix(across, along, dark);
      this.#fix(along, across, dark);
    }
  }

  #fix(x: number, y: number, dark: boolean) {
    const row = this.#fixed[y];
    if (row === undefined || x < 0 || x >= this.#size) return;
    row[x] = true;
    this.#write(x, y, dark);
  }

  #write(x: number, y: number, dark: boolean) {
    const row = this.#dark[y];
    if (row !== undefined) row[x] = dark;
  }
}

function at(square: readonly (readonly boolean[])[], x: number, y: number): boolean {
  return square[y]?.[x] ?? false;
}

/** How hard a square is to read: runs, blocks of one colour, what looks like a finder, and too much of one colour. */
function penalty(square: QrCode): number {
  const size = square.length;
  const columns = square.map((_, x) => square.map((row) => row[x] ?? false));
  const lines = [...square, ...columns].map((line) => line.map((dark) => (dark ? "1" : "0")).join(""));
  let points = 0;
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2;
    for (let start = 0; start <= size - 11; start++) {
      const part = line.slice(start, start + 11);
      if (part === "10111010000" || part === "00001011101") points += 40;
    }
  }
  let dark = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const own = at(square, x, y);
      if (own) dark++;
      const inside = x + 1 < size && y + 1 < size;
      if (inside && own === at(square, x + 1, y) && own === at(square, x, y + 1) && own === at(square, x + 1, y + 1)) {
        points += 3;
      }
    }
  }
  const percent = (dark * 100) / (size * size);
  return points + Math.floor(Math.abs(percent - 50) / 5) * 10;
}

/** The dark modules as the path of a drawing, one unit to the module. */
export function qrPath(code: QrCode): string {
  const runs = code.flatMap((row, y) => {
    const line = row.map((dark) => (dark ? "1" : "0")).join("");
    return [...line.matchAll(/1+/g)].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`);
  });
  return runs.join("");
}
