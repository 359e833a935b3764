/** Wraps and scales text so that it fits into a picture. */
import type { Glyphs } from './glyphs.ts';

export interface TextBox {
  width: number;
  height: number;
  maxFontSize: number;
  minFontSize: number;
}

export interface TextBlock {
  lines: string[];
  fontSize: number;
  lineHeight: number;
}

const LINE_SPACING = 1.22;
const STEP = 0.92;
/** The most characters that are measured. No frame holds more at the smallest size. */
const MOST_CHARACTERS = 2000;

/**
 * Fits text into a box: the largest font size, wrapped. Text that does not fit at the smallest size ends in an
 * ellipsis.
 */
export function fitText(text: string, box: TextBox, glyphs: Glyphs): TextBlock {
  const words = drawable(text).split(' ');
  for (let fontSize = box.maxFontSize; ; fontSize = Math.max(box.minFontSize, fontSize * STEP)) {
    const lines = wrap(words, box.width, fontSize, glyphs);
    const lineHeight = fontSize * LINE_SPACING;
    const room = Math.max(1, Math.floor(box.height / lineHeight));
    if (lines.length <= room) return { lines, fontSize, lineHeight };
    if (fontSize > box.minFontSize) continue;
    const kept = lines.slice(0, room);
    kept[room - 1] = ellipsize(kept[room - 1] ?? '', box.width, fontSize, glyphs);
    return { lines: kept, fontSize, lineHeight };
  }
}

/** Returns one line of spaces and visible characters; joiners and variation selectors have no glyph. */
function drawable(text: string): string {
  return Array.from(text)
    .slice(0, MOST_CHARACTERS)
    .join('')
    .normalize('NFC')
    .replace(/[\p{Cf}\p{Variation_Selector}]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

function wrap(words: string[], width: number, fontSize: number, glyphs: Glyphs): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.flatMap((whole) => breakWord(whole, width, fontSize, glyphs))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || glyphs.measure(longer, fontSize) <= width) {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Cuts a word that is wider than the box. */
function breakWord(word: string, width: number, fontSize: number, glyphs: Glyphs): string[] {
  if (glyphs.measure(word, fontSize) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && glyphs.measure(piece + character, fontSize) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

function ellipsize(line: string, width: number, fontSize: number, glyphs: Glyphs): string {
  const characters = Array.from(line);
  while (characters.length > 0 && glyphs.measure(`${characters.join('')}…`, fontSize) > width) {
    characters.pop();
  }
  return `${characters.join('').trimEnd()}…`;
}
