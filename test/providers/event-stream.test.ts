import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EventStreamParser, EventTooLongError, type StreamEvent } from '../../providers/event-stream.ts';

const MAX_EVENT_BYTES = 1024 ** 2;

function createParser(): EventStreamParser {
  const mayBeLong = ({ type, data }: StreamEvent): boolean => type === 'long' || data.startsWith('{"long"');
  return new EventStreamParser({
    maxEventBytes: MAX_EVENT_BYTES,
    maxLongBytes: 4 * MAX_EVENT_BYTES,
    mayBeLong,
  });
}

/** The data of the events in these pieces. */
function dataOf(...pieces: (string | Buffer)[]): string[] {
  const parser = createParser();
  return pieces.flatMap((piece) => parser.push(Buffer.from(piece)).map(({ data }) => data));
}

describe('a stream of events', () => {
  test.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['all of them', 'data: a\n\r\ndata: b\r\n\n'],
  ])('accepts lines that end with %s', (_, text) => {
    expect(dataOf(text)).toEqual(['a', 'b']);
  });

  test.each([
    ['without a space after the colon', 'data:a\n\n', ['a']],
    ['with two spaces, of which one belongs to it', 'data:  a\n\n', [' a']],
    ['of several lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['of an empty line', 'data\n\n', ['']],
    ['behind a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    ['between comments', ': hello\n\ndata: a\n: more\n\n:\n\n', ['a']],
    ['between other fields', 'id: 1\nretry: 5\nother: x\ndata: a\n\n', ['a']],
    ['with colons in it', 'data: {"a":"b:c"}\n\n', ['{"a":"b:c"}']],
    ['that is not ended', 'data: a\n\ndata: b\n', ['a']],
    ['without data', 'event: ping\n\n', []],
  ])('reads data %s', (_, text, expected) => {
    expect(dataOf(text)).toEqual(expected);
  });

  test('gives each event its own name', () => {
    const events = createParser().push(Buffer.from('event: error\ndata: a\n\ndata: b\n\n'));
    expect(events).toEqual([
      { type: 'error', data: 'a' },
      { type: '', data: 'b' },
    ]);
  });

  test('returns from rest() what no empty line ended', () => {
    const parser = createParser();
    parser.push(Buffer.from('data: a\n\ndata: [DONE]'));
    expect(parser.rest()).toBe('[DONE]');
  });

  test('gives the same events however its bytes are cut', () => {
    const line = fc.constantFrom('data: ä€𝄞', 'data: x', 'data:', ': no', 'event: e', '', '', 'é');
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const stream = fc.array(fc.tuple(line, end), { maxLength: 12 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 120 })), (lines, cuts) => {
        const bytes = Buffer.from(`\uFEFF${lines.flat().join('')}\n\n`);
        const places = [
          0,
          ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect(dataOf(...pieces)).toEqual(dataOf(bytes));
      }),
    );
  });

  test('accepts an event of the largest size in any pieces, and none larger', () => {
    const parser = createParser();
    const piece = Buffer.alloc(64 * 1024, 'x');
    parser.push(Buffer.from('data: '));
    for (let bytes = piece.length; bytes < MAX_EVENT_BYTES; bytes += piece.length) parser.push(piece);
    const [event] = parser.push(Buffer.from('\n\n'));
    expect(event?.data).toHaveLength(MAX_EVENT_BYTES - piece.length);
    for (let bytes = 0; bytes < MAX_EVENT_BYTES; bytes += piece.length) parser.push(piece);
    expect(() => parser.push(piece)).toThrow(EventTooLongError);
  });

  test('accepts many small events that exceed the limit together', () => {
    const parser = createParser();
    const piece = Buffer.from('data: x\n\n'.repeat(10_000));
    for (let bytes = 0; bytes < 2 * MAX_EVENT_BYTES; bytes += piece.length) parser.push(piece);
    expect(parser.rest()).toBe('');
  });

  test.each(['event: long\ndata: {"a":"', 'data: {"long":"'])(
    'allows a longer event when its beginning is %j',
    (beginning) => {
      const parser = createParser();
      const piece = Buffer.alloc(64 * 1024, 'x');
      parser.push(Buffer.from(beginning));
      for (let bytes = piece.length; bytes < 4 * MAX_EVENT_BYTES; bytes += piece.length) parser.push(piece);
      expect(parser.pendingMemory).toBeGreaterThan(3 * MAX_EVENT_BYTES);
      expect(() => parser.push(piece)).toThrow(EventTooLongError);
    },
  );

  test('limits the event after a long one to the usual size', () => {
    const parser = createParser();
    parser.push(Buffer.from(`event: long\ndata: ${'x'.repeat(2 * MAX_EVENT_BYTES)}`));
    expect(parser.push(Buffer.from('\n\ndata: '))).toHaveLength(1);
    expect(() => parser.push(Buffer.alloc(2 * MAX_EVENT_BYTES, 'x'))).toThrow(EventTooLongError);
  });
});
