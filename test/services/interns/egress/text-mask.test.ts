import { describe, expect, test } from '@jest/globals';
import { createTextMask } from '../../../../services/interns/egress/mask/text-mask.ts';
import type { MaskedText } from '../../../../services/interns/egress/mask/value-automaton.ts';

/** Marks every byte of every occurrence, then replaces what overlaps by one placeholder. */
function maskNaively(text: string, texts: readonly MaskedText[]): string {
  const found = texts
    .filter(({ text: value }) => value !== '')
    .flatMap(({ text: value, placeholder }) =>
      Array.from({ length: text.length }, (_, start) => start).flatMap((start) =>
        text.startsWith(value, start) ? [{ start, end: start + value.length, placeholder }] : [],
      ),
    )
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  let masked = '';
  let at = 0;
  for (const { start, end, placeholder } of found) {
    if (start >= at) masked += text.slice(at, start) + placeholder;
    at = Math.max(at, end);
  }
  return masked + text.slice(at);
}

function maskInChunks(text: string, texts: readonly MaskedText[], cut: () => number): string {
  const stream = createTextMask(texts).open();
  let masked = '';
  for (let at = 0; at < text.length;) {
    const length = cut();
    masked += stream.write(Buffer.from(text.slice(at, at + length), 'latin1')).toString('latin1');
    at += length;
  }
  return masked + stream.end().toString('latin1');
}

/** A generator of numbers that repeats itself with its seed, so that a failure can be looked at. */
function randomsOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const valuesOf = (...values: string[]): MaskedText[] =>
  values.map((text, n) => ({ text, placeholder: `{{${n}}}` }));

describe('masking', () => {
  test('gives the same as a replacement in the whole text, however it is cut', () => {
    for (let seed = 1; seed <= 4_000; seed += 1) {
      const random = randomsOf(seed);
      const letters = 'abc'.slice(0, 1 + random(3));
      const textOf = (length: number): string =>
        Array.from({ length }, () => letters[random(letters.length)]).join('');
      const values = valuesOf(...Array.from({ length: 1 + random(5) }, () => textOf(1 + random(7))));
      const text = textOf(random(60));
      const masked = maskInChunks(text, values, () => 1 + random(6));
      expect({ seed, masked }).toEqual({ seed, masked: maskNaively(text, values) });
    }
  });

  test('passes no byte of values that overlap', () => {
    expect(createTextMask(valuesOf('abcd', 'cdef')).replace('>abcdef<')).toBe('>{{0}}<');
  });

  test('prefers the longest of the values that begin at one place', () => {
    expect(createTextMask(valuesOf('key', 'key-long')).replace('key-long key-lo')).toBe('{{1}} {{0}}-lo');
  });

  test('holds back nothing but what may be the beginning of a value', () => {
    const stream = createTextMask(valuesOf('s3cret')).open();
    const write = (text: string): string => stream.write(Buffer.from(text)).toString();
    expect(write('data: one\n\n')).toBe('data: one\n\n');
    expect(write('data: s3')).toBe('data: ');
    expect(write('cre')).toBe('');
    expect(write('am\n\n')).toBe('s3cream\n\n');
    expect(write('s3cret')).toBe('{{0}}');
    expect(write('s3')).toBe('');
    expect(stream.end().toString()).toBe('s3');
  });

  test('finds values in bytes that are no text', () => {
    const stream = createTextMask(valuesOf('s3cret')).open();
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0x00, 0x80]),
      Buffer.from('s3cret'),
      Buffer.from([0xfe]),
    ]);
    const masked = Buffer.concat([stream.write(bytes), stream.end()]);
    expect(masked).toEqual(Buffer.from([0xff, 0x00, 0x80, ...Buffer.from('{{0}}'), 0xfe]));
  });

  test('passes the same buffer on when there is nothing to replace', () => {
    const stream = createTextMask(valuesOf('s3cret')).open();
    const chunk = Buffer.from('nothing to see');
    expect(stream.write(chunk).buffer).toBe(chunk.buffer);
  });
});
