/** Chooses reproducible random numbers and colours for drawn media. */
import { createHash } from 'node:crypto';

/** A source of random numbers. All random choices of a clip use one, so the same input and seed give the same bytes. */
export type Random = () => number;

/**
 * Creates random numbers in [0, 1). The same text gives the same sequence (Mulberry32 over the first bytes of its
 * SHA-256).
 */
export function createRandom(text: string): Random {
  let state = createHash('sha256').update(text).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Palette {
  /** The background colour. It and the glows are dark enough for white text. */
  ground: string;
  glows: [string, string, string];
  accent: string;
}

/** Creates a palette with hues from cyan over violet to red, which stay distinct when dark. */
export function createPalette(random: Random): Palette {
  const hue = 195 + Math.floor(random() * 165);
  const spread = 30 + Math.floor(random() * 35);
  return {
    ground: hsl(hue, 42, 11),
    glows: [hsl(hue, 68, 42), hsl(hue + spread, 62, 38), hsl(hue - spread, 60, 34)],
    accent: hsl(hue + spread, 85, 72),
  };
}

function hsl(hue: number, saturation: number, lightness: number): string {
  return `hsl(${((hue % 360) + 360) % 360},${saturation}%,${lightness}%)`;
}
