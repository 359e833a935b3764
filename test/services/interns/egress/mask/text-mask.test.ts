import { describe, expect, test } from '@jest/globals';
import { createTextMask, type TextMask } from '../../../../../services/interns/egress/mask/text-mask.ts';
import { createValueAutomaton } from '../../../../../services/interns/egress/mask/value-automaton.ts';
import { randomsOf } from './randoms.ts';

/** Returns the text with `#` for each stretch of bytes that belong to a value. */
function coverNaively(text: string, values: readonly string[]): string {
  const isCovered = Array.from({ length: text.length }, () => false);
  for (const value of values) {
    for (let start = text.indexOf(value); start !== -1; start = text.indexOf(value, start + 1)) {
      isCovered.fill(true, start, start + value.length);
    }
  }
  return Array.from(text, (letter, at) => (isCovered[at] ? '#' : letter))
    .join('')
    .replaceAll(/#+/g, '#');
}

function maskInChunks(text: string, mask: TextMask, cut: () => number): string {
  const stream = mask.open();
  let masked = '';
  for (let at = 0; at < text.length;) {
    const length = cut();
    masked += stream.write(Buffer.from(text.slice(at, at + length), 'latin1')).toString('latin1');
    at += length;
  }
  return masked + stream.end().toString('latin1');
}

function maskOf(...groups: readonly (readonly string[])[]): TextMask {
  const automata = groups.map((values, group) =>
    createValueAutomaton(
      values.map((value, n) => ({
        text: Buffer.from(value),
        placeholder: Buffer.from(`{{${group}${n}}}`),
      })),
    ),
  );
  return createTextMask(automata);
}

describe('a text mask', () => {
  test('passes all bytes but those of values, however the text is cut', () => {
    for (let seed = 1; seed <= 4_000; seed += 1) {
      const random = randomsOf(seed);
      const letters = 'abc'.slice(0, 1 + random(3));
      const textOf = (length: number): string =>
        Array.from({ length }, () => letters[random(letters.length)]).join('');
      const valuesOf = (count: number): string[] =>
        Array.from({ length: count }, () => textOf(1 + random(7)));
      const groups = [valuesOf(1 + random(4)), ...(random(2) === 0 ? [] : [valuesOf(1 + random(2))])];
      const mask = maskOf(...groups);
      const text = textOf(random(60));
      const masked = maskInChunks(text, mask, () => 1 + random(6));
      const covered = masked.replaceAll(/(?:\{\{\d+\}\})+/g, '#');
      expect({ seed, covered }).toEqual({ seed, covered: coverNaively(text, groups.flat()) });
      expect({ seed, masked }).toEqual({ seed, masked: mask.replace(text) });
    }
  });

  test('passes no byte of values that overlap', () => {
    expect(maskOf(['abcd', 'cdef']).replace('>abcdef<')).toBe('>{{00}}<');
  });

  test('prefers the longest of the values that begin at one place', () => {
    expect(maskOf(['key', 'key-long']).replace('key-long key-lo')).toBe('{{01}} {{00}}-lo');
  });

  test('holds back only bytes that may begin a value', () => {
    const stream = maskOf(['s3cret']).open();
    const write = (text: string): string => stream.write(Buffer.from(text)).toString();
    expect(write('data: one\n\n')).toBe('data: one\n\n');
    expect(write('data: s3')).toBe('data: ');
    expect(write('cre')).toBe('');
    expect(write('am\n\n')).toBe('s3cream\n\n');
    expect(write('s3cret')).toBe('{{00}}');
    expect(write('s3')).toBe('');
    expect(stream.end().toString()).toBe('s3');
  });

  test('finds values in bytes that are no text', () => {
    const stream = maskOf(['s3cret']).open();
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0x00, 0x80]),
      Buffer.from('s3cret'),
      Buffer.from([0xfe]),
    ]);
    const masked = Buffer.concat([stream.write(bytes), stream.end()]);
    expect(masked).toEqual(Buffer.from([0xff, 0x00, 0x80, ...Buffer.from('{{00}}'), 0xfe]));
  });

  test('passes the same buffer on when it replaces nothing', () => {
    const stream = maskOf(['s3cret']).open();
    const chunk = Buffer.from('nothing to see');
    expect(stream.write(chunk).buffer).toBe(chunk.buffer);
  });
});
