import { createHash } from 'node:crypto';

/** Every random choice of a clip comes from here, so the same input and seed make the same bytes. */
export type Random = () => number;

/** Numbers in [0, 1): the same sequence for the same text (Mulberry32 over the first bytes of its SHA-256). */
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
  /** Dark enough, like the glows, for white text everywhere. */
  ground: string;
  glows: [string, string, string];
  accent: string;
}

/** Hues from cyan over violet to red: the ones that stay clear when they are dark. */
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
