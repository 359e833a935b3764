import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  OutboundBlockedError,
  OutboundNetworkError,
  OutboundResponseTooLargeError,
  OutboundTimeoutError,
} from '../../platform/outbound-error.ts';
import type { OutboundGuard } from '../../platform/outbound-guard.ts';
import { OutboundStream } from '../../platform/outbound-stream.ts';
import { eventually } from '../support/eventually.ts';
import { withMoreTime } from '../support/with-more-time.ts';
import { closeAfterEach, guardWith, serve } from './outbound-setup.ts';

closeAfterEach();

const KIB = 1024;

interface Limits {
  timeoutMs?: number;
  maxResponseBytes?: number;
  signal?: AbortSignal;
}

async function open(answer: (response: ServerResponse) => void, limits: Limits = {}) {
  const server = await serve((_request, response) => answer(response));
  const stream = openWith(guardWith(), `${server.origin}/path`, limits);
  return { stream, server };
}

function openWith(guard: OutboundGuard, url: string, limits: Limits = {}): OutboundStream {
  return guard.open(guard.checkedUrl(new URL(url)), requestWith(limits));
}

function requestWith(limits: Limits = {}) {
  const signal = new AbortController().signal;
  return { method: 'GET', headers: {}, timeoutMs: 10_000, maxResponseBytes: 1_000 * KIB, signal, ...limits };
}

async function readAll(stream: OutboundStream): Promise<string> {
  let text = '';
  while (!stream.isOver) {
    for (const chunk of stream.take()) text += chunk.toString();
    await stream.more();
  }
  return text;
}

describe('a path and query given as text', () => {
  async function openAt(pathAndQuery: string) {
    const urls: (string | undefined)[] = [];
    const server = await serve(({ url }, response) => {
      urls.push(url);
      response.end();
    });
    const guard = guardWith();
    const url = guard.checkedUrl(new URL(`${server.origin}/path?query`));
    return { urls, open: () => guard.open(url, { ...requestWith(), pathAndQuery }) };
  }

  test('replaces that of the URL without a change', async () => {
    const text = `/{"'^\\}/../%2e?'"?`;
    const { urls, open } = await openAt(text);
    await open().head;
    expect(urls).toEqual([text]);
  });

  test.each(['http://other.example/', 'other', '', '?a', '*'])(
    'causes an OutboundBlockedError when given as %j',
    async (text) => {
      const { urls, open } = await openAt(text);
      expect(open).toThrow(OutboundBlockedError);
      expect(urls).toEqual([]);
    },
  );

  test.each([' ', '\r\n', '\n', '\t', '\0', '\u0100'])(
    'fails without a request when %j is inside',
    async (text) => {
      const { urls, open } = await openAt(`/a${text}b`);
      await expect(open().head).rejects.toMatchObject({ code: 'UND_ERR_INVALID_ARG', sent: false });
      expect(urls).toEqual([]);
    },
  );
});

test('an outbound stream gives the head, and then the body piece by piece', async () => {
  const { promise: proceed, resolve } = Promise.withResolvers<void>();
  const { stream } = await open(async (response) => {
    response.writeHead(201, { 'x-own': '1' }).write('one ');
    await proceed;
    response.end('two');
  });
  expect(await stream.head).toMatchObject({ status: 201, headers: { 'x-own': '1' } });
  await stream.more();
  expect(Buffer.concat(stream.take()).toString()).toBe('one ');
  expect(stream.isOver).toBe(false);
  resolve();
  expect(await readAll(stream)).toBe('two');
});

describe('takeWhole', () => {
  test('returns a body that has arrived', async () => {
    const { stream } = await open((response) => void response.end('x'.repeat(100)));
    await stream.head;
    await eventually(
      'the body',
      async () => stream.takeWhole(100)?.toString() === 'x'.repeat(100) || undefined,
    );
    expect(stream.isOver).toBe(true);
  });

  test('returns nothing for a body beyond the given length', async () => {
    const { stream } = await open((response) => void response.end('x'.repeat(101)));
    await stream.head;
    expect(stream.takeWhole(100)).toBeUndefined();
    expect(await readAll(stream)).toBe('x'.repeat(101));
  });

  test('returns nothing before the end of the body', async () => {
    const end = Promise.withResolvers<void>();
    const { stream } = await open(async (response) => {
      response.write('x');
      await end.promise;
      response.end('y');
    });
    await stream.head;
    await stream.more();
    expect(stream.takeWhole(100)).toBeUndefined();
    end.resolve();
    expect(await readAll(stream)).toBe('xy');
  });
});

test('an abort before anyone awaits the head causes no unhandled rejection', async () => {
  const controller = new AbortController();
  const closed = Promise.withResolvers<void>();
  const { stream } = await open(
    (response) => {
      response.once('close', closed.resolve);
      controller.abort(new Error('the caller left'));
    },
    { signal: controller.signal },
  );
  await closed.promise;
  // A rejection that nobody handles would have ended the process by now.
  await expect(stream.head).rejects.toThrow('the caller left');
});

test('a response that proves too long fails after the allowed bytes', async () => {
  const { stream } = await open(
    (response) => {
      response.write('0123456789');
      setImmediate(() => response.write('x'));
    },
    { maxResponseBytes: 10 },
  );
  await stream.head;
  await expect(readAll(stream)).rejects.toBeInstanceOf(OutboundResponseTooLargeError);
});

test('a stream whose connection breaks fails and never counts as over', async () => {
  const { stream } = await open((response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('begun', () => response.destroy());
  });
  await stream.head;
  await expect(readAll(stream)).rejects.toBeInstanceOf(OutboundNetworkError);
  expect(stream.isOver).toBe(false);
});

test('the timeout of a stream covers the time until the last byte', async () => {
  const begun = await withMoreTime(300, async (timeoutMs) => {
    const { stream } = await open((response) => void response.write('begun'), { timeoutMs });
    return stream.head.then(
      () => stream,
      () => undefined,
    );
  });
  await expect(readAll(begun)).rejects.toBeInstanceOf(OutboundTimeoutError);
});

test('an abort fails the stream with its reason and closes the connection', async () => {
  const controller = new AbortController();
  const closed = Promise.withResolvers<void>();
  const { stream } = await open(
    (response) => {
      response.once('close', closed.resolve);
      controller.abort(new Error('the caller left'));
    },
    { signal: controller.signal },
  );
  await expect(stream.head).rejects.toThrow('the caller left');
  await closed.promise;
});

test('a signal aborted beforehand prevents the request', async () => {
  let requests = 0;
  const answer = (response: ServerResponse): void => {
    requests += 1;
    response.end();
  };
  const { stream, server } = await open(answer, { signal: AbortSignal.abort(new Error('left')) });
  await expect(stream.head).rejects.toThrow('left');
  expect((await openWith(guardWith(), `${server.origin}/`).head).status).toBe(200);
  expect(requests).toBe(1);
});

test('a reader that takes nothing makes the endpoint wait', async () => {
  const total = 64 * 1_024 * KIB;
  const stalled = Promise.withResolvers<void>();
  let written = 0;
  const { stream } = await open(
    async (response) => {
      const chunk = Buffer.alloc(64 * KIB);
      for (; written < total; written += chunk.length) {
        if (response.write(chunk)) continue;
        // Nothing is read for so long: the sockets between are full.
        const timer = setTimeout(stalled.resolve, 500);
        await once(response, 'drain');
        clearTimeout(timer);
      }
      response.end();
    },
    { maxResponseBytes: total },
  );
  await stream.head;
  await stalled.promise;
  expect(written).toBeLessThan(total / 2);
  expect((await readAll(stream)).length).toBe(total);
});

test('a reader that takes no single bytes makes the endpoint wait as well', () => {
  const stream = new OutboundStream(requestWith());
  let isPaused = false;
  const controller = { pause: () => (isPaused = true), resume: () => (isPaused = false), abort: () => {} };
  stream.onRequestStart(controller as never);
  let chunks = 0;
  for (; !isPaused && chunks < 10_000; chunks += 1)
    stream.onResponseData(controller as never, Buffer.from('x'));
  expect(chunks).toBeLessThanOrEqual(1_024);
  stream.take();
  expect(isPaused).toBe(false);
  stream.close();
});

test('a forbidden literal address throws, and a forbidden resolved address fails the connection', async () => {
  const guard = guardWith({ allow: [], resolve: async () => ['10.0.0.1'] });
  expect(() => openWith(guard, 'https://127.0.0.1/')).toThrow(OutboundBlockedError);
  await expect(openWith(guard, 'https://api.example.com/').head).rejects.toBeInstanceOf(OutboundBlockedError);
});
