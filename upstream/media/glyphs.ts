/** Measures text and converts it to SVG paths, for the pictures that the local upstream draws. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import opentype, { type Font, type Glyph, type PathCommand } from 'opentype.js';

/**
 * Renders text as outlines, so that it needs no installed fonts.
 *
 * Roboto has one file per script; a file is read for the first character that needs it. A character without a glyph is
 * drawn as a box with its code point.
 *
 * Two bugs of opentype.js 2.0 are avoided: shaping a whole string throws on Roboto's contextual substitutions, so
 * glyphs are placed one by one. Its `toPathData` writes NaN for coordinates just off an integer.
 */
const SUBSETS = [
  'latin',
  'latin-ext',
  'greek',
  'greek-ext',
  'cyrillic',
  'cyrillic-ext',
  'vietnamese',
  'math',
  'symbols',
];

export type Weight = 400 | 500;

export interface Glyphs {
  /** Returns the advance width of the text, in pixels. */
  measure(text: string, fontSize: number): number;
  /** Returns SVG path data of the text with its baseline starting at (x, y). */
  outline(text: string, x: number, y: number, fontSize: number): string;
}

interface Found {
  character: string;
  /** Absent if no font has the character. */
  drawn: { font: Font; glyph: Glyph } | undefined;
}

export function createGlyphs(weight: Weight): Glyphs {
  const fonts = new Map<string, Font>();
  const known = new Map<string, Found>();

  function find(character: string): Found {
    const before = known.get(character);
    if (before !== undefined) return before;
    const found: Found = { character, drawn: undefined };
    for (const subset of SUBSETS) {
      const font = fonts.get(subset) ?? readFont(subset, weight);
      fonts.set(subset, font);
      const glyph = font.charToGlyph(character);
      if (glyph.index === 0) continue;
      found.drawn = { font, glyph };
      break;
    }
    known.set(character, found);
    return found;
  }

  /** Calls `visit` with each character and its start in ems. Returns the end of the text. */
  function place(text: string, visit: (found: Found, atEm: number) => void): number {
    let atEm = 0;
    let previous: Found['drawn'];
    for (const found of Array.from(text, find)) {
      const { drawn } = found;
      if (drawn !== undefined && previous?.font === drawn.font) {
        atEm += drawn.font.getKerningValue(previous.glyph, drawn.glyph) / drawn.font.unitsPerEm;
      }
      visit(found, atEm);
      atEm += drawn === undefined ? BOX_ADVANCE : drawn.glyph.advanceWidth / drawn.font.unitsPerEm;
      previous = drawn;
    }
    return atEm;
  }

  function outline(text: string, x: number, y: number, fontSize: number): string {
    let data = '';
    place(text, ({ character, drawn }, atEm) => {
      const left = x + atEm * fontSize;
      data +=
        drawn === undefined
          ? outlineBox(character, left, y, fontSize, outline)
          : pathData(drawn.glyph.getPath(left, y, fontSize).commands);
    });
    return data;
  }

  return { measure: (text, fontSize) => place(text, () => {}) * fontSize, outline };
}

const BOX_ADVANCE = 0.86;

/** Draws a frame with the code point in two rows of hexadecimal digits, the usual sign of a missing glyph. */
function outlineBox(
  character: string,
  x: number,
  y: number,
  fontSize: number,
  outline: Glyphs['outline'],
): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const half = Math.ceil(hex.length / 2);
  const [left, top] = [x + 0.05 * fontSize, y - 0.74 * fontSize];
  const [width, height, line] = [0.76 * fontSize, 0.8 * fontSize, Math.max(1, 0.045 * fontSize)];
  const digits = 0.32 * fontSize;
  return (
    `M${left} ${top}h${width}v${height}h${-width}z` +
    `M${left + line} ${top + line}v${height - 2 * line}h${width - 2 * line}v${-(height - 2 * line)}z` +
    outline(hex.slice(0, half), left + 0.13 * fontSize, y - 0.39 * fontSize, digits) +
    outline(hex.slice(half), left + 0.13 * fontSize, y - 0.06 * fontSize, digits)
  );
}

function pathData(commands: PathCommand[]): string {
  return commands.map((command) => command.type + coordinates(command).map(round).join(' ')).join('');
}

function coordinates(command: PathCommand): number[] {
  switch (command.type) {
    case 'M':
    case 'L':
      return [command.x, command.y];
    case 'Q':
      return [command.x1, command.y1, command.x, command.y];
    case 'C':
      return [command.x1, command.y1, command.x2, command.y2, command.x, command.y];
    case 'Z':
      return [];
  }
}

function round(value: number): string {
  return value.toFixed(2);
}

const require = createRequire(import.meta.url);
const FONT_FOLDER = join(dirname(require.resolve('@fontsource/roboto/package.json')), 'files');

function readFont(subset: string, weight: Weight): Font {
  const bytes = readFileSync(join(FONT_FOLDER, `roboto-${subset}-${weight}-normal.woff`));
  return opentype.parse(new Uint8Array(bytes).buffer);
}
