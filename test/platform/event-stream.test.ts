import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, jest, test } from '@jest/globals';
import { EventStream, type Pieces } from '../../platform/event-stream.ts';
import { eventually } from '../support/eventually.ts';
import { sentText } from '../support/sent-text.ts';

/** Events that tell how far they came. */
function scene() {
  const seen: string[] = [];
  async function* events(): Pieces {
    try {
      for (const text of ['one', 'two']) {
        seen.push(text);
        yield text;
      }
      return 'three';
    } finally {
      seen.push('end');
    }
  }
  const ended = () => eventually('the end', async () => (seen.at(-1) === 'end' ? true : undefined));
  return { seen, ended, stream: new EventStream(events()) };
}

/** Takes what comes, at this pace, and counts it. */
function slowReader(msOf: (bytes: number) => number) {
  const read = { bytes: 0 };
  const reader = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      read.bytes += chunk.length;
      setTimeout(callback, msOf(chunk.length));
    },
  });
  return { reader, read };
}

describe('a stream of events', () => {
  test('sends all events in order and the returned value last', async () => {
    const { stream, seen } = scene();
    expect(await sentText(stream)).toBe('onetwothree');
    expect(seen.at(-1)).toBe('end');
  });

  test('writes the last event together with the end', async () => {
    const reader = new PassThrough();
    const end = jest.spyOn(reader, 'end');
    await scene().stream.sendTo(reader);
    expect(end.mock.calls).toEqual([['three']]);
  });

  test.each(['in the middle', 'before the first'])(
    'ends its generator when the reader leaves %s',
    async (when) => {
      const { stream, ended, seen } = scene();
      const reader = new PassThrough({ highWaterMark: 1 });
      if (when === 'before the first') reader.destroy();
      const sending = stream.sendTo(reader);
      if (when === 'in the middle') {
        await once(reader, 'readable');
        reader.destroy();
      }
      await sending;
      await ended();
      expect(seen).toEqual(['one', 'end']);
    },
  );

  test('ends its generator when the reader fails', async () => {
    const { stream, ended } = scene();
    const reader = new PassThrough().on('error', () => {});
    const sending = stream.sendTo(reader);
    reader.destroy(new Error('the cable'));
    await sending;
    await ended();
  });

  test("fails with the generator's error, and leaves the response unfinished", async () => {
    async function* failing(): Pieces {
      yield 'one';
      throw new Error('no more');
    }
    const reader = new PassThrough();
    await expect(new EventStream(failing()).sendTo(reader)).rejects.toThrow('no more');
    expect(reader).toMatchObject({ destroyed: true, writableFinished: false });
  });

  test('succeeds when the generator fails because the reader has left', async () => {
    const left = Promise.withResolvers<string>();
    async function* failing(): Pieces {
      yield 'one';
      await left.promise;
      throw new Error('the caller left');
    }
    const reader = new PassThrough();
    const sending = new EventStream(failing()).sendTo(reader);
    await once(reader, 'readable');
    reader.destroy();
    left.resolve('');
    await expect(sending).resolves.toBeUndefined();
  });

  test('closes the connection of a reader that stays and reads nothing', async () => {
    const large = 'x'.repeat(256 * 1024);
    let ended = false;
    async function* endless(): Pieces {
      try {
        for (;;) yield large;
      } finally {
        ended = true;
      }
    }
    const server = createServer((_request, response) => {
      void new EventStream(endless(), { stalledAfterMs: 20 }).sendTo(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const closed = once(client, 'close');
    client.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually('the end', async () => (ended ? true : undefined));
    // What had left before is still there to be read, and then the connection is closed.
    client.on('error', () => {}).resume();
    await closed;
    await new Promise((resolve) => server.close(resolve));
  });

  test('destroys a reader that does not take the last event', async () => {
    async function* one(): Pieces {
      yield '';
      return 'x'.repeat(32 * 1024);
    }
    const reader = new PassThrough({ highWaterMark: 1 });
    await new EventStream(one(), { stalledAfterMs: 20 }).sendTo(reader);
    expect(reader).toMatchObject({ destroyed: true, readableFlowing: null });
  });

  test('ends when the reader leaves during the last event', async () => {
    async function* one(): Pieces {
      yield '';
      return 'x'.repeat(1024 ** 2);
    }
    const reader = new PassThrough({ highWaterMark: 1 });
    const sending = new EventStream(one()).sendTo(reader);
    await eventually('a full buffer', async () => (reader.writableNeedDrain ? true : undefined));
    reader.destroy();
    await sending;
    expect(reader.writableLength).toBeGreaterThan(0);
  });

  test('continues for a reader that pauses within the time limit', async () => {
    const texts = Array.from({ length: 8 }, (_, n) => String(n).repeat(64 * 1024));
    async function* events(): Pieces {
      yield* texts;
      return undefined;
    }
    const { reader, read } = slowReader(() => 20);
    await new EventStream(events(), { stalledAfterMs: 60_000 }).sendTo(reader);
    await once(reader, 'finish');
    expect(read.bytes).toBe(texts.join('').length);
  });

  test.each(['the last', 'not the last'])(
    'continues for a reader that takes a large event slowly: %s',
    async (which) => {
      const large = 'x'.repeat(2 * 1024 ** 2);
      async function* events(): Pieces {
        yield large;
        if (which === 'the last') return large;
        yield large;
        return undefined;
      }
      const { reader, read } = slowReader((bytes) => bytes / 16_384);
      await new EventStream(events(), { stalledAfterMs: 50 }).sendTo(reader);
      await once(reader, 'finish');
      expect(read.bytes).toBe(2 * large.length);
    },
  );

  test('makes events only when the reader needs them', async () => {
    let made = 0;
    async function* events(): Pieces {
      for (; made < 100; made += 1) yield 'x'.repeat(1_024);
      return undefined;
    }
    const reader = new PassThrough({ highWaterMark: 4 * 1_024 });
    const sending = new EventStream(events()).sendTo(reader);
    await eventually('a full buffer', async () => (reader.writableNeedDrain ? true : undefined));
    const before = made;
    expect(before).toBeLessThan(12);
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).toBe(before);
    reader.resume();
    await sending;
    expect(made).toBe(100);
  });
});
