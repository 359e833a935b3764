/** Random choices that depend on the text of the seed only. */
export interface Random {
  /** Returns a number from 0 to below 1. */
  next(): number;
  chance(share: number): boolean;
  /** Returns a whole number; both ends are included. */
  integer(min: number, max: number): number;
  /** Returns a normally distributed number around 0, nearly always within 3. */
  normal(): number;
  /** Returns a number around the median; half of them are within a factor of e^(sigma × 0.67). */
  logNormal(median: number, sigma: number): number;
  alphanumeric(length: number): string;
  pick<T>(values: readonly T[]): T;
}

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function createRandom(seedText: string): Random {
  const nextBits = createSource(seedText);
  const next = (): number => nextBits() / 2 ** 32;
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    chance: (share) => next() < share,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    normal,
    logNormal: (median, sigma) => median * Math.exp(normal() * sigma),
    alphanumeric(length) {
      let text = '';
      // Each number of 32 bits gives five characters.
      for (let left = nextBits(); text.length < length; left = text.length % 5 === 0 ? nextBits() : left) {
        text += ALPHANUMERIC[left % 62];
        left = Math.floor(left / 62);
      }
      return text;
    },
    pick: (values) => values[Math.floor(next() * values.length)]!,
  };
}

/**
 * Returns a function that returns 32 random bits per call. The generator is "sfc32", with a state derived from the
 * text.
 */
function createSource(seedText: string): () => number {
  let [a, b, c, d] = [0x9e37_79b9, 0x243f_6a88, 0xb7e1_5162, 1];
  for (const char of seedText) a = Math.imul(a ^ char.charCodeAt(0), 16_777_619);
  const nextBits = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 20; round += 1) nextBits();
  return nextBits;
}

/** Returns a function that picks by Zipf's law: the nth value is picked 1 / n^exponent as often as the first. */
export function createZipf<T>(values: readonly T[], exponent: number): (random: Random) => T {
  let sum = 0;
  const bounds = values.map((_, n) => (sum += 1 / (n + 1) ** exponent));
  return (random) => {
    const at = random.next() * sum;
    let low = 0;
    for (let high = bounds.length - 1; low < high;) {
      const middle = (low + high) >> 1;
      if (bounds[middle]! > at) high = middle;
      else low = middle + 1;
    }
    return values[low]!;
  };
}

/** Returns the values in random order. */
export function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
