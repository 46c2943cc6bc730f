// The check codewords and check bits of QR codes: remainders of polynomials, over the field of 256 elements and over that of two.

/** Reed-Solomon over the field of 256 elements: what is left of the data after division by the generator. */
export function checkCodewords(data: readonly number[], count: number): number[] {
  const generator = generatorOf(count);
  const rest = new Array<number>(count).fill(0);
  for (const word of data) {
    const lead = word ^ (rest.shift() ?? 0);
    rest.push(0);
    generator.forEach((factor, at) => {
      rest[at] = (rest[at] ?? 0) ^ times(factor, lead);
    });
  }
  return rest;
}

/** The product of (x - 2^n) for n below the count, without its leading 1. */
function generatorOf(count: number): number[] {
  let product = [1];
  for (let power = 0, root = 1; power < count; power++, root = times(root, 2)) {
    const shifted = [...product, 0];
    const scaled = [0, ...product.map((factor) => times(factor, root))];
    product = shifted.map((factor, at) => factor ^ (scaled[at] ?? 0));
  }
  return product.slice(1);
}

export function times(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((other >> bit) & 1) * one;
  }
  return product;
}

/** A number with its BCH check bits behind it. */
export function withChecks(value: number, checkBits: number, divisor: number): number {
  let rest = value;
  for (let bit = 0; bit < checkBits; bit++) rest = (rest << 1) ^ ((rest >> (checkBits - 1)) * divisor);
  return (value << checkBits) | rest;
}
