import { finished } from 'node:stream/promises';
import { describe, expect, test } from '@jest/globals';
import { createEventStream } from '../../../services/generations/event-stream.ts';
import { eventually } from '../../support/eventually.ts';

/** Events that tell how far they came. */
function scene() {
  const seen: string[] = [];
  async function* events(): AsyncGenerator<string> {
    try {
      for (const text of ['one', 'two', 'three']) {
        seen.push(text);
        yield text;
      }
    } finally {
      seen.push('end');
    }
  }
  const ended = () => eventually('the end', async () => (seen.at(-1) === 'end' ? true : undefined));
  return { seen, ended, stream: createEventStream(events()) };
}

describe('a stream of events', () => {
  test('has all of them, in order', async () => {
    const { stream, seen } = scene();
    let text = '';
    for await (const part of stream.setEncoding('utf8')) text += String(part);
    expect(text).toBe('onetwothree');
    expect(seen.at(-1)).toBe('end');
  });

  test.each([
    ['in the middle', true],
    ['before the first', false],
  ])('comes to its end where the reader leaves %s', async (_when, reads) => {
    const { stream, ended, seen } = scene();
    if (reads) await stream.iterator({ destroyOnReturn: false }).next();
    stream.destroy();
    await ended();
    expect(seen).toContain('one');
  });

  test('comes to its end where the reader breaks', async () => {
    const { stream, ended } = scene();
    stream.on('error', () => {});
    stream.destroy(new Error('the cable'));
    await ended();
  });

  test('fails where the generator fails', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'one';
      throw new Error('no more');
    }
    const stream = createEventStream(failing());
    stream.resume();
    await expect(finished(stream)).rejects.toThrow('no more');
  });
});
